/* Six things with libprofkit in C99; see README.md. Usage: tour CAPTURE MERGED */
#include <inttypes.h>
#include <profkit/profkit.h>
#include <stdio.h>

static pk_error *error;
static int failed(pk_status status) {
  if (status < 0) fprintf(stderr, "%s\n", pk_error_message(error));
  return status < 0;
}
static int next_table(pk_profile *profile, int32_t which, pk_table **table) {
  pk_table_free(*table);
  return failed(pk_table_open(profile, which, NULL, table, &error));
}

int main(int count, char **arguments) {
  static char bytes[1 << 24];
  FILE *const file = count == 3 ? fopen(arguments[1], "rb") : NULL;
  const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  const char *const traces[] = {count == 3 ? arguments[1] : ""};
  pk_merge_options options = PK_MERGE_OPTIONS_INIT;
  pk_profile *profile;
  pk_table *table = NULL;
  pk_merge *merged;
  pk_merge_node node;
  pk_op op, busiest = {0};
  pk_bubble gap, longest = {0};
  pk_value cause = {0};
  pk_live_buffer buffer;
  pk_device device;
  size_t n = 0, devices = 0;
  int64_t peak_bytes = 0;
  char why[32] = "none";
  if (file) fclose(file);
  if (failed(pk_profile_open_buffer(bytes, size, traces[0], NULL, &profile, &error))) return 1;
  if (next_table(profile, PK_TABLE_DEVICES, &table)) return 1;
  while (pk_table_read(table, &device, sizeof device, 1, &n, NULL) == PK_OK) ++devices;
  printf("%zu devices\n", devices);
  if (next_table(profile, PK_TABLE_OPS, &table)) return 1;
  while (pk_table_read(table, &op, sizeof op, 1, &n, NULL) == PK_OK) busiest = op.self_ps > busiest.self_ps ? op : busiest;
  printf("busiest op: %.*s, %" PRId64 " ps\n", (int)busiest.display_name.size, busiest.display_name.data, busiest.self_ps);
  if (next_table(profile, PK_TABLE_GAPS, &table)) return 1;
  while (pk_table_read(table, &gap, sizeof gap, 1, &n, NULL) == PK_OK)
    if (gap.end_ps - gap.start_ps > longest.end_ps - longest.start_ps) {
      longest = gap;
      if (failed(pk_table_values(table, "cause", &cause, 1, &n, &error))) return 1;
      snprintf(why, sizeof why, "%.*s", (int)cause.text.size, cause.text.data);
    }
  printf("longest gap: %" PRId64 " ps before %.*s, cause %s\n", longest.end_ps - longest.start_ps,
         (int)longest.after.size, longest.after.data, why);
  if (next_table(profile, PK_TABLE_LIVE_BUFFERS, &table)) return 1;
  while (pk_table_read(table, &buffer, sizeof buffer, 1, &n, NULL) == PK_OK) peak_bytes += buffer.size_bytes;
  printf("memory at the peak: %" PRId64 " bytes\n", peak_bytes);
  options.traces = traces, options.trace_count = 1, options.output = arguments[2];
  options.correction = PK_CORRECTION_NONE, options.flags = PK_MERGE_KEEP_GOING;
  if (failed(pk_merge_run(&options, NULL, NULL, &merged, &error))) return 1;
  if (!failed(pk_merge_node_get(merged, 0, &node, &error))) printf("merged %" PRIu64 " events\n", node.events);
  pk_merge_free(merged), pk_table_free(table), pk_profile_free(profile);
  return 0;
}
