// What is known of ops beside their times, and how stats, ops and planes are named in short.
#include <base/affix.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/text.hpp>

#include <charconv>
#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

double double_of_bits(std::uint64_t bits) noexcept {
  double value = 0;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::string shortest_number(double value) {
  char text[40];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

}  // namespace

const named_stat* find_named_stat(const std::vector<named_stat>& stats, std::string_view name) noexcept {
  const named_stat* found = nullptr;
  for (const named_stat& stat : stats)
    if (stat.name == name) found = &stat;
  return found;
}

double stat_number_of(const named_stat* stat) noexcept {
  if (stat == nullptr) return 0;
  switch (stat->kind) {
    case stat_kind::double_value: return double_of_bits(stat->bits);
    case stat_kind::uint64_value: return static_cast<double>(stat->bits);
    case stat_kind::int64_value: return static_cast<double>(static_cast<std::int64_t>(stat->bits));
    default: return 0;
  }
}

std::string stat_text_of(const named_stat& stat) {
  switch (stat.kind) {
    case stat_kind::double_value: return shortest_number(double_of_bits(stat.bits));
    case stat_kind::uint64_value: return std::to_string(stat.bits);
    case stat_kind::int64_value: return std::to_string(static_cast<std::int64_t>(stat.bits));
    case stat_kind::str_value:
    case stat_kind::ref_value: return std::string(stat.text);
    case stat_kind::bytes_value: return '<' + human_bytes(stat.text.size()) + '>';
    case stat_kind::none: break;
  }
  return stat.from == named_stat::origin::argument ? std::string(stat.text) : "(none)";
}

std::string_view short_plane_name(std::string_view name) noexcept {
  constexpr std::string_view device = "/device:";
  if (name.empty()) return "(no name)";
  return starts_with(name, device) ? name.substr(device.size()) : name;
}

std::string_view short_op_name(std::string_view name, std::string_view display_name) noexcept {
  constexpr std::string_view no_result = "void ";  // of a kernel's C++ signature
  std::string_view chosen = display_name.empty() ? name : display_name;
  if (display_name.empty() && starts_with(name, "%")) {
    const std::size_t equals = name.find(" = ");
    if (equals != std::string_view::npos && equals > 1) chosen = name.substr(1, equals - 1);
  }
  if (starts_with(chosen, no_result)) chosen.remove_prefix(no_result.size());
  return chosen.empty() ? "(no name)" : chosen;
}

op_details op_details_of(const profile& p, const op_programs& programs, const ops_line& line, const op_row& op) {
  op_details found;
  found.program = programs.name_of(line, op);
  if (!op.has_metadata_id) {
    found.category = op.category;
    found.tf_op = op.framework_op;
    found.flops = static_cast<double>(op.flops);
    found.bytes = static_cast<double>(op.bytes);
    return found;
  }
  if (op.entry.data() == nullptr) return found;
  const std::vector<named_stat> stats = op_stats(p, line, op);
  if (const named_stat* category = find_named_stat(stats, "hlo_category")) found.category = stat_text_of(*category);
  if (const named_stat* tf_op = find_named_stat(stats, "tf_op")) found.tf_op = stat_text_of(*tf_op);
  if (is_async_half(op)) return found;
  found.flops = stat_number_of(find_named_stat(stats, "flops"));
  found.bytes = stat_number_of(find_named_stat(stats, "bytes_accessed"));
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
