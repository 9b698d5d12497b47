#include <analyse/bubbles/host_evidence.hpp>

#include <base/hash_map.hpp>
#include <profkit/interval.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

// Whole names: aten::topk is no copy.
constexpr std::string_view sync_names[] = {"aten::to", "aten::_to_copy", "aten::copy_"};
// Parts of names. First torch_npu and CANN, as the reference has them; then CUDA and HIP runtimes, PjRt and TSL.
constexpr std::string_view sync_parts[] = {"HostToDevice", "torch_to_npu", "aclrtMemcpy", "aclrtSynchronize"};
constexpr std::string_view more_sync_parts[] = {
    "cudaStreamSynchronize",
    "cudaDeviceSynchronize",
    "cudaEventSynchronize",
    "cudaMemcpy",
    "hipStreamSynchronize",
    "hipDeviceSynchronize",
    "hipEventSynchronize",
    "hipMemcpy",
    "cuStreamSynchronize",
    "cuCtxSynchronize",
    "cuEventSynchronize",
    "cuMemcpy",
    "BlockHostUntilReady",
    "BlockUntilReady",
    "BufferFromHostBuffer",
    "CopyRawToHost",
    "ToLiteral",
    "TransferToInfeed",
    "TransferFromOutfeed",
    "TransferLiteral",
    "Stream Sync",
    "Event Sync",
    "Context Sync",
    "Device Sync",
};
constexpr std::string_view comm_parts[] = {"c10d", "Hccl", "hcom", "StreamWaitEvent", "Notify_Wait"};
constexpr std::string_view more_comm_parts[] = {"Notify Wait", "EVENT_WAIT", "nccl", "record_param_comms", "msccl"};

template <std::size_t N>
bool has_part(std::string_view name, const std::string_view (&parts)[N]) noexcept {
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

constexpr std::size_t most_names = 10;             // of a gap
constexpr std::size_t most_held_spans = 1U << 19;  // before they are merged into unions
constexpr std::size_t most_overlaps = 1U << 20;    // gap and name; further ones are not listed
constexpr std::size_t most_covers_looked_at = 64;

std::int64_t as_ps(std::uint64_t covered) noexcept { return static_cast<std::int64_t>(covered); }

struct gap {
  interval span;
  bubble* of;
};
// Gaps that share no instant, by start.
using gap_list = std::vector<gap>;

std::size_t first_after(const gap_list& gaps, std::int64_t start_ps) noexcept {
  return static_cast<std::size_t>(
      std::partition_point(gaps.begin(), gaps.end(), [&](const gap& g) { return g.span.end_ps <= start_ps; }) -
      gaps.begin());
}
// One past the last gap that begins before the end.
std::size_t first_behind(const gap_list& gaps, std::size_t from, std::int64_t end_ps) noexcept {
  return static_cast<std::size_t>(std::partition_point(gaps.begin() + static_cast<std::ptrdiff_t>(from), gaps.end(),
                                                       [&](const gap& g) { return g.span.start_ps < end_ps; }) -
                                  gaps.begin());
}

// How much of each gap segments cover. Segments may overlap only when they are to be counted more than once.
class coverage {
 public:
  explicit coverage(const gap_list& gaps) : gaps_(gaps), partial_(gaps.size(), 0), full_(gaps.size() + 1, 0) {}
  void add(const interval& s) {
    const std::size_t first = first_after(gaps_, s.start_ps), last = first_behind(gaps_, first, s.end_ps);
    if (first >= last) return;
    partial_[first] += as_ps(common(gaps_[first].span, s).length_ps());
    if (last - first < 2) return;
    partial_[last - 1] += as_ps(common(gaps_[last - 1].span, s).length_ps());
    ++full_[first + 1];
    --full_[last - 1];
  }
  template <class Use>
  void take(Use&& use) const {
    std::int64_t covers = 0;
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
      covers += full_[i];
      use(*gaps_[i].of, partial_[i] + covers * gaps_[i].of->length_ps());
    }
  }

 private:
  const gap_list& gaps_;
  std::vector<std::int64_t> partial_, full_;  // full_: how the number of covering segments changes at a gap
};

struct held_span {
  interval span;
  std::uint32_t thread;
  string_id name;
  bool frame;
};

// Which names overlap which gaps of one list, and for how long.
class name_overlaps {
 public:
  explicit name_overlaps(const gap_list& gaps) : gaps_(gaps) {}

  // Spans by start.
  void add(const std::vector<held_span>& spans) {
    std::vector<cover> covers;
    for (const held_span& s : spans) {
      const std::size_t first = first_after(gaps_, s.span.start_ps), last = first_behind(gaps_, first, s.span.end_ps);
      if (first >= last) continue;
      note(first, s, as_ps(common(gaps_[first].span, s.span).length_ps()));
      if (last - first < 2) continue;
      note(last - 1, s, as_ps(common(gaps_[last - 1].span, s.span).length_ps()));
      if (last - first > 2) covers.push_back({first + 1, last - 1, &s});
    }
    add_covers(covers);
  }

  void take() {
    std::vector<std::vector<entry>> by_gap(gaps_.size());
    for (const auto& [key, overlap_ps] : overlaps_) {
      const auto at = static_cast<std::size_t>(key >> 32);
      const std::int64_t most = gaps_[at].of->length_ps();
      by_gap[at].push_back(
          {(key & frame_bit) != 0, static_cast<string_id>(key & ~frame_bit & 0xffffffffU), std::min(overlap_ps, most)});
    }
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
      // Frames enclose everything and tell least, so they stand last.
      std::sort(by_gap[i].begin(), by_gap[i].end(), [](const entry& a, const entry& b) {
        return std::tie(a.frame, b.overlap_ps, a.name) < std::tie(b.frame, a.overlap_ps, b.name);
      });
      auto& ops = gaps_[i].of->host.ops;
      for (const entry& e : by_gap[i]) {
        if (ops.size() == most_names) break;
        ops.push_back({e.name, e.overlap_ps});
      }
    }
  }

 private:
  static constexpr std::uint64_t frame_bit = std::uint64_t{1} << 31;
  struct cover {
    std::size_t first, last;  // gaps that lie in the span as a whole
    const held_span* span;
  };
  struct entry {
    bool frame;
    string_id name;
    std::int64_t overlap_ps;
  };

  void note(std::size_t at, const held_span& s, std::int64_t overlap_ps) {
    if (overlap_ps <= 0 || (s.name & frame_bit) != 0) return;
    const std::uint64_t key = static_cast<std::uint64_t>(at) << 32 | (s.frame ? frame_bit : 0) | s.name;
    const auto found = overlaps_.find(key);
    if (found != overlaps_.end())
      found->second += overlap_ps;
    else if (overlaps_.size() < most_overlaps)
      overlaps_.emplace(key, overlap_ps);
  }

  // Of the spans that hold a gap as a whole the ones that began last tell most: ten of them are enough.
  void add_covers(const std::vector<cover>& covers) {
    std::set<std::pair<std::size_t, std::size_t>> open;  // order in `covers`, last gap
    std::size_t next = 0;
    for (std::size_t at = 0; at < gaps_.size() && (next < covers.size() || !open.empty()); ++at) {
      while (next < covers.size() && covers[next].first <= at) {
        open.insert({next, covers[next].last});
        ++next;
      }
      std::vector<string_id> named;
      std::size_t looked_at = 0;
      for (auto newest = open.rbegin(); newest != open.rend() && named.size() < most_names;) {
        if (++looked_at > most_covers_looked_at) break;
        if (newest->second <= at) {
          newest = decltype(newest)(open.erase(std::next(newest).base()));
          continue;
        }
        const held_span& s = *covers[newest->first].span;
        if (std::find(named.begin(), named.end(), s.name) == named.end()) {
          named.push_back(s.name);
          note(at, s, gaps_[at].of->length_ps());
        }
        ++newest;
      }
    }
  }

  const gap_list& gaps_;
  hash_map<std::uint64_t, std::int64_t> overlaps_;
};

class group_collector final : public host_span_visitor {
 public:
  group_collector(const activity& of, std::uint32_t group, std::vector<gap_list> lists, bool reference)
      : of_(of), group_(group), reference_(reference), lists_(std::move(lists)) {
    for (const gap_list& list : lists_) {
      names_.emplace_back(list);
      for (const gap& g : list) gaps_.push_back(g.span);
    }
    normalise(gaps_);
    for (const step_marker& m : of.markers())
      if (m.host_group == group) marker_names_.insert(m.name);
  }

  result<void> visit(const hooks& host) {
    if (gaps_.empty()) return {};
    return of_.visit_host_spans(group_, gaps_.front().start_ps, gaps_.back().end_ps, *this, host);
  }

  result<void> spans(const host_span* spans, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) add(spans[i]);
    return {};
  }

  [[nodiscard]] const host_facts& facts() const noexcept { return facts_; }

  void finish() {
    merge();
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      const gap_list& list = lists_[i];
      for (const gap& g : list) g.of->host.traced = true;
      const auto measure = [&](const std::vector<interval>& covered, std::int64_t host_evidence::*into) {
        coverage of_list(list);
        for (const interval& s : covered) of_list.add(s);
        of_list.take([&](bubble& b, std::int64_t ps) { b.host.*into = ps; });
      };
      measure(host_, &host_evidence::host_ps);
      measure(leaf_, &host_evidence::leaf_ps);
      measure(sync_, &host_evidence::sync_ps);
      measure(comm_, &host_evidence::comm_ps);
      measure(gc_, &host_evidence::gc_ps);
      coverage by_thread(list);
      for (const auto& [thread, covered] : threads_)
        for (const interval& s : covered) by_thread.add(s);
      by_thread.take([](bubble& b, std::int64_t ps) { b.host.threads_ps = ps; });
      names_[i].take();
    }
  }

 private:
  static constexpr std::uint8_t known = 1, is_sync = 2, is_comm = 4, is_marker = 8;

  std::uint8_t meaning(string_id name) {
    if (name >= meanings_.size()) meanings_.resize(std::size_t{name} + 1, 0);
    std::uint8_t& m = meanings_[name];
    if (m == 0) {
      const span_meaning says = meaning_of(of_.text(name), reference_);
      m = static_cast<std::uint8_t>(known | (says.sync ? is_sync : 0) | (says.comm ? is_comm : 0) |
                                    (marker_names_.count(name) != 0 ? is_marker : 0));
    }
    return m;
  }

  bool touches_a_gap(const interval& s) noexcept {
    if (at_ > 0 && s.start_ps < gaps_[at_ - 1].end_ps)
      at_ = static_cast<std::size_t>(
          std::partition_point(gaps_.begin(), gaps_.end(), [&](const interval& g) { return g.end_ps <= s.start_ps; }) -
          gaps_.begin());
    while (at_ < gaps_.size() && gaps_[at_].end_ps <= s.start_ps) ++at_;
    return at_ < gaps_.size() && gaps_[at_].start_ps < s.end_ps;
  }

  void add(const host_span& given) {
    if (given.kind == host_span_kind::frame) facts_.stacks = true;
    if (given.kind == host_span_kind::runtime) facts_.runtime = true;
    const interval s{given.start_ps, saturating_add(given.start_ps, std::max<std::int64_t>(given.duration_ps, 0))};
    if (s.empty() || !touches_a_gap(s)) return;
    const std::uint8_t says = meaning(given.name);
    if ((says & is_marker) != 0) return;
    // What a device process recorded is a wait: of the host for the device by its name, else for other devices.
    const bool on_device = given.kind == host_span_kind::device_marker;
    if ((says & is_sync) != 0) sync_.push_back(s);
    if ((says & is_comm) != 0 || (on_device && (says & is_sync) == 0)) comm_.push_back(s);
    if (on_device) return;
    const bool frame = given.kind == host_span_kind::frame;
    if (given.kind == host_span_kind::gc) gc_.push_back(s);
    if (!frame) leaf_.push_back(s);
    held_.push_back({s, given.thread, given.name, frame});
    if (held_.size() >= most_held_spans) merge();
  }

  // Puts the spans that are held into the unions.
  void merge() {
    std::sort(held_.begin(), held_.end(), [](const held_span& a, const held_span& b) {
      return std::tie(a.span.start_ps, b.span.end_ps, a.thread, a.name) <
             std::tie(b.span.start_ps, a.span.end_ps, b.thread, b.name);
    });
    for (name_overlaps& names : names_) names.add(held_);
    hash_set<std::uint32_t> touched;
    for (const held_span& s : held_) {
      host_.push_back(s.span);
      std::vector<interval>& own = threads_[s.thread];
      touched.insert(s.thread);
      if (!own.empty() && s.span.start_ps >= own.back().start_ps && s.span.start_ps <= own.back().end_ps)
        own.back().end_ps = std::max(own.back().end_ps, s.span.end_ps);
      else
        own.push_back(s.span);
    }
    for (const std::uint32_t thread : touched) normalise(threads_[thread]);
    for (auto* all : {&host_, &leaf_, &sync_, &comm_, &gc_}) normalise(*all);
    held_.clear();
  }

  const activity& of_;
  const std::uint32_t group_;
  const bool reference_;
  std::vector<gap_list> lists_;
  std::vector<name_overlaps> names_;  // as lists_
  std::vector<interval> gaps_;        // the union of all lists
  std::size_t at_ = 0;                // the gap looked at last
  hash_set<string_id> marker_names_;
  std::vector<std::uint8_t> meanings_;
  std::vector<held_span> held_;
  std::vector<interval> host_, leaf_, sync_, comm_, gc_;
  hash_map<std::uint32_t, std::vector<interval>> threads_;
  host_facts facts_;
};

}  // namespace

span_meaning meaning_of(std::string_view name, bool reference) noexcept {
  span_meaning m;
  m.sync = std::find(std::begin(sync_names), std::end(sync_names), name) != std::end(sync_names) ||
           has_part(name, sync_parts) || (!reference && has_part(name, more_sync_parts));
  m.comm = has_part(name, comm_parts) || (!reference && has_part(name, more_comm_parts));
  return m;
}

result<host_facts> collect_host_evidence(const activity& of, std::vector<bubble>& bubbles, bool reference,
                                         const hooks& host) {
  // Bubbles come by device and start. A gap over the boundary of two steps repeats the time of its parts, so it goes
  // into a list of its own.
  std::map<std::uint32_t, std::vector<gap_list>> by_group;
  std::size_t at = 0;
  while (at < bubbles.size()) {
    const std::uint32_t device = bubbles[at].device;
    gap_list plain, joined;
    for (; at < bubbles.size() && bubbles[at].device == device; ++at)
      (bubbles[at].inter_step ? joined : plain).push_back({{bubbles[at].start_ps, bubbles[at].end_ps}, &bubbles[at]});
    const std::uint32_t group = of.devices()[device].host_group;
    if (!of.has_host_spans(group)) continue;
    by_group[group].push_back(std::move(plain));
    if (!joined.empty()) by_group[group].push_back(std::move(joined));
  }
  host_facts all;
  for (auto& [group, lists] : by_group) {
    group_collector collector(of, group, std::move(lists), reference);
    if (result<void> visited = collector.visit(host); !visited) return std::move(visited).error();
    collector.finish();
    all.stacks = all.stacks || collector.facts().stacks;
    all.runtime = all.runtime || collector.facts().runtime;
  }
  return all;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
