// Lines read in pieces on several threads give what they give in one go: where the guess of an event's beginning is
// right, where it is wrong, and where an event is damaged.
#include "../analyse/capture_builder.hpp"

#include <profkit/core/bubbles.hpp>
#include <formats/xspace/line_pieces.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <catch.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

using seen_events = std::vector<std::tuple<std::size_t, std::int64_t, std::int64_t, std::int64_t>>;

bool see(std::size_t line, std::string_view bytes, seen_events& into) {
  event_scanner scan(bytes);
  std::array<event_row, 7> rows;
  while (const std::size_t count = scan.next(rows.data(), rows.size()))
    for (std::size_t i = 0; i < count; ++i)
      into.emplace_back(line, rows[i].metadata_id, rows[i].offset_ps, rows[i].duration_ps);
  return scan.ok();
}

seen_events in_one_go(const std::vector<std::string_view>& bodies) {
  seen_events all;
  for (std::size_t line = 0; line < bodies.size(); ++line) see(line, bodies[line], all);
  return all;
}

seen_events in_pieces(const std::vector<std::string_view>& bodies, std::uint64_t part_bytes, std::uint32_t threads) {
  hooks host;
  host.threads = threads;
  seen_events all;
  const auto read = [&](const line_piece& piece, seen_events& into) -> result<bool> {
    return see(piece.line, bodies[piece.line].substr(piece.from, piece.to - piece.from), into);
  };
  const auto keep = [&](seen_events found, std::uint64_t) -> result<void> {
    all.insert(all.end(), found.begin(), found.end());
    return {};
  };
  REQUIRE(read_line_parts<seen_events>(
      bodies, cut_lines(bodies, part_bytes), host, [] { return seen_events(); }, read, keep));
  return all;
}

void check_all_ways(const std::vector<std::string_view>& bodies) {
  const seen_events expected = in_one_go(bodies);
  for (const std::uint64_t part_bytes : {500, 4000, 60'000})
    for (const std::uint32_t threads : {1U, 3U}) CHECK(in_pieces(bodies, part_bytes, threads) == expected);
}

std::string long_line(std::size_t events, std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::string body = message().number(1, 7).text(2, "python").bytes();
  for (std::size_t i = 0; i < events; ++i) {
    message e = event(1 + random() % 300, static_cast<std::int64_t>(i) * 1000, random() % 900);
    for (std::size_t s = random() % 3; s > 0; --s) e.sub(4, stat(1 + random() % 9, random()));
    body += message().sub(4, e).bytes();
  }
  return body;
}

}  // namespace

TEST_CASE("lines are cut into pieces that fit each other", "[threads]") {
  const std::string a = long_line(4000, 1), b = long_line(30, 2), c = long_line(50, 3), d = long_line(1500, 4), none;
  const std::vector<std::string_view> bodies{a, b, none, c, d};
  const std::vector<line_part> parts = cut_lines(bodies, 4000);
  CHECK(parts.size() > 10);
  std::size_t line = 0;
  std::uint64_t at = 0;
  for (const line_part& part : parts)
    for (const line_piece& piece : part) {
      REQUIRE(piece.line == line);
      CHECK(piece.from == at);
      CHECK(piece.ends_line == (piece.to == bodies[line].size()));
      at = piece.ends_line ? 0 : piece.to;
      line += piece.ends_line ? 1 : 0;
      // Of lines as writers write them every guess is right.
      seen_events ignored;
      CHECK(see(piece.line, bodies[piece.line].substr(piece.from, piece.to - piece.from), ignored));
    }
  CHECK(line == bodies.size());
  check_all_ways(bodies);
}

TEST_CASE("a guess that is wrong changes nothing", "[threads]") {
  // Events whose texts hold what looks like events.
  std::string inner = long_line(900, 5);
  inner.erase(0, inner.find('\x22'));
  std::string body = long_line(40, 6);
  for (int i = 0; i < 6; ++i)
    body += message().sub(4, event(1, i, 5).sub(4, message().number(1, 2).text(5, inner + std::to_string(i)))).bytes();
  body += long_line(40, 7);
  const std::string other = long_line(700, 8);
  check_all_ways({body, other});
}

TEST_CASE("a damaged event ends its line, in whatever piece it lies", "[threads]") {
  const std::string whole = long_line(3000, 9), other = long_line(700, 10);
  for (const std::size_t at : {std::size_t{40}, whole.size() / 3, whole.size() / 2, whole.size() - 3}) {
    std::string body = whole;
    // A field of a type that there is not.
    for (std::size_t i = at; i < std::min(at + 40, body.size()); ++i) body[i] = '\x0f';
    check_all_ways({body, other});
    check_all_ways({std::string_view(whole).substr(0, at), other});
  }
}

TEST_CASE("a fault of a piece stops them all", "[threads]") {
  const std::string a = long_line(3000, 11);
  const std::vector<std::string_view> bodies{a};
  for (const std::uint32_t threads : {1U, 4U}) {
    hooks host;
    host.threads = threads;
    std::size_t kept = 0;
    const auto seen = read_line_parts<int>(
        bodies, cut_lines(bodies, 600), host, [] { return 0; },
        [&](const line_piece& piece, int&) -> result<bool> {
          if (piece.from < a.size() / 2) return true;
          return fault{fault_code::invalid_argument, "no further", "", no_offset, ""};
        },
        [&](int, std::uint64_t) -> result<void> {
          ++kept;
          return {};
        });
    REQUIRE(!seen);
    CHECK(seen.error().message == "no further");
    CHECK(kept < cut_lines(bodies, 600).size());
  }
}

namespace {

// As it is, but for visits in parts.
class in_one_part final : public activity {
 public:
  explicit in_one_part(const activity& of) : of_(of) {}
  [[nodiscard]] const std::vector<activity_device>& devices() const noexcept override { return of_.devices(); }
  [[nodiscard]] const std::vector<activity_host>& hosts() const noexcept override { return of_.hosts(); }
  [[nodiscard]] const std::vector<activity_thread>& threads() const noexcept override { return of_.threads(); }
  [[nodiscard]] const std::vector<step_marker>& markers() const noexcept override { return of_.markers(); }
  [[nodiscard]] const std::vector<activity_input>& inputs() const noexcept override { return of_.inputs(); }
  [[nodiscard]] const std::vector<communication_row>& communication() const noexcept override {
    return of_.communication();
  }
  [[nodiscard]] const std::vector<step_trace_row>& step_trace() const noexcept override { return of_.step_trace(); }
  [[nodiscard]] std::string_view text(string_id id) const noexcept override { return of_.text(id); }
  [[nodiscard]] std::optional<std::int64_t> origin_unix_ns() const noexcept override { return of_.origin_unix_ns(); }
  [[nodiscard]] bool has_host_spans(std::uint32_t group) const noexcept override { return of_.has_host_spans(group); }
  result<void> visit_kernels(std::size_t device, kernel_visitor& into, const hooks& host) const override {
    return of_.visit_kernels(device, into, host);
  }
  result<void> visit_host_spans(std::uint32_t group, std::int64_t from_ps, std::int64_t to_ps, host_span_visitor& into,
                                const hooks& host) const override {
    return of_.visit_host_spans(group, from_ps, to_ps, into, host);
  }

 private:
  const activity& of_;
};

// Two long threads with frames, calls, waits and markers of steps, two short ones, and kernels with gaps.
std::string busy_capture() {
  constexpr std::int64_t us = 1'000'000;
  std::minstd_rand random(17);
  plane_builder device("/device:GPU:0"), host("/host:CPU");
  std::vector<message> kernels;
  std::int64_t at = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::int64_t duration = 1 + random() % 40;
    kernels.push_back(
        device.event("k" + std::to_string(i % 9), at * us, duration * us, {device.uint_stat("correlation_id", i)}));
    at += duration + (i % 3 == 0 ? 60 + static_cast<std::int64_t>(random() % 90) : 0);
  }
  device.line("Stream #1(Kernel)", kernels, 1, 1);
  const char* const names[] = {"$app.py:1 run", "aten::add", "cudaLaunchKernel", "cudaMemcpyAsync", "c10d::wait"};
  for (std::int64_t thread = 0; thread < 4; ++thread) {
    std::vector<message> spans;
    const std::int64_t count = thread < 2 ? 60'000 : 300;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t start = i * at / count;
      std::vector<message> stats;
      if (i % 8 == 2) stats.push_back(host.uint_stat("correlation_id", static_cast<std::uint64_t>(i / 8)));
      const bool step = i % (count / 4) == 0;
      if (step) stats.push_back(host.int_stat("step_num", i / (count / 4)));
      const std::size_t name = random() % 5;
      const std::int64_t length = i % 9973 == 0 ? 900 : static_cast<std::int64_t>(random() % (name == 0 ? 20 : 2));
      spans.push_back(host.event(step ? "train" : names[name], start * us, length * us, stats));
    }
    host.line("thread" + std::to_string(thread), spans, 1, 100 + thread);
  }
  return space_of({device, host});
}

void check_same(const bubbles_result& a, const bubbles_result& b) {
  REQUIRE(a.bubbles.size() == b.bubbles.size());
  CHECK(a.steps.size() == b.steps.size());
  CHECK(a.answers == b.answers);
  CHECK(a.has_stacks == b.has_stacks);
  CHECK(a.has_runtime_events == b.has_runtime_events);
  for (std::size_t i = 0; i < a.bubbles.size(); ++i) {
    const host_evidence &x = a.bubbles[i].host, &y = b.bubbles[i].host;
    REQUIRE(a.bubbles[i].start_ps == b.bubbles[i].start_ps);
    REQUIRE(std::tie(x.host_ps, x.leaf_ps, x.sync_ps, x.comm_ps, x.gc_ps, x.threads_ps, x.ops) ==
            std::tie(y.host_ps, y.leaf_ps, y.sync_ps, y.comm_ps, y.gc_ps, y.threads_ps, y.ops));
  }
}

}  // namespace

TEST_CASE("the detector finds the same on any number of threads, and in one part", "[threads]") {
  const auto capture = open_bytes(busy_capture());
  const auto with = [&](std::uint32_t threads) {
    hooks host;
    host.threads = threads;
    auto found = analyse_bubbles(trace(capture.held), {}, host);
    REQUIRE(found);
    return std::move(*found);
  };
  const bubbles_report one = with(1);
  CHECK(one.found.bubbles.size() > 500);
  CHECK(one.of->markers().size() > 3);
  CHECK(one.of->devices()[0].has_launches);
  std::int64_t covered_ps = 0, leaves_ps = 0;
  for (const bubble& b : one.found.bubbles) {
    covered_ps += b.host.host_ps;
    leaves_ps += b.host.leaf_ps;
    CHECK(b.host.threads_ps >= b.host.host_ps);
  }
  CHECK(leaves_ps > 0);
  CHECK(covered_ps > leaves_ps);
  for (const std::uint32_t threads : {2U, 5U}) {
    const bubbles_report several = with(threads);
    CHECK(several.of->markers().size() == one.of->markers().size());
    check_same(one.found, several.found);
  }
  auto whole = find_bubbles(in_one_part(*one.of));
  REQUIRE(whole);
  check_same(one.found, *whole);
}
