// The verdict, and what the words for causes mean.
#include <page/html/sections.hpp>

#include <export/device_gaps.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {

void write_verdict_section(json_writer& out, const report_result& found) {
  out.key("verdict");
  out.begin_object();
  out.field("text", std::string_view(found.summary.verdict));
  out.field("in_steps", found.summary.idle && found.summary.idle->marked);
  out.field("devices", found.parts.bubbles ? std::uint64_t{found.parts.bubbles->found.devices.size()} : 0);
  out.key("causes");
  out.begin_object();
  for (std::size_t i = 0; i < idle_cause_count; ++i)
    out.field(idle_cause_name(static_cast<idle_cause>(i)), idle_cause_meaning(static_cast<idle_cause>(i)));
  out.end_object();
  // A cause has one colour in all pictures: that of its place.
  out.key("causes_by_time");
  out.begin_tuple();
  if (found.parts.bubbles)
    for (const idle_cause cause : picture::causes_by_time(found.parts.bubbles->found)) out.value(idle_cause_name(cause));
  out.end_array();
  out.end_object();
}

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
