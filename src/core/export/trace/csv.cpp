// One row an event, as RFC 4180 has it.
#include <profkit/core/chrome.hpp>

#include "parts.hpp"
#include "plane_text.hpp"
#include "shown_lines.hpp"

#include "base/format.hpp"
#include "base/sound_json.hpp"
#include "export/csv_text.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t csv_flush_bytes = std::size_t{256} << 10;

class csv_exporter final : public line_visitor {
 public:
  explicit csv_exporter(const trace_job& job) : job_(job) {}

  result<void> write() {
    out_ = "file,host,plane,line,line_id,start_ps,duration_ps,name,stats\r\n";
    if (result<void> walked = walk_lines(job_, *this); !walked) return walked;
    return flush();
  }

  result<void> begin_process(const shown_process& process) override {
    process_ = process;
    text_.reset();
    if (process.plane != nullptr) text_.emplace(*process.plane, json_dialect::people);
    return {};
  }

  result<void> begin_line(const shown_line& line) override {
    ++job_.outcome.tracks;
    head_ = std::to_string(process_.file) + ',';
    for (const std::string_view cell : {std::string_view(process_.host), std::string_view(process_.name), std::string_view(line.name), std::string_view(line.id)}) {
      append_csv_cell(head_, cell);
      head_ += ',';
    }
    return {};
  }

  result<void> take(const placed_event* events, std::size_t count) override {
    for (const placed_event* event = events; event != events + count; ++event) {
      stats_.clear();
      const std::string_view name = text_ ? take_stats(*event) : take_members(*event);
      if (result<void> added = append_row(*event, name); !added) return added;
    }
    return {};
  }

  result<void> end_line() override { return {}; }

 private:
  // Puts what else is known of an event into stats_, and gives its name.
  std::string_view take_stats(const placed_event& event) {
    text_->append_arguments(stats_, text_->prepare(event.name), event.stats());
    const std::string_view display = process_.plane->event_display_name(event.name);
    return display.empty() ? process_.plane->event_name(event.name) : display;
  }
  std::string_view take_members(const placed_event& event) {
    const std::string_view args = json_member(event.json(), "args");
    append_sound_json(stats_, args.empty() ? std::string_view("{}") : args);
    std::replace_if(stats_.begin(), stats_.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');  // between its tokens
    return process_.name_of(event);
  }

  result<void> append_row(const placed_event& event, std::string_view name) {
    out_ += head_;
    append_integer(out_, event.start_ps);
    out_ += ',';
    append_integer(out_, event.duration_ps);
    out_ += ',';
    append_csv_cell(out_, name);
    out_ += ',';
    append_csv_cell(out_, stats_);
    out_ += "\r\n";
    ++job_.outcome.events;
    return out_.size() < csv_flush_bytes ? result<void>() : flush();
  }

  result<void> flush() {
    result<void> written = job_.into.write(out_);
    out_.clear();
    return written;
  }

  const trace_job& job_;
  shown_process process_{};
  std::optional<plane_text> text_;  // of an XSpace
  std::string out_, head_, stats_;
};

}  // namespace

result<void> write_events_csv(const trace_job& job) { return csv_exporter(job).write(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
