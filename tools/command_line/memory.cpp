#include "command_line/command_options.hpp"
#include "command_line/words.hpp"

#include "quantity.hpp"

#include <charconv>

namespace profkit_tool {
namespace {

using profkit::fault;

class memory_options final : public command_options {
 public:
  void list(option_list& all, options& into) override {
    list_path(all, into);
    all.group("Memory");
    all.value("--module", into.memory.module, "NAME|ID",
              "Module to look into (default: the one with the highest peak)");
    all.value("--space", space_, "COLOR|NAME", "Memory space to look into, as 5 or Host (default 0)");
    all.value("--top", top_, "K", "Rows of the lists of buffers and of the rollups (default 30)");
    all.flag("--no-runtime", no_runtime_, "Only what the compiler assigned");
    all.value("--fit", fit_, "BYTES", "Does it fit into so much, as in 32GiB? Exit status 1 when not");
    all.repeated("--what-if", what_if_, "ACTION=NAME",
                 "The peak without a buffer: remat=NAME or offload=NAME, may be repeated");
    all.value("--curve", curve_, "N", "The live curve in at most N points that keep its extremes");
    all.group("Run time");
    all.value("--host", into.host, "TEXT", "Only hosts whose name contains TEXT");
    all.value("--step", step_, "N", "The N-th step window, counted from 0");
    all.flag("--all-trace", into.memory.all_trace, "The whole trace as one window");
    all.exclude("--all-trace", "--step");
    all.value("--step-policy", policy_, "WHICH", "peak, last or first step (default peak)");
    all.value("--persistent-threshold-steps", threshold_, "N",
              "Step boundaries after which a buffer is persistent (default 2)");
    all.flag("--include-host-pools", into.memory.include_host_pools, "Host memory may be the fullest, too");
    all.value("--time-samples", samples_, "N", "Samples of the timeline (default 200)");
    all.group("Output");
    all.value("--compat", compat_, "WHAT", "'reference': the numbers of the reference tool, as JSON");
    output_.list(all, into);
    input_.list(all, into);
  }

  [[nodiscard]] std::optional<fault> understand(options& into) const override {
    constexpr std::uint64_t most_samples = 1000000;
    using profkit::step_policy;
    profkit::memory_options& m = into.memory;
    std::optional<std::uint64_t> threshold, samples, curve;
    if (auto wrong = understand_word<step_policy>(
            "--step-policy", policy_, m.policy,
            {{"peak", step_policy::peak}, {"last", step_policy::last}, {"first", step_policy::first}}))
      return wrong;
    if (auto wrong = understand_word<bool>("--compat", compat_, into.compat_reference, {{"reference", true}}))
      return wrong;
    if (auto wrong = understand_number("--top", top_, into.memory_top)) return wrong;
    if (auto wrong = understand_number("--persistent-threshold-steps", threshold_, threshold, 0, most_samples))
      return wrong;
    if (auto wrong = understand_number("--time-samples", samples_, samples, 0, most_samples)) return wrong;
    if (auto wrong = understand_number("--curve", curve_, curve, 1, 100 * most_samples)) return wrong;
    m.runtime = !no_runtime_;
    if (threshold) m.persistent_threshold_steps = static_cast<std::int64_t>(*threshold);
    if (samples) m.time_samples = *samples;
    if (curve) m.curve_points = *curve;
    if (auto wrong = understand_questions(m)) return wrong;
    if (auto wrong = input_.understand(into)) return wrong;
    return output_.understand(into);
  }

 private:
  [[nodiscard]] std::optional<fault> understand_questions(profkit::memory_options& m) const {
    if (!space_.empty()) {
      const std::optional<std::int64_t> color = profkit::memory_space_color(space_);
      if (!color)
        return wrong_value("--space", space_, "no memory space",
                           "write its color, or one of HBM, VMEM, Sflag, CMEM, SMEM, Host, SparseCore");
      m.memory_space = *color;
    }
    if (!fit_.empty()) {
      profkit::result<std::uint64_t> bytes = parse_bytes(fit_);
      if (!bytes) return wrong_value("--fit", fit_, bytes.error().message, bytes.error().hint);
      m.fit_bytes = *bytes;
    }
    for (const std::string& question : what_if_)
      if (profkit::result<void> added = profkit::add_what_if(question, m); !added)
        return wrong_value("--what-if", question, added.error().message, added.error().hint);
    if (!step_.empty()) {  // a step that is not there is told by the analysis, as for any other step
      std::int64_t n = 0;
      const auto [end, error] = std::from_chars(step_.data(), step_.data() + step_.size(), n);
      if (error != std::errc{} || end != step_.data() + step_.size())
        return wrong_value("--step", step_, "not a whole number", "steps are counted from 0");
      m.step = n;
    }
    return std::nullopt;
  }

  std::string space_, top_, fit_, curve_, step_, policy_, threshold_, samples_, compat_;
  std::vector<std::string> what_if_;
  bool no_runtime_ = false;
  output_words output_;
  input_words input_;
};

}  // namespace

std::unique_ptr<command_options> memory_command_options() { return std::make_unique<memory_options>(); }

}  // namespace profkit_tool
