/* An in-house profiler hands its own spans to libprofkit, without a file. See README.md. */
#include <inttypes.h>
#include <profkit/profkit.h>
#include <stdio.h>

static pk_error *error;
static int failed(pk_status status) {
  if (status < 0) fprintf(stderr, "%s\n", pk_error_message(error));
  return status < 0;
}
static pk_str text(const char *literal, size_t size) {
  pk_str made = {literal, size};
  return made;
}
#define TEXT(literal) text(literal, sizeof(literal) - 1)

int main(void) {
  const int64_t us = 1000000; /* ps */
  pk_trace_builder *builder;
  pk_trace_host host = PK_TRACE_HOST_INIT;
  pk_trace_device gpu = PK_TRACE_DEVICE_INIT;
  pk_trace_stream queue = PK_TRACE_STREAM_INIT;
  pk_trace_thread loop = PK_TRACE_THREAD_INIT;
  static pk_trace_kernel kernels[2]; /* zeroes, as all static rows are */
  static pk_trace_span calls[3];
  static pk_trace_step step;
  pk_profile *profile;
  pk_table *gaps;
  pk_bubble gap;
  pk_value cause;
  size_t n;
  if (failed(pk_trace_builder_new(NULL, &builder, &error))) return 1;
  if (failed(pk_trace_builder_add_host(builder, &host, &gpu.host, &error))) return 1;
  gpu.name = TEXT("GPU 0"), gpu.accelerator = PK_ACCELERATOR_GPU, loop.host = gpu.host;
  loop.process = TEXT("trainer"), loop.name = TEXT("main thread");
  if (failed(pk_trace_builder_add_device(builder, &gpu, &queue.device, &error))) return 1;
  if (failed(pk_trace_builder_add_stream(builder, &queue, &kernels[0].stream, &error))) return 1;
  if (failed(pk_trace_builder_add_thread(builder, &loop, &calls[0].thread, &error))) return 1;
  kernels[1].stream = kernels[0].stream, step.thread = calls[1].thread = calls[2].thread = calls[0].thread;

  kernels[0].name = TEXT("gemm"), kernels[0].start_ps = 100 * us, kernels[0].duration_ps = 300 * us, kernels[0].correlation = 1;
  kernels[1].name = TEXT("relu"), kernels[1].start_ps = 900 * us, kernels[1].duration_ps = 80 * us, kernels[1].correlation = 2;
  calls[0].name = calls[1].name = TEXT("cudaLaunchKernel"), calls[2].name = TEXT("_MultiProcessingDataLoaderIter.__next__");
  calls[0].start_ps = 50 * us, calls[1].start_ps = 880 * us, calls[0].duration_ps = calls[1].duration_ps = 10 * us;
  calls[0].correlation = 1, calls[1].correlation = 2, calls[0].kind = calls[1].kind = PK_SPAN_RUNTIME;
  calls[2].start_ps = 300 * us, calls[2].duration_ps = 570 * us;
  step.name = TEXT("step 0"), step.duration_ps = 1000 * us, step.flags = PK_TRACE_STEP_HAS_NUMBER;
  if (failed(pk_trace_builder_add_kernels(builder, kernels, sizeof kernels[0], 2, &error))) return 1;
  if (failed(pk_trace_builder_add_spans(builder, calls, sizeof calls[0], 3, &error))) return 1;
  if (failed(pk_trace_builder_add_steps(builder, &step, sizeof step, 1, &error))) return 1;
  if (failed(pk_trace_builder_finish(builder, &profile, &error))) return 1;
  pk_trace_builder_free(builder);

  if (failed(pk_table_open(profile, PK_TABLE_GAPS, NULL, &gaps, &error))) return 1;
  while (pk_table_read(gaps, &gap, sizeof gap, 1, &n, NULL) == PK_OK && pk_table_values(gaps, "cause", &cause, 1, &n, NULL) == PK_OK)
    printf("%" PRId64 " us before %.*s: %.*s\n", (gap.end_ps - gap.start_ps) / us, (int)gap.after.size, gap.after.data,
           (int)cause.text.size, cause.text.data);
  pk_table_free(gaps), pk_profile_free(profile);
  return 0;
}
