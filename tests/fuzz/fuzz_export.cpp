// Any bytes as an XSpace and as a Chrome trace, exported in every format: nothing but valid JSON, CSV that has a row an
// event, a slice that is the file itself; and validated together with itself as a second node.
#include <profkit/core/chrome.hpp>
#include <profkit/core/collectives.hpp>
#include <profkit/core/trace_export.hpp>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

class counter final : public chrome_visitor {
 public:
  bool event(const chrome_event& e) override {
    slices += e.phase == 'X' ? 1 : 0;
    return true;
  }
  std::uint64_t slices = 0;
};

std::string exported(const profile& p, trace_format format, bool like_xla, trace_export_outcome& told) {
  std::string text;
  trace_export_options how;
  how.format = format;
  how.like_xla = like_xla;
  const auto into = memory_sink(text);
  auto done = export_trace(trace(p), how, *into);
  if (!done) return {};
  told = std::move(*done);
  return text;
}

void check(std::string_view bytes, const char* name) {
  const auto opened = profile::open_buffer(bytes, name);
  if (!opened) return;
  const profile& p = **opened;
  trace_export_outcome told;
  for (const bool like_xla : {false, true}) {
    const std::string json = exported(p, trace_format::trace_json, like_xla, told);
    if (json.empty()) continue;
    counter seen;
    const auto read = read_chrome(json, seen);
    require(read.ok() && read->terminated && read->broken_events == 0 && read->irregular == 0);
    if (p.is_any_xspace()) require(seen.slices == told.events);
  }
  static_cast<void>(exported(p, trace_format::perfetto, false, told));
  static_cast<void>(exported(p, trace_format::csv, false, told));
  if (p.file_fault(0) == nullptr) {
    const std::string slice = exported(p, trace_format::xspace, false, told);
    if (p.is_any_xspace()) require(slice == bytes);
  }
  const auto found = validate_collectives({std::make_shared<const trace>(*opened), std::make_shared<const trace>(*opened)});
  require(found.ok());
  const alignment_result aligned = align_by_collectives(*found);
  std::string text;
  require(write_validation(*found, &aligned, *memory_sink(text)).ok());
  require(write_validation_csv(*found, *memory_sink(text)).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes, "m.xplane.pb");
  check(bytes, "m.trace.json");
  return 0;
}
