// The C++ time per event: events CAPTURE ROUNDS prints the best ns per event of a loop over the range, their number and a sum.
#include <profkit/profkit.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

// CPU time: the wall clock tells what else the machine does.
double now_ns() {
  std::timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  const auto profile = profkit::lib::profile::open(argv[1]);
  if (!profile) return 1;
  double best = 1e300;
  std::uint64_t count = 0;
  std::int64_t sum = 0;
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    const double begin = now_ns();
    count = 0;
    sum = 0;
    for (const auto plane : (*profile->files().begin()).planes())
      for (const auto line : plane.lines()) {
        auto events = line.events();
        for (const pk_event& event : events) {
          sum += event.duration_ps;
          ++count;
        }
      }
    best = std::min(best, (now_ns() - begin) / static_cast<double>(count));
  }
  std::printf("%.3f %llu %lld\n", best, static_cast<unsigned long long>(count), static_cast<long long>(sum));
}
