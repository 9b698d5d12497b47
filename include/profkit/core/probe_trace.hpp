// A Neutrino trace folder: what the driver's log says of launches and kernels, the probe that was used, and the record
// files with their maps. The records themselves are read through the views of profkit/neutrino.hpp.
#pragma once
#include <profkit/core/capture.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/source.hpp>
#include <profkit/neutrino.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum probe_clock: written by scripts/generate
/// What a clock in a record counts.
enum class probe_clock : std::uint8_t {
  unknown,
  sm_cycles, ///< %clock64: each multiprocessor counts for itself; never compare two of them
  global_ns  ///< %globaltimer: one for the device
};
[[nodiscard]] const char* probe_clock_name(probe_clock value) noexcept;  ///< "unknown", "sm_cycles", …
// end of enum probe_clock

/// A field as the probe names it, where it lies in memory.
struct probe_shape_field {
  std::string name;
  probe_type type = probe_type::u64;
  std::uint32_t offset = 0, declared = 0;
};

/// What the records of a map hold, in the order of memory.
struct probe_shape {
  std::string name;  ///< "map0", "map1", … where no description names it
  std::vector<probe_shape_field> fields;
  std::uint32_t record_bytes = 0;
  probe_clock clock = probe_clock::unknown;

  [[nodiscard]] const probe_shape_field* find(std::string_view field) const noexcept;
};

/// One map as probe.toml describes it.
struct probe_map_description {
  std::string name;
  probe_level level = probe_level::unknown;
  std::uint64_t size_bytes = 0;      ///< of a record as declared; may be more than its fields
  std::optional<std::uint64_t> cap;  ///< records of a lane; nothing when the size is found at run time
  std::vector<probe_shape_field> fields;
  std::uint32_t record_bytes = 0;  ///< of the fields
  probe_clock clock = probe_clock::unknown;
};

struct probe_snippet {
  std::string name, level, position, before, after;
};

/// probe.toml. Everything is optional: the file may be empty, absent or broken.
struct probe_description {
  bool present = false;
  std::optional<fault> damage;
  std::string callback;
  bool dynamic = false;
  std::vector<probe_snippet> probes;        ///< in file order
  std::vector<probe_map_description> maps;  ///< section i of a record file is the i-th, in file order
};

// enum probe_outcome: written by scripts/generate
/// How a launch ended, by the log.
enum class probe_outcome : std::uint8_t {
  unfinished, ///< the log ends, or goes on, without saying
  ok,         ///< it ran with the probe
  failed,     ///< the probed kernel did not run; the original one did
  cant_save,  ///< it ran, and its records could not be written
  backup,     ///< it was not probed: the original kernel ran
  memusage,   ///< only the memory that the probe would need was asked for
  benchmark   ///< it ran for its times only
};
[[nodiscard]] const char* probe_outcome_name(probe_outcome value) noexcept;  ///< "unfinished", "ok", …
// end of enum probe_outcome

// enum probe_callback: written by scripts/generate
enum class probe_callback : std::uint8_t { none, started, succeeded, failed };
[[nodiscard]] const char* probe_callback_name(probe_callback value) noexcept;  ///< "none", "started", …
// end of enum probe_callback

/// "[exec] grid G block|warp N probe B total T": one map of a launch.
struct probe_logged_map {
  probe_level level = probe_level::unknown;
  std::uint64_t blocks = 0, lanes = 0;
  std::int64_t lane_bytes = 0;
  std::uint64_t bytes = 0;
};

struct probe_launch {
  std::uint64_t line = 0;    ///< of the log, from 1
  std::string function;      ///< the driver's handle, "0x8209510"; "" when its line is lost
  std::int32_t kernel = -1;  ///< index in kernels
  bool has_geometry = false;
  std::uint32_t grid[3] = {}, block[3] = {};
  std::uint32_t shared_bytes = 0;
  std::optional<std::int64_t> time_ns;  ///< Unix, in steps of 256
  std::vector<std::uint64_t> params;    ///< 8 bytes each; the upper half of a 4-byte argument may be junk
  bool params_torn = false;             ///< another line was written into this one: arguments may be missing
  std::vector<probe_logged_map> maps;
  std::optional<std::uint64_t> probe_memory_bytes;
  std::optional<std::int64_t> counted_bytes;  ///< of a thread, where the map's size is found at run time
  probe_outcome outcome = probe_outcome::unfinished;
  std::optional<std::int64_t> return_code;
  std::string saved_path, bin_name;  ///< as logged, and its last part
  std::int32_t bin = -1;             ///< index in bins; -1 when the file is not there
  std::optional<std::int64_t> prologue_ps, kernel_ps, epilogue_ps;
  std::optional<std::int64_t> original_ps;  ///< benchmark: the kernel without the probe
  probe_callback callback = probe_callback::none;
};

// enum probe_kernel_status: written by scripts/generate
enum class probe_kernel_status : std::uint8_t {
  unfinished,
  ok,
  cant_find,
  cant_mkdir,
  cant_open,
  cant_fork,
  python_failed  ///< the probe engine gave up, or the user filtered the kernel out: see `reason`
};
[[nodiscard]] const char* probe_kernel_status_name(probe_kernel_status value) noexcept;  ///< "unfinished", "ok", …
// end of enum probe_kernel_status

/// kernel/<index>_<sha1>/kernel.info
struct probe_kernel_info {
  std::string name;
  std::int64_t param_count = 0;
  std::vector<std::pair<probe_level, std::int64_t>> maps;  ///< bytes of a lane; -1 when found at run time
  std::string hook;
  std::vector<std::pair<std::string, std::string>> params;  ///< name and type, where the file has them
};

/// kernel/<index>_<sha1>/process.log
struct probe_engine_log {
  std::string reason;  ///< the last line that is not empty
  std::optional<std::int64_t> probed_registers, pruned_registers;
};

struct probe_kernel {
  std::string function;     ///< the newest handle
  std::string module_name;  ///< as the module named it
  std::string found_name;   ///< as the driver held it: stray bytes may follow
  std::string engine_name;  ///< as the engine located it
  std::int32_t index = -1;  ///< of the folder; -1 without one
  std::string folder;       ///< "0_<sha1>"; "" without one
  probe_kernel_status status = probe_kernel_status::unfinished;
  bool names_differ = false;  ///< neither name begins with the other: a sibling may have been probed
  bool hash_differs = false;  ///< the folder's hash is not that of the name on its line
  std::optional<probe_kernel_info> info;
  std::optional<probe_engine_log> engine;
  std::vector<std::string> files;  ///< of its folder
  std::uint64_t launches = 0;

  /// What to show: the engine's name, else the driver's, else the module's.
  [[nodiscard]] const std::string& name() const noexcept;
};

/// One kind of line of the log.
struct probe_log_kind {
  std::string_view name;  ///< "exec.save", …; static
  std::uint64_t lines = 0;
};

struct probe_log {
  bool present = false;
  std::optional<fault> damage;
  std::uint64_t lines = 0;                                     ///< empty ones left out
  std::uint64_t unknown = 0;                                   ///< lines that no rule of the grammar covers
  std::vector<std::pair<std::uint64_t, std::string>> samples;  ///< the first 20 of them with their line numbers
  std::uint64_t repeated = 0;                                  ///< launches that a forked child wrote once more
  std::vector<probe_log_kind> kinds;                           ///< those that occur, by name
  std::optional<std::uint64_t> pid;
  std::string command;
  bool benchmark = false;
};

/// One map of a record file.
struct probe_bin_map {
  probe_map place;
  std::shared_ptr<const probe_shape> shape;
};

/// One record file.
struct probe_bin {
  std::string name, path;  ///< the last part, and the whole
  std::uint64_t bytes = 0;
  std::optional<std::int64_t> elapsed_us;  ///< from the driver's start to the end of the launch, out of the name
  std::int32_t launch = -1;                ///< index in launches; -1 when no line of the log names the file
  std::int32_t kernel = -1;
  bool has_header = false;
  probe_header header;
  probe_layout layout;
  std::vector<probe_bin_map> maps;  ///< empty unless the layout is ok
  std::optional<fault> damage;      ///< short_header, section_table_truncated, unknown_section_variant, io, …
};

// enum probe_tool: written by scripts/generate
/// What records are taken for that no probe.toml describes.
enum class probe_tool : std::uint8_t {
  none,             ///< as the name of the kernel's hook says, if it does
  block_sched,
  gmem_bytes,
  tensorop,
  program_progress,
  dmat
};
[[nodiscard]] const char* probe_tool_name(probe_tool value) noexcept;  ///< "", "block_sched", …
// end of enum probe_tool
/// "block_sched", …; "" for none.
[[nodiscard]] std::optional<probe_tool> probe_tool_of(std::string_view name) noexcept;
/// The record of a tool: its name and fields; nothing for none.
[[nodiscard]] std::optional<probe_map_description> probe_tool_record(probe_tool t);

struct probe_trace_options {
  /// Maps without a description are read as records of this tool where their size allows it. Without it, the name of
  /// the hook in kernel.info may say it.
  probe_tool assume = probe_tool::none;
  io_mode io = io_mode::read;
  limits bounds;
  hooks host;
};

/// An opened trace folder. Immutable: share it between threads freely. Holds no open file.
class probe_trace {
 public:
  /// A trace folder, or one of its record files, which is then the only one. Faults: those of looking at the path;
  /// unrecognised when there is neither a log nor a record file. Damage inside is kept and reported.
  static result<std::shared_ptr<const probe_trace>> open(const std::string& path,
                                                         const probe_trace_options& options = {});

  std::string path;                  ///< of the folder
  std::optional<std::uint64_t> pid;  ///< from the log, else from the folder's name
  probe_writer writer = probe_writer::unknown;
  bool is_hip = false;
  probe_description description;
  probe_log log;
  std::vector<probe_kernel> kernels;   ///< in the order of the log, then folders that it does not name
  std::vector<probe_launch> launches;  ///< in the order of the log
  std::vector<probe_bin> bins;         ///< by elapsed time, then those of other names
  /// When the driver started, ns since the Unix epoch: the latest launch minus its elapsed time. Late by the length of
  /// a kernel or more.
  std::optional<std::int64_t> start_unix_ns;
  std::vector<std::string> warnings;  ///< things that are odd without being damage; at most 100
  std::string tensor_trace_path;      ///< "" when there is none

  /// All bytes of a record file.
  [[nodiscard]] result<held_bytes> hold(std::size_t bin) const;
  /// The first damage of all: the log's, the description's, a file's.
  [[nodiscard]] const fault* first_damage() const noexcept;
  /// Whether anything is readable.
  [[nodiscard]] bool anything_intact() const noexcept;

  probe_trace() = default;

 private:
  friend class probe_trace_reader;
  io_mode io_ = io_mode::read;
  limits bounds_;
};

/// The records of a map over the bytes of its file.
[[nodiscard]] probe_records records_of(const probe_bin_map& map, std::string_view file) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
