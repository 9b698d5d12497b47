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
    out.field("environment_dumps", done.environment_dumps);
    out.field("blobs", done.blobs);
    out.field("blob_bytes", done.blob_bytes);
    out.field("constants", done.constants);
    json::write_objects(out, "secrets", done.secrets, [&](const found_secret& s) {
      out.field("kind", std::string_view(s.kind));
      out.field("times", s.times);
    });
    json::write_objects(out, "words", done.words, [&](const replaced_word& w) {
      out.field("alias", std::string_view(w.alias));
      out.field("word", std::string_view(w.word));
    });
    out.end_object();
    return out.finish();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
