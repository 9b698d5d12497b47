// Asynchronous operations, collectives and links, as their events say. Calls across devices: collectives.hpp.
#pragma once
#include <profkit/core/filters.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/trace.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// One asynchronous operation: a start and a done event joined by `flow`, or the one event that real TPU
/// captures write per flow, whose duration spans start to done.
struct async_row {
  std::uint32_t file = 0;
  std::int32_t plane = 0, line = 0;
  std::optional<std::uint64_t> flow;
  // enum async_row::form: written by scripts/generate
  /// What is on record of an asynchronous operation: its start and its done, one event alone, or one of the two.
  enum class form : std::uint8_t { pair, single, unmatched_start, unmatched_done };
  // end of enum async_row::form
  form shape = form::single;
  std::string_view name, hlo_op, category;
  std::int64_t start_ps = 0;
  std::int64_t duration_ps = 0;  ///< start of the start to end of the done
  /// The same by the clock of exposed_stall_ps: the device's, where it has both; else duration_ps.
  std::int64_t in_flight_ps = 0;
  /// How long the device waited for it, at most in_flight_ps: device_duration_ps of the done event, where it is carried;
  /// else of the done operation on `XLA Ops` that ends when the done event, or the one event of the flow, ends.
  /// Nothing, too, where the device's clock has the wait alone and it is longer than the flight by the other clock.
  std::optional<std::int64_t> exposed_stall_ps;
  std::string_view exposed_from;  ///< "done event" or "XLA Ops"; empty when not carried
  std::uint32_t events = 1;       ///< events with this flow
  /// Of copies and slices, by the shapes in the text of the start: what is moved, without the padding of tiles; from and to
  /// which memory ("HBM", "Host", "VMEM"; empty where that is not known).
  std::optional<std::int64_t> bytes;
  std::string_view from_space, to_space;
};
[[nodiscard]] const char* async_form_name(async_row::form value) noexcept;
/// The asynchronous copies of a plane from one memory to another.
struct transfer_total {
  std::uint32_t file = 0;
  std::int32_t plane = 0;
  std::string_view from_space, to_space;  ///< "Host", "HBM"
  std::uint64_t count = 0;
  std::int64_t bytes = 0;
  std::int64_t in_flight_ps = 0;  ///< while one or more were in flight
  std::optional<std::int64_t> exposed_stall_ps;  ///< how long the device waited for them; none where that is not known of all
};
/// Collectives on ops lines and kernels on streams that communicate: totals of an op name. The ops of hosts are looked
/// up in the programs inside the file, by the event's program_id or hlo_module and its hlo_op ("psum.7" may be an
/// all-reduce), and so are kernels whose names do not decide it; one name then has a row for each category.
struct collective_op_row {
  std::uint32_t file = 0;
  std::int32_t plane = 0, line = 0;
  std::string_view plane_name;
  std::string_view name, category;  ///< "all-reduce", …; of kernels whose names spell none the library ("nccl")
  bool on_stream = false;  ///< a kernel: other streams of its device may compute meanwhile
  bool is_half = false;    ///< the start or the done of an asynchronous operation ("all-gather-start")
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, min_ps = 0, max_ps = 0;
};
/// What went over one kind of link, as the recorder says ("HCCS", "RDMA", "SDMA").
struct recorded_link {
  std::string_view link;
  std::int64_t bytes = 0, transit_ps = 0;
};
/// Waits and links of the communication of a device, as its recorder adds them up (communication.json of Ascend): operations of a name.
struct recorded_communication {
  std::uint32_t file = 0;  ///< of the device
  std::string_view device, name;  ///< "NPU 0", "hcom_allReduce"
  std::uint64_t count = 0;
  std::int64_t elapsed_ps = 0, wait_ps = 0, synchronization_ps = 0, transit_ps = 0, idle_ps = 0;
  std::vector<recorded_link> links;  ///< that anything went over, as recorded first
};
struct collectives_result {
  std::vector<async_row> async;  ///< by file, plane, first occurrence of the flow (copies, too)
  std::uint64_t flows = 0, events_without_flow = 0;
  std::vector<transfer_total> transfers;  ///< by file, plane, spaces
  std::vector<collective_op_row> ops;  ///< by total, descending
  std::vector<recorded_communication> recorded;  ///< by elapsed time, descending; none of a chosen step
  std::shared_ptr<const void> recorded_texts;    ///< owns its names
  std::string absent;
  std::vector<file_damage> damage;
  std::shared_ptr<const void> texts;  ///< owns the names that do not lie in a file
};
/// `ops` is what analyse_ops() gave for the same capture and options.
result<collectives_result> analyse_collectives(const trace& t, const ops_result& ops, const query_filters& o = {},
                                               const hooks& host = {});
result<collectives_result> analyse_collectives(const trace& t, const query_filters& o = {}, const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
