// Counts the events of every plane of an XSpace file with nothing but headers: no library, no allocation but the
// file's own bytes.
#include <profkit/xspace.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE.xplane.pb\n", argv[0]);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot open %s\n", argv[1]);
    return 1;
  }
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};

  const profkit::xspace_view space(bytes);
  for (const profkit::plane_view plane : space.planes()) {
    unsigned long long events = 0;
    long long duration_ps = 0;
    for (const profkit::line_view line : plane.lines())
      for (const profkit::event_view event : line.events()) {
        ++events;
        duration_ps += event.duration_ps();
      }
    const std::string_view name = plane.name();
    std::printf("%-32.*s %8llu events %14lld ns\n", static_cast<int>(name.size()), name.data(), events,
                duration_ps / 1000);
  }
  // A range ends at the end or at damage: this tells which.
  if (const char* damage = space.damage()) {
    std::fprintf(stderr, "damaged at byte %lld\n", static_cast<long long>(damage - bytes.data()));
    return 1;
  }
  return 0;
}
