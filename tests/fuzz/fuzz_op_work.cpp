// What ops do, from any module and any texts: no amount is negative, and what is not known is nothing.
#include <analyse/ops/hlo_cost.hpp>
#include <analyse/ops/hlo_kinds.hpp>
#include <base/kernel_names.hpp>
#include <formats/ascend/ascend_work.hpp>
#include <formats/operator_work.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_module(std::string_view bytes) {
  const hlo_module_view module = hlo_proto_view(bytes).hlo_module();
  std::size_t instructions = 0;
  for (const computation_view computation : module.computations())
    for ([[maybe_unused]] const instruction_view each : computation.instructions()) ++instructions;
  const std::vector<hlo_cost> costs = hlo_costs_of(module);
  require(costs.size() == instructions && hlo_kinds_of(module).size() == instructions);
  for (const hlo_cost& cost : costs) require(cost.flops >= 0 && cost.transcendentals >= 0 && cost.bytes >= 0);
}

// An operator, its shapes, types and values, with a line break after each.
void check_operator(std::string_view text) {
  std::string_view parts[4];
  for (std::string_view& part : parts) {
    const std::size_t end = text.find('\n');
    part = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  if (const auto work = work_of_operator(parts[0], parts[1], parts[2], parts[3])) require(work->flops >= 0 && work->bytes >= 0);
  if (const auto work = work_of_ascend_kernel(parts[0], parts[1], parts[2], parts[3])) require(work->flops >= 0 && work->bytes >= 0);
  require(work_kind_name(kind_of_kernel({parts[0], {}, parts[1], parts[2], parts[3], parts[0]})) != nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_module(bytes);
  check_operator(bytes);
  const kernel_function function = function_of_kernel(bytes);
  require(function.path.size() + function.arguments.size() <= 2 * bytes.size() + 16);  // "a:b" becomes "a::b"
  return 0;
}
