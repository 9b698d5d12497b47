#include <profkit/core/detection.hpp>

#include <export/json/document.hpp>

#include <base/contained.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::string hex_text(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

void begin(json_writer& out, const std::optional<fault>& why) {
  json::begin_document(out, "detection");
  json::write_verdict(out, why ? json::verdict{document_status::error, why->message, &*why} : json::verdict{});
}

void write_considered(json_writer& out, const considered_format& c) {
  out.begin_object();
  out.field("format", std::string_view(c.format));
  out.field("is_read", c.is_read);
  out.field("names", std::string_view(c.names));
  out.field("name_matches", c.name_matches);
  out.field("matches", c.matches);
  out.field("why", std::string_view(c.why));
  out.end_object();
}

void write_report(json_writer& out, const detection_report& report) {
  out.begin_object();
  out.field("path", std::string_view(report.path));
  out.field("bytes", report.bytes);
  out.field("compression", compression_name(report.encoding));
  out.field("first_bytes", std::string_view(hex_text(report.first_bytes)));
  out.key("family");
  if (!is_recognised(report.family))
    out.null();
  else
    out.value(family_name(report.family));
  out.field("verdict", std::string_view(report.verdict));
  out.field("next", std::string_view(report.next));
  out.key("considered");
  out.begin_array(json::min_notes);
  for (const considered_format& c : report.considered) write_considered(out, c);
  out.end_array();
  out.key("damage");
  if (report.damage) {
    out.begin_object();
    json::fields_of_fault(out, *report.damage);
    out.end_object();
  } else {
    out.null();
  }
  out.end_object();
}

}  // namespace

result<void> write_detection_document(const std::string& path, const std::vector<detection_report>& reports,
                                      sink& into, std::uint64_t limit) {
  return contained([&]() -> result<void> {
    json_writer out(into);
    out.bound(json::bounds_of(limit, default_document_limit));
    begin(out, why_unrecognised(path, reports));
    json::write_rows(out, "files", reports, [&](const detection_report& report) { write_report(out, report); });
    json::end_document(out);
    return out.finish();
  });
}

result<void> write_detection_error(const fault& why, sink& into) {
  return contained([&]() -> result<void> {
    json_writer out(into);
    begin(out, why);
    out.end_object();
    return out.finish();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
