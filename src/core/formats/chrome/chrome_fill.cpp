// Chrome trace JSON to timeline: complete, instant and counter events, begin/end events brought together, and arrows for
// callers that ask for them.
#include <profkit/core/chrome.hpp>
#include <profkit/time.hpp>
#include <formats/chrome/chrome_decoder.hpp>
#include <formats/chrome/chrome_fill.hpp>
#include <formats/chrome/chrome_tracks.hpp>

#include <base/json_writer.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class event_filler final : public chrome_sink {
 public:
  event_filler(const profile& p, std::size_t file, chrome_tracks& from, track_sink& into, bool wants_texts)
      : from_(from),
        into_(into),
        file_(static_cast<std::uint32_t>(file)),
        host_(into.intern(p.what().files[file].host)),
        wants_texts_(wants_texts) {}

  bool item(const chrome_item& found) override {
    const bool is_arrow = found.kind == chrome_item_kind::flow && wants_texts_;
    if ((found.track == chrome_tracks::none && !is_arrow) || found.defect == chrome_defect::without_time) return true;
    if (found.defect == chrome_defect::start_out_of_reach) {
      out_of_reach = true;
      return true;
    }
    line& on = line_of(is_arrow ? from_.thread_beside(*found.event) : found.track);
    if (found.kind == chrome_item_kind::begin || found.kind == chrome_item_kind::async_begin) return true;
    if (found.defect == chrome_defect::without_begin) return true;
    track_event row;
    row.start_ps = found.start_ps;
    row.duration_ps = std::max<std::int64_t>(found.duration_ps, 0);
    row.source_row = found.event->ordinal;
    row.name = into_.intern(found.event->name);
    row.kind = kind_of(found);
    if (wants_texts_) row.text = text_of(found);
    on.rows.push_back(row);
    if (++held_ < max_held) return true;
    flush();
    return outcome.ok();
  }

  // Every event was read: names are known.
  void finish() {
    flush();
    for (const std::uint32_t track : in_order_) into_.settle(lines_[track].track, track_of(track));
  }

  result<void> outcome;
  bool out_of_reach = false;

 private:
  void flush() {
    for (const std::uint32_t track : in_order_) {
      line& on = lines_[track];
      if (on.rows.empty() || !outcome.ok()) continue;
      outcome = into_.add_events(on.track, on.rows.data(), on.rows.size());
      on.rows.clear();
    }
    held_ = 0;
  }

  static track_event_kind kind_of(const chrome_item& found) noexcept {
    switch (found.kind) {
      case chrome_item_kind::instant:
      case chrome_item_kind::async_instant: return track_event_kind::instant;
      case chrome_item_kind::counter: return track_event_kind::value;
      case chrome_item_kind::flow:
        return found.event->phase == 's'   ? track_event_kind::arrow_start
               : found.event->phase == 't' ? track_event_kind::arrow_step
                                           : track_event_kind::arrow_end;
      default: return track_event_kind::span;
    }
  }

  // What stands in the file; of a begin and its end one text for both.
  std::string_view text_of(const chrome_item& found) {
    const chrome_event& e = *found.event;
    if (found.kind != chrome_item_kind::pair && found.kind != chrome_item_kind::async_pair) return e.json;
    append_json_string(text_ = "{\"name\":", e.name);
    if (!e.cat.empty()) append_json_string(text_ += ",\"cat\":", e.cat);
    if (!e.args_json.empty()) (text_ += ",\"args\":") += e.args_json;
    return into_.keep(text_ += '}');
  }

  static constexpr std::size_t max_held = std::size_t{1} << 16;
  static constexpr track_id no_track = std::numeric_limits<track_id>::max();

  struct line {
    track_id track = no_track;
    std::vector<track_event> rows;
  };

  line& line_of(std::uint32_t track) {
    if (track >= lines_.size()) lines_.resize(track + std::size_t{1});
    line& on = lines_[track];
    if (on.track == no_track) {
      on.track = into_.add_track(track_of(track));
      in_order_.push_back(track);
    }
    return on;
  }

  track track_of(std::uint32_t at) {
    const chrome_place place = from_.place_of(at);
    const chrome_track& of = from_.track(at);
    track t;
    t.file = file_;
    t.host = host_;
    t.plane = place.plane;
    t.line = place.line;
    t.plane_type = place.plane_type;
    t.line_type = place.line_type;
    t.device = device_ordinal(place.plane_name);
    t.stream = of.number.value_or(-1);
    t.plane_name = into_.intern(place.plane_name);
    t.line_name = into_.intern(place.line_name);
    t.plane_id = into_.intern(from_.process_of_track(at).pid);
    t.line_id = into_.intern(of.tid);
    t.sort_index = of.sort_index;
    return t;
  }

  chrome_tracks& from_;
  track_sink& into_;
  std::uint32_t file_;
  string_id host_;
  bool wants_texts_;
  std::string text_;
  std::vector<line> lines_;              // by track of the trace
  std::vector<std::uint32_t> in_order_;  // as they were added
  std::size_t held_ = 0;
};

}  // namespace

result<void> fill_from_chrome(const profile& p, std::size_t file, track_sink& into, const tracks_wanted& wanted) {
  const std::string& path = p.what().files[file].path;
  const std::string_view bytes = p.bytes(file);
  const fault* const known = p.file_fault(file);
  if (bytes.empty()) return known != nullptr ? result<void>(*known) : result<void>();

  chrome_options options;
  options.bounds = p.what().bounds;
  options.host = *wanted.host;
  const auto shift_ps = checked_mul(p.file_shift_ns(file), ps_per_ns);
  if (!shift_ps) return chrome_out_of_reach(path);
  const auto with_path = [&path](fault f) {
    f.path = path;
    return f;
  };
  chrome_tracks tracks;
  event_filler filler(p, file, tracks, into, wanted.texts);
  chrome_decoder decoder(*shift_ps, tracks, filler);
  result<chrome_summary> read = read_chrome(bytes, decoder, options);
  if (!read) return with_path(read.error());
  filler.finish();
  if (!filler.outcome) return filler.outcome;
  if (known != nullptr) return *known;
  if (read->damage) return with_path(*read->damage);
  if (std::optional<fault> times = damage_of_times(*read)) return with_path(*times);
  if (filler.out_of_reach) return chrome_out_of_reach(path);
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
