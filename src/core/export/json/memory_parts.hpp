// Parts of the memory document.
#pragma once
#include <export/json/document.hpp>

#include <profkit/core/memory.hpp>

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// The first rows of a list, `most` at most.
template <class Row>
class first_rows {
 public:
  first_rows(const std::vector<Row>& rows, std::uint64_t most)
      : begin_(rows.data()), size_(most < rows.size() ? static_cast<std::size_t>(most) : rows.size()), all_(rows.size()) {}
  [[nodiscard]] const Row* begin() const noexcept { return begin_; }
  [[nodiscard]] const Row* end() const noexcept { return begin_ + size_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return all_ - size_; }

 private:
  const Row* begin_;
  std::size_t size_, all_;
};
template <class Row>
[[nodiscard]] first_rows<Row> top_of(const std::vector<Row>& rows, std::uint64_t most) {
  return {rows, most};
}

// What the fields of the document `memory` are found with.
struct memory_sight {
  const profile& p;
  std::uint64_t top = 0;  // rows of each list
};

// Rows that a list leaves out.
struct rows_tail {
  std::uint64_t n_buffers = 0;
  std::int64_t total_bytes = 0;
};
// A row of a rollup; the last one may stand for all others, which `n_keys` counts.
struct shown_share {
  std::string_view key;
  std::int64_t total_bytes = 0;
  std::optional<std::uint64_t> n_keys;
  double pct = 0;
};
struct shown_buffers {
  std::uint64_t n_buffers = 0;
  std::int64_t total_bytes = 0;
  double pct_of_pool = 0;
  first_rows<buffer_row> buffers;
  rows_tail tail;
  std::vector<shown_share> by_opcode, by_op_name;
};
struct shown_donation {
  std::uint64_t n_parameters = 0;
  std::int64_t saved_bytes = 0;
  first_rows<donation_row> parameters;
};
struct shown_hlo {
  const hlo_report& h;
  const module_memory& m;
  std::string_view selection;
  space_memory space;
  shown_buffers alive, always_alive;
  shown_donation donation;
};
struct shown_mix {
  std::int64_t persistent = 0, transient = 0, unknown = 0;
};
struct shown_lifetime {
  std::string_view key;
  std::uint64_t n_buffers = 0;
  std::int64_t total_bytes = 0;
  std::optional<shown_mix> lifetime_mix;
  double pct_of_peak = 0;
};
struct shown_moment {
  const char* kind = "";
  std::int64_t ts_ns = 0;
  std::optional<std::optional<std::string_view>> step_id;  // none inside: steps have no ids here
  std::optional<std::int64_t> bytes;
};
struct shown_runtime {
  const runtime_report& t;
  const allocator_memory* allocator = nullptr;
  std::optional<std::int64_t> reserved_bytes;  // of an allocator
  first_rows<live_row> alive;
  rows_tail tail;
  std::vector<shown_lifetime> by_lifetime_class, by_shape, by_tf_op, by_parent_jit, by_dtype;
};
struct shown_space {
  const space_memory& s;
  std::string_view name;
};
struct shown_fit {
  std::uint64_t limit_bytes = 0;
  std::optional<std::int64_t> needed_bytes;
  std::optional<std::string_view> needed_by;
  std::optional<bool> fits;
  std::optional<std::int64_t> spare_bytes;
};

[[nodiscard]] const char* primary_source_of(const memory_result& r, const memory_sight& with) noexcept;
[[nodiscard]] std::string_view path_of(const memory_result& r, const memory_sight& with) noexcept;
[[nodiscard]] std::optional<shown_hlo> shown_hlo_of(const memory_result& r, const memory_sight& with);
[[nodiscard]] std::optional<shown_runtime> shown_runtime_of(const memory_result& r, const memory_sight& with);
[[nodiscard]] const runtime_diagnostics* diagnostics_of(const memory_result& r, const memory_sight& with) noexcept;
[[nodiscard]] std::optional<shown_fit> shown_fit_of(const memory_result& r, const memory_sight& with);
[[nodiscard]] std::array<std::int64_t, 2> range_of(const step_choice& step) noexcept;
[[nodiscard]] std::vector<shown_moment> moments_of(const runtime_report& t);
[[nodiscard]] std::string_view source_of(const module_memory& m) noexcept;
[[nodiscard]] shown_space shown(const space_memory& space, const module_memory& of) noexcept;
void write_pools(json_writer& out, const std::vector<std::pair<std::int64_t, std::int64_t>>& bytes);

// The options that the filters of a document mean.
[[nodiscard]] memory_options memory_options_of(const query_filters& o);
// The whole document.
document_status write_memory(json_writer& out, const profile& p, const memory_options& o, const memory_result& found);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
