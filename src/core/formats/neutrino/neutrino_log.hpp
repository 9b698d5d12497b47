// event.log of the Neutrino driver: one line at a time, and what the lines together say of kernels and launches.
#pragma once
#include <profkit/core/probe_trace.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class log_kind : std::uint8_t {
  unknown,
  init_pid,
  init_cmd,
  init_dl,
  init_ok,
  bench_enabled,
  bench,
  mem_alloc,
  mem_free,
  mem_other,
  mod_load,
  mod_unrecognised,
  mod_func,
  mod_libkern,
  mod_kfunc,
  mod_libmod,
  bin,
  bin_unrecognised,
  hash_fail,
  binmap,
  exec_miss,
  exec_hit,
  exec_param,
  exec_launch,
  exec_map_thread,
  exec_map_warp,
  exec_mem,
  count,
  exec_ok,
  exec_fail,
  exec_cant_save,
  exec_save,
  exec_times,
  exec_backup,
  exec_toggle,
  probe_cant_find,
  probe_find,
  probe_rename,
  probe_mkdir,
  probe_open,
  probe_write,
  probe_fork,
  probe_subproc,
  probe_python,
  probe_read,
  probe_finish,
  callback_sub,
  callback_rc,
  info_api,
  pass,
  plugin,
};
inline constexpr std::size_t log_kind_count = static_cast<std::size_t>(log_kind::plugin) + 1;
[[nodiscard]] std::string_view log_kind_name(log_kind k) noexcept;  // "exec.save", …

// One line, taken apart. Which members hold something depends on the kind.
struct log_line {
  log_kind kind = log_kind::unknown;
  bool old_tag = false;              // a tag of the drivers before 2025-07
  bool negative = false;             // can't-…, fail, failed, disabled
  std::array<std::uint64_t, 7> n{};  // numbers, in the order of the line
  std::int64_t code = 0;             // a signed number: a return code, bytes of a lane
  std::string_view pointer, pointer2;
  std::string_view name, path;
  std::array<std::string_view, 5> decimals{};  // times and ratios as written
  bool has_geometry = false;                   // backup
};

[[nodiscard]] log_line read_log_line(std::string_view line) noexcept;

// The hexadecimal arguments of a param line; false at anything else. `torn` lines start like one.
struct log_params {
  bool is_param = false, torn = false;
  std::uint64_t time_ns = 0;
  std::string_view arguments;
};
[[nodiscard]] log_params read_log_params(std::string_view line) noexcept;

// "12.500000" (ms) in ps; nothing for inf, nan, and what does not fit.
[[nodiscard]] std::optional<std::int64_t> log_milliseconds_ps(std::string_view text) noexcept;

// Everything in the log.
struct log_findings {
  probe_log log;
  std::vector<probe_kernel> kernels;
  std::vector<probe_launch> launches;
  bool old_tags = false, new_tags = false, has_bin_lines = false, has_binmap = false, is_hip = false;
};
[[nodiscard]] log_findings read_event_log(std::string_view bytes);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
