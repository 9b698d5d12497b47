// The kernels of a device plane, merged by start while they are decoded. Nothing of an event is kept, so the size of a
// file does not matter.
#pragma once
#include <base/hash_map.hpp>
#include <formats/activity_parts.hpp>
#include <formats/stream_overruns.hpp>
#include <formats/xspace/event_collectives.hpp>
#include <formats/xspace/xspace_lines.hpp>
#include <formats/xspace/xspace_names.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct launch_event {
  std::int64_t start_ps, end_ps;
  std::uint32_t thread;
};
using launch_map = hash_map<std::uint64_t, launch_event>;  // by correlation id

class xspace_kernels final : public kernel_source {
 public:
  std::shared_ptr<const profile> from;
  std::vector<line_events> lines;  // one a stream, in the order of the streams; at least one
  std::shared_ptr<const kernel_names> names;
  std::optional<std::int64_t> correlation_stat;
  std::shared_ptr<const launch_map> launches;
  event_collectives collectives;  // that kernels of streams may be of

  result<void> visit(kernel_visitor& into, const hooks& host) const override;

  // Looks for kernels of streams that last longer than their stream allows; from then on they come cut.
  stream_overruns cut_too_long();
  // The correlation ids of the kernels of streams.
  void list_correlations(hash_set<std::uint64_t>& into) const;

 private:
  result<void> visit_line(kernel_visitor& into, const hooks& host) const;
  hash_map<std::uint64_t, std::int64_t> cut_durations_ps_;  // by kernel_row::source_row
  void fill(kernel_row& k, const spanned_event& e, const line_events& line, std::uint16_t stream) const;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
