#include <read/event_collectives.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::string_view event_collectives::of(const char* stats, std::uint32_t stats_bytes) const {
  if (plane_ == nullptr || stats_bytes == 0) return {};
  enum stat : std::size_t { hlo_op, hlo_module, program_id };  // as `names` has them
  event_row event{};
  event.stats = stats;
  event.stats_bytes = stats_bytes;
  const stat_finder::found_stats found = stats_.find(event, readable_end_);
  const std::string_view instruction = text_value(*plane_, found[hlo_op]);
  if (instruction.empty()) return {};
  return programs_->find(integer_value(found[program_id]), text_value(*plane_, found[hlo_module]), instruction);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
