// What the programs inside an XSpace say an instruction is. JAX names instructions after the jaxpr ("psum.7"): only
// the program tells that one is an all-reduce.
#pragma once
#include <base/hash_map.hpp>
#include <read/xspace_index.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Reads a program when it is first asked for.
class program_opcodes {
 public:
  explicit program_opcodes(const xspace_index& space);
  // The opcode of an instruction. The program is found by its id, else by the module's name. Empty when no program
  // is known that has the instruction, or when several fit and disagree.
  [[nodiscard]] std::string_view find(std::optional<std::int64_t> program_id, std::string_view module_name,
                                      std::string_view instruction);

 private:
  struct programs {
    std::vector<std::string_view> blobs;
    hash_map<std::string_view, std::string_view> opcodes;  // by instruction; empty: the programs disagree
    bool read = false;
  };
  static std::string_view look_up(programs& in, std::string_view instruction);

  hash_map<std::int64_t, programs> by_id_;
  hash_map<std::string_view, programs> by_name_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
