// What is known of an operation beside its times.
#pragma once
#include <profkit/core/ops.hpp>

#include <string>
#include <vector>

namespace profkit_tool {

struct op_facts {
  std::string name;             // short, escaped
  std::string full_name;        // escaped
  std::string category;         // hlo_category
  std::string program;          // escaped
  std::string tf_op;            // where it comes from in the program
  double flops = 0, bytes = 0;  // of one execution; 0 when the capture does not say
};
op_facts facts_of(const profkit::profile& capture, const profkit::op_programs& programs, const profkit::ops_line& line,
                  const profkit::op_row& op);

// Whether ops are of more than one known program: only then a table names them.
class programs_met {
 public:
  void add(const std::string& program) {
    if (first_.empty()) first_ = program;
    several_ = several_ || (!program.empty() && program != first_);
  }
  [[nodiscard]] bool several() const noexcept { return several_; }

 private:
  std::string first_;
  bool several_ = false;
};

// "Not counted as ops: instants and counters: 40 on 3 lines; …"; "" where nothing is.
std::string left_out_text(const std::vector<profkit::left_out_lines>& all);

// `amount` an execution, `count` executions in `total_ps`: "412 TFLOP/s"; "" when the amount is unknown.
std::string achieved_rate(double amount, std::uint64_t count, std::int64_t total_ps, const char* unit);

}  // namespace profkit_tool
