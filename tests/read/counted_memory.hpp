// Counts every byte that the program has allocated, for tests of bounds: resident memory would make them a matter of
// luck. A test program gets it by counted_memory.cpp.
#pragma once
#include <cstddef>

namespace profkit::test {

// False where allocations cannot be counted: other C libraries than glibc, and sanitizers, which bring their own
// malloc.
[[nodiscard]] bool counts_memory() noexcept;

// The most that was allocated since it was made, beyond what was then.
class peak_memory {
 public:
  peak_memory() noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  std::size_t before_;
};

}  // namespace profkit::test
