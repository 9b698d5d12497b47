#include <model/architecture/doubts.hpp>

#include <base/format.hpp>
#include <base/list_text.hpp>
#include <model/architecture/parallelism.hpp>
#include <model/architecture/summary.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

std::string layers_text(const device_architecture& of, std::uint64_t n) {
  const std::string word = of.layer_word();
  return counted(n, word.c_str(), (word + 's').c_str());
}
std::string passes_text(std::uint64_t n) { return counted(n, "pass", "passes"); }

std::string share(std::int64_t part, std::int64_t whole) {
  return part < 0 || whole <= 0 ? "-"
                                : percent_text(static_cast<std::uint64_t>(part), static_cast<std::uint64_t>(whole));
}

class summariser {
 public:
  summariser(const activity& of, const device_kernels& kernels, const layer_anchors& anchors, const pass_cuts& cuts,
             const anchor_phases& phases, device_architecture& into)
      : of_(of),
        kernels_(kernels),
        anchors_(anchors),
        cuts_(cuts),
        phases_(phases),
        d_(into),
        on_(of.devices()[into.device]) {}

  void find_limitations() {
    const auto add = [&](std::string text) { d_.limitations.push_back(std::move(text)); };
    if (d_.kernels == 0) return add("the device has no kernel");
    if (d_.source == anchor_source::none)
      return add("no attention kernel is known by name, and no kernel recurs evenly: layers are not known");
    if (d_.source == anchor_source::periodic_op)
      add("no attention kernel is known by name: what recurs evenly (" + d_.anchor +
          ") stands in for it. The parts may be layers, pieces of layers or something else");
    if (d_.source == anchor_source::communication)
      add("no attention kernel is known by name: evenly spaced communication (" + d_.anchor +
          ") stands in for it. The parts may be layers or something else");
    std::vector<std::string> others;
    for (const auto& [family, kernels] : anchors_.other_mixers) others.push_back(grouped(kernels) + " kernels of " + family);
    if (!others.empty())
      add(list_text(others) +
          " run among the anchors: a model with several kinds of attention has more layers than are counted, one with "
          "two attention kernels a layer has as many");
    const std::uint64_t whole = d_.complete_passes();
    if (d_.passes.size() == 1 && !cuts_.bounded)
      add("nothing marks where a pass begins or ends: the " + layers_text(d_, d_.layers.size()) +
          " may be of several passes or of a part of one");
    else if (whole == 1)
      add("only one whole pass: passes cannot be compared with each other");
    for (std::size_t i = 0; i < d_.passes.size(); ++i) {
      const model_pass& p = d_.passes[i];
      if (p.cut == pass_cut::beginning)
        add("the capture begins inside of pass " + std::to_string(i) + ": " + std::to_string(p.layers()) + " of " +
            layers_text(d_, d_.layers_per_pass) + " are in it, counted from its end");
      if (p.cut == pass_cut::end)
        add("the capture ends inside of pass " + std::to_string(i) + ": " + std::to_string(p.layers()) + " of " +
            layers_text(d_, d_.layers_per_pass) + " are in it, and the last of them may be cut");
    }
    const auto irregular =
        std::count_if(d_.passes.begin(), d_.passes.end(), [](const model_pass& p) { return p.irregular; });
    if (irregular > 0)
      add(passes_text(static_cast<std::uint64_t>(irregular)) + " of " + std::to_string(d_.passes.size()) +
          (irregular == 1 ? " has" : " have") + " another number of " + d_.layer_word() + "s than " + std::to_string(d_.layers_per_pass));
    if (runs_again())
      add("there are twice as many forward as backward attention kernels: activations are computed again, and the "
          "model "
          "probably has half as many layers as are counted");
    if (thin_layers())
      add("most " + std::string(d_.layer_word()) +
          "s hold fewer than 3 kernels: the capture does not list all that ran, or its anchors are no layers");
    for (std::string& doubt : find_doubts(of_, kernels_, phases_, d_)) {
      add(std::move(doubt));
      doubtful_ = true;
    }
    find_changes();
    if (count_of(op_kind::point_to_point) > 0 && d_.source == anchor_source::attention)
      add("the device sends to and receives from others during the pass: with pipeline parallelism its layers are "
          "those "
          "of its stages, and a step of several micro-batches runs them more than once");
    if (d_.backward_anchors > 0)
      add("a training capture: layers are those of the forward pass, and the last one reaches to the end of its pass, "
          "with "
          "loss, backward pass and optimiser in it");
    if (d_.source == anchor_source::attention && d_.phase_source[0] == '\0')
      add("neither names, shapes nor lengths of the attention kernels separate prefill from decode");
    else if (std::string_view(d_.phase_source) == "clusters")
      add("prefill and decode are separated only by two groups of attention durations");
    if (d_.backward_anchors == 0 && d_.phase_source[0] != '\0' && count_phase(model_phase::decode) == 0)
      add("no decode pass in this capture");
    if (d_.backward_anchors == 0 && d_.phase_source[0] != '\0' && count_phase(model_phase::prefill) == 0)
      add("no prefill pass in this capture");
    if (!on_.has_shapes && on_.type == accelerator::npu)
      add("no shapes were recorded: phases are not read from token counts");
    if (!on_.has_classes) add("the table names no execution units: what a kernel runs on is guessed from its name");
    if (d_.streams.size() == 1 && kernels_.lanes.front().stream < 0)
      add("the capture names no streams: what runs side by side is known by its times alone");
    if (std::string_view(d_.step_source) == "none") add("no step markers");
    if (of_.communication().empty() && on_.type == accelerator::npu)
      add("no communication.json: no bandwidth of communication");
    if (d_.left_out > 0)
      add(grouped(d_.left_out) + " kernels after the first " + grouped(std::uint64_t{kernels_.rows.size()}) +
          " were not read");
  }

  void judge() {
    confidence most = confidence::high;
    const auto at_most = [&](confidence c) { most = std::min(most, c); };
    if (d_.source != anchor_source::attention) at_most(confidence::low);
    const std::uint64_t whole = d_.complete_passes();
    if (whole == 0) at_most(confidence::low);
    if (whole == 1) at_most(cuts_.bounded || d_.passes.size() > 1 ? confidence::medium : confidence::low);
    const std::string_view source = d_.pass_source;
    if (source == "pauses" || source == "order of layers") at_most(confidence::medium);
    if (std::any_of(d_.passes.begin(), d_.passes.end(), [](const model_pass& p) { return p.irregular; }))
      at_most(confidence::medium);
    for (const cross_check& c : d_.checks)
      if (c.result == check_outcome::fail) at_most(confidence::low);
    if (!anchors_.other_mixers.empty() || count_of(op_kind::point_to_point) > 0 || d_.left_out > 0)
      at_most(confidence::medium);
    if (thin_layers() || runs_again() || doubtful_) at_most(confidence::low);
    d_.sure = most;
  }

  void find_evidence() {
    const auto add = [&](std::string what, std::string value, std::string meaning) {
      d_.evidence.push_back({std::move(what), std::move(value), std::move(meaning)});
    };
    if (d_.source == anchor_source::none) return;
    const bool attention = d_.source == anchor_source::attention;
    add(attention ? "Attention kernels" : "Anchors", counted(d_.anchors, "kernel", "kernels"),
        (attention ? "each begins a layer: " : "each begins a part: ") + d_.anchor);
    if (d_.backward_anchors > 0)
      add("Backward attention", counted(d_.backward_anchors, "kernel", "kernels"), "a training step");
    if (d_.phase_source[0] != '\0' && d_.backward_anchors == 0) {
      add("Prefill attention", counted(count_phase(model_phase::prefill), "kernel", "kernels"), by_phase_source());
      add("Decode attention", counted(count_phase(model_phase::decode), "kernel", "kernels"), by_phase_source());
    }
    if (attention && d_.backward_anchors == 0)
      add("By length alone", grouped(d_.rule_prefill) + " above 10 ms, " + grouped(d_.rule_decode) + " below 1 ms",
          std::string_view(d_.phase_source) != "durations" ? "for comparison: phases are not taken from it"
          : d_.rule_prefill + d_.rule_decode == d_.anchors
              ? "every attention kernel is decided by the rule"
              : "the rule leaves " + grouped(d_.anchors - d_.rule_prefill - d_.rule_decode) + " open");
    if (d_.steps > 0) add("Steps", counted(d_.steps, "step", "steps"), "from " + std::string(d_.step_source));
    add("Passes", passes_text(d_.passes.size()),
        d_.pass_source[0] != '\0' ? "cut by " + std::string(d_.pass_source)
        : cuts_.bounded           ? "one, marked at its beginning and its end"
                                  : "nothing cuts the anchors");
    add(std::string(attention ? "Layers" : "Parts") + " a pass", layers_text(d_, d_.layers_per_pass),
        grouped(d_.anchors) + " anchors in " + passes_text(d_.passes.size()) + ", " + grouped(d_.complete_passes()) +
            " of them whole");
    std::size_t transitions = 0;
    for (std::size_t i = 1; i < d_.passes.size(); ++i) {
      const model_pass &before = d_.passes[i - 1], &after = d_.passes[i];
      if (before.phase == after.phase || transitions++ >= 3) continue;
      add("Phase transition", "at " + human_duration(after.start_ps - d_.first_ps),
          std::string(model_phase_name(before.phase)) + " to " + model_phase_name(after.phase) + " with pass " +
              std::to_string(i) + ", after a pause of " +
              human_duration(std::max<std::int64_t>(after.start_ps - before.end_ps, 0)));
    }
    if (transitions > 3)
      add("Phase transitions", grouped(std::uint64_t{transitions}), "only the first three are listed");
    std::size_t fails = 0, explained = 0;
    for (const cross_check& c : d_.checks) {
      fails += c.result == check_outcome::fail ? 1 : 0;
      explained += c.result == check_outcome::explained ? 1 : 0;
    }
    if (!d_.checks.empty())
      add("Cross-checks", counted(d_.checks.size(), "check", "checks"),
          grouped(std::uint64_t{d_.checks.size() - fails - explained}) + " pass, " + grouped(std::uint64_t{explained}) +
              " explained, " + grouped(std::uint64_t{fails}) + " fail");
    add("Confidence", confidence_name(d_.sure), why_sure());
  }

 private:
  [[nodiscard]] std::uint64_t count_of(op_kind kind) const {
    std::uint64_t n = 0;
    for (const model_op& op : kernels_.ops)
      if (op.kind == kind) n += op.count;
    return n;
  }
  [[nodiscard]] std::uint64_t count_phase(model_phase p) const {
    return static_cast<std::uint64_t>(
        std::count_if(d_.layers.begin(), d_.layers.end(), [p](const model_layer& l) { return l.phase == p; }));
  }
  [[nodiscard]] bool runs_again() const { return d_.backward_anchors > 0 && d_.anchors == 2 * d_.backward_anchors; }
  [[nodiscard]] bool thin_layers() const {
    const auto thin =
        std::count_if(d_.layers.begin(), d_.layers.end(), [](const model_layer& l) { return l.kernels < 3; });
    return static_cast<std::size_t>(thin) * 2 > d_.layers.size();
  }
  [[nodiscard]] std::string by_phase_source() const {
    const std::string_view source = d_.phase_source;
    if (source == "shapes") return "by query tokens a sequence: more than 8 is prefill";
    if (source == "names") return "by the kernels' names";
    if (source == "durations") return "by length: no shapes";
    return "by two groups of lengths: weak";
  }
  [[nodiscard]] std::string why_sure() const {
    if (d_.source != anchor_source::attention) return "no attention kernel: that parts are layers is a guess";
    for (const cross_check& c : d_.checks)
      if (c.result == check_outcome::fail) return "a cross-check fails: " + c.name;
    if (d_.sure == confidence::high) return passes_text(d_.complete_passes()) + " agree, and the cross-checks hold";
    if (runs_again()) return "layers are probably counted twice";
    if (thin_layers()) return d_.layer_word() + std::string("s with hardly any kernel");
    if (doubtful_) return "the names of the kernels leave open what ran: see the limitations";
    if (d_.complete_passes() <= 1) return "there is no second whole pass to agree with";
    return "see the limitations";
  }

  // Passes of one phase whose order of types changes while the capture runs.
  void find_changes() {
    std::vector<const layer_layout*> whole;
    for (const layer_layout& l : d_.layouts)
      if (!l.cut) whole.push_back(&l);
    for (std::size_t i = 1; i < whole.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (whole[i]->phase != whole[j]->phase) continue;
        d_.limitations.push_back("the order of " + std::string(d_.layer_word()) + " types changes at pass " + std::to_string(whole[i]->first_pass) +
                                 ": " + std::string(model_phase_name(whole[i]->phase)) + " passes are not all alike");
        return;
      }
  }

  const activity& of_;
  const device_kernels& kernels_;
  const layer_anchors& anchors_;
  const pass_cuts& cuts_;
  const anchor_phases& phases_;
  device_architecture& d_;
  const activity_device& on_;
  bool doubtful_ = false;  // for a reason among the limitations
};

// "2 Dense, 3 MoE+DFC, 1 MoE+GMM" of a layout.
std::string types_text(const device_architecture& d, std::uint32_t layout) {
  std::vector<std::pair<layer_kind, std::uint32_t>> kinds;
  for (const layer_type& t : d.types) {
    if (t.layout != layout) continue;
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == t.kind; });
    if (same == kinds.end())
      kinds.emplace_back(t.kind, t.count);
    else
      same->second += t.count;
  }
  std::string text;
  for (const auto& [kind, count] : kinds)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + ' ' + d.type_text(kind);
  return text;
}

// Of the layout that stands for the model, and of the other phase where it runs other layers.
std::string types_text(const device_architecture& d) {
  const auto whole = std::find_if(d.layouts.begin(), d.layouts.end(), [](const layer_layout& l) { return !l.cut; });
  if (whole == d.layouts.end()) return "";
  std::string text = types_text(d, static_cast<std::uint32_t>(whole - d.layouts.begin()));
  const auto other =
      std::find_if(whole, d.layouts.end(), [&](const layer_layout& l) { return !l.cut && l.phase != whole->phase; });
  if (other == d.layouts.end()) return text;
  const std::string types = types_text(d, static_cast<std::uint32_t>(other - d.layouts.begin()));
  return types == text ? text : text + "; in " + model_phase_name(other->phase) + ' ' + types;
}

// "probably 6 layers a pass and 3 passes (…)": of counts alone.
std::string totals_summary(const device_architecture& d) {
  std::string text = d.counted_passes > 0
                         ? "probably " + layers_text(d, d.layers_per_pass) + " a pass and " + passes_text(d.counted_passes)
                         : layers_text(d, d.anchors) + " in an unknown number of passes";
  std::string types;
  for (const layer_type& t : d.types)
    types += (types.empty() ? "" : ", ") + grouped(t.occurrences) + ' ' + layer_kind_name(t.kind);
  if (!types.empty()) text += " (" + types + " in all)";
  text += ", from totals of ops without times";
  if (!d.layers_of_the_model.empty()) text += "; " + d.layers_of_the_model;
  return text + "; confidence " + confidence_name(d.sure);
}

}  // namespace

void sum_up(const activity& of, const device_kernels& kernels, const layer_anchors& anchors, const pass_cuts& cuts,
            const anchor_phases& phases, std::string_view label, device_architecture& into) {
  summariser s(of, kernels, anchors, cuts, phases, into);
  into.parallelism = parallelism_of(of, kernels, into.device, into.source == anchor_source::attention, label);
  s.find_limitations();
  s.judge();
  s.find_evidence();
}

std::string summary_of(const activity& of, const architecture_result& r) {
  if (r.devices.empty()) return "";
  const device_architecture& d = r.devices[r.reported];
  const std::string device(of.text(of.devices()[d.device].name));
  if (d.source == anchor_source::none)
    return device + (d.totals_only ? ": op totals only, without an attention kernel" : ": no layers are known");
  if (d.totals_only) return totals_summary(d);
  std::string text = layers_text(d, d.layers_per_pass) + " a pass";
  if (d.source != anchor_source::attention) {
    text = counted(d.layers_per_pass, "repeating part", "repeating parts") + " a pass, by " + d.anchor;
  } else if (const std::string types = types_text(d); !types.empty()) {
    text += " (" + types + ')';
  }
  if (d.sure == confidence::low) text = "possibly " + text;
  std::array<std::uint64_t, 4> phases{};
  for (const model_pass& p : d.passes) ++phases[static_cast<std::size_t>(p.phase)];
  text += ", " + passes_text(d.passes.size());
  std::string of_phase;
  for (const model_phase p : {model_phase::prefill, model_phase::decode, model_phase::training})
    if (phases[static_cast<std::size_t>(p)] > 0)
      of_phase +=
          (of_phase.empty() ? "" : ", ") + grouped(phases[static_cast<std::size_t>(p)]) + ' ' + model_phase_name(p);
  if (!of_phase.empty()) text += " (" + of_phase + ')';
  if (d.pipeline.comm_ps > 0)
    text += ", " + share(d.pipeline.hidden_ps, d.pipeline.comm_ps) + " of communication hidden";
  if (!d.layers_of_the_model.empty()) text += "; " + d.layers_of_the_model;
  text += "; confidence ";
  text += confidence_name(d.sure);
  return text;
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
