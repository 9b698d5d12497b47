#include <model/architecture/doubts.hpp>
#include <model/architecture/kernels.hpp>
#include <analyse/kernel_reach.hpp>
#include <base/hash_map.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

// Half a gigabyte of rows; further kernels are counted.
constexpr std::size_t max_rows = std::size_t{1} << 24;
// Further streams share a lane.
constexpr std::size_t max_lanes = 32;

class collector final : public kernel_visitor {
 public:
  collector(const activity& of, std::size_t device) : of_(of), on_(of.devices()[device]) {
    found_.rows.reserve(std::min<std::uint64_t>(of.devices()[device].kernels, max_rows));
  }
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) add(rows[i]);
    return {};
  }
  device_kernels take() {
    for (const model_op& op : found_.ops) found_.counts[std::string(of_.text(op.row))] += op.count;
    found_.trains = is_training(of_, found_);
    // What chooses tokens in inference is a metric in training.
    if (found_.trains)
      for (model_op& op : found_.ops)
        if (op.kind == op_kind::sampling) op.kind = op_kind::unknown;
    return std::move(found_);
  }

 private:
  using op_key = std::pair<std::uint64_t, bool>;  // type and name; whether it communicates

  void add(const kernel_row& k) {
    if ((k.flags & kernel_in_flight) != 0) return;
    ++found_.all;
    const std::uint32_t op = op_of(k);
    ++found_.ops[op].count;
    if ((k.flags & kernel_duplicate) != 0) {
      ++found_.duplicates;
      return;
    }
    if (found_.rows.size() == max_rows) {
      ++found_.left_out;
      return;
    }
    kernel& row = found_.rows.emplace_back();
    const kernel_row reached = within_reach(k);
    row.start_ps = reached.start_ps;
    row.duration_ps = reached.duration_ps;
    row.op = op;
    row.details = k.details;
    row.type = k.kind;
    row.on_aicpu = k.kind == kernel_class::aicpu || (k.flags & kernel_on_aicpu) != 0;
    row.lane = lane_of(k);
    if (found_.rows.size() == 1) {
      found_.first_ps = row.start_ps;
      found_.last_ps = row.end_ps();
    }
    found_.last_ps = std::max(found_.last_ps, row.end_ps());
  }

  std::uint32_t op_of(const kernel_row& k) {
    // Kernels of one name may be of two classes: an XSpace says by the event that a kernel is a collective's.
    const op_key key(std::uint64_t{k.op_type} << 32 | k.name, k.kind == kernel_class::comm);
    if (key == last_key_ && !found_.ops.empty()) return last_op_;
    const auto [at, is_new] = ops_.emplace(key, static_cast<std::uint32_t>(found_.ops.size()));
    if (is_new) {
      model_op& op = found_.ops.emplace_back();
      op.type = k.op_type != 0 ? k.op_type : k.name;
      op.name = k.name;
      // An op type that was derived from a name is shared by different kernels.
      op.row = on_.type == accelerator::npu || k.name == 0 ? op.type : k.name;
      if (k.kind == kernel_class::comm) {
        op.kind = communication_kind(of_.text(k.op_type), of_.text(k.name));
      } else {
        op.family = family_of(k.op_type);
        if (!op.family && k.name != k.op_type) op.family = family_of(k.name);
        if (op.family) op.kind = op.family->kind;
      }
    }
    last_key_ = key;
    last_op_ = at->second;
    return last_op_;
  }

  const kernel_family* family_of(string_id text) {
    const auto [at, is_new] = families_.emplace(text, nullptr);
    if (is_new) at->second = find_family(of_.text(text));
    return at->second;
  }

  std::uint16_t lane_of(const kernel_row& k) {
    const bool known = (k.flags & kernel_has_stream) != 0;
    const bool is_comm = !known && k.kind == kernel_class::comm;
    const std::uint32_t key = known ? k.stream : is_comm ? 0x10000U : 0x10001U;
    const auto found = lanes_.find(key);
    if (found != lanes_.end()) return found->second;
    const auto lane = static_cast<std::uint16_t>(std::min(found_.lanes.size(), max_lanes - 1));
    if (found_.lanes.size() < max_lanes)
      found_.lanes.push_back({known ? static_cast<std::int32_t>(k.stream) : -1, is_comm});
    lanes_.emplace(key, lane);
    return lane;
  }

  const activity& of_;
  const activity_device& on_;
  device_kernels found_;
  hash_map<op_key, std::uint32_t> ops_;
  hash_map<string_id, const kernel_family*> families_;
  hash_map<std::uint32_t, std::uint16_t> lanes_;
  op_key last_key_{};
  std::uint32_t last_op_ = 0;
};

}  // namespace

std::size_t device_kernels::row_at(std::int64_t ps) const noexcept {
  const auto at =
      std::lower_bound(rows.begin(), rows.end(), ps, [](const kernel& k, std::int64_t t) { return k.start_ps < t; });
  return static_cast<std::size_t>(at - rows.begin());
}

result<device_kernels> collect_kernels(const activity& of, std::size_t device, const hooks& host) {
  collector into(of, device);
  if (result<void> seen = of.visit_kernels(device, into, host); !seen) return std::move(seen).error();
  return into.take();
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
