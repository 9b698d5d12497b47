// Statements that follow from the slices alone.
#include <base/format.hpp>
#include <base/merged_losses.hpp>
#include <profkit/core/anatomy.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class finding_list {
 public:
  explicit finding_list(const profile& p) : profile_(p) {}

  void add_damage(const info_result& info) {
    for (const file_info& file : info.files) {
      if (!file.damage) continue;
      finding& f = add(std::string("damage.") + fault_name(file.damage->code), file.file, file.damage->message);
      if (file.damage->byte_offset != no_offset) f.proof.front().byte_offset = file.damage->byte_offset;
      f.next = file.damage->hint;
    }
  }

  void add_recorder_errors(const info_result& info) {
    for (const file_info& file : info.files)
      for (const std::string& error : file.errors)
        if (is_merged_loss(error))
          add("incomplete.merged_trace", file.file, "A trace that was merged was not whole: " + error).next =
              "Merge again with the whole trace; counts and times of this node may be too low.";
        else
          add("incomplete.recorder_error", file.file, "The recorder reported an error: " + error).next =
            "Record again; counts and times of this file may be too low.";
  }

  void add_caps(const info_result& info) {
    for (const file_info& file : info.files) {
      if (!file.events_at_cap) continue;
      add("incomplete.cap_1m", file.file,
          "The export holds " + grouped(*file.events_at_cap) + " events, the exporter's limit: its end is missing.")
          .next = "Do not add it up; use the *.xplane.pb of the same run.";
    }
  }

  void add_unaligned(const info_result& info) {
    const auto is_own = [](const file_info& file) { return has_planes(file.family); };
    if (std::count_if(info.files.begin(), info.files.end(), is_own) < 2) return;
    for (const file_info& file : info.files)
      if (is_own(file) && !file.aligned)
        add("time.unaligned", file.file,
            "The file has no start time: its times cannot be compared with those of other files.")
            .next = "Compare times within this file only.";
  }

  void add_differing_modules(const modules_result& modules) {
    for (const module_row& row : modules.modules) {
      if (row.sibling != sibling_state::differs) continue;
      finding& f = add("modules.differs", row.file,
                       "Module '" + std::string(row.name) + "' is not the one in " + row.sibling_path + ".");
      f.proof.front().plane = row.plane;
      f.next = "Trust the embedded module: it is what ran.";
    }
  }

  void add_stalls(const collectives_result& collectives) {
    struct waited {
      std::uint64_t operations = 0;
      std::int64_t total_ps = 0, longest_ps = -1;
      const async_row* longest = nullptr;
    };
    std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t>, waited> by_line;
    for (const async_row& row : collectives.async) {
      if (!row.exposed_stall_ps || *row.exposed_stall_ps <= 0) continue;
      waited& w = by_line[{row.file, row.plane, row.line}];
      ++w.operations;
      w.total_ps = saturating_add(w.total_ps, *row.exposed_stall_ps);
      if (*row.exposed_stall_ps > w.longest_ps) {
        w.longest_ps = *row.exposed_stall_ps;
        w.longest = &row;
      }
    }
    for (const auto& [at, w] : by_line) {
      const async_row& row = *w.longest;
      finding& f = add("collectives.exposed_stall", row.file,
                       std::string(short_plane_name(plane_name_at(profile_, row.file, row.plane))) + " waited " +
                           human_duration(w.total_ps) + " for " + grouped(w.operations) +
                           (w.operations == 1 ? " asynchronous operation, " : " asynchronous operations, ") +
                           human_duration(w.longest_ps) + " at most (" +
                           std::string(row.hlo_op.empty() ? row.category : row.hlo_op) + ").");
      f.sure = certainty::likely;  // that all of it can be won back
      f.recoverable_ps = w.total_ps;
      evidence& e = f.proof.front();
      e.plane = row.plane;
      e.line = row.line;
      e.start_ps = row.start_ps;
      e.end_ps = saturating_add(row.start_ps, row.duration_ps);
      e.note = "the operation waited for longest";
      f.next = "`profkit collectives` lists them; more work between start and done hides the wait.";
    }
  }

  std::vector<finding> take() {
    std::stable_sort(found_.begin(), found_.end(), [](const finding& a, const finding& b) {
      return a.recoverable_ps.value_or(0) > b.recoverable_ps.value_or(0);
    });
    number_findings(found_);
    return std::move(found_);
  }

 private:
  finding& add(std::string id, std::uint32_t file, std::string what) {
    finding& f = found_.emplace_back();
    f.id = std::move(id);
    f.what = std::move(what);
    f.where = profile_.what().files[file].path;
    evidence e;
    e.file = file;
    f.proof.push_back(std::move(e));
    return f;
  }

  const profile& profile_;
  std::vector<finding> found_;
};

}  // namespace

std::vector<finding> analyse_findings(const profile& p, const info_result& info, const modules_result& modules,
                                      const collectives_result& collectives) {
  finding_list list(p);
  list.add_damage(info);
  list.add_recorder_errors(info);
  list.add_caps(info);
  list.add_unaligned(info);
  list.add_differing_modules(modules);
  list.add_stalls(collectives);
  return list.take();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
