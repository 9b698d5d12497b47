// Steps, gaps, their causes and the time of devices as rows.
#include <tables/rows_of_list.hpp>

#include <profkit/core/bubbles.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

static_assert(idle_cause_count == PK_CAUSE_HOST_CALL + 1);
static_assert(no_time_ps == PK_NO_TIME_PS);

// Where a device of the report stands in the capture.
class device_places {
 public:
  device_places(const capture_devices& devices, const bubbles_report& of) {
    for (const activity_device& d : of.of->devices()) places_.push_back({d.file, devices.of(*of.of, d)});
  }
  template <class Row>
  void put(std::uint32_t device, Row& row) const noexcept {
    row.file = places_[device].first;
    row.device = places_[device].second;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::int32_t>> places_;
};

// The kernels around a gap.
void put_neighbours(const activity& of, const bubble& b, pk_bubble& row) {
  if (b.before_count > 0) {
    row.before = borrowed(of.text(b.before[0].name));
    row.before_row = b.before[0].source_row;
  }
  if (b.after_count > 0) {
    row.after = borrowed(of.text(b.after[0].name));
    row.after_row = b.after[0].source_row;
  }
  if (b.host.traced) row.flags |= PK_BUBBLE_TRACED;
}

std::vector<file_damage> lost_of(const bubbles_report& of) {
  std::vector<file_damage> all = damage_of(*of.of);
  for (const file_damage& d : of.found.damage) add_damage(all, d.file, d.what);
  return all;
}

std::unique_ptr<row_source> steps_of(const capture_devices& devices, const bubbles_report& of) {
  const std::size_t count = of.found.steps.size();
  std::vector<std::int64_t> before(of.of->devices().size());  // of each device
  return make_rows<rows::steps>(table_kind::steps, count,
                                [&of, kept = kept_texts(), before, places = device_places(devices, of)](std::uint64_t at, rows::steps& row) mutable {
                                  const bubble_step& s = of.found.steps[static_cast<std::size_t>(at)];
                                  places.put(s.device, row);
                                  row.step = static_cast<std::int64_t>(at);
                                  row.step_of_device = before[s.device]++;
                                  row.step_id = kept(s.id);
                                  fill(s, row);
                                },
                                lost_of(of));
}

std::unique_ptr<row_source> gaps_of(const capture_devices& devices, const bubbles_report& of) {
  return make_rows<rows::gaps>(table_kind::gaps, of.found.bubbles.size(),
                               [&of, places = device_places(devices, of)](std::uint64_t at, rows::gaps& row) {
                                 const auto& b = of.found.bubbles[static_cast<std::size_t>(at)];
                                 places.put(b.device, row);
                                 put_neighbours(*of.of, b, row);
                                 fill(b, row);
                               },
                               lost_of(of));
}

std::unique_ptr<row_source> causes_of(const capture_devices& devices, const bubbles_report& of) {
  return make_rows<rows::causes>(table_kind::causes, of.found.bubbles.size(),
                                 [&of, places = device_places(devices, of)](std::uint64_t at, rows::causes& row) {
                                   const auto& b = of.found.bubbles[static_cast<std::size_t>(at)];
                                   places.put(b.device, row);
                                   row.gap = at;
                                   row.step = b.step;
                                   row.cause = static_cast<std::int32_t>(b.cause.id);
                                   row.certainty = static_cast<std::int32_t>(b.sure);
                                   row.span = borrowed(of.of->text(b.cause.span));
                                   row.covered_ps = b.cause.covered_ps;
                                   row.start_ps = b.start_ps;
                                   row.end_ps = b.end_ps;
                                   row.flags = bit_if(b.inter_step, PK_BUBBLE_INTER_STEP);
                                 },
                                 lost_of(of));
}

// The rows of all devices together are sums, which a reader makes himself.
std::unique_ptr<row_source> time_of(const capture_devices& devices, const bubbles_report& of) {
  const std::vector<time_row>& all = of.found.time;
  const auto first = std::find_if(all.begin(), all.end(), [](const time_row& r) { return r.device >= 0; });
  return make_rows<rows::device_time>(table_kind::device_time, static_cast<std::uint64_t>(all.end() - first),
                                      [first, places = device_places(devices, of)](std::uint64_t at, rows::device_time& row) {
                                        const time_row& r = first[static_cast<std::ptrdiff_t>(at)];
                                        places.put(static_cast<std::uint32_t>(r.device), row);
                                        row.use = static_cast<std::int32_t>(r.use);
                                        if (r.cause) row.cause = static_cast<std::int32_t>(*r.cause);
                                        row.certainty = static_cast<std::int32_t>(r.sure);
                                        row.gaps = r.gaps;
                                        row.time_ps = r.time_ps;
                                        row.flags = bit_if(r.in_steps, PK_DEVICE_TIME_IN_STEPS) |
                                                    bit_if(r.cause.has_value(), PK_DEVICE_TIME_HAS_CAUSE);
                                      },
                                      lost_of(of));
}

}  // namespace

std::unique_ptr<row_source> rows_of(std::shared_ptr<const capture_devices> devices, const bubbles_report& of,
                                    table_kind which) {
  if (which == table_kind::steps) return steps_of(*devices, of);
  if (which == table_kind::device_time) return time_of(*devices, of);
  return which == table_kind::gaps ? gaps_of(*devices, of) : causes_of(*devices, of);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
