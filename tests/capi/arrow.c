/* Tables as Arrow C streams, from C99: what they hold, and that streams, batches, children and handles may go in any
 * order. A sanitized build sees what is used too late. Usage: capi_arrow TESTS_DATA_FOLDER */
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
    fprintf(stderr, "arrow.c:%d: %s\n", line, what);
  }
  return holds;
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
#define REQUIRE(condition)                               \
  do {                                                   \
    if (!check((condition) != 0, #condition, __LINE__)) return; \
  } while (0)

static char path_buffer[4096];
static const char *path_below(const char *folder, const char *name) {
  snprintf(path_buffer, sizeof path_buffer, "%s/%s", folder, name);
  return path_buffer;
}

static pk_profile *open_profile(const char *folder, const char *name) {
  pk_profile *profile = NULL;
  pk_error *error = NULL;
  if (!CHECK(pk_profile_open(path_below(folder, name), NULL, &profile, &error) == PK_OK))
    fprintf(stderr, "%s: %s\n", name, pk_error_message(error));
  pk_error_free(error);
  return profile;
}

/* A stream of a table that open() was to open; ends the handle of the table, which the stream holds on to. */
static pk_status stream_of(pk_status opened, pk_table *table, struct ArrowArrayStream *out, pk_error **err) {
  pk_status status = opened;
  if (out) memset(out, 0, sizeof *out);
  if (opened == PK_OK) status = pk_table_arrow(table, out, err);
  pk_table_free(table);
  return status;
}
static pk_status stream_of_profile(pk_profile *profile, int32_t which, const pk_table_options *options,
                                   struct ArrowArrayStream *out, pk_error **err) {
  pk_table *table = NULL;
  const pk_status opened = pk_table_open(profile, which, options, &table, err);
  return stream_of(opened, table, out, err);
}
static pk_status stream_of_bubbles(pk_bubbles *bubbles, int32_t which, const pk_table_options *options,
                                   struct ArrowArrayStream *out, pk_error **err) {
  pk_table *table = NULL;
  const pk_status opened = pk_bubbles_table(bubbles, which, options, &table, err);
  return stream_of(opened, table, out, err);
}
static pk_status stream_of_memory(pk_memory *memory, int32_t which, const pk_table_options *options,
                                  struct ArrowArrayStream *out, pk_error **err) {
  pk_table *table = NULL;
  const pk_status opened = pk_memory_table(memory, which, options, &table, err);
  return stream_of(opened, table, out, err);
}
static pk_status stream_of_kernels(pk_activity *activity, const pk_table_options *options, struct ArrowArrayStream *out,
                                   pk_error **err) {
  pk_table *table = NULL;
  const pk_status opened = pk_activity_table(activity, options, &table, err);
  return stream_of(opened, table, out, err);
}
static pk_status stream_of_launches(pk_probe *probe, const pk_table_options *options, struct ArrowArrayStream *out,
                                    pk_error **err) {
  pk_table *table = NULL;
  const pk_status opened = pk_probe_table(probe, options, &table, err);
  return stream_of(opened, table, out, err);
}
static pk_status stream_of_records(pk_probe *probe, size_t bin, uint32_t map, const pk_table_options *options,
                                   struct ArrowArrayStream *out, pk_error **err) {
  pk_table *table = NULL;
  const pk_status opened = pk_probe_records_table(probe, bin, map, options, &table, err);
  return stream_of(opened, table, out, err);
}

/* The value of `unit` in the metadata of a field, NULL without one. */
static const char *unit_of(const struct ArrowSchema *field, int32_t *size) {
  int32_t pairs, key;
  if (!field->metadata) return NULL;
  memcpy(&pairs, field->metadata, 4);
  memcpy(&key, field->metadata + 4, 4);
  if (pairs != 1 || key != 4 || memcmp(field->metadata + 8, "unit", 4) != 0) return NULL;
  memcpy(size, field->metadata + 12, 4);
  return field->metadata + 16;
}

static int64_t column_of(const struct ArrowSchema *schema, const char *name) {
  int64_t i;
  for (i = 0; i < schema->n_children; ++i)
    if (strcmp(schema->children[i]->name, name) == 0) return i;
  return -1;
}

static int is_valid(const struct ArrowArray *column, int64_t row) {
  const unsigned char *bits = (const unsigned char *)column->buffers[0];
  return !bits || (bits[row / 8] >> (row % 8) & 1) != 0;
}

/* Every column of a batch: as many rows as the batch, nulls that are counted, names inside their dictionary, and texts
 * whose ends never fall. */
static void check_texts(const struct ArrowArray *texts) {
  const int32_t *ends = (const int32_t *)texts->buffers[1];
  int64_t row;
  CHECK(texts->n_buffers == 3);
  for (row = 0; row < texts->length; ++row) CHECK(ends[row] <= ends[row + 1]);
}
static void check_batch(const struct ArrowSchema *schema, const struct ArrowArray *batch) {
  int64_t i, row;
  CHECK(batch->n_children == schema->n_children);
  CHECK(batch->n_buffers == 1 && batch->null_count == 0 && batch->offset == 0 && batch->length > 0);
  for (i = 0; i < batch->n_children; ++i) {
    const struct ArrowArray *column = batch->children[i];
    int64_t nulls = 0;
    CHECK(column->length == batch->length);
    for (row = 0; row < column->length; ++row) nulls += !is_valid(column, row);
    CHECK(column->null_count == nulls);
    CHECK((column->dictionary != NULL) == (schema->children[i]->dictionary != NULL));
    if (column->dictionary) {
      const int32_t *index = (const int32_t *)column->buffers[1];
      CHECK(strcmp(schema->children[i]->format, "i") == 0);
      CHECK(strcmp(schema->children[i]->dictionary->format, "u") == 0);
      for (row = 0; row < column->length; ++row)
        CHECK(!is_valid(column, row) || (index[row] >= 0 && index[row] < column->dictionary->length));
      check_texts(column->dictionary);
    } else if (strcmp(schema->children[i]->format, "u") == 0) {
      check_texts(column);
    }
  }
}

/* Reads a stream to its end and gives its rows, and in *sum the sum of an int64 column; releases everything.
 * -1: it failed. */
static int64_t drain_and_sum(struct ArrowArrayStream *stream, int64_t max_rows, const char *summed, int64_t *sum) {
  struct ArrowSchema schema;
  struct ArrowArray batch;
  int64_t rows = 0, i, row, at;
  int ended = 0;
  *sum = 0;
  if (!CHECK(stream->get_schema(stream, &schema) == 0)) return -1;
  at = summed ? column_of(&schema, summed) : -1;
  CHECK(!summed || at >= 0);
  CHECK(strcmp(schema.format, "+s") == 0);
  for (i = 0; i < schema.n_children; ++i) {
    const struct ArrowSchema *field = schema.children[i];
    const size_t length = strlen(field->name);
    if (length > 3 && strcmp(field->name + length - 3, "_ps") == 0) {
      int32_t size = 0;
      const char *unit = unit_of(field, &size);
      CHECK(strcmp(field->format, "l") == 0);
      CHECK(unit && size == 2 && memcmp(unit, "ps", 2) == 0);
    }
  }
  while (!ended) {
    const int code = stream->get_next(stream, &batch);
    if (code != 0) {
      rows = -1;
      CHECK(stream->get_last_error(stream) != NULL);
      CHECK(stream->get_next(stream, &batch) == code);
      break;
    }
    if (!batch.release) {
      ended = 1;
      CHECK(stream->get_next(stream, &batch) == 0 && !batch.release);
      break;
    }
    check_batch(&schema, &batch);
    CHECK(batch.length <= max_rows);
    for (row = 0; at >= 0 && row < batch.length; ++row)
      if (is_valid(batch.children[at], row)) *sum += ((const int64_t *)batch.children[at]->buffers[1])[row];
    rows += batch.length;
    batch.release(&batch);
    CHECK(!batch.release);
  }
  schema.release(&schema);
  CHECK(!schema.release);
  stream->release(stream);
  CHECK(!stream->release);
  return rows;
}

static int64_t drain(struct ArrowArrayStream *stream, int64_t max_rows) {
  int64_t sum;
  return drain_and_sum(stream, max_rows, NULL, &sum);
}

/* ---- what the tables hold ----
 *
 * Known values are those of the TPU capture, counted on the wire by tests/truth/wire.py: events of all lines; those of
 * "XLA Ops" with their device_duration_ps; those of "XLA Ops" and "Async XLA Ops", which are what its devices run. */
#define TPU_EVENTS 26723
#define TPU_EVENTS_PS INT64_C(1889540529928898)
#define TPU_OPS 6013
#define TPU_OPS_DEVICE_PS INT64_C(315117903706250)
#define TPU_STEPS 414
#define TPU_KERNELS 6613
#define TPU_KERNELS_PS INT64_C(512728467352246)

static void test_events(const char *data, const char *capture) {
  pk_profile *profile = open_profile(data, capture);
  pk_table_options options = PK_TABLE_OPTIONS_INIT;
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray batch;
  int64_t rows = 0, sum = 0, expected_rows = 0, expected_sum = 0, name_column, duration_column, row;
  uint32_t plane, line;
  int names_agree = 1;
  REQUIRE(profile != NULL);
  for (plane = 0; plane < pk_plane_count(profile, 0); ++plane)
    for (line = 0; line < pk_line_count(profile, 0, plane); ++line) {
      pk_event_cursor cursor;
      pk_event event;
      if (!CHECK(pk_events_begin(profile, 0, plane, line, &cursor, NULL) == PK_OK)) continue;
      while (pk_event_next(&cursor, &event, NULL) == PK_OK) {
        if ((event.flags & PK_EVENT_HAS_OCCURRENCES) != 0) continue;
        ++expected_rows;
        expected_sum += event.duration_ps;
      }
    }
  options.batch_rows = 100;
  REQUIRE(stream_of_profile(profile, PK_TABLE_EVENTS, &options, &stream, NULL) == PK_OK);
  pk_profile_free(profile); /* the stream has its own reference */
  REQUIRE(stream.get_schema(&stream, &schema) == 0);
  name_column = column_of(&schema, "name");
  duration_column = column_of(&schema, "duration_ps");
  REQUIRE(name_column >= 0 && duration_column >= 0);
  while (stream.get_next(&stream, &batch) == 0 && batch.release) {
    const int64_t *durations = (const int64_t *)batch.children[duration_column]->buffers[1];
    const struct ArrowArray *names = batch.children[name_column];
    check_batch(&schema, &batch);
    for (row = 0; row < batch.length; ++row) sum += durations[row];
    names_agree = names_agree && names->dictionary && names->null_count == 0;
    rows += batch.length;
    batch.release(&batch);
  }
  CHECK(rows == expected_rows && rows == TPU_EVENTS);
  CHECK(sum == expected_sum && sum == TPU_EVENTS_PS);
  CHECK(names_agree);
  schema.release(&schema);
  stream.release(&stream);
}

static void test_tables_of_a_profile(const char *data, const char *capture) {
  pk_profile *profile = open_profile(data, capture);
  struct ArrowArrayStream stream;
  pk_table_options options = PK_TABLE_OPTIONS_INIT;
  pk_activity *activity = NULL;
  pk_bubbles *bubbles = NULL;
  pk_memory *memory = NULL;
  pk_memory_options memory_options = PK_MEMORY_OPTIONS_INIT;
  int64_t all, sum, kernels = 0;
  uint32_t device;
  REQUIRE(profile != NULL);
  options.batch_rows = 7;
  REQUIRE(stream_of_profile(profile, PK_TABLE_OPS, &options, &stream, NULL) == PK_OK);
  all = drain_and_sum(&stream, 7, "total_ps", &sum);
  CHECK(all > 7 && sum == TPU_OPS_DEVICE_PS);
  REQUIRE(stream_of_profile(profile, PK_TABLE_OPS, &options, &stream, NULL) == PK_OK);
  CHECK(drain_and_sum(&stream, 7, "count", &sum) == all && sum == TPU_OPS);
  options.limit = 1;
  REQUIRE(stream_of_profile(profile, PK_TABLE_OPS, &options, &stream, NULL) == PK_OK);
  CHECK(drain(&stream, 7) < all);
  options.limit = 0;

  REQUIRE(pk_activity_open(profile, NULL, &activity, NULL) == PK_OK);
  for (device = 0; device < pk_activity_device_count(activity); ++device) {
    pk_activity_device about;
    if (CHECK(pk_activity_device_get(activity, device, &about, NULL) == PK_OK)) kernels += (int64_t)about.kernel_count;
  }
  REQUIRE(stream_of_kernels(activity, &options, &stream, NULL) == PK_OK);
  pk_activity_free(activity);
  CHECK(drain_and_sum(&stream, 7, "duration_ps", &sum) == kernels);
  CHECK(kernels == TPU_KERNELS && sum == TPU_KERNELS_PS);

  REQUIRE(pk_bubbles_open(profile, NULL, &bubbles, NULL) == PK_OK);
  all = TPU_STEPS;
  REQUIRE(stream_of_bubbles(bubbles, PK_TABLE_STEPS, &options, &stream, NULL) == PK_OK);
  CHECK(drain(&stream, 7) == all && all > 0);
  REQUIRE(stream_of_bubbles(bubbles, PK_TABLE_GAPS, &options, &stream, NULL) == PK_OK);
  pk_bubbles_free(bubbles);
  CHECK(drain(&stream, 7) >= 0);

  memory_options.curve_points = 50;
  REQUIRE(pk_memory_open(profile, &memory_options, &memory, NULL) == PK_OK);
  REQUIRE(stream_of_memory(memory, PK_TABLE_LIVE_BUFFERS, &options, &stream, NULL) == PK_OK);
  CHECK(drain(&stream, 7) > 0);
  REQUIRE(stream_of_memory(memory, PK_TABLE_LIVE_CURVE, &options, &stream, NULL) == PK_OK);
  pk_memory_free(memory);
  pk_profile_free(profile);
  CHECK(drain(&stream, 7) > 0);
}

static void test_probes(const char *data) {
  pk_profile *profile = open_profile(data, "neutrino/block_sched");
  pk_probe *probe = NULL;
  pk_probe_records *records = NULL;
  pk_probe_record record;
  struct ArrowArrayStream stream, launches;
  struct ArrowSchema schema;
  struct ArrowArray batch;
  size_t count = 0;
  int64_t row;
  const char *left_out = getenv("PROFKIT_LEFT_OUT");
  if (left_out && strstr(left_out, "toml")) {
    puts("SKIPPED neutrino: built without toml");
    pk_profile_free(profile);
    return;
  }
  REQUIRE(profile != NULL);
  REQUIRE(pk_probe_open(profile, PK_PROBE_TOOL_NONE, &probe, NULL) == PK_OK);
  pk_profile_free(profile);
  REQUIRE(stream_of_launches(probe, NULL, &launches, NULL) == PK_OK);
  REQUIRE(stream_of_records(probe, 0, 0, NULL, &stream, NULL) == PK_OK);
  REQUIRE(pk_probe_records_open(probe, 0, 0, &records, NULL) == PK_OK);
  REQUIRE(stream.get_schema(&stream, &schema) == 0);
  CHECK(schema.n_children == 10);
  CHECK(strcmp(schema.children[7]->name, "start") == 0 && strcmp(schema.children[7]->format, "L") == 0);
  CHECK(strcmp(schema.children[8]->name, "elapsed") == 0 && strcmp(schema.children[8]->format, "I") == 0);
  REQUIRE(stream.get_next(&stream, &batch) == 0 && batch.release);
  check_batch(&schema, &batch);
  for (row = 0; row < batch.length; ++row) {
    uint64_t start;
    uint32_t elapsed;
    REQUIRE(pk_probe_records_read(records, &record, 1, &count, NULL) == PK_OK && count == 1);
    memcpy(&start, record.data, 8);
    memcpy(&elapsed, (const char *)record.data + 8, 4);
    CHECK(((const uint64_t *)batch.children[4]->buffers[1])[row] == record.block);
    CHECK(((const uint64_t *)batch.children[5]->buffers[1])[row] == record.lane);
    CHECK(((const uint64_t *)batch.children[7]->buffers[1])[row] == start);
    CHECK(((const uint32_t *)batch.children[8]->buffers[1])[row] == elapsed);
  }
  CHECK(pk_probe_records_read(records, &record, 1, &count, NULL) == PK_END);
  batch.release(&batch);
  schema.release(&schema);
  pk_probe_records_free(records);
  stream.release(&stream);
  pk_probe_free(probe);
  CHECK(drain(&launches, 65536) == 2);
}

/* ---- who may go when ---- */

static void test_release_order(const char *data, const char *capture) {
  pk_profile *profile = open_profile(data, capture);
  pk_table_options options = PK_TABLE_OPTIONS_INIT;
  struct ArrowArrayStream stream;
  struct ArrowSchema schema, field;
  struct ArrowArray first, second, child;
  int64_t start_column, name_column, row, length, sum = 0, before = 0;
  REQUIRE(profile != NULL);
  options.batch_rows = 64;
  REQUIRE(stream_of_profile(profile, PK_TABLE_EVENTS, &options, &stream, NULL) == PK_OK);
  pk_profile_free(profile);
  REQUIRE(stream.get_schema(&stream, &schema) == 0);
  REQUIRE(stream.get_next(&stream, &first) == 0 && first.release);
  REQUIRE(stream.get_next(&stream, &second) == 0 && second.release);
  stream.release(&stream); /* early: most of the table was never asked for */
  start_column = column_of(&schema, "duration_ps");
  name_column = column_of(&schema, "name");
  length = second.length;
  for (row = 0; row < length; ++row) before += ((const int64_t *)second.children[start_column]->buffers[1])[row];

  child = *second.children[start_column]; /* moved out, as the interface has it */
  second.children[start_column]->release = NULL;
  field = *schema.children[name_column];
  schema.children[name_column]->release = NULL;
  first.release(&first);
  second.release(&second);
  schema.release(&schema);
  for (row = 0; row < child.length; ++row) sum += ((const int64_t *)child.buffers[1])[row];
  CHECK(child.length == length && sum == before);
  child.release(&child);
  CHECK(!child.release);
  CHECK(strcmp(field.name, "name") == 0 && field.dictionary && strcmp(field.dictionary->format, "u") == 0);
  field.release(&field);

  profile = open_profile(data, capture);
  REQUIRE(profile != NULL);
  REQUIRE(stream_of_profile(profile, PK_TABLE_EVENTS, NULL, &stream, NULL) == PK_OK);
  stream.release(&stream); /* before anything was read */
  REQUIRE(stream_of_profile(profile, PK_TABLE_EVENTS, NULL, &stream, NULL) == PK_OK);
  REQUIRE(stream.get_next(&stream, &first) == 0 && first.release); /* without its schema */
  name_column = 10;
  child = *first.children[name_column];
  first.children[name_column]->release = NULL;
  first.release(&first);
  stream.release(&stream);
  pk_profile_free(profile);
  REQUIRE(child.dictionary != NULL);
  check_texts(child.dictionary);
  child.release(&child);
}

/* ---- damage and misuse ---- */

static void test_damage(const char *data, const char *capture) {
  FILE *file = fopen(path_below(data, capture), "rb");
  static char bytes[1 << 20];
  size_t size, cut;
  int failed = 0, ended = 0;
  REQUIRE(file != NULL);
  size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  for (cut = size / 8; cut < size; cut += size / 8 + 1) {
    pk_profile *profile = NULL;
    pk_table_options options = PK_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    if (pk_profile_open_buffer(bytes, cut, "cut", NULL, &profile, NULL) != PK_OK) continue;
    if (CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, NULL, &stream, NULL) == PK_OK)) {
      if (drain(&stream, 65536) < 0) {
        ++failed;
        if (stream.release) stream.release(&stream);
        options.flags = PK_TABLE_SKIP_DAMAGE;
        if (CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, &options, &stream, NULL) == PK_OK)) {
          CHECK(drain(&stream, 65536) >= 0);
          ++ended;
        }
      }
    }
    pk_profile_free(profile);
  }
  CHECK(failed > 0 && failed == ended);
}

/* ---- columns ---- */

static void test_chosen_columns(const char *data, const char *capture) {
  static const char *const wanted[] = {"duration_ps", "file", "name"};
  pk_profile *profile = open_profile(data, capture);
  pk_table_options options = PK_TABLE_OPTIONS_INIT;
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray batch, whole;
  REQUIRE(profile != NULL);
  REQUIRE(stream_of_profile(profile, PK_TABLE_EVENTS, NULL, &stream, NULL) == PK_OK);
  REQUIRE(stream.get_schema(&stream, &schema) == 0 && stream.get_next(&stream, &whole) == 0);
  stream.release(&stream);
  options.columns = wanted;
  options.column_count = 3;
  REQUIRE(stream_of_profile(profile, PK_TABLE_EVENTS, &options, &stream, NULL) == PK_OK);
  options.columns = NULL; /* the stream has its own copy */
  {
    const int64_t durations = column_of(&schema, "duration_ps"), names = column_of(&schema, "name");
    const size_t rows = (size_t)whole.length;
    schema.release(&schema);
    REQUIRE(stream.get_schema(&stream, &schema) == 0 && stream.get_next(&stream, &batch) == 0);
    CHECK(schema.n_children == 3 && batch.n_children == 3 && batch.length == whole.length);
    CHECK(column_of(&schema, "duration_ps") == 0 && column_of(&schema, "file") == 1 && column_of(&schema, "name") == 2);
    check_batch(&schema, &batch);
    CHECK(memcmp(batch.children[0]->buffers[1], whole.children[durations]->buffers[1], rows * sizeof(int64_t)) == 0);
    CHECK(memcmp(batch.children[2]->buffers[1], whole.children[names]->buffers[1], rows * sizeof(int32_t)) == 0);
    CHECK(batch.children[2]->dictionary->length == whole.children[names]->dictionary->length);
  }
  schema.release(&schema);
  batch.release(&batch);
  whole.release(&whole);
  stream.release(&stream);
  pk_profile_free(profile);
}

static void test_wrong_columns(pk_profile *profile) {
  static const char *const unknown[] = {"name", "colour"};
  static const char *const twice[] = {"name", "file", "name"};
  static const char *const missing[] = {"name", NULL};
  pk_table_options options = PK_TABLE_OPTIONS_INIT;
  struct ArrowArrayStream stream;
  pk_error *error = NULL;
  options.columns = unknown;
  options.column_count = 2;
  CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, &options, &stream, &error) == PK_E_INVALID_ARGUMENT && !stream.release);
  CHECK(error && strstr(pk_error_message(error), "colour") && strstr(pk_error_hint(error), "duration_ps"));
  pk_error_free(error);
  options.columns = twice;
  options.column_count = 3;
  CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, &options, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  options.columns = missing;
  options.column_count = 2;
  CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, &options, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  options.column_count = 0;
  CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, &options, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  options.columns = NULL;
  options.column_count = 1;
  CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, &options, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
}

static void test_arguments(const char *data, const char *capture) {
  pk_profile *profile = open_profile(data, capture);
  pk_table_options options = PK_TABLE_OPTIONS_INIT;
  struct ArrowArrayStream stream;
  pk_error *error = NULL;
  pk_table_options one_file = PK_TABLE_OPTIONS_INIT;
  struct {
    pk_table_options known;
    uint64_t newer;
  } larger;
  one_file.flags = PK_TABLE_ONE_FILE;
  one_file.file = 99;
  REQUIRE(profile != NULL);
  CHECK(stream_of_profile(NULL, PK_TABLE_EVENTS, NULL, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, NULL, NULL, NULL) == PK_E_INVALID_ARGUMENT);
  CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, &one_file, &stream, &error) == PK_E_INVALID_ARGUMENT && !stream.release && error);
  pk_error_free(error);
  CHECK(stream_of_profile(NULL, PK_TABLE_OPS, NULL, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  CHECK(stream_of_kernels(NULL, NULL, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  CHECK(stream_of_bubbles(NULL, PK_TABLE_STEPS, NULL, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  CHECK(stream_of_bubbles(NULL, PK_TABLE_GAPS, NULL, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  CHECK(stream_of_memory(NULL, PK_TABLE_LIVE_BUFFERS, NULL, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  CHECK(stream_of_memory(NULL, PK_TABLE_LIVE_CURVE, NULL, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  CHECK(stream_of_launches(NULL, NULL, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  CHECK(stream_of_records(NULL, 0, 0, NULL, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  options.flags = 64;
  CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, &options, &stream, NULL) == PK_E_UNSUPPORTED && !stream.release);
  options.flags = 0;
  options.batch_rows = UINT64_MAX;
  CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, &options, &stream, NULL) == PK_E_INVALID_ARGUMENT && !stream.release);
  test_wrong_columns(profile);
  memset(&larger, 0, sizeof larger);
  larger.known.struct_size = (uint32_t)sizeof larger;
  CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, &larger.known, &stream, NULL) == PK_OK);
  stream.release(&stream);
  larger.newer = 1;
  CHECK(stream_of_profile(profile, PK_TABLE_EVENTS, &larger.known, &stream, NULL) == PK_E_UNSUPPORTED && !stream.release);
  pk_profile_free(profile);
}

int main(int count, char **arguments) {
  const char *data = count > 1 ? arguments[1] : "tests/data";
  const char *capture = count > 2 ? arguments[2] : "xspace/tpu_v6e_inference.xplane.pb";
  test_events(data, capture);
  test_tables_of_a_profile(data, capture);
  test_probes(data);
  test_release_order(data, capture);
  test_damage(data, capture);
  test_chosen_columns(data, capture);
  test_arguments(data, capture);
  printf("%d checks, %d failed\n", checks, failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
