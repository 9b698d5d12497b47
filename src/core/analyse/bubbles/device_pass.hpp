// One pass over the kernels of a device: its union, its steps and their gaps, its ops.
#pragma once
#include <analyse/bubbles/aicpu.hpp>
#include <analyse/bubbles/block_side.hpp>
#include <analyse/bubbles/exposed_comm.hpp>
#include <analyse/bubbles/gaps.hpp>
#include <analyse/bubbles/ops.hpp>
#include <analyse/bubbles/segments.hpp>
#include <analyse/bubbles/structures.hpp>
#include <analyse/bubbles/templates.hpp>
#include <trace/windows/windows.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// Whether a kernel without a launch is worth reporting.
[[nodiscard]] inline bool has_launches_for(const activity_device& on) noexcept {
  return on.has_launches || on.type == accelerator::gpu;
}

// What later phases need of a step beside what is reported of it.
struct step_facts {
  std::int32_t form = -1;  // index into device_found::templates
  aicpu_exposure aicpu;
  exposed_split exposed;
};

struct device_found {
  device_gaps gaps;
  packed_list<bubble_step> steps;
  std::vector<step_facts> facts;           // as steps
  packed_list<step_structure> structures;  // `step` counts this device's steps
  std::uint64_t structures_left_out = 0;
  packed_list<block_side> block_sides;
  std::uint64_t block_sides_left_out = 0;
  std::uint64_t steps_too_large = 0;  // for what needs all kernels at once
  std::vector<bubble> bubbles;
  std::vector<bubble_op> ops;
  std::vector<aicpu_op> aicpu_ops;
  std::vector<step_template> templates;
  step_edges edges;
};

class device_pass final : public kernel_visitor {
 public:
  // `layers`, `unrecorded`, which is by start, and `waits` of the device's collectives have to outlive the pass.
  device_pass(const activity& of, std::size_t device, const bubble_options& o, device_windows windows,
              const std::vector<layer_span>& layers, const std::vector<kernel_row>& unrecorded,
              const std::vector<collective_wait>& waits);
  result<void> rows(const kernel_row* rows, std::size_t count) override;
  // After the last kernel.
  [[nodiscard]] device_found finish();

 private:
  // Kernels that only lengthen what runs.
  struct plain_run {
    static constexpr std::size_t most = 256;
    std::array<std::int64_t, most> gaps;  // from the end of all before to its start; negative where it overlaps
    std::array<std::uint32_t, most> ops;
    std::array<std::int64_t, 5> busy_ps{};  // by class
    std::int64_t busy_until_ps = open_start, latest_end_ps = open_start;
  };
  [[nodiscard]] std::size_t follow_plain(const kernel_row* rows, std::size_t count, plain_run& run);
  [[nodiscard]] std::size_t add_plain(const kernel_row* rows, std::size_t count);
  // `k` stays where it is until all rows of the batch were added. False when it comes too late.
  [[nodiscard]] bool add(const kernel_row& k);
  // Launches without a record that started by then.
  void add_unrecorded_until(std::int64_t at_ps);
  [[nodiscard]] std::int64_t next_unrecorded_ps() const noexcept {
    return next_unrecorded_ == unrecorded_.size() ? open_end : unrecorded_[next_unrecorded_].start_ps;
  }
  void begin(const kernel_row& first);
  void advance(std::int64_t to_ps);
  void advance_quietly(std::int64_t to_ps);
  void pass_edges(std::int64_t now_ps);
  void take_piece(std::int64_t from_ps, std::int64_t to_ps, unsigned bits);
  void count_time(std::int64_t length_ps, unsigned bits) noexcept;
  // `op` is op_table::unknown for what is not on record.
  void begin_busy(const kernel_row& k, std::uint32_t op);
  void begin_step_busy(const kernel_row& k);
  void count_member(const kernel_row& k, std::uint32_t op, bool polluted);
  void count_stream(const kernel_row& k) noexcept;
  void count_without_launch(const kernel_row& k) noexcept;
  void count_outside(std::size_t kernels, std::int64_t end_ps) noexcept;
  void end_outside(std::int64_t at_ps);
  void open_bubble(bubble_scope scope, std::int64_t start_ps, std::int64_t end_ps, bool of_step,
                   bool inter_step = false);
  void fill_after(const kernel_row& k);
  void close_windows(std::int64_t now_ps);
  [[nodiscard]] std::int64_t idle_beyond_kernels_ps() const noexcept;
  void close_window();
  void keep_bubbles(std::int32_t step, const std::vector<step_structure>& structures);
  void describe_step(std::vector<step_structure>& structures);
  void open_step() noexcept;
  [[nodiscard]] bool counts_ops() const noexcept;
  void note_end(std::uint32_t op, std::int64_t end_ps) noexcept;
  [[nodiscard]] bool in_window(std::int64_t at_ps) const noexcept;
  [[nodiscard]] std::string id_of(const step_window& w);

  const activity& of_;
  const std::size_t device_;
  const activity_device& on_;
  const bool counts_launches_;
  const bool asks_all_;  // no step is left out, nor the time outside of steps
  const std::int64_t asked_from_ps_;
  const bubble_thresholds& thresholds_;
  const std::vector<kernel_row>& unrecorded_;
  const std::vector<collective_wait>& waits_;
  std::size_t next_unrecorded_ = 0;
  std::int64_t last_unrecorded_ps_ = open_start;  // where the last of them ends
  device_windows windows_;
  std::size_t window_ = 0;  // the first that is not closed

  device_found found_;
  op_table ops_;
  std::uint32_t ended_op_ = op_table::unknown;  // of the kernel that ended last
  std::int64_t ended_ps_ = open_start;          // when it did
  aicpu_sweep aicpu_;
  template_table templates_;
  structure_finder structures_;
  bubble_store store_, step_store_;
  class_sweep sweep_;
  recent_kernels recent_;

  kernel_row clipped_;  // of the batch, the row that reached too far
  bool any_ = false, busy_before_ = false;
  std::int64_t last_start_ps_ = 0, busy_until_ps_ = 0;
  std::int64_t edge_ps_ = open_start;            // the next edge of a window
  bool inside_ = false;                          // a window: edge_ps_ is its end
  std::int64_t noted_gap_ps_ = 0;                // shorter gaps are summed and no more
  std::int64_t comm_until_ps_ = open_start;      // of collectives that started before the kernel at hand
  std::int64_t comm_until_now_ps_ = open_start;  // of all so far

  std::int64_t service_ps_ = 0;  // of the closed windows
  std::int64_t idle_of_steps_ps_ = 0;

  // The open window.
  bubble_step step_;
  step_facts facts_;
  bool step_busy_ = false;
  std::int64_t step_busy_until_ps_ = 0, member_end_ps_ = open_start;
  step_rows rows_;
  std::vector<std::uint64_t> stream_stamps_;  // by stream: the window that saw it last, from 1

  std::vector<bubble> open_;  // gaps whose following kernels are still to come; a few
  bool outside_ = false;      // idle outside every window since outside_from_ps_
  std::int64_t outside_from_ps_ = 0;
  std::int64_t reached_ps_ = open_start;  // by kernels that started before the window, or in none
  const kernel_row* arriving_ = nullptr;  // while it is added: the kernel that ends what is idle
  std::int64_t tail_from_ps_ = open_start, tail_to_ps_ = open_start;  // of the window that closed last, when it had one

  hash_map<string_id, std::uint64_t> name_counts_;
  string_id step_name_ = 0;  // the step id looked at last
  std::int64_t step_number_ = -1;
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
