// The sums of one line, to make the rows of its ops from.
#pragma once
#include <analyse/ops/op_programs.hpp>
#include <analyse/ops/op_totals.hpp>
#include <profkit/core/ops.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What the numbers stand for that op_totals summed the events of a line by.
enum class op_key : std::uint8_t {
  metadata_id,
  entry,  // the position of the metadata entry in its plane; above, ids without an entry
  program,  // the metadata id; from dense_ids on, pairs of a metadata id and a program
  kernel,   // a kernel's name: the position in op_rows::sums::kernels
};

// What the kernels of one op have in common. The texts are the activity's.
struct kernel_op {
  std::string_view name, category, type, core;
  op_origin origin;
  std::optional<number_type> multiplies;
  // Of a table of totals alone.
  std::string_view display_name, framework_op, program;
  std::uint64_t program_id = 0, flops = 0, bytes = 0;
};

struct op_rows::sums {
  const plane_index* plane = nullptr;
  op_key key = op_key::metadata_id;
  std::size_t dense = 0;             // numbers from 0 on, in the slots from 1 on
  std::vector<std::int64_t> others;  // the numbers of the slots after those
  std::vector<op_sum> by_slot;
  std::vector<std::int64_t> without_entry;  // ids by how far their number is above the entries, for op_key::entry
  // For op_key::program: what the numbers from first_pair on mean, and the programs, numbered from 1.
  std::size_t first_pair = 0;
  std::vector<std::pair<std::int64_t, std::uint32_t>> pairs;
  std::vector<program_key> programs;
  std::shared_ptr<const std::vector<kernel_op>> kernels;  // for op_key::kernel; there is no plane then

  [[nodiscard]] std::int64_t number_of(std::size_t slot) const noexcept {
    return slot <= dense ? static_cast<std::int64_t>(slot) - 1 : others[slot - dense - 1];
  }
  [[nodiscard]] std::int64_t metadata_id_of(std::size_t slot) const noexcept;
  [[nodiscard]] std::uint32_t program_of(std::size_t slot) const noexcept;  // 0: its events do not say
  [[nodiscard]] op_row row(std::size_t slot) const noexcept;
};

[[nodiscard]] inline std::int64_t clamp_ps(std::uint64_t ps) noexcept {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(ps, std::numeric_limits<std::int64_t>::max()));
}

// The op of a plane's events with this metadata id and this program, without its sums.
[[nodiscard]] op_row row_of_op(const plane_index& plane, std::int64_t metadata_id, const program_key& program) noexcept;

// The rows of the ops in `of` that were met and whose name or display name contains `name`.
[[nodiscard]] op_rows make_op_rows(op_rows::sums of, const std::string& name);

// What the totals of events that are numbered by their places in `kernels` say of their line.
void fill_line(ops_line& line, op_totals& totals, std::shared_ptr<const std::vector<kernel_op>> kernels, const std::string& name);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
