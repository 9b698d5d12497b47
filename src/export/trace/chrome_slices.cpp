#include "chrome_slices.hpp"

#include <profkit/time.hpp>

#include "base/affix.hpp"
#include "base/json_writer.hpp"
#include "base/utf8.hpp"
#include "formats/chrome/chrome_tracks.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::string json_of(const std::string& id, bool is_string) {
  if (id.empty()) return "0";
  if (!is_string) return id;
  std::string quoted;
  append_json_string(quoted, id);
  return quoted;
}

class slice_reader final : public chrome_visitor {
 public:
  slice_reader(chrome_slices& into, const chrome_filters& filters, std::int64_t shift_ps)
      : found_(into), filters_(filters), shift_ps_(shift_ps) {}

  bool event(const chrome_event& e) override {
    switch (e.phase) {
      case 'M':
        if (!e.pid.text.empty()) tracks_.take_name(e);
        break;
      case 'X': add(e, e.dur_ps.value_or(0), false); break;
      case 'i':
      case 'I':
      case 'R': add(e, 0, true); break;
      case 'B': begin(e); break;
      case 'E': end(e); break;
      case 'C':
      case 's':
      case 't':
      case 'f': mark(e); break;
      case 0: break;
      default: ++found_.other_phases; break;
    }
    return true;
  }

  void finish() {
    for (auto& [thread, open] : open_) found_.unpaired += open.size();
    for (const chrome_trace_process& p : tracks_.processes()) {
      chrome_process_entry& shown = found_.processes.emplace_back();
      shown.pid = p.pid;
      shown.pid_json = json_of(p.pid, p.pid_is_string);
      shown.name = p.name;
      shown.labels = p.labels;
      shown.sort_index = p.sort_index;
    }
    found_.threads.resize(tracks_.tracks().size());
    for (std::size_t i = 0; i < found_.threads.size(); ++i) {
      const chrome_track& t = tracks_.tracks()[i];
      chrome_thread& shown = found_.threads[i];
      shown.process = t.process;
      shown.tid = t.tid;
      shown.tid_json = json_of(t.tid, t.tid_is_string);
      shown.name = t.name;
      shown.sort_index = t.sort_index;
    }
  }

 private:
  struct begun {
    chrome_slice slice;
    std::string name;
  };

  std::size_t thread_of(const chrome_event& e) {
    const std::size_t at = tracks_.thread_of(e);
    if (at >= found_.threads.size()) found_.threads.resize(at + 1);
    return at;
  }

  std::optional<chrome_slice> slice_of(const chrome_event& e) {
    if (!e.ts_ps) return std::nullopt;
    const auto start = checked_add(*e.ts_ps, shift_ps_);
    if (!start || e.json.size() > std::numeric_limits<std::uint32_t>::max()) {
      ++found_.out_of_reach;
      return std::nullopt;
    }
    chrome_slice slice;
    slice.start_ps = *start;
    slice.at = e.byte_offset;
    slice.size = static_cast<std::uint32_t>(e.json.size());
    return slice;
  }

  void keep(std::size_t thread, chrome_slice slice, std::int64_t duration_ps, std::string_view name) {
    slice.duration_ps = std::max<std::int64_t>(duration_ps, 0);
    const auto end = checked_add(slice.start_ps, slice.duration_ps);
    if (!end) {
      ++found_.out_of_reach;
      return;
    }
    if (!contains(name, filters_.name)) return;
    if (filters_.to_ps && slice.start_ps >= *filters_.to_ps) return;
    if (filters_.from_ps && slice.start_ps < *filters_.from_ps && *end <= *filters_.from_ps) return;
    std::vector<chrome_slice>& slices = found_.threads[thread].slices;
    slice.ordinal = static_cast<std::uint32_t>(slices.size());
    slices.push_back(slice);
  }

  void add(const chrome_event& e, std::int64_t duration_ps, bool instant) {
    std::optional<chrome_slice> slice = slice_of(e);
    if (!slice) return;
    slice->instant = instant;
    keep(thread_of(e), *slice, duration_ps, e.name);
  }
  void begin(const chrome_event& e) {
    if (const std::optional<chrome_slice> slice = slice_of(e))
      open_[thread_of(e)].push_back({*slice, std::string(e.name)});
  }
  // The innermost open slice ends, whatever the names say: viewers do the same.
  void end(const chrome_event& e) {
    const std::optional<chrome_slice> slice = slice_of(e);
    if (!slice) return;
    const std::size_t thread = thread_of(e);
    std::vector<begun>& open = open_[thread];
    if (open.empty()) {
      ++found_.unpaired;
      return;
    }
    const begun started = std::move(open.back());
    open.pop_back();
    keep(thread, started.slice, checked_sub(slice->start_ps, started.slice.start_ps).value_or(0), started.name);
  }
  void mark(const chrome_event& e) {
    const std::optional<chrome_slice> slice = slice_of(e);
    if (!slice) return;
    if (filters_.to_ps && slice->start_ps >= *filters_.to_ps) return;
    if (filters_.from_ps && slice->start_ps < *filters_.from_ps) return;
    chrome_mark m;
    m.at_ps = slice->start_ps;
    m.at = slice->at;
    m.size = slice->size;
    m.phase = e.phase;
    m.process = tracks_.process_of(e);
    if (e.phase != 'C') m.thread = thread_of(e);
    found_.marks.push_back(m);
  }

  chrome_slices& found_;
  const chrome_filters& filters_;
  const std::int64_t shift_ps_;
  chrome_tracks tracks_;
  hash_map<std::size_t, std::vector<begun>> open_;
};

bool before(const chrome_slice& a, const chrome_slice& b) noexcept {
  return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.duration_ps > b.duration_ps;
}

}  // namespace

result<chrome_slices> read_chrome_slices(const profile& p, std::size_t file, const chrome_filters& filters,
                                         const hooks& host) {
  chrome_slices found;
  const auto own = p.file_origin_unix_ns(file);
  std::optional<std::int64_t> shift_ps = 0;
  if (own && p.origin_unix_ns()) {
    const auto ns = checked_sub(*own, *p.origin_unix_ns());
    shift_ps = ns ? checked_mul(*ns, ps_per_ns) : std::nullopt;
  }
  const std::string& path = p.what().files[file].path;
  if (!shift_ps)
    return fault{fault_code::damaged, "times lie more than 106 days from the origin of the capture", path, no_offset,
                 "export this file alone"};
  chrome_options options;
  options.bounds = p.what().bounds;
  options.host = host;
  slice_reader reader(found, filters, *shift_ps);
  result<chrome_summary> read = read_chrome(p.bytes(file), reader, options);
  if (!read) {
    fault why = std::move(read).error();
    why.path = path;
    return why;
  }
  reader.finish();
  if (const fault* known = p.file_fault(file))
    found.damage = *known;
  else
    found.damage = read->damage ? read->damage : damage_of_times(*read);
  if (found.damage) found.damage->path = path;
  for (chrome_thread& thread : found.threads) {
    const std::string& process = found.processes[thread.process].name;
    if (!contains(process, filters.plane) || !contains(thread.name, filters.line)) thread.slices.clear();
    std::stable_sort(thread.slices.begin(), thread.slices.end(), before);
  }
  const auto dropped = [&](const chrome_mark& m) {
    return !contains(found.processes[m.process].name, filters.plane) || !filters.line.empty() || !filters.name.empty();
  };
  found.marks.erase(std::remove_if(found.marks.begin(), found.marks.end(), dropped), found.marks.end());
  return found;
}

chrome_event_text fields_of(std::string_view event_json) {
  return {json_member(event_json, "cat"), json_member(event_json, "args"), json_member(event_json, "id")};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
