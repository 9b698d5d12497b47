#include <analyse/info/chrome_inventory.hpp>

#include <trace/filters/select.hpp>

#include <algorithm>
#include <numeric>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

chrome_inventory::chrome_inventory(const profile& p, const query_filters& o) : profile_(p), options_(o) {
  intern("");
}

string_id chrome_inventory::intern(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<string_id>(texts_->size());
  ids_.emplace(texts_->emplace_back(text), id);
  return id;
}

bool chrome_inventory::line_fits(const track& t) const {
  return !options_.step && (*texts_)[t.plane_name].find(options_.plane) != std::string::npos &&
         (*texts_)[t.line_name].find(options_.line) != std::string::npos;
}

void chrome_inventory::add_counted(const activity& of) {
  for (const line_count& line : of.lines()) {
    thread_totals& added = tracks_.emplace_back();
    added.where.file = line.file;
    added.where.plane = line.plane;
    added.where.line = line.line;
    added.where.plane_type = line.plane_type;
    added.where.line_type = line.line_type;
    added.where.stream = line.id;
    added.where.plane_name = intern(of.text(line.plane_name));
    added.where.line_name = intern(of.text(line.line_name));
    added.events = std::accumulate(line.events.begin(), line.events.end(), std::uint64_t{0});
    added.duration_sum_ps = line.duration_sum_ps;
    if (line.first_ps == no_time_ps) continue;
    added.first_ps = line.first_ps;
    added.last_ps = line.last_ps;
  }
}

track_id chrome_inventory::add_track(const track& t) {
  thread_totals& added = tracks_.emplace_back();
  added.where = t;
  return static_cast<track_id>(tracks_.size() - 1);
}

bool chrome_inventory::name_fits(string_id name) const {
  return options_.name.empty() || (*texts_)[name].find(options_.name) != std::string::npos;
}

result<void> chrome_inventory::add_events(track_id on, const track_event* events, std::size_t count) {
  thread_totals& totals = tracks_[on];
  for (const track_event* event = events; event != events + count; ++event) {
    if (!time_fits(options_, event->start_ps, event->duration_ps) || !name_fits(event->name)) continue;
    const std::int64_t end_ps = saturating_add(event->start_ps, event->duration_ps);
    ++totals.events;
    totals.duration_sum_ps = saturating_add(totals.duration_sum_ps, event->duration_ps);
    totals.first_ps = std::min(totals.first_ps.value_or(event->start_ps), event->start_ps);
    totals.last_ps = std::max(totals.last_ps.value_or(end_ps), end_ps);
  }
  return {};
}

std::vector<plane_info> chrome_inventory::planes_of(std::uint32_t file) const {
  std::vector<plane_info> planes;
  hash_map<std::uint64_t, std::size_t> by_process;  // plane position and name to position in `planes`
  for (const thread_totals& totals : tracks_) {
    const track& at = totals.where;
    if (at.file != file || !line_fits(at)) continue;
    const std::uint64_t process =
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(at.plane)) << 32 | at.plane_name;
    const auto [found, added] = by_process.emplace(process, planes.size());
    if (added) {
      plane_info& plane = planes.emplace_back();
      plane.id = at.plane;
      plane.name = (*texts_)[at.plane_name];
      plane.kind = at.plane_type;
    }
    line_info& line = planes[found->second].lines.emplace_back();
    line.id = at.stream >= 0 ? at.stream : at.line;
    line.name = (*texts_)[at.line_name];
    line.kind = at.line_type;
    line.events = totals.events;
    line.duration_sum_ps = totals.duration_sum_ps;
    line.first_ps = totals.first_ps;
    line.last_ps = totals.last_ps;
  }
  return planes;
}

std::shared_ptr<const void> chrome_inventory::take_texts() { return std::move(texts_); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
