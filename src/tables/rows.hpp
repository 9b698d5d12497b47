// Rows of tables, as they are filled. Written by scripts/generate from schema/tables.toml.
#pragma once
#include <profkit/core/table.hpp>
#include <profkit/profkit.h>
#include <tables/description.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace rows {

struct files : pk_file_info {};
struct devices : pk_device {};
struct ops : pk_op {};
struct steps : pk_bubble_step {};
struct kernels : pk_kernel_row {
  pk_str range;
};
struct gaps : pk_bubble {};
struct causes : pk_cause {};
struct collectives : pk_collective {};
struct modules : pk_module_info {};
struct allocators : pk_memory_allocator {};
struct live_buffers : pk_live_buffer {};
struct live_curve : pk_curve_point {};
struct probe_launches : pk_probe_launch {};
struct device_time : pk_device_time {};
struct facts : pk_fact {};
struct collective_calls : pk_collective_call {};

}  // namespace rows
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
