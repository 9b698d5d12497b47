// Which files a merge reads, and which node each of them is.
#pragma once
#include <profkit/core/capture.hpp>
#include <profkit/core/merge.hpp>
#include <profkit/core/profile.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct trace_input {
  std::string path, snapshots;
  std::int64_t node_id = 0;
  std::string named;  // the folder that stands for it; "": it was named itself
  bool is_json = false;              // trace events, of PyTorch or Ascend
  std::string hostname;              // that the name of the file says
  std::optional<std::int64_t> rank;  // of its run, where it is known without reading the events
  std::shared_ptr<const profile> opened;  // whose file it is, instead of one under its path; null: it is read from there
  std::size_t file = 0;
  std::string given_host;  // its machine, as given when it was opened
};

struct merge_inputs {
  std::vector<trace_input> traces;  // in the order of the output
  std::string offsets;
  std::optional<run_metadata> run;
  std::string run_path;
  std::vector<std::string> warnings;
};

// Finds files, reads the run metadata, and gives every trace a node id: from the metadata, else from the digits after
// the last "node" in its name, else by its place in the list.
result<merge_inputs> resolve_inputs(const merge_options& o, const hooks& host);

// What a trace is, by its name and contents; unknown for anything but a regular file.
[[nodiscard]] file_family family_of(const trace_input& trace);
// Its bytes. Of a file of an open capture those that were intact: its damage is that of the capture.
result<std::unique_ptr<source>> open_trace(const trace_input& trace, const merge_options& o);
// Why trace JSON cannot be merged into an XSpace.
[[nodiscard]] fault no_xspace_but_chrome_traces(std::string path);

// All decoded bytes of a small file.
result<held_bytes> read_whole(const std::string& path, const merge_options& o, const hooks& host);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
