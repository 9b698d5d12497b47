#include <analyse/ops/op_rows.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::int64_t op_rows::sums::metadata_id_of(std::size_t slot) const noexcept {
  const std::int64_t number = number_of(slot);
  if (key == op_key::metadata_id || key == op_key::kernel) return number;
  if (key == op_key::program) {
    const auto at = static_cast<std::size_t>(number);
    return at < first_pair ? number : pairs[at - first_pair].first;
  }
  const std::size_t entries = plane->event_metadata_entries.size(), at = static_cast<std::size_t>(number);
  return at < entries ? event_metadata_view(plane->event_metadata_entries[at]).key() : without_entry[at - entries];
}

std::uint32_t op_rows::sums::program_of(std::size_t slot) const noexcept {
  const auto at = static_cast<std::size_t>(number_of(slot));
  return key == op_key::program && at >= first_pair ? pairs[at - first_pair].second : 0;
}

op_row row_of_op(const plane_index& plane, std::int64_t metadata_id, const program_key& program) noexcept {
  op_row row;
  row.metadata_id = metadata_id;
  if (const metadata_entry entry = plane.event_metadata.find(metadata_id)) row.entry = entry.bytes;
  const event_metadata_view metadata = row.metadata();
  row.name = metadata.name();
  row.display_name = metadata.display_name();
  row.program_id = program.id;
  row.module = program.module;
  row.origin.instruction = program.instruction;
  row.origin.scope = program.scope;
  row.origin.source = program.source;
  row.origin.step = std::int64_t{program.step} - 1;
  return row;
}

op_row op_rows::sums::row(std::size_t slot) const noexcept {
  op_row row;
  if (key == op_key::kernel) {
    const kernel_op& of = (*kernels)[static_cast<std::size_t>(number_of(slot))];
    row.has_metadata_id = false;
    row.name = of.name;
    row.category = of.category;
    row.op_type = of.type;
    row.core = of.core;
    row.origin = of.origin;
    row.display_name = of.display_name;
    row.framework_op = of.framework_op;
    row.module = of.program;
    if (of.program_id != 0) row.program_id = static_cast<std::int64_t>(of.program_id);
    row.flops = of.flops;
    row.bytes = of.bytes;
    row.multiplies = of.multiplies;
  } else {
    const std::uint32_t program = program_of(slot);
    row = row_of_op(*plane, metadata_id_of(slot), program == 0 ? program_key() : programs[program - 1]);
  }
  const op_sum& sum = by_slot[slot];
  row.count = sum.count;
  row.total_ps = sum.total_ps;
  row.self_ps = clamp_ps(sum.self_ps);
  row.min_ps = sum.max_ps < 0 ? 0 : sum.min_ps;
  row.max_ps = std::max<std::int64_t>(sum.max_ps, 0);
  return row;
}

op_rows::op_rows(std::shared_ptr<const sums> of, std::vector<std::uint32_t> slots)
    : sums_(std::move(of)), order_(std::move(slots)) {
  sort_by(ops_order::total);
}

op_row op_rows::operator[](std::size_t at) const noexcept { return sums_->row(order_[at]); }

void op_rows::sort_by(ops_order order) {
  if (empty()) return;
  const std::vector<op_sum>& sum = sums_->by_slot;
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (order == ops_order::self && sum[a].self_ps != sum[b].self_ps) return sum[a].self_ps > sum[b].self_ps;
    if (order == ops_order::count && sum[a].count != sum[b].count) return sum[a].count > sum[b].count;
    if (sum[a].total_ps != sum[b].total_ps) return sum[a].total_ps > sum[b].total_ps;
    const std::int64_t id_of_a = sums_->metadata_id_of(a), id_of_b = sums_->metadata_id_of(b);
    return id_of_a != id_of_b ? id_of_a < id_of_b : sums_->program_of(a) < sums_->program_of(b);
  });
}

op_rows make_op_rows(op_rows::sums of, const std::string& name) {
  std::size_t met = 0;
  const auto is_met = [&](std::size_t slot) { return of.by_slot[slot].max_ps != op_sum::not_met; };
  for (std::size_t slot = 1; slot < of.by_slot.size(); ++slot) met += is_met(slot) ? 1 : 0;
  // A line that has few of the plane's ops does not keep room for all of them.
  if (met < of.by_slot.size() / 8) {
    op_rows::sums few;
    few.plane = of.plane;
    few.key = of.key;
    few.without_entry = std::move(of.without_entry);
    few.first_pair = of.first_pair;
    few.pairs = std::move(of.pairs);
    few.programs = std::move(of.programs);
    few.kernels = std::move(of.kernels);
    few.others.reserve(met);
    few.by_slot.reserve(met + 1);
    few.by_slot.emplace_back();
    for (std::size_t slot = 1; slot < of.by_slot.size(); ++slot) {
      if (!is_met(slot)) continue;
      few.others.push_back(of.number_of(slot));
      few.by_slot.push_back(of.by_slot[slot]);
    }
    of = std::move(few);
  }
  const auto kept = std::make_shared<const op_rows::sums>(std::move(of));
  std::vector<std::uint32_t> slots;
  slots.reserve(name.empty() ? met : 0);
  for (std::size_t at = 1; at < kept->by_slot.size(); ++at) {
    const auto slot = static_cast<std::uint32_t>(at);
    if (kept->by_slot[slot].max_ps == op_sum::not_met) continue;
    if (!name.empty()) {
      const op_row row = kept->row(slot);
      if (!contains(row.name, name) && !contains(row.display_name, name)) continue;
    }
    slots.push_back(slot);
  }
  return {kept, std::move(slots)};
}

void fill_line(ops_line& line, op_totals& totals, std::shared_ptr<const std::vector<kernel_op>> kernels, const std::string& name) {
  line.events = totals.events();
  line.duration_sum_ps = totals.duration_sum_ps();
  line.busy_ps = clamp_ps(totals.busy_ps());
  op_rows::sums sums;
  sums.key = op_key::kernel;
  sums.kernels = std::move(kernels);
  sums.others = totals.take_sparse_ids();
  sums.by_slot = totals.take_sums();
  line.ops = make_op_rows(std::move(sums), name);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
