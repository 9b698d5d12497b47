#include <formats/ascend/settings_index.hpp>

#include <base/affix.hpp>
#include <formats/chrome/chrome_text.hpp>
#include <formats/chrome/json_elements.hpp>
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

bool settings_ask_for_device(const profile& p, std::size_t file) {
  bool asked = false;
  index_settings(p, file, [&](std::string_view key, std::string_view value) {
    if (key != "config") return;
    std::string scratch;
    const std::string_view level =
        json_text(json_member(json_member(value, "experimental_config"), "_profiler_level"), scratch);
    // Without a level the recorder writes what the host marked and no task of a device.
    if (!starts_with(level, "Level") || level == "Level_none" || level == "LevelNone") return;
    const std::string_view activities = json_member(json_member(value, "common_config"), "activities");
    asked = activities.empty();  // both are recorded by default
    for (json_elements each(activities); each.next();)
      asked = asked || ends_with(json_text(each.value(), scratch), "NPU");
  });
  return asked;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
