#include <formats/registry.hpp>
#include <formats/chrome/chrome_fill.hpp>
#include <formats/chrome/probe_json.hpp>
#include <formats/kineto/trace_recorder.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr name_rule chrome_file_names[] = {
    {"perfetto_trace.json", "perfetto_trace.json", "perfetto_trace.json", detection_confidence::certain, host_rule::none,
     true},
    {"*.pt.trace.json", "", ".pt.trace.json", detection_confidence::certain, host_rule::stem_and_time},
    {"*.trace.json", "", ".trace.json", detection_confidence::certain, host_rule::stem, true},
    {"trace_view.json", "trace_view.json", "trace_view.json"},
    {"*.json", "", ".json", detection_confidence::possible},
};

time_zero zero_of_chrome(std::string_view bytes, const chrome_options& how) {
  const chrome_clock clock = read_chrome_clock(bytes, how);
  return {clock.origin_unix_ns, clock.start_unix_ns};
}

constexpr known_format describe_chrome() {
  known_format f;
  f.family = file_family::chrome_trace;
  f.name = "chrome_trace";
  f.title = "Chrome trace";
  f.content = file_content::trace_events;
  f.names = chrome_file_names;
  f.probe = probe_chrome_trace;
  f.why_not = why_no_trace;
  f.yields_to_contents = true;
  f.makes_a_run = true;
  f.no_message = "a Chrome trace, which is JSON";
  f.zero = zero_of_chrome;
  f.fill_tracks = fill_from_chrome;
  f.fill_activity = fill_activity_from_traces;
  return f;
}

}  // namespace

extern const known_format chrome_format = describe_chrome();

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
