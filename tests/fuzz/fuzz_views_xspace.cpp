// Any bytes as an XSpace: no read outside the buffer, bounded work, and the same answer from every way of asking.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "../views/walk.hpp"

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// An event decoded with readable bytes behind it, and alone.
void check_event(const event_view& in_line) {
  const event_view alone(in_line.bytes());
  require(in_line.ok() == alone.ok());
  require(in_line.metadata_id() == alone.metadata_id() && in_line.data_case() == alone.data_case());
  require(in_line.offset_ps() == alone.offset_ps() && in_line.num_occurrences() == alone.num_occurrences());
  require(in_line.duration_ps() == alone.duration_ps());
  auto other = alone.stats().begin();
  for (const stat_view stat : in_line.stats()) {
    require(!other.done() && (*other).bytes().data() == stat.bytes().data());
    const stat_view by_itself(stat.bytes());
    require(stat.ok() == by_itself.ok() && stat.kind() == by_itself.kind());
    require(stat.metadata_id() == by_itself.metadata_id() && stat.as_uint64() == by_itself.as_uint64());
    require(stat.as_bytes() == by_itself.as_bytes());
    ++other;
  }
  require(other.done());
}

void check_plane(const plane_view& plane) {
  const plane_header header = plane.header();
  std::vector<metadata_slot> slots(metadata_index::slots_needed(header.event_metadata_count));
  const auto index = metadata_index::of_event_metadata(plane, slots.data(), slots.size());
  require(index.ok() == plane.ok());
  std::size_t checked = 0;
  for (const event_metadata_view entry : plane.event_metadata()) {
    require(index.find(entry.key()).found);
    if (++checked <= 20)
      require(find_event_metadata_linear(plane, entry.key()).bytes.data() == index.find(entry.key()).bytes.data());
  }
  for (const line_view line : plane.lines())
    for (const event_view event : line.events()) check_event(event);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const xspace_view space(bytes);
  test::view_walker walker;
  walker.xspace(space);
  for (const plane_view plane : space.planes()) check_plane(plane);
  const std::string_view cut = space.planes().clipped();
  if (cut.data()) {
    require(!walker.ok());
    test::view_walker rest;
    rest.plane(plane_view(cut));
  }
  return 0;
}
