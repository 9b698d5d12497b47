// Any text as probe.toml, and maps of any size under what it describes.
#include <formats/neutrino/neutrino_parts.hpp>
#include <base/toml_tree.hpp>

#include <cstdint>
#include <cstdlib>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

// The first two bytes are the size of a lane; the rest is the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const probe_description found = read_probe_description(text, "probe.toml");
  require(found.present && (!found.damage || found.maps.empty()));
  for (std::uint32_t i = 0; i < 3; ++i) {
    probe_map place;
    place.index = i;
    place.level = static_cast<probe_level>(i);
    place.lane_bytes = data[0] | std::uint64_t{data[1]} << 8;
    const auto shape = shape_of(found, place, 2, static_cast<probe_tool>(data[0] % 6));
    require(shape != nullptr);
    std::uint64_t bytes = 0;
    for (const probe_shape_field& field : shape->fields) bytes += field.type == probe_type::u64 ? 8 : 4;
    require(bytes == shape->record_bytes);
    if (place.lane_bytes != 0) require(shape->record_bytes <= place.lane_bytes);
  }
  return 0;
}
