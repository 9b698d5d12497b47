#include <export/json/bubbles_parts.hpp>
#include <export/json/memory_parts.hpp>
#include <profkit/core/architecture.hpp>
#include <profkit/core/side_by_side.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

struct slices {
  info_result info;
  steps_result steps;
  ops_result ops;
  modules_result modules;
  framework_result framework;
  collectives_result collectives;
  chrome_result chrome;
  memory_options asked_of_memory;
  std::optional<memory_result> memory;  // where it can keep to the filters, as bubbles
  nodes_compared nodes;
  bubble_options asked_of_bubbles;
  std::optional<bubbles_report> bubbles;
  std::string model;  // in one line, where bubbles are
};

anatomy_options at_default_limit(anatomy_options o, document which) {
  o.limit = default_limit(which);
  return o;
}

template <class T>
result<void> take(result<T> from, T& into) {
  if (!from) return std::move(from).error();
  into = std::move(from).value();
  return {};
}

result<slices> run_slices(const profile& p, const anatomy_options& o, const hooks& host) {
  slices s;
  s.asked_of_memory = memory_options_of(at_default_limit(o, document::memory));
  s.asked_of_bubbles = bubble_options_of(at_default_limit(o, document::bubbles));
  const trace shared(p);
  const auto run_bubbles = [&](const hooks& h) -> result<void> {
    if (!bubbles_keep_to(o)) return {};
    result<void> taken = take(analyse_bubbles(shared, s.asked_of_bubbles, h), s.bubbles.emplace());
    return taken ? take(model_summary(*s.bubbles->of, h), s.model) : std::move(taken);
  };
  const auto run_info = [&](const hooks& h) {
    return take(anatomy_info(shared, at_default_limit(o, document::info), h), s.info);
  };
  const auto run_memory = [&](const hooks& h) -> result<void> {
    if (!memory_keeps_to(o)) return {};
    return take(analyse_memory(p, s.asked_of_memory, h), s.memory.emplace());
  };
  const auto run_others = [&](const hooks& h) {
    result<void> taken = take(anatomy_steps(shared, at_default_limit(o, document::steps), h), s.steps);
    if (taken) taken = take(anatomy_ops(shared, at_default_limit(o, document::ops), h), s.ops);
    if (taken) taken = take(anatomy_modules(p, at_default_limit(o, document::modules), h), s.modules);
    if (taken) taken = take(anatomy_framework(shared, at_default_limit(o, document::framework), h), s.framework);
    if (taken)
      taken = take(anatomy_collectives(shared, s.ops, at_default_limit(o, document::collectives), h), s.collectives);
    if (taken) taken = take(anatomy_chrome(p, at_default_limit(o, document::chrome), h), s.chrome);
    return taken;
  };
  const auto run_nodes = [&](const hooks& h) { return take(compare_nodes(p, o, h), s.nodes); };
  enum piece : std::size_t { bubbles, info, memory, others, nodes };  // the longest first
  auto outcomes = side_by_side(host, {run_bubbles, run_info, run_memory, run_others, run_nodes});
  for (const piece at : {info, others, memory, nodes, bubbles})
    if (!outcomes[at]) return std::move(outcomes[at]).error();
  return s;
}

// Damage of all slices, one a file.
std::vector<file_damage> damage_of_report(const slices& s) {
  std::vector<file_damage> all;
  for (const file_info& file : s.info.files)
    if (file.damage) add_damage(all, file.file, *file.damage);
  for (const auto* part :
       {&s.steps.damage, &s.ops.damage, &s.modules.damage, &s.framework.damage, &s.collectives.damage})
    for (const file_damage& d : *part) add_damage(all, d.file, d.what);
  if (s.memory)
    for (const file_damage& d : s.memory->damage) add_damage(all, d.file, d.what);
  for (const chrome_file& file : s.chrome.files)
    if (file.damage) add_damage(all, file.file, *file.damage);
  if (s.bubbles)
    for (const file_damage& d : damage_of(*s.bubbles)) add_damage(all, d.file, d.what);
  std::stable_sort(all.begin(), all.end(), [](const file_damage& a, const file_damage& b) { return a.file < b.file; });
  return all;
}

void write_runs(json_writer& out, const profile& p) {
  out.key("runs");
  out.begin_array();
  for (const capture_run& run : p.what().runs) {
    out.begin_object();
    out.field("name", std::string_view(run.name));
    out.field("path", std::string_view(run.path));
    out.field("chosen", run.chosen);
    out.end_object();
  }
  out.end_array();
}

void write_evidence(json_writer& out, const evidence& e) {
  out.begin_object();
  out.field("file", e.file);
  out.field("plane", e.plane);
  out.field("line", e.line);
  write_optional(out, "start_ps", e.start_ps);
  write_optional(out, "end_ps", e.end_ps);
  const auto count = [&](std::string_view key, const std::optional<std::uint64_t>& n) {
    out.key(key);
    if (n)
      out.value(*n);
    else
      out.null();
  };
  count("row", e.row);
  count("byte_offset", e.byte_offset);
  out.field("note", std::string_view(e.note));
  out.end_object();
}

void write_finding(json_writer& out, const finding& f) {
  out.begin_object();
  out.field("id", std::string_view(f.id));
  out.field("certainty", certainty_name(f.sure));
  write_optional(out, "recoverable_ps", f.recoverable_ps);
  write_optional(out, "recoverable_bytes", f.recoverable_bytes);
  out.field("what", std::string_view(f.what));
  out.field("where", std::string_view(f.where));
  out.key("evidence");
  out.begin_array();
  for (const evidence& e : f.proof) write_evidence(out, e);
  out.end_array();
  out.field("next", std::string_view(f.next));
  out.end_object();
}

}  // namespace

result<document_status> write_report(json_writer& out, const profile& p, const anatomy_options& o, const hooks& host) {
  const result<slices> s = run_slices(p, o, host);
  if (!s) return s.error();
  const std::vector<file_damage> damage = damage_of_report(*s);
  const verdict v = judge(p, p.file_count() == 0 ? "no profile file in " + p.what().path : "", damage);
  begin_document(out, document::report);
  write_verdict(out, v);
  out.field("path", std::string_view(p.what().path));
  write_runs(out, p);
  out.key("info");
  write_info(out, p, s->info);
  out.key("steps");
  write_steps(out, p, s->steps);
  out.key("ops");
  write_ops(out, p, s->ops, default_limit(document::ops));
  out.key("modules");
  write_modules(out, p, s->modules, default_limit(document::modules));
  out.key("framework");
  write_framework(out, p, s->framework);
  out.key("collectives");
  write_collectives(out, p, s->collectives, default_limit(document::collectives));
  out.key("chrome");
  write_chrome(out, p, s->chrome);
  out.key("memory");
  if (s->memory)
    write_memory(out, p, s->asked_of_memory, *s->memory);
  else
    out.null();
  out.key("validation");
  if (s->nodes.validation)
    write_validation(out, *s->nodes.validation, s->nodes.alignment ? &*s->nodes.alignment : nullptr);
  else
    out.null();
  out.key("bubbles");
  if (s->bubbles)
    write_bubbles(out, p, s->asked_of_bubbles, *s->bubbles);
  else
    out.null();
  out.key("model");
  if (s->model.empty())
    out.null();
  else
    out.value(std::string_view(s->model));
  out.key("neutrino");
  if (const auto written = write_neutrino(out, p, at_default_limit(o, document::neutrino), host); !written)
    return written.error();
  out.key("findings");
  out.begin_array();
  for (const finding& f : anatomy_findings(p, s->info, s->modules, s->collectives, s->chrome)) write_finding(out, f);
  if (s->memory)
    for (const finding& f : s->memory->findings) write_finding(out, f);
  if (s->bubbles)
    for (const finding& f : s->bubbles->found.findings) write_finding(out, f);
  out.end_array();
  write_damage(out, damage);
  out.end_object();
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
