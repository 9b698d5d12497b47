// What a recorder's events mean. One file a recorder, and a line here and in trace_reader.cpp. Merged traces have events of
// several: each is asked for what may be its own, by categories of events, arguments of others and names of processes.
#pragma once
#include <formats/chrome/chrome_decoder.hpp>
#include <formats/kineto/gathered_trace.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class trace_recorder;

// An event that does not say by itself what it is, until its process has a name.
struct unplaced_span : placed_span {
  std::uint32_t facts = 0;  // 1 + index of what its arguments say; 0: nothing
};
struct held_facts {
  trace_recorder* by = nullptr;  // whose device it may be, whatever its process is
  std::int64_t device = -1, step = -1;
  own_time own;
};

// What a process is by its name.
struct process_role {
  trace_recorder* device_of = nullptr;  // it is a device, or a part of one
  bool is_host = false, is_passed_over = false;
  host_span_kind kind = host_span_kind::other;  // of a host's spans
};

class trace_recorder {
 public:
  explicit trace_recorder(gathered_trace& into) noexcept : into_(into) {}
  virtual ~trace_recorder() = default;

  virtual void take_header(std::string_view /*key*/, std::string_view /*json*/) {}
  // Whether a span with a category is the recorder's own, damaged or not: then it is counted and not looked at further.
  virtual bool take(const chrome_item& /*found*/) { return false; }
  // Of others: whether the arguments are the recorder's.
  virtual bool read_arguments(const chrome_event& /*e*/, unplaced_span& /*held*/, held_facts& /*into*/) { return false; }

  // When all is named, in this order:
  virtual void see_process(std::uint32_t /*number*/, process_role& /*role*/) {}
  // What an event of its device was taken for; nothing: it is not one.
  virtual std::optional<line_use> take_held(const unplaced_span& /*e*/, const held_facts& /*said*/) { return std::nullopt; }
  virtual void finish() {}

 protected:
  [[nodiscard]] const chrome_trace_process& process_of(const placed_span& s) const { return into_.tracks.process_of_track(s.track); }

  gathered_trace& into_;
};

std::unique_ptr<trace_recorder> make_kineto_recorder(gathered_trace& into);
std::unique_ptr<trace_recorder> make_rocprof_recorder(gathered_trace& into);
std::unique_ptr<trace_recorder> make_timeline_recorder(gathered_trace& into);
std::unique_ptr<trace_recorder> make_xla_recorder(gathered_trace& into);

// Traces with devices to the activity: see known_format.
result<void> fill_activity_from_traces(activity_parts& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
