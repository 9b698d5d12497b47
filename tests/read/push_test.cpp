// A capture that is pushed in pieces says what a profile says that holds it.
#include <catch.hpp>

#include <profkit/core/capture.hpp>
#include <profkit/core/source.hpp>

#include <filesystem>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "../io/test_files.hpp"
#include "pushed.hpp"
#include "support.hpp"
#include "xspace_writer.hpp"

using namespace profkit;
using namespace profkit::test;

namespace {

std::vector<std::string> capture_paths() {
  std::vector<std::string> paths;
  for (const std::filesystem::path& folder : {data_path("xspace"), corpus_path("captures/xspace").value_or("")})
    if (!folder.empty())
      for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (const std::string name = entry.path().string();
            name.find(".xplane.pb") != std::string::npos && name.find("MUST_REJECT") == std::string::npos)
          paths.push_back(name);
  return paths;
}

// Two planes with lines, names after the lines, an event with stats, an aggregated one; notes at the end.
std::string small_capture() {
  message space;
  for (int p = 0; p < 2; ++p) {
    message plane;
    plane.number(1, p).text(2, "/device:TPU:" + std::to_string(p));
    for (int l = 0; l < 2; ++l) {
      message line;
      line.number(1, l + 1).text(2, l == 0 ? "XLA Ops" : "Steps").number(3, 1'700'000'000'000'000'000 + l);
      for (int e = 0; e < 3; ++e) line.sub(4, event(e, 100 * e, 50).sub(4, stat(1, e)));
      line.sub(4, message().number(1, 1).number(5, 4).number(3, 100));
      plane.sub(3, line.text(11, "shown"));
    }
    for (int id = 0; id < 3; ++id) plane.sub(4, metadata_entry_of(id, "fusion." + std::to_string(id)));
    space.sub(1, plane.sub(5, metadata_entry_of(1, "flops")).sub(6, stat(1, 7)));
  }
  return space.text(2, "an error").text(3, "a warning").text(4, "host-0").bytes();
}

// The ends of a sound capture's events, ascending.
std::vector<std::uint64_t> ends_of_events(std::string_view bytes) {
  std::vector<std::uint64_t> ends;
  const xspace_index index = index_xspace(bytes);
  event_row row;
  for (const plane_index& plane : index.planes)
    for (const line_index& line : plane.lines)
      for (event_scanner scan(line.body); scan.next(&row, 1) == 1;)
        ends.push_back(static_cast<std::uint64_t>(row.stats + row.stats_bytes - bytes.data()));
  return ends;
}
std::uint64_t count_up_to(const std::vector<std::uint64_t>& ends, std::uint64_t position) {
  return static_cast<std::uint64_t>(std::upper_bound(ends.begin(), ends.end(), position) - ends.begin());
}

void says_the_same(std::string_view bytes, std::size_t piece_bytes) {
  INFO("pieces of " << piece_bytes);
  bool damaged = false;
  const std::string wanted = held_text(index_xspace(bytes), damaged);
  push_recorder got;
  xspace_push_reader reader(got);
  const auto done = push_all(reader, bytes, piece_bytes);
  INFO((done.ok() ? std::string() : done.error().message));
  REQUIRE(done.ok());
  REQUIRE(got.damages.empty());
  REQUIRE(got.in_order);
  REQUIRE(got.said.text == wanted);
}

fault failure_of(std::string_view bytes, push_recorder& got, std::size_t piece_bytes = 64, xspace_push_options options = {}) {
  xspace_push_reader reader(got, std::move(options));
  auto done = push_all(reader, bytes, piece_bytes);
  REQUIRE_FALSE(done.ok());
  return done.error();
}

}  // namespace

TEST_CASE("Pushed in pieces, every capture gives the events, times and names of one that is held") {
  const std::vector<std::string> paths = capture_paths();
  REQUIRE(paths.size() >= 2);
  for (const std::string& path : paths) {
    INFO(path);
    const std::string bytes = file_bytes(path);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, bytes.size()}) says_the_same(bytes, piece);
  }
}

TEST_CASE("Fields in any order give the same, and a header that comes late is said to be so") {
  std::mt19937_64 random(5);
  int rounds = 0;
  while (rounds < 200) {
    message space;
    for (int p = 0; p < 3; ++p) {
      message plane;
      plane.number(1, p).text(2, "/host:CPU").text(30, "unknown").group(31, std::string(40, '\x08'));
      for (int l = 0; l < 2; ++l) {
        message line;
        line.number(1, l).text(2, "thread").number(3, 5).text(11, "shown").number(10, 3).text(20, "unknown");
        for (int e = 0; e < 5; ++e) line.sub(4, event(e % 3, e, 2).sub(4, stat(1, e)));
        plane.sub(3, line.shuffle(random));
      }
      for (int id = 0; id < 3; ++id) plane.sub(4, metadata_entry_of(id, "op." + std::to_string(id)));
      space.sub(1, plane.sub(5, metadata_entry_of(1, "flops")).shuffle(random));
    }
    const std::string bytes = space.text(4, "host-0").text(99, "unknown").shuffle(random).bytes();
    if (why_not_xspace(bytes)) continue;
    ++rounds;
    says_the_same(bytes, 1 + random() % 40);
  }

  const message late = message().sub(4, event(1, 2, 3)).number(1, 9).text(2, "late").number(3, 77);
  for (const std::size_t piece : {1, 1000}) {
    push_recorder got;
    xspace_push_reader reader(got);
    REQUIRE(push_all(reader, message().sub(1, message().sub(3, late).text(2, "named late")).bytes(), piece).ok());
    CHECK(got.last_plane_name.empty());
    REQUIRE(got.lines.size() == 1);
    CHECK(got.heads[0].timestamp_ns == 0);
    CHECK(got.heads[0].id == 0);
    CHECK(got.lines[0].timestamp_ns == 77);
    CHECK(got.lines[0].id == 9);
    CHECK(got.lines[0].was_changed);
  }
  // One late field is enough.
  const auto flagged = [](const message& line) {
    push_recorder seen;
    xspace_push_reader reader(seen);
    REQUIRE(push_all(reader, message().sub(1, message().text(2, "/host:CPU").sub(3, line)).bytes(), 5).ok());
    return seen.lines.at(0).was_changed;
  };
  CHECK(flagged(message().number(1, 9).text(2, "n").sub(4, event(1, 2, 3)).number(3, 77)));
  CHECK(flagged(message().number(1, 9).number(3, 77).sub(4, event(1, 2, 3)).text(2, "n")));
  CHECK(flagged(message().number(3, 77).text(2, "n").sub(4, event(1, 2, 3)).number(1, 9)));
  CHECK_FALSE(flagged(message().number(1, 9).text(2, "n").number(3, 77).sub(4, event(1, 2, 3)).text(11, "shown")));

  push_recorder got;
  xspace_push_reader reader(got);
  REQUIRE(push_all(reader, small_capture(), 9).ok());
  for (const pushed_line& line : got.lines) CHECK_FALSE(line.was_changed);
  CHECK(got.last_plane_name == "/device:TPU:1");
  CHECK(got.notes == std::vector<std::string>{"0host-0", "1an error", "2a warning"});
}

TEST_CASE("Events come out while the capture arrives, and one that is cut at any byte is never a success") {
  const std::string bytes = small_capture();
  const std::vector<std::uint64_t> ends = ends_of_events(bytes);
  REQUIRE(ends.size() == 16);
  push_recorder arriving;
  xspace_push_reader reader(arriving);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    REQUIRE(reader.push(std::string_view(bytes).substr(at, 1)).ok());
    REQUIRE(arriving.events_out <= count_up_to(ends, at + 1));
    REQUIRE(arriving.events_out >= count_up_to(ends, at < 16 ? 0 : at - 16));
  }
  REQUIRE(reader.finish().ok());
  REQUIRE(arriving.events_out == ends.size());

  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    INFO("cut at " << cut);
    const xspace_index held = index_xspace(std::string_view(bytes).substr(0, cut));
    for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, bytes.size()}) {
      push_recorder got;
      xspace_push_reader cut_reader(got);
      const auto done = push_all(cut_reader, std::string_view(bytes).substr(0, cut), piece);
      REQUIRE(got.in_order);
      REQUIRE(got.events_out == count_up_to(ends, cut));
      bool damaged = false;
      if (done.ok() || done.error().code == fault_code::damaged) REQUIRE(got.said.text == held_text(held, damaged));
      // Between two fields of the file nothing shows the cut; before, finish() fails as the profile does.
      REQUIRE(done.ok() == (cut != 0 && !held.damage));
      if (done.ok() || got.damages.empty()) continue;
      if (done.error().code != fault_code::damaged) continue;
      REQUIRE(done.error().byte_offset <= got.damages.front().byte_offset);
      REQUIRE(done.error().byte_offset == held.damage->byte_offset);
    }
  }
}

TEST_CASE("Damage anywhere: what a profile finds intact comes out, and finish() fails") {
  const std::string whole = small_capture();
  std::mt19937_64 random(17);
  int damaged_rounds = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string broken = whole;
    for (std::uint64_t flips = 1 + random() % 3; flips != 0; --flips)
      broken[random() % broken.size()] ^= static_cast<char>(1U << random() % 8);
    const xspace_index held = index_xspace(broken);
    bool damaged = held.damage.has_value();
    const std::string wanted = held_text(held, damaged);
    push_recorder got;
    xspace_push_reader reader(got);
    const auto done = push_all(reader, broken, 1 + random() % 100);
    INFO("round " << round);
    if (!done.ok() && done.error().code == fault_code::unrecognised) continue;
    REQUIRE(got.said.text == wanted);
    REQUIRE(done.ok() == !damaged);
    REQUIRE(got.damages.empty() == done.ok());
    damaged_rounds += done.ok() ? 0 : 1;
    if (held.damage) REQUIRE(done.error().byte_offset <= held.damage->byte_offset);
  }
  REQUIRE(damaged_rounds > 500);
}

TEST_CASE("Packed captures are unpacked on the way, and a cut one fails with what came before") {
  const std::string bytes = small_capture();
  bool damaged = false;
  const std::string wanted = held_text(index_xspace(bytes), damaged);
  for (const std::string& packed : {gzipped(bytes, 1), zstandard(bytes), gzipped(bytes.substr(0, 99)) + gzipped(bytes.substr(99))}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{13}, packed.size()}) {
      push_recorder got;
      xspace_push_reader reader(got);
      REQUIRE(push_all(reader, packed, piece).ok());
      REQUIRE(got.said.text == wanted);
    }
    for (std::size_t cut = 1; cut < packed.size(); ++cut) {
      push_recorder got;
      const fault why = failure_of(std::string_view(packed).substr(0, cut), got, 10);
      INFO("cut at " << cut << ": " << why.message);
      REQUIRE(got.in_order);
      auto from = open_buffer_source(std::string_view(packed).substr(0, cut), "cut");
      REQUIRE(from.ok());
      const auto intact = hold_bytes(std::move(*from));
      REQUIRE(intact.ok());
      if (why.code != fault_code::unrecognised) REQUIRE(got.said.text == held_text(index_xspace(intact->bytes), damaged));
    }
    std::string broken = packed;
    broken[broken.size() / 2] ^= 0x55;
    push_recorder got;
    failure_of(broken, got);
  }
  push_recorder got;
  CHECK(failure_of(gzipped(bytes) + "more", got).code == fault_code::damaged);
  CHECK(got.said.text == wanted);

  const std::string blank = gzipped(message().text(2, std::string(std::size_t{4} << 20, ' ')).bytes());
  push_recorder of_bomb;
  xspace_push_options options;
  options.bounds.ratio_free_bytes = 1 << 20;
  options.bounds.max_decompression_ratio = 10;
  const fault why = failure_of(blank, of_bomb, 100, options);
  CHECK(why.code == fault_code::limit);
  CHECK(why.message.find("max_decompression_ratio") != std::string::npos);
}

TEST_CASE("What is no XSpace is refused: early where it is long") {
  push_recorder got;
  CHECK(failure_of("", got).code == fault_code::unrecognised);
  const std::string json = "{\"traceEvents\": []}";
  CHECK(failure_of(json, got).code == fault_code::unrecognised);
  CHECK(failure_of("\x89PNG\r\n\x1a\n....................", got).code == fault_code::unrecognised);
  CHECK(failure_of("\x1f", got, 1).code != fault_code::internal);

  push_recorder of_endless;
  xspace_push_reader reader(of_endless);
  const std::string noise(1000, '{');
  int taken = 0;
  while (taken < 1000 && reader.push(noise).ok()) ++taken;
  CHECK(taken < 100);
  CHECK(reader.push(noise).error().code == fault_code::unrecognised);
  CHECK(reader.finish().error().code == fault_code::unrecognised);

  std::string mangled;
  for (const char c : small_capture() + small_capture())
    mangled += static_cast<unsigned char>(c) < 0x80 ? std::string(1, c) : std::string("\xef\xbf\xbd");
  push_recorder of_mangled;
  const fault_code code = failure_of(mangled, of_mangled).code;
  CHECK((code == fault_code::text_mangled || code == fault_code::unrecognised));
}

TEST_CASE("Limits: an event or the names of a plane that are too large stop the reading, at a position") {
  xspace_push_options options;
  options.label = "socket";
  options.bounds.max_materialised_bytes = 5000;
  const message large = event(1, 2, 3).sub(4, message().number(1, 1).text(5, std::string(6000, 'x')));
  const message line = message().text(2, "XLA Ops").sub(4, event(1, 1, 1)).sub(4, large);
  push_recorder got;
  const std::string bytes = message().sub(1, message().text(2, "/device:TPU:0").sub(3, line)).bytes();
  const fault why = failure_of(bytes, got, 10, options);
  CHECK(why.code == fault_code::limit);
  CHECK(why.path == "socket");
  CHECK(why.byte_offset == ends_of_events(bytes).front());
  CHECK(why.message.find("max_materialised_bytes (5000)") != std::string::npos);
  CHECK(got.events_out == 1);

  // A bound of the open plane: the same names in many planes pass.
  message space, plane;
  for (int id = 0; id < 40; ++id) plane.sub(4, metadata_entry_of(id, std::string(60, 'n')));
  for (int p = 0; p < 20; ++p) space.sub(1, plane);
  push_recorder many;
  xspace_push_reader reader(many, options);
  REQUIRE(push_all(reader, space.bytes(), 100).ok());
  CHECK(many.planes_out == 20);
  for (int id = 0; id < 40; ++id) plane.sub(4, metadata_entry_of(id, std::string(60, 'm')));
  push_recorder one;
  CHECK(failure_of(message().sub(1, plane).bytes(), one, 100, options).code == fault_code::limit);
}

TEST_CASE("Every call of the visitor can stop the reading, and what it throws stays inside") {
  struct stopper final : xspace_push_visitor {
    int at = 0, calls = 0;
    bool throws = false;
    bool go() {
      if (++calls != at) return true;
      if (throws) throw std::runtime_error("of the visitor");
      return false;
    }
    bool plane_begin(const pushed_plane&) override { return go(); }
    bool line_begin(const pushed_line&) override { return go(); }
    bool events(const pushed_line&, const event_row*, std::size_t) override { return go(); }
    bool line_end(const pushed_line&) override { return go(); }
    bool plane_end(std::uint32_t, const held_bytes&) override { return go(); }
    bool note(note_kind, std::string_view) override { return go(); }
    bool damage(const fault&) override { return go(); }
  };
  const std::string bytes = small_capture() + "\x07";
  stopper counts;
  xspace_push_reader all(counts);
  CHECK(push_all(all, bytes, 1000).error().code == fault_code::damaged);
  REQUIRE(counts.calls >= 2 * (1 + 2 * 3 + 1) + 3 + 1);  // events of a line come in one piece or two
  for (int at = 1; at <= counts.calls; ++at) {
    for (const bool throws : {false, true}) {
      stopper stops;
      stops.at = at;
      stops.throws = throws;
      xspace_push_reader reader(stops);
      const auto done = push_all(reader, bytes, 1000);
      REQUIRE_FALSE(done.ok());
      CHECK(done.error().code == (throws ? fault_code::internal : fault_code::cancelled));
      CHECK(reader.push("x").error().code == done.error().code);
      CHECK(reader.finish().error().code == done.error().code);
      CHECK(stops.calls == at);
    }
  }
}

TEST_CASE("Calls out of place are refused and change nothing") {
  struct inside final : xspace_push_visitor {
    xspace_push_reader* reader = nullptr;
    int refused = 0;
    bool events(const pushed_line&, const event_row*, std::size_t) override {
      refused += reader->push("x").error().code == fault_code::invalid_argument ? 1 : 0;
      refused += reader->finish().error().code == fault_code::invalid_argument ? 1 : 0;
      return true;
    }
  } calls;
  xspace_push_reader reader(calls);
  calls.reader = &reader;
  REQUIRE(reader.push({}).ok());
  REQUIRE(push_all(reader, small_capture(), 10'000).ok());
  CHECK(calls.refused >= 2 * 4);
  CHECK(reader.push("x").error().code == fault_code::invalid_argument);
  CHECK(reader.finish().error().code == fault_code::invalid_argument);
}
