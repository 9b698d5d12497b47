#include <profkit/core/kernel_places.hpp>

#include <analyse/ops/event_origins.hpp>
#include <analyse/ops/op_rows.hpp>
#include <analyse/ops/row_facts.hpp>
#include <trace/line_scan.hpp>

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// The events of one plane.
class plane_events {
 public:
  explicit plane_events(const plane_index& plane, const char* end)
      : of_(plane), end_(end), stats_(plane, stats_of_ops), origins_(plane) {}

  bool find(std::uint64_t source_row, event_row& event) const {
    const auto after = std::upper_bound(of_.lines.begin(), of_.lines.end(), source_row,
                                        [](std::uint64_t at, const line_index& line) { return at < line.offset; });
    if (after == of_.lines.begin()) return false;
    const line_index& line = *std::prev(after);
    return source_row - line.offset < line.body.size() && decode_first_event(line.body.substr(source_row - line.offset), event);
  }
  // The number of its program and origin; 0: it does not say.
  std::uint32_t number_of(const event_row& event) {
    const stat_finder::found_stats found = stats_.find(event, end_);
    const std::uint32_t program = programs_.number_of(of_, found[at_program_id], found.messages[at_hlo_module]);
    return programs_.number_of(program, origins_.of(event, end_));
  }
  [[nodiscard]] op_row op_of(std::int64_t metadata_id, std::uint32_t number) const {
    return row_of_op(of_, metadata_id, number == 0 ? program_key() : programs_.of(number));
  }

  hash_map<std::pair<std::int64_t, std::uint32_t>, const kernel_place*> places;  // by metadata id and number

 private:
  const plane_index& of_;
  const char* end_;  // of the bytes that may be read
  stat_finder stats_;
  event_origins origins_;
  program_numbers programs_;
};

kernel_place place_of_op(row_facts& facts, const op_row& op) {
  facts.look_at(op);
  std::vector<std::string> names;
  const auto named = [&](group_key key) {
    facts.names_of(key, names);
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : "/") + name;
    return all;
  };
  return {named(group_key::op),    named(group_key::module), named(group_key::source),
          named(group_key::phase), named(group_key::shape),  named(group_key::program)};
}

}  // namespace

struct kernel_places::state {
  explicit state(const profile& p) : of(p), facts(p) {}
  const profile& of;
  row_facts facts;
  ops_line line;  // the plane that is looked at
  std::optional<plane_events> events;
  std::deque<kernel_place> places;
};

kernel_places::kernel_places(const profile& p) : state_(std::make_unique<state>(p)) {}
kernel_places::~kernel_places() = default;

bool kernel_places::look_at(std::uint32_t file, std::int32_t plane) {
  state_->events.reset();
  const plane_index* const of = find_plane(state_->of, file, plane);
  if (of == nullptr) return false;
  state_->events.emplace(*of, end_of(state_->of.outline(file)->bytes));
  state_->line.file = file;
  state_->line.plane = plane;
  state_->facts.look_at(state_->line);
  return true;
}

const kernel_place* kernel_places::of(std::uint64_t source_row) {
  event_row event;
  if (!state_->events || !state_->events->find(source_row, event)) return nullptr;
  const std::uint32_t number = state_->events->number_of(event);
  const kernel_place*& known = state_->events->places.try_emplace({event.metadata_id, number}, nullptr).first->second;
  if (known == nullptr) known = &state_->places.emplace_back(place_of_op(state_->facts, state_->events->op_of(event.metadata_id, number)));
  return known;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
