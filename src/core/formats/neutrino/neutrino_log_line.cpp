// The grammar of event.log, one line at a time. Names may hold anything but a line feed, so what follows a name is
// found from the right.
#include <formats/neutrino/neutrino_log.hpp>

#include <initializer_list>
#include <limits>

#include <base/affix.hpp>
#include <base/packed_texts.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view plain_kind_names[log_kind_count] = {
    "unknown",        "init.pid",   "init.cmd",      "init.dl",         "init.ok",       "bench.enabled", "bench",
    "mem.alloc",      "mem.free",   "mem.other",     "mod.load",        "mod.unrec",     "mod.func",      "mod.libkern",
    "mod.kfunc",      "mod.libmod", "bin",           "bin.unrec",       "hash.fail",     "binmap",        "exec.miss",
    "exec.hit",       "exec.param", "exec.launch",   "exec.map.thread", "exec.map.warp", "exec.mem",      "count",
    "exec.ok",        "exec.fail",  "exec.cantsave", "exec.save",       "exec.times",    "exec.backup",   "exec.toggle",
    "probe.cantfind", "probe.find", "probe.rename",  "probe.mkdir",     "probe.open",    "probe.write",   "probe.fork",
    "probe.subproc",  "probe.py",   "probe.read",    "probe.finish",    "callback.sub",  "callback.rc",   "info.api",
    "pass",           "plugin"};
constexpr auto kind_names = pack_texts<plain_kind_names>();

constexpr bool is_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f'); }
constexpr bool is_word(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// What is left of a line, taken from the left. Every step says whether it was there.
class line_scan {
 public:
  explicit line_scan(std::string_view rest) noexcept : rest_(rest) {}

  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
  [[nodiscard]] bool end() const noexcept { return rest_.empty(); }

  bool text(std::string_view wanted) noexcept {
    if (!starts_with(rest_, wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  bool any_of(std::initializer_list<std::string_view> wanted) noexcept {
    for (const std::string_view each : wanted)
      if (text(each)) return true;
    return false;
  }
  bool number(std::uint64_t& into) noexcept {
    std::size_t i = 0;
    std::uint64_t n = 0;
    for (; i < rest_.size() && is_digit(rest_[i]); ++i) {
      const auto digit = static_cast<std::uint64_t>(rest_[i] - '0');
      if (n > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return false;
      n = n * 10 + digit;
    }
    if (i == 0) return false;
    rest_.remove_prefix(i);
    into = n;
    return true;
  }
  bool integer(std::int64_t& into) noexcept {
    const line_scan before = *this;
    const bool negative = text("-");
    std::uint64_t n = 0;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!number(n) || n > most) {
      *this = before;
      return false;
    }
    into = negative ? -static_cast<std::int64_t>(n) : static_cast<std::int64_t>(n);
    return true;
  }
  bool hex(std::string_view& into) noexcept { return run(into, is_hex); }
  bool word(std::string_view& into) noexcept { return run(into, is_word); }
  bool pointer(std::string_view& into) noexcept {
    const line_scan before = *this;
    if (text("(nil)")) {
      into = "(nil)";
      return true;
    }
    std::string_view digits;
    if (!text("0x") || !hex(digits)) {
      *this = before;
      return false;
    }
    into = {digits.data() - 2, digits.size() + 2};
    return true;
  }
  // A number with six decimals, or what printf makes of an infinity or of no number.
  bool decimal(std::string_view& into) noexcept {
    const std::string_view from = rest_;
    const line_scan before = *this;
    text("-");
    std::string_view digits;
    bool ok = any_of({"inf", "nan"});
    if (!ok) ok = run(digits, is_digit) && text(".") && run(digits, is_digit) && digits.size() == 6;
    if (!ok) {
      *this = before;
      return false;
    }
    into = from.substr(0, from.size() - rest_.size());
    return true;
  }

 private:
  template <class Is>
  bool run(std::string_view& into, Is is) noexcept {
    std::size_t i = 0;
    while (i < rest_.size() && is(rest_[i])) ++i;
    if (i == 0) return false;
    into = rest_.substr(0, i);
    rest_.remove_prefix(i);
    return true;
  }

  std::string_view rest_;
};

// Takes " <label> <number>" off the right end of `text`.
template <class Number, class Read>
bool take_last(std::string_view& text, std::string_view label, Number& into, Read read) noexcept {
  const auto at = text.rfind(label);
  if (at == std::string_view::npos) return false;
  line_scan scan(text.substr(at + label.size()));
  if (!read(scan, into) || !scan.end()) return false;
  text = text.substr(0, at);
  return true;
}
constexpr auto read_number = [](line_scan& s, std::uint64_t& n) noexcept { return s.number(n); };
constexpr auto read_integer = [](line_scan& s, std::int64_t& n) noexcept { return s.integer(n); };
constexpr auto read_pointer = [](line_scan& s, std::string_view& p) noexcept { return s.pointer(p); };

bool geometry(line_scan& s, log_line& line) noexcept {
  return s.number(line.n[0]) && s.text(" ") && s.number(line.n[1]) && s.text(" ") && s.number(line.n[2]) &&
         s.text(" block ") && s.number(line.n[3]) && s.text(" ") && s.number(line.n[4]) && s.text(" ") &&
         s.number(line.n[5]) && s.text(" shared ") && s.number(line.n[6]) && s.end();
}

bool init_line(line_scan s, log_line& line, bool is_info) noexcept {
  if (!is_info && s.text("pid ")) {
    line.kind = log_kind::init_pid;
    return s.number(line.n[0]) && s.end();
  }
  if (!is_info && s.text("cmd ")) {
    line.kind = log_kind::init_cmd;
    if (!s.number(line.n[0]) || !s.text(" ")) return false;
    line.name = s.rest();
    return true;
  }
  if (s.text("dl ")) {
    line.kind = log_kind::init_dl;
    return s.pointer(line.pointer) && s.end();
  }
  line.kind = log_kind::init_ok;
  if (s.rest() == (is_info ? "init success" : "success")) return true;
  if (!is_info) return false;
  line.kind = log_kind::info_api;
  return s.word(line.name) && s.text(" ") && s.integer(line.code) && (s.end() || s.text(" "));
}

bool mem_line(line_scan s, log_line& line) noexcept {
  std::string_view api;
  if (!s.word(api) || !s.text(" ") || !s.integer(line.code) || !s.text(" ")) return false;
  line.name = api;
  line_scan more = s;
  if (api == "cuMemAlloc_v2" || api == "hipMalloc") {
    line.kind = log_kind::mem_alloc;
    if (more.text("dptr ") && more.hex(line.pointer) && more.text(" bytesize ") && more.number(line.n[0]) && more.end())
      return true;
  }
  more = s;
  if (api == "cuMemFree_v2") {
    line.kind = log_kind::mem_free;
    if (more.text("dptr ") && more.hex(line.pointer) && more.end()) return true;
  }
  line.kind = log_kind::mem_other;
  return true;
}

bool is_load_function(std::string_view api) noexcept {
  for (const std::string_view each : {"cuModuleLoadData", "cuLibraryLoadData", "cuModuleLoadDataEx",
                                      "cuModuleLoadFatBinary", "hipModuleLoadData", "hipModuleLoad"})
    if (api == each) return true;
  return false;
}

bool load_line(line_scan s, log_line& line) noexcept {
  line.kind = log_kind::mod_load;
  std::int64_t code = 0;
  line_scan with_code = s;
  if (with_code.text(" ") && with_code.integer(code)) s = with_code;
  if (!s.text(" ") || !s.any_of({"module ", "mod ", "lib "}) || !s.pointer(line.pointer)) return false;
  if (!s.any_of({" image ", " code ", " name "}) || !s.pointer(line.pointer2)) return false;
  bool space = false;
  while (s.text(" ")) space = true;
  if (s.end()) return true;
  if (!space || !s.text("type ") || !s.word(line.name)) return false;
  s.text(",");
  return s.text(" size ") && s.number(line.n[0]) && s.end();
}

bool mod_line(line_scan s, log_line& line, bool upper_case) noexcept {
  std::string_view api;
  if (!s.word(api)) return false;
  line.name = api;
  {
    line_scan more = s;
    line.kind = log_kind::mod_unrecognised;
    if (more.text(" unrecognize ") && more.integer(line.code) && more.end()) return true;
  }
  if (is_load_function(api) && load_line(s, line)) return true;
  if (upper_case) return false;
  if (ends_with(api, "GetFunction") && api != "cuKernelGetFunction") {
    line.kind = log_kind::mod_func;
    if (!s.text(" func ") || !s.pointer(line.pointer) || !s.text(" mod ") || !s.pointer(line.pointer2)) return false;
    if (!s.text(" name ")) return false;
    line.name = s.rest();
    return true;
  }
  if (api == "cuLibraryGetKernel") {
    line.kind = log_kind::mod_libkern;
    if (!s.text(" kernel ") || !s.pointer(line.pointer) || !s.text(" lib ") || !s.pointer(line.pointer2)) return false;
    if (!s.text(" name ")) return false;
    line.name = s.rest();
    return true;
  }
  if (api == "cuKernelGetFunction") {
    line.kind = log_kind::mod_kfunc;
    return s.text(" ") && s.pointer(line.pointer) && s.text(" ") && s.pointer(line.pointer2) && s.end();
  }
  line.kind = log_kind::mod_libmod;
  return api == "cuLibraryGetModule" && s.text(" ") && s.integer(line.code) && s.text(" mod ") &&
         s.pointer(line.pointer) && s.text(" lib ") && s.pointer(line.pointer2) && s.end();
}

bool hash_line(line_scan s, log_line& line) noexcept {
  line.kind = log_kind::hash_fail;
  std::string_view api;
  if (!s.word(api) || !s.text(" failed-update ") || !s.pointer(line.pointer) || !s.text(" ") ||
      !s.pointer(line.pointer2))
    return false;
  if (s.end()) return true;
  if (!s.text(" ")) return false;
  line.name = s.rest();
  return true;
}

bool grid_line(line_scan s, log_line& line) noexcept {
  line_scan more = s;
  line.kind = log_kind::exec_launch;
  if (geometry(more, line)) return true;
  if (!s.number(line.n[0])) return false;
  if (s.text(" block "))
    line.kind = log_kind::exec_map_thread;
  else if (s.text(" warp  "))
    line.kind = log_kind::exec_map_warp;
  else
    return false;
  return s.number(line.n[1]) && s.text(" probe ") && s.integer(line.code) && s.text(" total ") && s.number(line.n[2]) &&
         s.end();
}

bool times(line_scan s, log_line& line, std::initializer_list<std::string_view> labels) noexcept {
  std::size_t i = 0;
  for (const std::string_view label : labels) {
    if (!s.text(label) || !s.decimal(line.decimals[i++])) return false;
  }
  if (line.kind == log_kind::exec_times) return s.end();
  return s.text(" ") && s.integer(line.code) && s.end();
}

bool exec_line(line_scan s, log_line& line) noexcept {
  if (s.text("funcmap-not-find ")) {
    line.kind = log_kind::exec_miss;
    return s.pointer(line.pointer) && s.end();
  }
  if (s.text("funcmap-find ")) {
    line.kind = log_kind::exec_hit;
    if (!s.pointer(line.pointer)) return false;
    line.negative = s.rest() == " fail";
    return line.negative || s.rest() == " success";
  }
  if (s.text("grid ")) return grid_line(s, line);
  if (s.text("probe-mem ")) {
    line.kind = log_kind::exec_mem;
    return s.number(line.n[0]) && s.text(" (bytes)") && s.end();
  }
  if (s.text("succeed ")) {
    line.kind = log_kind::exec_ok;
    return s.integer(line.code) && s.end();
  }
  if (s.text("failed ")) {
    line.kind = log_kind::exec_fail;
    return s.integer(line.code) && s.end();
  }
  if (s.text("can't-save ")) {
    line.kind = log_kind::exec_cant_save;
    line.path = s.rest();
    return true;
  }
  if (s.text("save ")) {
    line.kind = log_kind::exec_save;
    line.path = s.rest();
    return take_last(line.path, " size ", line.n[0], read_number);
  }
  if (starts_with(s.rest(), "prologue ")) {
    line.kind = log_kind::exec_times;
    return times(s, line, {"prologue ", " kernel ", " epilogue ", " ratio "});
  }
  if (s.text("backup")) {
    line.kind = log_kind::exec_backup;
    if (!s.text(" ")) return s.end();
    line.has_geometry = !s.end();
    return !line.has_geometry || geometry(s, line);
  }
  if (s.text("trace ")) {
    line.kind = log_kind::exec_toggle;
    line.negative = s.rest() == "disabled";
    return line.negative || s.rest() == "enabled";
  }
  line.kind = log_kind::exec_param;
  std::uint64_t time = 0;
  if (!s.number(time) || !s.text(" param ")) return false;
  line.n[0] = time;
  line.name = s.rest();
  std::string_view argument;
  while (!s.end())
    if (!s.hex(argument) || !s.text(" ")) return false;
  return true;
}

// "read PATH/kernel.info name NAME n_param I n_probe I[ [hook …]]"
bool read_line(std::string_view rest, log_line& line) noexcept {
  line.kind = log_kind::probe_read;
  constexpr std::string_view info = "/kernel.info name ", param = " n_param ";
  const auto at = rest.rfind(info);
  if (at == std::string_view::npos) return false;
  line.path = rest.substr(0, at);
  const std::string_view tail = rest.substr(at + info.size());
  for (auto end = tail.rfind(param); end != std::string_view::npos;
       end = end == 0 ? std::string_view::npos : tail.rfind(param, end - 1)) {
    line_scan s(tail.substr(end + param.size()));
    std::int64_t maps = 0;
    if (!s.integer(line.code) || !s.text(" n_probe ") || !s.integer(maps)) continue;
    if (!s.end() && (!s.text(" ") || (!s.end() && !s.any_of({"trace_hook ", "analyze_hook "})))) continue;
    line.name = tail.substr(0, end);
    line.n[0] = static_cast<std::uint64_t>(maps);
    return true;
  }
  return false;
}

bool rename_line(std::string_view rest, log_line& line) noexcept {
  line.kind = log_kind::probe_rename;
  const auto space = rest.rfind(' ');
  if (space == std::string_view::npos) return false;
  line.name = rest.substr(0, space);
  line.path = rest.substr(space + 1);
  line_scan s(line.path);
  std::string_view hash;
  return s.number(line.n[0]) && s.text("_") && s.hex(hash) && s.end() && hash.size() == 40;
}

bool probe_line(line_scan s, log_line& line) noexcept {
  const auto path_of = [&](log_kind kind) {
    line.kind = kind;
    line.path = s.rest();
    return true;
  };
  if (s.text("can't-find ")) {
    line.kind = log_kind::probe_cant_find;
    return s.pointer(line.pointer) && s.end();
  }
  if (s.text("find ")) {
    line.kind = log_kind::probe_find;
    if (!s.pointer(line.pointer) || !s.text(" name ")) return false;
    line.name = s.rest();
    return take_last(line.name, " size ", line.n[0], read_number) &&
           take_last(line.name, " bin ", line.pointer2, read_pointer);
  }
  if (s.text("rename ")) return rename_line(s.rest(), line);
  if (s.text("mkdir ")) return path_of(log_kind::probe_mkdir);
  line.negative = true;
  if (s.text("can't-mkdir ")) return path_of(log_kind::probe_mkdir);
  if (s.text("can't-open ")) return path_of(log_kind::probe_open);
  if (s.text("can't-folk")) {
    line.kind = log_kind::probe_fork;
    return s.end();
  }
  line.negative = false;
  if (s.text("write ")) return path_of(log_kind::probe_write);
  if (s.text("subproc ")) return path_of(log_kind::probe_subproc);
  if (s.text("python ")) {
    line.kind = log_kind::probe_python;
    line.negative = s.rest() == "failed";
    return line.negative || s.rest() == "succeed";
  }
  if (s.text("read ")) return read_line(s.rest(), line);
  line.kind = log_kind::probe_finish;
  if (!s.text("finish ") || !s.pointer(line.pointer) || !s.text(" name ")) return false;
  line.name = s.rest();
  return take_last(line.name, " n_param ", line.code, read_integer);
}

bool callback_line(line_scan s, log_line& line) noexcept {
  if (s.text("subproc ")) {
    line.kind = log_kind::callback_sub;
    line.path = s.rest();
    return true;
  }
  line.kind = log_kind::callback_rc;
  line.negative = s.rest() == "failed";
  return line.negative || s.rest() == "succeed";
}

bool bin_line(line_scan s, log_line& line) noexcept {
  if (s.text("unrecognize ")) {
    line.kind = log_kind::bin_unrecognised;
    return s.integer(line.code) && s.end();
  }
  line.kind = log_kind::bin;
  return s.text("type ") && s.word(line.name) && s.text(" size ") && s.number(line.n[0]) && s.end();
}

bool bench_line(line_scan s, log_line& line) noexcept {
  if (s.text("ENABLED L2 Flush Size ")) {
    line.kind = log_kind::bench_enabled;
    return s.number(line.n[0]) && s.end();
  }
  line.kind = log_kind::bench;
  return times(s, line, {"prologue ", " kernel ", " epilogue ", " original ", " impact "});
}

bool read_tagged(std::string_view text, log_line& line) noexcept {
  line_scan s(text);
  if (s.text("[exec] ")) return exec_line(s, line);
  if (s.text("[mem] ")) return mem_line(s, line);
  if (s.text("[mod] ")) return mod_line(s, line, false);
  if (s.text("[Mod] ")) return mod_line(s, line, true);
  if (s.text("[probe] ")) return probe_line(s, line);
  if (s.text("[bin] ")) return bin_line(s, line);
  if (s.text("[hash] ")) return hash_line(s, line);
  if (s.text("[callback] ")) return callback_line(s, line);
  if (s.text("[init] ")) return init_line(s, line, false);
  if (s.text("[benchmark] ")) return bench_line(s, line);
  if (s.text("[count] size: ")) {
    line.kind = log_kind::count;
    return s.integer(line.code) && s.text(" ") && s.end();
  }
  if (s.text("[pass] ")) {
    line.kind = log_kind::pass;
    return true;
  }
  if (s.text("[plugin]")) {
    line.kind = log_kind::plugin;
    return true;
  }
  if (s.text("[info] ")) return init_line(s, line, true);
  line.old_tag = true;
  if (s.text("[jit] ")) return probe_line(s, line);
  if (s.text("[analyze] ")) return callback_line(s, line);
  if (s.text("[pid] ")) {
    line.kind = log_kind::init_pid;
    return s.number(line.n[0]) && s.end();
  }
  if (s.text("[cmd] ")) {
    line.kind = log_kind::init_cmd;
    if (!s.number(line.n[0]) || !s.text(" ")) return false;
    line.name = s.rest();
    return true;
  }
  line.kind = log_kind::binmap;
  return s.text("[binmap] get ");
}

}  // namespace

std::string_view log_kind_name(log_kind k) noexcept { return kind_names[static_cast<std::size_t>(k)]; }

log_line read_log_line(std::string_view text) noexcept {
  log_line line;
  if (!read_tagged(text, line)) {
    line = log_line();
  }
  return line;
}

log_params read_log_params(std::string_view text) noexcept {
  log_params found;
  line_scan s(text);
  if (!s.text("[exec] ") || !s.number(found.time_ns) || !s.text(" param ")) return found;
  found.is_param = true;
  const std::string_view all = s.rest();
  std::string_view argument;
  for (line_scan more = s; !more.end(); s = more) {
    if (!more.hex(argument) || !more.text(" ")) {
      found.torn = true;
      break;
    }
  }
  found.arguments = all.substr(0, all.size() - s.rest().size());
  return found;
}

std::optional<std::int64_t> log_milliseconds_ps(std::string_view text) noexcept {
  line_scan s(text);
  const bool negative = s.text("-");
  std::uint64_t whole = 0, micro = 0;
  if (!s.number(whole) || !s.text(".") || s.rest().size() != 6 || !s.number(micro) || !s.end()) return std::nullopt;
  if (whole > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / 1'000'000'000 - 1)
    return std::nullopt;
  const auto ps = static_cast<std::int64_t>(whole * 1'000'000'000 + micro * 1'000);
  return negative ? -ps : ps;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
