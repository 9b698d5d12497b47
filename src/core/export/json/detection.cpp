#include <export/json/detection_parts.hpp>
#include <export/json/document.hpp>

#include <base/contained.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

std::string first_bytes_of(const detection_report& report) { return hex_text(report.first_bytes); }
std::optional<file_family> family_of(const detection_report& report) noexcept {
  return is_recognised(report.family) ? std::optional(report.family) : std::nullopt;
}

}  // namespace json
namespace {

void begin(json_writer& out, const std::optional<fault>& why) {
  json::begin_document(out, "detection");
  json::write_verdict(out, why ? json::verdict{document_status::error, why->message, &*why} : json::verdict{});
}

}  // namespace

result<void> write_detection_document(const std::string& path, const std::vector<detection_report>& reports,
                                      sink& into, std::uint64_t limit) {
  return contained([&]() -> result<void> {
    json_writer out(into);
    out.bound(json::bounds_of(limit, default_document_limit));
    begin(out, why_unrecognised(path, reports));
    json::write_objects(out, "files", reports, [&](const detection_report& each) { json::fields_of_detection_file(out, each); });
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
