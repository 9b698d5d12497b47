// How detect() came to what it says, or why to nothing.
#include <profkit/core/detection.hpp>

#include <read/detect.hpp>
#include <read/foreign_format.hpp>
#include <read/head_walk.hpp>
#include <read/json_outline.hpp>
#include <read/probe.hpp>

#include <algorithm>
#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t most_first_bytes = 16;
constexpr std::size_t most_keys_named = 5;

std::string byte_text(std::string_view head, std::size_t at) {
  if (at >= head.size()) return "it ends at byte " + std::to_string(at);
  constexpr char digits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(head[at]);
  return "byte " + std::to_string(at) + " is 0x" + digits[byte >> 4] + digits[byte & 15];
}

const char* type_text(wire_type type) noexcept {
  switch (type) {
    case wire_type::varint: return "a number";
    case wire_type::fixed64: return "8 bytes";
    case wire_type::fixed32: return "4 bytes";
    default: return "a message or text";
  }
}

// Why bytes are no message of a kind whose outer fields have these numbers and are all messages or texts.
std::string why_no_message(std::string_view head, std::uint32_t last_field, const char* parts) {
  head_walk walk(head);
  head_field field;
  std::string misfit;
  while (walk.next(field))
    if (misfit.empty() && (field.number > last_field || field.type != wire_type::length_delimited))
      misfit = "field " + std::to_string(field.number) + " at byte " + std::to_string(walk.field_at()) + " is " +
               type_text(field.type) + ", which it does not have";
  if (!walk.plausible()) return "not protobuf: " + byte_text(head, walk.field_at());
  if (is_plain_text(head)) return "text, not protobuf";
  return misfit.empty() ? std::string("a message, but not of ") + parts : misfit;
}

std::string why_no_trace(std::string_view head) {
  const json_outline of = outline_json(head);
  if (!of.is_json && of.stopped_at == 0 && is_plain_text(head.substr(0, most_first_bytes)))
    return "no JSON: it begins with neither { nor [";
  if (!of.is_json) return "no JSON: " + byte_text(head, of.stopped_at);
  const std::string cut = of.is_whole ? "" : ", as far as it goes";
  if (!of.is_object) return "a JSON array without objects that have \"ph\"" + cut;
  std::string text = "a JSON object without \"traceEvents\"" + cut;
  for (std::size_t i = 0; i < of.key_count && i < most_keys_named; ++i)
    text += (i == 0 ? "; its keys: " : ", ") + std::string(of.keys[i]);
  if (of.key_count > most_keys_named) text += ", …";
  return text;
}

std::string why_not(file_family family, std::string_view head) {
  if (head.empty()) return "there is no byte";
  switch (family) {
    case file_family::xspace: return why_no_message(head, 4, "planes with lines, names and stats");
    case file_family::hlo_proto: return why_no_message(head, 3, "a module with a name, an entry and computations");
    case file_family::chrome_trace: return why_no_trace(head);
    case file_family::ascend_kernels: return "the first line has no columns of a kernel table";
    default: return "";
  }
}

considered_format considered(const known_family& known, const detection& named, std::string_view head) {
  considered_format c;
  c.format = family_name(known.family);
  c.is_read = true;
  c.names = known.names;
  c.name_matches = named.family == known.family;
  if (known.probe == nullptr) {
    c.why = told_by_name_alone;
    return c;
  }
  const probe_result probed = known.probe(head);
  c.matches = probed.sure >= detection_confidence::likely;
  c.why = c.matches ? probed.what : why_not(known.family, head);
  return c;
}

// A telling name reaches its reader unless the bytes have the signature of another format or are another message.
const foreign_format* foreign_of(const detection& found, std::string_view file_name, std::string_view head) {
  if (head.empty()) return nullptr;
  if (found.family == file_family::unknown) return find_foreign_format(head, file_name);
  const bool xspace = found.family == file_family::xspace;
  if (!xspace && found.family != file_family::chrome_trace) return nullptr;
  const probe_result probed = xspace ? probe_xspace(head) : probe_chrome_trace(head);
  if (probed.sure >= detection_confidence::likely) return nullptr;
  if (!why_another(head) && xspace && !is_foreign_message(head)) return nullptr;
  return find_foreign_format(head, {});
}

}  // namespace

detection_report explain_detection(std::string_view file_name, std::string_view head) {
  detection_report report;
  report.first_bytes = head.substr(0, most_first_bytes);
  const detection named = detect_by_name(file_name), found = detect(file_name, head);
  for (const known_family& known : known_families()) report.considered.push_back(considered(known, named, head));
  const foreign_format* const other = foreign_of(found, file_name, head);
  for (const foreign_format& known : foreign_formats()) {
    const std::string names = known.suffix.empty() ? "" : "*" + std::string(known.suffix);
    report.considered.push_back({known.name, false, names, !names.empty() && &known == other, &known == other, known.sign});
  }
  if (other != nullptr) {
    report.verdict = other->name;
    report.next = other->next;
  } else if (found.family != file_family::unknown && !(head.empty() && named.family == file_family::unknown)) {
    report.family = found.family;
    report.verdict = std::string(family_name(found.family)) + ": " + found.why;
    for (const considered_format& c : report.considered)
      if (c.format == family_name(found.family) && !c.matches && c.why != told_by_name_alone)
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
