// Rows of kernel_details.csv and op_summary*.csv as kernels of devices.
#pragma once
#include <formats/activity_input.hpp>
#include <formats/activity_parts.hpp>
#include <formats/ascend/ascend_columns.hpp>

#include <base/hash_map.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The kernels of one device, as they come.
struct device_kernels {
  activity_device device;
  std::vector<kernel_row> rows;
  hash_map<std::int64_t, std::uint16_t> streams;  // hardware id to index
  hash_map<std::uint64_t, std::size_t> totals;  // op type and core to the place in device.totals
  bool any_core = false;                          // some row says its execution unit
  bool any_wait = false;

  // The index of a stream that has this hardware id; nothing when there are too many.
  std::optional<std::uint16_t> stream_of(std::int64_t id, string_table& strings);
};

// Sorts the rows, marks collectives that are listed twice (the row with a stream stays) and settles what the
// device says of itself.
void settle_device(device_kernels& d, const string_table& strings);

// Where the kernels of one rank go, whatever file they come from.
class ascend_devices {
 public:
  explicit ascend_devices(std::uint32_t file) : file_(file) {}
  device_kernels& of(std::int64_t ordinal, string_table& strings);
  [[nodiscard]] std::vector<device_kernels>& all() noexcept { return devices_; }

 private:
  std::uint32_t file_;
  std::size_t last_ = 0;
  std::vector<device_kernels> devices_;
};

// Reads a table into `devices`, with times relative to clock.zero_us plus shift_ps. What was not taken is in
// `input`. Faults: cancelled.
result<void> read_ascend_kernels(std::string_view bytes, const ascend_clock& clock, std::int64_t shift_ps,
                                 bool keep_details, string_table& strings, ascend_devices& devices,
                                 activity_input& input, const hooks& host);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
