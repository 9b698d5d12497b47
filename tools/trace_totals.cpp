#include "trace_totals.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

namespace profkit_tool {
namespace {

using profkit::file_family;
using profkit::result;
using profkit::string_id;
using profkit::timeline_event;
using profkit::track;
using profkit::track_id;

// Takes the events of Chrome files that are no export, adds them up by track and by name.
class trace_sink final : public profkit::timeline_sink {
 public:
  explicit trace_sink(const profkit::profile& capture) : capture_(capture) {}

  string_id intern(std::string_view text) override {
    const auto known = ids_.find(text);
    if (known != ids_.end()) return known->second;
    texts_.emplace_back(text);
    const auto id = static_cast<string_id>(texts_.size());
    ids_.emplace(texts_.back(), id);
    return id;
  }
  track_id add_track(const track& t) override {
    tracks_.push_back({t, is_wanted(t), {}, 0, {}});
    return static_cast<track_id>(tracks_.size() - 1);
  }
  result<void> add_events(track_id on, const timeline_event* events, std::size_t count) override {
    per_track& t = tracks_[on];
    if (!t.wanted) return {};
    for (std::size_t i = 0; i < count; ++i) {
      const timeline_event& e = events[i];
      ++t.events;
      if (e.duration_ps > 0) t.spans.emplace_back(e.start_ps, e.start_ps + e.duration_ps);
      trace_name& name = t.names[e.name];
      ++name.count;
      name.total_ps += e.duration_ps;
      name.max_ps = std::max(name.max_ps, e.duration_ps);
    }
    return {};
  }

  trace_totals totals() {
    trace_totals all;
    for (const per_track& t : tracks_)
      all.on_devices = all.on_devices || (t.events > 0 && t.where.plane_type == profkit::plane_kind::device);
    std::unordered_map<string_id, trace_name> names;
    for (per_track& t : tracks_) {
      if (t.events == 0 || (all.on_devices && t.where.plane_type != profkit::plane_kind::device)) continue;
      all.tracks.push_back({t.where.file, std::string(text(t.where.plane_name)), std::string(text(t.where.line_name)),
                            t.events, covered(t.spans)});
      for (const auto& [id, sum] : t.names) {
        trace_name& name = names[id];
        name.count += sum.count;
        name.total_ps += sum.total_ps;
        name.max_ps = std::max(name.max_ps, sum.max_ps);
        all.total_ps += sum.total_ps;
      }
    }
    for (auto& [id, sum] : names) {
      sum.name = text(id);
      all.names.push_back(std::move(sum));
    }
    std::stable_sort(all.tracks.begin(), all.tracks.end(),
                     [](const trace_track& a, const trace_track& b) { return a.busy_ps > b.busy_ps; });
    std::sort(all.names.begin(), all.names.end(), [](const trace_name& a, const trace_name& b) {
      return a.total_ps != b.total_ps ? a.total_ps > b.total_ps : a.name < b.name;
    });
    return all;
  }

 private:
  struct per_track {
    track where;
    bool wanted = false;
    std::vector<std::pair<std::int64_t, std::int64_t>> spans;
    std::uint64_t events = 0;
    std::unordered_map<string_id, trace_name> names;
  };

  [[nodiscard]] bool is_wanted(const track& t) const {
    const profkit::capture_file& file = capture_.what().files[t.file];
    return file.family == file_family::chrome_trace && file.export_of < 0;
  }
  [[nodiscard]] std::string_view text(string_id id) const { return id == 0 ? std::string_view() : texts_[id - 1]; }

  static std::int64_t covered(std::vector<std::pair<std::int64_t, std::int64_t>>& spans) {
    std::sort(spans.begin(), spans.end());
    std::int64_t covered_ps = 0, end = INT64_MIN;
    for (const auto& [from, to] : spans) {
      const std::int64_t start = std::max(from, end);
      if (to > start) covered_ps += to - start;
      end = std::max(end, to);
    }
    return covered_ps;
  }

  const profkit::profile& capture_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, string_id> ids_;
  std::vector<per_track> tracks_;
};

}  // namespace

result<trace_totals> total_traces(const profkit::profile& capture) {
  trace_sink sink(capture);
  const result<void> filled = profkit::fill_timeline(capture, sink);
  // Damage is told by the slice that looks at the file; what was intact is added up.
  if (!filled && filled.error().code != profkit::fault_code::damaged) return filled.error();
  return sink.totals();
}

}  // namespace profkit_tool
