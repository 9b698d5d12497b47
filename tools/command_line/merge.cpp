#include "command_line/command_options.hpp"
#include "command_line/words.hpp"

namespace profkit_tool {
namespace {

using profkit::fault;

class merge_options final : public command_options {
 public:
  void list(option_list& all, options& into) override {
    profkit::merge_options& m = into.merge;
    all.group("Input");
    all.values("--traces,TRACES", m.traces, "FILE...", "Traces, one a node, or merged ones");
    all.values("--snapshots", m.snapshots, "FILE...", "Clock snapshots, one file a trace ('' for those in the trace)");
    all.value("--offsets", m.offsets, "FILE", "Offsets of the nodes' clocks, JSON lines");
    all.value("--run-metadata", m.run_metadata, "FILE", "run_metadata.json: node ids, hosts, start times");
    all.value("--run-dir", m.run_dir, "DIR", "Find what is not named in this folder");
    all.flag("--auto-discover", auto_discover_, "Look into --run-dir (it is always done)");
    all.flag("--keep-going", m.keep_going, "Tell what is missing or damaged, and merge the rest");
    input_.list_io(all);
    input_.list_threads(all);
    all.group("Clocks");
    all.flag("--no-correction", no_correction_, "Align by the wall time of the collectors alone");
    all.value("--correction", correction_, "HOW", "clock, walltime or none (default clock)");
    all.value("--normalize", zero_, "WHICH",
              "Time zero: min, node0 or none (default: node0, min when an event lies before it)");
    all.flag("--no-drift", no_drift_, "Beyond the offsets use their own slope, not drift_ppm");
    all.flag("--scale-durations", m.scale_durations, "Map the ends of events, too");
    all.flag("--tracer-host-threads", m.tracer_host_threads,
             "'Host Threads/N' of /host:ROCTRACER are stamped by the tracer clock");
    all.group("Output");
    all.value("-o,--output", into.output_path, "FILE", "The merged XSpace; it appears when it is complete");
    all.flag("--trace-json", into.trace_json, "Write FILE's stem with .trace.json.gz as well");
    all.flag("--validate", into.validate_merged,
             "Check the order of collectives; write FILE's stem with .violations.json");
    all.value("--plane-scheme", scheme_, "WHICH", "Names of planes: seed, rocm or node (default seed)");
    all.value("--plane-prefix", m.plane_prefix, "TEXT", "Before the names of --plane-scheme node, which it means");
    all.flag("--keep-order", m.keep_order, "Do not sort the events of a line");
    all.flag("--print-events", into.print_events, "Print every event with its corrected time");
    all.flag("--print-collectives", into.print_collectives, "Print collectives before and after correction");
    all.value("--compat", compat_, "WHAT", "'reference': bit for bit what the reference script does");
    all.flag("--json", into.json, "Print the metadata document instead of text");
    output_.list_color(all);
    all.flag("-q,--quiet", into.quiet, "No progress and no warnings on standard error");
  }

  [[nodiscard]] std::optional<fault> understand(options& into) const override {
    const char* const help = "profkit merge --help";
    if (into.output_path == "-")
      return wrong_options("--output '-': a merge writes files beside its output, named after it; name a file", help);
    if (auto wrong = input_.understand(into)) return wrong;
    if (auto wrong = output_.understand(into)) return wrong;
    if (auto wrong = understand_clocks(into.merge)) return wrong;
    into.merge.io = into.io;
    into.merge.not_an_input = into.output_path;
    if (into.merge.traces.empty() && into.merge.run_dir.empty())
      return wrong_options(auto_discover_ ? "--auto-discover needs --run-dir, the folder to look into"
                                          : "no traces: name them with --traces, or a folder with --run-dir",
                           help);
    if (into.output_path.empty())
      return wrong_options("--output is missing: the file to write the merged trace to", help);
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<fault> understand_clocks(profkit::merge_options& m) const {
    using profkit::merge_correction;
    using profkit::merge_zero;
    using profkit::plane_scheme;
    if (auto wrong = understand_word<merge_correction>("--correction", correction_, m.correction,
                                                       {{"clock", merge_correction::clock},
                                                        {"walltime", merge_correction::walltime},
                                                        {"none", merge_correction::none}}))
      return wrong;
    if (no_correction_ && correction_.empty()) m.correction = merge_correction::walltime;
    if (auto wrong = understand_word<merge_zero>(
            "--normalize", zero_, m.zero,
            {{"min", merge_zero::earliest}, {"node0", merge_zero::reference}, {"none", merge_zero::none}}))
      return wrong;
    if (auto wrong = understand_word<plane_scheme>(
            "--plane-scheme", scheme_, m.scheme,
            {{"seed", plane_scheme::seed}, {"rocm", plane_scheme::rocm}, {"node", plane_scheme::node}}))
      return wrong;
    m.clocks.drift_slope = !no_drift_;
    return understand_word<bool>("--compat", compat_, m.reference, {{"reference", true}});
  }

  std::string correction_, zero_, scheme_, compat_;
  bool no_correction_ = false, auto_discover_ = false, no_drift_ = false;
  output_words output_;
  input_words input_;
};

}  // namespace

std::unique_ptr<command_options> merge_command_options() { return std::make_unique<merge_options>(); }

}  // namespace profkit_tool
