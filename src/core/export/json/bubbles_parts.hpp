// What the fields of the document `bubbles` are found with.
#pragma once
#include <export/json/document.hpp>
#include <profkit/core/bubbles.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// Unix ns where the capture knows its origin, else ns since the capture's own zero.
struct absolute_ends {
  std::int64_t start_ns = 0, end_ns = 0, length_ps = 0;
};
struct shown_threshold {
  const threshold_entry& entry;
  std::int64_t value = 0;
};
struct shown_gaps {
  const activity_device& on;
  const device_gaps& gaps;
  std::size_t index = 0;
};
struct shown_time {
  shown_time(const time_row& row, std::int64_t whole_ps)
      : time(row), share(static_cast<double>(row.time_ps) / static_cast<double>(whole_ps)) {}
  const time_row& time;
  double share;
};
struct shown_step {
  const bubble_step& step;
  std::string_view group_id;
  const char* marker;
  absolute_ends at;
  std::optional<std::int64_t> marker_end_ns;
  double underfeed_ratio = 0;
};
struct shown_structure {
  const step_structure& structure;
  bubble_step step;
  std::string id;
  absolute_ends at;
  double compute_share = 0, aicpu_share = 0, comm_share = 0, share_of_step = 0;
};
struct shown_side {
  const block_side& side;
  bubble_step step;
  const char *part, *reading;
};
struct shown_kernel {
  const kernel_row& kernel;
  std::uint32_t device = 0;
  std::optional<std::int64_t> stream_id;
  std::string structure_id;
};
struct shown_launch {
  std::int64_t launch_ps = 0, slack_ps = 0;
  bool is_late = false;
};
// `number`: among the gaps of its device and step.
struct chosen_bubble {
  const bubble& gap;
  std::uint64_t number = 0;
};
struct shown_bubble {
  const bubble& gap;
  bubble_step step;  // an empty one of a gap in no step
  std::string id, structure_id;
  std::string_view group_id, relation;
  absolute_ends at;
  std::optional<double> visible, leaf, sync, comm, gc, parallelism;  // none without a host trace
  bool is_in_frames_only;
  std::optional<shown_launch> launch;
};
struct shown_bubble_op {
  const bubble_op& op;
  std::int64_t mean_duration_ps, mean_wait_ps, mean_cost_ps;
  double wait_ratio;
  bool has_polluted_waits, ranks_disagree;
  std::string_view smallness;
  const bubble_op* counted;  // the same where hardware counted
};
// So many of each device.
struct shown_ops {
  std::size_t total = 0;
  std::vector<const bubble_op*> by_total_cost, by_duration;
  [[nodiscard]] std::uint64_t left_out_by_cost() const noexcept { return total - by_total_cost.size(); }
  [[nodiscard]] std::uint64_t left_out_by_duration() const noexcept { return total - by_duration.size(); }
};
struct shown_aicpu_op {
  const aicpu_op& op;
  std::optional<double> masked;
  std::optional<std::int64_t> least_ppm, most_ppm;
  std::string_view verdict;
};

// What is written, and how its instants and parts are called.
struct bubbles_text {
  const activity& of;
  const bubbles_result& found;
  const bubble_options& options;

  [[nodiscard]] std::string_view text(string_id id) const { return of.text(id); }
  [[nodiscard]] std::int64_t absolute_ns(std::int64_t ps) const noexcept;
  [[nodiscard]] absolute_ends ends_of(std::int64_t start_ps, std::int64_t end_ps) const noexcept;
  [[nodiscard]] std::string_view group_id(std::int32_t group) const noexcept;  // "" of none
  // "s12" in the only device with steps, "d3.s12" among several.
  [[nodiscard]] std::string structure_id(std::int32_t step, std::uint32_t index) const;
  [[nodiscard]] std::string device_prefix(std::uint32_t device) const;

  [[nodiscard]] std::vector<shown_threshold> thresholds() const;
  [[nodiscard]] std::vector<shown_time> time() const;
  [[nodiscard]] std::optional<profkit::leading_cause> leading_cause() const { return find_leading_cause(found.time); }
  [[nodiscard]] std::uint64_t structures_total() const noexcept { return found.structures.size() + found.structures_left_out; }
  [[nodiscard]] std::uint64_t sides_total() const noexcept { return found.block_sides.size() + found.block_sides_left_out; }
  [[nodiscard]] shown_ops ops() const;
  [[nodiscard]] std::optional<std::string> dominant_step() const;
  [[nodiscard]] std::string_view dominant_group() const noexcept { return group_id(found.dominant_group); }
  [[nodiscard]] shown_gaps longest_waiting() const;
  // The longest of all under a limit, in the order of the result.
  [[nodiscard]] std::vector<chosen_bubble> chosen_bubbles() const;
  [[nodiscard]] std::uint64_t bubbles_left_out() const noexcept;
  [[nodiscard]] std::vector<const bubble_op*> wait_anchors() const;
  [[nodiscard]] std::vector<const cause_summary*> causes_of_gaps() const;
  [[nodiscard]] bool steps_add_up() const;
};

[[nodiscard]] inline double share_of_steps(const leading_cause& c) noexcept {
  return static_cast<double>(c.time_ps) / static_cast<double>(c.service_ps);
}
[[nodiscard]] shown_gaps shown(const device_gaps& gaps, const bubbles_text& of, const bubbles_text& with);
[[nodiscard]] shown_step shown(const bubble_step& step, const bubbles_text& of, const bubbles_text& with);
[[nodiscard]] shown_structure shown(const step_structure& structure, const bubbles_text& of, const bubbles_text& with);
[[nodiscard]] shown_side shown(const block_side& side, const bubbles_text& of, const bubbles_text& with);
[[nodiscard]] shown_kernel shown(const kernel_row& kernel, const shown_side& of, const bubbles_text& with);
[[nodiscard]] shown_kernel shown(const kernel_row& kernel, const shown_bubble& of, const bubbles_text& with);
[[nodiscard]] shown_bubble shown(const chosen_bubble& chosen, const bubbles_text& of, const bubbles_text& with);
[[nodiscard]] shown_bubble_op shown(const bubble_op* op, const bubbles_text& of, const bubbles_text& with);
[[nodiscard]] shown_bubble_op shown(const bubble_op* op, const shown_ops& of, const bubbles_text& with);
[[nodiscard]] shown_aicpu_op shown(const aicpu_op& op, const bubbles_text& of, const bubbles_text& with);
[[nodiscard]] inline const cause_summary& shown(const cause_summary* cause, const bubbles_text&, const bubbles_text&) { return *cause; }

[[nodiscard]] absolute_ends absolute(const std::pair<std::int64_t, std::int64_t>& ends, const device_gaps& of, const bubbles_text& with);
[[nodiscard]] double gap_ratio_of(const device_gaps& of, const bubbles_text& with);
[[nodiscard]] double mean_underfeed_of(const bubble_group& of, const bubbles_text& with);
[[nodiscard]] const bubble_group* compared_shapes_of(const bubble_group& of, const bubbles_text& with);  // nullptr: not compared
[[nodiscard]] std::vector<kernel_row> kernels_before(const shown_bubble& of, const bubbles_text& with);
[[nodiscard]] std::vector<kernel_row> kernels_after(const shown_bubble& of, const bubbles_text& with);
[[nodiscard]] string_id device_name_of(const shown_bubble_op& of, const bubbles_text& with);
[[nodiscard]] std::vector<std::string> evidence_of(const shown_bubble_op& of, const bubbles_text& with);
[[nodiscard]] std::string priority_of(const recommendation& of);
[[nodiscard]] std::uint32_t device_of(const self_check_row& of, const bubbles_text& with);
[[nodiscard]] std::string step_id_of(const self_check_row& of, const bubbles_text& with);
void write_threshold_value(json_writer& out, const shown_threshold& of);
void write_tags(json_writer& out, bubble_tags tags, const bubbles_text& with);
void write_labels(json_writer& out, bubble_labels labels, const bubbles_text& with);

document_status write_bubbles(json_writer& out, const profile& p, const bubble_options& o, const bubbles_report& report);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
