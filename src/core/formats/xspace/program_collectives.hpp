// Which instructions of the programs inside an XSpace are collectives. JAX names instructions after the jaxpr
// ("psum.7"): only the program shows that one is an all-reduce.
#pragma once
#include <base/hash_map.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class program_collectives {
 public:
  explicit program_collectives(const xspace_index& space);
  // "all-reduce", "all-gather-start"; empty for others. The program is found by its id, else by the module's
  // name. Where no known program has the instruction, or several fit and disagree, the instruction's name decides.
  [[nodiscard]] std::string_view find(std::optional<std::int64_t> program_id, std::string_view module_name,
                                      std::string_view instruction) const;
  // Whether some program has an instruction of this name that is something else than the name says.
  [[nodiscard]] bool renames(std::string_view instruction) const { return renamed_.contains(instruction); }

 private:
  // Of instructions that are something else than their names say.
  using renamed = hash_map<std::string_view, std::string_view>;
  static renamed read(const std::vector<std::string_view>& blobs);

  hash_map<std::int64_t, renamed> by_id_;
  hash_map<std::string_view, renamed> by_name_;
  hash_set<std::string_view> renamed_;  // all of them
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
