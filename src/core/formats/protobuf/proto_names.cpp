// Made by proto/field_names.py from pk_xplane.proto, pk_hlo.proto, pk_op_stats.proto: do not edit.
#include <formats/protobuf/proto_names.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr char proto_texts[] =
    "planes\0errors\0warnings\0hostnames\0id\0name\0lines\0event_metadata\0stat_metadata\0stats\0key\0"
    "value\0timestamp_ns\0events\0duration_ps\0display_id\0display_name\0metadata_id\0offset_ps\0"
    "num_occurrences\0double_value\0uint64_value\0int64_value\0str_value\0bytes_value\0ref_value\0"
    "metadata\0child_id\0description\0dimensions\0dimension\0split_indices\0minor_to_major\0tiles\0"
    "element_size_in_bits\0memory_space\0dim_level_types\0physical_shape\0index_primitive_type\0"
    "pointer_primitive_type\0dim_unique\0dim_ordered\0dynamic_shape_metadata_prefix_bytes\0"
    "tail_padding_alignment_in_elements\0split_configs\0element_type\0tuple_shapes\0layout\0"
    "is_dynamic_dimension\0parameters\0result\0parameter_names\0shape\0preds\0u8s\0s32s\0s64s\0u32s\0u64s\0"
    "f32s\0f64s\0tuple_literals\0f16s\0c64s\0bf16s\0sparse_indices\0s8s\0u16s\0s16s\0c128s\0f8e5m2s\0"
    "f8e4m3fns\0s4s\0u4s\0f8e4m3b11fnuzs\0f8e5m2fnuzs\0f8e4m3fnuzs\0s2s\0u2s\0f8e4m3s\0f8e3m4s\0s1s\0u1s\0"
    "f4e2m1fns\0f8e8m0fnus\0op_type\0op_name\0source_file\0source_line\0profile_type\0"
    "size_of_generated_code_in_bytes\0size_of_memory_working_set_in_bytes\0profile_info\0"
    "deduplicated_name\0stack_frame_id\0scheduling_name\0source_end_line\0source_column\0"
    "source_end_column\0relative_speedup\0profile_source\0compilation_event\0profile_generation_strategy\0"
    "size\0stride\0padding_low\0padding_high\0window_dilation\0base_dilation\0window_reversal\0"
    "edge_padding_low\0edge_padding_high\0interior_padding\0offset_dims\0collapsed_slice_dims\0"
    "start_index_map\0index_vector_dim\0operand_batching_dims\0start_indices_batching_dims\0"
    "update_window_dims\0inserted_window_dims\0scatter_dims_to_operand_dims\0input_batching_dims\0"
    "scatter_indices_batching_dims\0kernel_input_feature_dimension\0kernel_output_feature_dimension\0"
    "kernel_spatial_dimensions\0input_batch_dimension\0input_feature_dimension\0output_batch_dimension\0"
    "output_feature_dimension\0input_spatial_dimensions\0output_spatial_dimensions\0"
    "lhs_contracting_dimensions\0rhs_contracting_dimensions\0lhs_batch_dimensions\0rhs_batch_dimensions\0"
    "dot_dimension_numbers\0lhs_ragged_dimensions\0rhs_group_dimensions\0left_side\0lower\0unit_diagonal\0"
    "transpose_a\0map\0stat_name\0stat_val\0stat_index_to_visualize\0statistics\0mode\0tolerance\0atol\0"
    "rtol\0ulps\0operand_precision\0algorithm\0replicated_at_leaf_buffers\0output_shape_index\0"
    "operand_index\0operand_shape_index\0instruction_name\0shape_index\0original_array\0elements\0"
    "is_synthetic_call\0axes\0device_ids\0mesh_axis_index\0sub_axis_info\0pre_size\0tuple_shardings\0mesh\0"
    "dim_shardings\0replicated_axes\0unreduced_axes\0is_closed\0type\0tile_shape\0"
    "tile_assignment_dimensions\0tile_assignment_devices\0replicate_on_last_tile_dim\0last_tile_dims\0"
    "iota_reshape_dims\0iota_transpose_perm\0is_shard_group\0shard_group_id\0shard_group_type\0"
    "named_sharding\0replica_ids\0num_replica_groups\0num_devices_per_group\0replica_groups\0"
    "iota_replica_group_list\0source\0target\0replica_count\0computation_count\0computation_devices\0"
    "replica_device_ids\0opcode\0literal\0parameter_number\0fusion_kind\0tuple_index\0window\0"
    "convolution_dimension_numbers\0slice_dimensions\0exponent_bits\0mantissa_bits\0dynamic_slice_sizes\0"
    "padding_config\0outfeed_config\0distribution\0epsilon\0feature_index\0channel_id\0infeed_config\0"
    "custom_call_target\0outfeed_shape\0fft_type\0fft_length\0gather_dimension_numbers\0"
    "gather_slice_sizes\0operand_ids\0control_predecessor_ids\0called_computation_ids\0sharding\0"
    "backend_config\0all_reduce_id\0is_host_transfer\0scatter_dimension_numbers\0feature_group_count\0"
    "precision_config\0source_target_pairs\0domain_entry_sharding\0domain_exit_sharding\0constrain_layout\0"
    "operand_shapes_with_layout\0batch_group_count\0triangular_solve_options\0is_stable\0"
    "parameter_replication\0cholesky_options\0comparison_direction\0custom_call_has_side_effect\0delta\0"
    "indices_are_sorted\0frontend_attributes\0unique_indices\0rng_algorithm\0use_global_device_ids\0"
    "comparison_type\0is_cross_program_prefetch\0output_operand_aliasing\0padding_type\0"
    "custom_call_schedule\0custom_call_api_version\0async_execution_thread\0cross_program_prefetch_index\0"
    "k\0statistics_viz\0largest\0collective_device_list\0original_value\0is_composite\0"
    "ragged_dot_dimension_numbers\0result_accuracy\0iota_collective_device_list\0"
    "mesh_axes_replica_group_list\0backend_config_payload\0start\0limit\0instructions\0program_shape\0"
    "root_id\0is_fusion_computation\0execution_thread\0sequences\0instruction_ids\0entries\0"
    "parameter_shape_index\0kind\0parameter\0index\0offset\0file_names\0function_names\0file_locations\0"
    "stack_frames\0file_name_id\0function_name_id\0line\0column\0end_line\0end_column\0file_location_id\0"
    "parent_frame_id\0entry_computation_name\0computations\0host_program_shape\0entry_computation_id\0"
    "schedule\0input_output_alias\0cross_program_prefetches\0is_dynamic\0spmd_output_sharding\0"
    "spmd_parameters_shardings\0device_assignment\0use_auto_spmd_partitioning\0stack_frame_index\0"
    "buffer_donor\0device_type\0payloads\0fingerprint\0original_changelist\0changelist\0defined_at\0color\0"
    "instruction_id\0is_thread_local\0is_entry_computation_parameter\0maybe_live_out\0assigned\0is_tuple\0"
    "is_constant\0is_parameter_aliased_with_output\0logical_buffer_id\0whole_module_simulation\0"
    "buffer_allocation_index\0buffer_id\0computation_name\0share_with_canonical_id\0logical_buffers\0"
    "buffer_aliases\0buffer_allocations\0heap_simulator_traces\0source_buffer_id\0location\0hlo_module\0"
    "buffer_assignment\0info\0file_name\0line_number\0stack_frame\0op_id\0parent_op_id\0symbol_id\0"
    "hlo_module_id\0children_count\0has_sc_children\0hlo_name\0long_name\0category\0provenance\0"
    "self_time_ps\0time_ps\0total_time_ps\0normalized_time_ps\0min_time_ps\0dma_stall_ps\0occurrences\0"
    "model_flops\0model_flops_v2\0flops_v2\0flops\0bytes_accessed\0memory_accessed_breakdown\0is_eager\0"
    "autotuned\0num_cores\0core_type\0is_fusion_child\0source_info\0operation_type\0op_instances\0"
    "profile_time_ps\0total_op_time_ps\0idle_time_ps\0busy_time_ps\0normalized_total_op_time_ps\0"
    "registers_per_thread\0static_shmem_bytes\0dynamic_shmem_bytes\0block_dim\0grid_dim\0"
    "total_duration_ns\0min_duration_ns\0max_duration_ns\0is_kernel_using_tensor_core\0"
    "is_op_tensor_core_eligible\0occupancy_pct\0reports\0alignment\0semantics\0children\0"
    "computation_primitive_size\0vdd_energy_j\0stable_op_id\0compute_16bit_ps\0compute_32bit_ps\0"
    "total_host_infeed_enq_duration_ps\0total_host_infeed_enq_start_timestamp_ps_diff\0metrics_db\0"
    "precision_stats\0busy_time_high_confidence_ps\0idle_time_high_confidence_ps\0component_name\0"
    "max_power\0avg_power\0max_moving_avg_power_100us\0max_moving_avg_power_1ms\0"
    "max_moving_avg_power_10ms\0timescale_us\0sample_count\0max_moving_avg_power_1s\0"
    "power_component_metrics\0file_name_to_metrics\0flops_utilization\0line_number_to_metric\0type_url\0"
    "type_ps\0category_ps\0infeed_duration_ps\0host_outfeed_ps\0wait_for_scv0_duration_ps\0"
    "scv0_infeed_transform_ps\0scv0_outfeed_ps\0crs_duration_ps\0scv0_infeed_percent\0send_duration_ps\0"
    "recv_duration_ps\0overlay_wait_duration_ps\0high_flops_compute_ps\0tc_idle_ps\0"
    "wait_for_megacore_fusion_peer_duration_ps\0host_send_duration_ps\0host_recv_duration_ps\0tc_busy_ps\0"
    "scv0_busy_ps\0scv0_step_ps\0sc_compute_ps\0sc_infeed_ps\0sc_outfeed_ps\0sc_idle_ps\0sc_busy_ps\0"
    "occurrence\0time_us\0bytes_transferred\0step_num\0begin_ps\0step_breakdown\0step_name\0collectives\0"
    "start_time_ps\0end_time_ps\0byte_size\0all_reduce_info\0step_info_per_core\0hlo_metrics_db\0"
    "core_id_to_replica_id_map\0all_reduce_db_per_core\0device_memory_transfers\0flat_hlo_metrics_db\0"
    "step_sequence\0use_incomplete_step\0num_steps_dropped\0empty_intersect\0count\0metrics\0"
    "total_tracing_count\0compiler\0expensive_call_percent\0tf_functions\0x\0y\0z\0host_x\0host_y\0host_z\0"
    "index_on_host\0global_id\0chips_per_host_bounds\0host_bounds\0mesh_location\0"
    "peak_tera_flops_per_second\0peak_hbm_bw_giga_bytes_per_second\0ridge_point\0"
    "peak_bw_giga_bytes_per_second\0peak_bws_giga_bytes_per_second\0has_cmem\0has_merged_vmem\0"
    "has_megacore\0change_list\0build_time\0build_target\0profile_duration_ms\0workspace_id\0snapshot\0"
    "host_id\0command_line\0start_time\0bns_address\0profile_time_ns\0host_count\0task_count\0"
    "device_core_count\0host_independent_job_info\0host_dependent_job_info\0num_cores_per_replica\0"
    "host_trace_level\0system_topology\0is_training\0power_metrics\0hardware_type\0hostname\0"
    "device_ordinal\0core_num\0local_chip_id\0global_chip_id\0global_core_id\0is_sparse_core\0"
    "matrix_unit_utilization_percent\0hbm_utilization_percent\0avg\0p50\0p90\0p95\0p99\0"
    "prefill_step_time_us\0num_prefill_steps\0decode_step_time_us\0num_decode_steps\0host_op_metrics_db\0"
    "device_op_metrics_db\0perf_env\0step_db\0run_environment\0kernel_stats_db\0tf_function_db\0"
    "diagnostics\0hlo_metrics_db_complete_steps_only\0core_id_to_details\0program_id_to_name_map\0"
    "performance_counter_result\0source_stats\0disaggregated_serving_latency\0flat_device_op_metrics_db\0"
    "flat_hlo_metrics_db_complete_steps_only\0XSpace\0XPlane\0XPlane.EventMetadataEntry\0"
    "XPlane.StatMetadataEntry\0XLine\0XEvent\0XStat\0XEventMetadata\0XStatMetadata\0TileProto\0"
    "SplitConfigProto\0LayoutProto\0ShapeProto\0ProgramShapeProto\0LiteralProto\0OpMetadata\0"
    "OpMetadata.ProfileInfo\0WindowDimension\0Window\0PaddingConfig\0PaddingConfig.PaddingConfigDimension\0"
    "GatherDimensionNumbers\0ScatterDimensionNumbers\0ConvolutionDimensionNumbers\0DotDimensionNumbers\0"
    "RaggedDotDimensionNumbers\0TriangularSolveOptions\0CholeskyOptions\0FrontendAttributes\0"
    "FrontendAttributes.MapEntry\0Statistic\0StatisticsViz\0ResultAccuracy\0ResultAccuracy.Tolerance\0"
    "PrecisionConfig\0ParameterReplication\0OutputOperandAliasing\0OriginalArrayProto\0"
    "OriginalValueElementProto\0OriginalValueProto\0Payload\0MeshProto\0MeshProto.MeshAxis\0AxisRefProto\0"
    "AxisRefProto.SubAxis\0NamedShardingProto\0NamedShardingProto.DimensionSharding\0OpSharding\0"
    "ReplicaGroup\0IotaReplicaGroupListProto\0MeshAxesReplicaGroupListProto\0CollectiveDeviceListProto\0"
    "SourceTarget\0DeviceAssignmentProto\0DeviceAssignmentProto.ComputationDevice\0HloInstructionProto\0"
    "HloInstructionProto.SliceDimensions\0HloComputationProto\0HloScheduleProto\0"
    "HloScheduleProto.InstructionSequence\0HloScheduleProto.SequencesEntry\0HloInputOutputAliasProto\0"
    "HloInputOutputAliasProto.AliasEntryProto\0HloBufferDonorProto\0"
    "HloBufferDonorProto.BufferDonorEntryProto\0CrossProgramPrefetch\0StackFrameIndexProto\0"
    "StackFrameIndexProto.FileLocation\0StackFrameIndexProto.StackFrame\0HloModuleProto\0"
    "HloModuleProto.ProfileInfo\0LogicalBufferProto\0LogicalBufferProto.Location\0BufferAllocationProto\0"
    "BufferAllocationProto.Assigned\0HeapSimulatorTrace\0HeapSimulatorTrace.Event\0BufferAssignmentProto\0"
    "BufferAssignmentProto.BufferAlias\0HloProto\0Diagnostics\0SourceInfo\0FlatOpMetrics\0"
    "FlatOpMetrics.MemoryAccessed\0FlatOpMetricsDb\0KernelReport\0KernelStatsDb\0LayoutAnalysis\0"
    "LayoutAnalysis.Dimension\0OpMetrics\0OpMetrics.MemoryAccessed\0PrecisionStats\0OpMetricsDb\0"
    "PowerComponentMetrics\0PowerMetrics\0SourceStats\0SourceStats.Metric\0SourceStats.FileMetrics\0"
    "SourceStats.FileMetrics.LineNumberToMetricEntry\0SourceStats.FileNameToMetricsEntry\0Any\0"
    "GenericStepBreakdown\0GenericStepBreakdown.TypePsEntry\0GenericStepBreakdown.CategoryPsEntry\0"
    "TpuStepBreakdown\0SparseCoreStepBreakdown\0DeviceMemoryTransfer\0StepInfoResult\0AllReduceInfo\0"
    "AllReduceDbResult\0PerCoreStepInfo\0PerCoreStepInfo.StepInfoPerCoreEntry\0"
    "PerCoreStepInfo.CoreIdToReplicaIdMapEntry\0PerCoreStepInfo.AllReduceDbPerCoreEntry\0"
    "StepDatabaseResult\0TfFunctionMetrics\0TfFunction\0TfFunction.MetricsEntry\0TfFunctionDb\0"
    "TfFunctionDb.TfFunctionsEntry\0TopologyDimension\0TopologyLocation\0Topology\0PerfEnv\0"
    "HostIndependentJobInfoResult\0HostDependentJobInfoResult\0RunEnvironment\0"
    "RunEnvironment.HostnamesEntry\0CoreDetails\0PerformanceCounterResult\0DistributionStats\0"
    "DisaggregatedServingLatency\0OpStats\0OpStats.CoreIdToDetailsEntry\0OpStats.ProgramIdToNameMapEntry\0"
    "TRANSPOSE_INVALID\0NO_TRANSPOSE\0TRANSPOSE\0ADJOINT\0DEFAULT\0HIGHEST\0HIGH\0ALG_UNSET\0"
    "ALG_DOT_ANY_F8_ANY_F8_F32\0ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM\0ALG_DOT_F16_F16_F16\0"
    "ALG_DOT_F16_F16_F32\0ALG_DOT_BF16_BF16_BF16\0ALG_DOT_BF16_BF16_F32\0ALG_DOT_BF16_BF16_F32_X3\0"
    "ALG_DOT_BF16_BF16_F32_X6\0ALG_DOT_TF32_TF32_F32\0ALG_DOT_TF32_TF32_F32_X3\0ALG_DOT_F32_F32_F32\0"
    "ALG_DOT_F64_F64_F64\0ALG_DOT_BF16_BF16_F32_X9\0REPLICATED\0MAXIMAL\0TUPLE\0OTHER\0MANUAL\0UNKNOWN\0"
    "UNREDUCED\0AS\0LIKE\0INVALID\0FLAG\0FUSION\0LAYOUT\0DOT\0FLAGNET\0SHARDING\0SCHEDULE\0"
    "PROFILE_GENERATION_STRATEGY_UNKNOWN\0PROFILE_GENERATION_STRATEGY_GA\0"
    "PROFILE_GENERATION_STRATEGY_FANTA\0PROFILE_GENERATION_STRATEGY_CFO\0ALLOC\0FREE\0SHARE_WITH\0"
    "PRIMITIVE_TYPE_INVALID\0PRED\0S8\0S16\0S32\0S64\0U8\0U16\0U32\0U64\0F16\0F32\0F64\0OPAQUE_TYPE\0C64\0"
    "BF16\0TOKEN\0C128\0F8E5M2\0F8E4M3FN\0S4\0U4\0F8E4M3B11FNUZ\0F8E5M2FNUZ\0F8E4M3FNUZ\0S2\0U2\0F8E4M3\0"
    "F8E3M4\0S1\0U1\0F4E2M1FN\0F8E8M0FNU\0BUFFER\0DIM_DENSE\0DIM_COMPRESSED\0DIM_SINGLETON\0"
    "DIM_LOOSE_COMPRESSED\0WINDOW\0INTEGER\0PROFILE_SOURCE_UNKNOWN_SOURCE\0PROFILE_SOURCE_EMBEDDED\0"
    "PROFILE_SOURCE_REMOTE\0COMPILATION_EVENT_UNKNOWN_EVENT\0COMPILATION_EVENT_FIRST_COMPILATION\0"
    "COMPILATION_EVENT_RECOMPILATION\0PROFILE_GENERATION_STRATEGY_EXHAUSTIVE\0"
    "PROFILE_GENERATION_STRATEGY_LCM_GNN\0PROFILE_GENERATION_STRATEGY_LCM_MOE\0PADDING_INVALID\0"
    "PADDING_VALID\0PADDING_SAME\0FFT\0IFFT\0RFFT\0IRFFT\0RNG_INVALID\0RNG_UNIFORM\0RNG_NORMAL\0"
    "RNG_DEFAULT\0RNG_THREE_FRY\0RNG_PHILOX\0SCHEDULE_NONE\0SCHEDULE_LATEST\0SCHEDULE_EARLIEST\0"
    "API_VERSION_UNSPECIFIED\0API_VERSION_ORIGINAL\0API_VERSION_STATUS_RETURNING\0"
    "API_VERSION_STATUS_RETURNING_UNIFIED\0API_VERSION_TYPED_FFI\0UNDEFINED_ALIAS\0MAY_ALIAS\0MUST_ALIAS\0"
    "READ\0WRITE\0TENSOR_CORE\0SPARSE_CORE\0UNKNOWN_HARDWARE\0CPU_ONLY\0GPU\0TPU\0UNKNOWN_SEMANTICS\0"
    "FEATURE\0BATCH\0SPATIAL\0INVALID_COMPILER\0OTHER_COMPILER\0MIXED_COMPILER\0XLA_COMPILER\0"
    "MLIR_COMPILER\0TriangularSolveOptions.Transpose\0ResultAccuracy.Mode\0PrecisionConfig.Precision\0"
    "PrecisionConfig.Algorithm\0OpSharding.Type\0OpSharding.ShardGroupType\0HloModuleProto.ProfileType\0"
    "HloModuleProto.ProfileGenerationStrategy\0HeapSimulatorTrace.Event.Kind\0PrimitiveType\0DimLevelType\0"
    "ProfileType\0ProfileSource\0CompilationEvent\0ProfileGenerationStrategy\0PaddingType\0FftType\0"
    "RandomDistribution\0RandomAlgorithm\0CustomCallSchedule\0CustomCallApiVersion\0Kind\0"
    "FlatOpMetrics.MemoryAccessed.OperationType\0FlatOpMetrics.TpuCoreType\0"
    "OpMetrics.MemoryAccessed.OperationType\0OpMetrics.TpuCoreType\0HardwareType\0"
    "LayoutDimensionSemantics\0TfFunctionCompiler\0";

// number, type, repeated, message or enum, oneof, name
constexpr proto_field_name proto_fields[] = {
    {1, 11, true, 1, -1, {0}},  // planes
    {2, 9, true, -1, -1, {7}},  // errors
    {3, 9, true, -1, -1, {14}},  // warnings
    {4, 9, true, -1, -1, {23}},  // hostnames
    {1, 3, false, -1, -1, {33}},  // id
    {2, 9, false, -1, -1, {36}},  // name
    {3, 11, true, 4, -1, {41}},  // lines
    {4, 11, true, 2, -1, {47}},  // event_metadata
    {5, 11, true, 3, -1, {62}},  // stat_metadata
    {6, 11, true, 6, -1, {76}},  // stats
    {1, 3, false, -1, -1, {82}},  // key
    {2, 11, false, 7, -1, {86}},  // value
    {1, 3, false, -1, -1, {82}},  // key
    {2, 11, false, 8, -1, {86}},  // value
    {1, 3, false, -1, -1, {33}},  // id
    {2, 9, false, -1, -1, {36}},  // name
    {3, 3, false, -1, -1, {92}},  // timestamp_ns
    {4, 11, true, 5, -1, {105}},  // events
    {9, 3, false, -1, -1, {112}},  // duration_ps
    {10, 3, false, -1, -1, {124}},  // display_id
    {11, 9, false, -1, -1, {135}},  // display_name
    {1, 3, false, -1, -1, {148}},  // metadata_id
    {2, 3, false, -1, 0, {160}},  // offset_ps
    {3, 3, false, -1, -1, {112}},  // duration_ps
    {4, 11, true, 6, -1, {76}},  // stats
    {5, 3, false, -1, 0, {170}},  // num_occurrences
    {1, 3, false, -1, -1, {148}},  // metadata_id
    {2, 1, false, -1, 0, {186}},  // double_value
    {3, 4, false, -1, 0, {199}},  // uint64_value
    {4, 3, false, -1, 0, {212}},  // int64_value
    {5, 9, false, -1, 0, {224}},  // str_value
    {6, 12, false, -1, 0, {234}},  // bytes_value
    {7, 4, false, -1, 0, {246}},  // ref_value
    {1, 3, false, -1, -1, {33}},  // id
    {2, 9, false, -1, -1, {36}},  // name
    {3, 12, false, -1, -1, {256}},  // metadata
    {4, 9, false, -1, -1, {135}},  // display_name
    {5, 11, true, 6, -1, {76}},  // stats
    {6, 3, true, -1, -1, {265}},  // child_id
    {1, 3, false, -1, -1, {33}},  // id
    {2, 9, false, -1, -1, {36}},  // name
    {3, 9, false, -1, -1, {274}},  // description
    {1, 3, true, -1, -1, {286}},  // dimensions
    {1, 3, false, -1, -1, {297}},  // dimension
    {2, 3, true, -1, -1, {307}},  // split_indices
    {1, 3, true, -1, -1, {321}},  // minor_to_major
    {6, 11, true, 9, -1, {336}},  // tiles
    {7, 3, false, -1, -1, {342}},  // element_size_in_bits
    {8, 3, false, -1, -1, {363}},  // memory_space
    {9, 14, true, 10, -1, {376}},  // dim_level_types
    {10, 11, false, 12, -1, {392}},  // physical_shape
    {11, 14, false, 9, -1, {407}},  // index_primitive_type
    {12, 14, false, 9, -1, {428}},  // pointer_primitive_type
    {13, 8, true, -1, -1, {451}},  // dim_unique
    {14, 8, true, -1, -1, {462}},  // dim_ordered
    {15, 3, false, -1, -1, {474}},  // dynamic_shape_metadata_prefix_bytes
    {16, 3, false, -1, -1, {510}},  // tail_padding_alignment_in_elements
    {17, 11, true, 10, -1, {545}},  // split_configs
    {2, 14, false, 9, -1, {559}},  // element_type
    {3, 3, true, -1, -1, {286}},  // dimensions
    {4, 11, true, 12, -1, {572}},  // tuple_shapes
    {5, 11, false, 11, -1, {585}},  // layout
    {6, 8, true, -1, -1, {592}},  // is_dynamic_dimension
    {1, 11, true, 12, -1, {613}},  // parameters
    {2, 11, false, 12, -1, {624}},  // result
    {3, 9, true, -1, -1, {631}},  // parameter_names
    {1, 11, false, 12, -1, {647}},  // shape
    {2, 8, true, -1, -1, {653}},  // preds
    {3, 12, false, -1, -1, {659}},  // u8s
    {4, 5, true, -1, -1, {663}},  // s32s
    {5, 3, true, -1, -1, {668}},  // s64s
    {6, 13, true, -1, -1, {673}},  // u32s
    {7, 4, true, -1, -1, {678}},  // u64s
    {8, 2, true, -1, -1, {683}},  // f32s
    {9, 1, true, -1, -1, {688}},  // f64s
    {10, 11, true, 14, -1, {693}},  // tuple_literals
    {11, 12, false, -1, -1, {708}},  // f16s
    {12, 2, true, -1, -1, {713}},  // c64s
    {13, 12, false, -1, -1, {718}},  // bf16s
    {14, 3, true, -1, -1, {724}},  // sparse_indices
    {15, 12, false, -1, -1, {739}},  // s8s
    {16, 12, false, -1, -1, {743}},  // u16s
    {17, 12, false, -1, -1, {748}},  // s16s
    {18, 1, true, -1, -1, {753}},  // c128s
    {19, 12, false, -1, -1, {759}},  // f8e5m2s
    {20, 12, false, -1, -1, {767}},  // f8e4m3fns
    {21, 12, false, -1, -1, {777}},  // s4s
    {22, 12, false, -1, -1, {781}},  // u4s
    {23, 12, false, -1, -1, {785}},  // f8e4m3b11fnuzs
    {24, 12, false, -1, -1, {800}},  // f8e5m2fnuzs
    {25, 12, false, -1, -1, {812}},  // f8e4m3fnuzs
    {26, 12, false, -1, -1, {824}},  // s2s
    {27, 12, false, -1, -1, {828}},  // u2s
    {28, 12, false, -1, -1, {832}},  // f8e4m3s
    {29, 12, false, -1, -1, {840}},  // f8e3m4s
    {30, 12, false, -1, -1, {848}},  // s1s
    {31, 12, false, -1, -1, {852}},  // u1s
    {32, 12, false, -1, -1, {856}},  // f4e2m1fns
    {33, 12, false, -1, -1, {866}},  // f8e8m0fnus
    {1, 9, false, -1, -1, {877}},  // op_type
    {2, 9, false, -1, -1, {885}},  // op_name
    {3, 9, false, -1, -1, {893}},  // source_file
    {4, 5, false, -1, -1, {905}},  // source_line
    {5, 14, true, 11, -1, {917}},  // profile_type
    {8, 3, false, -1, -1, {930}},  // size_of_generated_code_in_bytes
    {9, 3, false, -1, -1, {962}},  // size_of_memory_working_set_in_bytes
    {10, 11, false, 16, -1, {998}},  // profile_info
    {12, 9, false, -1, -1, {1011}},  // deduplicated_name
    {15, 5, false, -1, -1, {1029}},  // stack_frame_id
    {16, 9, false, -1, -1, {1044}},  // scheduling_name
    {17, 5, false, -1, -1, {1060}},  // source_end_line
    {18, 5, false, -1, -1, {1076}},  // source_column
    {19, 5, false, -1, -1, {1090}},  // source_end_column
    {1, 14, true, 11, -1, {917}},  // profile_type
    {2, 1, false, -1, -1, {1108}},  // relative_speedup
    {3, 14, false, 12, -1, {1125}},  // profile_source
    {4, 14, false, 13, -1, {1140}},  // compilation_event
    {5, 14, false, 14, -1, {1158}},  // profile_generation_strategy
    {1, 3, false, -1, -1, {1186}},  // size
    {2, 3, false, -1, -1, {1191}},  // stride
    {3, 3, false, -1, -1, {1198}},  // padding_low
    {4, 3, false, -1, -1, {1210}},  // padding_high
    {5, 3, false, -1, -1, {1223}},  // window_dilation
    {6, 3, false, -1, -1, {1239}},  // base_dilation
    {7, 8, false, -1, -1, {1253}},  // window_reversal
    {1, 11, true, 17, -1, {286}},  // dimensions
    {1, 11, true, 20, -1, {286}},  // dimensions
    {1, 3, false, -1, -1, {1269}},  // edge_padding_low
    {2, 3, false, -1, -1, {1286}},  // edge_padding_high
    {3, 3, false, -1, -1, {1304}},  // interior_padding
    {1, 3, true, -1, -1, {1321}},  // offset_dims
    {2, 3, true, -1, -1, {1333}},  // collapsed_slice_dims
    {3, 3, true, -1, -1, {1354}},  // start_index_map
    {4, 3, false, -1, -1, {1370}},  // index_vector_dim
    {5, 3, true, -1, -1, {1387}},  // operand_batching_dims
    {6, 3, true, -1, -1, {1409}},  // start_indices_batching_dims
    {1, 3, true, -1, -1, {1437}},  // update_window_dims
    {2, 3, true, -1, -1, {1456}},  // inserted_window_dims
    {3, 3, true, -1, -1, {1477}},  // scatter_dims_to_operand_dims
    {4, 3, false, -1, -1, {1370}},  // index_vector_dim
    {5, 3, true, -1, -1, {1506}},  // input_batching_dims
    {6, 3, true, -1, -1, {1526}},  // scatter_indices_batching_dims
    {3, 3, false, -1, -1, {1556}},  // kernel_input_feature_dimension
    {4, 3, false, -1, -1, {1587}},  // kernel_output_feature_dimension
    {6, 3, true, -1, -1, {1619}},  // kernel_spatial_dimensions
    {7, 3, false, -1, -1, {1645}},  // input_batch_dimension
    {8, 3, false, -1, -1, {1667}},  // input_feature_dimension
    {9, 3, false, -1, -1, {1691}},  // output_batch_dimension
    {10, 3, false, -1, -1, {1714}},  // output_feature_dimension
    {11, 3, true, -1, -1, {1739}},  // input_spatial_dimensions
    {12, 3, true, -1, -1, {1764}},  // output_spatial_dimensions
    {1, 3, true, -1, -1, {1790}},  // lhs_contracting_dimensions
    {2, 3, true, -1, -1, {1817}},  // rhs_contracting_dimensions
    {3, 3, true, -1, -1, {1844}},  // lhs_batch_dimensions
    {4, 3, true, -1, -1, {1865}},  // rhs_batch_dimensions
    {1, 11, false, 24, -1, {1886}},  // dot_dimension_numbers
    {2, 3, true, -1, -1, {1908}},  // lhs_ragged_dimensions
    {3, 3, true, -1, -1, {1930}},  // rhs_group_dimensions
    {1, 8, false, -1, -1, {1951}},  // left_side
    {2, 8, false, -1, -1, {1961}},  // lower
    {3, 8, false, -1, -1, {1967}},  // unit_diagonal
    {4, 14, false, 0, -1, {1981}},  // transpose_a
    {1, 8, false, -1, -1, {1961}},  // lower
    {1, 11, true, 29, -1, {1993}},  // map
    {1, 9, false, -1, -1, {82}},  // key
    {2, 9, false, -1, -1, {86}},  // value
    {1, 9, false, -1, -1, {1997}},  // stat_name
    {2, 1, false, -1, -1, {2007}},  // stat_val
    {1, 3, false, -1, -1, {2016}},  // stat_index_to_visualize
    {2, 11, true, 30, -1, {2040}},  // statistics
    {1, 14, false, 1, 0, {2051}},  // mode
    {2, 11, false, 33, 0, {2056}},  // tolerance
    {1, 1, false, -1, -1, {2066}},  // atol
    {2, 1, false, -1, -1, {2071}},  // rtol
    {3, 3, false, -1, -1, {2076}},  // ulps
    {1, 14, true, 2, -1, {2081}},  // operand_precision
    {2, 14, false, 3, -1, {2099}},  // algorithm
    {1, 8, true, -1, -1, {2109}},  // replicated_at_leaf_buffers
    {1, 3, true, -1, -1, {2136}},  // output_shape_index
    {2, 3, false, -1, -1, {2155}},  // operand_index
    {3, 3, true, -1, -1, {2169}},  // operand_shape_index
    {1, 9, false, -1, -1, {2189}},  // instruction_name
    {2, 3, true, -1, -1, {2206}},  // shape_index
    {1, 3, true, -1, -1, {2206}},  // shape_index
    {2, 11, false, 37, -1, {2218}},  // original_array
    {1, 11, true, 38, -1, {2233}},  // elements
    {2, 8, false, -1, -1, {2242}},  // is_synthetic_call
    {1, 12, false, -1, 0, {86}},  // value
    {2, 3, false, -1, 0, {33}},  // id
    {1, 11, true, 42, -1, {2260}},  // axes
    {2, 3, true, -1, -1, {2265}},  // device_ids
    {1, 9, false, -1, -1, {36}},  // name
    {2, 3, false, -1, -1, {1186}},  // size
    {1, 3, false, -1, -1, {2276}},  // mesh_axis_index
    {2, 11, false, 44, -1, {2292}},  // sub_axis_info
    {1, 3, false, -1, -1, {2306}},  // pre_size
    {2, 3, false, -1, -1, {1186}},  // size
    {1, 11, true, 45, -1, {2315}},  // tuple_shardings
    {2, 11, false, 41, -1, {2331}},  // mesh
    {3, 11, true, 46, -1, {2336}},  // dim_shardings
    {4, 11, true, 43, -1, {2350}},  // replicated_axes
    {5, 11, true, 43, -1, {2366}},  // unreduced_axes
    {6, 11, true, 15, -1, {256}},  // metadata
    {1, 11, true, 43, -1, {2260}},  // axes
    {2, 8, false, -1, -1, {2381}},  // is_closed
    {1, 14, false, 4, -1, {2391}},  // type
    {2, 11, false, 12, -1, {2396}},  // tile_shape
    {3, 3, true, -1, -1, {2407}},  // tile_assignment_dimensions
    {4, 3, true, -1, -1, {2434}},  // tile_assignment_devices
    {5, 11, true, 47, -1, {2315}},  // tuple_shardings
    {6, 8, false, -1, -1, {2458}},  // replicate_on_last_tile_dim
    {7, 11, true, 15, -1, {256}},  // metadata
    {8, 14, true, 4, -1, {2485}},  // last_tile_dims
    {9, 3, true, -1, -1, {2500}},  // iota_reshape_dims
    {10, 5, true, -1, -1, {2518}},  // iota_transpose_perm
    {11, 8, false, -1, -1, {2538}},  // is_shard_group
    {12, 3, false, -1, -1, {2553}},  // shard_group_id
    {13, 14, false, 5, -1, {2568}},  // shard_group_type
    {14, 11, false, 45, -1, {2585}},  // named_sharding
    {1, 3, true, -1, -1, {2600}},  // replica_ids
    {1, 3, false, -1, -1, {2612}},  // num_replica_groups
    {2, 3, false, -1, -1, {2631}},  // num_devices_per_group
    {3, 3, true, -1, -1, {2500}},  // iota_reshape_dims
    {4, 5, true, -1, -1, {2518}},  // iota_transpose_perm
    {1, 11, false, 41, -1, {2331}},  // mesh
    {2, 11, true, 43, -1, {2260}},  // axes
    {1, 11, true, 48, -1, {2653}},  // replica_groups
    {2, 11, false, 49, -1, {2668}},  // iota_replica_group_list
    {1, 3, false, -1, -1, {2692}},  // source
    {2, 3, false, -1, -1, {2699}},  // target
    {1, 5, false, -1, -1, {2706}},  // replica_count
    {2, 5, false, -1, -1, {2720}},  // computation_count
    {3, 11, true, 54, -1, {2738}},  // computation_devices
    {1, 3, true, -1, -1, {2758}},  // replica_device_ids
    {1, 9, false, -1, -1, {36}},  // name
    {2, 9, false, -1, -1, {2777}},  // opcode
    {3, 11, false, 12, -1, {647}},  // shape
    {7, 11, false, 15, -1, {256}},  // metadata
    {8, 11, false, 14, -1, {2784}},  // literal
    {9, 3, false, -1, -1, {2792}},  // parameter_number
    {11, 9, false, -1, -1, {2809}},  // fusion_kind
    {13, 3, false, -1, -1, {2821}},  // tuple_index
    {14, 3, true, -1, -1, {286}},  // dimensions
    {15, 11, false, 18, -1, {2833}},  // window
    {16, 11, false, 23, -1, {2840}},  // convolution_dimension_numbers
    {17, 11, true, 56, -1, {2870}},  // slice_dimensions
    {18, 5, false, -1, -1, {2887}},  // exponent_bits
    {19, 5, false, -1, -1, {2901}},  // mantissa_bits
    {20, 3, true, -1, -1, {2915}},  // dynamic_slice_sizes
    {21, 11, false, 19, -1, {2935}},  // padding_config
    {22, 12, false, -1, -1, {2950}},  // outfeed_config
    {23, 14, false, 17, -1, {2965}},  // distribution
    {24, 2, false, -1, -1, {2978}},  // epsilon
    {25, 3, false, -1, -1, {2986}},  // feature_index
    {26, 3, false, -1, -1, {3000}},  // channel_id
    {27, 12, false, -1, -1, {3011}},  // infeed_config
    {28, 9, false, -1, -1, {3025}},  // custom_call_target
    {29, 11, false, 12, -1, {3044}},  // outfeed_shape
    {30, 11, false, 24, -1, {1886}},  // dot_dimension_numbers
    {31, 14, false, 16, -1, {3058}},  // fft_type
    {32, 3, true, -1, -1, {3067}},  // fft_length
    {33, 11, false, 21, -1, {3078}},  // gather_dimension_numbers
    {34, 3, true, -1, -1, {3103}},  // gather_slice_sizes
    {35, 3, false, -1, -1, {33}},  // id
    {36, 3, true, -1, -1, {3122}},  // operand_ids
    {37, 3, true, -1, -1, {3134}},  // control_predecessor_ids
    {38, 3, true, -1, -1, {3158}},  // called_computation_ids
    {40, 11, false, 47, -1, {3181}},  // sharding
    {43, 12, false, -1, -1, {3190}},  // backend_config
    {45, 3, false, -1, -1, {3205}},  // all_reduce_id
    {47, 8, false, -1, -1, {3219}},  // is_host_transfer
    {48, 11, false, 22, -1, {3236}},  // scatter_dimension_numbers
    {49, 11, true, 48, -1, {2653}},  // replica_groups
    {50, 3, false, -1, -1, {3262}},  // feature_group_count
    {51, 11, false, 34, -1, {3282}},  // precision_config
    {52, 11, true, 52, -1, {3299}},  // source_target_pairs
    {54, 11, false, 47, -1, {3319}},  // domain_entry_sharding
    {55, 11, false, 47, -1, {3341}},  // domain_exit_sharding
    {56, 8, false, -1, -1, {3362}},  // constrain_layout
    {57, 11, true, 12, -1, {3379}},  // operand_shapes_with_layout
    {58, 3, false, -1, -1, {3406}},  // batch_group_count
    {59, 11, false, 26, -1, {3424}},  // triangular_solve_options
    {60, 8, false, -1, -1, {3449}},  // is_stable
    {61, 11, false, 35, -1, {3459}},  // parameter_replication
    {62, 11, false, 27, -1, {3481}},  // cholesky_options
    {63, 9, false, -1, -1, {3498}},  // comparison_direction
    {65, 8, false, -1, -1, {3519}},  // custom_call_has_side_effect
    {66, 3, false, -1, -1, {3547}},  // delta
    {67, 8, false, -1, -1, {3553}},  // indices_are_sorted
    {68, 11, false, 28, -1, {3572}},  // frontend_attributes
    {69, 8, false, -1, -1, {3592}},  // unique_indices
    {70, 14, false, 18, -1, {3607}},  // rng_algorithm
    {71, 8, false, -1, -1, {3621}},  // use_global_device_ids
    {72, 9, false, -1, -1, {3643}},  // comparison_type
    {73, 8, false, -1, -1, {3659}},  // is_cross_program_prefetch
    {74, 11, true, 36, -1, {3685}},  // output_operand_aliasing
    {75, 14, false, 15, -1, {3709}},  // padding_type
    {76, 14, false, 19, -1, {3722}},  // custom_call_schedule
    {77, 14, false, 20, -1, {3743}},  // custom_call_api_version
    {79, 9, false, -1, -1, {3767}},  // async_execution_thread
    {80, 5, false, -1, 0, {3790}},  // cross_program_prefetch_index
    {81, 3, false, -1, -1, {3819}},  // k
    {82, 11, false, 31, -1, {3821}},  // statistics_viz
    {85, 8, false, -1, -1, {3836}},  // largest
    {87, 11, false, 51, 1, {3844}},  // collective_device_list
    {88, 11, false, 39, -1, {3867}},  // original_value
    {89, 8, false, -1, -1, {3882}},  // is_composite
    {90, 11, false, 25, -1, {3895}},  // ragged_dot_dimension_numbers
    {91, 11, false, 32, -1, {3924}},  // result_accuracy
    {92, 11, false, 49, 1, {3940}},  // iota_collective_device_list
    {93, 11, false, 50, 1, {3968}},  // mesh_axes_replica_group_list
    {99, 11, false, 40, -1, {3997}},  // backend_config_payload
    {1, 3, false, -1, -1, {4020}},  // start
    {2, 3, false, -1, -1, {4026}},  // limit
    {3, 3, false, -1, -1, {1191}},  // stride
    {1, 9, false, -1, -1, {36}},  // name
    {2, 11, true, 55, -1, {4032}},  // instructions
    {4, 11, false, 13, -1, {4045}},  // program_shape
    {5, 3, false, -1, -1, {33}},  // id
    {6, 3, false, -1, -1, {4059}},  // root_id
    {7, 8, false, -1, -1, {4067}},  // is_fusion_computation
    {8, 9, false, -1, -1, {4089}},  // execution_thread
    {1, 11, true, 60, -1, {4106}},  // sequences
    {1, 3, true, -1, -1, {4116}},  // instruction_ids
    {1, 3, false, -1, -1, {82}},  // key
    {2, 11, false, 59, -1, {86}},  // value
    {1, 11, true, 62, -1, {4132}},  // entries
    {1, 3, true, -1, -1, {2136}},  // output_shape_index
    {2, 3, false, -1, -1, {2792}},  // parameter_number
    {3, 3, true, -1, -1, {4140}},  // parameter_shape_index
    {4, 14, false, 21, -1, {4162}},  // kind
    {1, 11, true, 64, -1, {4132}},  // entries
    {1, 3, false, -1, -1, {2792}},  // parameter_number
    {2, 3, true, -1, -1, {4140}},  // parameter_shape_index
    {1, 3, false, -1, -1, {4167}},  // parameter
    {2, 3, true, -1, -1, {4177}},  // index
    {3, 3, false, -1, -1, {4183}},  // offset
    {1, 9, true, -1, -1, {4190}},  // file_names
    {2, 9, true, -1, -1, {4201}},  // function_names
    {3, 11, true, 67, -1, {4216}},  // file_locations
    {4, 11, true, 68, -1, {4231}},  // stack_frames
    {1, 5, false, -1, -1, {4244}},  // file_name_id
    {2, 5, false, -1, -1, {4257}},  // function_name_id
    {3, 5, false, -1, -1, {4274}},  // line
    {4, 5, false, -1, -1, {4279}},  // column
    {5, 5, false, -1, -1, {4286}},  // end_line
    {6, 5, false, -1, -1, {4295}},  // end_column
    {1, 5, false, -1, -1, {4306}},  // file_location_id
    {2, 5, false, -1, -1, {4323}},  // parent_frame_id
    {1, 9, false, -1, -1, {36}},  // name
    {2, 9, false, -1, -1, {4339}},  // entry_computation_name
    {3, 11, true, 57, -1, {4362}},  // computations
    {4, 11, false, 13, -1, {4375}},  // host_program_shape
    {5, 3, false, -1, -1, {33}},  // id
    {6, 3, false, -1, -1, {4394}},  // entry_computation_id
    {7, 11, false, 58, -1, {4415}},  // schedule
    {8, 11, false, 61, -1, {4424}},  // input_output_alias
    {10, 11, true, 65, -1, {4443}},  // cross_program_prefetches
    {11, 8, false, -1, -1, {4468}},  // is_dynamic
    {12, 11, false, 47, -1, {4479}},  // spmd_output_sharding
    {13, 11, true, 70, -1, {998}},  // profile_info
    {14, 11, true, 47, -1, {4500}},  // spmd_parameters_shardings
    {15, 11, false, 53, -1, {4526}},  // device_assignment
    {16, 8, false, -1, -1, {4544}},  // use_auto_spmd_partitioning
    {17, 11, false, 66, -1, {4571}},  // stack_frame_index
    {18, 11, false, 63, -1, {4589}},  // buffer_donor
    {19, 11, false, 28, -1, {3572}},  // frontend_attributes
    {21, 9, false, -1, -1, {4602}},  // device_type
    {22, 12, true, -1, -1, {4614}},  // payloads
    {1, 14, false, 6, -1, {917}},  // profile_type
    {2, 1, false, -1, -1, {1108}},  // relative_speedup
    {3, 14, false, 12, -1, {1125}},  // profile_source
    {4, 14, false, 13, -1, {1140}},  // compilation_event
    {5, 9, false, -1, -1, {4623}},  // fingerprint
    {6, 14, false, 7, -1, {1158}},  // profile_generation_strategy
    {7, 3, false, -1, -1, {4635}},  // original_changelist
    {8, 3, false, -1, -1, {4655}},  // changelist
    {1, 3, false, -1, -1, {33}},  // id
    {2, 3, false, -1, -1, {1186}},  // size
    {3, 11, false, 72, -1, {4666}},  // defined_at
    {4, 3, false, -1, -1, {4677}},  // color
    {2, 9, false, -1, -1, {2189}},  // instruction_name
    {3, 3, true, -1, -1, {2206}},  // shape_index
    {4, 3, false, -1, -1, {4683}},  // instruction_id
    {1, 3, false, -1, -1, {4177}},  // index
    {2, 3, false, -1, -1, {1186}},  // size
    {3, 8, false, -1, -1, {4698}},  // is_thread_local
    {5, 8, false, -1, -1, {4714}},  // is_entry_computation_parameter
    {6, 3, false, -1, -1, {2792}},  // parameter_number
    {7, 8, false, -1, -1, {4745}},  // maybe_live_out
    {8, 3, false, -1, -1, {4677}},  // color
    {9, 11, true, 74, -1, {4760}},  // assigned
    {10, 3, true, -1, -1, {4140}},  // parameter_shape_index
    {11, 8, false, -1, -1, {4769}},  // is_tuple
    {12, 8, false, -1, -1, {4778}},  // is_constant
    {13, 8, false, -1, -1, {4790}},  // is_parameter_aliased_with_output
    {1, 3, false, -1, -1, {4823}},  // logical_buffer_id
    {2, 3, false, -1, -1, {4183}},  // offset
    {3, 3, false, -1, -1, {1186}},  // size
    {1, 11, true, 76, -1, {105}},  // events
    {2, 8, false, -1, -1, {4841}},  // whole_module_simulation
    {3, 3, false, -1, -1, {4865}},  // buffer_allocation_index
    {1, 14, false, 8, -1, {4162}},  // kind
    {2, 3, false, -1, -1, {4889}},  // buffer_id
    {3, 9, false, -1, -1, {4899}},  // computation_name
    {4, 9, false, -1, -1, {2189}},  // instruction_name
    {5, 3, false, -1, -1, {4916}},  // share_with_canonical_id
    {1, 11, true, 71, -1, {4940}},  // logical_buffers
    {2, 11, true, 78, -1, {4956}},  // buffer_aliases
    {3, 11, true, 73, -1, {4971}},  // buffer_allocations
    {4, 11, true, 75, -1, {4990}},  // heap_simulator_traces
    {1, 3, false, -1, -1, {5012}},  // source_buffer_id
    {2, 11, false, 72, -1, {5029}},  // location
    {1, 11, false, 69, -1, {5038}},  // hlo_module
    {3, 11, false, 77, -1, {5049}},  // buffer_assignment
    {1, 9, true, -1, -1, {5067}},  // info
    {2, 9, true, -1, -1, {14}},  // warnings
    {3, 9, true, -1, -1, {7}},  // errors
    {1, 9, false, -1, -1, {5072}},  // file_name
    {2, 5, false, -1, -1, {5082}},  // line_number
    {3, 9, false, -1, -1, {5094}},  // stack_frame
    {1, 4, false, -1, -1, {5106}},  // op_id
    {2, 4, false, -1, -1, {5112}},  // parent_op_id
    {3, 4, false, -1, -1, {5125}},  // symbol_id
    {4, 4, false, -1, -1, {5135}},  // hlo_module_id
    {5, 4, false, -1, -1, {5149}},  // children_count
    {6, 8, false, -1, -1, {5164}},  // has_sc_children
    {7, 9, false, -1, -1, {5180}},  // hlo_name
    {8, 9, false, -1, -1, {5189}},  // long_name
    {9, 9, false, -1, -1, {5199}},  // category
    {10, 9, false, -1, -1, {5208}},  // provenance
    {11, 9, false, -1, -1, {1011}},  // deduplicated_name
    {12, 4, false, -1, -1, {5219}},  // self_time_ps
    {13, 4, false, -1, -1, {5232}},  // time_ps
    {14, 4, false, -1, -1, {5240}},  // total_time_ps
    {15, 4, false, -1, -1, {5254}},  // normalized_time_ps
    {16, 4, false, -1, -1, {5273}},  // min_time_ps
    {17, 4, false, -1, -1, {5285}},  // dma_stall_ps
    {18, 4, false, -1, -1, {5298}},  // occurrences
    {19, 4, false, -1, -1, {5310}},  // model_flops
    {20, 1, false, -1, -1, {5322}},  // model_flops_v2
    {21, 1, false, -1, -1, {5337}},  // flops_v2
    {22, 4, false, -1, -1, {5346}},  // flops
    {23, 1, false, -1, -1, {5352}},  // bytes_accessed
    {24, 11, true, 83, -1, {5367}},  // memory_accessed_breakdown
    {25, 8, false, -1, -1, {5393}},  // is_eager
    {26, 8, false, -1, -1, {5402}},  // autotuned
    {27, 13, false, -1, -1, {5412}},  // num_cores
    {28, 14, false, 23, -1, {5422}},  // core_type
    {29, 8, false, -1, -1, {5432}},  // is_fusion_child
    {30, 11, false, 81, -1, {5448}},  // source_info
    {1, 14, false, 22, -1, {5460}},  // operation_type
    {2, 4, false, -1, -1, {363}},  // memory_space
    {3, 4, false, -1, -1, {5352}},  // bytes_accessed
    {1, 11, true, 82, -1, {5475}},  // op_instances
    {2, 4, false, -1, -1, {5240}},  // total_time_ps
    {3, 4, false, -1, -1, {5488}},  // profile_time_ps
    {4, 4, false, -1, -1, {5504}},  // total_op_time_ps
    {5, 4, false, -1, -1, {5521}},  // idle_time_ps
    {6, 4, false, -1, -1, {5534}},  // busy_time_ps
    {7, 4, false, -1, -1, {5547}},  // normalized_total_op_time_ps
    {1, 9, false, -1, -1, {36}},  // name
    {2, 13, false, -1, -1, {5575}},  // registers_per_thread
    {3, 13, false, -1, -1, {5596}},  // static_shmem_bytes
    {4, 13, false, -1, -1, {5615}},  // dynamic_shmem_bytes
    {5, 13, true, -1, -1, {5635}},  // block_dim
    {6, 13, true, -1, -1, {5645}},  // grid_dim
    {7, 4, false, -1, -1, {5654}},  // total_duration_ns
    {8, 4, false, -1, -1, {5672}},  // min_duration_ns
    {9, 4, false, -1, -1, {5688}},  // max_duration_ns
    {10, 8, false, -1, -1, {5704}},  // is_kernel_using_tensor_core
    {11, 8, false, -1, -1, {5732}},  // is_op_tensor_core_eligible
    {12, 9, false, -1, -1, {885}},  // op_name
    {13, 13, false, -1, -1, {5298}},  // occurrences
    {14, 2, false, -1, -1, {5759}},  // occupancy_pct
    {1, 11, true, 85, -1, {5773}},  // reports
    {1, 11, true, 88, -1, {286}},  // dimensions
    {1, 5, false, -1, -1, {1186}},  // size
    {2, 5, false, -1, -1, {5781}},  // alignment
    {3, 14, false, 27, -1, {5791}},  // semantics
    {1, 4, false, -1, -1, {5219}},  // self_time_ps
    {2, 4, false, -1, -1, {5346}},  // flops
    {3, 13, false, -1, -1, {5298}},  // occurrences
    {5, 4, false, -1, -1, {5352}},  // bytes_accessed
    {6, 9, false, -1, -1, {36}},  // name
    {7, 4, false, -1, -1, {5232}},  // time_ps
    {10, 4, false, -1, -1, {5285}},  // dma_stall_ps
    {11, 9, false, -1, -1, {5199}},  // category
    {12, 9, false, -1, -1, {5208}},  // provenance
    {13, 4, false, -1, -1, {5135}},  // hlo_module_id
    {14, 11, false, 87, -1, {585}},  // layout
    {15, 9, false, -1, -1, {1011}},  // deduplicated_name
    {16, 11, false, 92, -1, {5801}},  // children
    {17, 4, false, -1, -1, {5273}},  // min_time_ps
    {18, 8, false, -1, -1, {5393}},  // is_eager
    {19, 11, true, 90, -1, {5367}},  // memory_accessed_breakdown
    {20, 9, false, -1, -1, {5189}},  // long_name
    {21, 13, false, -1, -1, {5412}},  // num_cores
    {22, 13, false, -1, -1, {5810}},  // computation_primitive_size
    {23, 8, false, -1, -1, {5402}},  // autotuned
    {24, 4, false, -1, -1, {5310}},  // model_flops
    {25, 4, false, -1, -1, {4623}},  // fingerprint
    {26, 11, false, 81, -1, {5448}},  // source_info
    {27, 4, false, -1, -1, {5254}},  // normalized_time_ps
    {28, 14, false, 25, -1, {5422}},  // core_type
    {29, 1, false, -1, -1, {5337}},  // flops_v2
    {30, 1, false, -1, -1, {5322}},  // model_flops_v2
    {31, 1, false, -1, -1, {5837}},  // vdd_energy_j
    {32, 3, false, -1, -1, {5850}},  // stable_op_id
    {1, 14, false, 24, -1, {5460}},  // operation_type
    {2, 4, false, -1, -1, {363}},  // memory_space
    {3, 4, false, -1, -1, {5352}},  // bytes_accessed
    {1, 4, false, -1, -1, {5863}},  // compute_16bit_ps
    {2, 4, false, -1, -1, {5880}},  // compute_32bit_ps
    {2, 4, false, -1, -1, {5897}},  // total_host_infeed_enq_duration_ps
    {3, 4, false, -1, -1, {5931}},  // total_host_infeed_enq_start_timestamp_ps_diff
    {10, 11, true, 89, -1, {5977}},  // metrics_db
    {11, 4, false, -1, -1, {5240}},  // total_time_ps
    {12, 4, false, -1, -1, {5504}},  // total_op_time_ps
    {13, 11, false, 91, -1, {5988}},  // precision_stats
    {14, 4, false, -1, -1, {5521}},  // idle_time_ps
    {15, 4, false, -1, -1, {5534}},  // busy_time_ps
    {16, 4, false, -1, -1, {5547}},  // normalized_total_op_time_ps
    {17, 4, false, -1, -1, {6004}},  // busy_time_high_confidence_ps
    {18, 4, false, -1, -1, {6033}},  // idle_time_high_confidence_ps
    {1, 9, false, -1, -1, {6062}},  // component_name
    {2, 1, false, -1, -1, {6077}},  // max_power
    {3, 1, false, -1, -1, {6087}},  // avg_power
    {4, 1, false, -1, -1, {6097}},  // max_moving_avg_power_100us
    {5, 1, false, -1, -1, {6124}},  // max_moving_avg_power_1ms
    {6, 1, false, -1, -1, {6149}},  // max_moving_avg_power_10ms
    {7, 13, false, -1, -1, {6175}},  // timescale_us
    {8, 4, false, -1, -1, {6188}},  // sample_count
    {9, 1, false, -1, -1, {6201}},  // max_moving_avg_power_1s
    {1, 11, true, 93, -1, {6225}},  // power_component_metrics
    {1, 11, true, 99, -1, {6249}},  // file_name_to_metrics
    {1, 4, false, -1, -1, {5298}},  // occurrences
    {2, 4, false, -1, -1, {5219}},  // self_time_ps
    {3, 4, false, -1, -1, {5232}},  // time_ps
    {4, 4, false, -1, -1, {5346}},  // flops
    {5, 1, false, -1, -1, {6270}},  // flops_utilization
    {6, 1, false, -1, -1, {5337}},  // flops_v2
    {1, 11, true, 98, -1, {6288}},  // line_number_to_metric
    {1, 5, false, -1, -1, {82}},  // key
    {2, 11, false, 96, -1, {86}},  // value
    {1, 9, false, -1, -1, {82}},  // key
    {2, 11, false, 97, -1, {86}},  // value
    {1, 9, false, -1, -1, {6310}},  // type_url
    {2, 12, false, -1, -1, {86}},  // value
    {1, 11, true, 102, -1, {6319}},  // type_ps
    {2, 11, true, 103, -1, {6327}},  // category_ps
    {1, 5, false, -1, -1, {82}},  // key
    {2, 4, false, -1, -1, {86}},  // value
    {1, 9, false, -1, -1, {82}},  // key
    {2, 4, false, -1, -1, {86}},  // value
    {1, 4, false, -1, -1, {6339}},  // infeed_duration_ps
    {2, 4, false, -1, -1, {6358}},  // host_outfeed_ps
    {3, 4, false, -1, -1, {6374}},  // wait_for_scv0_duration_ps
    {4, 4, false, -1, -1, {6400}},  // scv0_infeed_transform_ps
    {5, 4, false, -1, -1, {6425}},  // scv0_outfeed_ps
    {6, 4, false, -1, -1, {6441}},  // crs_duration_ps
    {7, 1, false, -1, -1, {6457}},  // scv0_infeed_percent
    {8, 4, false, -1, -1, {6477}},  // send_duration_ps
    {9, 4, false, -1, -1, {6494}},  // recv_duration_ps
    {11, 4, false, -1, -1, {6511}},  // overlay_wait_duration_ps
    {12, 4, false, -1, -1, {6536}},  // high_flops_compute_ps
    {13, 4, false, -1, -1, {6558}},  // tc_idle_ps
    {14, 4, false, -1, -1, {6569}},  // wait_for_megacore_fusion_peer_duration_ps
    {15, 4, false, -1, -1, {6611}},  // host_send_duration_ps
    {16, 4, false, -1, -1, {6633}},  // host_recv_duration_ps
    {17, 4, false, -1, -1, {6655}},  // tc_busy_ps
    {18, 4, false, -1, -1, {6666}},  // scv0_busy_ps
    {19, 4, false, -1, -1, {6679}},  // scv0_step_ps
    {1, 4, false, -1, -1, {6692}},  // sc_compute_ps
    {2, 4, false, -1, -1, {6706}},  // sc_infeed_ps
    {3, 4, false, -1, -1, {6719}},  // sc_outfeed_ps
    {4, 4, false, -1, -1, {6733}},  // sc_idle_ps
    {5, 4, false, -1, -1, {6744}},  // sc_busy_ps
    {1, 4, false, -1, -1, {6755}},  // occurrence
    {2, 1, false, -1, -1, {6766}},  // time_us
    {3, 4, false, -1, -1, {6774}},  // bytes_transferred
    {1, 13, false, -1, -1, {6792}},  // step_num
    {2, 4, false, -1, -1, {112}},  // duration_ps
    {3, 4, false, -1, -1, {6801}},  // begin_ps
    {4, 11, false, 100, -1, {6810}},  // step_breakdown
    {5, 9, false, -1, -1, {6825}},  // step_name
    {6, 11, false, 106, -1, {6835}},  // collectives
    {1, 4, false, -1, -1, {33}},  // id
    {2, 9, false, -1, -1, {36}},  // name
    {3, 4, false, -1, -1, {3205}},  // all_reduce_id
    {4, 4, false, -1, -1, {6847}},  // start_time_ps
    {5, 4, false, -1, -1, {6861}},  // end_time_ps
    {6, 4, false, -1, -1, {6873}},  // byte_size
    {1, 11, true, 108, -1, {6883}},  // all_reduce_info
    {1, 13, false, -1, -1, {6792}},  // step_num
    {2, 11, true, 111, -1, {6899}},  // step_info_per_core
    {3, 11, false, 92, -1, {6918}},  // hlo_metrics_db
    {5, 11, true, 112, -1, {6933}},  // core_id_to_replica_id_map
    {6, 11, true, 113, -1, {6959}},  // all_reduce_db_per_core
    {7, 11, true, 106, -1, {6982}},  // device_memory_transfers
    {8, 11, false, 84, -1, {7006}},  // flat_hlo_metrics_db
    {1, 13, false, -1, -1, {82}},  // key
    {2, 11, false, 107, -1, {86}},  // value
    {1, 13, false, -1, -1, {82}},  // key
    {2, 13, false, -1, -1, {86}},  // value
    {1, 13, false, -1, -1, {82}},  // key
    {2, 11, false, 109, -1, {86}},  // value
    {1, 11, true, 110, -1, {7026}},  // step_sequence
    {2, 8, false, -1, -1, {7040}},  // use_incomplete_step
    {3, 13, false, -1, -1, {7060}},  // num_steps_dropped
    {4, 8, false, -1, -1, {7078}},  // empty_intersect
    {1, 4, false, -1, -1, {7094}},  // count
    {2, 4, false, -1, -1, {5219}},  // self_time_ps
    {1, 11, true, 117, -1, {7100}},  // metrics
    {2, 3, false, -1, -1, {7108}},  // total_tracing_count
    {3, 14, false, 28, -1, {7128}},  // compiler
    {4, 1, false, -1, -1, {7137}},  // expensive_call_percent
    {1, 5, false, -1, -1, {82}},  // key
    {2, 11, false, 115, -1, {86}},  // value
    {1, 11, true, 119, -1, {7160}},  // tf_functions
    {1, 9, false, -1, -1, {82}},  // key
    {2, 11, false, 116, -1, {86}},  // value
    {1, 5, false, -1, -1, {7173}},  // x
    {2, 5, false, -1, -1, {7175}},  // y
    {3, 5, false, -1, -1, {7177}},  // z
    {1, 5, false, -1, -1, {7173}},  // x
    {2, 5, false, -1, -1, {7175}},  // y
    {3, 5, false, -1, -1, {7177}},  // z
    {4, 5, false, -1, -1, {7179}},  // host_x
    {5, 5, false, -1, -1, {7186}},  // host_y
    {6, 5, false, -1, -1, {7193}},  // host_z
    {7, 5, false, -1, -1, {7200}},  // index_on_host
    {8, 5, false, -1, -1, {7214}},  // global_id
    {1, 11, false, 120, -1, {7224}},  // chips_per_host_bounds
    {2, 11, false, 120, -1, {7246}},  // host_bounds
    {3, 11, true, 121, -1, {7258}},  // mesh_location
    {1, 1, false, -1, -1, {7272}},  // peak_tera_flops_per_second
    {2, 1, false, -1, -1, {7299}},  // peak_hbm_bw_giga_bytes_per_second
    {3, 1, false, -1, -1, {7333}},  // ridge_point
    {4, 1, false, -1, -1, {7345}},  // peak_bw_giga_bytes_per_second
    {5, 1, true, -1, -1, {7375}},  // peak_bws_giga_bytes_per_second
    {6, 8, false, -1, -1, {7406}},  // has_cmem
    {7, 8, false, -1, -1, {7415}},  // has_merged_vmem
    {8, 8, false, -1, -1, {7431}},  // has_megacore
    {1, 3, false, -1, -1, {7444}},  // change_list
    {2, 3, false, -1, -1, {7456}},  // build_time
    {3, 9, false, -1, -1, {7467}},  // build_target
    {4, 13, false, -1, -1, {7480}},  // profile_duration_ms
    {5, 9, false, -1, -1, {7500}},  // workspace_id
    {6, 3, false, -1, -1, {7513}},  // snapshot
    {1, 9, false, -1, -1, {7522}},  // host_id
    {2, 9, false, -1, -1, {7530}},  // command_line
    {3, 3, false, -1, -1, {7543}},  // start_time
    {4, 9, false, -1, -1, {7554}},  // bns_address
    {5, 4, false, -1, -1, {7566}},  // profile_time_ns
    {1, 5, false, -1, -1, {7582}},  // host_count
    {2, 5, false, -1, -1, {7593}},  // task_count
    {3, 11, true, 127, -1, {23}},  // hostnames
    {4, 9, false, -1, -1, {4602}},  // device_type
    {5, 5, false, -1, -1, {7604}},  // device_core_count
    {7, 11, false, 124, -1, {7622}},  // host_independent_job_info
    {8, 11, true, 125, -1, {7648}},  // host_dependent_job_info
    {9, 5, false, -1, -1, {2706}},  // replica_count
    {10, 5, false, -1, -1, {7672}},  // num_cores_per_replica
    {12, 13, false, -1, -1, {7694}},  // host_trace_level
    {13, 11, false, 122, -1, {7711}},  // system_topology
    {14, 8, false, -1, -1, {7727}},  // is_training
    {15, 11, false, 94, -1, {7739}},  // power_metrics
    {16, 14, false, 26, -1, {7753}},  // hardware_type
    {1, 9, false, -1, -1, {82}},  // key
    {2, 8, false, -1, -1, {86}},  // value
    {1, 9, false, -1, -1, {7767}},  // hostname
    {2, 13, false, -1, -1, {7776}},  // device_ordinal
    {3, 13, false, -1, -1, {7791}},  // core_num
    {4, 13, false, -1, -1, {7800}},  // local_chip_id
    {5, 13, false, -1, -1, {7814}},  // global_chip_id
    {6, 13, false, -1, -1, {7829}},  // global_core_id
    {7, 8, false, -1, -1, {7844}},  // is_sparse_core
    {1, 1, false, -1, -1, {7859}},  // matrix_unit_utilization_percent
    {2, 1, false, -1, -1, {7891}},  // hbm_utilization_percent
    {1, 1, false, -1, -1, {7915}},  // avg
    {2, 1, false, -1, -1, {7919}},  // p50
    {3, 1, false, -1, -1, {7923}},  // p90
    {4, 1, false, -1, -1, {7927}},  // p95
    {5, 1, false, -1, -1, {7931}},  // p99
    {1, 11, false, 130, -1, {7935}},  // prefill_step_time_us
    {2, 3, false, -1, -1, {7956}},  // num_prefill_steps
    {3, 11, false, 130, -1, {7974}},  // decode_step_time_us
    {4, 3, false, -1, -1, {7994}},  // num_decode_steps
    {1, 11, false, 92, -1, {8011}},  // host_op_metrics_db
    {2, 11, false, 92, -1, {8030}},  // device_op_metrics_db
    {3, 11, false, 123, -1, {8051}},  // perf_env
    {4, 11, false, 114, -1, {8060}},  // step_db
    {5, 11, false, 126, -1, {8068}},  // run_environment
    {6, 11, false, 86, -1, {8084}},  // kernel_stats_db
    {8, 11, false, 118, -1, {8100}},  // tf_function_db
    {9, 11, false, 80, -1, {8115}},  // diagnostics
    {10, 11, false, 92, -1, {8127}},  // hlo_metrics_db_complete_steps_only
    {11, 11, true, 133, -1, {8162}},  // core_id_to_details
    {12, 11, true, 134, -1, {8181}},  // program_id_to_name_map
    {13, 11, false, 129, -1, {8204}},  // performance_counter_result
    {14, 11, false, 95, -1, {8231}},  // source_stats
    {15, 11, false, 131, -1, {8244}},  // disaggregated_serving_latency
    {16, 11, false, 84, -1, {8274}},  // flat_device_op_metrics_db
    {17, 11, false, 84, -1, {8300}},  // flat_hlo_metrics_db_complete_steps_only
    {1, 13, false, -1, -1, {82}},  // key
    {2, 11, false, 128, -1, {86}},  // value
    {1, 4, false, -1, -1, {82}},  // key
    {2, 9, false, -1, -1, {86}},  // value
};

// name, first field, number of fields, entry of a map
constexpr proto_message_name proto_messages[] = {
    {{8340}, 0, 4, false},  // XSpace
    {{8347}, 4, 6, false},  // XPlane
    {{8354}, 10, 2, true},  // XPlane.EventMetadataEntry
    {{8380}, 12, 2, true},  // XPlane.StatMetadataEntry
    {{8405}, 14, 7, false},  // XLine
    {{8411}, 21, 5, false},  // XEvent
    {{8418}, 26, 7, false},  // XStat
    {{8424}, 33, 6, false},  // XEventMetadata
    {{8439}, 39, 3, false},  // XStatMetadata
    {{8453}, 42, 1, false},  // TileProto
    {{8463}, 43, 2, false},  // SplitConfigProto
    {{8480}, 45, 13, false},  // LayoutProto
    {{8492}, 58, 5, false},  // ShapeProto
    {{8503}, 63, 3, false},  // ProgramShapeProto
    {{8521}, 66, 33, false},  // LiteralProto
    {{8534}, 99, 14, false},  // OpMetadata
    {{8545}, 113, 5, false},  // OpMetadata.ProfileInfo
    {{8568}, 118, 7, false},  // WindowDimension
    {{8584}, 125, 1, false},  // Window
    {{8591}, 126, 1, false},  // PaddingConfig
    {{8605}, 127, 3, false},  // PaddingConfig.PaddingConfigDimension
    {{8642}, 130, 6, false},  // GatherDimensionNumbers
    {{8665}, 136, 6, false},  // ScatterDimensionNumbers
    {{8689}, 142, 9, false},  // ConvolutionDimensionNumbers
    {{8717}, 151, 4, false},  // DotDimensionNumbers
    {{8737}, 155, 3, false},  // RaggedDotDimensionNumbers
    {{8763}, 158, 4, false},  // TriangularSolveOptions
    {{8786}, 162, 1, false},  // CholeskyOptions
    {{8802}, 163, 1, false},  // FrontendAttributes
    {{8821}, 164, 2, true},  // FrontendAttributes.MapEntry
    {{8849}, 166, 2, false},  // Statistic
    {{8859}, 168, 2, false},  // StatisticsViz
    {{8873}, 170, 2, false},  // ResultAccuracy
    {{8888}, 172, 3, false},  // ResultAccuracy.Tolerance
    {{8913}, 175, 2, false},  // PrecisionConfig
    {{8929}, 177, 1, false},  // ParameterReplication
    {{8950}, 178, 3, false},  // OutputOperandAliasing
    {{8972}, 181, 2, false},  // OriginalArrayProto
    {{8991}, 183, 2, false},  // OriginalValueElementProto
    {{9017}, 185, 2, false},  // OriginalValueProto
    {{9036}, 187, 2, false},  // Payload
    {{9044}, 189, 2, false},  // MeshProto
    {{9054}, 191, 2, false},  // MeshProto.MeshAxis
    {{9073}, 193, 2, false},  // AxisRefProto
    {{9086}, 195, 2, false},  // AxisRefProto.SubAxis
    {{9107}, 197, 6, false},  // NamedShardingProto
    {{9126}, 203, 2, false},  // NamedShardingProto.DimensionSharding
    {{9163}, 205, 14, false},  // OpSharding
    {{9174}, 219, 1, false},  // ReplicaGroup
    {{9187}, 220, 4, false},  // IotaReplicaGroupListProto
    {{9213}, 224, 2, false},  // MeshAxesReplicaGroupListProto
    {{9243}, 226, 2, false},  // CollectiveDeviceListProto
    {{9269}, 228, 2, false},  // SourceTarget
    {{9282}, 230, 3, false},  // DeviceAssignmentProto
    {{9304}, 233, 1, false},  // DeviceAssignmentProto.ComputationDevice
    {{9344}, 234, 78, false},  // HloInstructionProto
    {{9364}, 312, 3, false},  // HloInstructionProto.SliceDimensions
    {{9400}, 315, 7, false},  // HloComputationProto
    {{9420}, 322, 1, false},  // HloScheduleProto
    {{9437}, 323, 1, false},  // HloScheduleProto.InstructionSequence
    {{9474}, 324, 2, true},  // HloScheduleProto.SequencesEntry
    {{9506}, 326, 1, false},  // HloInputOutputAliasProto
    {{9531}, 327, 4, false},  // HloInputOutputAliasProto.AliasEntryProto
    {{9572}, 331, 1, false},  // HloBufferDonorProto
    {{9592}, 332, 2, false},  // HloBufferDonorProto.BufferDonorEntryProto
    {{9634}, 334, 3, false},  // CrossProgramPrefetch
    {{9655}, 337, 4, false},  // StackFrameIndexProto
    {{9676}, 341, 6, false},  // StackFrameIndexProto.FileLocation
    {{9710}, 347, 2, false},  // StackFrameIndexProto.StackFrame
    {{9742}, 349, 20, false},  // HloModuleProto
    {{9757}, 369, 8, false},  // HloModuleProto.ProfileInfo
    {{9784}, 377, 4, false},  // LogicalBufferProto
    {{9803}, 381, 3, false},  // LogicalBufferProto.Location
    {{9831}, 384, 12, false},  // BufferAllocationProto
    {{9853}, 396, 3, false},  // BufferAllocationProto.Assigned
    {{9884}, 399, 3, false},  // HeapSimulatorTrace
    {{9903}, 402, 5, false},  // HeapSimulatorTrace.Event
    {{9928}, 407, 4, false},  // BufferAssignmentProto
    {{9950}, 411, 2, false},  // BufferAssignmentProto.BufferAlias
    {{9984}, 413, 2, false},  // HloProto
    {{9993}, 415, 3, false},  // Diagnostics
    {{10005}, 418, 3, false},  // SourceInfo
    {{10016}, 421, 30, false},  // FlatOpMetrics
    {{10030}, 451, 3, false},  // FlatOpMetrics.MemoryAccessed
    {{10059}, 454, 7, false},  // FlatOpMetricsDb
    {{10075}, 461, 14, false},  // KernelReport
    {{10088}, 475, 1, false},  // KernelStatsDb
    {{10102}, 476, 1, false},  // LayoutAnalysis
    {{10117}, 477, 3, false},  // LayoutAnalysis.Dimension
    {{10142}, 480, 29, false},  // OpMetrics
    {{10152}, 509, 3, false},  // OpMetrics.MemoryAccessed
    {{10177}, 512, 2, false},  // PrecisionStats
    {{10192}, 514, 11, false},  // OpMetricsDb
    {{10204}, 525, 9, false},  // PowerComponentMetrics
    {{10226}, 534, 1, false},  // PowerMetrics
    {{10239}, 535, 1, false},  // SourceStats
    {{10251}, 536, 6, false},  // SourceStats.Metric
    {{10270}, 542, 1, false},  // SourceStats.FileMetrics
    {{10294}, 543, 2, true},  // SourceStats.FileMetrics.LineNumberToMetricEntry
    {{10342}, 545, 2, true},  // SourceStats.FileNameToMetricsEntry
    {{10377}, 547, 2, false},  // Any
    {{10381}, 549, 2, false},  // GenericStepBreakdown
    {{10402}, 551, 2, true},  // GenericStepBreakdown.TypePsEntry
    {{10435}, 553, 2, true},  // GenericStepBreakdown.CategoryPsEntry
    {{10472}, 555, 18, false},  // TpuStepBreakdown
    {{10489}, 573, 5, false},  // SparseCoreStepBreakdown
    {{10513}, 578, 3, false},  // DeviceMemoryTransfer
    {{10534}, 581, 6, false},  // StepInfoResult
    {{10549}, 587, 6, false},  // AllReduceInfo
    {{10563}, 593, 1, false},  // AllReduceDbResult
    {{10581}, 594, 7, false},  // PerCoreStepInfo
    {{10597}, 601, 2, true},  // PerCoreStepInfo.StepInfoPerCoreEntry
    {{10634}, 603, 2, true},  // PerCoreStepInfo.CoreIdToReplicaIdMapEntry
    {{10676}, 605, 2, true},  // PerCoreStepInfo.AllReduceDbPerCoreEntry
    {{10716}, 607, 4, false},  // StepDatabaseResult
    {{10735}, 611, 2, false},  // TfFunctionMetrics
    {{10753}, 613, 4, false},  // TfFunction
    {{10764}, 617, 2, true},  // TfFunction.MetricsEntry
    {{10788}, 619, 1, false},  // TfFunctionDb
    {{10801}, 620, 2, true},  // TfFunctionDb.TfFunctionsEntry
    {{10831}, 622, 3, false},  // TopologyDimension
    {{10849}, 625, 8, false},  // TopologyLocation
    {{10866}, 633, 3, false},  // Topology
    {{10875}, 636, 8, false},  // PerfEnv
    {{10883}, 644, 6, false},  // HostIndependentJobInfoResult
    {{10912}, 650, 5, false},  // HostDependentJobInfoResult
    {{10939}, 655, 14, false},  // RunEnvironment
    {{10954}, 669, 2, true},  // RunEnvironment.HostnamesEntry
    {{10984}, 671, 7, false},  // CoreDetails
    {{10996}, 678, 2, false},  // PerformanceCounterResult
    {{11021}, 680, 5, false},  // DistributionStats
    {{11039}, 685, 4, false},  // DisaggregatedServingLatency
    {{11067}, 689, 16, false},  // OpStats
    {{11075}, 705, 2, true},  // OpStats.CoreIdToDetailsEntry
    {{11104}, 707, 2, true},  // OpStats.ProgramIdToNameMapEntry
};

constexpr proto_enum_value proto_values[] = {
    {0, {11136}},  // TRANSPOSE_INVALID
    {1, {11154}},  // NO_TRANSPOSE
    {2, {11167}},  // TRANSPOSE
    {3, {11177}},  // ADJOINT
    {0, {11185}},  // DEFAULT
    {1, {11193}},  // HIGHEST
    {0, {11185}},  // DEFAULT
    {1, {11201}},  // HIGH
    {2, {11193}},  // HIGHEST
    {0, {11206}},  // ALG_UNSET
    {1, {11216}},  // ALG_DOT_ANY_F8_ANY_F8_F32
    {2, {11242}},  // ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM
    {3, {11279}},  // ALG_DOT_F16_F16_F16
    {4, {11299}},  // ALG_DOT_F16_F16_F32
    {5, {11319}},  // ALG_DOT_BF16_BF16_BF16
    {6, {11342}},  // ALG_DOT_BF16_BF16_F32
    {7, {11364}},  // ALG_DOT_BF16_BF16_F32_X3
    {8, {11389}},  // ALG_DOT_BF16_BF16_F32_X6
    {9, {11414}},  // ALG_DOT_TF32_TF32_F32
    {10, {11436}},  // ALG_DOT_TF32_TF32_F32_X3
    {11, {11461}},  // ALG_DOT_F32_F32_F32
    {12, {11481}},  // ALG_DOT_F64_F64_F64
    {13, {11501}},  // ALG_DOT_BF16_BF16_F32_X9
    {0, {11526}},  // REPLICATED
    {1, {11537}},  // MAXIMAL
    {2, {11545}},  // TUPLE
    {3, {11551}},  // OTHER
    {4, {11557}},  // MANUAL
    {5, {11564}},  // UNKNOWN
    {6, {11572}},  // UNREDUCED
    {0, {11582}},  // AS
    {1, {11585}},  // LIKE
    {0, {11590}},  // INVALID
    {1, {11598}},  // FLAG
    {2, {11603}},  // FUSION
    {3, {11610}},  // LAYOUT
    {4, {11617}},  // DOT
    {5, {11621}},  // FLAGNET
    {6, {11629}},  // SHARDING
    {7, {11638}},  // SCHEDULE
    {0, {11647}},  // PROFILE_GENERATION_STRATEGY_UNKNOWN
    {1, {11683}},  // PROFILE_GENERATION_STRATEGY_GA
    {2, {11714}},  // PROFILE_GENERATION_STRATEGY_FANTA
    {3, {11748}},  // PROFILE_GENERATION_STRATEGY_CFO
    {0, {11780}},  // ALLOC
    {1, {11786}},  // FREE
    {2, {11791}},  // SHARE_WITH
    {0, {11802}},  // PRIMITIVE_TYPE_INVALID
    {1, {11825}},  // PRED
    {2, {11830}},  // S8
    {3, {11833}},  // S16
    {4, {11837}},  // S32
    {5, {11841}},  // S64
    {6, {11845}},  // U8
    {7, {11848}},  // U16
    {8, {11852}},  // U32
    {9, {11856}},  // U64
    {10, {11860}},  // F16
    {11, {11864}},  // F32
    {12, {11868}},  // F64
    {13, {11545}},  // TUPLE
    {14, {11872}},  // OPAQUE_TYPE
    {15, {11884}},  // C64
    {16, {11888}},  // BF16
    {17, {11893}},  // TOKEN
    {18, {11899}},  // C128
    {19, {11904}},  // F8E5M2
    {20, {11911}},  // F8E4M3FN
    {21, {11920}},  // S4
    {22, {11923}},  // U4
    {23, {11926}},  // F8E4M3B11FNUZ
    {24, {11940}},  // F8E5M2FNUZ
    {25, {11951}},  // F8E4M3FNUZ
    {26, {11962}},  // S2
    {27, {11965}},  // U2
    {28, {11968}},  // F8E4M3
    {29, {11975}},  // F8E3M4
    {30, {11982}},  // S1
    {31, {11985}},  // U1
    {32, {11988}},  // F4E2M1FN
    {33, {11997}},  // F8E8M0FNU
    {34, {12007}},  // BUFFER
    {0, {12014}},  // DIM_DENSE
    {1, {12024}},  // DIM_COMPRESSED
    {2, {12039}},  // DIM_SINGLETON
    {3, {12053}},  // DIM_LOOSE_COMPRESSED
    {0, {11590}},  // INVALID
    {1, {12074}},  // WINDOW
    {2, {11598}},  // FLAG
    {3, {12081}},  // INTEGER
    {0, {12089}},  // PROFILE_SOURCE_UNKNOWN_SOURCE
    {1, {12119}},  // PROFILE_SOURCE_EMBEDDED
    {2, {12143}},  // PROFILE_SOURCE_REMOTE
    {0, {12165}},  // COMPILATION_EVENT_UNKNOWN_EVENT
    {1, {12197}},  // COMPILATION_EVENT_FIRST_COMPILATION
    {2, {12233}},  // COMPILATION_EVENT_RECOMPILATION
    {0, {11647}},  // PROFILE_GENERATION_STRATEGY_UNKNOWN
    {1, {11683}},  // PROFILE_GENERATION_STRATEGY_GA
    {2, {11714}},  // PROFILE_GENERATION_STRATEGY_FANTA
    {3, {11748}},  // PROFILE_GENERATION_STRATEGY_CFO
    {4, {12265}},  // PROFILE_GENERATION_STRATEGY_EXHAUSTIVE
    {5, {12304}},  // PROFILE_GENERATION_STRATEGY_LCM_GNN
    {6, {12340}},  // PROFILE_GENERATION_STRATEGY_LCM_MOE
    {0, {12376}},  // PADDING_INVALID
    {1, {12392}},  // PADDING_VALID
    {2, {12406}},  // PADDING_SAME
    {0, {12419}},  // FFT
    {1, {12423}},  // IFFT
    {2, {12428}},  // RFFT
    {3, {12433}},  // IRFFT
    {0, {12439}},  // RNG_INVALID
    {1, {12451}},  // RNG_UNIFORM
    {2, {12463}},  // RNG_NORMAL
    {0, {12474}},  // RNG_DEFAULT
    {1, {12486}},  // RNG_THREE_FRY
    {2, {12500}},  // RNG_PHILOX
    {0, {12511}},  // SCHEDULE_NONE
    {1, {12525}},  // SCHEDULE_LATEST
    {2, {12541}},  // SCHEDULE_EARLIEST
    {0, {12559}},  // API_VERSION_UNSPECIFIED
    {1, {12583}},  // API_VERSION_ORIGINAL
    {2, {12604}},  // API_VERSION_STATUS_RETURNING
    {3, {12633}},  // API_VERSION_STATUS_RETURNING_UNIFIED
    {4, {12670}},  // API_VERSION_TYPED_FFI
    {0, {12692}},  // UNDEFINED_ALIAS
    {1, {12708}},  // MAY_ALIAS
    {2, {12718}},  // MUST_ALIAS
    {0, {11564}},  // UNKNOWN
    {1, {12729}},  // READ
    {2, {12734}},  // WRITE
    {0, {11564}},  // UNKNOWN
    {1, {12740}},  // TENSOR_CORE
    {2, {12752}},  // SPARSE_CORE
    {0, {11564}},  // UNKNOWN
    {1, {12729}},  // READ
    {2, {12734}},  // WRITE
    {0, {11564}},  // UNKNOWN
    {1, {12740}},  // TENSOR_CORE
    {2, {12752}},  // SPARSE_CORE
    {0, {12764}},  // UNKNOWN_HARDWARE
    {1, {12781}},  // CPU_ONLY
    {2, {12790}},  // GPU
    {3, {12794}},  // TPU
    {0, {12798}},  // UNKNOWN_SEMANTICS
    {1, {12816}},  // FEATURE
    {2, {12824}},  // BATCH
    {3, {12830}},  // SPATIAL
    {0, {12838}},  // INVALID_COMPILER
    {1, {12855}},  // OTHER_COMPILER
    {2, {12870}},  // MIXED_COMPILER
    {3, {12885}},  // XLA_COMPILER
    {4, {12898}},  // MLIR_COMPILER
};

// name, first value, number of values
constexpr proto_enum_name proto_enums[] = {
    {{12912}, 0, 4},  // TriangularSolveOptions.Transpose
    {{12945}, 4, 2},  // ResultAccuracy.Mode
    {{12965}, 6, 3},  // PrecisionConfig.Precision
    {{12991}, 9, 14},  // PrecisionConfig.Algorithm
    {{13017}, 23, 7},  // OpSharding.Type
    {{13033}, 30, 2},  // OpSharding.ShardGroupType
    {{13059}, 32, 8},  // HloModuleProto.ProfileType
    {{13086}, 40, 4},  // HloModuleProto.ProfileGenerationStrategy
    {{13127}, 44, 3},  // HeapSimulatorTrace.Event.Kind
    {{13157}, 47, 35},  // PrimitiveType
    {{13171}, 82, 4},  // DimLevelType
    {{13184}, 86, 4},  // ProfileType
    {{13196}, 90, 3},  // ProfileSource
    {{13210}, 93, 3},  // CompilationEvent
    {{13227}, 96, 7},  // ProfileGenerationStrategy
    {{13253}, 103, 3},  // PaddingType
    {{13265}, 106, 4},  // FftType
    {{13273}, 110, 3},  // RandomDistribution
    {{13292}, 113, 3},  // RandomAlgorithm
    {{13308}, 116, 3},  // CustomCallSchedule
    {{13327}, 119, 5},  // CustomCallApiVersion
    {{13348}, 124, 3},  // Kind
    {{13353}, 127, 3},  // FlatOpMetrics.MemoryAccessed.OperationType
    {{13396}, 130, 3},  // FlatOpMetrics.TpuCoreType
    {{13422}, 133, 3},  // OpMetrics.MemoryAccessed.OperationType
    {{13461}, 136, 3},  // OpMetrics.TpuCoreType
    {{13483}, 139, 4},  // HardwareType
    {{13496}, 143, 4},  // LayoutDimensionSemantics
    {{13521}, 147, 5},  // TfFunctionCompiler
};

}  // namespace

const char *proto_name::text() const noexcept { return proto_texts + at; }

const proto_names &known_proto_names() noexcept {
  static constexpr proto_names names{
      proto_fields, sizeof proto_fields / sizeof *proto_fields,
      proto_messages, sizeof proto_messages / sizeof *proto_messages,
      proto_values, sizeof proto_values / sizeof *proto_values,
      proto_enums, sizeof proto_enums / sizeof *proto_enums,
  };
  return names;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
