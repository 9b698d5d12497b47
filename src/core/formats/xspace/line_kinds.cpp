// What planes and lines mean, by their names.
//
// Sources of the names: XProf/TSL's xplane_schema.cc (tsl/profiler and xprof/utils; plane and line constants
// of 2020 to 2025) and trace_utils.h (ids of derived lines start at 0xdeadbeef as a 32-bit int, hence
// negative), and the lines of real TPU, GPU and CPU captures.
#include <profkit/core/track.hpp>

#include <base/affix.hpp>
#include <formats/xspace/line_time.hpp>
#include <formats/xspace/plane_node.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct plane_rule {
  std::string_view name;
  bool whole;  // the whole name, else a prefix
  plane_kind kind;
};
// The first rule that fits counts.
constexpr plane_rule plane_rules[] = {
    {"/device:CUSTOM:", false, plane_kind::custom},  // kCustomPlanePrefix: "Megascale Trace", …
    {"/device:", false, plane_kind::device},         // "/device:TPU:0", "/device:TPU:0 SparseCore 1", "/device:GPU:3"
    {"/host:metadata", true, plane_kind::metadata},  // kMetadataPlaneName: one HloProto an entry
    {"/host:", false, plane_kind::host},             // "/host:CPU", "/host:python-tracer", "/host:CUPTI", …
    {"host:metadata", true, plane_kind::metadata},   // these two as a merge may name them
    {"host:", false, plane_kind::host},
    {"Task Environment", true, plane_kind::environment},
    {"Host CPUs", true, plane_kind::host},  // kHostCpusPlaneName
    {"Syscalls", true, plane_kind::host},   // kSyscallsPlaneName
};

struct line_rule {
  std::string_view name;
  bool whole;
  line_kind kind;
};
constexpr line_rule device_line_rules[] = {
    {"Steps", true, line_kind::steps},  // also derived on GPU planes (negative id): the only steps there
    {"Sparse Core Steps", true, line_kind::steps},
    {"XLA Modules", true, line_kind::modules},  // likewise
    {"Sparse Core Modules", true, line_kind::modules},
};
constexpr line_rule own_line_rules[] = {
    {"XLA Ops", true, line_kind::ops},
    {"Sparse Core Ops", true, line_kind::ops},
    {"Async XLA Ops", true, line_kind::async},
    {"Stream #", false, line_kind::stream},  // one a CUDA/HIP stream: "Stream #16(Kernel)"
    {"Overlay", true, line_kind::derived},   // groups of XLA Ops
    {"TC Overlay", true, line_kind::derived},
    {"Framework Ops", true, line_kind::derived},  // groups of XLA Ops or of kernels by tf_op
    {"Framework Name Scope", true, line_kind::derived},
    {"TensorFlow Ops", true, line_kind::derived},  // their names before 2024
    {"TensorFlow Name Scope", true, line_kind::derived},
    {"Source code", true, line_kind::derived},
    {"Source Code", true, line_kind::derived},
    {"Launch Stats", true, line_kind::derived},
    {"_counters_", true, line_kind::counter},
    {"counters_", false, line_kind::counter},  // "counters_0"
};

// First and last id of XProf's derived GPU lines, read as the 32-bit ints they are written as.
constexpr std::int64_t first_derived_id = -559038737, last_derived_id = first_derived_id + 1023;

template <class Rule, std::size_t N>
const Rule* find_rule(const Rule (&rules)[N], std::string_view name) noexcept {
  const Rule* found = std::find_if(std::begin(rules), std::end(rules),
                                   [&](const Rule& r) { return r.whole ? name == r.name : starts_with(name, r.name); });
  return found == std::end(rules) ? nullptr : found;
}

// The name that a plane had before a merge put its node or, as of "/device:GPU:50100_misc_host:metadata", a number in
// front.
std::string_view name_before_merge(std::string_view plane_name) noexcept {
  if (const auto found = find_node(plane_name)) return found->rest;
  constexpr std::string_view mark = "_misc_";
  const std::size_t at = starts_with(plane_name, "/device:") ? plane_name.find(mark) : std::string_view::npos;
  return at == std::string_view::npos ? plane_name : plane_name.substr(at + mark.size());
}

}  // namespace

plane_kind classify_plane(std::string_view plane_name) noexcept {
  const std::string_view own_name = name_before_merge(plane_name);
  const plane_rule* rule = find_rule(plane_rules, own_name);
  if (rule == nullptr) return plane_kind::other;
  // The environment of one node holds that node's start time, not that of the merged timeline.
  if (rule->kind == plane_kind::environment && own_name.size() != plane_name.size()) return plane_kind::other;
  return rule->kind;
}

line_kind classify_line(plane_kind plane, std::string_view line_name, std::int64_t line_id) noexcept {
  if (plane == plane_kind::device) {
    if (const line_rule* rule = find_rule(device_line_rules, line_name)) return rule->kind;
    if (line_id < 0) return line_kind::derived;
    const line_rule* rule = find_rule(own_line_rules, line_name);
    return rule != nullptr ? rule->kind : line_kind::other;
  }
  if (plane == plane_kind::host) {
    // XProf adds lines of XLA ops below host threads; thread ids themselves are arbitrary 64-bit numbers.
    if (line_id >= first_derived_id && line_id <= last_derived_id) return line_kind::derived;
    return line_kind::thread;
  }
  const line_rule* rule = find_rule(own_line_rules, line_name);
  return rule != nullptr && rule->kind == line_kind::counter ? line_kind::counter : line_kind::other;
}

std::int32_t device_ordinal(std::string_view plane_name) noexcept {
  plane_name = name_before_merge(plane_name);
  if (!starts_with(plane_name, "/device:")) return -1;
  const std::size_t colon = plane_name.find(':', std::string_view("/device:").size());
  if (colon == std::string_view::npos) return -1;
  std::int64_t ordinal = -1;
  for (std::size_t at = colon + 1; at < plane_name.size(); ++at) {
    const char digit = plane_name[at];
    if (digit < '0' || digit > '9') break;
    ordinal = (ordinal < 0 ? 0 : ordinal * 10) + (digit - '0');
    if (ordinal > std::numeric_limits<std::int32_t>::max()) return -1;
  }
  return static_cast<std::int32_t>(ordinal);
}

std::optional<std::int64_t> stream_number_of(std::string_view line_name) noexcept {
  constexpr std::string_view prefix("Stream #");
  if (!starts_with(line_name, prefix)) return std::nullopt;
  std::int64_t number = 0;
  const auto read = std::from_chars(line_name.data() + prefix.size(), line_name.data() + line_name.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

std::int64_t stream_of(const line_index& line) noexcept {
  if (line.kind == line_kind::stream) return stream_number_of(line.name()).value_or(-1);
  return line.kind == line_kind::thread ? line.header.id : -1;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
