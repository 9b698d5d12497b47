// Parts that the memory document and the reference's document have in common.
#pragma once
#include <export/json/document.hpp>

#include <profkit/core/memory.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// Fields of the seed's schema version 2 keep its types: ids, addresses and ns are numbers there.
struct memory_style {
  bool reference = false;  // exactly the reference's fields
  std::uint64_t top = 30;
};

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

void write_hlo_block(json_writer& out, const hlo_report& h, const memory_result& r, const memory_style& style);
void write_runtime_block(json_writer& out, const runtime_report& t, const memory_result& r, const memory_style& style);
void write_runtime_diagnostics(json_writer& out, const runtime_diagnostics& d, const memory_style& style);

// The options that the filters of a document mean.
[[nodiscard]] memory_options memory_options_of(const anatomy_options& o);
// The whole document.
document_status write_memory(json_writer& out, const profile& p, const memory_options& o, const memory_result& found);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
