// run_metadata.json: the nodes of a run, their hosts and traces.
#include <profkit/core/clock.hpp>

#include <base/contained.hpp>
#include <formats/chrome/json_elements.hpp>
#include <formats/chrome/json_fields.hpp>

#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

fault wrong_run_metadata(const std::string& path, std::string what) {
  fault f;
  f.code = fault_code::damaged;
  f.path = path;
  f.message = "run metadata: " + std::move(what);
  f.hint = "Expected {\"run_id\":…,\"nodes\":[{\"node_id\":0,\"hostname\":…,\"trace\":…},…]}.";
  return f;
}

result<run_metadata> read_run(std::string_view text, const std::string& path) {
  if (!is_json_object(text)) return wrong_run_metadata(path, "the file is no JSON object");
  run_metadata found;
  found.run_id = json_string(json_member(text, "run_id"));
  if (const std::string_view raw = json_member(text, "reference_node"); !raw.empty() && raw != "null") {
    found.reference_node = json_integer(raw);
    if (!found.reference_node) return wrong_run_metadata(path, "reference_node is no number");
  }
  const std::string_view nodes = json_member(text, "nodes");
  if (nodes.empty()) return wrong_run_metadata(path, "it names no nodes");
  json_elements each(nodes);
  while (each.next()) {
    const std::string_view node = each.value();
    if (!is_json_object(node)) return wrong_run_metadata(path, "a node is no JSON object");
    run_node n;
    const auto id = json_integer(json_member(node, "node_id"));
    if (!id) return wrong_run_metadata(path, "a node has no node_id, or one that is no number");
    if (found.find(*id) != nullptr) return wrong_run_metadata(path, "two nodes have the id " + std::to_string(*id));
    n.node_id = n.start.node_id = *id;
    n.hostname = json_string(json_member(node, "hostname"));
    n.trace = json_string(json_member(node, "trace"));
    for (const auto& [name, into] :
         {std::pair{"start_walltime_ns", &n.start.walltime_ns}, std::pair{"start_gpu_ns", &n.start.gpu_ns}}) {
      const std::string_view raw = json_member(node, name);
      if (!is_json_given(raw)) continue;
      *into = json_scaled_integer(raw);  // also in quotes
      if (!*into)
        return wrong_run_metadata(path, std::string(name) + " of node " + std::to_string(*id) + " is " +
                                            std::string(raw.substr(0, 40)) + ", no whole number of nanoseconds");
    }
    if (const std::string_view raw = json_member(node, "gpu_ordinals"); !raw.empty()) {
      json_elements ordinals(raw);
      while (ordinals.next())
        if (const auto k = json_integer(ordinals.value())) n.gpu_ordinals.push_back(*k);
      if (!ordinals.ok()) return wrong_run_metadata(path, "gpu_ordinals is no array");
    }
    found.nodes.push_back(std::move(n));
  }
  if (!each.ok()) return wrong_run_metadata(path, "'nodes' is no array");
  return found;
}

}  // namespace

const run_node* run_metadata::find(std::int64_t node_id) const noexcept {
  for (const run_node& n : nodes)
    if (n.node_id == node_id) return &n;
  return nullptr;
}

result<run_metadata> read_run_metadata(std::string_view text, std::string path) {
  return contained([&] { return read_run(text, path); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
