// What a capture holds: its files, planes and lines.
#pragma once
#include <profkit/core/capture.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/trace.hpp>
#include <profkit/core/track.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct line_info {
  std::int64_t id = 0;
  std::string_view name;  ///< name, else display name
  line_kind kind = line_kind::other;
  std::int64_t timestamp_ns = 0;
  std::uint64_t events = 0, event_stats = 0;
  std::int64_t duration_sum_ps = 0;               ///< of all events, nested ones counted twice
  std::optional<std::int64_t> first_ps, last_ps;  ///< span of events that have an offset
};
struct plane_info {
  std::int64_t id = 0;
  std::string_view name;
  plane_kind kind = plane_kind::other;
  std::vector<named_stat> stats;
  std::uint64_t event_metadata = 0, stat_metadata = 0;  ///< distinct ids
  std::vector<line_info> lines;
};
struct file_info {
  std::uint32_t file = 0;  ///< index into profile::what().files
  std::string path;
  file_family family = file_family::unknown;
  std::int32_t export_of = -1;
  std::uint64_t bytes = 0;
  std::vector<std::string> hosts, errors, warnings;
  std::optional<std::int64_t> origin_unix_ns;
  std::optional<std::int64_t> first_ps, last_ps;
  bool aligned = false;  ///< shifted onto the capture origin
  /// As activity_input has them.
  std::uint64_t begins_without_end = 0, begins_open = 0, ends_without_begin = 0;
  std::optional<std::uint64_t> events_at_cap;  ///< of trace JSON that ends at its exporter's limit: do not add it up
  std::vector<plane_info> planes;
  std::optional<fault> damage;
};
struct info_result {
  std::vector<file_info> files;
  std::uint64_t planes = 0, lines = 0, events = 0, event_stats = 0;  ///< exports of an XSpace are not counted twice
  bool complete = true;
  std::vector<std::string> reasons;   ///< why not complete
  std::string absent;                 ///< why there is no file; empty otherwise
  std::shared_ptr<const void> texts;  ///< owns the names of Chrome files, which do not lie in a file
};
result<info_result> analyse_info(const trace& t, const query_filters& o = {}, const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
