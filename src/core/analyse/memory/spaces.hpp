// The memory spaces of one program: totals, peaks and what the peaks are made of.
#pragma once
#include "heap_replay.hpp"
#include "schedule.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// One space with what its peak was computed from.
struct space_study {
  space_memory facts;
  std::unique_ptr<heap_replay> replay;  // method heap_replay
  std::vector<std::uint32_t> swept;     // method schedule_sweep: the buffers, their lifetimes, and the result
  std::vector<lifetime> lives;
  sweep_result swept_result;
  std::vector<std::int64_t> base;  // address of each allocation of a sweep; -1: not swept
  std::size_t positions = 0;
};

// Logical buffers by allocation, in the order of the file.
class buffers_of_allocations {
 public:
  explicit buffers_of_allocations(const program& p);
  [[nodiscard]] const std::uint32_t* begin(std::uint32_t allocation) const noexcept {
    return buffers_.data() + first_[allocation];
  }
  [[nodiscard]] const std::uint32_t* end(std::uint32_t allocation) const noexcept {
    return buffers_.data() + first_[allocation + 1];
  }

 private:
  std::vector<std::uint32_t> first_, buffers_;
};

struct program_study {
  program code;
  std::optional<buffers_of_allocations> assigned;  // always there
  std::vector<space_study> spaces;                 // by color
  [[nodiscard]] const space_study* space(std::int64_t color) const noexcept {
    for (const space_study& s : spaces)
      if (s.facts.color == color) return &s;
    return nullptr;
  }
};

// The study keeps references into itself: it stays where it is.
std::unique_ptr<program_study> study_program(std::string_view hlo_proto);

// What a module's row of the result says.
module_memory facts_of(program_study& study);

// Everything alive at the peak of a space, largest first; sizes add up to facts.peak_bytes.
std::vector<buffer_row> alive_at_peak(const program_study& study, const space_study& space, std::uint64_t described);

// Lays allocations out one after another; -1 where the sum would not fit.
std::vector<std::int64_t> lay_out(const program& p, const std::vector<std::uint32_t>& allocations);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
