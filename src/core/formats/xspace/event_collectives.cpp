#include <formats/xspace/event_collectives.hpp>

#include <base/collective_names.hpp>

#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

event_collectives::event_collectives(const plane_index& plane, std::shared_ptr<const program_collectives> programs,
                                     const char* readable_end)
    : plane_(&plane), programs_(std::move(programs)), readable_end_(readable_end), stats_(plane, names) {
  for (const std::string_view bytes : plane.stat_metadata_entries) {
    const stat_metadata_view entry(bytes);
    const std::string_view collective = collective_with_role(instruction_name(entry.name()));
    const bool asks_program = programs_->renames(entry.name());
    if ((!collective.empty() || asks_program) && counts_in(plane.stat_metadata, entry.key(), bytes))
      by_reference_[entry.key()] = {collective, asks_program};
  }
}

std::string_view event_collectives::of(const char* stats, std::uint32_t stats_bytes) const {
  if (plane_ == nullptr || stats_bytes == 0) return {};
  enum stat : std::size_t { hlo_op, hlo_module, program_id };  // as `names` has them
  event_row event{};
  event.stats = stats;
  event.stats_bytes = stats_bytes;
  const stat_finder::found_stats found = stats_.find(event, readable_end_);
  const stat_view op = found[hlo_op];
  if (op.kind() == stat_kind::ref_value) {
    const by_name named = by_reference_.find(static_cast<std::int64_t>(op.as_ref()));
    if (!named.asks_program) return named.collective;
  }
  const std::string_view instruction = text_value(*plane_, op);
  if (instruction.empty()) return {};
  return programs_->find(integer_value(found[program_id]), text_value(*plane_, found[hlo_module]), instruction);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
