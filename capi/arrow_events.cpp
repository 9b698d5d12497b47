// Events as Arrow: one file at a time, cut into batches.
#include <profkit/core/track.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "arrow_tables.hpp"
#include "profile.hpp"
#include "formats/xspace/line_time.hpp"
#include "formats/xspace/usual_metadata.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

// In the order of the schema, which a test of the table compares.
enum event_column : std::size_t {
  at_run,
  at_host,
  at_rank,
  at_node,
  at_device_name,
  at_file,
  at_device,
  at_plane,
  at_line,
  at_plane_kind,
  at_line_kind,
  at_plane_position,
  at_line_position,
  at_stream,
  at_name,
  at_start,
  at_duration,
  at_source_row,
};

// What all events of a track share.
struct track_facts {
  std::uint32_t file = 0;
  std::int32_t plane = -1, line = -1, device = -1, rank = -1;  // -1: not known
  std::int64_t stream = -1, node = -1;
  plane_kind plane_type = plane_kind::other;
  line_kind line_type = line_kind::other;
  std::string_view run, host, device_name, plane_name, line_name;
};

// The name that tracks of one file shared last, in a column. Names of a file stay where they are, so that the next
// track mostly need not look it up.
class shared_name {
 public:
  result<void> put(arrow_batch& into, std::size_t column, std::string_view name, std::size_t count) {
    if (!into.wants(column)) return {};
    arrow_dictionary& names = into.dictionary(column);
    if (index_ < 0 || name.data() != name_.data() || name.size() != name_.size() || generation_ != names.generation()) {
      result<std::int32_t> index = names.index_of(name);
      if (!index) return std::move(index).error();
      name_ = name;
      index_ = *index;
      generation_ = names.generation();
    }
    into.at(column).put_repeated(index_, count);
    return {};
  }

 private:
  std::string_view name_;
  std::int32_t index_ = -1;  // -1: there is none yet
  std::uint64_t generation_ = 0;
};
struct shared_names {
  shared_name run, host, device, plane, line, plane_kind, line_kind;
};

template <class T>
void put_known(arrow_batch& into, std::size_t column, T value, std::size_t count) {
  if (!into.wants(column)) return;
  if (value != -1) return into.at(column).put_repeated(value, count);
  into.at(column).put_nulls(count);
}

// Null where it is empty.
result<void> put_text(arrow_batch& into, std::size_t column, std::string_view text, shared_name& name, std::size_t count) {
  if (!text.empty() || !into.wants(column)) return name.put(into, column, text, count);
  into.at(column).put_nulls(count);
  return {};
}

result<void> put_shared(arrow_batch& into, const track_facts& t, shared_names& names, std::size_t count) {
  if (into.wants(at_file)) into.at(at_file).put_repeated(t.file, count);
  if (result<void> put = put_text(into, at_run, t.run, names.run, count); !put) return put;
  if (result<void> put = put_text(into, at_host, t.host, names.host, count); !put) return put;
  if (result<void> put = put_text(into, at_device_name, t.device_name, names.device, count); !put) return put;
  if (result<void> put = names.plane.put(into, at_plane, t.plane_name, count); !put) return put;
  if (result<void> put = names.line.put(into, at_line, t.line_name, count); !put) return put;
  if (result<void> put = names.plane_kind.put(into, at_plane_kind, plane_kind_name(t.plane_type), count); !put)
    return put;
  if (result<void> put = names.line_kind.put(into, at_line_kind, line_kind_name(t.line_type), count); !put) return put;
  put_known(into, at_plane_position, t.plane, count);
  put_known(into, at_line_position, t.line, count);
  put_known(into, at_device, t.device, count);
  put_known(into, at_stream, t.stream, count);
  put_known(into, at_rank, t.rank, count);
  put_known(into, at_node, t.node, count);
  return {};
}

// Where some more events are written: the columns in which each has its own value.
struct own_columns {
  std::int32_t* names;
  std::int64_t* starts_ps;
  std::int64_t* durations_ps;
  std::uint64_t* source_rows;

  void set(std::size_t at, std::int32_t name, std::int64_t start_ps, std::int64_t duration_ps,
           std::uint64_t source_row) const noexcept {
    names[at] = name;
    starts_ps[at] = start_ps;
    durations_ps[at] = duration_ps;
    source_rows[at] = source_row;
  }
};

// Makes that room for up to `max_rows` events at a time. All columns are written, without looking for each event at
// which are wanted: the others have a place that is not read.
class own_rooms {
 public:
  static constexpr std::size_t max_rows = 256;

  own_columns begin(arrow_batch& into, std::size_t count) {
    return {room(into, at_name, count, unread_names_), room(into, at_start, count, unread_times_),
            room(into, at_duration, count, unread_times_), room(into, at_source_row, count, unread_rows_)};
  }
  // The last `count` were not needed.
  static void give_back(arrow_batch& into, std::size_t count) noexcept {
    if (count == 0) return;
    if (into.wants(at_name)) into.at(at_name).give_back<std::int32_t>(count);
    if (into.wants(at_start)) into.at(at_start).give_back<std::int64_t>(count);
    if (into.wants(at_duration)) into.at(at_duration).give_back<std::int64_t>(count);
    if (into.wants(at_source_row)) into.at(at_source_row).give_back<std::uint64_t>(count);
  }

 private:
  template <class T>
  static T* room(arrow_batch& into, std::size_t column, std::size_t count, std::array<T, max_rows>& unread) {
    return into.wants(column) ? into.at(column).grow<T>(count) : unread.data();
  }

  std::array<std::int32_t, max_rows> unread_names_;
  std::array<std::int64_t, max_rows> unread_times_;
  std::array<std::uint64_t, max_rows> unread_rows_;
};

// The events of one file, track by track.
class event_source {
 public:
  virtual ~event_source() = default;
  // Up to `most` more events of one track; 0: there are no more. Damage is reported after what was intact.
  virtual result<std::size_t> read(arrow_batch& into, std::size_t most) = 0;
  [[nodiscard]] virtual std::size_t room() const noexcept = 0;
  [[nodiscard]] virtual bool at_border() const noexcept = 0;
};

// The events of an XSpace, decoded into the columns.
class xspace_events final : public event_source {
 public:
  xspace_events(const profile& core, const capture_devices& devices, std::uint32_t file)
      : core_(core),
        devices_(devices),
        file_(file),
        xspace_(*core.xspace(file)),
        damage_(core.file_fault(file)) {
    facts_.file = file;
    facts_.run = devices.run(file);
    for (const plane_index& plane : xspace_.planes)
      for (const line_index& line : plane.lines) expected_ += expected_events(line);
  }

  result<std::size_t> read(arrow_batch& into, std::size_t most) override {
    while (scan_ || begin_line()) {
      result<std::size_t> count = decode(into, most);
      if (!count) return count;
      if (*count == 0) continue;
      if (result<void> put = put_shared(into, facts_, shared_names_, *count); !put) return std::move(put).error();
      return *count;
    }
    if (damage_) return *damage_;
    if (scan_damage_) return *scan_damage_;
    return std::size_t{0};
  }
  [[nodiscard]] std::size_t room() const noexcept override {
    const std::uint64_t decoded =
        scan_ ? share_of(expected_events(xspace_.planes[plane_].lines[line_]), scan_->offset(), line_bytes_) : 0;
    return static_cast<std::size_t>(expected_ - decoded) + rows_.size();
  }
  [[nodiscard]] bool at_border() const noexcept override { return !scan_; }

 private:
  // Goes to the next line that has a time; false: there is none.
  bool begin_line() {
    for (; plane_ < xspace_.planes.size(); ++plane_, line_ = 0) {
      const plane_index& plane = xspace_.planes[plane_];
      for (; line_ < plane.lines.size(); ++line_) {
        const line_index& line = plane.lines[line_];
        const auto base_ps = line_base_ps(core_, file_, line);
        if (!base_ps) continue;  // the file's fault reports it
        base_ps_ = *base_ps;
        scan_.emplace(line.body);
        line_bytes_ = line.body.size();
        next_row_ = line.body.data();
        facts_.plane = static_cast<std::int32_t>(plane_);
        facts_.line = static_cast<std::int32_t>(line_);
        facts_.plane_type = plane.kind;
        facts_.line_type = line.kind;
        const plane_place place = devices_.of_plane(file_, facts_.plane);
        facts_.device = place.device;
        facts_.device_name = place.device < 0 ? std::string_view() : plane.name;
        facts_.host = place.host;
        facts_.node = place.node.value_or(-1);
        facts_.rank = devices_.rank(file_, place.device).value_or(-1);
        facts_.stream = stream_of(line);
        facts_.plane_name = plane.name;
        facts_.line_name = line.name();
        return true;
      }
    }
    return false;
  }

  result<std::size_t> decode(arrow_batch& into, std::size_t most) {
    const line_index& line = xspace_.planes[plane_].lines[line_];
    const bool named = into.wants(at_name);
    if (named) name_events_of(xspace_.planes[plane_], into.dictionary(at_name));
    // Locals, which the columns that are written cannot be.
    const std::int64_t base_ps = base_ps_;
    const std::uint64_t line_offset = line.offset;
    const char* const line_begin = line.body.data();
    std::size_t done = 0;
    while (done < most) {
      const std::size_t count = scan_->next(rows_.data(), std::min(rows_.size(), most - done));
      if (count == 0) {
        end_line(line);
        break;
      }
      const own_columns to = rooms_.begin(into, count);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const event_row& row = rows_[i];
        const std::uint64_t source_row = line_offset + static_cast<std::uint64_t>(next_row_ - line_begin);
        next_row_ = row.stats + row.stats_bytes;
        if ((row.flags & event_has_occurrences) != 0) continue;  // has no place in time
        std::int32_t name = 0;
        if (named) {
          std::int32_t* const index = index_of(row.metadata_id);
          if (*index < 0) {
            result<std::int32_t> found = into.dictionary(at_name).index_of(name_of(row.metadata_id));
            if (!found) return std::move(found).error();
            *index = *found;
          }
          name = *index;
        }
        to.set(kept++, name, event_start_ps(base_ps, row.offset_ps), row.duration_ps, source_row);
      }
      own_rooms::give_back(into, count - kept);
      done += kept;
    }
    return done;
  }

  void end_line(const line_index& line) {
    if (!scan_->ok() && !scan_damage_) {
      fault& why = scan_damage_.emplace();
      why.code = fault_code::damaged;
      why.path = core_.what().files[file_].path;
      why.byte_offset = line.offset + scan_->offset();
      why.message = "damaged event at byte " + std::to_string(why.byte_offset) + "; the events before it were read";
    }
    expected_ -= expected_events(line);
    scan_.reset();
    ++line_;
  }

  // How many events a line has: counted when it is short, else by how many its beginning has.
  static std::uint64_t expected_events(const line_index& line) noexcept {
    if (line.body.size() <= short_line_bytes) return line.header.event_count;
    constexpr std::size_t sample_bytes = 16384;
    const std::uint64_t sampled = count_events(line.body.substr(0, sample_bytes));
    return share_of(sampled + sampled / 16 + 1, line.body.size(), sample_bytes);
  }
  static std::uint64_t share_of(std::uint64_t count, std::uint64_t part, std::uint64_t whole) noexcept {
    if (whole == 0) return 0;
    return static_cast<std::uint64_t>(static_cast<double>(count) * static_cast<double>(part) /
                                      static_cast<double>(whole));
  }

  // Ids are counted from 1 in files seen so far; any other finds its place in a table.
  std::int32_t* index_of(std::int64_t metadata_id) {
    if (static_cast<std::uint64_t>(metadata_id) < near_.size()) return &near_[static_cast<std::size_t>(metadata_id)];
    return &far_.try_emplace(metadata_id, -1).first->second;
  }
  // Of another plane, or in a dictionary that began anew.
  void name_events_of(const plane_index& plane, arrow_dictionary& names) {
    const bool same = named_ == &plane;
    if (same && generation_ == names.generation()) return;
    named_ = &plane;
    generation_ = names.generation();
    near_.assign(2 * plane.event_metadata_entries.size() + 16, -1);
    far_.clear();
    if (same) return;
    names_.clear();
    std::uint64_t bytes = 0;
    for (const line_index& line : plane.lines) bytes += line.body.size();
    // One pass over all entries costs less than to look up most of them one by one.
    if (plane.event_metadata_entries.size() > bytes / 64) return;
    names.expect(plane.event_metadata_entries.size());
    names_.resize(near_.size());
    for (const std::string_view entry : plane.event_metadata_entries) {
      const usual_metadata metadata = named_metadata(entry);
      if (static_cast<std::uint64_t>(metadata.key) < names_.size())
        names_[static_cast<std::size_t>(metadata.key)] = shown_name(metadata);
    }
  }
  [[nodiscard]] std::string_view name_of(std::int64_t metadata_id) const noexcept {
    if (static_cast<std::uint64_t>(metadata_id) < names_.size()) return names_[static_cast<std::size_t>(metadata_id)];
    const metadata_entry entry = named_->event_metadata.find(metadata_id);
    return entry ? shown_name(named_metadata(entry.bytes)) : std::string_view();
  }
  static usual_metadata named_metadata(std::string_view entry) noexcept {
    usual_metadata found;
    if (read_usual_metadata(entry, found)) return found;
    const event_metadata_view read(entry);
    return {read.key(), read.name(), read.display_name()};
  }
  static std::string_view shown_name(const usual_metadata& metadata) noexcept {
    return metadata.display_name.empty() ? metadata.name : metadata.display_name;
  }

  const profile& core_;
  const capture_devices& devices_;
  const std::uint32_t file_;
  const xspace_index& xspace_;
  const fault* damage_;  // of the whole file
  std::size_t plane_ = 0, line_ = 0;
  std::optional<event_scanner> scan_;  // of that line, while it is read
  std::int64_t base_ps_ = 0;
  const char* next_row_ = nullptr;
  std::uint64_t line_bytes_ = 0;
  std::uint64_t expected_ = 0;  // events of the lines that were not ended
  track_facts facts_;
  shared_names shared_names_;
  const plane_index* named_ = nullptr;  // whose names follow
  std::vector<std::int32_t> near_;      // by metadata id, its name in the dictionary; -1: not looked up yet
  hash_map<std::int64_t, std::int32_t> far_;
  std::vector<std::string_view> names_;  // by metadata id, when all were read at once
  std::uint64_t generation_ = 0;
  std::array<event_row, own_rooms::max_rows> rows_;
  own_rooms rooms_;
  std::optional<fault> scan_damage_;
};

// A list of tracks that also has the number of its texts.
class counted_tracks final : public track_sink {
 public:
  string_id intern(std::string_view text) override {
    const string_id id = kept_.intern(text);
    texts_ = std::max<std::size_t>(texts_, std::size_t{id} + 1);
    return id;
  }
  track_id add_track(const track& t) override { return kept_.add_track(t); }
  result<void> add_events(track_id on, const track_event* events, std::size_t count) override {
    return kept_.add_events(on, events, count);
  }
  void settle(track_id of, const track& t) override { kept_.settle(of, t); }
  [[nodiscard]] const track_list& kept() const noexcept { return kept_; }
  [[nodiscard]] std::size_t texts() const noexcept { return texts_; }

 private:
  track_list kept_;
  std::size_t texts_ = 1;
};

// The events of any other file, by way of a list of tracks.
class events_of_tracks final : public event_source {
 public:
  // Damage of the file is reported after its events.
  static result<std::unique_ptr<event_source>> of(const profile& core, const capture_devices& devices, std::uint32_t file) {
    auto made = std::make_unique<events_of_tracks>(devices);
    result<void> filled = fill_tracks(core, file, made->filled_);
    if (!filled && filled.error().code != fault_code::damaged) return std::move(filled).error();
    if (!filled) made->damage_ = std::move(filled).error();
    made->left_ = static_cast<std::size_t>(made->filled_.kept().event_count());
    return std::unique_ptr<event_source>(std::move(made));
  }

  explicit events_of_tracks(const capture_devices& devices) : devices_(devices) {}

  result<std::size_t> read(arrow_batch& into, std::size_t most) override {
    const track_list& kept = filled_.kept();
    for (; next_track_ < kept.tracks().size(); ++next_track_, next_event_ = 0) {
      const auto on = static_cast<track_id>(next_track_);
      const std::vector<track_event>& events = kept.events(on);
      const std::size_t count = std::min(most, events.size() - next_event_);
      if (count == 0) continue;
      if (result<void> put = put_events(into, events.data() + next_event_, count); !put) return std::move(put).error();
      if (result<void> put = put_shared(into, facts_of(kept.tracks()[on]), shared_names_, count); !put)
        return std::move(put).error();
      next_event_ += count;
      left_ -= count;
      return count;
    }
    if (damage_) return *damage_;
    return std::size_t{0};
  }
  [[nodiscard]] std::size_t room() const noexcept override { return left_; }
  [[nodiscard]] bool at_border() const noexcept override {
    return next_track_ < filled_.kept().tracks().size() &&
           next_event_ == filled_.kept().events(static_cast<track_id>(next_track_)).size();
  }

 private:
  [[nodiscard]] track_facts facts_of(const track& t) const noexcept {
    const track_list& kept = filled_.kept();
    track_facts facts;
    facts.file = t.file;
    facts.plane = t.plane;
    facts.line = t.line;
    facts.device = devices_.of_line(t.file, t.plane, t.line);
    facts.rank = devices_.rank(t.file, facts.device).value_or(-1);
    facts.stream = t.stream;
    facts.plane_type = t.plane_type;
    facts.line_type = t.line_type;
    facts.run = devices_.run(t.file);
    facts.host = kept.text(t.host);
    if (const capture_device* const device = devices_.find(facts.device)) facts.device_name = device->name;
    facts.plane_name = kept.text(t.plane_name);
    facts.line_name = kept.text(t.line_name);
    return facts;
  }

  result<void> put_events(arrow_batch& into, const track_event* events, std::size_t count) {
    const std::uint64_t generation = into.dictionary(at_name).generation();
    if (generation_ != generation) indices_.clear();
    generation_ = generation;
    indices_.resize(filled_.texts(), -1);
    const bool named = into.wants(at_name);
    for (std::size_t done = 0; done < count;) {
      const std::size_t some = std::min(own_rooms::max_rows, count - done);
      const own_columns to = rooms_.begin(into, some);
      for (std::size_t i = 0; i < some; ++i) {
        const track_event& event = events[done + i];
        std::int32_t& index = indices_[event.name];
        if (named && index < 0) {
          result<std::int32_t> found = into.dictionary(at_name).index_of(filled_.kept().text(event.name));
          if (!found) return std::move(found).error();
          index = *found;
        }
        to.set(i, index, event.start_ps, event.duration_ps, event.source_row);
      }
      done += some;
    }
    return {};
  }

  const capture_devices& devices_;
  counted_tracks filled_;
  own_rooms rooms_;
  shared_names shared_names_;
  std::size_t next_track_ = 0, next_event_ = 0, left_ = 0;
  std::vector<std::int32_t> indices_;  // of the texts in the dictionary; -1: not looked up yet
  std::uint64_t generation_ = 0;
  std::optional<fault> damage_;
};

class event_table final : public arrow_table {
 public:
  event_table(const profile& core, std::shared_ptr<const capture_devices> devices, std::uint32_t first_file,
              std::uint32_t end_file)
      : core_(core),
        devices_(std::move(devices)),
        columns_(arrow_columns_of(columns_of(table_kind::events))),
        next_file_(first_file),
        end_file_(end_file) {}

  const arrow_columns& columns() const noexcept override { return columns_; }

  result<std::size_t> read(arrow_batch& into, std::size_t most) override {
    while (begin_file()) {
      result<std::size_t> count = source_->read(into, most);
      if (!count || *count != 0) return count;
      source_.reset();
    }
    if (fault_) return *fault_;
    return std::size_t{0};
  }
  [[nodiscard]] std::size_t room() override { return begin_file() ? source_->room() : 0; }
  [[nodiscard]] bool at_border() const noexcept override { return !source_ || source_->at_border(); }

 private:
  // Goes to the next file with events, unless one is being read; false: there is none, or it cannot be read.
  bool begin_file() {
    while (!source_ && next_file_ != end_file_ && !fault_) {
      const std::uint32_t file = next_file_++;
      // An export of another file is read when it is what was asked for.
      if (core_.what().files[file].export_of >= 0 && end_file_ - file != 1) continue;
      if (has_planes(core_.what().files[file].family)) {
        source_ = std::make_unique<xspace_events>(core_, *devices_, file);
      } else if (auto made = events_of_tracks::of(core_, *devices_, file); made) {
        source_ = std::move(*made);
      } else {
        fault_ = std::move(made).error();
      }
    }
    return source_ != nullptr;
  }

  const profile& core_;
  std::shared_ptr<const capture_devices> devices_;
  arrow_columns columns_;
  std::uint32_t next_file_, end_file_;
  std::unique_ptr<event_source> source_;  // of the file being read
  std::optional<fault> fault_;            // why the last file could not be read
};

}  // namespace

std::unique_ptr<arrow_table> event_columns(const profile& core, std::shared_ptr<const capture_devices> devices,
                                           std::uint32_t first_file, std::uint32_t end_file) {
  return std::make_unique<event_table>(core, std::move(devices), first_file, end_file);
}

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
