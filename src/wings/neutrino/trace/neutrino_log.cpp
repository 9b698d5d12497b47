// What the lines of event.log say together: which kernels were probed, and how each launch went.
#include <formats/neutrino/neutrino_log.hpp>
#include <neutrino/trace/neutrino_sha1.hpp>

#include <base/hash_map.hpp>
#include <base/paths.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_log_samples = 20, max_sample_bytes = 400;

bool begins_with(std::string_view text, std::string_view with) noexcept { return text.substr(0, with.size()) == with; }

class log_reader {
 public:
  log_findings run(std::string_view bytes) {
    found_.log.present = true;
    std::uint64_t number = 0;
    while (!bytes.empty()) {
      const auto end = bytes.find('\n');
      std::string_view text = bytes.substr(0, end);
      bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
      ++number;
      if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
      if (text.empty()) continue;
      ++found_.log.lines;
      take(text, number);
    }
    finish();
    return std::move(found_);
  }

 private:
  void take(std::string_view text, std::uint64_t number) {
    number_ = number;
    const log_line line = read_log_line(text);
    ++counts_[static_cast<std::size_t>(line.kind)];
    if (line.kind == log_kind::unknown) return take_unknown(text);
    note_writer(line, text);
    switch (line.kind) {
      case log_kind::init_pid: found_.log.pid = line.n[0]; break;
      case log_kind::init_cmd: take_command(line); break;
      case log_kind::bench_enabled: found_.log.benchmark = true; break;
      case log_kind::mod_func: module_names_[std::string(line.pointer)] = std::string(line.name); break;
      case log_kind::mod_libkern: module_names_[std::string(line.pointer)] = std::string(line.name); break;
      case log_kind::mod_kfunc: take_kernel_function(line); break;
      case log_kind::exec_miss: take_miss(line); break;
      case log_kind::exec_hit: take_hit(line); break;
      case log_kind::exec_param: take_param(read_log_params(text)); break;
      case log_kind::exec_launch:
        take_geometry(line, open_launch_without([](const auto& l) { return l.has_geometry; }));
        break;
      case log_kind::exec_map_thread:
      case log_kind::exec_map_warp: take_map(line); break;
      case log_kind::exec_mem: current().probe_memory_bytes = line.n[0]; break;
      case log_kind::count: current().counted_bytes = line.code; break;
      case log_kind::exec_ok: current().outcome = probe_outcome::ok; break;
      case log_kind::exec_fail: take_failure(line); break;
      case log_kind::exec_cant_save: take_saved(line, probe_outcome::cant_save); break;
      case log_kind::exec_save: take_saved(line, probe_outcome::ok); break;
      case log_kind::exec_times: take_times(line); break;
      case log_kind::bench: take_times(line); break;
      case log_kind::exec_backup: take_backup(line); break;
      case log_kind::callback_sub: set_callback(probe_callback::started); break;
      case log_kind::callback_rc:
        set_callback(line.negative ? probe_callback::failed : probe_callback::succeeded);
        break;
      case log_kind::probe_cant_find: take_cant_find(line); break;
      case log_kind::probe_find: take_find(line); break;
      case log_kind::probe_rename: take_rename(line); break;
      case log_kind::probe_mkdir:
        if (line.negative) set_status(probe_kernel_status::cant_mkdir);
        break;
      case log_kind::probe_open: set_status(probe_kernel_status::cant_open); break;
      case log_kind::probe_fork: take_fork(); break;
      case log_kind::probe_python:
        if (line.negative) set_status(probe_kernel_status::python_failed);
        break;
      case log_kind::probe_read: take_read(line); break;
      case log_kind::probe_finish: take_finish(line); break;
      default: break;
    }
  }

  void take_unknown(std::string_view text) {
    ++found_.log.unknown;
    if (found_.log.samples.size() < max_log_samples)
      found_.log.samples.emplace_back(number_, std::string(text.substr(0, max_sample_bytes)));
    // Another thread wrote into the line of the arguments: the launch is one all the same.
    if (const log_params params = read_log_params(text); params.is_param) take_param(params);
  }

  void note_writer(const log_line& line, std::string_view text) {
    if (line.old_tag) found_.old_tags = true;
    if (begins_with(text, "[init] ") || begins_with(text, "[probe] ") || begins_with(text, "[callback] "))
      found_.new_tags = true;
    found_.has_bin_lines = found_.has_bin_lines || line.kind == log_kind::bin || line.kind == log_kind::count;
    found_.has_binmap = found_.has_binmap || line.kind == log_kind::binmap;
    if ((line.kind == log_kind::mem_alloc || line.kind == log_kind::mod_load) &&
        (begins_with(text, "[mem] hip") || begins_with(text, "[mod] hip")))
      found_.is_hip = true;
  }

  void take_command(const log_line& line) {
    // The length counts the command; stray bytes follow it.
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(line.n[0], line.name.size()));
    found_.log.command = std::string(line.name.substr(0, bytes));
  }

  void take_kernel_function(const log_line& line) {
    const auto named = module_names_.find(std::string(line.pointer2));
    if (named == module_names_.end()) return;
    std::string name = named->second;
    module_names_[std::string(line.pointer)] = std::move(name);
  }

  // ---- launches ----

  probe_launch& start_launch(std::string_view function) {
    probe_launch launch;
    launch.line = number_;
    launch.function = std::string(function);
    if (const auto known = kernels_.find(launch.function); known != kernels_.end()) launch.kernel = known->second;
    found_.launches.push_back(std::move(launch));
    is_open_ = true;
    return found_.launches.back();
  }
  // The launch that the log is at; one without a handle when its first lines are lost.
  probe_launch& current() {
    if (is_open_) return found_.launches[at_ != npos ? at_ : found_.launches.size() - 1];
    at_ = npos;
    return start_launch("");
  }
  template <class Has>
  probe_launch& open_launch_without(Has has) {
    if (is_open_ && at_ == npos && has(current())) close();  // one that is repeated has everything
    return current();
  }
  void close() {
    is_open_ = false;
    at_ = npos;
  }

  void take_miss(const log_line& line) {
    // A forked child writes what its parent had not flushed once more.
    const bool repeats =
        is_open_ && current().function == line.pointer && !current().has_geometry && !current().time_ns;
    if (repeats) return;
    close();
    start_launch(line.pointer);
  }

  void take_hit(const log_line& line) {
    const bool same = is_open_ && current().function == line.pointer && !current().time_ns && !current().has_geometry;
    if (same) return;
    close();
    start_launch(line.pointer);
  }

  void take_param(const log_params& params) {
    probe_launch* launch = &open_launch_without([](const auto& l) { return l.time_ns.has_value(); });
    const auto time_ns = static_cast<std::int64_t>(
        std::min<std::uint64_t>(params.time_ns, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())));
    const auto [known, is_new] =
        by_time_.emplace(std::make_pair(time_ns, launch->function), found_.launches.size() - 1);
    if (!is_new && !launch->has_geometry && found_.launches.size() - 1 != known->second && at_ == npos) {
      // The whole launch is written once more: its lines say the same again.
      ++found_.log.repeated;
      found_.launches.pop_back();
      at_ = known->second;
      launch = &found_.launches[at_];
      launch->maps.clear();
      launch->has_geometry = false;
    }
    launch->time_ns = time_ns;
    launch->params_torn = params.torn;
    launch->params.clear();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (const char c : params.arguments) {
      if (c == ' ') {
        if (digits <= 16) launch->params.push_back(value);
        value = 0;
        digits = 0;
        continue;
      }
      value = value << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
      ++digits;
    }
  }

  static bool take_geometry(const log_line& line, probe_launch& launch) {
    for (std::size_t i = 0; i < 3; ++i) {
      launch.grid[i] = static_cast<std::uint32_t>(line.n[i]);
      launch.block[i] = static_cast<std::uint32_t>(line.n[3 + i]);
    }
    launch.shared_bytes = static_cast<std::uint32_t>(line.n[6]);
    launch.has_geometry = true;
    return true;
  }

  void take_map(const log_line& line) {
    const probe_level level = line.kind == log_kind::exec_map_warp ? probe_level::warp : probe_level::thread;
    current().maps.push_back({level, line.n[0], line.n[1], line.code, line.n[2]});
  }

  void take_failure(const log_line& line) {
    probe_launch& launch = current();
    launch.outcome = probe_outcome::failed;
    launch.return_code = line.code;
  }

  void take_saved(const log_line& line, probe_outcome outcome) {
    probe_launch& launch = open_launch_without([](const auto& l) { return !l.saved_path.empty() && l.kernel_ps; });
    launch.outcome = outcome;
    launch.saved_path = std::string(line.path);
    launch.bin_name = std::string(last_part_of(line.path));
    if (outcome == probe_outcome::cant_save) close();
  }

  void take_times(const log_line& line) {
    probe_launch& launch = current();
    launch.prologue_ps = log_milliseconds_ps(line.decimals[0]);
    launch.kernel_ps = log_milliseconds_ps(line.decimals[1]);
    launch.epilogue_ps = log_milliseconds_ps(line.decimals[2]);
    if (line.kind != log_kind::bench) return;
    launch.original_ps = log_milliseconds_ps(line.decimals[3]);
    launch.outcome = probe_outcome::benchmark;
    close();
  }

  void take_backup(const log_line& line) {
    probe_launch& launch = current();
    if (launch.outcome == probe_outcome::unfinished)
      launch.outcome = launch.probe_memory_bytes ? probe_outcome::memusage : probe_outcome::backup;
    if (line.has_geometry && !launch.has_geometry) take_geometry(line, launch);
    close();
  }

  void set_callback(probe_callback c) {
    if (is_open_) current().callback = c;
  }

  // ---- kernels ----

  probe_kernel& start_kernel(std::string_view function) {
    probe_kernel kernel;
    kernel.function = std::string(function);
    if (const auto named = module_names_.find(kernel.function); named != module_names_.end())
      kernel.module_name = named->second;
    const auto index = static_cast<std::int32_t>(found_.kernels.size());
    found_.kernels.push_back(std::move(kernel));
    kernels_[std::string(function)] = index;
    probing_ = index;
    if (is_open_ && current().function == function) current().kernel = index;
    return found_.kernels.back();
  }
  probe_kernel* probing() { return probing_ < 0 ? nullptr : &found_.kernels[static_cast<std::size_t>(probing_)]; }
  void set_status(probe_kernel_status status) {
    if (probe_kernel* kernel = probing(); kernel != nullptr && kernel->status == probe_kernel_status::unfinished)
      kernel->status = status;
  }

  void take_cant_find(const log_line& line) {
    start_kernel(line.pointer).status = probe_kernel_status::cant_find;
    probing_ = -1;
  }
  void take_find(const log_line& line) {
    const probe_kernel* before = probing();
    const bool repeats = before != nullptr && before->status == probe_kernel_status::unfinished &&
                         before->function == line.pointer && before->found_name == line.name;
    if (!repeats) start_kernel(line.pointer).found_name = std::string(line.name);
  }
  void take_rename(const log_line& line) {
    probe_kernel* kernel = probing();
    if (kernel == nullptr || (!kernel->folder.empty() && kernel->folder != line.path)) {
      // Its find line is lost.
      kernel = &start_kernel("");
      kernel->found_name = std::string(line.name);
    }
    kernel->folder = std::string(line.path);
    kernel->index = static_cast<std::int32_t>(std::min<std::uint64_t>(line.n[0], 0x7fffffff));
    kernel->hash_differs = sha1_hex(line.name) != line.path.substr(line.path.find('_') + 1);
  }
  void take_fork() {
    // The same words when the fork of a callback fails, after the records were saved.
    const bool is_callback = is_open_ && !current().saved_path.empty();
    if (is_callback)
      current().callback = probe_callback::failed;
    else
      set_status(probe_kernel_status::cant_fork);
  }
  void take_read(const log_line& line) {
    probe_kernel* kernel = probing();
    const std::string_view folder = last_part_of(line.path);
    if (kernel == nullptr || kernel->folder != folder) {
      const auto known = std::find_if(found_.kernels.rbegin(), found_.kernels.rend(),
                                      [&](const probe_kernel& k) { return k.folder == folder; });
      kernel = known == found_.kernels.rend() ? nullptr : &*known;
    }
    if (kernel != nullptr) kernel->engine_name = std::string(line.name);
  }
  void take_finish(const log_line& line) {
    probe_kernel* kernel = probing();
    if (kernel == nullptr || kernel->function != line.pointer) {
      const auto known = kernels_.find(std::string(line.pointer));
      kernel = known == kernels_.end() ? &start_kernel(line.pointer)
                                       : &found_.kernels[static_cast<std::size_t>(known->second)];
    }
    kernel->status = probe_kernel_status::ok;
    kernel->engine_name = std::string(line.name);
    const std::string& found = kernel->found_name;
    kernel->names_differ =
        !found.empty() && !begins_with(found, kernel->engine_name) && !begins_with(kernel->engine_name, found);
    probing_ = -1;
  }

  void finish() {
    for (std::size_t i = 1; i < log_kind_count; ++i)
      if (counts_[i] != 0) found_.log.kinds.push_back({log_kind_name(static_cast<log_kind>(i)), counts_[i]});
    std::sort(found_.log.kinds.begin(), found_.log.kinds.end(),
              [](const probe_log_kind& a, const probe_log_kind& b) { return a.name < b.name; });
    for (const probe_launch& launch : found_.launches)
      if (launch.kernel >= 0) ++found_.kernels[static_cast<std::size_t>(launch.kernel)].launches;
  }

  static constexpr std::size_t npos = ~std::size_t{0};

  log_findings found_;
  std::uint64_t number_ = 0;
  bool is_open_ = false;
  std::size_t at_ = npos;  // the launch whose lines are repeated; else the last one
  std::int32_t probing_ = -1;
  std::array<std::uint64_t, log_kind_count> counts_{};
  hash_map<std::string, std::string> module_names_;
  hash_map<std::string, std::int32_t> kernels_;  // by handle, the newest
  hash_map<std::pair<std::int64_t, std::string>, std::size_t> by_time_;
};

}  // namespace

log_findings read_event_log(std::string_view bytes) { return log_reader().run(bytes); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
