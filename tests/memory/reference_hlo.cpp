// The HLO block of the reference: sums over all memory spaces, the pool by its index, sweeps of the entry computation.
#include "like_reference.hpp"

#include <analyse/memory/hlo_report.hpp>
#include <analyse/memory/occupancy.hpp>
#include <analyse/memory/rollup.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <map>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

class reference_hlo {
 public:
  explicit reference_hlo(program& p) : program_(p) {}

  result<hlo_report> run() {
    hlo_report& r = report_;
    std::int64_t largest = 0;
    for (const allocation& a : program_.allocations) {
      const std::int64_t size = a.view.size_bytes();
      r.static_peak_bytes = saturating_add(r.static_peak_bytes, size);
      if (a.view.is_entry_computation_parameter()) {
        r.entry_params_bytes = saturating_add(r.entry_params_bytes, size);
      } else if (a.view.is_constant()) {
        r.constants_bytes = saturating_add(r.constants_bytes, size);
      } else if (a.view.is_thread_local()) {
        r.thread_local_bytes = saturating_add(r.thread_local_bytes, size);
      } else if (size > largest) {
        largest = r.temp_pool_bytes = size;
        r.temp_pool_alloc_index = a.view.index();
      }
    }
    r.n_logical_buffers = program_.buffers.size();
    r.n_buffer_allocations = program_.allocations.size();
    if (r.temp_pool_alloc_index >= 0) {
      if (static_cast<std::uint64_t>(r.temp_pool_alloc_index) >= program_.allocations.size()) return no_such_pool();
      pool_ = &program_.allocations[static_cast<std::size_t>(r.temp_pool_alloc_index)];
    }
    sweep_schedule();
    sweep_addresses();
    r.top_allocations = largest_allocations(program_);
    return std::move(r);
  }

 private:
  static fault no_such_pool() {
    fault f;
    f.code = fault_code::damaged;
    f.message =
        "the reference takes the temp pool's index for its position, and there is no such position: it ends here";
    f.hint = "the default mode analyses this module";
    return f;
  }

  struct placed {
    std::uint32_t buffer;
    std::int64_t offset;
  };

  // A buffer counts from its definition until one position after its last direct use.
  void sweep_schedule() {
    schedule_sweep_result& s = report_.sweep;
    s.scope_note =
        "The reference's sweep: buffers of the temp pool that the entry computation defines, each counted from "
        "its definition until the position after its last direct use there.";
    std::vector<std::uint32_t> order;
    if (program_.entry != nowhere) {
      const std::string_view entry = program_.computations[program_.entry].sequence;
      if (!entry.empty())
        for (const std::int64_t id : schedule_sequence_view(entry).instruction_ids())
          order.push_back(program_.instruction_by_id.find(id));
    }
    s.schedule_present = !order.empty();
    s.entry_schedule_length = order.size();
    std::vector<std::int64_t> position(program_.instructions.size(), -1), last_use(program_.instructions.size(), -1);
    for (std::size_t at = 0; at < order.size(); ++at) {
      if (order[at] == nowhere) continue;
      position[order[at]] = static_cast<std::int64_t>(at);
      for (const std::int64_t id : program_.instruction(order[at]).operand_ids()) {
        const std::uint32_t used = program_.instruction_by_id.find(id);
        if (used != nowhere) last_use[used] = static_cast<std::int64_t>(at);
      }
    }
    struct change {
      std::int64_t at;
      bool removes;
      std::uint32_t which;  // position in lives
    };
    std::vector<placed> lives;
    std::vector<change> changes;
    if (pool_ != nullptr && s.schedule_present) {
      for (const assigned_buffer_view a : pool_->view.assigned()) {
        const std::uint32_t b = program_.buffer_by_id.find(a.logical_buffer_id());
        const std::uint32_t at = b == nowhere ? nowhere : program_.buffers[b].instruction;
        if (at == nowhere || position[at] < 0) {
          ++s.n_subcomputation_lbs_skipped;
          continue;
        }
        const std::int64_t first = position[at], last = last_use[at] < 0 ? first : last_use[at];
        const auto which = static_cast<std::uint32_t>(lives.size());
        lives.push_back({b, a.offset_bytes()});
        changes.push_back({first, false, which});
        changes.push_back({std::max(first, last) + 1, true, which});
      }
    }
    std::stable_sort(changes.begin(), changes.end(), [](const change& a, const change& b) {
      return a.at < b.at || (a.at == b.at && !a.removes && b.removes);
    });
    std::int64_t live = 0;
    std::size_t peak_change = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const std::int64_t bytes = program_.buffers[lives[changes[i].which].buffer].size_bytes;
      live = saturating_add(live, changes[i].removes ? -bytes : bytes);
      if (changes[i].removes || live <= s.peak_alive_bytes) continue;
      s.peak_alive_bytes = live;
      s.peak_schedule_pos = changes[i].at;
      peak_change = i + 1;
    }
    std::vector<bool> alive(lives.size(), false);
    for (std::size_t i = 0; i < peak_change; ++i) alive[changes[i].which] = !changes[i].removes;
    for (std::size_t i = 0; i < lives.size(); ++i) {
      if (!alive[i]) continue;
      buffer_row row = describe(program_, lives[i].buffer, false);
      row.allocation_index = report_.temp_pool_alloc_index;
      row.offset_bytes = lives[i].offset;
      report_.alive_total_bytes = saturating_add(report_.alive_total_bytes, row.size_bytes);
      report_.alive.push_back(std::move(row));
    }
    by_size(report_.alive);
    roll_up(report_.alive, report_.by_opcode, report_.by_op_name);
    const auto peak = static_cast<std::size_t>(s.peak_schedule_pos);
    if (peak >= order.size() || order[peak] == nowhere) return;
    const instruction_view at = program_.instruction(order[peak]);
    s.peak_instruction_id = at.id();
    s.peak_instruction_name = at.name();
    s.peak_opcode = at.opcode();
    s.peak_op_name = at.metadata().op_name();
  }

  // Stretches of addresses with one owner; rows of the 64 largest owners that can be described.
  void sweep_addresses() {
    if (pool_ == nullptr) return;
    std::vector<owned_range> ranges;
    std::vector<std::pair<std::int64_t, std::int64_t>> assigned;  // id, offset
    for (const assigned_buffer_view a : pool_->view.assigned()) {
      const std::int64_t end = saturating_add(a.offset_bytes(), a.size_bytes());
      ranges.push_back({{a.offset_bytes(), end}, static_cast<std::uint32_t>(assigned.size())});
      assigned.emplace_back(a.logical_buffer_id(), a.offset_bytes());
    }
    std::map<std::uint32_t, std::int64_t> owned;
    visit_lone_owners(ranges, [&](std::uint32_t owner, std::int64_t bytes) {
      owned[owner] = saturating_add(owned[owner], bytes);
      report_.always_alive_total_bytes = saturating_add(report_.always_alive_total_bytes, bytes);
    });
    std::vector<std::pair<std::uint32_t, std::int64_t>> owners(owned.begin(), owned.end());
    std::stable_sort(owners.begin(), owners.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    constexpr std::size_t max_owners = 64;
    if (owners.size() > max_owners) owners.resize(max_owners);
    for (const auto& [owner, bytes] : owners) {
      const std::uint32_t b = program_.buffer_by_id.find(assigned[owner].first);
      if (b == nowhere || !program_.buffers[b].has_definition) continue;
      buffer_row row = describe(program_, b, false);
      row.size_bytes = bytes;
      row.allocation_index = report_.temp_pool_alloc_index;
      row.offset_bytes = assigned[owner].second;
      report_.always_alive.push_back(std::move(row));
    }
    roll_up(report_.always_alive, report_.always_by_opcode, report_.always_by_op_name);
  }

  static void by_size(std::vector<buffer_row>& rows) {
    std::stable_sort(rows.begin(), rows.end(),
                 [](const buffer_row& a, const buffer_row& b) { return a.size_bytes > b.size_bytes; });
  }

  program& program_;
  const allocation* pool_ = nullptr;
  hlo_report report_;
};

}  // namespace

result<hlo_report> hlo_like_reference(program& p) { return reference_hlo(p).run(); }

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
