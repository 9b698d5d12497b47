// Sums by key.
#pragma once
#include <profkit/core/memory.hpp>
#include <profkit/time.hpp>

#include <base/hash_map.hpp>
#include <base/utf8.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// The first so many code points of a text.
inline std::string_view first_code_points(std::string_view text, std::size_t most) noexcept {
  std::size_t at = 0;
  for (std::size_t n = 0; n < most && at < text.size(); ++n) at += decode_utf8(text, at).bytes;
  return text.substr(0, at);
}

// Largest first; of equal sums the key that was met first.
class rollup {
 public:
  void add(std::string_view key, std::int64_t bytes) {
    constexpr std::size_t longest_key = 120;
    key = first_code_points(key, longest_key);
    const auto [at, fresh] = places_.try_emplace(std::string(key), rows_.size());
    if (fresh) rows_.push_back({std::string(key), 0, 0});
    rows_[at->second].total_bytes = saturating_add(rows_[at->second].total_bytes, bytes);
    ++rows_[at->second].n_buffers;
  }
  std::vector<rollup_row> take() {
    std::stable_sort(rows_.begin(), rows_.end(),
                 [](const rollup_row& a, const rollup_row& b) { return a.total_bytes > b.total_bytes; });
    return std::move(rows_);
  }

 private:
  hash_map<std::string, std::size_t> places_;
  std::vector<rollup_row> rows_;
};

inline void roll_up(const std::vector<buffer_row>& rows, std::vector<rollup_row>& by_opcode,
                    std::vector<rollup_row>& by_op_name) {
  rollup opcodes, op_names;
  for (const buffer_row& row : rows) {
    opcodes.add(row.opcode.empty() ? std::string_view("<no opcode>") : row.opcode, row.size_bytes);
    op_names.add(row.op_name.empty() ? std::string_view("<no op_name>") : row.op_name, row.size_bytes);
  }
  by_opcode = opcodes.take();
  by_op_name = op_names.take();
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
