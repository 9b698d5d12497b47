#include <formats/ascend_folders.hpp>

#include <base/affix.hpp>

#include <charconv>
#include <system_error>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view output_folders[] = {"ASCEND_PROFILER_OUTPUT", "mindstudio_profiler_output"};

std::string_view last_part(std::string_view path) noexcept {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}
std::string_view parent_of(std::string_view path) noexcept {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}
bool is_rank_folder(std::string_view name) noexcept {
  return ends_with(name, "_ascend_pt") || ends_with(name, "_ascend_ms");
}
bool is_output_folder(std::string_view name) noexcept { return name == output_folders[0] || name == output_folders[1]; }

}  // namespace

std::string_view ascend_rank_folder(std::string_view folder) noexcept {
  for (std::string_view at = folder; !at.empty(); at = parent_of(at)) {
    if (is_rank_folder(last_part(at))) return at;
  }
  std::string_view at = folder;
  while (is_output_folder(last_part(at)) && !parent_of(at).empty()) at = parent_of(at);
  return at;
}

bool is_ascend_folder(std::string_view folder) noexcept {
  for (std::string_view at = folder; !at.empty(); at = parent_of(at)) {
    if (is_rank_folder(last_part(at))) return true;
  }
  return is_output_folder(last_part(folder));
}

std::int32_t ascend_rank_number(std::string_view name) noexcept {
  for (const std::string_view before : {"profiler_info_", "rank_", "rank", "_profiler_"}) {
    const auto found = name.rfind(before);
    if (found == std::string_view::npos) continue;
    const std::string_view digits = name.substr(found + before.size());
    std::int32_t number = -1;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const char next = read.ptr == digits.data() + digits.size() ? '\0' : *read.ptr;
    if (read.ec == std::errc() && number >= 0 && (next == '\0' || next == '.' || next == '_')) return number;
  }
  return -1;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
