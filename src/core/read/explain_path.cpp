// explain_detection() of what lies at a path.
#include <profkit/core/detection.hpp>

#include <profkit/core/discover.hpp>

#include <base/contained.hpp>
#include <base/paths.hpp>
#include <base/progress.hpp>
#include <formats/ascend/unparsed.hpp>
#include <formats/foreign/foreign_format.hpp>
#include <formats/neutrino/neutrino_detect.hpp>
#include <read/detect.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// A format whose sign comes after the head, as the texts of a pprof profile, is looked for so far.
constexpr std::size_t max_explained_bytes = std::size_t{16} << 20;

// Reads on after a head; what comes before a fault is enough, and the fault is reported.
std::optional<fault> read_on(source& from, std::string& head) {
  std::size_t have = head.size();
  while (have < max_explained_bytes) {
    constexpr std::size_t piece = std::size_t{1} << 20;
    head.resize(std::min(have + piece, max_explained_bytes));
    const auto count = from.read(head.data() + have, head.size() - have);
    if (!count || *count == 0) {
      head.resize(have);
      if (!count) return count.error();
      break;
    }
    have += *count;
    head.resize(have);
  }
  return std::nullopt;
}

void call_it_neutrino(detection_report& report, const char* why) {
  report.family = file_family::neutrino;
  report.verdict = std::string("neutrino: ") + why;
  report.next.clear();
  const auto is_neutrino = [](const considered_format& c) { return c.format == "neutrino"; };
  report.considered.erase(std::remove_if(report.considered.begin(), report.considered.end(), is_neutrino),
                          report.considered.end());
  report.considered.push_back({"neutrino", true, "event.log, *_event.log, <elapsed>.bin", true, true, why});
}

detection_report explain_file(const std::string& path, std::uint64_t bytes, bool is_stream, const limits& bounds) {
  const std::string_view name = last_part_of(path);
  detection_report report;
  auto opened = open_file_source(path, io_mode::read, bounds);
  if (opened) {
    std::string head = read_head(**opened, name);
    report = explain_detection(name, head);
    if (!is_recognised(report.family) || head.empty()) {
      const std::size_t looked_at = head.size();
      report.damage = read_on(**opened, head);
      if (head.size() != looked_at) {
        std::optional<fault> damage = std::move(report.damage);
        report = explain_detection(name, head);
        report.damage = std::move(damage);
      }
    }
    report.encoding = (*opened)->encoding();
  } else {
    report = explain_detection(name, {});
    report.damage = opened.error();
    if (!is_recognised(report.family)) {
      report.verdict = "not to be opened";
      report.next = opened.error().hint;
    }
  }
  report.path = path;
  report.bytes = bytes;
  if (is_recognised(report.family) || is_stream) return report;
  if (is_probe_bin(path, name, bytes)) {
    call_it_neutrino(report, "name <elapsed>.bin, or its header");
  } else if (is_probe_log(path, name)) {
    call_it_neutrino(report, "the driver's first line");
  } else {
    report.considered.push_back({"neutrino", true, "event.log, *_event.log, <elapsed>.bin", false, false,
                                 "no header of records, no line of its driver"});
  }
  return report;
}

detection_report explain_trace(const found_trace& trace) {
  detection_report report;
  report.path = trace.folder->path;
  report.bytes = trace.bytes;
  call_it_neutrino(report, "event.log and result/*.bin");
  return report;
}

// A pipe, a socket or a device in a folder.
detection_report explain_pipe(const std::string& path) {
  detection_report report;
  report.path = path;
  report.damage = why_never_opened(path);
  if (!report.damage) return report;  // it went away meanwhile
  report.verdict = report.damage->message;
  report.next = report.damage->hint;
  return report;
}

// All files of such a folder get one explanation.
detection_report explain_unparsed(const unparsed_folder& raw, const discovery& found) {
  detection_report report;
  report.path = raw.folder->path;
  for (const found_folder& folder : found.folders) {
    if (!is_at_or_below(folder.path, report.path)) continue;
    for (const found_file& file : folder.files) report.bytes += file.bytes;
  }
  report.verdict = raw.why.message;
  report.next = raw.why.hint;
  report.unread = raw.why;
  return report;
}

result<std::vector<detection_report>> explain_folder(const std::string& path, std::string_view name,
                                                     const limits& bounds, const hooks& host) {
  auto found = discover(path, bounds, host);
  if (!found) return std::move(found).error();
  progress_meter meter(host);
  const std::vector<found_trace> traces = find_probe_traces(*found);
  const std::vector<unparsed_folder> unparsed = find_unparsed_ascend(*found, name);
  auto raw = unparsed.begin();
  std::vector<detection_report> all;
  for (const found_folder& folder : found->folders) {
    if (raw != unparsed.end() && raw->folder == &folder) all.push_back(explain_unparsed(*raw++, *found));
    if (raw != unparsed.begin() && is_at_or_below(folder.path, std::prev(raw)->folder->path)) continue;
    const auto trace =
        std::find_if(traces.begin(), traces.end(), [&](const found_trace& t) { return t.folder == &folder; });
    if (trace != traces.end()) {
      all.push_back(explain_trace(*trace));
      continue;
    }
    if (is_inside_trace(traces, folder.path)) continue;
    for (const found_file& file : folder.files) {
      if (auto go_on = meter.step(0); !go_on) return std::move(go_on).error();
      all.push_back(explain_file(joined_path(folder.path, file.name), file.bytes, false, bounds));
    }
    for (const std::string& pipe : found->passed_over)
      if (joined_path(folder.path, std::string(last_part_of(pipe))) == pipe) all.push_back(explain_pipe(pipe));
  }
  return all;
}

}  // namespace

result<std::vector<detection_report>> explain_path(const std::string& path, const limits& bounds, const hooks& host) {
  return contained([&]() -> result<std::vector<detection_report>> {
    auto facts = look_at_path(path);
    if (!facts) return std::move(facts).error();
    if (facts->kind == path_kind::folder) return explain_folder(path, facts->name, bounds, host);
    std::vector<detection_report> one;
    if (trace_folder_around(path, *facts)) {
      one.push_back(explain_file(path, facts->bytes, false, bounds));
      if (!is_recognised(one.front().family))
        call_it_neutrino(one.front(), "a part of the trace folder around it");
      return one;
    }
    one.push_back(explain_file(path, facts->bytes, facts->kind == path_kind::stream, bounds));
    return one;
  });
}

std::optional<fault> why_unrecognised(const std::string& path, const std::vector<detection_report>& reports) {
  const auto is_read = [](const detection_report& r) { return is_recognised(r.family); };
  if (std::any_of(reports.begin(), reports.end(), is_read)) return std::nullopt;
  std::vector<fault> unread;
  for (const detection_report& r : reports)
    if (r.unread) unread.push_back(*r.unread);
  if (!unread.empty()) return unparsed_together(unread, path);
  fault f;
  f.path = path;
  if (reports.size() == 1 && reports.front().path == path) {
    const detection_report& only = reports.front();
    if (only.damage) return only.damage;
    f.code = fault_code::unrecognised;
    f.message = "this is " + only.verdict;
    f.hint = only.next;
    return f;
  }
  f.code = fault_code::not_found;
  f.message = "no profile in " + path + ": " +
              (reports.empty() ? std::string("the directory holds no files")
                               : std::to_string(reports.size()) + (reports.size() == 1 ? " file" : " files") +
                                     " looked at, none recognised");
  f.hint = "Give a file (*.xplane.pb, *.trace.json.gz, *.pt.trace.json, kernel_details.csv), or a folder that holds one.";
  return f;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
