// Every document by its number: name, version, limit, writer.
#include <base/contained.hpp>
#include <export/json/document.hpp>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

// Runs a slice and writes what it found.
template <class T, class Write>
result<document_status> written(const result<T>& found, Write write) {
  if (!found) return found.error();
  return write(*found);
}

// What was asked, and whether the filters fit anything: of a streamed file that is known after the pass.
template <class Ask>
auto ask_in_a_pass(const trace& t, const query_filters& o, const hooks& host, Ask&& ask) -> decltype(ask()) {
  const bool streamed = t.files().is_any_streamed();
  auto found = ask();
  if (found && streamed)
    if (result<void> fits = check_filters(t, o, host); !fits) return std::move(fits).error();
  return found;
}

// One writer a document.
result<document_status> write_info_of(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  return written(ask_in_a_pass(t, o, host, [&] { return analyse_info(t, o, host); }),
                 [&](const info_result& r) { return write_info(out, t.files(), r); });
}
result<document_status> write_steps_of(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  return written(analyse_steps(t, o, host),
                 [&](const steps_result& r) { return write_steps(out, t.files(), r, o); });
}
result<document_status> write_ops_of(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  return written(ask_in_a_pass(t, o, host, [&] { return analyse_ops(t, o, host); }),
                 [&](const ops_result& r) { return write_ops(out, t.files(), r, o); });
}
result<document_status> write_op_groups_of(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  return write_op_groups(out, t, {group_key::op}, o, host);
}
result<document_status> write_modules_of(json_writer& out, const trace& t, const query_filters& o,
                                         const hooks& host) {
  return written(analyse_modules(t, o, host),
                 [&](const modules_result& r) { return write_modules(out, t.files(), r); });
}
result<document_status> write_framework_of(json_writer& out, const trace& t, const query_filters& o,
                                           const hooks& host) {
  return written(analyse_framework(t, o, host), [&](const framework_result& r) { return write_framework(out, t.files(), r, o); });
}
result<document_status> write_collectives_of(json_writer& out, const trace& t, const query_filters& o,
                                             const hooks& host) {
  return written(analyse_collectives(t, o, host), [&](const collectives_result& r) { return write_collectives(out, t.files(), r, o); });
}

// A name is rarely longer than max_text.
constexpr std::uint64_t usual_bytes = 900'000;
constexpr std::size_t max_text = std::size_t{64} << 10, max_short_text = 300;

// About how many of a capture's events a document is made of: checked_by() says it of a capture.
enum class reads {
  all,      // where no filter narrows it
  needed,   // those of the lines that its question needs
  listed,   // what it shows: all without a limit and filters
  names,    // of an XSpace names alone
  memory,   // of an XSpace those of allocators, of others none
  nothing,  // programs alone
};

// Every document: one line each.
struct document_entry {
  document which = document::report;
  const char* name = "";
  std::int64_t version = 1;
  std::uint64_t limit = 0;    // where the caller names none
  reads events = reads::needed;
  bool filters_planes = true;  // its filters are those of the anatomy: others have names of devices, nodes, maps, launches
  result<document_status> (*write)(json_writer&, const trace&, const query_filters&, const hooks&) = nullptr;
  // What it takes at most, less what stands around its lists, and of one text: those that have such bounds keep to them
  // under every limit. 0: usual_bytes and max_text, up to the limit above.
  std::uint64_t bytes = 0;
  std::size_t text_bytes = 0;
};
constexpr document_entry documents[] = {
    {document::report, "report", 1, 20, reads::all, true, write_report},
    {document::info, "info", 1, default_document_limit, reads::all, true, write_info_of},
    {document::tree, "tree", 1, 5, reads::listed, true, write_tree},
    {document::metadata, "metadata", 1, 20, reads::names, true, write_metadata},
    {document::steps, "steps", 1, default_document_limit, reads::needed, true, write_steps_of},
    {document::ops, "ops", 1, default_document_limit, reads::needed, true, write_ops_of},
    {document::modules, "modules", 1, default_document_limit, reads::nothing, true, write_modules_of},
    {document::framework, "framework", 1, 20, reads::needed, true, write_framework_of},
    {document::collectives, "collectives", 1, default_document_limit, reads::needed, true, write_collectives_of},
    {document::memory, "memory", 2, 30, reads::memory, false, write_memory},  // its versions go on from those of the schema it extends
    {document::bubbles, "bubbles", 1, default_document_limit, reads::needed, false, write_bubbles},
    {document::architecture, "architecture", 1, default_document_limit, reads::needed, false, write_architecture},
    {document::neutrino, "neutrino", 1, default_document_limit, reads::needed, false, write_neutrino},
    {document::brief, "brief", 1, 5, reads::all, true, write_brief, 11'000, 200},
    {document::op_groups, "op_groups", 1, default_document_limit, reads::needed, true, write_op_groups_of},
    {document::explain, "explain", 1, default_document_limit, reads::all, true, write_explain, 5'500, max_short_text},
};

// Null: there is no such document.
const document_entry* entry_of(document which) noexcept {
  const auto at = std::find_if(std::begin(documents), std::end(documents),
                               [which](const document_entry& d) { return d.which == which; });
  return at == std::end(documents) ? nullptr : at;
}


// The bounds of a document when a host takes so many bytes of it; 0: its own. A third is for what stands around the lists.
json_bounds bounds_within(std::uint64_t max_bytes, json_bounds of) noexcept {
  if (max_bytes == 0) return of;
  of.bytes = std::max<std::uint64_t>(max_bytes - max_bytes / 3, 1);
  of.text = of.text == 0 ? max_short_text : std::min(of.text, max_short_text);
  return of;
}

}  // namespace

json_bounds bounds_of(std::uint64_t limit, std::uint64_t otherwise) noexcept {
  if (limit == 0 || limit > otherwise) return {limit, 0, 0};
  return {limit, usual_bytes, max_text};
}

json_bounds bounds_of(document which, std::uint64_t limit) noexcept {
  if (const document_entry* const entry = entry_of(which); entry != nullptr && entry->bytes != 0)
    return {limit, entry->bytes, entry->text_bytes};
  return bounds_of(limit, default_limit(which));
}

void begin_document(json_writer& out, document which) {
  const document_entry* const entry = entry_of(which);
  begin_document(out, document_name(which), entry == nullptr ? 1 : entry->version);
}

void begin_document(json_writer& out, std::string_view name, std::int64_t version) {
  out.begin_object(share_of_part(out));
  out.field("schema", "profkit." + std::string(name));
  out.field("version", version);
}

void end_document(json_writer& out) {
  const std::vector<json_cut> cuts = out.cuts();
  if (out.depth() == 1 && (!cuts.empty() || out.texts_cut() > 0)) {
    out.key("limited");
    out.begin_object();
    out.field("limit", out.bounds().items);
    out.key("lists");
    out.begin_tuple();
    for (const json_cut& cut : cuts) {
      out.begin_object();
      fields_of_list(out, cut);
      out.end_object();
    }
    out.end_array();
    out.field("texts", out.texts_cut());
    out.end_object();
  }
  out.end_object();
}

}  // namespace json

namespace {

bool is_narrowed(const query_filters& o) noexcept {
  return o.step || o.from_ps || o.to_ps || !o.host.empty() || !o.plane.empty() || !o.line.empty() || !o.name.empty();
}

}  // namespace

events_checked checked_by(document d, const profile& p, const query_filters& o) {
  const std::vector<capture_file>& files = p.what().files;
  const bool any_xspace = p.is_any_xspace(), any_trace = std::any_of(files.begin(), files.end(), is_trace);
  if (!any_xspace && !any_trace) return events_checked::all;  // there are none
  // Traces and tables are read whole, of an XSpace the lines that are needed.
  const events_checked needed = any_xspace || !o.host.empty() ? events_checked::some : events_checked::all;
  const json::document_entry* const entry = json::entry_of(d);
  switch (entry == nullptr ? json::reads::needed : entry->events) {
    case json::reads::all: return is_narrowed(o) ? events_checked::some : events_checked::all;
    case json::reads::needed: return needed;
    case json::reads::listed: return o.limit == 0 && !is_narrowed(o) ? events_checked::all : needed;
    case json::reads::names: return any_xspace && !any_trace ? events_checked::none : needed;
    case json::reads::memory: return any_xspace ? events_checked::some : events_checked::none;
    case json::reads::nothing: break;
  }
  return events_checked::none;
}

const char* document_name(document d) noexcept {
  const json::document_entry* const entry = json::entry_of(d);
  return entry == nullptr ? "report" : entry->name;
}

std::uint64_t default_limit(document d) noexcept {
  const json::document_entry* const entry = json::entry_of(d);
  return entry == nullptr ? 0 : entry->limit;
}

namespace {

// One document within its bounds, by `write(json_writer&)`.
template <class Write>
result<document_status> write_bounded(document which, const query_filters& o, sink& into, Write&& write) {
  json_writer out(into);
  out.bound(json::bounds_within(o.max_bytes, json::bounds_of(which, o.limit)));
  result<document_status> status = write(out);
  if (!status) return status;
  if (result<void> finished = out.finish(); !finished) return std::move(finished).error();
  return status;
}

}  // namespace

result<document_status> write_document(document which, const trace& t, const query_filters& o, sink& into,
                                       const hooks& host) {
  return contained([&]() -> result<document_status> {
    const json::document_entry* const entry = json::entry_of(which);
    if (entry == nullptr) return fault{fault_code::invalid_argument, "no such document", "", no_offset, ""};
    if (entry->filters_planes && !t.files().is_any_streamed())
      if (result<void> fits = check_filters(t, o, host); !fits) return std::move(fits).error();
    return write_bounded(which, o, into, [&](json_writer& out) { return entry->write(out, t, o, host); });
  });
}

result<document_status> write_entry_document(const trace& t, std::string_view module, const query_filters& o,
                                             sink& into, const hooks& host) {
  return contained([&]() -> result<document_status> {
    const result<modules_result> found = analyse_modules(t, o, host);
    if (!found) return found.error();
    return write_bounded(document::modules, o, into, [&](json_writer& out) -> result<document_status> {
      if (found->modules.empty()) return json::write_modules(out, t.files(), *found);
      const result<const module_row*> chosen = find_module(*found, module);
      if (!chosen) return chosen.error();
      return json::write_module_entry(out, t.files(), *found, *chosen);
    });
  });
}

result<document_status> write_op_groups(const trace& t, const std::vector<group_key>& keys, const query_filters& o, sink& into,
                                        const hooks& host) {
  if (keys.empty()) return write_document(document::op_groups, t, o, into, host);
  return contained([&]() -> result<document_status> {
    if (auto fits = check_filters(t, o, host); !fits) return std::move(fits).error();
    return write_bounded(document::op_groups, o, into, [&](json_writer& out) { return json::write_op_groups(out, t, keys, o, host); });
  });
}

result<document_status> write_explanation(const trace& t, std::string_view id, const query_filters& o, sink& into,
                                          const hooks& host) {
  if (id.empty()) return write_document(document::explain, t, o, into, host);
  return contained([&]() -> result<document_status> {
    if (!t.files().is_any_streamed())
      if (result<void> fits = check_filters(t, o, host); !fits) return std::move(fits).error();
    return write_bounded(document::explain, o, into, [&](json_writer& out) { return json::write_explanation(out, t, id, o, host); });
  });
}

namespace {

template <class Which>
result<void> write_failed(Which which, const fault& why, sink& into) {
  return contained([&]() -> result<void> {
    json_writer out(into);
    json::begin_document(out, which);
    json::write_verdict(out, {document_status::error, why.message, &why});
    out.end_object();
    return out.finish();
  });
}

}  // namespace

result<void> write_error_document(document which, const fault& why, sink& into) {
  return write_failed(which, why, into);
}

result<void> write_error_document(std::string_view name, const fault& why, sink& into) {
  return write_failed(name, why, into);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
