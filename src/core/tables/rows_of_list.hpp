// What sources of rows share.
#pragma once
#include <profkit/core/modules.hpp>
#include <tables/fills.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct architecture_report;
struct validation_result;

[[nodiscard]] inline pk_str borrowed(std::string_view text) noexcept { return {text.data(), text.size()}; }

// Text that rows borrow and nothing else holds: it lives as long as a copy of this.
class kept_texts {
 public:
  [[nodiscard]] pk_str operator()(std::string text) const { return borrowed(texts_->emplace_back(std::move(text))); }

 private:
  std::shared_ptr<std::deque<std::string>> texts_ = std::make_shared<std::deque<std::string>>();  // strings stay where they are
};

// The bit where it holds.
[[nodiscard]] constexpr std::uint32_t bit_if(bool holds, std::uint32_t bit) noexcept { return holds ? bit : 0; }

// Rows by position: fill(position, row) of each below `count`. Row: a struct of rows.hpp.
template <class Row, class Fill>
class rows_of_list final : public row_source {
 public:
  rows_of_list(table_kind which, std::uint64_t count, Fill fill, std::vector<file_damage> damage)
      : which_(which), count_(count), fill_(std::move(fill)), damage_(std::move(damage)) {}
  [[nodiscard]] table_kind which() const noexcept override { return which_; }
  result<std::size_t> read(void* rows, std::size_t capacity) override {
    auto* const into = static_cast<Row*>(rows);
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(capacity, count_ - at_));
    for (std::size_t i = 0; i < n; ++i, ++at_) {
      into[i] = {};
      fill_(at_, into[i]);
    }
    return n;
  }
  [[nodiscard]] std::vector<file_damage> damage() const override { return damage_; }

 private:
  table_kind which_;
  std::uint64_t count_, at_ = 0;
  Fill fill_;
  std::vector<file_damage> damage_;
};

template <class Row, class Fill>
std::unique_ptr<row_source> make_rows(table_kind which, std::uint64_t count, Fill fill,
                                      std::vector<file_damage> damage = {}) {
  return std::make_unique<rows_of_list<Row, Fill>>(which, count, std::move(fill), std::move(damage));
}

// What was lost where an activity was read, and where files were opened.
[[nodiscard]] std::vector<file_damage> damage_of(const activity& of);
[[nodiscard]] std::vector<file_damage> damage_of(const profile& p);

// Rows of a file and of a module, also for the functions that give one alone.
void fill_row(const profile& p, std::size_t file, pk_file_info& row);

// Each gives the rows of one table, for open_rows().
struct asked_rows {
  const trace& of;
  std::shared_ptr<const capture_devices> devices;
  const query_filters& filters;
  const hooks& host;
  bool allow_empty;  // see table_options
};
result<std::unique_ptr<row_source>> open_ops(const asked_rows& asked);
result<std::unique_ptr<row_source>> open_collectives(const asked_rows& asked);
result<std::unique_ptr<row_source>> open_modules(const asked_rows& asked);
result<std::unique_ptr<row_source>> open_findings(const asked_rows& asked);
result<std::unique_ptr<row_source>> open_op_groups(const asked_rows& asked);
std::unique_ptr<row_source> file_rows(const profile& p);
std::unique_ptr<row_source> device_rows(std::shared_ptr<const capture_devices> devices);
// Of results that outlive the rows.
std::unique_ptr<row_source> fact_rows(const capture_devices& devices, const architecture_report& of);
std::unique_ptr<row_source> call_rows(const validation_result& of, std::vector<file_damage> damage);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
