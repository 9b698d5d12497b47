/// \file profkit.hpp
/// libprofkit for C++17: handles that free themselves and ranges over profkit.h, header-only.
///
/// Nothing here throws unless or_throw() is called, and nothing allocates beyond what is returned. A range ends at
/// the end or at damage; afterwards its ok() and error() say which:
///
///     auto opened = profkit::lib::profile::open("run/vm.xplane.pb");
///     if (!opened) { std::cerr << opened.error().message() << '\n'; return 1; }
///     for (profkit::lib::file file : opened->files())
///       for (profkit::lib::plane plane : file.planes())
///         for (profkit::lib::line line : plane.lines()) {
///           auto events = line.events();
///           for (const pk_event &event : events) total_ps += event.duration_ps;
///           if (!events.ok()) std::cerr << events.error().message() << '\n';
///         }
///
/// Files, planes, lines, rows and every string_view are borrowed: they end with the profile (module and Chrome rows
/// with their list and reader). The rows are the structs of profkit.h, whose comments say what their fields mean.
#pragma once
#include <profkit/profkit.h>
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__cpp_exceptions)
#include <exception>
#include <stdexcept>
#endif

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
/// C++ over the shared library's C interface.
namespace lib {

/// The text of a borrowed pk_str.
[[nodiscard]] inline std::string_view view(const pk_str& text) noexcept {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

/// A pk_str over text that the caller keeps.
[[nodiscard]] inline pk_str borrowed(std::string_view text) noexcept { return {text.data(), text.size()}; }

/// Of the library that was loaded: "0.1.0", and as one number that grows with every release.
[[nodiscard]] inline std::string_view version() noexcept { return pk_version_string(); }
[[nodiscard]] inline std::uint32_t version_number() noexcept { return pk_version_number(); }

// Names of constants, as documents have them.
[[nodiscard]] inline std::string_view status_name(pk_status status) noexcept { return pk_status_name(status); }
[[nodiscard]] inline std::string_view family_name(std::int32_t family) noexcept { return pk_family_name(family); }
[[nodiscard]] inline std::string_view document_name(std::int32_t document) noexcept { return pk_document_name(document); }
[[nodiscard]] inline std::string_view probe_flag_name(std::uint32_t flag) noexcept { return pk_probe_flag_name(flag); }
[[nodiscard]] inline std::string_view table_name(std::int32_t table) noexcept { return pk_table_name(table); }
// names: written by scripts/generate
[[nodiscard]] inline std::string_view kernel_class_name(std::int32_t value) noexcept { return pk_kernel_class_name(value); }
[[nodiscard]] inline std::string_view accelerator_name(std::int32_t value) noexcept { return pk_accelerator_name(value); }
[[nodiscard]] inline std::string_view launch_kind_name(std::int32_t value) noexcept { return pk_launch_kind_name(value); }
[[nodiscard]] inline std::string_view host_span_kind_name(std::int32_t value) noexcept { return pk_host_span_kind_name(value); }
[[nodiscard]] inline std::string_view window_policy_name(std::int32_t value) noexcept { return pk_window_policy_name(value); }
[[nodiscard]] inline std::string_view bubble_scope_name(std::int32_t value) noexcept { return pk_bubble_scope_name(value); }
[[nodiscard]] inline std::string_view bubble_label_name(std::int32_t value) noexcept { return pk_bubble_label_name(value); }
[[nodiscard]] inline std::string_view idle_cause_name(std::int32_t value) noexcept { return pk_idle_cause_name(value); }
[[nodiscard]] inline std::string_view bubble_tag_name(std::int32_t value) noexcept { return pk_bubble_tag_name(value); }
[[nodiscard]] inline std::string_view time_use_name(std::int32_t value) noexcept { return pk_time_use_name(value); }
[[nodiscard]] inline std::string_view clock_domain_name(std::int32_t value) noexcept { return pk_clock_domain_name(value); }
[[nodiscard]] inline std::string_view document_status_name(std::int32_t value) noexcept { return pk_document_status_name(value); }
[[nodiscard]] inline std::string_view dump_format_name(std::int32_t value) noexcept { return pk_dump_format_name(value); }
[[nodiscard]] inline std::string_view fact_source_name(std::int32_t value) noexcept { return pk_fact_source_name(value); }
[[nodiscard]] inline std::string_view certainty_name(std::int32_t value) noexcept { return pk_certainty_name(value); }
[[nodiscard]] inline std::string_view log_level_name(std::int32_t value) noexcept { return pk_log_level_name(value); }
[[nodiscard]] inline std::string_view step_policy_name(std::int32_t value) noexcept { return pk_step_policy_name(value); }
[[nodiscard]] inline std::string_view peak_method_name(std::int32_t value) noexcept { return pk_peak_method_name(value); }
[[nodiscard]] inline std::string_view peak_bound_name(std::int32_t value) noexcept { return pk_peak_bound_name(value); }
[[nodiscard]] inline std::string_view residency_name(std::int32_t value) noexcept { return pk_residency_name(value); }
[[nodiscard]] inline std::string_view plane_scheme_name(std::int32_t value) noexcept { return pk_plane_scheme_name(value); }
[[nodiscard]] inline std::string_view merge_correction_name(std::int32_t value) noexcept { return pk_merge_correction_name(value); }
[[nodiscard]] inline std::string_view merged_format_name(std::int32_t value) noexcept { return pk_merged_format_name(value); }
[[nodiscard]] inline std::string_view merge_zero_name(std::int32_t value) noexcept { return pk_merge_zero_name(value); }
[[nodiscard]] inline std::string_view node_status_name(std::int32_t value) noexcept { return pk_node_status_name(value); }
[[nodiscard]] inline std::string_view sibling_state_name(std::int32_t value) noexcept { return pk_sibling_state_name(value); }
[[nodiscard]] inline std::string_view group_key_name(std::int32_t value) noexcept { return pk_group_key_name(value); }
[[nodiscard]] inline std::string_view ops_clock_name(std::int32_t value) noexcept { return pk_ops_clock_name(value); }
[[nodiscard]] inline std::string_view probe_slice_name(std::int32_t value) noexcept { return pk_probe_slice_name(value); }
[[nodiscard]] inline std::string_view probe_format_name(std::int32_t value) noexcept { return pk_probe_format_name(value); }
[[nodiscard]] inline std::string_view probe_level_name(std::int32_t value) noexcept { return pk_probe_level_name(value); }
[[nodiscard]] inline std::string_view probe_outcome_name(std::int32_t value) noexcept { return pk_probe_outcome_name(value); }
[[nodiscard]] inline std::string_view probe_tool_name(std::int32_t value) noexcept { return pk_probe_tool_name(value); }
[[nodiscard]] inline std::string_view io_mode_name(std::int32_t value) noexcept { return pk_io_mode_name(value); }
[[nodiscard]] inline std::string_view compression_name(std::int32_t value) noexcept { return pk_compression_name(value); }
[[nodiscard]] inline std::string_view column_type_name(std::int32_t value) noexcept { return pk_column_type_name(value); }
[[nodiscard]] inline std::string_view trace_format_name(std::int32_t value) noexcept { return pk_trace_format_name(value); }
[[nodiscard]] inline std::string_view plane_kind_name(std::int32_t value) noexcept { return pk_plane_kind_name(value); }
[[nodiscard]] inline std::string_view line_kind_name(std::int32_t value) noexcept { return pk_line_kind_name(value); }
[[nodiscard]] inline std::string_view stat_kind_name(std::int32_t value) noexcept { return pk_stat_kind_name(value); }
[[nodiscard]] inline std::string_view stat_origin_name(std::int32_t value) noexcept { return pk_stat_origin_name(value); }
[[nodiscard]] inline std::string_view note_kind_name(std::int32_t value) noexcept { return pk_note_kind_name(value); }
// end of names

namespace detail {

// A handle of the C interface with the function that frees it.
template <class Handle, void (*Free)(Handle*) PK_NOEXCEPT>
class owned {
 public:
  owned() noexcept = default;
  explicit owned(Handle* handle) noexcept : handle_(handle) {}
  owned(owned&& from) noexcept : handle_(std::exchange(from.handle_, nullptr)) {}
  owned& operator=(owned&& from) noexcept {
    Free(std::exchange(handle_, std::exchange(from.handle_, nullptr)));
    return *this;
  }
  ~owned() { Free(handle_); }
  [[nodiscard]] Handle* get() const noexcept { return handle_; }

 private:
  Handle* handle_ = nullptr;
};

}  // namespace detail

// ---- errors ----

/// What went wrong; borrowed. An empty one (no error) has code PK_OK.
class error_view {
 public:
  error_view() noexcept = default;
  explicit error_view(const pk_error* error) noexcept : error_(error) {}
  explicit operator bool() const noexcept { return error_ != nullptr; }
  [[nodiscard]] pk_status code() const noexcept { return pk_error_code(error_); }
  [[nodiscard]] std::string_view message() const noexcept { return pk_error_message(error_); }
  [[nodiscard]] std::string_view path() const noexcept { return pk_error_path(error_); }
  [[nodiscard]] std::string_view hint() const noexcept { return pk_error_hint(error_); }
  /// PK_NO_OFFSET when unknown.
  [[nodiscard]] std::uint64_t byte_offset() const noexcept { return pk_error_byte_offset(error_); }
  [[nodiscard]] const pk_error* get() const noexcept { return error_; }

 protected:
  const pk_error* error_ = nullptr;
};

#if defined(__cpp_exceptions)
/// What or_throw() throws.
class exception : public std::runtime_error {
 public:
  explicit exception(error_view why)
      : std::runtime_error(std::string(why.message())), code_(why.code()), byte_offset_(why.byte_offset()) {}
  [[nodiscard]] pk_status code() const noexcept { return code_; }
  [[nodiscard]] std::uint64_t byte_offset() const noexcept { return byte_offset_; }

 private:
  pk_status code_;
  std::uint64_t byte_offset_;
};
#endif

/// An error that is owned.
class error : public error_view {
 public:
  error() noexcept = default;
  explicit error(pk_error* owned) noexcept : error_view(owned), owned_(owned) {}
  error(error&& from) noexcept : error_view(from.error_), owned_(std::move(from.owned_)) { from.error_ = nullptr; }
  error& operator=(error&& from) noexcept {
    owned_ = std::move(from.owned_);
    error_ = std::exchange(from.error_, nullptr);
    return *this;
  }
  ~error() = default;

 private:
  detail::owned<pk_error, pk_error_free> owned_;
};

/// A value or an error. `*` and `->` without a value, and error() with one, are misuse.
template <class T>
class [[nodiscard]] result {
 public:
  result(T value) noexcept : value_(std::move(value)), ok_(true) {}  // NOLINT: implicit by design
  result(lib::error why) noexcept : error_(std::move(why)) {}        // NOLINT
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  [[nodiscard]] T& operator*() & noexcept { return value_; }
  [[nodiscard]] const T& operator*() const& noexcept { return value_; }
  /// By value, so that a loop may go over it: for (const pk_op& op : profile.rows<pk_op>().or_throw()).
  [[nodiscard]] T operator*() && noexcept { return std::move(value_); }
  [[nodiscard]] T* operator->() noexcept { return &value_; }
  [[nodiscard]] const T* operator->() const noexcept { return &value_; }
  [[nodiscard]] const lib::error& error() const noexcept { return error_; }
  [[nodiscard]] lib::error take_error() && noexcept { return std::move(error_); }
#if defined(__cpp_exceptions)
  /// The value, or lib::exception.
  [[nodiscard]] T or_throw() && {
    if (!ok_) throw exception(error_);
    return std::move(value_);
  }
#endif

 private:
  // Without a value an empty one, which costs a compiler far less than a variant and never is unset memory.
  T value_{};
  lib::error error_;
  bool ok_ = false;
};

// ---- ranges ----

/// Items that are found by position: for (auto item : range).
template <class Parent, class Item>
class index_range {
 public:
  class iterator {
   public:
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using reference = Item;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;
    iterator() noexcept = default;
    iterator(const Parent& parent, std::uint32_t at) noexcept : parent_(parent), at_(at) {}
    Item operator*() const noexcept { return Item(parent_, at_); }
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++at_;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }
    friend bool operator!=(const iterator& a, const iterator& b) noexcept { return a.at_ != b.at_; }

   private:
    Parent parent_{};
    std::uint32_t at_ = 0;
  };

  index_range(const Parent& parent, std::uint32_t count) noexcept : parent_(parent), count_(count) {}
  [[nodiscard]] iterator begin() const noexcept { return {parent_, 0}; }
  [[nodiscard]] iterator end() const noexcept { return {parent_, count_}; }
  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// `position` < size().
  [[nodiscard]] Item operator[](std::uint32_t position) const noexcept { return Item(parent_, position); }

 private:
  Parent parent_;
  std::uint32_t count_;
};

/// Rows that were read together; borrowed until the next read.
template <class Row>
struct row_batch {
  const Row* data = nullptr;
  std::size_t size = 0;
  [[nodiscard]] const Row* begin() const noexcept { return data; }
  [[nodiscard]] const Row* end() const noexcept { return data + size; }
  [[nodiscard]] bool empty() const noexcept { return size == 0; }
};

/// How many rows a range holds at a time: few enough for any stack.
template <class Row>
constexpr std::size_t rows_at_once = sizeof(Row) < 800 ? 800 / sizeof(Row) : 1;

/// Rows that are read one after another, once: for (const Row &row : range). Reader has
/// `pk_status read(Row *rows, size_t capacity, size_t *count, pk_error **err)`; up to Batch rows are read at a time.
template <class Row, class Reader, std::size_t Batch = rows_at_once<Row>>
class row_range {
 public:
  struct sentinel {};
  class iterator {
   public:
    using value_type = Row;
    using difference_type = std::ptrdiff_t;
    using reference = const Row&;
    using pointer = const Row*;
    using iterator_category = std::input_iterator_tag;
    iterator() noexcept = default;
    explicit iterator(row_range* range) noexcept : range_(range) {}
    reference operator*() const noexcept { return range_->rows_[range_->at_]; }
    pointer operator->() const noexcept { return &**this; }
    iterator& operator++() noexcept {
      if (++range_->at_ == range_->count_) range_->fill();
      return *this;
    }
    void operator++(int) noexcept { ++*this; }
    [[nodiscard]] bool done() const noexcept { return range_->count_ == 0; }
    friend bool operator==(const iterator& it, sentinel) noexcept { return it.done(); }
    friend bool operator!=(const iterator& it, sentinel) noexcept { return !it.done(); }
    friend bool operator==(sentinel, const iterator& it) noexcept { return it.done(); }
    friend bool operator!=(sentinel, const iterator& it) noexcept { return !it.done(); }

   private:
    row_range* range_ = nullptr;
  };

  row_range() noexcept = default;
  explicit row_range(Reader reader) noexcept : reader_(std::move(reader)) {}
  row_range(Reader reader, lib::error why) noexcept : reader_(std::move(reader)), error_(std::move(why)) {}

  /// Reads on from where the last loop stopped.
  [[nodiscard]] iterator begin() noexcept {
    if (at_ == count_) fill();
    return iterator(this);
  }
  [[nodiscard]] sentinel end() const noexcept { return {}; }
  /// The next rows, up to Batch, instead of a loop over each: empty at the end or at damage.
  [[nodiscard]] row_batch<Row> next_batch() noexcept {
    if (at_ == count_) fill();
    const std::size_t from = std::exchange(at_, count_);
    return {rows_ + from, count_ - from};
  }
  /// Where the rows come from: what is known there beside them.
  [[nodiscard]] const Reader& reader() const noexcept { return reader_; }
  /// After the loop: false when damage ended it.
  [[nodiscard]] bool ok() const noexcept { return !error_; }
  [[nodiscard]] const lib::error& error() const noexcept { return error_; }

 private:
  void fill() noexcept {
    at_ = 0;
    count_ = 0;
    if (error_ || ended_) return;
    pk_error* why = nullptr;
    ended_ = reader_.read(rows_, Batch, &count_, &why) != PK_OK;
    if (why) error_ = lib::error(why);
  }

  Reader reader_{};
  lib::error error_;
  std::size_t at_ = 0;
  std::size_t count_ = 0;
  bool ended_ = false;
  Row rows_[Batch] = {};
};

namespace detail {

// Readers of row_range over the cursors.
struct event_reader {
  pk_event_cursor cursor;
  pk_status read(pk_event* rows, std::size_t capacity, std::size_t* count, pk_error** err) noexcept {
    return pk_events_read(&cursor, rows, capacity, count, err);
  }
};
template <class Cursor, class Row, pk_status (*Next)(Cursor*, Row*, pk_error**) PK_NOEXCEPT>
struct single_reader {
  Cursor cursor;
  pk_status read(Row* rows, std::size_t, std::size_t* count, pk_error** err) noexcept {
    const pk_status status = Next(&cursor, rows, err);
    *count = status == PK_OK ? 1 : 0;
    return status;
  }
};

struct plane_place {
  const pk_profile* profile = nullptr;
  std::uint32_t file = 0;
  std::uint32_t plane = 0;
};
struct file_place {
  const pk_profile* profile = nullptr;
  std::uint32_t file = 0;
};

// Fills a struct by a getter that cannot fail on a valid position.
template <class Out, class Get>
[[nodiscard]] Out got(Get&& get) noexcept {
  Out out{};
  static_cast<void>(get(&out));
  return out;
}

}  // namespace detail

using event_range = row_range<pk_event, detail::event_reader>;
using stat_range = row_range<pk_stat, detail::single_reader<pk_stat_cursor, pk_stat, pk_stat_next>, 1>;
using event_metadata_range =
    row_range<pk_event_metadata, detail::single_reader<pk_metadata_cursor, pk_event_metadata, pk_event_metadata_next>,
              1>;
using stat_metadata_range =
    row_range<pk_stat_metadata, detail::single_reader<pk_metadata_cursor, pk_stat_metadata, pk_stat_metadata_next>, 1>;

// ---- stats ----

/// Stats of an event by their bytes; see pk_stats_begin(). `names`: where the plane of the event is file 0, plane 0, if known.
[[nodiscard]] inline stat_range stats_of(const pk_event& event, const pk_profile* names = nullptr) noexcept {
  detail::single_reader<pk_stat_cursor, pk_stat, pk_stat_next> reader{};
  pk_error* why = nullptr;
  if (pk_stats_begin(event.stats, event.stats_bytes, names, 0, 0, &reader.cursor, &why) != PK_OK) return {reader, error(why)};
  return stat_range(reader);
}

[[nodiscard]] inline std::string_view name(const pk_stat& stat) noexcept { return view(stat.name); }
/// Of str, bytes and ref; empty for other kinds.
[[nodiscard]] inline std::string_view text(const pk_stat& stat) noexcept { return view(stat.text); }
/// Of double and the integer kinds; 0 for text.
[[nodiscard]] inline double as_double(const pk_stat& stat) noexcept {
  switch (stat.kind) {
    case PK_STAT_DOUBLE: {
      double value = 0;
      std::memcpy(&value, &stat.bits, sizeof value);
      return value;
    }
    case PK_STAT_INT64: return static_cast<double>(static_cast<std::int64_t>(stat.bits));
    case PK_STAT_UINT64: return static_cast<double>(stat.bits);
    default: return 0;
  }
}
/// Of the integer kinds; 0 for others.
[[nodiscard]] inline std::int64_t as_int64(const pk_stat& stat) noexcept {
  return stat.kind == PK_STAT_INT64 || stat.kind == PK_STAT_UINT64 ? static_cast<std::int64_t>(stat.bits) : 0;
}

// ---- lines, planes, files ----

class line {
 public:
  line(const detail::plane_place& parent, std::uint32_t position) noexcept : at_(parent), line_(position) {}
  [[nodiscard]] std::uint32_t position() const noexcept { return line_; }
  [[nodiscard]] pk_line_info info() const noexcept {
    return detail::got<pk_line_info>(
        [&](pk_line_info* out) { return pk_line_get(at_.profile, at_.file, at_.plane, line_, out, nullptr); });
  }
  [[nodiscard]] std::string_view name() const noexcept { return view(info().name); }
  /// One pass over the line by lengths.
  [[nodiscard]] pk_line_summary summary() const noexcept {
    return detail::got<pk_line_summary>(
        [&](pk_line_summary* out) { return pk_line_summarise(at_.profile, at_.file, at_.plane, line_, out, nullptr); });
  }
  [[nodiscard]] event_range events() const noexcept {
    detail::event_reader reader{};
    pk_error* why = nullptr;
    pk_events_begin(at_.profile, at_.file, at_.plane, line_, &reader.cursor, &why);
    return event_range(reader, error(why));
  }

 private:
  detail::plane_place at_;
  std::uint32_t line_;
};

class plane {
 public:
  plane(const detail::file_place& parent, std::uint32_t position) noexcept
      : at_{parent.profile, parent.file, position} {}
  [[nodiscard]] std::uint32_t position() const noexcept { return at_.plane; }
  [[nodiscard]] pk_plane_info info() const noexcept {
    return detail::got<pk_plane_info>(
        [&](pk_plane_info* out) { return pk_plane_get(at_.profile, at_.file, at_.plane, out, nullptr); });
  }
  [[nodiscard]] std::string_view name() const noexcept { return view(info().name); }
  [[nodiscard]] index_range<detail::plane_place, line> lines() const noexcept {
    return {at_, pk_line_count(at_.profile, at_.file, at_.plane)};
  }
  [[nodiscard]] stat_range stats() const noexcept {
    return begin_range<stat_range, pk_stat_cursor>([&](pk_stat_cursor* cursor, pk_error** why) {
      return pk_plane_stats(at_.profile, at_.file, at_.plane, cursor, why);
    });
  }
  /// Stats of an event of this plane: its own, those of its metadata entry, those of the plane (PK_ORIGIN_ bits).
  [[nodiscard]] stat_range stats_of(const pk_event& event,
                                    std::uint32_t origins = PK_ORIGIN_EVENT | PK_ORIGIN_METADATA) const noexcept {
    return begin_range<stat_range, pk_stat_cursor>([&](pk_stat_cursor* cursor, pk_error** why) {
      return pk_event_stats(at_.profile, at_.file, at_.plane, &event, origins, cursor, why);
    });
  }
  /// One of them by its name, the first; empty when there is none.
  [[nodiscard]] std::optional<pk_stat> find_stat(const pk_event& event, std::string_view name,
                                                 std::uint32_t origins = PK_ORIGIN_EVENT | PK_ORIGIN_METADATA) const noexcept {
    pk_stat found;
    if (pk_event_stat_find(at_.profile, at_.file, at_.plane, &event, origins, borrowed(name), &found, nullptr) != PK_OK) return std::nullopt;
    return found;
  }
  /// Stats of an event metadata entry; the range has an error (PK_E_NOT_FOUND) when there is none with this id.
  [[nodiscard]] stat_range stats_of_metadata(std::int64_t id) const noexcept {
    return begin_range<stat_range, pk_stat_cursor>([&](pk_stat_cursor* cursor, pk_error** why) {
      return pk_event_metadata_stats(at_.profile, at_.file, at_.plane, id, cursor, why);
    });
  }
  [[nodiscard]] event_metadata_range event_metadata() const noexcept {
    return begin_range<event_metadata_range, pk_metadata_cursor>([&](pk_metadata_cursor* cursor, pk_error** why) {
      return pk_event_metadata_begin(at_.profile, at_.file, at_.plane, cursor, why);
    });
  }
  /// Ids of the children of an event metadata entry; none when there is no such entry.
  [[nodiscard]] std::vector<std::int64_t> children_of_metadata(std::int64_t id) const {
    std::size_t count = 0;
    std::vector<std::int64_t> ids;
    if (pk_event_metadata_children(at_.profile, at_.file, at_.plane, id, nullptr, 0, &count, nullptr) != PK_OK) return ids;
    ids.resize(count);
    pk_event_metadata_children(at_.profile, at_.file, at_.plane, id, ids.data(), count, &count, nullptr);
    return ids;
  }
  [[nodiscard]] stat_metadata_range stat_metadata() const noexcept {
    return begin_range<stat_metadata_range, pk_metadata_cursor>([&](pk_metadata_cursor* cursor, pk_error** why) {
      return pk_stat_metadata_begin(at_.profile, at_.file, at_.plane, cursor, why);
    });
  }
  /// Constant time.
  [[nodiscard]] std::optional<pk_event_metadata> find_event_metadata(std::int64_t id) const noexcept {
    pk_event_metadata out;
    if (pk_event_metadata_get(at_.profile, at_.file, at_.plane, id, &out, nullptr) != PK_OK) return std::nullopt;
    return out;
  }
  /// Constant time.
  [[nodiscard]] std::optional<pk_stat_metadata> find_stat_metadata(std::int64_t id) const noexcept {
    pk_stat_metadata out;
    if (pk_stat_metadata_get(at_.profile, at_.file, at_.plane, id, &out, nullptr) != PK_OK) return std::nullopt;
    return out;
  }
  /// The name of an event's metadata entry; "" when the id has none.
  [[nodiscard]] std::string_view name_of(const pk_event& event) const noexcept {
    const auto entry = find_event_metadata(event.metadata_id);
    return entry ? view(entry->name) : std::string_view();
  }
  /// The id of a stat name, by looking at every entry: do it once a plane.
  [[nodiscard]] std::optional<std::int64_t> stat_id(std::string_view stat_name) const noexcept {
    std::int64_t id = 0;
    if (pk_stat_metadata_find(at_.profile, at_.file, at_.plane, stat_name.data(), stat_name.size(), &id, nullptr) !=
        PK_OK)
      return std::nullopt;
    return id;
  }

 private:
  template <class Range, class Cursor, class Begin>
  static Range begin_range(Begin&& begin) noexcept {
    Cursor cursor{};
    pk_error* why = nullptr;
    begin(&cursor, &why);
    return Range({cursor}, error(why));
  }
  detail::plane_place at_;
};

class file {
 public:
  file(const pk_profile* profile, std::uint32_t position) noexcept : at_{profile, position} {}
  [[nodiscard]] std::uint32_t position() const noexcept { return at_.file; }
  [[nodiscard]] pk_file_info info() const noexcept {
    return detail::got<pk_file_info>(
        [&](pk_file_info* out) { return pk_file_get(at_.profile, at_.file, out, nullptr); });
  }
  [[nodiscard]] std::string_view path() const noexcept { return view(info().path); }
  /// The decoded bytes; reads the file when that has not been done.
  [[nodiscard]] std::string_view bytes() const noexcept {
    return view(detail::got<pk_str>([&](pk_str* out) { return pk_file_bytes(at_.profile, at_.file, out, nullptr); }));
  }
  /// Empty when the file is sound.
  [[nodiscard]] error_view damage() const noexcept { return error_view(pk_file_damage(at_.profile, at_.file)); }
  /// None unless the file is an XSpace.
  [[nodiscard]] index_range<detail::file_place, plane> planes() const noexcept {
    return {at_, pk_plane_count(at_.profile, at_.file)};
  }
  /// Number of notes of a kind (PK_NOTE_).
  [[nodiscard]] std::uint32_t note_count(std::int32_t kind) const noexcept {
    return pk_file_note_count(at_.profile, at_.file, kind);
  }
  [[nodiscard]] std::string_view note(std::int32_t kind, std::uint32_t position) const noexcept {
    return view(detail::got<pk_str>(
        [&](pk_str* out) { return pk_file_note_get(at_.profile, at_.file, kind, position, out, nullptr); }));
  }

 private:
  detail::file_place at_;
};

// ---- modules ----

/// The compiled modules of a profile; keeps it open.
class module_list {
 public:
  module_list() noexcept = default;
  explicit module_list(pk_module_list* owned) noexcept : list_(owned) {}
  [[nodiscard]] std::size_t size() const noexcept { return pk_module_count(list_.get()); }
  /// `position` < size().
  [[nodiscard]] pk_module_info operator[](std::size_t position) const noexcept {
    return detail::got<pk_module_info>(
        [&](pk_module_info* out) { return pk_module_get(list_.get(), position, out, nullptr); });
  }
  /// Empty when the module parses.
  [[nodiscard]] error_view damage(std::size_t position) const noexcept {
    return error_view(pk_module_damage(list_.get(), position));
  }

 private:
  detail::owned<pk_module_list, pk_module_list_free> list_;
};

// ---- tables ----

/// Which table the rows of a struct are of: table_of<pk_op>::value is PK_TABLE_OPS.
template <class Row>
struct table_of;
// tables: written by scripts/generate
template <>
struct table_of<pk_file_info> : std::integral_constant<std::int32_t, PK_TABLE_FILES> {};
template <>
struct table_of<pk_device> : std::integral_constant<std::int32_t, PK_TABLE_DEVICES> {};
template <>
struct table_of<pk_op> : std::integral_constant<std::int32_t, PK_TABLE_OPS> {};
template <>
struct table_of<pk_bubble_step> : std::integral_constant<std::int32_t, PK_TABLE_STEPS> {};
template <>
struct table_of<pk_kernel_row> : std::integral_constant<std::int32_t, PK_TABLE_KERNELS> {};
template <>
struct table_of<pk_bubble> : std::integral_constant<std::int32_t, PK_TABLE_GAPS> {};
template <>
struct table_of<pk_cause> : std::integral_constant<std::int32_t, PK_TABLE_CAUSES> {};
template <>
struct table_of<pk_collective> : std::integral_constant<std::int32_t, PK_TABLE_COLLECTIVES> {};
template <>
struct table_of<pk_module_info> : std::integral_constant<std::int32_t, PK_TABLE_MODULES> {};
template <>
struct table_of<pk_memory_allocator> : std::integral_constant<std::int32_t, PK_TABLE_ALLOCATORS> {};
template <>
struct table_of<pk_live_buffer> : std::integral_constant<std::int32_t, PK_TABLE_LIVE_BUFFERS> {};
template <>
struct table_of<pk_curve_point> : std::integral_constant<std::int32_t, PK_TABLE_LIVE_CURVE> {};
template <>
struct table_of<pk_probe_launch> : std::integral_constant<std::int32_t, PK_TABLE_PROBE_LAUNCHES> {};
template <>
struct table_of<pk_device_time> : std::integral_constant<std::int32_t, PK_TABLE_DEVICE_TIME> {};
template <>
struct table_of<pk_fact> : std::integral_constant<std::int32_t, PK_TABLE_FACTS> {};
template <>
struct table_of<pk_collective_call> : std::integral_constant<std::int32_t, PK_TABLE_COLLECTIVE_CALLS> {};
template <>
struct table_of<pk_finding> : std::integral_constant<std::int32_t, PK_TABLE_FINDINGS> {};
template <>
struct table_of<pk_op_group> : std::integral_constant<std::int32_t, PK_TABLE_OP_GROUPS> {};
// end of tables

namespace detail {

// Runs call(callback, user) with a callback that hands its bytes to `write`; what `write` throws is thrown from here.
template <class Write, class Call>
[[nodiscard]] result<std::int32_t> written(Write&& write, Call&& call) {
  using writer = std::remove_reference_t<Write>;
  struct state {
    writer* write;
#if defined(__cpp_exceptions)
    std::exception_ptr thrown;
#endif
  } host{};
  host.write = &write;
  const pk_write_callback hand_on = [](void* user, const void* data, std::size_t size) -> std::int32_t {
    state& to = *static_cast<state*>(user);
    const std::string_view bytes(static_cast<const char*>(data), size);
    const auto hand = [&]() -> bool {
      if constexpr (std::is_void_v<std::invoke_result_t<writer&, std::string_view>>) {
        (*to.write)(bytes);
        return true;
      } else {
        return static_cast<bool>((*to.write)(bytes));
      }
    };
#if defined(__cpp_exceptions)
    try {
      return hand() ? 0 : 1;
    } catch (...) {
      to.thrown = std::current_exception();
      return 1;
    }
#else
    return hand() ? 0 : 1;
#endif
  };
  std::int32_t status = PK_DOCUMENT_STATUS_OK;
  pk_error* why = nullptr;
  const pk_status ended = call(hand_on, static_cast<void*>(&host), &status, &why);
  error owned(why);
#if defined(__cpp_exceptions)
  if (host.thrown) std::rethrow_exception(host.thrown);
#endif
  if (ended != PK_OK) return result<std::int32_t>(std::move(owned));
  return status;
}

}  // namespace detail

/// Rows of one table, given once: as structs by rows(), as an Arrow stream, or as text. Keeps open what it came from.
class table {
 public:
  table() noexcept = default;
  explicit table(pk_table* owned) noexcept : table_(owned) {}
  [[nodiscard]] pk_table* get() const noexcept { return table_.get(); }

  [[nodiscard]] std::uint32_t column_count() const noexcept { return pk_table_column_count(table_.get()); }
  /// `position` < column_count().
  [[nodiscard]] pk_column column(std::uint32_t position) const noexcept {
    return detail::got<pk_column>(
        [&](pk_column* out) { return pk_table_column_get(table_.get(), position, out, nullptr); });
  }
  /// Reads the next rows; see pk_table_read(). 0: there are no more.
  template <class Row>
  [[nodiscard]] result<std::size_t> read(Row* rows, std::size_t capacity) noexcept {
    std::size_t count = 0;
    pk_error* why = nullptr;
    if (pk_table_read(table_.get(), rows, sizeof(Row), capacity, &count, &why) < 0) return error(why);
    return count;
  }
  /// Values of a column of the rows that were read last; see pk_table_values().
  [[nodiscard]] result<std::size_t> values(const char* column_name, pk_value* into, std::size_t capacity) noexcept {
    std::size_t count = 0;
    pk_error* why = nullptr;
    if (pk_table_values(table_.get(), column_name, into, capacity, &count, &why) < 0) return error(why);
    return count;
  }
  /// Fills `out`, which the caller releases; see pk_table_arrow(). Empty when it went well.
  [[nodiscard]] error arrow(ArrowArrayStream* out) noexcept {
    pk_error* why = nullptr;
    pk_table_arrow(table_.get(), out, &why);
    return error(why);
  }
  /// The rows that are left as CSV, or as one JSON object a line, piece by piece as profile::write_document().
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_csv(Write&& write) {
    return written_by(pk_table_write_csv, write);
  }
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_json(Write&& write) {
    return written_by(pk_table_write_json, write);
  }

 private:
  template <class Call, class Write>
  [[nodiscard]] result<std::int32_t> written_by(Call call, Write&& write) {
    return detail::written(write,
                           [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
                             *status = PK_DOCUMENT_STATUS_OK;
                             return call(table_.get(), hand_on, user, why);
                           });
  }
  detail::owned<pk_table, pk_table_free> table_;
};

namespace detail {

template <class Row>
struct table_reader {
  lib::table from;
  pk_status read(Row* rows, std::size_t capacity, std::size_t* count, pk_error** err) noexcept {
    return pk_table_read(from.get(), rows, sizeof(Row), capacity, count, err);
  }
};

// A table that open(&table, &error) opens.
template <class Open>
[[nodiscard]] result<table> opened_table(Open&& open) noexcept {
  pk_table* made = nullptr;
  pk_error* why = nullptr;
  if (open(&made, &why) != PK_OK) return error(why);
  return table(made);
}

}  // namespace detail

/// Rows of a table: for (const pk_op &op : range). Text of a row lives as long as the range. Used up by one loop.
template <class Row>
using table_rows = row_range<Row, detail::table_reader<Row>>;

namespace detail {

template <class Row, class Open>
[[nodiscard]] result<table_rows<Row>> opened_rows(Open&& open) noexcept {
  result<table> made = opened_table(open);
  if (!made) return std::move(made).take_error();
  return table_rows<Row>(table_reader<Row>{*std::move(made)});
}

}  // namespace detail

// ---- activity ----

/// What the devices of a capture did, read with options of its own; keeps its profile open.
class activity {
 public:
  activity() noexcept = default;
  explicit activity(pk_activity* owned) noexcept : activity_(owned) {}
  [[nodiscard]] pk_activity* get() const noexcept { return activity_.get(); }
  [[nodiscard]] std::uint32_t device_count() const noexcept { return pk_activity_device_count(activity_.get()); }
  /// `position` < device_count().
  [[nodiscard]] pk_activity_device device(std::uint32_t position) const noexcept {
    return detail::got<pk_activity_device>(
        [&](pk_activity_device* out) { return pk_activity_device_get(activity_.get(), position, out, nullptr); });
  }
  /// By device and start.
  [[nodiscard]] result<table_rows<pk_kernel_row>> kernels() const noexcept {
    return detail::opened_rows<pk_kernel_row>([&](pk_table** out, pk_error** why) {
      return pk_activity_table(activity_.get(), nullptr, out, why);
    });
  }

 private:
  detail::owned<pk_activity, pk_activity_free> activity_;
};

// ---- memory, bubbles, architecture ----

/// Why devices wait; keeps its profile open.
class bubbles {
 public:
  bubbles() noexcept = default;
  explicit bubbles(pk_bubbles* owned) noexcept : bubbles_(owned) {}
  [[nodiscard]] pk_bubbles* get() const noexcept { return bubbles_.get(); }

  /// PK_TABLE_STEPS, PK_TABLE_GAPS, PK_TABLE_CAUSES or PK_TABLE_DEVICE_TIME.
  [[nodiscard]] result<lib::table> table(std::int32_t which, const pk_table_options* options = nullptr) const noexcept {
    return detail::opened_table([&](pk_table** out, pk_error** why) {
      return pk_bubbles_table(bubbles_.get(), which, options, out, why);
    });
  }
  /// Rows of one of these tables: rows<pk_bubble>() are the gaps.
  template <class Row>
  [[nodiscard]] result<table_rows<Row>> rows() const noexcept {
    return detail::opened_rows<Row>([&](pk_table** out, pk_error** why) {
      return pk_bubbles_table(bubbles_.get(), table_of<Row>::value, nullptr, out, why);
    });
  }
  /// Devices that `device` of the rows counts.
  [[nodiscard]] std::size_t device_count() const noexcept { return pk_bubbles_device_count(bubbles_.get()); }
  [[nodiscard]] std::string_view device_name(std::size_t device) const noexcept {
    return view(pk_bubbles_device_name(bubbles_.get(), device));
  }
  /// The document piece by piece, as profile::write_document().
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_document(Write&& write) const {
    return detail::written(write,
                           [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
                             return pk_bubbles_write(bubbles_.get(), hand_on, user, status, why);
                           });
  }

 private:
  detail::owned<pk_bubbles, pk_bubbles_free> bubbles_;
};

/// What model ran; keeps its profile open.
class architecture {
 public:
  architecture() noexcept = default;
  explicit architecture(pk_architecture* owned) noexcept : architecture_(owned) {}
  [[nodiscard]] pk_architecture* get() const noexcept { return architecture_.get(); }

  /// One sentence; borrowed.
  [[nodiscard]] std::string_view summary() const noexcept {
    const pk_str text = pk_architecture_summary(architecture_.get());
    return {text.data, text.size};
  }
  /// The name of the report by convention; borrowed.
  [[nodiscard]] std::string_view file_name() const noexcept {
    const pk_str text = pk_architecture_file_name(architecture_.get());
    return {text.data, text.size};
  }
  /// The document piece by piece, as profile::write_document().
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_document(Write&& write) const {
    return detail::written(write,
                           [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
                             return pk_architecture_write(architecture_.get(), hand_on, user, status, why);
                           });
  }
  /// The report as Markdown, piece by piece.
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_markdown(Write&& write) const {
    return detail::written(write,
                           [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
                             *status = PK_DOCUMENT_STATUS_OK;
                             return pk_architecture_write_markdown(architecture_.get(), hand_on, user, why);
                           });
  }

 private:
  detail::owned<pk_architecture, pk_architecture_free> architecture_;
};

/// Where the memory of a capture goes; keeps its profile open.
class memory {
 public:
  memory() noexcept = default;
  explicit memory(pk_memory* owned) noexcept : memory_(owned) {}
  [[nodiscard]] pk_memory* get() const noexcept { return memory_.get(); }

  /// By peak in memory space 0, highest first.
  [[nodiscard]] std::size_t module_count() const noexcept { return pk_memory_module_count(memory_.get()); }
  /// `position` < module_count().
  [[nodiscard]] pk_memory_module module(std::size_t position) const noexcept {
    return detail::got<pk_memory_module>(
        [&](pk_memory_module* out) { return pk_memory_module_get(memory_.get(), position, out, nullptr); });
  }
  /// `position` < module(of).space_count.
  [[nodiscard]] pk_memory_space space(std::size_t of, std::size_t position) const noexcept {
    return detail::got<pk_memory_space>(
        [&](pk_memory_space* out) { return pk_memory_space_get(memory_.get(), of, position, out, nullptr); });
  }
  /// PK_TABLE_LIVE_BUFFERS, PK_TABLE_LIVE_CURVE or PK_TABLE_ALLOCATORS.
  [[nodiscard]] result<lib::table> table(std::int32_t which, const pk_table_options* options = nullptr) const noexcept {
    return detail::opened_table([&](pk_table** out, pk_error** why) {
      return pk_memory_table(memory_.get(), which, options, out, why);
    });
  }
  /// Rows of one of these tables: rows<pk_live_buffer>() is what is alive at the peak of the chosen module.
  template <class Row>
  [[nodiscard]] result<table_rows<Row>> rows() const noexcept {
    return detail::opened_rows<Row>([&](pk_table** out, pk_error** why) {
      return pk_memory_table(memory_.get(), table_of<Row>::value, nullptr, out, why);
    });
  }
  /// Bytes to spare under fit_bytes, negative when they are missing; nothing when it was not asked
  /// or nothing says what is needed.
  [[nodiscard]] std::optional<std::int64_t> spare_bytes() const noexcept {
    std::int64_t spare = 0;
    if (pk_memory_fit(memory_.get(), nullptr, &spare, nullptr) != PK_OK) return std::nullopt;
    return spare;
  }
  /// The document piece by piece, as profile::write_document().
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_document(Write&& write) const {
    return detail::written(write,
                           [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
                             return pk_memory_write(memory_.get(), hand_on, user, status, why);
                           });
  }

 private:
  detail::owned<pk_memory, pk_memory_free> memory_;
};

// ---- Chrome events ----

namespace detail {

class chrome_reader {
 public:
  chrome_reader() noexcept = default;
  explicit chrome_reader(pk_chrome_reader* owned) noexcept : reader_(owned) {}
  pk_status read(pk_chrome_event* rows, std::size_t capacity, std::size_t* count, pk_error** err) noexcept {
    return pk_chrome_events_read(reader_.get(), rows, capacity, count, err);
  }
  // Of what was read so far.
  [[nodiscard]] pk_chrome_summary summary() const noexcept {
    return got<pk_chrome_summary>([&](pk_chrome_summary* out) { return pk_chrome_summarise(reader_.get(), out, nullptr); });
  }

 private:
  detail::owned<pk_chrome_reader, pk_chrome_free> reader_;
};

}  // namespace detail

/// Events of a Chrome trace-event file; keeps the profile open. Text of a row ends with its turn of the loop. After the loop
/// reader().summary() says what the file holds.
using chrome_range = row_range<pk_chrome_event, detail::chrome_reader>;

// ---- probe traces ----

namespace detail {

class probe_record_reader {
 public:
  probe_record_reader() noexcept = default;
  explicit probe_record_reader(pk_probe_records* owned) noexcept : records_(owned) {}
  pk_status read(pk_probe_record* rows, std::size_t capacity, std::size_t* count, pk_error** err) noexcept {
    return pk_probe_records_read(records_.get(), rows, capacity, count, err);
  }
  // Record k of a lane, written or not; nothing when there is none.
  [[nodiscard]] std::optional<pk_probe_record> find(std::uint64_t block, std::uint64_t lane, std::uint64_t k) const noexcept {
    pk_probe_record out;
    if (pk_probe_record_get(records_.get(), block, lane, k, &out, nullptr) != PK_OK) return std::nullopt;
    return out;
  }

 private:
  detail::owned<pk_probe_records, pk_probe_records_free> records_;
};

}  // namespace detail

/// Written records of one map, block by block and lane by lane; holds the bytes of its file. The data of a record ends
/// with the range. reader().find() gives any record at once.
using probe_record_range = row_range<pk_probe_record, detail::probe_record_reader>;

/// The value of a field of a record.
[[nodiscard]] inline std::uint64_t value_of(const pk_probe_record& record, const pk_probe_field& field) noexcept {
  const auto* const byte = static_cast<const unsigned char*>(record.data) + field.offset;
  std::uint64_t value = 0;
  for (std::uint32_t i = field.bytes; i-- != 0;) value = value << 8 | byte[i];
  return value;
}

/// What probes recorded inside GPU kernels. Keeps its profile open.
class probe_trace {
 public:
  probe_trace() noexcept = default;
  explicit probe_trace(pk_probe* owned) noexcept : probe_(owned) {}
  [[nodiscard]] pk_probe* get() const noexcept { return probe_.get(); }

  /// The launches of the log.
  [[nodiscard]] result<table_rows<pk_probe_launch>> launches() const noexcept {
    return detail::opened_rows<pk_probe_launch>([&](pk_table** out, pk_error** why) {
      return pk_probe_table(probe_.get(), nullptr, out, why);
    });
  }
  /// The launches, or the records of one map, for Arrow.
  [[nodiscard]] result<table> launches_table(const pk_table_options* options = nullptr) const noexcept {
    return detail::opened_table(
        [&](pk_table** out, pk_error** why) { return pk_probe_table(probe_.get(), options, out, why); });
  }
  [[nodiscard]] result<table> records_table(std::size_t bin_position, std::uint32_t map_position,
                                            const pk_table_options* options = nullptr) const noexcept {
    return detail::opened_table([&](pk_table** out, pk_error** why) {
      return pk_probe_records_table(probe_.get(), bin_position, map_position, options, out, why);
    });
  }
  /// Record files.
  [[nodiscard]] std::size_t bin_count() const noexcept { return pk_probe_bin_count(probe_.get()); }
  /// `position` < bin_count().
  [[nodiscard]] pk_probe_bin bin(std::size_t position) const noexcept {
    return detail::got<pk_probe_bin>(
        [&](pk_probe_bin* out) { return pk_probe_bin_get(probe_.get(), position, out, nullptr); });
  }
  /// Empty when the record file is sound.
  [[nodiscard]] error_view damage(std::size_t position) const noexcept {
    return error_view(pk_probe_bin_damage(probe_.get(), position));
  }
  /// `position` < bin(bin_position).map_count.
  [[nodiscard]] pk_probe_map map(std::size_t bin_position, std::uint32_t position) const noexcept {
    return detail::got<pk_probe_map>(
        [&](pk_probe_map* out) { return pk_probe_map_get(probe_.get(), bin_position, position, out, nullptr); });
  }
  /// `position` < map(bin_position, map_position).field_count.
  [[nodiscard]] pk_probe_field field(std::size_t bin_position, std::uint32_t map_position,
                                     std::uint32_t position) const noexcept {
    return detail::got<pk_probe_field>([&](pk_probe_field* out) {
      return pk_probe_field_get(probe_.get(), bin_position, map_position, position, out, nullptr);
    });
  }
  /// The field of that name; empty when the map has none.
  [[nodiscard]] std::optional<pk_probe_field> find_field(std::size_t bin_position, std::uint32_t map_position,
                                                         std::string_view name) const noexcept {
    const std::uint32_t count = map(bin_position, map_position).field_count;
    for (std::uint32_t i = 0; i < count; ++i)
      if (const pk_probe_field found = field(bin_position, map_position, i); view(found.name) == name) return found;
    return std::nullopt;
  }
  /// The range is used up by one loop.
  [[nodiscard]] result<probe_record_range> records(std::size_t bin_position,
                                                   std::uint32_t map_position) const noexcept {
    pk_probe_records* reader = nullptr;
    pk_error* why = nullptr;
    if (pk_probe_records_open(probe_.get(), bin_position, map_position, &reader, &why) != PK_OK) return error(why);
    return probe_record_range(detail::probe_record_reader(reader));
  }
  /// One slice of the document `neutrino`, the summary unless the query says otherwise, piece by piece as
  /// profile::write_document().
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_document(Write&& write, const pk_probe_query* query = nullptr) const {
    return detail::written(write,
                           [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
                             return pk_probe_write(probe_.get(), query, hand_on, user, status, why);
                           });
  }

 private:
  detail::owned<pk_probe, pk_probe_free> probe_;
};

// ---- clocks and merging ----

/// The clock of one node; see pk_clock_build().
class clock {
 public:
  clock() noexcept = default;
  [[nodiscard]] static result<clock> build(const pk_clock_options& options) noexcept {
    pk_clock* made = nullptr;
    pk_error* why = nullptr;
    if (pk_clock_build(&options, &made, &why) != PK_OK) return error(why);
    return clock(made);
  }
  [[nodiscard]] pk_clock* get() const noexcept { return clock_.get(); }
  /// Of a PK_CLOCK_ domain, ps since its base, to ps since the reference base; INT64_MIN when out of reach.
  [[nodiscard]] std::int64_t map(std::int32_t domain, std::int64_t ps) const noexcept {
    std::int64_t to = (std::numeric_limits<std::int64_t>::min)();
    pk_clock_map(clock_.get(), domain, &ps, &to, 1, nullptr);
    return to;
  }
  /// How far an event of that domain near a corrected instant can be from the truth; -1 when not known.
  [[nodiscard]] std::int64_t bound_ps(std::int32_t domain, std::int64_t corrected_ps) const noexcept {
    std::int64_t bound = 0;
    pk_clock_bound(clock_.get(), domain, corrected_ps, &bound, nullptr);
    return bound;
  }

 private:
  explicit clock(pk_clock* owned) noexcept : clock_(owned) {}
  detail::owned<pk_clock, pk_clock_free> clock_;
};

/// What a merge did with each node.
class merge {
 public:
  merge() noexcept = default;
  /// Into `write`, piece by piece as profile::write_document(); see pk_merge_run().
  template <class Write>
  [[nodiscard]] static result<merge> run(const pk_merge_options& options, Write&& write) {
    pk_merge* made = nullptr;
    auto done = detail::written(write, [&](pk_write_callback hand_on, void* user, std::int32_t*, pk_error** why) noexcept {
      return pk_merge_run(&options, hand_on, user, &made, why);
    });
    if (!done) return std::move(done).take_error();
    return merge(made);
  }
  /// Into pk_merge_options::output; see pk_merge_run().
  [[nodiscard]] static result<merge> run(const pk_merge_options& options) noexcept {
    pk_merge* made = nullptr;
    pk_error* why = nullptr;
    if (pk_merge_run(&options, nullptr, nullptr, &made, &why) != PK_OK) return error(why);
    return merge(made);
  }
  [[nodiscard]] pk_merge* get() const noexcept { return merge_.get(); }
  [[nodiscard]] std::size_t node_count() const noexcept { return pk_merge_node_count(merge_.get()); }
  /// `position` < node_count().
  [[nodiscard]] pk_merge_node node(std::size_t position) const noexcept {
    return detail::got<pk_merge_node>(
        [&](pk_merge_node* out) { return pk_merge_node_get(merge_.get(), position, out, nullptr); });
  }
  [[nodiscard]] std::int64_t origin_ns() const noexcept { return pk_merge_origin_ns(merge_.get()); }
  /// The metadata document piece by piece, as profile::write_document().
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_document(Write&& write) const {
    return detail::written(write, [&](pk_write_callback hand_on, void* user, std::int32_t*, pk_error** why) noexcept {
      return pk_merge_write(merge_.get(), hand_on, user, why);
    });
  }

 private:
  explicit merge(pk_merge* owned) noexcept : merge_(owned) {}
  detail::owned<pk_merge, pk_merge_free> merge_;
};

// ---- profiles ----

/// Lets any thread stop work that another thread is doing: put get() into pk_hooks::cancel.
class cancel_token {
 public:
  cancel_token() noexcept = default;
  [[nodiscard]] static result<cancel_token> make() noexcept {
    pk_cancel_token* token = nullptr;
    pk_error* why = nullptr;
    if (pk_cancel_token_new(&token, &why) != PK_OK) return error(why);
    return cancel_token(token);
  }
  void cancel() noexcept { pk_cancel_token_cancel(token_.get()); }
  [[nodiscard]] const pk_cancel_token* get() const noexcept { return token_.get(); }

 private:
  explicit cancel_token(pk_cancel_token* owned) noexcept : token_(owned) {}
  detail::owned<pk_cancel_token, pk_cancel_token_free> token_;
};

/// An opened capture. Moving it keeps everything that was borrowed from it; share() makes another owner.
class profile {
 public:
  profile() noexcept = default;
  explicit profile(pk_profile* owned) noexcept : profile_(owned) {}
  /// A file, a run directory, or a parent of runs; see pk_profile_open().
  [[nodiscard]] static result<profile> open(const char* path, const pk_open_options* options = nullptr) noexcept {
    return opened([&](pk_profile** out, pk_error** why) { return pk_profile_open(path, options, out, why); });
  }
  [[nodiscard]] static result<profile> open(const std::string& path,
                                            const pk_open_options* options = nullptr) noexcept {
    return open(path.c_str(), options);
  }
  /// Bytes in memory, borrowed unless PK_OPEN_COPY is set; see pk_profile_open_buffer().
  [[nodiscard]] static result<profile> open_buffer(std::string_view bytes, const char* label,
                                                   const pk_open_options* options = nullptr) noexcept {
    return opened([&](pk_profile** out, pk_error** why) {
      return pk_profile_open_buffer(bytes.data(), bytes.size(), label, options, out, why);
    });
  }
  /// Reads of the host; see pk_profile_open_callbacks().
  [[nodiscard]] static result<profile> open_callbacks(const pk_read_callbacks& callbacks, const char* label,
                                                      const pk_open_options* options = nullptr) noexcept {
    return opened([&](pk_profile** out, pk_error** why) {
      return pk_profile_open_callbacks(&callbacks, label, options, out, why);
    });
  }

  [[nodiscard]] profile share() const noexcept { return profile(pk_profile_ref(profile_.get())); }
  [[nodiscard]] pk_profile* get() const noexcept { return profile_.get(); }

  [[nodiscard]] pk_profile_info info() const noexcept {
    return detail::got<pk_profile_info>(
        [&](pk_profile_info* out) { return pk_profile_get(profile_.get(), out, nullptr); });
  }
  /// `position` < info().run_count.
  [[nodiscard]] pk_run_info run(std::uint32_t position) const noexcept {
    return detail::got<pk_run_info>(
        [&](pk_run_info* out) { return pk_run_get(profile_.get(), position, out, nullptr); });
  }
  [[nodiscard]] index_range<const pk_profile*, file> files() const noexcept {
    return {profile_.get(), pk_file_count(profile_.get())};
  }
  [[nodiscard]] result<module_list> modules(const pk_hooks* hooks = nullptr) const noexcept {
    pk_module_list* list = nullptr;
    pk_error* why = nullptr;
    if (pk_module_list_open(profile_.get(), hooks, &list, &why) != PK_OK) return error(why);
    return module_list(list);
  }
  /// Any table (PK_TABLE_) of the capture; see pk_table_open().
  [[nodiscard]] result<lib::table> table(std::int32_t which, const pk_table_options* options = nullptr) const noexcept {
    return detail::opened_table(
        [&](pk_table** out, pk_error** why) { return pk_table_open(profile_.get(), which, options, out, why); });
  }
  /// Rows of the table of that struct: auto ops = profile.rows<pk_op>(); for (const pk_op& op : *ops).
  template <class Row>
  [[nodiscard]] result<table_rows<Row>> rows(const pk_table_options* options = nullptr) const noexcept {
    return detail::opened_rows<Row>([&](pk_table** out, pk_error** why) {
      return pk_table_open(profile_.get(), table_of<Row>::value, options, out, why);
    });
  }
  /// What the devices did, with options of its own; see pk_activity_open().
  [[nodiscard]] result<activity> read_activity(const pk_activity_options* options = nullptr) const noexcept {
    pk_activity* found = nullptr;
    pk_error* why = nullptr;
    if (pk_activity_open(profile_.get(), options, &found, &why) != PK_OK) return error(why);
    return activity(found);
  }
  /// Where the memory goes; see pk_memory_open().
  [[nodiscard]] result<lib::memory> analyse_memory(const pk_memory_options* options = nullptr) const noexcept {
    pk_memory* found = nullptr;
    pk_error* why = nullptr;
    if (pk_memory_open(profile_.get(), options, &found, &why) != PK_OK) return error(why);
    return lib::memory(found);
  }
  /// Why devices wait; see pk_bubbles_open().
  [[nodiscard]] result<lib::bubbles> find_bubbles(const pk_bubbles_options* options = nullptr) const noexcept {
    pk_bubbles* found = nullptr;
    pk_error* why = nullptr;
    if (pk_bubbles_open(profile_.get(), options, &found, &why) != PK_OK) return error(why);
    return lib::bubbles(found);
  }
  /// The Neutrino trace folder of the capture; `tool`: a PK_PROBE_TOOL_. See pk_probe_open().
  [[nodiscard]] result<probe_trace> open_probes(std::int32_t tool = PK_PROBE_TOOL_NONE) const noexcept {
    pk_probe* found = nullptr;
    pk_error* why = nullptr;
    if (pk_probe_open(profile_.get(), tool, &found, &why) != PK_OK) return error(why);
    return probe_trace(found);
  }

  /// What model ran; see pk_architecture_open().
  [[nodiscard]] result<lib::architecture> find_architecture(
      const pk_architecture_options* options = nullptr) const noexcept {
    pk_architecture* found = nullptr;
    pk_error* why = nullptr;
    if (pk_architecture_open(profile_.get(), options, &found, &why) != PK_OK) return error(why);
    return lib::architecture(found);
  }
  /// Events of the file at `position`, of family PK_FAMILY_CHROME_TRACE.
  [[nodiscard]] result<chrome_range> chrome_events(std::uint32_t position) const noexcept {
    pk_chrome_reader* reader = nullptr;
    pk_error* why = nullptr;
    if (pk_chrome_open(profile_.get(), position, &reader, &why) != PK_OK) return error(why);
    return chrome_range(detail::chrome_reader(reader));
  }

  /// Writes a document (PK_DOCUMENT_) piece by piece: write(std::string_view), which gives false (or nothing, to
  /// go on always) to stop. The value is a PK_DOCUMENT_STATUS_. What `write` throws is thrown from here.
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_document(std::int32_t document, Write&& write,
                                                    const pk_document_options* options = nullptr) const {
    return detail::written(write,
                           [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
                             return pk_document_write(profile_.get(), document, options, hand_on, user, status, why);
                           });
  }
  /// The same into a file, which appears under its name when it is complete.
  [[nodiscard]] result<std::int32_t> write_document_file(std::int32_t document, const char* path,
                                                         const pk_document_options* options = nullptr) const noexcept {
    std::int32_t status = 0;
    pk_error* why = nullptr;
    if (pk_document_write_file(profile_.get(), document, options, path, &status, &why) != PK_OK) return error(why);
    return status;
  }
  /// The one protobuf message of a file, field by field, see pk_file_dump_write().
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_dump(std::uint32_t file, Write&& write, const pk_dump_options* options = nullptr) const {
    return detail::written(write,
                           [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
                             return pk_file_dump_write(profile_.get(), file, options, hand_on, user, status, why);
                           });
  }
  /// The capture in a format of other tools, piece by piece; see pk_trace_write().
  template <class Write>
  [[nodiscard]] result<pk_trace_outcome> write_trace(Write&& write, const pk_trace_options* options = nullptr) const {
    pk_trace_outcome outcome{};
    auto done = detail::written(write, [&](pk_write_callback hand_on, void* user, std::int32_t*, pk_error** why) noexcept {
      return pk_trace_write(profile_.get(), options, hand_on, user, &outcome, why);
    });
    if (!done) return std::move(done).take_error();
    return outcome;
  }
  /// The same into a file, which appears under its name when it is complete.
  [[nodiscard]] result<pk_trace_outcome> write_trace_file(const char* path, const pk_trace_options* options = nullptr) const noexcept {
    pk_trace_outcome outcome{};
    pk_error* why = nullptr;
    if (pk_trace_write_file(profile_.get(), options, path, &outcome, &why) != PK_OK) return error(why);
    return outcome;
  }
  /// The report as a page for a browser, as `profkit report PATH -o NAME.html`.
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_page(Write&& write, const pk_document_options* options = nullptr) const {
    return detail::written(write,
                           [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
                             return pk_page_write(profile_.get(), options, hand_on, user, status, why);
                           });
  }
  /// What PK_OPEN_REDACT replaced, see pk_redaction_write().
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_redaction(Write&& write) const {
    return detail::written(write, [&](pk_write_callback hand_on, void* user, std::int32_t*, pk_error** why) noexcept {
      return pk_redaction_write(profile_.get(), hand_on, user, why);
    });
  }
  /// A whole document.
  [[nodiscard]] result<std::string> document_text(std::int32_t document,
                                                  const pk_document_options* options = nullptr) const {
    std::string text;
    auto written = write_document(
        document, [&](std::string_view bytes) { text.append(bytes); }, options);
    if (!written) return std::move(written).take_error();
    return text;
  }

 private:
  template <class Open>
  static result<profile> opened(Open&& open) noexcept {
    pk_profile* handle = nullptr;
    pk_error* why = nullptr;
    if (open(&handle, &why) != PK_OK) return error(why);
    return profile(handle);
  }
  detail::owned<pk_profile, pk_profile_free> profile_;
};

/// The captures at a path, each to be opened on its own, see pk_captures_write().
[[nodiscard]] inline result<std::vector<std::string>> captures_at(const std::string& path) {
  std::vector<std::string> found;
  std::string text;
  auto written = detail::written([&](std::string_view bytes) { text.append(bytes); },
                                 [&](pk_write_callback hand_on, void* user, std::int32_t*, pk_error** why) noexcept {
                                   return pk_captures_write(path.c_str(), hand_on, user, why);
                                 });
  if (!written) return std::move(written).take_error();
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) found.emplace_back(text.c_str() + at);
  return found;
}

/// The document that says why a capture could not be opened, piece by piece as profile::write_document().
template <class Write>
[[nodiscard]] result<std::int32_t> write_error_document(std::int32_t document, error_view why_not, Write&& write) {
  return detail::written(write, [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
    *status = PK_DOCUMENT_STATUS_ERROR;
    return pk_document_write_error(document, why_not.get(), hand_on, user, why);
  });
}

/// The one protobuf message of a file, whatever it is, field by field; see pk_dump_write().
template <class Write>
[[nodiscard]] result<std::int32_t> write_dump(const char* path, Write&& write, const pk_dump_options* options = nullptr) {
  return detail::written(write, [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
    return pk_dump_write(path, options, hand_on, user, status, why);
  });
}

// ---- collectives across nodes ----

namespace detail {

struct clock_interval_reader {
  const pk_validation* validation;
  std::uint64_t at;
  pk_status read(pk_clock_interval* rows, std::size_t capacity, std::size_t* count, pk_error** err) noexcept {
    const pk_status status = pk_clock_intervals_read(validation, at, rows, capacity, count, err);
    at += *count;
    return status;
  }
};

}  // namespace detail

/// Whether the collectives of several nodes happened in a possible order; keeps nothing of the profiles.
class validation {
 public:
  validation() noexcept = default;
  /// One merged trace, or one trace a node; see pk_validation_open().
  [[nodiscard]] static result<validation> open(const pk_profile* const* profiles, std::size_t count,
                                               const pk_validation_options* options = nullptr) noexcept {
    pk_validation* found = nullptr;
    pk_error* why = nullptr;
    if (pk_validation_open(profiles, count, options, &found, &why) != PK_OK) return error(why);
    return validation(found);
  }
  [[nodiscard]] pk_validation* get() const noexcept { return validation_.get(); }
  [[nodiscard]] pk_validation_summary summary() const noexcept {
    return detail::got<pk_validation_summary>(
        [&](pk_validation_summary* out) { return pk_validation_get(validation_.get(), out, nullptr); });
  }
  /// What PK_VALIDATION_ALIGN asked for. The range is used up by one loop.
  [[nodiscard]] row_range<pk_clock_interval, detail::clock_interval_reader> clock_intervals() const noexcept {
    return row_range<pk_clock_interval, detail::clock_interval_reader>({validation_.get(), 0});
  }
  /// The document piece by piece, as profile::write_document().
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_document(Write&& write) const {
    return detail::written(write,
                           [&](pk_write_callback hand_on, void* user, std::int32_t* status, pk_error** why) noexcept {
                             return pk_validation_write(validation_.get(), hand_on, user, status, why);
                           });
  }
  /// The start gaps of every invocation as CSV, piece by piece.
  template <class Write>
  [[nodiscard]] result<std::int32_t> write_csv(Write&& write) const {
    return detail::written(write, [&](pk_write_callback hand_on, void* user, std::int32_t*, pk_error** why) noexcept {
      return pk_validation_write_csv(validation_.get(), hand_on, user, why);
    });
  }

 private:
  explicit validation(pk_validation* owned) noexcept : validation_(owned) {}
  detail::owned<pk_validation, pk_validation_free> validation_;
};

// ---- writing an XSpace ----

/// Writes a capture; see pk_xspace_writer. Calls that return nothing keep the first failure for finish().
class xspace_writer {
 public:
  xspace_writer() noexcept = default;
  /// A file that appears under its name when finish() succeeds.
  [[nodiscard]] static result<xspace_writer> open(const char* path, const pk_writer_options* options = nullptr) noexcept {
    pk_xspace_writer* writer = nullptr;
    pk_error* why = nullptr;
    if (pk_xspace_writer_open(options, path, &writer, &why) != PK_OK) return error(why);
    return xspace_writer(writer);
  }
  /// Hands the bytes on; see pk_xspace_writer_new().
  [[nodiscard]] static result<xspace_writer> to(pk_write_callback write, void* user,
                                                const pk_writer_options* options = nullptr) noexcept {
    pk_xspace_writer* writer = nullptr;
    pk_error* why = nullptr;
    if (pk_xspace_writer_new(options, write, user, &writer, &why) != PK_OK) return error(why);
    return xspace_writer(writer);
  }
  [[nodiscard]] pk_xspace_writer* get() const noexcept { return writer_.get(); }

  void note(std::int32_t kind, std::string_view text) noexcept { pk_xspace_writer_note(get(), kind, borrowed(text)); }
  void begin_plane(std::string_view name, std::int64_t id = 0) noexcept {
    pk_xspace_writer_begin_plane(get(), borrowed(name), id);
  }
  void end_plane() noexcept { pk_xspace_writer_end_plane(get()); }
  std::int64_t event_metadata(std::string_view name, std::string_view display_name = {}) noexcept {
    return pk_xspace_writer_event_metadata(get(), borrowed(name), borrowed(display_name));
  }
  std::int64_t stat_metadata(std::string_view name) noexcept { return pk_xspace_writer_stat_metadata(get(), borrowed(name)); }
  void metadata_stat(std::int64_t event_metadata, std::int64_t stat_metadata, const pk_value& value) noexcept {
    pk_xspace_writer_metadata_stat(get(), event_metadata, stat_metadata, &value);
  }
  void plane_stat(std::int64_t stat_metadata, const pk_value& value) noexcept {
    pk_xspace_writer_plane_stat(get(), stat_metadata, &value);
  }
  void begin_line(std::int64_t id, std::string_view name, std::int64_t timestamp_ns) noexcept {
    pk_xspace_writer_begin_line(get(), id, borrowed(name), timestamp_ns);
  }
  void end_line() noexcept { pk_xspace_writer_end_line(get()); }
  void event(std::int64_t event_metadata, std::int64_t offset_ps, std::int64_t duration_ps) noexcept {
    pk_xspace_writer_event(get(), event_metadata, offset_ps, duration_ps);
  }
  void event_stat(std::int64_t stat_metadata, const pk_value& value) noexcept {
    pk_xspace_writer_event_stat(get(), stat_metadata, &value);
  }
  /// Ends what is open and completes the file. The value is PK_OK.
  [[nodiscard]] result<pk_status> finish() noexcept {
    pk_error* why = nullptr;
    const pk_status status = pk_xspace_writer_finish(get(), &why);
    if (status != PK_OK) return error(why);
    return status;
  }

 private:
  explicit xspace_writer(pk_xspace_writer* owned) noexcept : writer_(owned) {}
  detail::owned<pk_xspace_writer, pk_xspace_writer_free> writer_;
};

// ---- a capture that arrives ----

/// What takes a capture that is pushed; see pk_push_callbacks. False ends the reading with PK_E_CANCELLED; so does what is thrown,
/// which push() or finish() throws on.
class push_visitor {
 public:
  virtual ~push_visitor() = default;
  virtual bool plane_begin(const pk_pushed_plane& /*plane*/) { return true; }
  virtual bool line_begin(const pk_pushed_line& /*line*/) { return true; }
  virtual bool events(const pk_pushed_line& line, row_batch<pk_event> rows) = 0;
  virtual bool line_end(const pk_pushed_line& /*line*/) { return true; }
  /// `rest` has the plane without its events, as plane 0 of file 0; it may be kept.
  virtual bool plane_end(std::uint32_t /*plane*/, profile /*rest*/) { return true; }
  virtual bool note(std::int32_t /*kind*/, std::string_view /*text*/) { return true; }
  virtual bool damage(error_view /*why*/) { return true; }
};

/// Takes the bytes of an XSpace as they arrive; see pk_xspace_push. One thread at a time.
class xspace_push {
 public:
  xspace_push() noexcept = default;
  /// `visitor` must outlive the reader.
  [[nodiscard]] static result<xspace_push> make(push_visitor& visitor, const pk_push_options* options = nullptr) {
    auto host = std::make_unique<host_state>();
    host->visitor = &visitor;
    pk_push_callbacks callbacks = PK_PUSH_CALLBACKS_INIT;
    callbacks.user = host.get();
    callbacks.plane_begin = [](void* user, const pk_pushed_plane* plane) noexcept {
      return handed(user, [&](push_visitor& to) { return to.plane_begin(*plane); });
    };
    callbacks.line_begin = [](void* user, const pk_pushed_line* line) noexcept {
      return handed(user, [&](push_visitor& to) { return to.line_begin(*line); });
    };
    callbacks.events = [](void* user, const pk_pushed_line* line, const pk_event* events, std::size_t count) noexcept {
      return handed(user, [&](push_visitor& to) { return to.events(*line, {events, count}); });
    };
    callbacks.line_end = [](void* user, const pk_pushed_line* line) noexcept {
      return handed(user, [&](push_visitor& to) { return to.line_end(*line); });
    };
    callbacks.plane_end = [](void* user, std::uint32_t plane, pk_profile* rest) noexcept {
      return handed(user, [&](push_visitor& to) { return to.plane_end(plane, profile(pk_profile_ref(rest))); });
    };
    callbacks.note = [](void* user, std::int32_t kind, const pk_str* text) noexcept {
      return handed(user, [&](push_visitor& to) { return to.note(kind, view(*text)); });
    };
    callbacks.damage = [](void* user, const pk_error* why) noexcept {
      return handed(user, [&](push_visitor& to) { return to.damage(error_view(why)); });
    };
    pk_xspace_push* made = nullptr;
    pk_error* why = nullptr;
    if (pk_xspace_push_new(&callbacks, options, &made, &why) != PK_OK) return error(why);
    return xspace_push(made, std::move(host));
  }
  [[nodiscard]] pk_xspace_push* get() const noexcept { return push_.get(); }

  /// The next bytes. Empty when it went well.
  [[nodiscard]] error push(std::string_view bytes) {
    pk_error* why = nullptr;
    static_cast<void>(pk_xspace_push_bytes(push_.get(), bytes.data(), bytes.size(), &why));
    return came_of(why);
  }
  /// No more bytes come. Empty when the capture was sound to its last byte.
  [[nodiscard]] error finish() {
    pk_error* why = nullptr;
    static_cast<void>(pk_xspace_push_finish(push_.get(), &why));
    return came_of(why);
  }

 private:
  struct host_state {
    push_visitor* visitor = nullptr;
#if defined(__cpp_exceptions)
    std::exception_ptr thrown;
#endif
  };

  xspace_push(pk_xspace_push* owned, std::unique_ptr<host_state> host) noexcept : host_(std::move(host)), push_(owned) {}

  template <class Call>
  static std::int32_t handed(void* user, Call&& call) noexcept {
    host_state& host = *static_cast<host_state*>(user);
#if defined(__cpp_exceptions)
    try {
      return call(*host.visitor) ? 0 : 1;
    } catch (...) {
      host.thrown = std::current_exception();
      return 1;
    }
#else
    return call(*host.visitor) ? 0 : 1;
#endif
  }
  [[nodiscard]] error came_of(pk_error* why) {
    error owned(why);
#if defined(__cpp_exceptions)
    if (host_->thrown) std::rethrow_exception(std::exchange(host_->thrown, nullptr));
#endif
    return owned;
  }

  std::unique_ptr<host_state> host_;
  detail::owned<pk_xspace_push, pk_xspace_push_free> push_;
};

// ---- a host's own trace ----

/// Takes what a host recorded of its devices and of itself; see pk_trace_builder. One thread at a time.
///
///     auto builder = profkit::lib::trace_builder::make().or_throw();
///     const std::uint32_t host = builder.add(pk_trace_host(PK_TRACE_HOST_INIT)).or_throw();
///     pk_trace_device gpu = PK_TRACE_DEVICE_INIT;
///     gpu.host = host, gpu.name = profkit::lib::borrowed("GPU 0");
///     …
///     builder.add(kernels);
///     auto profile = builder.finish();
class trace_builder {
 public:
  trace_builder() noexcept = default;
  [[nodiscard]] static result<trace_builder> make(const pk_trace_builder_options* options = nullptr) noexcept {
    pk_trace_builder* made = nullptr;
    pk_error* why = nullptr;
    if (pk_trace_builder_new(options, &made, &why) != PK_OK) return error(why);
    return trace_builder(made);
  }
  [[nodiscard]] pk_trace_builder* get() const noexcept { return builder_.get(); }

  // Each gives the number by which others name it.
  [[nodiscard]] result<std::uint32_t> add(const pk_trace_host& host) noexcept { return added(pk_trace_builder_add_host, host); }
  [[nodiscard]] result<std::uint32_t> add(const pk_trace_device& device) noexcept {
    return added(pk_trace_builder_add_device, device);
  }
  [[nodiscard]] result<std::uint32_t> add(const pk_trace_stream& stream) noexcept {
    return added(pk_trace_builder_add_stream, stream);
  }
  [[nodiscard]] result<std::uint32_t> add(const pk_trace_thread& thread) noexcept {
    return added(pk_trace_builder_add_thread, thread);
  }
  [[nodiscard]] result<std::uint32_t> add(const pk_trace_counter& counter) noexcept {
    return added(pk_trace_builder_add_counter, counter);
  }
  [[nodiscard]] result<std::uint32_t> add(const pk_trace_allocator& allocator) noexcept {
    return added(pk_trace_builder_add_allocator, allocator);
  }

  // Rows, all or none of them; empty when it went well.
  [[nodiscard]] error add(const pk_trace_kernel* rows, std::size_t count) noexcept {
    return added(pk_trace_builder_add_kernels, rows, count);
  }
  [[nodiscard]] error add(const pk_trace_span* rows, std::size_t count) noexcept {
    return added(pk_trace_builder_add_spans, rows, count);
  }
  [[nodiscard]] error add(const pk_trace_step* rows, std::size_t count) noexcept {
    return added(pk_trace_builder_add_steps, rows, count);
  }
  [[nodiscard]] error add(const pk_trace_value* rows, std::size_t count) noexcept {
    return added(pk_trace_builder_add_values, rows, count);
  }
  [[nodiscard]] error add(const pk_trace_allocation* rows, std::size_t count) noexcept {
    return added(pk_trace_builder_add_allocations, rows, count);
  }
  /// Rows that lie in a row: of a vector, an array.
  template <class Rows, class = decltype(std::data(std::declval<const Rows&>()))>
  [[nodiscard]] error add(const Rows& rows) noexcept {
    return add(std::data(rows), std::size(rows));
  }

  /// What was added as a profile. The builder takes nothing more.
  [[nodiscard]] result<profile> finish() noexcept {
    pk_profile* made = nullptr;
    pk_error* why = nullptr;
    if (pk_trace_builder_finish(builder_.get(), &made, &why) != PK_OK) return error(why);
    return profile(made);
  }

 private:
  explicit trace_builder(pk_trace_builder* owned) noexcept : builder_(owned) {}
  template <class Part>
  [[nodiscard]] result<std::uint32_t> added(pk_status (*add_part)(pk_trace_builder*, const Part*, std::uint32_t*, pk_error**)
                                                PK_NOEXCEPT,
                                            const Part& part) noexcept {
    std::uint32_t number = 0;
    pk_error* why = nullptr;
    if (add_part(builder_.get(), &part, &number, &why) != PK_OK) return error(why);
    return number;
  }
  template <class Row>
  [[nodiscard]] error added(pk_status (*add_rows)(pk_trace_builder*, const Row*, std::size_t, std::size_t, pk_error**) PK_NOEXCEPT,
                            const Row* rows, std::size_t count) noexcept {
    pk_error* why = nullptr;
    add_rows(builder_.get(), rows, sizeof(Row), count, &why);
    return error(why);
  }
  detail::owned<pk_trace_builder, pk_trace_builder_free> builder_;
};

}  // namespace lib
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
