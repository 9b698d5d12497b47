// Which collectives the events of a plane belong to: their stats name the HLO instruction that they run for.
#pragma once
#include <formats/xspace/event_stats.hpp>
#include <formats/xspace/program_collectives.hpp>

#include <memory>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class event_collectives {
 public:
  event_collectives() = default;  // knows none
  // Borrows the plane, and the bytes of its file, which end at `readable_end`.
  event_collectives(const plane_index& plane, std::shared_ptr<const program_collectives> programs,
                    const char* readable_end);

  // Whether events of the plane may name an instruction.
  [[nodiscard]] static bool named_in(const plane_index& plane) { return plane.stat_id(names[0]).has_value(); }
  // "all-reduce", "all-gather-start"; empty when the event names no instruction, or one that is not a collective.
  [[nodiscard]] std::string_view of(const char* stats, std::uint32_t stats_bytes) const;

 private:
  static constexpr std::string_view names[stat_finder::max_names] = {"hlo_op", "hlo_module", "program_id", ""};
  const plane_index* plane_ = nullptr;
  std::shared_ptr<const program_collectives> programs_;
  const char* readable_end_ = nullptr;
  stat_finder stats_;
  // Of instructions whose names are stat metadata, as references name them.
  struct by_name {
    std::string_view collective;
    bool asks_program = false;
  };
  id_table<by_name> by_reference_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
