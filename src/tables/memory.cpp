// Allocators, live buffers and the live curve as rows.
#include <tables/rows_of_list.hpp>

#include <profkit/core/memory.hpp>

#include <base/affix.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {


// Where the module stands that the report is about.
std::uint32_t file_of_module(const memory_result& of) noexcept {
  if (!of.hlo || of.hlo->module >= of.modules.size() || of.modules[of.hlo->module].sources.empty()) return 0;
  return of.modules[of.hlo->module].sources.front().file;
}

void fill_buffer(const buffer_row& from, rows::live_buffers& row) {
  row.logical_buffer_id = from.logical_buffer_id;
  row.size_bytes = from.size_bytes;
  row.allocation_index = from.allocation_index;
  row.offset_bytes = from.offset_bytes;
  row.instruction_id = from.instruction_id;
  row.instruction_name = borrowed(from.instruction_name);
  row.opcode = borrowed(from.opcode);
  row.op_name = borrowed(from.op_name);
  row.computation_name = borrowed(from.computation_name);
  row.shape = borrowed(from.shape);
  row.shape_index = from.shape_index.empty() ? nullptr : from.shape_index.data();
  row.shape_index_count = from.shape_index.size();
  row.source_file = borrowed(from.source_file);
  row.source_line = from.source_line;
  row.residency = static_cast<std::int32_t>(from.kind);
  row.flags = bit_if(from.instruction_found, PK_LIVE_BUFFER_HAS_INSTRUCTION);
}

// Where several files have a device of one name, that in the table has its rank or file added: "GPU 0 of rank 1".
std::int32_t device_of_allocator(const capture_devices& devices, const allocator_memory& of) {
  std::int32_t found = -1;
  for (std::size_t at = 0; at < devices.all().size() && !of.device.empty(); ++at) {
    const capture_device& d = devices.all()[at];
    if (d.file != of.file) continue;
    if (d.name == of.device) return static_cast<std::int32_t>(at);
    if (starts_with(d.name, of.device + " of ")) found = static_cast<std::int32_t>(at);
  }
  return found;
}

void fill_allocator(const capture_devices& devices, const allocator_memory& from, rows::allocators& row) {
  row.file = from.file;
  row.device = device_of_allocator(devices, from);
  row.host = borrowed(from.host);
  row.name = borrowed(from.name);
  row.heap_peak_bytes = from.heap_peak_bytes;
  row.occupancy_peak_bytes = from.occupancy_peak_bytes;
  row.occupancy_peak_ps = from.occupancy_peak_ps;
  row.capacity_bytes = from.capacity_bytes;
  row.pre_trace_bytes = from.pre_trace_bytes;
  row.unmatched_frees = from.unmatched_frees;
  row.flags = bit_if(from.allocator_agrees, PK_ALLOCATOR_AGREES);
}

}  // namespace

std::unique_ptr<row_source> rows_of(std::shared_ptr<const capture_devices> devices, const memory_result& of,
                                    table_kind which) {
  if (which == table_kind::allocators)
    return make_rows<rows::allocators>(which, of.allocators.size(),
                                       [&of, devices = std::move(devices)](std::uint64_t at, rows::allocators& row) {
                                         fill_allocator(*devices, of.allocators[static_cast<std::size_t>(at)], row);
                                         if (of.runtime && of.runtime->allocator == at) row.flags |= PK_ALLOCATOR_CHOSEN;
                                       },
                                       of.damage);
  const std::uint32_t file = file_of_module(of);
  if (which == table_kind::live_buffers)
    return make_rows<rows::live_buffers>(which, of.hlo ? of.hlo->alive.size() : 0,
                                         [&of, file](std::uint64_t at, rows::live_buffers& row) {
                                           row.file = file;
                                           fill_buffer(of.hlo->alive[static_cast<std::size_t>(at)], row);
                                         },
                                         of.damage);
  return make_rows<rows::live_curve>(which, of.hlo && of.hlo->curve ? of.hlo->curve->points.size() : 0,
                                     [&of, file](std::uint64_t at, rows::live_curve& row) {
                                       const curve_point& p = of.hlo->curve->points[static_cast<std::size_t>(at)];
                                       row.file = file;
                                       row.event = p.event;
                                       row.live_bytes = p.live_bytes;
                                     },
                                     of.damage);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
