// Views over a serialized HloProto: what XLA compiled (*.hlo_proto.pb, *.hlo.pb, and the blobs inside an XSpace).
//
// Field numbers: hlo.proto (xla/service) and xla_data.proto (xla) of openxla/xla; 21, 22, 92, 93 and 99 appeared in
// 2025 and 2026 (libtpu 0.0.40, jaxlib 0.10). What is not listed is not read; a wire_reader over bytes reaches it.
//
//   HloProto          1 hlo_module  3 buffer_assignment
//   HloModule         1 name  2 entry_computation_name  3 computations  4 host_program_shape  5 id
//                     6 entry_computation_id  7 schedule  8 input_output_alias  11 is_dynamic
//                     12 spmd_output_sharding  14 spmd_parameters_shardings  15 device_assignment
//                     17 stack_frame_index  19 frontend_attributes  21 device_type  22 payloads
//   HloComputation    1 name  2 instructions  4 program_shape  5 id  6 root_id  7 is_fusion_computation
//                     8 execution_thread
//   HloInstruction    1 name  2 opcode  3 shape  7 metadata  9 parameter_number  11 fusion_kind  13 tuple_index
//                     14 dimensions  26 channel_id  28 custom_call_target  30 dot_dimension_numbers  35 id
//                     36 operand_ids  37 control_predecessor_ids  38 called_computation_ids  40 sharding
//                     43 backend_config  49 replica_groups  52 source_target_pairs  68 frontend_attributes
//                     71 use_global_device_ids  79 async_execution_thread
//                     87 collective_device_list | 92 iota_collective_device_list | 93 mesh_axes_replica_group_list
//                     99 backend_config_payload
//   Shape             2 element_type  3 dimensions  4 tuple_shapes  5 layout  6 is_dynamic_dimension
//   Layout            1 minor_to_major  6 tiles  7 element_size_in_bits  8 memory_space
//                     15 dynamic_shape_metadata_prefix_bytes  16 tail_padding_alignment_in_elements  17 split_configs
//   OpMetadata        1 op_type  2 op_name  3 source_file  4 source_line  8 size_of_generated_code_in_bytes
//                     9 size_of_memory_working_set_in_bytes  12 deduplicated_name  15 stack_frame_id
//                     16 scheduling_name  17 source_end_line  18 source_column  19 source_end_column
//   OpSharding        1 type  2 tile_shape  3 tile_assignment_dimensions  4 tile_assignment_devices
//                     5 tuple_shardings  6 replicate_on_last_tile_dim  7 metadata  8 last_tile_dims
//                     9 iota_reshape_dims  10 iota_transpose_perm  11 is_shard_group  12 shard_group_id
//                     13 shard_group_type  14 named_sharding
//   StackFrameIndex   1 file_names  2 function_names  3 file_locations  4 stack_frames (locations: 5 end_line and
//                     6 end_column are in files of jaxlib 0.10)
//   BufferAssignment  1 logical_buffers  2 buffer_aliases  3 buffer_allocations  4 heap_simulator_traces
//
// A view reads its own scalars once, when it is made; ranges and sub-messages are read when asked for. present() is
// false for a sub-message that does not occur; it then reads like an empty one. ok() is false when the view's own
// fields are damaged; ranges and sub-messages have an ok() of their own.
#pragma once

#include <profkit/wire.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// What all views of HLO messages have in common. Depth: see basic_message_bytes.
template <unsigned Depth>
class message_view {
 public:
  constexpr message_view() noexcept = default;
  constexpr explicit message_view(const basic_message_bytes<Depth>& message) noexcept : message_(message) {}

  constexpr const basic_message_bytes<Depth>& message() const noexcept { return message_; }
  constexpr bool present() const noexcept { return message_.present(); }
  constexpr bool ok() const noexcept { return damage_ == nullptr; }
  /// Null, or where the first damaged field starts.
  constexpr const char* damage() const noexcept { return damage_; }

 protected:
  /// Gives every field to `take`.
  template <class Take>
  constexpr void read(Take take) noexcept {
    message_reader<Depth> reader(message_);
    for (wire_field f; reader.next(f);) take(f);
    if (!reader.ok()) damage_ = reader.position();
  }

 private:
  basic_message_bytes<Depth> message_;
  const char* damage_ = nullptr;
};

namespace detail {

constexpr std::int64_t to_int64(const wire_field& f) noexcept { return static_cast<std::int64_t>(f.value); }
constexpr std::int32_t to_int32(const wire_field& f) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(f.value));
}
constexpr bool to_bool(const wire_field& f) noexcept { return f.value != 0; }

}  // namespace detail

// ---- shapes ----

/// A tile of a tiled layout, from major to minor.
class tile_view : public message_view<0> {
 public:
  constexpr tile_view() noexcept = default;
  constexpr explicit tile_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([](const wire_field&) {});
  }
  constexpr int_range<1> dimensions() const noexcept { return int_range<1>(message()); }
};

/// How a dimension is split between memories.
class split_config_view : public message_view<0> {
 public:
  constexpr split_config_view() noexcept = default;
  constexpr explicit split_config_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) dimension_ = detail::to_int64(f);
    });
  }
  constexpr std::int64_t dimension() const noexcept { return dimension_; }
  constexpr int_range<2> split_indices() const noexcept { return int_range<2>(message()); }

 private:
  std::int64_t dimension_ = 0;
};

/// Where and how an array lies in memory.
class layout_view : public message_view<4> {
 public:
  constexpr layout_view() noexcept = default;
  constexpr explicit layout_view(const basic_message_bytes<4>& message) noexcept : message_view<4>(message) {
    read([this](const wire_field& f) {
      if (f.type != wire_type::varint) return;
      switch (f.number) {
        case 7: element_size_in_bits_ = detail::to_int64(f); break;
        case 8: memory_space_ = detail::to_int64(f); break;
        case 15: dynamic_shape_metadata_prefix_bytes_ = detail::to_int64(f); break;
        case 16: tail_padding_alignment_in_elements_ = detail::to_int64(f); break;
        default: break;
      }
    });
  }
  /// Dimension numbers, the fastest-varying first.
  constexpr int_range<1, 4> minor_to_major() const noexcept { return int_range<1, 4>(message()); }
  constexpr message_range<tile_view, 6, 4> tiles() const noexcept { return message_range<tile_view, 6, 4>(message()); }
  constexpr std::int64_t element_size_in_bits() const noexcept { return element_size_in_bits_; }
  /// The backend's number of the memory (the `color` of buffers); 0 is the default one.
  constexpr std::int64_t memory_space() const noexcept { return memory_space_; }
  constexpr std::int64_t dynamic_shape_metadata_prefix_bytes() const noexcept {
    return dynamic_shape_metadata_prefix_bytes_;
  }
  constexpr std::int64_t tail_padding_alignment_in_elements() const noexcept {
    return tail_padding_alignment_in_elements_;
  }
  constexpr message_range<split_config_view, 17, 4> split_configs() const noexcept {
    return message_range<split_config_view, 17, 4>(message());
  }

 private:
  std::int64_t element_size_in_bits_ = 0;
  std::int64_t memory_space_ = 0;
  std::int64_t dynamic_shape_metadata_prefix_bytes_ = 0;
  std::int64_t tail_padding_alignment_in_elements_ = 0;
};

/// Type and extents of an array, or a tuple of shapes. Tuples nest as deep as the input says: walk them with
/// visit_shape or with a bound of your own, never by unbounded recursion.
class shape_view : public message_view<3> {
 public:
  constexpr shape_view() noexcept = default;
  constexpr explicit shape_view(const basic_message_bytes<3>& message) noexcept : message_view<3>(message) {
    read([this](const wire_field& f) {
      if (f.is_varint(2)) element_type_ = detail::to_int32(f);
    });
  }
  /// xla.PrimitiveType; 13 is a tuple.
  constexpr std::int32_t element_type() const noexcept { return element_type_; }
  /// Number of elements in each dimension; an upper bound where the dimension is dynamic.
  constexpr int_range<3, 3> dimensions() const noexcept { return int_range<3, 3>(message()); }
  constexpr int_range<6, 3, bool> is_dynamic_dimension() const noexcept { return int_range<6, 3, bool>(message()); }
  constexpr message_range<shape_view, 4, 3> tuple_shapes() const noexcept {
    return message_range<shape_view, 4, 3>(message());
  }
  constexpr layout_view layout() const noexcept { return layout_view(message().child(5)); }

 private:
  std::int32_t element_type_ = 0;
};

/// Gives a shape and, for tuples, the shapes in it to `visit(const shape_view &, int depth)`, parents first. False when
/// tuples nest deeper than `max_depth` (what lies deeper is left out) or when a shape is damaged.
template <class Visit>
constexpr bool visit_shape(const shape_view& shape, Visit&& visit, int max_depth = 100, int depth = 0) noexcept {
  visit(shape, depth);
  bool complete = shape.ok();
  const auto elements = shape.tuple_shapes();
  for (auto it = elements.begin(); !it.done(); ++it) {
    if (depth == max_depth) return false;
    complete = visit_shape(*it, visit, max_depth, depth + 1) && complete;
  }
  return complete;
}

/// Parameters and result of a computation.
class program_shape_view : public message_view<2> {
 public:
  constexpr program_shape_view() noexcept = default;
  constexpr explicit program_shape_view(const basic_message_bytes<2>& message) noexcept : message_view<2>(message) {
    read([](const wire_field&) {});
  }
  constexpr message_range<shape_view, 1, 2> parameters() const noexcept {
    return message_range<shape_view, 1, 2>(message());
  }
  constexpr shape_view result() const noexcept { return shape_view(message().child(2)); }
  constexpr bytes_range<3, 2> parameter_names() const noexcept { return bytes_range<3, 2>(message()); }
};

// ---- where an instruction came from ----

/// The framework operation an instruction came from.
class op_metadata_view : public message_view<1> {
 public:
  constexpr op_metadata_view() noexcept = default;
  constexpr explicit op_metadata_view(const basic_message_bytes<1>& message) noexcept : message_view<1>(message) {
    read([this](const wire_field& f) {
      if (f.type == wire_type::varint) {
        switch (f.number) {
          case 4: source_line_ = detail::to_int32(f); break;
          case 8: size_of_generated_code_in_bytes_ = detail::to_int64(f); break;
          case 9: size_of_memory_working_set_in_bytes_ = detail::to_int64(f); break;
          case 15: stack_frame_id_ = detail::to_int32(f); break;
          case 17: source_end_line_ = detail::to_int32(f); break;
          case 18: source_column_ = detail::to_int32(f); break;
          case 19: source_end_column_ = detail::to_int32(f); break;
          default: break;
        }
      } else if (f.type == wire_type::length_delimited) {
        switch (f.number) {
          case 1: op_type_ = f.bytes; break;
          case 2: op_name_ = f.bytes; break;
          case 3: source_file_ = f.bytes; break;
          case 12: deduplicated_name_ = f.bytes; break;
          case 16: scheduling_name_ = f.bytes; break;
          default: break;
        }
      }
    });
  }
  constexpr std::string_view op_type() const noexcept { return op_type_; }
  constexpr std::string_view op_name() const noexcept { return op_name_; }
  constexpr std::string_view source_file() const noexcept { return source_file_; }
  constexpr std::int32_t source_line() const noexcept { return source_line_; }
  constexpr std::int32_t source_end_line() const noexcept { return source_end_line_; }
  constexpr std::int32_t source_column() const noexcept { return source_column_; }
  constexpr std::int32_t source_end_column() const noexcept { return source_end_column_; }
  constexpr std::int64_t size_of_generated_code_in_bytes() const noexcept { return size_of_generated_code_in_bytes_; }
  constexpr std::int64_t size_of_memory_working_set_in_bytes() const noexcept {
    return size_of_memory_working_set_in_bytes_;
  }
  constexpr std::string_view deduplicated_name() const noexcept { return deduplicated_name_; }
  /// 1-based position in the module's stack frames; 0: none.
  constexpr std::int32_t stack_frame_id() const noexcept { return stack_frame_id_; }
  constexpr std::string_view scheduling_name() const noexcept { return scheduling_name_; }

 private:
  std::string_view op_type_;
  std::string_view op_name_;
  std::string_view source_file_;
  std::string_view deduplicated_name_;
  std::string_view scheduling_name_;
  std::int64_t size_of_generated_code_in_bytes_ = 0;
  std::int64_t size_of_memory_working_set_in_bytes_ = 0;
  std::int32_t source_line_ = 0;
  std::int32_t source_end_line_ = 0;
  std::int32_t source_column_ = 0;
  std::int32_t source_end_column_ = 0;
  std::int32_t stack_frame_id_ = 0;
};

/// A place in a source file. Ids are 1-based positions; 0: none.
class file_location_view : public message_view<0> {
 public:
  constexpr file_location_view() noexcept = default;
  constexpr explicit file_location_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.type != wire_type::varint) return;
      switch (f.number) {
        case 1: file_name_id_ = detail::to_int32(f); break;
        case 2: function_name_id_ = detail::to_int32(f); break;
        case 3: line_ = detail::to_int32(f); break;
        case 4: column_ = detail::to_int32(f); break;
        case 5: end_line_ = detail::to_int32(f); break;
        case 6: end_column_ = detail::to_int32(f); break;
        default: break;
      }
    });
  }
  constexpr std::int32_t file_name_id() const noexcept { return file_name_id_; }
  constexpr std::int32_t function_name_id() const noexcept { return function_name_id_; }
  constexpr std::int32_t line() const noexcept { return line_; }
  constexpr std::int32_t column() const noexcept { return column_; }
  constexpr std::int32_t end_line() const noexcept { return end_line_; }
  constexpr std::int32_t end_column() const noexcept { return end_column_; }

 private:
  std::int32_t file_name_id_ = 0;
  std::int32_t function_name_id_ = 0;
  std::int32_t line_ = 0;
  std::int32_t column_ = 0;
  std::int32_t end_line_ = 0;
  std::int32_t end_column_ = 0;
};

/// A frame of a stack. Ids are 1-based positions; 0: none.
class stack_frame_view : public message_view<0> {
 public:
  constexpr stack_frame_view() noexcept = default;
  constexpr explicit stack_frame_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) file_location_id_ = detail::to_int32(f);
      if (f.is_varint(2)) parent_frame_id_ = detail::to_int32(f);
    });
  }
  constexpr std::int32_t file_location_id() const noexcept { return file_location_id_; }
  /// The caller's frame.
  constexpr std::int32_t parent_frame_id() const noexcept { return parent_frame_id_; }

 private:
  std::int32_t file_location_id_ = 0;
  std::int32_t parent_frame_id_ = 0;
};

/// One frame with its strings looked up.
struct source_frame {
  std::string_view file;
  std::string_view function;
  std::int32_t line = 0;
  std::int32_t column = 0;
  std::int32_t parent_frame_id = 0;  ///< 0: outermost
  bool found = false;
};

/// The module's table of stack frames: four flat lists that refer to each other by 1-based position.
class stack_frame_index_view : public message_view<2> {
 public:
  constexpr stack_frame_index_view() noexcept = default;
  constexpr explicit stack_frame_index_view(const basic_message_bytes<2>& message) noexcept : message_view<2>(message) {
    read([](const wire_field&) {});
  }
  constexpr bytes_range<1, 2> file_names() const noexcept { return bytes_range<1, 2>(message()); }
  constexpr bytes_range<2, 2> function_names() const noexcept { return bytes_range<2, 2>(message()); }
  constexpr message_range<file_location_view, 3, 2> file_locations() const noexcept {
    return message_range<file_location_view, 3, 2>(message());
  }
  constexpr message_range<stack_frame_view, 4, 2> stack_frames() const noexcept {
    return message_range<stack_frame_view, 4, 2>(message());
  }
  /// One frame by its id; reads the whole table each time, so for many frames lay the four lists out in arrays.
  /// Follow parents only so far: the input may link them in a circle.
  constexpr source_frame frame_linear(std::int32_t frame_id) const noexcept {
    source_frame frame;
    std::string_view bytes;
    if (!element_linear(stack_frames(), frame_id, bytes)) return frame;
    const stack_frame_view raw(bytes);
    frame.parent_frame_id = raw.parent_frame_id();
    if (!element_linear(file_locations(), raw.file_location_id(), bytes)) return frame;
    const file_location_view location(bytes);
    frame.line = location.line();
    frame.column = location.column();
    element_linear(function_names(), location.function_name_id(), frame.function);
    frame.found = element_linear(file_names(), location.file_name_id(), frame.file);
    return frame;
  }

 private:
  template <class Range>
  static constexpr bool element_linear(const Range& range, std::int32_t id, std::string_view& bytes) noexcept {
    std::int32_t at = 1;
    for (auto it = range.begin(); !it.done(); ++it, ++at) {
      if (at != id) continue;
      bytes = it.bytes();
      return true;
    }
    return false;
  }
};

/// One attribute a frontend attached. Made from a map entry; a missing part reads as empty.
class frontend_attribute_view : public message_view<0> {
 public:
  constexpr frontend_attribute_view() noexcept = default;
  constexpr explicit frontend_attribute_view(std::string_view entry) noexcept : message_view<0>(entry) {
    read([this](const wire_field& f) {
      if (f.is_bytes(1)) key_ = f.bytes;
      if (f.is_bytes(2)) value_ = f.bytes;
    });
  }
  constexpr std::string_view key() const noexcept { return key_; }
  constexpr std::string_view value() const noexcept { return value_; }

 private:
  std::string_view key_;
  std::string_view value_;
};

/// Attributes a frontend attached to a module or an instruction (mesh shapes among them).
class frontend_attributes_view : public message_view<2> {
 public:
  constexpr frontend_attributes_view() noexcept = default;
  constexpr explicit frontend_attributes_view(const basic_message_bytes<2>& message) noexcept
      : message_view<2>(message) {
    read([](const wire_field&) {});
  }
  /// The map's entries as they lie on the wire; of equal keys the last counts.
  constexpr message_range<frontend_attribute_view, 1, 2> entries() const noexcept {
    return message_range<frontend_attribute_view, 1, 2>(message());
  }
  /// The value of a key; reads every entry. False when there is none.
  constexpr bool find_linear(std::string_view key, std::string_view& value) const noexcept {
    bool found = false;
    const auto all = entries();
    for (auto it = all.begin(); !it.done(); ++it) {
      const frontend_attribute_view attribute = *it;
      if (attribute.key() != key) continue;
      value = attribute.value();
      found = true;
    }
    return found;
  }
};

// ---- sharding and collectives ----

/// An axis of a mesh of devices.
class mesh_axis_view : public message_view<0> {
 public:
  constexpr mesh_axis_view() noexcept = default;
  constexpr explicit mesh_axis_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_bytes(1)) name_ = f.bytes;
      if (f.is_varint(2)) size_ = detail::to_int64(f);
    });
  }
  constexpr std::string_view name() const noexcept { return name_; }
  constexpr std::int64_t size() const noexcept { return size_; }

 private:
  std::string_view name_;
  std::int64_t size_ = 0;
};

/// A mesh of devices: named axes and, unless it is 0,1,2…, the order of the devices.
class mesh_view : public message_view<4> {
 public:
  constexpr mesh_view() noexcept = default;
  constexpr explicit mesh_view(const basic_message_bytes<4>& message) noexcept : message_view<4>(message) {
    read([](const wire_field&) {});
  }
  constexpr message_range<mesh_axis_view, 1, 4> axes() const noexcept {
    return message_range<mesh_axis_view, 1, 4>(message());
  }
  constexpr int_range<2, 4> device_ids() const noexcept { return int_range<2, 4>(message()); }
};

/// A part of a mesh axis: `size` devices with `pre_size` of the axis on their left.
class sub_axis_view : public message_view<1> {
 public:
  constexpr sub_axis_view() noexcept = default;
  constexpr explicit sub_axis_view(const basic_message_bytes<1>& message) noexcept : message_view<1>(message) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) pre_size_ = detail::to_int64(f);
      if (f.is_varint(2)) size_ = detail::to_int64(f);
    });
  }
  constexpr std::int64_t pre_size() const noexcept { return pre_size_; }
  constexpr std::int64_t size() const noexcept { return size_; }

 private:
  std::int64_t pre_size_ = 0;
  std::int64_t size_ = 0;
};

/// A mesh axis by its 0-based position, whole unless sub_axis().present().
class axis_ref_view : public message_view<0> {
 public:
  constexpr axis_ref_view() noexcept = default;
  constexpr explicit axis_ref_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) mesh_axis_index_ = detail::to_int64(f);
    });
  }
  constexpr std::int64_t mesh_axis_index() const noexcept { return mesh_axis_index_; }
  constexpr sub_axis_view sub_axis() const noexcept { return sub_axis_view(message().child(2)); }

 private:
  std::int64_t mesh_axis_index_ = 0;
};

/// The mesh axes one dimension is split over, from major to minor.
class dimension_sharding_view : public message_view<0> {
 public:
  constexpr dimension_sharding_view() noexcept = default;
  constexpr explicit dimension_sharding_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(2)) is_closed_ = detail::to_bool(f);
    });
  }
  constexpr message_range<axis_ref_view, 1> axes() const noexcept { return message_range<axis_ref_view, 1>(message()); }
  constexpr bool is_closed() const noexcept { return is_closed_; }

 private:
  bool is_closed_ = false;
};

/// A sharding in terms of a mesh (Shardy).
class named_sharding_view : public message_view<3> {
 public:
  constexpr named_sharding_view() noexcept = default;
  constexpr explicit named_sharding_view(const basic_message_bytes<3>& message) noexcept : message_view<3>(message) {
    read([](const wire_field&) {});
  }
  /// When not empty, the sharding of a tuple: the other fields then do not count.
  constexpr message_range<named_sharding_view, 1, 3> tuple_shardings() const noexcept {
    return message_range<named_sharding_view, 1, 3>(message());
  }
  constexpr mesh_view mesh() const noexcept { return mesh_view(message().child(2)); }
  constexpr message_range<dimension_sharding_view, 3, 3> dim_shardings() const noexcept {
    return message_range<dimension_sharding_view, 3, 3>(message());
  }
  constexpr message_range<axis_ref_view, 4, 3> replicated_axes() const noexcept {
    return message_range<axis_ref_view, 4, 3>(message());
  }
  constexpr message_range<axis_ref_view, 5, 3> unreduced_axes() const noexcept {
    return message_range<axis_ref_view, 5, 3>(message());
  }
  constexpr message_range<op_metadata_view, 6, 3> metadata() const noexcept {
    return message_range<op_metadata_view, 6, 3>(message());
  }
};

/// xla.OpSharding.Type. A newer writer may use further values.
enum class sharding_type : std::int32_t {
  replicated = 0,
  maximal = 1,
  tuple = 2,
  other = 3,
  manual = 4,
  unknown = 5,
  unreduced = 6,
};

/// How a value is laid out over devices.
class sharding_view : public message_view<2> {
 public:
  constexpr sharding_view() noexcept = default;
  constexpr explicit sharding_view(const basic_message_bytes<2>& message) noexcept : message_view<2>(message) {
    read([this](const wire_field& f) {
      if (f.type != wire_type::varint) return;
      switch (f.number) {
        case 1: type_ = static_cast<sharding_type>(detail::to_int32(f)); break;
        case 6: replicate_on_last_tile_dim_ = detail::to_bool(f); break;
        case 11: is_shard_group_ = detail::to_bool(f); break;
        case 12: shard_group_id_ = detail::to_int64(f); break;
        case 13: shard_group_type_ = detail::to_int32(f); break;
        default: break;
      }
    });
  }
  constexpr sharding_type type() const noexcept { return type_; }
  constexpr shape_view tile_shape() const noexcept { return shape_view(message().child(2)); }
  constexpr int_range<3, 2> tile_assignment_dimensions() const noexcept { return int_range<3, 2>(message()); }
  constexpr int_range<4, 2> tile_assignment_devices() const noexcept { return int_range<4, 2>(message()); }
  constexpr message_range<sharding_view, 5, 2> tuple_shardings() const noexcept {
    return message_range<sharding_view, 5, 2>(message());
  }
  constexpr bool replicate_on_last_tile_dim() const noexcept { return replicate_on_last_tile_dim_; }
  constexpr message_range<op_metadata_view, 7, 2> metadata() const noexcept {
    return message_range<op_metadata_view, 7, 2>(message());
  }
  /// Values of sharding_type.
  constexpr int_range<8, 2, std::int32_t> last_tile_dims() const noexcept {
    return int_range<8, 2, std::int32_t>(message());
  }
  constexpr int_range<9, 2> iota_reshape_dims() const noexcept { return int_range<9, 2>(message()); }
  constexpr int_range<10, 2, std::int32_t> iota_transpose_perm() const noexcept {
    return int_range<10, 2, std::int32_t>(message());
  }
  constexpr bool is_shard_group() const noexcept { return is_shard_group_; }
  constexpr std::int64_t shard_group_id() const noexcept { return shard_group_id_; }
  constexpr std::int32_t shard_group_type() const noexcept { return shard_group_type_; }
  constexpr named_sharding_view named_sharding() const noexcept { return named_sharding_view(message().child(14)); }

 private:
  sharding_type type_ = sharding_type::replicated;
  std::int64_t shard_group_id_ = 0;
  std::int32_t shard_group_type_ = 0;
  bool replicate_on_last_tile_dim_ = false;
  bool is_shard_group_ = false;
};

/// Replicas that take part in a collective together.
class replica_group_view : public message_view<0> {
 public:
  constexpr replica_group_view() noexcept = default;
  constexpr explicit replica_group_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([](const wire_field&) {});
  }
  constexpr int_range<1> replica_ids() const noexcept { return int_range<1>(message()); }
};

/// Replica groups as a reshaped and transposed 0,1,2….
class iota_replica_groups_view : public message_view<2> {
 public:
  constexpr iota_replica_groups_view() noexcept = default;
  constexpr explicit iota_replica_groups_view(const basic_message_bytes<2>& message) noexcept
      : message_view<2>(message) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) num_replica_groups_ = detail::to_int64(f);
      if (f.is_varint(2)) num_devices_per_group_ = detail::to_int64(f);
    });
  }
  constexpr std::int64_t num_replica_groups() const noexcept { return num_replica_groups_; }
  constexpr std::int64_t num_devices_per_group() const noexcept { return num_devices_per_group_; }
  constexpr int_range<3, 2> iota_reshape_dims() const noexcept { return int_range<3, 2>(message()); }
  constexpr int_range<4, 2, std::int32_t> iota_transpose_perm() const noexcept {
    return int_range<4, 2, std::int32_t>(message());
  }

 private:
  std::int64_t num_replica_groups_ = 0;
  std::int64_t num_devices_per_group_ = 0;
};

/// Replica groups, listed or as an iota.
class collective_device_list_view : public message_view<1> {
 public:
  constexpr collective_device_list_view() noexcept = default;
  constexpr explicit collective_device_list_view(const basic_message_bytes<1>& message) noexcept
      : message_view<1>(message) {
    read([](const wire_field&) {});
  }
  constexpr message_range<replica_group_view, 1, 1> replica_groups() const noexcept {
    return message_range<replica_group_view, 1, 1>(message());
  }
  constexpr iota_replica_groups_view iota() const noexcept { return iota_replica_groups_view(message().child(2)); }
};

/// Replica groups as axes of a mesh: devices that differ only along these axes form a group.
class mesh_axes_replica_groups_view : public message_view<1> {
 public:
  constexpr mesh_axes_replica_groups_view() noexcept = default;
  constexpr explicit mesh_axes_replica_groups_view(const basic_message_bytes<1>& message) noexcept
      : message_view<1>(message) {
    read([](const wire_field&) {});
  }
  constexpr mesh_view mesh() const noexcept { return mesh_view(message().child(1)); }
  constexpr message_range<axis_ref_view, 2, 1> axes() const noexcept {
    return message_range<axis_ref_view, 2, 1>(message());
  }
};

/// One transfer of a collective permute.
class source_target_view : public message_view<0> {
 public:
  constexpr source_target_view() noexcept = default;
  constexpr explicit source_target_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) source_ = detail::to_int64(f);
      if (f.is_varint(2)) target_ = detail::to_int64(f);
    });
  }
  constexpr std::int64_t source() const noexcept { return source_; }
  constexpr std::int64_t target() const noexcept { return target_; }

 private:
  std::int64_t source_ = 0;
  std::int64_t target_ = 0;
};

// ---- instructions and computations ----

/// Which dimensions a dot contracts and batches over.
class dot_dimension_numbers_view : public message_view<1> {
 public:
  constexpr dot_dimension_numbers_view() noexcept = default;
  constexpr explicit dot_dimension_numbers_view(const basic_message_bytes<1>& message) noexcept
      : message_view<1>(message) {
    read([](const wire_field&) {});
  }
  constexpr int_range<1, 1> lhs_contracting_dimensions() const noexcept { return int_range<1, 1>(message()); }
  constexpr int_range<2, 1> rhs_contracting_dimensions() const noexcept { return int_range<2, 1>(message()); }
  constexpr int_range<3, 1> lhs_batch_dimensions() const noexcept { return int_range<3, 1>(message()); }
  constexpr int_range<4, 1> rhs_batch_dimensions() const noexcept { return int_range<4, 1>(message()); }
};

/// How a window (of a convolution, a pooling) moves along one dimension.
class window_dimension_view : public message_view<0> {
 public:
  constexpr window_dimension_view() noexcept = default;
  constexpr explicit window_dimension_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.type != wire_type::varint) return;
      switch (f.number) {
        case 1: size_ = detail::to_int64(f); break;
        case 2: stride_ = detail::to_int64(f); break;
        case 3: padding_low_ = detail::to_int64(f); break;
        case 4: padding_high_ = detail::to_int64(f); break;
        case 5: window_dilation_ = detail::to_int64(f); break;
        case 6: base_dilation_ = detail::to_int64(f); break;
        case 7: window_reversal_ = detail::to_bool(f); break;
        default: break;
      }
    });
  }
  constexpr std::int64_t size() const noexcept { return size_; }
  constexpr std::int64_t stride() const noexcept { return stride_; }
  /// Elements added before the first and after the last; negative: elements left out.
  constexpr std::int64_t padding_low() const noexcept { return padding_low_; }
  constexpr std::int64_t padding_high() const noexcept { return padding_high_; }
  /// 1: neighbours; 2: every second element of the input lies in the window.
  constexpr std::int64_t window_dilation() const noexcept { return window_dilation_; }
  /// 2: a hole after each element of the input.
  constexpr std::int64_t base_dilation() const noexcept { return base_dilation_; }
  constexpr bool window_reversal() const noexcept { return window_reversal_; }

 private:
  std::int64_t size_ = 0;
  std::int64_t stride_ = 0;
  std::int64_t padding_low_ = 0;
  std::int64_t padding_high_ = 0;
  std::int64_t window_dilation_ = 0;
  std::int64_t base_dilation_ = 0;
  bool window_reversal_ = false;
};

class window_view : public message_view<1> {
 public:
  constexpr window_view() noexcept = default;
  constexpr explicit window_view(const basic_message_bytes<1>& message) noexcept : message_view<1>(message) {
    read([](const wire_field&) {});
  }
  constexpr message_range<window_dimension_view, 1, 1> dimensions() const noexcept {
    return message_range<window_dimension_view, 1, 1>(message());
  }
};

/// What the dimensions of a convolution's arrays stand for.
class convolution_dimension_numbers_view : public message_view<1> {
 public:
  constexpr convolution_dimension_numbers_view() noexcept = default;
  constexpr explicit convolution_dimension_numbers_view(const basic_message_bytes<1>& message) noexcept
      : message_view<1>(message) {
    read([this](const wire_field& f) {
      if (f.type != wire_type::varint) return;
      switch (f.number) {
        case 3: kernel_input_feature_dimension_ = detail::to_int64(f); break;
        case 4: kernel_output_feature_dimension_ = detail::to_int64(f); break;
        case 7: input_batch_dimension_ = detail::to_int64(f); break;
        case 8: input_feature_dimension_ = detail::to_int64(f); break;
        case 9: output_batch_dimension_ = detail::to_int64(f); break;
        case 10: output_feature_dimension_ = detail::to_int64(f); break;
        default: break;
      }
    });
  }
  constexpr std::int64_t kernel_input_feature_dimension() const noexcept { return kernel_input_feature_dimension_; }
  constexpr std::int64_t kernel_output_feature_dimension() const noexcept { return kernel_output_feature_dimension_; }
  constexpr int_range<6, 1> kernel_spatial_dimensions() const noexcept { return int_range<6, 1>(message()); }
  constexpr std::int64_t input_batch_dimension() const noexcept { return input_batch_dimension_; }
  constexpr std::int64_t input_feature_dimension() const noexcept { return input_feature_dimension_; }
  constexpr int_range<11, 1> input_spatial_dimensions() const noexcept { return int_range<11, 1>(message()); }
  constexpr std::int64_t output_batch_dimension() const noexcept { return output_batch_dimension_; }
  constexpr std::int64_t output_feature_dimension() const noexcept { return output_feature_dimension_; }
  constexpr int_range<12, 1> output_spatial_dimensions() const noexcept { return int_range<12, 1>(message()); }

 private:
  std::int64_t kernel_input_feature_dimension_ = 0;
  std::int64_t kernel_output_feature_dimension_ = 0;
  std::int64_t input_batch_dimension_ = 0;
  std::int64_t input_feature_dimension_ = 0;
  std::int64_t output_batch_dimension_ = 0;
  std::int64_t output_feature_dimension_ = 0;
};

/// Bytes that stand in the instruction itself or (`id`) in the module's payloads. Which: source().
enum class payload_source : std::uint8_t { none = 0, value = 1, id = 2 };

class payload_view : public message_view<1> {
 public:
  constexpr payload_view() noexcept = default;
  constexpr explicit payload_view(const basic_message_bytes<1>& message) noexcept : message_view<1>(message) {
    read([this](const wire_field& f) {
      if (f.is_bytes(1)) {
        source_ = payload_source::value;
        value_ = f.bytes;
        id_ = 0;
      } else if (f.is_varint(2)) {
        source_ = payload_source::id;
        value_ = {};
        id_ = detail::to_int64(f);
      }
    });
  }
  constexpr payload_source source() const noexcept { return source_; }
  constexpr std::string_view value() const noexcept { return value_; }
  /// 0-based position in the module's payloads.
  constexpr std::int64_t id() const noexcept { return id_; }

 private:
  std::string_view value_;
  std::int64_t id_ = 0;
  payload_source source_ = payload_source::none;
};

/// In which form an instruction names the devices of a collective. `none`: look at replica_groups().
enum class device_list_kind : std::uint8_t {
  none = 0,
  collective_device_list = 87,
  iota_collective_device_list = 92,
  mesh_axes_replica_group_list = 93,
};

/// One instruction.
class instruction_view : public message_view<0> {
 public:
  constexpr instruction_view() noexcept = default;
  constexpr explicit instruction_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.type == wire_type::varint) {
        switch (f.number) {
          case 9: parameter_number_ = detail::to_int64(f); break;
          case 13: tuple_index_ = detail::to_int64(f); break;
          case 26: channel_id_ = detail::to_int64(f); break;
          case 35: id_ = detail::to_int64(f); break;
          case 50: feature_group_count_ = detail::to_int64(f); break;
          case 58: batch_group_count_ = detail::to_int64(f); break;
          case 71: use_global_device_ids_ = detail::to_bool(f); break;
          default: break;
        }
      } else if (f.type == wire_type::length_delimited) {
        switch (f.number) {
          case 1: name_ = f.bytes; break;
          case 2: opcode_ = f.bytes; break;
          case 11: fusion_kind_ = f.bytes; break;
          case 28: custom_call_target_ = f.bytes; break;
          case 43: backend_config_ = f.bytes; break;
          case 79: async_execution_thread_ = f.bytes; break;
          case 87:
          case 92:
          case 93: take_device_list(f); break;
          default: break;
        }
      }
    });
  }
  constexpr std::string_view name() const noexcept { return name_; }
  /// Such as "fusion" or "all-reduce-start".
  constexpr std::string_view opcode() const noexcept { return opcode_; }
  /// Unique in the module; 0 is a legal id, and newer writers put the computation's id in the upper 32 bits.
  constexpr std::int64_t id() const noexcept { return id_; }
  constexpr shape_view shape() const noexcept { return shape_view(message().child(3)); }
  constexpr op_metadata_view metadata() const noexcept { return op_metadata_view(message().child(7)); }
  constexpr std::int64_t parameter_number() const noexcept { return parameter_number_; }
  constexpr std::string_view fusion_kind() const noexcept { return fusion_kind_; }
  constexpr std::int64_t tuple_index() const noexcept { return tuple_index_; }
  constexpr int_range<14> dimensions() const noexcept { return int_range<14>(message()); }
  /// Of a send, receive or collective; not positive: none.
  constexpr std::int64_t channel_id() const noexcept { return channel_id_; }
  constexpr std::string_view custom_call_target() const noexcept { return custom_call_target_; }
  constexpr dot_dimension_numbers_view dot_dimension_numbers() const noexcept {
    return dot_dimension_numbers_view(message().child(30));
  }
  constexpr window_view window() const noexcept { return window_view(message().child(15)); }
  constexpr convolution_dimension_numbers_view convolution_dimension_numbers() const noexcept {
    return convolution_dimension_numbers_view(message().child(16));
  }
  /// Of a convolution, as written: writers leave 1 out or write it.
  constexpr std::int64_t feature_group_count() const noexcept { return feature_group_count_; }
  constexpr std::int64_t batch_group_count() const noexcept { return batch_group_count_; }
  constexpr int_range<36> operand_ids() const noexcept { return int_range<36>(message()); }
  constexpr int_range<37> control_predecessor_ids() const noexcept { return int_range<37>(message()); }
  constexpr int_range<38> called_computation_ids() const noexcept { return int_range<38>(message()); }
  constexpr sharding_view sharding() const noexcept { return sharding_view(message().child(40)); }
  /// What the backend chose; JSON or a message of the backend.
  constexpr std::string_view backend_config() const noexcept { return backend_config_; }
  /// The newer form of backend_config.
  constexpr payload_view backend_config_payload() const noexcept { return payload_view(message().child(99)); }
  /// The oldest form of a collective's device list.
  constexpr message_range<replica_group_view, 49> replica_groups() const noexcept {
    return message_range<replica_group_view, 49>(message());
  }
  constexpr device_list_kind device_list() const noexcept { return device_list_kind_; }
  /// Empty unless device_list() is of this kind; likewise the next two.
  constexpr collective_device_list_view collective_device_list() const noexcept {
    return collective_device_list_view(device_list_of(device_list_kind::collective_device_list));
  }
  constexpr iota_replica_groups_view iota_collective_device_list() const noexcept {
    return iota_replica_groups_view(device_list_of(device_list_kind::iota_collective_device_list));
  }
  constexpr mesh_axes_replica_groups_view mesh_axes_replica_group_list() const noexcept {
    return mesh_axes_replica_groups_view(device_list_of(device_list_kind::mesh_axes_replica_group_list));
  }
  constexpr message_range<source_target_view, 52> source_target_pairs() const noexcept {
    return message_range<source_target_view, 52>(message());
  }
  constexpr frontend_attributes_view frontend_attributes() const noexcept {
    return frontend_attributes_view(message().child(68));
  }
  /// The ids in replica groups count partitions, too.
  constexpr bool use_global_device_ids() const noexcept { return use_global_device_ids_; }
  constexpr std::string_view async_execution_thread() const noexcept { return async_execution_thread_; }
  constexpr std::string_view bytes() const noexcept { return message().first(); }

 private:
  // Another member of a oneof starts afresh; the same one again merges with what came before.
  constexpr void take_device_list(const wire_field& f) noexcept {
    const auto kind = static_cast<device_list_kind>(f.number);
    if (kind == device_list_kind_) return;
    const char* const after_other = device_list_kind_ == device_list_kind::none ? bytes().data() : device_list_end_;
    device_list_kind_ = kind;
    device_list_from_ = after_other;
    device_list_end_ = f.bytes.data() + f.bytes.size();
  }
  constexpr basic_message_bytes<1> device_list_of(device_list_kind kind) const noexcept {
    if (kind != device_list_kind_) return {};
    const char* const end = bytes().data() + bytes().size();
    const std::string_view rest(device_list_from_, static_cast<std::size_t>(end - device_list_from_));
    return message_bytes(rest).child(static_cast<std::uint32_t>(kind));
  }

  std::string_view name_;
  std::string_view opcode_;
  std::string_view fusion_kind_;
  std::string_view custom_call_target_;
  std::string_view backend_config_;
  std::string_view async_execution_thread_;
  std::int64_t id_ = 0;
  std::int64_t parameter_number_ = 0;
  std::int64_t tuple_index_ = 0;
  std::int64_t channel_id_ = 0;
  std::int64_t feature_group_count_ = 0;
  std::int64_t batch_group_count_ = 0;
  const char* device_list_from_ = nullptr;  // nothing before it counts
  const char* device_list_end_ = nullptr;   // of the last member seen
  device_list_kind device_list_kind_ = device_list_kind::none;
  bool use_global_device_ids_ = false;
};

/// One computation: the entry of a module, or what a fusion, loop, call or reduction runs.
class computation_view : public message_view<0> {
 public:
  constexpr computation_view() noexcept = default;
  constexpr explicit computation_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(5)) id_ = detail::to_int64(f);
      if (f.is_varint(6)) root_id_ = detail::to_int64(f);
      if (f.is_varint(7)) is_fusion_computation_ = detail::to_bool(f);
      if (f.is_bytes(1)) name_ = f.bytes;
      if (f.is_bytes(8)) execution_thread_ = f.bytes;
    });
  }
  constexpr std::string_view name() const noexcept { return name_; }
  /// Operands stand before their users; this is not the order of execution (see schedule_view).
  constexpr message_range<instruction_view, 2> instructions() const noexcept {
    return message_range<instruction_view, 2>(message());
  }
  constexpr program_shape_view program_shape() const noexcept { return program_shape_view(message().child(4)); }
  constexpr std::int64_t id() const noexcept { return id_; }
  /// Id of the instruction whose value is the computation's result.
  constexpr std::int64_t root_id() const noexcept { return root_id_; }
  constexpr bool is_fusion_computation() const noexcept { return is_fusion_computation_; }
  constexpr std::string_view execution_thread() const noexcept { return execution_thread_; }
  constexpr std::string_view bytes() const noexcept { return message().first(); }

 private:
  std::string_view name_;
  std::string_view execution_thread_;
  std::int64_t id_ = 0;
  std::int64_t root_id_ = 0;
  bool is_fusion_computation_ = false;
};

// ---- modules ----

/// The order in which one computation's instructions run. Made from a map entry.
class schedule_sequence_view : public message_view<0> {
 public:
  constexpr schedule_sequence_view() noexcept = default;
  constexpr explicit schedule_sequence_view(std::string_view entry) noexcept : message_view<0>(entry) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) computation_id_ = detail::to_int64(f);
    });
  }
  constexpr std::int64_t computation_id() const noexcept { return computation_id_; }
  constexpr int_range<1, 1> instruction_ids() const noexcept { return int_range<1, 1>(message().child(2)); }

 private:
  std::int64_t computation_id_ = 0;
};

/// The order of execution; fusion computations have none.
class schedule_view : public message_view<2> {
 public:
  constexpr schedule_view() noexcept = default;
  constexpr explicit schedule_view(const basic_message_bytes<2>& message) noexcept : message_view<2>(message) {
    read([](const wire_field&) {});
  }
  /// The map's entries as they lie on the wire; of equal keys the last counts.
  constexpr message_range<schedule_sequence_view, 1, 2> sequences() const noexcept {
    return message_range<schedule_sequence_view, 1, 2>(message());
  }
  /// The sequence of a computation; reads every entry. An empty one that is not present() when there is none.
  constexpr schedule_sequence_view find_linear(std::int64_t computation_id) const noexcept {
    std::string_view found;
    bool any = false;
    const auto all = sequences();
    for (auto it = all.begin(); !it.done(); ++it) {
      if ((*it).computation_id() != computation_id) continue;
      found = it.bytes();
      any = true;
    }
    return any ? schedule_sequence_view(found) : schedule_sequence_view();
  }
};

/// An output that shares its buffer with a parameter.
class alias_entry_view : public message_view<0> {
 public:
  constexpr alias_entry_view() noexcept = default;
  constexpr explicit alias_entry_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(2)) parameter_number_ = detail::to_int64(f);
      if (f.is_varint(4)) kind_ = detail::to_int32(f);
    });
  }
  constexpr int_range<1> output_shape_index() const noexcept { return int_range<1>(message()); }
  constexpr std::int64_t parameter_number() const noexcept { return parameter_number_; }
  constexpr int_range<3> parameter_shape_index() const noexcept { return int_range<3>(message()); }
  /// 0 undefined, 1 may alias, 2 must alias.
  constexpr std::int32_t kind() const noexcept { return kind_; }

 private:
  std::int64_t parameter_number_ = 0;
  std::int32_t kind_ = 0;
};

class input_output_alias_view : public message_view<2> {
 public:
  constexpr input_output_alias_view() noexcept = default;
  constexpr explicit input_output_alias_view(const basic_message_bytes<2>& message) noexcept
      : message_view<2>(message) {
    read([](const wire_field&) {});
  }
  constexpr message_range<alias_entry_view, 1, 2> entries() const noexcept {
    return message_range<alias_entry_view, 1, 2>(message());
  }
};

/// The devices that run one computation (partition), by replica.
class computation_device_view : public message_view<0> {
 public:
  constexpr computation_device_view() noexcept = default;
  constexpr explicit computation_device_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([](const wire_field&) {});
  }
  constexpr int_range<1> replica_device_ids() const noexcept { return int_range<1>(message()); }
};

class device_assignment_view : public message_view<2> {
 public:
  constexpr device_assignment_view() noexcept = default;
  constexpr explicit device_assignment_view(const basic_message_bytes<2>& message) noexcept : message_view<2>(message) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) replica_count_ = detail::to_int32(f);
      if (f.is_varint(2)) computation_count_ = detail::to_int32(f);
    });
  }
  constexpr std::int32_t replica_count() const noexcept { return replica_count_; }
  constexpr std::int32_t computation_count() const noexcept { return computation_count_; }
  constexpr message_range<computation_device_view, 3, 2> computation_devices() const noexcept {
    return message_range<computation_device_view, 3, 2>(message());
  }

 private:
  std::int32_t replica_count_ = 0;
  std::int32_t computation_count_ = 0;
};

/// A compiled program. Made from a HloModuleProto that stands alone or inside a HloProto.
class hlo_module_view : public message_view<1> {
 public:
  constexpr hlo_module_view() noexcept = default;
  constexpr explicit hlo_module_view(const basic_message_bytes<1>& message) noexcept : message_view<1>(message) {
    read([this](const wire_field& f) {
      if (f.type == wire_type::varint) {
        switch (f.number) {
          case 5: id_ = detail::to_int64(f); break;
          case 6: entry_computation_id_ = detail::to_int64(f); break;
          case 11: is_dynamic_ = detail::to_bool(f); break;
          default: break;
        }
      } else if (f.type == wire_type::length_delimited) {
        switch (f.number) {
          case 1: name_ = f.bytes; break;
          case 2: entry_computation_name_ = f.bytes; break;
          case 21: device_type_ = f.bytes; break;
          default: break;
        }
      }
    });
  }
  constexpr std::string_view name() const noexcept { return name_; }
  constexpr std::string_view entry_computation_name() const noexcept { return entry_computation_name_; }
  /// Callees stand before their callers.
  constexpr message_range<computation_view, 3, 1> computations() const noexcept {
    return message_range<computation_view, 3, 1>(message());
  }
  constexpr program_shape_view host_program_shape() const noexcept { return program_shape_view(message().child(4)); }
  constexpr std::int64_t id() const noexcept { return id_; }
  constexpr std::int64_t entry_computation_id() const noexcept { return entry_computation_id_; }
  constexpr schedule_view schedule() const noexcept { return schedule_view(message().child(7)); }
  constexpr input_output_alias_view input_output_alias() const noexcept {
    return input_output_alias_view(message().child(8));
  }
  /// Some shape in it is dynamic.
  constexpr bool is_dynamic() const noexcept { return is_dynamic_; }
  constexpr sharding_view spmd_output_sharding() const noexcept { return sharding_view(message().child(12)); }
  constexpr message_range<sharding_view, 14, 1> spmd_parameters_shardings() const noexcept {
    return message_range<sharding_view, 14, 1>(message());
  }
  constexpr device_assignment_view device_assignment() const noexcept {
    return device_assignment_view(message().child(15));
  }
  constexpr stack_frame_index_view stack_frame_index() const noexcept {
    return stack_frame_index_view(message().child(17));
  }
  constexpr frontend_attributes_view frontend_attributes() const noexcept {
    return frontend_attributes_view(message().child(19));
  }
  /// Such as "tpu"; empty in older files.
  constexpr std::string_view device_type() const noexcept { return device_type_; }
  /// Bytes that instructions refer to (payload_view).
  constexpr bytes_range<22, 1> payloads() const noexcept { return bytes_range<22, 1>(message()); }

 private:
  std::string_view name_;
  std::string_view entry_computation_name_;
  std::string_view device_type_;
  std::int64_t id_ = 0;
  std::int64_t entry_computation_id_ = 0;
  bool is_dynamic_ = false;
};

// ---- memory ----

/// Where a buffer is needed: an instruction and the position in its (tuple) shape.
class buffer_location_view : public message_view<1> {
 public:
  constexpr buffer_location_view() noexcept = default;
  constexpr explicit buffer_location_view(const basic_message_bytes<1>& message) noexcept : message_view<1>(message) {
    read([this](const wire_field& f) {
      if (f.is_bytes(2)) instruction_name_ = f.bytes;
      if (f.is_varint(4)) instruction_id_ = detail::to_int64(f);
    });
  }
  constexpr std::int64_t instruction_id() const noexcept { return instruction_id_; }
  /// Deprecated by its writers; empty in newer files.
  constexpr std::string_view instruction_name() const noexcept { return instruction_name_; }
  constexpr int_range<3, 1> shape_index() const noexcept { return int_range<3, 1>(message()); }

 private:
  std::string_view instruction_name_;
  std::int64_t instruction_id_ = 0;
};

/// A value that needs memory.
class logical_buffer_view : public message_view<0> {
 public:
  constexpr logical_buffer_view() noexcept = default;
  constexpr explicit logical_buffer_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) id_ = detail::to_int64(f);
      if (f.is_varint(2)) size_bytes_ = detail::to_int64(f);
      if (f.is_varint(4)) color_ = detail::to_int64(f);
    });
  }
  constexpr std::int64_t id() const noexcept { return id_; }
  constexpr std::int64_t size_bytes() const noexcept { return size_bytes_; }
  constexpr buffer_location_view defined_at() const noexcept { return buffer_location_view(message().child(3)); }
  /// The memory space.
  constexpr std::int64_t color() const noexcept { return color_; }

 private:
  std::int64_t id_ = 0;
  std::int64_t size_bytes_ = 0;
  std::int64_t color_ = 0;
};

/// A further place that shares a logical buffer.
class buffer_alias_view : public message_view<0> {
 public:
  constexpr buffer_alias_view() noexcept = default;
  constexpr explicit buffer_alias_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) source_buffer_id_ = detail::to_int64(f);
    });
  }
  constexpr std::int64_t source_buffer_id() const noexcept { return source_buffer_id_; }
  constexpr buffer_location_view location() const noexcept { return buffer_location_view(message().child(2)); }

 private:
  std::int64_t source_buffer_id_ = 0;
};

/// A logical buffer's place in an allocation.
class assigned_buffer_view : public message_view<0> {
 public:
  constexpr assigned_buffer_view() noexcept = default;
  constexpr explicit assigned_buffer_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) logical_buffer_id_ = detail::to_int64(f);
      if (f.is_varint(2)) offset_bytes_ = detail::to_int64(f);
      if (f.is_varint(3)) size_bytes_ = detail::to_int64(f);
    });
  }
  constexpr std::int64_t logical_buffer_id() const noexcept { return logical_buffer_id_; }
  constexpr std::int64_t offset_bytes() const noexcept { return offset_bytes_; }
  constexpr std::int64_t size_bytes() const noexcept { return size_bytes_; }

 private:
  std::int64_t logical_buffer_id_ = 0;
  std::int64_t offset_bytes_ = 0;
  std::int64_t size_bytes_ = 0;
};

/// A block of memory the program asks for.
class buffer_allocation_view : public message_view<0> {
 public:
  constexpr buffer_allocation_view() noexcept = default;
  constexpr explicit buffer_allocation_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.type != wire_type::varint) return;
      switch (f.number) {
        case 1: index_ = detail::to_int64(f); break;
        case 2: size_bytes_ = detail::to_int64(f); break;
        case 3: is_thread_local_ = detail::to_bool(f); break;
        case 5: is_entry_computation_parameter_ = detail::to_bool(f); break;
        case 6: parameter_number_ = detail::to_int64(f); break;
        case 7: maybe_live_out_ = detail::to_bool(f); break;
        case 8: color_ = detail::to_int64(f); break;
        case 11: is_tuple_ = detail::to_bool(f); break;
        case 12: is_constant_ = detail::to_bool(f); break;
        case 13: is_parameter_aliased_with_output_ = detail::to_bool(f); break;
        default: break;
      }
    });
  }
  /// Its number; not necessarily its position in the list.
  constexpr std::int64_t index() const noexcept { return index_; }
  constexpr std::int64_t size_bytes() const noexcept { return size_bytes_; }
  constexpr bool is_thread_local() const noexcept { return is_thread_local_; }
  constexpr bool is_tuple() const noexcept { return is_tuple_; }
  constexpr bool is_entry_computation_parameter() const noexcept { return is_entry_computation_parameter_; }
  constexpr bool is_constant() const noexcept { return is_constant_; }
  constexpr std::int64_t parameter_number() const noexcept { return parameter_number_; }
  constexpr int_range<10> parameter_shape_index() const noexcept { return int_range<10>(message()); }
  constexpr bool is_parameter_aliased_with_output() const noexcept { return is_parameter_aliased_with_output_; }
  /// It may hold a result when the program ends.
  constexpr bool maybe_live_out() const noexcept { return maybe_live_out_; }
  /// The memory space.
  constexpr std::int64_t color() const noexcept { return color_; }
  constexpr message_range<assigned_buffer_view, 9> assigned() const noexcept {
    return message_range<assigned_buffer_view, 9>(message());
  }

 private:
  std::int64_t index_ = 0;
  std::int64_t size_bytes_ = 0;
  std::int64_t parameter_number_ = 0;
  std::int64_t color_ = 0;
  bool is_thread_local_ = false;
  bool is_tuple_ = false;
  bool is_entry_computation_parameter_ = false;
  bool is_constant_ = false;
  bool is_parameter_aliased_with_output_ = false;
  bool maybe_live_out_ = false;
};

enum class heap_event_kind : std::int32_t { alloc = 0, free = 1, share_with = 2 };

/// One step of the compiler's simulation of a heap.
class heap_event_view : public message_view<0> {
 public:
  constexpr heap_event_view() noexcept = default;
  constexpr explicit heap_event_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(1)) kind_ = static_cast<heap_event_kind>(detail::to_int32(f));
      if (f.is_varint(2)) buffer_id_ = detail::to_int64(f);
      if (f.is_bytes(3)) computation_name_ = f.bytes;
      if (f.is_bytes(4)) instruction_name_ = f.bytes;
      if (f.is_varint(5)) share_with_canonical_id_ = detail::to_int64(f);
    });
  }
  constexpr heap_event_kind kind() const noexcept { return kind_; }
  constexpr std::int64_t buffer_id() const noexcept { return buffer_id_; }
  constexpr std::string_view computation_name() const noexcept { return computation_name_; }
  constexpr std::string_view instruction_name() const noexcept { return instruction_name_; }
  /// For share_with: the buffer whose memory is used.
  constexpr std::int64_t share_with_canonical_id() const noexcept { return share_with_canonical_id_; }

 private:
  std::string_view computation_name_;
  std::string_view instruction_name_;
  std::int64_t buffer_id_ = 0;
  std::int64_t share_with_canonical_id_ = 0;
  heap_event_kind kind_ = heap_event_kind::alloc;
};

class heap_trace_view : public message_view<0> {
 public:
  constexpr heap_trace_view() noexcept = default;
  constexpr explicit heap_trace_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([this](const wire_field& f) {
      if (f.is_varint(2)) whole_module_simulation_ = detail::to_bool(f);
      if (f.is_varint(3)) buffer_allocation_index_ = detail::to_int64(f);
    });
  }
  constexpr message_range<heap_event_view, 1> events() const noexcept {
    return message_range<heap_event_view, 1>(message());
  }
  constexpr bool whole_module_simulation() const noexcept { return whole_module_simulation_; }
  /// Unreliable in real files: it may name an allocation that does not exist.
  constexpr std::int64_t buffer_allocation_index() const noexcept { return buffer_allocation_index_; }

 private:
  std::int64_t buffer_allocation_index_ = 0;
  bool whole_module_simulation_ = false;
};

/// Which values share which memory.
class buffer_assignment_view : public message_view<1> {
 public:
  constexpr buffer_assignment_view() noexcept = default;
  constexpr explicit buffer_assignment_view(const basic_message_bytes<1>& message) noexcept : message_view<1>(message) {
    read([](const wire_field&) {});
  }
  constexpr message_range<logical_buffer_view, 1, 1> logical_buffers() const noexcept {
    return message_range<logical_buffer_view, 1, 1>(message());
  }
  constexpr message_range<buffer_alias_view, 2, 1> buffer_aliases() const noexcept {
    return message_range<buffer_alias_view, 2, 1>(message());
  }
  constexpr message_range<buffer_allocation_view, 3, 1> buffer_allocations() const noexcept {
    return message_range<buffer_allocation_view, 3, 1>(message());
  }
  constexpr message_range<heap_trace_view, 4, 1> heap_simulator_traces() const noexcept {
    return message_range<heap_trace_view, 4, 1>(message());
  }
};

/// A whole HloProto.
class hlo_proto_view : public message_view<0> {
 public:
  constexpr hlo_proto_view() noexcept = default;
  constexpr explicit hlo_proto_view(std::string_view bytes) noexcept : message_view<0>(bytes) {
    read([](const wire_field&) {});
  }
  constexpr hlo_module_view hlo_module() const noexcept { return hlo_module_view(message().child(1)); }
  constexpr buffer_assignment_view buffer_assignment() const noexcept {
    return buffer_assignment_view(message().child(3));
  }
  constexpr std::string_view bytes() const noexcept { return message().first(); }
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
