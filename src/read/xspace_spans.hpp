// The spans of a host's threads, of those planes of a file that belong to one node. Read anew at each visit.
#pragma once
#include <read/activity_parts.hpp>
#include <read/xspace_lines.hpp>
#include <read/xspace_names.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class xspace_spans final : public host_span_source {
 public:
  struct thread_line {
    line_events line;
    std::uint32_t thread = 0;
    std::shared_ptr<const span_names> names;  // of its plane
  };
  std::shared_ptr<const profile> from;
  std::uint32_t file = 0;
  std::vector<thread_line> lines;

  result<void> visit(std::int64_t from_ps, std::int64_t to_ps, host_span_visitor& into,
                     const hooks& host) const override;
  result<std::uint32_t> visit_in(interval_sequence windows, host_span_visitor& into, const hooks& host) const override;
  result<std::uint32_t> visit_in_parts(interval_sequence windows, host_span_parts& into,
                                       const hooks& host) const override;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
