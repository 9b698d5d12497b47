/* Prints the ten operations that a capture spent most time in, by the durations of its timeline. Those of a TPU differ
 * from the device's own, by which `profkit ops` and the table of ops total. */
#include <inttypes.h>
#include <profkit/profkit.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct op_total {
  int64_t metadata_id;
  pk_str name;
  uint64_t count;
  int64_t total_ps;
} op_total;

static int by_id(const void *left, const void *right) {
  const int64_t a = ((const op_total *)left)->metadata_id, b = ((const op_total *)right)->metadata_id;
  return (a > b) - (a < b);
}

static int longest_first(const void *left, const void *right) {
  const int64_t a = ((const op_total *)left)->total_ps, b = ((const op_total *)right)->total_ps;
  return (a < b) - (a > b);
}

/* One row for each operation of a plane, sorted by id. The caller frees it; NULL without memory. */
static op_total *list_ops(const pk_profile *profile, uint32_t file, uint32_t plane, size_t *count) {
  pk_plane_info info;
  pk_metadata_cursor cursor;
  pk_event_metadata entry;
  op_total *ops;
  *count = 0;
  if (pk_plane_get(profile, file, plane, &info, NULL) != PK_OK) return NULL;
  ops = (op_total *)calloc((size_t)info.event_metadata_count + 1, sizeof *ops);
  if (ops == NULL) return NULL;
  if (pk_event_metadata_begin(profile, file, plane, &cursor, NULL) == PK_OK)
    while (pk_event_metadata_next(&cursor, &entry, NULL) == PK_OK) {
      ops[*count].metadata_id = entry.id;
      ops[(*count)++].name = entry.display_name.size > 0 ? entry.display_name : entry.name;
    }
  qsort(ops, *count, sizeof *ops, by_id);
  return ops;
}

/* Adds the events of a line to the rows of their operations. */
static void add_line(const pk_profile *profile, uint32_t file, uint32_t plane, uint32_t line, op_total *ops,
                     size_t count) {
  pk_event_cursor cursor;
  pk_event events[256];
  size_t read = 0, i;
  pk_error *error = NULL;
  pk_status status = pk_events_begin(profile, file, plane, line, &cursor, &error);
  while (status == PK_OK && (status = pk_events_read(&cursor, events, 256, &read, &error)) == PK_OK)
    for (i = 0; i < read; ++i) {
      op_total wanted = {0}, *op;
      wanted.metadata_id = events[i].metadata_id;
      op = (op_total *)bsearch(&wanted, ops, count, sizeof *ops, by_id);
      if (op == NULL) continue;
      op->count += 1;
      op->total_ps += events[i].duration_ps;
    }
  if (status != PK_END) fprintf(stderr, "%s\n", pk_error_message(error)); /* what came before it counts */
  pk_error_free(error);
}

static void print_plane(const pk_profile *profile, uint32_t file, uint32_t plane) {
  pk_plane_info info;
  pk_line_info line_info;
  size_t count = 0, i;
  uint32_t line, lines_with_ops = 0;
  op_total *ops = list_ops(profile, file, plane, &count);
  if (ops == NULL) return;
  for (line = 0; line < pk_line_count(profile, file, plane); ++line)
    if (pk_line_get(profile, file, plane, line, &line_info, NULL) == PK_OK &&
        (line_info.kind == PK_LINE_OPS || line_info.kind == PK_LINE_STREAM)) {
      add_line(profile, file, plane, line, ops, count);
      ++lines_with_ops;
    }
  qsort(ops, count, sizeof *ops, longest_first);
  if (lines_with_ops > 0 && pk_plane_get(profile, file, plane, &info, NULL) == PK_OK) {
    printf("%.*s\n", (int)info.name.size, info.name.data);
    for (i = 0; i < count && i < 10 && ops[i].count > 0; ++i) {
      const int shown = ops[i].name.size < 60 ? (int)ops[i].name.size : 60;
      printf("%14" PRId64 " ns %6" PRIu64 " x  %.*s\n", ops[i].total_ps / 1000, ops[i].count, shown,
             ops[i].name.data);
    }
  }
  free(ops);
}

int main(int argc, char **argv) {
  pk_profile *profile = NULL;
  pk_error *error = NULL;
  uint32_t file, plane;
  if (argc != 2) {
    fprintf(stderr, "usage: %s CAPTURE\n", argv[0]);
    return 2;
  }
  if (pk_profile_open(argv[1], NULL, &profile, &error) != PK_OK) {
    fprintf(stderr, "%s\n%s\n", pk_error_message(error), pk_error_hint(error));
    pk_error_free(error);
    return 1;
  }
  for (file = 0; file < pk_file_count(profile); ++file)
    for (plane = 0; plane < pk_plane_count(profile, file); ++plane) print_plane(profile, file, plane);
  pk_profile_free(profile);
  return 0;
}
