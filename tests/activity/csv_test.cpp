// Delimited rows and decimal text.
#include <profkit/csv.hpp>
#include <profkit/decimal.hpp>
#include <formats/ascend/csv_index.hpp>

#include <catch.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace profkit;

namespace {

using row = std::vector<std::string>;

constexpr csv_variant variants[] = {csv_variant::fastest, csv_variant::avx2, csv_variant::plain};

std::vector<row> rows_of(std::string_view text, std::size_t capacity = 64, csv_variant variant = csv_variant::plain) {
  std::vector<std::string_view> fields(capacity + 1);
  csv_reader reader(text, ',', csv_indexer_of(variant));
  std::vector<row> rows;
  while (reader.next(fields.data(), capacity)) {
    const std::size_t given = std::min(capacity, reader.fields());
    rows.emplace_back(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(given));
  }
  return rows;
}

std::string decoded(std::string_view field) {
  std::string into(field.size(), '\0');
  into.resize(csv_decode(field, into.data()));
  return into;
}

// The same, one byte after the other: what the reader is compared with.
std::vector<row> slow_rows_of(std::string_view text) {
  std::vector<row> rows;
  std::size_t at = text.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0;
  while (at < text.size()) {
    row fields;
    for (bool more = true; more;) {
      std::string field;
      if (at < text.size() && text[at] == '"') {
        field += text[at++];
        while (at < text.size()) {
          const bool doubled = text[at] == '"' && at + 1 < text.size() && text[at + 1] == '"';
          const bool closes = text[at] == '"' && !doubled;
          field += text[at++];
          if (doubled) field += text[at++];
          if (closes) break;
        }
      }
      while (at < text.size() && text[at] != ',' && text[at] != '\n') field += text[at++];
      more = at < text.size() && text[at] == ',';
      if (at < text.size()) ++at;
      if (!more && !field.empty() && field.back() == '\r') field.pop_back();
      fields.push_back(field);
    }
    if (fields.size() > 1 || !fields[0].empty()) rows.push_back(fields);
  }
  return rows;
}

// Text whose last byte is the last byte of its allocation.
struct exact_text {
  explicit exact_text(std::string_view text) : bytes(new char[text.size()]), size(text.size()) {
    std::copy(text.begin(), text.end(), bytes.get());
  }
  [[nodiscard]] std::string_view view() const { return {bytes.get(), size}; }
  std::unique_ptr<char[]> bytes;
  std::size_t size;
};

const std::string_view awkward =
    "\xef\xbb\xbf"
    "Step Id,Name,\"Start Time(us)\",Shapes\r\n"
    "1,aclnnMatmul_MatMulCommon_MatMulV2,\"1736413971558972.912\t\",\"\"\"81920,4096;8192,512\"\"\"\r\n"
    "\r\n"
    "2,\"a,b\",1736413971558973.001\t,\"line one\nline \"\"two\"\"\"\r\n"
    ",,,\n"
    "3,plain \"quotes\" inside,4,\"open at the end\" and more\n"
    "4,a long name that goes past one block of sixty-four bytes, so that the next block is looked at,5,6,7,8\n"
    "5,last row without an end,9,\"cut";

}  // namespace

TEST_CASE("rows are split at separators and line ends outside quotes") {
  const auto rows = rows_of(awkward);
  REQUIRE(rows.size() == 7);
  CHECK(rows[0] == row{"Step Id", "Name", "\"Start Time(us)\"", "Shapes"});
  CHECK(rows[1][2] == "\"1736413971558972.912\t\"");
  CHECK(csv_trimmed(rows[1][2]) == "1736413971558972.912");
  CHECK(csv_trimmed(rows[1][3]) == "81920,4096;8192,512");
  CHECK(decoded(rows[1][3]) == "\"81920,4096;8192,512\"");
  CHECK(rows[2][1] == "\"a,b\"");
  CHECK(decoded(rows[2][3]) == "line one\nline \"two\"");
  CHECK(rows[3] == row{"", "", "", ""});
  CHECK(rows[4][1] == "plain \"quotes\" inside");
  CHECK(decoded(rows[4][3]) == "open at the end and more");
  CHECK(rows[5].size() == 7);
  CHECK(rows[6][3] == "\"cut");
}

TEST_CASE("lines, offsets and cut rows are told") {
  std::string_view fields[2];
  csv_reader reader(awkward);
  std::vector<std::uint64_t> lines;
  std::vector<std::size_t> counts;
  bool cut = false, spans = false;
  while (reader.next(fields, 2)) {
    lines.push_back(reader.line());
    counts.push_back(reader.fields());
    cut = reader.cut();
    spans = spans || reader.spans_lines();
    CHECK(reader.end_offset() > reader.offset());
  }
  CHECK(lines == std::vector<std::uint64_t>{1, 2, 4, 6, 7, 8, 9});
  CHECK(counts == std::vector<std::size_t>{4, 4, 4, 4, 4, 7, 4});
  CHECK(cut);
  CHECK(spans);
}

TEST_CASE("a lost quote can be passed over line by line") {
  const std::string text = "a,b\n1,\"lost\n2,x\n3,\"y\"\n4,z\n";
  std::string_view fields[2];
  csv_reader reader(text);
  REQUIRE(reader.next(fields, 2));
  REQUIRE(reader.next(fields, 2));
  CHECK(reader.spans_lines());
  reader.resume_after_first_line();
  std::vector<std::string> left;
  while (reader.next(fields, 2)) left.emplace_back(std::string(fields[0]) + "@" + std::to_string(reader.line()));
  CHECK(left == std::vector<std::string>{"2@3", "3@4", "4@5"});
}

TEST_CASE("long rows, many fields and many lines read the same, however they are looked at") {
  std::uint32_t seed = 99;
  const auto below = [&seed](std::uint32_t bound) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % bound;
  };
  for (int round = 0; round < 12; ++round) {
    std::string text;
    for (int r = 0; r < 300; ++r) {
      const std::uint32_t kind = below(60);
      if (kind == 0)
        text += '"' + std::string(below(80'000), 'x') + "\n\"\"\",";  // longer than what is looked at in one go
      if (kind == 1) text += std::string(below(5'000), ',');
      if (kind == 2) text += std::string(below(400), '\n');
      if (kind == 3) text += "a\"b,";  // a quote where none may open
      const std::uint32_t count = 1 + below(50);
      for (std::uint32_t f = 0; f < count; ++f) {
        text += f == 0 ? "" : ",";
        text += below(10) == 0 ? "\"a,\n\"\"b\"" : std::string(below(12), 'v');
      }
      text += below(2) == 0 ? "\n" : "\r\n";
    }
    if (round % 3 == 0) text += "1,2";
    if (round % 3 == 1) text += "1,\"cut\n";
    const auto slow = slow_rows_of(text);
    for (const csv_variant variant : variants) CHECK(rows_of(text, 6000, variant) == slow);
    std::vector<std::string_view> fields(3), others(3);
    csv_reader plain(text), fast = fast_csv_reader(text);
    bool more = true;
    while (more) {
      more = plain.next(fields.data(), 3);
      REQUIRE(fast.next(others.data(), 3) == more);
      REQUIRE(plain.line() == fast.line());
      REQUIRE(plain.end_offset() == fast.end_offset());
      REQUIRE(plain.cut() == fast.cut());
      REQUIRE(plain.spans_lines() == fast.spans_lines());
      // Every line end of the text is counted once.
      const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(plain.offset()), '\n');
      REQUIRE(plain.line() == static_cast<std::uint64_t>(lines) + 1);
    }
  }
}

TEST_CASE("any capacity, any cut and any order of special bytes agree with a byte-by-byte reader") {
  const auto check = [](std::string_view text) {
    const exact_text held(text);
    const auto slow = slow_rows_of(held.view());
    for (const csv_variant variant : variants) CHECK(rows_of(held.view(), 64, variant) == slow);
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
      std::vector<std::string_view> fields(4);
      csv_reader reader(held.view());
      std::size_t at = 0;
      while (reader.next(fields.data(), capacity)) {
        REQUIRE(at < slow.size());
        CHECK(reader.fields() == slow[at].size());
        for (std::size_t i = 0; i < std::min(capacity, slow[at].size()); ++i) CHECK(fields[i] == slow[at][i]);
        ++at;
      }
      CHECK(at == slow.size());
    }
  };
  for (std::size_t cut = 0; cut <= awkward.size(); ++cut) check(awkward.substr(0, cut));
  std::uint32_t seed = 12345;
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 200; ++i) {
      seed = seed * 1664525 + 1013904223;
      text += "aaab,,,\"\"\n\r "[(seed >> 24) % 12];
    }
    check(text);
  }
}

TEST_CASE("decimal text becomes picoseconds exactly") {
  const auto ps = [](std::string_view text, int unit = 0) -> std::optional<std::int64_t> {
    decimal_time t;
    if (!parse_microseconds_text(text, t, unit)) return std::nullopt;
    return ps_since(t, 0);
  };
  CHECK(ps("0") == 0);
  CHECK(ps("1") == 1'000'000);
  CHECK(ps("996.9599375") == 996'959'938);
  CHECK(ps("-3.5") == -3'500'000);
  CHECK(ps("1.0000005") == 1'000'001);
  CHECK(ps("1e3") == 1'000'000'000);
  CHECK(ps("53.741", -3) == 53'741);
  CHECK(ps("79.08952021875", 3) == 79'089'520'219);
  CHECK_FALSE(ps("").has_value());
  CHECK_FALSE(ps("1.2.3").has_value());
  CHECK_FALSE(ps("N/A").has_value());
  CHECK_FALSE(ps("9223372036854.775808").has_value());
  CHECK(ps("9223372036854.775807") == INT64_MAX);
  decimal_time t;
  REQUIRE(parse_microseconds_text("1736412474730135.222", t));
  CHECK(ps_since(t, 1736412474000000) == 730'135'222'000);
  REQUIRE(parse_microseconds_text("1736405443881410320", t, -3));
  CHECK(t.us == 1736405443881410);
  CHECK(t.sub_ps == 320'000);
  CHECK(decimal_scaled_integer("0.824", 6) == 824'000);
  CHECK_FALSE(decimal_scaled_integer("x").has_value());
}
