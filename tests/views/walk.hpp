// Reads everything the views can reach, so that tests and fuzzers know whether a message is intact and that no read
// leaves its buffer. Needs no protobuf.
#pragma once
#include <profkit/hlo.hpp>
#include <profkit/xspace.hpp>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace profkit::test {

class view_walker {
 public:
  /// Shapes and shardings nested deeper than this count as damage.
  explicit view_walker(int deepest = 90) : deepest_(deepest) {}

  /// False when any view or range met damage.
  bool ok() const { return ok_; }
  /// Depends on every value read.
  std::uint64_t digest() const { return digest_; }

  void xspace(const xspace_view& space) {
    check(space.ok());
    each(space.planes(), [this](const plane_view& v) { plane(v); });
    each(space.errors(), [this](std::string_view v) { take(v); });
    each(space.warnings(), [this](std::string_view v) { take(v); });
    each(space.hostnames(), [this](std::string_view v) { take(v); });
  }

  void plane(const plane_view& plane) {
    const plane_header header = plane.header();
    check(header.damage == nullptr);
    check(plane.ok());
    take(header.id);
    take(header.name);
    take(header.line_count + header.event_metadata_count + header.stat_metadata_count + header.stat_count);
    each(plane.lines(), [this](const line_view& v) { line(v); });
    each(plane.event_metadata(), [this](const event_metadata_view& v) {
      check(v.ok());
      take(v.key());
      take(v.id());
      take(v.name());
      take(v.display_name());
      take(v.metadata());
      each(v.stats(), [this](const stat_view& s) { stat(s); });
      each(v.child_ids(), [this](std::int64_t id) { take(id); });
    });
    each(plane.stat_metadata(), [this](const stat_metadata_view& v) {
      check(v.ok());
      take(v.key());
      take(v.id());
      take(v.name());
      take(v.description());
    });
    each(plane.stats(), [this](const stat_view& v) { stat(v); });
  }

  void line(const line_view& line) {
    const line_header header = line.header();
    check(header.damage == nullptr);
    take(header.id);
    take(header.display_id);
    take(header.name);
    take(header.display_name);
    take(header.timestamp_ns);
    take(header.duration_ps);
    take(header.event_count);
    each(line.events(), [this](const event_view& v) {
      check(v.ok());
      take(v.metadata_id());
      take(static_cast<std::uint64_t>(v.data_case()));
      take(v.offset_ps());
      take(v.num_occurrences());
      take(v.duration_ps());
      each(v.stats(), [this](const stat_view& s) { stat(s); });
    });
  }

  void stat(const stat_view& stat) {
    check(stat.ok());
    take(stat.metadata_id());
    take(static_cast<std::uint64_t>(stat.kind()));
    take(stat.as_uint64());
    take(stat.as_bytes());
  }

  void hlo_proto(const hlo_proto_view& proto) {
    check(proto.ok());
    module(proto.hlo_module());
    buffer_assignment(proto.buffer_assignment());
  }

  void module(const hlo_module_view& module) {
    message(module);
    take(module.name());
    take(module.entry_computation_name());
    take(module.id());
    take(module.entry_computation_id());
    take(module.device_type());
    take(std::uint64_t{module.is_dynamic()});
    each(module.computations(), [this](const computation_view& v) { computation(v); });
    program_shape(module.host_program_shape());
    const schedule_view schedule = module.schedule();
    message(schedule);
    each(schedule.sequences(), [this](const schedule_sequence_view& v) {
      message(v);
      take(v.computation_id());
      each(v.instruction_ids(), [this](std::int64_t id) { take(id); });
    });
    const input_output_alias_view alias = module.input_output_alias();
    message(alias);
    each(alias.entries(), [this](const alias_entry_view& v) {
      message(v);
      take(v.parameter_number());
      take(v.kind());
      integers(v.output_shape_index());
      integers(v.parameter_shape_index());
    });
    sharding(module.spmd_output_sharding(), 0);
    each(module.spmd_parameters_shardings(), [this](const sharding_view& v) { sharding(v, 0); });
    const device_assignment_view devices = module.device_assignment();
    message(devices);
    take(devices.replica_count());
    take(devices.computation_count());
    each(devices.computation_devices(), [this](const computation_device_view& v) {
      message(v);
      integers(v.replica_device_ids());
    });
    const stack_frame_index_view frames = module.stack_frame_index();
    message(frames);
    each(frames.file_names(), [this](std::string_view v) { take(v); });
    each(frames.function_names(), [this](std::string_view v) { take(v); });
    each(frames.file_locations(), [this](const file_location_view& v) {
      message(v);
      take(v.file_name_id());
      take(v.function_name_id());
      take(v.line());
      take(v.column());
      take(v.end_line());
      take(v.end_column());
    });
    each(frames.stack_frames(), [this](const stack_frame_view& v) {
      message(v);
      take(v.file_location_id());
      take(v.parent_frame_id());
    });
    attributes(module.frontend_attributes());
    each(module.payloads(), [this](std::string_view v) { take(v); });
  }

  void computation(const computation_view& computation) {
    message(computation);
    take(computation.name());
    take(computation.id());
    take(computation.root_id());
    take(computation.execution_thread());
    take(std::uint64_t{computation.is_fusion_computation()});
    program_shape(computation.program_shape());
    each(computation.instructions(), [this](const instruction_view& v) { instruction(v); });
  }

  void window(const window_view& v) {
    message(v);
    each(v.dimensions(), [this](const window_dimension_view& dimension) {
      message(dimension);
      take(dimension.size());
      take(dimension.stride());
      take(dimension.padding_low());
      take(dimension.padding_high());
      take(dimension.window_dilation());
      take(dimension.base_dilation());
      take(std::uint64_t{dimension.window_reversal()});
    });
  }
  void instruction(const instruction_view& v) {
    message(v);
    take(v.name());
    take(v.opcode());
    take(v.id());
    take(v.parameter_number());
    take(v.fusion_kind());
    take(v.tuple_index());
    take(v.channel_id());
    take(v.custom_call_target());
    take(v.backend_config());
    take(v.async_execution_thread());
    take(std::uint64_t{v.use_global_device_ids()});
    shape(v.shape());
    op_metadata(v.metadata());
    integers(v.dimensions());
    const dot_dimension_numbers_view dot = v.dot_dimension_numbers();
    message(dot);
    integers(dot.lhs_contracting_dimensions());
    integers(dot.rhs_contracting_dimensions());
    integers(dot.lhs_batch_dimensions());
    integers(dot.rhs_batch_dimensions());
    window(v.window());
    const convolution_dimension_numbers_view numbers = v.convolution_dimension_numbers();
    message(numbers);
    take(numbers.kernel_input_feature_dimension());
    take(numbers.kernel_output_feature_dimension());
    integers(numbers.kernel_spatial_dimensions());
    take(numbers.input_batch_dimension());
    take(numbers.input_feature_dimension());
    integers(numbers.input_spatial_dimensions());
    take(numbers.output_batch_dimension());
    take(numbers.output_feature_dimension());
    integers(numbers.output_spatial_dimensions());
    take(v.feature_group_count());
    take(v.batch_group_count());
    integers(v.operand_ids());
    integers(v.control_predecessor_ids());
    integers(v.called_computation_ids());
    sharding(v.sharding(), 0);
    const payload_view payload = v.backend_config_payload();
    message(payload);
    take(static_cast<std::uint64_t>(payload.source()));
    take(payload.value());
    take(payload.id());
    replica_groups(v.replica_groups());
    take(static_cast<std::uint64_t>(v.device_list()));
    const collective_device_list_view list = v.collective_device_list();
    message(list);
    replica_groups(list.replica_groups());
    iota(list.iota());
    iota(v.iota_collective_device_list());
    const mesh_axes_replica_groups_view mesh_axes = v.mesh_axes_replica_group_list();
    message(mesh_axes);
    mesh(mesh_axes.mesh());
    axis_refs(mesh_axes.axes());
    each(v.source_target_pairs(), [this](const source_target_view& pair) {
      message(pair);
      take(pair.source());
      take(pair.target());
    });
    attributes(v.frontend_attributes());
  }

  void buffer_assignment(const buffer_assignment_view& assignment) {
    message(assignment);
    each(assignment.logical_buffers(), [this](const logical_buffer_view& v) {
      message(v);
      take(v.id());
      take(v.size_bytes());
      take(v.color());
      location(v.defined_at());
    });
    each(assignment.buffer_aliases(), [this](const buffer_alias_view& v) {
      message(v);
      take(v.source_buffer_id());
      location(v.location());
    });
    each(assignment.buffer_allocations(), [this](const buffer_allocation_view& v) {
      message(v);
      take(v.index());
      take(v.size_bytes());
      take(v.parameter_number());
      take(v.color());
      take(std::uint64_t{v.is_thread_local()} | std::uint64_t{v.is_tuple()} << 1 |
           std::uint64_t{v.is_entry_computation_parameter()} << 2 | std::uint64_t{v.is_constant()} << 3 |
           std::uint64_t{v.is_parameter_aliased_with_output()} << 4 | std::uint64_t{v.maybe_live_out()} << 5);
      integers(v.parameter_shape_index());
      each(v.assigned(), [this](const assigned_buffer_view& a) {
        message(a);
        take(a.logical_buffer_id());
        take(a.offset_bytes());
        take(a.size_bytes());
      });
    });
    each(assignment.heap_simulator_traces(), [this](const heap_trace_view& v) {
      message(v);
      take(std::uint64_t{v.whole_module_simulation()});
      take(v.buffer_allocation_index());
      each(v.events(), [this](const heap_event_view& e) {
        message(e);
        take(static_cast<std::int64_t>(e.kind()));
        take(e.buffer_id());
        take(e.computation_name());
        take(e.instruction_name());
        take(e.share_with_canonical_id());
      });
    });
  }

 private:
  void check(bool intact) { ok_ = ok_ && intact; }
  void mix(std::uint64_t v) { digest_ = (digest_ ^ v) * 0x100000001b3U; }
  void take(std::uint64_t v) { mix(v); }
  void take(std::int64_t v) { mix(static_cast<std::uint64_t>(v)); }
  void take(std::int32_t v) { mix(static_cast<std::uint64_t>(v)); }
  void take(std::string_view v) {
    mix(v.size());
    for (const char c : v) mix(static_cast<unsigned char>(c));
  }
  template <class Range, class Take>
  void each(const Range& range, Take take_element) {
    auto it = range.begin();
    for (; it != range.end(); ++it) take_element(*it);
    check(it.ok());
  }
  template <class Range>
  void integers(const Range& range) {
    each(range, [this](auto v) { take(static_cast<std::int64_t>(v)); });
  }
  template <unsigned Depth>
  void message(const message_view<Depth>& v) {
    check(v.ok());
    take(std::uint64_t{v.present()});
  }

  void shape(const shape_view& top) {
    const bool complete = visit_shape(
        top,
        [this](const shape_view& v, int) {
          message(v);
          take(v.element_type());
          integers(v.dimensions());
          each(v.is_dynamic_dimension(), [this](bool b) { take(std::uint64_t{b}); });
          check(v.tuple_shapes().ok());
          const layout_view layout = v.layout();
          message(layout);
          integers(layout.minor_to_major());
          each(layout.tiles(), [this](const tile_view& tile) {
            message(tile);
            integers(tile.dimensions());
          });
          take(layout.element_size_in_bits());
          take(layout.memory_space());
          take(layout.dynamic_shape_metadata_prefix_bytes());
          take(layout.tail_padding_alignment_in_elements());
          each(layout.split_configs(), [this](const split_config_view& split) {
            message(split);
            take(split.dimension());
            integers(split.split_indices());
          });
        },
        deepest_);
    check(complete);
  }
  void program_shape(const program_shape_view& v) {
    message(v);
    each(v.parameters(), [this](const shape_view& s) { shape(s); });
    shape(v.result());
    each(v.parameter_names(), [this](std::string_view name) { take(name); });
  }
  void op_metadata(const op_metadata_view& v) {
    message(v);
    take(v.op_type());
    take(v.op_name());
    take(v.source_file());
    take(v.source_line());
    take(v.source_end_line());
    take(v.source_column());
    take(v.source_end_column());
    take(v.size_of_generated_code_in_bytes());
    take(v.size_of_memory_working_set_in_bytes());
    take(v.deduplicated_name());
    take(v.stack_frame_id());
    take(v.scheduling_name());
  }
  void attributes(const frontend_attributes_view& v) {
    message(v);
    each(v.entries(), [this](const frontend_attribute_view& entry) {
      message(entry);
      take(entry.key());
      take(entry.value());
    });
  }
  template <class Range>
  void axis_refs(const Range& range) {
    each(range, [this](const axis_ref_view& v) {
      message(v);
      take(v.mesh_axis_index());
      const sub_axis_view sub = v.sub_axis();
      message(sub);
      take(sub.pre_size());
      take(sub.size());
    });
  }
  void mesh(const mesh_view& v) {
    message(v);
    each(v.axes(), [this](const mesh_axis_view& axis) {
      message(axis);
      take(axis.name());
      take(axis.size());
    });
    integers(v.device_ids());
  }
  void named_sharding(const named_sharding_view& v, int depth) {
    message(v);
    if (depth == deepest_) return check(false);
    each(v.tuple_shardings(), [this, depth](const named_sharding_view& s) { named_sharding(s, depth + 1); });
    mesh(v.mesh());
    each(v.dim_shardings(), [this](const dimension_sharding_view& d) {
      message(d);
      take(std::uint64_t{d.is_closed()});
      axis_refs(d.axes());
    });
    axis_refs(v.replicated_axes());
    axis_refs(v.unreduced_axes());
    each(v.metadata(), [this](const op_metadata_view& m) { op_metadata(m); });
  }
  void sharding(const sharding_view& v, int depth) {
    message(v);
    if (depth == deepest_) return check(false);
    take(static_cast<std::int64_t>(v.type()));
    shape(v.tile_shape());
    integers(v.tile_assignment_dimensions());
    integers(v.tile_assignment_devices());
    each(v.tuple_shardings(), [this, depth](const sharding_view& s) { sharding(s, depth + 1); });
    take(std::uint64_t{v.replicate_on_last_tile_dim()});
    each(v.metadata(), [this](const op_metadata_view& m) { op_metadata(m); });
    integers(v.last_tile_dims());
    integers(v.iota_reshape_dims());
    integers(v.iota_transpose_perm());
    take(std::uint64_t{v.is_shard_group()});
    take(v.shard_group_id());
    take(v.shard_group_type());
    named_sharding(v.named_sharding(), 0);
  }
  template <class Range>
  void replica_groups(const Range& range) {
    each(range, [this](const replica_group_view& v) {
      message(v);
      integers(v.replica_ids());
    });
  }
  void iota(const iota_replica_groups_view& v) {
    message(v);
    take(v.num_replica_groups());
    take(v.num_devices_per_group());
    integers(v.iota_reshape_dims());
    integers(v.iota_transpose_perm());
  }
  void location(const buffer_location_view& v) {
    message(v);
    take(v.instruction_id());
    take(v.instruction_name());
    integers(v.shape_index());
  }

  int deepest_;
  std::uint64_t digest_ = 0xcbf29ce484222325U;
  bool ok_ = true;
};

}  // namespace profkit::test
