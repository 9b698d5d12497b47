// Kernels of an activity as rows.
#include <tables/rows_of_list.hpp>

#include <profkit/core/activity.hpp>
#include <profkit/core/kernel_places.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

static_assert(static_cast<std::int32_t>(kernel_on_aicpu) == PK_KERNEL_ON_AICPU);
static_assert(static_cast<std::int32_t>(kernel_has_stream) == PK_KERNEL_HAS_STREAM);
static_assert(static_cast<std::int32_t>(kernel_duplicate) == PK_KERNEL_DUPLICATE);
static_assert(static_cast<std::int32_t>(kernel_in_flight) == PK_KERNEL_IN_FLIGHT);

class kernel_collector final : public kernel_visitor {
 public:
  kernel_collector(std::vector<kernel_row>& into, std::uint64_t max_bytes) : into_(into), max_bytes_(max_bytes) {}
  result<void> rows(const kernel_row* first, std::size_t count) override {
    if ((into_.size() + count) * sizeof(kernel_row) > max_bytes_)
      return fault{fault_code::limit, "the kernels of this device take more than limits::max_materialised_bytes", "",
                   no_offset, "raise max_materialised_bytes"};
    into_.insert(into_.end(), first, first + count);
    return {};
  }

 private:
  std::vector<kernel_row>& into_;
  std::uint64_t max_bytes_;
};

class kernel_rows final : public row_source {
 public:
  kernel_rows(std::shared_ptr<const capture_devices> devices, const activity& of, const profile& p)
      : devices_(std::move(devices)), of_(of), max_bytes_(p.what().bounds.max_materialised_bytes), places_(p) {}
  [[nodiscard]] table_kind which() const noexcept override { return table_kind::kernels; }

  result<std::size_t> read(void* rows, std::size_t capacity) override {
    while (at_ == held_.size()) {
      if (next_ == of_.devices().size()) return std::size_t{0};
      held_.clear();
      at_ = 0;
      device_ = &of_.devices()[next_];
      position_ = devices_->of(of_, *device_);
      has_events_ = places_.look_at(device_->file, device_->plane);
      kernel_collector collector(held_, max_bytes_);
      if (result<void> read = of_.visit_kernels(next_++, collector); !read) return std::move(read).error();
    }
    const std::size_t count = std::min(capacity, held_.size() - at_);
    auto* const into = static_cast<rows::kernels*>(rows);
    for (std::size_t i = 0; i < count; ++i, ++at_) {
      into[i] = {};
      fill(held_[at_], into[i]);
    }
    return count;
  }
  [[nodiscard]] std::vector<file_damage> damage() const override { return damage_of(of_); }

 private:
  void fill(const kernel_row& from, rows::kernels& row) {
    row.file = device_->file;
    row.device = position_;
    row.start_ps = from.start_ps;
    row.duration_ps = from.duration_ps;
    row.source_row = from.source_row;
    row.name = borrowed(of_.text(from.name));
    row.op_type = borrowed(of_.text(from.op_type));
    row.core = borrowed(of_.text(from.core));
    row.step_id = borrowed(of_.text(from.step));
    row.kind = static_cast<std::int32_t>(from.kind);
    row.flags = from.flags | bit_if(from.wait_ps != no_time_ps, PK_KERNEL_HAS_WAIT) |
                bit_if(from.launch_ps != no_time_ps, PK_KERNEL_HAS_LAUNCH);
    row.stream = (from.flags & kernel_has_stream) != 0 ? device_->streams[from.stream].id : -1;
    if (from.wait_ps != no_time_ps) row.wait_ps = from.wait_ps;
    if (from.launch_ps != no_time_ps) row.launch_ps = from.launch_ps;
    if (has_events_) return fill_from_event(from, row);
    if (from.origin != 0) fill_origin(from, row);
    if (from.details == 0) return;
    const kernel_details& details = device_->details[from.details - 1];
    row.input_shapes = borrowed(of_.text(details.input_shapes));
    row.output_shapes = borrowed(of_.text(details.output_shapes));
    row.input_types = borrowed(of_.text(details.input_dtypes));
  }
  void fill_origin(const kernel_row& from, rows::kernels& row) const {
    const kernel_origin& origin = of_.origins()[from.origin - 1];
    // The operators around the launch of a graph are not those that its kernels belong to.
    if ((from.flags & (kernel_by_graph | kernel_by_order)) != kernel_by_graph) {
      row.framework_op = borrowed(of_.text(origin.op));
      row.outer_op = borrowed(of_.text(origin.outer_op));
    }
    row.module = borrowed(of_.text(origin.module));
    row.range = borrowed(of_.text(origin.range));
    row.source = borrowed(of_.text(origin.source));
    row.program = borrowed(of_.text(origin.program));
    row.phase = borrowed(training_phase_name(origin.phase));
  }
  void fill_from_event(const kernel_row& from, rows::kernels& row) {
    const kernel_place* const place = places_.of(from.source_row);
    if (place == nullptr) return;
    row.framework_op = row.outer_op = borrowed(place->op);
    row.module = borrowed(place->module);
    row.source = borrowed(place->source);
    row.phase = borrowed(place->phase);
    row.program = borrowed(place->program);
    row.input_shapes = borrowed(place->shapes);
  }

  std::shared_ptr<const capture_devices> devices_;
  const activity& of_;
  std::uint64_t max_bytes_;
  kernel_places places_;
  bool has_events_ = false;  // the kernels of the device are events of an XSpace
  std::size_t next_ = 0;                     // the device after this one
  const activity_device* device_ = nullptr;  // whose kernels are held
  std::int32_t position_ = -1;
  std::vector<kernel_row> held_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<file_damage> damage_of(const activity& of) {
  std::vector<file_damage> all;
  for (const activity_input& in : of.inputs())
    if (in.damage) all.push_back({in.file, *in.damage});
  return all;
}

std::unique_ptr<row_source> rows_of(std::shared_ptr<const capture_devices> devices, const activity& of, const profile& p) {
  return std::make_unique<kernel_rows>(std::move(devices), of, p);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
