#include <formats/op_stats/op_stats_fill.hpp>
#include <formats/registry.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr name_rule op_stats_file_names[] = {
    {"*.op_stats_v2.pb", "", ".op_stats_v2.pb", detection_confidence::certain, host_rule::none, true},
};

constexpr known_format describe_op_stats() {
  known_format f;
  f.family = file_family::op_stats;
  f.name = "op_stats";
  f.title = "totals of ops by XProf";
  f.content = file_content::op_totals;
  f.names = op_stats_file_names;
  f.makes_a_run = true;
  f.fill_activity = fill_activity_from_op_stats;
  return f;
}

}  // namespace

extern const known_format op_stats_format = describe_op_stats();

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
