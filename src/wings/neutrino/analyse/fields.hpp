// Fields of a map as the views take them, and what the analyses say when they are not there.
#pragma once
#include <profkit/core/probe.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

[[nodiscard]] inline probe_field view_of(const probe_shape_field& field) noexcept {
  return {field.name, field.type, field.offset, field.declared};
}

// The first of the names that the shape has.
[[nodiscard]] inline std::optional<probe_field> find_field(const probe_shape& shape,
                                                           std::initializer_list<std::string_view> names) noexcept {
  for (const std::string_view name : names)
    if (const probe_shape_field* field = shape.find(name)) return view_of(*field);
  return std::nullopt;
}

[[nodiscard]] inline fault wrong_map(const probe_bin_map& map, std::string_view what, std::string_view wanted) {
  return fault{
      fault_code::unsupported,
      "map " + map.shape->name + " holds no " + std::string(what) + ": that takes fields " + std::string(wanted), "",
      no_offset, "profkit neutrino PATH maps lists the fields of every map"};
}

// Lanes between two looks at the cancel token.
inline constexpr std::uint64_t lanes_per_step = std::uint64_t{1} << 16;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
