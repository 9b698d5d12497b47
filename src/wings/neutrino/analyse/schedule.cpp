// When each block ran, where, and in which of its multiprocessor's slots.
#include "fields.hpp"

#include <profkit/time.hpp>

#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/progress.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// One block, summed up over its warps.
struct block_times {
  std::uint64_t start = ~std::uint64_t{0}, last_start = 0;
  std::uint64_t end = 0, first_end = ~std::uint64_t{0};
  std::uint64_t longest = 0, elapsed_sum = 0, records = 0;

  void add(std::uint64_t from, std::uint64_t to, std::uint64_t elapsed) noexcept {
    start = std::min(start, from);
    last_start = std::max(last_start, from);
    end = std::max(end, to);
    first_end = std::min(first_end, to);
    longest = std::max(longest, elapsed);
    elapsed_sum = saturating_add(elapsed_sum, elapsed);
    ++records;
  }
};

// The multiprocessors seen so far. Their numbers are small, but a damaged file may name any.
class sm_table {
 public:
  sm_schedule& at(std::uint64_t sm) { return sms_[index_of(sm)]; }
  // Makes room when `seen` of `all` blocks have come: in proportion to the share of each multiprocessor.
  void expect(std::uint64_t seen, std::uint64_t all) {
    for (sm_schedule& sm : sms_) {
      const double share = static_cast<double>(sm.blocks.size()) / static_cast<double>(seen);
      sm.blocks.reserve(static_cast<std::size_t>(share * 1.02 * static_cast<double>(all)) + 16);
    }
  }
  // Those that ran a block, by number.
  std::vector<sm_schedule> take() {
    sms_.erase(std::remove_if(sms_.begin(), sms_.end(), [](const sm_schedule& sm) { return sm.blocks.empty(); }),
               sms_.end());
    std::sort(sms_.begin(), sms_.end(), [](const sm_schedule& a, const sm_schedule& b) { return a.sm < b.sm; });
    return std::move(sms_);
  }

 private:
  std::size_t index_of(std::uint64_t sm) {
    if (sm < direct_.size() && direct_[static_cast<std::size_t>(sm)] != 0)
      return direct_[static_cast<std::size_t>(sm)] - 1;
    return index_of_rare(sm);
  }
  std::size_t index_of_rare(std::uint64_t sm) {
    if (sm < direct_.size()) return (direct_[static_cast<std::size_t>(sm)] = add(sm)) - 1;
    const auto [entry, is_new] = others_.emplace(sm, 0);
    if (is_new) entry->second = add(sm);
    return entry->second - 1;
  }
  // Gives the place after the new one's, so that 0 is none.
  std::uint32_t add(std::uint64_t sm) {
    sms_.emplace_back();
    sms_.back().sm = sm;
    return static_cast<std::uint32_t>(sms_.size());
  }
  std::vector<sm_schedule> sms_;
  std::vector<std::uint32_t> direct_ = std::vector<std::uint32_t>(4096);
  hash_map<std::uint64_t, std::uint32_t> others_;
};

bool is_before(const scheduled_block& a, const scheduled_block& b) noexcept {
  return a.start != b.start ? a.start < b.start : a.block < b.block;
}

// Blocks come by number, and start nearly in that order: few have to move, and not far.
void sort_by_start(std::vector<scheduled_block>& blocks) {
  std::size_t moves_left = blocks.size() * 8;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (blocks[i].start >= blocks[i - 1].start) continue;
    const scheduled_block moved = blocks[i];
    std::size_t at = i;
    for (; at > 0 && moved.start < blocks[at - 1].start; --at) {
      if (moves_left-- == 0) {
        blocks[at] = moved;
        std::sort(blocks.begin(), blocks.end(), is_before);
        return;
      }
      blocks[at] = blocks[at - 1];
    }
    blocks[at] = moved;
  }
}

// The slots of one multiprocessor: each block takes the free slot that ended last, the lowest of equals. Gives the
// slot, and how long it had been free; nothing when it is a new one. `start` never falls.
struct taken_slot {
  std::uint32_t slot = 0;
  bool is_new = false;
  std::uint64_t gap = 0;
};

// Few slots and times below 2^57, as every multiprocessor has them: one number holds the end of a slot and, in its
// last bits, the slot counted from above. Then the least difference to a start, without sign, is the slot to take:
// of busy ones it is negative, which without sign is larger than any other.
class few_slots {
 public:
  static constexpr std::uint64_t max_time = std::uint64_t{1} << 57;

  few_slots() noexcept { ends_.fill(std::uint64_t{1} << 63); }  // slots that are not open yet are never free
  // False when there are no slots left to open: nothing was taken.
  bool take(std::uint64_t start, std::uint64_t end, taken_slot& taken) noexcept {
    const std::uint64_t from = start << slot_bits | max_slot;
    std::uint64_t least = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < count_; i += 4) {
      const std::uint64_t* const four = ends_.data() + i;
      least =
          std::min(least, std::min(std::min(from - four[0], from - four[1]), std::min(from - four[2], from - four[3])));
    }
    taken.is_new = least >> 63 != 0;
    if (taken.is_new) {
      if (count_ > max_slot) return false;
      taken = {count_++, true, 0};
    } else {
      taken.slot = static_cast<std::uint32_t>(least & max_slot);
      taken.gap = least >> slot_bits;
    }
    ends_[taken.slot] = end << slot_bits | (max_slot - taken.slot);
    return true;
  }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

 private:
  static constexpr unsigned slot_bits = 6;
  static constexpr std::uint64_t max_slot = (1u << slot_bits) - 1;
  std::array<std::uint64_t, max_slot + 1> ends_;
  std::uint32_t count_ = 0;
};

// No multiprocessor has more, but a damaged file may; a scan of them all would take forever.
class many_slots {
 public:
  taken_slot take(std::uint64_t start, std::uint64_t end) {
    auto after = ordered_.upper_bound({start, ~std::uint32_t{0}});
    if (after == ordered_.begin()) {
      ordered_.insert({end, ~count_});
      return {count_++, true, 0};
    }
    const auto [free_since, inverted] = *--after;
    ordered_.erase(after);
    ordered_.insert({end, inverted});
    return {~inverted, false, start - free_since};
  }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

 private:
  std::set<std::pair<std::uint64_t, std::uint32_t>> ordered_;  // end, then the inverted number
  std::uint32_t count_ = 0;
};

void add_slot(sm_schedule& sm, scheduled_block& block, const taken_slot& taken) noexcept {
  block.slot = taken.slot;
  sm.busy = saturating_add(sm.busy, block.end - block.start);
  sm.last_end = std::max(sm.last_end, block.end);
  sm.gap = saturating_add(sm.gap, taken.gap);
  sm.gap_count += !taken.is_new;
}

// False when the multiprocessor is too odd for few_slots: its sums are then to be begun again.
bool assign_few_slots(sm_schedule& sm) noexcept {
  few_slots slots;
  taken_slot taken;
  const std::uint64_t zero = sm.first_start;
  for (scheduled_block& block : sm.blocks) {
    if (block.end - zero >= few_slots::max_time) return false;
    if (!slots.take(block.start - zero, block.end - zero, taken)) return false;
    add_slot(sm, block, taken);
  }
  sm.slots = slots.count();
  return true;
}

void assign_slots(sm_schedule& sm) {
  sm.first_start = sm.blocks.front().start;
  if (!assign_few_slots(sm)) {
    sm.busy = sm.gap = sm.gap_count = sm.last_end = 0;
    many_slots slots;
    for (scheduled_block& block : sm.blocks) add_slot(sm, block, slots.take(block.start, block.end));
    sm.slots = slots.count();
  }
  const std::uint64_t span = sm.last_end - sm.first_start;
  if (span != 0) sm.residency = static_cast<double>(sm.busy) / (static_cast<double>(span) * sm.slots);
}

class schedule_builder {
 public:
  schedule_builder(const probe_bin_map& map, const probe_records& records, const schedule_fields& fields,
                   const schedule_options& options)
      : place_(map.place), records_(records), fields_(fields), options_(options) {
    found_.clock = map.shape->clock;
  }

  result<void> scan(const hooks& host) {
    progress_meter meter(host, place_.present_bytes);
    const std::uint64_t lanes = records_.present_lanes();
    const std::uint64_t per_block = place_.lanes_per_block;
    const std::uint64_t blocks = std::min(place_.blocks, (lanes + per_block - 1) / per_block);
    const bool is_plain = records_.capacity() == 1 && fields_.start.type == probe_type::u64 &&
                          fields_.end.type == probe_type::u32 && fields_.sm.type == probe_type::u32 &&
                          fields_.end_is_elapsed;
    const bool is_single = is_plain && per_block == 1;
    // Blocks come by the tens of millions: growing step by step would copy them all over again.
    const std::uint64_t first_part = std::max<std::uint64_t>(blocks / 64, 1);
    for (std::uint64_t block = 0; block < blocks;) {
      if (result<void> go_on = meter.step(block * per_block * place_.lane_bytes); !go_on) return go_on;
      const std::uint64_t end = std::min(block + (block < first_part ? first_part : blocks_per_step), blocks);
      if (is_single)
        take_singles(block, end);
      else
        take_blocks(block, end, lanes, is_plain);
      if (block == 0) sms_.expect(end, blocks);
      block = end;
    }
    found_.blocks = blocks;
    return {};
  }

  block_schedule finish() {
    found_.sms = sms_.take();
    for (sm_schedule& sm : found_.sms) {
      sort_by_start(sm.blocks);
      assign_slots(sm);
      if (!options_.keep_blocks) sm.blocks = {};
    }
    std::uint64_t busy = 0, gap = 0, with_residency = 0;
    double residency = 0;
    for (const sm_schedule& sm : found_.sms) {
      busy = saturating_add(busy, sm.busy);
      gap = saturating_add(gap, sm.gap);
      with_residency += sm.residency.has_value();
      residency += sm.residency.value_or(0);
    }
    if (!found_.sms.empty()) {
      found_.mean_busy = static_cast<double>(busy) / static_cast<double>(found_.sms.size());
      found_.mean_gap = static_cast<double>(gap) / static_cast<double>(found_.sms.size());
    }
    if (with_residency != 0) found_.mean_residency = residency / static_cast<double>(with_residency);
    if (skewed_ != 0) found_.mean_imbalance = imbalance_sum_ / static_cast<double>(skewed_);
    return std::move(found_);
  }

 private:
  static constexpr std::uint64_t blocks_per_step = 16384;  // between two looks at the cancel token

  void take_blocks(std::uint64_t begin, std::uint64_t end, std::uint64_t lanes, bool is_plain) {
    const std::uint64_t per_block = place_.lanes_per_block;
    for (std::uint64_t block = begin; block < end; ++block) {
      const std::uint64_t first = block * per_block;
      const std::uint64_t count = std::min(per_block, lanes - first);
      if (is_plain)
        take_plain(block, first, count);
      else
        take_any(block, first, count);
    }
  }

  // As the first record of the block's first lane has it.
  [[nodiscard]] std::uint64_t sm_of(std::uint64_t lane) const noexcept {
    return probe_record(records_.lane_at_slot(lane)).value(fields_.sm);
  }

  // The record of every release of the tool: one record a lane, start u64, elapsed u32, multiprocessor u32.
  void take_plain(std::uint64_t block, std::uint64_t first, std::uint64_t count) {
    const std::uint32_t start_at = fields_.start.offset, elapsed_at = fields_.end.offset,
                        bytes = records_.record_bytes();
    const char* at = records_.lane_at_slot(first);
    block_times times;
    const auto stride = static_cast<std::size_t>(place_.lane_bytes);
    for (std::uint64_t i = 0; i < count; ++i, at += stride) {
      if (detail::probe_is_zero(at, bytes)) continue;
      const probe_record record(at);
      const std::uint64_t start = record.u64(start_at);
      const std::uint32_t elapsed = record.u32(elapsed_at);
      times.add(start, saturating_add(start, std::uint64_t{elapsed}), elapsed);
    }
    add(block, times, sm_of(first));
  }

  // Plain blocks of one warp: no skew, and imbalance 1 unless they took no time.
  void take_singles(std::uint64_t begin, std::uint64_t end) {
    const std::uint32_t start_at = fields_.start.offset, elapsed_at = fields_.end.offset, sm_at = fields_.sm.offset,
                        bytes = records_.record_bytes();
    const auto stride = static_cast<std::size_t>(place_.lane_bytes);
    const char* at = records_.lane_at_slot(begin);
    std::uint64_t used = 0, timed = 0;
    for (std::uint64_t block = begin; block < end; ++block, at += stride) {
      if (detail::probe_is_zero(at, bytes)) continue;
      const probe_record record(at);
      const std::uint64_t start = record.u64(start_at), elapsed = record.u32(elapsed_at);
      sms_.at(record.u32(sm_at))
          .blocks.push_back({start, saturating_add(start, elapsed), static_cast<std::uint32_t>(block), 0});
      ++used;
      timed += elapsed != 0;
      if (found_.skew.size() < options_.max_skews) found_.skew.push_back({block, 0, 0, elapsed == 0 ? 0.0 : 1.0});
    }
    found_.blocks_without_records += end - begin - used;
    skewed_ += used;
    imbalance_sum_ += static_cast<double>(timed);
  }

  void take_any(std::uint64_t block, std::uint64_t first, std::uint64_t count) {
    block_times times;
    for (std::uint64_t i = 0; i < count; ++i) {
      const probe_lane lane = records_.lane_at(first + i);
      const std::uint64_t used = lane.used();
      for (std::uint64_t k = 0; k < used; ++k) {
        const probe_record record = lane.record(k);
        if (detail::probe_is_zero(record.data(), records_.record_bytes())) continue;
        const std::uint64_t start = record.value(fields_.start), end = record.value(fields_.end);
        if (fields_.end_is_elapsed)
          times.add(start, saturating_add(start, end), end);
        else
          times.add(start, std::max(start, end), std::max(start, end) - start);
      }
    }
    add(block, times, sm_of(first));
  }

  void add(std::uint64_t block, const block_times& times, std::uint64_t sm) {
    if (times.records == 0) {
      ++found_.blocks_without_records;
      return;
    }
    sms_.at(sm).blocks.push_back({times.start, times.end, static_cast<std::uint32_t>(block), 0});
    block_skew skew{block, times.last_start - times.start, times.end - times.first_end, 0};
    if (times.elapsed_sum != 0)
      skew.imbalance = static_cast<double>(times.longest) /
                       (static_cast<double>(times.elapsed_sum) / static_cast<double>(times.records));
    keep(skew);
  }

  void keep(const block_skew& skew) {
    found_.max_start_skew = std::max(found_.max_start_skew, skew.start_skew);
    found_.max_end_skew = std::max(found_.max_end_skew, skew.end_skew);
    imbalance_sum_ += skew.imbalance;
    if (skewed_++ < options_.max_skews) found_.skew.push_back(skew);
  }

  const probe_map& place_;
  const probe_records& records_;
  const schedule_fields& fields_;
  const schedule_options& options_;
  block_schedule found_;
  sm_table sms_;
  double imbalance_sum_ = 0;
  std::uint64_t skewed_ = 0;
};

}  // namespace

std::optional<schedule_fields> find_schedule_fields(const probe_shape& shape) noexcept {
  const auto start = find_field(shape, {"start", "lstart", "gstart"});
  const auto elapsed = find_field(shape, {"elapsed", "elapse"});
  const auto end = find_field(shape, {"end", "gend"});
  const auto sm = find_field(shape, {"cuid", "smid"});
  if (!start || !sm || (!elapsed && !end)) return std::nullopt;
  return schedule_fields{*start, elapsed ? *elapsed : *end, *sm, elapsed.has_value()};
}

result<block_schedule> analyse_block_schedule(const probe_bin_map& map, std::string_view file,
                                              const schedule_options& options, const hooks& host) {
  return contained([&]() -> result<block_schedule> {
    const auto fields = find_schedule_fields(*map.shape);
    if (!fields) return wrong_map(map, "block schedule", "start, elapsed and cuid or smid");
    const probe_records records = records_of(map, file);
    schedule_builder builder(map, records, *fields, options);
    if (records.lane_count() != 0) {
      if (map.place.level == probe_level::unknown || map.place.lanes_per_block == 0)
        return fault{fault_code::unsupported,
                     "the records of map " + map.shape->name + " belong to no known block: " +
                         (map.place.level == probe_level::unknown ? "it is not known whether lanes are threads or warps"
                                                                  : "blocks smaller than a warp share one slot"),
                     "", no_offset, ""};
      if (result<void> scanned = builder.scan(host); !scanned) return std::move(scanned).error();
    }
    return builder.finish();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
