// Totals of ops and of communication as rows.
#include <tables/rows_of_list.hpp>

#include <profkit/core/communication.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/op_groups.hpp>
#include <profkit/core/ops.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {


// Of a line of ops in the list of devices: its plane, else the device of a trace.
std::int32_t device_of_line(const capture_devices& devices, std::uint32_t file, std::int32_t plane, std::string_view name) {
  if (const std::int32_t at = devices.of_plane(file, plane).device; at >= 0) return at;
  for (std::size_t at = 0; at < devices.all().size(); ++at) {
    const capture_device& d = devices.all()[at];
    if (d.plane < 0 && d.file == file && d.name == name) return static_cast<std::int32_t>(at);
  }
  return -1;
}

// Takes the number of a stat. False when there is none, or a negative one.
bool take_number(const named_stat* stat, std::uint64_t& into) noexcept {
  const bool is_number =
      stat != nullptr && (stat->kind == stat_kind::uint64_value ||
                          (stat->kind == stat_kind::int64_value && stat->bits >> 63 == 0));
  if (is_number) into = stat->bits;
  return is_number;
}

class op_source final : public row_source {
 public:
  op_source(const profile& p, std::shared_ptr<const capture_devices> devices, ops_result found, std::uint64_t limit)
      : profile_(p), devices_(std::move(devices)), programs_(p), found_(std::move(found)), limit_(limit) {}
  [[nodiscard]] table_kind which() const noexcept override { return table_kind::ops; }

  result<std::size_t> read(void* rows, std::size_t capacity) override {
    auto* const into = static_cast<rows::ops*>(rows);
    std::size_t count = 0;
    for (; count < capacity && line_ < found_.lines.size();) {
      const ops_line& line = found_.lines[line_];
      const std::size_t end = limit_ == 0 ? line.ops.size() : std::min<std::size_t>(line.ops.size(), limit_);
      if (op_ >= end) {
        ++line_;
        op_ = 0;
        continue;
      }
      into[count] = {};
      fill(line, line.ops[op_++], into[count++]);
    }
    return count;
  }
  [[nodiscard]] std::vector<file_damage> damage() const override { return found_.damage; }

 private:
  void fill(const ops_line& line, const op_row& op, rows::ops& row) {
    row.file = line.file;
    row.device = device_of_line(*devices_, line.file, line.plane, line.plane_name);
    row.plane = borrowed(line.plane_name);
    row.line = borrowed(line.line_name);
    row.name = borrowed(op.name);
    row.display_name = borrowed(op.display_name);
    row.clock = static_cast<std::int32_t>(line.clock);
    row.metadata_id = op.has_metadata_id ? op.metadata_id : 0;
    row.count = op.count;
    row.total_ps = op.total_ps;
    row.self_ps = op.self_ps;
    row.min_ps = op.min_ps;
    row.max_ps = op.max_ps;
    const std::vector<named_stat> stats = op_stats(profile_, line, op);
    if (const named_stat* const category = find_named_stat(stats, op.has_metadata_id ? "hlo_category" : "category"))
      row.category = borrowed(category->text);
    row.flags = bit_if(op.has_metadata_id, PK_OP_HAS_METADATA_ID) |
                bit_if(take_number(find_named_stat(stats, "flops"), row.flops), PK_OP_HAS_FLOPS) |
                bit_if(take_number(find_named_stat(stats, "bytes_accessed"), row.bytes_accessed), PK_OP_HAS_BYTES_ACCESSED);
    row.program = borrowed(*texts_.insert(programs_.name_of(line, op)).first);
  }

  const profile& profile_;
  std::shared_ptr<const capture_devices> devices_;
  op_programs programs_;
  ops_result found_;
  std::uint64_t limit_;
  std::set<std::string> texts_;  // names of programs: few, and they stay where they are
  std::size_t line_ = 0, op_ = 0;
};

class collective_source final : public row_source {
 public:
  collective_source(std::shared_ptr<const capture_devices> devices, collectives_result found)
      : devices_(std::move(devices)), found_(std::move(found)) {}
  [[nodiscard]] table_kind which() const noexcept override { return table_kind::collectives; }

  result<std::size_t> read(void* rows, std::size_t capacity) override {
    auto* const into = static_cast<rows::collectives*>(rows);
    const std::size_t count = std::min(capacity, found_.ops.size() - at_);
    for (std::size_t i = 0; i < count; ++i) {
      into[i] = {};
      fill(found_.ops[at_++], into[i]);
    }
    return count;
  }
  [[nodiscard]] std::vector<file_damage> damage() const override { return found_.damage; }

 private:
  void fill(const collective_op_row& op, rows::collectives& row) const {
    row.device = device_of_line(*devices_, op.file, op.plane, op.plane_name);
    profkit::fill(op, row);
  }

  std::shared_ptr<const capture_devices> devices_;
  collectives_result found_;
  std::size_t at_ = 0;
};

// Ops of a device, grouped by one key.
struct groups_of_device {
  std::uint32_t file = 0;
  std::int32_t device = -1;
  op_groups groups;
};

class op_group_source final : public row_source {
 public:
  op_group_source(std::vector<groups_of_device> found, std::vector<file_damage> damage)
      : found_(std::move(found)), damage_(std::move(damage)) {}
  [[nodiscard]] table_kind which() const noexcept override { return table_kind::op_groups; }

  result<std::size_t> read(void* rows, std::size_t capacity) override {
    auto* const into = static_cast<rows::op_groups*>(rows);
    std::size_t count = 0;
    while (count < capacity && part_ < found_.size()) {
      const groups_of_device& part = found_[part_];
      if (row_ == part.groups.rows.size()) {
        ++part_;
        row_ = 0;
        continue;
      }
      fill(part, part.groups.rows[row_++], into[count++]);
    }
    return count;
  }
  [[nodiscard]] std::vector<file_damage> damage() const override { return damage_; }

 private:
  void fill(const groups_of_device& part, const op_group& group, rows::op_groups& row) {
    row = {};
    row.file = part.file;
    row.device = part.device;
    around_.resize(group.depth);
    row.parent = around_.empty() ? -1 : around_.back();
    around_.push_back(at_++);
    profkit::fill(group, row);
  }

  std::vector<groups_of_device> found_;
  std::vector<file_damage> damage_;
  std::vector<std::int64_t> around_;  // positions of the rows that the next one lies in
  std::int64_t at_ = 0;
  std::size_t part_ = 0, row_ = 0;
};

// Of those by which no other table has a column or a row.
constexpr group_key keys_of_table[] = {
    group_key::op,     group_key::outer_op, group_key::module, group_key::kind_of_module, group_key::range,
    group_key::source, group_key::phase,    group_key::kind,   group_key::category,       group_key::program};

}  // namespace

result<std::unique_ptr<row_source>> open_op_groups(const asked_rows& asked) {
  query_filters o = asked.filters;
  o.split_by_origin = true;
  auto ops = analyse_ops(asked.of, o, asked.host);
  if (!ops) return std::move(ops).error();
  std::vector<std::pair<std::uint32_t, std::int32_t>> order;  // of the devices in the capture
  std::map<std::pair<std::uint32_t, std::int32_t>, ops_result> by_device;
  for (ops_line& line : ops->lines) {
    const std::pair at(line.file, device_of_line(*asked.devices, line.file, line.plane, line.plane_name));
    const auto [of_device, added] = by_device.try_emplace(at);
    if (added) order.push_back(at);
    of_device->second.lines.push_back(std::move(line));
  }
  std::vector<groups_of_device> found;
  for (const auto& at : order)
    for (const group_key key : keys_of_table) {
      auto groups = group_ops(asked.of, by_device[at], {key});
      if (!groups) return std::move(groups).error();
      found.push_back({at.first, at.second, std::move(*groups)});
    }
  return std::unique_ptr<row_source>(std::make_unique<op_group_source>(std::move(found), std::move(ops->damage)));
}

result<std::unique_ptr<row_source>> open_ops(const asked_rows& asked) {
  auto found = analyse_ops(asked.of, asked.filters, asked.host);
  if (!found) return std::move(found).error();
  return std::unique_ptr<row_source>(
      std::make_unique<op_source>(asked.of.files(), asked.devices, std::move(*found), asked.filters.limit));
}

result<std::unique_ptr<row_source>> open_collectives(const asked_rows& asked) {
  auto found = analyse_collectives(asked.of, asked.filters, asked.host);
  if (!found) return std::move(found).error();
  return std::unique_ptr<row_source>(std::make_unique<collective_source>(asked.devices, std::move(*found)));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
