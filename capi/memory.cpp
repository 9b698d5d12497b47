#include <profkit/core/memory.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "table.hpp"

struct pk_memory : profkit::capi::counted {
  explicit pk_memory(pk_profile* of) : profile(of) {}
  profkit::capi::profile_reference profile;
  profkit::memory_options asked;
  profkit::memory_result found;
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {


constexpr std::uint32_t known_memory_flags = PK_MEMORY_NO_RUNTIME | PK_MEMORY_ALL_TRACE |
                                             PK_MEMORY_INCLUDE_HOST_POOLS | PK_MEMORY_HAS_FIT | PK_MEMORY_NO_TIMELINE |
                                             PK_MEMORY_KEPT_IS_PERSISTENT;

result<memory_options> read_memory_options(const pk_memory_options& given) {
  if ((given.flags & ~known_memory_flags) != 0) return unknown_flags("pk_memory_options", given.flags);
  if (given.step_policy < PK_STEP_POLICY_PEAK || given.step_policy > PK_STEP_POLICY_FIRST)
    return invalid_argument("there is no step policy " + std::to_string(given.step_policy),
                            "use a PK_STEP_POLICY_ constant");
  result<query_filters> filters = read_filters(given.filters, by_host | by_step);
  if (!filters) return std::move(filters).error();
  memory_options o;
  o.host = std::move(filters->host);
  o.module = text_of(given.module);
  if (given.top != PK_LIMIT_DEFAULT) o.top = given.top;  // the core's "all" is the same number
  o.runtime = (given.flags & PK_MEMORY_NO_RUNTIME) == 0;
  o.all_trace = (given.flags & PK_MEMORY_ALL_TRACE) != 0;
  o.include_host_pools = (given.flags & PK_MEMORY_INCLUDE_HOST_POOLS) != 0;
  if (filters->step)  // past the last step either way
    o.step = static_cast<std::int64_t>(std::min<std::uint64_t>(*filters->step, (std::numeric_limits<std::int64_t>::max)()));
  if ((given.flags & PK_MEMORY_HAS_FIT) != 0) o.fit_bytes = given.fit_bytes;
  o.curve_points = given.curve_points;
  if (given.time_samples != 0) o.time_samples = given.time_samples;
  if ((given.flags & PK_MEMORY_NO_TIMELINE) != 0) o.time_samples = 0;
  if (given.persistent_threshold_steps != 0) o.persistent_threshold_steps = given.persistent_threshold_steps;
  if ((given.flags & PK_MEMORY_KEPT_IS_PERSISTENT) != 0) o.persistent_threshold_steps = 0;
  o.policy = static_cast<step_policy>(given.step_policy);
  o.memory_space = given.memory_space;
  if (given.what_if_count > 0 && given.what_if == nullptr) return null_argument("what_if");
  for (std::size_t i = 0; i < given.what_if_count; ++i)
    if (result<void> added = add_what_if(text_of(given.what_if[i]), o); !added) return std::move(added).error();
  return o;
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_memory_open(pk_profile* profile, const pk_memory_options* options, pk_memory** out,
                         pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!profile) return null_argument("profile");
    if (!out) return null_argument("out");
    result<pk_memory_options> given =
        read_sized_struct<pk_memory_options>(options, "pk_memory_options");
    if (!given) return std::move(given).error();
    result<profkit::memory_options> asked = read_memory_options(*given);
    if (!asked) return std::move(asked).error();
    hook_bridge bridge;
    if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
    auto memory = std::make_unique<pk_memory>(profile);
    memory->asked = std::move(*asked);
    result<profkit::memory_result> found = profkit::analyse_memory(memory->profile.capture(), memory->asked, bridge.core());
    if (!found) return std::move(found).error();
    memory->found = std::move(*found);
    *out = memory.release();
    return PK_OK;
  });
}

size_t pk_memory_module_count(const pk_memory* memory) noexcept { return memory ? memory->found.modules.size() : 0; }

pk_status pk_memory_module_get(const pk_memory* memory, size_t module, pk_memory_module* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!memory) return null_argument("memory");
    if (!out) return null_argument("out");
    const auto& modules = memory->found.modules;
    if (module >= modules.size()) return no_such("module", module, modules.size());
    const profkit::module_memory& m = modules[module];
    out->name = borrowed(m.name);
    out->label = borrowed(m.label);
    out->program_id = borrowed(m.program_id);
    out->source = borrowed(m.sources.front().path);
    out->source_count = m.sources.size();
    out->space_count = m.spaces.size();
    out->problem_count = m.problems.size();
    out->damaged = m.damage ? 1 : 0;
    out->chosen = memory->found.hlo && memory->found.hlo->module == module ? 1 : 0;
    return PK_OK;
  });
}

pk_status pk_memory_space_get(const pk_memory* memory, size_t module, size_t space, pk_memory_space* out,
                              pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!memory) return null_argument("memory");
    if (!out) return null_argument("out");
    const auto& modules = memory->found.modules;
    if (module >= modules.size()) return no_such("module", module, modules.size());
    if (space >= modules[module].spaces.size()) return no_such("memory space", space, modules[module].spaces.size());
    const profkit::space_memory& s = modules[module].spaces[space];
    out->color = s.color;
    out->total_bytes = s.total_bytes;
    out->peak_bytes = s.peak_bytes;
    out->peak_event = s.peak_event;
    out->indefinite_bytes = s.indefinite_bytes;
    out->temp_bytes = s.temp_bytes;
    out->temp_peak_bytes = s.temp_peak_bytes;
    out->thread_local_bytes = s.thread_local_bytes;
    out->fragmentation_bytes = s.fragmentation_bytes;
    out->residency_floor_bytes = s.residency_floor_bytes;
    out->peak_instruction = borrowed(s.peak_instruction);
    out->coverage = borrowed(s.coverage);
    out->method = static_cast<std::int32_t>(s.method);
    out->bound = static_cast<std::int32_t>(s.bound);
    return PK_OK;
  });
}

pk_status pk_memory_fit(const pk_memory* memory, uint32_t* fits, int64_t* spare_bytes, pk_error** err) noexcept {
  if (fits) *fits = 0;
  if (spare_bytes) *spare_bytes = 0;
  return guard(err, [&]() -> result<pk_status> {
    if (!memory) return null_argument("memory");
    if (!memory->found.fit || !memory->found.fit->known()) return PK_END;
    if (fits) *fits = memory->found.fit->fits ? 1 : 0;
    if (spare_bytes) *spare_bytes = memory->found.fit->spare_bytes;
    return PK_OK;
  });
}

pk_status pk_memory_write(const pk_memory* memory, pk_write_callback write, void* user, int32_t* status,
                          pk_error** err) noexcept {
  if (status) *status = PK_DOCUMENT_STATUS_OK;
  return guard(err, [&]() -> result<pk_status> {
    if (!memory) return null_argument("memory");
    if (!write) return null_argument("write");
    return write_to_host(write, user, status, [&](profkit::sink& into) {
      return profkit::write_memory_document(memory->profile.core(), memory->asked, memory->found, into);
    });
  });
}

pk_status pk_memory_table(pk_memory* memory, int32_t table, const pk_table_options* options, pk_table** out,
                          pk_error** err) noexcept {
  return open_table(options, out, err, [&](const table_request& asked, const profkit::hooks& host) -> result<table_parts> {
    if (!memory) return null_argument("memory");
    if (table != PK_TABLE_ALLOCATORS && table != PK_TABLE_LIVE_BUFFERS && table != PK_TABLE_LIVE_CURVE)
      return table_not_here(table, "PK_TABLE_LIVE_BUFFERS, PK_TABLE_LIVE_CURVE and PK_TABLE_ALLOCATORS");
    if (result<void> plain = refuse_filters(asked); !plain) return std::move(plain).error();
    table_parts parts;
    parts.owner = owner_of(memory);
    auto devices = profkit::capture_devices::list(memory->profile.capture(), host);
    if (!devices) return std::move(devices).error();
    parts.devices = std::move(*devices);
    parts.rows = profkit::rows_of(parts.devices, memory->found, static_cast<profkit::table_kind>(table));
    return parts;
  });
}

void pk_memory_free(pk_memory* memory) noexcept { release_handle(memory); }

profkit::capi::held_handle<pk_memory> profkit::capi::hold(pk_memory* memory) noexcept {
  return {retain_handle(memory), pk_memory_free};
}
