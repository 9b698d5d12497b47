// What the probe cost: its times and memory beside those of the kernels.
#include <profkit/core/probe.hpp>
#include <profkit/time.hpp>

#include <base/hash_map.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct samples {
  std::vector<std::int64_t> prologue, kernel, epilogue;
  std::vector<double> ratios, impacts;
  std::int64_t original_ps = 0, benchmarked_ps = 0;
};

template <class T>
std::optional<T> sorted_median(std::vector<T>& values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 != 0) return values[middle];
  return values[middle - 1] + (values[middle] - values[middle - 1]) / 2;
}

void take_launch(const probe_launch& launch, kernel_overhead& row, samples& taken) {
  ++row.launches;
  row.max_probe_memory_bytes = std::max(row.max_probe_memory_bytes, launch.probe_memory_bytes.value_or(0));
  row.backups += launch.outcome == probe_outcome::backup || launch.outcome == probe_outcome::failed;
  if (!launch.prologue_ps || !launch.kernel_ps || !launch.epilogue_ps) return;
  ++row.timed;
  const std::int64_t all = saturating_add(saturating_add(*launch.prologue_ps, *launch.kernel_ps), *launch.epilogue_ps);
  row.total_kernel_ps = saturating_add(row.total_kernel_ps, *launch.kernel_ps);
  row.total_ps = saturating_add(row.total_ps, all);
  taken.prologue.push_back(*launch.prologue_ps);
  taken.kernel.push_back(*launch.kernel_ps);
  taken.epilogue.push_back(*launch.epilogue_ps);
  if (*launch.kernel_ps > 0) taken.ratios.push_back(static_cast<double>(all) / static_cast<double>(*launch.kernel_ps));
  if (!launch.original_ps) return;
  ++row.benchmarked;
  taken.original_ps = saturating_add(taken.original_ps, *launch.original_ps);
  taken.benchmarked_ps = saturating_add(taken.benchmarked_ps, *launch.kernel_ps);
  if (*launch.original_ps > 0)
    taken.impacts.push_back(static_cast<double>(*launch.kernel_ps) / static_cast<double>(*launch.original_ps));
}

void sum_up(kernel_overhead& row, samples& taken) {
  row.median_prologue_ps = sorted_median(taken.prologue);
  row.median_kernel_ps = sorted_median(taken.kernel);
  row.median_epilogue_ps = sorted_median(taken.epilogue);
  row.median_ratio = sorted_median(taken.ratios);
  if (!taken.impacts.empty()) {
    double sum = 0;
    for (const double impact : taken.impacts) sum += impact;
    row.mean_impact = sum / static_cast<double>(taken.impacts.size());
  }
  if (taken.original_ps > 0)
    row.total_impact = static_cast<double>(taken.benchmarked_ps) / static_cast<double>(taken.original_ps);
}

}  // namespace

std::vector<kernel_overhead> analyse_probe_overhead(const probe_trace& trace) {
  std::vector<kernel_overhead> rows;
  std::vector<samples> taken;
  // Functions that the probe engine never looked at have no kernel: they are distinguished by their names.
  hash_map<std::pair<std::int32_t, std::string>, std::size_t> by_kernel;
  for (const probe_launch& launch : trace.launches) {
    const auto [at, is_new] =
        by_kernel.emplace(std::pair(launch.kernel, launch.kernel < 0 ? launch.function : std::string()), rows.size());
    if (is_new) {
      rows.emplace_back();
      rows.back().kernel = launch.kernel;
      rows.back().function = launch.function;
      taken.emplace_back();
    }
    take_launch(launch, rows[at->second], taken[at->second]);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) sum_up(rows[i], taken[i]);
  std::stable_sort(rows.begin(), rows.end(), [](const kernel_overhead& a, const kernel_overhead& b) {
    return a.total_kernel_ps > b.total_kernel_ps;
  });
  return rows;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
