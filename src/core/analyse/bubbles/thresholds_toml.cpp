// Thresholds of the bubble detector from a TOML file: names of the table in [bubbles], or at the top level.
#include <base/toml_tree.hpp>

#include <base/contained.hpp>
#include <profkit/core/bubbles.hpp>

#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// A number as decimal text, which is what thresholds are set from; nothing for other kinds.
std::optional<std::string> decimal_text(const toml_value& v) {
  if (v.kind == toml_kind::integer) return std::to_string(v.integer);
  if (v.kind != toml_kind::number) return std::nullopt;
  char text[64];
  const auto written = std::to_chars(text, text + sizeof text, v.number, std::chars_format::fixed);
  return written.ec == std::errc() ? std::string(text, written.ptr) : "";
}

result<void> set_from(bubble_thresholds& into, const toml_member& m) {
  const std::optional<std::string> number = decimal_text(m.value);
  if (number) return set_threshold(into, m.name, *number);
  return fault{fault_code::invalid_argument, "threshold " + m.name + " is no number", "", no_offset,
               "write a number without quotes, such as 0.25 or 1000"};
}

}  // namespace

result<bubble_thresholds> read_thresholds(std::string_view toml, const std::string& path) {
  return contained([&]() -> result<bubble_thresholds> {
    const result<toml_value> tree = parse_toml(toml, path);
    if (!tree) return tree.error();
    const toml_value* own = tree->find("bubbles");
    bubble_thresholds t;
    for (const toml_member& m : own != nullptr ? own->members : tree->members) {
      if (result<void> set = set_from(t, m); !set) {
        fault wrong = std::move(set).error();
        wrong.message += " in line " + std::to_string(m.line);
        wrong.path = path;
        return wrong;
      }
    }
    return t;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
