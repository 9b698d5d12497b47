#include <read/detect.hpp>

#include <base/affix.hpp>
#include <profkit/core/format.hpp>
#include <read/probe.hpp>

#include <algorithm>
#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t head_growth = 4;

enum class host_rule {
  none,           // the name says no host
  stem,           // what stands before the pattern
  stem_and_time,  // the same, with ".<digits>" of a time after the host
};

// One row a format: a new reader adds one. A name matches by how it begins and ends, after .gz or .zst was taken
// off; the first row that matches wins. `by_name` is how far the name is believed; `probe` judges the contents (none:
// name only).
struct format_row {
  file_family family;
  const char* pattern;  // for detection::why
  std::string_view prefix, suffix;
  detection_confidence by_name;
  probe_result (*probe)(std::string_view head);
  host_rule host;
  bool is_export_name;
};

// A whole name stands in both places.
constexpr format_row formats[] = {
    {file_family::xspace, "*.xplane.pb", "", ".xplane.pb", detection_confidence::certain, probe_xspace, host_rule::stem,
     false},
    {file_family::chrome_trace, "perfetto_trace.json", "perfetto_trace.json", "perfetto_trace.json",
     detection_confidence::certain, probe_chrome_trace, host_rule::none, true},
    {file_family::chrome_trace, "*.pt.trace.json", "", ".pt.trace.json", detection_confidence::certain,
     probe_chrome_trace, host_rule::stem_and_time, false},
    {file_family::chrome_trace, "*.trace.json", "", ".trace.json", detection_confidence::certain, probe_chrome_trace,
     host_rule::stem, true},
    {file_family::ascend_json, "communication.json", "communication.json", "communication.json",
     detection_confidence::certain, nullptr, host_rule::none, false},
    {file_family::ascend_json, "profiler_info*.json", "profiler_info", ".json", detection_confidence::certain, nullptr,
     host_rule::none, false},
    {file_family::ascend_json, "profiler_metadata.json", "profiler_metadata.json", "profiler_metadata.json",
     detection_confidence::certain, nullptr, host_rule::none, false},
    {file_family::chrome_trace, "trace_view.json", "trace_view.json", "trace_view.json", detection_confidence::certain,
     probe_chrome_trace, host_rule::none, false},
    {file_family::chrome_trace, "*.json", "", ".json", detection_confidence::possible, probe_chrome_trace,
     host_rule::none, false},
    {file_family::ascend_kernels, "kernel_details*.csv", "kernel_details", ".csv", detection_confidence::certain,
     probe_ascend_kernels, host_rule::none, false},
    {file_family::ascend_kernels, "op_summary*.csv", "op_summary", ".csv", detection_confidence::certain,
     probe_ascend_kernels, host_rule::none, false},
    {file_family::ascend_kernels, "task_time*.csv", "task_time", ".csv", detection_confidence::certain,
     probe_ascend_kernels, host_rule::none, true},
    {file_family::ascend_table, "step_trace_time*.csv", "step_trace_time", ".csv", detection_confidence::certain,
     nullptr, host_rule::none, false},
    {file_family::ascend_table, "operator_details*.csv", "operator_details", ".csv", detection_confidence::certain,
     nullptr, host_rule::none, false},
    {file_family::ascend_table, "op_statistic*.csv", "op_statistic", ".csv", detection_confidence::certain, nullptr,
     host_rule::none, false},
    {file_family::ascend_kernels, "*.csv", "", ".csv", detection_confidence::possible, probe_ascend_kernels,
     host_rule::none, false},
    {file_family::ascend_database, "ascend_*_profiler*.db", "ascend_", ".db", detection_confidence::certain, nullptr,
     host_rule::none, false},
    {file_family::ascend_database, "msprof_*.db", "msprof_", ".db", detection_confidence::certain, nullptr,
     host_rule::none, false},
    {file_family::ascend_database, "analysis.db", "analysis.db", "analysis.db", detection_confidence::certain, nullptr,
     host_rule::none, false},
    {file_family::hlo_proto, "*.hlo_proto.pb", "", ".hlo_proto.pb", detection_confidence::certain, probe_hlo_proto,
     host_rule::none, false},
    {file_family::hlo_proto, "*.hlo.pb", "", ".hlo.pb", detection_confidence::certain, probe_hlo_proto, host_rule::none,
     false},
    {file_family::op_stats, "*.op_stats_v2.pb", "", ".op_stats_v2.pb", detection_confidence::certain, nullptr,
     host_rule::none, false},
};

std::string_view without_compression(std::string_view name) noexcept {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (ends_with(name, suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

// Whether a head ends inside a JSON object that has not told what it is, and nor does the name.
bool goes_on(std::string_view head, std::string_view file_name) {
  return head.size() < most_probe_bytes && detect_by_name(file_name).sure != detection_confidence::certain &&
         probe_chrome_trace(head).sure == detection_confidence::possible;
}

// Whether contents that are certainly another format weigh more than a telling name.
bool names_one_format(file_family f) noexcept {
  return f == file_family::xspace || f == file_family::chrome_trace || f == file_family::hlo_proto;
}

bool matches(const format_row& row, std::string_view name) noexcept {
  if (row.prefix == row.suffix && !row.prefix.empty()) return name == row.prefix;
  return name.size() >= row.prefix.size() + row.suffix.size() && name.substr(0, row.prefix.size()) == row.prefix &&
         ends_with(name, row.suffix);
}

std::string host_in_name(const format_row& row, std::string_view name) {
  if (row.host == host_rule::none) return {};
  std::string_view stem = name.substr(0, name.size() - row.suffix.size());
  if (row.host == host_rule::stem_and_time) {
    const auto last = stem.find_last_not_of("0123456789");
    if (last != std::string_view::npos && last + 1 < stem.size() && stem[last] == '.') stem = stem.substr(0, last);
  }
  return std::string(stem);
}

}  // namespace

const char* family_name(file_family f) noexcept {
  switch (f) {
    case file_family::unknown: return "unknown";
    case file_family::xspace: return "xspace";
    case file_family::chrome_trace: return "chrome_trace";
    case file_family::hlo_proto: return "hlo_proto";
    case file_family::op_stats: return "op_stats";
    case file_family::ascend_kernels: return "ascend_kernels";
    case file_family::ascend_table: return "ascend_table";
    case file_family::ascend_json: return "ascend_json";
    case file_family::ascend_database: return "ascend_database";
    case file_family::neutrino: return "neutrino";
    case file_family::own: return "own";
  }
  return "unknown";
}

detection detect_by_name(std::string_view file_name) {
  const std::string_view name = without_compression(file_name);
  for (const format_row& row : formats) {
    if (!matches(row, name)) continue;
    return {row.family, row.by_name,         std::string("name ") + row.pattern, host_in_name(row, name),
            row.is_export_name, nullptr};
  }
  return {};
}

detection detect_by_content(std::string_view head) {
  detection best;
  for (const format_row& row : formats) {
    if (best.sure == detection_confidence::certain) break;
    if (row.probe == nullptr || row.family == best.family) continue;
    const probe_result probed = row.probe(head);
    if (probed.sure <= best.sure) continue;
    best.family = row.family;
    best.sure = probed.sure;
    best.why = std::string("probe: ") + probed.what;
  }
  return best;
}

detection detect(std::string_view file_name, std::string_view head) {
  constexpr std::size_t first_look_bytes = 4096;
  detection named = detect_by_name(file_name);
  if (named.sure == detection_confidence::certain && head.size() > first_look_bytes) {
    const detection first = detect_by_content(head.substr(0, first_look_bytes));
    if (first.sure == detection_confidence::certain && first.family == named.family) return named;
  }
  detection probed = detect_by_content(head);
  if (named.sure == detection_confidence::certain) {
    if (probed.sure != detection_confidence::certain || probed.family == named.family ||
        !names_one_format(named.family)) {
      return named;
    }
    probed.why += ", though the name says " + named.why.substr(named.why.find(' ') + 1);
    return probed;
  }
  if (probed.sure < detection_confidence::likely) return {};
  if (probed.family == named.family) {
    probed.host = named.host;
    probed.is_export_name = named.is_export_name;
    probed.why = named.why + ", " + probed.why;
  }
  return probed;
}

detection detect(std::string_view file_name, std::string_view head, const own_formats& own) {
  for (const std::shared_ptr<const format>& of : own) {
    if (of == nullptr || !of->recognises(head.substr(0, probe_bytes))) continue;
    detection found;
    found.family = file_family::own;
    found.sure = detection_confidence::certain;
    found.why = std::string("own format ") + of->name();
    found.own = of;
    return found;
  }
  return detect(file_name, head);
}

bool may_be_own(std::string_view file_name, const own_formats& own) noexcept {
  const std::string_view name = without_compression(file_name);
  return std::any_of(own.begin(), own.end(), [&](const std::shared_ptr<const format>& of) {
    return of != nullptr && of->may_be_named(name);
  });
}

std::vector<known_family> known_families() {
  std::vector<known_family> all;
  for (const format_row& row : formats) {
    auto at = std::find_if(all.begin(), all.end(), [&](const known_family& k) { return k.family == row.family; });
    if (at == all.end()) at = all.insert(all.end(), {row.family, "", nullptr});
    at->names += (at->names.empty() ? "" : ", ") + std::string(row.pattern);
    if (row.probe != nullptr) at->probe = row.probe;
  }
  return all;
}

std::string_view head_of(std::string_view bytes, std::string_view file_name) {
  std::size_t wanted = probe_bytes;
  while (wanted < bytes.size() && goes_on(bytes.substr(0, wanted), file_name)) wanted *= head_growth;
  return bytes.substr(0, wanted);
}

std::string read_head(source& from, std::string_view file_name) {
  std::string head;
  std::size_t have = 0;
  do {
    head.resize(std::max(probe_bytes, have * head_growth));
    while (have < head.size()) {
      const auto count = from.read(head.data() + have, head.size() - have);
      if (!count.ok() || *count == 0) break;
      have += *count;
    }
    const bool is_all = have < head.size();
    head.resize(have);
    if (is_all) break;
  } while (goes_on(head, file_name));
  return head;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
