// The findings of a report as rows.
#include <tables/rows_of_list.hpp>

#include <profkit/core/report.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::string notes_of(const finding& f) {
  std::string all;
  for (const evidence& e : f.proof)
    if (!e.note.empty()) all.append(all.empty() ? "" : "; ").append(e.note);
  return all;
}

// The places of evidence: devices of the capture, and steps of the analysis of idle time.
class evidence_places {
 public:
  evidence_places(std::shared_ptr<const capture_devices> devices, const report_parts& of)
      : devices_(std::move(devices)), idle_(of.bubbles ? &*of.bubbles : nullptr) {
    if (idle_ == nullptr) return;
    for (const activity_device& d : idle_->of->devices()) of_activity_.push_back(devices_->of(*idle_->of, d));
  }

  [[nodiscard]] std::int32_t device_of(const evidence& e) const {
    if (e.device >= 0) return of_activity_[static_cast<std::size_t>(e.device)];
    return devices_->of_plane(e.file, e.plane).device;
  }

  // The step of that device in which the evidence begins: its position, and its id.
  [[nodiscard]] std::pair<std::int64_t, std::string> step_of(const evidence& e, std::int32_t device) const {
    if (idle_ == nullptr || device < 0 || !e.start_ps) return {-1, {}};
    std::int64_t at = 0;
    for (const bubble_step& s : idle_->found.steps) {
      if (of_activity_[s.device] == device && s.start_ps <= *e.start_ps && *e.start_ps < s.end_ps) return {at, s.id};
      ++at;
    }
    return {-1, {}};
  }

 private:
  std::shared_ptr<const capture_devices> devices_;
  const bubbles_report* idle_;
  std::vector<std::int32_t> of_activity_;  // position in devices, by that in the activity
};

}  // namespace

result<std::unique_ptr<row_source>> open_findings(const asked_rows& asked) {
  report_options o;
  o.filters = asked.filters;
  o.samples = false;
  auto found = analyse_report(asked.of, o, asked.host);
  if (!found) return std::move(found).error();
  auto held = std::make_shared<const report_result>(std::move(*found));
  const auto fill = [held, kept = kept_texts(), places = evidence_places(asked.devices, held->parts)](std::uint64_t at, rows::findings& row) {
    const finding& f = held->findings[static_cast<std::size_t>(at)];
    const evidence e = f.proof.empty() ? evidence{} : f.proof.front();
    row.file = e.file;
    row.device = places.device_of(e);
    auto [step, step_id] = places.step_of(e, row.device);
    row.step = step;
    row.step_id = kept(std::move(step_id));
    row.start_ps = e.start_ps.value_or(PK_NO_TIME_PS);
    row.end_ps = e.end_ps.value_or(PK_NO_TIME_PS);
    row.id = borrowed(f.id);
    row.certainty = static_cast<std::int32_t>(f.sure);
    row.recoverable_ps = f.recoverable_ps.value_or(-1);
    row.recoverable_bytes = f.recoverable_bytes.value_or(-1);
    row.what = borrowed(f.what);
    row.place = borrowed(f.where);
    row.evidence = kept(notes_of(f));
    row.next = borrowed(f.next);
  };
  return make_rows<rows::findings>(table_kind::findings, held->findings.size(), fill, held->damage);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
