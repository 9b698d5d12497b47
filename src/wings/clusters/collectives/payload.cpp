#include "payload.hpp"

#include <profkit/time.hpp>

#include "analyse/array_size.hpp"
#include "base/collective_names.hpp"

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// What counts as the size of a call, and the share of it that goes over each link: NCCL tests, doc/PERFORMANCE.md.
enum class payload_rule : std::uint8_t { whole, times_members };
enum class share_rule : std::uint8_t { all, others, others_twice };
struct collective_cost {
  std::string_view collective;
  payload_rule payload;  // times_members: the smaller of what a member gives and gets, once for each member
  share_rule share;      // others: (n - 1) / n; others_twice: 2 (n - 1) / n
};
constexpr collective_cost costs[] = {
    {"all-reduce", payload_rule::whole, share_rule::others_twice},
    {"all-gather", payload_rule::times_members, share_rule::others},
    {"reduce-scatter", payload_rule::times_members, share_rule::others},
    {"all-to-all", payload_rule::whole, share_rule::others},
    {"collective-broadcast", payload_rule::whole, share_rule::all},
    {"broadcast", payload_rule::whole, share_rule::all},
    {"reduce", payload_rule::whole, share_rule::all},
    {"collective-permute", payload_rule::whole, share_rule::all},
    {"send-recv", payload_rule::whole, share_rule::all},
    {"send", payload_rule::whole, share_rule::all},
    {"recv", payload_rule::whole, share_rule::all},
};

const collective_cost* cost_of(std::string_view collective) noexcept {
  const auto at = std::find_if(std::begin(costs), std::end(costs), [&](const auto& each) { return each.collective == collective; });
  return at == std::end(costs) ? nullptr : at;
}

// Names of torch's ScalarType (c10/core/ScalarType.h), as its profiler writes them.
struct torch_type {
  std::string_view name;
  std::int64_t bytes;
};
constexpr torch_type torch_types[] = {
    {"Byte", 1},          {"Char", 1},          {"Bool", 1},           {"Short", 2},           {"Int", 4},
    {"Long", 8},          {"Half", 2},          {"BFloat16", 2},       {"Float", 4},           {"Double", 8},
    {"ComplexHalf", 4},   {"ComplexFloat", 8},  {"ComplexDouble", 16}, {"UInt16", 2},          {"UInt32", 4},
    {"UInt64", 8},        {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1},    {"Float8_e4m3fnuz", 1}, {"Float8_e5m2fnuz", 1},
    {"Float8_e8m0fnu", 1},
};

std::int64_t bytes_of_arrays(const shape_view& shape) {
  std::int64_t bytes = 0;
  visit_shape(shape, [&](const shape_view& each, int) { bytes = saturating_add(bytes, size_of_array(each).bytes); });
  return bytes;
}

}  // namespace

collective_message message_of(const instruction_view& instruction, std::string_view collective) {
  // What starts a transfer has a tuple as its result: what it was given, what it gets, numbers of the transfer. Send and recv have
  // what they move first. The start of an all-reduce has what an all-reduce has.
  const shape_view shape = instruction.shape();
  const bool moves_first = collective == "send" || collective == "recv";
  const bool starts = role_of(instruction.opcode()) == async_role::start && collective != "all-reduce";
  if ((!moves_first && !starts) || shape.element_type() != tuple_element_type) return {-1, bytes_of_arrays(shape)};
  std::int64_t place = 0;
  for (const shape_view part : shape.tuple_shapes())
    if (place++ == (moves_first ? 0 : 1)) return {-1, bytes_of_arrays(part)};
  return {};
}

std::int64_t bytes_of_type(std::string_view name) noexcept {
  for (const torch_type& each : torch_types)
    if (each.name == name) return each.bytes;
  return 0;
}

std::optional<std::int64_t> payload_of(std::string_view collective, std::int64_t members, const collective_message& message) noexcept {
  const collective_cost* const cost = cost_of(collective);
  const auto [in, out] = message;
  if (cost == nullptr || members < 2 || std::max(in, out) <= 0) return std::nullopt;
  if (cost->payload == payload_rule::whole) return std::max(in, out);
  if (in >= 0 && out >= 0) return saturating_mul(std::min(in, out), members);
  const bool gathers = collective == "all-gather";
  return gathers == (out >= 0) ? std::max(in, out) : saturating_mul(std::max(in, out), members);
}

link_share link_share_of(std::string_view collective, std::int64_t members) noexcept {
  const collective_cost* const cost = cost_of(collective);
  if (cost == nullptr || members < 2 || cost->share == share_rule::all) return {};
  return {(members - 1) * (cost->share == share_rule::others_twice ? 2 : 1), members};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
