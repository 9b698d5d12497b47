// Modules by the paths that named scopes leave in a program: "jit(step)/jvp(Transformer)/layer_3/attention/query/dot_general".
// Source: jax.named_scope and flax.linen.Module, whose modules run in a scope of their name, and as whole models of their class.
#pragma once
#include <model/architecture/facts/scopes.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

class program_scopes {
 public:
  // Of an instruction that computes; the last part of its path is the primitive.
  void add(std::string_view path);

  // "Transformer"; "" where no path begins with the class of a module.
  [[nodiscard]] const std::string& model() const noexcept { return model_; }
  struct numbered {
    std::int64_t count = 0;
    std::string evidence;  // "layer_0 … layer_5 of Transformer/encoder"
  };
  // What attends and is numbered from 0 on without a gap; nothing where there are several such families, or none.
  [[nodiscard]] std::optional<numbered> layers() const;

 private:
  struct family {
    std::set<std::int64_t> numbers;
    bool attends = false;
  };
  std::map<std::string, family> families_;  // by path and name without the number
  std::string model_;
};

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
