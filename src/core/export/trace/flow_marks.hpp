// What joins an event to others: flow stats, producer and consumer ids of TraceMe, correlation ids of launches.
#pragma once
#include <profkit/xspace.hpp>

#include "formats/xspace/xspace_index.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class flow_end : std::uint8_t { unknown, out, in, through };

class flow_marks {
 public:
  // `file` keeps the flows of files apart; in a merged file the plane stat node_id does so as well.
  flow_marks(const plane_index& plane, std::size_t file) : device_(plane.kind == plane_kind::device) {
    std::int64_t node = 0;
    for (const std::string_view bytes : plane.stats) {
      const stat_view stat(bytes);
      if (plane.stat_name(stat.metadata_id()) == "node_id") node = stat.as_int64();
    }
    scope_ = mixed(static_cast<std::uint64_t>(file) << 32 ^ static_cast<std::uint64_t>(node));
    for (const std::string_view bytes : plane.stat_metadata_entries) {
      const stat_metadata_view entry(bytes);
      const auto found = role_of(entry.name());
      if (found) roles_.push_back({entry.key(), *found});
    }
  }

  // Calls use(id, end) for each flow of an event. Ids fit 53 bits: readers of JSON hold them in doubles.
  template <class Use>
  void for_each(const message_range<stat_view, 4>& stats, Use&& use) const {
    if (roles_.empty()) return;
    std::optional<std::uint64_t> value[role_count];
    bool any = false;
    for (const stat_view stat : stats)
      for (const auto& [id, what] : roles_)
        if (stat.metadata_id() == id &&
            (stat.kind() == stat_kind::uint64_value || stat.kind() == stat_kind::int64_value)) {
          value[static_cast<std::size_t>(what)] = stat.as_uint64();
          any = true;
        }
    if (!any) return;
    const auto of = [&](role r) { return value[static_cast<std::size_t>(r)]; };
    if (const auto flow = of(role::flow)) {
      // XFlow of tsl: two bits of direction, 56 of id, six of category.
      constexpr flow_end ends[] = {flow_end::unknown, flow_end::in, flow_end::out, flow_end::through};
      use(id_of(1, *flow >> 2), ends[*flow & 3]);
    }
    if (const auto producer = of(role::producer)) use(id_of(2 + of(role::producer_type).value_or(0), *producer), flow_end::out);
    if (const auto consumer = of(role::consumer)) use(id_of(2 + of(role::consumer_type).value_or(0), *consumer), flow_end::in);
    if (const auto launch = of(role::correlation)) use(id_of(0, *launch), device_ ? flow_end::in : flow_end::out);
  }

 private:
  enum class role : std::uint8_t { flow, producer, producer_type, consumer, consumer_type, correlation };
  static constexpr std::size_t role_count = 6;

  static std::optional<role> role_of(std::string_view name) noexcept {
    if (name == "flow") return role::flow;
    if (name == "_p") return role::producer;
    if (name == "_pt") return role::producer_type;
    if (name == "_c") return role::consumer;
    if (name == "_ct") return role::consumer_type;
    if (name == "correlation_id") return role::correlation;
    return std::nullopt;
  }
  // The finaliser of MurmurHash3: every bit of the input reaches every bit of the result.
  static std::uint64_t mixed(std::uint64_t x) noexcept {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
  }
  [[nodiscard]] std::uint64_t id_of(std::uint64_t kind, std::uint64_t id) const noexcept {
    return mixed(mixed(id ^ scope_) + kind) >> 11;
  }

  struct known_role {
    std::int64_t id;
    role what;
  };
  std::vector<known_role> roles_;
  std::uint64_t scope_ = 0;
  bool device_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
