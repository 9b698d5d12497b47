// The reader that bytes are pushed to: pieces are decoded and go through a walk; when a plane ends, what the walk kept of
// it is handed on, and the walk goes on with nothing kept.
#include <profkit/core/capture.hpp>
#include <profkit/core/piece_decoder.hpp>
#include <profkit/core/xspace_push.hpp>

#include <base/contained.hpp>
#include <base/progress.hpp>
#include <formats/foreign/foreign_format.hpp>
#include <formats/known_format.hpp>
#include <formats/xspace/xspace_lines.hpp>
#include <formats/xspace/xspace_walk.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint64_t least_held_bytes = 64;  // heads of fields
constexpr const char* raise_limit = "raise max_materialised_bytes";

fault misuse(const char* what, const char* hint) { return {fault_code::invalid_argument, what, "", no_offset, hint}; }

fault too_many_planes(std::uint64_t at) {
  return {fault_code::limit, "more than " + std::to_string(max_planes) + " planes; the others are left out", "", at,
          "No profiler writes such a file: it is damaged or made up."};
}

void go_on_if(bool wanted) {
  if (!wanted) throw walk_stopped{progress_meter::stopped()};
}

}  // namespace

class xspace_push_reader::state final : public stream_visitor {
 public:
  state(xspace_push_visitor& visitor, xspace_push_options options)
      : visitor_(visitor), options_(std::move(options)), decoder_(options_.bounds), walk_(*this, bounds_of(options_.bounds)) {}

  result<void> push(std::string_view bytes) {
    return work([&]() -> result<void> {
      if (finished_) return misuse("the capture was finished before", "make another reader");
      return is_cut_ ? result<void>() : keep_damage(decoder_.take(bytes, into_walk_));
    });
  }

  result<void> finish() {
    result<void> done = work([&]() -> result<void> {
      if (finished_) return misuse("the capture was finished before", "make another reader");
      finished_ = true;
      if (!is_cut_)
        if (auto ended = keep_damage(decoder_.end(into_walk_)); !ended) return ended;
      if (auto ended = walk_.end(); !ended) return ended;
      read_rest();
      return judge();
    });
    if (done && first_damage_) return *first_damage_;
    return done;
  }

  bool begin_line(stream_place place, std::uint64_t bytes) override {
    if (!is_plane_begun_) {
      const plane_header known = plane_view(walk_.kept_before_line()).header();
      begin_plane({place.plane, known.id, known.name});
    }
    line_ = {};
    line_.plane = place.plane;
    line_.line = place.line;
    is_line_begun_ = false;
    line_bytes_ = bytes;
    return true;
  }

  void events(const line_rows& rows) override {
    if (!is_line_begun_) begin_line_with(line_view(walk_.line_head()).header());
    go_on_if(visitor_.events(line_, rows.rows, rows.count));
    line_.event_count += rows.count;
  }

  void end_line(const profkit::line_end& end) override {
    // A line without a single byte does not count, as in the index.
    if (line_bytes_ != 0 && walk_.is_line_absent()) return;
    const line_header all = line_view(walk_.kept_of_line()).header();
    if (!is_line_begun_) begin_line_with(all);
    line_.was_changed = all.id != line_.id || all.name != line_.name || all.timestamp_ns != line_.timestamp_ns;
    take_header(all);
    go_on_if(visitor_.line_end(line_));
    if (end.damaged) note_damage(damaged_event(options_.label, walk_.line_begin() + end.damage_offset));
  }

  void end_plane(std::uint32_t plane) override {
    streamed_xspace kept = take_kept();
    is_plane_begun_ = is_plane_begun_ && !kept.index.planes.empty();
    if (plane >= max_planes) return note_damage(too_many_planes(walk_.position()));
    if (kept.index.planes.empty()) return;
    if (!is_plane_begun_) begin_plane({plane, kept.index.planes[0].id, kept.index.planes[0].name});
    is_plane_begun_ = false;
    go_on_if(visitor_.plane_end(plane, {kept.index.bytes, std::move(kept.owner), std::move(kept.index.damage)}));
  }

 private:
  static walk_bounds bounds_of(const limits& given) noexcept {
    return {std::max(given.max_materialised_bytes, least_held_bytes), given.max_materialised_bytes, given.max_materialised_bytes,
            raise_limit};
  }

  // One call of the host: what fails here fails for good, but for a misuse.
  template <class Work>
  result<void> work(Work&& work_of_call) {
    if (is_inside_) return misuse("the reader was called from inside its visitor", "return from the visitor first");
    if (failed_) return *failed_;
    is_inside_ = true;
    const bool was_finished = finished_;
    result<void> done = contained([&]() -> result<void> {
      try {
        return work_of_call();
      } catch (walk_stopped& s) {
        return std::move(s.why);
      }
    });
    is_inside_ = false;
    if (done || was_finished) return done;
    if (done.error().path.empty()) done.error().path = options_.label;
    failed_ = done.error();
    return done;
  }

  result<void> take_decoded(std::string_view decoded) {
    head_.append(decoded.substr(0, probe_bytes - head_.size()));
    if (auto went = walk_.take(decoded); !went) return went;
    // Of a first field that does not end, a group, nothing is known yet: text can begin so.
    if (walk_.position() == 0 && head_.size() == probe_bytes)
      if (auto why = why_not_begun_xspace(head_)) return std::move(*why);
    if (!walk_.is_lost() || is_rest_read_ || (planes_ == 0 && head_.size() < probe_bytes)) return {};
    read_rest();
    return planes_ == 0 ? judge() : result<void>();
  }

  // Damage of a compressed stream ends it; what was decoded before it counts.
  result<void> keep_damage(result<void> went) {
    if (went || went.error().code != fault_code::damaged) return went;
    is_cut_ = true;
    note_damage(std::move(went).error());
    return {};
  }

  // What stands after the last plane, up to the end or to damage after which nothing can be found.
  void read_rest() {
    if (!std::exchange(is_rest_read_, true)) static_cast<void>(take_kept());
  }

  // Whether it was an XSpace at all.
  result<void> judge() {
    if (decoder_.decoded_bytes() == 0 && !first_damage_)
      return fault{fault_code::unrecognised, "the capture is empty", "", 0, "No bytes were pushed."};
    std::optional<fault> why;
    if (planes_ == 0 && first_damage_) why = why_another(head_);
    if (!why) why = planes_ == 0 && first_damage_ ? why_not_begun_xspace(head_) : why_not_xspace(head_);
    if (why) return std::move(*why);
    return {};
  }

  streamed_xspace take_kept() {
    streamed_xspace kept;
    std::string_view bytes;
    const std::shared_ptr<reduced_from> from = walk_.take_kept(bytes, kept.owner);
    from->head = head_;
    from->after_planes = planes_ != 0;
    kept.index = index_xspace(bytes, from);
    from->head = {};
    planes_ += kept.index.planes.size();
    using kind = xspace_push_visitor::note_kind;
    for (const std::string_view text : kept.index.hostnames) go_on_if(visitor_.note(kind::hostname, text));
    for (const std::string_view text : kept.index.errors) go_on_if(visitor_.note(kind::error, text));
    for (const std::string_view text : kept.index.warnings) go_on_if(visitor_.note(kind::warning, text));
    if (!kept.index.damage) return kept;
    if (kept.index.damage->code == fault_code::text_mangled) throw walk_stopped{*kept.index.damage};
    note_damage(*kept.index.damage);
    return kept;
  }

  // Where an event breaks, the line of the index may break, too: that is said once.
  void note_damage(fault why) {
    if (why.path.empty()) why.path = options_.label;
    if (why.byte_offset == last_damage_) return;
    last_damage_ = why.byte_offset;
    if (!first_damage_ || why.byte_offset < first_damage_->byte_offset) first_damage_ = why;
    go_on_if(visitor_.damage(why));
  }

  void begin_plane(const pushed_plane& plane) {
    is_plane_begun_ = true;
    go_on_if(visitor_.plane_begin(plane));
  }

  void begin_line_with(const line_header& known) {
    is_line_begun_ = true;
    take_header(known);
    go_on_if(visitor_.line_begin(line_));
  }

  // What is kept moves, so texts are copied.
  void take_header(const line_header& known) {
    line_.id = known.id;
    line_.display_id = known.display_id;
    line_.timestamp_ns = known.timestamp_ns;
    line_.duration_ps = known.duration_ps;
    line_.name = line_name_.assign(known.name);
    line_.display_name = line_display_name_.assign(known.display_name);
  }

  xspace_push_visitor& visitor_;
  const xspace_push_options options_;
  piece_decoder decoder_;
  xspace_walk walk_;
  const piece_decoder::taker into_walk_ = [this](std::string_view decoded) { return take_decoded(decoded); };
  std::string head_;  // of what was decoded
  std::size_t planes_ = 0;
  std::uint64_t line_bytes_ = 0;  // that the open line says it has
  pushed_line line_;
  std::string line_name_, line_display_name_;
  bool is_plane_begun_ = false, is_line_begun_ = false, is_rest_read_ = false;
  bool is_cut_ = false, is_inside_ = false, finished_ = false;
  std::optional<fault> first_damage_, failed_;
  std::uint64_t last_damage_ = no_offset;
};

xspace_push_reader::xspace_push_reader(xspace_push_visitor& visitor, xspace_push_options options)
    : state_(std::make_unique<state>(visitor, std::move(options))) {}
xspace_push_reader::~xspace_push_reader() = default;

result<void> xspace_push_reader::push(std::string_view bytes) { return state_->push(bytes); }
result<void> xspace_push_reader::finish() { return state_->finish(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
