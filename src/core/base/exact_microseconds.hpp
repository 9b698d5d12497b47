// Times in trace JSON: microseconds, exact to the picosecond.
#pragma once
#include <profkit/time.hpp>

#include <base/format.hpp>

#include <cstdint>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// As many decimals as it takes, at most six: "-0.5", "12", "3.000001".
inline void append_exact_microseconds(std::string& out, std::int64_t ps) {
  const std::uint64_t size = magnitude(ps);
  if (ps < 0) out += '-';
  append_integer(out, size / 1000000);
  std::uint64_t rest = size % 1000000;
  if (rest == 0) return;
  char digits[7] = {'.'};
  unsigned used = 7;
  for (unsigned i = 6; i > 0; --i) {
    digits[i] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  }
  while (digits[used - 1] == '0') --used;
  out.append(digits, used);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
