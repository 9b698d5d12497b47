#include <analyse/architecture/families.hpp>
#include <profkit/core/architecture.hpp>

#include <algorithm>
#include <iterator>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

constexpr kernel_family families[] = {
#define PROFKIT_KERNEL_FAMILY(what, hint, pattern, unless, family) \
  {op_kind::what, phase_hint::hint, pattern, unless, family},
#include <analyse/architecture/kernel_families.inc>
};

}  // namespace

const kernel_family* find_family(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto stands = [&](std::string_view pattern) { return lower.find(pattern) != std::string::npos; };
  const auto found = std::find_if(std::begin(families), std::end(families), [&](const kernel_family& f) {
    return stands(f.pattern) && (f.unless.empty() || !stands(f.unless));
  });
  return found == std::end(families) ? nullptr : found;
}

}  // namespace architecture

int kernel_families_version() noexcept { return PROFKIT_KERNEL_FAMILIES_VERSION; }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
