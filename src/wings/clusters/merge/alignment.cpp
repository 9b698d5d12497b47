#include "alignment.hpp"

#include <profkit/core/trace.hpp>
#include <profkit/core/trace_export.hpp>
#include <profkit/time.hpp>
#include <profkit/xspace.hpp>

#include <base/merged_losses.hpp>
#include <base/progress.hpp>

#include "clock_statistics.hpp"
#include "event_bytes.hpp"
#include "folded_warnings.hpp"
#include "given_line.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t max_apart_ns = 86'400 * ns_per_s;

std::string node_text(std::int64_t id) { return "node " + std::to_string(id); }

// The first line time that is a Unix time.
std::optional<std::int64_t> first_absolute_ns(std::string_view xspace) noexcept {
  for (const plane_view plane : xspace_view(xspace).planes())
    for (const line_view line : plane.lines()) {
      wire_reader reader(line.bytes());
      for (wire_field field; reader.next(field) && field.number < 4;)
        if (field.is_varint(3) && static_cast<std::int64_t>(field.value) >= min_absolute_ns)
          return static_cast<std::int64_t>(field.value);
    }
  return std::nullopt;
}

class trace_aligner {
 public:
  trace_aligner(const merge_options& o, const hooks& host) : o_(o), host_(host) {}

  result<alignment> run() {
    auto inputs = resolve_inputs(o_, host_);
    if (!inputs) return std::move(inputs).error();
    inputs_ = std::move(*inputs);
    all_.warnings = inputs_.warnings;
    if (inputs_.run) {
      all_.run_id = inputs_.run->run_id;
      all_.reference_node = inputs_.run->reference_node.value_or(0);
    }
    if (o_.given) use_given();
    for (const trace_input& t : inputs_.traces)
      if (auto ok = open(t); !ok) return std::move(ok).error();
    if (auto ok = read_offset_file(); !ok) return std::move(ok).error();
    for (aligned_trace& t : all_.traces)
      if (auto ok = describe(t); !ok) return std::move(ok).error();
    settle_one_clocks();
    if (auto ok = check_nodes(); !ok) return std::move(ok).error();
    if (auto ok = find_base(); !ok) return std::move(ok).error();
    if (o_.given) {
      if (auto ok = take_given_clocks(); !ok) return std::move(ok).error();
    } else if (o_.correction == merge_correction::clock) {
      if (auto ok = build_clocks(); !ok) return std::move(ok).error();
    } else {
      leave_clocks();
    }
    return std::move(all_);
  }

 private:
  // With keep_going a fault becomes a warning. A stop by the caller always ends the merge.
  result<void> fail_or_warn(const fault& f) {
    if (!o_.keep_going || f.code == fault_code::cancelled) return f;
    all_.warnings.push_back(fault_text(f));
    return {};
  }
  // The same where not all of a trace can be merged.
  result<void> lose(aligned_trace& t, const fault& f) {
    t.lose(f);
    return fail_or_warn(f);
  }
  void warn(std::string text) { all_.warnings.push_back(std::move(text)); }

  static fault about(std::int64_t node, fault_code code, const std::string& what, std::string hint, std::string path,
                     std::uint64_t at = no_offset) {
    fault f;
    f.code = code;
    f.message = node_text(node) + ": " + what;
    f.hint = std::move(hint);
    f.path = std::move(path);
    f.byte_offset = at;
    return f;
  }

  result<void> open(const trace_input& input) {
    aligned_trace& t = all_.traces.emplace_back();
    t.input = input;
    t.report.id = input.node_id;
    t.report.trace = input.path;
    if (input.is_json) return open_json(t);
    if (o_.output != merged_format::xspace) {
      t.report.status = node_status::corrupt;
      fault f;
      f.code = fault_code::unsupported;
      f.message = node_text(input.node_id) + ": this is an XSpace, and trace JSON is written";
      f.hint = "Export it first: profkit export TRACE -o NAME.trace.json.gz, and merge that.";
      f.path = input.path;
      return lose(t, f);
    }
    auto from = open_trace(input, o_);
    if (!from) {
      t.report.status = node_status::missing;
      fault f = std::move(from).error();
      f.message = node_text(input.node_id) + ": its trace cannot be opened: " + f.message;
      return lose(t, f);
    }
    std::unique_ptr<source> opened = std::move(from).value();
    if (const auto span = opened->span()) {
      t.bytes = *span;
      t.mapped = std::move(opened);
    } else {
      auto held = hold_bytes(std::move(opened), o_.bounds, host_);
      if (!held) {
        t.report.status = node_status::corrupt;
        fault f = std::move(held).error();
        f.message = node_text(input.node_id) + ": " + f.message;
        return lose(t, f);
      }
      t.held = std::move(held).value();
      t.bytes = t.held.bytes;
      if (t.held.damage) {
        t.report.status = node_status::corrupt;
        if (auto ok = lose(t, *t.held.damage); !ok) return ok;
      }
    }
    if (const fault* const damage = input.opened == nullptr ? nullptr : input.opened->file_fault(input.file)) {
      t.report.status = node_status::corrupt;
      if (auto ok = lose(t, *damage); !ok) return ok;
    }
    t.usable = true;
    if (t.bytes.empty()) {
      t.report.status = node_status::corrupt;
      return lose(t, about(input.node_id, fault_code::damaged, "its trace is empty: 0 bytes",
                                "The profiler was stopped before it wrote; fetch the trace again.", input.path, 0));
    }
    if (const std::optional<fault> f = another_kind(t)) {
      t.usable = false;
      t.report.status = node_status::corrupt;
      return lose(t, *f);
    }
    if (o_.keep_going && !is_intact(t.bytes)) return mend(t);
    if (const char* const damage = damage_position(t.bytes)) {
      const std::uint64_t at = offset_in(t.bytes, damage);
      t.report.status = node_status::corrupt;
      t.bytes = t.bytes.substr(0, at);
      return lose(t, about(input.node_id, fault_code::damaged,
                                "its trace is damaged or cut at byte " + std::to_string(at) +
                                    ": a field runs past the end",
                                "Fetch the trace again; --keep-going merges what is intact.", input.path,
                                at));
    }
    return {};
  }

  // Whether every event can be read.
  static bool is_intact(std::string_view xspace) {
    wire_reader file(xspace);
    for (wire_field field; file.next(field);) {
      if (!field.is_bytes(1)) continue;
      wire_reader plane(field.bytes);
      for (wire_field of_plane; plane.next(of_plane);) {
        if (of_plane.is_bytes(5) && !stat_metadata_view(of_plane.bytes).ok()) return false;
        if (!of_plane.is_bytes(3)) continue;
        wire_reader line(of_plane.bytes);
        for (wire_field of_line; line.next(of_line);)
          if (of_line.is_bytes(4) && read_event(of_line.bytes).shape == event_shape::damaged) return false;
        if (!line.ok()) return false;
      }
      if (!plane.ok()) return false;
    }
    return file.ok();
  }

  // What is intact of a damaged XSpace takes its place, as `export` writes it.
  result<void> mend(aligned_trace& t) {
    t.report.status = node_status::corrupt;
    auto opened = profile::open_buffer(t.bytes, t.input.path);
    auto mended = std::make_shared<std::string>();
    trace_export_options how;
    how.format = trace_format::xspace;
    how.host = host_;
    how.host.progress = nullptr;
    const auto written = opened ? export_trace(trace(*opened), how, *memory_sink(*mended)) : result<trace_export_outcome>(opened.error());
    if (!written || mended->empty() || !is_intact(*mended)) {
      t.usable = false;
      return lose(t, written ? about(t.input.node_id, fault_code::damaged, "nothing of its trace is intact",
                                          "Fetch the trace again.", t.input.path)
                                  : written.error());
    }
    t.mapped.reset();
    t.held = {*mended, mended, {}};
    t.bytes = t.held.bytes;
    for (const file_damage& loss : written->damage) {
      fault f = loss.what;
      t.lose(f);
      f.message = node_text(t.input.node_id) + ": " + f.message + "; what is intact is merged";
      if (auto ok = fail_or_warn(f); !ok) return ok;
    }
    if (t.report.incomplete.empty()) t.report.incomplete = "it is damaged";
    return {};
  }

  // Trace JSON is not held: it is read anew each time.
  result<void> open_json(aligned_trace& t) {
    t.report.status = node_status::corrupt;
    const auto refuse = [&](fault f) {
      f.message = node_text(t.input.node_id) + ": " + f.message;
      return lose(t, f);
    };
    if (!t.input.snapshots.empty())
      return refuse({fault_code::invalid_argument, "clock snapshots are of XSpaces, and this is trace JSON", t.input.path, no_offset,
                     "Leave out its file in --snapshots ('')."});
    if (o_.output != merged_format::trace_json) return refuse(no_xspace_but_chrome_traces(t.input.path));
    auto read = survey_trace_json(t.input, o_, host_);
    if (!read) return refuse(std::move(read).error());
    if (read->is_merged)
      return refuse({fault_code::unsupported, "this is a merged trace JSON", t.input.path, no_offset, "Merge the traces of its nodes."});
    if (read->events == 0)
      return refuse(read->damage ? *read->damage : fault{fault_code::damaged, "its trace holds no event", t.input.path, no_offset, ""});
    t.json = std::move(*read);
    t.usable = true;
    t.report.incomplete = t.json->lost;
    if (const fault* const damage = t.input.opened == nullptr ? nullptr : t.input.opened->file_fault(t.input.file); damage && !t.json->damage)
      t.json->damage = *damage;
    if (t.json->damage) return refuse(*t.json->damage);
    t.report.status = node_status::corrected;
    return {};
  }

  // A whole file of another format is not a damaged XSpace.
  [[nodiscard]] static std::optional<fault> another_kind(const aligned_trace& t) {
    const file_family is = family_of(t.input);
    std::optional<fault> why;
    if (const file_content held = content_of(is); !is_recognised(is))
      why = why_not_xspace(t.bytes);
    else if (held == file_content::trace_events)
      why = no_xspace_but_chrome_traces(t.input.path);
    else if (held == file_content::recording)
      why = fault{fault_code::unsupported, "this is a host's own trace, not an XSpace", "", no_offset,
                  "Open the folder of all of them: they are on one clock by their origins. `profkit export FOLDER` writes one trace of them."};
    else if (held != file_content::planes)
      why = fault{fault_code::unsupported, std::string("this is a file of the kind ") + family_name(is) + ", not an XSpace", "",
                  no_offset, "Name the *.xplane.pb of the node."};
    if (!why) return why;
    why->path = t.input.path;
    why->message = node_text(t.input.node_id) + ": " + why->message;
    return why;
  }

  // A collector that watches the clocks gives at least one trace snapshots.
  [[nodiscard]] bool any_snapshots() const {
    return std::any_of(all_.traces.begin(), all_.traces.end(), [](const aligned_trace& t) {
      return t.usable && has_snapshots(t);
    });
  }
  [[nodiscard]] static bool has_snapshots(const aligned_trace& t) {
    if (t.json) return false;
    if (!t.input.snapshots.empty()) return true;
    const auto embedded = read_embedded_snapshots(t.bytes);
    return !embedded || !embedded->pairs.empty();
  }
  [[nodiscard]] static fault nothing_measured() {
    fault f;
    f.code = fault_code::invalid_argument;
    f.message = "nothing was measured of the clocks: none of the traces has clock snapshots, and there are no offsets";
    f.hint =
        "Give the offsets between the hosts with --offsets, and snapshot files, where a collector wrote some, with "
        "--snapshots. --no-correction lines the traces up by wall time, and how far they are wrong is then not known; "
        "--align=collectives corrects clocks by the collectives, as far as those decide them.";
    return f;
  }

  result<void> read_offset_file() {
    if (inputs_.offsets.empty()) {
      if (o_.correction != merge_correction::clock || o_.given || only_merged_traces()) return {};
      if (!o_.keep_going && !any_snapshots()) return nothing_measured();
      fault f;
      f.code = fault_code::invalid_argument;
      f.message = "no offsets: the clocks of the nodes cannot be aligned";
      f.hint = "Give the offsets file with --offsets, or align by wall time with --no-correction.";
      return fail_or_warn(f);
    }
    auto held = read_whole(inputs_.offsets, o_, host_);
    if (!held) {
      fault f = std::move(held).error();
      f.message = "the offsets file cannot be read: " + f.message;
      return fail_or_warn(f);
    }
    offset_read_options how;
    how.bounds = o_.bounds;
    auto table = read_offsets(held->bytes, inputs_.offsets, how);
    if (!table) return fail_or_warn(table.error());
    offsets_ = std::move(*table);
    for (const std::string& w : folded_warnings(offsets_.warnings)) warn(inputs_.offsets + ": " + w);
    if (offsets_.broken_lines > 0)
      warn(inputs_.offsets + ": " + std::to_string(offsets_.broken_lines) +
           (offsets_.broken_lines == 1 ? " line is no JSON and was" : " lines are no JSON and were") + " passed over");
    if (offsets_.unreachable_rows > 0)
      warn(inputs_.offsets + ": " + std::to_string(offsets_.unreachable_rows) +
           (offsets_.unreachable_rows == 1 ? " row of an unreachable node is" : " rows of unreachable nodes are") +
           " not used");
    if (offsets_.unconverged_rows > 0)
      warn(inputs_.offsets + ": " + std::to_string(offsets_.unconverged_rows) +
           (offsets_.unconverged_rows == 1 ? " row is of a round" : " rows are of rounds") + " that did not converge");
    if (!offsets_.run_id.empty() && !all_.run_id.empty() && offsets_.run_id != all_.run_id)
      return fail_or_warn(different_runs("the offsets file", offsets_.run_id, inputs_.offsets));
    if (all_.run_id.empty()) all_.run_id = offsets_.run_id;
    return {};
  }

  [[nodiscard]] fault different_runs(const std::string& what, const std::string& run, std::string path) const {
    fault f;
    f.code = fault_code::invalid_argument;
    f.message = what + " belongs to run '" + run + "', the others to run '" + all_.run_id + "'";
    f.hint = "Merge files of one run only.";
    f.path = std::move(path);
    return f;
  }

  bool only_merged_traces() const {
    return std::all_of(all_.traces.begin(), all_.traces.end(),
                       [](const aligned_trace& t) { return t.usable && !t.json && read_trace_clocks(t.bytes).merged; });
  }

  // What the trace, the offsets header and the run metadata say of a node, and whether they agree.
  result<void> describe(aligned_trace& t) {
    if (!t.usable) return {};
    if (t.json) {
      t.clocks.profile_start_ns = t.json->origin_unix_ns;
      if (!t.json->hostname.empty()) t.clocks.hostnames.push_back(t.json->hostname);
    } else {
      t.clocks = read_trace_clocks(t.bytes);
    }
    if (t.clocks.merged) {
      auto before = read_clock_metadata(t.bytes);
      if (!before) {
        t.usable = false;
        t.report.status = node_status::corrupt;
        before.error().path = t.input.path;
        return lose(t, before.error());
      }
      t.before = std::move(*before);
      t.file_start_ns = t.before.front().origin_ns;
      for (const clock_metadata& m : t.before)
        if (!m.run_id.empty() && !all_.run_id.empty() && m.run_id != all_.run_id)
          return fail_or_warn(different_runs("this merged trace", m.run_id, t.input.path));
        else if (all_.run_id.empty())
          all_.run_id = m.run_id;
      return {};
    }
    const std::int64_t id = t.input.node_id;
    if (!t.input.given_host.empty()) t.clocks.hostnames = {t.input.given_host};
    if (!t.clocks.hostnames.empty()) t.report.hostname = t.clocks.hostnames.front();
    if (const node_start* s = offsets_.start_of(id)) t.start = *s;
    t.start.node_id = id;
    if (const run_node* n = inputs_.run ? inputs_.run->find(id) : nullptr) {
      if (!n->hostname.empty() && !t.report.hostname.empty() && n->hostname != t.report.hostname)
        warn(node_text(id) + ": the run metadata calls its host " + n->hostname + ", the trace " + t.report.hostname);
      if (!n->hostname.empty()) t.report.hostname = n->hostname;
      for (auto field : {&node_start::walltime_ns, &node_start::gpu_ns}) {
        const auto& theirs = n->start.*field;
        auto& ours = t.start.*field;
        if (theirs && ours && *theirs != *ours)
          return fail_or_warn(about(id, fault_code::invalid_argument,
                                    "the offsets header and the run metadata give different start times (" +
                                        std::to_string(*ours) + " and " + std::to_string(*theirs) + ")",
                                    "They belong to different runs, or to different nodes.", inputs_.run_path));
        if (!ours) ours = theirs;
      }
    }
    if (t.report.hostname.empty() && t.json) t.report.hostname = t.input.hostname;
    // What a post-processed trace counts from: the start of the session, else of the collector.
    t.file_start_ns = t.clocks.profile_start_ns;
    if (t.start.walltime_ns && (!t.file_start_ns || std::abs(*t.file_start_ns - *t.start.walltime_ns) > max_apart_ns))
      t.file_start_ns = t.start.walltime_ns;
    if (const given_clock* g = o_.given ? o_.given->find(id) : nullptr; g != nullptr && g->start_unix_ns) {
      // As clocks were compared.
      t.file_start_ns = g->start_unix_ns;
      if (g->decided && !t.start.walltime_ns) t.start.walltime_ns = g->start_unix_ns;
    }
    if (t.json && !t.start.walltime_ns) t.start.walltime_ns = t.json->origin_unix_ns;
    return {};
  }

  // Without any snapshot, as stock XLA and PyTorch record, devices were put on the clock of their host by the profiler.
  void settle_one_clocks() {
    if (o_.given || o_.correction != merge_correction::clock) return;
    const bool measured = any_snapshots();
    for (aligned_trace& t : all_.traces) {
      if (!t.usable || !t.before.empty()) continue;
      t.has_one_clock = t.json || (!measured && !offsets_.rows.empty());
      if (!t.has_one_clock || t.start.walltime_ns) continue;
      t.start.walltime_ns = t.file_start_ns;
      if (!t.start.walltime_ns && !t.json) t.start.walltime_ns = first_absolute_ns(t.bytes);
    }
  }

  // No two inputs may bring the same node.
  result<void> check_nodes() {
    std::vector<std::int64_t> ids;
    for (const aligned_trace& t : all_.traces) {
      if (t.before.empty()) ids.push_back(t.input.node_id);
      for (const clock_metadata& m : t.before) ids.push_back(m.bounds.node_id);
    }
    std::sort(ids.begin(), ids.end());
    const auto twice = std::adjacent_find(ids.begin(), ids.end());
    if (twice == ids.end()) return {};
    fault f;
    f.code = fault_code::invalid_argument;
    f.message = node_text(*twice) + " comes from two of the traces";
    f.hint = "Leave one of them out, or give ids with --run_metadata.";
    return f;
  }

  // Corrected zero before it is shifted: the start of the reference node.
  result<void> find_base() {
    const node_start* reference = start_of_reference();
    if (reference != nullptr && reference->walltime_ns) {
      all_.base_ns = *reference->walltime_ns;
      return check_references();
    }
    for (const aligned_trace& t : all_.traces)
      if (!t.before.empty()) {
        all_.base_ns = t.before.front().origin_ns;
        return check_references();
      }
    if (o_.correction == merge_correction::clock && !offsets_.rows.empty()) {
      fault f;
      f.code = fault_code::invalid_argument;
      f.message =
          "no start times: the offsets file has no header line with start_walltime_ns and start_gpu_ns of node " +
          std::to_string(all_.reference_node);
      f.hint =
          "Without them device times have no zero. Add the header {\"meta\":true,\"nodes\":[…]}, or give the start "
          "times with --run_metadata.";
      f.path = inputs_.offsets;
      if (auto ok = fail_or_warn(f); !ok) return ok;
    }
    for (const aligned_trace& t : all_.traces)
      if (t.file_start_ns) {
        all_.base_ns = *t.file_start_ns;
        return {};
      }
    for (const aligned_trace& t : all_.traces)
      if (const auto ns = first_absolute_ns(t.bytes)) {
        all_.base_ns = *ns;
        return {};
      }
    return {};
  }

  [[nodiscard]] const node_start* start_of_reference() const {
    for (const aligned_trace& t : all_.traces)
      if (t.before.empty() && t.input.node_id == all_.reference_node && t.start.walltime_ns) return &t.start;
    if (const node_start* s = offsets_.start_of(all_.reference_node)) return s;
    if (const run_node* n = inputs_.run ? inputs_.run->find(all_.reference_node) : nullptr) return &n->start;
    return nullptr;
  }

  // Traces that were merged before stand on their reference's clock.
  result<void> check_references() {
    bool first = true;
    for (const aligned_trace& t : all_.traces)
      for (const clock_metadata& m : t.before) {
        if (!m.corrected) continue;
        const bool alone = first && only_before();
        if (alone) all_.reference_node = m.reference_node;
        first = false;
        if (m.reference_node == all_.reference_node) continue;
        fault f;
        f.code = fault_code::invalid_argument;
        f.message = "this merged trace is on the clock of node " + std::to_string(m.reference_node) +
                    ", the others on that of node " + std::to_string(all_.reference_node);
        f.hint = "Merge the original traces together instead.";
        f.path = t.input.path;
        if (auto ok = fail_or_warn(f); !ok) return ok;
        break;
      }
    return {};
  }
  [[nodiscard]] bool only_before() const {
    return std::all_of(all_.traces.begin(), all_.traces.end(),
                       [](const aligned_trace& t) { return !t.usable || !t.before.empty(); });
  }

  result<snapshot_set> snapshots_of(aligned_trace& t) {
    const std::int64_t id = t.input.node_id;
    if (!t.input.snapshots.empty()) {
      auto held = read_whole(t.input.snapshots, o_, host_);
      result<snapshot_set> read =
          held ? read_snapshot_pairs(held->bytes, t.input.snapshots) : result<snapshot_set>(held.error());
      if (!read) {
        fault f = std::move(read).error();
        f.message = node_text(id) + ": its snapshot file cannot be read: " + f.message;
        if (auto ok = fail_or_warn(f); !ok) return std::move(ok).error();
      } else if (!read->pairs.empty()) {
        return read;
      } else {
        warn(node_text(id) + ": " + t.input.snapshots + " holds no snapshot; those in the trace are used");
      }
    }
    snapshot_read_options how;
    how.start_walltime_ns = t.start.walltime_ns.value_or(0);
    how.relative_to_ns = t.file_start_ns;
    return read_embedded_snapshots(t.bytes, how, t.input.path);
  }

  result<void> build_clocks() {
    resolved_ = resolve_midpoints(offsets_, all_.reference_node);
    std::vector<std::pair<aligned_trace*, clock_evidence>> evidence;
    for (aligned_trace& t : all_.traces) {
      if (!t.usable || !t.before.empty()) continue;
      auto snapshots = t.has_one_clock ? result<snapshot_set>(snapshot_set{}) : snapshots_of(t);
      if (!snapshots) {
        if (auto ok = fail_or_warn(snapshots.error()); !ok) return ok;
        snapshots = snapshot_set{};
      }
      t.report.snapshots = snapshots->pairs.size();
      t.report.snapshots_from = snapshots->source;
      t.report.sampling_period_ns = snapshots->sampling_period_ns;
      for (const std::string& w : folded_warnings(snapshots->warnings)) warn(node_text(t.input.node_id) + ": " + w);
      if (auto ok = add_evidence(t, *snapshots, evidence); !ok) return ok;
    }
    return build_from(evidence);
  }

  // Clocks that were given leave no need of offsets.
  void use_given() {
    all_.reference_node = o_.given->reference_node;
    if (!inputs_.offsets.empty()) warn(inputs_.offsets + " is not used: clocks are corrected by " + o_.given->method);
    inputs_.offsets.clear();
  }

  // One clock for a node's devices and host: snapshots show that they have two.
  result<void> take_given_clocks() {
    for (aligned_trace& t : all_.traces) {
      if (!t.usable || !t.before.empty()) continue;
      const given_clock* const g = o_.given->find(t.input.node_id);
      std::string why = g == nullptr ? "nothing is known of its clock" : g->why_not;
      const bool has_two_clocks = has_snapshots(t);
      if (has_two_clocks)
        why = "its clock snapshots show that its device times are of another clock than its host's, which " + o_.given->method +
              " do not compare";
      const bool decided = g != nullptr && g->decided && !has_two_clocks;
      auto clock = decided ? clock_of_given(*o_.given, *g, t.start.walltime_ns.value_or(all_.base_ns), all_.base_ns)
                           : std::optional<node_clock>();
      if (decided && !clock) why = "its clock is days off the reference node's";
      if (!clock) {
        by_walltime(t);
        const std::string hint = has_two_clocks ? "Leave out --align, and give its offsets with --offsets."
                                               : "Align this node by wall time with --keep-going, or all with --no-correction.";
        if (auto ok = fail_or_warn(about(t.input.node_id, fault_code::invalid_argument, "its clock is not corrected: " + why, hint,
                                         t.input.path));
            !ok)
          return ok;
        continue;
      }
      t.clock = std::move(*clock);
      t.given = g;
      t.report.method = o_.given->method;
      t.report.host_drift_ppt = g->drift_ppt;
    }
    return {};
  }

  void by_walltime(aligned_trace& t) const {
    if (t.report.status != node_status::corrected) return;
    const bool known = t.start.walltime_ns && o_.correction != merge_correction::none;
    t.report.status = known ? node_status::walltime : node_status::raw;
  }
  void leave_clocks() {
    for (aligned_trace& t : all_.traces)
      if (t.usable && t.before.empty()) by_walltime(t);
  }

  [[nodiscard]] fault too_few(const aligned_trace& t, const snapshot_set& snapshots) const {
    return about(t.input.node_id, fault_code::invalid_argument,
                 "it has " + std::to_string(snapshots.pairs.size()) +
                     (snapshots.pairs.size() == 1 ? " clock snapshot" : " clock snapshots") +
                     "; two are needed to map its tracer clock to its wall clock",
                 "Give its snapshot file with --snapshots, align all by wall time with --no-correction, or this node "
                 "alone with --keep-going.",
                 t.input.snapshots.empty() ? t.input.path : t.input.snapshots);
  }
  [[nodiscard]] fault no_offsets(const aligned_trace& t) const {
    return about(t.input.node_id, fault_code::invalid_argument, "the offsets file has no usable row for it",
                 "Check node ids and 'reachable' there, or align this node by wall time with --keep-going.",
                 inputs_.offsets);
  }

  result<void> add_evidence(aligned_trace& t, const snapshot_set& snapshots,
                            std::vector<std::pair<aligned_trace*, clock_evidence>>& into) {
    clock_evidence e;
    e.node_id = t.input.node_id;
    e.is_reference = e.node_id == all_.reference_node;
    e.offsets = rows_of_node(resolved_, e.node_id);
    e.snapshots = snapshots.pairs;
    e.reference_base_ns = all_.base_ns;
    t.report.offset_windows = e.offsets.size();
    if (t.has_one_clock) return add_one_clock(t, std::move(e), into);
    if (!t.start.walltime_ns || !t.start.gpu_ns) {
      by_walltime(t);
      return fail_or_warn(about(e.node_id, fault_code::invalid_argument,
                                "its start_walltime_ns or start_gpu_ns is not known",
                                "Both stand in the header of the offsets file or in the run metadata.",
                                inputs_.offsets));
    }
    e.host_base_ns = *t.start.walltime_ns;
    e.tracer_base_ns = *t.start.gpu_ns;
    if (snapshots.pairs.size() < 2) {
      by_walltime(t);
      return fail_or_warn(too_few(t, snapshots));
    }
    if (e.offsets.empty() && !e.is_reference) {
      by_walltime(t);
      return fail_or_warn(no_offsets(t));
    }
    if (e.is_reference && e.offsets.empty() && o_.keep_going && !offsets_.rows.empty())
      warn(node_text(e.node_id) + ": the reference node has no offsets of its own; none are needed");
    into.emplace_back(&t, std::move(e));
    return {};
  }

  // Its tracer clock is its wall clock, as two snapshots a day off would show it.
  result<void> add_one_clock(aligned_trace& t, clock_evidence e, std::vector<std::pair<aligned_trace*, clock_evidence>>& into) {
    if (!t.start.walltime_ns) {
      by_walltime(t);
      return fail_or_warn(about(e.node_id, fault_code::invalid_argument, "what its times count from is not known",
                                "Give its start_walltime_ns in the header of the offsets file or in the run metadata.",
                                t.input.path));
    }
    if (e.offsets.empty() && !e.is_reference) {
      by_walltime(t);
      return fail_or_warn(no_offsets(t));
    }
    e.host_base_ns = e.tracer_base_ns = *t.start.walltime_ns;
    for (const std::int64_t side : {-1, 1}) {
      const clock_instant at{e.host_base_ns + side * max_apart_ns, 0};
      e.snapshots.push_back({at, at});
    }
    into.emplace_back(&t, std::move(e));
    return {};
  }

  // Twice: the scatter of all nodes together says more of each than its own few measurements, and a step of the reference
  // node's clock is a jump of all offsets.
  result<void> build_from(std::vector<std::pair<aligned_trace*, clock_evidence>>& evidence) {
    std::vector<clock_scatter> offsets, snapshots;
    std::vector<std::pair<std::int64_t, std::int64_t>> reference_steps;
    for (const auto& [t, e] : evidence) {
      auto clock = node_clock::build(e, o_.clocks);
      if (!clock) continue;
      offsets.push_back(clock->offset_scatter());
      if (!t->has_one_clock) snapshots.push_back(clock->snapshot_scatter());
      if (e.is_reference) reference_steps = clock->wall_steps();
    }
    clock_options how = o_.clocks;
    if (!(how.offset_scatter.freedom > 0)) how.offset_scatter = scatter_of_nodes(std::move(offsets));
    if (!(how.snapshot_scatter.freedom > 0)) how.snapshot_scatter = scatter_of_nodes(std::move(snapshots));
    for (auto& [t, e] : evidence) {
      e.reference_steps = reference_steps;
      auto clock = node_clock::build(e, how);
      if (!clock) {
        by_walltime(*t);
        clock.error().path = t->input.path;
        if (auto ok = fail_or_warn(clock.error()); !ok) return ok;
        continue;
      }
      t->clock = std::move(*clock);
      merged_node& r = t->report;
      r.method = t->has_one_clock ? offsets_method : measured_method;
      r.anomalies = t->clock->anomalies();
      r.residual_ps = t->clock->residual_ps();
      r.host_drift_ppt = t->clock->host_drift_ppt();
      r.tracer_drift_ppt = t->clock->tracer_drift_ppt();
      r.offset_variance_ns2 = t->clock->offset_variance_ns2();
      for (const std::string& text : folded_warnings(r.anomalies)) warn(node_text(r.id) + ": " + text);
      if (t->has_one_clock)
        warn(node_text(r.id) + ": it has no clock snapshots: device times follow its host's clock, and how far they can be wrong is not known");
    }
    return {};
  }

  const merge_options& o_;
  const hooks& host_;
  merge_inputs inputs_;
  alignment all_;
  offset_table offsets_;
  std::vector<offset_row> resolved_;
};

}  // namespace

std::string fault_text(const fault& f) {
  std::string text;
  if (!f.path.empty() && f.message.find(f.path) == std::string::npos) text = f.path + ": ";
  text += f.message;
  if (f.byte_offset != no_offset && f.message.find(std::to_string(f.byte_offset)) == std::string::npos)
    text += " (at byte " + std::to_string(f.byte_offset) + ')';
  return text;
}

std::vector<std::string> losses_of(const aligned_trace& t) {
  if (t.report.incomplete.empty()) return {};
  std::vector<std::string> nodes;
  for (const clock_metadata& m : t.before) nodes.push_back(std::to_string(m.bounds.node_id));
  if (t.before.empty())
    nodes.push_back(std::to_string(t.input.node_id) + (t.json && t.json->rank ? ", rank " + std::to_string(*t.json->rank) : ""));
  std::vector<std::string> texts;
  for (const std::string& node : nodes)
    texts.push_back("node " + node + ": " + std::string(t.usable ? trace_incomplete : trace_missing) + t.report.incomplete);
  return texts;
}

result<alignment> align_traces(const merge_options& o, const hooks& host) { return trace_aligner(o, host).run(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
