// The numbers of the reference tool (the memory-profile skill, schema version 2): its sums over all memory spaces, its
// choice of file and pool, its sweeps and its replay by requested bytes. Right answers are in memory.cpp; these are
// here so that the two can be compared field by field. What the reference does is told in docs/memory.md.
#include "like_reference.hpp"
#include "spaces.hpp"

#include <base/affix.hpp>
#include <base/contained.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using namespace memory;

// ---- which files ----

struct chosen_files {
  std::optional<std::size_t> hlo, xspace;
};

// The largest *.hlo_proto.pb and the first *.xplane.pb that lie in the directory itself.
chosen_files choose_files(const profile& p) {
  chosen_files out;
  std::string folder = p.what().path;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  for (std::size_t i = 0; i < p.file_count(); ++i) {
    const std::string& path = p.what().files[i].path;
    const std::size_t slash = path.find_last_of('/');
    const bool inside = path == p.what().path || (slash != std::string::npos && path.substr(0, slash) == folder);
    if (!inside) continue;
    if (ends_with(path, ".hlo_proto.pb") && (!out.hlo || p.bytes(i).size() >= p.bytes(*out.hlo).size())) out.hlo = i;
    if (ends_with(path, ".xplane.pb") && (!out.xspace || path < p.what().files[*out.xspace].path)) out.xspace = i;
  }
  return out;
}

result<void> add_file_hlo(const profile& p, std::size_t file, memory_result& r) {
  if (const fault* why = p.file_fault(file)) return *why;
  const std::unique_ptr<program_study> study = study_program(p.bytes(file));
  module_memory m = facts_of(*study);
  if (m.damage) {
    fault f = *m.damage;
    f.path = p.what().files[file].path;
    return f;
  }
  auto report = hlo_like_reference(study->code);
  if (!report) return std::move(report).error();
  report->hlo_proto_path = r.hlo_path = p.what().files[file].path;
  r.modules.push_back(std::move(m));
  r.hlo = std::move(*report);
  return {};
}

result<void> add_file_runtime(const profile& p, std::size_t file, const memory_options& o, const hooks& host,
                              memory_result& r) {
  if (const fault* why = p.file_fault(file)) return *why;
  const collected_events all = collect_allocator_events(p, "", file, event_order::like_reference, host);
  if (all.stopped) return *all.stopped;
  if (!all.damage.empty()) return all.damage.front().what;
  if (!all.host_plane_present) {
    r.runtime_absent_reason = "host_plane_absent";
  } else if (all.n_events == 0) {
    r.runtime_absent_reason = "no_memory_events";
  } else {
    runtime_report report;
    auto absent = runtime_like_reference(p, file, o, all, host, report);
    if (!absent) return std::move(absent).error();
    r.runtime_absent_reason = std::move(*absent);
    if (r.runtime_absent_reason.empty()) r.runtime = std::move(report);
  }
  return {};
}

void compare(memory_result& r) {
  if (!r.hlo || !r.runtime) return;
  const auto peak = static_cast<double>(r.runtime->peak_bytes);
  const auto stated = static_cast<double>(r.hlo->static_peak_bytes);
  if (peak <= 0 || stated <= 0) return;
  const double off = std::fabs(stated - peak) / std::max(stated, peak);
  if (off <= 0.05) return;
  r.consistency_warnings.push_back("runtime_peak=" + decimals(peak / 1048576, 1) + " MiB disagrees with static_peak=" +
                                   decimals(stated / 1048576, 1) + " MiB by " + decimals(off * 100, 1) + '%');
}

}  // namespace

std::string memory::decimals(double value, int digits) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits);
  return std::string(text, end.ptr);
}

result<memory_result> analyse_memory_like_reference(const trace& t, const memory_options& o, const hooks& host) {
  return contained([&]() -> result<memory_result> {
    const profile& p = t.files();
    memory_result r;
    const chosen_files files = choose_files(p);
    if (!files.hlo) r.hlo_absent_reason = "no_hlo_proto_pb";
    if (files.xspace) r.xplane_path = p.what().files[*files.xspace].path;
    if (files.hlo)
      if (result<void> added = add_file_hlo(p, *files.hlo, r); !added) return std::move(added).error();
    if (o.runtime) {
      if (!files.xspace) r.runtime_absent_reason = "no_xplane_pb";
      if (files.xspace)
        if (result<void> added = add_file_runtime(p, *files.xspace, o, host, r); !added)
          return std::move(added).error();
    }
    compare(r);
    return r;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
