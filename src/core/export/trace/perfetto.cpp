// Everything that has a place in time as a Perfetto trace.
#include <profkit/core/chrome.hpp>
#include <profkit/core/perfetto_writer.hpp>

#include "flow_marks.hpp"
#include "lanes.hpp"
#include "machines.hpp"
#include "parts.hpp"
#include "shown_lines.hpp"

#include "base/hash_map.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Without a known origin times count from the capture's zero; a little before it can happen (clocks were corrected,
// hosts started early), and times must not be negative: an hour of room.
constexpr std::uint64_t room_ns = std::uint64_t{3600} * 1000000000;

// The stats of one plane, by the id of their name.
class plane_names {
 public:
  explicit plane_names(const plane_index& plane) : plane_(plane) {}
  struct operation {
    std::string_view name, long_name;
    std::vector<stat_view> stats;
  };
  const operation& of(std::int64_t metadata_id) {
    const auto [at, is_new] = operations_.try_emplace(metadata_id);
    if (is_new) {
      at->second = std::make_unique<operation>();
      if (const metadata_entry found = plane_.event_metadata.find(metadata_id)) {
        const event_metadata_view entry(found.bytes);
        at->second->name = entry.display_name().empty() ? entry.name() : entry.display_name();
        if (!entry.display_name().empty()) at->second->long_name = entry.name();
        for (const stat_view stat : entry.stats()) at->second->stats.push_back(stat);
      }
    }
    return *at->second;
  }
  std::string_view stat(std::int64_t id) {
    const auto [at, is_new] = stats_.try_emplace(id);
    if (is_new) at->second = plane_.stat_name(id);
    return at->second;
  }

 private:
  const plane_index& plane_;
  hash_map<std::int64_t, std::unique_ptr<operation>> operations_;
  hash_map<std::int64_t, std::string_view> stats_;
};

bool is_numeric(const stat_view& stat) noexcept {
  return stat.kind() == stat_kind::double_value || stat.kind() == stat_kind::uint64_value ||
         stat.kind() == stat_kind::int64_value;
}

class perfetto_exporter final : public line_visitor {
 public:
  explicit perfetto_exporter(const trace_job& job)
      : job_(job),
        out_(job.into, base_of(job.p), has_unix_times(job.p) ? perfetto_writer::base::unix_time : perfetto_writer::base::unknown),
        machines_(job.p) {}

  result<void> write() {
    write_losses();
    if (result<void> walked = walk_lines(job_, *this); !walked) return walked;
    if (job_.o.waits)
      if (result<void> written = write_waits(job_, machines_, out_); !written) return written;
    return out_.finish();
  }

  result<void> begin_process(const shown_process& process) override {
    process_ = process;
    names_.reset();
    if (process.plane != nullptr) {
      names_.emplace(*process.plane);
      flows_.emplace(*process.plane, process.file);
    }
    counters_.clear();
    out_.use_machine(machines_.of(process.file, process.plane));
    process_id_ = out_.add_process(process.title);
    return {};
  }

  result<void> begin_line(const shown_line& line) override {
    line_ = line;
    lanes_ = {};
    tracks_.clear();
    next_arrow_ = 0;
    if (!names_) counters_.clear();  // counters of one name are different ones; lines of a plane share theirs
    return {};
  }

  result<void> take(const placed_event* events, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      if (line_.is_counter) {
        write_values(events[i]);
        continue;
      }
      write_slice(events[i]);
      // The last of the slices that start together is the innermost: arrows belong to it, as in Chrome.
      if (!line_.arrows.empty() && (i + 1 == count || events[i + 1].start_ps > events[i].start_ps)) write_arrows(events[i].start_ps);
    }
    return out_.failed() != nullptr ? result<void>(*out_.failed()) : result<void>();
  }

  result<void> end_line() override {
    lanes_.close([&](std::size_t lane, std::int64_t end_ps) { out_.end_slice(tracks_[lane], end_ps); });
    job_.outcome.crowded += lanes_.crowded();
    return {};
  }

 private:
  static bool has_unix_times(const profile& p) noexcept { return p.origin_unix_ns().value_or(0) > 0; }
  static std::uint64_t base_of(const profile& p) noexcept {
    return has_unix_times(p) ? static_cast<std::uint64_t>(*p.origin_unix_ns()) : room_ns;
  }

  // What was lost before, as moments at zero on a track of their own: viewers show nothing else that a trace says of itself.
  void write_losses() {
    std::uint64_t track = 0;
    for (const std::size_t file : job_.files) {
      for (const std::string& loss : losses_of_file(job_.p, file)) {
        if (track == 0) {
          out_.use_machine(machines_.of(file, find_plane(job_.p, static_cast<std::uint32_t>(file), 0)));
          track = out_.add_track(out_.add_process("incomplete"), "what was lost before");
        }
        out_.instant(track, 0, loss);
      }
    }
  }

  void write_slice(const placed_event& event) {
    const bool is_instant = event.kind != track_event_kind::span;
    const std::size_t place =
        is_instant ? 0 : lanes_.place(event.start_ps, event.end_ps(), [&](std::size_t lane, std::int64_t end_ps) {
          out_.end_slice(tracks_[lane], end_ps);
        });
    const std::size_t lane = std::min(place, lane_splitter::max_lanes - 1);
    if (lane >= tracks_.size()) {
      tracks_.push_back(out_.add_track(process_id_, lane_title(line_.title, lane)));
      ++(lane == 0 ? job_.outcome.tracks : job_.outcome.lanes);
    }
    ++job_.outcome.events;
    const bool is_crowded = place == lane_splitter::max_lanes;
    const plane_names::operation* const what = names_ ? &names_->of(event.name) : nullptr;
    const std::string_view name = what != nullptr ? what->name : process_.name_of(event);
    if (is_instant || is_crowded)
      out_.instant(tracks_[lane], event.start_ps, name);
    else
      out_.begin_slice(tracks_[lane], event.start_ps, name);
    if (is_crowded) out_.add_argument("duration_ps", event.duration_ps);
    if (what == nullptr) {
      add_members(event.json());
      return;
    }
    if (!what->long_name.empty()) out_.add_argument("long_name", what->long_name, true);
    for (const stat_view stat : what->stats) add_argument(stat, true);
    flows_->for_each(event.stats(), [&](std::uint64_t id, flow_end) {
      out_.add_flow(id);
      ++job_.outcome.flows;
    });
    for (const stat_view stat : event.stats()) add_argument(stat, false);
  }

  void add_argument(const stat_view& stat, bool shared) {
    const std::string_view name = names_->stat(stat.metadata_id());
    switch (stat.kind()) {
      case stat_kind::none: break;
      case stat_kind::double_value: out_.add_argument(name, stat.as_double()); break;
      case stat_kind::uint64_value: out_.add_argument(name, stat.as_uint64()); break;
      case stat_kind::int64_value: out_.add_argument(name, stat.as_int64()); break;
      case stat_kind::str_value: out_.add_argument(name, stat.as_bytes(), shared); break;
      case stat_kind::bytes_value:
        out_.add_argument(name, '<' + std::to_string(stat.as_bytes().size()) + " bytes>", shared);
        break;
      case stat_kind::ref_value: out_.add_argument(name, process_.plane->stat_name(stat.as_ref()), true); break;
    }
  }

  // Those that begin, pass or end where the slice begins that was written last.
  void write_arrows(std::int64_t start_ps) {
    while (next_arrow_ < line_.arrows.size() && line_.arrows[next_arrow_].start_ps < start_ps) ++next_arrow_;
    for (; next_arrow_ < line_.arrows.size() && line_.arrows[next_arrow_].start_ps == start_ps; ++next_arrow_) {
      out_.add_flow(flow_id(line_.arrows[next_arrow_].json(), process_.file));
      ++job_.outcome.flows;
    }
  }

  // Every number that an event of a counter has is a value of the curve "event number".
  void write_values(const placed_event& event) {
    if (!names_) {
      for (json_members values(json_member(event.json(), "args")); values.next();)
        if (const std::optional<double> number = number_of(values.value()))
          out_.set_counter(curve_of(process_.name_of(event), values.key()), event.start_ps, *number);
      return;
    }
    const std::string_view name = names_->of(event.name).name;
    for (const stat_view stat : event.stats()) {
      if (!is_numeric(stat)) continue;
      const std::uint64_t curve = curve_of(name, names_->stat(stat.metadata_id()));
      if (stat.kind() == stat_kind::double_value)
        out_.set_counter(curve, event.start_ps, stat.as_double());
      else
        out_.set_counter(curve, event.start_ps, stat.as_int64());
    }
  }

  // A value that is called as its counter, or after its unit, adds nothing to the title.
  std::uint64_t curve_of(std::string_view name, std::string_view key) {
    ++job_.outcome.counters;
    std::string title(name);
    if (key != name && key != line_.unit) title.append(title.empty() ? "" : " ").append(key);
    const auto [at, is_new] = counters_.try_emplace(std::move(title), 0);
    if (is_new) at->second = out_.add_counter(process_id_, at->first, line_.unit);
    return at->second;
  }

  static std::optional<double> number_of(std::string_view raw) noexcept {
    double value = 0;
    const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    return error == std::errc() && end == raw.data() + raw.size() ? std::optional<double>(value) : std::nullopt;
  }

  // Category, name and id name a flow; 64 bits of FNV-1a stand for them.
  static std::uint64_t flow_id(std::string_view json, std::size_t file) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325ULL ^ file;
    for (const char* const key : {"cat", "name", "id"}) {
      for (const char c : json_member(json, key)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
      hash = (hash ^ 0xff) * 0x100000001b3ULL;
    }
    return hash;
  }

  void add_members(std::string_view json) {
    std::string key_scratch, value_scratch;
    const std::string_view category = json_member(json, "cat");
    if (!category.empty()) out_.add_argument("cat", json_text(category, value_scratch), true);
    for (json_members members(json_member(json, "args")); members.next();) {
      const std::string_view raw = members.value();
      std::int64_t whole = 0;
      const std::string_view key = members.key();
      const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), whole);
      if (error == std::errc() && end == raw.data() + raw.size()) {
        out_.add_argument(key, whole);
      } else if (const std::optional<double> number = number_of(raw)) {
        out_.add_argument(key, *number);
      } else {
        out_.add_argument(key, json_text(raw, value_scratch));
      }
    }
  }

  const trace_job& job_;
  perfetto_writer out_;
  const machines machines_;
  shown_process process_{};
  std::uint64_t process_id_ = 0;
  std::optional<plane_names> names_;  // of an XSpace
  std::optional<flow_marks> flows_;
  hash_map<std::string, std::uint64_t> counters_;  // by title
  shown_line line_;
  lane_splitter lanes_;
  std::vector<std::uint64_t> tracks_;  // by lane
  std::size_t next_arrow_ = 0;
};

}  // namespace

result<void> write_perfetto(const trace_job& job) { return perfetto_exporter(job).write(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
