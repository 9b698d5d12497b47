// What the fields of the document `validate` are found with.
#pragma once
#include <profkit/core/collectives.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

struct validate_sight {
  const validation_result& found;
  const alignment_result* alignment = nullptr;
};
template <class Row>
using rows_by_place = std::vector<std::reference_wrapper<const Row>>;

[[nodiscard]] const char* clocks_of(const validation_result& found, const validate_sight&) noexcept;
[[nodiscard]] const alignment_result* alignment_of(const validation_result& found, const validate_sight& with) noexcept;
[[nodiscard]] rows_by_place<collective_op> ops_of(const validation_result& found, const validate_sight&);
// The groups out of order, beyond the bound first.
[[nodiscard]] rows_by_place<collective_group> details_of(const validation_result& found, const validate_sight&);
// Every group, the one that waited longest for its last member first.
[[nodiscard]] rows_by_place<collective_group> calls_of(const validation_result& found, const validate_sight&);

struct shown_call {
  const collective_group& group;
  const collective_op& op;
  const collective_member& last;
  const collective_member& latest_start;
  const collective_member& earliest_end;
};
[[nodiscard]] shown_call shown(const collective_group& group, const validation_result& found, const validate_sight&);
[[nodiscard]] std::vector<collective_member> members_of(const shown_call& call, const validate_sight& with);

template <class Row>
[[nodiscard]] std::int64_t node_of(const Row& row, const validate_sight& with) {
  return with.found.nodes[row.node].id;
}
[[nodiscard]] std::int64_t latest_start_node_of(const shown_call& call, const validate_sight& with);
[[nodiscard]] std::int64_t earliest_end_node_of(const shown_call& call, const validate_sight& with);

// Who came last.
struct latest_device {
  std::optional<std::int64_t> node;  // none: no device came last alone
  std::int32_t device = -1;
  std::int64_t rank = -1;
};
[[nodiscard]] latest_device latest_of(const collective_op& op, const validate_sight& with);
[[nodiscard]] latest_device latest_of(const shown_call& call, const validate_sight& with);
[[nodiscard]] latest_device latest_of(const collective_arrivals& arrivals, const validate_sight& with);
[[nodiscard]] std::string text_of(const collective_arrivals& arrivals, const validate_sight& with);

// What moved in a time, as the algorithm sees it and as links do; none where one of the two is not known.
struct moved_bytes {
  std::int64_t payload_bytes = -1, moving_ps = -1;
  std::optional<double> algorithm_bytes_per_s, bus_bytes_per_s;
};
[[nodiscard]] moved_bytes moved_of(const collective_op& op, const validate_sight&);
[[nodiscard]] moved_bytes moved_of(const shown_call& call, const validate_sight&);

// A call, and a device that something is known of there.
struct call_place {
  const collective_op& op;
  std::uint32_t call = 0;
  std::int64_t call_start_ps = 0;
  std::uint32_t node = 0;
  std::int32_t device = -1;
  std::int64_t rank = -1;
  std::uint64_t count = 0;
};
template <class Row>
[[nodiscard]] call_place place_of(const Row& row, const validate_sight& with) {
  return {with.found.ops[row.op], row.occurrence, row.call_start_ps, row.node, row.device, row.rank, row.count};
}
[[nodiscard]] std::optional<std::int64_t> late_of(const collective_irregularity& row, const validate_sight&) noexcept;

[[nodiscard]] std::optional<std::int64_t> reference_node_of(const alignment_result& alignment, const validate_sight& with);
// Null where collectives say nothing of it.
[[nodiscard]] const clock_relation* interval_of(const aligned_node& node) noexcept;
struct clock_guess {
  std::int64_t offset_ps = 0;
  double drift_ppm = 0;
  std::int64_t spread_ps = 0;
};
[[nodiscard]] std::optional<clock_guess> guess_of(const aligned_node& node) noexcept;
[[nodiscard]] std::optional<bool> agrees_of(const aligned_node& node) noexcept;

struct clock_pair {
  std::int64_t a = 0, b = 0;
  const clock_relation& relation;
};
[[nodiscard]] clock_pair shown(const clock_relation& relation, const alignment_result& of, const validate_sight&);
[[nodiscard]] const clock_relation* interval_of(const clock_pair& pair) noexcept;

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
