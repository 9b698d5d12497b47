// Facts of the model that ran, from all sources, best first.
#pragma once
#include <model/architecture/facts/fact_list.hpp>
#include <model/architecture/facts/record.hpp>
#include <model/architecture/facts/shapes.hpp>

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// What several sources need of each other.
struct fact_context {
  const model_record& r;
  model_shapes shapes;
  std::uint64_t passes = 0;  // forward passes that the operators or modules are of; 0: not known
  std::uint64_t micro_steps = 0, accumulates = 0;  // of training, and those to a step of the optimizer; 0: not known
  bool trains = false, denoises = false, convolves = false, recommends = false, encodes_and_decodes = false;
};

// One source each. Later ones see what earlier ones gave.
void add_step_facts(fact_context& c, fact_list& into);
void add_mode_facts(fact_context& c, fact_list& into);
void add_module_facts(fact_context& c, fact_list& into);
void add_group_facts(fact_context& c, fact_list& into);
void add_shape_facts(fact_context& c, fact_list& into);
void add_kernel_facts(fact_context& c, fact_list& into);
void add_accumulation_facts(fact_context& c, fact_list& into);
void add_count_facts(fact_context& c, fact_list& into);
void add_recorder_facts(fact_context& c, fact_list& into);
void add_arithmetic_facts(fact_context& c, fact_list& into);

// `files`: null where only the activity is known, so that programs are not.
result<std::vector<model_fact>> find_facts(const activity& of, const profile* files, const architecture_result& found, const hooks& host);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
