// Bytes and counts that threads or warps recorded.
#include "fields.hpp"

#include <profkit/time.hpp>

#include <base/contained.hpp>
#include <base/progress.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint64_t warp_lanes = 32;

class totals_builder {
 public:
  totals_builder(const probe_bin_map& map, std::uint64_t max_blocks) : max_blocks_(max_blocks) {
    for (const probe_shape_field& field : map.shape->fields) {
      fields_.push_back(view_of(field));
      found_.fields.emplace_back();
      found_.fields.back().name = field.name;
      found_.fields.back().least = ~std::uint64_t{0};
    }
    found_.blocks = map.place.blocks;
    if (map.place.level == probe_level::thread) found_.warp_sum = 0;
  }

  void take(const probe_lane& lane, std::uint64_t capacity) {
    ++found_.lanes;
    // Where one record fits, a lane of zeros is a record of zeros: a thread that moved nothing.
    const std::uint64_t count = capacity == 1 ? std::min<std::uint64_t>(1, lane.capacity()) : lane.used();
    std::uint64_t lane_total = 0, first_field = 0;
    for (std::uint64_t k = 0; k < count; ++k) {
      const probe_record record = lane.record(k);
      for (std::size_t f = 0; f < fields_.size(); ++f) {
        const std::uint64_t value = record.value(fields_[f]);
        field_totals& totals = found_.fields[f];
        add(totals.sum, value);
        totals.least = std::min(totals.least, value);
        totals.most = std::max(totals.most, value);
        totals.histogram.add(value);
        add(lane_total, value);
        if (f == 0) add(first_field, value);
      }
    }
    found_.zero_lanes += lane_total == 0;
    add(found_.total, lane_total);
    add_to_block(lane, lane_total);
    add_to_warp(lane, first_field);
  }

  lane_totals finish() {
    end_warp();
    for (field_totals& totals : found_.fields)
      if (totals.least > totals.most) totals.least = 0;
    return std::move(found_);
  }

 private:
  void add(std::uint64_t& sum, std::uint64_t value) noexcept {
    found_.overflowed = found_.overflowed || sum > ~std::uint64_t{0} - value;
    sum = saturating_add(sum, value);
  }
  void add_to_block(const probe_lane& lane, std::uint64_t total) {
    if (lane.block() >= max_blocks_) return;
    const auto block = static_cast<std::size_t>(lane.block());
    if (found_.per_block.size() <= block) found_.per_block.resize(block + 1);
    add(found_.per_block[block], total);
  }
  void add_to_warp(const probe_lane& lane, std::uint64_t value) noexcept {
    if (!found_.warp_sum) return;
    if (lane.lane() % warp_lanes == 0) end_warp();
    warp_most_ = std::max(warp_most_, value);
  }
  void end_warp() noexcept {
    if (found_.warp_sum) add(*found_.warp_sum, warp_most_);
    warp_most_ = 0;
  }

  std::vector<probe_field> fields_;
  std::uint64_t max_blocks_;
  std::uint64_t warp_most_ = 0;
  lane_totals found_;
};

}  // namespace

result<lane_totals> analyse_lane_totals(const probe_bin_map& map, std::string_view file, std::uint64_t max_blocks,
                                        const hooks& host) {
  return contained([&]() -> result<lane_totals> {
    const probe_records records = records_of(map, file);
    progress_meter meter(host, map.place.present_bytes);
    result<void> go_on;
    totals_builder builder(map, max_blocks);
    std::uint64_t until = 0;
    records.each_lane([&](const probe_lane& lane) {
      if (until-- == 0) {
        until = lanes_per_step;
        go_on = meter.step(0);
        if (!go_on) return false;
      }
      builder.take(lane, records.capacity());
      return true;
    });
    if (!go_on) return std::move(go_on).error();
    return builder.finish();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
