// The kernels of one device as the architecture sees them: by start, without duplicates, each with its op and stream.
#pragma once
#include <base/kernel_families.hpp>
#include <profkit/core/architecture.hpp>
#include <profkit/time.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

struct kernel {
  std::int64_t start_ps = 0, duration_ps = 0;
  std::uint32_t op = 0;       // index into device_kernels::ops
  std::uint32_t details = 0;  // as kernel_row's
  std::uint16_t lane = 0;     // index into device_kernels::lanes
  kernel_class type = kernel_class::compute;
  bool on_aicpu = false;
  [[nodiscard]] std::int64_t end_ps() const noexcept { return saturating_add(start_ps, duration_ps); }
};
static_assert(sizeof(kernel) == 32);

struct model_op {
  string_id type = 0;  // the op type, or the name where there is none
  string_id name = 0;
  string_id row = 0;  // what stands for it in tables: the op type where the capture has one, else the whole name
  op_kind kind = op_kind::unknown;
  const kernel_family* family = nullptr;
  std::uint64_t count = 0;
};

// A stream, or what stands for it: kernels of one class that name none.
struct lane {
  std::int32_t stream = -1;  // index into activity_device::streams; -1: none
  bool is_comm = false;      // of those without a stream
};

struct device_kernels {
  std::vector<kernel> rows;
  std::vector<model_op> ops;
  std::vector<lane> lanes;
  std::uint64_t all = 0, duplicates = 0, left_out = 0;
  std::int64_t first_ps = 0, last_ps = 0;
  bool trains = false;                          // kernels of a backward pass or of an optimiser run
  std::map<std::string, std::uint64_t> counts;  // by model_op::row, duplicates among them
  [[nodiscard]] op_kind kind_of(const kernel& k) const noexcept { return ops[k.op].kind; }
  // The first row that starts at or after an instant.
  [[nodiscard]] std::size_t row_at(std::int64_t ps) const noexcept;
};

result<device_kernels> collect_kernels(const activity& of, std::size_t device, const hooks& host);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
