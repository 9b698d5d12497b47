// Tables whose rows the functions of a handle already give: kernels, steps, gaps, buffers, the curve, launches and
// probe records as Arrow.
#include <profkit/core/activity.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/memory.hpp>
#include <profkit/core/probe_trace.hpp>
#include <profkit/neutrino.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "arrow_batch.hpp"
#include "handle.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

std::string_view view_of(const pk_str& text) noexcept { return {text.data, text.size}; }

// The fault of a call that failed.
fault take_fault(pk_error* error) {
  if (!error) return fault{fault_code::internal, "a call failed without a reason", "", no_offset, ""};
  fault why = fault_of(*error);
  pk_error_free(error);
  return why;
}

// Puts the values of one row, column by column.
class row_writer {
 public:
  explicit row_writer(arrow_batch& into) noexcept : into_(into) {}

  row_writer& int64(std::int64_t value, bool known = true) {
    if (known)
      next().put_int64(value);
    else
      next().put_null();
    return *this;
  }
  row_writer& uint64(std::uint64_t value, bool known = true) {
    if (known)
      next().put_uint64(value);
    else
      next().put_null();
    return *this;
  }
  row_writer& int32(std::int32_t value, bool known = true) {
    if (known)
      next().put_int32(value);
    else
      next().put_null();
    return *this;
  }
  row_writer& uint32(std::uint32_t value, bool known = true) {
    if (known)
      next().put_uint32(value);
    else
      next().put_null();
    return *this;
  }
  row_writer& boolean(bool value) {
    next().put_boolean(value);
    return *this;
  }
  row_writer& name(std::string_view value, bool known = true) {
    if (!known) {
      next().put_null();
      return *this;
    }
    keep(into_.put_name(column_++, value));
    return *this;
  }
  row_writer& name(const pk_str& value) { return name(view_of(value), value.size != 0); }
  row_writer& text(std::string_view value, bool known = true) {
    if (!into_.wants(column_))
      ++column_;
    else if (known)
      keep(next().put_text(value));
    else
      next().put_null();
    return *this;
  }
  result<void> done() { return failed_ ? result<void>(std::move(*failed_)) : result<void>(); }

 private:
  arrow_values& next() { return into_.at(column_++); }
  void keep(result<void> put) {
    if (!put && !failed_) failed_ = std::move(put).error();
  }

  arrow_batch& into_;
  std::size_t column_ = 0;
  std::optional<fault> failed_;
};

// A table over a list that is read from a position on. `Source` has: columns(), read(first, rows, capacity, count,
// error) like the functions of the C interface, and put(row_writer, row, position).
template <class Source>
class row_table final : public arrow_table {
 public:
  explicit row_table(Source source) : source_(std::move(source)), columns_(Source::columns()) {}
  const arrow_columns& columns() const noexcept override { return columns_; }

  result<std::size_t> read(arrow_batch& into, std::size_t most) override {
    rows_.resize(std::min<std::size_t>(most, 1024));
    std::size_t count = 0;
    pk_error* error = nullptr;
    const pk_status status = source_.read(first_, rows_.data(), rows_.size(), &count, &error);
    if (status < 0) return take_fault(error);
    for (std::size_t i = 0; i < count; ++i) {
      row_writer writer(into);
      source_.put(writer, rows_[i], first_ + i);
      if (result<void> put = writer.done(); !put) return std::move(put).error();
    }
    first_ += count;
    return count;
  }

 private:
  Source source_;
  arrow_columns columns_;
  std::vector<typename Source::row> rows_;
  std::uint64_t first_ = 0;
};

template <class Source>
std::unique_ptr<arrow_table> table_of(Source source) {
  return std::make_unique<row_table<Source>>(std::move(source));
}

// "a,b" for the bits that are set, each by its name.
template <class Flag>
std::string names_of(std::uint32_t bits, const char* (*name)(Flag) noexcept) {
  std::string text;
  for (unsigned bit = 0; bits >> bit != 0 && bit < 32; ++bit) {
    if ((bits >> bit & 1) == 0) continue;
    if (!text.empty()) text += ',';
    text += name(static_cast<Flag>(bit));
  }
  return text;
}

struct kernel_source {
  using row = pk_kernel_row;
  static arrow_columns columns() {
    return {{"device", arrow_type::name, ""},       {"device_position", arrow_type::uint32, ""},
            {"rank", arrow_type::int32, ""},        {"file", arrow_type::uint32, ""},
            {"stream", arrow_type::int64, ""},      {"name", arrow_type::name, ""},
            {"op_type", arrow_type::name, ""},      {"kind", arrow_type::name, ""},
            {"core", arrow_type::name, ""},         {"step", arrow_type::name, ""},
            {"start_ps", arrow_type::int64, "ps"},  {"duration_ps", arrow_type::int64, "ps"},
            {"wait_ps", arrow_type::int64, "ps"},   {"launch_ps", arrow_type::int64, "ps"},
            {"input_shapes", arrow_type::name, ""}, {"output_shapes", arrow_type::name, ""},
            {"input_types", arrow_type::name, ""},  {"on_aicpu", arrow_type::boolean, ""},
            {"duplicate", arrow_type::boolean, ""}, {"source_row", arrow_type::uint64, ""}};
  }
  // Positions count the kernels of one device: `begin_` is where this one's begin in the table.
  pk_status read(std::uint64_t first, row* rows, std::size_t capacity, std::size_t* count, pk_error** error) {
    for (; device_ < pk_activity_device_count(activity.get()); ++device_, begin_ = first) {
      if (pk_status got = pk_activity_device_get(activity.get(), device_, &about_, error); got < 0) return got;
      const pk_status got = pk_kernel_rows_read(activity.get(), device_, first - begin_, rows, capacity, count, error);
      if (got != PK_END) return got;
    }
    *count = 0;
    return PK_END;
  }
  void put(row_writer& to, const row& r, std::uint64_t) const {
    to.name(about_.name)
        .uint32(device_)
        .int32(about_.rank, about_.rank >= 0)
        .uint32(about_.file)
        .int64(r.stream, (r.flags & PK_KERNEL_HAS_STREAM) != 0)
        .name(view_of(r.name))
        .name(r.op_type)
        .name(kernel_class_name(static_cast<kernel_class>(r.kind)))
        .name(r.core)
        .name(r.step)
        .int64(r.start_ps)
        .int64(r.duration_ps)
        .int64(r.wait_ps, (r.flags & PK_KERNEL_HAS_WAIT) != 0)
        .int64(r.launch_ps, (r.flags & PK_KERNEL_HAS_LAUNCH) != 0)
        .name(r.input_shapes)
        .name(r.output_shapes)
        .name(r.input_types)
        .boolean((r.flags & PK_KERNEL_ON_AICPU) != 0)
        .boolean((r.flags & PK_KERNEL_DUPLICATE) != 0)
        .uint64(r.source_row);
  }
  held_handle<pk_activity> activity;
  std::uint32_t device_ = 0;
  std::uint64_t begin_ = 0;
  pk_activity_device about_{};
};

struct step_source {
  using row = pk_bubble_step;
  static arrow_columns columns() {
    arrow_columns all = {{"device", arrow_type::name, ""}, {"step", arrow_type::name, ""}};
    for (const char* time :
         {"start_ps", "end_ps", "busy_ps", "prelaunch_ps", "internal_ps", "tail_ps", "largest_internal_ps",
          "compute_only_ps", "comm_exposed_ps", "comm_overlapped_ps", "copy_ps", "other_ps", "idle_ps"})
      all.push_back({time, arrow_type::int64, "ps"});
    all.push_back({"bubble_count", arrow_type::uint64, ""});
    all.push_back({"tags", arrow_type::name, ""});
    return all;
  }
  pk_status read(std::uint64_t first, row* rows, std::size_t capacity, std::size_t* count, pk_error** error) {
    const std::size_t there = pk_bubbles_step_count(bubbles.get());
    for (*count = 0; *count < capacity && first + *count < there; ++*count) {
      const auto at = static_cast<std::size_t>(first + *count);
      if (pk_status got = pk_bubbles_step_get(bubbles.get(), at, rows + *count, error); got < 0) return got;
    }
    return PK_OK;
  }
  void put(row_writer& to, const row& r, std::uint64_t) const {
    to.name(view_of(r.device)).name(view_of(r.id));
    for (const std::int64_t time :
         {r.start_ps, r.end_ps, r.busy_ps, r.prelaunch_ps, r.internal_ps, r.tail_ps, r.largest_internal_ps,
          r.compute_only_ps, r.comm_exposed_ps, r.comm_overlapped_ps, r.copy_ps, r.other_ps, r.idle_ps})
      to.int64(time);
    to.uint64(r.bubble_count).name(names_of<bubble_tag>(r.tags, bubble_tag_name));
  }
  held_handle<pk_bubbles> bubbles;
};

struct bubble_source {
  using row = pk_bubble;
  static arrow_columns columns() {
    return {{"device", arrow_type::name, ""},        {"step", arrow_type::int64, ""},
            {"scope", arrow_type::name, ""},         {"start_ps", arrow_type::int64, "ps"},
            {"end_ps", arrow_type::int64, "ps"},     {"host_ps", arrow_type::int64, "ps"},
            {"sync_ps", arrow_type::int64, "ps"},    {"comm_ps", arrow_type::int64, "ps"},
            {"threads_ps", arrow_type::int64, "ps"}, {"launch_ps", arrow_type::int64, "ps"},
            {"before", arrow_type::name, ""},        {"after", arrow_type::name, ""},
            {"before_row", arrow_type::uint64, ""},  {"after_row", arrow_type::uint64, ""},
            {"labels", arrow_type::name, ""},        {"confidence", arrow_type::name, ""},
            {"heavy", arrow_type::boolean, ""},      {"at_edge", arrow_type::boolean, ""},
            {"inter_step", arrow_type::boolean, ""}};
  }
  pk_status read(std::uint64_t first, row* rows, std::size_t capacity, std::size_t* count, pk_error** error) {
    return pk_bubbles_read(bubbles.get(), first, rows, capacity, count, error);
  }
  void put(row_writer& to, const row& r, std::uint64_t) const {
    const bool traced = (r.flags & PK_BUBBLE_TRACED) != 0;
    to.name(view_of(pk_bubbles_device_name(bubbles.get(), r.device)))
        .int64(r.step, r.step >= 0)
        .name(bubble_scope_name(static_cast<bubble_scope>(r.scope)))
        .int64(r.start_ps)
        .int64(r.end_ps)
        .int64(r.host_ps, traced)
        .int64(r.sync_ps, traced)
        .int64(r.comm_ps, traced)
        .int64(r.threads_ps, traced)
        .int64(r.launch_ps, r.launch_ps != PK_NO_TIME_PS)
        .name(r.before)
        .name(r.after)
        .uint64(r.before_row, r.before.size != 0)
        .uint64(r.after_row, r.after.size != 0)
        .name(names_of<bubble_label>(r.labels, bubble_label_name))
        .name(confidence_name(static_cast<confidence>(r.confidence)))
        .boolean((r.flags & PK_BUBBLE_HEAVY) != 0)
        .boolean((r.flags & PK_BUBBLE_AT_EDGE) != 0)
        .boolean((r.flags & PK_BUBBLE_INTER_STEP) != 0);
  }
  held_handle<pk_bubbles> bubbles;
};

struct live_buffer_source {
  using row = pk_live_buffer;
  static arrow_columns columns() {
    return {{"logical_buffer_id", arrow_type::int64, ""},
            {"size_bytes", arrow_type::int64, "bytes"},
            {"allocation_index", arrow_type::int64, ""},
            {"offset_bytes", arrow_type::int64, "bytes"},
            {"instruction_id", arrow_type::int64, ""},
            {"instruction_name", arrow_type::name, ""},
            {"opcode", arrow_type::name, ""},
            {"op_name", arrow_type::name, ""},
            {"computation_name", arrow_type::name, ""},
            {"shape", arrow_type::name, ""},
            {"shape_index", arrow_type::name, ""},
            {"source_file", arrow_type::name, ""},
            {"source_line", arrow_type::int64, ""},
            {"residency", arrow_type::name, ""}};
  }
  pk_status read(std::uint64_t first, row* rows, std::size_t capacity, std::size_t* count, pk_error** error) {
    return pk_live_buffers_read(memory.get(), first, rows, capacity, count, error);
  }
  void put(row_writer& to, const row& r, std::uint64_t) const {
    std::string index;
    for (std::size_t i = 0; i < r.shape_index_count; ++i)
      index += (i == 0 ? "" : ",") + std::to_string(r.shape_index[i]);
    const bool found = r.instruction_found != 0;
    to.int64(r.logical_buffer_id, r.logical_buffer_id >= 0)
        .int64(r.size_bytes)
        .int64(r.allocation_index)
        .int64(r.offset_bytes)
        .int64(r.instruction_id, found)
        .name(r.instruction_name)
        .name(r.opcode)
        .name(r.op_name)
        .name(r.computation_name)
        .name(r.shape)
        .name(index, !index.empty())
        .name(r.source_file)
        .int64(r.source_line, r.source_file.size != 0)
        .name(residency_name(static_cast<residency>(r.residency)));
  }
  held_handle<pk_memory> memory;
};

struct curve_source {
  using row = pk_curve_point;
  static arrow_columns columns() {
    return {{"event", arrow_type::int64, ""}, {"live_bytes", arrow_type::int64, "bytes"}};
  }
  pk_status read(std::uint64_t first, row* rows, std::size_t capacity, std::size_t* count, pk_error** error) {
    return pk_live_curve_read(memory.get(), first, rows, capacity, count, error);
  }
  void put(row_writer& to, const row& r, std::uint64_t) const { to.int64(r.event).int64(r.live_bytes); }
  held_handle<pk_memory> memory;
};

struct launch_source {
  using row = pk_probe_launch;
  static arrow_columns columns() {
    arrow_columns all = {{"launch", arrow_type::uint64, ""},  {"kernel", arrow_type::name, ""},
                         {"function", arrow_type::name, ""},  {"outcome", arrow_type::name, ""},
                         {"bin", arrow_type::name, ""},       {"bin_position", arrow_type::int64, ""},
                         {"time_ns", arrow_type::int64, "ns"}};
    for (const char* size : {"grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"})
      all.push_back({size, arrow_type::uint32, ""});
    all.push_back({"shared_bytes", arrow_type::uint32, "bytes"});
    all.push_back({"params", arrow_type::text, ""});
    all.push_back({"probe_memory_bytes", arrow_type::uint64, "bytes"});
    for (const char* time : {"prologue_ps", "kernel_ps", "epilogue_ps"}) all.push_back({time, arrow_type::int64, "ps"});
    return all;
  }
  pk_status read(std::uint64_t first, row* rows, std::size_t capacity, std::size_t* count, pk_error** error) {
    const std::size_t there = pk_probe_launch_count(probe.get());
    for (*count = 0; *count < capacity && first + *count < there; ++*count) {
      const auto at = static_cast<std::size_t>(first + *count);
      if (pk_status got = pk_probe_launch_get(probe.get(), at, rows + *count, error); got < 0) return got;
    }
    return PK_OK;
  }
  void put(row_writer& to, const row& r, std::uint64_t position) const {
    const bool sized = (r.known & PK_PROBE_HAS_GEOMETRY) != 0, timed = (r.known & PK_PROBE_HAS_DURATIONS) != 0;
    std::string params;
    for (std::uint32_t i = 0; i < r.param_count; ++i) params += (i == 0 ? "" : ",") + std::to_string(r.params[i]);
    to.uint64(position)
        .name(r.kernel)
        .name(r.function)
        .name(probe_outcome_name(static_cast<probe_outcome>(r.outcome)))
        .name(r.bin)
        .int64(r.bin_index, r.bin_index >= 0)
        .int64(r.time_ns, (r.known & PK_PROBE_HAS_TIME) != 0);
    for (const std::uint32_t size : {r.grid[0], r.grid[1], r.grid[2], r.block[0], r.block[1], r.block[2]})
      to.uint32(size, sized);
    to.uint32(r.shared_bytes, sized)
        .text(params, r.param_count != 0)
        .uint64(r.probe_memory_bytes, (r.known & PK_PROBE_HAS_MEMORY) != 0)
        .int64(r.prologue_ps, timed)
        .int64(r.kernel_ps, timed)
        .int64(r.epilogue_ps, timed);
  }
  held_handle<pk_probe> probe;
};

using held_records = std::unique_ptr<pk_probe_records, void (*)(pk_probe_records*) noexcept>;

// Records go column by column: there are millions of them.
class record_table final : public arrow_table {
 public:
  record_table(held_handle<pk_probe> probe, held_records records, std::vector<pk_probe_field> fields)
      : probe_(std::move(probe)), records_(std::move(records)), fields_(std::move(fields)) {
    std::sort(fields_.begin(), fields_.end(),
              [](const pk_probe_field& a, const pk_probe_field& b) { return a.declared < b.declared; });
    for (const char* place : {"block", "lane", "k"}) columns_.push_back({place, arrow_type::uint64, ""});
    for (const pk_probe_field& field : fields_)
      columns_.push_back(
          {unused_name(view_of(field.name)), field.bytes == 8 ? arrow_type::uint64 : arrow_type::uint32, ""});
  }
  const arrow_columns& columns() const noexcept override { return columns_; }

  result<std::size_t> read(arrow_batch& into, std::size_t most) override {
    rows_.resize(std::min<std::size_t>(most, 1024));
    std::size_t count = 0;
    pk_error* error = nullptr;
    const pk_status status = pk_probe_records_read(records_.get(), rows_.data(), rows_.size(), &count, &error);
    if (status < 0) return take_fault(error);
    for (std::size_t i = 0; i < count; ++i) {
      if (rows_[i].block == PK_PROBE_NO_BLOCK)
        into.at(0).put_null();
      else
        into.at(0).put_uint64(rows_[i].block);
    }
    auto* const lanes = into.at(1).grow<std::uint64_t>(count);
    for (std::size_t i = 0; i < count; ++i) lanes[i] = rows_[i].lane;
    auto* const places = into.at(2).grow<std::uint64_t>(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = rows_[i].k;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (fields_[f].bytes == 8)
        put_field(into.at(3 + f).grow<std::uint64_t>(count), count, fields_[f].offset);
      else
        put_field(into.at(3 + f).grow<std::uint32_t>(count), count, fields_[f].offset);
    }
    return count;
  }

 private:
  template <class T>
  void put_field(T* to, std::size_t count, std::uint32_t offset) const noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const char* const at = static_cast<const char*>(rows_[i].data) + offset;
      if constexpr (sizeof(T) == 8)
        to[i] = profkit::detail::probe_u64(at);
      else
        to[i] = profkit::detail::probe_u32(at);
    }
  }
  // Readers look columns up by name: a second one of the same name is numbered.
  [[nodiscard]] std::string unused_name(std::string_view wanted) const {
    const auto is_used = [this](const std::string& name) {
      return std::any_of(columns_.begin(), columns_.end(), [&](const arrow_column& c) { return c.name == name; });
    };
    std::string name(wanted);
    for (unsigned n = 2; is_used(name); ++n) name = std::string(wanted) + "_" + std::to_string(n);
    return name;
  }

  held_handle<pk_probe> probe_;
  held_records records_;
  std::vector<pk_probe_field> fields_;
  arrow_columns columns_;
  std::vector<pk_probe_record> rows_;
};

result<std::unique_ptr<arrow_table>> open_records(pk_probe* probe, std::size_t bin, std::uint32_t map) {
  pk_error* error = nullptr;
  pk_probe_map about{};
  if (pk_probe_map_get(probe, bin, map, &about, &error) < 0) return take_fault(error);
  std::vector<pk_probe_field> fields(about.field_count);
  for (std::uint32_t i = 0; i < about.field_count; ++i)
    if (pk_probe_field_get(probe, bin, map, i, &fields[i], &error) < 0) return take_fault(error);
  pk_probe_records* records = nullptr;
  if (pk_probe_records_open(probe, bin, map, &records, &error) < 0) return take_fault(error);
  held_records held(records, pk_probe_records_free);
  return std::unique_ptr<arrow_table>(std::make_unique<record_table>(hold(probe), std::move(held), std::move(fields)));
}

// A stream over a table of a handle; `name`: of the argument.
template <class Source, class Handle>
pk_status open_rows(Handle* handle, const char* name, const pk_arrow_options* options, ArrowArrayStream* out,
                    pk_error** err) noexcept {
  return open_stream(options, out, err, [&]() -> result<std::unique_ptr<arrow_table>> {
    if (!handle) return null_argument(name);
    return table_of(Source{hold(handle)});
  });
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_arrow_kernels(pk_activity* activity, const pk_arrow_options* options, struct ArrowArrayStream* out,
                           pk_error** err) noexcept {
  return open_rows<kernel_source>(activity, "activity", options, out, err);
}

pk_status pk_arrow_steps(pk_bubbles* bubbles, const pk_arrow_options* options, struct ArrowArrayStream* out,
                         pk_error** err) noexcept {
  return open_rows<step_source>(bubbles, "bubbles", options, out, err);
}

pk_status pk_arrow_bubbles(pk_bubbles* bubbles, const pk_arrow_options* options, struct ArrowArrayStream* out,
                           pk_error** err) noexcept {
  return open_rows<bubble_source>(bubbles, "bubbles", options, out, err);
}

pk_status pk_arrow_live_buffers(pk_memory* memory, const pk_arrow_options* options, struct ArrowArrayStream* out,
                                pk_error** err) noexcept {
  return open_rows<live_buffer_source>(memory, "memory", options, out, err);
}

pk_status pk_arrow_live_curve(pk_memory* memory, const pk_arrow_options* options, struct ArrowArrayStream* out,
                              pk_error** err) noexcept {
  return open_rows<curve_source>(memory, "memory", options, out, err);
}

pk_status pk_arrow_launches(pk_probe* probe, const pk_arrow_options* options, struct ArrowArrayStream* out,
                            pk_error** err) noexcept {
  return open_rows<launch_source>(probe, "probe", options, out, err);
}

pk_status pk_arrow_probe_records(pk_probe* probe, size_t bin, uint32_t map, const pk_arrow_options* options,
                                 struct ArrowArrayStream* out, pk_error** err) noexcept {
  return open_stream(options, out, err, [&]() -> result<std::unique_ptr<arrow_table>> {
    if (!probe) return null_argument("probe");
    return open_records(probe, bin, map);
  });
}
