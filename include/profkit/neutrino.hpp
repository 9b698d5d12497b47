// Views over the records of a Neutrino probe trace; neutrino_layout.hpp says where its maps lie. Header-only, standard
// library only, no allocation, no exception; nothing is read outside the bytes given.
//
// A *lane* is a thread or a warp, as the map says. Its slot lies at (block * lanes_per_block + lane) * lane_bytes, and
// holds the records that it saved in order, then zeros: there is no count. A saved record of zeros at the end of a lane
// looks the same as an unused one. Nothing bounds a lane on the device: one that saves more than fits writes into the
// slot of the next lane.
//
// Source of the format: the traces of the hook driver of open-neutrino/neutrino, and the driver's source.
#pragma once
#include <profkit/neutrino_layout.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// One field of a record.
struct probe_field {
  std::string_view name;
  probe_type type = probe_type::u64;
  std::uint32_t offset = 0;    ///< in the record
  std::uint32_t declared = 0;  ///< its place in the description
};

/// Brings fields from the order of the description into that of memory (every u64, then every u32, each in the order
/// of the description), sets `offset` and `declared`, and gives the bytes of a record.
inline std::uint32_t store_order(probe_field* fields, std::size_t count) noexcept {
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < count; ++i) fields[i].declared = static_cast<std::uint32_t>(i);
  for (const probe_type type : {probe_type::u64, probe_type::u32}) {
    for (std::size_t i = 0; i < count; ++i) {
      if (fields[i].type != type) continue;
      fields[i].offset = offset;
      offset += type == probe_type::u64 ? 8 : 4;
    }
  }
  std::sort(fields, fields + count, [](const probe_field& a, const probe_field& b) { return a.offset < b.offset; });
  return offset;
}

/// One record: bytes of the file.
class probe_record {
 public:
  constexpr probe_record() noexcept = default;
  constexpr explicit probe_record(const char* at) noexcept : at_(at) {}
  [[nodiscard]] const char* data() const noexcept { return at_; }
  [[nodiscard]] std::uint64_t u64(std::uint32_t offset) const noexcept { return detail::probe_u64(at_ + offset); }
  [[nodiscard]] std::uint32_t u32(std::uint32_t offset) const noexcept { return detail::probe_u32(at_ + offset); }
  [[nodiscard]] std::uint64_t value(const probe_field& field) const noexcept {
    return field.type == probe_type::u64 ? u64(field.offset) : u32(field.offset);
  }

 private:
  const char* at_ = nullptr;
};

namespace detail {

/// Whole bytes up to and with the last one that is not zero.
[[nodiscard]] inline std::size_t probe_written_bytes(const char* at, std::size_t bytes) noexcept {
  while (bytes >= 32) {
    const char* p = at + bytes - 32;
    if ((probe_u64(p) | probe_u64(p + 8) | probe_u64(p + 16) | probe_u64(p + 24)) != 0) break;
    bytes -= 32;
  }
  while (bytes >= 8 && probe_u64(at + bytes - 8) == 0) bytes -= 8;
  while (bytes != 0 && at[bytes - 1] == 0) --bytes;
  return bytes;
}

/// Whether a record that lies whole in memory is all zeros.
[[nodiscard]] inline bool probe_is_zero(const char* at, std::uint32_t bytes) noexcept {
  if (bytes == 16) return (probe_u64(at) | probe_u64(at + 8)) == 0;
  if (bytes == 8) return probe_u64(at) == 0;
  return probe_written_bytes(at, bytes) == 0;
}

}  // namespace detail

/// The slot of one lane.
class probe_lane {
 public:
  constexpr probe_lane() noexcept = default;
  constexpr probe_lane(const char* at, std::uint64_t records, std::uint32_t record_bytes, std::uint64_t block,
                       std::uint64_t lane) noexcept
      : at_(at), records_(records), record_bytes_(record_bytes), block_(block), lane_(lane) {}

  /// no_block when several blocks share the slot, or the level is not known.
  [[nodiscard]] std::uint64_t block() const noexcept { return block_; }
  /// In its block; in the map when the block is not known.
  [[nodiscard]] std::uint64_t lane() const noexcept { return lane_; }
  /// Whole records that the slot has room for and the file holds.
  [[nodiscard]] std::uint64_t capacity() const noexcept { return records_; }
  /// Record k < capacity(), used or not.
  [[nodiscard]] probe_record record(std::uint64_t k) const noexcept {
    return probe_record(at_ + static_cast<std::size_t>(k) * record_bytes_);
  }
  /// The records up to the last that is not all zeros.
  [[nodiscard]] std::uint64_t used() const noexcept {
    if (records_ == 1) return detail::probe_is_zero(at_, record_bytes_) ? 0 : 1;
    const std::size_t bytes = detail::probe_written_bytes(at_, static_cast<std::size_t>(records_) * record_bytes_);
    return (bytes + record_bytes_ - 1) / record_bytes_;
  }

 private:
  const char* at_ = nullptr;
  std::uint64_t records_ = 0;
  std::uint32_t record_bytes_ = 1;
  std::uint64_t block_ = no_block, lane_ = 0;
};

/// The records of one map. Borrows the bytes of the file.
class probe_records {
 public:
  constexpr probe_records() noexcept = default;
  /// `file`: all its bytes (fewer than resolve_probe_maps() was given are taken for a file that was cut since).
  /// `record_bytes`: of one record; 0, or more than a lane holds, leaves no records.
  probe_records(std::string_view file, const probe_map& map, std::uint32_t record_bytes) noexcept
      : record_bytes_(record_bytes == 0 ? 1 : record_bytes),
        lane_bytes_(map.lane_bytes),
        per_block_(map.lanes_per_block) {
    if (map.offset <= file.size()) {
      at_ = file.data() + map.offset;
      present_ = std::min<std::uint64_t>(map.present_bytes, file.size() - map.offset);
    }
    capacity_ = record_bytes == 0 ? 0 : map.lane_bytes / record_bytes;
    if (lane_bytes_ == 0 || capacity_ == 0) return;
    slots_ = map.bytes / lane_bytes_;
    if (map.level == probe_level::unknown) {
      rows_ = slots_;
      is_flat_ = true;
    } else if (per_block_ == 0) {
      rows_ = std::min<std::uint64_t>(slots_, 1);  // every block writes slot 0
      is_flat_ = true;
    } else {
      rows_ = detail::probe_product(map.blocks, per_block_);
      // The extra warp of the last block has a slot that no other block overwrites.
      if ((map.flags & probe_aliased) != 0 && slots_ > rows_) ++rows_;
      rows_ = std::min(rows_, slots_);
      blocks_ = map.blocks;
    }
  }

  /// For counting alone: how many lanes and records there are, without bytes to read them from.
  probe_records(const probe_map& map, std::uint32_t record_bytes) noexcept {
    *this = probe_records({}, without_offset(map), record_bytes);
    present_ = capacity_ == 0 ? 0 : map.present_bytes;
  }

  [[nodiscard]] std::uint32_t record_bytes() const noexcept { return record_bytes_; }
  /// Whole records a lane has room for.
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  /// Lanes that some thread or warp may have written, block by block.
  [[nodiscard]] std::uint64_t lane_count() const noexcept { return rows_; }
  /// Of these, the lanes with at least one record in the file.
  [[nodiscard]] std::uint64_t present_lanes() const noexcept {
    if (rows_ == 0 || present_ < record_bytes_) return 0;
    return std::min(rows_, (present_ - record_bytes_) / lane_bytes_ + 1);
  }

  /// The lane in slot i < lane_count(), in the order of the file.
  [[nodiscard]] probe_lane lane_at(std::uint64_t i) const noexcept {
    if (is_flat_) return slot(i, no_block, i);
    const std::uint64_t block = i / per_block_;
    return block < blocks_ ? slot(i, block, i % per_block_) : slot(i, blocks_ - 1, per_block_);
  }
  /// The first byte of slot i < present_lanes().
  [[nodiscard]] const char* lane_at_slot(std::uint64_t i) const noexcept {
    return at_ + static_cast<std::size_t>(i * lane_bytes_);
  }
  /// The lane of a block; one without capacity where there is none. Random access.
  [[nodiscard]] probe_lane lane(std::uint64_t block, std::uint64_t lane) const noexcept {
    if (is_flat_) return block == no_block && lane < rows_ ? slot(lane, no_block, lane) : probe_lane();
    if (block >= blocks_) return {};
    const bool is_last_extra = block + 1 == blocks_ && lane == per_block_ && rows_ > blocks_ * per_block_;
    if (lane >= per_block_ && !is_last_extra) return {};
    return slot(block * per_block_ + lane, block, lane);
  }

  /// Calls visit(const probe_lane&) for each lane the file holds, in order; a visit that gives false ends it.
  template <class Visit>
  void each_lane(Visit&& visit) const {
    const std::uint64_t lanes = present_lanes();
    std::uint64_t block = is_flat_ ? no_block : 0, lane = 0;
    for (std::uint64_t i = 0; i < lanes; ++i) {
      if (!is_flat_ && lane == per_block_ && block + 1 < blocks_) {
        lane = 0;
        ++block;
      }
      if (!go_on(visit, slot(i, block, lane))) return;
      ++lane;
    }
  }

  /// Calls visit(const probe_record&) for each used record, in order: the fast way over everything.
  template <class Visit>
  void each_record(Visit&& visit) const {
    const std::uint64_t lanes = present_lanes();
    if (lanes == 0) return;
    const std::uint64_t whole = std::min(lanes, present_ / lane_bytes_);
    const char* at = at_;
    if (capacity_ == 1) {
      const char* const end = at + static_cast<std::size_t>(whole * lane_bytes_);
      if (record_bytes_ == 16 && lane_bytes_ == 16) {
        for (; at != end; at += 16)
          if (!detail::probe_is_zero(at, 16)) visit(probe_record(at));
      } else if (record_bytes_ == 8 && lane_bytes_ == 8) {
        for (; at != end; at += 8)
          if (!detail::probe_is_zero(at, 8)) visit(probe_record(at));
      } else {
        for (; at != end; at += static_cast<std::size_t>(lane_bytes_))
          if (!detail::probe_is_zero(at, record_bytes_)) visit(probe_record(at));
      }
    } else {
      for (std::uint64_t i = 0; i < whole; ++i) visit_used(slot(i, no_block, i), visit);
    }
    for (std::uint64_t i = whole; i < lanes; ++i) visit_used(slot(i, no_block, i), visit);
  }

  /// A used record and where it stands.
  struct row {
    std::uint64_t block = no_block, lane = 0, k = 0;
    probe_record record;
  };

  /// Input iterator over every used record.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = row;
    using difference_type = std::ptrdiff_t;
    using pointer = const row*;
    using reference = const row&;

    iterator() noexcept = default;
    iterator(const probe_records* of, std::uint64_t first, std::uint64_t lanes) noexcept
        : of_(of), at_(first), lanes_(lanes) {
      if (first < lanes) {
        const probe_lane lane = of->lane_at(first);
        block_ = lane.block();
        in_block_ = lane.lane();
      }
      load();
    }
    reference operator*() const noexcept { return row_; }
    pointer operator->() const noexcept { return &row_; }
    iterator& operator++() noexcept {
      if (++row_.k < used_) {
        row_.record = lane_.record(row_.k);
      } else {
        step();
        load();
      }
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.at_ == b.at_ && a.row_.k == b.row_.k;
    }
    friend bool operator!=(const iterator& a, const iterator& b) noexcept { return !(a == b); }

   private:
    // The first lane from at_ on that holds a record.
    void load() noexcept {
      row_.k = 0;
      for (; at_ < lanes_; step()) {
        lane_ = of_->slot(at_, block_, in_block_);
        used_ = lane_.used();
        if (used_ == 0) continue;
        row_ = {lane_.block(), lane_.lane(), 0, lane_.record(0)};
        return;
      }
    }
    // To the next slot, without a division.
    void step() noexcept {
      ++at_;
      ++in_block_;
      if (!of_->is_flat_ && in_block_ == of_->per_block_ && block_ + 1 < of_->blocks_) {
        in_block_ = 0;
        ++block_;
      }
    }
    const probe_records* of_ = nullptr;
    std::uint64_t at_ = 0, lanes_ = 0, used_ = 0;
    std::uint64_t block_ = no_block, in_block_ = 0;
    probe_lane lane_;
    row row_;
  };
  [[nodiscard]] iterator begin() const noexcept { return {this, 0, present_lanes()}; }
  [[nodiscard]] iterator end() const noexcept { return {this, present_lanes(), present_lanes()}; }
  /// From the first lane in slot i on.
  [[nodiscard]] iterator from(std::uint64_t i) const noexcept {
    return {this, std::min(i, present_lanes()), present_lanes()};
  }

 private:
  [[nodiscard]] static probe_map without_offset(probe_map map) noexcept {
    map.offset = 0;
    return map;
  }
  [[nodiscard]] probe_lane slot(std::uint64_t i, std::uint64_t block, std::uint64_t lane) const noexcept {
    const std::uint64_t start = i * lane_bytes_;
    std::uint64_t records = capacity_;
    if (start >= present_)
      records = 0;
    else if (present_ - start < lane_bytes_)
      records = std::min(records, (present_ - start) / record_bytes_);
    return {at_ + static_cast<std::size_t>(std::min(start, present_)), records, record_bytes_, block, lane};
  }
  template <class Visit>
  static void visit_used(const probe_lane& lane, Visit& visit) {
    const std::uint64_t used = lane.used();
    for (std::uint64_t k = 0; k < used; ++k) visit(lane.record(k));
  }
  template <class Visit>
  static bool go_on(Visit& visit, const probe_lane& lane) {
    if constexpr (std::is_same_v<decltype(visit(lane)), bool>) {
      return visit(lane);
    } else {
      visit(lane);
      return true;
    }
  }

  const char* at_ = nullptr;
  std::uint64_t present_ = 0;
  std::uint32_t record_bytes_ = 1;
  std::uint64_t lane_bytes_ = 1, per_block_ = 0, capacity_ = 0;
  std::uint64_t slots_ = 0, rows_ = 0, blocks_ = 0;
  bool is_flat_ = false;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
