// Which program the events of an op belong to. Instructions of different programs share names and, on streams and
// threads, metadata ids.
#pragma once
#include <base/hash_map.hpp>
#include <formats/xspace/xspace_index.hpp>
#include <profkit/core/ops.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// As stats say it: program_id and hlo_module. Programs with an id are distinguished by it, others by the module's name.
struct program_key {
  std::optional<std::int64_t> id;
  std::string_view module;
  // Where origins are asked for: which instruction of the program, its scope and its line of code, as the event says.
  std::string_view instruction = {}, scope = {}, source = {};
  std::uint32_t step = 0;  // where steps are asked for: 1 + its index
};

// The number at the end of "jit_f(12190760917235803885)".
[[nodiscard]] std::optional<std::int64_t> program_id_in(std::string_view name) noexcept;
// That name again; the number alone where the module is not known.
[[nodiscard]] std::string program_name(std::string_view module, std::int64_t id);
// Of an op of an XSpace, as its events say, else its metadata.
[[nodiscard]] program_key program_of(const profile& p, const ops_line& line, const op_row& op);

// Numbers the programs of a line's events from 1 on, in the order in which they are met; 0: the event does not say.
class program_numbers {
 public:
  // `id` and `module`: the stats of the event, the latter as a message, which is seldom read.
  std::uint32_t number_of(const plane_index& plane, const stat_view& id, std::string_view module);
  // The number of a program together with what else the event says of its origin: one number for each that differs.
  std::uint32_t number_of(std::uint32_t program, const program_key& origin);
  [[nodiscard]] const program_key& of(std::uint32_t number) const noexcept { return programs_[number - 1]; }
  [[nodiscard]] std::vector<program_key> take_programs() noexcept { return std::move(programs_); }

 private:
  hash_map<std::tuple<std::uint32_t, std::string_view, std::string_view, std::string_view, std::uint32_t>, std::uint32_t> by_origin_;
  hash_map<std::int64_t, std::uint32_t> by_id_;
  hash_map<std::string_view, std::uint32_t> by_module_;
  std::vector<program_key> programs_;
  std::optional<std::int64_t> last_id_;
  std::uint32_t last_number_ = 0;  // of last_id_
};

// Numbers pairs of metadata id and program: ids below `dense` whose event names no program are their own number.
class program_ids {
 public:
  explicit program_ids(std::size_t dense) : dense_(dense) {}
  std::int64_t number_of(std::int64_t metadata_id, std::uint32_t program) {
    if (program == 0 && static_cast<std::uint64_t>(metadata_id) < dense_) return metadata_id;
    const auto [at, is_new] = numbers_.try_emplace({metadata_id, program}, dense_ + pairs_.size());
    if (is_new) pairs_.emplace_back(metadata_id, program);
    return static_cast<std::int64_t>(at->second);
  }
  // Of the numbers from `dense` on.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::uint32_t>> take_pairs() noexcept { return std::move(pairs_); }

 private:
  std::size_t dense_;
  hash_map<std::pair<std::int64_t, std::uint32_t>, std::size_t> numbers_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> pairs_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
