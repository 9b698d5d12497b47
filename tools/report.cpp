// profkit report: one screen about a capture. At most 60 lines of at most 100 columns.
#include "op_facts.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "slices.hpp"
#include "stat_text.hpp"
#include "statistics.hpp"
#include "table.hpp"
#include "text.hpp"
#include "trace_totals.hpp"

#include <profkit/core/text.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace profkit_tool {
namespace {

using profkit::anatomy_options;
using profkit::escape_for_terminal;
using profkit::file_family;
using profkit::file_info;
using profkit::grouped;
using profkit::human_duration;
using profkit::info_result;
using profkit::ops_line;
using profkit::percent_text;
using profkit::plane_info;
using profkit::plane_kind;
using profkit::result;

constexpr std::size_t most_columns = 100;
// Rows of each part; together with headings they make 60 lines at most.
constexpr std::size_t most_files = 4, most_devices = 6, most_ops = 8, most_modules = 4, most_steps = 3,
                      most_collectives = 4, most_notes = 5, most_processes = 6;

std::uint64_t size_of(std::int64_t n) noexcept { return n < 0 ? 0 : static_cast<std::uint64_t>(n); }

// A sum that stays at the end of int64.
std::int64_t add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}

// Everything the report says comes from here: each slice is taken once.
struct facts {
  info_result info;
  profkit::ops_result ops, module_runs;
  profkit::modules_result modules;
  profkit::steps_result steps;
  profkit::collectives_result collectives;
  profkit::chrome_result chrome;
  trace_totals trace;  // of Chrome traces that are no export of an XSpace
  std::optional<std::int64_t> first_ps, last_ps;

  [[nodiscard]] std::int64_t span_ps() const noexcept { return first_ps && last_ps ? *last_ps - *first_ps : 0; }
};

template <class T>
result<void> take(result<T> from, T& into) {
  if (!from) return std::move(from).error();
  into = std::move(from).value();
  return {};
}

bool has_family(const profkit::capture& found, file_family family) {
  return std::any_of(found.files.begin(), found.files.end(),
                     [&](const auto& file) { return file.family == family && file.export_of < 0; });
}

result<facts> gather(session& s) {
  facts f;
  const profkit::profile& capture = s.capture();
  const anatomy_options all = s.filters(0);
  anatomy_options unlimited = all;
  unlimited.limit = 0;
  const profkit::hooks& hooks = s.hooks();
  if (auto r = take(profkit::anatomy_info(capture, unlimited, hooks), f.info); !r) return std::move(r).error();
  for (const file_info& file : f.info.files) {
    if (file.damage) s.lost({{file.file, *file.damage}});
    if (file.export_of >= 0 || !file.first_ps || !file.last_ps) continue;
    f.first_ps = f.first_ps ? std::min(*f.first_ps, *file.first_ps) : *file.first_ps;
    f.last_ps = f.last_ps ? std::max(*f.last_ps, *file.last_ps) : *file.last_ps;
  }
  if (has_family(capture.what(), file_family::xspace)) {
    if (auto r = take(profkit::anatomy_ops(capture, unlimited, hooks), f.ops); !r) return std::move(r).error();
    anatomy_options runs = unlimited;
    runs.line = "XLA Modules";
    if (auto r = take(profkit::anatomy_ops(capture, runs, hooks), f.module_runs); !r) return std::move(r).error();
    if (auto r = take(profkit::anatomy_steps(capture, unlimited, hooks), f.steps); !r) return std::move(r).error();
    if (auto r = take(profkit::anatomy_collectives(capture, unlimited, hooks), f.collectives); !r)
      return std::move(r).error();
  }
  if (auto r = take(profkit::anatomy_modules(capture, unlimited, hooks), f.modules); !r) return std::move(r).error();
  if (has_family(capture.what(), file_family::chrome_trace)) {
    anatomy_options few = unlimited;
    few.limit = 1;
    if (auto r = take(profkit::anatomy_chrome(capture, few, hooks), f.chrome); !r) return std::move(r).error();
    if (auto r = take(total_traces(capture), f.trace); !r) return std::move(r).error();
  }
  s.lost(f.ops.damage);
  s.lost(f.steps.damage);
  s.lost(f.modules.damage);
  s.lost(f.collectives.damage);
  return f;
}

// ---- what it is --------------------------------------------------------------------------------------------

std::string file_line(session& s, const file_info& file) {
  const profkit::capture_file& found = s.capture().what().files[file.file];
  std::string text = file.family == file_family::xspace         ? "XSpace"
                     : file.family == file_family::chrome_trace ? "Chrome trace"
                     : file.family == file_family::hlo_proto    ? "HLO module"
                                                                : profkit::family_name(file.family);
  text += ", " + profkit::human_bytes(file.bytes);
  if (found.encoding != profkit::compression::none) text += std::string(" ") + profkit::compression_name(found.encoding);
  return text;
}

std::string text_of(const std::vector<profkit::named_stat>& stats, std::string_view name) {
  const profkit::named_stat* stat = find_stat(stats, name);
  return stat == nullptr ? std::string() : stat_value_text(*stat, 40);
}

// "TPU v6 Lite, 918 TFLOP/s, 1.64 TB/s", as far as the plane says.
std::string device_model(const plane_info& plane) {
  std::string text = text_of(plane.stats, "device_type_string");
  const double tera_flops = stat_number(find_stat(plane.stats, "peak_teraflops_per_second"));
  const double giga_bytes = stat_number(find_stat(plane.stats, "peak_hbm_bw_gigabytes_per_second"));
  const double bandwidth = stat_number(find_stat(plane.stats, "memory_bandwidth"));
  const double memory = stat_number(find_stat(plane.stats, "memory_size"));
  const std::string vendor = text_of(plane.stats, "device_vendor");
  const std::string cores = text_of(plane.stats, "core_count");
  const std::string major = text_of(plane.stats, "compute_cap_major");
  const auto more = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (text.empty() && plane.name.find("GPU") != std::string_view::npos) more(vendor.empty() ? "GPU" : vendor + " GPU");
  if (!major.empty() && vendor != "AMD")
    more("compute capability " + major + '.' + text_of(plane.stats, "compute_cap_minor"));
  if (!cores.empty()) more(cores + (vendor == "AMD" ? " CUs" : " SMs"));
  if (memory > 0) more(profkit::human_bytes(static_cast<std::uint64_t>(memory)));
  if (tera_flops > 0) more(profkit::si_text(tera_flops * 1e12) + "FLOP/s");
  if (giga_bytes > 0) more(profkit::si_text(giga_bytes * 1e9) + "B/s");
  if (bandwidth > 0) more(profkit::si_text(bandwidth) + "B/s");
  return text;
}

std::uint64_t events_of(const plane_info& plane) noexcept {
  std::uint64_t events = 0;
  for (const profkit::line_info& line : plane.lines) events += line.events;
  return events;
}

// Devices of one model together: "4 × TPU v6 Lite, …".
std::vector<std::string> hardware(const facts& f) {
  std::vector<std::pair<std::string, std::pair<std::uint64_t, std::uint64_t>>> models;  // text, devices, with events
  for (const file_info& file : f.info.files)
    for (const plane_info& plane : file.planes) {
      if (plane.kind != plane_kind::device || profkit::device_ordinal(plane.name) < 0) continue;
      if (file.family != file_family::xspace) continue;
      std::string model = device_model(plane);
      if (model.empty()) model = short_plane_name(plane.name.substr(0, plane.name.rfind(':')));
      // Parts of a chip (SparseCores) have planes of their own and carry the chip's number.
      if (plane.name.find("SparseCore") != std::string_view::npos) continue;
      auto known = std::find_if(models.begin(), models.end(), [&](const auto& m) { return m.first == model; });
      if (known == models.end()) known = models.insert(models.end(), {model, {0, 0}});
      ++known->second.first;
      if (events_of(plane) > 0) ++known->second.second;
    }
  std::vector<std::string> lines;
  for (const auto& [model, counts] : models) {
    std::string text = (counts.first > 1 ? grouped(counts.first) + " × " : std::string()) + model;
    if (counts.second < counts.first) text += "; events on " + grouped(counts.second) + " of them";
    lines.push_back(std::move(text));
  }
  return lines;
}

std::string software(const facts& f) {
  std::set<std::string> versions;
  for (const file_info& file : f.info.files)
    for (const plane_info& plane : file.planes) {
      const std::string jax = text_of(plane.stats, "jax_version"), jaxlib = text_of(plane.stats, "jaxlib_version");
      if (!jax.empty()) versions.insert("JAX " + jax + (jaxlib.empty() || jaxlib == jax ? "" : ", jaxlib " + jaxlib));
    }
  for (const profkit::chrome_file& file : f.chrome.files) {
    const auto has = [&](const char* key) {
      return std::find(file.top_level_keys.begin(), file.top_level_keys.end(), key) != file.top_level_keys.end();
    };
    if (has("schemaVersion") && f.trace.has_kineto_categories) versions.insert("PyTorch (Kineto)");
  }
  std::string text;
  for (const std::string& version : versions) text += (text.empty() ? "" : "; ") + version;
  return text;
}

std::string hosts_text(const facts& f) {
  std::set<std::string> hosts;
  for (const file_info& file : f.info.files)
    for (const std::string& host : file.hosts) hosts.insert(escape_for_terminal(host));
  std::string text;
  std::size_t shown = 0;
  for (const std::string& host : hosts) {
    if (shown++ == 4) break;
    text += (text.empty() ? "" : ", ") + host;
  }
  if (hosts.size() > 4) text += ", … (" + grouped(std::uint64_t{hosts.size()}) + " in all)";
  return text;
}

void print_label(session& s, const std::string& label, const std::string& text) {
  constexpr std::size_t indent = 12;
  std::string name = "  " + label;
  name.resize(indent, ' ');
  s.out().line(s.out().screen().paint(name, style::dim) + wrap(text, most_columns - indent, indent));
}

void print_capture(session& s, const facts& f) {
  const profkit::capture& found = s.capture().what();
  text_output& out = s.out();
  out.line(out.screen().paint("profkit report", style::heading) + "  " +
           shorten(escape_for_terminal(found.path), most_columns - 16, cut::start));
  if (found.runs.size() > 1) {
    std::string text, others;
    for (const profkit::capture_run& run : found.runs)
      (run.chosen ? text : others) += (run.chosen ? text : others).empty() ? run.name : ", " + run.name;
    if (!others.empty()) text += "  (others, with --run NAME or --run all: " + shorten(others, 60) + ')';
    print_label(s, "run", escape_for_terminal(text));
  }
  std::size_t shown = 0;
  for (const file_info& file : f.info.files) {
    if (shown == most_files && f.info.files.size() > most_files + 1) break;
    const std::string name = escape_for_terminal(file.path.substr(file.path.rfind('/') + 1));
    const std::string what = file_line(s, file) + (file.export_of >= 0 ? ", an export of the XSpace" : "");
    const std::string label = shown == 0 ? (f.info.files.size() == 1 ? "file" : "files") : "";
    print_label(s, label, shorten(name, 80 - std::min<std::size_t>(40, what.size()), cut::middle) + "  (" + what + ')');
    ++shown;
  }
  if (shown < f.info.files.size())
    print_label(s, "", "… and " + grouped(std::uint64_t{f.info.files.size() - shown}) + " more (profkit info lists them)");
  const std::string hosts = hosts_text(f);
  if (!hosts.empty()) print_label(s, "host", hosts);
  const std::string made_by = software(f);
  if (!made_by.empty()) print_label(s, "software", made_by);
  bool first = true;
  for (const std::string& line : hardware(f)) {
    print_label(s, first ? "devices" : "", line);
    first = false;
  }
  if (f.first_ps && f.last_ps) {
    std::string when = human_duration(f.span_ps());
    if (const auto origin = s.capture().origin_unix_ns())
      when += " of events; the profile was started " + date_text(*origin);
    else
      when += " of events; the capture does not say on which date";
    print_label(s, "time", when);
  }
  std::string amount = count_of(f.info.events, "event");
  if (f.info.lines > 0)
    amount += " on " + count_of(f.info.lines, "line") + " of " + count_of(f.info.planes, "plane");
  print_label(s, "amount", amount);
  if (f.info.complete) {
    print_label(s, "complete", out.screen().paint("yes", style::good) + ", nothing is missing or damaged");
    return;
  }
  std::size_t told = 0;
  for (const std::string& reason : f.info.reasons) {
    if (told == 3) break;
    print_label(s, told == 0 ? "complete" : "",
                (told == 0 ? out.screen().paint("no", style::warning) + ": " : "") +
                    shorten(escape_for_terminal(reason), 2 * (most_columns - 20)));
    ++told;
  }
}

// ---- where the time went -------------------------------------------------------------------------------------

std::string line_label(const ops_line& line, bool says_line) {
  std::string text = short_plane_name(line.plane_name);
  if (says_line) text += ' ' + escape_for_terminal(line.line_name);
  return text;
}

std::int64_t total_busy(const facts& f) noexcept {
  std::int64_t busy = 0;
  for (const ops_line& line : f.ops.lines) busy = add(busy, line.busy_ps);
  return busy;
}

void print_devices(session& s, const facts& f) {
  if (f.ops.lines.empty()) return;
  // "XLA Ops" is the one line of ops of a TPU; streams and threads need their own name beside the plane's.
  const bool says_line = f.ops.source != "XLA Ops";
  std::vector<const ops_line*> lines;
  for (const ops_line& line : f.ops.lines)
    if (line.events > 0) lines.push_back(&line);
  if (lines.size() > most_devices)
    std::stable_sort(lines.begin(), lines.end(), [](const auto* a, const auto* b) { return a->busy_ps > b->busy_ps; });
  table t;
  t.right("file").flexible(says_line ? "line" : "device", cut::middle, 20).right("ops").right("events").right("busy");
  t.right("of span");
  std::size_t shown = 0;
  for (const ops_line* line : lines) {
    if (shown == most_devices && lines.size() > most_devices + 1) break;
    t.row({s.file_label(line->file), line_label(*line, says_line), grouped(std::uint64_t{line->ops.size()}),
           grouped(line->events), human_duration(line->busy_ps),
           percent_text(size_of(line->busy_ps), size_of(f.span_ps()))});
    ++shown;
  }
  s.heading("Busy: time in which at least one op ran (from " + escape_for_terminal(f.ops.source) + ")");
  t.print(s.out(), most_columns);
  if (shown < lines.size())
    s.out().line("  … " + grouped(std::uint64_t{lines.size() - shown}) + " more, each less busy");
}

struct op_total {
  op_facts facts;
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, self_ps = 0;
};

// Ops of one name on all lines together: devices that run one program have the same.
std::vector<op_total> busiest_ops(session& s, const facts& f) {
  struct place {
    const ops_line* line;
    const profkit::op_row* op;
  };
  std::map<std::string_view, std::pair<op_total, place>> by_name;
  std::map<std::int64_t, std::pair<op_total, place>> without_name;
  for (const ops_line& line : f.ops.lines)
    for (const profkit::op_row& op : line.ops) {
      auto& entry = op.entry.data() == nullptr ? without_name[op.metadata_id] : by_name[op.metadata().name()];
      if (entry.first.count == 0) entry.second = {&line, &op};
      entry.first.count += op.count;
      entry.first.total_ps = add(entry.first.total_ps, op.total_ps);
      entry.first.self_ps = add(entry.first.self_ps, op.self_ps);
    }
  std::vector<std::pair<op_total, place>> all;
  for (auto& [name, entry] : by_name) all.push_back(std::move(entry));
  for (auto& [id, entry] : without_name) all.push_back(std::move(entry));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.self_ps, a.first.total_ps) > std::pair(b.first.self_ps, b.first.total_ps);
  });
  std::vector<op_total> top;
  for (auto& [total, where] : all) {
    if (top.size() == most_ops) break;
    total.facts = facts_of(s.capture(), *where.line, *where.op);
    top.push_back(std::move(total));
  }
  return top;
}

void print_busiest_ops(session& s, const facts& f) {
  const std::vector<op_total> top = busiest_ops(s, f);
  if (top.empty()) return;
  std::set<std::string_view> names;
  for (const ops_line& line : f.ops.lines)
    for (const profkit::op_row& op : line.ops) names.insert(op.metadata().name());
  const std::int64_t busy = total_busy(f);
  table t;
  t.right("of busy").right("self time").right("count").flexible("op", cut::middle, 24).flexible("category", cut::end, 12);
  t.right("FLOP/s").right("B/s");
  for (const op_total& op : top)
    t.row({percent_text(size_of(op.self_ps), size_of(busy)), human_duration(op.self_ps), grouped(op.count),
           op.facts.name, op.facts.category, achieved_rate(op.facts.flops, op.count, op.total_ps, ""),
           achieved_rate(op.facts.bytes, op.count, op.total_ps, "")});
  std::string title = "Busiest ops";
  const std::size_t lines = f.ops.lines.size();
  if (lines > 1) title += ", " + grouped(std::uint64_t{lines}) + " lines together";
  s.heading(title + " (" + grouped(std::uint64_t{top.size()}) + " of " + grouped(std::uint64_t{names.size()}) + ')');
  t.print(s.out(), most_columns);
}

// ---- modules, steps, collectives ---------------------------------------------------------------------------------

struct module_total {
  std::string name;
  std::uint64_t runs = 0, bytes = 0, instructions = 0;
  std::int64_t total_ps = 0, max_ps = 0;
};

std::vector<module_total> module_totals(const facts& f) {
  std::map<std::string_view, module_total> by_name;
  for (const profkit::module_row& m : f.modules.modules) {
    module_total& total = by_name[m.name];
    if (total.name.empty()) total = {escape_for_terminal(m.name), 0, m.bytes, m.instructions, 0, 0};
  }
  for (const ops_line& line : f.module_runs.lines)
    for (const profkit::op_row& run : line.ops) {
      const std::string_view name = run.metadata().name();
      module_total& total = by_name[name];
      if (total.name.empty()) total.name = short_op_name(name, {});
      total.runs += run.count;
      total.total_ps = add(total.total_ps, run.total_ps);
      total.max_ps = std::max(total.max_ps, run.max_ps);
    }
  std::vector<module_total> all;
  for (auto& [name, total] : by_name) all.push_back(std::move(total));
  std::stable_sort(all.begin(), all.end(), [](const module_total& a, const module_total& b) {
    return std::pair(a.total_ps, a.bytes) > std::pair(b.total_ps, b.bytes);
  });
  return all;
}

void print_modules_part(session& s, const std::vector<module_total>& all) {
  if (all.empty()) return;
  const bool timed = all.front().runs > 0;
  table t;
  t.flexible("module", cut::middle, 30).right("runs").right("total").right("longest").right("instructions").right("size");
  std::size_t shown = 0;
  for (const module_total& m : all) {
    if (shown == most_modules && all.size() > most_modules + 1) break;
    t.row({m.name, m.runs > 0 ? grouped(m.runs) : "", m.runs > 0 ? human_duration(m.total_ps) : "",
           m.runs > 0 ? human_duration(m.max_ps) : "", m.instructions > 0 ? grouped(m.instructions) : "",
           m.bytes > 0 ? profkit::human_bytes(m.bytes) : ""});
    ++shown;
  }
  s.heading(count_of(all.size(), "module") + (timed ? ", by time on devices" : ", by size"));
  t.print(s.out(), most_columns);
  if (shown < all.size()) s.out().line("  … " + grouped(std::uint64_t{all.size() - shown}) + " more");
}

struct step_group {
  std::uint32_t file = 0;
  std::int32_t plane = 0;
  profkit::step_source source{};
  duration_statistics times;
  std::size_t longest = 0;  // index of the longest within the group
};

std::vector<step_group> step_groups(const facts& f) {
  std::vector<step_group> groups;
  const auto& steps = f.steps.steps;
  for (std::size_t first = 0; first < steps.size();) {
    step_group g{steps[first].file, steps[first].plane, steps[first].source, {}, 0};
    std::vector<std::int64_t> durations;
    std::size_t last = first;
    for (; last < steps.size() && steps[last].file == g.file && steps[last].plane == g.plane; ++last) {
      if (steps[last].duration_ps > steps[first + g.longest].duration_ps) g.longest = last - first;
      durations.push_back(steps[last].duration_ps);
    }
    g.times = statistics_of(std::move(durations));
    groups.push_back(g);
    first = last;
  }
  return groups;
}

void print_steps_part(session& s, const std::vector<step_group>& groups, const place_names& places) {
  if (groups.empty()) return;
  table t;
  t.right("file").flexible("plane", cut::middle, 12).right("steps").right("median").right("shortest").right("longest");
  t.left("source");
  std::size_t shown = 0;
  for (const step_group& g : groups) {
    if (shown == most_steps && groups.size() > most_steps + 1) break;
    t.row({s.file_label(g.file), short_plane_name(places.plane(g.file, g.plane)),
           grouped(std::uint64_t{g.times.count}), human_duration(g.times.median_ps), human_duration(g.times.min_ps),
           human_duration(g.times.max_ps), profkit::step_source_name(g.source)});
    ++shown;
  }
  s.heading(groups.front().source == profkit::step_source::xla_modules ? "Steps: no step markers, so every run of a module counts as one"
                                                              : "Steps");
  t.print(s.out(), most_columns);
  if (shown < groups.size()) s.out().line("  … " + count_of(groups.size() - shown, "more plane"));
}

struct collective_total {
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, max_ps = 0, stall_ps = 0;
  bool has_stall = false;
};

void print_collectives_part(session& s, const facts& f) {
  const auto& found = f.collectives;
  if (found.ops.empty() && found.async.empty()) return;
  std::map<std::string, collective_total> running, in_flight;
  for (const profkit::collective_op_row& op : found.ops) {
    collective_total& t = running[op.category.empty() ? short_op_name(op.name, {}) : escape_for_terminal(op.category)];
    t.count += op.count;
    t.total_ps = add(t.total_ps, op.total_ps);
    t.max_ps = std::max(t.max_ps, op.max_ps);
  }
  for (const profkit::async_row& row : found.async) {
    collective_total& t = in_flight[row.category.empty() ? "asynchronous" : escape_for_terminal(row.category)];
    ++t.count;
    t.total_ps = add(t.total_ps, row.duration_ps);
    t.max_ps = std::max(t.max_ps, row.duration_ps);
    if (row.exposed_stall_ps) {
      t.stall_ps = add(t.stall_ps, *row.exposed_stall_ps);
      t.has_stall = true;
    }
  }
  const std::int64_t busy = total_busy(f);
  table t;
  t.left("").flexible("kind", cut::end, 16).right("count").right("total").right("longest").right("of busy").right("exposed");
  const auto add_rows = [&](const std::map<std::string, collective_total>& totals, const char* how, bool runs) {
    std::vector<std::pair<std::string, collective_total>> rows(totals.begin(), totals.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second.total_ps > b.second.total_ps; });
    if (rows.size() > most_collectives / 2) rows.resize(most_collectives / 2);
    for (const auto& [kind, total] : rows)
      t.row({how, kind, grouped(total.count), human_duration(total.total_ps), human_duration(total.max_ps),
             runs ? percent_text(size_of(total.total_ps), size_of(busy)) : "",
             runs ? human_duration(total.total_ps) : total.has_stall ? human_duration(total.stall_ps) : "not recorded"});
  };
  add_rows(running, "blocking", true);
  add_rows(in_flight, "async", false);
  s.heading("Collectives and copies between devices");
  t.print(s.out(), most_columns);
}

// ---- Chrome traces -------------------------------------------------------------------------------------------------

void print_trace_part(session& s, const facts& f) {
  if (f.trace.tracks.empty()) return;
  table t;
  t.right("file").flexible(f.trace.on_devices ? "device" : "process", cut::middle, 16).flexible("line", cut::middle, 16);
  t.right("events").right("busy").right("of span");
  std::size_t shown = 0;
  for (const trace_track& track : f.trace.tracks) {
    if (shown == most_processes && f.trace.tracks.size() > most_processes + 1) break;
    t.row({s.file_label(track.file), short_plane_name(track.plane), escape_for_terminal(track.line),
           grouped(track.events), human_duration(track.busy_ps),
           percent_text(size_of(track.busy_ps), size_of(f.span_ps()))});
    ++shown;
  }
  s.heading(f.trace.on_devices ? "Busy device streams" : "Busy threads (no device activity in this trace)");
  t.print(s.out(), most_columns);
  if (shown < f.trace.tracks.size())
    s.out().line("  … " + grouped(std::uint64_t{f.trace.tracks.size() - shown}) + " more, each less busy");

  table names;
  names.right("of total").right("total").right("count").right("longest").flexible(f.trace.on_devices ? "kernel" : "event", cut::middle, 24);
  shown = 0;
  for (const trace_name& name : f.trace.names) {
    if (shown++ == most_ops) break;
    names.row({percent_text(size_of(name.total_ps), size_of(f.trace.total_ps)), human_duration(name.total_ps),
               grouped(name.count), human_duration(name.max_ps), escape_for_terminal(name.name)});
  }
  s.heading((f.trace.on_devices ? "Busiest kernels and copies (" : "Longest events in sum, nested ones counted twice (") +
            grouped(std::uint64_t{std::min(f.trace.names.size(), most_ops)}) + " of " +
            grouped(std::uint64_t{f.trace.names.size()}) + ')');
  names.print(s.out(), most_columns);
}

// ---- notes and what to do next --------------------------------------------------------------------------------------

std::vector<std::string> notes(const facts& f, const std::vector<step_group>& steps, const place_names& places) {
  std::vector<std::string> all;
  for (const file_info& file : f.info.files) {
    for (const std::string& text : file.errors) all.push_back("the recorder reports an error: " + escape_for_terminal(text));
    for (const std::string& text : file.warnings) all.push_back("the recorder warns: " + escape_for_terminal(text));
  }
  for (const profkit::module_row& m : f.modules.modules)
    if (m.sibling == profkit::sibling_state::differs)
      all.push_back("module " + escape_for_terminal(m.name) + " differs from the file beside the capture");
  const std::int64_t span = f.span_ps();
  std::int64_t most_busy = 0;
  for (const ops_line& line : f.ops.lines) most_busy = std::max(most_busy, line.busy_ps);
  if (span > 0 && !f.ops.lines.empty() && most_busy < span / 10)
    all.push_back("even the busiest line ran ops in less than a tenth of the span: most of it is host work or waiting");
  for (const step_group& g : steps)
    if (g.source != profkit::step_source::xla_modules && g.times.count > 2 && g.times.median_ps > 0 &&
        g.times.max_ps / 2 > g.times.median_ps) {
      all.push_back("step " + grouped(std::uint64_t{g.longest}) + " of " + short_plane_name(places.plane(g.file, g.plane)) +
                    " took " + human_duration(g.times.max_ps) + ", more than twice the median");
      break;
    }
  return all;
}

// A word that a shell reads as one.
std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                             "0123456789_@%+=:,./-") == std::string::npos;
  if (plain && text.front() != '-') return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

struct suggestion {
  std::string arguments;  // after "profkit ", with PATH for the path
  std::string why;
};

std::vector<suggestion> suggestions(const facts& f, const std::vector<module_total>& modules,
                                    const std::vector<step_group>& steps, const place_names& places) {
  std::vector<suggestion> all;
  if (!f.ops.lines.empty()) {
    const ops_line* busiest = &f.ops.lines.front();
    for (const ops_line& line : f.ops.lines)
      if (line.busy_ps > busiest->busy_ps) busiest = &line;
    std::string arguments = "ops PATH --sort self";
    if (f.ops.lines.size() > 1 && busiest->plane_name.find("/device:") == 0)
      arguments += " --plane " + shell_word(short_plane_name(busiest->plane_name));
    all.push_back({arguments, "every op of the busiest device"});
  }
  if (!modules.empty() && modules.front().instructions > 0)
    all.push_back({"modules PATH --dump " + shell_word(modules.front().name.substr(0, modules.front().name.find('('))),
                   "the program behind it"});
  const auto widest = std::max_element(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
    return a.times.max_ps - a.times.median_ps < b.times.max_ps - b.times.median_ps;
  });
  if (widest != steps.end() && widest->times.count > 1) {
    const std::string_view plane = places.plane(widest->file, widest->plane);
    std::string arguments = "ops PATH --step " + std::to_string(widest->longest);
    if (plane.find("/device:") == 0) arguments += " --plane " + shell_word(short_plane_name(plane));
    all.push_back({arguments, "the longest step alone"});
  }
  if (!f.collectives.ops.empty() || !f.collectives.async.empty())
    all.push_back({"collectives PATH", "what the devices say to each other"});
  if (f.ops.lines.empty() && f.info.planes > 0 && f.trace.tracks.empty())
    all.push_back({"info PATH", "every plane and line"});
  if (!f.trace.tracks.empty()) all.push_back({"chrome PATH", "processes, threads, phases and samples"});
  all.push_back({"report PATH --json", "all of this and more, for programs"});
  return all;
}

void print_next(session& s, const std::vector<suggestion>& all) {
  const std::string path = shell_word(s.asked().path);
  constexpr std::size_t most = 4;
  std::vector<std::string> commands;
  for (const suggestion& next : all) {
    if (commands.size() == most) break;
    std::string command = "profkit " + next.arguments;
    command.replace(command.find("PATH"), 4, path);
    if (!s.asked().run.empty()) command += " --run " + shell_word(s.asked().run);
    commands.push_back(std::move(command));
  }
  std::size_t width = 0;
  for (const std::string& command : commands) width = std::max(width, profkit::terminal_width(command));
  s.heading("Next");
  for (std::size_t i = 0; i < commands.size(); ++i) {
    std::string line = "  " + commands[i];
    const std::string why = "  # " + all[i].why;
    // A command is never cut; the reason is left out when both do not fit.
    if (width + 2 + profkit::terminal_width(why) <= most_columns)
      line += std::string(width - profkit::terminal_width(commands[i]), ' ') + s.out().screen().paint(why, style::dim);
    s.out().line(line);
  }
}

}  // namespace

result<void> print_report(session& s) {
  if (s.capture().file_count() == 0) {
    s.absent(no_files_text(s.capture().what()));
    return {};
  }
  result<facts> gathered = gather(s);
  if (!gathered) return std::move(gathered).error();
  const facts& f = *gathered;
  const place_names places(f.info);
  const std::vector<module_total> modules = module_totals(f);
  const std::vector<step_group> steps = step_groups(f);

  print_capture(s, f);
  if (f.info.events == 0 && f.chrome.files.empty() && modules.empty()) {
    s.absent("the capture is empty: it holds no events and no modules");
    return {};
  }
  print_devices(s, f);
  print_busiest_ops(s, f);
  print_trace_part(s, f);
  print_modules_part(s, modules);
  print_steps_part(s, steps, places);
  print_collectives_part(s, f);
  const std::vector<std::string> remarks = notes(f, steps, places);
  if (!remarks.empty()) {
    s.heading("Notes");
    for (std::size_t i = 0; i < remarks.size() && i < most_notes; ++i)
      s.out().line("  - " + wrap(shorten(remarks[i], 2 * (most_columns - 6)), most_columns, 4));
  }
  print_next(s, suggestions(f, modules, steps, places));
  return {};
}

}  // namespace profkit_tool
