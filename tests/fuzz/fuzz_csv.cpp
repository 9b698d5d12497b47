// Any text as delimited rows: fields lie in their rows and in order, whatever part of a row is asked for.
#include <profkit/csv.hpp>
#include <profkit/decimal.hpp>
#include <formats/ascend/csv_index.hpp>
#include <formats/ascend/table_row.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_row(const csv_reader& reader, const std::vector<std::string_view>& fields, std::size_t capacity,
               std::string_view text) {
  require(reader.offset() < reader.end_offset() && reader.end_offset() <= text.size());
  const char* at = text.data() + reader.offset();
  for (std::size_t i = 0; i < std::min(capacity, reader.fields()); ++i) {
    require(fields[i].data() >= at && fields[i].data() + fields[i].size() <= text.data() + reader.end_offset());
    at = fields[i].data() + fields[i].size();
    std::string decoded(fields[i].size(), '\0');
    require(csv_decode(fields[i], decoded.data()) <= fields[i].size());
    const std::string_view trimmed = csv_trimmed(fields[i]);
    require(trimmed.size() <= fields[i].size());
    decimal_time t;
    if (parse_microseconds_text(trimmed, t)) require(t.sub_ps >= 0 && t.sub_ps < 1'000'000);
  }
}

}  // namespace

// The first byte chooses how many fields are asked for; the rest is the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t bytes = size - 1;
  const std::unique_ptr<char[]> copy(new char[bytes]);
  std::copy(data + 1, data + size, copy.get());
  const std::string_view text(copy.get(), bytes);

  const std::size_t capacity = data[0] % 8;
  std::vector<std::string_view> few(capacity + 1), all(bytes + 2);
  csv_reader part = fast_csv_reader(text), whole(text);
  std::size_t behind = 0;
  std::uint64_t line = 0;
  while (whole.next(all.data(), all.size())) {
    require(part.next(few.data(), capacity));
    require(part.fields() == whole.fields() && part.line() == whole.line() && part.cut() == whole.cut());
    require(part.end_offset() == whole.end_offset() && part.terminated() == whole.terminated());
    for (std::size_t i = 0; i < std::min(capacity, whole.fields()); ++i) require(few[i] == all[i]);
    check_row(whole, all, all.size(), text);
    // Under a header that has its columns a row of one line is whole; with one less, its last field has to be empty.
    const std::size_t count = whole.fields();
    if (!whole.cut() && !whole.spans_lines()) require(row_damage(whole, text, count, count) == nullptr);
    if (whole.cut()) require(row_damage(whole, text, count, 0) != nullptr);
    if (row_damage(whole, text, count - 1, 0) == nullptr) require(csv_trimmed(all[count - 1]).empty());
    require(whole.offset() >= behind && whole.line() > line);
    behind = whole.end_offset();
    line = whole.line();
  }
  require(!part.next(few.data(), capacity));
  // Going back one line at a time always comes to an end.
  csv_reader resumed(text);
  std::size_t rows = 0;
  while (rows <= bytes && resumed.next(few.data(), capacity)) {
    ++rows;
    if (resumed.spans_lines() || resumed.cut()) resumed.resume_after_first_line();
  }
  require(rows <= bytes);
  return 0;
}
