// profkit memory: what the compiler assigned, what the allocators did, and whether the two agree.
#include "command_line/shared_options.hpp"
#include "exit_code.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "report_parts.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/memory.hpp>
#include <profkit/core/picture.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace profkit_tool {
namespace {

using namespace profkit;

constexpr std::size_t max_programs = 10, max_allocators = 8, max_rollup = 8, max_findings = 10;

// How many of `all` rows --limit shows.
std::size_t most_rows(const session& s, std::size_t all, std::size_t usual) {
  const std::uint64_t limit = s.asked().limit.value_or(usual);
  return limit == 0 ? all : static_cast<std::size_t>(limit);
}

std::string size_text(std::int64_t bytes) {
  if (bytes < 0) return "-" + human_bytes(static_cast<std::uint64_t>(-bytes));
  return human_bytes(static_cast<std::uint64_t>(bytes));
}

std::string space_text(std::int64_t color, program_home home) {
  const std::string name = memory_space_name(color, home);
  return std::to_string(color) + (name.empty() ? "" : " " + name);
}

const char* bound_sign(peak_bound b) { return b == peak_bound::exact ? "" : b == peak_bound::lower ? ">= " : "<= "; }

void print_headline(session& s, const memory_result& r) {
  for (const std::string& line : r.summary) s.out().line(wrap(escape_for_terminal(line), columns_of(s), 0));
}

void print_memory_of_modules(session& s, const memory_result& r) {
  std::vector<const module_memory*> shown;
  for (const module_memory& m : r.modules)
    if (!m.spaces.empty() || m.damage) shown.push_back(&m);
  if (shown.empty()) return;
  table t;
  t.flexible("module", cut::middle, 16).left("space").right("total").right("peak").right("temporary").minor().right("floor").minor();
  t.flexible("peak at", cut::middle, 12).minor().left("method").minor();
  const std::size_t most = most_rows(s, shown.size(), max_programs);
  for (std::size_t i = 0; i < shown.size() && i < most; ++i) {
    const module_memory& m = *shown[i];
    if (m.spaces.empty()) t.row({escape_for_terminal(m.label), "", "", "", "", "", "", "damaged"});
    bool first = true;
    for (const space_memory& f : m.spaces) {
      if (f.total_bytes == 0 && f.peak_bytes == 0 && m.spaces.size() > 1) continue;
      t.row({first ? escape_for_terminal(m.label) : "", space_text(f.color, m.home), size_text(f.total_bytes),
             bound_sign(f.bound) + size_text(f.peak_bytes), size_text(f.temp_bytes), size_text(f.residency_floor_bytes),
             escape_for_terminal(f.peak_instruction), peak_method_name(f.method)});
      first = false;
    }
  }
  s.print("Modules, highest peak in memory space 0 first: " + count_of(shown.size(), "module"), t, shown.size());
}

// One bar of 50 columns: parameters, constants, results, used temporary memory, fragmentation.
void print_bar(session& s, const memory_result& r, bool was_named) {
  const hlo_report& h = *r.hlo;
  const space_memory* f = r.modules[h.module].space(h.color);
  if (f == nullptr || f->total_bytes <= 0) return;
  struct part {
    char mark;
    const char* name;
    std::int64_t bytes;
  };
  const std::int64_t used =
      std::max<std::int64_t>(f->temp_bytes - std::max<std::int64_t>(f->fragmentation_bytes, 0), 0);
  const part parts[] = {{'P', "parameters", f->entry_params_bytes},
                        {'C', "constants", f->constants_bytes},
                        {'R', "results", f->live_out_bytes},
                        {'T', "temporary", used},
                        {'.', "fragmentation", std::max<std::int64_t>(f->fragmentation_bytes, 0)}};
  constexpr std::int64_t width = 50;
  std::string bar;
  table legend;
  legend.left("").left("").right("").right("");
  for (const part& p : parts) {
    if (p.bytes == 0) continue;
    const auto columns = static_cast<std::size_t>(p.bytes / (f->total_bytes / width + 1));
    bar += std::string(columns == 0 ? 1 : columns, p.mark);
    legend.row({std::string(1, p.mark), p.name, size_text(p.bytes), share_text(p.bytes, f->total_bytes)});
  }
  s.heading(escape_for_terminal(r.modules[h.module].label) + ", memory space " + space_text(h.color, r.modules[h.module].home) + ": " +
            size_text(h.static_peak_bytes));
  s.out().line("  [" + bar + ']');
  legend.print(s.out(), s.columns());
  if (r.modules.size() > 1 || was_named)
    s.out().line("  chosen: " + wrap(escape_for_terminal(r.selection), columns_of(s) - 10, 4));
  const std::vector<module_source>& places = r.modules[h.module].sources;
  const auto others = std::count_if(places.begin(), places.end(), [](const auto& place) { return !place.same_bytes; });
  if (places.size() > 1)
    s.out().line("  found in " + grouped(static_cast<std::uint64_t>(places.size())) + " places" +
                 (others == 0 ? ""
                              : ", " + grouped(static_cast<std::uint64_t>(others)) +
                                    " of them with other bytes for the same memory"));
  s.out().line("  " + wrap(f->coverage, columns_of(s), 2));
  if (f->bound != peak_bound::exact)
    s.out().line("  " + s.out().screen().paint("bound: ", style::warning) + peak_bound_name(f->bound) + ", " +
                 wrap(f->bound_reason, columns_of(s) - 10, 2));
}

void print_alive(session& s, const hlo_report& h, std::uint64_t top) {
  if (h.alive.empty()) return;
  table t;
  t.right("bytes").right("share").left("class").minor().flexible("instruction", cut::middle, 12).left("opcode").minor();
  t.flexible("shape", cut::end, 8).minor().flexible("op_name", cut::start, 8).minor().flexible("source", cut::start, 8).minor();
  std::uint64_t shown = 0;
  for (const buffer_row& b : h.alive) {
    if (shown == top) break;
    ++shown;
    std::string source = escape_for_terminal(b.source_file.substr(b.source_file.rfind('/') + 1));
    if (!source.empty() && b.source_line != 0) source += ':' + std::to_string(b.source_line);
    t.row({size_text(b.size_bytes), share_text(b.size_bytes, h.alive_total_bytes), residency_name(b.kind),
           escape_for_terminal(b.instruction_name), escape_for_terminal(b.opcode), escape_for_terminal(b.shape),
           escape_for_terminal(b.op_name), source});
  }
  s.print("Alive at the peak: " + size_text(h.alive_total_bytes) + " in " + count_of(h.alive.size(), "buffer"), t);
  if (h.alive.size() > shown) {
    std::int64_t rest = 0;
    for (std::size_t i = static_cast<std::size_t>(shown); i < h.alive.size(); ++i) rest += h.alive[i].size_bytes;
    s.out().line("  … " + grouped(static_cast<std::uint64_t>(h.alive.size()) - shown) + " more with " +
                 size_text(rest) + " (--top N shows N)");
  }
}

void print_rollup(session& s, const char* title, const std::vector<rollup_row>& rows, std::int64_t total) {
  if (rows.empty()) return;
  table t;
  t.right("bytes").right("share").right("buffers").flexible(title, cut::start, 20);
  for (std::size_t i = 0; i < rows.size() && i < max_rollup; ++i)
    t.row({size_text(rows[i].total_bytes), share_text(rows[i].total_bytes, total), grouped(rows[i].n_buffers),
           escape_for_terminal(rows[i].key)});
  t.print(s.out(), s.columns());
  if (rows.size() > max_rollup)
    s.out().line("  … " + grouped(static_cast<std::uint64_t>(rows.size() - max_rollup)) + " more (--json has them)");
}

void print_floor(session& s, const memory_result& r) {
  const hlo_report& h = *r.hlo;
  const space_memory* f = r.modules[h.module].space(h.color);
  if (f == nullptr) return;
  s.heading("What stays");
  constexpr std::size_t indent = 18;
  const auto say = [&](std::string label, const std::string& text) {
    label.resize(indent, ' ');
    s.out().line(label + wrap(text, columns_of(s), indent));
  };
  say("  floor", size_text(f->residency_floor_bytes) + "  in use at every moment; no rematerialisation goes below it");
  say("  lone owners", size_text(h.always_alive_total_bytes) + "  of the temp pool, at addresses that one buffer alone uses");
  std::int64_t donated = 0;
  for (const donation_row& d : h.donation) donated += d.saved_bytes;
  if (donated > 0) {
    say("  donation", size_text(donated) + "  in " + count_of(h.donation.size(), "parameter") + " with the shape of a result:");
    std::size_t shown = 0;
    for (const donation_row& d : h.donation) {
      if (shown++ == 5) break;
      s.out().line("                  " + size_text(d.saved_bytes) + "  parameter " +
                   std::to_string(d.parameter_number) + ' ' + escape_for_terminal(d.parameter_name) + " -> " +
                   escape_for_terminal(d.output_name) + "  " + escape_for_terminal(d.shape));
    }
  }
  for (const what_if_result& w : h.what_if) {
    const std::string text = "what if " + w.action + ' ' + escape_for_terminal(w.name) + ": peak " + size_text(w.before_bytes) +
                             " -> at least " + size_text(w.after_bytes) + ", at most " +
                             size_text(w.before_bytes - w.after_bytes) + " saved (" + count_of(w.n_buffers, "buffer") + ", " +
                             size_text(w.buffer_bytes) + ')';
    s.out().line("  " + wrap(text, columns_of(s), 4));
    s.out().line("    " + wrap(w.claim, columns_of(s), 4));
  }
}

void print_curve(session& s, const hlo_report& h) {
  if (!h.curve) return;
  table t;
  t.right("event").right("live").left("");
  std::int64_t most = 1;
  for (const curve_point& p : h.curve->points) most = std::max(most, p.live_bytes);
  for (const curve_point& p : h.curve->points)
    t.row({std::to_string(p.event), size_text(p.live_bytes),
           std::string(static_cast<std::size_t>(p.live_bytes / (most / 40 + 1)), '#')});
  s.print("Live curve: " + count_of(h.curve->points.size(), "point") + " of " + grouped(h.curve->n_events) +
          (h.curve->every_extremum ? ", every extremum kept" : ", the extremes of each part kept"), t);
}

void print_allocators(session& s, const memory_result& r) {
  if (r.allocators.empty()) return;
  std::vector<const allocator_memory*> order;
  for (const allocator_memory& a : r.allocators) order.push_back(&a);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->occupancy_peak_bytes > b->occupancy_peak_bytes; });
  table t;
  t.flexible("allocator", cut::middle, 8).flexible("device", cut::middle, 8).flexible("host", cut::middle, 6).minor();
  t.right("filled to").right("reserved").right("allocated").minor().right("capacity").minor().right("used").minor().right("at").left("replay").minor();
  const std::size_t most = most_rows(s, order.size(), max_allocators);
  for (std::size_t i = 0; i < order.size() && i < most; ++i) {
    const allocator_memory& a = *order[i];
    t.row({escape_for_terminal(a.name), a.device.empty() ? "(host memory)" : short_plane_name(a.device),
           escape_for_terminal(a.host), size_text(a.occupancy_peak_bytes), size_text(a.reserved_at_peak_bytes),
           size_text(a.allocated_at_peak_bytes), size_text(a.capacity_bytes),
           share_text(a.occupancy_peak_bytes, a.capacity_bytes), human_duration(a.occupancy_peak_ps),
           a.allocator_agrees ? "agrees" : "differs " + count_of(a.disagreements, "time")});
  }
  s.print("Allocators at run time: " + count_of(r.allocators.size(), "allocator"), t, order.size());
}

// What a reason of the document means.
std::string reason_text(const std::string& reason) {
  if (reason == "no_hlo_proto_pb") return "no compiled module: no XSpace with Hlo Proto, *.hlo_proto.pb or *.hlo.pb";
  if (reason == "no_buffer_assignment") return "the module has no buffer assignment";
  if (reason == "no_xplane_pb") return "no XSpace file, so nothing is known of run time";
  if (reason == "host_plane_absent") return "no /host:CPU plane, where allocators record what they do";
  if (reason == "no_such_host") return "no host's name contains what --host says; `profkit info` lists them";
  if (reason == "no_memory_events")
    return "no MemoryAllocation events: TPU and GPU runtimes record them, CPU ones do not";
  return reason;
}

std::string window_text(const step_choice& step) {
  if (step.source == "all_trace") return "at the peak of the whole trace";
  return "at the peak of step " + escape_for_terminal(step.id.value_or("?")) + " (" +
         (step.policy == "explicit" ? "asked for" : "--step-policy " + step.policy) + ')';
}

// Rows that read the same, as one.
struct live_group {
  const live_row* like;
  std::int64_t bytes = 0;
  std::uint64_t count = 0;
};
std::vector<live_group> grouped_rows(const std::vector<live_row>& rows) {
  using key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, std::string_view, int>;
  std::vector<live_group> groups;
  std::map<key, std::size_t> places;
  for (const live_row& row : rows) {
    const std::string_view parent = row.parent_chain.empty() ? std::string_view() : row.parent_chain.back();
    const auto [at, fresh] = places.try_emplace(
        key{row.kind, row.shape, row.data_type, row.tf_op, parent, static_cast<int>(row.lifetime)}, groups.size());
    if (fresh) groups.push_back({&row});
    groups[at->second].bytes += row.size_bytes;
    ++groups[at->second].count;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const live_group& a, const live_group& b) { return a.bytes > b.bytes; });
  return groups;
}

void print_runtime(session& s, const memory_result& r, std::uint64_t top) {
  if (!r.runtime) {
    if (!r.runtime_absent_reason.empty()) {
      s.heading("Run time");
      s.absent(reason_text(r.runtime_absent_reason));
    }
    return;
  }
  const runtime_report& t = *r.runtime;
  const allocator_memory& a = r.allocators[*t.allocator];
  s.heading("Alive at run time: " + size_text(t.peak_bytes) + " on " +
            escape_for_terminal(a.device.empty() ? a.name : short_plane_name(a.device)) + ' ' + window_text(t.step));
  const bool classified = t.by_lifetime_class.size() > 1 || t.by_lifetime_class.empty() ||
                          t.by_lifetime_class.front().key != lifetime_class_name(lifetime_class::unknown);
  table rows;
  rows.right("bytes").right("share").right("count").left("kind").left("lifetime");
  rows.flexible("shape", cut::end, 10).left("type").minor().flexible("op", cut::start, 12).minor().flexible("from", cut::middle, 12).minor();
  const std::vector<live_group> groups = grouped_rows(t.alive);
  std::uint64_t shown = 0;
  for (const live_group& g : groups) {
    if (shown == top) break;
    ++shown;
    const live_row& row = *g.like;
    const bool is_buffer = row.kind == "buffer";
    const auto unless = [](const std::string& text, const char* placeholder) {
      return text == placeholder ? std::string() : escape_for_terminal(text);
    };
    const std::string op = is_buffer ? unless(row.tf_op, "<no tf_op>") : std::string();
    const char* kind = is_buffer ? "buffer" : row.kind == "pre_trace" ? "before the trace" : "running program";
    const bool has_parent = op.empty() && !row.parent_chain.empty();
    rows.row({size_text(g.bytes), share_text(g.bytes, t.peak_bytes), g.count == 1 ? "" : grouped(g.count), kind,
              classified ? lifetime_class_name(row.lifetime) : "", unless(row.shape, "<no shape>"),
              unless(row.data_type, "invalid"), op, has_parent ? escape_for_terminal(row.parent_chain.back()) : ""});
  }
  rows.print(s.out(), s.columns());
  if (groups.size() > shown)
    s.out().line("  … " + count_of(static_cast<std::uint64_t>(groups.size()) - shown, "more row") + " (--top N shows N)");
  if (classified) {
    std::string by_class;
    for (const lifetime_rollup_row& c : t.by_lifetime_class)
      by_class += (by_class.empty() ? "" : ", ") + c.key + ' ' + size_text(c.total_bytes);
    s.out().line("  by lifetime: " + by_class);
  }
  for (const std::string& w : t.diagnostics.warnings) s.out().line("  - " + wrap(escape_for_terminal(w), columns_of(s), 4));
}

std::string compared(const memory_invariant& i) {
  return i.note + " (" + grouped(i.left) + " and " + grouped(i.right) + " B)";
}

void print_verdicts(session& s, const memory_result& r) {
  if (std::none_of(r.invariants.begin(), r.invariants.end(), [](const auto& i) { return i.holds.has_value(); })) return;
  s.heading("Checks");
  std::size_t holding = 0, checked = 0;
  for (const memory_invariant& i : r.invariants) {
    checked += i.holds.has_value();
    holding += i.holds.value_or(false);
    if (!i.holds || (*i.holds && i.id != "C1")) continue;
    const std::string verdict = i.id != "C1" ? "broken invariant " + i.id
                                : *i.holds   ? "compile and run time agree"
                                             : "compile and run time differ";
    const std::string text = wrap(verdict + ": " + escape_for_terminal(compared(i)), 94, 4);
    s.out().line("  " + s.out().screen().paint(verdict, *i.holds ? style::good : style::warning) +
                 text.substr(verdict.size()));
  }
  s.out().line("  " + std::to_string(holding) + " of " + std::to_string(checked) + " invariants hold");
}

void print_findings(session& s, const memory_result& r) {
  std::vector<const finding*> news;  // what the checks have not said already
  for (const finding& f : r.findings)
    if (f.id != "memory.static_and_runtime_differ" && f.id.rfind("memory.invariant.", 0) != 0) news.push_back(&f);
  if (news.empty()) return;
  s.heading("Findings");
  for (std::size_t i = 0; i < news.size() && i < max_findings; ++i) {
    const finding& f = *news[i];
    const bool named = !f.where.empty() && f.what.find(f.where) == std::string::npos;
    s.out().line("  - " +
                 wrap(escape_for_terminal((named ? f.where + ": " : "") + f.what + ". Next: " + f.next), columns_of(s), 4));
  }
  if (news.size() > max_findings)
    s.out().line("  … " + count_of(static_cast<std::uint64_t>(news.size() - max_findings), "more finding") +
                 " (--json has them)");
}

// A host or a step that the capture does not have is a mistake of the caller.
result<void> is_there(const memory_result& r, const profkit::trace& t, const memory_options& o) {
  if (!o.host.empty() && r.runtime_absent_reason == "no_such_host" && r.modules.empty()) {
    query_filters of_host;
    of_host.host = o.host;
    if (auto fits = check_filters(t, of_host); !fits) return fits;
    return profkit::fault{profkit::fault_code::invalid_argument, reason_text(r.runtime_absent_reason),
                          t.files().what().path, profkit::no_offset, "of a merged trace node:3 is the host of node 3"};
  }
  const std::string prefix = "step_policy_error: ";
  if (r.runtime_absent_reason.compare(0, prefix.size(), prefix) != 0) return {};
  return profkit::fault{profkit::fault_code::invalid_argument, r.runtime_absent_reason.substr(prefix.size()),
                        t.files().what().path, profkit::no_offset, "`profkit steps` lists the steps of a capture."};
}

void print_memory_text(session& s, const memory_result& r, const memory_options& o) {
  s.lost(r.damage);
  if (profkit::is_all_damaged(s.trace().files(), r)) s.lost_all();
  if (r.modules.empty() && r.allocators.empty()) {
    s.absent(reason_text(r.hlo_absent_reason));
    // Where there is no file at all, one line says it.
    const bool is_reported = r.hlo_absent_reason == "no_hlo_proto_pb" && r.runtime_absent_reason == "no_xplane_pb";
    if (!r.runtime_absent_reason.empty() && !is_reported && r.runtime_absent_reason != r.hlo_absent_reason)
      s.absent(reason_text(r.runtime_absent_reason));
    if (r.fit) s.out().line(r.summary.back());
    return;
  }
  print_headline(s, r);
  print_memory_of_modules(s, r);
  if (r.hlo) {
    print_bar(s, r, !o.module.empty());
    print_alive(s, *r.hlo, o.top);
    s.heading("By opcode and by op_name");
    print_rollup(s, "opcode", r.hlo->by_opcode, r.hlo->alive_total_bytes);
    print_rollup(s, "op_name", r.hlo->by_op_name, r.hlo->alive_total_bytes);
    print_floor(s, r);
    print_curve(s, *r.hlo);
  } else {
    s.heading("Compile time");
    s.absent(reason_text(r.hlo_absent_reason));
  }
  print_allocators(s, r);
  print_runtime(s, r, o.top);
  print_verdicts(s, r);
  print_findings(s, r);
}

// The exit status beside what run_slice() gives: 1 unless --fit says yes.
int run_memory(const options& asked, const memory_options& o) {
  bool fits = true;
  slice_writer writer;
  writer.document = [&](const profkit::trace& t, sink& into, const hooks& host) -> result<document_status> {
    auto found = analyse_memory(t, o, host);
    if (!found) return std::move(found).error();
    if (auto there = is_there(*found, t, o); !there) return std::move(there).error();
    fits = !found->fit || found->fit->fits;
    return write_memory_document(t.files(), o, *found, into);
  };
  writer.text = [&](session& s) -> result<void> {
    auto found = analyse_memory(s.trace(), o, s.hooks());
    if (!found) return std::move(found).error();
    if (auto there = is_there(*found, s.trace(), o); !there) return there;
    fits = !found->fit || found->fit->fits;
    print_memory_text(s, *found, o);
    return {};
  };
  writer.picture = [&](const profkit::trace& t, sink& into, const hooks& host) -> result<void> {
    constexpr std::uint64_t points = 2000;  // more than a screen is wide
    memory_options finer = o;
    finer.time_samples = finer.curve_points = points;
    auto found = analyse_memory(t, finer, host);
    if (!found) return std::move(found).error();
    return profkit::write_memory_picture(*found, into);
  };
  const int status = run_slice(asked, document::memory, writer);
  return status == exit_ok && !fits ? exit_gate : status;
}

class memory_command_options final : public command_options {
 public:
  void list(option_list& all) override {
    list_path(all, *this);
    all.group("Memory");
    all.value("--module", memory_.module, "NAME|ID",
              "Module to look into (default: the one with the highest peak)");
    all.value("--space", space_, "COLOR|NAME", "Memory space to look into, as 5 or Host (default 0)")
        .offer_words({"HBM", "VMEM", "Sflag", "CMEM", "SMEM", "Host", "SparseCore"});
    all.value("--top", top_, "K", "Rows of the lists of buffers and of the rollups (default 30)")
        .add_to_manual("The rest is given as a sum.");
    all.flag("--no-runtime", no_runtime_, "Only what the compiler assigned");
    all.value("--fit", fit_, "BYTES", "Does it fit into so much, as in 32GiB? Exit status 1 when not");
    all.repeated("--what-if", what_if_, "ACTION=NAME",
                 "The peak without a buffer: remat=NAME or offload=NAME, may be repeated")
        .offer_words({"remat=", "offload="})
        .add_to_manual("NAME is that of an instruction.");
    all.value("--curve", curve_, "N", "The live curve in at most N points that keep its extremes");
    all.group("Run time");
    all.value("--host", host, "TEXT", "Only hosts whose name contains TEXT")
        .add_to_manual("A host of a merged trace is that of a node, and node:3 asks for it by number.");
    all.value("--node", node_, "N", "Only node N of a merged trace");
    all.value("--step", step_, "N", "The N-th step window, counted from 0");
    all.flag("--all-trace", memory_.all_trace, "The whole trace as one window").exclude("--step");
    all.value("--step-policy", policy_.typed, "WHICH", "peak, last or first step (default peak)")
        .offer_words(policy_.words());
    all.value("--persistent-threshold-steps", threshold_, "N",
              "Step boundaries after which a buffer is persistent (default 2)");
    all.flag("--include-host-pools", memory_.include_host_pools, "Host memory may be the fullest, too");
    all.value("--time-samples", samples_, "N", "Samples of the timeline (default 200)");
    all.group("Output");
    output_.list(all, *this);
    all.value("--svg", svg_path, "FILE", "A picture as well: what was held over time").offer_files();
    input_.list(all, *this);
  }

  [[nodiscard]] std::optional<fault> understand() override {
    constexpr std::uint64_t max_samples = 1000000;
    profkit::memory_options& m = memory_;
    std::optional<std::uint64_t> top, threshold, samples, curve, node;
    if (auto wrong = understand_number("--node", node_, node)) return wrong;
    if (node && !host.empty())
      return wrong_options("--host and --node both choose hosts: give one of them", "profkit memory --help");
    if (node) host = "node:" + std::to_string(*node);
    if (auto wrong = policy_.understand("--step-policy", m.policy)) return wrong;
    if (auto wrong = understand_number("--top", top_, top)) return wrong;
    if (auto wrong = understand_number("--persistent-threshold-steps", threshold_, threshold, 0, max_samples))
      return wrong;
    if (auto wrong = understand_number("--time-samples", samples_, samples, 0, max_samples)) return wrong;
    if (auto wrong = understand_number("--curve", curve_, curve, 1, 100 * max_samples)) return wrong;
    m.runtime = !no_runtime_;
    if (threshold) m.persistent_threshold_steps = static_cast<std::int64_t>(*threshold);
    if (samples) m.time_samples = *samples;
    if (curve) m.curve_points = *curve;
    if (auto wrong = understand_questions()) return wrong;
    if (auto wrong = input_.understand(*this)) return wrong;
    if (auto wrong = output_.understand(*this)) return wrong;
    m.host = host;
    if (limit) m.top = *limit == 0 ? ~std::uint64_t{0} : *limit;
    if (top) m.top = *top;
    return std::nullopt;
  }
  [[nodiscard]] int run_command() const override { return run_memory(*this, memory_); }

 private:
  [[nodiscard]] std::optional<fault> understand_questions() {
    if (!space_.empty()) {
      const std::optional<std::int64_t> number = profkit::memory_space_color(space_);
      if (!number)
        return wrong_value("--space", space_, "no memory space",
                           "write its color, or one of HBM, VMEM, Sflag, CMEM, SMEM, Host, SparseCore");
      memory_.memory_space = *number;
    }
    if (!fit_.empty()) {
      profkit::result<std::uint64_t> bytes = parse_bytes(fit_);
      if (!bytes) return wrong_value("--fit", fit_, bytes.error().message, bytes.error().hint);
      memory_.fit_bytes = *bytes;
    }
    for (const std::string& question : what_if_)
      if (profkit::result<void> added = profkit::add_what_if(question, memory_); !added)
        return wrong_value("--what-if", question, added.error().message, added.error().hint);
    if (!step_.empty()) {  // a step that is not there is reported by the analysis, as for any other step
      std::int64_t n = 0;
      const auto [end, error] = std::from_chars(step_.data(), step_.data() + step_.size(), n);
      if (error != std::errc{} || end != step_.data() + step_.size())
        return wrong_value("--step", step_, "not a whole number", "steps are counted from 0");
      memory_.step = n;
    }
    return std::nullopt;
  }

  memory_options memory_;
  choice<profkit::step_policy> policy_{{"peak", profkit::step_policy::peak},
                                       {"last", profkit::step_policy::last},
                                       {"first", profkit::step_policy::first}};
  std::string space_, top_, fit_, curve_, step_, node_, threshold_, samples_;
  std::vector<std::string> what_if_;
  bool no_runtime_ = false;
  output_words output_;
  input_words input_;
};

}  // namespace

extern const command_description memory_command = {
    "memory",
    "PATH",
    "Where the memory goes: buffer assignment and allocators",
    "Every compiled module and memory space with its total, its peak and what is alive there, equal to\n"
    "XProf's memory viewer; what each device's allocator held at run time; and whether the two agree.",
    "  profkit memory logdir                         the highest peak, and the fullest device\n"
    "  profkit memory vm.xplane.pb --module jit_step --top 100\n"
    "  profkit memory vm.xplane.pb --fit 32GiB       does it fit? exit status 1 when not\n"
    "  profkit memory vm.xplane.pb --svg memory.svg\n"
    "  profkit memory vm.xplane.pb --what-if remat=fusion.3\n"
    "  profkit memory dump/ --no-runtime --json      for programs\n",
    make_options<memory_command_options>,
};

}  // namespace profkit_tool
