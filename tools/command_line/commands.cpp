#include "command_line/commands.hpp"

#include <array>

namespace profkit_tool {
namespace {

constexpr std::array<command_help, 18> commands{{
    {command::report, "report", "PATH", "One screen: what the capture is and where its time went",
     "Says what was captured, on which devices, whether it is complete, which operations and modules were\n"
     "busiest, how long steps took, what collectives cost, and which command to run next.",
     "  profkit report logdir                  newest run below a TensorBoard log directory\n"
     "  profkit report vm.xplane.pb\n"
     "  profkit report logdir --json           the same and more, for programs\n"},
    {command::info, "info", "PATH", "Inventory: files, hosts, planes, lines, events, completeness",
     "Lists every file, plane and line with its kind, number of events, summed duration and span.\n"
     "--why says of a file, or of every file below a folder, how its format was told, or why it was not.",
     "  profkit info vm.xplane.pb\n"
     "  profkit info --why unknown.bin         what was looked at, and what to do instead\n"
     "  profkit info logdir --run all          every run below the directory\n"
     "  profkit info vm.xplane.pb --plane TPU:0     only planes whose name contains TPU:0\n"},
    {command::tree, "tree", "PATH", "Planes, lines, events and stats as an indented tree",
     "A first look at the raw data. --limit bounds the lines of a plane, the events of a line and the\n"
     "stats of an event (default 5). Of a trace: processes, threads, events with their arguments; of\n"
     "Ascend tables devices, streams, rows with their cells. Positions are those of info.",
     "  profkit tree vm.xplane.pb\n"
     "  profkit tree vm.xplane.pb --plane TPU:0 --line 'XLA Ops' --limit 50\n"
     "  profkit tree rank0.json.gz --limit 2\n"},
    {command::metadata, "metadata", "PATH", "Event and stat metadata tables; what a trace says of itself",
     "Every event names its operation by a metadata id; facts of an operation (flops, bytes, source) stand\n"
     "here, once, and not at its events. Of a trace: members beside its events (deviceProperties,\n"
     "distributedInfo, ...), names of processes and threads, names of events with category, count and keys\n"
     "of arguments; of Ascend the settings of the profiler and the columns of tables.",
     "  profkit metadata vm.xplane.pb --plane TPU:0\n"
     "  profkit metadata vm.xplane.pb --name fusion --limit 0\n"
     "  profkit metadata rank0.json.gz\n"},
    {command::steps, "steps", "PATH", "Training or program steps with their durations",
     "Steps come from the 'Steps' line of a device, else from its 'XLA Modules' line, else from host\n"
     "events that carry step_num; of PyTorch and Ascend from ProfilerStep#5 and other marks. The source is\n"
     "named.",
     "  profkit steps vm.xplane.pb\n"
     "  profkit steps vm.xplane.pb --limit 0 --json\n"},
    {command::ops, "ops", "PATH", "Operations by total and self time, with FLOP/s and bytes/s",
     "Totals over all events of an operation. Self time leaves out what nested operations cover, so that\n"
     "self times of a line add up to its busy time. Where events carry the device's own clock, times are\n"
     "by that; steps and times that are asked for are of the timeline. Programs are kept apart. Of PyTorch\n"
     "and Ascend: kernels by stream; where no device recorded anything, what threads of the host did.",
     "  profkit ops vm.xplane.pb --sort self\n"
     "  profkit ops vm.xplane.pb --plane TPU:0 --name fusion\n"
     "  profkit ops vm.xplane.pb --step 3           only what ran in the fourth step\n"
     "  profkit ops vm.xplane.pb --time 10s:20s     only what ran in that window\n"},
    {command::modules, "modules", "PATH", "Compiled HLO modules, and the entry computation of one",
     "Lists the modules embedded in the capture and the *.hlo_proto.pb files beside it, and says where the\n"
     "two differ. --dump prints the instructions of one entry computation.",
     "  profkit modules vm.xplane.pb\n"
     "  profkit modules vm.xplane.pb --dump train_step\n"},
    {command::framework, "framework", "PATH", "Host-side framework events and the stats they carry",
     "Totals by name of the events on host planes, then samples of them. Of PyTorch and Ascend operators,\n"
     "nn.Module scopes, frames, runtime calls and annotations.",
     "  profkit framework vm.xplane.pb\n"
     "  profkit framework vm.xplane.pb --name Execute --limit 50\n"},
    {command::collectives, "collectives", "PATH", "Collectives: asynchronous ones paired by flow, exposed time",
     "Pairs start and done events by their flow, or reads the one event that TPU captures write for both,\n"
     "and adds up synchronous collectives and kernels that communicate (NCCL, RCCL, HCCL), by kind.",
     "  profkit collectives vm.xplane.pb\n"
     "  profkit collectives vm.xplane.pb --plane TPU:0 --limit 0\n"},
    {command::chrome, "chrome", "PATH", "Chrome trace files: processes, phases, samples, the event cap",
     "Reads *.trace.json[.gz] of XLA, PyTorch (Kineto) and others. A file at the recorder's cap of one\n"
     "million events is reported as incomplete: do not total it.",
     "  profkit chrome vm.trace.json.gz\n"
     "  profkit chrome rank0.json.gz --limit 20\n"},
    {command::memory, "memory", "PATH", "Where the memory goes: buffer assignment and allocators",
     "Every compiled module and memory space with its total, its peak and what is alive there, equal to\n"
     "XProf's memory viewer; what each device's allocator held at run time; and whether the two agree.",
     "  profkit memory logdir                         the highest peak, and the fullest device\n"
     "  profkit memory vm.xplane.pb --module jit_step --top 100\n"
     "  profkit memory vm.xplane.pb --fit 32GiB       does it fit? exit status 1 when not\n"
     "  profkit memory vm.xplane.pb --what-if remat=fusion.3\n"
     "  profkit memory dump/ --no-runtime --json      for programs\n"},
    {command::bubbles, "bubbles", "PATH", "Why devices wait: idle gaps, what is around them, possible causes",
     "Every step of every device with its idle time before, inside and after its kernels; the longest gaps\n"
     "with the kernels on both sides, what the host did meanwhile, and what that may mean. For XSpace,\n"
     "Kineto and Ascend captures. Idle time is a fact, its cause never more than possible or probable.",
     "  profkit bubbles logdir\n"
     "  profkit bubbles rank0_ascend_pt --window-policy marker\n"
     "  profkit bubbles vm.xplane.pb --plane TPU:0 --threshold reportable_gap_us=200\n"
     "  profkit bubbles vm.xplane.pb --json --limit 100\n"
     "  profkit bubbles rank0_ascend_pt -o reports/    this analysis as JSON, and the architecture report\n"},
    {command::architecture, "architecture", "PATH", "What model ran: layers and their types, passes, experts, streams",
     "Reads passes, layers and their parts from the kernels of one device: attention kernels mark the\n"
     "layers, steps and sampling mark the passes. Says how sure that is, and what the capture cannot tell.\n"
     "For Ascend, Kineto and XSpace. -o DIR/ writes the report, model_architecture_report_<name>.md.",
     "  profkit architecture rank0_ascend_pt\n"
     "  profkit architecture rank0_ascend_pt -o reports/          ten sections of Markdown\n"
     "  profkit architecture rank0.json.gz --markdown | less\n"
     "  profkit architecture logdir --device TPU:0 --json         for programs\n"},
    {command::export_trace, "export", "PATH",
     "The capture for other tools: trace JSON, Perfetto, a smaller XSpace, CSV",
     "Writes every event, however many, with overlapping events on lanes of their own. The ending of FILE\n"
     "tells the format: .trace.json and .trace.json.gz for chrome://tracing and Perfetto, .pftrace for\n"
     "Perfetto, .xplane.pb for a part of an XSpace, .csv for tables. --compat xla writes what XLA writes.",
     "  profkit export logdir -o run.pftrace           open it on ui.perfetto.dev\n"
     "  profkit export vm.xplane.pb -o vm.trace.json.gz --compat xla\n"
     "  profkit export vm.xplane.pb --time 10s:20s --plane TPU:0 -o part.xplane.pb\n"
     "  profkit export rank0.json.gz --format csv | head\n"},
    {command::merge, "merge", "--traces FILE... -o FILE",
     "One timeline from the traces of many machines, their clocks aligned",
     "Maps every event to the wall clock of the reference node: device times by the clock snapshots of their\n"
     "node, host times by its measured offsets. Writes one XSpace, and FILE's stem with .metadata.json, which\n"
     "says what was done to each node and how far its times can be wrong. Installed as xprof_trace_combine,\n"
     "too. Flags may be written with _ instead of -.",
     "  profkit merge --traces node0.xplane.pb node1.xplane.pb --offsets offsets.jsonl -o combined.xspace\n"
     "  profkit merge --run-dir run123 -o combined.xspace       find traces, snapshots and offsets\n"
     "  profkit merge --traces a.xplane.pb b.xplane.pb --no-correction -o both.xspace   by wall time\n"},
    {command::validate, "validate", "TRACE...",
     "Collectives across nodes: order, arrival skew, what they say of clocks",
     "Nobody ends an all-reduce before everybody began it. Takes one merged trace, or one trace a node, and\n"
     "counts where that order is broken beyond the error of the clocks; says who comes last and whether time\n"
     "goes to waiting or to moving data. --align=collectives bounds the clocks from the collectives alone.\n"
     "Collectives of process groups that are not the whole world are compared within their group, or not\n"
     "judged; what is not judged counts as no violation. What the answers take for granted is printed.",
     "  profkit validate combined.xplane.pb\n"
     "  profkit validate node0.xplane.pb node1.xplane.pb --align=collectives\n"
     "  profkit validate --traces combined.xplane.pb --output violations.json --csv gaps.csv\n"
     "  profkit validate combined.xplane.pb --fail-on violations   exit status 1 when there are any\n"},
    {command::neutrino, "neutrino", "PATH [SLICE]", "Neutrino probe traces: inside GPU kernels, thread by thread",
     "Reads a trace folder of any release of the driver, or one result/*.bin. SLICE is launches, kernels, maps,\n"
     "records, schedule, bytes, density, progress, overhead or log; without one, a summary.",
     "  profkit neutrino trace/Apr24_231539_1860576\n"
     "  profkit neutrino trace schedule --svg schedule.svg     newest trace below the folder\n"
     "  profkit neutrino trace records --launch 3 --map block_sched --block 7\n"
     "  profkit neutrino trace bytes --json                    for programs; --csv for tables\n"},
    {command::dump, "dump", "FILE", "Any protobuf file as text or JSON, field by field",
     "Shows XSpace, HloProto and OpStats messages with field names and any other message by field number;\n"
     "nothing is hidden, unknown fields included.",
     "  profkit dump module.hlo_proto.pb | less\n"
     "  profkit dump ALL_HOSTS.op_stats_v2.pb --json --limit 0\n"
     "  profkit dump unknown.bin --type raw\n"},
}};

}  // namespace

command_table all_commands() noexcept { return {commands.data(), commands.data() + commands.size()}; }

std::unique_ptr<command_options> options_of(command what) {
  switch (what) {
    case command::dump: return dump_command_options();
    case command::memory: return memory_command_options();
    case command::bubbles: return bubbles_command_options();
    case command::architecture: return architecture_command_options();
    case command::export_trace: return export_command_options();
    case command::merge: return merge_command_options();
    case command::validate: return validate_command_options();
    case command::neutrino: return neutrino_command_options();
    default: return slice_command_options(what);
  }
}

const char* command_name(command c) noexcept {
  for (const command_help& help : commands)
    if (help.what == c) return help.name;
  return "";
}

}  // namespace profkit_tool
