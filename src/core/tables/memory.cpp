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

}  // namespace

std::unique_ptr<row_source> rows_of(std::shared_ptr<const capture_devices> devices, const memory_result& of,
                                    table_kind which) {
  if (which == table_kind::allocators)
    return make_rows<rows::allocators>(which, of.allocators.size(),
                                       [&of, devices = std::move(devices)](std::uint64_t at, rows::allocators& row) {
                                         const allocator_memory& from = of.allocators[static_cast<std::size_t>(at)];
                                         row.device = device_of_allocator(*devices, from);
                                         fill(from, row);
                                         if (of.runtime && of.runtime->allocator == at) row.flags |= PK_ALLOCATOR_CHOSEN;
                                       },
                                       of.damage);
  const std::uint32_t file = file_of_module(of);
  if (which == table_kind::live_buffers)
    return make_rows<rows::live_buffers>(which, of.hlo ? of.hlo->alive.size() : 0,
                                         [&of, file](std::uint64_t at, rows::live_buffers& row) {
                                           row.file = file;
                                           const buffer_row& from = of.hlo->alive[static_cast<std::size_t>(at)];
                                           fill(from, row);
                                           if (from.instruction_found) row.flags |= PK_LIVE_BUFFER_HAS_INSTRUCTION;
                                         },
                                         of.damage);
  return make_rows<rows::live_curve>(which, of.hlo && of.hlo->curve ? of.hlo->curve->points.size() : 0,
                                     [&of, file](std::uint64_t at, rows::live_curve& row) {
                                       row.file = file;
                                       fill(of.hlo->curve->points[static_cast<std::size_t>(at)], row);
                                     },
                                     of.damage);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
