#include <page/picture/log_scale.hpp>

#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {

double power_of_ten(double power) { return std::pow(10, power); }

double log_scale::at(double value) const { return first + (last - first) * (std::log10(value) - from) / (to - from); }

log_scale log_scale_over(double least, double most, double first, double last) {
  log_scale s{std::floor(std::log10(least)), std::ceil(std::log10(most)), first, last};
  if (s.to <= s.from) s.to = s.from + 1;
  return s;
}

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
