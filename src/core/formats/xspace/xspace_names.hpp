// What the event metadata of a plane says about kernels and host spans; interned once, found by id.
#pragma once
#include <profkit/core/activity.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <base/hash_map.hpp>
#include <base/string_table.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct kernel_name {
  string_id name = 0, op_type = 0;
  kernel_class kind = kernel_class::other;  // of an event whose metadata is not there
};
struct span_name {
  string_id name = 0;
  host_span_kind kind = host_span_kind::op;
};

// Small ids by position, others by hash.
template <class Value>
class by_metadata_id {
 public:
  [[nodiscard]] const Value& find(std::int64_t id) const noexcept {
    if (id >= 0 && static_cast<std::uint64_t>(id) < dense_.size()) return dense_[static_cast<std::size_t>(id)];
    const auto at = sparse_.find(id);
    return at == sparse_.end() ? none_ : at->second;
  }
  // All that find() may give, in no order.
  template <class Use>
  void for_each(Use&& use) const {
    use(none_);
    for (const Value& value : dense_) use(value);
    for (const auto& [id, value] : sparse_) use(value);
  }

 protected:
  void reserve(const plane_index& plane) {
    const std::size_t entries = plane.event_metadata_entries.size();
    dense_.resize(entries + entries / 4 + 64);
  }
  Value& at(std::int64_t id) {
    if (id >= 0 && static_cast<std::uint64_t>(id) < dense_.size()) return dense_[static_cast<std::size_t>(id)];
    return sparse_[id];
  }

 private:
  std::vector<Value> dense_;
  hash_map<std::int64_t, Value> sparse_;
  Value none_;
};

class kernel_names : public by_metadata_id<kernel_name> {
 public:
  kernel_names(const plane_index& plane, string_table& strings);
};
class span_names : public by_metadata_id<span_name> {
 public:
  span_names(const plane_index& plane, string_table& strings);
};

// type_of_kernel() without the number of an instance: "loop_add_fusion_12.kd" -> "loop_add_fusion"; "fusion.3" -> "fusion".
[[nodiscard]] std::string kernel_base_name(std::string_view name);
[[nodiscard]] kernel_class classify_kernel(std::string_view name, std::string_view category) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
