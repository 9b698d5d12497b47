// The bubble detector: time against rows, and against `ops` on a large XSpace with the memory it takes. The XSpace is a
// longer recording of a real one; the same with bodies of events shuffled, so that what was apart overlaps; the same
// out of order.
//   bubbles_bench [MIB]       size of the XSpace, default 256; it lies in a temporary file meanwhile
#include "amplify.hpp"

#include "../tests/bubbles/memory_activity.hpp"

#include <profkit/core/bubbles.hpp>
#include <profkit/core/export.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/ops.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

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

// Training steps of 1000 kernels on two streams with gaps and host spans.
memory_activity training(std::int64_t kernels) {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  std::minstd_rand random(7);
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < kernels; ++i) {
    if (i % 1000 == 0) a.step(i / 1000, at, at);
    const std::int64_t gap = random() % 20 == 0 ? static_cast<std::int64_t>(random() % 200) * us : us;
    a.host(at, gap + 5 * us, i % 3 == 0 ? "aten::copy_" : "aten::add", static_cast<std::uint32_t>(i % 4));
    at += gap;
    const auto duration = static_cast<std::int64_t>(random() % 60) * us;
    a.kernel(d, at, duration, "Op" + std::to_string(i % 37), i % 11 == 0 ? kernel_class::comm : kernel_class::compute,
             i % 11 == 0 ? 1 : 0);
    at += duration;
  }
  return a;
}

std::int64_t anonymous_memory_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("RssAnon:", 0) == 0) return std::atoll(line.c_str() + 8);
  return 0;
}

// Highest anonymous memory of `work` in a process of its own, in MB, and its processor time in seconds.
std::pair<double, double> measured(const std::function<void()>& work) {
  int channel[2];
  if (pipe(channel) != 0) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<bool> done{false};
    std::int64_t most = 0;
    std::thread watcher([&] {
      while (!done.load()) {
        most = std::max(most, anonymous_memory_kb());
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
    const double seconds = seconds_of(work);
    done = true;
    watcher.join();
    const std::pair<double, double> told{static_cast<double>(most) * 1024 / 1e6, seconds};
    const bool sent = write(channel[1], &told, sizeof told) == sizeof told;
    _exit(sent ? 0 : 1);
  }
  std::pair<double, double> told{-1, -1};
  if (read(channel[0], &told, sizeof told) != sizeof told) told = {-1, -1};
  close(channel[0]);
  close(channel[1]);
  waitpid(child, nullptr, 0);
  return told;
}

class no_sink final : public sink {
 public:
  result<void> write(std::string_view) override { return {}; }
  result<void> finish() override { return {}; }
};

// `look` gives whether it went well.
std::pair<double, double> measured_on(const std::string& path,
                                      const std::function<bool(std::shared_ptr<const profile>)>& look) {
  return measured([&] {
    auto p = profile::open(path);
    if (!p || !look(std::move(*p))) std::exit(1);
  });
}

void compare_on_xspace(const std::string& path) {
  using opened = std::shared_ptr<const profile>;
  const auto document_of = [](document which) {
    return [which](const opened& p) {
      no_sink into;
      return write_document(which, trace(*p), {}, into).ok();
    };
  };
  const auto ops = measured_on(path, [](const opened& p) { return analyse_ops(trace(*p)).ok(); });
  const auto info = measured_on(path, [](const opened& p) { return analyse_info(trace(*p)).ok(); });
  const auto bubbles = measured_on(path, [](const opened& p) { return analyse_bubbles(trace(p)).ok(); });
  const auto json = measured_on(path, document_of(document::bubbles));
  const auto report = measured_on(path, document_of(document::report));
  const auto row = [&](const char* name, const std::pair<double, double>& of) {
    std::printf("  %-18s %6.2f s, %5.1f x ops, %5.2f x info, %6.1f MB\n", name, of.second, of.second / ops.second,
                of.second / info.second, of.first);
  };
  row("ops", ops);
  row("info", info);
  row("bubbles", bubbles);
  row("bubbles as JSON", json);
  row("report as JSON", report);
  std::printf("  bubbles / ops %.2f x (4 allowed)%s; beyond the mapping %.1f MB (256 allowed)%s\n",
              bubbles.second / ops.second, bubbles.second <= 4 * ops.second ? "" : "  TOO SLOW",
              std::max(json.first, report.first), std::max(json.first, report.first) <= 256 ? "" : "  TOO MUCH");
}

}  // namespace

int main(int count, char** arguments) {
  const std::uint64_t mib = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 256;
  const auto folder = std::filesystem::temp_directory_path() / ("bubbles_bench." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  constexpr std::pair<bench::arrangement, const char*> arrangements[] = {
      {bench::arrangement::as_recorded, "as recorded"},
      {bench::arrangement::bodies_shuffled, "bodies shuffled"},
      {bench::arrangement::out_of_order, "out of order"}};
  for (const char* capture : {"tpu_v6e_inference", "jax08_gemm_mi300"}) {
    const std::string path = folder / "large.xplane.pb";
    std::ifstream in(std::string(PROFKIT_BENCH_SOURCE_ROOT) + "/tests/data/xspace/" + capture + ".xplane.pb",
                     std::ios::binary);
    const std::string small{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (const auto& [as, name] : arrangements) {
      {
        std::ofstream out(path, std::ios::binary);
        bench::amplifier(small, mib << 20, as).write([&](std::string_view piece) {
          out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
        });
      }
      std::printf("%s, %s, %.2f GiB\n", capture, name,
                  static_cast<double>(std::filesystem::file_size(path)) / 1073741824.0);
      compare_on_xspace(path);
    }
  }
  std::filesystem::remove_all(folder);

  const memory_activity few = training(50'000), many = training(500'000);
  const auto look = [](const activity& a) {
    if (!find_bubbles(a)) std::exit(1);
  };
  const double few_s = best_of(5, [&] { look(few); }), many_s = best_of(3, [&] { look(many); });
  std::printf("%-30s %6.1f ms for 50 000, %6.1f ms for 500 000: %.2f x (12 allowed)%s\n", "detector, rows in memory",
              few_s * 1e3, many_s * 1e3, many_s / few_s, many_s <= 12 * few_s ? "" : "  TOO SLOW");
  return 0;
}
