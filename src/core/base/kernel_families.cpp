#include <base/kernel_families.hpp>
#include <base/affix.hpp>
#include <base/collective_names.hpp>
#include <base/communication_kernels.hpp>
#include <base/packed_texts.hpp>
#include <profkit/core/architecture.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

struct hint_rule {
  op_kind kind;
  phase_hint hint;
};
constexpr hint_rule hint_rules[] = {
#define PROFKIT_KERNEL_FAMILY(what, hint, pattern, unless, family) {op_kind::what, phase_hint::hint},
#include <base/kernel_families.inc>
#undef PROFKIT_KERNEL_FAMILY
};
constexpr std::string_view plain_texts[] = {
#define PROFKIT_KERNEL_FAMILY(what, hint, pattern, unless, family) pattern, unless, family,
#include <base/kernel_families.inc>
#undef PROFKIT_KERNEL_FAMILY
};
constexpr auto texts = pack_texts<plain_texts>();

constexpr auto families = [] {
  std::array<kernel_family, std::size(hint_rules)> rows{};
  for (std::uint16_t row = 0; row < rows.size(); ++row) {
    const auto first = static_cast<std::uint16_t>(3 * row);
    rows[row] = {hint_rules[row].kind,
                 hint_rules[row].hint,
                 {first},
                 {static_cast<std::uint16_t>(first + 1)},
                 {static_cast<std::uint16_t>(first + 2)}};
  }
  return rows;
}();

}  // namespace

family_text::operator std::string_view() const noexcept { return texts[number]; }

const kernel_family* find_family(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = folded(c);
  const auto stands = [&](std::string_view pattern) { return lower.find(pattern) != std::string::npos; };
  const auto found = std::find_if(std::begin(families), std::end(families), [&](const kernel_family& f) {
    return stands(f.pattern) && (std::string_view(f.unless).empty() || !stands(f.unless));
  });
  return found == std::end(families) ? nullptr : found;
}

op_kind communication_kind(std::string_view op_type, std::string_view name) {
  std::string_view spelled = collective_spelled_in(op_type);
  if (spelled.empty()) spelled = collective_spelled_in(name);
  if (spelled == "all-to-all" || spelled == "ragged-all-to-all") return op_kind::all_to_all;
  for (const std::string_view text : {op_type, name}) {
    switch (communication_of(text).what) {
      case kernel_communication::none: break;
      case kernel_communication::collective: return op_kind::collective;
      case kernel_communication::all_to_all: return op_kind::all_to_all;
      case kernel_communication::point_to_point: return op_kind::point_to_point;
    }
  }
  return op_kind::collective;
}

}  // namespace architecture

int kernel_families_version() noexcept { return PROFKIT_KERNEL_FAMILIES_VERSION; }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
