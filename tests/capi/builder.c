/* A host's own trace through the C ABI. Without arguments: rows against figures that were worked out by hand, and hostile
 * arguments. With the name of a document: writes that of the same trace, which builder.py compares. */
#include <profkit/profkit.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      printf("line %d: %s\n", __LINE__, #condition);                  \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

static const int64_t us = 1000000; /* ps */

static pk_str text(const char *literal) {
  pk_str made;
  made.data = literal;
  made.size = strlen(literal);
  return made;
}
static int is_text(pk_str got, const char *wanted) {
  return got.size == strlen(wanted) && (got.size == 0 || memcmp(got.data, wanted, got.size) == 0);
}

/* Fails, and the message has these words. */
static void refused(int line, pk_status status, pk_error *error, pk_status wanted, const char *words) {
  if (status != wanted || pk_error_code(error) != wanted || strstr(pk_error_message(error), words) == NULL) {
    printf("line %d: status %d, \"%s\"; wanted %d and \"%s\"\n", line, (int)status, pk_error_message(error), (int)wanted, words);
    ++failures;
  }
  pk_error_free(error);
}
#define REFUSED(call, wanted, words)        \
  do {                                      \
    pk_error *error = NULL;                 \
    const pk_status status = (call);        \
    refused(__LINE__, status, error, wanted, words); \
  } while (0)

static pk_trace_kernel kernel(uint32_t stream, const char *name, int64_t start_us, int64_t end_us, uint64_t launch) {
  pk_trace_kernel made;
  memset(&made, 0, sizeof made);
  made.name = text(name);
  made.start_ps = start_us * us;
  made.duration_ps = (end_us - start_us) * us;
  made.correlation = launch;
  made.stream = stream;
  return made;
}
static pk_trace_span span(uint32_t thread, const char *name, int64_t start_us, int64_t end_us, int32_t kind, uint64_t launch) {
  pk_trace_span made;
  memset(&made, 0, sizeof made);
  made.name = text(name);
  made.start_ps = start_us * us;
  made.duration_ps = (end_us - start_us) * us;
  made.correlation = launch;
  made.thread = thread;
  made.kind = kind;
  return made;
}
static pk_trace_step step(uint32_t thread, const char *name, int64_t number, int64_t start_us, int64_t end_us) {
  pk_trace_step made;
  memset(&made, 0, sizeof made);
  made.name = text(name);
  made.start_ps = start_us * us;
  made.duration_ps = (end_us - start_us) * us;
  made.number = number;
  made.thread = thread;
  made.flags = PK_TRACE_STEP_HAS_NUMBER;
  return made;
}

typedef struct {
  pk_trace_builder *builder;
  uint32_t host, devices[2], streams[2], thread, power, pool;
} trace;

/* One host with two GPUs, a stream each, and a thread. */
static trace parts(const pk_trace_builder_options *options) {
  trace t;
  pk_trace_host host = PK_TRACE_HOST_INIT;
  pk_trace_device device = PK_TRACE_DEVICE_INIT;
  pk_trace_stream stream = PK_TRACE_STREAM_INIT;
  pk_trace_thread thread = PK_TRACE_THREAD_INIT;
  pk_trace_counter power = PK_TRACE_COUNTER_INIT;
  pk_trace_allocator pool = PK_TRACE_ALLOCATOR_INIT;
  int i;
  memset(&t, 0, sizeof t);
  CHECK(pk_trace_builder_new(options, &t.builder, NULL) == PK_OK);
  host.name = text("trainer-0");
  host.flags = PK_TRACE_HOST_HAS_RANK | PK_TRACE_HOST_HAS_ORIGIN;
  host.origin_unix_ns = 1700000000000000000;
  host.rank = 3;
  host.world_size = 8;
  CHECK(pk_trace_builder_add_host(t.builder, &host, &t.host, NULL) == PK_OK);
  for (i = 0; i < 2; ++i) {
    device.host = t.host;
    device.name = text(i == 0 ? "GPU 0" : "GPU 1");
    device.accelerator = PK_ACCELERATOR_GPU;
    device.flags = PK_TRACE_DEVICE_HAS_ORDINAL;
    device.ordinal = i;
    CHECK(pk_trace_builder_add_device(t.builder, &device, &t.devices[i], NULL) == PK_OK);
    stream.device = t.devices[i];
    stream.id = 7;
    CHECK(pk_trace_builder_add_stream(t.builder, &stream, &t.streams[i], NULL) == PK_OK);
  }
  thread.host = t.host;
  thread.process = text("trainer");
  thread.name = text("main thread");
  CHECK(pk_trace_builder_add_thread(t.builder, &thread, &t.thread, NULL) == PK_OK);
  power.flags = PK_TRACE_OF_DEVICE;
  power.owner = t.devices[1];
  power.name = text("power");
  power.unit = text("W");
  CHECK(pk_trace_builder_add_counter(t.builder, &power, &t.power, NULL) == PK_OK);
  pool.flags = PK_TRACE_OF_DEVICE;
  pool.owner = t.devices[0];
  pool.name = text("pool");
  CHECK(pk_trace_builder_add_allocator(t.builder, &pool, &t.pool, NULL) == PK_OK);
  return t;
}

/* Two steps of a millisecond. GPU 0 computes 300 + 200 us in each, GPU 1 700 us; the program loads data from 380 to 690 us of
 * the first step, and GPU 0 waits for it from 400 to 700. */
static void fill(const trace *t) {
  const uint32_t one = t->streams[0], two = t->streams[1], main_thread = t->thread;
  pk_trace_kernel kernels[6];
  pk_trace_span spans[7];
  pk_trace_step steps[2];
  pk_trace_value values[3];
  pk_trace_allocation memory[4];
  int i;
  kernels[0] = kernel(one, "relu", 1600, 1800, 4); /* in any order */
  kernels[1] = kernel(one, "gemm", 1300, 1600, 3);
  kernels[2] = kernel(one, "relu", 700, 900, 2);
  kernels[3] = kernel(one, "gemm", 100, 400, 1);
  kernels[4] = kernel(two, "gemm", 150, 850, 5);
  kernels[5] = kernel(two, "gemm", 1150, 1850, 6);
  spans[0] = span(main_thread, "cudaLaunchKernel", 50, 60, PK_SPAN_RUNTIME, 1);
  spans[1] = span(main_thread, "cudaLaunchKernel", 60, 70, PK_SPAN_RUNTIME, 5);
  spans[2] = span(main_thread, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 380, 690, PK_SPAN_OP, 0);
  spans[3] = span(main_thread, "cudaLaunchKernel", 690, 700, PK_SPAN_RUNTIME, 2);
  spans[4] = span(main_thread, "cudaLaunchKernel", 1050, 1060, PK_SPAN_RUNTIME, 6);
  spans[5] = span(main_thread, "cudaLaunchKernel", 1060, 1070, PK_SPAN_RUNTIME, 3);
  spans[6] = span(main_thread, "cudaLaunchKernel", 1070, 1080, PK_SPAN_RUNTIME, 4);
  steps[0] = step(main_thread, "step 10", 10, 0, 1000);
  steps[1] = step(main_thread, "step 11", 11, 1000, 2000);
  memset(values, 0, sizeof values);
  for (i = 0; i < 3; ++i) {
    values[i].at_ps = i * 500 * us;
    values[i].value = 250.5 + i;
    values[i].counter = t->power;
  }
  memset(memory, 0, sizeof memory); /* 1000, then 1000 + 512 of 500 asked for, then 512, then 612 */
  for (i = 0; i < 4; ++i) {
    memory[i].at_ps = (100 + 100 * i) * us;
    memory[i].allocator = t->pool;
  }
  memory[0].address = 0x1000, memory[0].bytes = 1000, memory[0].op = text("weights");
  memory[1].address = 0x2000, memory[1].bytes = 500, memory[1].held_bytes = 512, memory[1].op = text("activations");
  memory[2].address = 0x1000, memory[2].flags = PK_TRACE_ALLOCATION_IS_FREE;
  memory[3].address = 0x3000, memory[3].bytes = 100;
  CHECK(pk_trace_builder_add_kernels(t->builder, kernels, sizeof kernels[0], 2, NULL) == PK_OK); /* in batches */
  CHECK(pk_trace_builder_add_kernels(t->builder, kernels + 2, sizeof kernels[0], 4, NULL) == PK_OK);
  CHECK(pk_trace_builder_add_spans(t->builder, spans, sizeof spans[0], 7, NULL) == PK_OK);
  CHECK(pk_trace_builder_add_steps(t->builder, steps, sizeof steps[0], 2, NULL) == PK_OK);
  CHECK(pk_trace_builder_add_values(t->builder, values, sizeof values[0], 3, NULL) == PK_OK);
  CHECK(pk_trace_builder_add_allocations(t->builder, memory, sizeof memory[0], 4, NULL) == PK_OK);
  CHECK(pk_trace_builder_add_kernels(t->builder, NULL, sizeof kernels[0], 0, NULL) == PK_OK); /* no rows are fine */
}

static pk_profile *finished(void) {
  trace t = parts(NULL);
  pk_profile *profile = NULL;
  pk_error *error = NULL;
  fill(&t);
  if (pk_trace_builder_finish(t.builder, &profile, &error) != PK_OK) {
    printf("finish: %s\n", pk_error_message(error));
    exit(1);
  }
  pk_trace_builder_free(t.builder);
  return profile;
}

static void check_rows(void) {
  pk_profile *profile = finished();
  pk_profile_info info;
  pk_file_info file;
  pk_device device;
  pk_kernel_row row;
  pk_value host, rank;
  pk_table *table = NULL;
  size_t n = 0, launched = 0, devices = 0;
  int64_t gemm_ps = 0;
  CHECK(pk_profile_get(profile, &info, NULL) == PK_OK);
  CHECK(info.file_count == 1 && is_text(info.path, "recording") && info.origin_unix_ns == 1700000000000000000);
  CHECK(pk_file_get(profile, 0, &file, NULL) == PK_OK);
  CHECK(file.family == PK_FAMILY_OWN && is_text(file.host, "trainer-0") && strcmp(pk_family_name(file.family), "own") == 0);
  CHECK(pk_file_damage(profile, 0) == NULL);

  CHECK(pk_table_open(profile, PK_TABLE_DEVICES, NULL, &table, NULL) == PK_OK);
  for (; pk_table_read(table, &device, sizeof device, 1, &n, NULL) == PK_OK; ++devices) {
    CHECK(is_text(device.name, devices == 0 ? "GPU 0" : "GPU 1"));
    CHECK(device.ordinal == (int64_t)devices && device.accelerator == PK_ACCELERATOR_GPU);
    CHECK(pk_table_values(table, "host", &host, 1, &n, NULL) == PK_OK && is_text(host.text, "trainer-0"));
    CHECK(pk_table_values(table, "rank", &rank, 1, &n, NULL) == PK_OK && rank.bits == 3);
  }
  CHECK(devices == 2);
  pk_table_free(table);

  CHECK(pk_table_open(profile, PK_TABLE_KERNELS, NULL, &table, NULL) == PK_OK);
  while (pk_table_read(table, &row, sizeof row, 1, &n, NULL) == PK_OK) {
    CHECK(row.stream == 7 && row.kind == PK_KERNEL_COMPUTE);
    CHECK((row.flags & PK_KERNEL_HAS_LAUNCH) != 0);
    if (is_text(row.name, "gemm")) gemm_ps += row.duration_ps;
    if (is_text(row.name, "relu") && row.start_ps == 700 * us) {
      CHECK(row.launch_ps == 690 * us);
      ++launched;
    }
  }
  CHECK(launched == 1 && gemm_ps == 2000 * us);
  pk_table_free(table);
  pk_profile_free(profile);
}

/* Two hosts, half a second apart, share a clock; devices of one name stay apart. */
static void check_hosts(void) {
  pk_trace_builder *builder = NULL;
  pk_trace_host host = PK_TRACE_HOST_INIT;
  pk_trace_device device = PK_TRACE_DEVICE_INIT;
  pk_trace_stream stream = PK_TRACE_STREAM_INIT;
  pk_trace_kernel row;
  pk_kernel_row found[3];
  pk_file_info file;
  pk_profile *profile = NULL;
  pk_table *table = NULL;
  size_t n = 0;
  int i;
  CHECK(pk_trace_builder_new(NULL, &builder, NULL) == PK_OK);
  for (i = 0; i < 2; ++i) {
    uint32_t number = 9;
    host.flags = PK_TRACE_HOST_HAS_RANK | PK_TRACE_HOST_HAS_ORIGIN;
    host.rank = i;
    host.origin_unix_ns = 1700000000000000000 + i * 500000000;
    host.name = text("box");
    CHECK(pk_trace_builder_add_host(builder, &host, &device.host, NULL) == PK_OK && device.host == (uint32_t)i);
    device.name = text("GPU 0");
    CHECK(pk_trace_builder_add_device(builder, &device, &stream.device, NULL) == PK_OK && stream.device == (uint32_t)i);
    CHECK(pk_trace_builder_add_stream(builder, &stream, &number, NULL) == PK_OK && number == (uint32_t)i);
    row = kernel(number, "gemm", 10, 20, 0);
    CHECK(pk_trace_builder_add_kernels(builder, &row, sizeof row, 1, NULL) == PK_OK);
  }
  CHECK(pk_trace_builder_finish(builder, &profile, NULL) == PK_OK);
  pk_trace_builder_free(builder);
  CHECK(pk_file_count(profile) == 2);
  CHECK(pk_file_get(profile, 1, &file, NULL) == PK_OK && is_text(file.path, "recording/box 1") && file.shift_ns == 500000000);
  CHECK(pk_table_open(profile, PK_TABLE_KERNELS, NULL, &table, NULL) == PK_OK);
  for (i = 0; i < 2 && pk_table_read(table, found + i, sizeof found[0], 1, &n, NULL) == PK_OK;) ++i;
  CHECK(i == 2 && pk_table_read(table, found + 2, sizeof found[0], 1, &n, NULL) == PK_END);
  CHECK(found[0].file == 0 && found[0].start_ps == 10 * us && found[1].file == 1 && found[1].start_ps == 500010 * us);
  pk_table_free(table);
  pk_profile_free(profile);
}

static void check_refusals(void) {
  trace t = parts(NULL);
  pk_trace_builder *const b = t.builder;
  pk_trace_kernel k[3];
  pk_trace_span s = span(t.thread, "a", 0, 1, PK_SPAN_OP, 0);
  pk_trace_step m = step(t.thread, "a", 0, 0, 1);
  pk_trace_value v;
  pk_trace_allocation a;
  pk_trace_host host = PK_TRACE_HOST_INIT;
  pk_trace_device device = PK_TRACE_DEVICE_INIT;
  pk_trace_stream stream = PK_TRACE_STREAM_INIT;
  pk_trace_thread thread = PK_TRACE_THREAD_INIT;
  pk_trace_counter counter = PK_TRACE_COUNTER_INIT;
  pk_trace_allocator allocator = PK_TRACE_ALLOCATOR_INIT;
  pk_trace_builder_options options = PK_TRACE_BUILDER_OPTIONS_INIT;
  pk_profile *profile = NULL;
  pk_table *table = NULL;
  uint32_t number = 5;
  size_t n = 7;
  struct {
    pk_trace_kernel known;
    uint64_t later;
  } newer;
  int i;
  memset(&v, 0, sizeof v), memset(&a, 0, sizeof a), memset(&newer, 0, sizeof newer);
  for (i = 0; i < 3; ++i) k[i] = kernel(t.streams[0], "a", i, i + 1, 0);

  /* Bad rows: the message names the first, and none of the call is added. */
  k[2].duration_ps = -1;
  REFUSED(pk_trace_builder_add_kernels(b, k, sizeof k[0], 3, &error), PK_E_INVALID_ARGUMENT, "row 2: the duration is negative");
  k[2].duration_ps = 1, k[1].stream = 2;
  REFUSED(pk_trace_builder_add_kernels(b, k, sizeof k[0], 3, &error), PK_E_INVALID_ARGUMENT, "row 1: there is no stream 2");
  k[1].stream = 0, k[0].start_ps = INT64_MAX;
  REFUSED(pk_trace_builder_add_kernels(b, k, sizeof k[0], 3, &error), PK_E_INVALID_ARGUMENT, "row 0: the time lies out of reach");
  k[0].start_ps = 0, k[0].duration_ps = INT64_MAX;
  REFUSED(pk_trace_builder_add_kernels(b, k, sizeof k[0], 3, &error), PK_E_INVALID_ARGUMENT, "row 0: the time lies out of reach");
  k[0].duration_ps = 1, k[2].kind = 5, k[2].flags = PK_TRACE_KERNEL_HAS_KIND;
  REFUSED(pk_trace_builder_add_kernels(b, k, sizeof k[0], 3, &error), PK_E_INVALID_ARGUMENT, "row 2: there is no kind 5");
  k[2].flags = 32;
  REFUSED(pk_trace_builder_add_kernels(b, k, sizeof k[0], 3, &error), PK_E_UNSUPPORTED, "row 2: pk_trace_kernel::flags");
  k[2].flags = 0, k[2].reserved = 1;
  REFUSED(pk_trace_builder_add_kernels(b, k, sizeof k[0], 3, &error), PK_E_INVALID_ARGUMENT, "row 2: reserved");
  k[2].reserved = 0, k[2].name.data = NULL;
  REFUSED(pk_trace_builder_add_kernels(b, k, sizeof k[0], 3, &error), PK_E_INVALID_ARGUMENT, "row 2: its text is NULL");
  REFUSED(pk_trace_builder_add_kernels(b, k, sizeof k[0] - 1, 3, &error), PK_E_INVALID_ARGUMENT, "row_size");
  REFUSED(pk_trace_builder_add_kernels(b, NULL, sizeof k[0], 3, &error), PK_E_INVALID_ARGUMENT, "rows");
  REFUSED(pk_trace_builder_add_kernels(NULL, k, sizeof k[0], 3, &error), PK_E_INVALID_ARGUMENT, "builder");
  newer.known = k[0], newer.later = 1;
  REFUSED(pk_trace_builder_add_kernels(b, &newer.known, sizeof newer, 1, &error), PK_E_UNSUPPORTED, "row 0");
  newer.later = 0;
  CHECK(pk_trace_builder_add_kernels(b, &newer.known, sizeof newer, 1, NULL) == PK_OK);
  s.thread = 1;
  REFUSED(pk_trace_builder_add_spans(b, &s, sizeof s, 1, &error), PK_E_INVALID_ARGUMENT, "row 0: there is no thread 1");
  s.thread = 0, s.kind = 6;
  REFUSED(pk_trace_builder_add_spans(b, &s, sizeof s, 1, &error), PK_E_INVALID_ARGUMENT, "row 0: there is no kind 6");
  s.kind = 0, s.launches = -1;
  REFUSED(pk_trace_builder_add_spans(b, &s, sizeof s, 1, &error), PK_E_INVALID_ARGUMENT, "row 0: there is no kind -1");
  m.number = -1;
  REFUSED(pk_trace_builder_add_steps(b, &m, sizeof m, 1, &error), PK_E_INVALID_ARGUMENT, "row 0: its number");
  m.number = 0, m.start_ps = INT64_MIN;
  REFUSED(pk_trace_builder_add_steps(b, &m, sizeof m, 1, &error), PK_E_INVALID_ARGUMENT, "row 0: the time");
  v.value = strtod("inf", NULL);
  REFUSED(pk_trace_builder_add_values(b, &v, sizeof v, 1, &error), PK_E_INVALID_ARGUMENT, "row 0: the value");
  v.value = 0, v.counter = 1;
  REFUSED(pk_trace_builder_add_values(b, &v, sizeof v, 1, &error), PK_E_INVALID_ARGUMENT, "row 0: there is no counter 1");
  a.bytes = -1;
  REFUSED(pk_trace_builder_add_allocations(b, &a, sizeof a, 1, &error), PK_E_INVALID_ARGUMENT, "row 0: the size");
  a.bytes = 0, a.allocator = 7;
  REFUSED(pk_trace_builder_add_allocations(b, &a, sizeof a, 1, &error), PK_E_INVALID_ARGUMENT, "row 0: there is no allocator 7");

  /* Parts of the trace. */
  REFUSED(pk_trace_builder_add_host(b, NULL, &number, &error), PK_E_INVALID_ARGUMENT, "host");
  CHECK(number == 0);
  REFUSED(pk_trace_builder_add_host(b, &host, NULL, &error), PK_E_INVALID_ARGUMENT, "out");
  REFUSED(pk_trace_builder_add_host(NULL, &host, &number, &error), PK_E_INVALID_ARGUMENT, "builder");
  host.flags = PK_TRACE_HOST_HAS_RANK, host.rank = -2;
  REFUSED(pk_trace_builder_add_host(b, &host, &number, &error), PK_E_INVALID_ARGUMENT, "rank");
  host.rank = 0, host.flags = PK_TRACE_HOST_HAS_ORIGIN, host.origin_unix_ns = -1;
  REFUSED(pk_trace_builder_add_host(b, &host, &number, &error), PK_E_INVALID_ARGUMENT, "origin_unix_ns");
  host.flags = 8;
  REFUSED(pk_trace_builder_add_host(b, &host, &number, &error), PK_E_UNSUPPORTED, "flags");
  device.host = 1;
  REFUSED(pk_trace_builder_add_device(b, &device, &number, &error), PK_E_INVALID_ARGUMENT, "host");
  device.host = 0, device.accelerator = 4;
  REFUSED(pk_trace_builder_add_device(b, &device, &number, &error), PK_E_INVALID_ARGUMENT, "accelerator");
  device.accelerator = 0, device.struct_size = 3;
  REFUSED(pk_trace_builder_add_device(b, &device, &number, &error), PK_E_INVALID_ARGUMENT, "struct_size");
  stream.device = 2;
  REFUSED(pk_trace_builder_add_stream(b, &stream, &number, &error), PK_E_INVALID_ARGUMENT, "device");
  thread.host = 9;
  REFUSED(pk_trace_builder_add_thread(b, &thread, &number, &error), PK_E_INVALID_ARGUMENT, "host");
  thread.host = 0, thread.name.size = 1;
  REFUSED(pk_trace_builder_add_thread(b, &thread, &number, &error), PK_E_INVALID_ARGUMENT, "name.data");
  counter.owner = 1;
  REFUSED(pk_trace_builder_add_counter(b, &counter, &number, &error), PK_E_INVALID_ARGUMENT, "host");
  counter.flags = PK_TRACE_OF_DEVICE, counter.owner = 2;
  REFUSED(pk_trace_builder_add_counter(b, &counter, &number, &error), PK_E_INVALID_ARGUMENT, "device");
  allocator.reserved = 1;
  REFUSED(pk_trace_builder_add_allocator(b, &allocator, &number, &error), PK_E_INVALID_ARGUMENT, "reserved");

  /* Of all that, one row came to be. */
  CHECK(pk_trace_builder_finish(b, &profile, NULL) == PK_OK);
  CHECK(pk_table_open(profile, PK_TABLE_KERNELS, NULL, &table, NULL) == PK_OK);
  CHECK(pk_table_read(table, k, 0, 1, &n, NULL) < 0);
  CHECK(pk_table_read(table, NULL, 0, 3, &n, NULL) == PK_OK && n == 1);
  pk_table_free(table);
  pk_profile_free(profile);
  REFUSED(pk_trace_builder_finish(b, &profile, &error), PK_E_INVALID_ARGUMENT, "finished");
  CHECK(profile == NULL);
  REFUSED(pk_trace_builder_add_steps(b, &m, sizeof m, 1, &error), PK_E_INVALID_ARGUMENT, "finished");
  REFUSED(pk_trace_builder_add_thread(b, &thread, &number, &error), PK_E_INVALID_ARGUMENT, "finished");
  pk_trace_builder_free(b);
  pk_trace_builder_free(NULL);

  /* The builder itself. */
  REFUSED(pk_trace_builder_new(NULL, NULL, &error), PK_E_INVALID_ARGUMENT, "out");
  options.flags = 1;
  REFUSED(pk_trace_builder_new(&options, &t.builder, &error), PK_E_UNSUPPORTED, "flags");
  CHECK(t.builder == NULL);
  options.flags = 0, options.max_bytes = 1000;
  t = parts(&options);
  k[2] = kernel(t.streams[0], "a", 0, 1, 0);
  while ((i = pk_trace_builder_add_kernels(t.builder, k + 2, sizeof k[0], 1, NULL)) == PK_OK) ++number;
  CHECK(i == PK_E_LIMIT && number > 2 && number < 12); /* about 100 bytes a row, and some for names */
  REFUSED(pk_trace_builder_add_kernels(t.builder, k + 2, sizeof k[0], 1, &error), PK_E_LIMIT, "max_bytes");
  CHECK(pk_trace_builder_finish(t.builder, &profile, NULL) == PK_OK);
  pk_profile_free(profile);
  pk_trace_builder_free(t.builder);
  CHECK(pk_trace_builder_new(NULL, &t.builder, NULL) == PK_OK);
  REFUSED(pk_trace_builder_finish(t.builder, &profile, &error), PK_E_INVALID_ARGUMENT, "no host");
  pk_trace_builder_free(t.builder);
}

static int32_t count_bytes(void *user, const void *data, size_t size) {
  (void)data;
  *(uint64_t *)user += size;
  return 0;
}

/* Every document, table and export of it, and what it has none of. */
static void check_everything(void) {
  pk_profile *profile = finished();
  pk_dump_options dump = PK_DUMP_OPTIONS_INIT;
  pk_trace_options export = PK_TRACE_OPTIONS_INIT;
  pk_trace_outcome outcome;
  pk_str bytes;
  int32_t which, status, documents = 0, tables = 0;
  uint64_t written = 0;
  for (which = 1; which < 40; ++which) {
    if (*pk_document_name(which) == '\0') continue;
    written = 0;
    CHECK(pk_document_write(profile, which, NULL, count_bytes, &written, &status, NULL) == PK_OK);
    if (status != PK_DOCUMENT_STATUS_OK && status != PK_DOCUMENT_STATUS_ABSENT) printf("document %s\n", pk_document_name(which));
    CHECK(status == PK_DOCUMENT_STATUS_OK || status == PK_DOCUMENT_STATUS_ABSENT);
    CHECK(written > 0);
    ++documents;
  }
  CHECK(documents > 12);
  for (which = 1; which < 40; ++which) {
    pk_table *table = NULL;
    size_t n = 0;
    if (*pk_table_name(which) == '\0' || which == PK_TABLE_EVENTS || which == PK_TABLE_PROBE_RECORDS) continue;
    CHECK(pk_table_open(profile, which, NULL, &table, NULL) == PK_OK);
    CHECK(pk_table_read(table, NULL, 0, 100, &n, NULL) >= 0);
    pk_table_free(table);
    ++tables;
  }
  CHECK(tables > 12);
  written = 0;
  CHECK(pk_trace_write(profile, NULL, count_bytes, &written, &outcome, NULL) == PK_OK);
  CHECK(outcome.events == 19 && outcome.counters == 3 && written > 1000); /* 6 kernels, 7 spans, 2 steps, 4 allocations */
  export.format = PK_TRACE_PERFETTO;
  CHECK(pk_trace_write(profile, &export, count_bytes, &written, &outcome, NULL) == PK_OK && outcome.counters == 3);
  CHECK(pk_plane_count(profile, 0) == 0 && pk_file_note_count(profile, 0, PK_NOTE_HOSTNAME) == 0);
  CHECK(pk_file_bytes(profile, 0, &bytes, NULL) == PK_OK && bytes.size == 0);
  CHECK(pk_file_dump_write(profile, 0, &dump, count_bytes, &written, NULL, NULL) == PK_E_INVALID_ARGUMENT);
  pk_profile_free(profile);
}

/* A launch without a kernel of its number, by its name and as the host says: what the device did for it is not known. */
static void check_unrecorded(void) {
  trace t = parts(NULL);
  pk_profile *profile = NULL;
  pk_trace_kernel one = kernel(t.streams[0], "gemm", 100, 200, 1);
  pk_trace_span calls[5];
  pk_table *table = NULL;
  pk_device_time time;
  int64_t unknown_ps = 0;
  pk_kernel_row row;
  size_t n = 0;
  calls[0] = span(t.thread, "my_launch", 10, 20, PK_SPAN_RUNTIME, 1);
  calls[1] = span(t.thread, "my_launch", 30, 40, PK_SPAN_RUNTIME, 1); /* the first of a number counts */
  calls[2] = span(t.thread, "my_launch", 250, 260, PK_SPAN_RUNTIME, 2);
  calls[2].launches = PK_LAUNCH_KERNEL;
  calls[3] = span(t.thread, "my_query", 270, 280, PK_SPAN_RUNTIME, 3); /* launches nothing that its name says */
  calls[4] = span(t.thread, "my_launch", 380, 385, PK_SPAN_RUNTIME, 4);
  CHECK(pk_trace_builder_add_kernels(t.builder, &one, sizeof one, 1, NULL) == PK_OK);
  one = kernel(t.streams[0], "gemm", 400, 500, 4);
  CHECK(pk_trace_builder_add_kernels(t.builder, &one, sizeof one, 1, NULL) == PK_OK);
  one = kernel(t.streams[0], "gemm", 500, 600, 0);
  one.launch_ps = 390 * us;
  one.flags = PK_TRACE_KERNEL_HAS_LAUNCH | PK_TRACE_KERNEL_HAS_KIND;
  one.kind = PK_KERNEL_COMM;
  CHECK(pk_trace_builder_add_kernels(t.builder, &one, sizeof one, 1, NULL) == PK_OK);
  CHECK(pk_trace_builder_add_spans(t.builder, calls, sizeof calls[0], 5, NULL) == PK_OK);
  CHECK(pk_trace_builder_finish(t.builder, &profile, NULL) == PK_OK);
  pk_trace_builder_free(t.builder);
  CHECK(pk_table_open(profile, PK_TABLE_KERNELS, NULL, &table, NULL) == PK_OK);
  CHECK(pk_table_read(table, &row, sizeof row, 1, &n, NULL) == PK_OK && row.launch_ps == 10 * us && row.kind == PK_KERNEL_COMPUTE);
  CHECK(pk_table_read(table, &row, sizeof row, 1, &n, NULL) == PK_OK && row.launch_ps == 380 * us);
  CHECK(pk_table_read(table, &row, sizeof row, 1, &n, NULL) == PK_OK && row.launch_ps == 390 * us && row.kind == PK_KERNEL_COMM);
  pk_table_free(table);
  CHECK(pk_table_open(profile, PK_TABLE_DEVICE_TIME, NULL, &table, NULL) == PK_OK);
  while (pk_table_read(table, &time, sizeof time, 1, &n, NULL) == PK_OK)
    if (time.use == PK_TIME_NOT_RECORDED) unknown_ps += time.time_ps;
  CHECK(unknown_ps == 150 * us); /* from the launch at 250 to the next kernel at 400 */
  pk_table_free(table);
  pk_profile_free(profile);
}

static int32_t print(void *user, const void *data, size_t size) {
  (void)user;
  return fwrite(data, 1, size, stdout) != size;
}

static int write_document(const char *name) {
  pk_profile *profile = finished();
  pk_error *error = NULL;
  pk_status status;
  int32_t document = 1;
  while (document < 40 && strcmp(pk_document_name(document), name) != 0) ++document;
  status = strcmp(name, "trace.json") == 0 ? pk_trace_write(profile, NULL, print, NULL, NULL, &error)
                                           : pk_document_write(profile, document, NULL, print, NULL, NULL, &error);
  if (status != PK_OK) fprintf(stderr, "%s\n", pk_error_message(error));
  pk_error_free(error);
  pk_profile_free(profile);
  return status != PK_OK;
}

int main(int count, char **arguments) {
  if (count == 2) return write_document(arguments[1]);
  check_rows();
  check_hosts();
  check_everything();
  check_unrecorded();
  check_refusals();
  printf("%d passed, %d failed, 0 skipped\n", failures == 0 ? 5 : 0, failures);
  return failures != 0;
}
