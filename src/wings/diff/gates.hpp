// What a change must not do.
#pragma once
#include <profkit/core/diff.hpp>

#include <optional>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace diff {

// A number of a run; none where it is not on record.
using run_number = std::optional<double> (*)(const run_snapshot& run, const std::string& name);
[[nodiscard]] std::optional<double> median_step(const run_snapshot& run, const std::string&);
[[nodiscard]] std::vector<double> numbers_of(const std::vector<run_snapshot>& runs, run_number number, const std::string& name = {});
// By which runs are before and which after. None of the bounds where a run has no number.
[[nodiscard]] number_change change_of_runs(const std::vector<double>& before, const std::vector<double>& after);

struct gate {
  std::string text, name;  // name: a part of the names of ops
  run_number number = nullptr;
  bool is_exact = false;  // no noise: it is compared as it is
  double limit = 0;       // of after / before - 1
};
// "step>+2%", "op:gemm>10%". Faults: invalid_argument.
[[nodiscard]] result<gate> parse_gate(const std::string& text);
[[nodiscard]] gate_verdict judge(const gate& g, const std::vector<run_snapshot>& before, const std::vector<run_snapshot>& after);

}  // namespace diff
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
