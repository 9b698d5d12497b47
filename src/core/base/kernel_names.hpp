// What kernels run, by their C++ names.
#pragma once
#include <profkit/namespace.hpp>

#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct kernel_function {
  std::string path;       // "at::native::MulFunctor", without template arguments; the name itself when it is not C++
  std::string arguments;  // "<float>", as they are written
};

// "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>, …>(int)": at::native::MulFunctor. Without result,
// parameters, anonymous namespaces and " [clone .kd]"; of wrappers (kernel_wrappers.inc) what they run. Any text gives an answer.
[[nodiscard]] kernel_function function_of_kernel(std::string_view name);
// What kernels of one kind share: the function without its scope, "MulFunctor". A mangled name stays whole: aliases change what is
// written in it, and a redacted capture must group its kernels as before.
[[nodiscard]] std::string type_of_kernel(std::string_view name);
// Without the number that counts instances, after a dot or an underscore: "fusion.12" is "fusion", "Linear_0" is "Linear".
[[nodiscard]] std::string_view without_instance(std::string_view name) noexcept;
// Without all such numbers at its end, as a compiler adds them to those of another: "fusion.12.3".
[[nodiscard]] std::string_view without_instances(std::string_view name) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
