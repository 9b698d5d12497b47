// Written by scripts/generate from schema/tables.toml.
#include <tables/rows.hpp>

#include <profkit/core/activity.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/capture.hpp>
#include <profkit/core/facts.hpp>
#include <profkit/core/finding.hpp>
#include <profkit/core/memory.hpp>
#include <profkit/core/modules.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/probe_trace.hpp>
#include <profkit/core/source.hpp>

#include <cstddef>

// A row is a C struct, with later columns after it: offsetof is sound for all of them.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

const char* name_of_accelerator(std::uint32_t value) noexcept {
  return accelerator_name(static_cast<accelerator>(value));
}
const char* name_of_bubble_label(std::uint32_t value) noexcept {
  return bubble_label_name(static_cast<bubble_label>(value));
}
const char* name_of_bubble_scope(std::uint32_t value) noexcept {
  return bubble_scope_name(static_cast<bubble_scope>(value));
}
const char* name_of_bubble_tag(std::uint32_t value) noexcept {
  return bubble_tag_name(static_cast<bubble_tag>(value));
}
const char* name_of_certainty(std::uint32_t value) noexcept {
  return certainty_name(static_cast<certainty>(value));
}
const char* name_of_compression(std::uint32_t value) noexcept {
  return compression_name(static_cast<compression>(value));
}
const char* name_of_fact_source(std::uint32_t value) noexcept {
  return fact_source_name(static_cast<fact_source>(value));
}
const char* name_of_file_family(std::uint32_t value) noexcept {
  return family_name(static_cast<file_family>(value));
}
const char* name_of_idle_cause(std::uint32_t value) noexcept {
  return idle_cause_name(static_cast<idle_cause>(value));
}
const char* name_of_kernel_class(std::uint32_t value) noexcept {
  return kernel_class_name(static_cast<kernel_class>(value));
}
const char* name_of_ops_clock(std::uint32_t value) noexcept {
  return ops_clock_name(static_cast<ops_clock>(value));
}
const char* name_of_probe_outcome(std::uint32_t value) noexcept {
  return probe_outcome_name(static_cast<probe_outcome>(value));
}
const char* name_of_residency(std::uint32_t value) noexcept {
  return residency_name(static_cast<residency>(value));
}
const char* name_of_sibling_state(std::uint32_t value) noexcept {
  return sibling_state_name(static_cast<sibling_state>(value));
}
const char* name_of_time_use(std::uint32_t value) noexcept {
  return time_use_name(static_cast<time_use>(value));
}

const table_column columns_of_files[] = {
    {"file", "", "position in the capture", cell_kind::uint32, false, null_rule::never, offsetof(rows::files, file), 0, 0, nullptr},
    {"path", "", "as given", cell_kind::text, false, null_rule::never, offsetof(rows::files, path), 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says", cell_kind::text, true, null_rule::empty, offsetof(rows::files, host), 0, 0, nullptr},
    {"run", "", "folder of the run; \"\" for a file that was given by its path", cell_kind::text, true, null_rule::empty, offsetof(rows::files, run), 0, 0, nullptr},
    {"family", "", "format", cell_kind::named, true, null_rule::never, offsetof(rows::files, family), 0, 0, name_of_file_family},
    {"compression", "", "how it is packed", cell_kind::named, true, null_rule::never, offsetof(rows::files, compression), 0, 0, name_of_compression},
    {"encoded_bytes", "bytes", "size on disk", cell_kind::uint64, false, null_rule::never, offsetof(rows::files, encoded_bytes), 0, 0, nullptr},
    {"origin_unix_ns", "ns", "the file's own time zero, since 1970", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::files, origin_unix_ns), offsetof(rows::files, flags), PK_FILE_HAS_ORIGIN, nullptr},
    {"shift_ns", "ns", "added to the file's times to put them on the capture's clock", cell_kind::int64, false, null_rule::never, offsetof(rows::files, shift_ns), 0, 0, nullptr},
    {"export_of", "", "position of the file that this one repeats; -1: none", cell_kind::int32, false, null_rule::negative, offsetof(rows::files, export_of), 0, 0, nullptr},
    {"plane_count", "", "0 when the file is not an XSpace", cell_kind::uint32, false, null_rule::never, offsetof(rows::files, plane_count), 0, 0, nullptr},
};

const table_column columns_of_devices[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file", cell_kind::uint32, false, null_rule::never, offsetof(rows::devices, file), 0, 0, nullptr},
    {"device", "", "position in this table", cell_kind::int32, false, null_rule::never, offsetof(rows::devices, device), 0, 0, nullptr},
    {"name", "", "as recorded: \"/device:TPU:0\", \"GPU 3\"", cell_kind::text, true, null_rule::never, offsetof(rows::devices, name), 0, 0, nullptr},
    {"accelerator", "", "what it is", cell_kind::named, true, null_rule::never, offsetof(rows::devices, accelerator), 0, 0, name_of_accelerator},
    {"ordinal", "", "its number on its machine; -1: not recorded", cell_kind::int64, false, null_rule::negative, offsetof(rows::devices, ordinal), 0, 0, nullptr},
    {"plane", "", "position of its plane in an XSpace; -1 in other files", cell_kind::int32, false, null_rule::negative, offsetof(rows::devices, plane), 0, 0, nullptr},
};

const table_column columns_of_events[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"device_name", "", "name of the device; null for a row of none", cell_kind::joined_device_name, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file", cell_kind::uint32, false, null_rule::never, 0, 0, 0, nullptr},
    {"device", "", "position in devices; null for a host's", cell_kind::int32, false, null_rule::negative, 0, 0, 0, nullptr},
    {"plane", "", "name of the plane, or of the process of a trace", cell_kind::text, true, null_rule::never, 0, 0, 0, nullptr},
    {"line", "", "name of the line, or of the thread or stream", cell_kind::text, true, null_rule::never, 0, 0, 0, nullptr},
    {"plane_kind", "", "what the plane stands for", cell_kind::text, true, null_rule::never, 0, 0, 0, nullptr},
    {"line_kind", "", "what the line holds", cell_kind::text, true, null_rule::never, 0, 0, 0, nullptr},
    {"plane_position", "", "position of the plane in its file", cell_kind::int32, false, null_rule::negative, 0, 0, 0, nullptr},
    {"line_position", "", "position of the line in its plane", cell_kind::int32, false, null_rule::negative, 0, 0, 0, nullptr},
    {"stream", "", "hardware id of the stream; of a thread its id", cell_kind::int64, false, null_rule::negative, 0, 0, 0, nullptr},
    {"name", "", "as recorded", cell_kind::text, true, null_rule::never, 0, 0, 0, nullptr},
    {"start_ps", "ps", "capture's clock", cell_kind::int64, false, null_rule::never, 0, 0, 0, nullptr},
    {"duration_ps", "ps", "on the timeline", cell_kind::int64, false, null_rule::never, 0, 0, 0, nullptr},
    {"source_row", "", "line of a table, ordinal of a JSON event, byte offset in an XSpace", cell_kind::uint64, false, null_rule::never, 0, 0, 0, nullptr},
};

const table_column columns_of_ops[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"device_name", "", "name of the device; null for a row of none", cell_kind::joined_device_name, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file", cell_kind::uint32, false, null_rule::never, offsetof(rows::ops, file), 0, 0, nullptr},
    {"device", "", "position in devices; -1: ops of a host", cell_kind::int32, false, null_rule::negative, offsetof(rows::ops, device), 0, 0, nullptr},
    {"plane", "", "name of the plane", cell_kind::text, true, null_rule::never, offsetof(rows::ops, plane), 0, 0, nullptr},
    {"line", "", "name of the line", cell_kind::text, true, null_rule::never, offsetof(rows::ops, line), 0, 0, nullptr},
    {"name", "", "as recorded; \"\" where it is not", cell_kind::text, true, null_rule::never, offsetof(rows::ops, name), 0, 0, nullptr},
    {"display_name", "", "short name, as recorded; \"\" where it is not", cell_kind::text, true, null_rule::never, offsetof(rows::ops, display_name), 0, 0, nullptr},
    {"category", "", "hlo_category; of a kernel what it counts as", cell_kind::text, true, null_rule::empty, offsetof(rows::ops, category), 0, 0, nullptr},
    {"program", "", "\"jit_f(7)\"; \"\" where not recorded", cell_kind::text, true, null_rule::never, offsetof(rows::ops, program), 0, 0, nullptr},
    {"clock", "", "which clock the times are of", cell_kind::named, true, null_rule::never, offsetof(rows::ops, clock), 0, 0, name_of_ops_clock},
    {"metadata_id", "", "of an XSpace: the id of its metadata", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::ops, metadata_id), offsetof(rows::ops, flags), PK_OP_HAS_METADATA_ID, nullptr},
    {"count", "", "executions", cell_kind::uint64, false, null_rule::never, offsetof(rows::ops, count), 0, 0, nullptr},
    {"total_ps", "ps", "of all executions", cell_kind::int64, false, null_rule::never, offsetof(rows::ops, total_ps), 0, 0, nullptr},
    {"self_ps", "ps", "without what ran inside; of a line they add up to its busy time", cell_kind::int64, false, null_rule::never, offsetof(rows::ops, self_ps), 0, 0, nullptr},
    {"min_ps", "ps", "shortest execution", cell_kind::int64, false, null_rule::never, offsetof(rows::ops, min_ps), 0, 0, nullptr},
    {"max_ps", "ps", "longest execution", cell_kind::int64, false, null_rule::never, offsetof(rows::ops, max_ps), 0, 0, nullptr},
    {"flops", "flop", "of one execution, as recorded", cell_kind::uint64, false, null_rule::without_bit, offsetof(rows::ops, flops), offsetof(rows::ops, flags), PK_OP_HAS_FLOPS, nullptr},
    {"bytes_accessed", "bytes", "of one execution, as recorded", cell_kind::uint64, false, null_rule::without_bit, offsetof(rows::ops, bytes_accessed), offsetof(rows::ops, flags), PK_OP_HAS_BYTES_ACCESSED, nullptr},
};

const table_column columns_of_steps[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"device_name", "", "name of the device; null for a row of none", cell_kind::joined_device_name, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file", cell_kind::uint32, false, null_rule::never, offsetof(rows::steps, file), 0, 0, nullptr},
    {"device", "", "position in devices", cell_kind::int32, false, null_rule::never, offsetof(rows::steps, device), 0, 0, nullptr},
    {"step", "", "position in this table", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, step), 0, 0, nullptr},
    {"step_id", "", "number of its marker, else its name", cell_kind::text, true, null_rule::never, offsetof(rows::steps, step_id), 0, 0, nullptr},
    {"start_ps", "ps", "capture's clock", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, start_ps), 0, 0, nullptr},
    {"end_ps", "ps", "capture's clock", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, end_ps), 0, 0, nullptr},
    {"busy_ps", "ps", "union of the kernels", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, busy_ps), 0, 0, nullptr},
    {"prelaunch_ps", "ps", "before the first kernel", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, prelaunch_ps), 0, 0, nullptr},
    {"internal_ps", "ps", "gaps between kernels", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, internal_ps), 0, 0, nullptr},
    {"tail_ps", "ps", "after the last kernel", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, tail_ps), 0, 0, nullptr},
    {"largest_internal_ps", "ps", "longest gap between kernels", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, largest_internal_ps), 0, 0, nullptr},
    {"compute_only_ps", "ps", "this and the next six add up to the length, too", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, compute_only_ps), 0, 0, nullptr},
    {"comm_exposed_ps", "ps", "communication while nothing computes", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, comm_exposed_ps), 0, 0, nullptr},
    {"comm_overlapped_ps", "ps", "communication while something computes", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, comm_overlapped_ps), 0, 0, nullptr},
    {"copy_ps", "ps", "copies alone", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, copy_ps), 0, 0, nullptr},
    {"other_ps", "ps", "other kernels alone", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, other_ps), 0, 0, nullptr},
    {"idle_ps", "ps", "no kernel at all, and none that was launched without a record", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, idle_ps), 0, 0, nullptr},
    {"not_recorded_ps", "ps", "not known: work was launched that was not recorded", cell_kind::int64, false, null_rule::never, offsetof(rows::steps, not_recorded_ps), 0, 0, nullptr},
    {"unrecorded_launches", "", "launches of the step without any record of a device", cell_kind::uint64, false, null_rule::never, offsetof(rows::steps, unrecorded_launches), 0, 0, nullptr},
    {"bubble_count", "", "internal gaps of any length", cell_kind::uint64, false, null_rule::never, offsetof(rows::steps, bubble_count), 0, 0, nullptr},
    {"tags", "", "anomalies of the step", cell_kind::set, true, null_rule::never, offsetof(rows::steps, tags), 0, 0, name_of_bubble_tag},
};

const table_column columns_of_kernels[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"device_name", "", "name of the device; null for a row of none", cell_kind::joined_device_name, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file", cell_kind::uint32, false, null_rule::never, offsetof(rows::kernels, file), 0, 0, nullptr},
    {"device", "", "position in devices", cell_kind::int32, false, null_rule::never, offsetof(rows::kernels, device), 0, 0, nullptr},
    {"stream", "", "hardware id; -1 where it is not on record", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::kernels, stream), offsetof(rows::kernels, flags), PK_KERNEL_HAS_STREAM, nullptr},
    {"name", "", "as recorded", cell_kind::text, true, null_rule::never, offsetof(rows::kernels, name), 0, 0, nullptr},
    {"op_type", "", "as recorded, else taken from the name", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, op_type), 0, 0, nullptr},
    {"kind", "", "what it counts as", cell_kind::named, true, null_rule::never, offsetof(rows::kernels, kind), 0, 0, name_of_kernel_class},
    {"core", "", "execution unit as written; \"\" when the source has none", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, core), 0, 0, nullptr},
    {"step_id", "", "of the table's own column; \"\" without one", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, step_id), 0, 0, nullptr},
    {"start_ps", "ps", "capture's clock", cell_kind::int64, false, null_rule::never, offsetof(rows::kernels, start_ps), 0, 0, nullptr},
    {"duration_ps", "ps", "on the timeline", cell_kind::int64, false, null_rule::never, offsetof(rows::kernels, duration_ps), 0, 0, nullptr},
    {"wait_ps", "ps", "the source's own wait column", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::kernels, wait_ps), offsetof(rows::kernels, flags), PK_KERNEL_HAS_WAIT, nullptr},
    {"launch_ps", "ps", "when the host launched it", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::kernels, launch_ps), offsetof(rows::kernels, flags), PK_KERNEL_HAS_LAUNCH, nullptr},
    {"input_shapes", "", "as recorded", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, input_shapes), 0, 0, nullptr},
    {"output_shapes", "", "as recorded", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, output_shapes), 0, 0, nullptr},
    {"input_types", "", "as recorded", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, input_types), 0, 0, nullptr},
    {"framework_op", "", "innermost operator of the framework that launched it: \"aten::addmm\"", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, framework_op), 0, 0, nullptr},
    {"outer_op", "", "outermost operator around that: \"aten::linear\"", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, outer_op), 0, 0, nullptr},
    {"module", "", "modules around the launch, from outside in", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, module), 0, 0, nullptr},
    {"range", "", "ranges of the user that were open at the launch, from outside in: \"forward > attention\"", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, range), 0, 0, nullptr},
    {"source", "", "line of code that is not the framework's: \"model.py(31): forward\"", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, source), 0, 0, nullptr},
    {"phase", "", "of a training step: forward, recomputation, backward or optimizer", cell_kind::text, true, null_rule::empty, offsetof(rows::kernels, phase), 0, 0, nullptr},
    {"on_aicpu", "", "runs on an AI CPU, whatever its kind", cell_kind::flag, false, null_rule::never, offsetof(rows::kernels, flags), 0, PK_KERNEL_ON_AICPU, nullptr},
    {"duplicate", "", "the same collective was listed twice: not to be summed", cell_kind::flag, false, null_rule::never, offsetof(rows::kernels, flags), 0, PK_KERNEL_DUPLICATE, nullptr},
    {"in_flight", "", "an asynchronous copy from its start to its arrival, while the device does other things: not to be summed", cell_kind::flag, false, null_rule::never, offsetof(rows::kernels, flags), 0, PK_KERNEL_IN_FLIGHT, nullptr},
    {"source_row", "", "line of a table, ordinal of a JSON event, byte offset in an XSpace", cell_kind::uint64, false, null_rule::never, offsetof(rows::kernels, source_row), 0, 0, nullptr},
};

const table_column columns_of_gaps[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"device_name", "", "name of the device; null for a row of none", cell_kind::joined_device_name, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file", cell_kind::uint32, false, null_rule::never, offsetof(rows::gaps, file), 0, 0, nullptr},
    {"device", "", "position in devices", cell_kind::int32, false, null_rule::never, offsetof(rows::gaps, device), 0, 0, nullptr},
    {"step", "", "position in steps; -1: none", cell_kind::int64, false, null_rule::negative, offsetof(rows::gaps, step), 0, 0, nullptr},
    {"scope", "", "where in a step it lies", cell_kind::named, true, null_rule::never, offsetof(rows::gaps, scope), 0, 0, name_of_bubble_scope},
    {"start_ps", "ps", "capture's clock", cell_kind::int64, false, null_rule::never, offsetof(rows::gaps, start_ps), 0, 0, nullptr},
    {"end_ps", "ps", "capture's clock", cell_kind::int64, false, null_rule::never, offsetof(rows::gaps, end_ps), 0, 0, nullptr},
    {"host_ps", "ps", "host activity inside the gap", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::gaps, host_ps), offsetof(rows::gaps, flags), PK_BUBBLE_TRACED, nullptr},
    {"sync_ps", "ps", "the part in synchronisation and copies", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::gaps, sync_ps), offsetof(rows::gaps, flags), PK_BUBBLE_TRACED, nullptr},
    {"comm_ps", "ps", "communication inside the gap", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::gaps, comm_ps), offsetof(rows::gaps, flags), PK_BUBBLE_TRACED, nullptr},
    {"threads_ps", "ps", "sum over the host's threads", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::gaps, threads_ps), offsetof(rows::gaps, flags), PK_BUBBLE_TRACED, nullptr},
    {"launch_ps", "ps", "when the kernel after the gap was launched, in whatever step; PK_NO_TIME_PS: not known", cell_kind::int64, false, null_rule::no_time, offsetof(rows::gaps, launch_ps), 0, 0, nullptr},
    {"before", "", "the kernel that ended last; \"\": none", cell_kind::text, true, null_rule::empty, offsetof(rows::gaps, before), 0, 0, nullptr},
    {"after", "", "the kernel that starts next; \"\": none", cell_kind::text, true, null_rule::empty, offsetof(rows::gaps, after), 0, 0, nullptr},
    {"before_row", "", "its source_row in kernels", cell_kind::uint64, false, null_rule::without_text, offsetof(rows::gaps, before_row), offsetof(rows::gaps, before), 0, nullptr},
    {"after_row", "", "its source_row in kernels", cell_kind::uint64, false, null_rule::without_text, offsetof(rows::gaps, after_row), offsetof(rows::gaps, after), 0, nullptr},
    {"labels", "", "the soft labels that its evidence meets", cell_kind::set, true, null_rule::never, offsetof(rows::gaps, labels), 0, 0, name_of_bubble_label},
    {"cause", "", "why the device waited, as far as the capture shows", cell_kind::named, true, null_rule::never, offsetof(rows::gaps, cause), 0, 0, name_of_idle_cause},
    {"certainty", "", "of the cause", cell_kind::named, true, null_rule::never, offsetof(rows::gaps, certainty), 0, 0, name_of_certainty},
    {"heavy", "", "longer than the threshold", cell_kind::flag, false, null_rule::never, offsetof(rows::gaps, flags), 0, PK_BUBBLE_HEAVY, nullptr},
    {"at_edge", "", "touches the edge of the capture", cell_kind::flag, false, null_rule::never, offsetof(rows::gaps, flags), 0, PK_BUBBLE_AT_EDGE, nullptr},
    {"inter_step", "", "the end of a step and the beginning of the next, which are listed as well", cell_kind::flag, false, null_rule::never, offsetof(rows::gaps, flags), 0, PK_BUBBLE_INTER_STEP, nullptr},
};

const table_column columns_of_causes[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"device_name", "", "name of the device; null for a row of none", cell_kind::joined_device_name, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file", cell_kind::uint32, false, null_rule::never, offsetof(rows::causes, file), 0, 0, nullptr},
    {"device", "", "position in devices", cell_kind::int32, false, null_rule::never, offsetof(rows::causes, device), 0, 0, nullptr},
    {"gap", "", "position in gaps", cell_kind::uint64, false, null_rule::never, offsetof(rows::causes, gap), 0, 0, nullptr},
    {"step", "", "position in steps; -1: none", cell_kind::int64, false, null_rule::negative, offsetof(rows::causes, step), 0, 0, nullptr},
    {"cause", "", "what the host or the device did", cell_kind::named, true, null_rule::never, offsetof(rows::causes, cause), 0, 0, name_of_idle_cause},
    {"certainty", "", "of the cause", cell_kind::named, true, null_rule::never, offsetof(rows::causes, certainty), 0, 0, name_of_certainty},
    {"span", "", "the span of the host that names it; \"\": none does", cell_kind::text, true, null_rule::empty, offsetof(rows::causes, span), 0, 0, nullptr},
    {"covered_ps", "ps", "how much of the gap the evidence covers", cell_kind::int64, false, null_rule::never, offsetof(rows::causes, covered_ps), 0, 0, nullptr},
    {"start_ps", "ps", "of the gap, capture's clock", cell_kind::int64, false, null_rule::never, offsetof(rows::causes, start_ps), 0, 0, nullptr},
    {"end_ps", "ps", "of the gap, capture's clock", cell_kind::int64, false, null_rule::never, offsetof(rows::causes, end_ps), 0, 0, nullptr},
};

const table_column columns_of_collectives[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"device_name", "", "name of the device; null for a row of none", cell_kind::joined_device_name, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file", cell_kind::uint32, false, null_rule::never, offsetof(rows::collectives, file), 0, 0, nullptr},
    {"device", "", "position in devices; -1: ops of a host", cell_kind::int32, false, null_rule::negative, offsetof(rows::collectives, device), 0, 0, nullptr},
    {"plane", "", "name of the plane", cell_kind::text, true, null_rule::never, offsetof(rows::collectives, plane), 0, 0, nullptr},
    {"name", "", "as recorded", cell_kind::text, true, null_rule::never, offsetof(rows::collectives, name), 0, 0, nullptr},
    {"category", "", "\"all-reduce\", …; of a kernel whose name spells none the library (\"nccl\")", cell_kind::text, true, null_rule::never, offsetof(rows::collectives, category), 0, 0, nullptr},
    {"on_stream", "", "a kernel: other streams of its device may compute meanwhile", cell_kind::flag, false, null_rule::never, offsetof(rows::collectives, flags), 0, PK_COLLECTIVE_ON_STREAM, nullptr},
    {"is_half", "", "the start or the done of an asynchronous operation", cell_kind::flag, false, null_rule::never, offsetof(rows::collectives, flags), 0, PK_COLLECTIVE_IS_HALF, nullptr},
    {"count", "", "executions", cell_kind::uint64, false, null_rule::never, offsetof(rows::collectives, count), 0, 0, nullptr},
    {"total_ps", "ps", "of all executions", cell_kind::int64, false, null_rule::never, offsetof(rows::collectives, total_ps), 0, 0, nullptr},
    {"min_ps", "ps", "shortest execution", cell_kind::int64, false, null_rule::never, offsetof(rows::collectives, min_ps), 0, 0, nullptr},
    {"max_ps", "ps", "longest execution", cell_kind::int64, false, null_rule::never, offsetof(rows::collectives, max_ps), 0, 0, nullptr},
};

const table_column columns_of_modules[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file", cell_kind::uint32, false, null_rule::never, offsetof(rows::modules, file), 0, 0, nullptr},
    {"plane", "", "position of the plane that carries it; -1: a file of its own", cell_kind::int32, false, null_rule::negative, offsetof(rows::modules, plane), 0, 0, nullptr},
    {"metadata_id", "", "of the event metadata entry that carries it", cell_kind::int64, false, null_rule::never, offsetof(rows::modules, metadata_id), 0, 0, nullptr},
    {"name", "", "as the entry or the file name says", cell_kind::text, true, null_rule::never, offsetof(rows::modules, name), 0, 0, nullptr},
    {"module_name", "", "as the module itself says", cell_kind::text, true, null_rule::never, offsetof(rows::modules, module_name), 0, 0, nullptr},
    {"module_id", "", "as the module itself says", cell_kind::int64, false, null_rule::never, offsetof(rows::modules, module_id), 0, 0, nullptr},
    {"computation_count", "", "computations", cell_kind::uint64, false, null_rule::never, offsetof(rows::modules, computation_count), 0, 0, nullptr},
    {"instruction_count", "", "instructions of all computations", cell_kind::uint64, false, null_rule::never, offsetof(rows::modules, instruction_count), 0, 0, nullptr},
    {"sibling_path", "", "the *.hlo_proto.pb beside it; \"\" when there is none", cell_kind::text, false, null_rule::empty, offsetof(rows::modules, sibling_path), 0, 0, nullptr},
    {"sibling", "", "how the two compare", cell_kind::named, true, null_rule::never, offsetof(rows::modules, sibling), 0, 0, name_of_sibling_state},
    {"damaged", "", "the bytes do not parse, and the counts cover what did", cell_kind::flag, false, null_rule::never, offsetof(rows::modules, flags), 0, PK_MODULE_DAMAGED, nullptr},
};

const table_column columns_of_allocators[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"device_name", "", "name of the device; null for a row of none", cell_kind::joined_device_name, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file", cell_kind::uint32, false, null_rule::never, offsetof(rows::allocators, file), 0, 0, nullptr},
    {"device", "", "position in devices; -1: host memory", cell_kind::int32, false, null_rule::negative, offsetof(rows::allocators, device), 0, 0, nullptr},
    {"host", "", "whose it is", cell_kind::text, true, null_rule::empty, offsetof(rows::allocators, host), 0, 0, nullptr},
    {"name", "", "XProf's key", cell_kind::text, true, null_rule::never, offsetof(rows::allocators, name), 0, 0, nullptr},
    {"heap_peak_bytes", "bytes", "highest heap", cell_kind::int64, false, null_rule::never, offsetof(rows::allocators, heap_peak_bytes), 0, 0, nullptr},
    {"occupancy_peak_bytes", "bytes", "highest sum of reserved and allocated", cell_kind::int64, false, null_rule::never, offsetof(rows::allocators, occupancy_peak_bytes), 0, 0, nullptr},
    {"occupancy_peak_ps", "ps", "when it was reached, capture's clock", cell_kind::int64, false, null_rule::never, offsetof(rows::allocators, occupancy_peak_ps), 0, 0, nullptr},
    {"capacity_bytes", "bytes", "of the memory, as the allocator counts it", cell_kind::int64, false, null_rule::never, offsetof(rows::allocators, capacity_bytes), 0, 0, nullptr},
    {"pre_trace_bytes", "bytes", "allocated before the capture began", cell_kind::int64, false, null_rule::never, offsetof(rows::allocators, pre_trace_bytes), 0, 0, nullptr},
    {"unmatched_frees", "", "of blocks that the capture did not see allocated", cell_kind::uint64, false, null_rule::never, offsetof(rows::allocators, unmatched_frees), 0, 0, nullptr},
    {"allocator_agrees", "", "the replay equals the allocator's own count after every event", cell_kind::flag, false, null_rule::never, offsetof(rows::allocators, flags), 0, PK_ALLOCATOR_AGREES, nullptr},
    {"chosen", "", "the run-time part of the document is about it", cell_kind::flag, false, null_rule::never, offsetof(rows::allocators, flags), 0, PK_ALLOCATOR_CHOSEN, nullptr},
};

const table_column columns_of_live_buffers[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file that carries the module", cell_kind::uint32, false, null_rule::never, offsetof(rows::live_buffers, file), 0, 0, nullptr},
    {"logical_buffer_id", "", "-1: the allocation has no assigned buffer", cell_kind::int64, false, null_rule::negative, offsetof(rows::live_buffers, logical_buffer_id), 0, 0, nullptr},
    {"size_bytes", "bytes", "of the buffer", cell_kind::int64, false, null_rule::never, offsetof(rows::live_buffers, size_bytes), 0, 0, nullptr},
    {"allocation_index", "", "of the allocation it lies in", cell_kind::int64, false, null_rule::never, offsetof(rows::live_buffers, allocation_index), 0, 0, nullptr},
    {"offset_bytes", "bytes", "in the allocation", cell_kind::int64, false, null_rule::never, offsetof(rows::live_buffers, offset_bytes), 0, 0, nullptr},
    {"instruction_id", "", "of the instruction that defines it", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::live_buffers, instruction_id), offsetof(rows::live_buffers, flags), PK_LIVE_BUFFER_HAS_INSTRUCTION, nullptr},
    {"instruction_name", "", "of that instruction", cell_kind::text, true, null_rule::empty, offsetof(rows::live_buffers, instruction_name), 0, 0, nullptr},
    {"opcode", "", "of that instruction", cell_kind::text, true, null_rule::empty, offsetof(rows::live_buffers, opcode), 0, 0, nullptr},
    {"op_name", "", "framework op", cell_kind::text, true, null_rule::empty, offsetof(rows::live_buffers, op_name), 0, 0, nullptr},
    {"computation_name", "", "where the instruction stands", cell_kind::text, true, null_rule::empty, offsetof(rows::live_buffers, computation_name), 0, 0, nullptr},
    {"shape", "", "\"\" past the first `top` rows", cell_kind::text, true, null_rule::empty, offsetof(rows::live_buffers, shape), 0, 0, nullptr},
    {"shape_index", "", "which part of the instruction's result; none for the whole", cell_kind::int64_list, false, null_rule::empty, offsetof(rows::live_buffers, shape_index), offsetof(rows::live_buffers, shape_index_count), 0, nullptr},
    {"source_file", "", "as the module says", cell_kind::text, true, null_rule::empty, offsetof(rows::live_buffers, source_file), 0, 0, nullptr},
    {"source_line", "", "as the module says", cell_kind::int64, false, null_rule::without_text, offsetof(rows::live_buffers, source_line), offsetof(rows::live_buffers, source_file), 0, nullptr},
    {"residency", "", "why it is alive", cell_kind::named, true, null_rule::never, offsetof(rows::live_buffers, residency), 0, 0, name_of_residency},
};

const table_column columns_of_live_curve[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file that carries the module", cell_kind::uint32, false, null_rule::never, offsetof(rows::live_curve, file), 0, 0, nullptr},
    {"event", "", "heap event, or schedule position of a sweep", cell_kind::int64, false, null_rule::never, offsetof(rows::live_curve, event), 0, 0, nullptr},
    {"live_bytes", "bytes", "alive then", cell_kind::int64, false, null_rule::never, offsetof(rows::live_curve, live_bytes), 0, 0, nullptr},
};

const table_column columns_of_probe_launches[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the trace folder", cell_kind::uint32, false, null_rule::never, offsetof(rows::probe_launches, file), 0, 0, nullptr},
    {"launch", "", "position in the log", cell_kind::uint64, false, null_rule::never, offsetof(rows::probe_launches, launch), 0, 0, nullptr},
    {"kernel", "", "name of the kernel", cell_kind::text, true, null_rule::never, offsetof(rows::probe_launches, kernel), 0, 0, nullptr},
    {"function", "", "the driver's handle, \"0x8209510\"", cell_kind::text, true, null_rule::never, offsetof(rows::probe_launches, function), 0, 0, nullptr},
    {"outcome", "", "how it ended", cell_kind::named, true, null_rule::never, offsetof(rows::probe_launches, outcome), 0, 0, name_of_probe_outcome},
    {"bin", "", "base name of its record file; \"\" without one", cell_kind::text, true, null_rule::empty, offsetof(rows::probe_launches, bin), 0, 0, nullptr},
    {"bin_position", "", "of the record file; -1: it is not there", cell_kind::int64, false, null_rule::negative, offsetof(rows::probe_launches, bin_position), 0, 0, nullptr},
    {"time_ns", "ns", "since 1970", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::probe_launches, time_ns), offsetof(rows::probe_launches, flags), PK_PROBE_HAS_TIME, nullptr},
    {"grid_x", "", "blocks", cell_kind::uint32, false, null_rule::without_bit, offsetof(rows::probe_launches, grid), offsetof(rows::probe_launches, flags), PK_PROBE_HAS_GEOMETRY, nullptr},
    {"grid_y", "", "blocks", cell_kind::uint32, false, null_rule::without_bit, offsetof(rows::probe_launches, grid) + 4, offsetof(rows::probe_launches, flags), PK_PROBE_HAS_GEOMETRY, nullptr},
    {"grid_z", "", "blocks", cell_kind::uint32, false, null_rule::without_bit, offsetof(rows::probe_launches, grid) + 8, offsetof(rows::probe_launches, flags), PK_PROBE_HAS_GEOMETRY, nullptr},
    {"block_x", "", "threads of a block", cell_kind::uint32, false, null_rule::without_bit, offsetof(rows::probe_launches, block), offsetof(rows::probe_launches, flags), PK_PROBE_HAS_GEOMETRY, nullptr},
    {"block_y", "", "threads of a block", cell_kind::uint32, false, null_rule::without_bit, offsetof(rows::probe_launches, block) + 4, offsetof(rows::probe_launches, flags), PK_PROBE_HAS_GEOMETRY, nullptr},
    {"block_z", "", "threads of a block", cell_kind::uint32, false, null_rule::without_bit, offsetof(rows::probe_launches, block) + 8, offsetof(rows::probe_launches, flags), PK_PROBE_HAS_GEOMETRY, nullptr},
    {"shared_bytes", "bytes", "shared memory of a block", cell_kind::uint32, false, null_rule::without_bit, offsetof(rows::probe_launches, shared_bytes), offsetof(rows::probe_launches, flags), PK_PROBE_HAS_GEOMETRY, nullptr},
    {"params", "", "arguments of the kernel", cell_kind::uint64_list, false, null_rule::empty, offsetof(rows::probe_launches, params), offsetof(rows::probe_launches, params_count), 0, nullptr},
    {"probe_memory_bytes", "bytes", "taken by the probe", cell_kind::uint64, false, null_rule::without_bit, offsetof(rows::probe_launches, probe_memory_bytes), offsetof(rows::probe_launches, flags), PK_PROBE_HAS_MEMORY, nullptr},
    {"prologue_ps", "ps", "before the kernel", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::probe_launches, prologue_ps), offsetof(rows::probe_launches, flags), PK_PROBE_HAS_DURATIONS, nullptr},
    {"kernel_ps", "ps", "the kernel", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::probe_launches, kernel_ps), offsetof(rows::probe_launches, flags), PK_PROBE_HAS_DURATIONS, nullptr},
    {"epilogue_ps", "ps", "after the kernel", cell_kind::int64, false, null_rule::without_bit, offsetof(rows::probe_launches, epilogue_ps), offsetof(rows::probe_launches, flags), PK_PROBE_HAS_DURATIONS, nullptr},
};

const table_column columns_of_probe_records[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the trace folder", cell_kind::uint32, false, null_rule::never, 0, 0, 0, nullptr},
    {"bin_position", "", "of the record file", cell_kind::int64, false, null_rule::never, 0, 0, 0, nullptr},
    {"block", "", "of the grid; null when it is not known", cell_kind::uint64, false, null_rule::never, 0, 0, 0, nullptr},
    {"lane", "", "thread or warp in the block", cell_kind::uint64, false, null_rule::never, 0, 0, 0, nullptr},
    {"k", "", "position among the records of the lane", cell_kind::uint64, false, null_rule::never, 0, 0, 0, nullptr},
};

const table_column columns_of_device_time[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"device_name", "", "name of the device; null for a row of none", cell_kind::joined_device_name, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file", cell_kind::uint32, false, null_rule::never, offsetof(rows::device_time, file), 0, 0, nullptr},
    {"device", "", "position in devices", cell_kind::int32, false, null_rule::never, offsetof(rows::device_time, device), 0, 0, nullptr},
    {"in_steps", "", "within a step", cell_kind::flag, false, null_rule::never, offsetof(rows::device_time, flags), 0, PK_DEVICE_TIME_IN_STEPS, nullptr},
    {"use", "", "what the device did; what runs beside compute counts as compute", cell_kind::named, true, null_rule::never, offsetof(rows::device_time, use), 0, 0, name_of_time_use},
    {"cause", "", "why it waited; none of gaps that are too short to list or lie at the edge of the capture", cell_kind::named, true, null_rule::without_bit, offsetof(rows::device_time, cause), offsetof(rows::device_time, flags), PK_DEVICE_TIME_HAS_CAUSE, name_of_idle_cause},
    {"certainty", "", "of the cause; of what is on record: proved", cell_kind::named, true, null_rule::never, offsetof(rows::device_time, certainty), 0, 0, name_of_certainty},
    {"gaps", "", "listed gaps with this cause", cell_kind::uint64, false, null_rule::never, offsetof(rows::device_time, gaps), 0, 0, nullptr},
    {"time_ps", "ps", "length", cell_kind::int64, false, null_rule::never, offsetof(rows::device_time, time_ps), 0, 0, nullptr},
};

const table_column columns_of_facts[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"device_name", "", "name of the device; null for a row of none", cell_kind::joined_device_name, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file of the device", cell_kind::uint32, false, null_rule::never, offsetof(rows::facts, file), 0, 0, nullptr},
    {"device", "", "position in devices; -1: of a host alone", cell_kind::int32, false, null_rule::negative, offsetof(rows::facts, device), 0, 0, nullptr},
    {"name", "", "\"layers\", \"hidden_size\"; docs/architecture-report.md lists them", cell_kind::text, true, null_rule::never, offsetof(rows::facts, name), 0, 0, nullptr},
    {"value", "", "\"24\", \"true\", \"prefill, decode\"", cell_kind::text, false, null_rule::never, offsetof(rows::facts, value), 0, 0, nullptr},
    {"unit", "", "\"tokens\", \"parameters\", \"%\"; \"\" for counts and words", cell_kind::text, true, null_rule::empty, offsetof(rows::facts, unit), 0, 0, nullptr},
    {"certainty", "", "how sure it is", cell_kind::named, true, null_rule::never, offsetof(rows::facts, certainty), 0, 0, name_of_certainty},
    {"source", "", "what it is read from", cell_kind::named, true, null_rule::never, offsetof(rows::facts, source), 0, 0, name_of_fact_source},
    {"evidence", "", "the event, shape or name that says so", cell_kind::text, false, null_rule::never, offsetof(rows::facts, evidence), 0, 0, nullptr},
    {"contradictions", "", "what other sources say; \"; \" between them", cell_kind::text, false, null_rule::empty, offsetof(rows::facts, contradictions), 0, 0, nullptr},
};

const table_column columns_of_collective_calls[] = {
    {"run", "", "folder of the run; null for a file that was given by its path", cell_kind::joined_run, true, null_rule::never, 0, 0, 0, nullptr},
    {"host", "", "host that was recorded, as the file or its name says; null where neither does", cell_kind::joined_host, true, null_rule::never, 0, 0, 0, nullptr},
    {"rank", "", "rank in a distributed run; null where it is not on record", cell_kind::joined_rank, false, null_rule::never, 0, 0, 0, nullptr},
    {"node", "", "number of the node in a merged trace; null in others", cell_kind::joined_node, false, null_rule::never, 0, 0, 0, nullptr},
    {"device_name", "", "name of the device; null for a row of none", cell_kind::joined_device_name, true, null_rule::never, 0, 0, 0, nullptr},
    {"file", "", "position of the file of the member that came last", cell_kind::uint32, false, null_rule::never, offsetof(rows::collective_calls, file), 0, 0, nullptr},
    {"name", "", "of the op", cell_kind::text, true, null_rule::never, offsetof(rows::collective_calls, name), 0, 0, nullptr},
    {"kind", "", "\"all-reduce\"; \"\" where nothing names it", cell_kind::text, true, null_rule::empty, offsetof(rows::collective_calls, kind), 0, 0, nullptr},
    {"process_group", "", "as on record; \"\" of everyone, or where none is on record", cell_kind::text, true, null_rule::empty, offsetof(rows::collective_calls, process_group), 0, 0, nullptr},
    {"call", "", "number among the calls of the op by its group", cell_kind::uint32, false, null_rule::never, offsetof(rows::collective_calls, call), 0, 0, nullptr},
    {"members", "", "devices that took part", cell_kind::uint32, false, null_rule::never, offsetof(rows::collective_calls, members), 0, 0, nullptr},
    {"start_gap_ps", "ps", "latest start - first start", cell_kind::int64, false, null_rule::never, offsetof(rows::collective_calls, start_gap_ps), 0, 0, nullptr},
    {"order_gap_ps", "ps", "start of who must be waited for - end of who waits; 0 or more is out of order", cell_kind::int64, false, null_rule::never, offsetof(rows::collective_calls, order_gap_ps), 0, 0, nullptr},
    {"bound_ps", "ps", "how far both clocks together can be wrong", cell_kind::int64, false, null_rule::never, offsetof(rows::collective_calls, bound_ps), 0, 0, nullptr},
    {"span_ps", "ps", "first start to last end; -1: clocks are not known well enough", cell_kind::int64, false, null_rule::negative, offsetof(rows::collective_calls, span_ps), 0, 0, nullptr},
    {"moving_ps", "ps", "last start to last end; -1: not known", cell_kind::int64, false, null_rule::negative, offsetof(rows::collective_calls, moving_ps), 0, 0, nullptr},
    {"payload_bytes", "bytes", "what it moves; -1: not known, or members differ", cell_kind::int64, false, null_rule::negative, offsetof(rows::collective_calls, payload_bytes), 0, 0, nullptr},
    {"link_bytes", "bytes", "what each link carries at least: over moving_ps it is the bus bandwidth", cell_kind::int64, false, null_rule::negative, offsetof(rows::collective_calls, link_bytes), 0, 0, nullptr},
    {"latest_node", "", "id of the node that began last; -1 where several did", cell_kind::int64, false, null_rule::negative, offsetof(rows::collective_calls, latest_node), 0, 0, nullptr},
    {"latest_device", "", "local number of the device that came last", cell_kind::int32, false, null_rule::negative, offsetof(rows::collective_calls, latest_device), 0, 0, nullptr},
    {"judged", "", "it is known who waits for whom", cell_kind::flag, false, null_rule::never, offsetof(rows::collective_calls, flags), 0, PK_CALL_JUDGED, nullptr},
    {"violates", "", "out of order beyond the bound of the clocks", cell_kind::flag, false, null_rule::never, offsetof(rows::collective_calls, flags), 0, PK_CALL_VIOLATES, nullptr},
};

const table_description tables[] = {
    {table_kind::files, "files", "A file of the capture.", sizeof(rows::files), sizeof(pk_file_info), 0,
     columns_of_files, std::size(columns_of_files)},
    {table_kind::devices, "devices", "A device in the capture: a device plane of an XSpace, a device of a trace or a table.", sizeof(rows::devices), sizeof(pk_device), 0,
     columns_of_devices, std::size(columns_of_devices)},
    {table_kind::events, "events", "An event that has a place in time.", 0, 0, 0,
     columns_of_events, std::size(columns_of_events)},
    {table_kind::ops, "ops", "Totals of one op on one line.", sizeof(rows::ops), sizeof(pk_op), filter_host | filter_plane | filter_line | filter_name | filter_step | filter_time | filter_limit,
     columns_of_ops, std::size(columns_of_ops)},
    {table_kind::steps, "steps", "A step of a device. busy + prelaunch + internal + tail + not recorded is its length, exactly.", sizeof(rows::steps), sizeof(pk_bubble_step), filter_plane | filter_step | filter_time,
     columns_of_steps, std::size(columns_of_steps)},
    {table_kind::kernels, "kernels", "One execution of a kernel (on TPUs: of an op).", sizeof(rows::kernels), sizeof(pk_kernel_row), filter_plane,
     columns_of_kernels, std::size(columns_of_kernels)},
    {table_kind::gaps, "gaps", "A gap of a device that is long enough to be listed.", sizeof(rows::gaps), sizeof(pk_bubble), filter_plane | filter_step | filter_time,
     columns_of_gaps, std::size(columns_of_gaps)},
    {table_kind::causes, "causes", "Why a device waited in a gap, as far as the capture shows.", sizeof(rows::causes), sizeof(pk_cause), filter_plane | filter_step | filter_time,
     columns_of_causes, std::size(columns_of_causes)},
    {table_kind::collectives, "collectives", "Totals of one communication op on one line.", sizeof(rows::collectives), sizeof(pk_collective), filter_host | filter_plane | filter_line | filter_name | filter_step | filter_time | filter_limit,
     columns_of_collectives, std::size(columns_of_collectives)},
    {table_kind::modules, "modules", "A compiled module.", sizeof(rows::modules), sizeof(pk_module_info), filter_host | filter_name,
     columns_of_modules, std::size(columns_of_modules)},
    {table_kind::allocators, "allocators", "An allocator of a host.", sizeof(rows::allocators), sizeof(pk_memory_allocator), filter_host,
     columns_of_allocators, std::size(columns_of_allocators)},
    {table_kind::live_buffers, "live_buffers", "A buffer that is alive at the peak of the chosen module. Sizes of all add up to the peak.", sizeof(rows::live_buffers), sizeof(pk_live_buffer), 0,
     columns_of_live_buffers, std::size(columns_of_live_buffers)},
    {table_kind::live_curve, "live_curve", "A point of the live curve of the chosen module; of pk_memory_table() only where pk_memory_options::curve_points asked for it.", sizeof(rows::live_curve), sizeof(pk_curve_point), 0,
     columns_of_live_curve, std::size(columns_of_live_curve)},
    {table_kind::probe_launches, "probe_launches", "A launch of a Neutrino trace's log.", sizeof(rows::probe_launches), sizeof(pk_probe_launch), 0,
     columns_of_probe_launches, std::size(columns_of_probe_launches)},
    {table_kind::probe_records, "probe_records", "A record of one map that was written; after these columns one for each field, as the probe describes it.", 0, 0, 0,
     columns_of_probe_records, std::size(columns_of_probe_records)},
    {table_kind::device_time, "device_time", "A part of the time of a device: what it did, and why it waited. The rows of a device that are in steps add up to its steps, the others to the time between its first and last kernel that is in no step.", sizeof(rows::device_time), sizeof(pk_device_time), filter_plane | filter_step | filter_time,
     columns_of_device_time, std::size(columns_of_device_time)},
    {table_kind::facts, "facts", "A fact of the model that ran: what it is, how sure it is, and where it comes from.", sizeof(rows::facts), sizeof(pk_fact), filter_plane,
     columns_of_facts, std::size(columns_of_facts)},
    {table_kind::collective_calls, "collective_calls", "A call of a collective by all members of its process group, over all nodes of the capture.", sizeof(rows::collective_calls), sizeof(pk_collective_call), filter_time,
     columns_of_collective_calls, std::size(columns_of_collective_calls)},
};

}  // namespace

table_list all_tables() noexcept { return {tables, tables + std::size(tables)}; }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
