// What the programs inside an XSpace say of their instructions.
#pragma once
#include <analyse/ops/hlo_cost.hpp>
#include <analyse/ops/work_kinds.hpp>
#include <base/hash_map.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct instruction_facts {
  std::string_view opcode, fusion_kind;  // "fusion", "kLoop"
  std::string_view scope, source_file;   // "jit(f)/dot_general"
  std::int64_t source_line = 0;
  hlo_cost cost;
  work_kind kind = work_kind::unknown;
  // As XProf names categories of fusions: "loop fusion"; else the opcode.
  [[nodiscard]] std::string category() const;
};

class program_instructions {
 public:
  explicit program_instructions(const xspace_index& space);  // borrows its bytes
  // The program by its id, else by the module's name. Null where no program is known, or where programs of one name disagree.
  [[nodiscard]] const instruction_facts* find(std::optional<std::int64_t> program_id, std::string_view module,
                                              std::string_view instruction) const;

 private:
  using instructions = hash_map<std::string_view, instruction_facts>;
  hash_map<std::int64_t, instructions> by_id_;
  hash_map<std::string_view, std::int64_t> id_of_module_;
  hash_set<std::string_view> ambiguous_;  // modules of one name that are several programs
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
