#include <profkit/core/probe_export.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "table.hpp"

struct pk_probe : profkit::capi::counted {
  explicit pk_probe(pk_profile* of) : profile(of) {}
  profkit::capi::profile_reference profile;
  profkit::probe_target target;
  profkit::probe_tool tool = profkit::probe_tool::none;
  std::vector<std::unique_ptr<profkit::capi::owned_error>> damage;  // one a record file; null when it is sound
};

struct pk_probe_records {
  profkit::capi::held_handle<pk_probe> probe{nullptr, [](pk_probe*) noexcept {}};  // its maps are in use
  profkit::held_bytes held;
  profkit::probe_records records;
  profkit::probe_records::iterator next, end;
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

constexpr bool equal(probe_flag ours, std::uint32_t theirs) noexcept { return ours == theirs; }
static_assert(equal(probe_offset_recomputed, PK_PROBE_OFFSET_RECOMPUTED));
static_assert(equal(probe_size_mismatch, PK_PROBE_SIZE_MISMATCH));
static_assert(equal(probe_truncated, PK_PROBE_TRUNCATED));
static_assert(equal(probe_overlap, PK_PROBE_OVERLAP));
static_assert(equal(probe_bad_offset, PK_PROBE_BAD_OFFSET));
static_assert(equal(probe_level_guessed, PK_PROBE_LEVEL_GUESSED));
static_assert(equal(probe_level_unknown, PK_PROBE_LEVEL_NOT_KNOWN));
static_assert(equal(probe_aliased, PK_PROBE_ALIASED));
static_assert(equal(probe_table_ignored, PK_PROBE_TABLE_IGNORED));
static_assert(equal(probe_slack, PK_PROBE_SLACK));
static_assert(equal(probe_raw_words, PK_PROBE_RAW_WORDS));
static_assert(equal(probe_shape_mismatch, PK_PROBE_SHAPE_MISMATCH));
static_assert(equal(probe_maps_mismatch, PK_PROBE_MAPS_MISMATCH));
static_assert(equal(probe_possible_overflow, PK_PROBE_POSSIBLE_OVERFLOW));
static_assert(equal(probe_shape_assumed, PK_PROBE_SHAPE_ASSUMED));
static_assert(no_block == PK_PROBE_NO_BLOCK);

result<const probe_bin*> require_bin(const pk_probe* probe, std::size_t bin) {
  if (!probe) return null_argument("probe");
  const std::vector<probe_bin>& bins = probe->target.trace->bins;
  if (bin >= bins.size()) return no_such("record file", bin, bins.size());
  return &bins[bin];
}

result<const probe_bin_map*> require_map(const pk_probe* probe, std::size_t bin, std::uint32_t map) {
  const auto found = require_bin(probe, bin);
  if (!found) return found.error();
  if (map >= (*found)->maps.size()) return no_such("map", map, (*found)->maps.size());
  return &(*found)->maps[map];
}

pk_probe_bin bin_of(const probe_bin& bin) noexcept {
  pk_probe_bin out{};
  out.name = borrowed(bin.name);
  out.path = borrowed(bin.path);
  out.bytes = bin.bytes;
  out.elapsed_us = bin.elapsed_us.value_or(-1);
  out.launch = bin.launch;
  out.map_count = static_cast<std::uint32_t>(bin.maps.size());
  out.shared_bytes = bin.header.shared_bytes;
  for (std::size_t i = 0; i < 3; ++i) {
    out.grid[i] = bin.header.grid[i];
    out.block[i] = bin.header.block[i];
  }
  return out;
}

pk_probe_record record_of(std::uint64_t block, std::uint64_t lane, std::uint64_t k, probe_record record) noexcept {
  return {block, lane, k, record.data()};
}

// What tables of a trace hold on to. It has no devices.
result<table_parts> probe_parts(pk_probe* probe) {
  table_parts parts;
  parts.owner = owner_of(probe);
  auto devices = capture_devices::of_planes(probe->profile.core());
  if (!devices) return std::move(devices).error();
  parts.devices = std::move(*devices);
  return parts;
}

result<probe_query> read_query(const pk_probe_query& given, probe_tool tool) {
  constexpr std::uint32_t known = PK_PROBE_QUERY_HAS_BLOCK | PK_PROBE_QUERY_HAS_LANE;
  constexpr std::uint32_t max_cells = 4096;
  if ((given.flags & ~known) != 0) return unknown_flags("pk_probe_query", given.flags);
  if (given.reserved != 0 || given.reserved1 != 0) return invalid_argument("pk_probe_query::reserved is not 0");
  if (given.slice < PK_PROBE_SLICE_SUMMARY || given.slice > PK_PROBE_SLICE_LOG)
    return invalid_argument("there is no slice " + std::to_string(given.slice), "use a PK_PROBE_SLICE_ constant");
  if (given.format < PK_PROBE_JSON || given.format > PK_PROBE_SVG)
    return invalid_argument("there is no format " + std::to_string(given.format), "use PK_PROBE_JSON and so on");
  if (given.width > max_cells || given.height > max_cells)
    return invalid_argument("a grid has at most " + std::to_string(max_cells) + " rows and columns");
  probe_query query;
  query.slice = static_cast<probe_slice>(given.slice);
  if (given.width != 0) query.width = given.width;
  if (given.height != 0) query.height = given.height;
  query.launch = text_of(given.launch);
  query.map = text_of(given.map);
  if ((given.flags & PK_PROBE_QUERY_HAS_BLOCK) != 0) query.block = given.block;
  if ((given.flags & PK_PROBE_QUERY_HAS_LANE) != 0) query.lane = given.lane;
  query.limit = limit_of(given.limit, given.format == PK_PROBE_JSON ? default_limit(document::neutrino) : 0);
  query.assume = tool;
  if (given.format == PK_PROBE_SVG && given.width == 0) query.width = 160;
  if (given.format == PK_PROBE_SVG && given.height == 0) query.height = 100;
  return query;
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_probe_open(pk_profile* profile, int32_t tool, pk_probe** out, pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!profile) return null_argument("profile");
    if (!out) return null_argument("out");
    if (tool < PK_PROBE_TOOL_NONE || tool > PK_PROBE_TOOL_DMAT)
      return invalid_argument("there is no tool " + std::to_string(tool), "use a PK_PROBE_TOOL_ constant");
    auto probe = std::make_unique<pk_probe>(profile);
    probe->tool = static_cast<profkit::probe_tool>(tool);
    profkit::probe_query query;
    query.assume = probe->tool;
    auto target = profkit::find_probe_target(probe->profile.core(), query);
    if (!target) return std::move(target).error();
    if (target->trace == nullptr)
      return profkit::fault{profkit::fault_code::not_found, target->absent, profile->core->what().path,
                            profkit::no_offset, "name the folder that holds event.log"};
    probe->target = std::move(*target);
    for (const profkit::probe_bin& bin : probe->target.trace->bins)
      probe->damage.push_back(bin.damage ? std::make_unique<owned_error>(*bin.damage) : nullptr);
    *out = probe.release();
    return PK_OK;
  });
}

size_t pk_probe_bin_count(const pk_probe* probe) noexcept { return probe ? probe->target.trace->bins.size() : 0; }

pk_status pk_probe_bin_get(const pk_probe* probe, size_t bin, pk_probe_bin* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!out) return null_argument("out");
    const auto found = require_bin(probe, bin);
    if (!found) return found.error();
    *out = bin_of(**found);
    return PK_OK;
  });
}

const pk_error* pk_probe_bin_damage(const pk_probe* probe, size_t bin) noexcept {
  return probe && bin < probe->damage.size() ? probe->damage[bin].get() : nullptr;
}

const char* pk_probe_flag_name(uint32_t flag) noexcept {
  for (unsigned bit = 0; bit < profkit::probe_flag_count; ++bit)
    if (flag == 1u << bit) return profkit::probe_flag_name(bit);
  return "";
}

pk_status pk_probe_map_get(const pk_probe* probe, size_t bin, uint32_t map, pk_probe_map* out,
                           pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!out) return null_argument("out");
    const auto found = require_map(probe, bin, map);
    if (!found) return found.error();
    const profkit::probe_map& place = (*found)->place;
    const profkit::probe_shape& shape = *(*found)->shape;
    out->name = borrowed(shape.name);
    out->level = static_cast<std::int32_t>(place.level);
    out->flags = place.flags;
    out->record_bytes = shape.record_bytes;
    out->field_count = static_cast<std::uint32_t>(shape.fields.size());
    out->lane_bytes = place.lane_bytes;
    out->capacity = shape.record_bytes == 0 ? 0 : place.lane_bytes / shape.record_bytes;
    out->offset = place.offset;
    out->bytes = place.bytes;
    out->present_bytes = place.present_bytes;
    out->recorded_offset = place.recorded_offset;
    out->lanes_per_block = place.lanes_per_block;
    out->lanes = profkit::probe_records(place, shape.record_bytes).present_lanes();
    return PK_OK;
  });
}

pk_status pk_probe_field_get(const pk_probe* probe, size_t bin, uint32_t map, uint32_t field, pk_probe_field* out,
                             pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!out) return null_argument("out");
    const auto found = require_map(probe, bin, map);
    if (!found) return found.error();
    const auto& fields = (*found)->shape->fields;
    if (field >= fields.size()) return no_such("field", field, fields.size());
    out->name = borrowed(fields[field].name);
    out->bytes = fields[field].type == profkit::probe_type::u64 ? 8 : 4;
    out->offset = fields[field].offset;
    out->declared = fields[field].declared;
    return PK_OK;
  });
}

pk_status pk_probe_table(pk_probe* probe, const pk_table_options* options, pk_table** out, pk_error** err) noexcept {
  return open_table(options, out, err, [&](const table_request& asked, const profkit::hooks&) -> result<table_parts> {
    if (!probe) return null_argument("probe");
    if (result<void> plain = refuse_filters(asked); !plain) return std::move(plain).error();
    result<table_parts> parts = probe_parts(probe);
    if (!parts) return parts;
    parts->rows = profkit::rows_of({{probe->target.trace, static_cast<std::uint32_t>(probe->target.file)}});
    return parts;
  });
}

pk_status pk_probe_records_table(pk_probe* probe, size_t bin, uint32_t map, const pk_table_options* options,
                                 pk_table** out, pk_error** err) noexcept {
  return open_table(options, out, err, [&](const table_request& asked, const profkit::hooks&) -> result<table_parts> {
    if (!probe) return null_argument("probe");
    if (result<void> plain = refuse_filters(asked); !plain) return std::move(plain).error();
    result<table_parts> parts = probe_parts(probe);
    if (!parts) return parts;
    const auto file = static_cast<std::uint32_t>(probe->target.file);
    auto columns = open_records(
        probe, map, {file, static_cast<std::int64_t>(bin), parts->devices->run(file), parts->devices->host(file, -1)});
    if (!columns) return std::move(columns).error();
    parts->columns = std::move(*columns);
    return parts;
  });
}

pk_status pk_probe_records_open(const pk_probe* probe, size_t bin, uint32_t map, pk_probe_records** out,
                                pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!out) return null_argument("out");
    const auto found = require_map(probe, bin, map);
    if (!found) return found.error();
    auto held = probe->target.trace->hold(bin);
    if (!held) return std::move(held).error();
    auto records = std::make_unique<pk_probe_records>();
    records->probe = profkit::capi::hold(const_cast<pk_probe*>(probe));  // only its count changes
    records->held = std::move(*held);
    records->records = profkit::records_of(**found, records->held.bytes);
    records->next = records->records.begin();
    records->end = records->records.end();
    *out = records.release();
    return PK_OK;
  });
}

pk_status pk_probe_records_read(pk_probe_records* records, pk_probe_record* rows, size_t capacity, size_t* count,
                                pk_error** err) noexcept {
  if (count) *count = 0;
  return guard(err, [&]() -> result<pk_status> {
    if (!records) return null_argument("records");
    if (!rows) return null_argument("rows");
    if (!count) return null_argument("count");
    std::size_t read = 0;
    for (; read < capacity && records->next != records->end; ++records->next) {
      const profkit::probe_records::row& row = *records->next;
      rows[read++] = record_of(row.block, row.lane, row.k, row.record);
    }
    *count = read;
    return read == 0 && capacity != 0 ? PK_END : PK_OK;
  });
}

pk_status pk_probe_record_get(const pk_probe_records* records, uint64_t block, uint64_t lane, uint64_t k,
                              pk_probe_record* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!records) return null_argument("records");
    if (!out) return null_argument("out");
    const profkit::probe_lane found = records->records.lane(block, lane);
    if (k >= found.capacity()) return PK_END;
    *out = record_of(block, lane, k, found.record(k));
    return PK_OK;
  });
}

void pk_probe_records_free(pk_probe_records* records) noexcept { delete records; }

pk_status pk_probe_write(const pk_probe* probe, const pk_probe_query* query, pk_write_callback write, void* user,
                         int32_t* status, pk_error** err) noexcept {
  if (status) *status = PK_DOCUMENT_STATUS_OK;
  return guard(err, [&]() -> result<pk_status> {
    if (!probe) return null_argument("probe");
    if (!write) return null_argument("write");
    result<pk_probe_query> given = read_sized_struct<pk_probe_query>(query, "pk_probe_query");
    if (!given) return std::move(given).error();
    result<profkit::probe_query> asked = read_query(*given, probe->tool);
    if (!asked) return std::move(asked).error();
    hook_bridge bridge;
    if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
    return write_to_host(write, user, status, [&](profkit::sink& into) -> result<profkit::document_status> {
      const profkit::profile& core = probe->profile.core();
      if (given->format == PK_PROBE_JSON) return profkit::write_probe_document(core, *asked, into, bridge.core());
      if (given->format == PK_PROBE_SVG)
        return profkit::write_probe_svg(core, *asked, text_of(given->title), into, bridge.core());
      result<profkit::probe_csv_outcome> written = profkit::write_probe_csv(core, *asked, into, bridge.core());
      if (!written) return std::move(written).error();
      return written->status;
    });
  });
}

void pk_probe_free(pk_probe* probe) noexcept { release_handle(probe); }

profkit::capi::held_handle<pk_probe> profkit::capi::hold(pk_probe* probe) noexcept {
  return {retain_handle(probe), pk_probe_free};
}
