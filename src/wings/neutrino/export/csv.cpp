// The slices of a Neutrino trace as comma-separated values.
#include <neutrino/export/parts.hpp>

#include <base/contained.hpp>
#include <base/format.hpp>

#include <algorithm>
#include <initializer_list>
#include <type_traits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t probe_csv_flush_bytes = std::size_t{256} << 10;

// Rows of RFC 4180, handed to the sink in large pieces.
class csv_table {
 public:
  explicit csv_table(sink& into) : into_(into) {}

  csv_table& text(std::string_view cell) {
    separate();
    if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
      out_ += cell;
      return *this;
    }
    out_ += '"';
    for (const char c : cell) {
      if (c == '"') out_ += '"';
      out_ += c;
    }
    out_ += '"';
    return *this;
  }
  template <class N>
  csv_table& number(N n) {
    separate();
    if constexpr (std::is_signed_v<N>)
      append_integer(out_, static_cast<std::int64_t>(n));
    else
      append_integer(out_, static_cast<std::uint64_t>(n));
    return *this;
  }
  template <class N>
  csv_table& optional(const std::optional<N>& n) {
    if (n) return number(*n);
    return text("");
  }
  csv_table& milliseconds(const std::optional<std::int64_t>& ps) {
    separate();
    if (ps) append_milliseconds(out_, *ps);
    return *this;
  }
  csv_table& real(const std::optional<double>& value) {
    separate();
    if (value) append_shortest(out_, *value);
    return *this;
  }
  void end_row() {
    out_ += "\r\n";
    is_first_ = true;
    ++rows_;
    if (out_.size() >= probe_csv_flush_bytes) flush();
  }
  void heading(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) text(name);
    end_row();
    rows_ = 0;
  }
  void heading_ends() {
    end_row();
    rows_ = 0;
  }
  result<void> finish() {
    flush();
    return state_;
  }
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }

 private:
  void separate() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
  }
  void flush() {
    if (state_.ok()) state_ = into_.write(out_);
    out_.clear();
  }
  sink& into_;
  std::string out_;
  bool is_first_ = true;
  std::uint64_t rows_ = 0;
  result<void> state_;
};

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

std::size_t shown(std::size_t rows, std::uint64_t limit) noexcept {
  return limit == 0 ? rows : static_cast<std::size_t>(std::min<std::uint64_t>(rows, limit));
}

class csv_writer {
 public:
  csv_writer(csv_table& out, const probe_query& query, const probe_target& target, const hooks& host)
      : out_(out), query_(query), target_(target), trace_(*target.trace), host_(host) {}

  result<void> write() {
    switch (query_.slice) {
      case probe_slice::summary: break;
      case probe_slice::launches: return launches();
      case probe_slice::kernels: return kernels();
      case probe_slice::maps: return maps();
      case probe_slice::records: return records();
      case probe_slice::schedule: return schedule();
      case probe_slice::bytes: return bytes();
      case probe_slice::density: return density();
      case probe_slice::progress: return progress();
      case probe_slice::overhead: return overhead();
      case probe_slice::log: return log();
    }
    return fault{fault_code::invalid_argument, "the summary is no table", "", no_offset,
                 "name a slice: launches, kernels, maps, records, schedule, bytes, density, progress, overhead or log"};
  }

 private:
  [[nodiscard]] std::string_view kernel_name(std::int32_t kernel) const noexcept {
    return kernel < 0 ? std::string_view() : trace_.kernels[static_cast<std::size_t>(kernel)].name();
  }

  result<void> launches() {
    out_.heading({"launch", "kernel", "func", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
                  "shared_bytes", "time_ns", "params", "probe_mem_bytes", "prologue_ms", "kernel_ms", "epilogue_ms",
                  "outcome", "bin"});
    for (std::size_t i = 0; i < shown(target_.launches.size(), query_.limit); ++i) {
      const probe_launch& l = trace_.launches[target_.launches[i]];
      out_.number(std::uint64_t{target_.launches[i]}).text(kernel_name(l.kernel)).text(l.function);
      for (const std::uint32_t n : l.grid) out_.number(n);
      for (const std::uint32_t n : l.block) out_.number(n);
      std::string params;
      for (const std::uint64_t param : l.params) params += (params.empty() ? "" : " ") + std::to_string(param);
      out_.number(l.shared_bytes).optional(l.time_ns).text(params).optional(l.probe_memory_bytes);
      out_.milliseconds(l.prologue_ps).milliseconds(l.kernel_ps).milliseconds(l.epilogue_ps);
      out_.text(probe_outcome_name(l.outcome)).text(l.bin_name);
      out_.end_row();
    }
    return {};
  }

  result<void> kernels() {
    out_.heading({"kernel_index", "name", "func", "folder", "status", "reason", "param_count", "launches",
                  "probed_registers", "pruned_registers"});
    for (std::size_t i = 0; i < shown(trace_.kernels.size(), query_.limit); ++i) {
      const probe_kernel& k = trace_.kernels[i];
      out_.number(std::uint64_t{i}).text(k.name()).text(k.function).text(k.folder);
      out_.text(probe_kernel_status_name(k.status)).text(k.engine ? k.engine->reason : std::string());
      out_.optional(k.info ? std::optional(k.info->param_count) : std::nullopt).number(k.launches);
      out_.optional(k.engine ? k.engine->probed_registers : std::nullopt);
      out_.optional(k.engine ? k.engine->pruned_registers : std::nullopt);
      out_.end_row();
    }
    return {};
  }

  result<void> maps() {
    out_.heading({"bin", "map", "level", "fields", "types", "record_bytes", "lane_bytes", "offset", "bytes",
                  "recorded_offset", "records", "flags"});
    for (std::size_t i = 0; i < shown(target_.maps.size(), query_.limit); ++i) {
      auto held = json::hold_map(target_, i);
      const probe_target::place at = target_.maps[i];
      const probe_bin_map& map = trace_.bins[at.bin].maps[at.map];
      const probe_survey survey = survey_map(map, held ? held->held.bytes : std::string_view());
      std::vector<std::string> fields, types;
      for (const probe_shape_field& f : map.shape->fields) {
        fields.push_back(f.name);
        types.emplace_back(probe_type_name(f.type));
      }
      out_.text(trace_.bins[at.bin].name).text(map.shape->name).text(probe_level_name(map.place.level));
      out_.text(joined(fields)).text(joined(types)).number(map.shape->record_bytes).number(map.place.lane_bytes);
      out_.number(map.place.offset).number(map.place.bytes).number(map.place.recorded_offset).number(survey.records);
      out_.text(joined(json::flag_names(survey.flags)));
      out_.end_row();
    }
    return {};
  }

  result<void> records() {
    auto held = json::hold_map(target_);
    if (!held) return std::move(held).error();
    out_.text("block").text("lane").text("k");
    std::vector<probe_field> fields;
    for (const probe_shape_field& f : held->map->shape->fields) {
      fields.push_back({f.name, f.type, f.offset, f.declared});
      out_.text(f.name);
    }
    out_.heading_ends();
    const probe_records all = records_of(*held->map, held->held.bytes);
    json::record_filter(query_, all).each([&](const probe_lane& lane, std::uint64_t k, const probe_record& record) {
      out_.optional(lane.block() == no_block ? std::nullopt : std::optional(lane.block()));
      out_.number(lane.lane()).number(k);
      for (const probe_field& field : fields) out_.number(record.value(field));
      out_.end_row();
    });
    return {};
  }

  result<void> schedule() {
    auto held = json::hold_map(target_);
    if (!held) return std::move(held).error();
    auto found = analyse_block_schedule(*held->map, held->held.bytes, {}, host_);
    if (!found) return std::move(found).error();
    out_.heading({"sm", "slot", "block", "start", "end"});
    for (const sm_schedule& sm : found->sms) {
      for (std::size_t i = 0; i < shown(sm.blocks.size(), query_.limit); ++i) {
        const scheduled_block& b = sm.blocks[i];
        out_.number(sm.sm).number(b.slot).number(b.block).number(b.start).number(b.end);
        out_.end_row();
      }
    }
    return {};
  }

  result<void> bytes() {
    auto held = json::hold_map(target_);
    if (!held) return std::move(held).error();
    auto found =
        analyse_lane_totals(*held->map, held->held.bytes, query_.limit == 0 ? ~std::uint64_t{0} : query_.limit, host_);
    if (!found) return std::move(found).error();
    out_.heading({"block", "total"});
    for (std::size_t i = 0; i < found->per_block.size(); ++i) {
      out_.number(std::uint64_t{i}).number(found->per_block[i]);
      out_.end_row();
    }
    return {};
  }

  result<void> density() {
    auto held = json::hold_map(target_);
    if (!held) return std::move(held).error();
    density_options options;
    options.width = query_.width;
    options.height = query_.height;
    auto found = analyse_page_density(*held->map, held->held.bytes, options, host_);
    if (!found) return std::move(found).error();
    out_.heading({"row", "column", "references"});
    for (std::uint32_t row = 0; row < found->height; ++row) {
      for (std::uint32_t column = 0; column < found->width; ++column) {
        out_.number(row).number(column).number(found->grid[std::size_t{row} * found->width + column]);
        out_.end_row();
      }
    }
    return {};
  }

  result<void> progress() {
    auto held = json::hold_map(target_);
    if (!held) return std::move(held).error();
    auto found = analyse_progress(*held->map, held->held.bytes, host_);
    if (!found) return std::move(found).error();
    out_.heading({"bucket", "from", "lanes_with_samples", "deltas"});
    for (std::size_t i = 0; i < found->delta_histogram.buckets.size(); ++i) {
      const std::uint64_t lanes = found->samples_of_lanes.buckets[i], deltas = found->delta_histogram.buckets[i];
      if (lanes == 0 && deltas == 0) continue;
      out_.number(std::uint64_t{i}).number(i == 0 ? std::uint64_t{0} : std::uint64_t{1} << (i - 1));
      out_.number(lanes).number(deltas);
      out_.end_row();
    }
    return {};
  }

  result<void> overhead() {
    out_.heading({"kernel", "func", "launches", "timed", "backups", "median_kernel_ms", "median_prologue_ms",
                  "median_epilogue_ms", "total_kernel_ms", "total_ms", "median_ratio", "max_probe_mem_bytes",
                  "mean_impact", "total_impact"});
    const std::vector<kernel_overhead> rows = analyse_probe_overhead(trace_);
    for (std::size_t i = 0; i < shown(rows.size(), query_.limit); ++i) {
      const kernel_overhead& row = rows[i];
      out_.text(kernel_name(row.kernel)).text(row.function).number(row.launches).number(row.timed).number(row.backups);
      out_.milliseconds(row.median_kernel_ps).milliseconds(row.median_prologue_ps);
      out_.milliseconds(row.median_epilogue_ps).milliseconds(row.total_kernel_ps).milliseconds(row.total_ps);
      out_.real(row.median_ratio).number(row.max_probe_memory_bytes).real(row.mean_impact).real(row.total_impact);
      out_.end_row();
    }
    return {};
  }

  result<void> log() {
    out_.heading({"kind", "lines"});
    for (const probe_log_kind& kind : trace_.log.kinds) {
      out_.text(kind.name).number(kind.lines);
      out_.end_row();
    }
    if (trace_.log.unknown == 0) return {};
    out_.text("unknown").number(trace_.log.unknown);
    out_.end_row();
    return {};
  }

  csv_table& out_;
  const probe_query& query_;
  const probe_target& target_;
  const probe_trace& trace_;
  const hooks& host_;
};

bool is_of_one_map(probe_slice s) noexcept {
  return s == probe_slice::records || s == probe_slice::schedule || s == probe_slice::bytes ||
         s == probe_slice::density || s == probe_slice::progress;
}

}  // namespace

result<probe_csv_outcome> write_probe_csv(const profile& p, const probe_query& query, sink& into, const hooks& host) {
  return contained([&]() -> result<probe_csv_outcome> {
    auto target = find_probe_target(p, query);
    if (!target) return std::move(target).error();
    probe_csv_outcome outcome;
    if (target->trace == nullptr || (is_of_one_map(query.slice) && target->maps.empty())) {
      outcome.status = document_status::absent;
      outcome.absent = target->absent;
      return outcome;
    }
    csv_table out(into);
    if (result<void> written = csv_writer(out, query, *target, host).write(); !written) {
      if (written.error().code != fault_code::unsupported) return std::move(written).error();
      outcome.status = document_status::absent;
      outcome.absent = written.error().message;
      return outcome;
    }
    if (result<void> finished = out.finish(); !finished) return std::move(finished).error();
    outcome.rows = out.rows();
    if (target->trace->first_damage() != nullptr) outcome.status = document_status::partial;
    return outcome;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
