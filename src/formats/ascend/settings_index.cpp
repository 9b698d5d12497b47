#include <formats/ascend/settings_index.hpp>

#include <formats/chrome/chrome_text.hpp>
#include <formats/chrome/json_splitter.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::optional<fault> index_settings(const profile& p, std::size_t file,
                                    const std::function<void(std::string_view key, std::string_view value)>& take) {
  const std::string& path = p.what().files[file].path;
  const std::string_view bytes = p.bytes(file);
  const fault* const known = p.file_fault(file);
  std::string_view text = bytes;
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  text = trim_json_space(text);
  if (!text.empty() && text.front() == '[') return known != nullptr ? std::optional<fault>(*known) : std::nullopt;
  json_splitter splitter;
  const bool sound = each_json_member(splitter, text, take);
  if (known != nullptr) return *known;
  if (sound && !text.empty()) return std::nullopt;
  return fault{fault_code::damaged, "text that is no JSON: expected an object of settings", path,
               static_cast<std::uint64_t>(text.data() - bytes.data()), "what came before was read"};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
