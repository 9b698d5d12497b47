#include "program.hpp"

#include <analyse/modules/shape_text.hpp>

#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

constexpr std::size_t max_entries = std::numeric_limits<std::uint32_t>::max() - 1;

// Hands each element's bytes to `use` and notes where the range breaks off.
template <class Range, class Use>
void for_each_in(program& p, const Range& range, const char* what, Use&& use) {
  auto it = range.begin();
  for (; !it.done(); ++it) use(it.bytes());
  if (!it.ok()) p.note_damage(it.position(), what);
}

std::int64_t sound_size(program& p, std::int64_t bytes, const char* of) {
  if (bytes >= 0) return bytes;
  p.problems.note("hlo.negative_size", [&] { return std::string(of) + " has a negative size, which counts as 0"; });
  return 0;
}

void read_module(program& p) {
  std::vector<std::int64_t> ids;
  for_each_in(p, p.module.computations(), "a computation breaks off", [&](std::string_view bytes) {
    const computation_view c(bytes);
    if (!c.ok()) p.note_damage(c.damage(), "a computation is damaged");
    computation_ref ref;
    ref.name = c.name();
    ref.id = c.id();
    ref.root_id = c.root_id();
    ref.first = static_cast<std::uint32_t>(p.instructions.size());
    for_each_in(p, c.instructions(), "an instruction breaks off", [&](std::string_view instruction) {
      if (p.instructions.size() < max_entries)
        p.instructions.push_back({instruction, static_cast<std::uint32_t>(p.computations.size())});
    });
    ref.count = static_cast<std::uint32_t>(p.instructions.size()) - ref.first;
    p.computations.push_back(ref);
    ids.push_back(ref.id);
  });
  if (p.computation_by_id.build(ids) != 0)
    p.problems.note("hlo.duplicate_id",
                    [] { return std::string("two computations have the same id: the last counts"); });

  ids.clear();
  ids.reserve(p.instructions.size());
  for (const instruction_ref& i : p.instructions) {
    const instruction_view view(i.bytes);
    if (!view.ok()) p.note_damage(view.damage(), "an instruction is damaged");
    ids.push_back(view.id());
  }
  if (p.instruction_by_id.build(ids) != 0)
    p.problems.note("hlo.duplicate_id",
                    [] { return std::string("two instructions have the same id: the last counts"); });

  p.entry = p.computation_by_id.find(p.module.entry_computation_id());
  for_each_in(p, p.module.schedule().sequences(), "the schedule breaks off", [&](std::string_view bytes) {
    const schedule_sequence_view sequence(bytes);
    const std::uint32_t of = p.computation_by_id.find(sequence.computation_id());
    if (of != nowhere) p.computations[of].sequence = bytes;
  });
}

void read_buffers(program& p, const buffer_assignment_view& assignment) {
  std::vector<std::int64_t> ids;
  for_each_in(p, assignment.logical_buffers(), "a logical buffer breaks off", [&](std::string_view bytes) {
    if (p.buffers.size() == max_entries) return;
    const logical_buffer_view view(bytes);
    if (!view.ok()) p.note_damage(view.damage(), "a logical buffer is damaged");
    const buffer_location_view at = view.defined_at();
    if (!at.ok()) p.note_damage(at.damage(), "a logical buffer's definition is damaged");
    logical_buffer b;
    b.id = view.id();
    b.size_bytes = sound_size(p, view.size_bytes(), "a logical buffer");
    b.color = view.color();
    b.bytes = bytes;
    b.has_definition = at.present();
    if (b.has_definition) b.instruction = p.instruction_by_id.find(at.instruction_id());
    if (b.instruction == nowhere)
      p.problems.note("hlo.buffer_without_definition", [&] {
        return "logical buffer " + std::to_string(b.id) +
               (b.has_definition ? " is defined by an instruction that the module does not have"
                                 : " does not say which instruction defines it");
      });
    if (b.id < 0)
      p.problems.note("hlo.negative_id", [&] { return "logical buffer id " + std::to_string(b.id) + " is negative"; });
    p.buffers.push_back(b);
    ids.push_back(b.id);
  });
  if (p.buffer_by_id.build(ids) != 0)
    p.problems.note("hlo.duplicate_id",
                    [] { return std::string("two logical buffers have the same id: the last counts"); });
}

void read_allocations(program& p, const buffer_assignment_view& assignment) {
  std::int64_t position = 0;
  std::vector<std::int64_t> indexes;
  for_each_in(p, assignment.buffer_allocations(), "a buffer allocation breaks off", [&](std::string_view bytes) {
    if (p.allocations.size() == max_entries) return;
    allocation a;
    a.view = buffer_allocation_view(bytes);
    if (!a.view.ok()) p.note_damage(a.view.damage(), "a buffer allocation is damaged");
    a.size_bytes = sound_size(p, a.view.size_bytes(), "a buffer allocation");
    if (a.view.index() != position)
      p.problems.note("hlo.index_is_not_position", [&] {
        return "buffer allocation " + std::to_string(a.view.index()) + " stands at position " +
               std::to_string(position) + ": the index is used as a name, not as a place";
      });
    ++position;
    const auto self = static_cast<std::uint32_t>(p.allocations.size());
    for_each_in(p, a.view.assigned(), "an assigned buffer breaks off", [&](std::string_view assigned_bytes) {
      const assigned_buffer_view assigned(assigned_bytes);
      if (!assigned.ok()) p.note_damage(assigned.damage(), "an assigned buffer is damaged");
      ++a.assigned;
      const std::uint32_t buffer = p.buffer_by_id.find(assigned.logical_buffer_id());
      if (buffer == nowhere) {
        p.problems.note("hlo.unknown_buffer", [&] {
          return "buffer allocation " + std::to_string(a.view.index()) + " holds logical buffer " +
                 std::to_string(assigned.logical_buffer_id()) + ", which is not in the list of logical buffers";
        });
        return;
      }
      logical_buffer& b = p.buffers[buffer];
      if (b.allocation != nowhere)
        p.problems.note("hlo.buffer_assigned_twice", [&] {
          return "logical buffer " + std::to_string(b.id) + " is assigned twice: the last place counts";
        });
      b.allocation = self;
      b.offset_bytes = assigned.offset_bytes();
      b.assigned_bytes = assigned.size_bytes();
      if (b.offset_bytes < 0 || b.assigned_bytes < 0 || b.offset_bytes > a.size_bytes ||
          b.assigned_bytes > a.size_bytes - b.offset_bytes)
        p.problems.note("hlo.buffer_outside_allocation", [&] {
          return "logical buffer " + std::to_string(b.id) + " lies outside its allocation " +
                 std::to_string(a.view.index());
        });
    });
    p.allocations.push_back(a);
    indexes.push_back(a.view.index());
  });
  if (p.allocation_by_index.build(indexes) != 0)
    p.problems.note("hlo.duplicate_id", [] { return std::string("two buffer allocations have the same index"); });
}

void read_traces(program& p, const buffer_assignment_view& assignment) {
  for_each_in(p, assignment.heap_simulator_traces(), "a heap trace breaks off", [&](std::string_view bytes) {
    p.traces.emplace_back(bytes);
    const heap_trace_view& trace = p.traces.back();
    if (!trace.ok()) p.note_damage(trace.damage(), "a heap trace is damaged");
    if (trace.events().empty()) return;
    const std::int64_t index = trace.buffer_allocation_index();
    if (p.allocation_by_index.find(index) == nowhere)
      p.problems.note("hlo.allocation_index_out_of_range", [&] {
        return "a heap trace names buffer allocation " + std::to_string(index) +
               ", which does not exist: the buffers in the trace say which it is";
      });
  });
}

// Walks down a tuple shape; an absent view when there is no such part.
shape_view part_of(const shape_view& shape, const std::vector<std::int64_t>& index) {
  shape_view at = shape;
  constexpr std::int64_t widest = 4096;  // further elements of a tuple are not looked for
  for (const std::int64_t wanted : index) {
    std::int64_t position = 0;
    shape_view found;
    if (wanted >= widest) return found;
    for (const shape_view element : at.tuple_shapes()) {
      if (position++ != wanted) continue;
      found = element;
      break;
    }
    if (!found.present()) return found;
    at = found;
  }
  return at;
}

}  // namespace

void program::note_damage(const char* at, const char* what) {
  if (damage) return;
  fault f;
  f.code = fault_code::damaged;
  f.byte_offset = at != nullptr ? offset_in(blob, at) : no_offset;
  f.message = std::string("the HloProto is damaged: ") + what +
              (at != nullptr ? " at byte " + std::to_string(f.byte_offset) : std::string()) +
              ", a whole protobuf field was expected";
  f.hint = "what is intact was analysed; capture or dump the module again for the rest";
  damage = std::move(f);
}

program read_program(std::string_view hlo_proto) {
  program p;
  p.blob = hlo_proto;
  p.proto = hlo_proto_view(hlo_proto);
  if (!p.proto.ok()) p.note_damage(p.proto.damage(), "a top-level field breaks off");
  p.module = p.proto.hlo_module();
  if (!p.module.ok()) p.note_damage(p.module.damage(), "a field of the module breaks off");
  read_module(p);
  p.sources = source_table(p.module);
  const buffer_assignment_view assignment = p.proto.buffer_assignment();
  p.has_buffer_assignment = assignment.present();
  if (!assignment.ok()) p.note_damage(assignment.damage(), "a field of the buffer assignment breaks off");
  read_buffers(p, assignment);
  read_allocations(p, assignment);
  read_traces(p, assignment);
  return p;
}

buffer_row describe(const program& p, std::uint32_t buffer, bool in_full) {
  const logical_buffer& b = p.buffers[buffer];
  buffer_row row;
  row.logical_buffer_id = b.id;
  row.size_bytes = b.size_bytes;
  row.offset_bytes = b.offset_bytes;
  if (b.allocation != nowhere) row.allocation_index = p.allocations[b.allocation].view.index();
  const logical_buffer_view view(b.bytes);
  const buffer_location_view at = view.defined_at();
  for (const std::int64_t i : at.shape_index()) {
    if (row.shape_index.size() == 100) break;  // deeper than any tuple that is read
    row.shape_index.push_back(i);
  }
  row.instruction_id = at.instruction_id();
  row.instruction_found = b.instruction != nowhere;
  if (!row.instruction_found) return row;
  const instruction_view i = p.instruction(b.instruction);
  row.instruction_name = i.name();
  row.opcode = i.opcode();
  const op_metadata_view metadata = i.metadata();
  row.op_name = metadata.op_name();
  row.computation_name = p.computations[p.instructions[b.instruction].computation].name;
  if (!in_full) return row;
  const source_place place = p.sources.place_of(metadata);
  row.source_file = place.file;
  row.source_line = place.line;
  const shape_view part = part_of(i.shape(), row.shape_index);
  if (part.present()) row.shape = shape_text(part);
  return row;
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
