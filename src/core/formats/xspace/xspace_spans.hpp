// The spans of a host's threads, of those planes of a file that belong to one node. Read anew at each visit.
#pragma once
#include <formats/activity_parts.hpp>
#include <formats/xspace/span_picker.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class xspace_spans final : public host_span_source {
 public:
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
