#include <analyse/bubbles/gap_cells.hpp>
#include <analyse/bubbles/host_evidence.hpp>
#include <analyse/bubbles/name_overlaps.hpp>

#include <base/hash_map.hpp>
#include <profkit/interval.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
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

class group_collector final : public host_span_visitor {
 public:
  group_collector(const activity& of, std::uint32_t group, std::vector<gap_list>& lists, bool reference)
      : of_(of),
        group_(group),
        reference_(reference),
        lists_(lists),
        cells_(lists),
        names_(lists, cells_),
        by_thread_(cells_) {
    for (const step_marker& m : of.markers())
      if (m.host_group == group) marker_names_.insert(m.name);
    // An XSpace is read line by line, and a line is a thread.
    for (const activity_device& d : of.devices())
      if (d.host_group == group && d.plane >= 0) threads_one_by_one_ = true;
  }

  result<host_facts> visit(const hooks& host) {
    auto kinds = of_.visit_host_spans_in(group_, cells_.together(), *this, host);
    if (!kinds) return std::move(kinds).error();
    const auto met = [&](host_span_kind k) { return (*kinds >> static_cast<unsigned>(k) & 1U) != 0; };
    return host_facts{met(host_span_kind::frame), met(host_span_kind::runtime)};
  }

  result<void> spans(const host_span* spans, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) add(spans[i]);
    return {};
  }

  void finish() {
    for (const gap_list& list : lists_)
      for (const gap& g : list) g.of->host.traced = true;
    for (auto& [thread, own] : threads_) take_thread(own);
    by_thread_.take(lists_, [](bubble& b, std::int64_t ps) { b.host.threads_ps = ps; });
    const auto measure = [&](span_union& all, std::int64_t host_evidence::*into) {
      cell_cover cover(cells_);
      cover.add(all.settled());
      cover.take(lists_, [&](bubble& b, std::int64_t ps) { b.host.*into = ps; });
    };
    measure(host_, &host_evidence::host_ps);
    measure(leaf_, &host_evidence::leaf_ps);
    measure(sync_, &host_evidence::sync_ps);
    measure(comm_, &host_evidence::comm_ps);
    measure(gc_, &host_evidence::gc_ps);
    names_.take();
  }

 private:
  // What is known of a name, apart for frames.
  struct known_name {
    std::uint32_t number = 0;
    bool known = false, sync = false, comm = false, marker = false;
  };

  const known_name& look_up(string_id name, bool frame) {
    const std::size_t at = 2 * std::size_t{name} + (frame ? 1 : 0);
    if (at >= known_.size()) known_.resize(at + 1);
    known_name& k = known_[at];
    if (!k.known) {
      const span_meaning says = meaning_of(of_.text(name), reference_);
      k = {names_.add_name(name, frame), true, says.sync, says.comm, marker_names_.count(name) != 0};
    }
    return k;
  }

  // After the last span of a thread.
  void take_thread(span_union& own) {
    by_thread_.add(own.settled());
    for (const interval& s : own.settled()) host_.add(s);
    own = {};
  }

  // The span touches a gap.
  void add(const host_span& given) {
    const interval s{given.start_ps, saturating_add(given.start_ps, given.duration_ps)};
    const bool frame = given.kind == host_span_kind::frame;
    const known_name& name = look_up(given.name, frame);
    if (name.marker) return;
    // What a device process recorded is a wait: of the host for the device by its name, else for other devices.
    const bool on_device = given.kind == host_span_kind::device_marker;
    if (name.sync) sync_.add(s);
    if (name.comm || (on_device && !name.sync)) comm_.add(s);
    if (on_device) return;
    if (given.kind == host_span_kind::gc) gc_.add(s);
    if (!frame) leaf_.add(s);
    if (thread_ == nullptr || given.thread != thread_number_) {
      if (thread_ != nullptr && threads_one_by_one_) take_thread(*thread_);
      thread_number_ = given.thread;
      thread_ = &threads_[given.thread];
    }
    thread_->add(s);
    note_name(name.number, s, given.thread);
  }

  void note_name(std::uint32_t name, const interval& s, std::uint32_t thread) {
    const std::vector<interval>& cells = cells_.cells();
    if (cell_ > 0 && cells[cell_ - 1].end_ps > s.start_ps) cell_ = 0;
    cell_ = first_behind(cell_, cells.size(), s.start_ps, [&](std::size_t i) { return cells[i].end_ps; });
    if (cell_ + 1 < cells.size() && cells[cell_ + 1].start_ps < s.end_ps)
      names_.add_long(name, s, thread);
    else
      names_.add(name, cell_, static_cast<std::int64_t>(common(cells[cell_], s).length_ps()));
  }

  const activity& of_;
  const std::uint32_t group_;
  const bool reference_;
  const std::vector<gap_list>& lists_;
  const gap_cells cells_;
  name_overlaps names_;
  std::size_t cell_ = 0;  // the first that ends behind the start of the span looked at last
  hash_set<string_id> marker_names_;
  std::vector<known_name> known_;
  cell_cover by_thread_;
  span_union host_, leaf_, sync_, comm_, gc_;  // host_: of the threads that were taken
  std::map<std::uint32_t, span_union> threads_;
  span_union* thread_ = nullptr;  // of the span looked at last
  std::uint32_t thread_number_ = 0;
  bool threads_one_by_one_ = false;
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
      (bubbles[at].inter_step ? joined : plain)
          .push_back({{bubbles[at].start_ps, bubbles[at].end_ps}, &bubbles[at], 0, 0});
    const std::uint32_t group = of.devices()[device].host_group;
    if (!of.has_host_spans(group)) continue;
    by_group[group].push_back(std::move(plain));
    if (!joined.empty()) by_group[group].push_back(std::move(joined));
  }
  host_facts all;
  for (auto& [group, lists] : by_group) {
    group_collector collector(of, group, lists, reference);
    auto facts = collector.visit(host);
    if (!facts) return std::move(facts).error();
    collector.finish();
    all.stacks = all.stacks || facts->stacks;
    all.runtime = all.runtime || facts->runtime;
  }
  return all;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
