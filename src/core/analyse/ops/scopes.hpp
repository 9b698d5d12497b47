// What the name that XLA gives to an op says: "jit(train_step)/jvp(Transformer)/layer_3/attn/dot_general".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct named_scope {
  std::vector<std::string> modules;  // from outside in, without what JAX puts around them
  std::string op;                    // "dot_general"; of TensorFlow its type, "MatMul"
  std::string shapes;                // of its inputs, where TensorFlow wrote them: "(float[4,8];half[])"
  const char* phase = "";            // "forward", "backward" where JAX differentiated it, else ""
};
[[nodiscard]] named_scope scope_of(std::string_view tf_op);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
