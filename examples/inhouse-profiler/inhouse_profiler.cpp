// An in-house profiler that embeds profkit, end to end: it records a short training run on two nodes, writes each
// node's capture, reopens one with progress, lets itself be cancelled, merges both nodes into one timeline, and tells
// why the devices waited.
#include <profkit/profkit.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t us = 1'000'000;  // ps
constexpr std::int64_t node_count = 2;
constexpr std::int64_t step_count = 4;
constexpr std::int64_t step_length = 1000 * us;
constexpr std::int64_t start_ns = 1'700'000'000'000'000'000;

// ---- what the host's own recorder would have seen ----

struct span {
  const char* name;
  std::int64_t start_ps;
  std::int64_t duration_ps;
};

// Of one step: the device computes, waits for the loader of the host, computes, and exchanges gradients.
constexpr std::array<span, 4> device_spans{{{"embedding_fusion", 20 * us, 180 * us},
                                            {"attention_fusion", 210 * us, 250 * us},
                                            {"mlp_fusion", 700 * us, 200 * us},
                                            {"all-reduce.1", 905 * us, 80 * us}}};
constexpr std::array<span, 2> host_spans{
    {{"BufferFromHostBuffer", 455 * us, 230 * us}, {"ExecuteStep", 5 * us, 10 * us}}};

template <class T>
T taken(profkit::lib::result<T> result) {
  if (!result) {
    std::cerr << result.error().path() << ": " << result.error().message() << '\n' << result.error().hint() << '\n';
    std::exit(1);
  }
  return std::move(*result);
}

pk_value integer(std::int64_t value) {
  pk_value made{};
  made.kind = PK_VALUE_INT64;
  made.bits = static_cast<std::uint64_t>(value);
  return made;
}

template <class Spans>
void write_line(profkit::lib::xspace_writer& writer, std::int64_t id, const char* name, const Spans& spans,
                std::int64_t delay) {
  writer.begin_line(id, name, 0);
  const std::int64_t step_stat = writer.stat_metadata("step");
  for (std::int64_t step = 0; step < step_count; ++step)
    for (const span& each : spans) {
      writer.event(writer.event_metadata(each.name), step * step_length + each.start_ps + delay, each.duration_ps);
      writer.event_stat(step_stat, integer(step));
    }
  writer.end_line();
}

// ---- 1: write a capture of each node ----

void write_node(const std::string& path, std::int64_t node) {
  auto writer = taken(profkit::lib::xspace_writer::open(path.c_str()));
  writer.note(PK_NOTE_HOSTNAME, "trainer-" + std::to_string(node));
  const std::int64_t delay = node * 3 * us;  // the second node is a little late

  writer.begin_plane("/device:GPU:0", 1);
  writer.begin_line(1, "Steps", 0);
  for (std::int64_t step = 0; step < step_count; ++step)
    writer.event(writer.event_metadata(std::to_string(step)), step * step_length + delay, 990 * us);
  writer.end_line();
  write_line(writer, 2, "XLA Ops", device_spans, delay);
  writer.end_plane();

  writer.begin_plane("/host:CPU", 2);
  write_line(writer, 3, "python", host_spans, delay);
  writer.end_plane();

  writer.begin_plane("Task Environment", 3);
  writer.plane_stat(writer.stat_metadata("profile_start_time"), integer(start_ns));
  writer.end_plane();
  taken(writer.finish());
  std::cout << "wrote " << path.substr(path.rfind('/') + 1) << '\n';
}

// ---- 2: reopen it, with progress ----

struct progress_bar {
  int calls = 0;
  std::uint64_t furthest = 0;
};

std::int32_t show_progress(void* user, std::uint64_t done, std::uint64_t total) {
  auto& bar = *static_cast<progress_bar*>(user);
  ++bar.calls;
  bar.furthest = std::max(bar.furthest, done);
  if (total > (1U << 20)) std::cerr << "\r  " << done * 100 / total << " %" << std::flush;
  return 0;  // non-zero would stop the work
}

void reopen(const std::string& path) {
  progress_bar bar;
  pk_hooks hooks = PK_HOOKS_INIT;
  hooks.user = &bar;
  hooks.progress = show_progress;
  hooks.threads = 2;
  pk_open_options options = PK_OPEN_OPTIONS_INIT;
  options.hooks = &hooks;
  const auto profile = taken(profkit::lib::profile::open(path.c_str(), &options));
  std::uint64_t events = 0;
  for (const profkit::lib::file file : profile.files())
    for (const profkit::lib::plane plane : file.planes())
      for (const profkit::lib::line line : plane.lines()) events += line.summary().event_count;
  std::cout << "reopened " << events << " events\n";
}

// ---- 3: a user presses "stop" ----

void cancel(const std::string& path) {
  auto token = taken(profkit::lib::cancel_token::make());
  const auto profile = taken(profkit::lib::profile::open(path.c_str()));
  pk_hooks hooks = PK_HOOKS_INIT;
  hooks.cancel = token.get();
  pk_document_options options = PK_DOCUMENT_OPTIONS_INIT;
  options.hooks = &hooks;
  token.cancel();  // from any thread
  const auto document = profile.document_text(PK_DOCUMENT_REPORT, &options);
  std::cout << "a stopped report is \"" << (document ? "ok" : pk_status_name(document.error().code())) << "\"\n";
}

// ---- 4: both nodes on one timeline ----

void merge(const std::vector<std::string>& paths, const std::string& output) {
  std::vector<const char*> traces;
  for (const std::string& path : paths) traces.push_back(path.c_str());
  pk_merge_options options = PK_MERGE_OPTIONS_INIT;
  options.traces = traces.data();
  options.trace_count = traces.size();
  options.output = output.c_str();
  options.correction = PK_CORRECTION_WALLTIME;
  const auto merged = taken(profkit::lib::merge::run(options));
  std::uint64_t events = 0;
  for (std::size_t node = 0; node < merged.node_count(); ++node) events += merged.node(node).events;
  std::cout << "merged " << merged.node_count() << " nodes, " << events << " events\n";
}

// ---- 5: why did the devices wait? ----

void explain(const std::string& path) {
  const auto profile = taken(profkit::lib::profile::open(path.c_str()));
  const auto bubbles = taken(profile.find_bubbles());
  std::int64_t busy = 0;
  std::int64_t whole = 0;
  std::size_t steps = 0;
  auto all_steps = taken(bubbles.rows<pk_bubble_step>());
  for (const pk_bubble_step& step : all_steps) {
    ++steps;
    busy += step.busy_ps;
    whole += step.end_ps - step.start_ps;
  }
  std::cout << steps << " steps, busy " << (whole == 0 ? 0 : busy * 100 / whole) << " %\n";
  constexpr std::array<const char*, 6> causes{"the host synchronises or copies to the device",
                                              "the device waits for other devices",
                                              "the host is blocked by what was not traced",
                                              "the host launches too late",
                                              "Python holds a lock or serialises",
                                              "what, the evidence does not tell"};  // in the order of PK_BUBBLE_LABEL_
  pk_bubble longest{};
  auto gaps = taken(bubbles.rows<pk_bubble>());
  for (const pk_bubble& gap : gaps)
    if (gap.scope == PK_BUBBLE_SCOPE_STEP_INTERNAL && gap.end_ps - gap.start_ps > longest.end_ps - longest.start_ps)
      longest = gap;
  if (longest.end_ps == longest.start_ps) return;
  std::cout << "longest wait: " << (longest.end_ps - longest.start_ps) / us << " us before "
            << std::string(longest.after.data, longest.after.size) << '\n';
  for (std::size_t bit = 0; bit < causes.size(); ++bit)
    if ((longest.labels >> bit & 1U) != 0) std::cout << "  possibly: " << causes[bit] << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FOLDER\n";
    return 2;
  }
  const std::string folder = argv[1];
  std::vector<std::string> paths;
  for (std::int64_t node = 0; node < node_count; ++node) {
    paths.push_back(folder + "/node" + std::to_string(node) + ".xplane.pb");
    write_node(paths.back(), node);
  }
  reopen(paths[0]);
  cancel(paths[0]);
  const std::string combined = folder + "/combined.xplane.pb";
  merge(paths, combined);
  explain(paths[0]);
}
