// What people ask next: which parameters could be donated, what leaving a buffer out would win.
#include "hlo_report.hpp"

#include <profkit/time.hpp>

#include <analyse/modules/shape_text.hpp>
#include <base/hash_map.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

// The buffer an allocation is mainly for: its largest.
std::uint32_t main_buffer(const program& p, const buffers_of_allocations& assigned, std::uint32_t a) {
  std::uint32_t largest = nowhere;
  for (const std::uint32_t* b = assigned.begin(a); b != assigned.end(a); ++b)
    if (largest == nowhere || p.buffers[*b].size_bytes > p.buffers[largest].size_bytes) largest = *b;
  return largest;
}

// Which element of the entry computation's result a buffer of an allocation is; empty when that is not known.
std::vector<std::int64_t> output_index(const program& p, const buffers_of_allocations& assigned, std::uint32_t a,
                                       const hash_map<std::uint32_t, std::int64_t>& result_element) {
  for (const std::uint32_t* b = assigned.begin(a); b != assigned.end(a); ++b) {
    const auto found = result_element.find(p.buffers[*b].instruction);
    if (found != result_element.end()) return {found->second};
  }
  return {};
}

// The instructions a what-if is about: by name, else by op_name.
std::vector<std::uint32_t> instructions_named(const program& p, const std::string& name) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < p.instructions.size(); ++i)
    if (p.instruction(i).name() == name) found.push_back(i);
  for (std::uint32_t i = 0; found.empty() && i < p.instructions.size(); ++i) {
    if (p.instruction(i).metadata().op_name() != name) continue;
    for (; i < p.instructions.size(); ++i)
      if (p.instruction(i).metadata().op_name() == name) found.push_back(i);
  }
  return found;
}

// Peak of a replay in which some buffers hold their memory only at their first event and at the one before their last.
// Memory that is shared stays as long as any other buffer holds it.
std::int64_t replay_without(const program& p, const heap_replay& replay, const std::vector<bool>& named) {
  struct change {
    std::uint32_t at, root;
    std::int32_t holders;
  };
  struct hold {
    std::uint32_t root = nowhere, since = 0, times = 0;
  };
  const std::vector<replay_event>& events = replay.events();
  std::vector<change> changes;
  changes.reserve(events.size() + 64);
  share_chains chains(p.buffers.size());
  std::vector<std::int32_t> holders(p.buffers.size(), 0);
  std::vector<hold> held(p.buffers.size());
  for (std::uint32_t at = 0; at < events.size(); ++at) {
    const replay_event& e = events[at];
    if (e.kind == heap_event_kind::share_with && (e.shared_with == nowhere || !chains.share(e.buffer, e.shared_with)))
      continue;
    const std::uint32_t root = chains.root(e.buffer);
    hold& of = held[e.buffer];
    if (e.kind != heap_event_kind::free) {
      ++holders[root];
      changes.push_back({at, root, 1});
      of = {root, at, of.times + 1};
    } else if (holders[root] > 0) {
      --holders[root];
      changes.push_back({at, root, -1});
      // Of a buffer that is held twice, or under another one by now, it is unclear which part could be left out.
      if (named[e.buffer] && of.times == 1 && of.root == root && at > of.since + 2) {
        changes.push_back({of.since + 1, root, -1});
        changes.push_back({at - 1, root, 1});
      }
      if (of.times > 0) --of.times;
    }
  }
  std::stable_sort(changes.begin(), changes.end(), [](const change& a, const change& b) { return a.at < b.at; });
  std::fill(holders.begin(), holders.end(), 0);
  std::int64_t peak = 0, live = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const change& c = changes[i];
    const bool was_held = holders[c.root] > 0;
    holders[c.root] += c.holders;
    const bool is_held = holders[c.root] > 0;
    if (was_held != is_held)
      live = saturating_add(live, is_held ? p.buffers[c.root].size_bytes : -p.buffers[c.root].size_bytes);
    if (i + 1 == changes.size() || changes[i + 1].at != c.at) peak = std::max(peak, live);
  }
  return peak;
}

std::int64_t sweep_without(const program& p, const space_study& space, const std::vector<bool>& named) {
  std::vector<std::uint32_t> buffers;
  std::vector<lifetime> lives;
  for (std::size_t i = 0; i < space.swept.size(); ++i) {
    const lifetime life = space.lives[i];
    const bool cut = named[space.swept[i]] && life.last > life.first + 1;
    buffers.push_back(space.swept[i]);
    lives.push_back(cut ? lifetime{life.first, life.first} : life);
    if (!cut) continue;
    buffers.push_back(space.swept[i]);
    lives.push_back({life.last, life.last});
  }
  return sweep(p, buffers, lives, space.base, space.positions).peak_bytes;
}

}  // namespace

std::vector<donation_row> donation_candidates(const program_study& study, std::int64_t color) {
  const program& p = study.code;
  const buffers_of_allocations& assigned = *study.assigned;
  hash_map<std::uint32_t, std::int64_t> result_element;  // instruction -> position in the result
  if (p.entry != nowhere) {
    const std::uint32_t root = p.instruction_by_id.find(p.computations[p.entry].root_id);
    if (root != nowhere && p.instruction(root).opcode() == "tuple") {
      std::int64_t element = 0;
      for (const std::int64_t id : p.instruction(root).operand_ids()) {
        const std::uint32_t operand = p.instruction_by_id.find(id);
        if (operand != nowhere) result_element.try_emplace(operand, element);
        ++element;
      }
    }
  }
  // Results that are waiting for a parameter of their shape, by shape, in the order of the file.
  struct waiting {
    std::vector<std::uint32_t> allocations;
    std::size_t next = 0;
  };
  hash_map<std::string, waiting> results;
  const auto key_of = [&](std::uint32_t a, std::uint32_t buffer) {
    return describe(p, buffer, true).shape + '/' + std::to_string(p.allocations[a].size_bytes);
  };
  constexpr std::size_t max_candidates = 2048;  // on either side; shapes take time to write
  std::size_t candidates = 0;
  for (std::uint32_t a = 0; a < p.allocations.size() && candidates < max_candidates; ++a) {
    const buffer_allocation_view& v = p.allocations[a].view;
    if (v.color() != color || v.is_thread_local() || v.is_tuple() || v.is_constant()) continue;
    if (!v.maybe_live_out() || v.is_entry_computation_parameter()) continue;
    ++candidates;
    const std::uint32_t buffer = main_buffer(p, assigned, a);
    if (buffer != nowhere) results[key_of(a, buffer)].allocations.push_back(a);
  }
  std::vector<donation_row> rows;
  candidates = 0;
  for (std::uint32_t a = 0; a < p.allocations.size() && !results.empty() && candidates < max_candidates; ++a) {
    const buffer_allocation_view& v = p.allocations[a].view;
    if (v.color() != color || !v.is_entry_computation_parameter() || v.maybe_live_out() || v.is_tuple() ||
        v.is_parameter_aliased_with_output() || p.allocations[a].size_bytes == 0)
      continue;
    ++candidates;
    const std::uint32_t buffer = main_buffer(p, assigned, a);
    if (buffer == nowhere) continue;
    const auto found = results.find(key_of(a, buffer));
    if (found == results.end() || found->second.next == found->second.allocations.size()) continue;
    const std::uint32_t into = found->second.allocations[found->second.next++];
    donation_row row;
    row.parameter_number = v.parameter_number();
    for (const std::int64_t i : v.parameter_shape_index())
      if (row.parameter_shape_index.size() < 100) row.parameter_shape_index.push_back(i);
    const buffer_row from = describe(p, buffer, true);
    row.parameter_name = from.instruction_name;
    row.shape = from.shape;
    row.output_name = describe(p, main_buffer(p, assigned, into), false).instruction_name;
    row.output_shape_index = output_index(p, assigned, into, result_element);
    row.saved_bytes = p.allocations[a].size_bytes;
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
               [](const donation_row& a, const donation_row& b) { return a.saved_bytes > b.saved_bytes; });
  return rows;
}

result<what_if_result> what_if(const program_study& study, const space_study& space, const std::string& action,
                               const std::string& name) {
  const program& p = study.code;
  const std::vector<std::uint32_t> instructions = instructions_named(p, name);
  if (instructions.empty()) {
    fault f;
    f.code = fault_code::not_found;
    f.message = "no instruction of " + std::string(p.module.name()) + " has the name or op_name '" + name + "'";
    f.hint = "buffers alive at the peak come from:";
    std::size_t shown = 0;
    for (const buffer_row& row : alive_at_peak(study, space, 0)) {
      if (row.instruction_name.empty() || row.kind == residency::indefinite) continue;
      if (shown++ == 10) break;
      f.hint += ' ' + std::string(row.instruction_name);
    }
    return f;
  }
  std::vector<bool> wanted(p.instructions.size(), false), named(p.buffers.size(), false);
  for (const std::uint32_t i : instructions) wanted[i] = true;
  what_if_result r;
  r.action = action;
  r.name = name;
  for (std::uint32_t b = 0; b < p.buffers.size(); ++b) {
    const logical_buffer& buffer = p.buffers[b];
    if (buffer.instruction == nowhere || !wanted[buffer.instruction] || buffer.allocation == nowhere) continue;
    const allocation& a = p.allocations[buffer.allocation];
    if (a.view.color() != space.facts.color || !a.is_temporary()) continue;
    named[b] = true;
    ++r.n_buffers;
    r.buffer_bytes = saturating_add(r.buffer_bytes, buffer.size_bytes);
  }
  r.before_bytes = r.after_bytes = space.facts.peak_bytes;
  if (r.n_buffers == 0) {
    r.claim = "no temporary buffer of this name lies in memory space " + std::to_string(space.facts.color) +
              ": parameters, constants and results stay for the whole program";
    return r;
  }
  if (space.replay)
    r.after_bytes = saturating_add(space.facts.indefinite_bytes, replay_without(p, *space.replay, named));
  else if (space.facts.method == peak_method::schedule_sweep)
    r.after_bytes = saturating_add(space.facts.indefinite_bytes, sweep_without(p, space, named));
  r.claim = "the peak cannot fall below after_bytes: the buffer counts only where it is made and where it is last used";
  r.claim += action == "remat" ? "; what it is recomputed from may have to live longer"
                               : "; a copy under way needs room on both sides";
  return r;
}

}  // namespace memory

result<void> add_what_if(std::string_view question, memory_options& o) {
  const std::size_t equals = question.find('=');
  const std::string_view action = question.substr(0, equals);
  if (equals == std::string_view::npos || equals + 1 == question.size() || (action != "remat" && action != "offload")) {
    fault f;
    f.code = fault_code::invalid_argument;
    f.message = "not a question that can be answered";
    f.hint = "write remat=NAME or offload=NAME, with the name of an instruction";
    return f;
  }
  (action == "remat" ? o.remat : o.offload).emplace_back(question.substr(equals + 1));
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
