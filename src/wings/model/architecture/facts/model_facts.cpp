#include <model/architecture/facts/model_facts.hpp>

#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

result<std::vector<model_fact>> find_facts(const activity& of, const profile* files, const architecture_result& found, const hooks& host) {
  auto record = gather_record(of, found, host);
  if (!record) return std::move(record).error();
  fact_context c{*record, {}};
  read_operators(*record, c.shapes);
  read_tables(*record, c.shapes);
  if (files != nullptr) read_programs(*files, *record, c.shapes);
  fact_list facts;
  add_step_facts(c, facts);
  add_mode_facts(c, facts);
  add_module_facts(c, facts);
  add_group_facts(c, facts);
  add_shape_facts(c, facts);
  add_kernel_facts(c, facts);
  add_accumulation_facts(c, facts);
  add_count_facts(c, facts);
  add_recorder_facts(c, facts);
  add_arithmetic_facts(c, facts);
  return facts.take();
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
