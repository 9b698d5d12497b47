// What a format of a host's own records of devices and hosts, added piece by piece; every analysis then reads it like
// any other capture.
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// One execution of a kernel. Texts are copied; "" where something is not known.
struct recorded_kernel {
  std::string_view name;
  std::int64_t start_ps = 0;     ///< on the clock of the recording
  std::int64_t duration_ps = 0;  ///< not negative
  std::optional<kernel_class> kind;     ///< empty: by the name, as of other recorders' kernels
  std::int64_t launch_ps = no_time_ps;  ///< when the host launched it
  std::uint64_t source_row = 0;         ///< where it stands in its file, from 1: its line, or the number of its event
  /// That of the span that launched it, which then says when and on which thread, instead of launch_ps. 0: none.
  std::uint64_t correlation = 0;
  std::string_view op;       ///< of the framework that launched it: "aten::addmm"
  std::string_view module;   ///< from outside in: "Net/layer_0/attn"
  std::string_view program;  ///< that was compiled: "jit_step(7)"
  std::string_view input_shapes, input_types;  ///< "[[8, 4], [4, 4]]", "[\"bf16\", \"bf16\"]"
  std::optional<kernel_work> work;             ///< what it computes and moves
  std::string_view group;         ///< of a collective: its process group
  std::string_view group_ranks;   ///< the ranks of that group: "[0, 4]"
  std::int64_t group_sequence = -1;                   ///< its number among the collectives of its group; -1: not known
  std::int64_t sent_bytes = -1, received_bytes = -1;  ///< by this rank; -1: not known
  std::string_view arguments;  ///< a JSON object of what else is known, for exports
};

/// What a thread of a host did for a while.
struct recorded_span {
  std::string_view name;
  std::int64_t start_ps = 0, duration_ps = 0;  ///< as of a kernel
  host_span_kind kind = host_span_kind::op;
  std::uint64_t source_row = 0;
  std::uint64_t correlation = 0;  ///< of what it launched; of several spans with one number the first counts. 0: none
  /// What it gave to a device, with a correlation; empty: by its name, as of calls of CUDA. Where no kernel has its number, it is
  /// known that the device did something that was not recorded.
  std::optional<launched_work> launches;
  std::string_view arguments;  ///< as of a kernel
};

/// One step, as the host that drove the devices marked it. With a duration it ends there, or with the last kernel that it launched;
/// without one where the next step begins.
struct recorded_step {
  std::string_view name;
  std::int64_t number = -1;  ///< -1: none
  std::int64_t start_ps = 0, duration_ps = 0;
  std::uint64_t source_row = 0;
};

/// The value of a counter from an instant on.
struct recorded_value {
  std::int64_t at_ps = 0;
  double value = 0;  ///< finite
  std::uint64_t source_row = 0;
};

/// Memory that an allocator gave out, or got back.
struct recorded_allocation {
  std::int64_t at_ps = 0;
  std::uint64_t address = 0;   ///< by which it is found again when it is freed
  std::int64_t bytes = 0;      ///< asked for; not negative
  std::int64_t held_bytes = 0;  ///< taken for it, with what rounding adds; 0: as asked for
  bool is_free = false;
  std::string_view op;  ///< for which it is; "" where it is not known
  std::uint64_t source_row = 0;
};

/// The contents of one file: one rank of a run. Rows may come in any order. A row with a negative duration, with a time
/// more than 106 days from zero, or of a stream, thread, counter or allocator that was not added is passed over and counted:
/// the file is then damaged, and the others stay. Not thread-safe while it is filled.
class recording {
 public:
  recording();
  ~recording();
  recording(recording&&) noexcept;
  recording& operator=(recording&&) noexcept;

  /// Unix ns of time zero; files of one capture are put on one clock by it. Without it times stay as they are.
  void set_origin_unix_ns(std::int64_t ns);
  /// Who wrote it, for people: "mytracer 1.2".
  void set_recorder(std::string_view name);
  /// Of a distributed run: which rank this is, of how many (0: not known).
  void set_rank(std::int32_t rank, std::int32_t world_size = 0);

  /// A device ("GPU 0"), a stream of it and a thread of the host, in the order in which `info` shows them. Each gives the
  /// number by which rows name it. `ordinal`: the number of the device on its machine, -1 when it has none. `model`: "NVIDIA H100 80GB
  /// HBM3", by which its peaks are known.
  std::uint32_t add_device(std::string_view name, accelerator type = accelerator::other, std::int64_t ordinal = -1,
                           std::string_view model = {});
  std::uint32_t add_stream(std::uint32_t device, std::int64_t id, std::string_view name = {});
  std::uint32_t add_thread(std::string_view process, std::string_view name);
  /// A number over time: of a device ("power", "W"), or of a process of the host.
  std::uint32_t add_counter(std::uint32_t device, std::string_view name, std::string_view unit = {});
  std::uint32_t add_process_counter(std::string_view process, std::string_view name, std::string_view unit = {});
  /// Where memory comes from; without a device it is the host's.
  std::uint32_t add_allocator(std::optional<std::uint32_t> device, std::string_view name);

  void add_kernel(std::uint32_t stream, const recorded_kernel& kernel);
  void add_span(std::uint32_t thread, const recorded_span& span);
  void add_step(std::uint32_t thread, const recorded_step& step);
  void add_value(std::uint32_t counter, const recorded_value& value);
  void add_allocation(std::uint32_t allocator, const recorded_allocation& allocation);
  /// Why these would pass a row over; null: they would take it.
  [[nodiscard]] const char* why_not(std::uint32_t stream, const recorded_kernel& kernel) const noexcept;
  [[nodiscard]] const char* why_not(std::uint32_t thread, const recorded_span& span) const noexcept;
  [[nodiscard]] const char* why_not(std::uint32_t thread, const recorded_step& step) const noexcept;
  [[nodiscard]] const char* why_not(std::uint32_t counter, const recorded_value& value) const noexcept;
  [[nodiscard]] const char* why_not(std::uint32_t allocator, const recorded_allocation& allocation) const noexcept;
  /// Counts a row of the file that could not be understood, and why. Few different reasons: each is reported with its
  /// count.
  void pass_over(std::string_view reason, std::uint64_t source_row);

  /// About how much memory its rows and names take.
  [[nodiscard]] std::uint64_t held_bytes() const noexcept;
  /// The device of the allocator of that name; "": memory of the host, or no such allocator.
  [[nodiscard]] std::string_view device_of_allocator(std::string_view name) const noexcept;

  struct contents;  ///< of the core
  [[nodiscard]] const contents& all() const noexcept { return *contents_; }

 private:
  std::unique_ptr<contents> contents_;
};

/// A recording that was made in memory, as a file of a profile: profile::open_recordings().
struct recorded_file {
  std::string label;  ///< stands for its path in messages and documents
  std::string host;   ///< name of the machine; "" where it is not known
  recording rows;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
