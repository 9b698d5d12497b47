// Where forward passes begin and end: by steps, sampling and embedding kernels, pauses, or the order of layers.
#pragma once
#include <model/architecture/anchors.hpp>
#include <model/architecture/kernels.hpp>
#include <trace/windows/windows.hpp>

#include <cstddef>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// One pass: its anchors [first, last) and its rows [first, last), where rows before the first anchor are prologue.
struct pass_span {
  std::size_t first_anchor = 0, last_anchor = 0;
  std::size_t first_row = 0, last_row = 0;
  std::int32_t window = -1;
};

struct pass_cuts {
  std::vector<pass_span> passes;
  std::uint32_t layers = 0;  // of a whole pass; 0: not known
  const char* source = "";   // "steps", "steps and sampling", …; "" there is one pass
  bool bounded = false;      // the one pass there is has a beginning and an end that something marks
  bool uneven = false;       // passes do not have the same number of layers
};

// The last resort is the order of kinds of layers, where it repeats.
[[nodiscard]] pass_cuts cut_passes(const device_kernels& of, const layer_anchors& anchors,
                                   const bubbles::device_windows& windows);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
