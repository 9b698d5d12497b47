// An in-house profiler hands its own spans to libprofkit, without a file. See README.md.
#include <profkit/profkit.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <string_view>

namespace lib = profkit::lib;

namespace {

constexpr std::int64_t us = 1'000'000;  // ps

pk_trace_kernel kernel(std::uint32_t stream, std::string_view name, std::int64_t start_us, std::int64_t us_long, std::uint64_t launch) {
  pk_trace_kernel row{};
  row.name = lib::borrowed(name), row.stream = stream, row.correlation = launch;
  row.start_ps = start_us * us, row.duration_ps = us_long * us;
  return row;
}
pk_trace_span span(std::uint32_t thread, std::string_view name, std::int64_t start_us, std::int64_t us_long, std::int32_t kind,
                   std::uint64_t launches) {
  pk_trace_span row{};
  row.name = lib::borrowed(name), row.thread = thread, row.kind = kind, row.correlation = launches;
  row.start_ps = start_us * us, row.duration_ps = us_long * us;
  return row;
}
void check(const lib::error& why) {
  if (why) throw lib::exception(why);
}

}  // namespace

int main() try {
  auto builder = lib::trace_builder::make().or_throw();
  pk_trace_device gpu = PK_TRACE_DEVICE_INIT;
  gpu.host = builder.add(pk_trace_host(PK_TRACE_HOST_INIT)).or_throw();
  gpu.name = lib::borrowed("GPU 0"), gpu.accelerator = PK_ACCELERATOR_GPU;
  pk_trace_stream queue = PK_TRACE_STREAM_INIT;
  queue.device = builder.add(gpu).or_throw();
  pk_trace_thread loop = PK_TRACE_THREAD_INIT;
  loop.host = gpu.host, loop.process = lib::borrowed("trainer"), loop.name = lib::borrowed("main thread");
  const std::uint32_t stream = builder.add(queue).or_throw(), thread = builder.add(loop).or_throw();

  check(builder.add(std::array{kernel(stream, "gemm", 100, 300, 1), kernel(stream, "relu", 900, 80, 2)}));
  check(builder.add(std::array{span(thread, "cudaLaunchKernel", 50, 10, PK_SPAN_RUNTIME, 1),
                               span(thread, "_MultiProcessingDataLoaderIter.__next__", 300, 570, PK_SPAN_OP, 0),
                               span(thread, "cudaLaunchKernel", 880, 10, PK_SPAN_RUNTIME, 2)}));
  check(builder.add(std::array{pk_trace_step{lib::borrowed("step 0"), 0, 1000 * us, 0, thread, PK_TRACE_STEP_HAS_NUMBER}}));
  const lib::profile profile = builder.finish().or_throw();

  lib::table gaps = profile.table(PK_TABLE_GAPS).or_throw();
  pk_bubble gap;
  pk_value cause;
  while (gaps.read(&gap, 1).or_throw() != 0 && gaps.values("cause", &cause, 1).or_throw() != 0)
    std::cout << (gap.end_ps - gap.start_ps) / us << " us before " << lib::view(gap.after) << ": " << lib::view(cause.text) << '\n';
} catch (const std::exception& why) {
  std::cerr << why.what() << '\n';
  return 1;
}
