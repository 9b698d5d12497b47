// profkit export: a capture as a file that other tools open.
#include "command_line/shared_options.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"
#include "quantity.hpp"
#include "report_folder.hpp"
#include "session.hpp"
#include "text.hpp"

#include <profkit/core/text.hpp>
#include <profkit/core/trace_export.hpp>

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit_tool {
namespace {

using profkit::document_status;
using profkit::fault;
using profkit::fault_code;
using profkit::grouped;
using profkit::result;
using profkit::sink;
using profkit::trace_export_options;
using profkit::trace_export_outcome;
using profkit::trace_format;

struct wanted_output {
  trace_format format = trace_format::trace_json;
  bool gzip = false;
};

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!has_ending(text, suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// What --format says, or the ending of the file's name.
result<wanted_output> understand_format(const options& asked, const std::string& format) {
  wanted_output wanted;
  std::string_view text = format.empty() ? std::string_view(asked.output_path) : format;
  std::string_view path = asked.output_path;
  wanted.gzip = take_suffix(text, ".gz") || take_suffix(path, ".gz");
  const bool by_name = format.empty();
  const auto is = [&](std::string_view name) {
    std::string_view rest = text;
    return by_name ? take_suffix(rest, "." + std::string(name)) : text == name;
  };
  if (is("trace.json") || is("json"))
    wanted.format = trace_format::trace_json;
  else if (is("pftrace") || is("perfetto") || is("perfetto-trace"))
    wanted.format = trace_format::perfetto;
  else if (is("xspace") || is("pb"))
    wanted.format = trace_format::xspace;
  else if (is("csv"))
    wanted.format = trace_format::csv;
  else {
    fault f;
    f.code = fault_code::invalid_argument;
    f.message = by_name ? asked.output_path.empty() ? "which format?" : "the name does not say the format"
                        : "--format '" + format + "': not a choice";
    f.path = by_name ? asked.output_path : "";
    f.hint = "choose one with --format: trace.json, trace.json.gz, pftrace, xspace, csv";
    return f;
  }
  return wanted;
}

result<std::unique_ptr<sink>> open_output(const options& asked, const wanted_output& wanted) {
  if (asked.output_path.empty() && isatty(STDOUT_FILENO) != 0 &&
      (wanted.gzip || wanted.format == trace_format::perfetto || wanted.format == trace_format::xspace)) {
    fault f;
    f.code = fault_code::invalid_argument;
    f.message = "this would write binary data to the terminal";
    f.hint = "name a file with -o";
    return f;
  }
  std::unique_ptr<sink> out;
  if (asked.output_path.empty()) {
    out = profkit::descriptor_sink(STDOUT_FILENO, "standard output");
  } else {
    result<std::unique_ptr<sink>> file = profkit::atomic_file_sink(asked.output_path);
    if (!file) return std::move(file).error();
    out = std::move(file).value();
  }
  if (wanted.gzip) out = profkit::gzip_sink(std::move(out), asked.threads);
  return out;
}

// One or two lines for people: what is in the file, and what is not.
void print_outcome(const options& asked, const trace_export_outcome& outcome, trace_format format) {
  std::string text = "profkit: ";
  text += asked.output_path.empty() ? std::string("wrote ") : profkit::escape_for_terminal(asked.output_path) + ": ";
  text += count_of(outcome.events, "event") + " on " + count_of(outcome.tracks, "track");
  if (outcome.lanes > 0) text += ", " + count_of(outcome.lanes, "more lane") + " for events that overlap";
  if (outcome.counters > 0) text += ", " + count_of(outcome.counters, "counter value");
  if (outcome.flows > 0 && format != trace_format::csv)
    text += ", " + count_of(outcome.flows, "end of a flow", "ends of flows");
  text += '\n';
  const auto left_out = [&](std::uint64_t n, const char* what, const char* why) {
    if (n > 0) text += "  left out: " + count_of(n, what) + ' ' + why + '\n';
  };
  left_out(outcome.aggregated_left_out, "total", "without a place in time");
  left_out(outcome.out_of_reach, "event", "more than 106 days from the origin");
  if (outcome.crowded > 0)
    text += "  " + count_of(outcome.crowded, "event") + " still overlap: a line has more than 512 at once\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

// Whether a file, redacted, is what was asked for: a capture of the same kind is worth more than what can be shown of it.
bool is_of_format(const profkit::capture_file& file, trace_format format) {
  using profkit::file_content;
  switch (profkit::content_of(file.family)) {
    case file_content::planes:
    case file_content::module:
    case file_content::op_totals: return format == trace_format::xspace;
    case file_content::trace_events:
    case file_content::settings: return format == trace_format::trace_json;
    case file_content::kernel_table:
    case file_content::totals_table: return format == trace_format::csv;
    default: return false;
  }
}

bool has_filters(const options& asked) {
  const profkit::query_filters f = filters_of(asked, 0);
  return !f.host.empty() || !f.plane.empty() || !f.line.empty() || !f.name.empty() || f.step || f.from_ps || f.to_ps;
}

// The bytes of one file of a redacted capture.
result<void> copy_file(const profkit::capture& what, std::size_t file, const std::string& path, std::uint32_t threads) {
  result<std::unique_ptr<sink>> opened = profkit::atomic_file_sink(path);
  if (!opened) return std::move(opened).error();
  std::unique_ptr<sink> out = std::move(opened).value();
  std::string_view name = path;
  if (take_suffix(name, ".gz")) out = profkit::gzip_sink(std::move(out), threads);
  if (result<void> done = out->write(what.held[file].bytes); !done) return done;
  return out->finish();
}

// The files of a redacted capture, in the folder as they lie in the capture, or the one file that it has.
int export_files(const options& asked, const profkit::profile& capture, bool into_folder, const terminal& errors) {
  const profkit::capture& what = capture.what();
  std::vector<profkit::file_damage> losses;
  std::vector<std::pair<std::size_t, std::string>> paths;  // of files that are written
  for (std::size_t i = 0; i < what.files.size(); ++i) {
    const profkit::capture_file& file = what.files[i];
    if (const profkit::fault* why = capture.file_fault(i)) losses.push_back({static_cast<std::uint32_t>(i), *why});
    if (what.held[i].bytes.empty() || profkit::content_of(file.family) == profkit::file_content::nothing) continue;
    std::string path = asked.output_path;
    if (into_folder) {
      std::string_view below = file.path;
      take_suffix(below, ".zst");
      if (below.size() > what.path.size()) below.remove_prefix(what.path.size() + 1);  // else the capture is this file
      path = file_in(asked.output_path, std::string(below));
    }
    for (const std::string& read : what.read_from)
      if (is_same_file(path, read)) return fail(asked, output_is_input(path), errors);
    paths.emplace_back(i, std::move(path));
  }
  for (const auto& [i, path] : paths) {
    std::error_code failed;
    if (into_folder) std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
    if (failed)
      return fail(asked, {fault_code::output, "the folder cannot be made: " + failed.message(), path, profkit::no_offset, ""}, errors);
    if (result<void> copied = copy_file(what, i, path, asked.threads); !copied) return fail(asked, copied.error(), errors);
  }
  if (!asked.quiet) {
    const std::string text =
        "profkit: " + profkit::escape_for_terminal(asked.output_path) + ": " + count_of(paths.size(), "redacted file") + '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  return print_losses(asked, losses, !paths.empty(), errors);
}

int run_export(const options& asked, const std::string& format, trace_export_options what) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  const bool into_folder = asked.redact && names_folder(asked.output_path);
  const result<wanted_output> wanted = into_folder ? wanted_output{} : understand_format(asked, format);
  if (!wanted) return fail(asked, wanted.error(), errors);
  progress_line progress(!asked.quiet);
  const profkit::hooks hooks = progress.hooks(asked.threads);

  auto opened = open_asked(asked, progress, hooks);
  if (!opened) return fail(asked, opened.error(), errors);
  const profkit::profile& capture = **opened;
  const profkit::trace of(*opened);
  if (is_input_of(capture.what(), asked.output_path)) return fail(asked, output_is_input(asked.output_path), errors);

  if (!asked.output_path.empty()) catch_interrupts();
  if (into_folder) {
    if (has_filters(asked) || what.like_xla || what.waits || !format.empty()) {
      return fail(asked, {fault_code::invalid_argument, "a folder takes the files as they are", asked.output_path, profkit::no_offset,
                          "leave filters and formats out, or name a file"}, errors);
    }
    return export_files(asked, capture, true, errors);
  }
  const std::vector<profkit::capture_file>& files = capture.what().files;
  if (asked.redact && files.size() == 1 && !asked.output_path.empty() && !has_filters(asked) && !what.like_xla &&
      is_of_format(files.front(), wanted->format))
    return export_files(asked, capture, false, errors);
  result<std::unique_ptr<sink>> out = open_output(asked, *wanted);
  if (!out) return fail(asked, out.error(), errors);
  what.format = wanted->format;
  what.filters = filters_of(asked, what.filters.limit);
  what.host = hooks;
  if (!what.like_xla)
    if (result<void> fits = profkit::check_filters(of, what.filters, hooks); !fits)
      return fail(asked, fits.error(), errors);
  result<trace_export_outcome> exported = profkit::export_trace(of, what, **out);
  progress.clear();
  if (!exported) return fail(asked, exported.error(), errors);
  if (exported->status == document_status::absent) {
    const std::string text =
        "profkit: [absent] " + profkit::escape_for_terminal(exported->absent) + "; nothing was written\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
    return exit_ok;
  }
  // A file that holds nothing does not replace one that may hold something.
  const bool usable = exported->status != document_status::error;
  if (usable) {
    if (result<void> finished = (*out)->finish(); !finished) return fail(asked, finished.error(), errors);
    if (!asked.quiet) print_outcome(asked, *exported, wanted->format);
  }
  std::vector<profkit::file_damage> losses = exported->damage;
  for (profkit::file_damage& loss : losses)
    if (loss.what.path.empty() && loss.file < capture.what().files.size())
      loss.what.path = capture.what().files[loss.file].path;
  return print_losses(asked, losses, usable, errors);
}

class export_command_options final : public command_options {
 public:
  void list(option_list& all) override {
    list_path(all, *this);
    filters_.list(all, *this);
    all.group("Output");
    all.value("--format", format_, "WHICH", "trace.json, trace.json.gz, pftrace, xspace or csv")
        .offer_words({"trace.json", "trace.json.gz", "pftrace", "xspace", "csv"})
        .add_to_manual("The default is the ending of the file's name.");
    all.value("--compat", compat_.typed, "WHAT", "'xla': trace.json byte for byte as XLA's converter writes it")
        .offer_words(compat_.words())
        .add_to_manual("It takes one XSpace and no filters.");
    all.flag("--waits", what_.waits, "pftrace: the steps of each device, and why it waited, as tracks");
    list_output(all, *this);
    output_.list_color(all);
    all.flag("-q,--quiet", quiet, "No progress and no summary on standard error");
    input_.list(all, *this);
  }
  [[nodiscard]] std::optional<fault> understand() override {
    if (auto wrong = compat_.understand("--compat", what_.like_xla)) return wrong;
    if (auto wrong = input_.understand(*this)) return wrong;
    if (auto wrong = output_.understand(*this)) return wrong;
    return filters_.understand(*this);
  }
  [[nodiscard]] int run_command() const override { return run_export(*this, format_, what_); }

 private:
  std::string format_;
  trace_export_options what_;
  choice<bool> compat_{{"xla", true}};
  filter_words filters_;
  output_words output_;
  input_words input_;
};

}  // namespace

extern const command_description export_command = {
    "export",
    "PATH",
    "The capture for other tools: trace JSON, Perfetto, a smaller XSpace, CSV",
    "Writes every event, however many, with overlapping events on lanes of their own. The ending of FILE\n"
    "gives the format: .trace.json and .trace.json.gz for chrome://tracing and Perfetto, .pftrace for\n"
    "Perfetto, .xplane.pb for a part of an XSpace, .csv for tables. --compat xla writes what XLA writes.\n"
    "With --redact, a file of the same kind as the capture's, or a folder, is the capture itself with\n"
    "aliases for names, hosts, paths and texts, which every tool opens as it does the capture.",
    "  profkit export logdir -o run.pftrace           open it on ui.perfetto.dev\n"
    "  profkit export logdir -o run.pftrace --waits   with why devices waited\n"
    "  profkit export vm.xplane.pb -o vm.trace.json.gz --compat xla\n"
    "  profkit export vm.xplane.pb --time 10s:20s --plane TPU:0 -o part.xplane.pb\n"
    "  profkit export logdir --redact -o shared/          the files, without names of yours\n"
    "  profkit export rank0.json.gz --format csv | head\n",
    make_options<export_command_options>,
};

}  // namespace profkit_tool
