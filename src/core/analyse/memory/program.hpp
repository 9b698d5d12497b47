// One compiled program laid out for questions about its memory. Everything borrows the HloProto's bytes.
#pragma once
#include <analyse/source_table.hpp>
#include "id_index.hpp"
#include "problems.hpp"

#include <profkit/hlo.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

struct instruction_ref {
  std::string_view bytes;
  std::uint32_t computation = 0;
};

struct computation_ref {
  std::string_view name;
  std::int64_t id = 0;
  std::int64_t root_id = 0;
  std::uint32_t first = 0, count = 0;  // its instructions
  std::string_view sequence;           // schedule map entry; empty: the computation is not scheduled
};

struct logical_buffer {
  std::int64_t id = 0;
  std::int64_t size_bytes = 0;                        // never negative
  std::int64_t offset_bytes = 0, assigned_bytes = 0;  // its place in the allocation
  std::int64_t color = 0;
  std::string_view bytes;
  std::uint32_t allocation = nowhere;   // the last that names it
  std::uint32_t instruction = nowhere;  // that defines it
  bool has_definition = false;          // the message is there, found or not
};

struct allocation {
  buffer_allocation_view view;
  std::int64_t size_bytes = 0;  // never negative
  std::uint64_t assigned = 0;
  // Of XLA's classes: what lives all the time (parameters, constants, results) and what is thread-local.
  [[nodiscard]] bool is_fixed() const noexcept {
    return view.is_entry_computation_parameter() || view.is_constant() || view.maybe_live_out();
  }
  [[nodiscard]] bool is_temporary() const noexcept { return !is_fixed() && !view.is_thread_local(); }
};

struct program {
  std::string_view blob;
  hlo_proto_view proto;
  hlo_module_view module;
  std::vector<computation_ref> computations;
  std::vector<instruction_ref> instructions;
  id_index computation_by_id, instruction_by_id;
  std::vector<logical_buffer> buffers;
  id_index buffer_by_id;
  std::vector<allocation> allocations;
  id_index allocation_by_index;
  source_table sources;
  std::vector<heap_trace_view> traces;
  std::uint32_t entry = nowhere;  // position in computations
  bool has_buffer_assignment = false;
  problem_list problems;
  std::optional<fault> damage;  // the first

  [[nodiscard]] instruction_view instruction(std::uint32_t at) const noexcept {
    return at < instructions.size() ? instruction_view(instructions[at].bytes) : instruction_view();
  }
  void note_damage(const char* at, const char* what);
};

// Reads a program. Damage is kept in it; what is intact before the damage is there.
program read_program(std::string_view hlo_proto);

// A buffer as a row of a result; with `in_full` also its shape and source line, which take longer to look up.
buffer_row describe(const program& p, std::uint32_t buffer, bool in_full);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
