// The documents of a report that fit into a conversation: what matters most of it, and one finding of it.
#include <export/json/report_parts.hpp>

#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

// The path as typed in commands; "PATH" for one that is too long to repeat in each of them.
std::string path_word(const profile& p) {
  constexpr std::size_t most = 200;
  const std::string word = shell_word(p.what().path);
  return word.size() <= most ? word : "PATH";
}

// The run and the filters, as they are typed.
std::string arguments_of(const profile& p, const query_filters& o) {
  std::string text;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) text += std::string(" ") + option + ' ' + shell_word(value);
  };
  std::vector<std::string> chosen;
  for (const capture_run& run : p.what().runs)
    if (run.chosen) chosen.push_back(run.name);
  if (p.what().runs.size() > 1) add("--run", chosen.size() > 1 ? "all" : chosen.empty() ? "" : chosen.front());
  add("--host", o.host);
  add("--plane", o.plane);
  add("--line", o.line);
  add("--name", o.name);
  if (o.step) add("--step", std::to_string(*o.step));
  const auto instant = [](const std::optional<std::int64_t>& ps) { return ps ? std::to_string(*ps) + "ps" : ""; };
  if (o.from_ps || o.to_ps) add("--time", instant(o.from_ps) + ':' + instant(o.to_ps));
  return text;
}

// Arguments of profkit, with the path in the place of PATH.
std::string as_typed(const profile& p, std::string_view arguments) {
  std::string text = "profkit " + std::string(arguments);
  if (const std::size_t at = text.find("PATH"); at != std::string::npos) text.replace(at, 4, path_word(p) + arguments_of(p, {}));
  return text;
}

std::vector<typed_command> more_of(const profile& p, const query_filters& o, const report_result& found) {
  const std::string path = path_word(p), filters = arguments_of(p, o);
  std::vector<typed_command> made;
  const auto document_command = [&](const char* name, std::string_view why) {
    made.push_back({std::string("profkit ") + name + ' ' + path + filters + " --json", why});
  };
  document_command("report", "all parts, 1 MB at most");
  made.push_back({"profkit report " + path + filters + " --json --limit 0", "everything"});
  if (!found.findings.empty())
    made.push_back({"profkit explain " + path + filters + ' ' + found.findings.front().id + " --json",
                    "the first finding, with its evidence and what happened around it"});
  const report_parts& parts = found.parts;
  if (!parts.ops.lines.empty()) document_command("ops", "every op of every line");
  if (parts.steps.matched > 0) document_command("steps", "every step");
  if (!parts.modules.modules.empty()) document_command("modules", "every module");
  if (!parts.collectives.ops.empty() || !parts.collectives.async.empty())
    document_command("collectives", "every collective and asynchronous copy");
  // This report has no parts that cannot keep to the filters.
  if (parts.memory && !(parts.memory->modules.empty() && parts.memory->allocators.empty()))
    document_command("memory", "what held memory at the peak");
  if (parts.bubbles) document_command("bubbles", "when devices waited, and for what");
  for (const next_command& next : found.summary.next) made.push_back({as_typed(p, next.arguments), next.why});
  return made;
}

result<report_result> made_for(const trace& t, const query_filters& o, const hooks& host) {
  report_options asked;
  asked.filters = o;
  asked.samples = false;
  return analyse_report(t, asked, host);
}

}  // namespace

result<document_status> write_brief(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  const profile& p = t.files();
  const result<report_result> found = made_for(t, o, host);
  if (!found) return found.error();
  const verdict v = judge_report(p, *found);
  begin_report(out, document::brief, p, *found, v);
  write_report_summary(out, found->summary, true);
  write_objects(out, "findings", found->findings, [&](const finding& f) { fields_of_report_finding(out, f); });
  write_text_or_null(out, "model", found->parts.model_summary());
  write_objects(out, "more", more_of(p, o, *found), [&](const typed_command& c) { fields_of_brief_more(out, c); }, min_notes);
  write_damage(out, found->damage, checked_by(document::brief, p, o));
  end_document(out);
  return v.status;
}

result<document_status> write_explain(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  return write_explanation(out, t, {}, o, host);
}

result<document_status> write_explanation(json_writer& out, const trace& t, std::string_view id, const query_filters& o,
                                          const hooks& host) {
  const profile& p = t.files();
  const result<report_result> found = made_for(t, o, host);
  if (!found) return found.error();
  explanation chosen;
  if (!id.empty()) {
    result<explanation> made = explain_finding(t, *found, id, host);
    if (!made) return std::move(made).error();
    chosen = std::move(*made);
  }
  const verdict v = judge(p, found->findings.empty() ? "nothing was found that needs an explanation" : "", found->damage);
  begin_with_path(out, document::explain, p, v);
  if (!id.empty()) {
    write_object(out, "finding", [&] { fields_of_report_finding(out, chosen.found); });
  } else {
    out.key("finding");
    out.null();
  }
  write_objects(out, "neighbours", chosen.neighbours, [&](const neighbour& n) { fields_of_explain_neighbour(out, n); });
  write_objects(out, "more", chosen.next, [&](const next_command& next) {
    fields_of_brief_more(out, {as_typed(p, next.arguments), next.why});
  }, min_notes);
  write_objects(out, "findings", found->findings, [&](const finding& f) {
    fields_of_explain_finding(out, {f.id, f.sure, id.empty() ? std::optional<std::string_view>(f.what) : std::nullopt});
  });
  write_damage(out, found->damage, checked_by(document::explain, p, o));
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
