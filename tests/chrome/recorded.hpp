// What a trace held, as plain values that tests compare.
#pragma once
#include <profkit/core/chrome.hpp>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace profkit::test {

struct recorded_event {
  std::uint64_t byte_offset = 0;
  char phase = 0;
  bool has_time = false;
  std::string name, cat, id, pid, tid;  // pid and tid with quotes when they were strings
  std::optional<std::int64_t> ts_ps, dur_ps;
  std::string args, json;
  bool operator==(const recorded_event& o) const {
    return byte_offset == o.byte_offset && phase == o.phase && has_time == o.has_time && name == o.name &&
           cat == o.cat && id == o.id && pid == o.pid && tid == o.tid && ts_ps == o.ts_ps && dur_ps == o.dur_ps &&
           args == o.args && json == o.json;
  }
  friend std::ostream& operator<<(std::ostream& out, const recorded_event& e) {
    return out << e.byte_offset << ' ' << e.json;
  }
};

struct recorded_trace {
  std::vector<recorded_event> events;
  std::vector<std::pair<std::string, std::string>> headers;
  chrome_summary summary;
  std::optional<fault> refused;  // read_chrome() gave no summary
};

class recorder final : public chrome_visitor {
 public:
  bool event(const chrome_event& e) override {
    const auto quoted = [](const chrome_ref& r) {
      return r.is_string ? '"' + std::string(r.text) + '"' : std::string(r.text);
    };
    recorded_event kept;
    kept.byte_offset = e.byte_offset;
    kept.phase = e.phase;
    kept.has_time = e.has_time;
    kept.name = e.name;
    kept.cat = e.cat;
    kept.id = e.id;
    kept.pid = quoted(e.pid);
    kept.tid = quoted(e.tid);
    kept.ts_ps = e.ts_ps;
    kept.dur_ps = e.dur_ps;
    kept.args = e.args_json;
    kept.json = e.json;
    trace.events.push_back(std::move(kept));
    return true;
  }
  bool header(std::string_view key, std::string_view json, std::uint64_t) override {
    trace.headers.emplace_back(key, json);
    return true;
  }
  recorded_trace trace;
};

template <class Input>
recorded_trace record(Input&& input, const chrome_options& options = {}) {
  recorder r;
  result<chrome_summary> read = read_chrome(input, r, options);
  if (read)
    r.trace.summary = *read;
  else
    r.trace.refused = read.error();
  return std::move(r.trace);
}

// Everything that may not depend on how the text was cut into chunks or which parser read it.
inline bool same_reading(const recorded_trace& a, const recorded_trace& b) {
  const auto fault_of = [](const std::optional<fault>& f) {
    return f ? std::string(fault_name(f->code)) + f->message + std::to_string(f->byte_offset) : std::string();
  };
  const chrome_summary& x = a.summary;
  const chrome_summary& y = b.summary;
  return a.events == b.events && a.headers == b.headers && fault_of(a.refused) == fault_of(b.refused) &&
         x.bare_array == y.bare_array && x.has_events_key == y.has_events_key && x.terminated == y.terminated &&
         x.bytes == y.bytes && x.events == y.events && x.broken_events == y.broken_events &&
         x.broken_at == y.broken_at && x.irregular == y.irregular && x.first_irregular == y.first_irregular &&
         x.unusable_times == y.unusable_times && x.first_unusable_time == y.first_unusable_time &&
         x.zero_us == y.zero_us && fault_of(x.damage) == fault_of(y.damage);
}

}  // namespace profkit::test
