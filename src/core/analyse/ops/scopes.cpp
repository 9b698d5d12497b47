#include <analyse/ops/scopes.hpp>

#include <base/affix.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// What JAX's transformations put around a name, as "jvp(Transformer)" (jax/_src/interpreters, jax/_src/core.py), ...
constexpr std::string_view around_names[] = {"jvp(", "transpose(", "vmap(", "remat(", "checkpoint("};
// ... and scopes that its control flow and calls make, which the user did not write.
constexpr std::string_view of_the_framework[] = {"while",       "body",          "cond",           "closed_call",
                                                 "checkpoint",  "remat",         "rematted_computation", "core_call",
                                                 "pjit",        "shard_map",     "custom_jvp_call", "custom_vjp_call",
                                                 "custom_vjp_call_jaxpr", "xla_call", "scan", "jvp()", "transpose(jvp())", "vmap()"};

// The name without what stands around it; "" when there is none.
std::string_view bare_name(std::string_view part) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view start : around_names) {
      if (!starts_with(part, start) || !ends_with(part, ")")) continue;
      part.remove_prefix(start.size());
      part.remove_suffix(1);
      again = true;
    }
  }
  const bool is_call = starts_with(part, "jit(") || starts_with(part, "pjit(");
  return is_call || std::find(std::begin(of_the_framework), std::end(of_the_framework), part) != std::end(of_the_framework) ? "" : part;
}

}  // namespace

named_scope scope_of(std::string_view tf_op) {
  named_scope found;
  // TensorFlow puts facts after the name: "model/dense/MatMul:MatMul#shape=(float[4,8])#".
  if (const std::size_t facts = tf_op.find('#'); facts != std::string_view::npos) {
    constexpr std::string_view shape = "#shape=";
    const std::size_t at = tf_op.find(shape);
    if (at != std::string_view::npos)
      found.shapes = tf_op.substr(at + shape.size(), tf_op.find('#', at + 1) - at - shape.size());
    tf_op = tf_op.substr(0, facts);
  }
  // TensorFlow: "model/dense/MatMul:MatMul"; JAX writes no type.
  const std::size_t colon = tf_op.rfind(':');
  std::string_view type;
  if (colon != std::string_view::npos && tf_op.find('/', colon) == std::string_view::npos) {
    type = tf_op.substr(colon + 1);
    tf_op = tf_op.substr(0, colon);
  }
  std::vector<std::string_view> parts;
  std::size_t first = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= tf_op.size(); ++at) {
    if (at < tf_op.size() && tf_op[at] == '(') ++depth;
    if (at < tf_op.size() && tf_op[at] == ')') --depth;
    if (at < tf_op.size() && (tf_op[at] != '/' || depth > 0)) continue;
    if (at > first) parts.push_back(tf_op.substr(first, at - first));
    first = at + 1;
  }
  bool differentiated = false, transposed = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    transposed = transposed || starts_with(parts[i], "transpose(");
    differentiated = differentiated || starts_with(parts[i], "jvp(");
    if (i + 1 == parts.size()) {
      found.op = type.empty() ? parts[i] : type;
    } else if (const std::string_view name = bare_name(parts[i]); !name.empty()) {
      found.modules.emplace_back(name);
    }
  }
  found.phase = transposed ? "backward" : differentiated ? "forward" : "";
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
