// The memory analysis: time against size, peak memory, and the run-time part. Prints one line a figure.
//   memory_bench                   with the corpus of PROFKIT_CORPUS, else of ../shared
//   memory_bench --write FILE      the generated module, for memory_peers.py
#include <profkit/core/memory.hpp>

#include "../tests/memory/hlo_builder.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

using namespace profkit;
using namespace profkit::test;

namespace {

// Processor time: the machine may be doing other things.
double seconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double best_of(int runs, const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) best = std::min(best, seconds_of(work));
  return best;
}

// A program of `buffers` values in one pool, with `events` heap events: every value is allocated, shared and freed.
std::string generated_module(std::int64_t buffers, std::int64_t events) {
  module_parts p;
  p.name = "jit_generated";
  std::vector<message> code;
  std::vector<std::int64_t> order;
  std::vector<assigned> places;
  std::vector<message> trace;
  constexpr std::int64_t slots = 1024, size = 4096;
  code.push_back(instruction(1, "p", "parameter"));
  order.push_back(1);
  for (std::int64_t i = 0; i < buffers; ++i) {
    const std::int64_t id = i + 2;
    code.push_back(instruction(id, "fusion." + std::to_string(i), "fusion", {std::max<std::int64_t>(1, id - 1)}, {},
                               "jit(train_step)/transformer/layer_" + std::to_string(i % 96) + "/mlp/dot_general"));
    order.push_back(id);
    p.buffers.push_back(logical_buffer(i + 10, size, id));
    places.push_back({i + 10, i % slots * size, size});
  }
  // A window of live values moves over the program; what is left of the events are sharers.
  for (std::int64_t i = 0, made = 0; made < events; ++i) {
    const std::int64_t b = i % buffers + 10, before = (i + buffers - slots / 2) % buffers + 10;
    trace.push_back(heap_event(alloc, b, 0, "fusion." + std::to_string(i % buffers)));
    ++made;
    if (i >= slots / 2 && made < events) {
      trace.push_back(heap_event(free_, before, 0, "fusion." + std::to_string(before - 10)));
      ++made;
    }
  }
  p.computations = {computation(1, "main", code, order.back())};
  p.sequences = {sequence(1, order)};
  p.allocations = {allocation(0, slots * size, temporary, places)};
  p.traces = {heap_trace(trace, 0)};
  return p.text();
}

void analyse(const std::string& text) {
  const auto opened = profile::open_buffer(text, "m.hlo_proto.pb");
  const auto found = opened ? analyse_memory(trace(**opened)) : result<memory_result>(opened.error());
  if (!found || !found->hlo) {
    std::fprintf(stderr, "memory_bench: the generated module cannot be analysed\n");
    std::exit(1);
  }
}

// Peak memory of a process that analyses one file, in bytes.
long peak_memory_of(const std::string& path, bool analyses) {
  int channel[2];
  if (pipe(channel) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    if (analyses) {
      const auto opened = profile::open(path);
      if (opened) static_cast<void>(analyse_memory(trace(**opened)));
    }
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    const long bytes = use.ru_maxrss * 1024;
    const bool told = write(channel[1], &bytes, sizeof bytes) == sizeof bytes;
    _exit(told ? 0 : 1);
  }
  long bytes = -1;
  if (read(channel[0], &bytes, sizeof bytes) != sizeof bytes) bytes = -1;
  close(channel[0]);
  close(channel[1]);
  int status = 0;
  waitpid(child, &status, 0);
  return bytes;
}

void report_memory(const char* name, const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return;
  const long peak = peak_memory_of(path, true);
  const double limit = 3.0 * static_cast<double>(file.st_size) + 16.0 * 1048576;
  std::printf("%-34s peak memory %8.1f MB of %8.1f MB allowed (3 x %.1f MB + 16 MiB)%s\n", name,
              static_cast<double>(peak) / 1e6, limit / 1e6, static_cast<double>(file.st_size) / 1e6,
              static_cast<double>(peak) <= limit ? "" : "  TOO MUCH");
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::string(arguments[1]) == "--write") {
    std::ofstream file(arguments[2], std::ios::binary);
    return file << generated_module(200000, 1000000) ? 0 : 1;
  }
  // First, while this process is small: a forked child starts with its pages.
  const std::string folder = std::filesystem::temp_directory_path() / ("memory_bench." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/generated.hlo_proto.pb";
  const auto write_generated = [&](std::int64_t buffers, std::int64_t events) {
    const pid_t child = fork();
    if (child == 0) {
      std::ofstream(path, std::ios::binary) << generated_module(buffers, events);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  };
  const char* elsewhere = std::getenv("PROFKIT_CORPUS");
  const std::filesystem::path corpus = elsewhere != nullptr ? elsewhere : "../shared";
  write_generated(200000, 1000000);
  report_memory("200k buffers, 1M heap events", path);
  const std::string real = corpus / "oracles/xspace-and-memory/in/tpu2_hlo/jit_f(12190760917235803885).hlo_proto.pb";
  report_memory("TPU jit_f", real);
  std::filesystem::remove_all(folder);

  const std::string small = generated_module(20000, 100000), large = generated_module(200000, 1000000);
  const double small_s = best_of(5, [&] { analyse(small); }), large_s = best_of(3, [&] { analyse(large); });
  std::printf("%-34s %8.1f ms, %6.1f MB/s\n", "20k buffers, 100k heap events", small_s * 1e3,
              static_cast<double>(small.size()) / small_s / 1e6);
  std::printf("%-34s %8.1f ms, %6.1f MB/s, %.2f x the time for 10 x the input (12 allowed)%s\n",
              "200k buffers, 1M heap events", large_s * 1e3, static_cast<double>(large.size()) / large_s / 1e6,
              large_s / small_s, large_s <= 12 * small_s ? "" : "  TOO SLOW");

  for (const char* capture : {"tpu2_hlo", "jax_transformer", "jax_mlp_train", "syn_perf20k", "syn_rand3000", "gpu"}) {
    const std::filesystem::path input = corpus / "oracles/xspace-and-memory/in" / capture;
    if (!std::filesystem::exists(input)) continue;
    const double s = best_of(5, [&] {
      const auto opened = profile::open(input.string());
      if (opened) static_cast<void>(analyse_memory(trace(**opened)));
    });
    std::printf("%-34s %8.2f ms with opening\n", capture, s * 1e3);
  }
  return 0;
}
