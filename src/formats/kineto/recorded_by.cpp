#include <formats/kineto/recorded_by.hpp>

#include <base/affix.hpp>

#include <iterator>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view compute_ending = " Compute";

// Takes the digits that a text begins with.
std::optional<std::int64_t> take_ordinal(std::string_view& text) noexcept {
  std::int64_t number = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    number = number * 10 + (text[at] - '0');
    if (number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  }
  if (at == 0) return std::nullopt;
  text.remove_prefix(at);
  return number;
}

}  // namespace

std::optional<timeline_stream> timeline_stream_of(std::string_view process) noexcept {
  if (!ends_with(process, compute_ending)) return std::nullopt;
  process.remove_suffix(compute_ending.size());
  for (const std::string_view mark : {std::string_view("/device:GPU:"), std::string_view("/gpu:")}) {
    const std::size_t at = process.rfind(mark);
    if (at == std::string_view::npos) continue;
    std::string_view rest = process.substr(at + mark.size());
    const auto device = take_ordinal(rest);
    if (!device || rest.size() < 2 || rest.front() != '/') return std::nullopt;
    timeline_stream found;
    found.device = *device;
    found.name = rest.substr(1);
    found.may_repeat = !starts_with(found.name, "stream:") || found.name == "stream:all";
    return found;
  }
  return std::nullopt;
}

bool is_timeline_executor(std::string_view process) noexcept {
  return ends_with(process, compute_ending) && !timeline_stream_of(process) &&
         (contains(process, "/device:") || contains(process, "/gpu:") || contains(process, "/cpu:") ||
          contains(process, "/host:"));
}

rocprof_process rocprof_process_of(std::string_view process) noexcept {
  struct rule {
    std::string_view name;
    rocprof_process what;
  };
  static constexpr rule rules[] = {
      {"CPU HIP API", rocprof_process::calls},         {"CPU HSA API", rocprof_process::calls},
      {"CPU KFD API", rocprof_process::calls},         {"Markers and Ranges", rocprof_process::ranges},
      {"COPY", rocprof_process::copies},
  };
  for (const rule& r : rules)
    if (process == r.name) return r.what;
  return starts_with(process, "GPU Barriers") ? rocprof_process::barriers : rocprof_process::unknown;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
