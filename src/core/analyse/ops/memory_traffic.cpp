#include <analyse/ops/memory_traffic.hpp>

#include <profkit/time.hpp>
#include <profkit/wire.hpp>

#include <algorithm>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Values of MemoryAccessed: operation_type = 1, memory_space = 2, bytes_accessed = 3.
constexpr std::uint64_t type_write = 2, space_hbm = 1, space_cmem = 2, space_vmem = 3;

std::int64_t* place_of(memory_traffic& in, std::uint64_t space, std::uint64_t type) noexcept {
  switch (space) {
    case space_hbm: return &in.hbm_bytes;
    case space_cmem: return type == type_write ? &in.cmem_write_bytes : &in.cmem_read_bytes;
    case space_vmem: return type == type_write ? &in.vmem_write_bytes : &in.vmem_read_bytes;
    default: return nullptr;
  }
}

}  // namespace

std::optional<memory_traffic> traffic_in(std::string_view breakdown) noexcept {
  memory_traffic found;
  bool any = false;
  wire_reader accesses(breakdown);
  for (wire_field access; accesses.next(access);) {
    if (!access.is_bytes(1)) continue;
    std::uint64_t type = 0, space = 0, bytes = 0;
    wire_reader parts(access.bytes);
    for (wire_field part; parts.next(part);) {
      if (part.is_varint(1)) type = part.value;
      if (part.is_varint(2)) space = part.value;
      if (part.is_varint(3)) bytes = part.value;
    }
    std::int64_t* const into = place_of(found, space, type);
    if (into == nullptr || bytes == 0) continue;
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    *into = saturating_add(*into, static_cast<std::int64_t>(std::min(bytes, most)));
    any = true;
  }
  return any ? std::optional(found) : std::nullopt;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
