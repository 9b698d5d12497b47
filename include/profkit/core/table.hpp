// Tables: flat rows of what a capture holds and of what analyses found, described once (schema/tables.toml).
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/memory.hpp>
#include <profkit/core/probe_trace.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/core/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// The numbers are those of PK_TABLE_.
enum class table_kind : std::int32_t {
  // tables: written by scripts/generate
  files = 1, ///< A file of the capture.
  devices = 2, ///< A device in the capture: a device plane of an XSpace, a device of a trace or a table.
  events = 3, ///< An event that has a place in time.
  ops = 4, ///< Totals of one op on one line.
  steps = 5, ///< A step of a device.
  kernels = 6, ///< One execution of a kernel (on TPUs: of an op).
  gaps = 7, ///< A gap of a device that is long enough to be listed.
  causes = 8, ///< Why a device waited in a gap, as far as the capture shows.
  collectives = 9, ///< Totals of one communication op on one line.
  modules = 10, ///< A compiled module.
  allocators = 11, ///< An allocator of a host.
  live_buffers = 12, ///< A buffer that is alive at the peak of the chosen module.
  live_curve = 13, ///< A point of the live curve of the chosen module.
  probe_launches = 14, ///< A launch of a Neutrino trace's log.
  probe_records = 15, ///< A record of one map that was written; after these columns one for each field, as the probe describes it
  device_time = 16, ///< A part of the time of a device: what it did, and why it waited.
  facts = 17, ///< A fact of the model that ran: what it is, how sure it is, and where it comes from.
  collective_calls = 18, ///< A call of a collective by all members of its process group, over all nodes of the capture
  findings = 19, ///< A statement about the capture, with the place that shows it: those of a report.
  op_groups = 20, ///< Time of a device's ops that have an operator, a module, a phase, … in common.
  // end of tables
};

// enum column_type: written by scripts/generate
/// What the values of a column are. A name is text that repeats.
enum class column_type : std::uint8_t {
  int64,
  uint64,
  int32,
  uint32,
  boolean,
  text,
  name     ///< text that repeats: a dictionary
};
// end of enum column_type

/// A column, for callers that show or fill it.
struct column_facts {
  const char* name;
  column_type type;
  const char* unit;     ///< "ps", "bytes", …; "" without
  const char* meaning;  ///< one sentence
};

/// One value of a row: of a number `number` or `bits` by the column's type (of a boolean bits), of text `text`.
struct cell {
  bool known = false;
  std::int64_t number = 0;
  std::uint64_t bits = 0;
  std::string_view text;  ///< valid until the next cell is asked for
};

struct table_description;  ///< of the core

/// "files", "ops", …; "" for an unknown value.
[[nodiscard]] const char* table_name(table_kind t) noexcept;
/// The table of that name; nothing when there is none.
[[nodiscard]] std::optional<table_kind> table_named(std::string_view name) noexcept;
/// One sentence on what a row of it is.
[[nodiscard]] const char* table_meaning(table_kind t) noexcept;
/// All of them, in the order of docs/tables.md.
[[nodiscard]] std::vector<table_kind> table_kinds();
/// Columns of a table. A table of probe records has more: one a field.
[[nodiscard]] std::vector<column_facts> columns_of(table_kind t);

/// A device of the capture.
struct capture_device {
  std::uint32_t file = 0;
  std::int32_t plane = -1;  ///< position in an XSpace; -1 in other files
  std::int64_t ordinal = -1;
  std::int32_t rank = -1;
  accelerator type = accelerator::other;
  std::string_view name;
};

/// Whose a plane of an XSpace is.
struct plane_place {
  std::int32_t device = -1;           ///< position in the list of devices; -1: it is none
  std::optional<std::int64_t> node;  ///< of a merged trace
  std::string_view host;             ///< of the node, else of the file; "" where neither says
};

/// The devices of a capture, and the device of each row. Events of an XSpace are not looked at; traces are read for
/// their devices, once for all callers with the same trace.
class capture_devices {
 public:
  static result<std::shared_ptr<const capture_devices>> list(const trace& t, const hooks& host = {});
  /// The devices of XSpace files alone: rows of others are of no device.
  static result<std::shared_ptr<const capture_devices>> of_planes(const profile& p);
  ~capture_devices();
  [[nodiscard]] const std::vector<capture_device>& all() const noexcept { return devices_; }
  /// nullptr for a position without a device.
  [[nodiscard]] const capture_device* find(std::int32_t device) const noexcept;
  [[nodiscard]] plane_place of_plane(std::uint32_t file, std::int32_t plane) const noexcept;
  /// Position of the device whose stream a thread of a trace is, by the positions that `info` shows; -1: none.
  [[nodiscard]] std::int32_t of_line(std::uint32_t file, std::int32_t plane, std::int32_t line) const noexcept;
  /// Position of a device of an activity of the same capture; -1: none.
  [[nodiscard]] std::int32_t of(const activity& from, const activity_device& device) const;
  /// By file and device, which may be -1; of what is not known nothing, or "".
  [[nodiscard]] std::string_view run(std::uint32_t file) const noexcept;
  [[nodiscard]] std::string_view host(std::uint32_t file, std::int32_t device) const noexcept;
  [[nodiscard]] std::optional<std::int32_t> rank(std::uint32_t file, std::int32_t device) const noexcept;
  [[nodiscard]] std::optional<std::int64_t> node(std::int32_t device) const noexcept;
  [[nodiscard]] const profile& files() const noexcept { return profile_; }

 private:
  explicit capture_devices(const profile& p);
  static std::shared_ptr<const capture_devices> make(const profile& p, std::shared_ptr<const activity> read);
  void add_planes(std::uint32_t file, const xspace_index& space);
  void add_devices(std::uint32_t file, const activity& from);
  struct parts;
  const profile& profile_;
  std::vector<capture_device> devices_;
  std::unique_ptr<parts> parts_;
};

/// Host that was recorded, as the file's name or the file itself says; "" where neither does.
[[nodiscard]] std::string_view host_of_file(const profile& p, std::size_t file) noexcept;

/// Rows of one table, given once and in order.
class row_source {
 public:
  virtual ~row_source() = default;
  [[nodiscard]] virtual table_kind which() const noexcept = 0;
  /// Fills up to `capacity` rows of the table's own row type (src/core/tables/rows.hpp); 0: there are no more. Text is borrowed
  /// from the source. A fault ends it; what was given before stays.
  virtual result<std::size_t> read(void* rows, std::size_t capacity) = 0;
  /// What was lost of the files that the rows come from; known when there are no more rows.
  [[nodiscard]] virtual std::vector<file_damage> damage() const { return {}; }
};

/// Which rows, of the tables that take it (docs/tables.md).
struct table_options {
  query_filters filters;
  bool allow_empty = false;  ///< filters that fit nothing give no rows, and no fault
};

/// Opens a table of a capture and runs the analysis that it needs. The source borrows the trace and what `devices` borrow.
/// Faults: invalid_argument (a filter that the table does not take, or that fits nothing), unsupported (events and probe records have no rows of
/// this kind), and those of the analysis.
result<std::unique_ptr<row_source>> open_rows(const trace& t, std::shared_ptr<const capture_devices> devices, table_kind which,
                                              const table_options& options = {}, const hooks& host = {});
/// The same over analyses that were made with options of their own, which they borrow.
/// Kernels: borrows the profile as well; a device's rows are held, up to limits::max_materialised_bytes.
std::unique_ptr<row_source> rows_of(std::shared_ptr<const capture_devices> devices, const activity& of, const profile& p);
std::unique_ptr<row_source> rows_of(std::shared_ptr<const capture_devices> devices, const bubbles_report& of,
                                    table_kind which);  ///< steps, gaps or causes
std::unique_ptr<row_source> rows_of(std::shared_ptr<const capture_devices> devices, const memory_result& of,
                                    table_kind which);  ///< live_buffers, live_curve or allocators
/// A Neutrino trace and its position among the files.
struct trace_of_file {
  const probe_trace* trace;
  std::uint32_t file;
};
std::unique_ptr<row_source> rows_of(std::vector<trace_of_file> traces);  ///< probe_launches, those of one after those of another

/// Reads rows and shows their cells, joined columns among them.
class table_reader {
 public:
  table_reader(std::unique_ptr<row_source> source, std::shared_ptr<const capture_devices> devices);
  ~table_reader();
  table_reader(table_reader&&) noexcept;
  [[nodiscard]] const std::vector<column_facts>& columns() const noexcept { return columns_; }
  /// Up to `most` further rows; 0: there are no more. Damage is the fault after the last row, once.
  result<std::size_t> read(std::size_t most);
  /// All of it; known when there are no more rows.
  [[nodiscard]] std::vector<file_damage> damage() const { return source_->damage(); }
  /// Of those rows.
  [[nodiscard]] const void* row(std::size_t at) const noexcept;
  [[nodiscard]] std::size_t row_count() const noexcept { return count_; }
  /// `row` < row_count(), `column` < columns().size().
  [[nodiscard]] cell at(std::size_t row, std::size_t column) const;
  /// How much of a row is the struct of the C interface.
  [[nodiscard]] std::size_t c_row_bytes() const noexcept;

 private:
  std::unique_ptr<row_source> source_;
  std::shared_ptr<const capture_devices> devices_;
  const table_description* description_;
  std::vector<column_facts> columns_;
  std::vector<unsigned char> rows_;
  std::size_t count_ = 0;
  bool ended_ = false;
  mutable std::string text_;
};

/// Positions of the columns of these names, in their order; without names, all of them. Faults: invalid_argument for
/// one that is not there, whose hint names those that are, or is named twice.
result<std::vector<std::size_t>> choose_columns(const std::vector<column_facts>& columns,
                                                const std::vector<std::string>& names);

/// All rows that are left as RFC 4180 with a line of names, or as one JSON object a line.
result<void> write_table_csv(table_reader& from, const std::vector<std::size_t>& columns, sink& into);
result<void> write_table_json(table_reader& from, const std::vector<std::size_t>& columns, sink& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
