#include "peers.hpp"

#include <google/protobuf/arena.h>
#include <pk_xplane.pb.h>

#include <cstring>
#include <limits>

namespace profkit::bench {

event_sums sum_with_protobuf(std::string_view capture, bool with_stats) {
  namespace pb = profkit::fixture::xplane;
  event_sums sums;
  google::protobuf::ArenaOptions options;
  options.start_block_size = std::size_t{1} << 20;
  options.max_block_size = std::size_t{64} << 20;
  google::protobuf::Arena arena(options);
  auto* space = google::protobuf::Arena::CreateMessage<pb::XSpace>(&arena);
  if (capture.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !space->ParseFromArray(capture.data(), static_cast<int>(capture.size())))
    return sums;
  for (const auto& plane : space->planes()) {
    for (const auto& line : plane.lines()) {
      for (const auto& event : line.events()) {
        ++sums.events;
        sums.metadata_ids += static_cast<std::uint64_t>(event.metadata_id());
        sums.offsets += static_cast<std::uint64_t>(event.offset_ps());
        sums.durations += static_cast<std::uint64_t>(event.duration_ps());
        if (!with_stats) continue;
        for (const auto& stat : event.stats()) {
          ++sums.stats;
          sums.stat_ids += static_cast<std::uint64_t>(stat.metadata_id());
          switch (stat.value_case()) {
            case pb::XStat::kDoubleValue: {
              std::uint64_t bits = 0;
              const double value = stat.double_value();
              std::memcpy(&bits, &value, sizeof bits);
              sums.stat_values += bits;
              break;
            }
            case pb::XStat::kUint64Value: sums.stat_values += stat.uint64_value(); break;
            case pb::XStat::kInt64Value: sums.stat_values += static_cast<std::uint64_t>(stat.int64_value()); break;
            case pb::XStat::kRefValue: sums.stat_values += stat.ref_value(); break;
            case pb::XStat::kStrValue: sums.stat_bytes += stat.str_value().size(); break;
            case pb::XStat::kBytesValue: sums.stat_bytes += stat.bytes_value().size(); break;
            default: break;
          }
        }
      }
    }
  }
  return sums;
}

}  // namespace profkit::bench
