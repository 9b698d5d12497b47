// profkit merge: one timeline from the traces of many machines.
#include "exit_code.hpp"
#include "interrupt.hpp"
#include "slices.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/collectives.hpp>
#include <profkit/core/merge.hpp>
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

constexpr int gzip_level = 1;
constexpr std::size_t most_rows = 32;

int fail(const options& asked, const fault& why, const terminal& errors) {
  if (told_interrupt(asked, why)) return exit_unreadable;
  tell_fault(why, errors);
  return exit_code_of(why.code);
}

// "run/combined.xspace" gives "run/combined".
std::string stem_of(const std::string& output) {
  for (const std::string_view ending : {".xplane.pb", ".xspace.pb", ".xspace", ".pb"})
    if (output.size() > ending.size() && output.compare(output.size() - ending.size(), ending.size(), ending) == 0)
      return output.substr(0, output.size() - ending.size());
  const std::size_t slash = output.rfind('/'), dot = output.rfind('.');
  const bool has_ending = dot != std::string::npos && dot > 0 && (slash == std::string::npos || dot > slash + 1);
  return has_ending ? output.substr(0, dot) : output;
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
  printing_observer(const options& asked, text_output& out) : asked_(asked), out_(out) {}

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

  const options& asked_;
  text_output& out_;
  std::int64_t node_ = -1;
  std::size_t printed_ = 0;
  std::vector<std::string> first_node_;
};

std::string signed_duration(std::int64_t ps) {
  return (ps < 0 ? "-" : "") +
         human_duration_unsigned(ps < 0 ? 0 - static_cast<std::uint64_t>(ps) : static_cast<std::uint64_t>(ps));
}

void print_nodes(const merge_result& r, text_output& out, std::size_t columns) {
  table t;
  t.right("node").flexible("host", cut::end, 8).left("times").right("events").right("correction");
  t.right("device +-").right("host +-").right("snapshots").right("offsets").left("");
  for (std::size_t i = 0; i < r.nodes.size() && i < most_rows; ++i) {
    const merged_node& n = r.nodes[i];
    const auto device = n.bounds.widest(clock_domain::tracer), host = n.bounds.widest(clock_domain::host);
    std::string notes;
    if (n.aligned_before) notes = "merged before";
    if (!n.anomalies.empty()) notes = std::to_string(n.anomalies.size()) + " odd";
    t.row({std::to_string(n.id), escape_for_terminal(n.hostname), node_status_name(n.status), grouped(n.events),
           n.status == node_status::corrected && !n.aligned_before ? signed_duration(n.max_correction_ps) : "-",
           device ? human_duration(*device) : "unknown", host ? human_duration(*host) : "unknown", grouped(n.snapshots),
           grouped(n.offset_windows), notes});
  }
  t.print(out, columns);
  if (r.nodes.size() > most_rows)
    out.line("  … " + grouped(static_cast<std::uint64_t>(r.nodes.size() - most_rows)) +
             " more (the metadata has them)");
}

void print_summary(const merge_result& r, const options& asked, const std::vector<std::string>& written,
                   text_output& out) {
  if (out.wrote_anything()) out.line();
  out.line(out.screen().paint("Merged " + grouped(r.events) + (r.events == 1 ? " event of " : " events of ") +
                                  std::to_string(r.nodes.size()) + (r.nodes.size() == 1 ? " node" : " nodes") +
                                  (r.run_id.empty() ? "" : ", run " + escape_for_terminal(r.run_id)),
                              style::heading));
  print_nodes(r, out, asked.wide ? 0 : out.screen().columns);
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

result<open_profile> open_merged(const options& asked, const hooks& host) {
  open_options how;
  how.io = asked.io;
  how.host = host;
  return profile::open(asked.output_path, how);
}

result<void> write_trace_json(const open_profile& merged, const std::string& path, const hooks& host) {
  auto into = atomic_file_sink(path);
  if (!into) return std::move(into).error();
  const auto zipped = gzip_sink(std::move(into).value(), gzip_level, host.threads);
  trace_export_options o;
  o.like_xla = true;
  o.host = host;
  auto outcome = export_trace(*merged, o, *zipped);
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
  auto found = validate_collectives({merged}, o);
  if (!found) return std::move(found).error();
  auto written = write_validation(*found, nullptr, **into);
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
  const auto info = anatomy_info(**opened, {}, host);
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

}  // namespace

int run_merge(const options& asked) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  progress_line progress(!asked.quiet);
  const hooks host = progress.hooks(asked.threads);
  const std::string stem = stem_of(asked.output_path);
  std::vector<std::string> written{asked.output_path, stem + ".metadata.json"};
  if (asked.trace_json) written.push_back(stem + ".trace.json.gz");
  if (asked.validate_merged) written.push_back(stem + ".violations.json");
  for (const std::string& path : written)
    if (input_at(path, asked.merge) != nullptr) return fail(asked, output_is_input(path), errors);
  if (would_destroy(asked.output_path, asked.merge, host))
    return fail(asked, output_is_input(asked.output_path), errors);

  catch_interrupts();
  auto out = text_output::open("", asked.color);
  if (!out) return fail(asked, out.error(), errors);
  auto into = atomic_file_sink(asked.output_path);
  if (!into) return fail(asked, into.error(), errors);
  auto metadata = atomic_file_sink(written[1]);
  if (!metadata) return fail(asked, metadata.error(), errors);

  printing_observer observer(asked, *out);
  const bool prints = asked.print_events || asked.print_collectives;
  auto merged = merge_traces(asked.merge, **into, host, prints ? &observer : nullptr);
  progress.clear();
  if (!merged) return fail(asked, merged.error(), errors);
  if (auto ok = (*into)->finish(); !ok) return fail(asked, ok.error(), errors);
  warn(asked, *merged, errors);
  std::optional<fault> failed;
  std::optional<validation_result> checked;
  if (asked.trace_json || asked.validate_merged) {
    if (auto opened = open_merged(asked, host); !opened) {
      failed = opened.error();
    } else {
      if (asked.validate_merged) {
        auto found = write_validation_file(*opened, stem + ".violations.json", host);
        if (found)
          checked = std::move(*found);
        else
          failed = found.error();
      }
      if (asked.trace_json && !failed)
        if (auto ok = write_trace_json(*opened, stem + ".trace.json.gz", host); !ok) failed = ok.error();
    }
    progress.clear();
  }
  // What was merged is explained even where a file beside it could not be written.
  const validation_result* const counts = checked ? &*checked : nullptr;
  if (auto ok = write_merge_metadata(*merged, **metadata, counts); !ok) return fail(asked, ok.error(), errors);
  if (auto ok = (*metadata)->finish(); !ok) return fail(asked, ok.error(), errors);
  if (failed) return fail(asked, *failed, errors);
  if (asked.json) {
    if (auto ok = write_merge_metadata(*merged, out->raw(), counts); !ok) return fail(asked, ok.error(), errors);
  } else {
    print_summary(*merged, asked, written, *out);
    if (checked) out->line(counts_of(*checked));
  }
  if (auto ok = out->finish(); !ok) return fail(asked, ok.error(), errors);
  return exit_ok;
}

}  // namespace profkit_tool
