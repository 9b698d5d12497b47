// What is known of an op: its names by each key, and what it does.
#pragma once
#include <analyse/ops/program_instructions.hpp>
#include <analyse/ops/scopes.hpp>
#include <analyse/ops/memory_traffic.hpp>
#include <analyse/ops/work_kinds.hpp>
#include <base/hash_map.hpp>
#include <profkit/core/activity.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/op_groups.hpp>
#include <profkit/core/ops.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The names of ranges one inside the other; one empty name where there is none.
[[nodiscard]] std::vector<std::string> ranges_in(std::string_view path);

class row_facts {
 public:
  explicit row_facts(const profile& p) : profile_(p), programs_(p) {}

  // Before the rows of a line are looked at.
  void look_at(const ops_line& line);
  void look_at(const op_row& op);
  // The names of a key; several where they lie one inside the other.
  void names_of(group_key key, std::vector<std::string>& into);
  // The work of all executions. Nothing when it is not on record or counted for another op: of several kernels of an instruction the longest has all of it.
  [[nodiscard]] std::optional<kernel_work> work();
  // Where the bytes of that work lie; in main memory, unless the op says more.
  [[nodiscard]] memory_traffic traffic(const kernel_work& work);
  // The network bounds it, not the device.
  [[nodiscard]] bool is_collective();
  [[nodiscard]] work_kind kind();

 private:
  using instruction_key = std::tuple<std::optional<std::int64_t>, std::string_view, std::string_view>;

  std::string text_of(std::string_view stat);
  const std::vector<named_stat>& stats();
  const named_scope& scope();
  std::string instruction_name();
  std::string source();
  std::string category();
  const instruction_facts* instruction();
  const instruction_facts* find_instruction();

  const profile& profile_;
  const op_programs programs_;
  const ops_line* line_ = nullptr;
  const op_row* op_ = nullptr;
  std::optional<const instruction_facts*> instruction_;  // nothing until it was looked for
  std::map<std::uint32_t, std::optional<program_instructions>> programs_of_files_;
  hash_map<instruction_key, std::int64_t> longest_;  // kernel of each instruction of the line
  bool has_stats_ = false, has_scope_ = false;
  std::vector<named_stat> stats_;
  named_scope scope_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
