// Parts that the JSON and the CSV of a Neutrino trace have in common.
#pragma once
#include <profkit/core/probe_export.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// One map and the bytes of its file.
struct held_map {
  const probe_bin* bin = nullptr;
  const probe_bin_map* map = nullptr;
  held_bytes held;
};
[[nodiscard]] result<held_map> hold_map(const probe_target& target, std::size_t index = 0);

[[nodiscard]] std::vector<std::string> flag_names(std::uint32_t flags);

// What a query for records keeps.
class record_filter {
 public:
  record_filter(const probe_query& query, const probe_records& records) noexcept : query_(query), records_(records) {}
  // Calls use(block, lane, k, record) for each row; false ends it. Gives how many rows there are in all.
  template <class Use>
  std::uint64_t each(Use&& use) const {
    std::uint64_t rows = 0;
    const std::uint64_t last = query_.limit == 0 ? ~std::uint64_t{0} : detail::probe_sum(query_.skip, query_.limit);
    const auto take = [&](const probe_lane& lane) {
      if (query_.lane && lane.lane() != *query_.lane) return;
      const std::uint64_t used = lane.used();
      if (rows >= last || rows + used <= query_.skip) {
        rows += used;
        return;
      }
      for (std::uint64_t k = 0; k < used; ++k, ++rows)
        if (rows >= query_.skip && rows < last) use(lane, k, lane.record(k));
    };
    if (query_.block && query_.lane) {
      take(records_.lane(*query_.block, *query_.lane));
    } else if (query_.block) {
      each_lane_of_block(*query_.block, take);
    } else {
      records_.each_lane([&](const probe_lane& lane) { take(lane); });
    }
    return rows;
  }

 private:
  template <class Take>
  void each_lane_of_block(std::uint64_t block, Take&& take) const {
    for (std::uint64_t lane = 0;; ++lane) {
      const probe_lane found = records_.lane(block, lane);
      if (found.capacity() == 0) return;  // past the block, or past the end of the file
      take(found);
    }
  }
  const probe_query& query_;
  const probe_records& records_;
};

// Why a capture has no rows of probes.
[[nodiscard]] inline const char* why_no_probes(const profile& p) noexcept {
  return p.file_count() == 0 ? "no file of the capture was recognised"
                             : "this is no Neutrino trace: there is no event.log and no result/*.bin";
}

// What is wrong with a capture without rows of probes: with its only file, else with what should have them.
[[nodiscard]] inline std::vector<file_damage> damage_without_probes(const profile& p) {
  std::vector<file_damage> damage;
  for (const std::uint32_t file : p.file_count() == 1 ? std::vector<std::uint32_t>{0} : p.files_with(file_content::probe_records))
    if (const fault* const why = p.file_fault(file)) damage.push_back({file, *why});
  return damage;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
