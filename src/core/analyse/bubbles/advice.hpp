// What helps against a cause of idle or exposed time.
#pragma once
#include <profkit/core/bubbles.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// What helps, and what would have to be recorded to be sure; "" where nothing is missing.
struct advice_text {
  idle_cause cause;
  const char *text, *missing;
};
[[nodiscard]] const advice_text& advice_of(idle_cause c, bool has_stacks, bool on_tpu) noexcept;

// The advice in the words of a framework: "PyTorch: DataLoader(num_workers=…)"; "" where there is nothing to add.
[[nodiscard]] const char* advice_of_framework(idle_cause c, trace_writer w) noexcept;

// Of all hosts; unknown where they differ.
[[nodiscard]] trace_writer writer_of(const activity& of);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
