// profkit neutrino: what probes recorded inside GPU kernels, as tables and pictures for people.
#include "command_line/shared_options.hpp"
#include "exit_code.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/probe_export.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

namespace profkit_tool {
namespace {

using namespace profkit;

constexpr std::size_t picture_columns = 64;
constexpr std::uint64_t few = 5;

std::uint64_t limit_of(const session& s, std::uint64_t otherwise) { return s.asked().limit.value_or(otherwise); }

std::string dims(const std::uint32_t* d) {
  return std::to_string(d[0]) + 'x' + std::to_string(d[1]) + 'x' + std::to_string(d[2]);
}
std::string duration(const std::optional<std::int64_t>& ps) { return ps ? human_duration(*ps) : std::string(); }
std::string real_text(double value, int decimals) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return buffer.data();
}
std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? real_text(*ratio, *ratio < 100 ? 2 : 0) + 'x' : std::string();
}
std::string kernel_name(const probe_trace& trace, std::int32_t kernel) {
  if (kernel < 0) return "(unknown)";
  const std::string& name = trace.kernels[static_cast<std::size_t>(kernel)].name();
  return name.empty() ? "(no name)" : escape_for_terminal(source_name(name));
}
std::string flag_text(std::uint32_t flags) {
  std::string text;
  for (unsigned bit = 0; bit < probe_flag_count; ++bit)
    if ((flags >> bit & 1) != 0) text += (text.empty() ? "" : " ") + std::string(probe_flag_name(bit));
  return text;
}
std::string field_text(const probe_shape& shape) {
  std::string text;
  for (std::size_t i = 0; i < shape.fields.size(); ++i) {
    if (i == 8) return text + " …";
    text += (text.empty() ? "" : " ") + shape.fields[i].name + ':' + probe_type_name(shape.fields[i].type);
  }
  return escape_for_terminal(text);
}
std::string lane_word(probe_level level) {
  return level == probe_level::warp ? "warp" : level == probe_level::thread ? "thread" : "lane";
}
const char* unit_of(probe_clock clock) {
  return clock == probe_clock::global_ns ? "ns" : clock == probe_clock::sm_cycles ? "cycles" : "ticks";
}

// ---- lists ----

void print_trace_head(session& s, const probe_trace& trace) {
  text_output& out = s.out();
  out.line(out.screen().paint("Neutrino trace", style::heading) + "  " +
           shorten(escape_for_terminal(trace.path), 80, cut::start));
  std::string process = trace.pid ? "pid " + std::to_string(*trace.pid) : std::string();
  if (!trace.log.command.empty())
    process += (process.empty() ? "" : ": ") + shorten(escape_for_terminal(trace.log.command), 70, cut::middle);
  if (!process.empty()) out.line("  process   " + process);
  if (trace.start_unix_ns) out.line("  started   " + date_text(*trace.start_unix_ns) + " or a little before");
  std::array<std::uint64_t, 7> outcomes{};
  for (const probe_launch& l : trace.launches) ++outcomes[static_cast<std::size_t>(l.outcome)];
  std::string text;
  for (const probe_outcome o :
       {probe_outcome::ok, probe_outcome::failed, probe_outcome::cant_save, probe_outcome::backup,
        probe_outcome::memusage, probe_outcome::benchmark, probe_outcome::unfinished}) {
    const std::uint64_t count = outcomes[static_cast<std::size_t>(o)];
    if (count != 0) text += (text.empty() ? "" : ", ") + grouped(count) + ' ' + probe_outcome_name(o);
  }
  out.line("  launches  " + grouped(std::uint64_t{trace.launches.size()}) + (text.empty() ? "" : ": " + text));
  std::uint64_t bytes = 0, alone = 0;
  for (const probe_bin& bin : trace.bins) {
    bytes += bin.bytes;
    alone += bin.launch < 0;
  }
  out.line("  records   " + count_of(trace.bins.size(), "file") + ", " + human_bytes(bytes) +
           (alone != 0 ? "; " + grouped(alone) + " of no launch in the log" : ""));
  std::string probes;
  for (const probe_snippet& probe : trace.description.probes) {
    if (probes.size() > 200) break;
    probes += (probes.empty() ? "" : ", ") + probe.name + (probe.position.empty() ? "" : " at " + probe.position);
  }
  if (!probes.empty()) out.line("  probes    " + wrap(escape_for_terminal(probes), 98, 12));
  if (trace.description.damage)
    out.line("  probe.toml  " + wrap(escape_for_terminal(trace.description.damage->message), 96, 14));
  if (trace.log.unknown != 0)
    out.line("  log       " + count_of(trace.log.unknown, "line") + " of no known kind (profkit neutrino PATH log)");
}

void print_probe_warnings(session& s, const probe_trace& trace) {
  if (trace.warnings.empty()) return;
  s.heading("Notes");
  const std::size_t shown = rows_within(trace.warnings.size(), limit_of(s, few));
  for (std::size_t i = 0; i < shown; ++i) s.out().line("  - " + wrap(escape_for_terminal(trace.warnings[i]), 96, 4));
  s.left_out(trace.warnings.size(), shown);
}

void print_launches(session& s, const probe_trace& trace, std::vector<std::size_t> order, std::uint64_t limit,
                    const std::string& title) {
  if (order.empty()) return s.absent("the log has no launch");
  table t;
  t.right("launch")
      .flexible("kernel", cut::middle, 16)
      .right("grid")
      .right("block")
      .right("shared")
      .right("kernel time");
  t.right("probe mem").left("outcome").flexible("bin", cut::start, 12);
  const std::size_t shown = rows_within(order.size(), limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const probe_launch& l = trace.launches[order[i]];
    t.row({std::to_string(order[i]), kernel_name(trace, l.kernel), l.has_geometry ? dims(l.grid) : "",
           l.has_geometry ? dims(l.block) : "", l.shared_bytes != 0 ? human_bytes(l.shared_bytes) : "",
           duration(l.kernel_ps), l.probe_memory_bytes ? human_bytes(*l.probe_memory_bytes) : "",
           probe_outcome_name(l.outcome),
           l.bin_name.empty() ? "" : escape_for_terminal(l.bin_name) + (l.bin < 0 ? " (not there)" : "")});
  }
  s.print(title, t, order.size());
}

void print_kernels(session& s, const probe_trace& trace) {
  if (trace.kernels.empty()) return s.absent("the log has no kernel, and there is no kernel/ folder");
  table t;
  t.right("kernel")
      .flexible("name", cut::middle, 20)
      .left("status")
      .right("launches")
      .right("params")
      .right("registers");
  t.flexible("reason or folder", cut::end, 12);
  const std::size_t shown = rows_within(trace.kernels.size(), limit_of(s, default_rows));
  for (std::size_t i = 0; i < shown; ++i) {
    const probe_kernel& k = trace.kernels[i];
    std::string registers;
    if (k.engine && k.engine->probed_registers) {
      registers = std::to_string(*k.engine->probed_registers);
      if (k.engine->pruned_registers) registers += " of " + std::to_string(*k.engine->pruned_registers) + " unprobed";
    }
    const bool failed = k.status != probe_kernel_status::ok;
    t.row({std::to_string(i), k.name().empty() ? "(no name)" : escape_for_terminal(k.name()),
           probe_kernel_status_name(k.status), grouped(k.launches), k.info ? std::to_string(k.info->param_count) : "",
           registers, escape_for_terminal(failed && k.engine ? k.engine->reason : k.folder)});
  }
  s.print("Kernels: " + grouped(std::uint64_t{trace.kernels.size()}), t, trace.kernels.size());
}

result<void> print_maps(session& s, const probe_target& target, std::uint64_t limit) {
  const probe_trace& trace = *target.trace;
  if (target.maps.empty()) {
    s.absent(target.absent);
    return {};
  }
  table t;
  t.flexible("bin", cut::start, 12).flexible("map", cut::middle, 8).left("level").flexible("fields", cut::end, 12);
  t.right("room").right("records").right("lanes used").flexible("flags", cut::end, 20);
  const std::size_t shown = rows_within(target.maps.size(), limit);
  std::size_t held_bin = ~std::size_t{0};
  held_bytes held;
  for (std::size_t i = 0; i < shown; ++i) {
    const probe_target::place at = target.maps[i];
    const probe_bin_map& map = trace.bins[at.bin].maps[at.map];
    if (at.bin != held_bin) {
      auto opened = trace.hold(at.bin);
      held = opened ? std::move(*opened) : held_bytes{};
      held_bin = at.bin;
    }
    const probe_survey survey = survey_map(map, held.bytes);
    t.row({escape_for_terminal(trace.bins[at.bin].name), escape_for_terminal(map.shape->name),
           probe_level_name(map.place.level), field_text(*map.shape),
           survey.capacity == 1 ? "1 a " + lane_word(map.place.level)
                                : grouped(survey.capacity) + " a " + lane_word(map.place.level),
           grouped(survey.records), grouped(survey.used_lanes) + " of " + grouped(survey.lanes),
           flag_text(survey.flags)});
  }
  s.print("Maps: " + grouped(std::uint64_t{target.maps.size()}) + " in " + count_of(target.bins.size(), "file"),
          t, target.maps.size());
  return {};
}

void print_overhead(session& s, const probe_trace& trace, std::uint64_t limit) {
  const std::vector<kernel_overhead> rows = analyse_probe_overhead(trace);
  if (rows.empty()) return s.absent("the log has no launch, so nothing was timed");
  table t;
  t.flexible("kernel", cut::middle, 16).right("launches").right("kernel").right("prologue").right("epilogue");
  t.right("with probe").right("probe mem").right("impact").right("unprobed");
  const std::size_t shown = rows_within(rows.size(), limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const kernel_overhead& row = rows[i];
    t.row({kernel_name(trace, row.kernel), grouped(row.launches), duration(row.median_kernel_ps),
           duration(row.median_prologue_ps), duration(row.median_epilogue_ps), ratio_text(row.median_ratio),
           row.max_probe_memory_bytes != 0 ? human_bytes(row.max_probe_memory_bytes) : "", ratio_text(row.mean_impact),
           row.backups != 0 ? grouped(row.backups) : ""});
  }
  s.print("What the probe cost: medians of launches, longest kernels first", t);
  s.out().line("  with probe: (prologue + kernel + epilogue) / kernel" +
               std::string(trace.log.benchmark ? "; impact: probed kernel / original kernel" : ""));
  s.left_out(rows.size(), shown);
}

void print_log(session& s, const probe_trace& trace) {
  const probe_log& log = trace.log;
  if (!log.present) return s.absent("there is no event.log");
  s.heading("event.log: " + count_of(log.lines, "line") + ", " + grouped(log.unknown) + " of no known kind");
  table t;
  t.left("kind").right("lines");
  for (const probe_log_kind& kind : log.kinds) t.row({std::string(kind.name), grouped(kind.lines)});
  t.print(s.out(), s.columns());
  if (log.samples.empty()) return;
  s.heading("Lines of no known kind");
  for (const auto& [line, text] : log.samples)
    s.out().line("  " + std::to_string(line) + "  " + shorten(escape_for_terminal(text), 90, cut::end));
}

// ---- one map ----

struct held_target {
  const probe_bin* bin = nullptr;
  const probe_bin_map* map = nullptr;
  held_bytes held;
};

result<held_target> hold_first(const probe_target& target) {
  held_target found;
  const probe_target::place at = target.maps.front();
  found.bin = &target.trace->bins[at.bin];
  found.map = &found.bin->maps[at.map];
  auto held = target.trace->hold(at.bin);
  if (!held) return std::move(held).error();
  found.held = std::move(*held);
  return found;
}

std::string title_of(const probe_target& target, const held_target& m) {
  std::string title = kernel_name(*target.trace, m.bin->kernel) + ", " + escape_for_terminal(m.bin->name) + ", map " +
                      escape_for_terminal(m.map->shape->name);
  return shorten(title, 90, cut::middle);
}

void print_other_maps(session& s, const probe_target& target) {
  if (target.maps.size() > 1)
    s.out().line("  the first of " + grouped(std::uint64_t{target.maps.size()}) +
                 " maps that fit; --launch N and --map NAME choose");
}

result<void> print_records(session& s, const probe_target& target, const probe_query& query, const held_target& m) {
  const probe_records records = records_of(*m.map, m.held.bytes);
  const std::uint64_t limit = limit_of(s, default_rows);
  table t;
  t.right("block").right("lane").right("k");
  std::vector<probe_field> fields;
  for (const probe_shape_field& f : m.map->shape->fields) {
    fields.push_back({f.name, f.type, f.offset, f.declared});
    t.right(escape_for_terminal(f.name));
  }
  std::uint64_t rows = 0;
  const auto take = [&](const probe_lane& lane) {
    if (query.lane && lane.lane() != *query.lane) return;
    const std::uint64_t used = lane.used();
    for (std::uint64_t k = 0; k < used; ++k, ++rows) {
      if (limit != 0 && rows >= limit) continue;
      std::vector<std::string> cells{lane.block() == no_block ? "?" : std::to_string(lane.block()),
                                     std::to_string(lane.lane()), std::to_string(k)};
      for (const probe_field& field : fields) cells.push_back(std::to_string(lane.record(k).value(field)));
      t.row(std::move(cells));
    }
  };
  if (query.block) {
    for (std::uint64_t lane = 0;; ++lane) {
      const probe_lane found = records.lane(*query.block, lane);
      if (found.capacity() == 0) break;  // past the block, or past the end of the file
      take(found);
    }
  } else {
    records.each_lane([&](const probe_lane& lane) { take(lane); });
  }
  s.heading("Records: " + grouped(rows) + " in " + title_of(target, m));
  print_other_maps(s, target);
  t.print(s.out(), s.columns());
  s.left_out(rows, limit == 0 ? rows : std::min(rows, limit));
  return {};
}

// One character for a share of 0 to 1.
const char* shade(double share) {
  constexpr const char* shades[] = {" ", "·", "░", "▒", "▓", "█"};
  return shades[std::clamp(static_cast<int>(std::ceil(share * 5)), 0, 5)];
}

void print_schedule_picture(session& s, const block_schedule& found, std::size_t shown) {
  const bool common = found.clock == probe_clock::global_ns;
  std::uint64_t first = ~std::uint64_t{0}, last = 0, length = 0;
  for (const sm_schedule& sm : found.sms) {
    first = std::min(first, sm.first_start);
    last = std::max(last, sm.last_end);
    length = std::max(length, sm.last_end - sm.first_start);
  }
  if (common) length = last - first;
  s.heading("Share of slots busy over " + grouped(length) + ' ' + unit_of(found.clock) +
            (common ? "" : ", each SM from its own first block"));
  for (std::size_t i = 0; i < shown; ++i) {
    const sm_schedule& sm = found.sms[i];
    std::string bar;
    for (const double share : schedule_occupancy(sm, common ? first : sm.first_start, length, picture_columns))
      bar += shade(share);
    std::string label = std::to_string(sm.sm);
    s.out().line("  SM " + label + std::string(label.size() < 5 ? 5 - label.size() : 1, ' ') + '|' + bar + '|');
  }
  s.left_out(found.sms.size(), shown);
}

result<void> print_schedule(session& s, const probe_target& target, const held_target& m) {
  auto analysed = analyse_block_schedule(*m.map, m.held.bytes, {}, s.hooks());
  if (!analysed) return std::move(analysed).error();
  const block_schedule& found = *analysed;
  const std::size_t shown = rows_within(found.sms.size(), limit_of(s, 24));
  s.heading("Block schedule: " + title_of(target, m));
  print_other_maps(s, target);
  s.out().line("  " + count_of(found.blocks, "block") + " on " + count_of(found.sms.size(), "SM") +
               ", clock: " + probe_clock_name(found.clock) +
               (found.blocks_without_records != 0
                    ? "; " + count_of(found.blocks_without_records, "block") + " recorded nothing"
                    : ""));
  table t;
  t.right("SM").right("blocks").right("slots").right("busy").right("gaps").right("mean gap").right("residency");
  for (std::size_t i = 0; i < shown; ++i) {
    const sm_schedule& sm = found.sms[i];
    t.row({std::to_string(sm.sm), grouped(std::uint64_t{sm.blocks.size()}), std::to_string(sm.slots), grouped(sm.busy),
           grouped(sm.gap), sm.gap_count == 0 ? "" : grouped(sm.gap / sm.gap_count),
           sm.residency ? real_text(*sm.residency * 100, 1) + " %" : ""});
  }
  t.row({"mean", "", "", grouped(static_cast<std::uint64_t>(found.mean_busy)),
         grouped(static_cast<std::uint64_t>(found.mean_gap)), "",
         found.mean_residency ? real_text(*found.mean_residency * 100, 1) + " %" : ""});
  t.print(s.out(), s.columns());
  s.left_out(found.sms.size(), shown);
  s.out().line("  warps of a block: starts up to " + grouped(found.max_start_skew) + " apart, ends up to " +
               grouped(found.max_end_skew) +
               (found.mean_imbalance ? "; longest / mean warp " + real_text(*found.mean_imbalance, 2) : ""));
  print_schedule_picture(s, found, shown);
  if (s.asked().svg_path.empty()) return {};
  return write_to_file(s.asked().svg_path, [&](sink& into) { return write_schedule_svg(found, title_of(target, m), into); });
}

void print_histogram(session& s, const char* what, const log2_histogram& h, const char* unit) {
  std::uint64_t most = 1;
  for (const std::uint64_t count : h.buckets) most = std::max(most, count);
  table t;
  t.right(what).right("count").left("");
  for (std::size_t i = 0; i < h.buckets.size(); ++i) {
    if (h.buckets[i] == 0) continue;
    const std::string from = i == 0 ? "0" : grouped(std::uint64_t{1} << (i - 1));
    const std::string to = i < 2 ? "" : " to " + grouped((std::uint64_t{1} << (i - 1)) * 2 - 1);
    const auto width = static_cast<std::size_t>(static_cast<double>(h.buckets[i]) / static_cast<double>(most) * 40);
    t.row({from + to + unit, grouped(h.buckets[i]), std::string(std::max<std::size_t>(width, 1), '#')});
  }
  t.print(s.out(), s.columns());
}

result<void> print_bytes(session& s, const probe_target& target, const held_target& m) {
  auto analysed = analyse_lane_totals(*m.map, m.held.bytes, limit_of(s, few), s.hooks());
  if (!analysed) return std::move(analysed).error();
  const lane_totals& found = *analysed;
  const std::string lane = lane_word(m.map->place.level);
  s.heading("Totals: " + title_of(target, m));
  print_other_maps(s, target);
  s.out().line("  " + grouped(found.total) + " in all over " + count_of(found.lanes, lane) + "; " +
               grouped(found.zero_lanes) + " of them with nothing" +
               (found.warp_sum && found.fields.size() == 1
                    ? "; sum over warps of the largest thread: " + grouped(*found.warp_sum)
                    : "") +
               (found.overflowed ? "; a sum did not fit 64 bits" : ""));
  table t;
  t.flexible("field", cut::end, 12).right("sum").right("least").right("most").right("mean a " + lane);
  for (const field_totals& f : found.fields)
    t.row({escape_for_terminal(f.name), grouped(f.sum), grouped(f.least), grouped(f.most),
           found.lanes == 0 ? "" : real_text(static_cast<double>(f.sum) / static_cast<double>(found.lanes), 1)});
  t.print(s.out(), s.columns());
  for (const field_totals& f : found.fields) {
    s.heading(escape_for_terminal(f.name) + " of a " + lane);
    print_histogram(s, "value", f.histogram, "");
  }
  if (!found.per_block.empty()) {
    std::string blocks;
    for (std::size_t i = 0; i < found.per_block.size() && i < 8; ++i)
      blocks += (i == 0 ? "" : ", ") + grouped(found.per_block[i]);
    s.heading("Blocks 0, 1, …: " + blocks + (found.blocks > found.per_block.size() ? ", …" : ""));
  }
  return {};
}

result<std::string> tensor_text(const probe_trace& trace) {
  if (trace.tensor_trace_path.empty()) return std::string();
  auto opened = open_plain_file_source(trace.tensor_trace_path);
  if (!opened) return std::move(opened).error();
  auto held = hold_bytes(std::move(*opened));
  if (!held) return std::move(held).error();
  return std::string(held->bytes);
}

std::string address_text(std::uint64_t address) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "0x%llx", static_cast<unsigned long long>(address));
  return buffer.data();
}

void print_density_picture(session& s, const page_density& found) {
  std::uint64_t most = 1;
  for (const std::uint64_t count : found.grid) most = std::max(most, count);
  s.heading("References by page (up: higher addresses) and time since the thread began; darker: more, log");
  for (std::uint32_t row = found.height; row-- != 0;) {
    std::string bar;
    for (std::uint32_t column = 0; column < found.width; ++column) {
      const std::uint64_t count = found.grid[std::size_t{row} * found.width + column];
      bar +=
          shade(count == 0  ? 0
                : most == 1 ? 1
                            : 0.2 + 0.8 * std::log(static_cast<double>(count)) / std::log(static_cast<double>(most)));
    }
    const bool is_end = row == 0 || row + 1 == found.height;
    s.out().line("  |" + bar + '|' +
                 (!is_end || found.pages.empty()
                      ? ""
                      : "  " + address_text(row == 0 ? found.pages.front() : found.pages.back())));
  }
  const std::string last = grouped(found.max_clock) + " cycles";
  if (found.width > last.size() + 2) s.out().line("   0" + std::string(found.width - last.size() - 1, ' ') + last);
}

// The table that the reference tool may have left beside the records.
void print_page_table(session& s, const held_target& m) {
  const std::string path = m.bin->path.substr(0, m.bin->path.size() - 4) + ".dmat";
  auto opened = open_plain_file_source(path);
  if (!opened) return;
  auto held = hold_bytes(std::move(*opened));
  if (!held) return;
  const page_table table = read_page_table(held->bytes);
  std::uint64_t references = 0, padding = 0;
  for (const page_cell& cell : table.cells) {
    references += cell.count;
    if (cell.clock == 0 && cell.page == 0) padding += cell.count;
  }
  s.out().line("  beside it " + escape_for_terminal(path.substr(path.rfind('/') + 1)) + ": " +
               count_of(table.pages.size(), "page") + ", " + grouped(references) + " references, " + grouped(padding) +
               " of them zero padding" + (table.damage ? "; it ends early" : ""));
}

result<void> print_density(session& s, const probe_target& target, const held_target& m) {
  auto tensors = tensor_text(*target.trace);
  density_options options;
  options.width = picture_columns;
  options.height = 16;
  if (tensors) options.tensor_trace = *tensors;
  auto analysed = analyse_page_density(*m.map, m.held.bytes, options, s.hooks());
  if (!analysed) return std::move(analysed).error();
  const page_density& found = *analysed;
  s.heading("Page references: " + title_of(target, m));
  print_other_maps(s, target);
  s.out().line("  " + count_of(found.records, "reference") + " to " + count_of(found.pages.size(), "page") +
               " of 64 KiB in " + count_of(found.groups.size(), "range") + ", over " + grouped(found.max_clock) +
               " cycles; room for " + grouped(found.unwritten) + " more was not used");
  print_page_table(s, m);
  const std::size_t groups = rows_within(found.groups.size(), limit_of(s, 8));
  table t;
  t.left("from").left("to").right("pages").right("references");
  for (std::size_t i = 0; i < groups; ++i) {
    const page_group& g = found.groups[i];
    t.row({address_text(g.first), address_text(g.last), grouped(g.pages), grouped(g.references)});
  }
  t.print(s.out(), s.columns());
  s.left_out(found.groups.size(), groups);
  if (!found.tensors.empty()) {
    table by_tensor;
    by_tensor.flexible("tensor", cut::end, 8).flexible("shape", cut::end, 10).left("address").right("bytes");
    by_tensor.right("references").flexible("from", cut::start, 12);
    std::vector<const tensor_allocation*> order;
    for (const tensor_allocation& tensor : found.tensors) order.push_back(&tensor);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->references > b->references; });
    const std::size_t shown = rows_within(order.size(), limit_of(s, 10));
    for (std::size_t i = 0; i < shown; ++i)
      by_tensor.row({escape_for_terminal(order[i]->variable), escape_for_terminal(order[i]->shape),
                     address_text(order[i]->address), human_bytes(order[i]->bytes), grouped(order[i]->references),
                     escape_for_terminal(order[i]->place)});
    s.print("Tensors: " + count_of(found.unattributed, "reference belongs", "references belong") + " to none",
            by_tensor, order.size());
  }
  print_density_picture(s, found);
  if (s.asked().svg_path.empty()) return {};
  options.width = 160;
  options.height = 100;
  auto fine = analyse_page_density(*m.map, m.held.bytes, options, s.hooks());
  if (!fine) return std::move(fine).error();
  return write_to_file(s.asked().svg_path, [&](sink& into) { return write_density_svg(*fine, title_of(target, m), into); });
}

result<void> print_progress(session& s, const probe_target& target, const held_target& m) {
  auto analysed = analyse_progress(*m.map, m.held.bytes, s.hooks());
  if (!analysed) return std::move(analysed).error();
  const lane_progress& found = *analysed;
  const std::string lane = lane_word(m.map->place.level);
  const std::string unit = std::string(" ") + unit_of(m.map->shape->clock);
  s.heading("Progress: " + title_of(target, m));
  print_other_maps(s, target);
  s.out().line("  " + count_of(found.samples, "sample") + " of " + count_of(found.lanes, lane) + "; " +
               grouped(found.full_lanes) + " of them with no room left");
  if (found.backward != 0)
    s.out().line("  " + count_of(found.backward, "sample goes", "samples go") + " back in time: a " + lane +
                 " that had no room left wrote into the next one's");
  print_histogram(s, "samples", found.samples_of_lanes, "");
  if (found.deltas > found.backward) {
    s.heading("Time from a sample to the next: " + grouped(found.least_delta) + " to " + grouped(found.most_delta) +
              unit + ", mean " +
              real_text(static_cast<double>(found.delta_sum) / static_cast<double>(found.deltas - found.backward), 1));
    print_histogram(s, unit.c_str() + 1, found.delta_histogram, "");
  }
  return {};
}

// ---- the whole ----

std::vector<std::size_t> slowest_launches(const probe_trace& trace) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trace.launches.size(); ++i)
    if (trace.launches[i].kernel_ps) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return *trace.launches[a].kernel_ps > *trace.launches[b].kernel_ps;
  });
  return order;
}

result<void> print_probe_summary(session& s, const probe_target& target) {
  const probe_trace& trace = *target.trace;
  print_trace_head(s, trace);
  const std::vector<std::size_t> slowest = slowest_launches(trace);
  if (!slowest.empty())
    print_launches(s, trace, slowest, limit_of(s, few), "Slowest launches");
  else if (!trace.launches.empty())
    print_launches(s, trace, target.launches, limit_of(s, few), "Launches");
  if (!trace.launches.empty()) print_overhead(s, trace, limit_of(s, few));
  if (!target.maps.empty())
    if (result<void> printed = print_maps(s, target, limit_of(s, 10)); !printed) return printed;
  print_probe_warnings(s, trace);
  return {};
}

void keep_losses_of(session& s, const probe_target& target) {
  std::vector<file_damage> damage;
  const auto add = [&](const std::optional<fault>& broken) {
    if (broken && damage.size() < few) damage.push_back({static_cast<std::uint32_t>(target.file), *broken});
  };
  add(target.trace->log.damage);
  for (const probe_bin& bin : target.trace->bins) add(bin.damage);
  add(target.trace->description.damage);
  s.lost(damage);
}

result<void> print_slice_of(session& s, const probe_target& target, const probe_query& query) {
  const probe_trace& trace = *target.trace;
  switch (query.slice) {
    case probe_slice::summary: return print_probe_summary(s, target);
    case probe_slice::launches:
      print_launches(s, trace, target.launches, limit_of(s, default_rows),
                     "Launches: " + grouped(std::uint64_t{target.launches.size()}));
      return {};
    case probe_slice::kernels: print_kernels(s, trace); return {};
    case probe_slice::maps: return print_maps(s, target, limit_of(s, default_rows));
    case probe_slice::overhead: print_overhead(s, trace, limit_of(s, default_rows)); return {};
    case probe_slice::log: print_log(s, trace); return {};
    default: break;
  }
  if (target.maps.empty()) {
    s.absent(target.absent);
    return {};
  }
  auto held = hold_first(target);
  if (!held) return std::move(held).error();
  result<void> printed;
  switch (query.slice) {
    case probe_slice::records: printed = print_records(s, target, query, *held); break;
    case probe_slice::schedule: printed = print_schedule(s, target, *held); break;
    case probe_slice::bytes: printed = print_bytes(s, target, *held); break;
    case probe_slice::density: printed = print_density(s, target, *held); break;
    default: printed = print_progress(s, target, *held); break;
  }
  if (printed || printed.error().code != fault_code::unsupported) return printed;
  s.absent(printed.error().message);
  return {};
}

result<void> print_neutrino(session& s, probe_query query, bool csv) {
  auto target = find_probe_target(s.capture(), query);
  if (!target) return std::move(target).error();
  if (target->trace == nullptr) {
    s.absent(target->absent);
    return {};
  }
  keep_losses_of(s, *target);
  if (!csv) return print_slice_of(s, *target, query);
  query.limit = limit_of(s, 0);
  auto written = write_probe_csv(s.capture(), query, s.out().raw(), s.hooks());
  if (!written) return std::move(written).error();
  if (written->status == document_status::absent) s.absent(written->absent);
  return {};
}

class neutrino_command_options final : public command_options {
 public:
  void list(option_list& all) override {
    list_path(all, *this);
    all.argument("SLICE", slice_, "What to show (default: a summary)", false).offer_words(slice_names());
    all.group("Filters");
    all.value("--launch", probes_.launch, "N|BIN", "Only this launch, by its number or its record file");
    all.value("--map", probes_.map, "NAME|N", "Only this map, by its name or its number in the file");
    all.value("--block", block_, "N", "records: only this block");
    all.value("--lane", lane_, "N", "records: only this thread or warp of each block");
    all.group("Input");
    all.value("--as", tool_, "TOOL",
              "Maps that nothing describes hold the records of block_sched, gmem_bytes, tensorop, program_progress or "
              "dmat")
        .offer_words(tool_names());
    all.group("Output");
    all.flag("--csv", csv_, "The slice as comma-separated values");
    all.value("--svg", svg_path, "FILE", "schedule, density: a picture for a browser").offer_files();
    output_.list(all, *this);
    input_.list(all, *this);
  }

  [[nodiscard]] std::optional<fault> understand() override {
    using profkit::probe_slice;
    if (!slice_.empty()) {
      const auto slice = profkit::probe_slice_of(slice_);
      if (!slice) return wrong_value("SLICE", slice_, "not a slice", "choose one of: " + word_list(slice_names()));
      probes_.slice = *slice;
    }
    if (auto wrong = understand_number("--block", block_, probes_.block)) return wrong;
    if (auto wrong = understand_number("--lane", lane_, probes_.lane)) return wrong;
    if (!tool_.empty()) {
      const auto tool = profkit::probe_tool_of(tool_);
      if (!tool) return wrong_value("--as", tool_, "not a tool", "choose one of: " + word_list(tool_names()));
      probes_.assume = *tool;
    }
    if (auto wrong = input_.understand(*this)) return wrong;
    if (auto wrong = output_.understand(*this)) return wrong;
    const char* const help = "profkit neutrino --help";
    const probe_slice slice = probes_.slice;
    if (csv_ && json) return wrong_options("--csv: choose between --csv and --json", help);
    if (csv_ && slice == probe_slice::summary)
      return wrong_options("--csv: the summary is no table: name a slice", help);
    if (!svg_path.empty() && slice != probe_slice::schedule && slice != probe_slice::density)
      return wrong_options("--svg: only schedule and density are pictures", help);
    return std::nullopt;
  }
  [[nodiscard]] int run_command() const override {
    const auto document = [&](const profkit::trace& t, sink& into, const hooks& hook) {
      probe_query query = probes_;
      query.limit = limit.value_or(profkit::default_limit(profkit::document::neutrino));
      return write_probe_document(t.files(), query, into, hook);
    };
    return run_slice(*this, profkit::document::neutrino, {document, [&](session& s) { return print_neutrino(s, probes_, csv_); }});
  }

 private:
  static std::vector<std::string> slice_names() {
    return {"launches", "kernels", "maps", "records", "schedule", "bytes", "density", "progress", "overhead", "log"};
  }
  static std::vector<std::string> tool_names() {
    return {"block_sched", "gmem_bytes", "tensorop", "program_progress", "dmat"};
  }

  probe_query probes_;  // but for limit
  bool csv_ = false;
  std::string slice_, block_, lane_, tool_;
  output_words output_;
  input_words input_;
};

}  // namespace

bool print_neutrino_report(session& s) {
  auto target = find_probe_target(s.capture(), {});
  if (!target || target->trace == nullptr) return false;
  if (s.out().wrote_anything()) s.out().line();
  keep_losses_of(s, *target);
  static_cast<void>(print_probe_summary(s, *target));
  return true;
}

extern const command_description neutrino_command = {
    "neutrino",
    "PATH [SLICE]",
    "Neutrino probe traces: inside GPU kernels, thread by thread",
    "Reads a trace folder of any release of the driver, or one result/*.bin. SLICE is launches, kernels, maps,\n"
    "records, schedule, bytes, density, progress, overhead or log; without one, a summary.",
    "  profkit neutrino trace/Apr24_231539_1860576\n"
    "  profkit neutrino trace schedule --svg schedule.svg     newest trace below the folder\n"
    "  profkit neutrino trace records --launch 3 --map block_sched --block 7\n"
    "  profkit neutrino trace bytes --json                    for programs; --csv for tables\n",
    make_options<neutrino_command_options>,
    "The schedule is that of the blocks on the multiprocessors, bytes are given with counts, by thread, and density is\n"
    "that of references to pages.",
};

}  // namespace profkit_tool
