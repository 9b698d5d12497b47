// Which memories an op reads and writes.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Of all executions; main memory is read and written at one rate.
struct memory_traffic {
  std::int64_t hbm_bytes = 0;
  std::int64_t vmem_read_bytes = 0, vmem_write_bytes = 0, cmem_read_bytes = 0, cmem_write_bytes = 0;
};

// Of one execution, from the stat `memory_access_breakdown` of an op of a TPU; nothing when it names only unknown memories.
// Source: OpMetrics.MemoryAccessed of openxla/xprof (plugin/xprof/protobuf/op_metrics.proto).
[[nodiscard]] std::optional<memory_traffic> traffic_in(std::string_view breakdown) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
