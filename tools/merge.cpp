// profkit merge: one timeline from the traces of many machines.
#include "command_line/shared_options.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/collectives.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/merge.hpp>
#include <profkit/core/picture.hpp>
#include <profkit/core/text.hpp>
#include <profkit/core/trace_export.hpp>

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit_tool {
namespace {

using namespace profkit;

struct merge_asked : command_options {
  merge_options merge;  // but for io
  bool trace_json = false, validate_merged = false, print_events = false, print_collectives = false;
  bool align_collectives = false;
  std::int64_t max_bound_ps = 1000000000;
  bool scheme_chosen = false;  // the names of planes were asked for
};

constexpr std::size_t max_rows = 32;

// "run/combined.xspace" gives "run/combined".
std::string stem_of(const std::string& output) {
  for (const std::string_view ending : {".xplane.pb", ".xspace.pb", ".xspace", ".pb", ".trace.json.gz", ".trace.json", ".json.gz", ".json",
                                        ".pftrace", ".perfetto-trace"})
    if (output.size() > ending.size() && output.compare(output.size() - ending.size(), ending.size(), ending) == 0)
      return output.substr(0, output.size() - ending.size());
  const std::size_t slash = output.rfind('/'), dot = output.rfind('.');
  const bool has_stem = dot != std::string::npos && dot > 0 && (slash == std::string::npos || dot > slash + 1);
  return has_stem ? output.substr(0, dot) : output;
}

// What a file is to be, by the ending of its name: an XSpace, unless it says something else.
trace_format format_of_name(std::string_view name) {
  const auto ends = [&name](std::string_view ending) { return has_ending(name, ending); };
  if (ends(".json") || ends(".json.gz")) return trace_format::trace_json;
  return ends(".pftrace") || ends(".perfetto-trace") ? trace_format::perfetto : trace_format::xspace;
}

bool contains(std::string text, std::string_view part) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text.find(part) != std::string::npos;
}

// What --print-collectives takes for one, as the reference tool does.
bool is_collective(const merge_observer::event& e) {
  const std::string name(e.name), op(e.op);
  if (contains(name, "rccl") || contains(name, "nccl")) return true;
  for (const char* part : {"reduce", "gather", "scatter", "all-to-all"})
    if (op.find(part) != std::string::npos) return true;
  return false;
}

// Prints events in the words of the reference tool.
class printing_observer final : public merge_observer {
 public:
  printing_observer(const merge_asked& asked, text_output& out) : asked_(asked), out_(out) {}

  result<void> take(const event& e) override {
    const std::string after = std::to_string(rounded(e.after_ns, e.after_sub_ps));
    if (asked_.print_collectives && is_collective(e)) print_collective(e, after);
    if (asked_.print_events)
      out_.line("    Node " + std::to_string(e.node) + " Plane '" + escape_for_terminal(e.plane) + "' Line " +
                std::to_string(e.line_id) + " Event " + std::to_string(e.index) + ": meta='" +
                escape_for_terminal(e.name) + "', ts=" + after + " ns");
    return {};
  }

 private:
  static std::int64_t rounded(std::int64_t ns, std::int64_t sub_ps) { return sub_ps >= 500 ? ns + 1 : ns; }

  // e_h0 is the collective of node 0 with the same number; "-" where there is none.
  void print_collective(const event& e, const std::string& after) {
    if (e.node != node_) {
      node_ = e.node;
      printed_ = 0;
    }
    const std::size_t k = printed_++;
    if (e.node == 0) first_node_.push_back(after);
    const std::string first = k < first_node_.size() ? first_node_[k] + "ns" : "-";
    const std::int64_t applied = e.before_ns - e.after_ns;
    out_.line("  COLLECTIVE node=" + std::to_string(e.node) + " corr_id=" + std::to_string(e.correlation_id) + " op='" +
              escape_for_terminal(e.op.empty() ? e.name : e.op) +
              "' e_un=" + std::to_string(rounded(e.recorded_ns, e.recorded_sub_ps)) + "ns e_h0=" + first +
              " offset_applied=" + std::to_string(applied) + "ns e_final=" + after + "ns");
  }

  const merge_asked& asked_;
  text_output& out_;
  std::int64_t node_ = -1;
  std::size_t printed_ = 0;
  std::vector<std::string> first_node_;
};

std::string signed_duration(std::int64_t ps) {
  return (ps < 0 ? "-" : "") +
         human_duration_unsigned(ps < 0 ? 0 - static_cast<std::uint64_t>(ps) : static_cast<std::uint64_t>(ps));
}

void print_merged_nodes(const merge_result& r, text_output& out, std::size_t columns) {
  table t;
  t.right("node").flexible("host", cut::end, 8).left("times").right("events").right("correction");
  t.right("device +-").right("host +-").right("snapshots").right("offsets").left("");
  for (std::size_t i = 0; i < r.nodes.size() && i < max_rows; ++i) {
    const merged_node& n = r.nodes[i];
    const auto device = n.bounds.widest(clock_domain::tracer), host = n.bounds.widest(clock_domain::host);
    std::string notes;
    if (n.aligned_before) notes = "merged before";
    if (n.method == "collectives") notes = "by collectives";
    if (!n.anomalies.empty()) notes = "see warnings";
    if (!n.incomplete.empty()) notes = "incomplete";
    t.row({std::to_string(n.id), escape_for_terminal(n.hostname), node_status_name(n.status), grouped(n.events),
           n.status == node_status::corrected && !n.aligned_before ? signed_duration(n.max_correction_ps) : "-",
           device ? human_duration(*device) : "unknown", host ? human_duration(*host) : "unknown", grouped(n.snapshots),
           grouped(n.offset_windows), notes});
  }
  t.print(out, columns);
  if (r.nodes.size() > max_rows)
    out.line("  … " + grouped(static_cast<std::uint64_t>(r.nodes.size() - max_rows)) +
             " more (the metadata has them)");
}

void print_merge_summary(const merge_result& r, const options& asked, const std::vector<std::string>& written,
                         text_output& out) {
  print_heading(out, "Merged " + grouped(r.events) + (r.events == 1 ? " event of " : " events of ") +
                         std::to_string(r.nodes.size()) + (r.nodes.size() == 1 ? " node" : " nodes") +
                         (r.run_id.empty() ? "" : ", run " + escape_for_terminal(r.run_id)));
  print_merged_nodes(r, out, asked.wide ? 0 : out.screen().columns);
  for (const std::string& path : written) out.line("wrote " + escape_for_terminal(path));
}

void warn(const options& asked, const merge_result& r, const terminal& errors) {
  if (asked.quiet) return;
  for (const std::string& w : r.warnings) {
    const std::string text = errors.paint("profkit: ", style::dim) + errors.paint("warning: ", style::warning) +
                             escape_for_terminal(w) + '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

using open_profile = std::shared_ptr<const profile>;

result<open_profile> open_merged(const std::string& path, const options& asked, const hooks& host) {
  open_options how;
  how.io = asked.io;
  how.host = host;
  return profile::open(path, how);
}

// A file that goes when this does.
class passing_file {
 public:
  explicit passing_file(std::string path) : path_(std::move(path)) {}
  ~passing_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  passing_file(const passing_file&) = delete;
  passing_file& operator=(const passing_file&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Puts the name of a host, and why the trace is incomplete, into trace JSON as it is written.
class host_naming_sink final : public sink {
 public:
  host_naming_sink(sink& inner, std::string_view host, std::string_view incomplete) : inner_(inner) {
    if (!host.empty()) head_ += "\"host_name\":" + quoted(host) + ',';
    if (!incomplete.empty()) head_ += "\"profkit_incomplete\":[" + quoted(incomplete) + "],";
  }
  result<void> write(std::string_view bytes) override {
    if (!head_.empty() && !bytes.empty() && bytes.front() == '{') {
      if (auto ok = inner_.write('{' + std::exchange(head_, {})); !ok) return ok;
      bytes.remove_prefix(1);
    }
    head_.clear();
    return inner_.write(bytes);
  }
  result<void> finish() override { return inner_.finish(); }

 private:
  static std::string quoted(std::string_view text) {
    std::string json = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') json += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) json += c;
    }
    return json + '"';
  }

  sink& inner_;
  std::string head_;
};

result<std::unique_ptr<sink>> open_merge_output(const std::string& path, const hooks& host) {
  auto into = atomic_file_sink(path);
  constexpr std::string_view gz = ".gz";
  if (into && path.size() > gz.size() && path.compare(path.size() - gz.size(), gz.size(), gz) == 0)
    return gzip_sink(std::move(into).value(), host.threads);
  return into;
}

result<void> write_trace_json(const open_profile& merged, const std::string& path, const hooks& host) {
  auto into = atomic_file_sink(path);
  if (!into) return std::move(into).error();
  const auto zipped = gzip_sink(std::move(into).value(), host.threads);
  trace_export_options o;
  o.like_xla = true;
  o.host = host;
  auto outcome = export_trace(profkit::trace(merged), o, *zipped);
  if (!outcome) return std::move(outcome).error();
  return zipped->finish();
}

// The report goes to a file; the counts are printed in the words that were agreed on.
std::string counts_of(const validation_result& found) {
  return "Violations: " + grouped(found.violations) + ", Overlaps: " + grouped(found.overlaps) +
         ", Warnings: " + grouped(found.warnings) +
         (found.absent.empty() ? "" : "\nNothing was compared: " + found.absent);
}

result<validation_result> write_validation_file(const open_profile& merged, const std::string& path,
                                                const hooks& host) {
  auto into = atomic_file_sink(path);
  if (!into) return std::move(into).error();
  validation_options o;
  o.host = host;
  auto found = validate_collectives_of(profkit::trace(merged), o);
  if (!found) return std::move(found).error();
  auto written = write_validation(*found, nullptr, **into, profkit::default_document_limit);
  if (!written) return std::move(written).error();
  if (auto ok = (*into)->finish(); !ok) return std::move(ok).error();
  return found;
}

// Whether there is a file that merging into it would destroy: one below the run folder, which may be an input, unless
// it is what an earlier merge left there.
bool would_destroy(const std::string& output, const merge_options& m, const hooks& host) {
  std::error_code ignored;
  if (m.run_dir.empty() || !std::filesystem::exists(output, ignored) || path_below(m.run_dir, output).empty())
    return false;
  open_options how;
  how.host = host;
  const auto opened = profile::open(output, how);
  if (!opened) return true;
  for (const capture_file& file : (*opened)->what().files)
    if (file.node >= 0) return false;
  const auto info = analyse_info(profkit::trace(*opened), {}, host);
  if (!info) return true;
  for (const file_info& file : info->files)
    for (const plane_info& plane : file.planes)
      if (plane.name.find("/clock_metadata") != std::string_view::npos) return false;
  return true;
}

// An output that would replace one of the inputs.
const std::string* input_at(const std::string& output, const merge_options& m) {
  for (const auto* list : {&m.traces, &m.snapshots})
    for (const std::string& path : *list)
      if (is_same_file(output, path)) return &path;
  for (const std::string* path : {&m.offsets, &m.run_metadata})
    if (is_same_file(output, *path)) return path;
  return nullptr;
}

// What the collectives of the traces say of the clocks. A trace that cannot be opened is reported by the merge.
result<given_clocks> compare_clocks(const merge_asked& asked, const merge_options& what, const hooks& host) {
  auto inputs = list_merge_inputs(what, host);
  if (!inputs) return std::move(inputs).error();
  std::vector<std::shared_ptr<const trace>> traces;
  for (const merge_input& input : inputs->traces) {
    open_options how;
    how.io = asked.io;
    how.host = host;
    auto opened = profile::open(input.trace, how);
    if (!opened && opened.error().code == fault_code::cancelled) return std::move(opened).error();
    traces.push_back(opened ? std::make_shared<const trace>(std::move(*opened)) : nullptr);
  }
  return clocks_by_collectives(*inputs, traces, asked.max_bound_ps, host);
}

// Devices and pipes: what goes there is not a file, and nothing can be named after it.
bool is_special(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

// One merge with the files beside it.
class merge_work {
 public:
  explicit merge_work(const merge_asked& asked)
      : asked_(asked),
        errors_(look_at_terminal(STDERR_FILENO, asked.color)),
        progress_(!asked.quiet),
        host_(progress_.hooks(asked.threads)) {}

  int run() {
    if (auto ok = plan(); !ok) return fail(ok.error());
    catch_interrupts();
    auto out = text_output::open("", asked_.color);
    if (!out) return fail(out.error());
    if (auto ok = merge(*out); !ok) return fail(ok.error());
    warn(asked_, merged_, errors_);
    if (auto ok = write_offsets(); !ok) return fail(ok.error());
    // What was merged is explained even where a file beside it could not be written.
    const result<void> beside = write_beside();
    if (auto ok = write_metadata(); !ok) return fail(ok.error());
    if (!beside) return fail(beside.error());
    if (auto ok = draw_clocks(); !ok) return fail(ok.error());
    result_printed_ = true;
    if (auto ok = print_result(*out); !ok) return fail(ok.error());
    return exit_ok;
  }

 private:
  // Names the files, and makes sure that none of them is an input.
  result<void> plan() {
    missing_.push_back(asked_.output_path);
    if (!is_special(asked_.output_path)) {
      const std::string stem = stem_of(asked_.output_path);
      metadata_path_ = stem + ".metadata.json";
      missing_.push_back(metadata_path_);
      if (!asked_.svg_path.empty()) missing_.push_back(asked_.svg_path);
      if (asked_.trace_json) missing_.push_back(trace_json_path_ = stem + ".trace.json.gz");
      if (asked_.validate_merged) missing_.push_back(violations_path_ = stem + ".violations.json");
    } else if (asked_.trace_json || asked_.validate_merged) {
      fault f;
      f.code = fault_code::invalid_argument;
      f.message = std::string(asked_.trace_json ? "--trace-json" : "--validate") +
                  " writes a file beside the output, which is no file but a device or a pipe";
      f.path = asked_.output_path;
      f.hint = "name a file with --output";
      return f;
    }
    format_ = format_of_name(asked_.output_path);
    if (asked_.trace_json && format_ == trace_format::trace_json)
      return fault{fault_code::invalid_argument, "--trace-json: the output is trace JSON already", asked_.output_path, no_offset,
                   "leave the option out, or name an XSpace with --output"};
    if (!asked_.offsets_path.empty()) missing_.push_back(asked_.offsets_path);
    for (const std::string& path : missing_)
      if (input_at(path, asked_.merge) != nullptr) return output_is_input(path);
    if (would_destroy(asked_.output_path, asked_.merge, host_)) return output_is_input(asked_.output_path);
    return {};
  }

  result<void> merge(text_output& out) {
    auto into = open_merge_output(asked_.output_path, host_);
    if (!into) return std::move(into).error();
    if (!metadata_path_.empty()) {
      auto metadata = atomic_file_sink(metadata_path_);
      if (!metadata) return std::move(metadata).error();
      metadata_ = std::move(*metadata);
    }
    merge_options what = asked_.merge;
    if (auto ok = choose_format(what); !ok) return ok;
    if (asked_.align_collectives) {
      auto clocks = compare_clocks(asked_, what, host_);
      progress_.clear();
      if (!clocks) return std::move(clocks).error();
      what.given = std::move(*clocks);
    }
    printing_observer observer(asked_, out);
    const bool prints = asked_.print_events || asked_.print_collectives;
    std::unique_ptr<sink> first;
    if (passing_) {
      auto opened = atomic_file_sink(passing_->path());
      if (!opened) return std::move(opened).error();
      first = std::move(opened).value();
    }
    auto merged = merge_traces(what, first ? *first : **into, host_, prints ? &observer : nullptr);
    progress_.clear();
    if (!merged) return std::move(merged).error();
    merged_ = std::move(*merged);
    for (merged_node& node : merged_.nodes)
      for (const converted_input& input : converted_)
        if (node.trace == input.as->path()) node.trace = input.from;
    if (first) {
      if (auto ok = first->finish(); !ok) return ok;
      first.reset();
      if (auto ok = export_merged(**into); !ok) return ok;
    }
    return finish(**into, asked_.output_path);
  }

  // Trace JSON merges into trace JSON, XSpaces into an XSpace; another format is made of that.
  result<void> choose_format(merge_options& what) {
    auto inputs = list_merge_inputs(what, host_);
    if (!inputs) return std::move(inputs).error();
    const auto is_json = [](const merge_input& i) { return i.is_json; };
    const bool into_xspace = format_ == trace_format::xspace;
    if (!into_xspace && std::any_of(inputs->traces.begin(), inputs->traces.end(), is_json))
      for (const merge_input& input : inputs->traces)
        if (auto ok = input.is_json ? result<void>() : as_json(input, what); !ok) return ok;
    const bool from_json = std::all_of(inputs->traces.begin(), inputs->traces.end(), [&](const merge_input& i) { return i.is_json || !converted_.empty(); });
    what.output = into_xspace || !from_json ? merged_format::xspace : merged_format::trace_json;
    const bool direct = into_xspace || (from_json && format_ == trace_format::trace_json);
    if (!direct) passing_ = std::make_unique<passing_file>(asked_.output_path + (from_json ? ".part.trace.json" : ".part.xspace"));
    // Names that say the node.
    if (!direct && !from_json && !asked_.scheme_chosen) what.scheme = plane_scheme::node;
    return {};
  }

  // An XSpace beside trace JSON: the same events as trace JSON, named so that it stays the node that it is.
  result<void> as_json(const merge_input& input, merge_options& what) {
    auto opened = open_merged(input.trace, asked_, host_);
    if (!opened) return std::move(opened).error();
    const std::vector<std::uint32_t>& spaces = (*opened)->files_with(profkit::file_content::planes);
    const std::size_t file = spaces.empty() ? 0 : spaces.front();
    const auto snapshots = read_embedded_snapshots((*opened)->bytes(file));
    if (!snapshots || !snapshots->pairs.empty())
      return fault{fault_code::unsupported, "node " + std::to_string(input.node_id) + ": its devices have a clock of their own, which trace JSON cannot say",
                   input.trace, no_offset, "Merge the XSpaces by themselves: trace JSON beside them has one clock for host and devices."};
    const std::string path = asked_.output_path + ".part-node" + std::to_string(input.node_id) + ".trace.json";
    converted_.push_back({std::make_unique<passing_file>(path), input.trace});
    auto into = atomic_file_sink(path);
    if (!into) return std::move(into).error();
    const auto info = analyse_info(profkit::trace(*opened), {}, host_);
    std::string lost = info && !info->reasons.empty() ? info->reasons.front() : std::string();
    const std::string path_of_it = (*opened)->what().files[file].path + ": ";
    if (lost.compare(0, path_of_it.size(), path_of_it) == 0) lost.erase(0, path_of_it.size());
    host_naming_sink naming(**into, info && !info->files.empty() && !info->files.front().hosts.empty() ? info->files.front().hosts.front() : "", lost);
    trace_export_options o;
    o.host = host_;
    auto outcome = export_trace(profkit::trace(*opened), o, naming);
    progress_.clear();
    if (!outcome) return std::move(outcome).error();
    if (!outcome->damage.empty() && !asked_.merge.keep_going) return outcome->damage.front().what;
    if (auto ok = (*into)->finish(); !ok) return ok;
    std::replace(what.traces.begin(), what.traces.end(), input.trace, path);
    return {};
  }

  result<void> export_merged(sink& into) {
    auto opened = open_merged(passing_->path(), asked_, host_);
    if (!opened) return std::move(opened).error();
    trace_export_options o;
    o.format = format_;
    o.host = host_;
    auto outcome = export_trace(profkit::trace(*opened), o, into);
    progress_.clear();
    return outcome ? result<void>() : result<void>(std::move(outcome).error());
  }

  result<void> write_offsets() {
    if (asked_.offsets_path.empty()) return {};
    auto into = atomic_file_sink(asked_.offsets_path);
    if (!into) return std::move(into).error();
    if (auto ok = write_merge_offsets(merged_, **into); !ok) return ok;
    return finish(**into, asked_.offsets_path);
  }

  result<void> write_beside() {
    if (violations_path_.empty() && trace_json_path_.empty()) return {};
    auto opened = open_merged(passing_ ? passing_->path() : asked_.output_path, asked_, host_);
    if (!opened) return std::move(opened).error();
    if (!violations_path_.empty()) {
      auto found = write_validation_file(*opened, violations_path_, host_);
      progress_.clear();
      if (!found) return std::move(found).error();
      checked_ = std::move(*found);
      is_written(violations_path_);
    }
    if (!trace_json_path_.empty()) {
      auto ok = write_trace_json(*opened, trace_json_path_, host_);
      progress_.clear();
      if (!ok) return ok;
      is_written(trace_json_path_);
    }
    return {};
  }

  result<void> draw_clocks() {
    if (asked_.svg_path.empty()) return {};
    std::vector<clock_of_node> clocks;
    for (const merged_node& node : merged_.nodes) clocks.push_back({node.id, node.hostname, node.bounds});
    const auto draw = [&](sink& into) { return write_clock_picture(clocks, into); };
    if (auto drawn = write_to_file(asked_.svg_path, draw); !drawn) return drawn;
    is_written(asked_.svg_path);
    return {};
  }

  result<void> write_metadata() {
    if (metadata_ == nullptr) return {};
    if (auto ok = write_merge_metadata(merged_, *metadata_, checked()); !ok) return ok;
    return finish(*metadata_, metadata_path_);
  }

  result<void> print_result(text_output& out) const {
    if (asked_.json) {
      if (auto ok = write_merge_metadata(merged_, out.raw(), checked()); !ok) return ok;
    } else {
      print_merge_summary(merged_, asked_, written_, out);
      if (metadata_ == nullptr)
        out.line("no metadata beside it, because the output is no file; --json prints what it would say");
      if (checked_) out.line(counts_of(*checked_));
    }
    return out.finish();
  }

  [[nodiscard]] const validation_result* checked() const { return checked_ ? &*checked_ : nullptr; }

  result<void> finish(sink& into, const std::string& path) {
    if (auto ok = into.finish(); !ok) return ok;
    is_written(path);
    return {};
  }
  void is_written(const std::string& path) {
    written_.push_back(path);
    missing_.erase(std::remove(missing_.begin(), missing_.end(), path), missing_.end());
  }

  [[nodiscard]] int fail(const fault& why) {
    progress_.clear();
    if (print_interrupt(why, written_, missing_)) return exit_unreadable;
    if (!result_printed_) print_error_document(asked_, "merge", why);
    print_fault(why, errors_);
    return exit_code_of(why.code);
  }

  const merge_asked& asked_;
  terminal errors_;
  progress_line progress_;
  hooks host_;
  std::string metadata_path_, trace_json_path_, violations_path_;  // "": not written
  std::vector<std::string> written_, missing_;
  bool result_printed_ = false;  // or a part of it
  std::unique_ptr<sink> metadata_;
  trace_format format_ = trace_format::xspace;
  struct converted_input {
    std::unique_ptr<passing_file> as;
    std::string from;
  };
  std::vector<converted_input> converted_;  // XSpaces beside trace JSON
  std::unique_ptr<passing_file> passing_;  // what the output is made of, where that is another format
  merge_result merged_;
  std::optional<validation_result> checked_;
};

class merge_command_options final : public merge_asked {
 public:
  void list(option_list& all) override {
    profkit::merge_options& m = merge;
    all.group("Input");
    all.values("--traces,TRACES", m.traces, "FILE...", "Traces, one a node, or merged XSpaces").offer_files();
    all.values("--snapshots", m.snapshots, "FILE...", "Clock snapshots, one file a trace ('' for those in the trace)")
        .offer_files();
    all.value("--offsets", m.offsets, "FILE", "Offsets of the nodes' clocks, JSON lines").offer_files();
    all.value("--run-metadata", m.run_metadata, "FILE", "run_metadata.json: node ids, hosts, start times")
        .offer_files();
    all.value("--run-dir", m.run_dir, "DIR", "Find what is not named in this folder").offer_folders();
    all.flag("--auto-discover", auto_discover_, "Look into --run-dir (it is always done)");
    all.flag("--keep-going", m.keep_going, "Report what is missing or damaged, and merge the rest");
    input_.list_io(all);
    input_.list_threads(all);
    all.group("Clocks");
    all.flag("--no-correction", no_correction_, "Align by the wall time of the collectors alone");
    all.value("--correction", correction_.typed, "HOW", "clock, walltime or none (default clock)")
        .offer_words(correction_.words())
        .add_to_manual("'walltime' is the wall time of the collectors alone.");
    all.value("--normalize", zero_.typed, "WHICH",
              "Time zero: min, node0 or none (default: node0, min when an event lies before it)")
        .offer_words(zero_.words())
        .add_to_manual(
            "'min' is the earliest event, 'node0' the start of the reference node, 'none' keeps the absolute times of "
            "lines.");
    all.value("--align", align_.typed, "HOW", "'collectives': correct clocks by collectives alone, without snapshots and offsets")
        .offer_words(align_.words())
        .add_to_manual("The bound holds for every clock that no collective contradicts; the metadata names the assumptions.");
    all.value("--max-bound", max_bound_, "TIME", "A clock that --align knows less well than this is not corrected (default 1ms)");
    all.flag("--no-drift", no_drift_, "Beyond the offsets use their own slope, not drift_ppm");
    all.flag("--scale-durations", m.scale_durations, "Map the ends of events, too");
    all.flag("--tracer-host-threads", m.tracer_host_threads,
             "'Host Threads/N' of /host:ROCTRACER are stamped by the tracer clock");
    all.group("Output");
    all.value("-o,--output", output_path, "FILE", "The merged trace; the ending of its name says what it is")
        .offer_files()
        .add_to_manual(
            "XSpaces become an XSpace, or .trace.json, .trace.json.gz and .pftrace; trace JSON of PyTorch and Ascend becomes one of "
            "the last three. It appears when it is complete. Its stem with .metadata.json says what was done to each node and how far its times can be wrong.");
    all.flag("--trace-json", trace_json, "Write FILE's stem with .trace.json.gz as well");
    all.value("--svg", svg_path, "FILE", "A picture as well: how far times of each node can be wrong, over time").offer_files();
    all.value("--write-offsets", offsets_path, "FILE", "The offsets that were applied, as --offsets reads them").offer_files();
    all.flag("--validate", validate_merged,
             "Check the order of collectives; write FILE's stem with .violations.json");
    all.value("--plane-scheme", scheme_.typed, "WHICH", "Names of planes: seed, rocm or node (default seed)")
        .offer_words(scheme_.words());
    all.value("--plane-prefix", m.plane_prefix, "TEXT", "Before the names of --plane-scheme node, which it means");
    all.flag("--keep-order", m.keep_order, "Do not sort the events of a line");
    all.flag("--print-events", print_events, "Print every event with its corrected time");
    all.flag("--print-collectives", print_collectives, "Print collectives before and after correction");
    all.flag("--json", json, "Print the metadata document instead of text");
    output_.list_color(all);
    list_quiet(all, *this);
  }

  [[nodiscard]] std::optional<fault> understand() override {
    const char* const help = "profkit merge --help";
    if (output_path == "-")
      return wrong_options("--output '-': a merge writes files beside its output, named after it; name a file", help);
    if (auto wrong = input_.understand(*this)) return wrong;
    if (auto wrong = output_.understand(*this)) return wrong;
    if (auto wrong = understand_clocks()) return wrong;
    if (auto wrong = understand_alignment()) return wrong;
    merge.io = io;
    merge.not_an_input = output_path;
    if (merge.traces.empty() && merge.run_dir.empty())
      return wrong_options(auto_discover_ ? "--auto-discover needs --run-dir, the folder to look into"
                                          : "no traces: name them with --traces, or a folder with --run-dir",
                           help);
    if (output_path.empty())
      return wrong_options("--output is missing: the file to write the merged trace to", help);
    return std::nullopt;
  }
  [[nodiscard]] int run_command() const override { return merge_work(*this).run(); }

 private:
  [[nodiscard]] std::optional<fault> understand_clocks() {
    profkit::merge_options& m = merge;
    if (auto wrong = correction_.understand("--correction", m.correction)) return wrong;
    if (no_correction_ && correction_.typed.empty()) m.correction = merge_correction::walltime;
    if (auto wrong = zero_.understand("--normalize", m.zero)) return wrong;
    if (auto wrong = scheme_.understand("--plane-scheme", m.scheme)) return wrong;
    scheme_chosen = !scheme_.typed.empty() || !m.plane_prefix.empty();
    m.clocks.drift_slope = !no_drift_;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<fault> understand_alignment() {
    const char* const help = "profkit merge --help";
    if (auto wrong = align_.understand("--align", align_collectives)) return wrong;
    std::optional<std::int64_t> bound;
    if (auto wrong = understand_time("--max-bound", max_bound_, bound)) return wrong;
    if (bound) max_bound_ps = *bound;
    if (!align_collectives)
      return bound ? std::optional(wrong_options("--max-bound belongs to --align=collectives", help)) : std::nullopt;
    if (merge.correction != merge_correction::clock)
      return wrong_options("--align=collectives corrects clocks; --correction and --no-correction ask for something else", help);
    if (!merge.offsets.empty() || !merge.snapshots.empty())
      return wrong_options("--align=collectives corrects clocks without snapshots and offsets; name one or the other", help);
    return std::nullopt;
  }

  using merge_correction = profkit::merge_correction;
  using merge_zero = profkit::merge_zero;
  using plane_scheme = profkit::plane_scheme;

  choice<merge_correction> correction_{
      {"clock", merge_correction::clock}, {"walltime", merge_correction::walltime}, {"none", merge_correction::none}};
  choice<merge_zero> zero_{
      {"min", merge_zero::earliest}, {"node0", merge_zero::reference}, {"none", merge_zero::none}};
  choice<plane_scheme> scheme_{
      {"seed", plane_scheme::seed}, {"rocm", plane_scheme::rocm}, {"node", plane_scheme::node}};
  choice<bool> align_{{"collectives", true}};
  std::string max_bound_;
  bool no_correction_ = false, auto_discover_ = false, no_drift_ = false;
  output_words output_;
  input_words input_;
};

}  // namespace

extern const command_description merge_command = {
    "merge",
    "--traces FILE... -o FILE",
    "One timeline from the traces of many machines, their clocks aligned",
    "Maps every event to the wall clock of the reference node: device times by the clock snapshots of their\n"
    "node, host times by its measured offsets. Writes one XSpace, and FILE's stem with .metadata.json, which\n"
    "says what was done to each node and how far its times can be wrong. Installed as xprof_trace_combine,\n"
    "too. Flags may be written with _ instead of -.",
    "  profkit merge --traces node0.xplane.pb node1.xplane.pb --offsets offsets.jsonl -o combined.xspace\n"
    "  profkit merge --run-dir run123 -o combined.xspace       find traces, snapshots and offsets\n"
    "  profkit merge --traces a.xplane.pb b.xplane.pb --align collectives -o both.xspace   clocks by collectives\n"
    "  profkit merge --traces a.xplane.pb b.xplane.pb --no-correction -o both.xspace   by wall time\n"
    "  profkit merge --traces rank*.pt.trace.json.gz --align collectives -o all.trace.json.gz   ranks of PyTorch\n",
    make_options<merge_command_options>,
};

}  // namespace profkit_tool
