#include "peers.hpp"

#include <protozero/pbf_reader.hpp>

#include <cstring>

namespace profkit::bench {
namespace {

void add_stat(protozero::pbf_reader stat, event_sums& sums) {
  ++sums.stats;
  while (stat.next()) {
    switch (stat.tag()) {
      case 1: sums.stat_ids += static_cast<std::uint64_t>(stat.get_int64()); break;
      case 2: {
        std::uint64_t bits = 0;
        const double value = stat.get_double();
        std::memcpy(&bits, &value, sizeof bits);
        sums.stat_values += bits;
        break;
      }
      case 3:
      case 7: sums.stat_values += stat.get_uint64(); break;
      case 4: sums.stat_values += static_cast<std::uint64_t>(stat.get_int64()); break;
      case 5:
      case 6: sums.stat_bytes += stat.get_view().size(); break;
      default: stat.skip();
    }
  }
}

template <bool WithStats>
event_sums sum(std::string_view capture) {
  event_sums sums;
  protozero::pbf_reader space(capture.data(), capture.size());
  while (space.next(1)) {
    protozero::pbf_reader plane = space.get_message();
    while (plane.next(3)) {
      protozero::pbf_reader line = plane.get_message();
      while (line.next(4)) {
        protozero::pbf_reader event = line.get_message();
        ++sums.events;
        while (event.next()) {
          switch (event.tag()) {
            case 1: sums.metadata_ids += static_cast<std::uint64_t>(event.get_int64()); break;
            case 2: sums.offsets += static_cast<std::uint64_t>(event.get_int64()); break;
            case 3: sums.durations += static_cast<std::uint64_t>(event.get_int64()); break;
            case 4:
              if (WithStats)
                add_stat(event.get_message(), sums);
              else
                event.skip();
              break;
            default: event.skip();
          }
        }
      }
    }
  }
  return sums;
}

}  // namespace

event_sums sum_with_protozero(std::string_view capture, bool with_stats) {
  return with_stats ? sum<true>(capture) : sum<false>(capture);
}

}  // namespace profkit::bench
