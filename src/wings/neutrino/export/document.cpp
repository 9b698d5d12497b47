// The Neutrino document: each slice, and the summary of them.
#include <base/contained.hpp>
#include <neutrino/export/document_parts.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// ---- what fields are found with ----

probe_survey map_reader::survey(const probe_target::place& at) {
  was_cancelled_ = was_cancelled_ || (host_.cancel != nullptr && host_.cancel->load(std::memory_order_relaxed));
  if (was_cancelled_) return {};
  if (held_bin_ != at.bin) {
    auto opened = trace_.hold(at.bin);
    held_ = opened ? std::move(*opened) : held_bytes{};
    held_bin_ = at.bin;
  }
  return survey_map(trace_.bins[at.bin].maps[at.map], held_.bytes);
}

std::string_view description_damage_of(const probe_trace& trace) noexcept {
  return trace.description.damage ? std::string_view(trace.description.damage->message) : std::string_view();
}

const probe_launch& launch_at(std::size_t index, const probe_lists&, const probe_trace& trace) { return trace.launches[index]; }
std::uint64_t launch_number_of(const probe_launch& launch, const probe_trace& trace) noexcept {
  return static_cast<std::uint64_t>(&launch - trace.launches.data());
}
bool has_bin(const probe_launch& launch, const probe_trace&) noexcept { return launch.bin >= 0; }
const probe_bin& bin_at(std::size_t index, const probe_lists&, const probe_trace& trace) { return trace.bins[index]; }

shown_probe_kernel kernel_at(const probe_kernel& kernel, const probe_lists& of) {
  static const probe_engine_log no_engine;
  static const probe_kernel_info no_info;
  return {static_cast<std::uint64_t>(&kernel - of.trace.kernels.data()), kernel, kernel.engine ? *kernel.engine : no_engine,
          kernel.info ? *kernel.info : no_info};
}
std::optional<std::int64_t> param_count_of(const shown_probe_kernel& kernel) noexcept {
  return kernel.what.info ? std::optional(kernel.info.param_count) : std::nullopt;
}
lane_size lane_size_of(const std::pair<probe_level, std::int64_t>& map, const shown_probe_kernel&) noexcept { return {map.first, map.second}; }

shown_map map_at(const probe_target::place& at, const probe_lists& of, const probe_trace& trace) {
  const probe_bin& bin = trace.bins[at.bin];
  return {bin.name, *bin.maps[at.map].shape, bin.maps[at.map].place, of.reader.survey(at)};
}
std::vector<std::string> flags_of(const shown_map& map) { return flag_names(map.survey.flags); }
std::vector<std::string> flags_of(const opened_map& map) { return flag_names(map.map.place.flags); }
probe_type type_of(const probe_shape_field& field, const shown_map&) noexcept { return field.type; }
std::uint32_t declared_of(const probe_shape_field& field, const shown_map&) noexcept { return field.declared; }

log_line line_of(const std::pair<std::uint64_t, std::string>& sample, const probe_trace&) noexcept { return {sample.first, sample.second}; }

void write_record_rows(json_writer& out, const shown_records& of) {
  std::vector<probe_field> fields;
  for (const probe_shape_field& f : of.map.shape.fields) fields.push_back({f.name, f.type, f.offset, f.declared});
  const probe_records records = records_of(of.map.map, of.map.bytes);
  std::uint64_t handed = 0;
  out.begin_array();
  of.row_count = record_filter(of.query, records).each([&](const probe_lane& lane, std::uint64_t k, const probe_record& record) {
    out.begin_object();
    fields_of_neutrino_row(out, {lane, k, record, fields});
    out.end_object();
    ++handed;
  });
  out.left_out(of.row_count - std::min(of.row_count, of.query.skip) - handed);
  out.end_array();
}
std::optional<std::uint64_t> block_of(const record_row& row) noexcept {
  return row.lane.block() == no_block ? std::nullopt : std::optional(row.lane.block());
}
std::uint64_t value_of(const probe_field& field, const record_row& row) noexcept { return row.record.value(field); }

void write_block_times(json_writer& out, const scheduled_block& block) {
  out.begin_tuple();
  out.value(block.block);
  out.value(block.start);
  out.value(block.end);
  out.end_array();
}

void write_histogram(json_writer& out, const log2_histogram& histogram) {
  std::size_t count = histogram.buckets.size();
  while (count != 0 && histogram.buckets[count - 1] == 0) --count;
  out.begin_tuple();
  for (std::size_t i = 0; i < count; ++i) out.value(histogram.buckets[i]);
  out.end_array();
}

std::uint64_t page_bytes_of(const page_density&) noexcept { return std::uint64_t{1} << probe_page_bits; }
void write_grid(json_writer& out, const page_density& density) {
  out.begin_tuple();
  for (std::uint32_t row = 0; row < density.height; ++row) {
    out.begin_tuple();
    for (std::uint32_t column = 0; column < density.width; ++column) out.value(density.grid[std::size_t{row} * density.width + column]);
    out.end_array();
  }
  out.end_array();
}

std::optional<double> mean_delta_of(const shown_progress& progress) noexcept {
  const std::uint64_t forward = progress.found.deltas - progress.found.backward;
  return forward == 0 ? std::nullopt : std::optional(static_cast<double>(progress.found.delta_sum) / static_cast<double>(forward));
}

// ---- the document ----

namespace {

class neutrino_writer {
 public:
  neutrino_writer(json_writer& out, const profile& p, const probe_query& query, const probe_target& target, const hooks& host)
      : out_(out), p_(p), query_(query), target_(target), host_(host) {}

  result<document_status> write() {
    if (target_.trace == nullptr) return absent(target_.absent);
    switch (query_.slice) {
      case probe_slice::records:
      case probe_slice::schedule:
      case probe_slice::bytes:
      case probe_slice::density:
      case probe_slice::progress: return write_map();
      default: return write_lists();
    }
  }

 private:
  [[nodiscard]] const probe_trace& trace() const noexcept { return *target_.trace; }

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
    begin(damage_without_probes(p_), why);
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

  result<document_status> write_lists() {
    begin(all_damage());
    const bool all = query_.slice == probe_slice::summary;
    const auto shows = [&](probe_slice part) { return all || query_.slice == part; };
    map_reader reader(trace(), host_);
    probe_lists lists{target_, trace(), reader, {}};
    if (all) write_object(out_, "trace", [&] { fields_of_neutrino_trace(out_, trace()); });
    if (shows(probe_slice::launches)) fields_of_neutrino_launches(out_, lists, trace());
    if (shows(probe_slice::kernels)) fields_of_neutrino_kernels(out_, lists);
    if (shows(probe_slice::maps)) fields_of_neutrino_maps(out_, lists, trace());
    if (reader.was_cancelled()) return fault{fault_code::cancelled, "stopped, as the caller asked", "", no_offset, ""};
    if (shows(probe_slice::overhead)) {
      lists.overhead = analyse_probe_overhead(trace());
      fields_of_neutrino_overheads(out_, lists, trace());
    }
    if (query_.slice == probe_slice::log) write_object(out_, "log", [&] { fields_of_neutrino_log(out_, trace()); });
    return end();
  }

  result<document_status> write_map() {
    if (target_.maps.empty()) return absent(target_.absent);
    const auto held = hold_map(target_);
    if (!held) return held.error();
    const opened_map map{*held->bin, *held->map, *held->map->shape, held->held.bytes, target_.maps.size()};
    const std::uint64_t most = query_.limit == 0 ? ~std::uint64_t{0} : query_.limit;
    switch (query_.slice) {
      case probe_slice::schedule: {
        schedule_options options;
        options.max_skews = most;
        return show(map, analyse_block_schedule(map.map, map.bytes, options, host_), [&](const block_schedule& found) {
          const std::uint64_t skewed = found.blocks - std::min(found.blocks, found.blocks_without_records);
          fields_of_neutrino_schedule(out_, {found, skewed - std::min<std::uint64_t>(skewed, found.skew.size())});
        });
      }
      case probe_slice::bytes:
        return show(map, analyse_lane_totals(map.map, map.bytes, most, host_), [&](const lane_totals& found) {
          const std::uint64_t missing = found.blocks - std::min<std::uint64_t>(found.blocks, found.per_block.size());
          fields_of_neutrino_totals(out_, {found, map.map.place.level, missing});
        });
      case probe_slice::density: {
        const held_bytes tensors = tensor_trace();
        density_options options;
        options.width = query_.width;
        options.height = query_.height;
        options.tensor_trace = tensors.bytes;
        return show(map, analyse_page_density(map.map, map.bytes, options, host_),
                    [&](const page_density& found) { fields_of_neutrino_density(out_, found); });
      }
      case probe_slice::progress:
        return show(map, analyse_progress(map.map, map.bytes, host_),
                    [&](const lane_progress& found) { fields_of_neutrino_progress(out_, {found, map.shape.clock}); });
      default: {  // records
        std::uint64_t row_count = 0;
        return show(map, result<const opened_map*>(&map),
                    [&](const opened_map*) { fields_of_neutrino_records(out_, {map, query_, row_count}); });
      }
    }
  }
  // Of an analysis that the map does not allow: absent, not a failure.
  template <class Found, class Write>
  result<document_status> show(const opened_map& map, const result<Found>& found, Write&& write) {
    if (!found && found.error().code == fault_code::unsupported) return absent(found.error().message);
    if (!found) return found.error();
    begin(all_damage());
    fields_of_neutrino_one_map(out_, map);
    write(*found);
    fields_of_neutrino_flags(out_, map);
    return end();
  }
  [[nodiscard]] held_bytes tensor_trace() const {
    if (trace().tensor_trace_path.empty()) return {};
    auto opened = open_plain_file_source(trace().tensor_trace_path);
    if (!opened) return {};
    auto held = hold_bytes(std::move(*opened));
    return held ? std::move(*held) : held_bytes();
  }

  json_writer& out_;
  const profile& p_;
  const probe_query& query_;
  const probe_target& target_;
  const hooks& host_;
  std::vector<file_damage> damage_;
  verdict verdict_;
};

result<document_status> write_probes(json_writer& out, const profile& p, const probe_query& query, const hooks& host) {
  auto target = find_probe_target(p, query);
  if (!target) return std::move(target).error();
  return neutrino_writer(out, p, query, *target, host).write();
}

}  // namespace

result<document_status> write_neutrino(json_writer& out, const trace& t, const query_filters& o,
                                       const hooks& host) {
  const profile& p = t.files();
  probe_query query;
  query.limit = o.limit;
  return write_probes(out, p, query, host);
}

}  // namespace json

result<document_status> write_probe_document(const profile& p, const probe_query& query, sink& into,
                                             const hooks& host) {
  return contained([&]() -> result<document_status> {
    json_writer out(into);
    out.bound(json::bounds_of(document::neutrino, query.limit));
    result<document_status> status = json::write_probes(out, p, query, host);
    if (!status) return status;
    if (result<void> finished = out.finish(); !finished) return std::move(finished).error();
    return status;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
