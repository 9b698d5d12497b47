// Measurements of a clock that are off by more than their neighbours' scatter allows, and steps between them: by
// medians and by what half of all measurements scatter, so that neither the size nor a few other bad ones matter.
#pragma once
#include "clock_statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct odd_measurement {
  std::size_t at = 0;  // of an outlier or a bend its place, of a step the measurement before it
  double size_ps = 0;
};

struct odd_measurements {
  std::vector<odd_measurement> outliers, steps, bends;  // by rising place
};

// Looks at measurements by rising time. `reading_ps`: what two measurements of a perfect clock may differ by. Steps and
// bends are looked for only where there are no outliers: leave those out and ask again. A bend is where the rate changes
// for good, as when a clock begins or ends to be slewed; its size is what the measurement lies off its neighbours' chord.
odd_measurements find_odd_measurements(const std::vector<deviation>& points, double reading_ps);

// Indices i after which there is a gap: measurements far further apart than they usually are.
std::vector<std::size_t> find_gaps(const std::vector<deviation>& points);

// How far the clock can be from the straight line in the middle of each of `gaps`: as far as it ever is, where it was
// measured, from a chord as long as the gap.
std::vector<double> errors_across_gaps(const std::vector<deviation>& points, const std::vector<std::size_t>& gaps);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
