// Each trace of a merge with its clock: opened, cross-checked, ready to be read twice.
#pragma once
#include "inputs.hpp"
#include "json_survey.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// merged_node::method of snapshots and offsets.
inline constexpr std::string_view measured_method = "snapshots";
// merged_node::method of offsets alone, of a trace that has one clock for its host and its devices.
inline constexpr std::string_view offsets_method = "offsets";

// One trace, opened.
struct aligned_trace {
  trace_input input;
  std::unique_ptr<source> mapped;  // null when the bytes had to be held
  held_bytes held;
  std::string_view bytes;  // up to the first damage
  trace_clocks clocks;
  std::optional<json_survey> json;  // what a trace JSON holds; it has no bytes here

  merged_node report;                  // of a trace of one node
  std::vector<clock_metadata> before;  // of a merged trace: its nodes
  bool usable = false;                 // false: missing, or nothing of it can be read

  std::optional<node_clock> clock;           // status corrected
  const given_clock* given = nullptr;        // what `clock` was made of, instead of measurements
  bool has_one_clock = false;                 // device lines count like those of the host
  node_start start;
  std::optional<std::int64_t> file_start_ns;  // what line times below 1e17 count from, Unix ns

  // Notes why not all of the trace is merged, the first reason.
  void lose(const fault& why) {
    const std::string node = "node " + std::to_string(input.node_id) + ": ";
    if (!report.incomplete.empty() || why.code == fault_code::cancelled) return;
    report.incomplete = why.message.compare(0, node.size(), node) == 0 ? why.message.substr(node.size()) : why.message;
  }

  void forget(std::string_view part) const noexcept {
    if (mapped) mapped->forget(part);
  }
};

struct alignment {
  std::vector<aligned_trace> traces;
  std::string run_id;
  std::int64_t reference_node = 0;
  std::int64_t base_ns = 0;  // Unix ns of corrected zero
  std::vector<std::string> warnings;
};

// What a merged trace says of what was lost of it, a text a node.
[[nodiscard]] std::vector<std::string> losses_of(const aligned_trace& t);

result<alignment> align_traces(const merge_options& o, const hooks& host);

// The Unix ns that stands for `timestamp_ns` of a line: itself, or counted from the start of the file.
inline constexpr std::int64_t min_absolute_ns = 100'000'000'000'000'000;

[[nodiscard]] std::string fault_text(const fault& f);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
