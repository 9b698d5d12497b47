// Parts of the memory document.
#pragma once
#include <export/json/document.hpp>

#include <profkit/core/memory.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// The first rows of a list, `most` at most.
template <class Row>
class first_rows {
 public:
  first_rows(const std::vector<Row>& rows, std::uint64_t most)
      : begin_(rows.data()), size_(most < rows.size() ? static_cast<std::size_t>(most) : rows.size()) {}
  [[nodiscard]] const Row* begin() const noexcept { return begin_; }
  [[nodiscard]] const Row* end() const noexcept { return begin_ + size_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  const Row* begin_;
  std::size_t size_;
};
template <class Row>
[[nodiscard]] first_rows<Row> top_of(const std::vector<Row>& rows, std::uint64_t most) {
  return {rows, most};
}

// Ids, addresses and ns are numbers here. `top`: rows of each list.
void write_hlo_block(json_writer& out, const hlo_report& h, const memory_result& r, std::uint64_t top);
void write_runtime_block(json_writer& out, const runtime_report& t, const memory_result& r, std::uint64_t top);
void write_runtime_diagnostics(json_writer& out, const runtime_diagnostics& d);
void write_memory_blocks(json_writer& out, const memory_result& r, std::uint64_t top);  // all of these, and why one is not there

// The options that the filters of a document mean.
[[nodiscard]] memory_options memory_options_of(const query_filters& o);
// The whole document.
document_status write_memory(json_writer& out, const profile& p, const memory_options& o, const memory_result& found);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
