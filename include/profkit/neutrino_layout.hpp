// Where the maps of a Neutrino probe trace (result/<elapsed>.bin) lie: header, section table and regions. Header-only,
// standard library only, no allocation, no exception; nothing is read outside the bytes given.
//
//   0  u32 grid x, y, z    12  u32 block x, y, z    24  u32 dynamic shared bytes    28  u32 number of maps n
//   32 + 16 i              section entry i          32 + 16 n                       the regions, back to back
//
// Little endian; no magic, no version. A section entry has been written in five ways (probe_sections), distinguished by
// its numbers and, where these leave a doubt, by what the driver's log and the kernel's description say
// (probe_evidence). What cannot be settled is a flag on the map (probe_flag), never a guess in silence.
//
// Source of the format: the traces of the hook driver of open-neutrino/neutrino, and the driver's source.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum probe_level: written by scripts/generate
/// Who has a slot of its own in a map.
enum class probe_level : std::uint8_t { unknown, thread, warp };
[[nodiscard]] constexpr const char* probe_level_name(probe_level value) noexcept {
  switch (value) {
    case probe_level::unknown: return "unknown";
    case probe_level::thread: return "thread";
    case probe_level::warp: return "warp";
  }
  return "unknown";
}
// end of enum probe_level
// enum probe_type: written by scripts/generate
/// The type of a field, unsigned.
enum class probe_type : std::uint8_t { u64, u32 };
[[nodiscard]] constexpr const char* probe_type_name(probe_type value) noexcept {
  switch (value) {
    case probe_type::u64: return "u64";
    case probe_type::u32: return "u32";
  }
  return "u32";
}
// end of enum probe_type

// enum probe_sections: written by scripts/generate
/// How the sections of a file are written.
enum class probe_sections : std::uint8_t {
  unknown,
  total_bytes,        ///< u64 bytes of the region, u64 offset (2024-12 to 2025-03)
  lane_bytes,         ///< u64 bytes of a lane, u64 offset (2025-04 to 06)
  dynamic_lane_bytes, ///< the same with 2^64-1 where the map's size was not known (2025-04-30 to 05-06)
  warp_width,         ///< u32 bytes of a lane, u32 threads of a lane, u64 offset (2025-07 and later)
  hip,                ///< u32 bytes of the region, modulo 2^32, u32 that was never set, u64 offset
  from_log            ///< the table says nothing usable; the log's sizes add up to the file
};
[[nodiscard]] constexpr const char* probe_sections_name(probe_sections value) noexcept {
  switch (value) {
    case probe_sections::unknown: return "unknown";
    case probe_sections::total_bytes: return "total_bytes";
    case probe_sections::lane_bytes: return "lane_bytes";
    case probe_sections::dynamic_lane_bytes: return "dynamic_lane_bytes";
    case probe_sections::warp_width: return "warp_width";
    case probe_sections::hip: return "hip";
    case probe_sections::from_log: return "from_log";
  }
  return "unknown";
}
// end of enum probe_sections

/// What is doubtful or special about a map; see probe_flag_name().
enum probe_flag : std::uint32_t {
  probe_offset_recomputed = 1u << 0,   ///< the recorded offset is wrong; the region was found by its place in the file
  probe_size_mismatch = 1u << 1,       ///< the regions do not add up to the file; the recorded offsets were used
  probe_truncated = 1u << 2,           ///< a part of the region lies past the end of the file
  probe_overlap = 1u << 3,             ///< the region shares bytes with another one
  probe_bad_offset = 1u << 4,          ///< the recorded offset cannot be right and nothing else gives the place
  probe_level_guessed = 1u << 5,       ///< thread or warp: the sources disagree, or arithmetic alone allows both
  probe_level_unknown = 1u << 6,       ///< one flat array of lanes, of no known block
  probe_aliased = 1u << 7,             ///< the last warp of a block is partial and shares its slot with the next block
  probe_table_ignored = 1u << 8,       ///< level and sizes are the log's
  probe_slack = 1u << 9,               ///< a lane ends in bytes that are too few for a record
  probe_raw_words = 1u << 10,          ///< no description of the fields: u64 words w0, w1, …
  probe_shape_mismatch = 1u << 11,     ///< the description's sizes are not those of the file
  probe_maps_mismatch = 1u << 12,      ///< the description has another number of maps
  probe_possible_overflow = 1u << 13,  ///< a lane with room for several records is full: it may have saved more
  probe_shape_assumed = 1u << 14       ///< the fields are those of a tool that the kernel's hook or the caller names
};
inline constexpr unsigned probe_flag_count = 15;

/// The name of one flag ("offset_recomputed"), by the position of its bit; "" past the last.
[[nodiscard]] constexpr const char* probe_flag_name(unsigned bit) noexcept {
  constexpr const char* names[probe_flag_count] = {
      "offset_recomputed", "size_mismatch",  "truncated",     "overlap",           "bad_offset",
      "level_guessed",     "level_unknown",  "aliased",       "table_ignored",     "slack",
      "raw_words",         "shape_mismatch", "maps_mismatch", "possible_overflow", "shape_assumed"};
  return bit < probe_flag_count ? names[bit] : "";
}

namespace detail {

[[nodiscard]] inline std::uint32_t probe_u32(const char* at) noexcept {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  const auto* byte = reinterpret_cast<const unsigned char*>(at);
  return byte[0] | std::uint32_t{byte[1]} << 8 | std::uint32_t{byte[2]} << 16 | std::uint32_t{byte[3]} << 24;
#else
  std::uint32_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
#endif
}
[[nodiscard]] inline std::uint64_t probe_u64(const char* at) noexcept {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return probe_u32(at) | std::uint64_t{probe_u32(at + 4)} << 32;
#else
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
#endif
}

inline constexpr std::uint64_t probe_huge = std::numeric_limits<std::uint64_t>::max();

/// Sums and products of numbers out of a header: probe_huge when the true one does not fit.
[[nodiscard]] constexpr std::uint64_t probe_sum(std::uint64_t a, std::uint64_t b) noexcept {
  return a > probe_huge - b ? probe_huge : a + b;
}
[[nodiscard]] constexpr std::uint64_t probe_product(std::uint64_t a, std::uint64_t b) noexcept {
  return b != 0 && a > probe_huge / b ? probe_huge : a * b;
}

}  // namespace detail

/// A block that is not known: see probe_lane::block.
inline constexpr std::uint64_t no_block = detail::probe_huge;

struct probe_header {
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t shared_bytes = 0;  ///< dynamic
  std::uint32_t maps = 0;          ///< as it stands; no promise that the file holds so many entries

  /// Blocks of the launch and threads of a block. The driver multiplies in 32 bits and so does this.
  [[nodiscard]] constexpr std::uint32_t blocks() const noexcept { return grid[0] * grid[1] * grid[2]; }
  [[nodiscard]] constexpr std::uint32_t threads() const noexcept { return block[0] * block[1] * block[2]; }
};

/// One entry of the section table, as two numbers and an offset.
struct probe_section {
  std::uint32_t low = 0, high = 0;
  std::uint64_t offset = 0;
  [[nodiscard]] constexpr std::uint64_t size() const noexcept { return low | std::uint64_t{high} << 32; }
};

/// The first bytes of a trace and its length. The regions need not be there to find out where they lie.
class probe_file {
 public:
  static constexpr std::size_t header_bytes = 32, section_bytes = 16;

  constexpr probe_file() noexcept = default;
  /// All bytes of the file.
  constexpr explicit probe_file(std::string_view bytes) noexcept : head_(bytes), length_(bytes.size()) {}
  /// The first bytes (the header and the table) of a file of `length` bytes.
  constexpr probe_file(std::string_view head, std::uint64_t length) noexcept : head_(head), length_(length) {}

  [[nodiscard]] constexpr std::uint64_t length() const noexcept { return length_; }
  [[nodiscard]] constexpr bool has_header() const noexcept { return head_.size() >= header_bytes; }
  /// All zeros when there is no header.
  [[nodiscard]] probe_header header() const noexcept {
    probe_header h;
    if (!has_header()) return h;
    const auto word = [this](std::size_t i) { return detail::probe_u32(head_.data() + 4 * i); };
    for (std::size_t i = 0; i < 3; ++i) {
      h.grid[i] = word(i);
      h.block[i] = word(3 + i);
    }
    h.shared_bytes = word(6);
    h.maps = word(7);
    return h;
  }
  /// The entries of the table; 0 unless the whole table is there, in the file and in the bytes given.
  [[nodiscard]] std::size_t section_count() const noexcept {
    if (!has_header() || length_ < header_bytes) return 0;
    const std::uint32_t maps = header().maps;
    const std::uint64_t room = std::min<std::uint64_t>(length_, head_.size()) - header_bytes;
    return maps <= room / section_bytes ? maps : 0;
  }
  /// Entry i; i < section_count().
  [[nodiscard]] probe_section section(std::size_t i) const noexcept {
    const char* at = head_.data() + header_bytes + section_bytes * i;
    return {detail::probe_u32(at), detail::probe_u32(at + 4), detail::probe_u64(at + 8)};
  }

 private:
  std::string_view head_;
  std::uint64_t length_ = 0;
};

/// Where one map lies and how it is laid out.
struct probe_map {
  std::uint32_t index = 0;  ///< of its section
  probe_level level = probe_level::unknown;
  std::uint32_t width = 0;            ///< threads of a lane: 1, 32 or 64
  std::uint64_t blocks = 0;           ///< of the launch
  std::uint64_t lanes_per_block = 0;  ///< lane stride on the device; 0 when a block is smaller than a warp
  std::uint64_t lanes_in_file = 0;    ///< lanes that the file has room for, a block
  std::uint64_t lane_bytes = 0;
  std::uint64_t offset = 0;           ///< of the region, in the file
  std::uint64_t bytes = 0;            ///< of the region, whole; ~0 when the header's numbers overflow
  std::uint64_t present_bytes = 0;    ///< of it, in the file
  std::uint64_t recorded_offset = 0;  ///< what the section entry says
  std::uint32_t flags = 0;            ///< probe_flag
};

// enum probe_status: written by scripts/generate
enum class probe_status : std::uint8_t {
  ok,
  short_header,            ///< fewer than 32 bytes
  section_table_truncated, ///< the header lists more maps than the file can describe
  unknown_section_variant  ///< the entries fit none of the known ways to write them
};
[[nodiscard]] constexpr const char* probe_status_name(probe_status value) noexcept {
  switch (value) {
    case probe_status::ok: return "ok";
    case probe_status::short_header: return "short_header";
    case probe_status::section_table_truncated: return "section_table_truncated";
    case probe_status::unknown_section_variant: return "unknown_section_variant";
  }
  return "ok";
}
// end of enum probe_status

/// What is known about one map from outside the file.
struct probe_hint {
  probe_level level = probe_level::unknown;  ///< from the kernel's description, the log, or the probe's
  std::uint32_t record_bytes = 0;            ///< 0: not known
  bool logged = false;                       ///< the log has the launch's own line for this map:
  std::uint64_t logged_lanes = 0;            ///<   lanes of a block in the file
  std::uint64_t logged_lane_bytes = 0;
  std::uint64_t logged_bytes = 0;
};

/// Which driver wrote the file, as far as the log's tags and the folder's name say.
enum class probe_writer : std::uint8_t { unknown, v0, v1_or_v2, v0_to_v2, v3 };

/// What is known about a file from outside it.
struct probe_evidence {
  const probe_hint* maps = nullptr;
  std::size_t map_count = 0;  ///< hints count only when there are as many as sections
  probe_writer writer = probe_writer::unknown;
  bool is_hip = false;
};

struct probe_layout {
  probe_status status = probe_status::ok;
  probe_sections sections = probe_sections::unknown;
  std::uint64_t trailing_bytes = 0;  ///< of the file, after its last region
  bool no_records = false;           ///< a grid or a block of nothing
};

namespace detail {

/// Finds the regions of one file: which way its sections are written, then where each region starts.
class probe_resolver {
 public:
  probe_resolver(const probe_file& file, const probe_evidence& evidence, probe_map* maps) noexcept
      : file_(file),
        evidence_(evidence),
        maps_(maps),
        header_(file.header()),
        count_(file.section_count()),
        blocks_(header_.blocks()),
        threads_(header_.threads()),
        base_(32 + 16 * std::uint64_t{count_}) {
    hinted_ = evidence.maps != nullptr && evidence.map_count == count_;
  }

  probe_layout run() noexcept {
    probe_layout found;
    found.no_records = blocks_ == 0 || threads_ == 0;
    for (std::size_t i = 0; i < count_; ++i) {
      maps_[i] = {};
      maps_[i].index = static_cast<std::uint32_t>(i);
      maps_[i].blocks = blocks_;
      maps_[i].recorded_offset = file_.section(i).offset;
    }
    found.sections = read_table();
    if (found.sections == probe_sections::unknown) {
      found.status = probe_status::unknown_section_variant;
      return found;
    }
    place_regions();
    std::uint64_t end = base_;
    for (std::size_t i = 0; i < count_; ++i) end = std::max(end, probe_sum(maps_[i].offset, maps_[i].present_bytes));
    found.trailing_bytes = file_.length() > end ? file_.length() - end : 0;
    return found;
  }

 private:
  [[nodiscard]] const probe_hint* hint(std::size_t i) const noexcept { return hinted_ ? evidence_.maps + i : nullptr; }
  [[nodiscard]] probe_level hinted_level(std::size_t i) const noexcept {
    return hinted_ ? evidence_.maps[i].level : probe_level::unknown;
  }
  [[nodiscard]] std::uint32_t warp() const noexcept { return evidence_.is_hip ? 64 : 32; }
  [[nodiscard]] std::uint64_t lanes_in_file(probe_level level, std::uint32_t width) const noexcept {
    return level == probe_level::warp ? (std::uint64_t{threads_} + width - 1) / width : threads_;
  }
  [[nodiscard]] std::uint64_t region(probe_level level, std::uint32_t width, std::uint64_t lane_bytes) const noexcept {
    return probe_product(probe_product(blocks_, lanes_in_file(level, width)), lane_bytes);
  }

  void set(std::size_t i, probe_level level, std::uint32_t width, std::uint64_t lane_bytes) noexcept {
    probe_map& m = maps_[i];
    m.level = level;
    m.width = level == probe_level::warp ? width : level == probe_level::thread ? 1 : 0;
    m.lane_bytes = lane_bytes;
    m.lanes_in_file = lanes_in_file(level, width);
    m.lanes_per_block = level == probe_level::warp ? threads_ / width : threads_;
    m.bytes = region(level, width, lane_bytes);
    if (level == probe_level::warp && threads_ % width != 0) m.flags |= probe_aliased;
  }
  // Lanes of no known block: the region as one array.
  void set_flat(std::size_t i, std::uint64_t lane_bytes, std::uint64_t bytes) noexcept {
    probe_map& m = maps_[i];
    m.level = probe_level::unknown;
    m.lane_bytes = lane_bytes;
    m.bytes = bytes;
    m.flags |= probe_level_unknown;
  }

  // What lies between a recorded offset and the next one, or the end of the file; probe_huge when that is nothing.
  [[nodiscard]] std::uint64_t extent(std::size_t i) const noexcept {
    const std::uint64_t from = file_.section(i).offset;
    const std::uint64_t to = i + 1 < count_ ? file_.section(i + 1).offset : file_.length();
    return to >= from ? to - from : probe_huge;
  }

  [[nodiscard]] bool has_old_tags() const noexcept {
    return evidence_.writer == probe_writer::v0 || evidence_.writer == probe_writer::v1_or_v2 ||
           evidence_.writer == probe_writer::v0_to_v2;
  }

  // ---- the table ----

  probe_sections read_table() noexcept {
    bool widths = true, plain = true;
    std::size_t dynamic = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const probe_section s = file_.section(i);
      widths = widths && (s.high == 1 || s.high == 32 || s.high == 64);
      const bool is_dynamic = s.size() == probe_huge;
      dynamic += is_dynamic;
      plain = plain && (s.high == 0 || is_dynamic);
    }
    const bool totals = is_total(count_);
    if (widths) {
      // A region of 4 GiB and more, and HIP's number that was never set, can look like a width.
      set_widths();
      if (total() != file_.length()) {
        if (totals && set_totals()) return probe_sections::total_bytes;
        if (has_old_tags() && is_hip() && set_hip()) return probe_sections::hip;
        reset_flags();
        set_widths();
      }
      return probe_sections::warp_width;
    }
    if (plain && dynamic != 0 && set_dynamic(dynamic)) return probe_sections::dynamic_lane_bytes;
    if (plain && dynamic == 0) {
      const bool lanes = is_per_lane(count_);
      if (totals != lanes) return totals ? use_totals() : use_lanes();
      return totals ? read_single_lane() : read_inconclusive();
    }
    if (totals && set_totals()) return probe_sections::total_bytes;
    if (is_from_log()) return use_log();
    if (has_old_tags() && is_hip() && set_hip()) return probe_sections::hip;
    return probe_sections::unknown;
  }

  // A launch of one lane: the numbers alone allow both readings, which agree on the bytes but not on the level.
  probe_sections read_single_lane() noexcept {
    if (evidence_.writer == probe_writer::v0) return use_totals();
    if (evidence_.writer == probe_writer::v1_or_v2) return use_lanes();
    if (const int logged = logged_reading(); logged != 0) return logged > 0 ? use_totals() : use_lanes();
    for (std::size_t i = 0; i < count_; ++i) {
      const probe_level level = hinted_level(i);
      if (level != probe_level::unknown && region(level, warp(), file_.section(i).size()) != extent(i))
        return use_totals();
    }
    return use_lanes();
  }

  // The file's length contradicts both readings: it is cut, or longer than it was.
  probe_sections read_inconclusive() noexcept {
    if (count_ > 1) {
      const bool totals = is_total(count_ - 1), lanes = is_per_lane(count_ - 1);
      if (totals != lanes) return totals ? use_totals() : use_lanes();
    }
    if (is_from_log()) return use_log();
    if (const int logged = logged_reading(); logged != 0) return logged > 0 ? use_totals() : use_lanes();
    if (evidence_.writer == probe_writer::v0) return use_totals();
    if (evidence_.writer == probe_writer::v1_or_v2) return use_lanes();
    return probe_sections::unknown;
  }
  // What the sizes are by the log: 1 of regions, -1 of lanes, 0 when it says neither or both.
  [[nodiscard]] int logged_reading() const noexcept {
    bool totals = hinted_, lanes = hinted_;
    for (std::size_t i = 0; i < count_ && hinted_; ++i) {
      const probe_hint& h = evidence_.maps[i];
      totals = totals && h.logged && file_.section(i).size() == h.logged_bytes;
      lanes = lanes && h.logged && file_.section(i).size() == h.logged_lane_bytes;
    }
    return totals == lanes ? 0 : totals ? 1 : -1;
  }

  [[nodiscard]] bool is_total(std::size_t sections) const noexcept {
    for (std::size_t i = 0; i < sections; ++i)
      if (extent(i) == probe_huge || extent(i) != file_.section(i).size()) return false;
    return true;
  }
  [[nodiscard]] bool is_per_lane(std::size_t sections) const noexcept {
    for (std::size_t i = 0; i < sections; ++i) {
      const std::uint64_t lane = file_.section(i).size(), bytes = extent(i);
      if (bytes == probe_huge) return false;
      if (region(probe_level::thread, 1, lane) != bytes && region(probe_level::warp, warp(), lane) != bytes)
        return false;
    }
    return true;
  }
  [[nodiscard]] bool is_hip() const noexcept {
    for (std::size_t i = 0; i < count_; ++i)
      if (extent(i) == probe_huge || static_cast<std::uint32_t>(extent(i)) != file_.section(i).low) return false;
    return true;
  }
  [[nodiscard]] bool is_from_log() const noexcept {
    if (!hinted_) return false;
    std::uint64_t bytes = base_;
    for (std::size_t i = 0; i < count_; ++i) {
      const probe_hint& h = evidence_.maps[i];
      if (!h.logged || h.level == probe_level::unknown) return false;
      bytes = probe_sum(bytes, h.logged_bytes);
    }
    return bytes == file_.length();
  }

  void reset_flags() noexcept {
    for (std::size_t i = 0; i < count_; ++i) maps_[i].flags = 0;
  }
  void set_widths() noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      const probe_section s = file_.section(i);
      set(i, s.high == 1 ? probe_level::thread : probe_level::warp, s.high, s.low);
    }
  }

  probe_sections use_totals() noexcept { return set_totals() ? probe_sections::total_bytes : probe_sections::unknown; }
  bool set_totals() noexcept {
    reset_flags();
    for (std::size_t i = 0; i < count_; ++i) set_from_total(i, file_.section(i).size(), warp());
    return true;
  }
  bool set_hip() noexcept {
    reset_flags();
    for (std::size_t i = 0; i < count_; ++i) set_from_total(i, extent(i), 64);
    return true;
  }
  // The bytes of a lane from those of the region: which levels divide it, and which of them other sources name.
  void set_from_total(std::size_t i, std::uint64_t bytes, std::uint32_t width) noexcept {
    const std::uint64_t threads = probe_product(blocks_, lanes_in_file(probe_level::thread, 1));
    const std::uint64_t warps = probe_product(blocks_, lanes_in_file(probe_level::warp, width));
    if (threads == 0) {
      set(i, hinted_level(i) == probe_level::unknown ? probe_level::thread : hinted_level(i), width, 0);
      maps_[i].bytes = bytes;
      return;
    }
    bool by_thread = bytes % threads == 0, by_warp = bytes % warps == 0;
    const probe_level hinted = hinted_level(i);
    if ((hinted == probe_level::thread && by_thread) || (hinted == probe_level::warp && by_warp)) {
      set(i, hinted, width, bytes / (hinted == probe_level::thread ? threads : warps));
      return;
    }
    const std::uint32_t record = hint(i) != nullptr ? hint(i)->record_bytes : 0;
    if (by_thread && by_warp && record != 0 && bytes / threads % record != 0) by_thread = false;
    if (!by_thread && !by_warp) {
      set_flat(i, record != 0 ? record : 8, bytes);
      return;
    }
    set(i, by_thread ? probe_level::thread : probe_level::warp, width, bytes / (by_thread ? threads : warps));
    if (hinted != probe_level::unknown || (by_thread && by_warp)) maps_[i].flags |= probe_level_guessed;
  }

  probe_sections use_lanes() noexcept {
    reset_flags();
    for (std::size_t i = 0; i < count_; ++i) set_from_lane(i, file_.section(i).size(), extent(i));
    return probe_sections::lane_bytes;
  }
  void set_from_lane(std::size_t i, std::uint64_t lane, std::uint64_t bytes) noexcept {
    const bool by_thread = region(probe_level::thread, 1, lane) == bytes;
    const bool by_warp = region(probe_level::warp, warp(), lane) == bytes;
    const probe_level hinted = hinted_level(i);
    const bool fits_hint = hinted == probe_level::thread ? by_thread : by_warp;
    if (hinted != probe_level::unknown && (fits_hint || by_thread == by_warp)) {
      set(i, hinted, warp(), lane);
    } else if (by_thread || by_warp) {
      set(i, by_thread ? probe_level::thread : probe_level::warp, warp(), lane);
      if (hinted != probe_level::unknown || (by_thread && by_warp)) maps_[i].flags |= probe_level_guessed;
    } else {
      const std::uint64_t offset = file_.section(i).offset;
      const std::uint64_t most = offset <= file_.length() ? file_.length() - offset : 0;
      const std::uint64_t have = bytes == probe_huge ? most : std::min(bytes, most);
      set_flat(i, lane, lane == 0 ? 0 : have / lane * lane);
    }
  }

  // One map of unknown size is what the others leave of the file; of several, only the log knows.
  bool set_dynamic(std::size_t dynamic) noexcept {
    std::uint64_t others = base_;
    reset_flags();
    for (std::size_t i = 0; i < count_; ++i) {
      if (file_.section(i).size() == probe_huge) continue;
      const bool trusted = i + 1 == count_ || extent(i) < file_.length();
      set_from_lane(i, file_.section(i).size(), trusted ? extent(i) : probe_huge);
      if (maps_[i].level == probe_level::unknown) {
        // The offsets after a dynamic map are garbage, so the level alone decides.
        const probe_level hinted = hinted_level(i);
        maps_[i].flags &= ~std::uint32_t{probe_level_unknown};
        set(i, hinted == probe_level::unknown ? probe_level::thread : hinted, warp(), file_.section(i).size());
        if (hinted == probe_level::unknown) maps_[i].flags |= probe_level_guessed;
      }
      others = probe_sum(others, maps_[i].bytes);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (file_.section(i).size() != probe_huge) continue;
      const probe_hint* h = hint(i);
      const probe_level level = hinted_level(i) == probe_level::warp ? probe_level::warp : probe_level::thread;
      const std::uint64_t lanes = probe_product(blocks_, lanes_in_file(level, warp()));
      const std::uint64_t rest = others <= file_.length() ? file_.length() - others : 0;
      const bool divides = dynamic == 1 && lanes != 0 && others <= file_.length() && rest % lanes == 0;
      if (divides)
        set(i, level, warp(), rest / lanes);
      else if (h != nullptr && h->logged)
        set(i, level, warp(), h->logged_lane_bytes);
      else if (lanes == 0)
        set(i, level, warp(), 0);
      else
        return false;
    }
    return true;
  }

  probe_sections use_log() noexcept {
    reset_flags();
    for (std::size_t i = 0; i < count_; ++i) {
      const probe_hint& h = evidence_.maps[i];
      const std::uint32_t width = h.logged_lanes != lanes_in_file(probe_level::warp, 32) &&
                                          h.logged_lanes == lanes_in_file(probe_level::warp, 64)
                                      ? 64
                                      : 32;
      set(i, h.level, width, h.logged_lane_bytes);
      maps_[i].flags |= probe_table_ignored;
    }
    return probe_sections::from_log;
  }

  // ---- the regions ----

  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t bytes = base_;
    for (std::size_t i = 0; i < count_; ++i) bytes = probe_sum(bytes, maps_[i].bytes);
    return bytes;
  }

  // The offsets that the driver records: since 2025-07 it leaves out the partial warps of a block.
  [[nodiscard]] bool is_as_written() const noexcept {
    std::uint64_t exact = base_, written = base_;
    bool is_exact = true, is_written = true;
    for (std::size_t i = 0; i < count_; ++i) {
      const probe_map& m = maps_[i];
      is_exact = is_exact && m.recorded_offset == exact;
      is_written = is_written && m.recorded_offset == written;
      exact = probe_sum(exact, m.bytes);
      const std::uint64_t all = probe_product(probe_product(blocks_, threads_), m.lane_bytes);
      written = probe_sum(written, m.width == 0 || all == probe_huge ? probe_huge : all / m.width);
    }
    return is_exact || is_written;
  }

  [[nodiscard]] bool is_inside(const probe_map& m) const noexcept {
    return m.recorded_offset >= base_ && probe_sum(m.recorded_offset, m.bytes) <= file_.length();
  }

  // Sorts by offset, marks what shares bytes with what stands before it, and sorts back.
  void mark_overlaps() noexcept {
    std::sort(maps_, maps_ + count_, [](const probe_map& a, const probe_map& b) {
      return a.recorded_offset != b.recorded_offset ? a.recorded_offset < b.recorded_offset : a.index < b.index;
    });
    std::uint64_t end = 0;
    probe_map* last = nullptr;
    for (std::size_t i = 0; i < count_; ++i) {
      probe_map& m = maps_[i];
      if (m.bytes == 0 || (m.flags & probe_bad_offset) != 0) continue;
      if (last != nullptr && m.recorded_offset < end) {
        m.flags |= probe_overlap;
        last->flags |= probe_overlap;
      }
      if (last == nullptr || probe_sum(m.recorded_offset, m.bytes) > end) {
        end = probe_sum(m.recorded_offset, m.bytes);
        last = &m;
      }
    }
    std::sort(maps_, maps_ + count_, [](const probe_map& a, const probe_map& b) { return a.index < b.index; });
  }

  void place_regions() noexcept {
    const std::uint64_t all = total();
    // Regions that overflow the file cannot be placed by offsets that lie in it: the file was cut.
    const bool by_place = all >= file_.length() || is_as_written();
    if (by_place) {
      std::uint64_t at = base_;
      for (std::size_t i = 0; i < count_; ++i) {
        probe_map& m = maps_[i];
        m.offset = at;
        at = probe_sum(at, m.bytes);
        m.present_bytes = m.offset >= file_.length() ? 0 : std::min(m.bytes, file_.length() - m.offset);
        if (m.present_bytes < m.bytes) m.flags |= probe_truncated;
        if (m.offset != m.recorded_offset) m.flags |= probe_offset_recomputed;
        if (all < file_.length()) m.flags |= probe_size_mismatch;
      }
      return;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      probe_map& m = maps_[i];
      m.offset = m.recorded_offset;
      m.flags |= probe_size_mismatch;
      if (m.offset < base_ || m.offset > file_.length()) {
        m.flags |= probe_bad_offset;
        continue;
      }
      m.present_bytes = std::min(m.bytes, file_.length() - m.offset);
      if (m.present_bytes < m.bytes) m.flags |= probe_truncated;
    }
    mark_overlaps();
  }

  const probe_file& file_;
  const probe_evidence& evidence_;
  probe_map* maps_;
  probe_header header_;
  std::size_t count_;
  std::uint32_t blocks_, threads_;
  std::uint64_t base_;
  bool hinted_ = false;
};

}  // namespace detail

/// Finds out where the maps of a file lie. `maps` has room for file.section_count() of them and is filled in the order
/// of the table unless the status says otherwise. A file without maps is fine. O(n log n).
inline probe_layout resolve_probe_maps(const probe_file& file, const probe_evidence& evidence,
                                       probe_map* maps) noexcept {
  probe_layout found;
  if (!file.has_header() || file.length() < probe_file::header_bytes) {
    found.status = probe_status::short_header;
    return found;
  }
  if (file.section_count() != file.header().maps) {
    found.status = probe_status::section_table_truncated;
    return found;
  }
  return detail::probe_resolver(file, evidence, maps).run();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
