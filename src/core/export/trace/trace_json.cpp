// Trace JSON for people: everything that has a place in time, overlapping events on lanes of their own.
#include "json_text.hpp"
#include "lanes.hpp"
#include "parts.hpp"
#include "process_titles.hpp"
#include "row_writer.hpp"
#include "shown_lines.hpp"

#include "base/format.hpp"
#include "base/json_writer.hpp"
#include "base/merged_losses.hpp"
#include "base/node_sections.hpp"
#include "base/unix_time.hpp"
#include "formats/recording/saved.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint64_t lanes_in_sort_index = 1024;

class json_exporter final : public line_visitor {
 public:
  explicit json_exporter(const trace_job& job) : job_(job), rows_(job.into, job.o.host), nodes_(count_nodes(job.p)) {}

  result<void> write() {
    std::string head = "{\"displayTimeUnit\":\"ns\",";
    if (const auto origin = job_.p.origin_unix_ns()) {
      head += "\"baseTimeNanoseconds\":";
      append_integer(head, *origin);
      head += ',';
    }
    if (nodes_ > 0) {
      head += '"';
      head.append(sections_key) += "\":" + std::to_string(nodes_) + ',';
    }
    std::vector<std::string> losses;
    for (const std::size_t file : job_.files)
      for (std::string& loss : losses_of_file(job_.p, file)) losses.push_back(std::move(loss));
    if (nodes_ == 0 && !losses.empty()) {
      append_losses(head, losses);
      head += ',';
    }
    head += "\"metadata\":{\"producer\":\"profkit\"";
    if (recorded_ != nullptr)
      head.append(",\"").append(layout_key).append("\":").append(layout_of(recorded_->all(), host_of(job_.p, job_.files.front()), job_.p.origin_unix_ns()));
    head += "},\"traceEvents\":[\n";
    if (result<void> written = job_.into.write(head); !written) return written;
    if (result<void> walked = walk_lines(job_, *this); !walked) return walked;
    if (result<void> flushed = rows_.flush(); !flushed) return flushed;
    job_.outcome.flows += rows_.flows();
    job_.outcome.counters += rows_.counters();
    return job_.into.write("{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{}}\n]}\n");
  }

  result<void> begin_process(const shown_process& process) override {
    style_ = process.plane != nullptr ? std::make_shared<row_style>(*process.plane, process.file, json_dialect::people)
                                      : std::make_shared<row_style>(process.texts);
    style_->pid = ++processes_;
    last_tid_ = process.lines;
    process_position_ = process.position;
    if (result<void> begun = begin_section(process.file, process.plane); !begun) return begun;
    return name_process(process.title);
  }

  result<void> begin_line(const shown_line& line) override {
    line_ = line;
    lanes_ = {};
    tids_.clear();
    return {};
  }

  result<void> take(const placed_event* events, std::size_t count) override {
    for (const placed_event* event = events; event != events + count; ++event) {
      const bool has_length = event->kind == track_event_kind::span && !line_.is_counter;
      const std::size_t place = has_length ? lanes_.place(event->start_ps, event->end_ps(), [](std::size_t, std::int64_t) {}) : 0;
      const std::size_t lane = std::min(place, lane_splitter::max_lanes - 1);
      if (lane >= tids_.size())
        if (result<void> added = add_lane(lane); !added) return added;
      if (result<void> added = add_row(*event, tids_[lane]); !added) return added;
    }
    if (!line_.is_counter) job_.outcome.events += count;
    return {};
  }

  result<void> end_line() override {
    job_.outcome.crowded += lanes_.crowded();
    for (const placed_event& arrow : line_.arrows)
      if (result<void> added = add_row(arrow, tids_.front()); !added) return added;
    return {};
  }

 private:
  result<void> add_row(const placed_event& event, std::uint32_t tid) {
    return rows_.add(style_, {event, style_->text ? &style_->text->prepare(event.name) : nullptr, tid, line_.is_counter});
  }

  result<void> add_lane(std::size_t lane) {
    tids_.push_back(lane == 0 ? line_.number : ++last_tid_);
    if (!line_.is_counter) ++(lane == 0 ? job_.outcome.tracks : job_.outcome.lanes);
    return name_thread(tids_.back(), lane_title(line_.title, lane), line_.order * lanes_in_sort_index + lane);
  }

  // How many nodes the trace has, when all that has events is of one; 0 otherwise: it is not written by nodes then.
  static std::size_t count_nodes(const profile& p) {
    std::vector<std::int64_t> nodes;
    for (std::size_t file = 0; file < p.file_count(); ++file) {
      if (p.what().files[file].export_of >= 0) continue;
      const std::vector<plane_index>& planes = p.xspace(file)->planes;
      if (planes.empty()) nodes.push_back(node_of_place(p, file, nullptr));
      for (const plane_index& plane : planes)
        if (!plane.lines.empty()) nodes.push_back(node_of_place(p, file, &plane));
    }
    std::sort(nodes.begin(), nodes.end());
    if (nodes.empty() || nodes.front() < 0) return 0;
    return static_cast<std::size_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
  }

  result<void> begin_section(std::size_t file, const plane_index* plane) {
    if (nodes_ == 0) return {};
    const std::int64_t node = node_of_place(job_.p, file, plane);
    if (std::exchange(section_, node) == node) return {};
    const std::string host = plane == nullptr ? job_.p.what().files[file].host : std::string(hostname_of(*plane));
    std::string text(section_head);
    text += "{\"node\":";
    append_integer(text, node);
    text += ",\"hostname\":";
    append_json_string(text, host == name_of_node(node) ? std::string_view() : host);
    text += ",\"label\":";
    append_json_string(text, node_title(node, host));
    if (const auto origin = job_.p.origin_unix_ns()) {
      text.append(",\"").append(base_time_key).append("\":");
      append_integer(text, *origin);
    }
    if (const std::vector<std::string> losses = losses_of_section(losses_of_file(job_.p, file), node); !losses.empty()) {
      append_losses(text += ",\"header\":{", losses);
      text += '}';
    }
    text += ",\"processes\":[]}},\n";
    return rows_.add_text(std::move(text));
  }

  // Those of one node; of the first section also those of nodes that have none.
  std::vector<std::string> losses_of_section(const std::vector<std::string>& losses, std::int64_t node) {
    std::vector<std::string> found;
    const bool is_first = !std::exchange(has_sections_, true);
    for (const std::string& loss : losses) {
      const auto said = text_of_node(loss);
      const bool has_no_section = said && starts_with(said->second, trace_missing);
      if (!said || said->first == node || (is_first && has_no_section)) found.push_back(loss);
    }
    return found;
  }

  result<void> name_process(const std::string& name) {
    std::string text = "{\"ph\":\"M\",\"pid\":";
    append_integer(text, processes_);
    text += ",\"name\":\"process_name\",\"args\":{\"name\":";
    append_json_string(text, name);
    append_position(text, process_position_);
    text += "}},\n{\"ph\":\"M\",\"pid\":";
    append_integer(text, processes_);
    text += ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":";
    append_integer(text, processes_);
    text += "}},\n";
    return rows_.add_text(std::move(text));
  }
  result<void> name_thread(std::uint32_t tid, const std::string& name, std::uint64_t sort_index) {
    std::string text;
    const auto append_head = [&](const char* what) {
      text += "{\"ph\":\"M\",\"pid\":";
      append_integer(text, processes_);
      text += ",\"tid\":";
      append_integer(text, std::uint64_t{tid});
      text.append(",\"name\":\"").append(what).append("\",\"args\":{");
    };
    append_head("thread_name");
    text += "\"name\":";
    append_json_string(text, name);
    append_position(text, line_.position);
    text += "}},\n";
    append_head("thread_sort_index");
    text += "\"sort_index\":";
    append_integer(text, sort_index);
    text += "}},\n";
    return rows_.add_text(std::move(text));
  }

  // Of a plane or a line of a recording, which is read as one again.
  void append_position(std::string& text, std::int32_t position) const {
    if (recorded_ == nullptr) return;
    text.append(",\"").append(position_key).append("\":");
    append_integer(text, std::int64_t{position});
  }

  const trace_job& job_;
  const recording* const recorded_ = job_.recorded();
  std::int32_t process_position_ = -1;
  row_writer rows_;
  const std::size_t nodes_;     // whose events stand in sections of their own; 0: no sections
  std::int64_t section_ = -1;  // the node whose section is open
  bool has_sections_ = false;
  std::uint64_t processes_ = 0;
  std::shared_ptr<row_style> style_;
  shown_line line_;
  lane_splitter lanes_;
  std::vector<std::uint32_t> tids_;  // by lane
  std::uint32_t last_tid_ = 0;
};

}  // namespace

result<void> write_trace_json(const trace_job& job) { return json_exporter(job).write(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
