// How detect() came to what it says, or why to nothing.
#include <profkit/core/detection.hpp>

#include <formats/chrome/probe_json.hpp>
#include <formats/foreign/foreign_format.hpp>
#include <formats/probe_wire.hpp>
#include <formats/recording/saved.hpp>
#include <formats/registry.hpp>
#include <read/detect.hpp>

#include <algorithm>
#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_first_bytes = 16;

considered_format considered(const known_format& known, const detection& named, std::string_view head) {
  considered_format c;
  c.format = known.name;
  c.is_read = true;
  for (const name_rule& rule : known.names) c.names += (c.names.empty() ? "" : ", ") + std::string(rule.pattern);
  c.name_matches = named.family == known.family;
  if (known.probe == nullptr) {
    c.why = detected_by_name_only;
    return c;
  }
  const probe_result probed = known.probe(head);
  c.matches = probed.sure >= detection_confidence::likely;
  c.why = c.matches ? probed.what : head.empty() ? "there is no byte" : known.why_not(head);
  return c;
}

// A file whose name has a known pattern goes to that reader unless the bytes have the signature of another format or
// are another message.
const foreign_format* foreign_of(const detection& found, std::string_view file_name, std::string_view head) {
  if (head.empty()) return nullptr;
  if (!is_recognised(found.family)) return find_foreign_format(head, file_name);
  const bool xspace = has_planes(found.family);
  if (!xspace && content_of(found.family) != file_content::trace_events) return nullptr;
  const probe_result probed = xspace ? probe_xspace(head) : probe_chrome_trace(head);
  if (probed.sure >= detection_confidence::likely) return nullptr;
  if (!why_another(head) && xspace && !is_foreign_message(head)) return nullptr;
  return find_foreign_format(head, {});
}

}  // namespace

detection_report explain_detection(std::string_view file_name, std::string_view head) {
  detection_report report;
  report.first_bytes = head.substr(0, max_first_bytes);
  const detection named = detect_by_name(file_name), found = detect(file_name, head);
  for (const known_format* const known : known_formats())
    if (known->names.count != 0) report.considered.push_back(considered(*known, named, head));
  if (found.family == file_family::own) report.considered.push_back({family_name(found.family), true, "", false, true, saved_recording});
  const foreign_format* const other = foreign_of(found, file_name, head);
  for (const foreign_format& known : foreign_formats()) {
    const std::string names = known.suffix.empty() ? "" : "*" + std::string(known.suffix);
    report.considered.push_back({known.name, false, names, !names.empty() && &known == other, &known == other, known.sign});
  }
  if (other != nullptr) {
    report.verdict = other->name;
    report.next = other->next;
  } else if (is_recognised(found.family) && !(head.empty() && !is_recognised(named.family))) {
    report.family = found.family;
    report.verdict = std::string(family_name(found.family)) + ": " + found.why;
    for (const considered_format& c : report.considered)
      if (c.format == family_name(found.family) && !c.matches && c.why != detected_by_name_only)
        report.verdict += ", though its contents do not look like one";
  } else if (head.empty()) {
    report.verdict = "empty";
    report.next = "Fetch or export the capture again.";
  } else {
    report.verdict = "no format that profkit knows";
    report.next = "If it is another protobuf message, `profkit dump --type raw` shows it.";
  }
  return report;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
