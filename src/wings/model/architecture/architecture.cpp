// The steps from kernels to a model, in order.
#include <model/architecture/checks.hpp>
#include <model/architecture/doubts.hpp>
#include <model/architecture/facts/model_facts.hpp>
#include <model/architecture/streams.hpp>
#include <model/architecture/substructure.hpp>
#include <model/architecture/summary.hpp>
#include <model/architecture/totals.hpp>
#include <trace/windows/windows.hpp>
#include <trace/input_texts.hpp>
#include <base/contained.hpp>
#include <base/thread_pool.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

const char* layer_role_title(layer_role r) noexcept {
  switch (r) {
    case layer_role::attention: return "Attention";
    case layer_role::projection: return "Attention projection";
    case layer_role::tp_comm: return "TP communication";
    case layer_role::norm: return "Norm";
    case layer_role::dense_ffn: return "Dense FFN";
    case layer_role::moe_routing: return "MoE routing";
    case layer_role::expert_dispatch: return "Expert dispatch";
    case layer_role::ep_comm: return "EP communication";
    case layer_role::expert_ffn: return "Expert FFN";
    case layer_role::post_ffn_norm: return "Post-FFN norm";
    case layer_role::next_layer_prep: return "Next-layer prep";
    case layer_role::output_head: return "Output head";
    case layer_role::sampling: return "Sampling";
    case layer_role::other: break;
  }
  return "Other ops";
}

const char* device_architecture::layer_word() const noexcept {
  return source == anchor_source::periodic_op || source == anchor_source::communication ? "part" : "layer";
}

std::string device_architecture::type_text(layer_kind kind, bool sampling) const {
  const bool open = experts_open && kind == layer_kind::dense;
  return std::string(layer_kind_name(kind)) + (open ? " or MoE" : "") + (sampling ? "+sampling" : "");
}

std::uint64_t device_architecture::complete_passes() const noexcept {
  return static_cast<std::uint64_t>(std::count_if(
      passes.begin(), passes.end(), [](const model_pass& p) { return p.cut == pass_cut::none && !p.irregular; }));
}

namespace architecture {
namespace {

void name_anchors(const activity& of, const device_kernels& kernels, const layer_anchors& anchors,
                  device_architecture& into) {
  constexpr std::size_t max_named = 4;
  std::vector<string_id> types;
  for (const std::uint32_t op : anchors.ops)
    if (std::find(types.begin(), types.end(), kernels.ops[op].type) == types.end())
      types.push_back(kernels.ops[op].type);
  for (std::size_t i = 0; i < types.size() && i < max_named; ++i)
    into.anchor += (i == 0 ? "" : ", ") + std::string(of.text(types[i]));
  if (types.size() > max_named) into.anchor += ", and " + std::to_string(types.size() - max_named) + " more";
  into.anchor_family = anchors.family;
}

void count_windows(const bubbles::device_windows& windows, device_architecture& into) {
  into.step_source = windows.source;
  into.steps = windows.windows.size() == 1 && windows.windows.front().pseudo ? 0 : windows.windows.size();
  into.steps += windows.steps_left_out;
}

void name_steps(const activity& of, const bubbles::device_windows& windows, const pass_cuts& cuts,
                device_architecture& into) {
  for (std::size_t i = 0; i < cuts.passes.size(); ++i) {
    if (cuts.passes[i].window < 0) continue;
    const bubbles::step_window& w = windows.windows[static_cast<std::size_t>(cuts.passes[i].window)];
    into.passes[i].step = w.number >= 0 ? std::to_string(w.number) : std::string(of.text(w.name));
  }
}

// `losses`: what of the inputs was passed over, a limitation of every device.
result<device_architecture> look_at_device(const activity& of, std::size_t device, std::string_view label,
                                           const std::vector<std::string>& losses, const bubbles::host_steps& steps,
                                           const hooks& host) {
  device_architecture d;
  d.device = static_cast<std::uint32_t>(device);
  d.limitations = losses;
  if (of.devices()[device].kernels == 0 && !of.devices()[device].totals.empty()) {
    const device_kernels totals = collect_totals(of, device);
    d.kernels = totals.all;
    d.op_counts = totals.counts;
    read_totals(of, totals, label, d);
    return d;
  }
  auto windows = bubbles::find_windows(of, device, steps, host);
  if (!windows) return std::move(windows).error();
  auto kernels = collect_kernels(of, device, host);
  if (!kernels) return std::move(kernels).error();
  d.kernels = kernels->all;
  d.duplicates = kernels->duplicates;
  d.left_out = kernels->left_out;
  d.first_ps = kernels->first_ps;
  d.last_ps = kernels->last_ps;
  d.op_counts = kernels->counts;
  count_windows(*windows, d);
  layer_anchors anchors = find_anchors(*kernels);
  pass_cuts cuts = cut_passes(*kernels, anchors, *windows);
  constexpr std::uint32_t min_blocks = 3;  // what comes back once or twice a pass parts nothing
  if (anchors.source != anchor_source::attention && cuts.layers < min_blocks) {
    anchors = {};
    cuts = {};
  }
  d.source = anchors.source;
  d.anchors = anchors.rows.size();
  d.backward_anchors = anchors.backward;
  name_anchors(of, *kernels, anchors, d);
  const anchor_phases phases = find_phases(of, device, *kernels, anchors);
  d.phase_source = phases.source;
  d.pass_source = cuts.source;
  d.layers_per_pass = cuts.layers;
  for (const model_phase p : phases.rule) {
    if (p == model_phase::prefill) ++d.rule_prefill;
    if (p == model_phase::decode) ++d.rule_decode;
  }
  const std::vector<kind_counts> counts = fill_layers(*kernels, anchors, phases, cuts, d);
  name_steps(of, *windows, cuts, d);
  cross_check_layers(anchors, cuts, counts, d);
  find_anatomies(of, *kernels, d);
  find_streams(of, *kernels, d);
  sum_up(of, *kernels, anchors, cuts, phases, label, d);
  return d;
}

std::string why_absent(const activity& of, const architecture_result& r) {
  if (std::any_of(r.devices.begin(), r.devices.end(), [](const auto& d) { return d.kernels > 0; })) return "";
  return why_no_kernels(of);
}

// Layers that attention marks count before any others.
bool shows_more(const device_architecture& a, const device_architecture& b) {
  const bool a_attends = a.source == anchor_source::attention, b_attends = b.source == anchor_source::attention;
  if (a_attends != b_attends) return a_attends;
  if (a.layers.size() != b.layers.size()) return a.layers.size() > b.layers.size();
  return a.layers.empty() && a.kernels > b.kernels;
}

result<architecture_result> look_at_all(const activity& of, const profile* files, const architecture_options& o, std::string_view label,
                                        const hooks& host) {
  return contained([&]() -> result<architecture_result> {
    architecture_result r;
    std::vector<std::string> losses;
    list_losses(of, losses);
    const bubbles::host_steps steps(of, window_policy::whole);
    auto devices = map_items<device_architecture>(of.devices().size(), host, [&](std::size_t device) {
      return architecture::look_at_device(of, device, label, losses, steps, host);
    });
    if (!devices) return std::move(devices).error();
    r.devices = std::move(*devices);
    for (std::uint32_t i = 1; i < r.devices.size(); ++i)
      if (architecture::shows_more(r.devices[i], r.devices[r.reported])) r.reported = i;
    r.absent = architecture::why_absent(of, r);
    if (!o.facts) {
      r.summary = architecture::summary_of(of, r);
      return r;
    }
    auto facts = architecture::find_facts(of, files, r, host);
    if (!facts) return std::move(facts).error();
    r.facts = std::move(*facts);
    if (!r.devices.empty()) architecture::hold_against_facts(r.facts, r.devices[r.reported]);
    r.summary = architecture::summary_of(of, r);
    // Operators and programs of a host say which model ran, too.
    static constexpr std::string_view of_models[] = {"layers", "hidden_size", "attention_heads", "family", "model_class", "encoder_layers"};
    const auto says = [](const model_fact& f) { return std::find(std::begin(of_models), std::end(of_models), f.name) != std::end(of_models); };
    if (std::any_of(r.facts.begin(), r.facts.end(), says)) r.absent.clear();
    return r;
  });
}

}  // namespace
}  // namespace architecture

result<architecture_result> find_architecture(const activity& of, const architecture_options& o, std::string_view label,
                                              const hooks& host) {
  return architecture::look_at_all(of, nullptr, o, label, host);
}

result<std::optional<architecture_result>> find_model(const activity& of, std::string_view label, const hooks& host) {
  constexpr std::uint64_t max_kernels = 2'000'000;
  std::uint64_t kernels = 0;
  for (const activity_device& d : of.devices()) kernels = std::max(kernels, kernels + d.kernels);
  if (kernels == 0 || kernels > max_kernels) return std::optional<architecture_result>();
  architecture_options o;
  o.facts = false;
  auto found = find_architecture(of, o, label, host);
  if (!found) return std::move(found).error();
  if (found->devices[found->reported].source != anchor_source::attention)
    return std::optional<architecture_result>();
  return std::make_optional(std::move(found).value());
}

std::string profile_label(std::string_view path) {
  const auto is_slash = [](char c) { return c == '/' || c == '\\'; };
  const auto cut = [&] {
    while (!path.empty() && is_slash(path.back())) path.remove_suffix(1);
  };
  const auto last = [&] {
    const auto slash = path.find_last_of("/\\");
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
  };
  cut();
  if (last() == "ASCEND_PROFILER_OUTPUT" && path.size() > last().size()) {
    path.remove_suffix(last().size());
    cut();
  }
  std::string_view name = last();
  for (const std::string_view ending : {".gz", ".json", ".pb", ".xplane", ".csv", ".pt.trace", ".trace"})
    if (name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending)
      name.remove_suffix(ending.size());
  return name.empty() || name == "-" || name == "." || name == ".." ? "capture" : std::string(name);
}

const layer_anatomy* device_architecture::costliest() const noexcept {
  const layer_anatomy* found = nullptr;
  std::int64_t most = -1;
  for (const layer_anatomy& a : anatomies) {
    const std::int64_t time = saturating_mul(a.wall_ps.median, static_cast<std::int64_t>(a.layers));
    if (a.tree.empty() || time <= most) continue;
    found = &a;
    most = time;
  }
  return found;
}

std::string architecture_file_name(const architecture_report& found) {
  return "model_architecture_report_" + found.label + ".md";
}

result<architecture_report> analyse_architecture(const trace& t, const architecture_options& o,
                                                 const hooks& host) {
  return contained([&]() -> result<architecture_report> {
    const std::string label = profile_label(t.files().what().path);
    activity_options what;
    what.device = o.device;
    what.step_pattern = o.step_pattern;
    what.operators = true;
    auto read = t.some_activity(what, host);
    if (!read) return std::move(read).error();
    auto found = architecture::look_at_all(**read, &t.files(), o, label, host);
    if (!found) return std::move(found).error();
    return architecture_report{std::move(*read), std::move(*found), label};
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
