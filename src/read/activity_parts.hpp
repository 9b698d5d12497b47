// What read_activity() is put together from, and its fillers: one a family of files.
#pragma once
#include <profkit/core/activity.hpp>

#include <base/string_table.hpp>
#include <read/chrome_tracks.hpp>
#include <read/step_names.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The kernels of one device. Immutable: visited from any thread; names were interned when it was made.
class kernel_source {
 public:
  virtual ~kernel_source() = default;
  virtual result<void> visit(kernel_visitor& into, const hooks& host) const = 0;
};

// The host spans of one group, under the same rules.
class host_span_source {
 public:
  virtual ~host_span_source() = default;
  virtual result<void> visit(std::int64_t from_ps, std::int64_t to_ps, host_span_visitor& into,
                             const hooks& host) const = 0;
  // See activity::visit_host_spans_in(); there is a window at least.
  virtual result<std::uint32_t> visit_in(interval_sequence windows, host_span_visitor& into, const hooks& host) const;
  virtual result<std::uint32_t> visit_in_parts(interval_sequence windows, host_span_parts& into,
                                               const hooks& host) const;
};

struct activity_parts {
  activity_parts(std::shared_ptr<const profile> p, const activity_options& o, const hooks& h, step_names s)
      : from(std::move(p)), options(o), host(h), steps(std::move(s)) {}

  // Sources may keep `from`: it lives as long as the activity.
  std::shared_ptr<const profile> from;
  const activity_options& options;
  const hooks& host;
  step_names steps;

  string_table strings;
  std::vector<activity_device> devices;
  std::vector<std::unique_ptr<const kernel_source>> kernels;        // one a device
  std::vector<activity_host> hosts;                                 // by host group
  std::vector<std::unique_ptr<const host_span_source>> host_spans;  // likewise; null: the group has none
  std::vector<step_marker> markers;                                 // in any order
  std::vector<activity_input> inputs;
  std::vector<communication_row> communication;
  std::vector<step_trace_row> step_trace;
  std::vector<activity_thread> threads;
  std::string left_out;       // names of devices that options.device does not want, as far as they are shown

  // A new host group without spans.
  std::uint32_t add_host_group(std::size_t file) {
    hosts.emplace_back().file = static_cast<std::uint32_t>(file);
    host_spans.emplace_back();
    return static_cast<std::uint32_t>(host_spans.size() - 1);
  }
  // A new thread; its number.
  std::uint32_t add_thread(activity_thread t) {
    threads.push_back(std::move(t));
    return static_cast<std::uint32_t>(threads.size() - 1);
  }
  // Adds a device with its kernels when options.device wants it; its index, or -1.
  std::int32_t add_device(activity_device device, std::unique_ptr<const kernel_source> of);
};

// The threads of a trace among those of the capture, numbered as they come to be needed.
class thread_numbers {
 public:
  explicit thread_numbers(activity_parts& parts) noexcept : parts_(parts) {}
  // Of a track of the trace.
  std::uint32_t of(std::uint32_t track) {
    if (track >= numbers_.size())
      numbers_.resize(std::max<std::size_t>(track + std::size_t{1}, 2 * numbers_.size()), no_thread);
    if (numbers_[track] == no_thread) numbers_[track] = parts_.add_thread({});
    return numbers_[track];
  }
  // Names them, now that all names are known. A pid stands for a process without a name and tells others apart.
  void name_threads(std::size_t file, const chrome_tracks& tracks);

 private:
  activity_parts& parts_;
  std::vector<std::uint32_t> numbers_;
};

// Each reads what it knows of the profile, in the order of its files. Damage goes to `inputs`; the fault that is
// given back stops everything (cancelled, out_of_memory, a bad option).
result<void> fill_activity_from_xspace(activity_parts& into);  // activity_xspace.cpp
result<void> fill_activity_from_ascend(activity_parts& into);  // activity_ascend.cpp
result<void> fill_activity_from_kineto(activity_parts& into);  // activity_kineto.cpp
result<void> fill_activity_from_recordings(activity_parts& into);  // recording_fill.cpp

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
