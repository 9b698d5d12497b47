// Kernels on record that last longer than their stream allows. A stream of a GPU or NPU runs its kernels one after the
// other, so one that lasts far over the starts of later ones has a false duration.
#pragma once
#include <profkit/core/activity.hpp>

#include <base/stream_overlap.hpp>
#include <base/string_table.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct stream_overruns {
  std::uint64_t kernels = 0;    // that were cut at the start of the next one
  std::int64_t longest_cut_ps = 0;
  string_id longest_name = 0;
};

// The launch of a kernel that nothing ties to one.
inline constexpr std::uint64_t no_launch_id = ~std::uint64_t{0};

// Cuts what lasts too long at the start of the next kernel of its stream, and marks it with kernel_cut. Kernels of one launch
// (the nodes of a graph) may overlap: those with the same id in `launch_ids`, which has one a row, or is empty. Rows without
// a stream are left alone, and so are the streams in `shared_streams` (by position). Copies are cut as kernels are.
stream_overruns cut_overruns(std::vector<kernel_row>& rows, const std::vector<std::uint64_t>& launch_ids,
                             const std::vector<bool>& shared_streams);

// What `input` says of it; nothing when nothing was cut.
void note_overruns(const stream_overruns& found, const string_table& names, activity_input& input);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
