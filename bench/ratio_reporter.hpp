// Runs Google Benchmark's repetitions interleaved and prints, after them, ratios inside this one run: absolute times
// of a shared machine mean little, ratios of interleaved best times do.
#pragma once
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace profkit::bench {

class ratio_reporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;

  // Least CPU time of a benchmark in seconds; 0 when it did not run.
  [[nodiscard]] double best_seconds(const std::string& name) const;
  void print_times() const;

 private:
  struct best_run {
    std::string name;
    double seconds, bytes_per_second;
  };
  std::vector<best_run> best_;  // as they were registered or, interleaved, first ran
};

// One line of the table: how many times as long `slower` takes as `faster`, and what is aimed at. With `at_most`
// the aim is an upper bound; 0 is no aim.
struct ratio_row {
  std::string what, slower, faster;
  double aim = 0;
  bool at_most = false;
};

// Runs what is registered. Gives the exit status of main(): 0 also when an aim is missed, which a loaded machine can
// cause; the table says so.
int run_and_print_ratios(int argc, char** argv, const std::vector<ratio_row>& rows);

}  // namespace profkit::bench
