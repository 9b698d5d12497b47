// What the name of a host span says: which cause of idle time it is evidence of, from the documentation of PyTorch, CUDA,
// HIP, CANN and XLA (what each cause needs to be certain is in causes.cpp), and which soft labels.
#pragma once
#include <profkit/core/bubbles.hpp>

#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// Nothing for a name that says nothing about a wait: an op of a framework, a launch, a frame of the model's own code.
[[nodiscard]] std::optional<idle_cause> cause_named(std::string_view name) noexcept;

// By parts of names only: for the soft labels.
struct span_meaning {
  bool sync = false, comm = false;
};
[[nodiscard]] span_meaning meaning_of(std::string_view name) noexcept;

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
