#include "options.hpp"

#include "exit_code.hpp"
#include "quantity.hpp"

#include <profkit/core/source.hpp>

#include <CLI/CLI.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#ifndef PROFKIT_VERSION
#error "PROFKIT_VERSION comes from the build"
#endif

namespace profkit_tool {
namespace {

using profkit::fault;

struct command_help {
  command what;
  const char* name;
  const char* summary;
  const char* details;
  const char* examples;
};

constexpr std::array<command_help, 17> commands{{
    {command::report, "report", "One screen: what the capture is and where its time went",
     "Says what was captured, on which devices, whether it is complete, which operations and modules were\n"
     "busiest, how long steps took, what collectives cost, and which command to run next.",
     "  profkit report logdir                  newest run below a TensorBoard log directory\n"
     "  profkit report vm.xplane.pb\n"
     "  profkit report logdir --json           the same and more, for programs\n"},
    {command::info, "info", "Inventory: files, hosts, planes, lines, events, completeness",
     "Lists every file, plane and line with its kind, number of events, summed duration and span.",
     "  profkit info vm.xplane.pb\n"
     "  profkit info logdir --run all          every run below the directory\n"
     "  profkit info vm.xplane.pb --plane TPU:0     only planes whose name contains TPU:0\n"},
    {command::tree, "tree", "Planes, lines, events and stats as an indented tree",
     "A first look at the raw data. --limit bounds the lines of a plane, the events of a line and the\n"
     "stats of an event (default 5).",
     "  profkit tree vm.xplane.pb\n"
     "  profkit tree vm.xplane.pb --plane TPU:0 --line 'XLA Ops' --limit 50\n"},
    {command::metadata, "metadata", "Event and stat metadata tables of every plane",
     "Every event names its operation by a metadata id; facts of an operation (flops, bytes, source) stand\n"
     "here, once, and not at its events.",
     "  profkit metadata vm.xplane.pb --plane TPU:0\n"
     "  profkit metadata vm.xplane.pb --name fusion --limit 0\n"},
    {command::steps, "steps", "Training or program steps with their durations",
     "Steps come from the 'Steps' line of a device, else from its 'XLA Modules' line, else from host\n"
     "events that carry step_num; the source is named.",
     "  profkit steps vm.xplane.pb\n"
     "  profkit steps vm.xplane.pb --limit 0 --json\n"},
    {command::ops, "ops", "Operations by total and self time, with FLOP/s and bytes/s",
     "Totals over all events of an operation. Self time leaves out what nested operations cover, so that\n"
     "self times of a line add up to its busy time.",
     "  profkit ops vm.xplane.pb --sort self\n"
     "  profkit ops vm.xplane.pb --plane TPU:0 --name fusion\n"
     "  profkit ops vm.xplane.pb --step 3           only what ran in the fourth step\n"
     "  profkit ops vm.xplane.pb --time 10ms:20ms   only what ran in that window\n"},
    {command::modules, "modules", "Compiled HLO modules, and the entry computation of one",
     "Lists the modules embedded in the capture and the *.hlo_proto.pb files beside it, and says where the\n"
     "two differ. --dump prints the instructions of one entry computation.",
     "  profkit modules vm.xplane.pb\n"
     "  profkit modules vm.xplane.pb --dump train_step\n"},
    {command::framework, "framework", "Host-side framework events and the stats they carry",
     "Totals by name of the events on host planes, then samples of them.",
     "  profkit framework vm.xplane.pb\n"
     "  profkit framework vm.xplane.pb --name Execute --limit 50\n"},
    {command::collectives, "collectives", "Collectives: asynchronous ones paired by flow, exposed time",
     "Pairs start and done events by their flow, or reads the one event that TPU captures write for both,\n"
     "and adds up synchronous collectives and NCCL/RCCL kernels.",
     "  profkit collectives vm.xplane.pb\n"
     "  profkit collectives vm.xplane.pb --plane TPU:0 --limit 0\n"},
    {command::chrome, "chrome", "Chrome trace files: processes, phases, samples, the event cap",
     "Reads *.trace.json[.gz] of XLA, PyTorch (Kineto) and others. A file at the recorder's cap of one\n"
     "million events is reported as incomplete: do not total it.",
     "  profkit chrome vm.trace.json.gz\n"
     "  profkit chrome rank0.json.gz --limit 20\n"},
    {command::memory, "memory", "Where the memory goes: buffer assignment and allocators",
     "Every compiled module and memory space with its total, its peak and what is alive there, equal to\n"
     "XProf's memory viewer; what each device's allocator held at run time; and whether the two agree.",
     "  profkit memory logdir                         the highest peak, and the fullest device\n"
     "  profkit memory vm.xplane.pb --module jit_step --top 100\n"
     "  profkit memory vm.xplane.pb --fit 32GiB       does it fit? exit status 1 when not\n"
     "  profkit memory vm.xplane.pb --what-if remat=fusion.3\n"
     "  profkit memory dump/ --no-runtime --json      for programs\n"},
    {command::bubbles, "bubbles", "Why devices wait: idle gaps, what is around them, possible causes",
     "Every step of every device with its idle time before, inside and after its kernels; the longest gaps\n"
     "with the kernels on both sides, what the host did meanwhile, and what that may mean. For XSpace,\n"
     "Kineto and Ascend captures. Idle time is a fact, its cause never more than possible or probable.",
     "  profkit bubbles logdir\n"
     "  profkit bubbles rank0_ascend_pt --window-policy marker\n"
     "  profkit bubbles vm.xplane.pb --plane TPU:0 --threshold reportable_gap_us=200\n"
     "  profkit bubbles vm.xplane.pb --json --limit 100\n"},
    {command::export_trace, "export", "The capture for other tools: trace JSON, Perfetto, a smaller XSpace, CSV",
     "Writes every event, however many, with overlapping events on lanes of their own. The ending of FILE\n"
     "tells the format: .trace.json and .trace.json.gz for chrome://tracing and Perfetto, .pftrace for\n"
     "Perfetto, .xplane.pb for a part of an XSpace, .csv for tables. --compat xla writes what XLA writes.",
     "  profkit export logdir -o run.pftrace           open it on ui.perfetto.dev\n"
     "  profkit export vm.xplane.pb -o vm.trace.json.gz --compat xla\n"
     "  profkit export vm.xplane.pb --time 10ms:20ms --plane TPU:0 -o part.xplane.pb\n"
     "  profkit export rank0.json.gz --format csv | head\n"},
    {command::merge, "merge", "One timeline from the traces of many machines, their clocks aligned",
     "Maps every event to the wall clock of the reference node: device times by the clock snapshots of their\n"
     "node, host times by its measured offsets. Writes one XSpace, and FILE's stem with .metadata.json, which\n"
     "says what was done to each node and how far its times can be wrong. Installed as xprof_trace_combine,\n"
     "too. Flags may be written with _ instead of -.",
     "  profkit merge --traces node0.xplane.pb node1.xplane.pb --offsets offsets.jsonl -o combined.xspace\n"
     "  profkit merge --run-dir run123 -o combined.xspace       find traces, snapshots and offsets\n"
     "  profkit merge --traces a.xplane.pb b.xplane.pb --no-correction -o both.xspace   by wall time\n"},
    {command::validate, "validate", "Collectives across nodes: order, arrival skew, what they say of clocks",
     "Nobody ends an all-reduce before everybody began it. Takes one merged trace, or one trace a node, and\n"
     "counts where that order is broken beyond the error of the clocks; says who comes last and whether time\n"
     "goes to waiting or to moving data. --align=collectives bounds the clocks from the collectives alone.",
     "  profkit validate combined.xplane.pb\n"
     "  profkit validate node0.xplane.pb node1.xplane.pb --align=collectives\n"
     "  profkit validate --traces combined.xplane.pb --output violations.json --csv gaps.csv\n"
     "  profkit validate combined.xplane.pb --fail-on violations   exit status 1 when there are any\n"},
    {command::neutrino, "neutrino", "Neutrino probe traces: inside GPU kernels, thread by thread",
     "Reads a trace folder of any release of the driver, or one result/*.bin. SLICE is launches, kernels, maps,\n"
     "records, schedule, bytes, density, progress, overhead or log; without one, a summary.",
     "  profkit neutrino trace/Apr24_231539_1860576\n"
     "  profkit neutrino trace schedule --svg schedule.svg     newest trace below the folder\n"
     "  profkit neutrino trace records --launch 3 --map block_sched --block 7\n"
     "  profkit neutrino trace bytes --json                    for programs; --csv for tables\n"},
    {command::dump, "dump", "Any protobuf file as text or JSON, field by field",
     "Shows XSpace, HloProto and OpStats messages with field names and any other message by field number;\n"
     "nothing is hidden, unknown fields included.",
     "  profkit dump module.hlo_proto.pb | less\n"
     "  profkit dump ALL_HOSTS.op_stats_v2.pb --json --limit 0\n"
     "  profkit dump unknown.bin --type raw\n"},
}};

constexpr const char* exit_status_help =
    "Exit status: 0 fine (also when a part is absent), 1 --fail-on tripped, 2 usage, 3 not found,\n"
    "4 nothing usable, 5 damaged (what was intact was printed), 70 a bug in profkit.\n";

// Help at most 100 columns wide: "Usage: profkit ops PATH [OPTIONS]", options with the name of their value.
class help_formatter final : public CLI::Formatter {
 public:
  help_formatter() {
    column_width(26);
    label("Positionals", "Argument");
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_positional() || option->get_type_size() == 0 ? std::string{} : " " + option->get_type_name();
  }
  std::string make_usage(const CLI::App* app, std::string) const override {
    if (app->get_parent() == nullptr) return "\nUsage: profkit COMMAND PATH [OPTIONS]\n";
    if (app->get_name() == "merge") return "\nUsage: profkit merge --traces FILE... -o FILE [OPTIONS]\n";
    const char* argument = app->get_name() == "dump"       ? "FILE"
                           : app->get_name() == "neutrino" ? "PATH [SLICE]"
                           : app->get_name() == "validate" ? "TRACE..."
                                                           : "PATH";
    return "\nUsage: profkit " + app->get_name() + ' ' + argument + " [OPTIONS]\n";
  }
  std::string make_description(const CLI::App* app) const override { return app->get_description() + ".\n"; }
};

// Values as they were typed. They are understood after parsing, so that every mistake is told in one way.
struct typed_values {
  std::string io, threads, fail_on, step, time, limit, color, order;
  std::string space, top, policy, threshold, samples, fit, curve, compat;
  std::string correction, zero, scheme;
  std::string match, align, bound, max_bound;
  std::vector<std::string> what_if, thresholds;
  std::string windows, threshold_file;
  bool no_correction = false, auto_discover = false, no_drift = false;
  std::string slice, block, lane, tool;
  bool no_runtime = false;
};

void add_value(CLI::App& app, const char* names, std::string& into, const char* value, const char* description,
               const char* group) {
  app.add_option(names, into, description)->type_name(value)->group(group);
}

void add_filters(CLI::App& app, options& o, typed_values& typed) {
  const char* group = "Filters";
  add_value(app, "--host", o.host, "TEXT", "Only hosts whose name contains TEXT", group);
  add_value(app, "--plane", o.plane, "TEXT", "Only planes whose name contains TEXT", group);
  add_value(app, "--line", o.line, "TEXT", "Only lines whose name contains TEXT", group);
  add_value(app, "--name", o.name, "TEXT", "Only events, ops or modules whose name contains TEXT", group);
  add_value(app, "--step", typed.step, "N", "Only the N-th step of each device, counted from 0", group);
  add_value(app, "--time", typed.time, "FROM:TO", "Only this window, as in 10ms:2.5s (ps ns us ms s)", group);
}

void add_memory_options(CLI::App& app, options& o, typed_values& typed) {
  const char* group = "Memory";
  add_value(app, "--module", o.memory.module, "NAME|ID", "Module to look into (default: the one with the highest peak)",
            group);
  add_value(app, "--space", typed.space, "COLOR|NAME", "Memory space to look into, as 5 or Host (default 0)", group);
  add_value(app, "--top", typed.top, "K", "Rows of the lists of buffers and of the rollups (default 30)", group);
  app.add_flag("--no-runtime", typed.no_runtime, "Only what the compiler assigned")->group(group);
  add_value(app, "--fit", typed.fit, "BYTES", "Does it fit into so much, as in 32GiB? Exit status 1 when not", group);
  app.add_option("--what-if", typed.what_if, "The peak without a buffer: remat=NAME or offload=NAME, may be repeated")
      ->type_name("ACTION=NAME")
      ->expected(1)
      ->take_all()
      ->group(group);
  add_value(app, "--curve", typed.curve, "N", "The live curve in at most N points that keep its extremes", group);
  const char* runtime = "Run time";
  add_value(app, "--host", o.host, "TEXT", "Only hosts whose name contains TEXT", runtime);
  CLI::Option* step =
      app.add_option("--step", typed.step, "The N-th step window, counted from 0")->type_name("N")->group(runtime);
  app.add_flag("--all-trace", o.memory.all_trace, "The whole trace as one window")->excludes(step)->group(runtime);
  add_value(app, "--step-policy", typed.policy, "WHICH", "peak, last or first step (default peak)", runtime);
  add_value(app, "--persistent-threshold-steps", typed.threshold, "N",
            "Step boundaries after which a buffer is persistent (default 2)", runtime);
  app.add_flag("--include-host-pools", o.memory.include_host_pools, "Host memory may be the fullest, too")
      ->group(runtime);
  add_value(app, "--time-samples", typed.samples, "N", "Samples of the timeline (default 200)", runtime);
  add_value(app, "--compat", typed.compat, "WHAT", "'reference': the numbers of the reference tool, as JSON", "Output");
}

void add_bubble_options(CLI::App& app, options& o, typed_values& typed) {
  const char* group = "Bubbles";
  add_value(app, "--plane,--device", o.bubbles.device, "TEXT", "Only devices whose name contains TEXT", group);
  add_value(app, "--window-policy", typed.windows, "HOW",
            "Steps end at the next marker (guide), its end (marker), the last kernel (device)", group);
  add_value(app, "--step-pattern", o.bubbles.step_pattern, "REGEX", "Whole names of events that mark a step", group);
  app.add_option("--threshold", typed.thresholds, "One threshold, may be repeated; --json lists them all")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all()
      ->group(group);
  add_value(app, "--thresholds", typed.threshold_file, "FILE", "A TOML file with a table [bubbles] of thresholds",
            group);
  add_value(app, "--compat", typed.compat, "WHAT", "'reference': tags by the letter of the reference script", group);
}

void add_validate_options(CLI::App& app, options& o, typed_values& typed) {
  const char* group = "Validation";
  app.add_option("--traces", o.traces, "The same as the arguments; may be repeated")->type_name("TRACE")->group(group);
  add_value(app, "--match", typed.match, "HOW", "auto (run ids, else time) or occurrence (as the reference tool)",
            group);
  add_value(app, "--bound", typed.bound, "TIME", "Error of every time, as in 5us, instead of the trace's own", group);
  add_value(app, "--time", typed.time, "FROM:TO", "Only this window, as in 10ms:2.5s (ps ns us ms s)", group);
  add_value(app, "--align", typed.align, "HOW", "'collectives': offset and drift of each node from collectives alone",
            group);
  add_value(app, "--max-bound,--max_bound", typed.max_bound, "TIME",
            "An offset known less well than this is undecidable (default 1ms)", group);
  add_value(app, "--fail-on,--fail_on", typed.fail_on, "WHAT", "'violations': exit with 1 when there are any", group);
  const char* output = "Output";
  add_value(app, "-o,--output", o.output_path, "FILE", "Write the JSON document to FILE as well", output);
  add_value(app, "--csv", o.csv_path, "FILE", "Write the start gaps of every invocation to FILE", output);
  add_value(app, "--compat", typed.compat, "WHAT", "'reference': matching and document of the reference tool", output);
  add_value(app, "--limit", typed.limit, "N", "Rows of each list; 0 shows all (default 20)", output);
  app.add_flag("--json", o.json, "One JSON document (schemas in docs/schemas)")->group(output);
  app.add_flag("--wide", o.wide, "Names in full, whatever the width of the screen")->group(output);
  add_value(app, "--color", typed.color, "WHEN", "auto, always or never (default auto; NO_COLOR is heeded)", output);
  app.add_flag("-q,--quiet", o.quiet, "No progress and no warnings on standard error")->group(output);
  const char* input = "Input";
  add_value(app, "--run", o.run, "NAME", "Run folder to open (default: the newest)", input);
  add_value(app, "--io", typed.io, "MODE", "auto, map or read: 'read' survives files that shrink", input);
  app.add_flag("--strict", o.strict, "Any damage makes the exit status 4")->group(input);
  add_value(app, "-j,--threads", typed.threads, "N", "Threads to use (default: all cores); results are the same",
            input);
}

void add_export_options(CLI::App& app, options& o, typed_values& typed) {
  const char* group = "Output";
  add_value(app, "--format", o.export_format, "WHICH", "trace.json, trace.json.gz, pftrace, xspace or csv", group);
  add_value(app, "--compat", typed.compat, "WHAT", "'xla': trace.json byte for byte as XLA's converter writes it",
            group);
  add_value(app, "-o,--output", o.output_path, "FILE", "Write to FILE, which appears when it is complete", group);
  add_value(app, "--color", typed.color, "WHEN", "auto, always or never (default auto; NO_COLOR is heeded)", group);
  app.add_flag("-q,--quiet", o.quiet, "No progress and no summary on standard error")->group(group);
}

void add_neutrino_options(CLI::App& app, options& o, typed_values& typed) {
  app.add_option("SLICE", typed.slice, "What to show (default: a summary)");
  const char* group = "Filters";
  add_value(app, "--launch", o.probes.launch, "N|BIN", "Only this launch, by its number or its record file", group);
  add_value(app, "--map", o.probes.map, "NAME|N", "Only this map, by its name or its number in the file", group);
  add_value(app, "--block", typed.block, "N", "records: only this block", group);
  add_value(app, "--lane", typed.lane, "N", "records: only this thread or warp of each block", group);
  add_value(
      app, "--as", typed.tool, "TOOL",
      "Maps that nothing describes hold the records of block_sched, gmem_bytes, tensorop, program_progress or dmat",
      "Input");
  app.add_flag("--csv", o.csv, "The slice as comma-separated values")->group("Output");
  add_value(app, "--svg", o.svg_path, "FILE", "schedule, density: a picture for a browser", "Output");
}

void add_merge_options(CLI::App& app, options& o, typed_values& typed) {
  const char* input = "Input";
  app.add_option("--traces,TRACES", o.merge.traces, "Traces, one a node, or merged ones")
      ->type_name("FILE...")
      ->group(input);
  app.add_option("--snapshots", o.merge.snapshots, "Clock snapshots, one file a trace ('' for those in the trace)")
      ->type_name("FILE...")
      ->group(input);
  add_value(app, "--offsets", o.merge.offsets, "FILE", "Offsets of the nodes' clocks, JSON lines", input);
  add_value(app, "--run-metadata", o.merge.run_metadata, "FILE", "run_metadata.json: node ids, hosts, start times",
            input);
  add_value(app, "--run-dir", o.merge.run_dir, "DIR", "Find what is not named in this folder", input);
  app.add_flag("--auto-discover", typed.auto_discover, "Look into --run-dir (it is always done)")->group(input);
  app.add_flag("--keep-going", o.merge.keep_going, "Tell what is missing or damaged, and merge the rest")->group(input);
  add_value(app, "--io", typed.io, "MODE", "auto, map or read: 'read' survives files that shrink", input);
  add_value(app, "-j,--threads", typed.threads, "N", "Threads to use (default: all cores); results are the same",
            input);
  const char* clocks = "Clocks";
  app.add_flag("--no-correction", typed.no_correction, "Align by the wall time of the collectors alone")->group(clocks);
  add_value(app, "--correction", typed.correction, "HOW", "clock, walltime or none (default clock)", clocks);
  add_value(app, "--normalize", typed.zero, "WHICH",
            "Time zero: min, node0 or none (default: node0, min when an event lies before it)", clocks);
  app.add_flag("--no-drift", typed.no_drift, "Beyond the offsets use their own slope, not drift_ppm")->group(clocks);
  app.add_flag("--scale-durations", o.merge.scale_durations, "Map the ends of events, too")->group(clocks);
  app.add_flag("--tracer-host-threads", o.merge.tracer_host_threads,
               "'Host Threads/N' of /host:ROCTRACER are stamped by the tracer clock")
      ->group(clocks);
  const char* output = "Output";
  add_value(app, "-o,--output", o.output_path, "FILE", "The merged XSpace; it appears when it is complete", output);
  app.add_flag("--trace-json", o.trace_json, "Write FILE's stem with .trace.json.gz as well")->group(output);
  app.add_flag("--validate", o.validate_merged,
               "Check the order of collectives; write FILE's stem with .violations.json")
      ->group(output);
  add_value(app, "--plane-scheme", typed.scheme, "WHICH", "Names of planes: seed, rocm or node (default seed)", output);
  add_value(app, "--plane-prefix", o.merge.plane_prefix, "TEXT",
            "Before the names of --plane-scheme node, which it means", output);
  app.add_flag("--keep-order", o.merge.keep_order, "Do not sort the events of a line")->group(output);
  app.add_flag("--print-events", o.print_events, "Print every event with its corrected time")->group(output);
  app.add_flag("--print-collectives", o.print_collectives, "Print collectives before and after correction")
      ->group(output);
  add_value(app, "--compat", typed.compat, "WHAT", "'reference': bit for bit what the reference script does", output);
  app.add_flag("--json", o.json, "Print the metadata document instead of text")->group(output);
  add_value(app, "--color", typed.color, "WHEN", "auto, always or never (default auto; NO_COLOR is heeded)", output);
  app.add_flag("-q,--quiet", o.quiet, "No progress and no warnings on standard error")->group(output);
}

void add_output_options(CLI::App& app, options& o, typed_values& typed, bool has_tables) {
  const char* group = "Output";
  add_value(app, "--limit", typed.limit, "N", "Rows of each list; 0 shows all", group);
  app.add_flag("--json", o.json, "One JSON document (schemas in docs/schemas)")->group(group);
  add_value(app, "-o,--output", o.output_path, "FILE", "Write to FILE, which appears when it is complete", group);
  if (has_tables) app.add_flag("--wide", o.wide, "Names in full, whatever the width of the screen")->group(group);
  add_value(app, "--color", typed.color, "WHEN", "auto, always or never (default auto; NO_COLOR is heeded)", group);
  app.add_flag("-q,--quiet", o.quiet, "No progress and no warnings on standard error")->group(group);
}

void add_input_options(CLI::App& app, options& o, typed_values& typed, bool opens_directories) {
  const char* group = "Input";
  if (opens_directories)
    add_value(app, "--run", o.run, "NAME", "Run folder to open, or 'all' (default: the newest)", group);
  add_value(app, "--io", typed.io, "MODE", "auto, map or read: 'read' survives files that shrink", group);
  app.add_flag("--strict", o.strict, "Any damage makes the exit status 4")->group(group);
  if (!opens_directories) return;
  add_value(app, "--fail-on", typed.fail_on, "WHAT", "'incomplete': exit with 1 when the capture is not complete",
            group);
  add_value(app, "-j,--threads", typed.threads, "N", "Threads to use (default: all cores); results are the same",
            group);
}

void add_command(CLI::App& app, const command_help& help, options& o, typed_values& typed) {
  CLI::App& sub = *app.add_subcommand(help.name, help.summary)->group("Commands");
  sub.callback([&o, what = help.what] { o.what = what; });
  sub.set_help_flag();
  if (help.what == command::merge) {
    add_merge_options(sub, o, typed);
    sub.set_help_flag("-h,--help", "This text")->group("Output");
    sub.footer(std::string(help.details) + "\n\nExamples:\n" + help.examples);
    return;
  }
  if (help.what == command::validate) {
    sub.add_option("TRACE", o.traces, "A merged trace, or one trace or run directory a node");
    add_validate_options(sub, o, typed);
    sub.set_help_flag("-h,--help", "This text")->group("Output");
    sub.footer(std::string(help.details) + "\n\nExamples:\n" + help.examples);
    return;
  }
  const bool is_dump = help.what == command::dump;
  sub.add_option(is_dump ? "FILE" : "PATH", o.path,
                 is_dump ? "A protobuf file; '-' is standard input"
                         : "A profile, a run directory or one above runs; '-' is standard input")
      ->required();
  if (help.what == command::ops)
    add_value(sub, "--sort", typed.order, "KEY", "total, self or count (default total)", "Output");
  if (help.what == command::modules)
    add_value(sub, "--dump", o.module_to_dump, "NAME", "Print the entry computation of the module NAME is part of",
              "Output");
  if (is_dump)
    add_value(sub, "--type", o.message_type, "TYPE", "Message type (default: found out from the file)", "Input");
  const bool is_memory = help.what == command::memory;
  if (is_memory) add_memory_options(sub, o, typed);
  const bool is_bubbles = help.what == command::bubbles;
  if (is_bubbles) add_bubble_options(sub, o, typed);
  const bool is_neutrino = help.what == command::neutrino;
  if (is_neutrino) add_neutrino_options(sub, o, typed);
  if (!is_dump && !is_memory && !is_bubbles && !is_neutrino) add_filters(sub, o, typed);
  if (help.what == command::export_trace)
    add_export_options(sub, o, typed);
  else
    add_output_options(sub, o, typed, !is_dump);
  add_input_options(sub, o, typed, !is_dump);
  sub.set_help_flag("-h,--help", "This text")->group("Output");
  sub.footer(std::string(help.details) + "\n\nExamples:\n" + help.examples);
}

parsed_command_line usage_error(const std::string& message, const std::string& hint) {
  return {std::nullopt, "profkit: " + message + "\n  hint: " + hint + "\n", exit_usage};
}

fault wrong_value(const char* option, const std::string& value, std::string why, std::string hint) {
  fault f;
  f.code = profkit::fault_code::invalid_argument;
  f.message = std::string(option) + " '" + value + "': " + std::move(why);
  f.hint = std::move(hint);
  return f;
}

// A word out of a few; nothing typed keeps the default.
template <class T>
std::optional<fault> understand_word(const char* option, const std::string& typed, T& into,
                                     std::initializer_list<std::pair<const char*, T>> words) {
  if (typed.empty()) return std::nullopt;
  std::string choices;
  for (const auto& [word, value] : words) {
    if (typed == word) {
      into = value;
      return std::nullopt;
    }
    choices += std::string(choices.empty() ? "" : ", ") + word;
  }
  return wrong_value(option, typed, "not a choice", "choose one of: " + choices);
}

std::optional<fault> understand_number(const char* option, const std::string& typed, std::optional<std::uint64_t>& into,
                                       std::uint64_t least, std::uint64_t most) {
  if (typed.empty()) return std::nullopt;
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), n);
  if (error != std::errc{} || end != typed.data() + typed.size() || n < least || n > most)
    return wrong_value(option, typed, "not a number that fits",
                       "write a whole number from " + std::to_string(least) +
                           (most == ~std::uint64_t{0} ? std::string() : " to " + std::to_string(most)));
  into = n;
  return std::nullopt;
}

// A small text file as a whole.
profkit::result<std::string> read_text_file(const std::string& path) {
  profkit::limits bounds;
  bounds.max_materialised_bytes = std::uint64_t{16} << 20;
  auto from = profkit::open_file_source(path, profkit::io_mode::read, bounds);
  if (!from) return std::move(from).error();
  auto held = profkit::hold_bytes(std::move(from).value(), bounds);
  if (!held) return std::move(held).error();
  if (held->damage) return std::move(*held->damage);
  return std::string(held->bytes);
}

std::optional<fault> understand_memory(const typed_values& typed, options& o) {
  constexpr std::uint64_t any = ~std::uint64_t{0}, most_samples = 1000000;
  std::optional<std::uint64_t> threshold, samples, curve;
  std::optional<fault> wrong;
  o.memory.runtime = !typed.no_runtime;
  using profkit::step_policy;
  if ((wrong = understand_word<step_policy>(
           "--step-policy", typed.policy, o.memory.policy,
           {{"peak", step_policy::peak}, {"last", step_policy::last}, {"first", step_policy::first}})))
    return wrong;
  if ((wrong = understand_word<bool>("--compat", typed.compat, o.compat_reference, {{"reference", true}})))
    return wrong;
  if ((wrong = understand_number("--top", typed.top, o.memory_top, 0, any))) return wrong;
  if ((wrong = understand_number("--persistent-threshold-steps", typed.threshold, threshold, 0, most_samples)))
    return wrong;
  if ((wrong = understand_number("--time-samples", typed.samples, samples, 0, most_samples))) return wrong;
  if ((wrong = understand_number("--curve", typed.curve, curve, 1, 100 * most_samples))) return wrong;
  if (threshold) o.memory.persistent_threshold_steps = static_cast<std::int64_t>(*threshold);
  if (samples) o.memory.time_samples = *samples;
  if (curve) o.memory.curve_points = *curve;
  if (!typed.space.empty()) {
    const std::optional<std::int64_t> color = profkit::memory_space_color(typed.space);
    if (!color)
      return wrong_value("--space", typed.space, "no memory space",
                         "write its color, or one of HBM, VMEM, Sflag, CMEM, SMEM, Host, SparseCore");
    o.memory.memory_space = *color;
  }
  if (!typed.fit.empty()) {
    profkit::result<std::uint64_t> bytes = parse_bytes(typed.fit);
    if (!bytes) return wrong_value("--fit", typed.fit, bytes.error().message, bytes.error().hint);
    o.memory.fit_bytes = *bytes;
  }
  for (const std::string& question : typed.what_if) {
    if (profkit::result<void> added = profkit::add_what_if(question, o.memory); !added)
      return wrong_value("--what-if", question, added.error().message, added.error().hint);
  }
  if (!typed.step.empty()) {  // a step that is not there is told by the analysis, as for any other step
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(typed.step.data(), typed.step.data() + typed.step.size(), n);
    if (error != std::errc{} || end != typed.step.data() + typed.step.size())
      return wrong_value("--step", typed.step, "not a whole number", "steps are counted from 0");
    o.memory.step = n;
  }
  return std::nullopt;
}

std::optional<fault> understand_neutrino(const typed_values& typed, options& o) {
  constexpr std::uint64_t any = ~std::uint64_t{0};
  std::optional<fault> wrong;
  if (!typed.slice.empty()) {
    const auto slice = profkit::probe_slice_of(typed.slice);
    if (!slice)
      return wrong_value("SLICE", typed.slice, "not a slice",
                         "choose one of: launches, kernels, maps, records, schedule, bytes, density, progress, "
                         "overhead, log");
    o.probes.slice = *slice;
  }
  if ((wrong = understand_number("--block", typed.block, o.probes.block, 0, any))) return wrong;
  if ((wrong = understand_number("--lane", typed.lane, o.probes.lane, 0, any))) return wrong;
  if (!typed.tool.empty()) {
    const auto tool = profkit::probe_tool_of(typed.tool);
    if (!tool)
      return wrong_value("--as", typed.tool, "not a tool",
                         "choose one of: block_sched, gmem_bytes, tensorop, program_progress, dmat");
    o.probes.assume = *tool;
  }
  const auto refused = [](const char* option, const char* why) {
    fault f;
    f.code = profkit::fault_code::invalid_argument;
    f.message = std::string(option) + ": " + why;
    f.hint = "profkit neutrino --help";
    return f;
  };
  using profkit::probe_slice;
  if (o.csv && o.json) return refused("--csv", "choose between --csv and --json");
  if (o.csv && o.probes.slice == probe_slice::summary) return refused("--csv", "the summary is no table: name a slice");
  if (!o.svg_path.empty() && o.probes.slice != probe_slice::schedule && o.probes.slice != probe_slice::density)
    return refused("--svg", "only schedule and density are pictures");
  return std::nullopt;
}

std::optional<fault> understand_bubbles(const typed_values& typed, options& o) {
  using profkit::window_policy;
  std::optional<fault> wrong;
  if ((wrong = understand_word<window_policy>(
           "--window-policy", typed.windows, o.bubbles.windows,
           {{"guide", window_policy::guide}, {"marker", window_policy::marker}, {"device", window_policy::device}})))
    return wrong;
  if ((wrong = understand_word<bool>("--compat", typed.compat, o.bubbles.reference, {{"reference", true}})))
    return wrong;
  if (!typed.threshold_file.empty()) {
    const auto read = read_text_file(typed.threshold_file);
    if (!read) return read.error();
    auto thresholds = profkit::read_thresholds(*read, typed.threshold_file);
    if (!thresholds) return std::move(thresholds).error();
    o.bubbles.thresholds = *thresholds;
  }
  for (const std::string& one : typed.thresholds) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos)
      return wrong_value("--threshold", one, "no NAME=VALUE", "write it as in idle_ratio=0.25");
    if (profkit::result<void> set = profkit::set_threshold(
            o.bubbles.thresholds, std::string_view(one).substr(0, equals), std::string_view(one).substr(equals + 1));
        !set)
      return std::move(set).error();
  }
  return std::nullopt;
}

std::optional<fault> understand_merge(const typed_values& typed, options& o) {
  using profkit::merge_correction;
  using profkit::merge_zero;
  using profkit::plane_scheme;
  profkit::merge_options& m = o.merge;
  std::optional<fault> wrong;
  if ((wrong = understand_word<merge_correction>("--correction", typed.correction, m.correction,
                                                 {{"clock", merge_correction::clock},
                                                  {"walltime", merge_correction::walltime},
                                                  {"none", merge_correction::none}})))
    return wrong;
  if (typed.no_correction && typed.correction.empty()) m.correction = merge_correction::walltime;
  if ((wrong = understand_word<merge_zero>(
           "--normalize", typed.zero, m.zero,
           {{"min", merge_zero::earliest}, {"node0", merge_zero::reference}, {"none", merge_zero::none}})))
    return wrong;
  if ((wrong = understand_word<plane_scheme>(
           "--plane-scheme", typed.scheme, m.scheme,
           {{"seed", plane_scheme::seed}, {"rocm", plane_scheme::rocm}, {"node", plane_scheme::node}})))
    return wrong;
  if ((wrong = understand_word<bool>("--compat", typed.compat, m.reference, {{"reference", true}}))) return wrong;
  m.clocks.drift_slope = !typed.no_drift;
  m.io = o.io;
  m.not_an_input = o.output_path;
  fault f;
  f.code = profkit::fault_code::invalid_argument;
  f.hint = "profkit merge --help";
  if (m.traces.empty() && m.run_dir.empty()) {
    f.message = typed.auto_discover ? "--auto-discover needs --run-dir, the folder to look into"
                                    : "no traces: name them with --traces, or a folder with --run-dir";
    return f;
  }
  if (o.output_path.empty()) {
    f.message = "--output is missing: the file to write the merged trace to";
    return f;
  }
  return std::nullopt;
}

std::optional<fault> understand_time(const char* option, const std::string& typed, std::int64_t& into) {
  profkit::result<std::int64_t> ps = parse_time_ps(typed);
  if (!ps) return wrong_value(option, typed, ps.error().message, ps.error().hint);
  if (*ps < 0) return wrong_value(option, typed, "less than nothing", "write a time such as 5us");
  into = *ps;
  return std::nullopt;
}

std::optional<fault> understand_validate(const typed_values& typed, options& o) {
  std::optional<fault> wrong;
  if (o.traces.empty()) {
    fault f;
    f.code = profkit::fault_code::invalid_argument;
    f.message = "validate: no trace was named";
    f.hint = "profkit validate combined.xplane.pb, or one trace a node";
    return f;
  }
  if ((wrong =
           understand_word<bool>("--match", typed.match, o.match_occurrence, {{"auto", false}, {"occurrence", true}})))
    return wrong;
  if ((wrong = understand_word<bool>("--compat", typed.compat, o.compat_reference, {{"reference", true}})))
    return wrong;
  o.match_occurrence = o.match_occurrence || o.compat_reference;
  if ((wrong = understand_word<bool>("--align", typed.align, o.align_collectives, {{"collectives", true}})))
    return wrong;
  if ((wrong = understand_word<bool>("--fail-on", typed.fail_on, o.fail_on_violations, {{"violations", true}})))
    return wrong;
  if (!typed.max_bound.empty() && (wrong = understand_time("--max-bound", typed.max_bound, o.max_bound_ps)))
    return wrong;
  std::int64_t bound_ps = 0;
  if (!typed.bound.empty()) {
    if ((wrong = understand_time("--bound", typed.bound, bound_ps))) return wrong;
    o.bound_ps = bound_ps;
  }
  return std::nullopt;
}

std::optional<fault> understand(const typed_values& typed, options& o) {
  using profkit::io_mode;
  constexpr std::uint64_t any = ~std::uint64_t{0};
  std::optional<std::uint64_t> threads;
  std::optional<fault> wrong;
  if ((wrong = understand_word<io_mode>(
           "--io", typed.io, o.io, {{"auto", io_mode::automatic}, {"map", io_mode::map}, {"read", io_mode::read}})))
    return wrong;
  if (o.what == command::validate) {
    if ((wrong = understand_validate(typed, o))) return wrong;
  } else if ((wrong =
                  understand_word<bool>("--fail-on", typed.fail_on, o.fail_on_incomplete, {{"incomplete", true}}))) {
    return wrong;
  }
  if ((wrong = understand_word<color_mode>(
           "--color", typed.color, o.color,
           {{"auto", color_mode::automatic}, {"always", color_mode::always}, {"never", color_mode::never}})))
    return wrong;
  if ((wrong = understand_word<op_order>(
           "--sort", typed.order, o.order,
           {{"total", op_order::total}, {"self", op_order::self}, {"count", op_order::count}})))
    return wrong;
  if ((wrong = understand_number("--threads", typed.threads, threads, 1, 1024))) return wrong;
  o.threads = static_cast<std::uint32_t>(threads.value_or(std::clamp(std::thread::hardware_concurrency(), 1u, 64u)));
  if (o.what == command::export_trace) {
    if ((wrong = understand_word<bool>("--compat", typed.compat, o.compat_xla, {{"xla", true}}))) return wrong;
  }
  if (o.what == command::neutrino && (wrong = understand_neutrino(typed, o))) return wrong;
  if (o.what == command::merge) return understand_merge(typed, o);
  if (o.what == command::memory) {
    if ((wrong = understand_memory(typed, o))) return wrong;
  } else if (o.what == command::bubbles) {
    if ((wrong = understand_bubbles(typed, o))) return wrong;
  } else if ((wrong = understand_number("--step", typed.step, o.step, 0, any))) {
    return wrong;
  }
  if ((wrong = understand_number("--limit", typed.limit, o.limit, 0, any))) return wrong;
  if (!typed.time.empty()) {
    profkit::result<time_window> window = parse_time_window(typed.time);
    if (!window) return wrong_value("--time", typed.time, window.error().message, window.error().hint);
    o.from_ps = window->from_ps;
    o.to_ps = window->to_ps;
  }
  return std::nullopt;
}

// What a newcomer types first: a path without a command, or "help".
std::optional<parsed_command_line> guess_intention(const std::string& first) {
  for (const command_help& c : commands)
    if (first == c.name) return std::nullopt;
  if (first.empty() || first.front() == '-') return std::nullopt;
  struct stat status {};
  if (stat(first.c_str(), &status) == 0)
    return usage_error("'" + first + "' is a path; the command is missing", "profkit report " + first);
  std::string names;
  for (const command_help& c : commands) names += std::string(names.empty() ? "" : " ") + c.name;
  return usage_error("there is no command '" + first + "'", "the commands are: " + names);
}

}  // namespace

const char* command_name(command c) noexcept {
  for (const command_help& help : commands)
    if (help.what == c) return help.name;
  return "";
}

parsed_command_line parse_command_line(int count, const char* const* arguments) {
  std::vector<std::string> words(arguments + 1, arguments + count);
  if (!words.empty() && words.front() == "help") {  // "profkit help ops" is "profkit ops --help"
    words.erase(words.begin());
    words.insert(words.begin() + (words.empty() ? 0 : 1), "--help");
  }
  if (words.empty()) words.emplace_back("--help");
  // The reference tool writes --no_correction where others write --no-correction.
  if (words.front() == "merge")
    for (std::string& word : words)
      if (word.rfind("--", 0) == 0)
        std::replace(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(std::min(word.find('='), word.size())),
                     '_', '-');
  if (std::optional<parsed_command_line> guess = guess_intention(words.front())) return std::move(*guess);

  options o;
  typed_values typed;
  CLI::App app{"Opens the profile of an ML accelerator and says what is inside", "profkit"};
  app.formatter(std::make_shared<help_formatter>());
  app.set_help_flag("-h,--help", "This text");
  app.set_version_flag("--version", "profkit " PROFKIT_VERSION, "The version");
  app.require_subcommand(1);
  app.footer(std::string("Examples:\n"
                         "  profkit report logdir          what is in the newest run below a directory\n"
                         "  profkit ops vm.xplane.pb            where the time went\n"
                         "  profkit ops --help                  options and examples of a command\n\n") +
             exit_status_help);
  for (const command_help& help : commands) add_command(app, help, o, typed);

  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(reversed);
  } catch (const CLI::CallForVersion&) {
    return {std::nullopt, "profkit " PROFKIT_VERSION "\n", exit_ok};
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    std::string text = (chosen.empty() ? &app : chosen.front())->help();
    for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
    while (text.size() > 1 && text.compare(text.size() - 2, 2, "\n\n") == 0) text.pop_back();
    return {std::nullopt, std::move(text), exit_ok};
  } catch (const CLI::ParseError& e) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    return usage_error(e.what(),
                       (chosen.empty() ? "profkit" : "profkit " + chosen.front()->get_name()) + std::string(" --help"));
  }
  if (std::optional<fault> wrong = understand(typed, o)) return usage_error(wrong->message, wrong->hint);
  return {std::move(o), {}, exit_ok};
}

}  // namespace profkit_tool
