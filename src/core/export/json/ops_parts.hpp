// What the fields of the document `ops` are found with.
#pragma once
#include <profkit/core/ops.hpp>

#include <optional>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

struct ops_sight {
  const profile& p;
  const op_programs& programs;
};

struct shown_line {
  const ops_line& line;
  device_peaks peaks;
  [[nodiscard]] std::optional<double> flops_per_s() const noexcept;      // none where it is not known
  [[nodiscard]] std::optional<double> hbm_bytes_per_s() const noexcept;
};
[[nodiscard]] shown_line shown(const ops_line& line, const ops_result& of, const ops_sight& with);

struct shown_op {
  op_row op;
  std::optional<std::int64_t> metadata_id;
  std::string program;
  std::vector<named_stat> stats;
  std::optional<double> flops_per_s, flops_share, bytes_per_s, bytes_share;
};
[[nodiscard]] shown_op shown(const op_row& op, const shown_line& of, const ops_sight& with);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
