// Events as Arrow: one file at a time, cut into batches.
#include <profkit/core/timeline.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "arrow_batch.hpp"
#include "profile.hpp"
#include "read/line_time.hpp"
#include "read/usual_metadata.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

enum event_column : std::size_t {
  at_file,
  at_host,
  at_plane,
  at_line,
  at_plane_kind,
  at_line_kind,
  at_plane_position,
  at_line_position,
  at_device,
  at_stream,
  at_name,
  at_start,
  at_duration,
  at_source_row,
};

[[gnu::cold]] const arrow_columns& event_columns() {
  static const arrow_columns columns = {
      {"file", arrow_type::uint32, ""},
      {"host", arrow_type::name, ""},
      {"plane", arrow_type::name, ""},
      {"line", arrow_type::name, ""},
      {"plane_kind", arrow_type::name, ""},
      {"line_kind", arrow_type::name, ""},
      {"plane_position", arrow_type::int32, ""},
      {"line_position", arrow_type::int32, ""},
      {"device", arrow_type::int32, ""},
      {"stream", arrow_type::int64, ""},
      {"name", arrow_type::name, ""},
      {"start_ps", arrow_type::int64, "ps"},
      {"duration_ps", arrow_type::int64, "ps"},
      {"source_row", arrow_type::uint64, ""},
  };
  return columns;
}

// What all events of a track share.
struct track_facts {
  std::uint32_t file = 0;
  std::int32_t plane = -1, line = -1, device = -1;  // -1: not known
  std::int64_t stream = -1;
  plane_kind plane_type = plane_kind::other;
  line_kind line_type = line_kind::other;
  std::string_view host, plane_name, line_name;
};

result<void> put_shared_name(arrow_batch& into, std::size_t column, std::string_view name, std::size_t count) {
  result<std::int32_t> index = into.dictionary(column).index_of(name);
  if (!index) return std::move(index).error();
  into.at(column).put_repeated(*index, count);
  return {};
}

template <class T>
void put_known(arrow_values& into, T value, std::size_t count) {
  if (value != -1) return into.put_repeated(value, count);
  into.put_nulls(count);
}

result<void> put_shared(arrow_batch& into, const track_facts& t, std::size_t count) {
  into.at(at_file).put_repeated(t.file, count);
  if (result<void> put = put_shared_name(into, at_host, t.host, count); !put) return put;
  if (result<void> put = put_shared_name(into, at_plane, t.plane_name, count); !put) return put;
  if (result<void> put = put_shared_name(into, at_line, t.line_name, count); !put) return put;
  if (result<void> put = put_shared_name(into, at_plane_kind, plane_kind_name(t.plane_type), count); !put) return put;
  if (result<void> put = put_shared_name(into, at_line_kind, line_kind_name(t.line_type), count); !put) return put;
  put_known(into.at(at_plane_position), t.plane, count);
  put_known(into.at(at_line_position), t.line, count);
  put_known(into.at(at_device), t.device, count);
  put_known(into.at(at_stream), t.stream, count);
  return {};
}

// The columns in which each event has its own value: room for some more events.
class own_columns {
 public:
  own_columns(arrow_batch& into, std::size_t count)
      : into_(into),
        names_(into.at(at_name).grow<std::int32_t>(count)),
        starts_ps_(into.at(at_start).grow<std::int64_t>(count)),
        durations_ps_(into.at(at_duration).grow<std::int64_t>(count)),
        source_rows_(into.at(at_source_row).grow<std::uint64_t>(count)) {}
  void set(std::size_t at, std::int32_t name, std::int64_t start_ps, std::int64_t duration_ps,
           std::uint64_t source_row) const noexcept {
    names_[at] = name;
    starts_ps_[at] = start_ps;
    durations_ps_[at] = duration_ps;
    source_rows_[at] = source_row;
  }
  // The last `count` were not needed.
  void give_back(std::size_t count) const noexcept {
    if (count == 0) return;
    into_.at(at_name).give_back<std::int32_t>(count);
    into_.at(at_start).give_back<std::int64_t>(count);
    into_.at(at_duration).give_back<std::int64_t>(count);
    into_.at(at_source_row).give_back<std::uint64_t>(count);
  }

 private:
  arrow_batch& into_;
  std::int32_t* const names_;
  std::int64_t* const starts_ps_;
  std::int64_t* const durations_ps_;
  std::uint64_t* const source_rows_;
};

// The events of one file, track by track.
class event_source {
 public:
  virtual ~event_source() = default;
  // Up to `most` more events of one track; 0: there are no more. Damage is told behind what was intact.
  virtual result<std::size_t> read(arrow_batch& into, std::size_t most) = 0;
  [[nodiscard]] virtual std::size_t room() const noexcept = 0;
  [[nodiscard]] virtual bool at_border() const noexcept = 0;
};

// The events of an XSpace, decoded into the columns.
class xspace_events final : public event_source {
 public:
  xspace_events(const profile& core, std::uint32_t file)
      : core_(core), file_(file), xspace_(*core.xspace(file)), damage_(core.file_fault(file)) {
    const capture_file& listed = core.what().files[file];
    facts_.file = file;
    facts_.host = xspace_.hostnames.empty() ? std::string_view(listed.host) : xspace_.hostnames.front();
    for (const plane_index& plane : xspace_.planes)
      for (const line_index& line : plane.lines) expected_ += expected_events(line);
  }

  result<std::size_t> read(arrow_batch& into, std::size_t most) override {
    while (scan_ || begin_line()) {
      result<std::size_t> count = decode(into, most);
      if (!count) return count;
      if (*count == 0) continue;
      if (result<void> put = put_shared(into, facts_, *count); !put) return std::move(put).error();
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
        if (!base_ps) continue;  // told by the file's fault
        base_ps_ = *base_ps;
        scan_.emplace(line.body);
        line_bytes_ = line.body.size();
        next_row_ = line.offset;
        if (named_ != &plane) name_events_of(plane);
        facts_.plane = static_cast<std::int32_t>(plane_);
        facts_.line = static_cast<std::int32_t>(line_);
        facts_.plane_type = plane.kind;
        facts_.line_type = line.kind;
        facts_.device = plane.device;
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
    arrow_dictionary& names = into.dictionary(at_name);
    if (generation_ != names.generation()) forget_indices();
    generation_ = names.generation();
    std::size_t done = 0;
    while (done < most) {
      const std::size_t count = scan_->next(rows_.data(), std::min(rows_.size(), most - done));
      if (count == 0) {
        end_line(line);
        break;
      }
      const own_columns to(into, count);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const event_row& row = rows_[i];
        const std::uint64_t source_row = next_row_;
        next_row_ = line.offset + static_cast<std::uint64_t>(row.stats + row.stats_bytes - line.body.data());
        if ((row.flags & event_has_occurrences) != 0) continue;  // has no place in time
        std::int32_t* const index = index_of(row.metadata_id);
        if (*index < 0) {
          result<std::int32_t> found = names.index_of(name_of(row.metadata_id));
          if (!found) return std::move(found).error();
          *index = *found;
        }
        to.set(kept++, *index, event_start_ps(base_ps_, row.offset_ps), row.duration_ps, source_row);
      }
      to.give_back(count - kept);
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
    constexpr std::size_t sample_bytes = 4096;
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
  void forget_indices() {
    std::fill(near_.begin(), near_.end(), -1);
    far_.clear();
  }

  void name_events_of(const plane_index& plane) {
    named_ = &plane;
    near_.assign(2 * plane.event_metadata_entries.size() + 16, -1);
    far_.clear();
    names_.clear();
    std::uint64_t bytes = 0;
    for (const line_index& line : plane.lines) bytes += line.body.size();
    // One pass over all entries costs less than to look up most of them one by one.
    if (plane.event_metadata_entries.size() > bytes / 64) return;
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
  const std::uint32_t file_;
  const xspace_index& xspace_;
  const fault* damage_;  // of the whole file
  std::size_t plane_ = 0, line_ = 0;
  std::optional<event_scanner> scan_;  // of that line, while it is read
  std::int64_t base_ps_ = 0;
  std::uint64_t next_row_ = 0;
  std::uint64_t line_bytes_ = 0;
  std::uint64_t expected_ = 0;  // events of the lines that were not ended
  track_facts facts_;
  const plane_index* named_ = nullptr;  // whose names follow
  std::vector<std::int32_t> near_;      // by metadata id, its name in the dictionary; -1: not looked up yet
  hash_map<std::int64_t, std::int32_t> far_;
  std::vector<std::string_view> names_;  // by metadata id, when all were read at once
  std::uint64_t generation_ = 0;
  std::array<event_row, 256> rows_;
  std::optional<fault> scan_damage_;
};

// A timeline that also has the number of its texts.
class counted_timeline final : public timeline_sink {
 public:
  string_id intern(std::string_view text) override {
    const string_id id = kept_.intern(text);
    texts_ = std::max<std::size_t>(texts_, std::size_t{id} + 1);
    return id;
  }
  track_id add_track(const track& t) override { return kept_.add_track(t); }
  result<void> add_events(track_id on, const timeline_event* events, std::size_t count) override {
    return kept_.add_events(on, events, count);
  }
  [[nodiscard]] const timeline& kept() const noexcept { return kept_; }
  [[nodiscard]] std::size_t texts() const noexcept { return texts_; }

 private:
  timeline kept_;
  std::size_t texts_ = 1;
};

// The events of any other file, by way of a timeline.
class timeline_events final : public event_source {
 public:
  // Damage of the file is told behind its events.
  static result<std::unique_ptr<event_source>> of(const profile& core, std::uint32_t file) {
    auto made = std::make_unique<timeline_events>();
    result<void> filled = fill_file_timeline(core, file, made->filled_);
    if (!filled && filled.error().code != fault_code::damaged) return std::move(filled).error();
    if (!filled) made->damage_ = std::move(filled).error();
    made->left_ = static_cast<std::size_t>(made->filled_.kept().event_count());
    return std::unique_ptr<event_source>(std::move(made));
  }

  result<std::size_t> read(arrow_batch& into, std::size_t most) override {
    const timeline& kept = filled_.kept();
    for (; next_track_ < kept.tracks().size(); ++next_track_, next_event_ = 0) {
      const auto on = static_cast<track_id>(next_track_);
      const std::vector<timeline_event>& events = kept.events(on);
      const std::size_t count = std::min(most, events.size() - next_event_);
      if (count == 0) continue;
      if (result<void> put = put_events(into, events.data() + next_event_, count); !put) return std::move(put).error();
      if (result<void> put = put_shared(into, facts_of(kept.tracks()[on]), count); !put) return std::move(put).error();
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
    const timeline& kept = filled_.kept();
    return {t.file,
            t.plane,
            t.line,
            t.device,
            t.stream,
            t.plane_type,
            t.line_type,
            kept.text(t.host),
            kept.text(t.plane_name),
            kept.text(t.line_name)};
  }

  result<void> put_events(arrow_batch& into, const timeline_event* events, std::size_t count) {
    arrow_dictionary& names = into.dictionary(at_name);
    if (generation_ != names.generation()) indices_.clear();
    generation_ = names.generation();
    indices_.resize(filled_.texts(), -1);
    const own_columns to(into, count);
    for (std::size_t i = 0; i < count; ++i) {
      std::int32_t& index = indices_[events[i].name];
      if (index < 0) {
        result<std::int32_t> found = names.index_of(filled_.kept().text(events[i].name));
        if (!found) return std::move(found).error();
        index = *found;
      }
      to.set(i, index, events[i].start_ps, events[i].duration_ps, events[i].source_row);
    }
    return {};
  }

  counted_timeline filled_;
  std::size_t next_track_ = 0, next_event_ = 0, left_ = 0;
  std::vector<std::int32_t> indices_;  // of the timeline's texts in the dictionary; -1: not looked up yet
  std::uint64_t generation_ = 0;
  std::optional<fault> damage_;
};

class event_table final : public arrow_table {
 public:
  event_table(pk_profile* profile, std::uint32_t first_file, std::uint32_t end_file)
      : profile_(profile), next_file_(first_file), end_file_(end_file) {}

  const arrow_columns& columns() const noexcept override { return event_columns(); }

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
  [[gnu::cold]] bool begin_file() {
    const profile& core = profile_.core();
    while (!source_ && next_file_ != end_file_ && !fault_) {
      const std::uint32_t file = next_file_++;
      // An export of another file is read when it is what was asked for.
      if (core.what().files[file].export_of >= 0 && end_file_ - file != 1) continue;
      if (core.xspace(file) != nullptr) {
        source_ = std::make_unique<xspace_events>(core, file);
      } else if (result<std::unique_ptr<event_source>> made = timeline_events::of(core, file); made) {
        source_ = std::move(*made);
      } else {
        fault_ = std::move(made).error();
      }
    }
    return source_ != nullptr;
  }

  profile_reference profile_;
  std::uint32_t next_file_, end_file_;
  std::unique_ptr<event_source> source_;  // of the file being read
  std::optional<fault> fault_;            // why the last file could not be read
};

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_arrow_events(pk_profile* profile, uint32_t file, const pk_arrow_options* options,
                          struct ArrowArrayStream* out, pk_error** err) noexcept {
  return open_stream(options, out, err, [&]() -> result<std::unique_ptr<arrow_table>> {
    if (!profile) return null_argument("profile");
    if (file == PK_ARROW_ALL_FILES)
      return std::unique_ptr<arrow_table>(
          std::make_unique<event_table>(profile, 0, static_cast<std::uint32_t>(profile->core->file_count())));
    if (auto there = require_file(profile, file); !there) return std::move(there).error();
    return std::unique_ptr<arrow_table>(std::make_unique<event_table>(profile, file, file + 1));
  });
}
