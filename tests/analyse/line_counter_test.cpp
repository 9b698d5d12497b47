// The inventory's counter says of any bytes what the views say, and its result does not depend on threads.
#include "capture_builder.hpp"

#include <analyse/info/line_counter.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <random>

using namespace profkit;
using namespace profkit::test;

namespace {

// A stat as writers write it, or as nobody does.
message random_stat(std::mt19937_64& random) {
  message m;
  const std::uint64_t wide = random() >> (random() % 64);
  const auto id = static_cast<std::int64_t>(random() % 3 == 0 ? random() % 300 : random() % 100);
  if (random() % 8 != 0) m.number(1, id);
  switch (random() % 6) {
    case 0: m.unsigned_number(3, wide); break;
    case 1: m.number(4, static_cast<std::int64_t>(wide)); break;
    case 2: m.text(5, std::string(random() % 140, 'x')); break;
    case 3: m.text(6, std::string(random() % 6, '\0')); break;
    case 4: m.number(7, static_cast<std::int64_t>(random() % 200)); break;
    default: break;
  }
  if (random() % 16 == 0) m.number(9, 1);
  return m;
}

struct counted {
  std::uint64_t events = 0, stats = 0;
  const char* damage = nullptr;
};

// One event after the other, by the views.
counted by_views(std::string_view line) {
  counted c;
  for (const event_view event : message_range<event_view, 4>(line)) {
    ++c.events;
    bool sound = true;
    const auto stats = event.stats();
    auto at = stats.begin();
    for (; !at.done(); ++at, ++c.stats) sound = stat_view((*at).bytes()).ok() && sound;
    if ((!sound || !at.ok()) && c.damage == nullptr) c.damage = event.bytes().data();
  }
  return c;
}

void compare(std::string_view line, std::size_t batch) {
  event_scanner scan(line);
  line_counter counter;
  const char* damage = nullptr;
  std::vector<event_row> rows(batch);
  while (const std::size_t n = scan.next(rows.data(), batch)) {
    const char* const in_these = counter.add(rows.data(), n, line.data() + line.size());
    if (damage == nullptr) damage = in_these;
  }
  if (!scan.ok()) return;  // events behind damage are no longer the scanner's
  const counted expected = by_views(line);
  REQUIRE(counter.events() == expected.events);
  REQUIRE(counter.event_stats() == expected.stats);
  REQUIRE((damage != nullptr) == (expected.damage != nullptr));
  if (damage != nullptr) REQUIRE(damage >= expected.damage);
}

}  // namespace

TEST_CASE("events and stats are counted as the views count them, damaged ones, too") {
  std::mt19937_64 random(17);
  for (int round = 0; round < 3000; ++round) {
    message line;
    for (std::uint64_t events = random() % 6; events > 0; --events) {
      message e = test::event(static_cast<std::int64_t>(random() % 300), 5, 7);
      for (std::uint64_t stats = random() % 5; stats > 0; --stats) e.sub(4, random_stat(random));
      line.sub(4, e);
    }
    std::string bytes = line.bytes();
    compare(std::string(bytes), 1 + random() % 4);  // a copy of its own, so that a sanitizer sees reads behind it
    for (int flips = 0; flips < 4 && !bytes.empty(); ++flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
      compare(std::string(bytes), 3);
    }
  }
}

TEST_CASE("the inventory is the same on any number of threads") {
  plane_builder p("/device:TPU:0");
  const std::string bad_stat("\x08\x01\x20", 3);  // the value is missing
  for (int line = 0; line < 40; ++line) {
    std::vector<message> events;
    for (int i = 0; i <= line * 7 % 50; ++i) events.push_back(p.event("a", i * 10, 5, {p.int_stat("s", i)}));
    if (line % 9 == 5) events.back().text(4, bad_stat);  // the first of them is told
    p.line("line " + std::to_string(line), events, line, line + 1);
  }
  const opened held = open_bytes(space_of({p}));
  const auto one = analyse_info(trace(*held));
  hooks host;
  host.threads = 4;
  const auto four = analyse_info(trace(*held), {}, host);
  REQUIRE(one);
  REQUIRE(four);
  CHECK(one->events == four->events);
  CHECK(one->event_stats == four->event_stats);
  REQUIRE(one->files[0].damage);
  REQUIRE(four->files[0].damage);
  CHECK(one->files[0].damage->message == four->files[0].damage->message);
  CHECK(one->files[0].damage->message.find("'line 5'") != std::string::npos);
  const auto &lines = one->files[0].planes[0].lines, &others = four->files[0].planes[0].lines;
  REQUIRE(lines.size() == 40);
  REQUIRE(others.size() == 40);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(lines[i].name == others[i].name);
    CHECK(lines[i].events == others[i].events);
    CHECK(lines[i].first_ps == others[i].first_ps);
    CHECK(lines[i].last_ps == others[i].last_ps);
  }
}
