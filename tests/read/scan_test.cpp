// event_scanner: both walkers give what event_view gives, on any bytes, and stop where those break.
#include <catch.hpp>

#include <formats/xspace/xspace_index.hpp>

#include <random>
#include <vector>

#include "xspace_writer.hpp"

using namespace profkit;
using namespace profkit::test;

namespace {

struct scan_outcome {
  std::vector<event_row> rows;
  bool ok = false;
  std::uint64_t offset = 0;
  line_header header;
};

scan_outcome scan_all(std::string_view line, scan_variant variant, std::size_t batch) {
  scan_outcome out;
  event_scanner scanner(line, variant);
  std::vector<event_row> rows(batch);
  while (const std::size_t count = scanner.next(rows.data(), batch))
    out.rows.insert(out.rows.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count));
  out.ok = scanner.ok();
  out.offset = scanner.offset();
  out.header = scanner.header();
  return out;
}

bool same_event(const event_row& row, const event_view& view) {
  const bool has_offset = view.data_case() == event_data_case::offset_ps;
  const bool has_occurrences = view.data_case() == event_data_case::num_occurrences;
  if (row.metadata_id != view.metadata_id() || row.offset_ps != view.offset_ps() ||
      row.duration_ps != view.duration_ps() || row.num_occurrences != view.num_occurrences())
    return false;
  if (((row.flags & event_has_offset) != 0) != has_offset) return false;
  if (((row.flags & event_has_occurrences) != 0) != has_occurrences) return false;
  if (row.stats + row.stats_bytes != view.bytes().data() + view.bytes().size()) return false;
  const message_range<stat_view, 4> tail(std::string_view(row.stats, row.stats_bytes));
  auto mine = tail.begin();
  for (const stat_view theirs : view.stats()) {
    if (mine.done() || (*mine).bytes().data() != theirs.bytes().data() || (*mine).bytes() != theirs.bytes())
      return false;
    ++mine;
  }
  return mine.done();
}

// Both walkers, with small and large batches, against the view.
void check_line(std::string_view line) {
  const scan_outcome fast = scan_all(line, scan_variant::fastest, 7);
  for (const std::size_t batch : {std::size_t{1}, std::size_t{64}}) {
    const scan_outcome portable = scan_all(line, scan_variant::portable, batch);
    REQUIRE(portable.rows.size() == fast.rows.size());
    REQUIRE(portable.ok == fast.ok);
    REQUIRE(portable.offset == fast.offset);
    for (std::size_t i = 0; i < fast.rows.size(); ++i) {
      REQUIRE(portable.rows[i].metadata_id == fast.rows[i].metadata_id);
      REQUIRE(portable.rows[i].stats == fast.rows[i].stats);
      REQUIRE(portable.rows[i].offset_ps == fast.rows[i].offset_ps);
      REQUIRE(portable.rows[i].duration_ps == fast.rows[i].duration_ps);
      REQUIRE(portable.rows[i].flags == fast.rows[i].flags);
    }
  }
  if (fast.ok) {
    const line_header header = line_view(line).header();
    REQUIRE(fast.header.id == header.id);
    REQUIRE(fast.header.name == header.name);
    REQUIRE(fast.header.display_id == header.display_id);
    REQUIRE(fast.header.display_name == header.display_name);
    REQUIRE(fast.header.timestamp_ns == header.timestamp_ns);
    REQUIRE(fast.header.duration_ps == header.duration_ps);
  }
  // Events as the view gives them, up to the first that is damaged.
  const message_range<event_view, 4> events(line);
  std::size_t count = 0;
  bool damaged_event = false;
  auto it = events.begin();
  for (; !it.done(); ++it) {
    const event_view view = *it;
    if (!view.ok()) {
      damaged_event = true;
      break;
    }
    REQUIRE(count < fast.rows.size());
    REQUIRE(same_event(fast.rows[count], view));
    ++count;
  }
  REQUIRE(count == fast.rows.size());
  REQUIRE(fast.ok == (!damaged_event && it.ok()));
  REQUIRE(fast.offset <= line.size());
  if (fast.ok) REQUIRE(fast.offset == line.size());
}

using random_engine = std::mt19937_64;

std::uint64_t up_to(random_engine& random, std::uint64_t most) {
  return std::uniform_int_distribution<std::uint64_t>(0, most)(random);
}

// A number of any encoded length.
std::int64_t any_number(random_engine& random) {
  const std::uint64_t bits = up_to(random, 64);
  const std::uint64_t value = random() & (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
  return static_cast<std::int64_t>(value);
}

message random_stat(random_engine& random) {
  message m;
  m.number(1, any_number(random));
  switch (up_to(random, 5)) {
    case 0: m.fixed64(2, random()); break;
    case 1: m.unsigned_number(3, random()); break;
    case 2: m.number(4, any_number(random)); break;
    case 3: m.text(5, std::string(up_to(random, 200), 's')); break;
    case 4: m.text(6, std::string(up_to(random, 9), '\xff')); break;
    default: m.unsigned_number(7, up_to(random, 300)); break;
  }
  return m;
}

message random_event(random_engine& random) {
  message m;
  m.number(1, any_number(random));
  if (up_to(random, 9) == 0)
    m.number(5, any_number(random));
  else
    m.number(2, any_number(random));
  if (up_to(random, 3) != 0) m.number(3, any_number(random));
  for (std::uint64_t stats = up_to(random, 4); stats > 0; --stats) m.sub(4, random_stat(random));
  switch (up_to(random, 11)) {
    case 0: m.text(17, "unknown"); break;
    case 1: m.fixed32(9, 7); break;
    case 2: m.group(3, message().number(1, 5).text(2, "in a group").bytes()); break;
    case 3: m.number(1, any_number(random)).number(2, any_number(random)); break;
    case 4: m.fixed64(2, 1).text(1, "wrong type"); break;
    default: break;
  }
  if (up_to(random, 2) == 0) m.shuffle(random);
  return m;
}

std::string random_line(random_engine& random) {
  message line;
  line.number(1, any_number(random)).text(2, "line").number(3, any_number(random));
  for (std::uint64_t events = up_to(random, 12); events > 0; --events) line.sub(4, random_event(random));
  line.text(11, "display").number(10, 3);
  if (up_to(random, 3) == 0) line.shuffle(random);
  return line.bytes();
}

}  // namespace

TEST_CASE("The scanner gives what the views give, for events of any shape") {
  random_engine random(20240611);
  for (int round = 0; round < 12000; ++round) {
    const exact_copy line(random_line(random));
    check_line(line.view());
  }
}

TEST_CASE("The scanner and the views agree on damaged bytes") {
  random_engine random(7);
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = random_line(random);
    if (bytes.empty()) continue;
    for (std::uint64_t flips = up_to(random, 3) + 1; flips > 0; --flips)
      bytes[up_to(random, bytes.size() - 1)] = static_cast<char>(random());
    const exact_copy line(bytes);
    check_line(line.view());
    const exact_copy cut(std::string_view(bytes).substr(0, up_to(random, bytes.size())));
    check_line(cut.view());
  }
}

TEST_CASE("A line cut at every byte gives the events in front of the cut") {
  random_engine random(3);
  std::string line;
  std::vector<std::size_t> ends;
  for (int i = 0; i < 12; ++i) {
    const std::string body = random_event(random).bytes();
    line += message().text(4, body).bytes();
    ends.push_back(line.size());
  }
  for (std::size_t cut = 0; cut <= line.size(); ++cut) {
    const exact_copy part(std::string_view(line).substr(0, cut));
    const scan_outcome out = scan_all(part.view(), scan_variant::fastest, 64);
    const auto whole = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin());
    REQUIRE(out.rows.size() == whole);
    const bool at_boundary = cut == 0 || std::find(ends.begin(), ends.end(), cut) != ends.end();
    REQUIRE(out.ok == at_boundary);
    REQUIRE(out.offset == (whole == 0 ? 0 : ends[whole - 1]));
    REQUIRE(count_events(part.view()) == whole);
  }
}

TEST_CASE("Fields in front of and behind the stats count, the last of each") {
  const std::string body =
      message().sub(4, stat(1, 2)).number(2, 5).number(1, 9).number(3, 1).number(5, 6).number(1, 8).bytes();
  const std::string line = message().text(4, body).bytes();
  const scan_outcome out = scan_all(line, scan_variant::fastest, 4);
  REQUIRE(out.ok);
  REQUIRE(out.rows.size() == 1);
  REQUIRE(out.rows[0].metadata_id == 8);
  REQUIRE(out.rows[0].offset_ps == 0);
  REQUIRE(out.rows[0].num_occurrences == 6);
  REQUIRE(out.rows[0].duration_ps == 1);
  REQUIRE(out.rows[0].flags == event_has_occurrences);
  REQUIRE(out.rows[0].stats == line.data() + 2);
  REQUIRE(out.rows[0].stats_bytes == body.size());
}

TEST_CASE("An offset of zero that was written is told from none") {
  const std::string line = message().sub(4, message().number(1, 1).number(2, 0)).sub(4, message().number(1, 1)).bytes();
  const scan_outcome out = scan_all(line, scan_variant::fastest, 4);
  REQUIRE(out.rows.size() == 2);
  REQUIRE(out.rows[0].flags == event_has_offset);
  REQUIRE(out.rows[1].flags == 0);
}

TEST_CASE("A scan of nothing ends at once") {
  REQUIRE(scan_all({}, scan_variant::fastest, 4).ok);
  REQUIRE(scan_all({}, scan_variant::portable, 4).rows.empty());
  event_row row;
  const std::string line = message().sub(4, event(1, 2, 3)).bytes();
  event_scanner scanner(line);
  REQUIRE(scanner.next(&row, 0) == 0);
  REQUIRE(scanner.next(&row, 1) == 1);
  REQUIRE(scanner.next(&row, 1) == 0);
  REQUIRE(scanner.ok());
}
