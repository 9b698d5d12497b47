// The exporters: processor time and speed, in one run. Prints one line a figure; export_peers.py adds XLA's converter.
//   export_bench [FILE]            an XSpace; else tests/data grown to 32 MB
//   export_bench --write FILE      a grown capture below XLA's cap of a million events, for export_peers.py
#include <profkit/core/trace_export.hpp>

#include "amplify.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

using namespace profkit;

namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Processor time: the machine may be doing other things.
double best_of(int runs, const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

class counting_sink final : public sink {
 public:
  explicit counting_sink(std::uint64_t& bytes) : bytes_(bytes) {}
  result<void> write(std::string_view bytes) override {
    bytes_ += bytes.size();
    return {};
  }
  result<void> finish() override { return {}; }

 private:
  std::uint64_t& bytes_;
};

void measure(const profile& p, const char* name, trace_format format, bool like_xla, bool gzip) {
  std::uint64_t bytes = 0, events = 0;
  bool failed = false;
  const double seconds = best_of(3, [&] {
    bytes = 0;
    std::unique_ptr<sink> into = std::make_unique<counting_sink>(bytes);
    if (gzip) into = gzip_sink(std::move(into));
    trace_export_options how;
    how.format = format;
    how.like_xla = like_xla;
    const auto told = export_trace(trace(p), how, *into);
    failed = !told || !into->finish();
    if (told) events = told->events;
  });
  std::printf("%-22s %8.3f s  %8.2f M events/s  %7.1f MB out%s\n", name, seconds,
              static_cast<double>(events) / seconds / 1e6, static_cast<double>(bytes) / 1e6, failed ? "  FAILED" : "");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string first = count > 1 ? arguments[1] : "";
  std::string bytes;
  if (!first.empty() && first[0] != '-') {
    bytes = read_file(first);
  } else {
    const std::string capture =
        read_file(std::string(PROFKIT_BENCH_SOURCE_ROOT) + "/tests/data/xspace/jax08_gemm_mi300.xplane.pb");
    bytes = bench::amplifier(capture, std::uint64_t{first == "--write" ? 20U : 32U} << 20).in_memory();
  }
  if (first == "--write" && count > 2) {
    std::ofstream(arguments[2], std::ios::binary) << bytes;
    return 0;
  }
  const auto p = profile::open_buffer(bytes, "bench.xplane.pb");
  if (!p) {
    std::fprintf(stderr, "%s\n", p.error().message.c_str());
    return 1;
  }
  std::printf("XSpace of %.1f MB\n", static_cast<double>(bytes.size()) / 1e6);
  measure(**p, "trace.json like XLA", trace_format::trace_json, true, false);
  measure(**p, "trace.json.gz like XLA", trace_format::trace_json, true, true);
  measure(**p, "trace.json", trace_format::trace_json, false, false);
  measure(**p, "trace.json.gz", trace_format::trace_json, false, true);
  measure(**p, "pftrace", trace_format::perfetto, false, false);
  measure(**p, "csv", trace_format::csv, false, false);
}
