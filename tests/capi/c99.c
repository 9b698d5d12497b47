/* Calls every function of profkit.h from strict C99, on real captures. Usage: test_c99 TESTS_DATA_FOLDER */
#include <inttypes.h>
#include <profkit/profkit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks = 0;
static int failures = 0;

static int check(int holds, const char *what, int line) {
  ++checks;
  if (!holds) {
    ++failures;
    fprintf(stderr, "c99.c:%d: %s\n", line, what);
  }
  return holds;
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static int is_text(pk_str text, const char *expected) {
  return text.size == strlen(expected) && (text.size == 0 || memcmp(text.data, expected, text.size) == 0);
}

static int is_name(const char *name, const char *expected) { return strcmp(name, expected) == 0; }

static char path_buffer[4096];
static const char *path_below(const char *folder, const char *name) {
  snprintf(path_buffer, sizeof path_buffer, "%s/%s", folder, name);
  return path_buffer;
}

/* ---- names and versions ---- */

static void test_names(void) {
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", PK_VERSION_MAJOR, PK_VERSION_MINOR, PK_VERSION_PATCH);
  CHECK(strcmp(pk_version_string(), version) == 0);
  CHECK(pk_version_number() == PK_VERSION_NUMBER);
  CHECK(strcmp(pk_status_name(PK_OK), "ok") == 0);
  CHECK(strcmp(pk_status_name(PK_END), "end") == 0);
  CHECK(strcmp(pk_status_name(PK_E_TEXT_MANGLED), "text_mangled") == 0);
  CHECK(strcmp(pk_status_name(-9999), "internal") == 0);
  CHECK(strcmp(pk_family_name(PK_FAMILY_XSPACE), "xspace") == 0);
  CHECK(strcmp(pk_family_name(99), "unknown") == 0);
  CHECK(is_name(pk_kernel_class_name(PK_KERNEL_OTHER), "other") &&
        is_name(pk_kernel_class_name(99), "other"));
  CHECK(is_name(pk_accelerator_name(PK_ACCELERATOR_NPU), "npu") &&
        is_name(pk_accelerator_name(99), "other"));
  CHECK(is_name(pk_launch_kind_name(PK_LAUNCH_GRAPH), "graph") &&
        is_name(pk_launch_kind_name(99), ""));
  CHECK(is_name(pk_host_span_kind_name(PK_SPAN_OTHER), "other") &&
        is_name(pk_host_span_kind_name(99), "other"));
  CHECK(is_name(pk_window_policy_name(PK_WINDOW_POLICY_GUIDE), "guide") &&
        is_name(pk_window_policy_name(99), "whole"));
  CHECK(is_name(pk_bubble_scope_name(PK_BUBBLE_SCOPE_TAIL), "tail") &&
        is_name(pk_bubble_scope_name(99), "global"));
  CHECK(is_name(pk_bubble_label_name(PK_BUBBLE_LABEL_INSUFFICIENT_EVIDENCE), "insufficient_evidence") &&
        is_name(pk_bubble_label_name(99), "insufficient_evidence"));
  CHECK(is_name(pk_idle_cause_name(PK_CAUSE_HOST_CALL), "host_call") &&
        is_name(pk_idle_cause_name(99), "unexplained"));
  CHECK(is_name(pk_bubble_tag_name(PK_BUBBLE_TAG_VARIABLE_SHAPE_SAME_TEMPLATE), "VARIABLE_SHAPE_SAME_TEMPLATE") &&
        is_name(pk_bubble_tag_name(99), ""));
  CHECK(is_name(pk_time_use_name(PK_TIME_NOT_RECORDED), "not_recorded") &&
        is_name(pk_time_use_name(99), "idle"));
  CHECK(is_name(pk_clock_domain_name(PK_CLOCK_HOST), "host") &&
        is_name(pk_clock_domain_name(99), ""));
  CHECK(is_name(pk_document_status_name(PK_DOCUMENT_STATUS_ERROR), "error") &&
        is_name(pk_document_status_name(99), "error"));
  CHECK(is_name(pk_dump_format_name(PK_DUMP_TEXT), "text") &&
        is_name(pk_dump_format_name(99), ""));
  CHECK(is_name(pk_fact_source_name(PK_FACT_COUNT), "count") &&
        is_name(pk_fact_source_name(99), "count"));
  CHECK(is_name(pk_certainty_name(PK_CERTAINTY_PROVED), "proved") &&
        is_name(pk_certainty_name(99), "unknown"));
  CHECK(is_name(pk_log_level_name(PK_LOG_WARNING), "warning") &&
        is_name(pk_log_level_name(99), "warning"));
  CHECK(is_name(pk_step_policy_name(PK_STEP_POLICY_FIRST), "first") &&
        is_name(pk_step_policy_name(99), ""));
  CHECK(is_name(pk_peak_method_name(PK_PEAK_METHOD_ALLOCATION_SIZES), "allocation_sizes") &&
        is_name(pk_peak_method_name(99), "none"));
  CHECK(is_name(pk_peak_bound_name(PK_PEAK_BOUND_UPPER), "upper") &&
        is_name(pk_peak_bound_name(99), "exact"));
  CHECK(is_name(pk_residency_name(PK_RESIDENCY_TEMPORARY), "temp") &&
        is_name(pk_residency_name(99), "temp"));
  CHECK(is_name(pk_plane_scheme_name(PK_PLANES_NODE), "node") &&
        is_name(pk_plane_scheme_name(99), ""));
  CHECK(is_name(pk_merge_correction_name(PK_CORRECTION_NONE), "none") &&
        is_name(pk_merge_correction_name(99), ""));
  CHECK(is_name(pk_merged_format_name(PK_MERGED_TRACE_JSON), "trace_json") &&
        is_name(pk_merged_format_name(99), ""));
  CHECK(is_name(pk_merge_zero_name(PK_ZERO_NONE), "none") &&
        is_name(pk_merge_zero_name(99), ""));
  CHECK(is_name(pk_node_status_name(PK_NODE_CORRUPT), "corrupt") &&
        is_name(pk_node_status_name(99), "raw"));
  CHECK(is_name(pk_sibling_state_name(PK_SIBLING_DIFFERS), "differs") &&
        is_name(pk_sibling_state_name(99), "none"));
  CHECK(is_name(pk_group_key_name(PK_GROUP_BY_DEVICE), "device") &&
        is_name(pk_group_key_name(99), ""));
  CHECK(is_name(pk_ops_clock_name(PK_OPS_CLOCK_MIXED), "mixed") &&
        is_name(pk_ops_clock_name(99), "aligned"));
  CHECK(is_name(pk_probe_slice_name(PK_PROBE_SLICE_LOG), "log") &&
        is_name(pk_probe_slice_name(99), ""));
  CHECK(is_name(pk_probe_format_name(PK_PROBE_SVG), "svg") &&
        is_name(pk_probe_format_name(99), ""));
  CHECK(is_name(pk_probe_level_name(PK_PROBE_LEVEL_WARP), "warp") &&
        is_name(pk_probe_level_name(99), "unknown"));
  CHECK(is_name(pk_probe_outcome_name(PK_PROBE_OUTCOME_BENCHMARK), "benchmark") &&
        is_name(pk_probe_outcome_name(99), "unfinished"));
  CHECK(is_name(pk_probe_tool_name(PK_PROBE_TOOL_DMAT), "dmat") &&
        is_name(pk_probe_tool_name(99), ""));
  CHECK(is_name(pk_io_mode_name(PK_IO_MAP), "map") &&
        is_name(pk_io_mode_name(99), ""));
  CHECK(is_name(pk_compression_name(PK_COMPRESSION_ZSTD), "zstd") &&
        is_name(pk_compression_name(99), "none"));
  CHECK(is_name(pk_column_type_name(PK_COLUMN_NAME), "name") &&
        is_name(pk_column_type_name(99), ""));
  CHECK(is_name(pk_trace_format_name(PK_TRACE_CSV), "csv") &&
        is_name(pk_trace_format_name(99), ""));
  CHECK(is_name(pk_plane_kind_name(PK_PLANE_OTHER), "other") &&
        is_name(pk_plane_kind_name(99), "other"));
  CHECK(is_name(pk_line_kind_name(PK_LINE_OTHER), "other") &&
        is_name(pk_line_kind_name(99), "other"));
  CHECK(is_name(pk_stat_kind_name(PK_STAT_REF), "ref") &&
        is_name(pk_stat_kind_name(99), "none"));
  CHECK(is_name(pk_stat_origin_name(PK_ORIGIN_PLANE), "plane") &&
        is_name(pk_stat_origin_name(99), ""));
  CHECK(is_name(pk_note_kind_name(PK_NOTE_WARNING), "warning") &&
        is_name(pk_note_kind_name(99), ""));
  CHECK(strcmp(pk_document_name(PK_DOCUMENT_OPS), "ops") == 0);
  CHECK(strcmp(pk_document_name(0), "") == 0);
}

/* ---- errors ---- */

static void test_errors(void) {
  pk_error *error = NULL;
  pk_profile *profile = (pk_profile *)&error; /* must become NULL */
  CHECK(pk_profile_open("/nonexistent/capture.xplane.pb", NULL, &profile, &error) == PK_E_NOT_FOUND);
  CHECK(profile == NULL);
  CHECK(error != NULL && pk_error_code(error) == PK_E_NOT_FOUND);
  CHECK(strstr(pk_error_path(error), "/nonexistent") != NULL);
  CHECK(strlen(pk_error_message(error)) > 0);
  CHECK(pk_error_hint(error) != NULL);
  CHECK(pk_error_byte_offset(error) == PK_NO_OFFSET);
  pk_error_free(error);
  CHECK(pk_profile_open("/nonexistent/capture.xplane.pb", NULL, &profile, NULL) == PK_E_NOT_FOUND);
  CHECK(pk_error_code(NULL) == PK_OK);
  CHECK(pk_error_message(NULL)[0] == '\0' && pk_error_path(NULL)[0] == '\0' && pk_error_hint(NULL)[0] == '\0');
  CHECK(pk_error_byte_offset(NULL) == PK_NO_OFFSET);
  pk_error_free(NULL);
}

/* ---- reading everything in an XSpace ---- */

struct totals {
  uint64_t events;
  uint64_t stats;
  int64_t duration_ps;
};

static struct totals read_line(const pk_profile *profile, uint32_t file, uint32_t plane, uint32_t line) {
  struct totals sum = {0, 0, 0};
  pk_event_cursor cursor;
  pk_event events[100];
  size_t count = 0;
  pk_error *error = NULL;
  pk_status status;
  CHECK(pk_events_begin(profile, file, plane, line, &cursor, &error) == PK_OK);
  while ((status = pk_events_read(&cursor, events, 100, &count, &error)) == PK_OK) {
    size_t i;
    CHECK(count > 0 && count <= 100);
    for (i = 0; i < count; ++i) {
      pk_stat_cursor stats;
      pk_stat stat;
      sum.events += 1;
      sum.duration_ps += events[i].duration_ps;
      CHECK(pk_event_stats(profile, file, plane, &events[i], PK_ORIGIN_EVENT, &stats, &error) == PK_OK);
      while ((status = pk_stat_next(&stats, &stat, &error)) == PK_OK) {
        ++sum.stats;
        if (stat.origin != PK_ORIGIN_EVENT) CHECK(stat.origin == PK_ORIGIN_EVENT);
      }
      if (status != PK_END) CHECK(status == PK_END);
      stat.name.data = "no such stat", stat.name.size = 12;
      CHECK(pk_event_stat_find(profile, file, plane, &events[i], PK_ORIGIN_EVENT, stat.name, &stat, NULL) == PK_E_NOT_FOUND);
    }
  }
  CHECK(status == PK_END && count == 0 && error == NULL);
  CHECK(pk_events_read(&cursor, events, 100, &count, &error) == PK_END); /* the end stays the end */
  return sum;
}

static void test_single_events(const pk_profile *profile, uint32_t file, uint32_t plane, uint32_t line) {
  pk_event_cursor one, many;
  pk_event single, batch[7];
  pk_error *error = NULL;
  size_t count = 0, at = 0;
  uint64_t seen = 0;
  CHECK(pk_events_begin(profile, file, plane, line, &one, &error) == PK_OK);
  CHECK(pk_events_begin(profile, file, plane, line, &many, &error) == PK_OK);
  while (pk_event_next(&one, &single, &error) == PK_OK) {
    if (at == count) {
      CHECK(pk_events_read(&many, batch, 7, &count, &error) == PK_OK);
      at = 0;
    }
    if (memcmp(&single, &batch[at], sizeof single) != 0) check(0, "a batch and single reads agree", __LINE__);
    ++at;
    ++seen;
  }
  CHECK(seen > 0 && at == count);
}

static void test_metadata(const pk_profile *profile, uint32_t file, uint32_t plane) {
  pk_metadata_cursor cursor;
  pk_event_metadata event, found;
  pk_stat_metadata stat, found_stat;
  pk_stat_cursor stats;
  pk_stat one;
  pk_plane_info info;
  pk_error *error = NULL;
  uint64_t entries = 0;
  int64_t id = 0, children[4];
  size_t count = 0;
  CHECK(pk_plane_get(profile, file, plane, &info, &error) == PK_OK);
  CHECK(pk_event_metadata_begin(profile, file, plane, &cursor, &error) == PK_OK);
  while (pk_event_metadata_next(&cursor, &event, &error) == PK_OK) {
    ++entries;
    CHECK(pk_event_metadata_get(profile, file, plane, event.id, &found, &error) == PK_OK);
    CHECK(found.id == event.id && found.name.data == event.name.data);
    CHECK(pk_event_metadata_children(profile, file, plane, event.id, children, 4, &count, &error) == PK_OK);
    CHECK(count == event.child_count);
    CHECK(pk_event_metadata_stats(profile, file, plane, event.id, &stats, &error) == PK_OK);
    while (pk_stat_next(&stats, &one, &error) == PK_OK)
      if (one.origin != PK_ORIGIN_METADATA) CHECK(one.origin == PK_ORIGIN_METADATA);
  }
  CHECK(error == NULL && entries <= info.event_metadata_count && entries > 0);
  entries = 0;
  CHECK(pk_stat_metadata_begin(profile, file, plane, &cursor, &error) == PK_OK);
  while (pk_stat_metadata_next(&cursor, &stat, &error) == PK_OK) {
    ++entries;
    CHECK(pk_stat_metadata_get(profile, file, plane, stat.id, &found_stat, &error) == PK_OK);
    CHECK(found_stat.name.data == stat.name.data);
    CHECK(pk_stat_metadata_find(profile, file, plane, stat.name.data, stat.name.size, &id, &error) == PK_OK);
  }
  CHECK(error == NULL && entries <= info.stat_metadata_count && entries > 0);
  CHECK(pk_event_metadata_get(profile, file, plane, INT64_MIN, &found, &error) == PK_E_NOT_FOUND);
  CHECK(error != NULL && found.name.size == 0);
  pk_error_free(error);
  CHECK(pk_stat_metadata_get(profile, file, plane, INT64_MIN, &found_stat, NULL) == PK_E_NOT_FOUND);
  CHECK(pk_stat_metadata_find(profile, file, plane, "no such stat", 12, &id, NULL) == PK_E_NOT_FOUND);
  CHECK(pk_event_metadata_stats(profile, file, plane, INT64_MIN, &stats, NULL) == PK_E_NOT_FOUND);
  CHECK(pk_event_metadata_children(profile, file, plane, INT64_MIN, NULL, 0, &count, NULL) == PK_E_NOT_FOUND);
}

static void test_xspace(const char *data) {
  pk_profile *profile = NULL, *shared;
  pk_error *error = NULL;
  pk_profile_info capture;
  pk_file_info file;
  pk_plane_info plane;
  pk_line_info line;
  pk_line_summary summary;
  pk_stat_cursor stats;
  pk_stat stat;
  pk_str bytes, host;
  struct totals sum = {0, 0, 0};
  uint64_t events = 0, plane_stats = 0;
  uint32_t p, l;
  if (!CHECK(pk_profile_open(path_below(data, "xspace/tpu_v6e_inference.xplane.pb"), NULL, &profile, &error) ==
             PK_OK)) {
    fprintf(stderr, "%s\n", pk_error_message(error));
    pk_error_free(error);
    return;
  }
  shared = pk_profile_ref(profile);
  CHECK(shared == profile);
  pk_profile_free(shared);
  CHECK(pk_profile_get(profile, &capture, &error) == PK_OK);
  CHECK(capture.file_count == 1 && capture.run_count == 0 && pk_file_count(profile) == 1);
  CHECK(capture.flags == PK_PROFILE_HAS_ORIGIN && capture.origin_unix_ns == INT64_C(1741722099081044120));
  CHECK(pk_file_get(profile, 0, &file, &error) == PK_OK);
  CHECK(file.family == PK_FAMILY_XSPACE && file.encoded_bytes == 862707 && file.export_of == -1);
  CHECK(file.flags == PK_FILE_HAS_ORIGIN && file.shift_ns == 0);
  CHECK(file.plane_count == 7 && pk_plane_count(profile, 0) == 7);
  CHECK(pk_file_damage(profile, 0) == NULL);
  CHECK(pk_file_bytes(profile, 0, &bytes, &error) == PK_OK && bytes.size == 862707);
  CHECK(pk_file_note_count(profile, 0, PK_NOTE_HOSTNAME) == 0);
  CHECK(pk_file_note_get(profile, 0, PK_NOTE_HOSTNAME, 0, &host, NULL) == PK_E_INVALID_ARGUMENT);
  for (p = 0; p < file.plane_count; ++p) {
    CHECK(pk_plane_get(profile, 0, p, &plane, &error) == PK_OK);
    CHECK(plane.line_count == pk_line_count(profile, 0, p));
    CHECK(pk_plane_stats(profile, 0, p, &stats, &error) == PK_OK);
    while (pk_stat_next(&stats, &stat, &error) == PK_OK) ++plane_stats;
    for (l = 0; l < plane.line_count; ++l) {
      struct totals of_line;
      CHECK(pk_line_get(profile, 0, p, l, &line, &error) == PK_OK);
      CHECK(line.flags == PK_LINE_HAS_START && line.start_ps == line.timestamp_ns * 1000);
      CHECK(pk_line_summarise(profile, 0, p, l, &summary, &error) == PK_OK);
      of_line = read_line(profile, 0, p, l);
      CHECK(of_line.events == summary.event_count);
      events += summary.event_count;
      sum.stats += of_line.stats;
    }
    if (plane.event_metadata_count > 0 && plane.stat_metadata_count > 0) test_metadata(profile, 0, p);
  }
  CHECK(events == 26723); /* counted once with generated protobuf */
  CHECK(sum.stats == 37200 && plane_stats == 51);
  CHECK(pk_plane_get(profile, 0, 0, &plane, &error) == PK_OK);
  CHECK(is_text(plane.name, "/device:TPU:0") && plane.kind == PK_PLANE_DEVICE && plane.device_ordinal == 0);
  test_single_events(profile, 0, 0, 0);
  pk_profile_free(profile);
  pk_profile_free(NULL);
  CHECK(pk_profile_ref(NULL) == NULL);
}

/* ---- a run directory: an XSpace, its Chrome export ---- */

static int64_t read_file(void *user, uint64_t offset, void *into, size_t size) {
  FILE *file = (FILE *)user;
  if (fseek(file, (long)offset, SEEK_SET) != 0) return -1;
  return (int64_t)fread(into, 1, size, file);
}

static void test_chrome(pk_profile *profile, uint32_t file) {
  pk_chrome_reader *reader = NULL;
  pk_chrome_event events[50];
  pk_chrome_summary summary;
  pk_error *error = NULL;
  size_t count = 0;
  uint64_t seen = 0, complete = 0;
  pk_status status;
  if (!CHECK(pk_chrome_open(profile, file, &reader, &error) == PK_OK)) {
    fprintf(stderr, "%s\n", pk_error_message(error));
    pk_error_free(error);
    return;
  }
  while ((status = pk_chrome_events_read(reader, events, 50, &count, &error)) == PK_OK) {
    size_t i;
    for (i = 0; i < count; ++i) {
      ++seen;
      if (events[i].phase != 'X') continue;
      ++complete;
      CHECK((events[i].flags & PK_CHROME_HAS_START) != 0 && (events[i].flags & PK_CHROME_HAS_DURATION) != 0);
      CHECK(events[i].name.size > 0 && events[i].pid.size > 0);
    }
  }
  CHECK(status == PK_END && seen > 0 && complete > 0);
  CHECK(pk_chrome_summarise(reader, &summary, &error) == PK_OK);
  CHECK(summary.event_count == seen && summary.broken_count == 0);
  pk_chrome_free(reader);
  pk_chrome_free(NULL);
}

static void test_run_directory(const char *data) {
  pk_profile *profile = NULL;
  pk_error *error = NULL;
  pk_open_options options = PK_OPEN_OPTIONS_INIT;
  pk_limits limits = PK_LIMITS_INIT;
  pk_hooks hooks = PK_HOOKS_INIT;
  pk_cancel_token *token = NULL;
  pk_profile_info capture;
  pk_run_info run;
  pk_chrome_reader *reader = NULL;
  uint32_t i, chrome = UINT32_MAX, xspace = UINT32_MAX;
  CHECK(pk_cancel_token_new(&token, &error) == PK_OK);
  hooks.cancel = token;
  options.limits = &limits;
  options.hooks = &hooks;
  options.io = PK_IO_READ;
  CHECK(pk_profile_open(path_below(data, "jax/mlp_nohlo"), &options, &profile, &error) == PK_OK);
  CHECK(pk_profile_get(profile, &capture, &error) == PK_OK);
  CHECK(capture.file_count == 2 && capture.run_count == 1);
  CHECK(pk_run_get(profile, 0, &run, &error) == PK_OK);
  CHECK(is_text(run.name, "2026_11_21_07_08_37") && run.chosen == 1);
  for (i = 0; i < capture.file_count; ++i) {
    pk_file_info file;
    CHECK(pk_file_get(profile, i, &file, &error) == PK_OK);
    if (file.family == PK_FAMILY_XSPACE) xspace = i;
    if (file.family == PK_FAMILY_CHROME_TRACE) chrome = i;
  }
  CHECK(xspace != UINT32_MAX && chrome != UINT32_MAX);
  test_chrome(profile, chrome);
  CHECK(pk_chrome_open(profile, xspace, &reader, NULL) == PK_E_UNSUPPORTED && reader == NULL);
  pk_profile_free(profile);
  pk_cancel_token_cancel(token);
  CHECK(pk_profile_open(path_below(data, "jax/mlp_nohlo"), &options, &profile, NULL) == PK_E_CANCELLED);
  pk_cancel_token_free(token);
  pk_cancel_token_free(NULL);
}

/* ---- the same file through memory and through callbacks ---- */

static uint64_t events_of(const pk_profile *profile) {
  uint64_t events = 0;
  uint32_t p, l;
  for (p = 0; p < pk_plane_count(profile, 0); ++p)
    for (l = 0; l < pk_line_count(profile, 0, p); ++l) {
      pk_line_summary summary;
      CHECK(pk_line_summarise(profile, 0, p, l, &summary, NULL) == PK_OK);
      events += summary.event_count;
    }
  return events;
}

static void test_sources(const char *data) {
  static const char name[] = "xspace/jax08_gemm_mi300.xplane.pb";
  pk_profile *by_path = NULL, *by_copy = NULL, *by_calls = NULL;
  pk_read_callbacks callbacks = PK_READ_CALLBACKS_INIT;
  pk_open_options copy = PK_OPEN_OPTIONS_INIT;
  FILE *file = fopen(path_below(data, name), "rb");
  unsigned char *bytes;
  size_t size;
  pk_str host;
  if (!CHECK(file != NULL)) return;
  bytes = (unsigned char *)malloc(1 << 20);
  size = fread(bytes, 1, 1 << 20, file);
  CHECK(size == 110057);
  CHECK(pk_profile_open(path_below(data, name), NULL, &by_path, NULL) == PK_OK);
  copy.flags = PK_OPEN_COPY;
  CHECK(pk_profile_open_buffer(bytes, size, "gemm.xplane.pb", &copy, &by_copy, NULL) == PK_OK);
  memset(bytes, 0xff, size);
  free(bytes);
  callbacks.user = file;
  callbacks.read_at = read_file;
  callbacks.size_bytes = size;
  CHECK(pk_profile_open_callbacks(&callbacks, "gemm.xplane.pb", NULL, &by_calls, NULL) == PK_OK);
  fclose(file);
  CHECK(pk_file_note_count(by_path, 0, PK_NOTE_HOSTNAME) == 1);
  CHECK(pk_file_note_get(by_path, 0, PK_NOTE_HOSTNAME, 0, &host, NULL) == PK_OK && is_text(host, "tw003"));
  CHECK(events_of(by_path) == 3782);
  CHECK(events_of(by_copy) == 3782);
  CHECK(events_of(by_calls) == 3782);
  pk_profile_free(by_path);
  pk_profile_free(by_copy);
  pk_profile_free(by_calls);
}

/* ---- modules and documents ---- */

static int32_t count_bytes(void *user, const void *data, size_t size) {
  (void)data;
  *(size_t *)user += size;
  return 0;
}

static void test_modules(const char *data) {
  pk_profile *profile = NULL, *redacted = NULL;
  pk_document_options asked = PK_DOCUMENT_OPTIONS_INIT;
  pk_open_options options = PK_OPEN_OPTIONS_INIT;
  pk_module_list *modules = NULL;
  pk_module_info module;
  pk_error *error = NULL;
  size_t i, bytes = 0;
  int32_t status = -1;
  CHECK(pk_profile_open(path_below(data, "xspace/tpu_v6e_inference.xplane.pb"), NULL, &profile, &error) == PK_OK);
  CHECK(pk_module_list_open(profile, NULL, &modules, &error) == PK_OK);
  asked.of = "jit_f";
  CHECK(pk_document_write(profile, PK_DOCUMENT_MODULES, &asked, count_bytes, &bytes, &status, &error) == PK_OK && bytes > 1000);
  CHECK(status == PK_DOCUMENT_STATUS_OK);
  asked.of = "no such module";
  CHECK(pk_document_write(profile, PK_DOCUMENT_MODULES, &asked, count_bytes, &bytes, &status, &error) ==
        PK_E_NOT_FOUND);
  pk_error_free(error);
  bytes = 0;
  asked.of = "bubbles.idle";
  CHECK(pk_document_write(profile, PK_DOCUMENT_EXPLAIN, &asked, count_bytes, &bytes, &status, &error) == PK_OK &&
        bytes > 500);
  CHECK(bytes <= 8000);
  asked.of = "no such finding";
  CHECK(pk_document_write(profile, PK_DOCUMENT_EXPLAIN, &asked, count_bytes, &bytes, &status, &error) ==
        PK_E_NOT_FOUND);
  pk_error_free(error);
  bytes = 0;
  CHECK(pk_page_write(profile, NULL, count_bytes, &bytes, &status, &error) == PK_OK && bytes > 50000);
  CHECK(status == PK_DOCUMENT_STATUS_OK);
  bytes = 0;
  asked.of = "module,op";
  CHECK(pk_document_write(profile, PK_DOCUMENT_OP_GROUPS, &asked, count_bytes, &bytes, &status, &error) == PK_OK &&
        bytes > 500);
  CHECK(pk_captures_write(path_below(data, "xspace/tpu_v6e_inference.xplane.pb"), count_bytes, &bytes, &error) == PK_OK);
  CHECK(pk_redaction_write(profile, count_bytes, &bytes, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  options.flags = PK_OPEN_REDACT;
  CHECK(pk_profile_open(path_below(data, "xspace/tpu_v6e_inference.xplane.pb"), &options, &redacted, &error) == PK_OK);
  bytes = 0;
  CHECK(pk_redaction_write(redacted, count_bytes, &bytes, &error) == PK_OK && bytes > 1000);
  pk_profile_free(redacted);
  pk_profile_free(profile); /* the list holds a reference of its own */
  CHECK(pk_module_count(modules) == 4);
  for (i = 0; i < pk_module_count(modules); ++i) {
    CHECK(pk_module_get(modules, i, &module, &error) == PK_OK);
    CHECK(module.instruction_count > 0 && module.hlo_proto.size > 0 && (module.flags & PK_MODULE_DAMAGED) == 0);
    CHECK(pk_module_damage(modules, i) == NULL);
  }
  CHECK(pk_module_get(modules, 0, &module, &error) == PK_OK);
  CHECK(is_text(module.name, "jit_f(12190760917235803885)") && module.hlo_proto.size == 8194);
  CHECK(is_text(module.module_name, "jit_f") && module.plane >= 0 && module.file == 0);
  CHECK(pk_module_get(modules, 4, &module, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  CHECK(pk_module_damage(modules, 4) == NULL);
  pk_module_list_free(modules);
  pk_module_list_free(NULL);
  CHECK(pk_module_count(NULL) == 0);
}

static void test_documents(const char *data) {
  pk_profile *profile = NULL;
  pk_error *error = NULL;
  pk_document_options options = PK_DOCUMENT_OPTIONS_INIT;
  pk_filters filters = PK_FILTERS_INIT;
  int32_t document, status = -1;
  size_t bytes = 0;
  CHECK(pk_profile_open(path_below(data, "xspace/tpu_v6e_inference.xplane.pb"), NULL, &profile, &error) == PK_OK);
  filters.plane = "TPU:0";
  options.filters = &filters;
  for (document = PK_DOCUMENT_REPORT; document <= PK_DOCUMENT_MEMORY; ++document) {
    bytes = 0;
    if (!CHECK(pk_document_write(profile, document, &options, count_bytes, &bytes, &status, &error) == PK_OK)) {
      fprintf(stderr, "%s: %s\n", pk_document_name(document), pk_error_message(error));
      pk_error_free(error);
    }
    CHECK(bytes > 0 && (status == PK_DOCUMENT_STATUS_OK || status == PK_DOCUMENT_STATUS_ABSENT));
  }
  CHECK(pk_document_write_file(profile, PK_DOCUMENT_INFO, NULL, "/nonexistent/file", &status, &error) != PK_OK);
  pk_error_free(error);
  bytes = 0;
  CHECK(pk_file_dump_write(profile, 0, NULL, count_bytes, &bytes, &status, &error) == PK_OK && bytes > 1000);
  pk_profile_free(profile);
  CHECK(pk_profile_open("/nonexistent", NULL, &profile, &error) == PK_E_NOT_FOUND);
  bytes = 0;
  CHECK(pk_document_write_error(PK_DOCUMENT_INFO, error, count_bytes, &bytes, NULL) == PK_OK);
  CHECK(bytes > 0);
  pk_error_free(error);
}

static void test_memory(const char *data) {
  pk_profile *profile = NULL;
  pk_memory *memory = NULL;
  pk_error *error = NULL;
  pk_memory_options options = PK_MEMORY_OPTIONS_INIT;
  pk_memory_module module;
  pk_memory_space space;
  pk_memory_allocator allocator;
  pk_table *table = NULL;
  pk_dump_options dump = PK_DUMP_OPTIONS_INIT;
  pk_live_buffer buffers[2];
  pk_curve_point points[4];
  size_t i, count = 0, bytes = 0;
  uint64_t position = 0;
  int64_t sum = 0, spare = 0, most = 0;
  uint32_t fits = 1;
  int32_t status = -1;
  CHECK(pk_profile_open(path_below(data, "xspace/tpu_v6e_inference.xplane.pb"), NULL, &profile, &error) == PK_OK);
  options.curve_points = 100;
  options.flags = PK_MEMORY_HAS_FIT;
  options.fit_bytes = 20;
  CHECK(pk_memory_open(profile, &options, &memory, &error) == PK_OK);
  pk_profile_free(profile); /* the analysis keeps it open */
  CHECK(pk_memory_module_count(memory) == 4);
  CHECK(pk_memory_module_get(memory, 0, &module, &error) == PK_OK);
  CHECK(is_text(module.name, "jit_f") && module.chosen == 1 && module.damaged == 0);
  for (i = 0; i < module.space_count; ++i) {
    CHECK(pk_memory_space_get(memory, 0, i, &space, &error) == PK_OK);
    if (space.color == 0) {
      CHECK(space.total_bytes == 21474934816);
      CHECK(space.method == PK_PEAK_METHOD_HEAP_REPLAY && space.bound == PK_PEAK_BOUND_EXACT);
      most = space.peak_bytes;
    }
  }
  CHECK(pk_memory_space_get(memory, 0, module.space_count, &space, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  CHECK(pk_memory_table(memory, PK_TABLE_LIVE_BUFFERS, NULL, &table, &error) == PK_OK);
  while (pk_table_read(table, buffers, sizeof *buffers, 2, &count, &error) == PK_OK) {
    for (i = 0; i < count; ++i) sum += buffers[i].size_bytes;
    position += count;
  }
  CHECK(position > 0 && sum == most);
  pk_table_free(table);
  CHECK(pk_memory_table(memory, PK_TABLE_LIVE_CURVE, NULL, &table, &error) == PK_OK);
  CHECK(pk_table_read(table, points, sizeof *points, 4, &count, &error) == PK_OK && count == 4);
  pk_table_free(table);
  CHECK(pk_memory_fit(memory, &fits, &spare, &error) == PK_OK && fits == 0 && spare < 0);
  CHECK(pk_memory_table(memory, PK_TABLE_ALLOCATORS, NULL, &table, &error) == PK_OK);
  for (i = 0; i < 4; ++i) {
    CHECK(pk_table_read(table, &allocator, sizeof allocator, 1, &count, &error) == PK_OK && count == 1);
    CHECK((allocator.flags & PK_ALLOCATOR_AGREES) != 0 && allocator.capacity_bytes == 33550237696);
  }
  CHECK(pk_table_read(table, &allocator, sizeof allocator, 1, &count, &error) == PK_END && count == 0);
  pk_table_free(table);
  CHECK(pk_memory_write(memory, count_bytes, &bytes, &status, &error) == PK_OK);
  CHECK(bytes > 1000 && status == PK_DOCUMENT_STATUS_OK);
  pk_memory_free(memory);
  bytes = 0;
  status = -1;
  dump.format = PK_DUMP_TEXT;
  dump.limit = 1;
  CHECK(pk_dump_write(path_below(data, "xspace/tpu_v6e_inference.xplane.pb"), &dump, count_bytes, &bytes, &status,
                      &error) == PK_OK);
  CHECK(bytes > 100 && status == PK_DOCUMENT_STATUS_OK);
  pk_memory_free(NULL);
  CHECK(pk_memory_module_count(NULL) == 0);
}

/* ---- options ---- */

/* Zero is the default of every option. */
#define SAME_AS_ZEROED(type, initial)                  \
  do {                                                 \
    type given = initial;                              \
    type zeroed;                                       \
    memset(&zeroed, 0, sizeof zeroed);                 \
    zeroed.struct_size = (uint32_t)sizeof zeroed;      \
    CHECK(memcmp(&given, &zeroed, sizeof given) == 0); \
  } while (0)

static void test_options(void) {
  SAME_AS_ZEROED(pk_hooks, PK_HOOKS_INIT);
  SAME_AS_ZEROED(pk_limits, PK_LIMITS_INIT);
  SAME_AS_ZEROED(pk_filters, PK_FILTERS_INIT);
  SAME_AS_ZEROED(pk_open_options, PK_OPEN_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_push_callbacks, PK_PUSH_CALLBACKS_INIT);
  SAME_AS_ZEROED(pk_push_options, PK_PUSH_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_trace_builder_options, PK_TRACE_BUILDER_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_trace_host, PK_TRACE_HOST_INIT);
  SAME_AS_ZEROED(pk_trace_device, PK_TRACE_DEVICE_INIT);
  SAME_AS_ZEROED(pk_trace_stream, PK_TRACE_STREAM_INIT);
  SAME_AS_ZEROED(pk_trace_thread, PK_TRACE_THREAD_INIT);
  SAME_AS_ZEROED(pk_trace_counter, PK_TRACE_COUNTER_INIT);
  SAME_AS_ZEROED(pk_trace_allocator, PK_TRACE_ALLOCATOR_INIT);
  SAME_AS_ZEROED(pk_read_callbacks, PK_READ_CALLBACKS_INIT);
  SAME_AS_ZEROED(pk_activity_options, PK_ACTIVITY_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_document_options, PK_DOCUMENT_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_memory_options, PK_MEMORY_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_writer_options, PK_WRITER_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_trace_options, PK_TRACE_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_dump_options, PK_DUMP_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_validation_options, PK_VALIDATION_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_probe_query, PK_PROBE_QUERY_INIT);
  SAME_AS_ZEROED(pk_clock_options, PK_CLOCK_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_merge_options, PK_MERGE_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_bubbles_options, PK_BUBBLES_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_architecture_options, PK_ARCHITECTURE_OPTIONS_INIT);
  SAME_AS_ZEROED(pk_table_options, PK_TABLE_OPTIONS_INIT);
}

/* ---- writing, exporting, validating ---- */

typedef struct growing {
  char *data;
  size_t size;
} growing;

static int32_t append_bytes(void *user, const void *data, size_t size) {
  growing *to = user;
  char *larger = realloc(to->data, to->size + size + 1);
  if (larger == NULL) return 1;
  memcpy(larger + to->size, data, size);
  to->data = larger;
  to->size += size;
  return 0;
}

static pk_str text(const char *value) {
  pk_str str;
  str.data = value;
  str.size = strlen(value);
  return str;
}

static pk_value number(uint64_t bits) {
  pk_value value;
  memset(&value, 0, sizeof value);
  value.kind = PK_VALUE_UINT64;
  value.bits = bits;
  return value;
}

/* One GPU of a node that runs three all-reduces. */
static void write_node(pk_xspace_writer *writer, int64_t shift_ps) {
  pk_value value = number(1700000000000000000u);
  int64_t kernel, i;
  pk_xspace_writer_note(writer, PK_NOTE_HOSTNAME, text("node"));
  pk_xspace_writer_begin_plane(writer, text("Task Environment"), 0);
  pk_xspace_writer_plane_stat(writer, pk_xspace_writer_stat_metadata(writer, text("profile_start_time")), &value);
  pk_xspace_writer_end_plane(writer);
  pk_xspace_writer_begin_plane(writer, text("/device:GPU:0"), 0);
  kernel = pk_xspace_writer_event_metadata(writer, text("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), text(""));
  value = number(8);
  pk_xspace_writer_metadata_stat(writer, kernel, pk_xspace_writer_stat_metadata(writer, text("bytes")), &value);
  pk_xspace_writer_begin_line(writer, 1, text("Stream #1"), 0);
  for (i = 1; i <= 3; ++i) {
    pk_xspace_writer_event(writer, kernel, i * 1000000000 + shift_ps, 100000000);
    value.kind = PK_VALUE_TEXT;
    value.text = text("all-reduce.1");
    pk_xspace_writer_event_stat(writer, pk_xspace_writer_stat_metadata(writer, text("hlo_op")), &value);
  }
  pk_xspace_writer_end_line(writer);
  pk_xspace_writer_end_plane(writer);
}

/* What came of a capture that was pushed. */
typedef struct {
  unsigned planes, lines, events, stats, notes, damages;
  int64_t last_id;
} arrived;

static int32_t plane_begun(void *user, const pk_pushed_plane *plane) {
  CHECK(plane->plane == ((arrived *)user)->planes);
  return 0;
}
static int32_t line_begun(void *user, const pk_pushed_line *line) {
  CHECK(line->plane == ((arrived *)user)->planes && line->line == 0 && line->event_count == 0);
  return 0;
}
static int32_t events_came(void *user, const pk_pushed_line *line, const pk_event *events, size_t count) {
  arrived *a = (arrived *)user;
  size_t i;
  (void)line;
  for (i = 0; i < count; ++i) {
    pk_stat_cursor cursor;
    pk_stat stat;
    CHECK(pk_stats_begin(events[i].stats, events[i].stats_bytes, NULL, 0, 0, &cursor, NULL) == PK_OK);
    while (pk_stat_next(&cursor, &stat, NULL) == PK_OK) ++a->stats;
    a->last_id = events[i].metadata_id;
    ++a->events;
  }
  return 0;
}
static int32_t line_ended(void *user, const pk_pushed_line *line) {
  ++((arrived *)user)->lines;
  CHECK(line->event_count == 3 && (line->flags & PK_PUSHED_LINE_CHANGED) == 0);
  return 0;
}
static int32_t plane_ended(void *user, uint32_t plane, pk_profile *rest) {
  arrived *a = (arrived *)user;
  pk_event_metadata metadata;
  CHECK(plane == a->planes++ && pk_plane_count(rest, 0) == 1);
  if (a->events != 0)
    CHECK(pk_event_metadata_get(rest, 0, 0, a->last_id, &metadata, NULL) == PK_OK && metadata.name.size > 10);
  return 0;
}
static int32_t noted(void *user, int32_t kind, const pk_str *said) {
  ++((arrived *)user)->notes;
  CHECK(kind == PK_NOTE_HOSTNAME && said->size == 4);
  return 0;
}
static int32_t damaged(void *user, const pk_error *why) {
  ++((arrived *)user)->damages;
  CHECK(pk_error_code(why) == PK_E_DAMAGED);
  return 0;
}

static void test_pushing(const char *data, size_t size) {
  pk_push_callbacks callbacks = PK_PUSH_CALLBACKS_INIT;
  int cut;
  callbacks.plane_begin = plane_begun;
  callbacks.line_begin = line_begun;
  callbacks.events = events_came;
  callbacks.line_end = line_ended;
  callbacks.plane_end = plane_ended;
  callbacks.note = noted;
  callbacks.damage = damaged;
  for (cut = 0; cut < 2; ++cut) {
    arrived a = {0, 0, 0, 0, 0, 0, 0};
    pk_xspace_push *push = NULL;
    pk_error *error = NULL;
    const size_t end = cut ? size - 2 : size;
    size_t at;
    callbacks.user = &a;
    CHECK(pk_xspace_push_new(&callbacks, NULL, &push, &error) == PK_OK);
    for (at = 0; at < end; at += 10) {
      CHECK(pk_xspace_push_bytes(push, data + at, end - at < 10 ? end - at : 10, &error) == PK_OK);
    }
    CHECK(pk_xspace_push_finish(push, &error) == (cut ? PK_E_DAMAGED : PK_OK));
    CHECK((pk_error_byte_offset(error) != PK_NO_OFFSET) == cut);
    CHECK(a.events == 3 && a.lines == 1 && a.planes == 2 && a.stats == 3 && a.notes == 1);
    CHECK(a.damages == (unsigned)cut);
    pk_error_free(error);
    pk_xspace_push_free(push);
  }
  pk_xspace_push_free(NULL);
}

static void test_writing(void) {
  growing node[2] = {{NULL, 0}, {NULL, 0}};
  pk_profile *profiles[2] = {NULL, NULL};
  pk_xspace_writer *writer = NULL;
  pk_validation *validation = NULL;
  pk_validation_options options = PK_VALIDATION_OPTIONS_INIT;
  pk_validation_summary summary;
  pk_clock_interval intervals[4];
  pk_trace_options trace = PK_TRACE_OPTIONS_INIT;
  pk_trace_outcome outcome;
  pk_error *error = NULL;
  size_t bytes = 0, count = 0;
  int32_t status = -1;
  int i;
  for (i = 0; i < 2; ++i) {
    CHECK(pk_xspace_writer_new(NULL, append_bytes, &node[i], &writer, &error) == PK_OK);
    write_node(writer, i * 20000000);
    CHECK(pk_xspace_writer_status(writer) == PK_OK);
    CHECK(pk_xspace_writer_finish(writer, &error) == PK_OK);
    CHECK(pk_xspace_writer_finish(writer, &error) == PK_E_INVALID_ARGUMENT);
    pk_error_free(error);
    pk_xspace_writer_free(writer);
    CHECK(pk_profile_open_buffer(node[i].data, node[i].size, "node.xplane.pb", NULL, &profiles[i], &error) == PK_OK);
  }
  CHECK(pk_xspace_writer_new(NULL, append_bytes, &node[0], &writer, &error) == PK_OK);
  pk_xspace_writer_event(writer, 1, 0, 0); /* outside of a line */
  CHECK(pk_xspace_writer_status(writer) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_xspace_writer_finish(writer, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  pk_xspace_writer_free(writer);
  CHECK(pk_xspace_writer_open(NULL, "/nonexistent/file", &writer, &error) != PK_OK && writer == NULL);
  pk_error_free(error);
  pk_xspace_writer_free(NULL);
  CHECK(pk_xspace_writer_status(NULL) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_xspace_writer_event_metadata(NULL, text("x"), text("")) == 0);

  CHECK(strcmp(pk_trace_format_name(PK_TRACE_PERFETTO), "pftrace") == 0 && strcmp(pk_trace_format_name(-1), "") == 0 &&
        strcmp(pk_trace_format_name(PK_TRACE_CSV + 1), "") == 0);
  for (i = PK_TRACE_JSON; i <= PK_TRACE_CSV; ++i) {
    trace.format = i;
    trace.flags = i == PK_TRACE_JSON ? PK_TRACE_GZIP : 0;
    bytes = 0;
    CHECK(pk_trace_write(profiles[0], &trace, count_bytes, &bytes, &outcome, &error) == PK_OK);
    CHECK(bytes > 20 && outcome.events == 3 && outcome.tracks == 1 && outcome.status == PK_DOCUMENT_STATUS_OK);
  }
  trace.format = 9;
  CHECK(pk_trace_write(profiles[0], &trace, count_bytes, &bytes, NULL, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  CHECK(pk_trace_write_file(profiles[0], NULL, "/nonexistent/file", NULL, &error) != PK_OK);
  pk_error_free(error);

  options.flags = PK_VALIDATION_ALIGN | PK_VALIDATION_HAS_BOUND;
  options.bound_ps = 0;
  CHECK(pk_validation_open((const pk_profile *const *)profiles, 2, &options, &validation, &error) == PK_OK);
  CHECK(pk_validation_get(validation, &summary, &error) == PK_OK);
  CHECK(summary.node_count == 2 && summary.group_count == 3 && summary.violations == 0 && summary.overlaps == 3);
  CHECK(summary.bounds_known == 1 && summary.clocks_corrected == 0 && summary.undecidable == 0);
  CHECK(pk_clock_intervals_read(validation, 0, intervals, 4, &count, &error) == PK_OK && count == 2);
  CHECK(intervals[1].feasible == 1 && intervals[1].least_offset_ps <= 20000000 &&
        intervals[1].most_offset_ps >= 20000000 && intervals[1].point_offset_ps == 20000000);
  CHECK(pk_clock_intervals_read(validation, 2, intervals, 4, &count, &error) == PK_END && count == 0);
  bytes = 0;
  CHECK(pk_validation_write(validation, count_bytes, &bytes, &status, &error) == PK_OK);
  CHECK(bytes > 500 && status == PK_DOCUMENT_STATUS_OK);
  bytes = 0;
  CHECK(pk_validation_write_csv(validation, count_bytes, &bytes, &error) == PK_OK && bytes > 50);
  pk_validation_free(validation);
  pk_validation_free(NULL);
  CHECK(pk_validation_open((const pk_profile *const *)profiles, 0, NULL, &validation, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  test_pushing((const char *)node[1].data, node[1].size);
  for (i = 0; i < 2; ++i) {
    pk_profile_free(profiles[i]);
    free(node[i].data);
  }
}

static uint64_t field_of(const void *record, uint32_t offset, uint32_t bytes) {
  const unsigned char *at = (const unsigned char *)record + offset;
  uint64_t value = 0;
  uint32_t i;
  for (i = bytes; i-- > 0;) value = value << 8 | at[i];
  return value;
}

static void test_probe(const char *data) {
  pk_profile *profile = NULL;
  pk_probe *probe = NULL;
  pk_probe_records *records = NULL;
  pk_error *error = NULL;
  pk_probe_launch launch;
  pk_probe_launch launches[3];
  pk_table *table = NULL;
  pk_probe_bin bin;
  pk_probe_map map;
  pk_probe_field field;
  pk_probe_record rows[7], one;
  pk_probe_query query = PK_PROBE_QUERY_INIT;
  size_t count = 0, i, bytes = 0, seen = 0;
  uint64_t sum = 0;
  int32_t status = -1;
  const char *left_out = getenv("PROFKIT_LEFT_OUT");
  if (left_out && strstr(left_out, "toml")) {
    puts("SKIPPED neutrino: built without toml");
    return;
  }
  CHECK(pk_profile_open(path_below(data, "neutrino/block_sched"), NULL, &profile, &error) == PK_OK);
  CHECK(strcmp(pk_family_name(PK_FAMILY_NEUTRINO), "neutrino") == 0);
  CHECK(pk_probe_open(profile, PK_PROBE_TOOL_NONE, &probe, &error) == PK_OK);
  pk_profile_free(profile); /* the trace keeps it open */
  if (!CHECK(probe != NULL)) return;
  CHECK(pk_probe_table(probe, NULL, &table, &error) == PK_OK);
  CHECK(pk_table_read(table, launches, sizeof *launches, 3, &count, &error) == PK_OK && count == 2);
  launch = launches[1];
  CHECK(is_text(launch.kernel, "matmul") && is_text(launch.function, "0x10") && launch.bin_position == 1 && launch.launch == 1);
  CHECK(launch.outcome == PK_PROBE_OUTCOME_OK && launch.kernel_ps == 500000000 && launch.params_count == 2);
  CHECK(launch.params[0] == 0x1000 && (launch.flags & PK_PROBE_HAS_DURATIONS) != 0);
  pk_table_free(table);
  CHECK(pk_probe_bin_count(probe) == 2);
  CHECK(pk_probe_bin_get(probe, 0, &bin, &error) == PK_OK);
  CHECK(is_text(bin.name, "0.100000.bin") && bin.elapsed_us == 100000 && bin.map_count == 2 && bin.grid[0] == 24);
  CHECK(pk_probe_bin_damage(probe, 0) == NULL && pk_probe_bin_damage(probe, 2) == NULL);
  CHECK(pk_probe_map_get(probe, 0, 0, &map, &error) == PK_OK);
  CHECK(is_text(map.name, "block_sched") && map.level == PK_PROBE_LEVEL_WARP && map.record_bytes == 16);
  CHECK(map.lanes == 48 && map.lanes_per_block == 2 && map.flags == 0 && map.field_count == 3 && map.capacity == 1);
  CHECK(pk_probe_map_get(probe, 0, 2, &map, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  CHECK(strcmp(pk_probe_flag_name(PK_PROBE_RAW_WORDS), "raw_words") == 0 && pk_probe_flag_name(3)[0] == 0);
  CHECK(pk_probe_field_get(probe, 0, 0, 1, &field, &error) == PK_OK);
  CHECK(is_text(field.name, "elapsed") && field.bytes == 4 && field.offset == 8 && field.declared == 1);
  CHECK(pk_probe_records_open(probe, 0, 0, &records, &error) == PK_OK);
  while (pk_probe_records_read(records, rows, 7, &count, &error) == PK_OK) {
    for (i = 0; i < count; ++i) {
      sum += field_of(rows[i].data, field.offset, field.bytes);
      CHECK(rows[i].block == seen / 2 && rows[i].lane == seen % 2 && rows[i].k == 0);
      ++seen;
    }
  }
  CHECK(seen == 48 && count == 0);
  CHECK(pk_probe_record_get(records, 23, 1, 0, &one, &error) == PK_OK && field_of(one.data, 12, 4) == 2);
  CHECK(pk_probe_record_get(records, 24, 0, 0, &one, &error) == PK_END && one.data == NULL);
  pk_probe_records_free(records);
  pk_probe_records_free(NULL);
  for (query.slice = PK_PROBE_SLICE_SUMMARY; query.slice <= PK_PROBE_SLICE_LOG; ++query.slice) {
    bytes = 0;
    CHECK(pk_probe_write(probe, &query, count_bytes, &bytes, &status, &error) == PK_OK && bytes > 100);
    CHECK(status == PK_DOCUMENT_STATUS_OK || query.slice == PK_PROBE_SLICE_DENSITY ||
          query.slice == PK_PROBE_SLICE_PROGRESS);
  }
  query.slice = PK_PROBE_SLICE_SCHEDULE;
  for (query.format = PK_PROBE_JSON; query.format <= PK_PROBE_SVG; ++query.format) {
    bytes = 0;
    CHECK(pk_probe_write(probe, &query, count_bytes, &bytes, &status, &error) == PK_OK && bytes > 100);
  }
  pk_probe_free(probe);
  pk_probe_free(NULL);
  CHECK(pk_probe_bin_count(NULL) == 0);
}

/* ---- clocks and merging ---- */

static void test_clock(void) {
  pk_clock_options options = PK_CLOCK_OPTIONS_INIT;
  pk_clock_pair pairs[3] = {{1000, 500000, 0, 0}, {2000, 501000, 0, 0}, {3000, 502000, 0, 500}};
  pk_clock_offset offset = {500000, 250, 1, 0, 0, 0, 0};
  const int64_t from[2] = {0, 1500000};
  int64_t to[2] = {0, 0};
  int64_t bound = 0;
  pk_clock *clock = NULL;
  pk_error *error = NULL;
  options.tracer_base_ns = 1000;
  options.host_base_ns = options.reference_base_ns = 500000;
  options.pairs = pairs;
  options.pair_count = 1;
  options.offsets = &offset;
  options.offset_count = 1;
  CHECK(pk_clock_build(&options, &clock, &error) == PK_E_INVALID_ARGUMENT && clock == NULL);
  pk_error_free(error);
  options.pair_count = 3;
  CHECK(pk_clock_build(&options, &clock, &error) == PK_OK);
  CHECK(pk_clock_map(clock, PK_CLOCK_TRACER, from, to, 2, &error) == PK_OK);
  CHECK(to[0] == -250 && to[1] == 1500000);
  CHECK(pk_clock_map(clock, PK_CLOCK_HOST, from, to, 1, &error) == PK_OK && to[0] == -250);
  CHECK(pk_clock_bound(clock, PK_CLOCK_TRACER, 0, &bound, &error) == PK_OK && bound > 0);
  CHECK(pk_clock_bound(clock, 7, 0, &bound, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  pk_clock_free(clock);
  pk_clock_free(NULL);
}

static void test_merge(const char *data) {
  pk_merge_options options = PK_MERGE_OPTIONS_INIT;
  const char *traces[2];
  char first[4096];
  size_t bytes = 0, document = 0;
  pk_merge *merge = NULL;
  pk_merge_node node;
  pk_error *error = NULL;
  snprintf(first, sizeof first, "%s", path_below(data, "xspace/jax08_gemm_mi300.xplane.pb"));
  traces[0] = first;
  traces[1] = path_below(data, "xspace/tpu_v6e_inference.xplane.pb");
  options.traces = traces;
  options.trace_count = 2;
  CHECK(pk_merge_run(&options, count_bytes, &bytes, &merge, &error) == PK_E_INVALID_ARGUMENT && bytes == 0);
  pk_error_free(error); /* there are no offsets */
  options.correction = PK_CORRECTION_NONE;
  options.flags = PK_MERGE_KEEP_GOING;
  CHECK(pk_merge_run(&options, NULL, NULL, NULL, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  CHECK(pk_merge_run(&options, count_bytes, &bytes, &merge, &error) == PK_OK);
  CHECK(bytes > 100000);
  CHECK(pk_merge_node_count(merge) == 2 && pk_merge_node_count(NULL) == 0);
  CHECK(pk_merge_node_get(merge, 1, &node, &error) == PK_OK && node.id == 1 && node.status == PK_NODE_RAW);
  CHECK(node.events > 0 && node.tracer_bound_ps == -1);
  CHECK(pk_merge_node_get(merge, 2, &node, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  CHECK(pk_merge_origin_ns(merge) > 0 && pk_merge_origin_ns(NULL) == 0);
  CHECK(pk_merge_write(merge, count_bytes, &document, &error) == PK_OK && document > 500);
  pk_merge_free(merge);
  pk_merge_free(NULL);
}

static void test_kernels(const char *data) {
  pk_profile *profile = NULL;
  pk_activity *activity = NULL;
  pk_error *error = NULL;
  pk_activity_options options = PK_ACTIVITY_OPTIONS_INIT;
  pk_filters filters = PK_FILTERS_INIT;
  pk_activity_device device;
  pk_kernel_row rows[3];
  pk_value values[3];
  pk_table *table = NULL;
  size_t i, count = 0, collectives = 0;
  uint64_t position = 0;
  int64_t last = INT64_MIN;
  uint32_t all = PK_DEVICE_HAS_WAITS | PK_DEVICE_HAS_SHAPES | PK_DEVICE_HAS_CLASSES | PK_DEVICE_HAS_LAUNCHES;
  pk_status status;
  CHECK(pk_profile_open(path_below(data, "ascend/two_ranks"), NULL, &profile, &error) == PK_OK);
  filters.plane = "NPU 1";
  options.filters = &filters;
  CHECK(pk_activity_open(profile, &options, &activity, &error) == PK_OK);
  pk_profile_free(profile); /* the activity keeps it open */
  CHECK(pk_activity_device_count(activity) == 1);
  CHECK(pk_activity_device_get(activity, 0, &device, &error) == PK_OK);
  CHECK(is_text(device.name, "NPU 1") && device.ordinal == 1 && device.rank == 1 && device.plane == -1);
  CHECK(device.kernel_count == 10 && device.accelerator == PK_ACCELERATOR_NPU && device.flags == all);
  CHECK(pk_activity_device_get(activity, 1, &device, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  CHECK(pk_activity_table(activity, NULL, &table, &error) == PK_OK);
  while ((status = pk_table_read(table, rows, sizeof *rows, 3, &count, &error)) == PK_OK) {
    for (i = 0; i < count; ++i) {
      CHECK(rows[i].start_ps >= last && rows[i].duration_ps > 0 && rows[i].name.size > 0);
      CHECK((rows[i].flags & PK_KERNEL_HAS_LAUNCH) != 0 && rows[i].launch_ps < rows[i].start_ps);
      if (rows[i].kind == PK_KERNEL_COMM) {
        ++collectives;
        CHECK(rows[i].stream == -1 && is_text(rows[i].op_type, "hcom_allReduce_"));
      }
      last = rows[i].start_ps;
    }
    position += count;
  }
  CHECK(status == PK_END && position == 10 && collectives == 2);
  pk_table_free(table);
  CHECK(pk_activity_table(activity, NULL, &table, &error) == PK_OK);
  CHECK(pk_table_read(table, rows, sizeof *rows, 3, &count, &error) == PK_OK && count == 3);
  CHECK(is_text(rows[0].input_shapes, "32,64;64,128") && is_text(rows[0].core, "AI_CORE"));
  CHECK(is_text(rows[0].step_id, "7") && rows[0].source_row == 2);
  CHECK(rows[0].device == 1 && rows[0].file != 0); /* the second device of the capture, of its own file */
  CHECK(pk_table_values(table, "rank", values, 3, &count, &error) == PK_OK && count == 3);
  CHECK(values[0].kind == PK_VALUE_INT64 && values[0].bits == 1);
  CHECK(pk_table_values(table, "kind", values, 3, &count, &error) == PK_OK);
  CHECK(values[0].kind == PK_VALUE_TEXT && is_text(values[0].text, "compute"));
  pk_table_free(table);
  pk_activity_free(activity);
  pk_activity_free(NULL);
  CHECK(pk_activity_device_count(NULL) == 0);
}

static void test_bubbles(const char *data) {
  static const char *const thresholds[] = {"reportable_gap_us=1000", "idle_ratio=0.25"};
  static const char *const wrong[] = {"no_such=1"};
  pk_profile *profile = NULL;
  pk_bubbles *bubbles = NULL;
  pk_error *error = NULL;
  pk_bubbles_options options = PK_BUBBLES_OPTIONS_INIT;
  pk_filters filters = PK_FILTERS_INIT;
  pk_bubble_step step;
  pk_table *table = NULL;
  pk_bubble rows[3];
  size_t i, count = 0, bytes = 0;
  uint64_t position = 0;
  int32_t status = -1;
  CHECK(pk_profile_open(path_below(data, "xspace/tpu_v6e_inference.xplane.pb"), NULL, &profile, &error) == PK_OK);
  options.thresholds = wrong;
  options.threshold_count = 1;
  CHECK(pk_bubbles_open(profile, &options, &bubbles, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  options.thresholds = thresholds;
  options.threshold_count = 2;
  filters.plane = "TPU:0";
  options.filters = &filters;
  CHECK(pk_bubbles_open(profile, &options, &bubbles, &error) == PK_OK);
  pk_profile_free(profile); /* the analysis keeps it open */
  CHECK(pk_bubbles_device_count(bubbles) == 4 && is_text(pk_bubbles_device_name(bubbles, 0), "/device:TPU:0"));
  CHECK(pk_bubbles_table(bubbles, PK_TABLE_STEPS, NULL, &table, &error) == PK_OK);
  for (i = 0; i < 105; ++i) {
    CHECK(pk_table_read(table, &step, sizeof step, 1, &count, &error) == PK_OK && count == 1);
    CHECK(step.file == 0 && step.device == 0 && step.step == (int64_t)i);
    CHECK(step.busy_ps + step.prelaunch_ps + step.internal_ps + step.tail_ps == step.end_ps - step.start_ps);
    CHECK(step.compute_only_ps + step.comm_exposed_ps + step.comm_overlapped_ps + step.copy_ps + step.other_ps +
              step.idle_ps ==
          step.end_ps - step.start_ps);
  }
  CHECK(pk_table_read(table, &step, sizeof step, 1, &count, &error) == PK_END && count == 0);
  pk_table_free(table);
  CHECK(pk_bubbles_table(bubbles, PK_TABLE_GAPS, NULL, &table, &error) == PK_OK);
  while (pk_table_read(table, rows, sizeof *rows, 3, &count, &error) == PK_OK) {
    for (i = 0; i < count; ++i) CHECK(rows[i].end_ps - rows[i].start_ps >= 1000000000);
    position += count;
  }
  CHECK(position > 0);
  pk_table_free(table);
  CHECK(pk_bubbles_write(bubbles, count_bytes, &bytes, &status, &error) == PK_OK);
  CHECK(bytes > 1000 && status == PK_DOCUMENT_STATUS_OK);
  pk_bubbles_free(bubbles);
  pk_bubbles_free(NULL);
  CHECK(pk_bubbles_device_count(NULL) == 0);
}

/* Any table of a profile: what it is called, its columns, its rows as text. */
static void test_tables(const char *data) {
  pk_profile *profile = NULL;
  pk_table *table = NULL;
  pk_error *error = NULL;
  pk_column column;
  pk_device device;
  size_t bytes = 0, count = 0;
  CHECK(strcmp(pk_table_name(PK_TABLE_DEVICES), "devices") == 0 && strcmp(pk_table_name(99), "") == 0);
  CHECK(pk_profile_open(path_below(data, "xspace/tpu_v6e_inference.xplane.pb"), NULL, &profile, &error) == PK_OK);
  CHECK(pk_table_open(profile, 99, NULL, &table, &error) == PK_E_INVALID_ARGUMENT && table == NULL);
  pk_error_free(error);
  CHECK(pk_table_open(profile, PK_TABLE_DEVICES, NULL, &table, &error) == PK_OK);
  CHECK(pk_table_column_count(table) == 10 && pk_table_column_count(NULL) == 0);
  CHECK(pk_table_column_get(table, 6, &column, &error) == PK_OK);
  CHECK(is_text(column.name, "name") && column.type == PK_COLUMN_NAME && column.meaning.size > 0);
  CHECK(pk_table_column_get(table, 10, &column, &error) == PK_E_INVALID_ARGUMENT);
  pk_error_free(error);
  CHECK(pk_table_read(table, &device, sizeof device, 1, &count, &error) == PK_OK && count == 1);
  CHECK(is_text(device.name, "/device:TPU:0") && device.accelerator == PK_ACCELERATOR_TPU && device.ordinal == 0);
  CHECK(pk_table_write_csv(table, count_bytes, &bytes, &error) == PK_OK && bytes > 0); /* the rows that are left */
  pk_table_free(table);
  bytes = 0;
  CHECK(pk_table_open(profile, PK_TABLE_OPS, NULL, &table, &error) == PK_OK);
  pk_profile_free(profile); /* the table keeps it open */
  CHECK(pk_table_write_json(table, count_bytes, &bytes, &error) == PK_OK && bytes > 1000);
  pk_table_free(table);
  pk_table_free(NULL);
}

static void test_architecture(const char *data) {
  pk_profile *profile = NULL;
  pk_architecture *model = NULL;
  pk_error *error = NULL;
  pk_architecture_options options = PK_ARCHITECTURE_OPTIONS_INIT;
  pk_filters filters = PK_FILTERS_INIT;
  size_t bytes = 0;
  int32_t status = -1;
  CHECK(pk_profile_open(path_below(data, "xspace/tpu_v6e_inference.xplane.pb"), NULL, &profile, &error) == PK_OK);
  filters.plane = "TPU:0";
  options.filters = &filters;
  CHECK(pk_architecture_open(profile, &options, &model, &error) == PK_OK);
  pk_profile_free(profile); /* the findings keep it open */
  CHECK(pk_architecture_summary(model).size > 0);
  CHECK(is_text(pk_architecture_file_name(model), "model_architecture_report_tpu_v6e_inference.md"));
  CHECK(pk_architecture_write(model, count_bytes, &bytes, &status, &error) == PK_OK);
  CHECK(bytes > 1000 && status == PK_DOCUMENT_STATUS_OK);
  bytes = 0;
  CHECK(pk_architecture_write_markdown(model, count_bytes, &bytes, &error) == PK_OK);
  CHECK(bytes > 1000);
  pk_architecture_free(model);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  test_names();
  test_options();
  test_errors();
  test_xspace(argv[1]);
  test_run_directory(argv[1]);
  test_sources(argv[1]);
  test_modules(argv[1]);
  test_documents(argv[1]);
  test_kernels(argv[1]);
  test_memory(argv[1]);
  test_writing();
  test_probe(argv[1]);

  test_clock();
  test_merge(argv[1]);

  test_bubbles(argv[1]);
  test_tables(argv[1]);
  test_architecture(argv[1]);
  printf("%d checks, %d failed\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
