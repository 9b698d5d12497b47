// Neutrino traces as JSON, CSV and SVG: the slices of `profkit neutrino`.
#pragma once
#include <profkit/core/export.hpp>
#include <profkit/core/probe.hpp>
#include <profkit/core/profile.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum probe_slice: written by scripts/generate
/// The parts of the document `neutrino`.
enum class probe_slice : std::int32_t {
  summary,  ///< launches, kernels, maps and overhead in one
  launches,
  kernels,
  maps,
  records,
  schedule,
  bytes,
  density,
  progress,
  overhead,
  log
};
inline constexpr std::size_t probe_slice_count = 11;
[[nodiscard]] const char* probe_slice_name(probe_slice value) noexcept;  ///< "summary", "launches", …
// end of enum probe_slice
[[nodiscard]] std::optional<probe_slice> probe_slice_of(std::string_view name) noexcept;

/// What to look at.
struct probe_query {
  probe_slice slice = probe_slice::summary;
  std::string launch;                        ///< number in the list of launches, or name of a record file; "" all
  std::string map;                           ///< name, or number in its file; "" all
  std::optional<std::uint64_t> block, lane;  ///< records only
  std::uint64_t limit = 0;                   ///< rows of each list; 0: all
  std::uint64_t skip = 0;                    ///< records only: rows to leave out before the first
  probe_tool assume = probe_tool::none;      ///< as probe_trace_options::assume
  std::uint32_t width = 16, height = 10;     ///< of the density's grid
};

/// A trace of a profile under a query. The map is the one that the query and the slice mean.
struct probe_target {
  std::size_t file = 0;                      ///< of the profile
  std::shared_ptr<const probe_trace> owned;  ///< when it was opened for the query
  const probe_trace* trace = nullptr;        ///< null: the profile has no Neutrino trace
  std::vector<std::size_t> launches;         ///< that the query keeps
  std::vector<std::size_t> bins;             ///< that the query keeps
  struct place {
    std::size_t bin = 0, map = 0;
  };
  std::vector<place> maps;  ///< that the query keeps and the slice can use
  std::string absent;       ///< why there is nothing, for slices of one map
};
/// Faults: invalid_argument for a launch or a map that is not there; those of opening the trace once more.
[[nodiscard]] result<probe_target> find_probe_target(const profile& p, const probe_query& query);

/// Writes one document, docs/schemas/neutrino.json. Slices of one map show the first of those that fit; `matches` says
/// how many do. Faults: those of find_probe_target() and of the sink; cancelled.
result<document_status> write_probe_document(const profile& p, const probe_query& query, sink& into,
                                             const hooks& host = {});

/// The rows of a slice as comma-separated values (RFC 4180) with a heading; schedule is a row a block, density a row a
/// cell. Not for the summary (invalid_argument). Absent: only the reason is given, nothing written.
struct probe_csv_outcome {
  document_status status = document_status::ok;
  std::string absent;
  std::uint64_t rows = 0;
};
result<probe_csv_outcome> write_probe_csv(const profile& p, const probe_query& query, sink& into,
                                          const hooks& host = {});

/// Which share of its slots a multiprocessor used in each of `columns` equal stretches of [zero, zero + length).
[[nodiscard]] std::vector<double> schedule_occupancy(const sm_schedule& sm, std::uint64_t zero, std::uint64_t length,
                                                     std::size_t columns);

/// A picture for a browser: the blocks on their multiprocessors, or the page references over time. Many blocks are
/// drawn as how full each stretch of time was.
result<void> write_schedule_svg(const block_schedule& found, std::string_view title, sink& into);
result<void> write_density_svg(const page_density& found, std::string_view title, sink& into);
/// The picture of a query for the slice schedule or density (invalid_argument for others); the grid of the density is
/// query.width by query.height. `title` "": the names of kernel, record file and map. Absent: nothing is written.
result<document_status> write_probe_svg(const profile& p, const probe_query& query, std::string_view title, sink& into,
                                        const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
