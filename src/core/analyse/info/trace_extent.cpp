#include <analyse/info/trace_extent.hpp>

#include <analyse/info/chrome_verdict.hpp>
#include <profkit/core/chrome.hpp>
#include <profkit/time.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class extent_collector final : public chrome_visitor {
 public:
  explicit extent_collector(trace_extent& into) : into_(into) {}

  bool event(const chrome_event& e) override {
    verdict.look(e);
    if (e.phase == 'M' || !e.ts_ps) return true;
    const std::int64_t end_ps = saturating_add(*e.ts_ps, std::max<std::int64_t>(e.dur_ps.value_or(0), 0));
    into_.first_ps = std::min(into_.first_ps.value_or(*e.ts_ps), *e.ts_ps);
    into_.last_ps = std::max(into_.last_ps.value_or(end_ps), end_ps);
    return true;
  }

  chrome_verdict verdict;

 private:
  trace_extent& into_;
};

}  // namespace

result<trace_extent> extent_of_trace(const profile& p, std::size_t file, const hooks& host) {
  trace_extent found;
  const fault* const known = p.file_fault(file);
  if (p.bytes(file).empty() && known != nullptr) {
    found.damage = *known;
    return found;
  }
  extent_collector collector(found);
  const result<chrome_summary> read = read_chrome(p.bytes(file), collector, {p.what().bounds, host});
  if (read.ok()) {
    found.events = read->events;
    found.broken = read->broken_events;
    found.damage = collector.verdict.of(known, *read);
  } else if (read.error().code == fault_code::cancelled) {
    return read.error();
  } else {
    found.damage = known != nullptr ? *known : read.error();
  }
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
