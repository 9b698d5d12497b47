#include <analyse/bubbles/gap_cells.hpp>
#include <analyse/bubbles/host_evidence.hpp>
#include <analyse/bubbles/host_vocabulary.hpp>
#include <trace/windows/markers.hpp>
#include <analyse/bubbles/name_overlaps.hpp>
#include <analyse/bubbles/thread_causes.hpp>

#include <base/hash_map.hpp>
#include <profkit/interval.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

// What the names of spans mean, found once for all parts.
class name_meanings {
 public:
  struct meaning {
    bool known = false, sync = false, comm = false, marker = false;
    std::optional<idle_cause> cause;
  };
  name_meanings(const activity& of, std::uint32_t group) : of_(of) {
    for (const step_marker& m : markers_of_group(of, group)) markers_.insert(m.name);
  }
  // From any thread.
  meaning of(string_id name) {
    const std::lock_guard<std::mutex> hold(mutex_);
    if (name >= found_.size()) found_.resize(std::size_t{name} + 1);
    meaning& m = found_[name];
    if (!m.known) {
      const span_meaning says = meaning_of(of_.text(name));
      m = {true, says.sync, says.comm, markers_.count(name) != 0, cause_named(of_.text(name))};
    }
    return m;
  }

 private:
  const activity& of_;
  hash_set<string_id> markers_;
  std::mutex mutex_;
  std::vector<meaning> found_;  // by name
};

// What the spans of one part cover. May be used again for another part.
class evidence_part final : public host_span_visitor {
 public:
  // The spans of a thread; as long as none is a frame, the leaves are all of them.
  struct thread_spans {
    std::uint32_t number = 0;
    bool frames = false;
    span_union leaves;
    thread_record did;
  };

  evidence_part(const std::vector<gap_list>& lists, const gap_cells& cells, name_meanings& meanings)
      : names(lists, cells), cells_(cells.cells()), meanings_(meanings) {
    look_at_cell();
  }

  result<void> spans(const host_span* spans, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) add(spans[i]);
    return {};
  }
  // Without the names.
  void clear() {
    for (span_union* spans : {&sync, &comm, &gc, &recording}) spans->clear();
    for (thread_spans& t : threads) {
      t.frames = false;
      t.leaves.clear();
      t.did.clear();
    }
    used = 0;
    thread_at_.clear();
    thread_ = nullptr;
    cell_at_ = 0;
    look_at_cell();
  }

  part_overlaps names;
  span_union sync, comm, gc, recording;
  std::deque<thread_spans> threads;
  std::size_t used = 0;  // of the threads

 private:
  const name_meanings::meaning& look_up(std::uint32_t number) {
    if (number >= known_.size()) {
      known_.resize(std::size_t{number} + 2);
      names.make_room_for_names(known_.size());
    }
    name_meanings::meaning& known = known_[number];
    if (!known.known) known = meanings_.of(id_of(number));
    return known;
  }

  // The span touches a gap.
  void add(const host_span& given) {
    const interval s{given.start_ps, saturating_add(given.start_ps, given.duration_ps)};
    const bool frame = given.kind == host_span_kind::frame;
    const std::uint32_t name = number_of(given.name, frame);
    const name_meanings::meaning& means = look_up(name);
    if (means.marker) return;
    // What a device process recorded is a wait: of the host for the device by its name, else for other devices.
    const bool on_device = given.kind == host_span_kind::device_marker;
    if (means.sync) sync.add(s);
    if (means.comm || (on_device && !means.sync)) comm.add(s);
    if (on_device) return;
    if (given.kind == host_span_kind::gc) gc.add(s);
    if (thread_ == nullptr || given.thread != thread_->number) thread_ = &thread_of(given.thread);
    if (frame && !thread_->frames) {
      thread_->frames = true;
      thread_->leaves = thread_->did.all;
    }
    if (thread_->frames && !frame) thread_->leaves.add(s);
    thread_->did.add(s, given.name, given.kind);
    const std::optional<idle_cause> cause = given.kind == host_span_kind::gc ? idle_cause::gc : means.cause;
    if (cause) thread_->did.known.push_back({s, given.name, *cause, frame});
    if (cause == idle_cause::recording) recording.add(s);
    note_name(name, s, given.thread);
  }

  thread_spans& thread_of(std::uint32_t number) {
    const auto [at, is_new] = thread_at_.try_emplace(number, used);
    if (is_new && used++ == threads.size()) threads.emplace_back();
    threads[at->second].number = number;
    return threads[at->second];
  }

  void note_name(std::uint32_t name, const interval& s, std::uint32_t thread) {
    if (s.start_ps >= cell_.end_ps || s.start_ps < cell_before_ps_) seek(s.start_ps);
    if (next_cell_ps_ < s.end_ps)
      names.add_long(name, s, thread);
    else
      names.add(name, cell_at_, static_cast<std::int64_t>(common(cell_, s).length_ps()));
  }
  void seek(std::int64_t start_ps) {
    if (start_ps < cell_before_ps_) cell_at_ = 0;
    cell_at_ = first_ending_after(cell_at_, cells_.size() - 1, start_ps,
                                  [&](std::size_t i) { return cells_[i].end_ps; });
    look_at_cell();
  }
  void look_at_cell() noexcept {
    if (cells_.empty()) return;
    cell_ = cells_[cell_at_];
    cell_before_ps_ = cell_at_ == 0 ? std::numeric_limits<std::int64_t>::min() : cells_[cell_at_ - 1].end_ps;
    next_cell_ps_ =
        cell_at_ + 1 == cells_.size() ? std::numeric_limits<std::int64_t>::max() : cells_[cell_at_ + 1].start_ps;
  }

  const std::vector<interval>& cells_;
  name_meanings& meanings_;
  std::size_t cell_at_ = 0;  // the first that ends after the start of the span looked at last
  interval cell_;            // the same
  std::int64_t cell_before_ps_ = 0, next_cell_ps_ = 0;  // end of the cell before it, start of the one after it
  std::vector<name_meanings::meaning> known_;             // by the number of a name
  hash_map<std::uint32_t, std::size_t> thread_at_;
  thread_spans* thread_ = nullptr;  // of the span looked at last
};

class group_collector final : public host_span_parts {
 public:
  group_collector(const activity& of, std::uint32_t group, std::vector<gap_list>& lists)
      : of_(of),
        group_(group),
        lists_(lists),
        cells_(lists),
        meanings_(of, group),
        names_(lists, cells_),
        by_thread_(cells_),
        causes_(lists) {
    find_twins();
  }

  result<host_facts> visit(const hooks& host) {
    auto kinds = of_.visit_host_spans_in_parts(group_, cells_.together(), *this, host);
    if (!kinds) return std::move(kinds).error();
    const auto met = [&](host_span_kind k) { return (*kinds >> static_cast<unsigned>(k) & 1U) != 0; };
    return host_facts{met(host_span_kind::frame), met(host_span_kind::runtime), std::move(damage_)};
  }

  std::unique_ptr<host_span_visitor> begin() override {
    {
      const std::lock_guard<std::mutex> hold(mutex_);
      if (!spare_.empty()) {
        auto part = std::move(spare_.back());
        spare_.pop_back();
        return part;
      }
    }
    return std::make_unique<evidence_part>(lists_, cells_, meanings_);
  }

  result<void> keep(std::unique_ptr<host_span_visitor> given) override {
    auto& part = static_cast<evidence_part&>(*given);
    sync_.add(part.sync);
    comm_.add(part.comm);
    gc_.add(part.gc);
    recording_.add(part.recording);
    for (std::size_t i = 0; i < part.used; ++i) {
      evidence_part::thread_spans& thread = part.threads[i];
      if (thread.number != thread_number_) take_thread();
      thread_number_ = thread.number;
      thread_.add(thread.did);
      if (thread.frames && !frames_) {
        frames_ = true;
        host_ = leaf_;
      }
      leaf_.add(thread.frames ? thread.leaves : thread.did.all);
      if (frames_) host_.add(thread.did.all);
    }
    names_.add(part.names);
    part.clear();
    const std::lock_guard<std::mutex> hold(mutex_);
    spare_.push_back(std::move(given));
    return {};
  }

  void note_damage(std::uint32_t file, const fault& why) override { add_damage(damage_, file, why); }

  void finish() {
    spare_.clear();
    for (const gap_list& list : lists_)
      for (const gap& g : list) g.of->host.traced = true;
    take_thread();
    for (auto& [number, both] : twins_) take_thread(number, both);
    by_thread_.take(lists_, [](bubble& b, std::int64_t ps) { b.host.threads_ps = ps; });
    const auto measure = [&](span_union& all, std::int64_t host_evidence::*into) {
      cell_cover cover(cells_);
      cover.add(all.settled());
      cover.take(lists_, [&](bubble& b, std::int64_t ps) { b.host.*into = ps; });
    };
    measure(frames_ ? host_ : leaf_, &host_evidence::host_ps);
    measure(leaf_, &host_evidence::leaf_ps);
    measure(sync_, &host_evidence::sync_ps);
    measure(comm_, &host_evidence::comm_ps);
    measure(gc_, &host_evidence::gc_ps);
    measure(recording_, &host_evidence::recording_ps);
    names_.take();
  }

 private:
  // A thread of the system that several processes show goes by the number of the first.
  void find_twins() {
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> first;  // by file and number in the system
    for (std::uint32_t number = 0; number < of_.threads().size(); ++number) {
      const activity_thread& t = of_.threads()[number];
      if (t.system_thread < 0) continue;
      const auto [at, is_new] = first.try_emplace({t.file, t.system_thread}, number);
      if (!is_new) first_of_.emplace(number, at->second);
    }
    for (const auto& [number, twin] : first_of_) twins_.try_emplace(twin);
  }

  // After the last span of a thread.
  void take_thread() {
    const auto twin = first_of_.find(thread_number_);
    const auto both = twins_.find(twin == first_of_.end() ? thread_number_ : twin->second);
    if (both == twins_.end())
      take_thread(thread_number_, thread_);
    else
      both->second.add(thread_);
    thread_.clear();
  }
  void take_thread(std::uint32_t number, thread_record& of) {
    by_thread_.add(of.all.settled());
    causes_.take(number, of);
  }

  const activity& of_;
  const std::uint32_t group_;
  const std::vector<gap_list>& lists_;
  const gap_cells cells_;
  name_meanings meanings_;
  name_overlaps names_;
  cell_cover by_thread_;
  thread_causes causes_;
  span_union host_, leaf_, sync_, comm_, gc_, recording_;
  bool frames_ = false;  // as long as there is none, the leaves are all that the host did
  thread_record thread_;  // of the thread whose spans came last
  std::uint32_t thread_number_ = no_thread;
  hash_map<std::uint32_t, std::uint32_t> first_of_;  // of threads that an earlier number stands for, that number
  std::map<std::uint32_t, thread_record> twins_;     // of threads that have several numbers, by the first
  std::mutex mutex_;
  std::vector<std::unique_ptr<host_span_visitor>> spare_;  // parts that were taken
  std::vector<file_damage> damage_;
};

}  // namespace

result<host_facts> collect_host_evidence(const activity& of, std::vector<bubble>& bubbles, const hooks& host) {
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
    const auto twins = drop_repeated(lists);
    group_collector collector(of, group, lists);
    auto facts = collector.visit(host);
    if (!facts) return std::move(facts).error();
    collector.finish();
    for (const auto& [to, from] : twins) to->host = from->host;
    all.stacks = all.stacks || facts->stacks;
    all.runtime = all.runtime || facts->runtime;
    for (const file_damage& d : facts->damage) add_damage(all.damage, d.file, d.what);
  }
  return all;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
