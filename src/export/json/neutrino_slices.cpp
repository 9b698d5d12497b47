// The names of the slices of `profkit neutrino`.
#include <profkit/core/probe_export.hpp>

#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr const char* slice_names[] = {"summary", "launches", "kernels",  "maps",     "records", "schedule",
                                       "bytes",   "density",  "progress", "overhead", "log"};

}  // namespace

const char* probe_slice_name(probe_slice s) noexcept {
  const auto i = static_cast<std::size_t>(s);
  return i < std::size(slice_names) ? slice_names[i] : "";
}

std::optional<probe_slice> probe_slice_of(std::string_view name) noexcept {
  for (std::size_t i = 0; i < std::size(slice_names); ++i)
    if (name == slice_names[i]) return static_cast<probe_slice>(i);
  return std::nullopt;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
