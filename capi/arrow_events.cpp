// Events as Arrow: the timeline of one file at a time, cut into batches.
#include <profkit/core/timeline.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "arrow_batch.hpp"
#include "profile.hpp"

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

const arrow_columns& event_columns() {
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

class event_table final : public arrow_table {
 public:
  event_table(pk_profile* profile, std::uint32_t first_file, std::uint32_t end_file)
      : profile_(profile), next_file_(first_file), end_file_(end_file) {}

  const arrow_columns& columns() const noexcept override { return event_columns(); }

  result<std::size_t> read(arrow_batch& into, std::size_t most) override {
    for (;;) {
      if (filled_ && next_track_ < filled_->kept().tracks().size()) {
        const auto on = static_cast<track_id>(next_track_);
        const std::vector<timeline_event>& events = filled_->kept().events(on);
        const std::size_t count = std::min(most, events.size() - next_event_);
        if (count == 0) {
          ++next_track_;
          next_event_ = 0;
          continue;
        }
        const track& t = filled_->kept().tracks()[on];
        if (result<void> put = put_events(into, t, events.data() + next_event_, count); !put)
          return std::move(put).error();
        next_event_ += count;
        return count;
      }
      filled_.reset();
      if (damage_) return std::move(*std::exchange(damage_, std::nullopt));
      if (next_file_ == end_file_) return std::size_t{0};
      if (result<void> opened = open_file(next_file_++); !opened) return std::move(opened).error();
    }
  }

 private:
  // What a damaged file holds is kept; that it is damaged is told behind its events.
  result<void> open_file(std::uint32_t file) {
    const profile& core = profile_.core();
    if (core.what().files[file].export_of >= 0 && end_file_ - file != 1) return {};
    filled_ = std::make_unique<counted_timeline>();
    next_track_ = next_event_ = 0;
    indices_.clear();
    result<void> filled = fill_file_timeline(core, file, *filled_);
    if (filled) return {};
    if (filled.error().code != fault_code::damaged) return filled;
    damage_ = std::move(filled).error();
    return {};
  }

  result<void> put_events(arrow_batch& into, const track& t, const timeline_event* events, std::size_t count) {
    const timeline& texts = filled_->kept();
    fill<std::uint32_t>(into, at_file, t.file, count);
    if (result<void> put = fill_name(into, at_host, texts.text(t.host), count); !put) return put;
    if (result<void> put = fill_name(into, at_plane, texts.text(t.plane_name), count); !put) return put;
    if (result<void> put = fill_name(into, at_line, texts.text(t.line_name), count); !put) return put;
    if (result<void> put = fill_name(into, at_plane_kind, plane_kind_name(t.plane_type), count); !put) return put;
    if (result<void> put = fill_name(into, at_line_kind, line_kind_name(t.line_type), count); !put) return put;
    fill_known<std::int32_t>(into, at_plane_position, t.plane, count);
    fill_known<std::int32_t>(into, at_line_position, t.line, count);
    fill_known<std::int32_t>(into, at_device, t.device, count);
    fill_known<std::int64_t>(into, at_stream, t.stream, count);
    if (result<void> put = put_names(into, events, count); !put) return put;
    auto* const starts = into.at(at_start).grow<std::int64_t>(count);
    for (std::size_t i = 0; i < count; ++i) starts[i] = events[i].start_ps;
    auto* const durations = into.at(at_duration).grow<std::int64_t>(count);
    for (std::size_t i = 0; i < count; ++i) durations[i] = events[i].duration_ps;
    auto* const rows = into.at(at_source_row).grow<std::uint64_t>(count);
    for (std::size_t i = 0; i < count; ++i) rows[i] = events[i].source_row;
    return {};
  }

  result<void> put_names(arrow_batch& into, const timeline_event* events, std::size_t count) {
    arrow_dictionary& names = into.dictionary(at_name);
    if (generation_ != names.generation() || indices_.size() < filled_->texts()) {
      if (generation_ != names.generation()) indices_.clear();
      generation_ = names.generation();
      indices_.resize(filled_->texts(), -1);
    }
    auto* const to = into.at(at_name).grow<std::int32_t>(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::int32_t& index = indices_[events[i].name];
      if (index < 0) {
        result<std::int32_t> found = names.index_of(filled_->kept().text(events[i].name));
        if (!found) return std::move(found).error();
        index = *found;
      }
      to[i] = index;
    }
    return {};
  }

  template <class T>
  static void fill(arrow_batch& into, std::size_t column, T value, std::size_t count) {
    T* const to = into.at(column).grow<T>(count);
    std::fill(to, to + count, value);
  }
  // -1 stands for what is not known.
  template <class T>
  static void fill_known(arrow_batch& into, std::size_t column, T value, std::size_t count) {
    if (value != -1) return fill(into, column, value, count);
    into.at(column).put_nulls(count);
  }
  static result<void> fill_name(arrow_batch& into, std::size_t column, std::string_view name, std::size_t count) {
    result<std::int32_t> index = into.dictionary(column).index_of(name);
    if (!index) return std::move(index).error();
    fill(into, column, *index, count);
    return {};
  }

  profile_reference profile_;
  std::uint32_t next_file_, end_file_;
  std::unique_ptr<counted_timeline> filled_;  // of the file being read
  std::size_t next_track_ = 0, next_event_ = 0;
  std::vector<std::int32_t> indices_;  // of the timeline's texts in the dictionary; -1: not looked up yet
  std::uint64_t generation_ = 0;
  std::optional<fault> damage_;
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
