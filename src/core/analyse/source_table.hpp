// Lines of code that instructions of a compiled module come from.
#pragma once
#include <profkit/hlo.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct source_place {
  std::string_view file;
  std::int64_t line = 0;
};

// The module's stack frames, laid out for lookup by id.
class source_table {
 public:
  source_table() = default;
  explicit source_table(const hlo_module_view& module) {
    const stack_frame_index_view index = module.stack_frame_index();
    for (const std::string_view name : index.file_names()) files_.push_back(name);
    for (const file_location_view at : index.file_locations()) locations_.push_back({at.file_name_id(), at.line()});
    for (const stack_frame_view frame : index.stack_frames()) frames_.push_back(frame.file_location_id());
  }

  // Where the instruction says itself, else by its stack frame; "" when neither is on record.
  [[nodiscard]] source_place place_of(const op_metadata_view& metadata) const noexcept {
    const source_place as_written{metadata.source_file(), metadata.source_line()};
    if (!as_written.file.empty()) return as_written;
    const std::size_t frame = position(metadata.stack_frame_id());
    const std::size_t where = frame < frames_.size() ? position(frames_[frame]) : locations_.size();
    if (where >= locations_.size()) return as_written;
    const std::size_t file = position(locations_[where].file_name_id);
    return {file < files_.size() ? files_[file] : std::string_view(), locations_[where].line};
  }

 private:
  struct location {
    std::int32_t file_name_id, line;
  };
  // Ids are 1-based positions.
  static std::size_t position(std::int32_t id) noexcept { return static_cast<std::size_t>(static_cast<std::uint32_t>(id)) - 1; }

  std::vector<std::string_view> files_;
  std::vector<location> locations_;
  std::vector<std::int32_t> frames_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
