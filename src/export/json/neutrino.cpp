// The Neutrino document: each slice, and the summary of them.
#include "neutrino_parts.hpp"

#include <base/contained.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

template <class T>
void optional_count(json_writer& out, std::string_view key, const std::optional<T>& n) {
  out.key(key);
  if (n)
    out.value(*n);
  else
    out.null();
}
void milliseconds_or_null(json_writer& out, std::string_view key, const std::optional<std::int64_t>& ps) {
  out.key(key);
  if (ps)
    out.milliseconds(*ps);
  else
    out.null();
}
void index_or_null(json_writer& out, std::string_view key, std::int32_t index) {
  out.key(key);
  if (index < 0)
    out.null();
  else
    out.value(index);
}
void block_or_null(json_writer& out, std::string_view key, std::uint64_t block) {
  out.key(key);
  if (block == no_block)
    out.null();
  else
    out.value(block);
}
void numbers(json_writer& out, std::string_view key, const std::uint32_t* begin, std::size_t count) {
  out.key(key);
  out.begin_tuple();
  for (std::size_t i = 0; i < count; ++i) out.value(begin[i]);
  out.end_array();
}
void histogram(json_writer& out, std::string_view key, const log2_histogram& h) {
  std::size_t count = h.buckets.size();
  while (count != 0 && h.buckets[count - 1] == 0) --count;
  out.key(key);
  out.begin_tuple();
  for (std::size_t i = 0; i < count; ++i) out.value(h.buckets[i]);
  out.end_array();
}

class neutrino_writer {
 public:
  neutrino_writer(json_writer& out, const profile& p, const probe_query& query, const probe_target& target,
                  const hooks& host)
      : out_(out), p_(p), query_(query), target_(target), host_(host) {}

  result<document_status> write() {
    if (target_.trace == nullptr) return absent(target_.absent);
    switch (query_.slice) {
      case probe_slice::records: return write_records();
      case probe_slice::schedule: return write_schedule();
      case probe_slice::bytes: return write_bytes();
      case probe_slice::density: return write_density();
      case probe_slice::progress: return write_progress();
      default: break;
    }
    begin(all_damage());
    if (result<void> written = write_lists(); !written) return std::move(written).error();
    return end();
  }

 private:
  const probe_trace& trace() const noexcept { return *target_.trace; }

  // ---- the frame ----

  void begin(const std::vector<file_damage>& damage, const std::string& absent = {}) {
    damage_ = damage;
    verdict_ = judge(p_, absent, damage);
    if (verdict_.status == document_status::partial) verdict_.reason = damage.front().what.message;
    begin_document(out_, document::neutrino);
    write_verdict(out_, verdict_);
    out_.field("slice", probe_slice_name(query_.slice));
  }
  document_status end() {
    write_files(out_, p_);
    write_damage(out_, damage_);
    end_document(out_);
    return verdict_.status;
  }
  document_status absent(const std::string& why) {
    if (target_.trace != nullptr) {
      begin(all_damage(), why);
      return end();
    }
    std::vector<file_damage> damage;
    for (std::size_t file = 0; file < p_.file_count(); ++file) {
      if (content_of(p_.what().files[file].family) != file_content::probe_records && p_.file_count() != 1) continue;
      if (const fault* broken = p_.file_fault(file)) damage.push_back({static_cast<std::uint32_t>(file), *broken});
    }
    begin(damage, why);
    return end();
  }

  // One bad file of several makes every slice partial, as it makes every command.
  [[nodiscard]] std::vector<file_damage> all_damage() const {
    std::vector<file_damage> found;
    const auto add = [&](const std::optional<fault>& damage) {
      if (damage) found.push_back({static_cast<std::uint32_t>(target_.file), *damage});
    };
    add(trace().log.damage);
    for (const probe_bin& bin : trace().bins) add(bin.damage);
    add(trace().description.damage);
    return found;
  }

  // ---- lists ----

  result<void> write_lists() {
    const bool all = query_.slice == probe_slice::summary;
    if (all) write_trace();
    if (all || query_.slice == probe_slice::launches) write_launches();
    if (all || query_.slice == probe_slice::kernels) write_kernels();
    if (all || query_.slice == probe_slice::maps)
      if (result<void> written = write_maps(); !written) return written;
    if (all || query_.slice == probe_slice::overhead) write_overhead();
    if (query_.slice == probe_slice::log) write_log();
    return {};
  }

  void write_trace() {
    const probe_trace& t = trace();
    out_.key("trace");
    out_.begin_object();
    out_.field("path", std::string_view(t.path));
    out_.key("pid");
    if (t.pid)
      out_.id(*t.pid);
    else
      out_.null();
    write_text_or_null(out_, "command", t.log.command);
    write_optional_id(out_, "start_unix_ns", t.start_unix_ns);
    out_.field("log", t.log.present);
    out_.field("unknown_log_lines", t.log.unknown);
    out_.field("launches", std::uint64_t{t.launches.size()});
    out_.field("kernels", std::uint64_t{t.kernels.size()});
    out_.field("bins", std::uint64_t{t.bins.size()});
    out_.key("probes");
    out_.begin_array(min_notes);
    for (const probe_snippet& probe : t.description.probes) {
      out_.begin_object();
      out_.field("name", std::string_view(probe.name));
      out_.field("level", std::string_view(probe.level));
      out_.field("position", std::string_view(probe.position));
      out_.end_object();
    }
    out_.end_array();
    write_text_or_null(out_, "description_damage",
                       t.description.damage ? t.description.damage->message : std::string());
    write_strings(out_, "warnings", t.warnings);
    out_.end_object();
  }

  [[nodiscard]] std::string_view kernel_name(std::int32_t kernel) const noexcept {
    return kernel < 0 ? std::string_view() : trace().kernels[static_cast<std::size_t>(kernel)].name();
  }

  void write_launches() {
    write_rows(out_, "launches", target_.launches, [&](std::size_t launch) { write_launch(launch); });
    out_.field("launch_count", std::uint64_t{target_.launches.size()});
  }
  void write_launch(std::size_t index) {
    const probe_launch& l = trace().launches[index];
    out_.begin_object();
    out_.field("launch", std::uint64_t{index});
    write_text_or_null(out_, "kernel", kernel_name(l.kernel));
    index_or_null(out_, "kernel_index", l.kernel);
    write_text_or_null(out_, "func", l.function);
    numbers(out_, "grid_dim", l.grid, 3);
    numbers(out_, "block_dim", l.block, 3);
    out_.field("shared_bytes", l.shared_bytes);
    write_optional_id(out_, "time_ns", l.time_ns);
    out_.key("params");
    out_.begin_array(min_notes);
    for (const std::uint64_t param : l.params) out_.id(param);
    out_.end_array();
    out_.field("params_torn", l.params_torn);
    optional_count(out_, "probe_mem_bytes", l.probe_memory_bytes);
    milliseconds_or_null(out_, "prologue_ms", l.prologue_ps);
    milliseconds_or_null(out_, "kernel_ms", l.kernel_ps);
    milliseconds_or_null(out_, "epilogue_ms", l.epilogue_ps);
    milliseconds_or_null(out_, "original_ms", l.original_ps);
    out_.field("outcome", probe_outcome_name(l.outcome));
    optional_count(out_, "return_code", l.return_code);
    out_.field("callback", probe_callback_name(l.callback));
    write_text_or_null(out_, "bin", l.bin_name);
    out_.field("bin_present", l.bin >= 0);
    out_.field("log_line", l.line);
    out_.end_object();
  }

  void write_kernels() {
    std::size_t index = 0;
    write_rows(out_, "kernels", trace().kernels, [&](const probe_kernel& k) { write_kernel(k, index++); });
    out_.field("kernel_count", std::uint64_t{trace().kernels.size()});
  }
  void write_kernel(const probe_kernel& k, std::size_t index) {
    out_.begin_object();
    out_.field("kernel_index", std::uint64_t{index});
    write_text_or_null(out_, "name", k.name());
    write_text_or_null(out_, "func", k.function);
    write_text_or_null(out_, "module_name", k.module_name);
    write_text_or_null(out_, "found_name", k.found_name);
    write_text_or_null(out_, "engine_name", k.engine_name);
    write_text_or_null(out_, "folder", k.folder);
    index_or_null(out_, "folder_index", k.index);
    out_.field("status", probe_kernel_status_name(k.status));
    write_text_or_null(out_, "engine_reason", k.engine ? std::string_view(k.engine->reason) : std::string_view());
    write_optional(out_, "probed_registers", k.engine ? k.engine->probed_registers : std::nullopt);
    write_optional(out_, "pruned_registers", k.engine ? k.engine->pruned_registers : std::nullopt);
    out_.key("param_count");
    if (k.info)
      out_.value(k.info->param_count);
    else
      out_.null();
    out_.key("maps");
    out_.begin_array(min_notes);
    if (k.info) {
      for (const auto& [level, bytes] : k.info->maps) {
        out_.begin_object();
        out_.field("level", probe_level_name(level));
        out_.field("lane_bytes", bytes);
        out_.end_object();
      }
    }
    out_.end_array();
    write_text_or_null(out_, "hook", k.info ? std::string_view(k.info->hook) : std::string_view());
    out_.field("names_differ", k.names_differ);
    out_.field("hash_differs", k.hash_differs);
    out_.field("launches", k.launches);
    write_strings(out_, "files", k.files);
    out_.end_object();
  }

  result<void> write_maps() {
    std::size_t held_bin = ~std::size_t{0};
    held_bytes held;
    bool cancelled = false;
    write_rows(out_, "maps", target_.maps, [&](const probe_target::place& at) {
      cancelled = cancelled || (host_.cancel != nullptr && host_.cancel->load(std::memory_order_relaxed));
      if (cancelled) return;
      if (at.bin != held_bin) {
        auto opened = trace().hold(at.bin);
        held = opened ? std::move(*opened) : held_bytes{};
        held_bin = at.bin;
      }
      write_map(trace().bins[at.bin], trace().bins[at.bin].maps[at.map], held.bytes);
    });
    if (cancelled) return fault{fault_code::cancelled, "stopped, as the caller asked", "", no_offset, ""};
    out_.field("map_count", std::uint64_t{target_.maps.size()});
    write_bins();
    return {};
  }
  void write_map(const probe_bin& bin, const probe_bin_map& map, std::string_view bytes) {
    const probe_survey survey = survey_map(map, bytes);
    const probe_map& place = map.place;
    out_.begin_object();
    out_.field("bin", std::string_view(bin.name));
    out_.field("map", std::string_view(map.shape->name));
    out_.field("level", probe_level_name(place.level));
    out_.key("fields");
    out_.begin_tuple();
    for (const probe_shape_field& f : map.shape->fields) out_.value(std::string_view(f.name));
    out_.end_array();
    out_.key("types");
    out_.begin_tuple();
    for (const probe_shape_field& f : map.shape->fields) out_.value(probe_type_name(f.type));
    out_.end_array();
    out_.key("declared");
    out_.begin_tuple();
    for (const probe_shape_field& f : map.shape->fields) out_.value(f.declared);
    out_.end_array();
    out_.field("record_bytes", map.shape->record_bytes);
    out_.field("lane_bytes", place.lane_bytes);
    out_.field("offset", place.offset);
    out_.field("bytes", place.bytes);
    out_.field("present_bytes", place.present_bytes);
    out_.field("recorded_offset", place.recorded_offset);
    out_.field("lanes_per_block", place.lanes_per_block);
    out_.field("lanes", survey.lanes);
    out_.field("used_lanes", survey.used_lanes);
    out_.field("full_lanes", survey.full_lanes);
    out_.field("missing_lanes", survey.missing_lanes);
    out_.field("capacity", survey.capacity);
    out_.field("records", survey.records);
    out_.field("clock", probe_clock_name(map.shape->clock));
    write_strings(out_, "flags", flag_names(survey.flags));
    out_.end_object();
  }
  void write_bins() {
    write_objects(out_, "bins", target_.bins, [&](std::size_t index) {
      const probe_bin& bin = trace().bins[index];
      out_.field("bin", std::string_view(bin.name));
      out_.field("file_bytes", bin.bytes);
      optional_count(out_, "elapsed_us", bin.elapsed_us);
      index_or_null(out_, "launch", bin.launch);
      write_text_or_null(out_, "kernel", kernel_name(bin.kernel));
      numbers(out_, "grid_dim", bin.header.grid, 3);
      numbers(out_, "block_dim", bin.header.block, 3);
      out_.field("shared_bytes", bin.header.shared_bytes);
      out_.field("status", probe_status_name(bin.layout.status));
      out_.field("sections", probe_sections_name(bin.layout.sections));
      out_.field("map_count", std::uint64_t{bin.maps.size()});
      out_.field("trailing_bytes", bin.layout.trailing_bytes);
    });
    out_.field("bin_count", std::uint64_t{target_.bins.size()});
  }

  void write_overhead() {
    const std::vector<kernel_overhead> rows = analyse_probe_overhead(trace());
    write_objects(out_, "overhead", rows, [&](const kernel_overhead& row) {
      write_text_or_null(out_, "kernel", kernel_name(row.kernel));
      index_or_null(out_, "kernel_index", row.kernel);
      write_text_or_null(out_, "func", row.function);
      out_.field("launches", row.launches);
      out_.field("timed", row.timed);
      out_.field("backups", row.backups);
      milliseconds_or_null(out_, "median_kernel_ms", row.median_kernel_ps);
      milliseconds_or_null(out_, "median_prologue_ms", row.median_prologue_ps);
      milliseconds_or_null(out_, "median_epilogue_ms", row.median_epilogue_ps);
      out_.key("total_kernel_ms");
      out_.milliseconds(row.total_kernel_ps);
      out_.key("total_ms");
      out_.milliseconds(row.total_ps);
      write_optional(out_, "median_ratio", row.median_ratio);
      out_.field("max_probe_mem_bytes", row.max_probe_memory_bytes);
      out_.field("benchmarked", row.benchmarked);
      write_optional(out_, "mean_impact", row.mean_impact);
      write_optional(out_, "total_impact", row.total_impact);
    });
    out_.field("overhead_count", std::uint64_t{rows.size()});
  }

  void write_log() {
    const probe_log& log = trace().log;
    out_.key("log");
    out_.begin_object();
    out_.field("present", log.present);
    out_.field("lines", log.lines);
    out_.field("unknown", log.unknown);
    out_.key("samples");
    out_.begin_array(min_notes);
    for (const auto& [line, text] : log.samples) {
      out_.begin_object();
      out_.field("line", line);
      out_.field("text", std::string_view(text));
      out_.end_object();
    }
    out_.end_array();
    out_.key("kinds");
    out_.begin_array(min_notes);
    for (const probe_log_kind& kind : log.kinds) {
      out_.begin_object();
      out_.field("kind", kind.name);
      out_.field("lines", kind.lines);
      out_.end_object();
    }
    out_.end_array();
    out_.field("repeated_launches", log.repeated);
    out_.field("benchmark", log.benchmark);
    out_.key("pid");
    if (trace().pid)
      out_.id(*trace().pid);
    else
      out_.null();
    write_text_or_null(out_, "command", log.command);
    write_strings(out_, "warnings", trace().warnings);
    out_.end_object();
  }

  // ---- slices of one map ----

  // Begins the document of the map, or ends it when there is none.
  result<std::optional<document_status>> begin_map(held_map& into) {
    if (target_.maps.empty()) return std::optional(absent(target_.absent));
    auto held = hold_map(target_);
    if (!held) return std::move(held).error();
    into = std::move(held).value();
    return std::optional<document_status>();
  }
  void begin_fields(const held_map& m) {
    begin(all_damage());
    out_.field("bin", std::string_view(m.bin->name));
    out_.field("map", std::string_view(m.map->shape->name));
    out_.field("matches", std::uint64_t{target_.maps.size()});
  }
  void write_flags(const held_map& m) { write_strings(out_, "flags", flag_names(m.map->place.flags)); }

  // Of an analysis that the map does not allow: absent, not a failure.
  result<document_status> unless_unsupported(fault why) {
    if (why.code == fault_code::unsupported) return absent(why.message);
    return why;
  }

  result<document_status> write_records() {
    held_map m;
    auto begun = begin_map(m);
    if (!begun) return std::move(begun).error();
    if (*begun) return **begun;
    begin_fields(m);
    out_.key("fields");
    out_.begin_tuple();
    std::vector<probe_field> fields;
    for (const probe_shape_field& f : m.map->shape->fields) {
      fields.push_back({f.name, f.type, f.offset, f.declared});
      out_.value(std::string_view(f.name));
    }
    out_.end_array();
    out_.key("rows");
    out_.begin_array();
    const probe_records records = records_of(*m.map, m.held.bytes);
    std::uint64_t handed = 0;
    const std::uint64_t rows =
        record_filter(query_, records).each([&](const probe_lane& lane, std::uint64_t k, const probe_record& record) {
          out_.begin_object();
          block_or_null(out_, "block", lane.block());
          out_.field("lane", lane.lane());
          out_.field("k", k);
          out_.key("values");
          out_.begin_tuple();
          for (const probe_field& field : fields) out_.id(record.value(field));
          out_.end_array();
          out_.end_object();
          ++handed;
        });
    out_.left_out(rows - std::min(rows, query_.skip) - handed);
    out_.end_array();
    out_.field("row_count", rows);
    write_flags(m);
    return end();
  }

  result<document_status> write_schedule() {
    held_map m;
    auto begun = begin_map(m);
    if (!begun) return std::move(begun).error();
    if (*begun) return **begun;
    schedule_options options;
    options.max_skews = query_.limit == 0 ? ~std::uint64_t{0} : query_.limit;
    auto analysed = analyse_block_schedule(*m.map, m.held.bytes, options, host_);
    if (!analysed) return unless_unsupported(std::move(analysed).error());
    const block_schedule& s = *analysed;
    begin_fields(m);
    out_.field("clock", probe_clock_name(s.clock));
    out_.key("sms");
    out_.begin_array(min_inputs);
    for (const sm_schedule& sm : s.sms) {
      out_.begin_object();
      out_.field("sm", sm.sm);
      out_.field("slots", sm.slots);
      out_.field("busy", sm.busy);
      out_.field("gap", sm.gap);
      out_.field("gap_count", sm.gap_count);
      write_optional(out_, "residency", sm.residency);
      out_.field("first_start", sm.first_start);
      out_.field("last_end", sm.last_end);
      out_.field("block_count", std::uint64_t{sm.blocks.size()});
      write_rows(out_, "blocks", sm.blocks, [&](const scheduled_block& block) {
        out_.begin_tuple();
        out_.value(block.block);
        out_.value(block.start);
        out_.value(block.end);
        out_.end_array();
      });
      out_.end_object();
    }
    out_.end_array();
    out_.key("mean");
    out_.begin_object();
    out_.key("busy");
    out_.number(s.mean_busy);
    out_.key("gap");
    out_.number(s.mean_gap);
    write_optional(out_, "residency", s.mean_residency);
    write_optional(out_, "imbalance", s.mean_imbalance);
    out_.end_object();
    out_.field("block_count", s.blocks);
    out_.field("blocks_without_records", s.blocks_without_records);
    out_.field("max_start_skew", s.max_start_skew);
    out_.field("max_end_skew", s.max_end_skew);
    const auto skew = [&](const block_skew& of) {
      out_.field("block", of.block);
      out_.field("start_skew", of.start_skew);
      out_.field("end_skew", of.end_skew);
      out_.key("imbalance");
      out_.number(of.imbalance);
    };
    const std::uint64_t skewed = s.blocks - std::min(s.blocks, s.blocks_without_records);
    write_objects(out_, "skew", s.skew, skew, 0, skewed - std::min<std::uint64_t>(skewed, s.skew.size()));
    write_flags(m);
    return end();
  }

  result<document_status> write_bytes() {
    held_map m;
    auto begun = begin_map(m);
    if (!begun) return std::move(begun).error();
    if (*begun) return **begun;
    auto analysed =
        analyse_lane_totals(*m.map, m.held.bytes, query_.limit == 0 ? ~std::uint64_t{0} : query_.limit, host_);
    if (!analysed) return unless_unsupported(std::move(analysed).error());
    const lane_totals& t = *analysed;
    begin_fields(m);
    out_.field("level", probe_level_name(m.map->place.level));
    out_.field("total", t.total);
    out_.field("lanes", t.lanes);
    out_.field("zero_lanes", t.zero_lanes);
    out_.field("overflowed", t.overflowed);
    optional_count(out_, "warp_sum", t.warp_sum);
    out_.key("totals");
    out_.begin_array(min_notes);
    for (const field_totals& f : t.fields) {
      out_.begin_object();
      out_.field("field", std::string_view(f.name));
      out_.field("sum", f.sum);
      out_.field("least", f.least);
      out_.field("most", f.most);
      histogram(out_, "log2_histogram", f.histogram);
      out_.end_object();
    }
    out_.end_array();
    out_.field("block_count", t.blocks);
    write_rows(out_, "per_block", t.per_block, [&](std::uint64_t total) { out_.value(total); }, 0,
               t.blocks - std::min<std::uint64_t>(t.blocks, t.per_block.size()));
    write_flags(m);
    return end();
  }

  result<document_status> write_density() {
    held_map m;
    auto begun = begin_map(m);
    if (!begun) return std::move(begun).error();
    if (*begun) return **begun;
    held_bytes tensors;
    if (!trace().tensor_trace_path.empty()) {
      auto opened = open_plain_file_source(trace().tensor_trace_path);
      if (opened) {
        auto held = hold_bytes(std::move(*opened));
        if (held) tensors = std::move(*held);
      }
    }
    density_options options;
    options.width = query_.width;
    options.height = query_.height;
    options.tensor_trace = tensors.bytes;
    auto analysed = analyse_page_density(*m.map, m.held.bytes, options, host_);
    if (!analysed) return unless_unsupported(std::move(analysed).error());
    const page_density& d = *analysed;
    begin_fields(m);
    out_.field("references", d.records);
    out_.field("unwritten", d.unwritten);
    out_.field("page_count", std::uint64_t{d.pages.size()});
    out_.field("page_bytes", std::uint64_t{1} << probe_page_bits);
    out_.field("clocks", d.clocks);
    out_.field("cells", d.cells);
    out_.field("max_clock", d.max_clock);
    out_.key("density");
    out_.begin_tuple();
    for (std::uint32_t row = 0; row < d.height; ++row) {
      out_.begin_tuple();
      for (std::uint32_t column = 0; column < d.width; ++column)
        out_.value(d.grid[std::size_t{row} * d.width + column]);
      out_.end_array();
    }
    out_.end_array();
    out_.key("top");
    out_.begin_array(min_notes);
    for (const page_cell& cell : d.top) {
      out_.begin_object();
      out_.field("clock", cell.clock);
      out_.field_id("page", cell.page);
      out_.field("count", cell.count);
      out_.end_object();
    }
    out_.end_array();
    write_density_lists(d);
    write_flags(m);
    return end();
  }
  void write_density_lists(const page_density& d) {
    write_objects(out_, "groups", d.groups, [&](const page_group& g) {
      out_.field_id("first_page", g.first);
      out_.field_id("last_page", g.last);
      out_.field("pages", g.pages);
      out_.field("references", g.references);
    });
    out_.field("group_count", std::uint64_t{d.groups.size()});
    write_objects(out_, "tensors", d.tensors, [&](const tensor_allocation& t) {
      out_.field_id("address", t.address);
      out_.field("bytes", t.bytes);
      out_.field("shape", std::string_view(t.shape));
      out_.field("variable", std::string_view(t.variable));
      out_.field("function", std::string_view(t.function));
      out_.field("place", std::string_view(t.place));
      out_.field_id("time_ns", t.time_ns);
      out_.field("references", t.references);
    });
    out_.field("unattributed", d.unattributed);
  }

  result<document_status> write_progress() {
    held_map m;
    auto begun = begin_map(m);
    if (!begun) return std::move(begun).error();
    if (*begun) return **begun;
    auto analysed = analyse_progress(*m.map, m.held.bytes, host_);
    if (!analysed) return unless_unsupported(std::move(analysed).error());
    const lane_progress& g = *analysed;
    begin_fields(m);
    out_.field("clock", probe_clock_name(m.map->shape->clock));
    out_.field("samples", g.samples);
    out_.field("lanes", g.lanes);
    out_.field("full_lanes", g.full_lanes);
    histogram(out_, "samples_log2_histogram", g.samples_of_lanes);
    out_.field("deltas", g.deltas);
    out_.field("backward", g.backward);
    out_.field("least_delta", g.least_delta);
    out_.field("most_delta", g.most_delta);
    const std::uint64_t forward = g.deltas - g.backward;
    write_optional(
        out_, "mean_delta",
        forward == 0 ? std::optional<double>() : static_cast<double>(g.delta_sum) / static_cast<double>(forward));
    histogram(out_, "delta_log2_histogram", g.delta_histogram);
    write_flags(m);
    return end();
  }

  json_writer& out_;
  const profile& p_;
  const probe_query& query_;
  const probe_target& target_;
  const hooks& host_;
  std::vector<file_damage> damage_;
  verdict verdict_;
};

}  // namespace

result<document_status> write_neutrino(json_writer& out, const profile& p, const probe_query& query,
                                       const hooks& host) {
  auto target = find_probe_target(p, query);
  if (!target) return std::move(target).error();
  return neutrino_writer(out, p, query, *target, host).write();
}

result<document_status> write_neutrino(json_writer& out, const trace& t, const query_filters& o,
                                       const hooks& host) {
  const profile& p = t.files();
  probe_query query;
  query.limit = o.limit;
  return write_neutrino(out, p, query, host);
}

}  // namespace json

result<document_status> write_probe_document(const profile& p, const probe_query& query, sink& into,
                                             const hooks& host) {
  return contained([&]() -> result<document_status> {
    json_writer out(into);
    out.bound(json::bounds_of(document::neutrino, query.limit));
    result<document_status> status = json::write_neutrino(out, p, query, host);
    if (!status) return status;
    if (result<void> finished = out.finish(); !finished) return std::move(finished).error();
    return status;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
