#include <map>

#include "compare.hpp"

namespace profkit::test {

namespace pb = oracle::hlo;

namespace {

template <class View, class Message>
void same_presence(comparison& c, const char* what, const View& view, const Message& parent,
                   bool (Message::*has)() const) {
  c.intact(what, view.ok());
  c.equal(what, view.present(), (parent.*has)());
}

void same_layout(comparison& c, const layout_view& view, const pb::LayoutProto& message) {
  c.values("minor_to_major", view.minor_to_major(), message.minor_to_major());
  c.list("tiles", view.tiles(), message.tiles(), [&c](const auto& a, const auto& b) {
    c.intact("tile", a.ok());
    c.values("dimensions", a.dimensions(), b.dimensions());
  });
  c.equal("element_size_in_bits", view.element_size_in_bits(), message.element_size_in_bits());
  c.equal("memory_space", view.memory_space(), message.memory_space());
  c.equal("dynamic_shape_metadata_prefix_bytes", view.dynamic_shape_metadata_prefix_bytes(),
          message.dynamic_shape_metadata_prefix_bytes());
  c.equal("tail_padding_alignment_in_elements", view.tail_padding_alignment_in_elements(),
          message.tail_padding_alignment_in_elements());
  c.list("split_configs", view.split_configs(), message.split_configs(), [&c](const auto& a, const auto& b) {
    c.intact("split", a.ok());
    c.equal("dimension", a.dimension(), b.dimension());
    c.values("split_indices", a.split_indices(), b.split_indices());
  });
}

void same_shape(comparison& c, const shape_view& view, const pb::ShapeProto& message) {
  c.intact("shape", view.ok());
  c.equal("element_type", view.element_type(), message.element_type());
  c.values("dimensions", view.dimensions(), message.dimensions());
  c.values("is_dynamic_dimension", view.is_dynamic_dimension(), message.is_dynamic_dimension());
  c.list("tuple_shapes", view.tuple_shapes(), message.tuple_shapes(),
         [&c](const auto& a, const auto& b) { same_shape(c, a, b); });
  same_presence(c, "layout", view.layout(), message, &pb::ShapeProto::has_layout);
  same_layout(c, view.layout(), message.layout());
}

void same_program_shape(comparison& c, const program_shape_view& view, const pb::ProgramShapeProto& message) {
  c.list("parameters", view.parameters(), message.parameters(),
         [&c](const auto& a, const auto& b) { same_shape(c, a, b); });
  same_presence(c, "result", view.result(), message, &pb::ProgramShapeProto::has_result);
  same_shape(c, view.result(), message.result());
  c.values("parameter_names", view.parameter_names(), message.parameter_names());
}

void same_op_metadata(comparison& c, const op_metadata_view& view, const pb::OpMetadata& message) {
  c.intact("metadata", view.ok());
  c.equal("op_type", view.op_type(), message.op_type());
  c.equal("op_name", view.op_name(), message.op_name());
  c.equal("source_file", view.source_file(), message.source_file());
  c.equal("source_line", view.source_line(), message.source_line());
  c.equal("source_end_line", view.source_end_line(), message.source_end_line());
  c.equal("source_column", view.source_column(), message.source_column());
  c.equal("source_end_column", view.source_end_column(), message.source_end_column());
  c.equal("size_of_generated_code_in_bytes", view.size_of_generated_code_in_bytes(),
          message.size_of_generated_code_in_bytes());
  c.equal("size_of_memory_working_set_in_bytes", view.size_of_memory_working_set_in_bytes(),
          message.size_of_memory_working_set_in_bytes());
  c.equal("deduplicated_name", view.deduplicated_name(), message.deduplicated_name());
  c.equal("stack_frame_id", view.stack_frame_id(), message.stack_frame_id());
  c.equal("scheduling_name", view.scheduling_name(), message.scheduling_name());
}

void same_attributes(comparison& c, const frontend_attributes_view& view, const pb::FrontendAttributes& message) {
  std::map<std::string, std::string> last;
  const auto entries = view.entries();
  auto it = entries.begin();
  for (; it != entries.end(); ++it) {
    c.intact("attribute", (*it).ok());
    last[std::string((*it).key())] = (*it).value();
  }
  c.intact("attributes", it.ok());
  c.equal("attributes", last.size(), static_cast<std::size_t>(message.map().size()));
  for (const auto& [key, value] : message.map()) {
    c.equal("attribute", last[key], value);
    std::string_view found;
    c.equal("found", view.find_linear(key, found), true);
    c.equal("found value", found, value);
  }
}

void same_mesh(comparison& c, const mesh_view& view, const pb::MeshProto& message) {
  c.list("axes", view.axes(), message.axes(), [&c](const auto& a, const auto& b) {
    c.intact("axis", a.ok());
    c.equal("name", a.name(), b.name());
    c.intact("window dimension", a.ok());
    c.equal("size", a.size(), b.size());
  });
  c.values("device_ids", view.device_ids(), message.device_ids());
}

template <class Range, class Repeated>
void same_axis_refs(comparison& c, const char* what, const Range& range, const Repeated& repeated) {
  c.list(what, range, repeated, [&c](const axis_ref_view& a, const pb::AxisRefProto& b) {
    c.intact("axis ref", a.ok());
    c.equal("mesh_axis_index", a.mesh_axis_index(), b.mesh_axis_index());
    const sub_axis_view sub = a.sub_axis();
    same_presence(c, "sub_axis_info", sub, b, &pb::AxisRefProto::has_sub_axis_info);
    c.equal("pre_size", sub.pre_size(), b.sub_axis_info().pre_size());
    c.equal("size", sub.size(), b.sub_axis_info().size());
  });
}

void same_named_sharding(comparison& c, const named_sharding_view& view, const pb::NamedShardingProto& message) {
  c.intact("named_sharding", view.ok());
  c.list("tuple_shardings", view.tuple_shardings(), message.tuple_shardings(),
         [&c](const auto& a, const auto& b) { same_named_sharding(c, a, b); });
  same_presence(c, "mesh", view.mesh(), message, &pb::NamedShardingProto::has_mesh);
  same_mesh(c, view.mesh(), message.mesh());
  c.list("dim_shardings", view.dim_shardings(), message.dim_shardings(), [&c](const auto& a, const auto& b) {
    c.intact("dim_sharding", a.ok());
    same_axis_refs(c, "axes", a.axes(), b.axes());
    c.equal("is_closed", a.is_closed(), b.is_closed());
  });
  same_axis_refs(c, "replicated_axes", view.replicated_axes(), message.replicated_axes());
  same_axis_refs(c, "unreduced_axes", view.unreduced_axes(), message.unreduced_axes());
  c.list("metadata", view.metadata(), message.metadata(),
         [&c](const auto& a, const auto& b) { same_op_metadata(c, a, b); });
}

void same_sharding(comparison& c, const sharding_view& view, const pb::OpSharding& message) {
  c.intact("sharding", view.ok());
  c.equal("type", static_cast<std::int32_t>(view.type()), message.type());
  same_presence(c, "tile_shape", view.tile_shape(), message, &pb::OpSharding::has_tile_shape);
  same_shape(c, view.tile_shape(), message.tile_shape());
  c.values("tile_assignment_dimensions", view.tile_assignment_dimensions(), message.tile_assignment_dimensions());
  c.values("tile_assignment_devices", view.tile_assignment_devices(), message.tile_assignment_devices());
  c.list("tuple_shardings", view.tuple_shardings(), message.tuple_shardings(),
         [&c](const auto& a, const auto& b) { same_sharding(c, a, b); });
  c.equal("replicate_on_last_tile_dim", view.replicate_on_last_tile_dim(), message.replicate_on_last_tile_dim());
  c.list("metadata", view.metadata(), message.metadata(),
         [&c](const auto& a, const auto& b) { same_op_metadata(c, a, b); });
  c.values("last_tile_dims", view.last_tile_dims(), message.last_tile_dims());
  c.values("iota_reshape_dims", view.iota_reshape_dims(), message.iota_reshape_dims());
  c.values("iota_transpose_perm", view.iota_transpose_perm(), message.iota_transpose_perm());
  c.equal("is_shard_group", view.is_shard_group(), message.is_shard_group());
  c.equal("shard_group_id", view.shard_group_id(), message.shard_group_id());
  c.equal("shard_group_type", view.shard_group_type(), message.shard_group_type());
  same_presence(c, "named_sharding", view.named_sharding(), message, &pb::OpSharding::has_named_sharding);
  same_named_sharding(c, view.named_sharding(), message.named_sharding());
}

template <class Range, class Repeated>
void same_replica_groups(comparison& c, const Range& range, const Repeated& repeated) {
  c.list("replica_groups", range, repeated, [&c](const auto& a, const auto& b) {
    c.intact("replica_group", a.ok());
    c.values("replica_ids", a.replica_ids(), b.replica_ids());
  });
}

void same_iota(comparison& c, const iota_replica_groups_view& view, const pb::IotaReplicaGroupListProto& message) {
  c.intact("iota", view.ok());
  c.equal("num_replica_groups", view.num_replica_groups(), message.num_replica_groups());
  c.equal("num_devices_per_group", view.num_devices_per_group(), message.num_devices_per_group());
  c.values("iota_reshape_dims", view.iota_reshape_dims(), message.iota_reshape_dims());
  c.values("iota_transpose_perm", view.iota_transpose_perm(), message.iota_transpose_perm());
}

void same_window(comparison& c, const instruction_view& view, const pb::HloInstructionProto& message) {
  const window_view window = view.window();
  same_presence(c, "window", window, message, &pb::HloInstructionProto::has_window);
  c.list("window dimensions", window.dimensions(), message.window().dimensions(), [&c](const auto& a, const auto& b) {
    c.intact("window dimension", a.ok());
    c.equal("size", a.size(), b.size());
    c.equal("stride", a.stride(), b.stride());
    c.equal("padding_low", a.padding_low(), b.padding_low());
    c.equal("padding_high", a.padding_high(), b.padding_high());
    c.equal("window_dilation", a.window_dilation(), b.window_dilation());
    c.equal("base_dilation", a.base_dilation(), b.base_dilation());
    c.equal("window_reversal", a.window_reversal(), b.window_reversal());
  });
  const convolution_dimension_numbers_view convolution = view.convolution_dimension_numbers();
  same_presence(c, "convolution_dimension_numbers", convolution, message, &pb::HloInstructionProto::has_convolution_dimension_numbers);
  const auto& numbers = message.convolution_dimension_numbers();
  c.equal("kernel_input_feature", convolution.kernel_input_feature_dimension(), numbers.kernel_input_feature_dimension());
  c.equal("kernel_output_feature", convolution.kernel_output_feature_dimension(), numbers.kernel_output_feature_dimension());
  c.values("kernel_spatial", convolution.kernel_spatial_dimensions(), numbers.kernel_spatial_dimensions());
  c.equal("input_batch", convolution.input_batch_dimension(), numbers.input_batch_dimension());
  c.equal("input_feature", convolution.input_feature_dimension(), numbers.input_feature_dimension());
  c.values("input_spatial", convolution.input_spatial_dimensions(), numbers.input_spatial_dimensions());
  c.equal("output_batch", convolution.output_batch_dimension(), numbers.output_batch_dimension());
  c.equal("output_feature", convolution.output_feature_dimension(), numbers.output_feature_dimension());
  c.values("output_spatial", convolution.output_spatial_dimensions(), numbers.output_spatial_dimensions());
}

void same_instruction(comparison& c, const instruction_view& view, const pb::HloInstructionProto& message) {
  using instruction = pb::HloInstructionProto;
  c.intact("instruction", view.ok());
  c.equal("name", view.name(), message.name());
  c.equal("opcode", view.opcode(), message.opcode());
  c.equal("id", view.id(), message.id());
  same_presence(c, "shape", view.shape(), message, &instruction::has_shape);
  same_shape(c, view.shape(), message.shape());
  same_presence(c, "metadata", view.metadata(), message, &instruction::has_metadata);
  same_op_metadata(c, view.metadata(), message.metadata());
  c.equal("parameter_number", view.parameter_number(), message.parameter_number());
  c.equal("fusion_kind", view.fusion_kind(), message.fusion_kind());
  c.equal("tuple_index", view.tuple_index(), message.tuple_index());
  c.values("dimensions", view.dimensions(), message.dimensions());
  c.equal("channel_id", view.channel_id(), message.channel_id());
  c.equal("custom_call_target", view.custom_call_target(), message.custom_call_target());
  const dot_dimension_numbers_view dot = view.dot_dimension_numbers();
  same_presence(c, "dot_dimension_numbers", dot, message, &instruction::has_dot_dimension_numbers);
  const auto& dot_message = message.dot_dimension_numbers();
  c.values("lhs_contracting", dot.lhs_contracting_dimensions(), dot_message.lhs_contracting_dimensions());
  c.values("rhs_contracting", dot.rhs_contracting_dimensions(), dot_message.rhs_contracting_dimensions());
  c.values("lhs_batch", dot.lhs_batch_dimensions(), dot_message.lhs_batch_dimensions());
  c.values("rhs_batch", dot.rhs_batch_dimensions(), dot_message.rhs_batch_dimensions());
  same_window(c, view, message);
  c.equal("feature_group_count", view.feature_group_count(), message.feature_group_count());
  c.equal("batch_group_count", view.batch_group_count(), message.batch_group_count());
  c.values("operand_ids", view.operand_ids(), message.operand_ids());
  c.values("control_predecessor_ids", view.control_predecessor_ids(), message.control_predecessor_ids());
  c.values("called_computation_ids", view.called_computation_ids(), message.called_computation_ids());
  same_presence(c, "sharding", view.sharding(), message, &instruction::has_sharding);
  same_sharding(c, view.sharding(), message.sharding());
  c.equal("backend_config", view.backend_config(), message.backend_config());
  const payload_view payload = view.backend_config_payload();
  same_presence(c, "backend_config_payload", payload, message, &instruction::has_backend_config_payload);
  c.equal("payload source", static_cast<int>(payload.source()),
          static_cast<int>(message.backend_config_payload().payload_source_case()));
  c.equal("payload value", payload.value(), message.backend_config_payload().value());
  c.equal("payload id", payload.id(), message.backend_config_payload().id());
  same_replica_groups(c, view.replica_groups(), message.replica_groups());
  c.equal("device list", static_cast<int>(view.device_list()), static_cast<int>(message.replica_group_list_case()));
  c.enter("collective_device_list");
  const collective_device_list_view list = view.collective_device_list();
  same_presence(c, "present", list, message, &instruction::has_collective_device_list);
  same_replica_groups(c, list.replica_groups(), message.collective_device_list().replica_groups());
  same_presence(c, "iota", list.iota(), message.collective_device_list(),
                &pb::CollectiveDeviceListProto::has_iota_replica_group_list);
  same_iota(c, list.iota(), message.collective_device_list().iota_replica_group_list());
  c.leave();
  c.enter("iota_collective_device_list");
  same_presence(c, "present", view.iota_collective_device_list(), message,
                &instruction::has_iota_collective_device_list);
  same_iota(c, view.iota_collective_device_list(), message.iota_collective_device_list());
  c.leave();
  c.enter("mesh_axes_replica_group_list");
  const mesh_axes_replica_groups_view mesh_axes = view.mesh_axes_replica_group_list();
  same_presence(c, "present", mesh_axes, message, &instruction::has_mesh_axes_replica_group_list);
  same_mesh(c, mesh_axes.mesh(), message.mesh_axes_replica_group_list().mesh());
  same_axis_refs(c, "axes", mesh_axes.axes(), message.mesh_axes_replica_group_list().axes());
  c.leave();
  c.list("source_target_pairs", view.source_target_pairs(), message.source_target_pairs(),
         [&c](const auto& a, const auto& b) {
           c.intact("pair", a.ok());
           c.equal("source", a.source(), b.source());
           c.equal("target", a.target(), b.target());
         });
  same_presence(c, "frontend_attributes", view.frontend_attributes(), message, &instruction::has_frontend_attributes);
  same_attributes(c, view.frontend_attributes(), message.frontend_attributes());
  c.equal("use_global_device_ids", view.use_global_device_ids(), message.use_global_device_ids());
  c.equal("async_execution_thread", view.async_execution_thread(), message.async_execution_thread());
}

void same_computation(comparison& c, const computation_view& view, const pb::HloComputationProto& message) {
  c.intact("computation", view.ok());
  c.equal("name", view.name(), message.name());
  c.list("instructions", view.instructions(), message.instructions(),
         [&c](const auto& a, const auto& b) { same_instruction(c, a, b); });
  same_presence(c, "program_shape", view.program_shape(), message, &pb::HloComputationProto::has_program_shape);
  same_program_shape(c, view.program_shape(), message.program_shape());
  c.equal("id", view.id(), message.id());
  c.equal("root_id", view.root_id(), message.root_id());
  c.equal("is_fusion_computation", view.is_fusion_computation(), message.is_fusion_computation());
  c.equal("execution_thread", view.execution_thread(), message.execution_thread());
}

void same_schedule(comparison& c, const schedule_view& view, const pb::HloScheduleProto& message) {
  std::map<std::int64_t, schedule_sequence_view> last;
  const auto sequences = view.sequences();
  auto it = sequences.begin();
  for (; it != sequences.end(); ++it) {
    c.intact("sequence", (*it).ok());
    last[(*it).computation_id()] = *it;
  }
  c.intact("sequences", it.ok());
  c.equal("sequences", last.size(), static_cast<std::size_t>(message.sequences().size()));
  for (const auto& [key, sequence] : message.sequences()) {
    c.values("instruction_ids", last[key].instruction_ids(), sequence.instruction_ids());
    c.equal("found", view.find_linear(key).message().first().data() == last[key].message().first().data(), true);
  }
  c.equal("not found", view.find_linear(0x5eed5eed).present(), message.sequences().count(0x5eed5eed) != 0);
}

void same_frames(comparison& c, const stack_frame_index_view& view, const pb::StackFrameIndexProto& message) {
  c.values("file_names", view.file_names(), message.file_names());
  c.values("function_names", view.function_names(), message.function_names());
  c.list("file_locations", view.file_locations(), message.file_locations(), [&c](const auto& a, const auto& b) {
    c.intact("file_location", a.ok());
    c.equal("file_name_id", a.file_name_id(), b.file_name_id());
    c.equal("function_name_id", a.function_name_id(), b.function_name_id());
    c.equal("line", a.line(), b.line());
    c.equal("column", a.column(), b.column());
    c.equal("end_line", a.end_line(), b.end_line());
    c.equal("end_column", a.end_column(), b.end_column());
  });
  c.list("stack_frames", view.stack_frames(), message.stack_frames(), [&c](const auto& a, const auto& b) {
    c.intact("stack_frame", a.ok());
    c.equal("file_location_id", a.file_location_id(), b.file_location_id());
    c.equal("parent_frame_id", a.parent_frame_id(), b.parent_frame_id());
  });
}

void same_module(comparison& c, const hlo_module_view& view, const pb::HloModuleProto& message) {
  using module = pb::HloModuleProto;
  c.equal("name", view.name(), message.name());
  c.equal("entry_computation_name", view.entry_computation_name(), message.entry_computation_name());
  c.list("computations", view.computations(), message.computations(),
         [&c](const auto& a, const auto& b) { same_computation(c, a, b); });
  same_presence(c, "host_program_shape", view.host_program_shape(), message, &module::has_host_program_shape);
  same_program_shape(c, view.host_program_shape(), message.host_program_shape());
  c.equal("id", view.id(), message.id());
  c.equal("entry_computation_id", view.entry_computation_id(), message.entry_computation_id());
  same_presence(c, "schedule", view.schedule(), message, &module::has_schedule);
  same_schedule(c, view.schedule(), message.schedule());
  same_presence(c, "input_output_alias", view.input_output_alias(), message, &module::has_input_output_alias);
  c.list("aliases", view.input_output_alias().entries(), message.input_output_alias().entries(),
         [&c](const auto& a, const auto& b) {
           c.intact("alias", a.ok());
           c.values("output_shape_index", a.output_shape_index(), b.output_shape_index());
           c.equal("parameter_number", a.parameter_number(), b.parameter_number());
           c.values("parameter_shape_index", a.parameter_shape_index(), b.parameter_shape_index());
           c.equal("kind", a.kind(), b.kind());
         });
  c.equal("is_dynamic", view.is_dynamic(), message.is_dynamic());
  same_presence(c, "spmd_output_sharding", view.spmd_output_sharding(), message, &module::has_spmd_output_sharding);
  same_sharding(c, view.spmd_output_sharding(), message.spmd_output_sharding());
  c.list("spmd_parameters_shardings", view.spmd_parameters_shardings(), message.spmd_parameters_shardings(),
         [&c](const auto& a, const auto& b) { same_sharding(c, a, b); });
  const device_assignment_view devices = view.device_assignment();
  same_presence(c, "device_assignment", devices, message, &module::has_device_assignment);
  c.equal("replica_count", devices.replica_count(), message.device_assignment().replica_count());
  c.equal("computation_count", devices.computation_count(), message.device_assignment().computation_count());
  c.list("computation_devices", devices.computation_devices(), message.device_assignment().computation_devices(),
         [&c](const auto& a, const auto& b) {
           c.intact("computation_device", a.ok());
           c.values("replica_device_ids", a.replica_device_ids(), b.replica_device_ids());
         });
  same_presence(c, "stack_frame_index", view.stack_frame_index(), message, &module::has_stack_frame_index);
  same_frames(c, view.stack_frame_index(), message.stack_frame_index());
  same_presence(c, "frontend_attributes", view.frontend_attributes(), message, &module::has_frontend_attributes);
  same_attributes(c, view.frontend_attributes(), message.frontend_attributes());
  c.equal("device_type", view.device_type(), message.device_type());
  c.values("payloads", view.payloads(), message.payloads());
}

void same_location(comparison& c, const buffer_location_view& view, const pb::LogicalBufferProto::Location& message) {
  c.equal("instruction_id", view.instruction_id(), message.instruction_id());
  c.equal("instruction_name", view.instruction_name(), message.instruction_name());
  c.values("shape_index", view.shape_index(), message.shape_index());
}

void same_allocation(comparison& c, const buffer_allocation_view& view, const pb::BufferAllocationProto& message) {
  c.intact("allocation", view.ok());
  c.equal("index", view.index(), message.index());
  c.equal("size", view.size_bytes(), message.size());
  c.equal("is_thread_local", view.is_thread_local(), message.is_thread_local());
  c.equal("is_tuple", view.is_tuple(), message.is_tuple());
  c.equal("is_entry_computation_parameter", view.is_entry_computation_parameter(),
          message.is_entry_computation_parameter());
  c.equal("is_constant", view.is_constant(), message.is_constant());
  c.equal("parameter_number", view.parameter_number(), message.parameter_number());
  c.values("parameter_shape_index", view.parameter_shape_index(), message.parameter_shape_index());
  c.equal("is_parameter_aliased_with_output", view.is_parameter_aliased_with_output(),
          message.is_parameter_aliased_with_output());
  c.equal("maybe_live_out", view.maybe_live_out(), message.maybe_live_out());
  c.equal("color", view.color(), message.color());
  c.list("assigned", view.assigned(), message.assigned(), [&c](const auto& a, const auto& b) {
    c.intact("assigned", a.ok());
    c.equal("logical_buffer_id", a.logical_buffer_id(), b.logical_buffer_id());
    c.equal("offset", a.offset_bytes(), b.offset());
    c.equal("size", a.size_bytes(), b.size());
  });
}

void same_buffer_assignment(comparison& c, const buffer_assignment_view& view,
                            const pb::BufferAssignmentProto& message) {
  c.list("logical_buffers", view.logical_buffers(), message.logical_buffers(), [&c](const auto& a, const auto& b) {
    c.intact("logical_buffer", a.ok());
    c.equal("id", a.id(), b.id());
    c.equal("size", a.size_bytes(), b.size());
    c.equal("color", a.color(), b.color());
    same_presence(c, "defined_at", a.defined_at(), b, &pb::LogicalBufferProto::has_defined_at);
    same_location(c, a.defined_at(), b.defined_at());
  });
  c.list("buffer_aliases", view.buffer_aliases(), message.buffer_aliases(), [&c](const auto& a, const auto& b) {
    c.intact("buffer_alias", a.ok());
    c.equal("source_buffer_id", a.source_buffer_id(), b.source_buffer_id());
    same_presence(c, "location", a.location(), b, &pb::BufferAssignmentProto::BufferAlias::has_location);
    same_location(c, a.location(), b.location());
  });
  c.list("buffer_allocations", view.buffer_allocations(), message.buffer_allocations(),
         [&c](const auto& a, const auto& b) { same_allocation(c, a, b); });
  c.list("heap_simulator_traces", view.heap_simulator_traces(), message.heap_simulator_traces(),
         [&c](const auto& a, const auto& b) {
           c.intact("heap_trace", a.ok());
           c.equal("whole_module_simulation", a.whole_module_simulation(), b.whole_module_simulation());
           c.equal("buffer_allocation_index", a.buffer_allocation_index(), b.buffer_allocation_index());
           c.list("events", a.events(), b.events(), [&c](const auto& e, const auto& f) {
             c.intact("heap_event", e.ok());
             c.equal("kind", static_cast<std::int32_t>(e.kind()), f.kind());
             c.equal("buffer_id", e.buffer_id(), f.buffer_id());
             c.equal("computation_name", e.computation_name(), f.computation_name());
             c.equal("instruction_name", e.instruction_name(), f.instruction_name());
             c.equal("share_with_canonical_id", e.share_with_canonical_id(), f.share_with_canonical_id());
           });
         });
}

}  // namespace

void compare(comparison& c, const hlo_proto_view& view, const pb::HloProto& message) {
  c.intact("proto", view.ok());
  c.enter("hlo_module");
  same_presence(c, "present", view.hlo_module(), message, &pb::HloProto::has_hlo_module);
  same_module(c, view.hlo_module(), message.hlo_module());
  c.leave();
  c.enter("buffer_assignment");
  same_presence(c, "present", view.buffer_assignment(), message, &pb::HloProto::has_buffer_assignment);
  same_buffer_assignment(c, view.buffer_assignment(), message.buffer_assignment());
  c.leave();
}

}  // namespace profkit::test
