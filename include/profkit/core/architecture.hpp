// What model ran: passes, layers and their parts, read from the kernels of one device.
//
// Attention kernels mark the layers; steps, sampling and embedding kernels mark the passes. Where a capture has no
// attention kernel, something that comes back evenly stands in for it, and the confidence says so. A layer reaches
// from its attention kernel to the next one's, so it holds the norm, the projections and the cache writes of the layer
// after it. Times are int64 ps relative to the capture origin; names are ids of the activity's string table.
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/export.hpp>
#include <profkit/core/facts.hpp>
#include <profkit/core/finding.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/sink.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// The version of the table of kernel names (src/core/base/kernel_families.inc).
[[nodiscard]] int kernel_families_version() noexcept;

struct architecture_options {
  std::string device, step_pattern;  ///< see activity_options
  std::uint64_t limit = 0;           ///< rows of each list of the document; 0: all
  bool facts = true;                 ///< look for facts of the model, too, which reads all spans of its host once
  bool facts_only = false;           ///< of the document
};

// ---- words -----------------------------------------------------------------------------------------------

// enum model_phase: written by scripts/generate
/// What a pass or a layer works on. `training`: the capture has backward attention, so that neither word fits.
enum class model_phase : std::uint8_t { prefill, decode, training, undetermined };
[[nodiscard]] const char* model_phase_name(model_phase value) noexcept;  ///< "prefill", "decode", …
// end of enum model_phase

// enum layer_kind: written by scripts/generate
/// By the kernels of a layer: a fused dispatch, FFN and combine; grouped matmuls with an all-to-all; a distributed
/// dispatch and combine; another mixture of experts; none of them.
enum class layer_kind : std::uint8_t { dense, moe_fused, moe_grouped, moe_distributed, moe_other };
inline constexpr std::size_t layer_kind_count = 5;
[[nodiscard]] const char* layer_kind_name(layer_kind value) noexcept;  ///< "Dense", "MoE+DFC", …
// end of enum layer_kind

// enum layer_role: written by scripts/generate
/// What a kernel does in its layer.
enum class layer_role : std::uint8_t {
  attention,
  projection,
  tp_comm,
  norm,
  dense_ffn,
  moe_routing,
  expert_dispatch,
  ep_comm,
  expert_ffn,
  post_ffn_norm,
  next_layer_prep,
  output_head,
  sampling,
  other
};
inline constexpr std::size_t layer_role_count = 14;
[[nodiscard]] const char* layer_role_name(layer_role value) noexcept;  ///< "attention", "projection", …
// end of enum layer_role
[[nodiscard]] const char* layer_role_title(layer_role r) noexcept;  ///< "Attention", "TP communication", …

// enum anchor_source: written by scripts/generate
/// What marks the layers, best first.
enum class anchor_source : std::uint8_t { attention, periodic_op, communication, none };
[[nodiscard]] const char* anchor_source_name(anchor_source value) noexcept;  ///< "attention", "periodic_op", …
// end of enum anchor_source

// enum check_outcome: written by scripts/generate
enum class check_outcome : std::uint8_t { pass, explained, fail };
[[nodiscard]] const char* check_outcome_name(check_outcome value) noexcept;  ///< "pass", "explained", …
// end of enum check_outcome

// ---- what was found --------------------------------------------------------------------------------------

struct model_layer {
  std::uint32_t pass = 0;   ///< index into device_architecture::passes
  std::uint32_t index = 0;  ///< in the pass; where the beginning of a pass is missing, counted from its end
  layer_kind kind = layer_kind::dense;
  bool sampling = false;  ///< tokens are chosen after it
  model_phase phase = model_phase::undetermined;
  model_phase rule_phase = model_phase::undetermined;  ///< by the length of its attention kernel alone
  string_id anchor = 0;                                ///< op type of the kernel that it begins with
  std::int64_t start_ps = 0, end_ps = 0;               ///< to the next layer; the last one to the end of its pass
  std::int64_t anchor_ps = 0;                          ///< length of that kernel
  std::int64_t kernel_sum_ps = 0;
  std::int64_t compute_ps = 0;   ///< kernel sum of compute after the anchor
  std::int64_t comm_ps = 0;      ///< kernel sum of communication
  std::int64_t dispatch_ps = 0;  ///< kernel sum of fused expert kernels
  std::uint64_t kernels = 0;
  std::uint64_t aicpu_kernels = 0;
  std::uint64_t first_row = 0;  ///< of the device's kernels without duplicates, in the order of their starts
  [[nodiscard]] std::int64_t wall_ps() const noexcept { return end_ps - start_ps; }
};

// enum pass_cut: written by scripts/generate
/// Which end of a pass lies outside of the capture.
enum class pass_cut : std::uint8_t { none, beginning, end };
[[nodiscard]] const char* pass_cut_name(pass_cut value) noexcept;  ///< "none", "beginning", …
// end of enum pass_cut

struct model_pass {
  model_phase phase = model_phase::undetermined;
  pass_cut cut = pass_cut::none;
  bool irregular = false;                         ///< not cut, and yet of another number of layers than most
  std::uint32_t first_layer = 0, last_layer = 0;  ///< positions in device_architecture::layers
  std::int64_t start_ps = 0, end_ps = 0;          ///< first kernel to the end of the last
  std::uint64_t kernels = 0, prologue_kernels = 0;
  std::int64_t kernel_sum_ps = 0, busy_ps = 0;
  std::int64_t anchor_ps = 0;  ///< mean length of the anchors of its own phase
  std::uint32_t layout = 0;    ///< index into device_architecture::layouts
  std::string step;            ///< of a marker; "" none
  [[nodiscard]] std::uint32_t layers() const noexcept { return last_layer - first_layer + 1; }
  [[nodiscard]] std::int64_t wall_ps() const noexcept { return end_ps - start_ps; }
};

struct layer_range {
  std::uint32_t first = 0, last = 0;  ///< layer indices in the pass
};
/// Layers of one type in the passes that share an order of types.
struct layer_type {
  layer_kind kind = layer_kind::dense;
  bool sampling = false;
  model_phase phase = model_phase::undetermined;
  std::uint32_t layout = 0;
  std::vector<layer_range> ranges;
  std::uint32_t count = 0;        ///< in one pass
  std::uint64_t occurrences = 0;  ///< in all passes of the layout
};
/// An order of layer types, and the passes that have it.
struct layer_layout {
  model_phase phase = model_phase::undetermined;
  std::uint32_t layers = 0, first_pass = 0;
  std::uint64_t passes = 0;
  bool cut = false;  ///< only seen in passes that the capture cuts
};

struct cross_check {
  std::string name;
  std::int64_t expected = 0, actual = 0;
  check_outcome result = check_outcome::pass;
  std::string note;
};

/// One part of a layer: all of its kernels of a role.
struct layer_component {
  layer_role role = layer_role::other;
  std::int64_t wall_ps = 0;  ///< their union; parts may overlap each other
  std::int64_t kernel_sum_ps = 0;
  std::uint64_t kernels = 0;
  /// Of the kernels whose operators have shapes on record, from which follows what they did.
  std::int64_t flops = 0, bytes = 0, worked_ps = 0;
  std::vector<std::uint32_t> lanes;  ///< indices into device_architecture::streams
};
struct tree_op {
  string_id op = 0;
  std::uint64_t count = 0;
  std::int64_t duration_ps = 0;
};
/// A run of kernels of one role on one stream.
struct tree_node {
  layer_role role = layer_role::other;
  std::uint32_t lane = 0;
  bool side = false;               ///< not on the stream of the anchor
  std::int64_t wall_ps = 0;        ///< union of its kernels
  std::int64_t overlapped_ps = 0;  ///< of that, beside kernels of other streams
  std::vector<tree_op> ops;
};
struct value_spread {
  std::int64_t least = 0, median = 0, most = 0;
  double variation = 0;  ///< standard deviation / mean
};
/// How layers of one type run, shown on the one of median length.
struct layer_anatomy {
  layer_kind kind = layer_kind::dense;
  bool sampling = false;
  model_phase phase = model_phase::undetermined;
  std::uint64_t layers = 0;                 ///< that the spreads are over
  std::uint32_t typical = 0;                ///< position in device_architecture::layers
  std::uint64_t kernels = 0;                ///< of the typical layer
  std::vector<layer_component> components;  ///< longest first
  std::vector<tree_node> tree;              ///< the anchor first
  std::uint64_t tree_left_out = 0;          ///< kernels that are not in it
  value_spread wall_ps, anchor_ps, dispatch_ps, compute_ps, kernel_count;
  std::vector<std::string> anomalies;
};

struct stream_overlap {
  std::uint32_t lane = 0;
  std::int64_t ps = 0;
};
/// A stream of the device. Collectives that name none share one.
struct model_stream {
  std::string name;       ///< "2", "collectives (no stream)"
  const char* role = "";  ///< "main compute", "AI CPU", "collectives", "all-to-all", "copy", "side compute"
  std::uint64_t kernels = 0;
  std::int64_t busy_ps = 0, compute_ps = 0, comm_ps = 0;  ///< the latter two are kernel sums
  std::vector<stream_overlap> overlaps;                   ///< time that both are busy
};
struct lane_kernel {
  std::uint32_t lane = 0;
  layer_role role = layer_role::other;
  std::int64_t start_ps = 0, duration_ps = 0;
};
/// How much of the communication compute hides.
struct model_pipeline {
  std::int64_t wall_ps = 0, busy_ps = 0, kernel_sum_ps = 0;
  std::int64_t compute_ps = 0, comm_ps = 0, comm_sum_ps = 0;  ///< unions; comm_sum_ps is a kernel sum
  std::int64_t hidden_ps = 0;                                 ///< both at once
  std::uint32_t first_layer = 0, last_layer = 0;              ///< positions of the layers in `sample`
  std::int64_t sample_start_ps = 0, sample_end_ps = 0;
  std::vector<lane_kernel> sample;  ///< kernels of at most two adjacent layers
};

struct evidence_row {
  std::string what, value, meaning;
};

/// What one device ran.
struct device_architecture {
  std::uint32_t device = 0;                                 ///< index into activity::devices()
  std::uint64_t kernels = 0, duplicates = 0, left_out = 0;  ///< left_out: beyond what is held at once
  std::int64_t first_ps = 0, last_ps = 0;
  [[nodiscard]] std::int64_t span_ps() const noexcept { return last_ps - first_ps; }
  std::size_t steps = 0;
  const char* step_source = "none";
  anchor_source source = anchor_source::none;
  std::string anchor;         ///< op types, "FusedInferAttentionScore"
  std::string anchor_family;  ///< of the table of names
  std::uint64_t anchors = 0, backward_anchors = 0;
  std::uint64_t rule_prefill = 0, rule_decode = 0;  ///< of the anchors, by their length
  const char* phase_source = "";                    ///< "names", "shapes", "durations", "clusters", "backward", ""
  const char* pass_source = "";                     ///< "steps", "sampling", "embedding", …, "" one pass
  std::uint32_t layers_per_pass = 0;                ///< 0: not known
  std::vector<model_pass> passes;
  std::vector<model_layer> layers;
  std::vector<layer_layout> layouts;
  std::vector<layer_type> types;
  std::vector<cross_check> checks;
  std::vector<layer_anatomy> anatomies;
  /// Of the type whose layers take most of the time, and have parts; null: of none.
  [[nodiscard]] const layer_anatomy* costliest() const noexcept;
  std::vector<model_stream> streams;
  model_pipeline pipeline;
  std::map<std::string, std::uint64_t> op_counts;  ///< by op type, duplicates among them
  std::vector<std::string> parallelism;            ///< what is known of it, a sentence each
  std::vector<evidence_row> evidence;
  std::vector<std::string> limitations;
  confidence sure = confidence::low;
  bool experts_open = false;        ///< whether layers without known kernels of experts have experts all the same is not known
  std::string layers_of_the_model;  ///< "modules show 12 layers", where the facts count others than the kernels; else ""
  /// No table says when kernels ran. Then only op_counts, the number of anchors and what follows from them are known
  /// (layers_per_pass, types with their occurrences in all passes and no ranges, checks). There are no passes and no
  /// layers.
  bool totals_only = false;
  std::uint64_t counted_passes = 0;  ///< totals_only: by kernels that stand once in each pass; 0: not known
  [[nodiscard]] std::uint64_t complete_passes() const noexcept;
  /// "layer" where attention kernels mark them; "part" where something repeats and nothing says what it
  /// is.
  [[nodiscard]] const char* layer_word() const noexcept;
  /// A type for people: "MoE+GMM+sampling"; "Dense or MoE" where experts_open leaves it so.
  [[nodiscard]] std::string type_text(layer_kind kind, bool sampling = false) const;
};

struct architecture_result {
  std::vector<device_architecture> devices;  ///< as activity::devices()
  std::uint32_t reported = 0;                ///< of them: the one with most layers, the first of equals
  std::string absent;                        ///< why there is nothing to look at
  std::string summary;                       ///< one sentence
  std::vector<model_fact> facts;             ///< of the reported device and its host, in the order in which a card shows them
};

/// Looks at every device. Pure: reads nothing but the activity. Faults: cancelled, out_of_memory, and what a visit of
/// the activity gives. `label`: the folder's name, which may name the parallelism (dp2_tp8_ep).
result<architecture_result> find_architecture(const activity& of, const architecture_options& o = {},
                                              std::string_view label = {}, const hooks& host = {});

/// What a report on everything else says of the model: nothing where attention marks no layers, or where there are so
/// many kernels that looking at them again would take as long as the rest. Else as find_architecture.
result<std::optional<architecture_result>> find_model(const activity& of, std::string_view label = {},
                                                      const hooks& host = {});

/// An activity and what was found in it.
struct architecture_report {
  std::shared_ptr<const activity> of;
  architecture_result found;
  std::string label;  ///< the profile's folder or file, without a path
};
/// Reads the activity of a profile, which it keeps, and looks at it.
result<architecture_report> analyse_architecture(const trace& t, const architecture_options& o = {},
                                                 const hooks& host = {});
/// The name that stands for a profile: its last folder, or file name without its endings; the parent of
/// ASCEND_PROFILER_OUTPUT.
[[nodiscard]] std::string profile_label(std::string_view path);
/// "model_architecture_report_<label>.md".
[[nodiscard]] std::string architecture_file_name(const architecture_report& found);

/// The document `architecture` (docs/schemas/architecture.json).
result<document_status> write_architecture_document(const profile& p, const architecture_options& o,
                                                    const architecture_report& found, sink& into);
/// The report for people: ten sections of Markdown (docs/architecture-report.md). Does not finish the sink.
result<void> write_architecture_markdown(const architecture_report& found, sink& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
