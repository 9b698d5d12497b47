// Opening anything: a file, a run directory, or a parent of runs becomes a list of recognised files.
#pragma once
#include <profkit/core/redaction.hpp>
#include <profkit/core/source.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class format;  ///< profkit/core/format.hpp

// enum file_family: written by scripts/generate
/// The format of a file.
enum class file_family : std::int32_t {
  unknown,
  xspace,          ///< *.xplane.pb: tensorflow.profiler.XSpace
  chrome_trace,    ///< Chrome trace-event JSON (XLA trace.json.gz, perfetto_trace.json.gz, Kineto, Ascend)
  hlo_proto,       ///< *.hlo_proto.pb, *.hlo.pb: xla.HloProto
  op_stats,        ///< ALL_HOSTS.op_stats_v2.pb: named, not analysed; `dump` shows it
  ascend_kernels,  ///< kernel_details.csv, op_summary*.csv: a row a kernel of an Ascend NPU
  ascend_table,    ///< step_trace_time.csv, operator_details.csv, op_statistic*.csv
  ascend_json,     ///< communication.json, profiler_info*.json, profiler_metadata.json
  ascend_database, ///< *.db of torch_npu and msprof (SQLite): named, not read
  /// A Neutrino trace folder, or one of its record files: one "file" of a profile, which has no bytes of its own.
  neutrino = 16,
  own              ///< What a host recorded itself, pk_trace_builder_finish(): a file without bytes.
};
// end of enum file_family
[[nodiscard]] const char* family_name(file_family f) noexcept;   ///< "xspace", "chrome_trace", …
[[nodiscard]] const char* family_title(file_family f) noexcept;  ///< for people: "XSpace", "Chrome trace", …
/// Why files of a format are listed and not read, and what to do; null for a format that is read.
[[nodiscard]] const char* why_not_read(file_family f) noexcept;
[[nodiscard]] inline bool is_recognised(file_family f) noexcept { return f != file_family::unknown; }

/// What a file holds. Code that walks files asks this and not which format it is; several formats may hold the same.
enum class file_content : std::uint8_t {
  nothing,        ///< nothing that is read
  planes,         ///< planes, lines and events, read in place: an XSpace
  trace_events,   ///< a list of trace events: Chrome JSON
  kernel_table,   ///< a row a kernel, with its times
  totals_table,   ///< rows of a step, an operator or a type of op, without times
  op_totals,      ///< how much time ops took, worked out by another tool
  module,         ///< an HLO module
  settings,       ///< how it was recorded
  probe_records,  ///< records of instrumented kernels
  recording,      ///< devices, kernels and spans that a reader of the host's own gave
};
[[nodiscard]] file_content content_of(file_family f) noexcept;
[[nodiscard]] inline bool has_planes(file_family f) noexcept { return content_of(f) == file_content::planes; }

/// One recognised file of a capture. Paths are as the user gave them, joined with '/'.
struct capture_file {
  std::string path;
  file_family family = file_family::unknown;
  compression encoding = compression::none;
  std::uint64_t bytes = 0;      ///< on disk
  std::string run;              ///< run folder name; empty for a file given by path
  std::int32_t export_of = -1;  ///< index of the file whose events this one shows again, never counted twice; -1: none
  std::string host;             ///< from the file name ("vm" in vm.xplane.pb); empty when it says none
  std::string why;              ///< why it was taken for its family: "name *.xplane.pb", "magic", "probe"
  std::shared_ptr<const format> own;  ///< of the family `own`; null otherwise
  /// Which node of a merged trace JSON this is: such a file is opened as its nodes, each of which reads like the file that was
  /// merged. -1: it is a file of its own.
  std::int64_t node = -1;
  /// Given when it was opened, which counts before what the file says: its machine, and its rank in its run; "" and -1:
  /// nothing.
  std::string given_host;
  std::int32_t given_rank = -1;
};

/// Whether a file other than an XSpace says what devices or hosts did, and when: trace JSON that does not repeat an
/// XSpace, a table of kernels, a format of the host's own.
[[nodiscard]] bool is_trace(const capture_file& file) noexcept;

/// A run found below the path that was given: newest first.
struct capture_run {
  std::string name;  ///< folder name, "2026_11_21_06_43_55"
  std::string path;
  bool chosen = false;
};

/// What will be asked of files that cannot be mapped (compressed, a pipe, callbacks).
enum class access_mode : std::uint8_t {
  random,  ///< anything: they are decoded into memory when they are opened, under limits::max_materialised_bytes
  /// Inventory and op totals: each of those reads an XSpace from its beginning to its end through a window, and only
  /// another question decodes it into memory. What was read only once (a pipe) may then be gone.
  one_pass,
};

struct open_options {
  io_mode io = io_mode::read;
  access_mode access = access_mode::random;
  std::string run;  ///< "" the newest; "all" every run; else the run folder's name
  limits bounds;
  hooks host;
  /// Formats of the host's own, asked before all others and in this order.
  std::vector<std::shared_ptr<const format>> formats;
  /// Of what profile::open_buffer() and open_callbacks() open: the machine, and the rank in its run. They count before what the
  /// file says. "" and -1: that counts.
  std::string hostname;
  std::int32_t rank = -1;
  bool standard_input = false;  ///< the path "-" is standard input; else it is refused, for the host may need it itself
  /// Files that are not XSpaces are read when they are first asked for. True: those reads go without the hooks,
  /// which then need not outlive open().
  bool host_ends_with_open = false;
  /// Names, paths, hosts and texts that are not public get aliases before anything else sees them, and environment dumps and
  /// what cannot be looked into is left out: what follows is about a capture that can be shared. All files are then read when
  /// they are opened, and held in memory decoded. Faults of open: unsupported (Neutrino traces, formats of the host's own).
  bool redact = false;
};

/// A pipe or standard input that was opened and looked at; what was read of it is kept for its reader.
class pending_stream;

/// What lies at a path. Holds no open file, except a pipe or standard input; a copy is cheap enough.
struct capture {
  std::string path;                  ///< as given
  std::vector<capture_file> files;   ///< ordered by run (newest first), then path
  std::vector<capture_run> runs;     ///< empty when a single file was given
  std::vector<std::string> ignored;  ///< files looked at and not recognised (at most 100 named)
  std::uint64_t ignored_count = 0;
  /// What was recorded but cannot be read as it is, such as raw data that was not parsed, and what to do about each.
  std::vector<fault> unread;
  io_mode io = io_mode::read;
  limits bounds;
  hooks host;
  std::vector<std::shared_ptr<const format>> formats;  ///< the host's own
  std::shared_ptr<pending_stream> stream;  ///< null unless PATH can be read only once
  /// What was replaced, where open_options::redact was asked for. Paths are then aliases, the bytes of the files are in `held`,
  /// and where they were read in `read_from`, a path a file.
  std::shared_ptr<const redaction> redacted;
  std::vector<held_bytes> held;
  std::vector<std::string> read_from;
};

/// Looks at PATH: a file (or "-"), a run directory, or a parent of runs (`plugins/profile/<run>/` below it).
/// Faults: not_found, permission, invalid_argument (no such run; the message lists the runs).
/// A directory with nothing in it is not a fault: `files` is empty. A file that nothing recognises is listed as
/// `unknown` when it was given by path. A file that cannot be opened, or went away while the folder was looked at,
/// is listed by its name: the fault comes when it is opened.
result<capture> open_capture(const std::string& path, const open_options& options = {});

/// What is wrong with bytes that can be read as a protobuf message, but of another kind than an XSpace, as a Perfetto
/// trace or a pprof profile; nothing for an XSpace, damaged, empty or with fields of a later version as it may be.
std::optional<fault> why_not_xspace(std::string_view bytes);

/// Opens one file of the capture under its options. A pipe or standard input can be opened once; then `unsupported`.
result<std::unique_ptr<source>> open_source_of(const capture& c, std::size_t file_index);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
