#include <profkit/core/export.hpp>

#include <base/contained.hpp>
#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<void> write_redaction(const redaction& done, sink& into) {
  return contained([&]() -> result<void> {
    json_writer out(into);
    json::begin_document(out, "redaction");
    json::write_verdict(out, {});
    json::fields_of_redaction(out, done);
    out.end_object();
    return out.finish();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
