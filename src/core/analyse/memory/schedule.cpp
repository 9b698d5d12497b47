#include "schedule.hpp"

#include "occupancy.hpp"

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

// Opcodes whose called computations run where they stand, one instruction after another.
bool runs_its_callees(std::string_view opcode) noexcept {
  return opcode == "while" || opcode == "call" || opcode == "conditional" || opcode == "async-start";
}

// Lays computations out one after another; each is laid out once, which also stops recursion.
class layout {
 public:
  layout(program& p, execution_order& out) : program_(p), out_(out), visited_(p.computations.size(), false) {}

  void run(std::uint32_t entry, sweep_scope scope) {
    open(entry);
    while (!stack_.empty()) {
      const std::size_t top = stack_.size() - 1;
      if (stack_[top].next == stack_[top].order.size()) {
        stack_.pop_back();
        continue;
      }
      const std::uint32_t instruction = stack_[top].order[stack_[top].next];
      if (!stack_[top].callees_done && scope == sweep_scope::whole_program) {
        stack_[top].callees_done = true;
        const std::vector<std::uint32_t> callees = callees_of(instruction);
        for (std::size_t i = callees.size(); i-- > 0;) open(callees[i]);
        if (stack_.size() - 1 != top) continue;
      }
      if (out_.position[instruction] < 0) {
        out_.position[instruction] = static_cast<std::int32_t>(out_.instructions.size());
        out_.instructions.push_back(instruction);
      }
      ++stack_[top].next;
      stack_[top].callees_done = false;
    }
  }

 private:
  struct frame {
    std::vector<std::uint32_t> order;
    std::size_t next = 0;
    bool callees_done = false;
  };

  void open(std::uint32_t computation) {
    if (visited_[computation]) return;
    visited_[computation] = true;
    const std::string_view entry = program_.computations[computation].sequence;
    if (entry.empty()) return;
    frame f;
    const auto ids = schedule_sequence_view(entry).instruction_ids();
    auto it = ids.begin();
    for (; !it.done(); ++it) {
      const std::uint32_t instruction = program_.instruction_by_id.find(*it);
      if (instruction == nowhere || out_.instructions.size() + f.order.size() >= 0x7ffffff0U) {
        program_.problems.note("hlo.unknown_instruction", [&] {
          return "the schedule names instruction " + std::to_string(*it) + ", which the module does not have";
        });
        continue;
      }
      f.order.push_back(instruction);
    }
    if (!it.ok()) program_.note_damage(it.position(), "a schedule breaks off");
    stack_.push_back(std::move(f));
  }

  std::vector<std::uint32_t> callees_of(std::uint32_t instruction) const {
    std::vector<std::uint32_t> callees;
    const instruction_view view = program_.instruction(instruction);
    if (!runs_its_callees(view.opcode())) return callees;
    for (const std::int64_t id : view.called_computation_ids()) {
      const std::uint32_t computation = program_.computation_by_id.find(id);
      if (computation != nowhere && !visited_[computation]) callees.push_back(computation);
    }
    return callees;
  }

  program& program_;
  execution_order& out_;
  std::vector<bool> visited_;
  std::vector<frame> stack_;
};

// What a user does with the part of an operand that a shape index names.
enum class passing : std::uint8_t { reads, passes_same, passes_into_tuple, passes_element, passes_done, ignores };

// What of an instruction that question needs; read once.
struct user_kind {
  enum class form : std::uint8_t { other, element, tuple, same, copy_done } what = form::other;
  std::int64_t tuple_index = 0;
};

user_kind kind_of(const instruction_view& user) {
  const std::string_view opcode = user.opcode();
  if (opcode == "get-tuple-element") return {user_kind::form::element, user.tuple_index()};
  if (opcode == "tuple") return {user_kind::form::tuple, 0};
  if (opcode == "bitcast" || opcode == "opt-barrier" || opcode == "optimization-barrier" || opcode == "domain")
    return {user_kind::form::same, 0};
  if (opcode == "copy-done") return {user_kind::form::copy_done, 0};
  return {};
}

passing passing_of(const user_kind& user, const std::vector<std::int64_t>& index) {
  switch (user.what) {
    case user_kind::form::element:
      if (index.empty()) return passing::reads;
      return index.front() == user.tuple_index ? passing::passes_element : passing::ignores;
    case user_kind::form::tuple: return passing::passes_into_tuple;
    case user_kind::form::same: return passing::passes_same;
    case user_kind::form::copy_done: return index.empty() ? passing::reads : passing::passes_done;
    case user_kind::form::other: break;
  }
  return passing::reads;
}

// Who uses each instruction, in compressed rows.
struct use {
  std::uint32_t user;
  std::uint32_t operand;  // position among the user's operands
};
class use_lists {
 public:
  // Also reads what each user does, as every instruction is at hand once.
  use_lists(const program& p, const execution_order& order, std::vector<user_kind>& kinds)
      : first_(p.instructions.size() + 1, 0) {
    struct edge {
      std::uint32_t used;
      use by;
    };
    std::vector<edge> edges;
    edges.reserve(2 * order.instructions.size());
    for (const std::uint32_t user : order.instructions) {
      const instruction_view view = p.instruction(user);
      kinds[user] = kind_of(view);
      std::uint32_t operand = 0;
      for (const std::int64_t id : view.operand_ids()) {
        const std::uint32_t used = p.instruction_by_id.find(id);
        if (used != nowhere) {
          edges.push_back({used, {user, operand}});
          ++first_[used + 1];
        }
        ++operand;
      }
    }
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    uses_.resize(edges.size());
    std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
    for (const edge& e : edges) uses_[static_cast<std::size_t>(next[e.used]++)] = e.by;
  }
  [[nodiscard]] const use* begin(std::uint32_t of) const noexcept { return uses_.data() + first_[of]; }
  [[nodiscard]] const use* end(std::uint32_t of) const noexcept { return uses_.data() + first_[of + 1]; }

 private:
  std::vector<std::uint64_t> first_;
  std::vector<use> uses_;
};

class tracer {
 public:
  tracer(const program& p, const execution_order& order)
      : program_(p),
        order_(order),
        kinds_(p.instructions.size()),
        uses_(p, order, kinds_),
        // Chains of tuples and bitcasts are short in programs; in a file made to be slow they are cut, and lifetimes
        // are then shorter, which is the side a lower bound may err on.
        budget_(64 * (static_cast<std::uint64_t>(order.instructions.size()) + p.buffers.size()) + 1000000),
        root_(p.entry == nowhere ? nowhere : p.instruction_by_id.find(p.computations[p.entry].root_id)) {}

  lifetime trace(std::uint32_t buffer) {
    const logical_buffer& b = program_.buffers[buffer];
    lifetime life;
    if (b.instruction == nowhere || order_.position[b.instruction] < 0) return life;
    life.first = life.last = order_.position[b.instruction];
    work_.clear();
    place start{b.instruction, {}};
    const logical_buffer_view view(b.bytes);
    const buffer_location_view at = view.defined_at();
    for (const std::int64_t i : at.shape_index()) {
      if (start.index.size() == 100) break;
      start.index.push_back(i);
    }
    work_.push_back(std::move(start));
    while (!work_.empty() && budget_ > 0) {
      const place here = std::move(work_.back());
      work_.pop_back();
      if (here.instruction == root_) life.last = static_cast<std::int32_t>(order_.instructions.size()) - 1;
      for (const use* u = uses_.begin(here.instruction); u != uses_.end(here.instruction) && budget_ > 0; ++u) {
        --budget_;
        follow(here, *u, life);
      }
    }
    return life;
  }

 private:
  struct place {
    std::uint32_t instruction;
    std::vector<std::int64_t> index;
  };

  void follow(const place& here, const use& u, lifetime& life) {
    const passing p = passing_of(kinds_[u.user], here.index);
    if (p == passing::ignores) return;
    const std::int32_t position = order_.position[u.user];
    if (position > life.last && (p == passing::reads || p == passing::passes_done)) life.last = position;
    if (p == passing::reads) return;
    place next{u.user, here.index};
    if (p == passing::passes_into_tuple) {
      if (next.index.size() == 100) return;
      next.index.insert(next.index.begin(), static_cast<std::int64_t>(u.operand));
    } else if (p == passing::passes_element || p == passing::passes_done) {
      next.index.erase(next.index.begin());
    }
    work_.push_back(std::move(next));
  }

  const program& program_;
  const execution_order& order_;
  std::vector<user_kind> kinds_;  // by instruction
  use_lists uses_;
  std::vector<place> work_;
  std::uint64_t budget_;
  std::uint32_t root_;
};

address_range range_of(const program& p, std::uint32_t buffer, const std::vector<std::int64_t>& base) {
  const logical_buffer& b = p.buffers[buffer];
  const std::int64_t size = p.allocations[b.allocation].size_bytes;
  const std::int64_t from = std::min(std::max<std::int64_t>(b.offset_bytes, 0), size);
  const std::int64_t bytes = std::min(std::max<std::int64_t>(b.assigned_bytes, 0), size - from);
  const std::int64_t start = base[b.allocation];
  return {start + from, start + from + bytes};
}

}  // namespace

execution_order order_of(program& p, sweep_scope scope) {
  execution_order order;
  order.position.assign(p.instructions.size(), -1);
  if (p.entry == nowhere) return order;
  layout(p, order).run(p.entry, scope);
  return order;
}

std::vector<lifetime> lifetimes_of(const program& p, const execution_order& order,
                                   const std::vector<std::uint32_t>& wanted) {
  std::vector<lifetime> lives;
  lives.reserve(wanted.size());
  tracer t(p, order);
  for (const std::uint32_t buffer : wanted) lives.push_back(t.trace(buffer));
  return lives;
}

sweep_result sweep(const program& p, const std::vector<std::uint32_t>& buffers, const std::vector<lifetime>& lives,
                   const std::vector<std::int64_t>& base, std::size_t positions, std::vector<curve_point>* curve) {
  sweep_result out;
  std::vector<std::int64_t> edges;
  std::vector<address_range> ranges(buffers.size());
  std::vector<std::uint32_t> begins(positions + 2, 0), ends(positions + 2, 0);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (lives[i].first < 0) {
      ++out.skipped;
      continue;
    }
    ++out.placed;
    ranges[i] = range_of(p, buffers[i], base);
    edges.push_back(ranges[i].begin);
    edges.push_back(ranges[i].end);
    ++begins[static_cast<std::size_t>(lives[i].first) + 1];
    ++ends[static_cast<std::size_t>(lives[i].last) + 2 > positions + 1 ? positions + 1
                                                                       : static_cast<std::size_t>(lives[i].last) + 2];
  }
  for (std::size_t i = 1; i < begins.size(); ++i) {
    begins[i] += begins[i - 1];
    ends[i] += ends[i - 1];
  }
  std::vector<std::uint32_t> by_begin(out.placed), by_end(out.placed);
  {
    std::vector<std::uint32_t> next_begin(begins), next_end(ends);
    for (std::uint32_t i = 0; i < buffers.size(); ++i) {
      if (lives[i].first < 0) continue;
      by_begin[next_begin[static_cast<std::size_t>(lives[i].first)]++] = i;
      const std::size_t end = std::min(static_cast<std::size_t>(lives[i].last) + 1, positions);
      by_end[next_end[end]++] = i;
    }
  }
  covered_bytes in_use(std::move(edges));
  std::vector<covered_bytes::stretch> stretches(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) stretches[i] = in_use.place(ranges[i]);
  for (std::size_t at = 0; at < positions; ++at) {
    for (std::uint32_t i = ends[at]; i < ends[at + 1]; ++i) in_use.remove(stretches[by_end[i]]);
    for (std::uint32_t i = begins[at]; i < begins[at + 1]; ++i) in_use.add(stretches[by_begin[i]]);
    const std::int64_t live = in_use.covered();
    if (live > out.peak_bytes) {
      out.peak_bytes = live;
      out.peak_position = static_cast<std::int64_t>(at);
    }
    if (at == 0 || live < out.min_bytes) out.min_bytes = live;
    if (curve != nullptr) curve->push_back({static_cast<std::int64_t>(at), live});
  }
  for (std::size_t i = 0; i < buffers.size() && out.peak_position >= 0; ++i)
    if (lives[i].first >= 0 && lives[i].first <= out.peak_position && out.peak_position <= lives[i].last)
      out.alive.push_back(buffers[i]);
  return out;
}

std::vector<std::int64_t> distinct_bytes(const program& p, const std::vector<std::uint32_t>& buffers,
                                         const std::vector<std::int64_t>& base) {
  std::vector<std::int64_t> edges, bytes;
  for (const std::uint32_t b : buffers) {
    const address_range range = range_of(p, b, base);
    edges.push_back(range.begin);
    edges.push_back(range.end);
  }
  covered_bytes taken(std::move(edges));
  for (const std::uint32_t b : buffers) {
    const std::int64_t before = taken.covered();
    taken.add(taken.place(range_of(p, b, base)));
    bytes.push_back(taken.covered() - before);
  }
  return bytes;
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
