// A recording as an XSpace that XProf opens, and that is read as the recording again: planes and lines with their positions for ids, and
// first what they are.
#include "analyse/tree/json_stats.hpp"
#include "export/trace/parts.hpp"
#include "export/trace/process_titles.hpp"
#include "export/trace/shown_lines.hpp"

#include <profkit/core/chrome.hpp>
#include <profkit/core/recording.hpp>
#include <profkit/core/xspace_writer.hpp>
#include <profkit/time.hpp>

#include "formats/recording/saved.hpp"

#include <charconv>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class recording_writer final : public line_visitor {
 public:
  explicit recording_writer(const trace_job& job) : job_(job), writer_(job.into) {}

  result<void> write() {
    const std::size_t file = job_.files.front();
    writer_.begin_plane(layout_key);
    writer_.add_plane_stat(writer_.stat_metadata(layout_key),
                           stat_value::of_text(layout_of(job_.recorded()->all(), host_of(job_.p, file), job_.p.origin_unix_ns())));
    writer_.end_plane();
    if (result<void> walked = walk_lines(job_, *this); !walked) return walked;
    if (begun_) writer_.end_plane();
    if (const std::string host = host_of(job_.p, file); !host.empty()) writer_.add_hostname(host);
    return writer_.finish();
  }

  result<void> begin_process(const shown_process& process) override {
    if (std::exchange(begun_, true)) writer_.end_plane();
    process_ = process;
    writer_.begin_plane(plane_name(process), process.position);
    return state();
  }
  result<void> begin_line(const shown_line& shown) override {
    line_to_write line;
    line.id = shown.position;
    line.name = shown.name;
    line.timestamp_ns = job_.p.origin_unix_ns().value_or(0);
    writer_.begin_line(line);
    is_counter_ = shown.is_counter;
    ++job_.outcome.tracks;
    return state();
  }
  result<void> take(const placed_event* events, std::size_t count) override {
    for (const placed_event* event = events; event != events + count; ++event) {
      writer_.add_event(writer_.event_metadata(process_.name_of(*event)), event->start_ps, event->duration_ps);
      for (json_members args(json_member(event->json(), "args")); args.next();) add_stat(args.key(), args.value());
      arguments_.clear();
    }
    (is_counter_ ? job_.outcome.counters : job_.outcome.events) += count;
    return state();
  }
  result<void> end_line() override {
    writer_.end_line();
    return state();
  }

 private:
  // Viewers know devices by such names.
  [[nodiscard]] std::string plane_name(const shown_process& process) const {
    const auto& devices = job_.recorded()->all().devices;
    if (process.position < 0 || static_cast<std::size_t>(process.position) >= devices.size()) return process.name;
    const activity_device& device = devices[static_cast<std::size_t>(process.position)].facts;
    const char* const type = device.type == accelerator::gpu ? "GPU" : device.type == accelerator::tpu ? "TPU" : nullptr;
    return type == nullptr || device.ordinal < 0 ? process.name : "/device:" + (type + (":" + std::to_string(device.ordinal)));
  }
  // An argument as a stat; a host's own arguments as the object that they are.
  void add_stat(std::string_view key, std::string_view raw) {
    const named_stat argument = arguments_.of_member(key, raw);
    stat_value value{argument.kind, argument.bits, argument.text};
    if (argument.kind == stat_kind::none) {
      double number = 0;
      const char* const end = raw.data() + raw.size();
      const auto read = std::from_chars(raw.data(), end, number);
      value = read.ec == std::errc() && read.ptr == end ? stat_value::of_double(number) : stat_value::of_text(raw);
    }
    writer_.add_event_stat(writer_.stat_metadata(argument.name), value);
  }
  [[nodiscard]] result<void> state() const {
    const fault* const failed = writer_.failed();
    return failed == nullptr ? result<void>() : result<void>(*failed);
  }

  const trace_job& job_;
  xspace_writer writer_;
  shown_process process_{};
  bool begun_ = false, is_counter_ = false;
  json_stats arguments_;
};

}  // namespace

result<void> write_recording_xspace(const trace_job& job) { return recording_writer(job).write(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
