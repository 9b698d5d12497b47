// Any bytes as the beginning of a file with any of the known names.
#include <profkit/core/detection.hpp>

#include <read/detect.hpp>
#include <formats/foreign/foreign_format.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

// The first byte chooses the name; the rest is the head.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static constexpr const char* names[] = {
      "x",      "h.xplane.pb", "h.trace.json.gz",       "h.1.pt.trace.json",       "perfetto_trace.json.gz",
      "a.json", "f.hlo.pb",    "f(3).hlo_proto.pb.zst", "ALL_HOSTS.op_stats_v2.pb"};
  const std::string_view name = names[data[0] % (sizeof names / sizeof *names)];
  const std::string_view head(reinterpret_cast<const char*>(data) + 1, size - 1);
  const detection named = detect_by_name(name), probed = detect_by_content(head), both = detect(name, head);
  require((probed.family == file_family::unknown) == (probed.sure == detection_confidence::none));
  require((both.family == file_family::unknown) == (both.sure == detection_confidence::none));
  if (named.sure == detection_confidence::certain) require(both.sure == detection_confidence::certain);
  if (both.family != named.family) require(both.family == probed.family || both.family == file_family::unknown);
  // Content is judged without the name.
  require(detect_by_content(head).why == probed.why);
  // What is not a name of a format is one when its suffix is, and the head may itself be used as a name.
  static_cast<void>(detect_by_name(head));
  // A format that is only named is named by one row, and what is read has the family that detect() tells.
  const detection_report told = explain_detection(name, head);
  const auto is_named = [](const considered_format& c) { return !c.is_read && c.matches; };
  const auto named_by = std::count_if(told.considered.begin(), told.considered.end(), is_named);
  require(named_by <= 1 && (named_by == 0 || told.family == file_family::unknown));
  require(told.family == file_family::unknown || told.family == both.family);
  require(!told.verdict.empty() && (told.family != file_family::unknown || !told.next.empty()));
  if (const auto other = why_another(head)) require(find_foreign_format(head) != nullptr);
  return 0;
}
