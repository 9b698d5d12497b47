// What stands for the page and the pictures in a build without them.
#include <profkit/core/page.hpp>
#include <profkit/core/picture.hpp>

#include <base/left_out.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

fault without_page() { return built_without("pages and pictures", "page"); }

}  // namespace

report_options page_options(const query_filters& filters) {
  report_options options;
  options.filters = filters;
  return options;
}
result<void> write_page(const trace&, const report_result&, sink&, const hooks&) { return without_page(); }
result<void> write_memory_picture(const memory_result&, sink&) { return without_page(); }
result<void> write_timeline_picture(const bubbles_report&, const step_filter&, sink&, const hooks&) { return without_page(); }
result<void> write_roofline_picture(const op_groups&, sink&, picture_form) { return without_page(); }
result<void> write_flame_picture(const activity&, const call_tree&, sink&, picture_form) { return without_page(); }
result<void> write_layer_picture(const activity&, const architecture_result&, sink&, picture_form) { return without_page(); }
result<void> write_bandwidth_picture(const validation_result&, sink&, picture_form) { return without_page(); }
result<void> write_clock_picture(const std::vector<clock_of_node>&, sink&, picture_form) { return without_page(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
