// Analyses of Neutrino probe records: the schedule of blocks on the multiprocessors, bytes and counts of threads, page
// references, progress, and what the probe cost. Each works on one map; all are pure: the bytes come from the caller.
#pragma once
#include <profkit/core/probe_trace.hpp>
#include <profkit/core/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// ---- what a map holds ----------------------------------------------------------------------------------------------

struct probe_survey {
  std::uint64_t lanes = 0;          ///< that the file holds
  std::uint64_t used_lanes = 0;     ///< with at least one record
  std::uint64_t full_lanes = 0;     ///< with as many as fit
  std::uint64_t records = 0;        ///< used ones
  std::uint64_t capacity = 0;       ///< of a lane
  std::uint64_t missing_lanes = 0;  ///< past the end of the file, in whole or in part
  std::uint32_t flags = 0;          ///< the map's, and probe_possible_overflow
};
[[nodiscard]] probe_survey survey_map(const probe_bin_map& map, std::string_view file) noexcept;

/// What a trace folder holds.
struct probe_totals {
  std::uint64_t launches = 0, kernels = 0;
  std::uint64_t bins = 0, damaged_bins = 0;  ///< record files
  std::uint64_t maps = 0;                    ///< of all record files
  std::uint64_t record_bytes = 0;            ///< of all record files
};
[[nodiscard]] probe_totals totals_of(const probe_trace& trace) noexcept;

/// Buckets of powers of two: bucket 0 counts zeros, bucket k > 0 counts [2^(k-1), 2^k).
struct log2_histogram {
  std::array<std::uint64_t, 65> buckets{};
  void add(std::uint64_t value) noexcept { ++buckets[bucket_of(value)]; }
  [[nodiscard]] static std::size_t bucket_of(std::uint64_t value) noexcept {
    std::size_t bits = 0;
    for (std::size_t step = 32; step != 0; step /= 2)
      if (value >> step != 0) {
        bits += step;
        value >>= step;
      }
    return value == 0 ? 0 : bits + 1;
  }
};

// ---- the schedule of blocks ----------------------------------------------------------------------------------------

/// Which fields of a record say when a block ran and on which multiprocessor.
struct schedule_fields {
  probe_field start, end, sm;  ///< `end` is the time that passed, or the end itself
  bool end_is_elapsed = true;
};
/// Fields start|lstart|gstart, elapsed|elapse or end|gend, cuid|smid; nothing when one is missing.
[[nodiscard]] std::optional<schedule_fields> find_schedule_fields(const probe_shape& shape) noexcept;

struct scheduled_block {
  std::uint64_t start = 0, end = 0;  ///< ticks of the clock
  std::uint32_t block = 0;
  std::uint32_t slot = 0;  ///< of its multiprocessor
};

struct sm_schedule {
  std::uint64_t sm = 0;  ///< as recorded; the numbers may have holes
  std::uint32_t slots = 0;
  std::uint64_t first_start = 0, last_end = 0;
  std::uint64_t busy = 0;  ///< sum of the blocks' times
  std::uint64_t gap = 0;   ///< sum of the times between a block and the next one in its slot
  std::uint64_t gap_count = 0;
  /// busy / (slots x time from first to last); nothing when that time is 0.
  std::optional<double> residency;
  std::vector<scheduled_block> blocks;  ///< by start, then number
};

struct schedule_options {
  bool keep_blocks = true;       ///< false: only the sums of each multiprocessor
  std::uint64_t max_skews = 0;  ///< blocks whose skew is kept; the extremes and means count all
};

struct block_skew {
  std::uint64_t block = 0;
  std::uint64_t start_skew = 0, end_skew = 0;  ///< last minus first of the block's warps
  double imbalance = 0;                        ///< longest warp / mean warp; 0 when no warp took any time
};

struct block_schedule {
  probe_clock clock = probe_clock::unknown;
  std::uint64_t blocks = 0, blocks_without_records = 0;
  std::vector<sm_schedule> sms;  ///< by number
  std::vector<block_skew> skew;  ///< by block
  double mean_busy = 0, mean_gap = 0;
  std::optional<double> mean_residency;
  std::uint64_t max_start_skew = 0, max_end_skew = 0;
  std::optional<double> mean_imbalance;
};
/// A block's time is from its first warp's start to its last warp's end, its multiprocessor that of lane 0. On each
/// multiprocessor, blocks by start take the free slot that ended last. Faults: unsupported, when the map has no such
/// fields or its lanes belong to no known block; cancelled.
[[nodiscard]] result<block_schedule> analyse_block_schedule(const probe_bin_map& map, std::string_view file,
                                                            const schedule_options& options = {},
                                                            const hooks& host = {});

// ---- bytes and counts ----------------------------------------------------------------------------------------------

struct field_totals {
  std::string name;
  std::uint64_t sum = 0;
  std::uint64_t least = 0, most = 0;
  log2_histogram histogram;
};

struct lane_totals {
  std::vector<field_totals> fields;
  std::uint64_t lanes = 0, zero_lanes = 0;  ///< lanes; those in which every field is 0
  std::uint64_t total = 0;                  ///< of all fields
  bool overflowed = false;                  ///< a sum does not fit 64 bits and stopped at its end
  /// Sum over the warps of the largest first field among its lanes: instructions, when each lane counts the warp's.
  std::optional<std::uint64_t> warp_sum;
  std::uint64_t blocks = 0;
  std::vector<std::uint64_t> per_block;  ///< totals of the first blocks
};
/// Sums of every field of a map over its lanes and records. `max_blocks`: totals of blocks to keep.
[[nodiscard]] result<lane_totals> analyse_lane_totals(const probe_bin_map& map, std::string_view file,
                                                      std::uint64_t max_blocks = 64, const hooks& host = {});

// ---- page references -----------------------------------------------------------------------------------------------

/// Bits of an address below its page of 64 KiB.
inline constexpr unsigned probe_page_bits = 16;

struct page_cell {
  std::uint64_t clock = 0, page = 0, count = 0;
};
/// Pages that follow each other without a hole.
struct page_group {
  std::uint64_t first = 0, last = 0, pages = 0, references = 0;
};
struct tensor_allocation {
  std::uint64_t time_ns = 0;
  std::string shape, variable, function, place;
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t references = 0;
};
struct page_density {
  std::uint64_t records = 0, unwritten = 0;  ///< references; room of lanes without any
  std::uint64_t max_clock = 0;
  std::uint64_t clocks = 0, cells = 0;  ///< distinct ones
  std::vector<std::uint64_t> pages;     ///< ascending
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint64_t> grid;         ///< references, row by row: rows are pages in order, columns are time
  std::vector<page_cell> top;              ///< most referenced, then by clock and page
  std::vector<page_group> groups;          ///< by address
  std::vector<tensor_allocation> tensors;  ///< by address; those of tensor.trace
  std::uint64_t unattributed = 0;          ///< references that no tensor covers
};
struct density_options {
  std::uint32_t width = 16, height = 10;
  std::uint64_t top = 10;
  std::string_view tensor_trace;  ///< the text of tensor.trace; "" without
};
/// Faults: unsupported, when the map has no fields clock and addr; cancelled.
[[nodiscard]] result<page_density> analyse_page_density(const probe_bin_map& map, std::string_view file,
                                                        const density_options& options = {}, const hooks& host = {});

/// tensor.trace: of each address the newest entry, by address. Lines of another form are passed over.
[[nodiscard]] std::vector<tensor_allocation> read_tensor_trace(std::string_view text);

/// A .dmat file, which the reference tool derives from the records; zero padding is counted in it as references.
struct page_table {
  std::vector<std::uint64_t> pages;  ///< as they stand
  std::vector<page_cell> cells;      ///< as they stand
  std::optional<fault> damage;       ///< the file ends early: what came before is there
};
[[nodiscard]] page_table read_page_table(std::string_view bytes);

// ---- progress ------------------------------------------------------------------------------------------------------

struct lane_progress {
  std::uint64_t samples = 0, lanes = 0, full_lanes = 0;
  log2_histogram samples_of_lanes;
  std::uint64_t deltas = 0;    ///< between a sample and the next of its lane
  std::uint64_t backward = 0;  ///< of them, those that go back in time: an overflowing neighbour wrote there
  std::uint64_t least_delta = 0, most_delta = 0, delta_sum = 0;
  log2_histogram delta_histogram;
};
/// Samples of a lane are its records up to the first whose first field is 0.
[[nodiscard]] result<lane_progress> analyse_progress(const probe_bin_map& map, std::string_view file,
                                                     const hooks& host = {});

// ---- what the probe cost -------------------------------------------------------------------------------------------

struct kernel_overhead {
  std::int32_t kernel = -1;  ///< index in probe_trace::kernels; -1: launches of no known kernel
  std::string function;
  std::uint64_t launches = 0, timed = 0;  ///< all; those with times
  std::optional<std::int64_t> median_kernel_ps, median_prologue_ps, median_epilogue_ps;
  std::int64_t total_kernel_ps = 0, total_ps = 0;  ///< of the timed: kernels; with prologue and epilogue
  std::optional<double> median_ratio;              ///< (prologue + kernel + epilogue) / kernel
  std::uint64_t max_probe_memory_bytes = 0;
  std::uint64_t benchmarked = 0;
  std::optional<double> mean_impact, total_impact;  ///< kernel / original: mean, and of the sums
  std::uint64_t backups = 0;                        ///< launches that ran without the probe
};
/// By the time in kernels, longest first.
[[nodiscard]] std::vector<kernel_overhead> analyse_probe_overhead(const probe_trace& trace);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
