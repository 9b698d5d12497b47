// Every constant of the C ABI, and the layout of its structs where pointers have 64 bits, as released. A line here
// never changes within a SONAME. An option struct may grow at its end: then only its size does.
#include <profkit/profkit.h>

#include <cstddef>

#define AT(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "::" #field " moved")
#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type " changed its size")

#define VALUE(constant, value) static_assert(int{constant} == (value), #constant " changed its value")

static_assert(sizeof(pk_status) == 4 && static_cast<pk_status>(-1) < 0);

VALUE(PK_OK, 0);
VALUE(PK_END, 1);
VALUE(PK_E_INVALID_ARGUMENT, -1);
VALUE(PK_E_OUT_OF_MEMORY, -2);
VALUE(PK_E_UNSUPPORTED, -3);
VALUE(PK_E_CANCELLED, -4);
VALUE(PK_E_INTERNAL, -9);
VALUE(PK_E_NOT_FOUND, -10);
VALUE(PK_E_PERMISSION, -11);
VALUE(PK_E_IO, -12);
VALUE(PK_E_INPUT_CHANGED, -13);
VALUE(PK_E_DAMAGED, -20);
VALUE(PK_E_UNRECOGNISED, -21);
VALUE(PK_E_TEXT_MANGLED, -22);
VALUE(PK_E_LIMIT, -30);
VALUE(PK_E_OUTPUT, -40);
VALUE(PK_E_OUTPUT_FULL, -41);
VALUE(PK_LOG_INFO, 1);
VALUE(PK_LOG_WARNING, 2);
VALUE(PK_IO_AUTO, 0);
VALUE(PK_IO_MAP, 1);
VALUE(PK_IO_READ, 2);
VALUE(PK_OPEN_COPY, 1);
VALUE(PK_PROFILE_HAS_ORIGIN, 1);
VALUE(PK_FAMILY_UNKNOWN, 0);
VALUE(PK_FAMILY_XSPACE, 1);
VALUE(PK_FAMILY_CHROME_TRACE, 2);
VALUE(PK_FAMILY_HLO_PROTO, 3);
VALUE(PK_FAMILY_OP_STATS, 4);
VALUE(PK_FAMILY_ASCEND_KERNELS, 5);
VALUE(PK_FAMILY_ASCEND_TABLE, 6);
VALUE(PK_FAMILY_ASCEND_JSON, 7);
VALUE(PK_FAMILY_ASCEND_DATABASE, 8);
VALUE(PK_COMPRESSION_NONE, 0);
VALUE(PK_COMPRESSION_GZIP, 1);
VALUE(PK_COMPRESSION_ZSTD, 2);
VALUE(PK_FILE_HAS_ORIGIN, 1);
VALUE(PK_NOTE_HOSTNAME, 0);
VALUE(PK_NOTE_ERROR, 1);
VALUE(PK_NOTE_WARNING, 2);
VALUE(PK_PLANE_DEVICE, 0);
VALUE(PK_PLANE_HOST, 1);
VALUE(PK_PLANE_METADATA, 2);
VALUE(PK_PLANE_CUSTOM, 3);
VALUE(PK_PLANE_ENVIRONMENT, 4);
VALUE(PK_PLANE_OTHER, 5);
VALUE(PK_LINE_STEPS, 0);
VALUE(PK_LINE_MODULES, 1);
VALUE(PK_LINE_OPS, 2);
VALUE(PK_LINE_ASYNC, 3);
VALUE(PK_LINE_STREAM, 4);
VALUE(PK_LINE_DERIVED, 5);
VALUE(PK_LINE_COUNTER, 6);
VALUE(PK_LINE_THREAD, 7);
VALUE(PK_LINE_OTHER, 8);
VALUE(PK_LINE_HAS_START, 1);
VALUE(PK_EVENT_HAS_OFFSET, 1);
VALUE(PK_EVENT_HAS_OCCURRENCES, 2);
VALUE(PK_EVENT_HAS_START, 4);
VALUE(PK_STAT_NONE, 0);
VALUE(PK_STAT_DOUBLE, 2);
VALUE(PK_STAT_UINT64, 3);
VALUE(PK_STAT_INT64, 4);
VALUE(PK_STAT_STR, 5);
VALUE(PK_STAT_BYTES, 6);
VALUE(PK_STAT_REF, 7);
VALUE(PK_ORIGIN_EVENT, 1);
VALUE(PK_ORIGIN_METADATA, 2);
VALUE(PK_ORIGIN_PLANE, 4);
VALUE(PK_SIBLING_NONE, 0);
VALUE(PK_SIBLING_SAME_BYTES, 1);
VALUE(PK_SIBLING_SAME_CONTENT, 2);
VALUE(PK_SIBLING_DIFFERS, 3);
VALUE(PK_CHROME_HAS_START, 1);
VALUE(PK_CHROME_HAS_DURATION, 2);
VALUE(PK_CHROME_PID_IS_STRING, 4);
VALUE(PK_CHROME_TID_IS_STRING, 8);
VALUE(PK_DOCUMENT_REPORT, 1);
VALUE(PK_DOCUMENT_INFO, 2);
VALUE(PK_DOCUMENT_TREE, 3);
VALUE(PK_DOCUMENT_METADATA, 4);
VALUE(PK_DOCUMENT_STEPS, 5);
VALUE(PK_DOCUMENT_OPS, 6);
VALUE(PK_DOCUMENT_MODULES, 7);
VALUE(PK_DOCUMENT_FRAMEWORK, 8);
VALUE(PK_DOCUMENT_COLLECTIVES, 9);
VALUE(PK_DOCUMENT_CHROME, 10);
VALUE(PK_DOCUMENT_MEMORY, 11);
VALUE(PK_DOCUMENT_STATUS_OK, 0);
VALUE(PK_DOCUMENT_STATUS_PARTIAL, 1);
VALUE(PK_DOCUMENT_STATUS_ABSENT, 2);
VALUE(PK_DOCUMENT_STATUS_ERROR, 3);
VALUE(PK_DOCUMENT_HAS_STEP, 1);
VALUE(PK_DOCUMENT_HAS_FROM, 2);
VALUE(PK_DOCUMENT_HAS_TO, 4);
VALUE(PK_MEMORY_NO_RUNTIME, 1);
VALUE(PK_MEMORY_ALL_TRACE, 2);
VALUE(PK_MEMORY_HAS_STEP, 4);
VALUE(PK_MEMORY_INCLUDE_HOST_POOLS, 8);
VALUE(PK_MEMORY_HAS_FIT, 16);
VALUE(PK_STEP_POLICY_PEAK, 0);
VALUE(PK_STEP_POLICY_LAST, 1);
VALUE(PK_STEP_POLICY_FIRST, 2);
VALUE(PK_PEAK_METHOD_NONE, 0);
VALUE(PK_PEAK_METHOD_HEAP_REPLAY, 1);
VALUE(PK_PEAK_METHOD_SCHEDULE_SWEEP, 2);
VALUE(PK_PEAK_METHOD_ALLOCATION_SIZES, 3);
VALUE(PK_PEAK_BOUND_EXACT, 0);
VALUE(PK_PEAK_BOUND_LOWER, 1);
VALUE(PK_PEAK_BOUND_UPPER, 2);
VALUE(PK_RESIDENCY_INDEFINITE, 0);
VALUE(PK_RESIDENCY_TEMPORARY, 1);
VALUE(PK_TRACE_JSON, 1);
VALUE(PK_TRACE_PERFETTO, 2);
VALUE(PK_TRACE_XSPACE, 3);
VALUE(PK_TRACE_CSV, 4);
VALUE(PK_TRACE_LIKE_XLA, 1);
VALUE(PK_TRACE_GZIP, 2);
VALUE(PK_TRACE_HAS_STEP, 4);
VALUE(PK_TRACE_HAS_FROM, 8);
VALUE(PK_TRACE_HAS_TO, 16);
VALUE(PK_VALUE_DOUBLE, 2);
VALUE(PK_VALUE_UINT64, 3);
VALUE(PK_VALUE_INT64, 4);
VALUE(PK_VALUE_TEXT, 5);
VALUE(PK_VALUE_BYTES, 6);
VALUE(PK_VALUE_REF, 7);
VALUE(PK_VALIDATION_BY_OCCURRENCE, 1);
VALUE(PK_VALIDATION_ALIGN, 2);
VALUE(PK_VALIDATION_HAS_BOUND, 4);
static_assert(PK_NO_OFFSET == UINT64_MAX && PK_LIMIT_DEFAULT == UINT64_MAX);

#if UINTPTR_MAX == UINT64_MAX

SIZE(pk_str, 16);
AT(pk_str, data, 0);
AT(pk_str, size, 8);

SIZE(pk_hooks, 40);
AT(pk_hooks, struct_size, 0);
AT(pk_hooks, threads, 4);
AT(pk_hooks, user, 8);
AT(pk_hooks, log, 16);
AT(pk_hooks, progress, 24);
AT(pk_hooks, cancel, 32);

SIZE(pk_limits, 48);
AT(pk_limits, struct_size, 0);
AT(pk_limits, max_nesting, 4);
AT(pk_limits, max_materialised_bytes, 8);
AT(pk_limits, max_decompression_ratio, 16);
AT(pk_limits, ratio_free_bytes, 24);
AT(pk_limits, max_string_bytes, 32);
AT(pk_limits, max_files, 40);

SIZE(pk_open_options, 40);
AT(pk_open_options, struct_size, 0);
AT(pk_open_options, flags, 4);
AT(pk_open_options, io, 8);
AT(pk_open_options, reserved, 12);
AT(pk_open_options, run, 16);
AT(pk_open_options, limits, 24);
AT(pk_open_options, hooks, 32);

SIZE(pk_read_callbacks, 32);
AT(pk_read_callbacks, struct_size, 0);
AT(pk_read_callbacks, reserved, 4);
AT(pk_read_callbacks, user, 8);
AT(pk_read_callbacks, read_at, 16);
AT(pk_read_callbacks, size_bytes, 24);

SIZE(pk_profile_info, 48);
AT(pk_profile_info, path, 0);
AT(pk_profile_info, origin_unix_ns, 16);
AT(pk_profile_info, ignored_count, 24);
AT(pk_profile_info, file_count, 32);
AT(pk_profile_info, run_count, 36);
AT(pk_profile_info, flags, 40);
AT(pk_profile_info, reserved, 44);

SIZE(pk_run_info, 40);
AT(pk_run_info, name, 0);
AT(pk_run_info, path, 16);
AT(pk_run_info, chosen, 32);
AT(pk_run_info, reserved, 36);

SIZE(pk_file_info, 96);
AT(pk_file_info, path, 0);
AT(pk_file_info, host, 16);
AT(pk_file_info, run, 32);
AT(pk_file_info, encoded_bytes, 48);
AT(pk_file_info, origin_unix_ns, 56);
AT(pk_file_info, shift_ns, 64);
AT(pk_file_info, family, 72);
AT(pk_file_info, compression, 76);
AT(pk_file_info, export_of, 80);
AT(pk_file_info, plane_count, 84);
AT(pk_file_info, flags, 88);
AT(pk_file_info, reserved, 92);

SIZE(pk_plane_info, 56);
AT(pk_plane_info, id, 0);
AT(pk_plane_info, name, 8);
AT(pk_plane_info, kind, 24);
AT(pk_plane_info, device_ordinal, 28);
AT(pk_plane_info, line_count, 32);
AT(pk_plane_info, stat_count, 36);
AT(pk_plane_info, event_metadata_count, 40);
AT(pk_plane_info, stat_metadata_count, 48);

SIZE(pk_line_info, 48);
AT(pk_line_info, id, 0);
AT(pk_line_info, name, 8);
AT(pk_line_info, timestamp_ns, 24);
AT(pk_line_info, start_ps, 32);
AT(pk_line_info, kind, 40);
AT(pk_line_info, flags, 44);

SIZE(pk_line_summary, 40);
AT(pk_line_summary, event_count, 0);
AT(pk_line_summary, display_id, 8);
AT(pk_line_summary, display_name, 16);
AT(pk_line_summary, duration_ps, 32);

SIZE(pk_event, 56);
AT(pk_event, metadata_id, 0);
AT(pk_event, start_ps, 8);
AT(pk_event, offset_ps, 16);
AT(pk_event, duration_ps, 24);
AT(pk_event, num_occurrences, 32);
AT(pk_event, stats, 40);
AT(pk_event, stats_bytes, 48);
AT(pk_event, flags, 52);

SIZE(pk_stat, 56);
AT(pk_stat, metadata_id, 0);
AT(pk_stat, name, 8);
AT(pk_stat, text, 24);
AT(pk_stat, bits, 40);
AT(pk_stat, kind, 48);
AT(pk_stat, origin, 52);

SIZE(pk_event_cursor, 64);
SIZE(pk_stat_cursor, 64);
SIZE(pk_metadata_cursor, 64);

SIZE(pk_event_metadata, 64);
AT(pk_event_metadata, id, 0);
AT(pk_event_metadata, name, 8);
AT(pk_event_metadata, display_name, 24);
AT(pk_event_metadata, metadata, 40);
AT(pk_event_metadata, child_count, 56);

SIZE(pk_stat_metadata, 40);
AT(pk_stat_metadata, id, 0);
AT(pk_stat_metadata, name, 8);
AT(pk_stat_metadata, description, 24);

SIZE(pk_module_info, 112);
AT(pk_module_info, file, 0);
AT(pk_module_info, plane, 4);
AT(pk_module_info, metadata_id, 8);
AT(pk_module_info, name, 16);
AT(pk_module_info, module_name, 32);
AT(pk_module_info, module_id, 48);
AT(pk_module_info, computation_count, 56);
AT(pk_module_info, instruction_count, 64);
AT(pk_module_info, hlo_proto, 72);
AT(pk_module_info, sibling_path, 88);
AT(pk_module_info, sibling, 104);
AT(pk_module_info, damaged, 108);

SIZE(pk_chrome_event, 128);
AT(pk_chrome_event, name, 0);
AT(pk_chrome_event, category, 16);
AT(pk_chrome_event, id, 32);
AT(pk_chrome_event, pid, 48);
AT(pk_chrome_event, tid, 64);
AT(pk_chrome_event, args, 80);
AT(pk_chrome_event, start_ps, 96);
AT(pk_chrome_event, duration_ps, 104);
AT(pk_chrome_event, byte_offset, 112);
AT(pk_chrome_event, phase, 120);
AT(pk_chrome_event, flags, 124);

SIZE(pk_chrome_summary, 32);
AT(pk_chrome_summary, event_count, 0);
AT(pk_chrome_summary, broken_count, 8);
AT(pk_chrome_summary, unusable_time_count, 16);
AT(pk_chrome_summary, zero_us, 24);

SIZE(pk_document_options, 80);
AT(pk_document_options, struct_size, 0);
AT(pk_document_options, flags, 4);
AT(pk_document_options, host, 8);
AT(pk_document_options, plane, 16);
AT(pk_document_options, line, 24);
AT(pk_document_options, name, 32);
AT(pk_document_options, step, 40);
AT(pk_document_options, from_ps, 48);
AT(pk_document_options, to_ps, 56);
AT(pk_document_options, limit, 64);
AT(pk_document_options, hooks, 72);

SIZE(pk_memory_options, 104);
AT(pk_memory_options, struct_size, 0);
AT(pk_memory_options, flags, 4);
AT(pk_memory_options, host, 8);
AT(pk_memory_options, module, 16);
AT(pk_memory_options, top, 24);
AT(pk_memory_options, step, 32);
AT(pk_memory_options, fit_bytes, 40);
AT(pk_memory_options, curve_points, 48);
AT(pk_memory_options, time_samples, 56);
AT(pk_memory_options, persistent_threshold_steps, 64);
AT(pk_memory_options, step_policy, 68);
AT(pk_memory_options, hooks, 72);
AT(pk_memory_options, memory_space, 80);
AT(pk_memory_options, what_if, 88);
AT(pk_memory_options, what_if_count, 96);

SIZE(pk_memory_module, 96);
AT(pk_memory_module, name, 0);
AT(pk_memory_module, label, 16);
AT(pk_memory_module, program_id, 32);
AT(pk_memory_module, source, 48);
AT(pk_memory_module, source_count, 64);
AT(pk_memory_module, space_count, 72);
AT(pk_memory_module, problem_count, 80);
AT(pk_memory_module, damaged, 88);
AT(pk_memory_module, chosen, 92);

SIZE(pk_memory_space, 120);
AT(pk_memory_space, color, 0);
AT(pk_memory_space, total_bytes, 8);
AT(pk_memory_space, peak_bytes, 16);
AT(pk_memory_space, peak_event, 24);
AT(pk_memory_space, indefinite_bytes, 32);
AT(pk_memory_space, temp_bytes, 40);
AT(pk_memory_space, temp_peak_bytes, 48);
AT(pk_memory_space, thread_local_bytes, 56);
AT(pk_memory_space, fragmentation_bytes, 64);
AT(pk_memory_space, residency_floor_bytes, 72);
AT(pk_memory_space, peak_instruction, 80);
AT(pk_memory_space, coverage, 96);
AT(pk_memory_space, method, 112);
AT(pk_memory_space, bound, 116);

SIZE(pk_memory_allocator, 104);
AT(pk_memory_allocator, name, 0);
AT(pk_memory_allocator, host, 16);
AT(pk_memory_allocator, device, 32);
AT(pk_memory_allocator, heap_peak_bytes, 48);
AT(pk_memory_allocator, occupancy_peak_bytes, 56);
AT(pk_memory_allocator, occupancy_peak_ps, 64);
AT(pk_memory_allocator, capacity_bytes, 72);
AT(pk_memory_allocator, pre_trace_bytes, 80);
AT(pk_memory_allocator, unmatched_frees, 88);
AT(pk_memory_allocator, allocator_agrees, 96);
AT(pk_memory_allocator, chosen, 100);

SIZE(pk_live_buffer, 168);
AT(pk_live_buffer, logical_buffer_id, 0);
AT(pk_live_buffer, size_bytes, 8);
AT(pk_live_buffer, allocation_index, 16);
AT(pk_live_buffer, offset_bytes, 24);
AT(pk_live_buffer, instruction_id, 32);
AT(pk_live_buffer, instruction_name, 40);
AT(pk_live_buffer, opcode, 56);
AT(pk_live_buffer, op_name, 72);
AT(pk_live_buffer, computation_name, 88);
AT(pk_live_buffer, shape, 104);
AT(pk_live_buffer, shape_index, 120);
AT(pk_live_buffer, shape_index_count, 128);
AT(pk_live_buffer, source_file, 136);
AT(pk_live_buffer, source_line, 152);
AT(pk_live_buffer, residency, 160);
AT(pk_live_buffer, instruction_found, 164);

SIZE(pk_curve_point, 16);
AT(pk_curve_point, event, 0);
AT(pk_curve_point, live_bytes, 8);

SIZE(pk_trace_options, 80);
AT(pk_trace_options, struct_size, 0);
AT(pk_trace_options, flags, 4);
AT(pk_trace_options, format, 8);
AT(pk_trace_options, reserved, 12);
AT(pk_trace_options, host, 16);
AT(pk_trace_options, plane, 24);
AT(pk_trace_options, line, 32);
AT(pk_trace_options, name, 40);
AT(pk_trace_options, step, 48);
AT(pk_trace_options, from_ps, 56);
AT(pk_trace_options, to_ps, 64);
AT(pk_trace_options, hooks, 72);

SIZE(pk_trace_outcome, 72);
AT(pk_trace_outcome, status, 0);
AT(pk_trace_outcome, reserved, 4);
AT(pk_trace_outcome, tracks, 8);
AT(pk_trace_outcome, lanes, 16);
AT(pk_trace_outcome, events, 24);
AT(pk_trace_outcome, counters, 32);
AT(pk_trace_outcome, flows, 40);
AT(pk_trace_outcome, aggregated_left_out, 48);
AT(pk_trace_outcome, out_of_reach, 56);
AT(pk_trace_outcome, crowded, 64);

SIZE(pk_value, 32);
AT(pk_value, kind, 0);
AT(pk_value, reserved, 4);
AT(pk_value, bits, 8);
AT(pk_value, text, 16);

SIZE(pk_validation_options, 32);
AT(pk_validation_options, struct_size, 0);
AT(pk_validation_options, flags, 4);
AT(pk_validation_options, bound_ps, 8);
AT(pk_validation_options, max_bound_ps, 16);
AT(pk_validation_options, hooks, 24);

SIZE(pk_validation_summary, 80);
AT(pk_validation_summary, status, 0);
AT(pk_validation_summary, node_count, 4);
AT(pk_validation_summary, group_count, 8);
AT(pk_validation_summary, violations, 16);
AT(pk_validation_summary, violations_raw, 24);
AT(pk_validation_summary, pair_violations, 32);
AT(pk_validation_summary, overlaps, 40);
AT(pk_validation_summary, unjudged, 48);
AT(pk_validation_summary, warnings, 56);
AT(pk_validation_summary, undecidable, 64);
AT(pk_validation_summary, clocks_corrected, 72);
AT(pk_validation_summary, bounds_known, 76);

SIZE(pk_clock_interval, 80);
AT(pk_clock_interval, node_id, 0);
AT(pk_clock_interval, pivot_ps, 8);
AT(pk_clock_interval, least_offset_ps, 16);
AT(pk_clock_interval, most_offset_ps, 24);
AT(pk_clock_interval, point_offset_ps, 32);
AT(pk_clock_interval, least_drift_ppm, 40);
AT(pk_clock_interval, most_drift_ppm, 48);
AT(pk_clock_interval, point_drift_ppm, 56);
AT(pk_clock_interval, constraints, 64);
AT(pk_clock_interval, decidable, 72);
AT(pk_clock_interval, feasible, 76);

#endif
