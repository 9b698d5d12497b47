// A merged trace JSON: the events of each node together, each event as it was but for its time, its process and what joins it to others.
#pragma once
#include "alignment.hpp"
#include "line_survey.hpp"

#include <profkit/core/merge.hpp>
#include <profkit/core/sink.hpp>

#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// How the times of a trace JSON become corrected ones: ps since zero of its times.
[[nodiscard]] line_correction correction_of_json(const aligned_trace& t, std::int64_t base_ns) noexcept;

// Writes all of it, reading the traces once more, and adds to `made` what became of each event. Gives the number of bytes. Needs
// memory for a few events, whatever the size of the traces.
result<std::uint64_t> write_merged_json(const merge_options& o, const alignment& all, std::int64_t zero_ps, merge_result& made,
                                        sink& into, const hooks& host);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
