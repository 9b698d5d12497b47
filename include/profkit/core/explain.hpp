// One finding of a report with what happened around its evidence.
#pragma once
#include <profkit/core/report.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum neighbour_position: written by scripts/generate
enum class neighbour_position : std::uint8_t { before, during, after };
[[nodiscard]] const char* neighbour_position_name(neighbour_position value) noexcept;  ///< "before", "during", …
// end of enum neighbour_position

/// A kernel of the device of a piece of evidence, or a span of a host that explains that device.
struct neighbour {
  neighbour_position position = neighbour_position::during;
  bool on_host = false;
  std::string on;    ///< "stream 7"; the thread
  std::string name;  ///< as the capture has it
  std::int64_t start_ps = 0, duration_ps = 0;
};

struct explanation {
  finding found;
  /// Around the first piece of evidence that has a time: the last kernels before it, the longest during it, the first after
  /// it; of the host what covers most of it, the innermost first. Empty where no evidence has a time on a known device.
  std::vector<neighbour> neighbours;
  std::optional<std::int64_t> around_ps;  ///< when that piece of evidence begins; none where no evidence has a time
  std::vector<next_command> next;  ///< what shows more
};

/// Explains the finding `id` of `of`, a report on `t`. Reads the kernels of one device once more. Faults: not_found (no such
/// finding), cancelled, those of the visit.
result<explanation> explain_finding(const trace& t, const report_result& of, std::string_view id, const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
