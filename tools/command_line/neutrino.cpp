#include "command_line/command_options.hpp"
#include "command_line/words.hpp"

namespace profkit_tool {
namespace {

using profkit::fault;

class neutrino_options final : public command_options {
 public:
  void list(option_list& all, options& into) override {
    list_path(all, into);
    all.argument("SLICE", slice_, "What to show (default: a summary)", false);
    all.group("Filters");
    all.value("--launch", into.probes.launch, "N|BIN", "Only this launch, by its number or its record file");
    all.value("--map", into.probes.map, "NAME|N", "Only this map, by its name or its number in the file");
    all.value("--block", block_, "N", "records: only this block");
    all.value("--lane", lane_, "N", "records: only this thread or warp of each block");
    all.group("Input");
    all.value("--as", tool_, "TOOL",
              "Maps that nothing describes hold the records of block_sched, gmem_bytes, tensorop, program_progress or "
              "dmat");
    all.group("Output");
    all.flag("--csv", into.csv, "The slice as comma-separated values");
    all.value("--svg", into.svg_path, "FILE", "schedule, density: a picture for a browser");
    output_.list(all, into);
    input_.list(all, into);
  }

  [[nodiscard]] std::optional<fault> understand(options& into) const override {
    using profkit::probe_slice;
    if (!slice_.empty()) {
      const auto slice = profkit::probe_slice_of(slice_);
      if (!slice)
        return wrong_value("SLICE", slice_, "not a slice",
                           "choose one of: launches, kernels, maps, records, schedule, bytes, density, progress, "
                           "overhead, log");
      into.probes.slice = *slice;
    }
    if (auto wrong = understand_number("--block", block_, into.probes.block)) return wrong;
    if (auto wrong = understand_number("--lane", lane_, into.probes.lane)) return wrong;
    if (!tool_.empty()) {
      const auto tool = profkit::probe_tool_of(tool_);
      if (!tool)
        return wrong_value("--as", tool_, "not a tool",
                           "choose one of: block_sched, gmem_bytes, tensorop, program_progress, dmat");
      into.probes.assume = *tool;
    }
    if (auto wrong = input_.understand(into)) return wrong;
    if (auto wrong = output_.understand(into)) return wrong;
    const char* const help = "profkit neutrino --help";
    const probe_slice slice = into.probes.slice;
    if (into.csv && into.json) return wrong_options("--csv: choose between --csv and --json", help);
    if (into.csv && slice == probe_slice::summary)
      return wrong_options("--csv: the summary is no table: name a slice", help);
    if (!into.svg_path.empty() && slice != probe_slice::schedule && slice != probe_slice::density)
      return wrong_options("--svg: only schedule and density are pictures", help);
    return std::nullopt;
  }

 private:
  std::string slice_, block_, lane_, tool_;
  output_words output_;
  input_words input_;
};

}  // namespace

std::unique_ptr<command_options> neutrino_command_options() { return std::make_unique<neutrino_options>(); }

}  // namespace profkit_tool
