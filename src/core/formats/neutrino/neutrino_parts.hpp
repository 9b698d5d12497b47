// The small text files of a Neutrino trace folder.
#pragma once
#include <profkit/core/probe_trace.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// probe.toml. Never fails: what is wrong is in `damage`, and maps that make no sense are left out from there on.
[[nodiscard]] probe_description read_probe_description(std::string_view text, const std::string& path);

// kernel.info; nothing when its first three lines are not there.
[[nodiscard]] std::optional<probe_kernel_info> read_kernel_info(std::string_view text);

// process.log.
[[nodiscard]] probe_engine_log read_engine_log(std::string_view text);

// The parts of a folder's name: "Nov21_064619_25804", or "Nov_21_06_46_19_25804" of the first drivers.
struct trace_folder_name {
  bool is_one = false, is_v0 = false;
  std::optional<std::uint64_t> pid;
};
[[nodiscard]] trace_folder_name read_trace_folder_name(std::string_view name) noexcept;

// "12.345678.bin" in microseconds; nothing for another name.
[[nodiscard]] std::optional<std::int64_t> elapsed_us_of(std::string_view bin_name) noexcept;

// The shape of map `index` of a file with `map_count` maps, and what is doubtful about it (added to place.flags).
[[nodiscard]] std::shared_ptr<const probe_shape> shape_of(const probe_description& description, probe_map& place,
                                                          std::size_t map_count, probe_tool assume);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
