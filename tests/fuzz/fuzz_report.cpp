// Any bytes as a capture: each finding of the report has an id of its own and an explanation, the small documents keep to their
// sizes, calls add up, and the page and the pictures are whole.
#include <profkit/core/call_tree.hpp>
#include <profkit/core/explain.hpp>
#include <profkit/core/export.hpp>
#include <profkit/core/memory.hpp>
#include <profkit/core/op_groups.hpp>
#include <profkit/core/page.hpp>
#include <profkit/core/picture.hpp>
#include <profkit/core/trace_export.hpp>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

std::string document_of(const trace& t, std::string_view id, document which) {
  std::string text;
  const auto into = memory_sink(text);
  query_filters all;
  all.limit = 0;
  const auto written = id.empty() ? write_document(which, t, all, *into) : write_explanation(t, id, all, *into);
  require(written.ok());
  return text;
}

template <class Draw>
void check_picture(Draw&& draw) {
  std::string text;
  const auto into = memory_sink(text);
  const result<void> drawn = draw(*into);
  if (!drawn) {
    require(drawn.error().code == fault_code::not_found && text.empty());
    return;
  }
  require(text.rfind("<svg ", 0) == 0 && text.size() > 7 && text.compare(text.size() - 7, 7, "</svg>\n") == 0);
  require(text.find("nan") == std::string::npos && text.find("inf\"") == std::string::npos);
}

void check_calls(const activity& of) {
  const auto tree = analyse_call_tree(of);
  require(tree.ok());
  std::int64_t whole_ps = 0, own_ps = 0;
  for (std::size_t i = 0; i < tree->nodes.size(); ++i) {
    const call_node& n = tree->nodes[i];
    require(n.parent == no_call || n.parent < i);
    require(n.total_ps >= 0 && n.self_ps >= 0 && n.self_ps <= n.total_ps);
    if (n.parent == no_call)
      whole_ps = saturating_add(whole_ps, n.total_ps);
    else
      own_ps = saturating_add(own_ps, n.self_ps);
  }
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  require(own_ps == whole_ps || whole_ps == most || own_ps == most);
}

// However ops are grouped, the rows of the first depth add up to all of them, and what lies in no row below to all as well.
void check_groups(const trace& t) {
  std::uint64_t count = 0;
  for (const char* keys : {"module,op,kernel", "phase", "source,shape", "instruction", "category,program,module-kind"}) {
    query_filters all;
    all.limit = 0;
    const auto groups = analyse_op_groups(t, *parse_group_keys(keys), all);
    require(groups.ok());
    require(count == 0 || groups->count == count);
    count = groups->count;
    std::uint64_t first = 0;
    std::int64_t self_ps = 0, own_ps = 0;
    for (const op_group& g : groups->rows) {
      own_ps = saturating_add(own_ps, g.own_ps);
      if (g.depth != 0) continue;
      first += g.count;
      self_ps = saturating_add(self_ps, g.self_ps);
    }
    require(first == groups->count && self_ps == groups->self_ps && own_ps == groups->self_ps);
  }
}

// A sound capture, redacted, is sound and has as many ops.
void check_redacted(std::string_view bytes, const char* name, const trace& t) {
  open_options how;
  how.redact = true;
  const auto opened = profile::open_buffer(bytes, name, how);
  const auto whole = analyse_ops(t);
  require(whole.ok());
  if (!whole->damage.empty()) return;
  require(opened.ok());
  const auto redacted = analyse_ops(trace(**opened));
  require(redacted.ok() && redacted->damage.empty() && whole->lines.size() == redacted->lines.size());
  for (std::size_t i = 0; i < whole->lines.size(); ++i) {
    require(whole->lines[i].events == redacted->lines[i].events && whole->lines[i].busy_ps == redacted->lines[i].busy_ps);
    require(whole->lines[i].ops.size() == redacted->lines[i].ops.size());
  }
}

void check(std::string_view bytes, const char* name) {
  const auto opened = profile::open_buffer(bytes, name);
  if (!opened) return;
  const trace t(**opened);
  const auto found = analyse_report(t, page_options({}));
  require(found.ok());
  check_groups(t);
  check_redacted(bytes, name, t);
  std::set<std::string> ids;
  for (const finding& f : found->findings) {
    require(ids.insert(f.id).second);
    const auto explained = explain_finding(t, *found, f.id);
    require(explained.ok() && explained->found.id == f.id && explained->neighbours.size() <= 11);
  }
  require(document_of(t, "", document::brief).size() <= 16'000);
  require(document_of(t, "", document::explain).size() <= 8'000);
  if (!ids.empty()) require(document_of(t, *ids.begin(), document::explain).size() <= 8'000);

  const auto kernels = group_ops(t, found->parts.ops, {group_key::kernel});
  if (kernels) check_picture([&](sink& into) { return write_roofline_picture(*kernels, into); });
  if (found->parts.memory) check_picture([&](sink& into) { return write_memory_picture(*found->parts.memory, into); });
  if (found->parts.bubbles) {
    const bubbles_report& idle = *found->parts.bubbles;
    check_calls(*idle.of);
    check_picture([&](sink& into) { return write_timeline_picture(idle, {}, into); });
    check_picture([&](sink& into) -> result<void> {
      const auto tree = analyse_call_tree(*idle.of);
      return tree ? write_flame_picture(*idle.of, *tree, into) : result<void>(tree.error());
    });
  }
  std::string page;
  const auto into = memory_sink(page);
  require(write_page(t, *found, *into).ok());
  require(page.size() <= 3'000'000 && page.rfind("</html>\n") == page.size() - 8);

  std::string perfetto;
  const auto file = memory_sink(perfetto);
  trace_export_options how;
  how.format = trace_format::perfetto;
  how.waits = true;
  static_cast<void>(export_trace(t, how, *file));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes, "fuzz.xplane.pb");
  check(bytes, "fuzz.pt.trace.json");
  return 0;
}
