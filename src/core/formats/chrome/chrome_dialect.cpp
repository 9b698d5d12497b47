#include <formats/chrome/chrome_dialect.hpp>

#include <formats/ascend_folders.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Processes and events that only torch_npu and msprof write.
constexpr std::string_view ascend_marks[] = {"\"Ascend Hardware\"", "\"AscendCL@",          "\"HostToDevice",
                                             "\"torch_to_npu\"",    "\"Overlap Analysis\"", "\"CANN\""};
constexpr std::size_t looked_at_bytes = std::size_t{256} << 10, kineto_header_bytes = 256;

bool has_mark(std::string_view text) noexcept {
  return std::any_of(std::begin(ascend_marks), std::end(ascend_marks), [text](std::string_view mark) {
    const std::boyer_moore_horspool_searcher search(mark.begin(), mark.end());
    return std::search(text.begin(), text.end(), search) != text.end();
  });
}

}  // namespace

chrome_dialect chrome_dialect_of(const profile& p, std::size_t file) {
  const std::string_view path = p.what().files[file].path;
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos && is_ascend_folder(path.substr(0, slash))) return chrome_dialect::ascend;
  const std::string_view bytes = p.bytes(file);
  const std::string_view head = bytes.substr(0, looked_at_bytes);
  // Kineto says what it is in its first lines.
  if (bytes.substr(0, kineto_header_bytes).find("\"schemaVersion\"") != std::string_view::npos) {
    return chrome_dialect::common;
  }
  const std::string_view tail = bytes.substr(bytes.size() - std::min(bytes.size(), looked_at_bytes));
  return has_mark(head) || has_mark(tail) ? chrome_dialect::ascend : chrome_dialect::common;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
