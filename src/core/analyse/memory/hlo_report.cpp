#include "hlo_report.hpp"

#include "occupancy.hpp"
#include "rollup.hpp"

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

constexpr const char* scope_note =
    "Walks the entry computation alone and counts buffers of the temp pool from their definition to their last use "
    "there; buffers that share addresses count once. Buffers defined in loop bodies, branches and calls are counted in "
    "n_subcomputation_lbs_skipped and are part of alive_at_peak, which comes from the compiler's heap simulation.";

schedule_sweep_result sweep_entry(program_study& study, const space_memory& space) {
  program& p = study.code;
  schedule_sweep_result out;
  out.scope_note = scope_note;
  const execution_order order = order_of(p, sweep_scope::entry);
  out.schedule_present = order.present();
  out.entry_schedule_length = order.instructions.size();
  const std::uint32_t pool = space.temp_pool_index < 0 ? nowhere : p.allocation_by_index.find(space.temp_pool_index);
  if (pool == nowhere) return out;
  const buffers_of_allocations& assigned = *study.assigned;
  const std::vector<std::uint32_t> buffers(assigned.begin(pool), assigned.end(pool));
  const std::vector<lifetime> lives = lifetimes_of(p, order, buffers);
  const sweep_result swept = sweep(p, buffers, lives, lay_out(p, {pool}), order.instructions.size());
  out.n_subcomputation_lbs_skipped = swept.skipped;
  out.peak_alive_bytes = swept.peak_bytes;
  if (swept.peak_position < 0) return out;
  out.peak_schedule_pos = swept.peak_position;
  const instruction_view at = p.instruction(order.instructions[static_cast<std::size_t>(swept.peak_position)]);
  out.peak_instruction_id = at.id();
  out.peak_instruction_name = at.name();
  out.peak_opcode = at.opcode();
  out.peak_op_name = at.metadata().op_name();
  return out;
}

// Values that alone use addresses of an allocation; the part of a range that lies outside it is left out.
std::vector<buffer_row> lone_owners(const program_study& study, std::uint32_t pool, std::int64_t& total_bytes,
                                    std::uint64_t described) {
  const program& p = study.code;
  const buffers_of_allocations& assigned = *study.assigned;
  std::vector<owned_range> ranges;
  for (const std::uint32_t* b = assigned.begin(pool); b != assigned.end(pool); ++b) {
    const logical_buffer& buffer = p.buffers[*b];
    const std::int64_t size = p.allocations[pool].size_bytes;
    const std::int64_t from = std::min(std::max<std::int64_t>(buffer.offset_bytes, 0), size);
    const std::int64_t bytes = std::min(std::max<std::int64_t>(buffer.assigned_bytes, 0), size - from);
    if (bytes > 0) ranges.push_back({{from, from + bytes}, *b});
  }
  hash_map<std::uint32_t, std::int64_t> owned;
  std::vector<std::uint32_t> owners;  // by address
  total_bytes = 0;
  visit_lone_owners(ranges, [&](std::uint32_t owner, std::int64_t bytes) {
    std::int64_t& sum = owned[owner];
    if (sum == 0) owners.push_back(owner);
    sum += bytes;
    total_bytes += bytes;
  });
  std::stable_sort(owners.begin(), owners.end(), [&](std::uint32_t a, std::uint32_t b) { return owned[a] > owned[b]; });
  std::vector<buffer_row> rows;
  rows.reserve(owners.size());
  for (const std::uint32_t owner : owners) {
    buffer_row row = describe(p, owner, rows.size() < described);
    row.size_bytes = owned[owner];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<allocation_row> largest_allocations(const program& p) {
  constexpr std::size_t most = 15;
  std::vector<std::uint32_t> order(p.allocations.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return p.allocations[a].view.size_bytes() > p.allocations[b].view.size_bytes();
  });
  if (order.size() > most) order.resize(most);
  std::vector<allocation_row> rows;
  for (const std::uint32_t at : order) {
    const allocation& a = p.allocations[at];
    allocation_row row;
    row.index = a.view.index();
    row.size_bytes = a.view.size_bytes();
    row.color = a.view.color();
    row.n_assigned_lbs = a.assigned;
    if (a.view.is_entry_computation_parameter())
      row.flags.push_back("entry_param[" + std::to_string(a.view.parameter_number()) + ']');
    if (a.view.is_constant()) row.flags.emplace_back("const");
    if (a.view.is_thread_local()) row.flags.emplace_back("thread_local");
    if (a.view.is_tuple()) row.flags.emplace_back("tuple");
    if (a.view.maybe_live_out()) row.flags.emplace_back("live_out");
    rows.push_back(std::move(row));
  }
  return rows;
}

result<hlo_report> report_on(program_study& study, std::int64_t color, const memory_options& o) {
  program& p = study.code;
  hlo_report r;
  r.color = color;
  r.n_logical_buffers = p.buffers.size();
  r.n_buffer_allocations = p.allocations.size();
  r.top_allocations = largest_allocations(p);
  problem_list ignored;  // overflow was reported when the spaces were added up
  for (const allocation& a : p.allocations) add_bytes(r.all_allocations_bytes, a.size_bytes, ignored);
  const space_study* space = study.space(color);
  if (space == nullptr) {
    r.sweep = sweep_entry(study, space_memory{});
    return r;
  }
  const space_memory& f = space->facts;
  r.static_peak_bytes = f.total_bytes;
  r.entry_params_bytes = f.entry_params_bytes;
  r.constants_bytes = f.constants_bytes;
  r.temp_pool_bytes = f.temp_pool_bytes;
  r.temp_pool_alloc_index = f.temp_pool_index;
  r.thread_local_excluded_bytes = f.thread_local_bytes;
  r.other_bytes = saturating_add(f.live_out_bytes, f.temp_bytes - f.temp_pool_bytes);
  r.sweep = sweep_entry(study, f);

  r.alive = alive_at_peak(study, *space, o.top);
  for (const buffer_row& row : r.alive) r.alive_total_bytes = saturating_add(r.alive_total_bytes, row.size_bytes);
  roll_up(r.alive, r.by_opcode, r.by_op_name);
  const std::uint32_t pool = f.temp_pool_index < 0 ? nowhere : p.allocation_by_index.find(f.temp_pool_index);
  if (pool != nowhere) r.always_alive = lone_owners(study, pool, r.always_alive_total_bytes, o.top);
  roll_up(r.always_alive, r.always_by_opcode, r.always_by_op_name);

  r.donation = donation_candidates(study, color);
  if (o.curve_points > 0) r.curve = curve_of(study, *space, o.curve_points);
  for (const std::string& name : o.remat) {
    auto answer = what_if(study, *space, "remat", name);
    if (!answer) return std::move(answer).error();
    r.what_if.push_back(std::move(*answer));
  }
  for (const std::string& name : o.offload) {
    auto answer = what_if(study, *space, "offload", name);
    if (!answer) return std::move(answer).error();
    r.what_if.push_back(std::move(*answer));
  }
  return r;
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
