// Names of places in a capture, for rows and headings.
#pragma once
#include <profkit/core/anatomy.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace profkit_tool {

// Why there is nothing to show at all: an empty directory, or only files that no reader knows.
std::string no_files_text(const profkit::capture& found);
// Why a slice of XSpace files is absent although there are files.
std::string no_xspace_text(const profkit::profile& p, const profkit::anatomy_options& asked);

// Planes and lines by file and position, looked up once per command.
class place_names {
 public:
  // The inventory of the whole capture: one that was filtered has other positions.
  explicit place_names(const profkit::info_result& info) : info_(info) {}
  // "" when there is no such place.
  [[nodiscard]] std::string_view plane(std::uint32_t file, std::int32_t plane) const noexcept;
  [[nodiscard]] std::string_view line(std::uint32_t file, std::int32_t plane, std::int32_t line) const noexcept;

 private:
  const profkit::info_result& info_;
};

// "/device:TPU:0" as "TPU:0"; other names as they are, escaped; "(no name)" for none.
std::string short_plane_name(std::string_view name);

}  // namespace profkit_tool
