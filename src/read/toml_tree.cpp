#include "read/toml_tree.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

// Its assertions do not hold for every text (in 3.3.0 a control character after '[' breaks one), and with NDEBUG they
// become promises to the compiler. The code behind them reports what they deny, so they are left out.
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
// The headers alone, whatever a packaged .pc file asks for: faults instead of exceptions, no printing.
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#undef TOML_SHARED_LIB
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

toml_value take(const toml::node& node);

std::vector<toml_member> members_of(const toml::table& table) {
  // toml++ sorts by name; the position of the name tells the order of the file.
  struct placed {
    std::uint32_t line, column;
    toml_member member;
  };
  std::vector<placed> order;
  order.reserve(table.size());
  for (const auto& [key, node] : table) {
    const toml::source_position begin = key.source().begin;
    order.push_back({begin.line, begin.column, {std::string(key.str()), begin.line, take(node)}});
  }
  std::stable_sort(order.begin(), order.end(), [](const placed& a, const placed& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  std::vector<toml_member> members;
  members.reserve(order.size());
  for (placed& each : order) members.push_back(std::move(each.member));
  return members;
}

// Recursion is bounded: toml++ refuses values nested deeper than TOML_MAX_NESTED_VALUES.
toml_value take(const toml::node& node) {
  toml_value value;
  if (const auto* table = node.as_table()) {
    value.members = members_of(*table);
  } else if (const auto* array = node.as_array()) {
    value.kind = toml_kind::array;
    value.items.reserve(array->size());
    for (const toml::node& item : *array) value.items.push_back(take(item));
  } else if (const auto* text = node.as_string()) {
    value.kind = toml_kind::text;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = toml_kind::integer;
    value.integer = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = toml_kind::number;
    value.number = number->get();
  } else if (const auto* truth = node.as_boolean()) {
    value.kind = toml_kind::truth;
    value.truth = truth->get();
  } else {
    value.kind = toml_kind::time;
  }
  return value;
}

std::uint64_t line_offset(std::string_view text, std::uint32_t line) {
  std::size_t offset = 0;
  for (std::uint32_t at = 1; at < line; ++at) {
    const std::size_t end = text.find('\n', offset);
    if (end == std::string_view::npos) break;
    offset = end + 1;
  }
  return offset;
}

}  // namespace

const toml_value* toml_value::find(std::string_view name) const noexcept {
  const auto at =
      std::find_if(members.begin(), members.end(), [&](const toml_member& each) { return each.name == name; });
  return at == members.end() ? nullptr : &at->value;
}

result<toml_value> parse_toml(std::string_view text, const std::string& path) {
  if (text.size() > max_toml_bytes) {
    return fault{fault_code::limit, "the TOML document is longer than 16 MiB", path, max_toml_bytes, ""};
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const std::uint32_t line = parsed.error().source().begin.line;
    return fault{fault_code::damaged,
                 "no valid TOML at line " + std::to_string(line) + ": " + std::string(parsed.error().description()),
                 path, line_offset(text, line), ""};
  }
  return take(parsed.table());
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
