// Written by scripts/generate from schema/enums.toml.
#include <profkit/core/activity.hpp>
#include <profkit/core/architecture.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/clock.hpp>
#include <profkit/core/collectives.hpp>
#include <profkit/core/communication.hpp>
#include <profkit/core/explain.hpp>
#include <profkit/core/facts.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/finding.hpp>
#include <profkit/core/memory.hpp>
#include <profkit/core/merge.hpp>
#include <profkit/core/modules.hpp>
#include <profkit/core/op_groups.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/probe_export.hpp>
#include <profkit/core/probe_trace.hpp>
#include <profkit/core/source.hpp>
#include <profkit/core/steps.hpp>
#include <profkit/core/trace_export.hpp>
#include <profkit/core/track.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

const char* kernel_class_name(kernel_class value) noexcept {
  switch (value) {
    case kernel_class::compute: return "compute";
    case kernel_class::aicpu: return "aicpu";
    case kernel_class::comm: return "comm";
    case kernel_class::copy: return "copy";
    case kernel_class::other: return "other";
  }
  return "other";
}

const char* training_phase_name(training_phase value) noexcept {
  switch (value) {
    case training_phase::unknown: return "";
    case training_phase::forward: return "forward";
    case training_phase::backward: return "backward";
    case training_phase::optimizer: return "optimizer";
    case training_phase::recomputation: return "recomputation";
  }
  return "";
}

const char* accelerator_name(accelerator value) noexcept {
  switch (value) {
    case accelerator::other: return "other";
    case accelerator::tpu: return "tpu";
    case accelerator::gpu: return "gpu";
    case accelerator::npu: return "npu";
  }
  return "other";
}

const char* launched_work_name(launched_work value) noexcept {
  switch (value) {
    case launched_work::kernel: return "kernel";
    case launched_work::copy: return "copy";
    case launched_work::graph: return "graph";
  }
  return "kernel";
}

const char* host_span_kind_name(host_span_kind value) noexcept {
  switch (value) {
    case host_span_kind::op: return "op";
    case host_span_kind::runtime: return "runtime";
    case host_span_kind::frame: return "frame";
    case host_span_kind::annotation: return "annotation";
    case host_span_kind::gc: return "gc";
    case host_span_kind::other: return "other";
    case host_span_kind::device_marker: return "device_marker";
  }
  return "other";
}

const char* model_phase_name(model_phase value) noexcept {
  switch (value) {
    case model_phase::prefill: return "prefill";
    case model_phase::decode: return "decode";
    case model_phase::training: return "training";
    case model_phase::undetermined: return "undetermined";
  }
  return "undetermined";
}

const char* layer_kind_name(layer_kind value) noexcept {
  switch (value) {
    case layer_kind::dense: return "Dense";
    case layer_kind::moe_fused: return "MoE+DFC";
    case layer_kind::moe_grouped: return "MoE+GMM";
    case layer_kind::moe_distributed: return "MoE+MDD";
    case layer_kind::moe_other: return "MoE(other)";
  }
  return "MoE(other)";
}

const char* layer_role_name(layer_role value) noexcept {
  switch (value) {
    case layer_role::attention: return "attention";
    case layer_role::projection: return "projection";
    case layer_role::tp_comm: return "tp_comm";
    case layer_role::norm: return "norm";
    case layer_role::dense_ffn: return "dense_ffn";
    case layer_role::moe_routing: return "moe_routing";
    case layer_role::expert_dispatch: return "expert_dispatch";
    case layer_role::ep_comm: return "ep_comm";
    case layer_role::expert_ffn: return "expert_ffn";
    case layer_role::post_ffn_norm: return "post_ffn_norm";
    case layer_role::next_layer_prep: return "next_layer_prep";
    case layer_role::output_head: return "output_head";
    case layer_role::sampling: return "sampling";
    case layer_role::other: return "other";
  }
  return "other";
}

const char* anchor_source_name(anchor_source value) noexcept {
  switch (value) {
    case anchor_source::attention: return "attention";
    case anchor_source::periodic_op: return "periodic_op";
    case anchor_source::communication: return "communication";
    case anchor_source::none: return "none";
  }
  return "none";
}

const char* check_outcome_name(check_outcome value) noexcept {
  switch (value) {
    case check_outcome::pass: return "pass";
    case check_outcome::explained: return "explained";
    case check_outcome::fail: return "fail";
  }
  return "fail";
}

const char* pass_cut_name(pass_cut value) noexcept {
  switch (value) {
    case pass_cut::none: return "none";
    case pass_cut::beginning: return "beginning";
    case pass_cut::end: return "end";
  }
  return "none";
}

const char* threshold_unit_name(threshold_unit value) noexcept {
  switch (value) {
    case threshold_unit::microseconds: return "us";
    case threshold_unit::ratio: return "ratio";
    case threshold_unit::count: return "count";
  }
  return "count";
}

const char* window_policy_name(window_policy value) noexcept {
  switch (value) {
    case window_policy::whole: return "whole";
    case window_policy::marker: return "marker";
    case window_policy::device: return "device";
    case window_policy::guide: return "guide";
  }
  return "whole";
}

const char* confidence_name(confidence value) noexcept {
  switch (value) {
    case confidence::low: return "low";
    case confidence::medium: return "medium";
    case confidence::high: return "high";
  }
  return "low";
}

const char* bubble_scope_name(bubble_scope value) noexcept {
  switch (value) {
    case bubble_scope::global: return "global";
    case bubble_scope::step_internal: return "step_internal";
    case bubble_scope::prelaunch: return "prelaunch";
    case bubble_scope::tail: return "tail";
  }
  return "global";
}

const char* bubble_label_name(bubble_label value) noexcept {
  switch (value) {
    case bubble_label::sync_or_h2d: return "possible_sync_or_h2d";
    case bubble_label::comm_wait: return "possible_comm_wait";
    case bubble_label::untraced_host_blocking: return "possible_untraced_host_blocking";
    case bubble_label::host_launch_lag: return "possible_host_launch_lag";
    case bubble_label::python_serialization_or_lock: return "possible_python_serialization_or_lock";
    case bubble_label::insufficient_evidence: return "insufficient_evidence";
  }
  return "insufficient_evidence";
}

const char* idle_cause_name(idle_cause value) noexcept {
  switch (value) {
    case idle_cause::launch_bound: return "launch_bound";
    case idle_cause::optimizer_loop: return "optimizer_loop";
    case idle_cause::sync_wait: return "sync_wait";
    case idle_cause::sync_drain: return "sync_drain";
    case idle_cause::h2d_pageable: return "h2d_pageable";
    case idle_cause::data_loader: return "data_loader";
    case idle_cause::gc: return "gc";
    case idle_cause::allocation: return "allocation";
    case idle_cause::compile: return "compile";
    case idle_cause::module_load: return "module_load";
    case idle_cause::checkpoint: return "checkpoint";
    case idle_cause::comm_host_wait: return "comm_host_wait";
    case idle_cause::device_dependency: return "device_dependency";
    case idle_cause::lock: return "lock";
    case idle_cause::host_untraced: return "host_untraced";
    case idle_cause::unexplained: return "unexplained";
    case idle_cause::exposed_comm: return "exposed_comm";
    case idle_cause::exposed_copy: return "exposed_copy";
    case idle_cause::graph_launch_late: return "graph_launch_late";
    case idle_cause::straggler_wait: return "straggler_wait";
    case idle_cause::recording: return "recording";
    case idle_cause::host_call: return "host_call";
  }
  return "unexplained";
}

const char* bubble_tag_name(bubble_tag value) noexcept {
  switch (value) {
    case bubble_tag::device_idle_gap_heavy: return "DEVICE_IDLE_GAP_HEAVY";
    case bubble_tag::prelaunch_gap_heavy: return "PRELAUNCH_GAP_HEAVY";
    case bubble_tag::tail_gap_heavy: return "TAIL_GAP_HEAVY";
    case bubble_tag::internal_bubble_heavy: return "INTERNAL_BUBBLE_HEAVY";
    case bubble_tag::recurring_bubble_pattern: return "RECURRING_BUBBLE_PATTERN";
    case bubble_tag::host_originated_risk: return "HOST_ORIGINATED_RISK";
    case bubble_tag::untraced_host_blocking_risk: return "UNTRACED_HOST_BLOCKING_RISK";
    case bubble_tag::comm_sync_risk: return "COMM_SYNC_RISK";
    case bubble_tag::wait_pollution_risk: return "WAIT_POLLUTION_RISK";
    case bubble_tag::wait_anchor_false_hotspot: return "WAIT_ANCHOR_FALSE_HOTSPOT";
    case bubble_tag::aicpu_exposed_risk: return "AICPU_EXPOSED_RISK";
    case bubble_tag::partial_capture_boundary: return "PARTIAL_CAPTURE_BOUNDARY";
    case bubble_tag::variable_shape_same_template: return "VARIABLE_SHAPE_SAME_TEMPLATE";
  }
  return "";
}

const char* host_risk_name(host_risk value) noexcept {
  switch (value) {
    case host_risk::low: return "low";
    case host_risk::medium: return "medium";
    case host_risk::high: return "high";
  }
  return "low";
}

const char* async_form_name(async_row::form value) noexcept {
  switch (value) {
    case async_row::form::pair: return "pair";
    case async_row::form::single: return "single";
    case async_row::form::unmatched_start: return "unmatched_start";
    case async_row::form::unmatched_done: return "unmatched_done";
  }
  return "single";
}

const char* structure_role_name(step_structure::role value) noexcept {
  switch (value) {
    case step_structure::role::head: return "head";
    case step_structure::role::part: return "part";
    case step_structure::role::layer: return "layer";
    case step_structure::role::tail: return "tail";
  }
  return "part";
}

const char* idle_pattern_name(idle_pattern value) noexcept {
  switch (value) {
    case idle_pattern::none: return "none";
    case idle_pattern::prelaunch: return "prelaunch";
    case idle_pattern::internal_bubble: return "internal_bubble";
    case idle_pattern::tail: return "tail";
    case idle_pattern::inter_step: return "inter_step";
    case idle_pattern::mixed: return "mixed";
  }
  return "none";
}

const char* aicpu_verdict_name(aicpu_verdict value) noexcept {
  switch (value) {
    case aicpu_verdict::unknown: return "AICPU_UNKNOWN";
    case aicpu_verdict::masked: return "AICPU_MASKED_BUT_UNDESIRABLE";
    case aicpu_verdict::partly_exposed: return "AICPU_PARTIALLY_EXPOSED";
    case aicpu_verdict::exposed: return "AICPU_EXPOSED_NOT_ALLOWED";
  }
  return "AICPU_UNKNOWN";
}

const char* reach_name(cause_summary::reach value) noexcept {
  switch (value) {
    case cause_summary::reach::global: return "global";
    case cause_summary::reach::group: return "group";
    case cause_summary::reach::step: return "step";
  }
  return "global";
}

const char* time_use_name(time_use value) noexcept {
  switch (value) {
    case time_use::compute: return "compute";
    case time_use::exposed_comm: return "exposed_communication";
    case time_use::exposed_copy: return "exposed_copies";
    case time_use::other_work: return "other_work";
    case time_use::idle: return "idle";
    case time_use::not_recorded: return "not_recorded";
  }
  return "idle";
}

const char* snapshot_source_name(snapshot_source value) noexcept {
  switch (value) {
    case snapshot_source::none: return "none";
    case snapshot_source::file: return "file";
    case snapshot_source::embedded: return "embedded";
  }
  return "none";
}

const char* clock_anomaly_name(clock_anomaly::kind value) noexcept {
  switch (value) {
    case clock_anomaly::kind::tracer_not_rising: return "tracer_not_rising";
    case clock_anomaly::kind::host_step: return "host_step";
    case clock_anomaly::kind::slope: return "slope";
    case clock_anomaly::kind::offset_jump: return "offset_jump";
    case clock_anomaly::kind::duplicate: return "duplicate";
    case clock_anomaly::kind::drift_disagrees: return "drift_disagrees";
  }
  return "host_step";
}

const char* collective_semantics_name(collective_semantics value) noexcept {
  switch (value) {
    case collective_semantics::barrier: return "barrier";
    case collective_semantics::to_one: return "to_one";
    case collective_semantics::from_one: return "from_one";
    case collective_semantics::point_to_point: return "point_to_point";
  }
  return "barrier";
}

const char* collective_share_name(collective_op::share value) noexcept {
  switch (value) {
    case collective_op::share::none: return "none";
    case collective_op::share::arrival: return "arrival";
    case collective_op::share::transfer: return "transfer";
    case collective_op::share::mixed: return "mixed";
    case collective_op::share::inconclusive: return "inconclusive";
  }
  return "none";
}

const char* collective_part_name(collective_part value) noexcept {
  switch (value) {
    case collective_part::both: return "both";
    case collective_part::sends: return "sends";
    case collective_part::receives: return "receives";
  }
  return "both";
}

const char* collective_irregularity_name(collective_irregularity::kind value) noexcept {
  switch (value) {
    case collective_irregularity::kind::missing: return "missing";
    case collective_irregularity::kind::late: return "late";
    case collective_irregularity::kind::stopped: return "stopped";
    case collective_irregularity::kind::size: return "size";
    case collective_irregularity::kind::order: return "order";
    case collective_irregularity::kind::straggler: return "straggler";
  }
  return "missing";
}

const char* unrecorded_place_name(unrecorded_calls::place value) noexcept {
  switch (value) {
    case unrecorded_calls::place::end: return "end";
    case unrecorded_calls::place::begin: return "begin";
    case unrecorded_calls::place::between: return "between";
  }
  return "end";
}

const char* collective_warning_name(collective_warning::kind value) noexcept {
  switch (value) {
    case collective_warning::kind::count_mismatch: return "count_mismatch";
    case collective_warning::kind::unmatched: return "unmatched";
    case collective_warning::kind::one_node: return "one_node";
    case collective_warning::kind::bound_unknown: return "bound_unknown";
    case collective_warning::kind::clocks_uncorrected: return "clocks_uncorrected";
    case collective_warning::kind::suspect_clock: return "suspect_clock";
  }
  return "unmatched";
}

const char* neighbour_position_name(neighbour_position value) noexcept {
  switch (value) {
    case neighbour_position::before: return "before";
    case neighbour_position::during: return "during";
    case neighbour_position::after: return "after";
  }
  return "during";
}

const char* fact_source_name(fact_source value) noexcept {
  switch (value) {
    case fact_source::annotation: return "annotation";
    case fact_source::module: return "module";
    case fact_source::shape: return "shape";
    case fact_source::kernel: return "kernel";
    case fact_source::group: return "group";
    case fact_source::recorder: return "recorder";
    case fact_source::count: return "count";
  }
  return "count";
}

const char* events_checked_name(events_checked value) noexcept {
  switch (value) {
    case events_checked::none: return "none";
    case events_checked::some: return "some";
    case events_checked::all: return "all";
  }
  return "some";
}

const char* certainty_name(certainty value) noexcept {
  switch (value) {
    case certainty::unknown: return "unknown";
    case certainty::possible: return "possible";
    case certainty::likely: return "likely";
    case certainty::proved: return "proved";
  }
  return "unknown";
}

const char* peak_method_name(peak_method value) noexcept {
  switch (value) {
    case peak_method::none: return "none";
    case peak_method::heap_replay: return "heap_replay";
    case peak_method::schedule_sweep: return "schedule_sweep";
    case peak_method::allocation_sizes: return "allocation_sizes";
  }
  return "none";
}

const char* peak_bound_name(peak_bound value) noexcept {
  switch (value) {
    case peak_bound::exact: return "exact";
    case peak_bound::lower: return "lower";
    case peak_bound::upper: return "upper";
  }
  return "exact";
}

const char* residency_name(residency value) noexcept {
  switch (value) {
    case residency::indefinite: return "indefinite";
    case residency::temporary: return "temp";
  }
  return "temp";
}

const char* lifetime_class_name(lifetime_class value) noexcept {
  switch (value) {
    case lifetime_class::persistent: return "persistent";
    case lifetime_class::transient: return "transient";
    case lifetime_class::unknown: return "unknown";
  }
  return "unknown";
}

const char* node_status_name(node_status value) noexcept {
  switch (value) {
    case node_status::corrected: return "corrected";
    case node_status::walltime: return "walltime";
    case node_status::raw: return "raw";
    case node_status::missing: return "missing";
    case node_status::corrupt: return "corrupt";
  }
  return "raw";
}

const char* sibling_state_name(sibling_state value) noexcept {
  switch (value) {
    case sibling_state::none: return "none";
    case sibling_state::same_bytes: return "same_bytes";
    case sibling_state::same_content: return "same_content";
    case sibling_state::differs: return "differs";
  }
  return "none";
}

const char* group_key_name(group_key value) noexcept {
  switch (value) {
    case group_key::kernel: return "kernel";
    case group_key::function: return "function";
    case group_key::instruction: return "instruction";
    case group_key::op: return "op";
    case group_key::outer_op: return "outer-op";
    case group_key::module: return "module";
    case group_key::kind_of_module: return "module-kind";
    case group_key::range: return "range";
    case group_key::source: return "source";
    case group_key::phase: return "phase";
    case group_key::shape: return "shape";
    case group_key::step: return "step";
    case group_key::kind: return "kind";
    case group_key::category: return "category";
    case group_key::program: return "program";
    case group_key::stream: return "stream";
    case group_key::device: return "device";
  }
  return "";
}

const char* ops_clock_name(ops_clock value) noexcept {
  switch (value) {
    case ops_clock::aligned: return "aligned";
    case ops_clock::device: return "device";
    case ops_clock::mixed: return "mixed";
  }
  return "aligned";
}

const char* probe_slice_name(probe_slice value) noexcept {
  switch (value) {
    case probe_slice::summary: return "summary";
    case probe_slice::launches: return "launches";
    case probe_slice::kernels: return "kernels";
    case probe_slice::maps: return "maps";
    case probe_slice::records: return "records";
    case probe_slice::schedule: return "schedule";
    case probe_slice::bytes: return "bytes";
    case probe_slice::density: return "density";
    case probe_slice::progress: return "progress";
    case probe_slice::overhead: return "overhead";
    case probe_slice::log: return "log";
  }
  return "";
}

const char* probe_clock_name(probe_clock value) noexcept {
  switch (value) {
    case probe_clock::unknown: return "unknown";
    case probe_clock::sm_cycles: return "sm_cycles";
    case probe_clock::global_ns: return "global_ns";
  }
  return "unknown";
}

const char* probe_outcome_name(probe_outcome value) noexcept {
  switch (value) {
    case probe_outcome::unfinished: return "unfinished";
    case probe_outcome::ok: return "ok";
    case probe_outcome::failed: return "failed";
    case probe_outcome::cant_save: return "cant-save";
    case probe_outcome::backup: return "backup";
    case probe_outcome::memusage: return "memusage";
    case probe_outcome::benchmark: return "benchmark";
  }
  return "unfinished";
}

const char* probe_callback_name(probe_callback value) noexcept {
  switch (value) {
    case probe_callback::none: return "none";
    case probe_callback::started: return "started";
    case probe_callback::succeeded: return "succeeded";
    case probe_callback::failed: return "failed";
  }
  return "none";
}

const char* probe_kernel_status_name(probe_kernel_status value) noexcept {
  switch (value) {
    case probe_kernel_status::unfinished: return "unfinished";
    case probe_kernel_status::ok: return "ok";
    case probe_kernel_status::cant_find: return "cant-find";
    case probe_kernel_status::cant_mkdir: return "cant-mkdir";
    case probe_kernel_status::cant_open: return "cant-open";
    case probe_kernel_status::cant_fork: return "cant-fork";
    case probe_kernel_status::python_failed: return "python-failed";
  }
  return "unfinished";
}

const char* probe_tool_name(probe_tool value) noexcept {
  switch (value) {
    case probe_tool::none: return "";
    case probe_tool::block_sched: return "block_sched";
    case probe_tool::gmem_bytes: return "gmem_bytes";
    case probe_tool::tensorop: return "tensorop";
    case probe_tool::program_progress: return "program_progress";
    case probe_tool::dmat: return "dmat";
  }
  return "";
}

const char* compression_name(compression value) noexcept {
  switch (value) {
    case compression::none: return "none";
    case compression::gzip: return "gzip";
    case compression::zstd: return "zstd";
  }
  return "none";
}

const char* step_source_name(step_source value) noexcept {
  switch (value) {
    case step_source::steps_line: return "Steps";
    case step_source::xla_modules: return "XLA Modules";
    case step_source::host_step_num: return "step_num";
    case step_source::profiler_step: return "ProfilerStep";
    case step_source::annotation: return "annotation";
    case step_source::device_annotation: return "device annotation";
    case step_source::step_id: return "step id";
    case step_source::launches: return "launches";
  }
  return "step_num";
}

const char* trace_format_name(trace_format value) noexcept {
  switch (value) {
    case trace_format::trace_json: return "trace.json";
    case trace_format::perfetto: return "pftrace";
    case trace_format::xspace: return "xspace";
    case trace_format::csv: return "csv";
  }
  return "";
}

const char* plane_kind_name(plane_kind value) noexcept {
  switch (value) {
    case plane_kind::device: return "device";
    case plane_kind::host: return "host";
    case plane_kind::metadata: return "metadata";
    case plane_kind::custom: return "custom";
    case plane_kind::environment: return "environment";
    case plane_kind::other: return "other";
  }
  return "other";
}

const char* line_kind_name(line_kind value) noexcept {
  switch (value) {
    case line_kind::steps: return "steps";
    case line_kind::modules: return "modules";
    case line_kind::ops: return "ops";
    case line_kind::async: return "async";
    case line_kind::stream: return "stream";
    case line_kind::derived: return "derived";
    case line_kind::counter: return "counter";
    case line_kind::thread: return "thread";
    case line_kind::other: return "other";
  }
  return "other";
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
