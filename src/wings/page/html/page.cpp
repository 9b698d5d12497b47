// The page: its frame, and the JSON inside, which the sections fill.
#include <page/html/sections.hpp>

#include <base/paths.hpp>
#include <base/utf8.hpp>
#include <page/html/page_text.hpp>
#include <export/json/document.hpp>
#include <export/json/report_parts.hpp>
#include <export/markup_text.hpp>
#include <profkit/core/call_tree.hpp>
#include <profkit/core/page.hpp>
#include <profkit/core/picture.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {
namespace {

// Lists share what frame and pictures leave of 3 MB; a name of a kernel can be kilobytes.
constexpr std::uint64_t max_json_bytes = 2'500'000, max_picture_bytes = 1'200'000;
constexpr std::size_t max_name_bytes = 400;
constexpr std::size_t max_table_ops = 1000;
constexpr std::uint64_t max_calls = 1'000'000;
constexpr std::uint64_t max_curve_points = 400;

// JSON for a script element: no text in it can end the element, for none has a '<', which JSON needs in strings only. Texts
// cannot reorder what stands around them either: the page is read as a terminal is.
class script_sink final : public sink {
 public:
  explicit script_sink(sink& into) : into_(into) {}
  result<void> write(std::string_view bytes) override {
    std::string safe;
    safe.reserve(bytes.size());
    std::size_t plain = 0;  // start of the bytes that go out as they are
    for (std::size_t at = 0; at < bytes.size();) {
      const utf8_step step = decode_utf8(bytes, at);  // the writer hands on whole values
      const bool is_control = step.code_point >= 0x7f && is_terminal_control(step.code_point);
      if (is_control || bytes[at] == '<') {
        safe.append(bytes, plain, at - plain);
        plain = at + step.bytes;
        if (!is_control) safe += "\\u003c";
        else
          for (const char c : escape_for_terminal(bytes.substr(at, step.bytes))) safe.append(c == '\\' ? 2 : 1, c);
      }
      at += step.bytes;
    }
    safe.append(bytes, plain, std::string_view::npos);
    return into_.write(safe);
  }
  result<void> finish() override { return {}; }  // the page goes on

 private:
  sink& into_;
};

// The last part of the path, which is what people call the capture.
std::string_view capture_name(const profile& p) {
  std::string_view path = p.what().path;
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path.size() == 1 ? path : last_part_of(path);
}

void write_page_files(json_writer& out, const profile& p, const info_result& info) {
  json::write_objects(out, "files", info.files, [&](const file_info& file) {
    out.field("path", std::string_view(file.path));
    out.field("family", family_title(file.family));
    out.field("bytes", file.bytes);
    out.field("compression", compression_name(p.what().files[file.file].encoding));
    out.field("is_export", file.export_of >= 0);
  });
}

result<void> write_page_json(json_writer& out, const trace& t, const report_result& found, const hooks& host) {
  page_names names;
  const profile& p = t.files();
  const info_result& info = found.parts.info;
  out.begin_object();
  out.field("schema", "profkit.page");
  out.field("version", 1);
  out.field("path", std::string_view(p.what().path));
  out.field("name", capture_name(p));
  out.field("complete", info.complete);
  json::write_strings(out, "reasons", info.reasons);
  out.field("events", info.events);
  json::write_optional_id(out, "origin_unix_ns", p.origin_unix_ns());
  write_verdict_section(out, found);
  json::write_text_or_null(out, "model", found.parts.model_summary());
  json::write_report_summary(out, found.summary, true);
  if (auto written = write_timeline_section(out, found, names, host); !written) return written;
  write_steps_section(out, found, names);
  write_waits_section(out, found);
  // Of the ops of the summary, in their order.
  out.key("op_names");
  out.begin_tuple();
  for (const report_op& op : found.summary.ops) out.value(names.of(readable_kernel_name(op.short_name)));
  out.end_array();
  write_memory_section(out, found);
  write_collectives_section(out, found);
  write_nodes_section(out, found);
  write_model_section(out, found);
  names.write(out);
  write_page_files(out, p, info);
  json::write_damage(out, found.damage);
  json::end_document(out);
  return {};
}

}  // namespace
}  // namespace html

report_options page_options(const query_filters& filters) {
  report_options o;
  o.filters = filters;
  o.samples = false;
  o.busiest_ops = html::max_table_ops;
  o.curve_points = html::max_curve_points;
  return o;
}

namespace html {
namespace {

// Pictures that the script puts into their sections.
class picture_list {
 public:
  // Nothing where there is none to draw.
  template <class Draw>
  result<void> add(const char* section, Draw&& draw) {
    std::string drawn;
    const std::unique_ptr<sink> into = memory_sink(drawn);
    const result<void> done = draw(*into);
    const bool is_none = !done && (done.error().code == fault_code::not_found || done.error().code == fault_code::limit);
    if (is_none) return {};
    if (done) text_ += "<template id=\"picture-" + std::string(section) + "\">" + drawn + "</template>\n";
    return done;
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

result<void> draw_calls(const activity& of, sink& into, const hooks& host) {
  call_tree_options whole;
  whole.max_spans = max_calls;
  const auto tree = analyse_call_tree(of, whole, host);
  if (!tree) return tree.error();
  return write_flame_picture(of, *tree, into, picture_form::inside_page);
}

result<void> draw_clocks(const validation_result& of, sink& into) {
  std::vector<clock_of_node> clocks;
  for (const collective_node& node : of.nodes) clocks.push_back({node.id, node.hostname, node.bounds});
  return write_clock_picture(clocks, into, picture_form::inside_page);
}

result<std::string> all_pictures(const report_parts& parts, const hooks& host) {
  constexpr picture_form form = picture_form::inside_page;
  picture_list all;
  if (parts.work)
    if (auto r = all.add("roofline", [&](sink& into) { return write_roofline_picture(*parts.work, into, form); }); !r) return r.error();
  if (parts.bubbles) {
    const activity& of = *parts.bubbles->of;
    if (parts.model)
      if (auto r = all.add("layer", [&](sink& into) { return write_layer_picture(of, *parts.model, into, form); }); !r) return r.error();
    if (auto r = all.add("calls", [&](sink& into) { return draw_calls(of, into, host); }); !r) return r.error();
  }
  if (const auto& nodes = parts.nodes.validation) {
    if (auto r = all.add("bandwidth", [&](sink& into) { return write_bandwidth_picture(*nodes, into, form); }); !r) return r.error();
    if (auto r = all.add("clocks", [&](sink& into) { return draw_clocks(*nodes, into); }); !r) return r.error();
  }
  return all.take();
}

}  // namespace
}  // namespace html

result<void> write_page(const trace& t, const report_result& found, sink& into, const hooks& host) {
  const result<std::string> drawn = html::all_pictures(found.parts, host);
  if (!drawn) return drawn.error();
  const std::string& pictures = *drawn;
  const std::string title = markup_text(html::capture_name(t.files()));
  std::string head = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  head += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '";
  head += html::page_script_hash;
  head += "'; style-src '";
  head += html::page_style_hash;
  head += "'; base-uri 'none'; form-action 'none'\">\n";
  head += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  head += "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>";
  head += title + " – profkit report</title>\n<style>";
  head += html::page_style;
  head += "</style>\n</head>\n<body>\n<noscript><p>" + markup_text(found.summary.verdict) +
          "</p><p>The tables and pictures of this page need JavaScript, which is switched off.</p></noscript>\n" +
          pictures + "<script type=\"application/json\" id=\"data\">";
  if (auto written = into.write(head); !written) return written;
  html::script_sink data(into);
  json_writer out(data, json_writer::style::compact);
  out.bound({0, html::max_json_bytes - std::min<std::uint64_t>(pictures.size(), html::max_picture_bytes), html::max_name_bytes});
  if (auto written = html::write_page_json(out, t, found, host); !written) return written;
  if (auto written = out.finish(); !written) return written;
  for (const std::string_view part : {std::string_view("</script>\n<script>"), html::page_script, std::string_view("</script>\n</body>\n</html>\n")})
    if (auto written = into.write(part); !written) return written;
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
