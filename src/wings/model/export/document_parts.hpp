// What the fields of the document `architecture` are found with.
#pragma once
#include <export/json/document.hpp>

#include <profkit/core/architecture.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

struct model_sight {
  const activity& of;
  const architecture_result& r;
  const device_architecture& d;  // the device that the document is about
  [[nodiscard]] std::string_view text(string_id id) const noexcept { return of.text(id); }
};
struct shown_device {
  const device_architecture& d;
  const activity_device& on;
  std::string_view name;
  bool is_reported = false;
};
struct shown_pass {
  const model_pass& p;
  std::uint64_t index = 0, decode_layers = 0;
};
struct shown_layout {
  const layer_layout& l;
  std::uint64_t index = 0;
};
struct shown_component {
  const layer_component& c;
  std::optional<double> share, flops_per_s, bytes_per_s;
  std::vector<std::string_view> streams;
};
struct shown_overlap {
  std::string_view stream;
  std::int64_t ps = 0;
  std::optional<double> ratio;
};

[[nodiscard]] std::uint32_t families_version_of(const architecture_result& r, const model_sight& with) noexcept;
[[nodiscard]] const device_architecture& reported_of(const architecture_result& r, const model_sight& with) noexcept;
[[nodiscard]] shown_device shown(const device_architecture& d, const architecture_result& of, const model_sight& with);
[[nodiscard]] shown_pass shown(const model_pass& p, const device_architecture& of, const model_sight& with);
[[nodiscard]] shown_layout shown(const layer_layout& l, const device_architecture& of, const model_sight& with);
[[nodiscard]] const model_layer& typical_of(const layer_anatomy& a, const model_sight& with);
[[nodiscard]] shown_component shown(const layer_component& c, const layer_anatomy& of, const model_sight& with);
[[nodiscard]] std::string_view stream_of(const tree_node& n, const model_sight& with);
[[nodiscard]] std::optional<double> overlapped_ratio_of(const tree_node& n, const model_sight& with) noexcept;
[[nodiscard]] shown_overlap shown(const stream_overlap& o, const model_stream& of, const model_sight& with);
[[nodiscard]] std::optional<double> hidden_ratio(const model_pipeline& p) noexcept;
[[nodiscard]] std::optional<double> hidden_of_comm_sum_ratio(const model_pipeline& p) noexcept;
[[nodiscard]] std::optional<double> kernel_sum_of_busy_ratio(const model_pipeline& p) noexcept;
void write_fact_value(json_writer& out, const fact_value& value);
void write_counts(json_writer& out, const std::map<std::string, std::uint64_t>& counts, const model_sight& with);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
