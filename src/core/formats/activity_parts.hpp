// What read_activity() is put together from, and its fillers: one a family of files.
#pragma once
#include <profkit/core/activity.hpp>

#include <base/string_table.hpp>
#include <formats/step_names.hpp>

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
  std::vector<line_count> lines;
  std::vector<kernel_origin> origins;
  std::vector<operator_call> operator_calls;
  std::vector<activity_thread> threads;
  std::string left_out;       // names of devices that options.device does not want, as far as they are shown
  std::vector<activity_device> unwanted;  // these devices: their names, files and ranks alone

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

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
