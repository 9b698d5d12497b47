// What a format of a host's own records of devices and hosts, added piece by piece; every analysis then reads it like
// any other capture.
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// One execution of a kernel. Names are copied.
struct recorded_kernel {
  std::string_view name;
  std::int64_t start_ps = 0;     ///< on the clock of the recording
  std::int64_t duration_ps = 0;  ///< not negative
  std::optional<kernel_class> kind;     ///< empty: by the name, as of other recorders' kernels
  std::int64_t launch_ps = no_time_ps;  ///< when the host launched it
  std::uint64_t source_row = 0;         ///< where it stands in its file, from 1: its line, or the number of its event
};

/// What a thread of a host did for a while.
struct recorded_span {
  std::string_view name;
  std::int64_t start_ps = 0, duration_ps = 0;  ///< as of a kernel
  host_span_kind kind = host_span_kind::op;
  std::uint64_t source_row = 0;
};

/// One step, as the host that drove the devices marked it.
struct recorded_step {
  std::string_view name;
  std::int64_t number = -1;  ///< -1: none
  std::int64_t start_ps = 0, duration_ps = 0;
  std::uint64_t source_row = 0;
};

/// The contents of one file: one rank of a run. Rows may come in any order. A row with a negative duration, with a time
/// more than 106 days from zero, or of a stream or thread that was not added is passed over and counted: the file is
/// then damaged, and the others stay. Not thread-safe while it is filled.
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
  /// number by which rows name it. `ordinal`: the number of the device on its machine, -1 when it has none.
  std::uint32_t add_device(std::string_view name, accelerator type = accelerator::other, std::int64_t ordinal = -1);
  std::uint32_t add_stream(std::uint32_t device, std::int64_t id, std::string_view name = {});
  std::uint32_t add_thread(std::string_view process, std::string_view name);

  void add_kernel(std::uint32_t stream, const recorded_kernel& kernel);
  void add_span(std::uint32_t thread, const recorded_span& span);
  void add_step(std::uint32_t thread, const recorded_step& step);
  /// Counts a row of the file that could not be understood, and why. Few different reasons: each is reported with its
  /// count.
  void pass_over(std::string_view reason, std::uint64_t source_row);

  struct contents;  ///< of the core
  [[nodiscard]] const contents& all() const noexcept { return *contents_; }

 private:
  std::unique_ptr<contents> contents_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
