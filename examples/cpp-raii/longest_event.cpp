// Shows the longest event of every device, with its stats, through profkit.hpp.
#include <profkit/profkit.hpp>

#include <cstdint>
#include <iostream>
#include <string>

namespace {

std::string text_of(const pk_stat& stat) {
  switch (stat.kind) {
    case PK_STAT_DOUBLE: return std::to_string(profkit::lib::as_double(stat));
    case PK_STAT_UINT64: return std::to_string(stat.bits);
    case PK_STAT_INT64: return std::to_string(profkit::lib::as_int64(stat));
    case PK_STAT_BYTES: return std::to_string(stat.text.size) + " bytes";
    default: return std::string(profkit::lib::text(stat));
  }
}

void show_longest(const profkit::lib::plane& plane) {
  pk_event longest{};
  for (const profkit::lib::line line : plane.lines()) {
    if (line.info().kind != PK_LINE_OPS && line.info().kind != PK_LINE_STREAM) continue;
    auto events = line.events();
    for (const pk_event& event : events)
      if (event.duration_ps > longest.duration_ps) longest = event;
    if (!events.ok()) std::cerr << events.error().message() << '\n';  // what came before it counts
  }
  if (longest.duration_ps == 0) return;
  std::cout << plane.name() << ": " << plane.name_of(longest).substr(0, 60) << "\n  " << longest.duration_ps / 1000
            << " ns\n";
  for (const pk_stat& stat : plane.stats_of(longest))
    if (stat.kind != PK_STAT_BYTES)
      std::cout << "  " << profkit::lib::name(stat) << " = " << text_of(stat).substr(0, 60) << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " CAPTURE\n";
    return 2;
  }
  const auto profile = profkit::lib::profile::open(argv[1]);
  if (!profile) {
    std::cerr << profile.error().message() << '\n' << profile.error().hint() << '\n';
    return 1;
  }
  for (const profkit::lib::file file : profile->files())
    for (const profkit::lib::plane plane : file.planes())
      if (plane.info().kind == PK_PLANE_DEVICE) show_longest(plane);
}
