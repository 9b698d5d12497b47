// The slices of `profkit neutrino`, by their names.
#include <profkit/core/probe_export.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::optional<probe_slice> probe_slice_of(std::string_view name) noexcept {
  for (std::size_t i = 0; i < probe_slice_count; ++i)
    if (name == probe_slice_name(static_cast<probe_slice>(i))) return static_cast<probe_slice>(i);
  return std::nullopt;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
