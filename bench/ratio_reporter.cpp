#include "ratio_reporter.hpp"

#include <algorithm>
#include <cstdio>

namespace profkit::bench {

void ratio_reporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type == Run::RT_Aggregate || run.error_occurred) continue;
    const double seconds = run.cpu_accumulated_time / static_cast<double>(run.iterations);
    const auto bytes = run.counters.find("bytes_per_second");
    const std::string& name = run.run_name.function_name;
    auto at = std::find_if(best_.begin(), best_.end(), [&](const best_run& b) { return b.name == name; });
    if (at == best_.end()) at = best_.insert(at, {name, seconds, 0});
    at->seconds = std::min(at->seconds, seconds);
    if (bytes != run.counters.end()) at->bytes_per_second = std::max(at->bytes_per_second, bytes->second.value);
  }
}

void ratio_reporter::print_times() const {
  std::printf("\n%-40s %12s %12s\n", "Best CPU time", "ms", "GB/s");
  for (const best_run& run : best_)
    std::printf("%-40s %12.3f %12.2f\n", run.name.c_str(), run.seconds * 1e3, run.bytes_per_second / 1e9);
}

double ratio_reporter::best_seconds(const std::string& name) const {
  const auto at = std::find_if(best_.begin(), best_.end(), [&](const best_run& b) { return b.name == name; });
  return at == best_.end() ? 0 : at->seconds;
}

int run_and_print_ratios(int argc, char** argv, const std::vector<ratio_row>& rows) {
  // Given first, so that the command line can say otherwise.
  static char interleave[] = "--benchmark_enable_random_interleaving=true";
  static char repetitions[] = "--benchmark_repetitions=9";
  static char min_time[] = "--benchmark_min_time=0.02";
  std::vector<char*> arguments = {argv[0], interleave, repetitions, min_time};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  ratio_reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();

  reporter.print_times();
  std::printf("\n%-66s %9s %9s\n", "Ratios of the best CPU times of this run", "measured", "aim");
  for (const ratio_row& row : rows) {
    const double slower = reporter.best_seconds(row.slower), faster = reporter.best_seconds(row.faster);
    if (slower == 0 || faster == 0) continue;
    const double ratio = slower / faster;
    const bool missed = row.aim != 0 && (row.at_most ? ratio > row.aim : ratio < row.aim);
    std::printf("%-66s %8.2fx", row.what.c_str(), ratio);
    if (row.aim != 0) std::printf(" %s %5.1fx%s", row.at_most ? "<=" : ">=", row.aim, missed ? "  missed" : "");
    std::printf("\n");
  }
  return 0;
}

}  // namespace profkit::bench
