// Analyses of profkit over a format that it does not know.
//   own_format DOCUMENT PATH   report, ops, steps, bubbles, …
//   own_format export PATH     trace JSON
#include "span_log.hpp"

#include <profkit/core/export.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/core/trace_export.hpp>

#include <cstdio>
#include <memory>

namespace {

int tell(const profkit::fault& why) {
  std::fprintf(stderr, "%s: %s\n  hint: %s\n", why.path.c_str(), why.message.c_str(), why.hint.c_str());
  return 1;
}

// The document that is called so; 0: none.
profkit::document document_named(std::string_view name) {
  for (int d = 1; d <= static_cast<int>(profkit::document::architecture); ++d)
    if (name == profkit::document_name(static_cast<profkit::document>(d))) return static_cast<profkit::document>(d);
  return profkit::document{};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "usage: own_format DOCUMENT|export PATH\n"), 2;
  profkit::open_options how;
  how.formats.push_back(std::make_shared<span_log>());
  const auto capture = profkit::profile::open(arguments[2], how);
  if (!capture) return tell(capture.error());

  const std::unique_ptr<profkit::sink> out = profkit::descriptor_sink(1, "standard output");
  bool intact = false;
  if (std::string_view(arguments[1]) == "export") {
    const auto written = profkit::export_trace(profkit::trace(**capture), {}, *out);
    if (!written) return tell(written.error());
    intact = written->status == profkit::document_status::ok;
  } else {
    const auto status = profkit::write_document(document_named(arguments[1]), profkit::trace(**capture), {}, *out);
    if (!status) return tell(status.error());
    intact = *status == profkit::document_status::ok || *status == profkit::document_status::absent;
  }
  if (const auto done = out->finish(); !done) return tell(done.error());
  return intact ? 0 : 5;
}
