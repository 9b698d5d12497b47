// In C++20 the ranges are ranges of the standard library.
#include <profkit/hlo.hpp>
#include <profkit/xspace.hpp>

#include <algorithm>
#include <ranges>

using namespace profkit;

static_assert(std::ranges::input_range<decltype(xspace_view().planes())>);
static_assert(std::ranges::input_range<decltype(xspace_view().hostnames())>);
static_assert(std::ranges::input_range<decltype(plane_view().lines())>);
static_assert(std::ranges::input_range<decltype(line_view().events())>);
static_assert(std::ranges::input_range<decltype(event_view().stats())>);
static_assert(std::ranges::input_range<decltype(event_metadata_view().stats())>);
static_assert(std::ranges::input_range<decltype(event_metadata_view().child_ids())>);
static_assert(std::ranges::input_range<decltype(hlo_module_view().computations())>);
static_assert(std::ranges::input_range<decltype(shape_view().is_dynamic_dimension())>);

int main() {
  const std::string_view bytes("\x0a\x08\x1a\x06\x22\x04\x08\x05\x18\x07", 10);
  const plane_view plane = *xspace_view(bytes).planes().begin();
  const line_view line = *plane.lines().begin();
  auto long_events = line.events() | std::views::filter([](const event_view& e) { return e.duration_ps() > 6; });
  return std::ranges::distance(long_events) == 1 &&
                 std::ranges::none_of(line.events(), [](const event_view& e) { return e.metadata_id() != 5; })
             ? 0
             : 1;
}
