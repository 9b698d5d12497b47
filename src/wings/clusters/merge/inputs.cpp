#include "inputs.hpp"

#include "json_survey.hpp"

#include <profkit/core/discover.hpp>
#include <profkit/core/sink.hpp>

#include <base/affix.hpp>
#include <base/contained.hpp>
#include <base/paths.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view trace_endings[] = {".xplane.pb", ".xspace", ".xspace.pb", ".xplane.pb.gz"};
constexpr std::string_view snapshot_endings[] = {".snapshot_pairs.pb", ".snapshots.pb"};
constexpr std::int64_t max_node_id = 1'000'000'000;  // numbers of planes are made from it

template <class Endings>
std::string_view without_ending(std::string_view name, const Endings& endings) noexcept {
  for (const std::string_view e : endings)
    if (ends_with(name, e)) return name.substr(0, name.size() - e.size());
  return {};
}

// The number after the last "node" of a name: "node3", "node-3" or "node_3".
std::optional<std::int64_t> number_after_node(std::string_view name) noexcept {
  const std::size_t at = name.rfind("node");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = name.substr(at + 4);
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '_')) rest.remove_prefix(1);
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), id);
  if (error != std::errc{} || id < 0) return std::nullopt;
  static_cast<void>(end);
  return id;
}

fault usage(std::string message, std::string hint, std::string path = {}) {
  fault f;
  f.code = fault_code::invalid_argument;
  f.message = std::move(message);
  f.hint = std::move(hint);
  f.path = std::move(path);
  return f;
}

// Not recognised: anything but a regular file.
capture_file file_at(const std::string& path) {
  if (const auto facts = look_at_path(path); facts && facts->kind == path_kind::file)
    if (const auto found = open_capture(path); found && found->files.size() == 1) return found->files.front();
  return {};
}

class resolver {
 public:
  resolver(const merge_options& o, const hooks& host) : o_(o), host_(host) {}

  result<merge_inputs> run() {
    found_.offsets = o_.offsets;
    found_.run_path = o_.run_metadata;
    for (const std::string& path : o_.traces) add_path(path);
    for (const std::shared_ptr<const profile>& opened : o_.opened)
      if (auto ok = add_opened(opened); !ok) return std::move(ok).error();
    if (!o_.run_dir.empty())
      if (auto ok = discover_rest(); !ok) return std::move(ok).error();
    if (found_.traces.empty()) take_chrome_traces();
    if (found_.traces.empty()) {
      fault f = usage("no trace to merge", "Name them with --traces, or a folder with --run-dir.", o_.run_dir);
      if (!o_.run_dir.empty()) f.code = fault_code::not_found;
      return f;
    }
    for (trace_input& t : found_.traces)
      if (t.opened == nullptr)
        if (auto ok = look_at(t); !ok) return std::move(ok).error();
    if (auto ok = take_snapshots(); !ok) return std::move(ok).error();
    if (!found_.run_path.empty())
      if (auto ok = read_run(); !ok) return std::move(ok).error();
    if (auto ok = name_nodes(); !ok) return std::move(ok).error();
    return std::move(found_);
  }

 private:
  trace_input& add_path(std::string path) {
    trace_input& added = found_.traces.emplace_back();
    added.path = std::move(path);
    return added;
  }

  // The XSpaces of a capture; where it has none, its trace JSON.
  result<void> add_opened(const std::shared_ptr<const profile>& opened) {
    const std::vector<capture_file>& files = opened->what().files;
    const std::size_t before = found_.traces.size();
    for (const bool planes : {true, false}) {
      if (found_.traces.size() > before) break;
      for (std::size_t file = 0; file < files.size(); ++file) {
        if (!can_be_merged(files[file], planes)) continue;
        trace_input& added = add_path(files[file].path);
        added.opened = opened;
        added.file = file;
        added.is_json = !planes;
        added.hostname = files[file].host;
        added.given_host = files[file].given_host;
        if (files[file].given_rank >= 0)
          added.rank = files[file].given_rank;
        else if (!planes)
          added.rank = rank_in_header(added, o_, host_);
      }
    }
    if (found_.traces.size() > before) return {};
    fault f = usage("this capture holds neither an XSpace nor trace JSON: it cannot be merged",
                    "A trace that a host built itself has a part for each of its hosts: build one of all.", opened->what().path);
    f.code = fault_code::unsupported;
    return f;
  }

  static bool can_be_merged(const capture_file& file, bool planes) noexcept {
    const file_content held = content_of(file.family);
    return planes ? held == file_content::planes : held == file_content::trace_events && file.export_of < 0 && file.node < 0;
  }

  result<void> discover_rest() {
    auto all = discover(o_.run_dir, o_.bounds, host_);
    if (!all) return std::move(all).error();
    const bool wants_traces = found_.traces.empty();
    std::vector<std::string> offsets, metadata;
    for (const found_folder& folder : all->folders) {
      const std::string folder_name(last_part_of(folder.path));
      for (const found_file& file : folder.files) {
        const std::string path = joined_path(folder.path, file.name);
        if (is_same_file(o_.not_an_input, path)) continue;
        if (wants_traces && ends_with(file.name, ".xplane.pb")) add_path(path);
        if (!without_ending(file.name, snapshot_endings).empty()) snapshot_files_.push_back(path);
        const bool lines = ends_with(file.name, ".jsonl");
        if (!lines && file.name.find(".json") != std::string::npos) json_files_.push_back(path);
        if (lines && (folder_name == "offsets" || file.name.find("offsets") != std::string::npos))
          offsets.push_back(path);
        if (file.name == "run_metadata.json") metadata.push_back(path);
      }
    }
    if (found_.offsets.empty() && offsets.size() > 1) return several("offsets files", offsets, "--offsets");
    if (found_.offsets.empty() && !offsets.empty()) found_.offsets = offsets.front();
    if (found_.run_path.empty() && metadata.size() > 1)
      return several("run metadata files", metadata, "--run_metadata");
    if (found_.run_path.empty() && !metadata.empty()) found_.run_path = metadata.front();
    return {};
  }

  // Where no XSpace lies below the folder: the trace JSON there, recognised by its contents.
  void take_chrome_traces() {
    for (const std::string& path : json_files_)
      if (can_be_merged(file_at(path), false)) add_path(path);
  }

  // What a trace is. A folder stands for the one trace in it. What cannot be opened is reported when it is.
  result<void> look_at(trace_input& t) {
    open_options how;
    how.bounds = o_.bounds;
    how.host = host_;
    how.host.progress = nullptr;
    const auto found = open_capture(t.path, how);
    if (!found) return {};
    const capture_file* chosen = nullptr;
    std::size_t candidates = 0;
    for (const bool planes : {true, false}) {
      for (const capture_file& file : found->files) {
        if (!can_be_merged(file, planes) || candidates++ != 0) continue;
        chosen = &file;
        t.is_json = !planes;
      }
      if (chosen != nullptr) break;
    }
    if (chosen == nullptr) return {};
    if (candidates > 1)
      return usage("this folder holds " + std::to_string(candidates) + " traces", "Name the trace of each node, or the folder with --run-dir.", t.path);
    t.hostname = chosen->host;
    if (chosen->path != t.path) t.named = std::exchange(t.path, chosen->path);
    if (!t.is_json) return {};
    t.rank = rank_in_header(t, o_, host_);
    for (const capture_file& file : found->files)
      if (!t.rank) t.rank = number_in(last_part_of(file.path), "profiler_info_");
    return {};
  }

  // 3 of "profiler_info_3.json".
  static std::optional<std::int64_t> number_in(std::string_view name, std::string_view before) noexcept {
    if (!starts_with(name, before)) return std::nullopt;
    name.remove_prefix(before.size());
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    static_cast<void>(end);
    return error == std::errc{} && id >= 0 ? std::optional(id) : std::nullopt;
  }

  [[nodiscard]] fault several(const char* what, const std::vector<std::string>& paths, const char* flag) const {
    std::string list;
    for (std::size_t i = 0; i < paths.size() && i < 5; ++i) list += (i == 0 ? " " : ", ") + paths[i];
    return usage(std::to_string(paths.size()) + ' ' + what + " below the folder:" + list,
                 std::string("Name the one that belongs to the run with ") + flag + '.', o_.run_dir);
  }

  result<void> take_snapshots() {
    if (!o_.snapshots.empty()) {
      if (o_.snapshots.size() != found_.traces.size())
        return usage(
            std::to_string(found_.traces.size()) + " traces, but " + std::to_string(o_.snapshots.size()) +
                (o_.snapshots.size() == 1 ? " snapshot file" : " snapshot files"),
            "Give one snapshot file a trace, in the same order ('' for a trace that carries its own), or none.");
      for (std::size_t i = 0; i < o_.snapshots.size(); ++i) found_.traces[i].snapshots = o_.snapshots[i];
      return {};
    }
    // node0.xplane.pb and node0.snapshots.pb belong together.
    for (trace_input& t : found_.traces) {
      const std::string name(last_part_of(t.path));
      const std::string_view stem = without_ending(name, trace_endings);
      for (const std::string& path : snapshot_files_) {
        const std::string other(last_part_of(path));
        const std::string_view other_stem = without_ending(other, snapshot_endings);
        const auto id = number_after_node(stem);
        if (stem != other_stem && !(id && number_after_node(other_stem) == id)) continue;
        t.snapshots = path;
        if (stem == other_stem) break;
      }
    }
    return {};
  }

  result<void> read_run() {
    auto held = read_whole(found_.run_path, o_, host_);
    if (!held) return std::move(held).error();
    auto run = read_run_metadata(held->bytes, found_.run_path);
    if (!run) return std::move(run).error();
    found_.run = std::move(*run);
    return {};
  }

  // The entry of the metadata that names this trace: as it is, else with the most of its folders, else its name alone.
  [[nodiscard]] const run_node* entry_of(const std::string& path) const {
    if (!found_.run) return nullptr;
    const run_node* named = nullptr;
    std::size_t shared = 0;
    for (const run_node& n : found_.run->nodes) {
      if (n.trace.empty()) continue;
      if (n.trace == path) return &n;
      const std::size_t same = ends_with(path, '/' + n.trace) ? 1 + n.trace.size() : last_part_of(n.trace) == last_part_of(path) ? 1 : 0;
      if (same <= shared) continue;
      named = &n;
      shared = same;
    }
    return named;
  }

  // Ranks are the numbers of nodes where nothing else names these and each trace has its own.
  [[nodiscard]] bool ranks_are_ids() const {
    std::vector<std::int64_t> ranks;
    for (const trace_input& t : found_.traces) {
      const bool is_given = t.opened != nullptr && t.opened->what().files[t.file].given_rank >= 0;
      if (!t.rank || (!is_given && number_after_node(last_part_of(t.path)))) return false;
      ranks.push_back(*t.rank);
    }
    std::sort(ranks.begin(), ranks.end());
    return !found_.run && std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end();
  }

  result<void> name_nodes() {
    const bool by_rank = ranks_are_ids();
    for (std::size_t i = 0; i < found_.traces.size(); ++i) {
      trace_input& t = found_.traces[i];
      t.node_id = by_rank ? *t.rank : static_cast<std::int64_t>(i);
      const std::string name(last_part_of(t.path));
      const auto in_name = number_after_node(name);
      const run_node* entry = entry_of(t.path);
      if (entry != nullptr && in_name && *in_name != entry->node_id)
        return usage("the run metadata calls this trace node " + std::to_string(entry->node_id) +
                         ", its name says node " + std::to_string(*in_name),
                     "Correct the metadata or rename the file.", t.path);
      if (entry != nullptr)
        t.node_id = entry->node_id;
      else if (in_name && !by_rank)
        t.node_id = *in_name;
      if (found_.run && entry == nullptr && found_.run->find(t.node_id) == nullptr)
        return usage("the run metadata has no node " + std::to_string(t.node_id) + ", which this trace is taken for",
                     "Add the node to the metadata, or leave out --run_metadata.", t.path);
      if (t.node_id < 0 || t.node_id > max_node_id)
        return usage("node id " + std::to_string(t.node_id) + " is out of range", "Ids go from 0 to 1000000000.",
                     t.path);
    }
    for (std::size_t i = 0; i < found_.traces.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (found_.traces[i].node_id == found_.traces[k].node_id)
          return usage("two traces are node " + std::to_string(found_.traces[i].node_id) + ": " + found_.traces[k].path,
                       "Give the ids with --run_metadata, or rename the files (node0…, node1…).",
                       found_.traces[i].path);
    return {};
  }

  const merge_options& o_;
  const hooks& host_;
  merge_inputs found_;
  std::vector<std::string> snapshot_files_, json_files_;
};

}  // namespace

file_family family_of(const trace_input& trace) {
  return (trace.opened == nullptr ? file_at(trace.path) : trace.opened->what().files[trace.file]).family;
}

result<std::unique_ptr<source>> open_trace(const trace_input& trace, const merge_options& o) {
  if (trace.opened != nullptr) return open_buffer_source(trace.opened->bytes(trace.file), trace.path, o.bounds);
  return open_file_source(trace.path, o.io, o.bounds);
}

fault no_xspace_but_chrome_traces(std::string path) {
  fault f;
  f.code = fault_code::unsupported;
  f.message = "this is a Chrome trace, as PyTorch (Kineto), Ascend and exporters write it, which cannot become an XSpace";
  f.hint = "Name the output FILE.trace.json.gz or FILE.pftrace.";
  f.path = std::move(path);
  return f;
}

result<held_bytes> read_whole(const std::string& path, const merge_options& o, const hooks& host) {
  auto from = open_file_source(path, o.io, o.bounds);
  if (!from) return std::move(from).error();
  auto held = hold_bytes(std::move(from).value(), o.bounds, host);
  if (!held) return std::move(held).error();
  if (held->damage) {
    fault f = *held->damage;
    if (f.path.empty()) f.path = path;
    return f;
  }
  return held;
}

result<merge_inputs> resolve_inputs(const merge_options& o, const hooks& host) { return resolver(o, host).run(); }

result<merge_input_list> list_merge_inputs(const merge_options& o, const hooks& host) {
  return contained([&]() -> result<merge_input_list> {
    auto found = resolve_inputs(o, host);
    if (!found) return std::move(found).error();
    merge_input_list list;
    for (trace_input& t : found->traces)
      list.traces.push_back({t.named.empty() ? std::move(t.path) : std::move(t.named), t.node_id, t.is_json});
    const bool has_zero = std::any_of(list.traces.begin(), list.traces.end(), [](const merge_input& t) { return t.node_id == 0; });
    list.reference_node = has_zero ? 0 : list.traces.front().node_id;
    if (found->run && found->run->reference_node) list.reference_node = *found->run->reference_node;
    return list;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
