// Rows that were read, cell by cell, with what they are joined with.
#include <profkit/core/table.hpp>
#include <tables/description.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Where `device` lies in the rows of a table; nothing where they are of none.
std::optional<std::size_t> offset_of_device(const table_description& table) noexcept {
  for (std::size_t i = 0; i < table.column_count; ++i)
    if (std::strcmp(table.columns[i].name, "device") == 0) return table.columns[i].offset;
  return std::nullopt;
}

cell text_cell(std::string_view text) noexcept {
  cell c;
  c.known = !text.empty();
  c.text = text;
  return c;
}

}  // namespace

table_reader::table_reader(std::unique_ptr<row_source> source, std::shared_ptr<const capture_devices> devices)
    : source_(std::move(source)),
      devices_(std::move(devices)),
      description_(description_of(source_->which())),
      columns_(columns_of(source_->which())) {}
table_reader::~table_reader() = default;
table_reader::table_reader(table_reader&&) noexcept = default;

result<std::size_t> table_reader::read(std::size_t most) {
  constexpr std::size_t max_rows = 1024;
  const std::size_t room = std::min(most, max_rows);
  rows_.resize(room * description_->row_bytes);
  count_ = 0;
  result<std::size_t> got = source_->read(rows_.data(), room);
  if (got) count_ = *got;
  if (!got || *got != 0 || ended_) return got;
  ended_ = true;
  std::vector<file_damage> lost = source_->damage();
  if (lost.empty()) return got;
  return std::move(lost.front().what);
}

const void* table_reader::row(std::size_t at) const noexcept { return rows_.data() + at * description_->row_bytes; }

std::size_t table_reader::c_row_bytes() const noexcept { return description_->c_row_bytes; }

cell table_reader::at(std::size_t row_at, std::size_t column) const {
  const table_column& of = description_->columns[column];
  const void* const bytes = row(row_at);
  if (of.kind < cell_kind::joined_run) return cell_of(of, bytes, text_);
  std::uint32_t file = 0;
  std::memcpy(&file, bytes, sizeof file);  // the first field of every row
  std::int32_t device = -1;
  if (const auto offset = offset_of_device(*description_))
    std::memcpy(&device, static_cast<const char*>(bytes) + *offset, sizeof device);
  cell c;
  switch (of.kind) {
    case cell_kind::joined_run: return text_cell(devices_->run(file));
    case cell_kind::joined_host: return text_cell(devices_->host(file, device));
    case cell_kind::joined_device_name:
      return text_cell(devices_->find(device) == nullptr ? std::string_view() : devices_->find(device)->name);
    case cell_kind::joined_rank: {
      const auto rank = devices_->rank(file, device);
      c.known = rank.has_value();
      c.number = rank.value_or(0);
      return c;
    }
    default: {
      const auto node = devices_->node(device);
      c.known = node.has_value();
      c.number = node.value_or(0);
      return c;
    }
  }
}

result<std::vector<std::size_t>> choose_columns(const std::vector<column_facts>& columns,
                                                const std::vector<std::string>& names) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < columns.size() && names.empty(); ++i) chosen.push_back(i);
  for (const std::string& name : names) {
    const auto at = std::find_if(columns.begin(), columns.end(), [&](const column_facts& c) { return c.name == name; });
    if (at == columns.end()) {
      std::string there;
      for (const column_facts& c : columns) there += (there.empty() ? "" : ", ") + std::string(c.name);
      return fault{fault_code::invalid_argument, "the table has no column \"" + name + "\"", "", no_offset,
                   "it has " + there};
    }
    const auto position = static_cast<std::size_t>(at - columns.begin());
    if (std::find(chosen.begin(), chosen.end(), position) != chosen.end())
      return fault{fault_code::invalid_argument, "the column \"" + name + "\" is named twice", "", no_offset,
                   "name each once"};
    chosen.push_back(position);
  }
  return chosen;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
