// Allocators replayed from where their events lie, against the plainest replay; and how little that holds.
#include <profkit/core/export.hpp>
#include <profkit/core/memory.hpp>
#include <profkit/core/sink.hpp>

#include <catch.hpp>

#include "../read/counted_memory.hpp"
#include "../read/xspace_writer.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

using generator = std::mt19937_64;
std::int64_t below(generator& r, std::int64_t n) {
  return static_cast<std::int64_t>(r() % static_cast<std::uint64_t>(n));
}

// ---- what is written ----

enum event_id : std::int64_t { allocates = 1, frees = 2, outer = 3, inner = 4 };
enum stat_id : std::int64_t { addr_stat = 1, bytes_stat, in_use_stat, reserved_stat, available_stat, index_stat };

struct written_event {
  std::int64_t id = allocates;
  std::int64_t offset_ps = 0, duration_ps = 0;
  std::int64_t addr = 0, bytes = 0, in_use = -1, reserved = 0, available = 0;  // addr, in_use -1: not written
  std::int64_t allocator = 0;
  [[nodiscard]] bool of_allocator() const { return id == allocates || id == frees; }
};
using written_line = std::vector<written_event>;

std::string bytes_of(const written_event& e) {
  message m = event(e.id, e.offset_ps, e.duration_ps);
  if (e.of_allocator()) {
    if (e.addr >= 0) m.sub(4, stat(addr_stat, e.addr));
    m.sub(4, stat(bytes_stat, e.bytes)).sub(4, stat(index_stat, e.allocator));
    if (e.in_use >= 0) m.sub(4, stat(in_use_stat, e.in_use));
    if (e.reserved != 0) m.sub(4, stat(reserved_stat, e.reserved));
    if (e.available != 0) m.sub(4, stat(available_stat, e.available));
  }
  return message().sub(4, m).bytes();
}

// Where the lines' timestamps stand: in front of the events, as serializers write them, or behind them.
struct written_timestamps {
  std::int64_t in_front_ns = 0, behind_ns = 0;  // 0: not written
};

std::string capture_of(const std::vector<written_line>& lines, const written_timestamps& timestamps = {}) {
  std::string plane = message().text(2, "/host:CPU").bytes();
  std::string maps;
  const std::pair<event_id, const char*> names[] = {
      {allocates, "MemoryAllocation"}, {frees, "MemoryDeallocation"}, {outer, "outer"}, {inner, "inner"}};
  for (const auto& [id, name] : names) maps += message().sub(4, metadata_entry_of(id, name)).bytes();
  const std::pair<stat_id, const char*> stats[] = {{addr_stat, "addr"},
                                                   {bytes_stat, "allocation_bytes"},
                                                   {in_use_stat, "bytes_allocated"},
                                                   {reserved_stat, "bytes_reserved"},
                                                   {available_stat, "bytes_available"},
                                                   {index_stat, "index_on_host"}};
  for (const auto& [id, name] : stats) maps += message().sub(5, metadata_entry_of(id, name)).bytes();
  for (const written_line& line : lines) {
    std::string body = message().text(2, "thread").bytes();
    if (timestamps.in_front_ns != 0) body += message().number(3, timestamps.in_front_ns).bytes();
    for (const written_event& e : line) body += bytes_of(e);
    if (timestamps.behind_ns != 0) body += message().number(3, timestamps.behind_ns).bytes();
    plane += message().text(3, body).bytes();
  }
  return message().text(1, plane + maps).bytes();
}

memory_result analysed(const std::string& capture, const memory_options& o = {}) {
  const auto opened = profile::open_buffer(capture, "replay.xplane.pb");
  REQUIRE(opened.ok());
  auto found = analyse_memory(trace(**opened), o);
  REQUIRE(found.ok());
  REQUIRE(found->runtime);
  return *found;
}

// ---- what it means, all of it held ----

struct plain_buffer {
  written_event allocation;
  std::size_t line = 0, place = 0;
  bool deallocated = false;
};

struct plain_allocator {
  std::uint64_t allocations = 0, deallocations = 0, unmatched = 0, reuses = 0, disagreements = 0;
  std::int64_t heap_peak = 0, heap_peak_ps = 0, occupancy_peak = -1, occupancy_peak_ps = 0, before = 0, end = 0;
  std::vector<plain_buffer> alive;                          // at the highest occupancy, in the order of allocation
  std::vector<std::pair<std::int64_t, std::int64_t>> live;  // time and bytes after each event
};

plain_allocator plain_replay(const std::vector<written_line>& lines, std::int64_t allocator) {
  struct placed {
    std::int64_t at;
    std::size_t line, place;
    written_event e;
  };
  std::vector<placed> events;
  for (std::size_t l = 0; l < lines.size(); ++l)
    for (std::size_t i = 0; i < lines[l].size(); ++i)
      if (lines[l][i].of_allocator() && lines[l][i].allocator == allocator)
        events.push_back({lines[l][i].offset_ps, l, i, lines[l][i]});
  std::stable_sort(events.begin(), events.end(), [](const placed& a, const placed& b) { return a.at < b.at; });
  plain_allocator out;
  std::map<std::int64_t, plain_buffer> held;
  std::vector<plain_buffer> at_peak;
  std::int64_t seen = 0;
  if (!events.empty() && events[0].e.in_use >= 0) {
    const written_event& e = events[0].e;
    out.before = e.id == allocates ? e.in_use - std::min(e.bytes, e.in_use) : e.in_use + e.bytes;
  }
  std::int64_t before = out.before;
  for (const placed& p : events) {
    for (plain_buffer& b : at_peak)
      if (b.allocation.addr == p.e.addr) b.deallocated = true;
    const auto found = held.find(p.e.addr);
    if (found != held.end()) seen -= found->second.allocation.bytes;
    if (p.e.id == allocates) {
      ++out.allocations;
      if (found != held.end()) ++out.reuses;
      held[p.e.addr] = {p.e, p.line, p.place, false};
      seen += p.e.bytes;
    } else {
      ++out.deallocations;
      if (found == held.end()) {
        ++out.unmatched;
        before = std::max<std::int64_t>(before - p.e.bytes, 0);
      } else {
        held.erase(found);
      }
    }
    if (seen > out.heap_peak) {
      out.heap_peak = seen;
      out.heap_peak_ps = p.at;
    }
    out.live.emplace_back(p.at, seen + before);
    if (p.e.in_use >= 0 && p.e.in_use != seen + before) ++out.disagreements;
    const std::int64_t occupied = p.e.reserved + (p.e.in_use >= 0 ? p.e.in_use : seen + before);
    if (occupied <= out.occupancy_peak) continue;
    out.occupancy_peak = occupied;
    out.occupancy_peak_ps = p.at;
    at_peak.clear();
    for (const auto& [addr, b] : held) at_peak.push_back(b);
  }
  out.end = seen + before;
  std::sort(at_peak.begin(), at_peak.end(), [](const plain_buffer& a, const plain_buffer& b) {
    return std::tie(a.allocation.offset_ps, a.line, a.place) < std::tie(b.allocation.offset_ps, b.line, b.place);
  });
  out.alive = std::move(at_peak);
  return out;
}

// Names of what encloses an event, by looking at all others of the line.
std::vector<std::string> plain_parents(const written_line& line, std::size_t place) {
  const auto end_of = [](const written_event& e) { return e.offset_ps + e.duration_ps; };
  std::vector<std::size_t> around;
  const auto comes_first = [&](std::size_t a, std::size_t b) {
    return std::make_tuple(line[a].offset_ps, -end_of(line[a]), a) <
           std::make_tuple(line[b].offset_ps, -end_of(line[b]), b);
  };
  for (std::size_t i = 0; i < line.size(); ++i)
    if (i != place && line[i].duration_ps > 0 && end_of(line[i]) > line[place].offset_ps && comes_first(i, place))
      around.push_back(i);
  std::sort(around.begin(), around.end(), comes_first);
  std::vector<std::string> names;
  for (const std::size_t i : around) {
    if (names.size() == 100) break;
    names.emplace_back(line[i].id == allocates ? "MemoryAllocation"
                       : line[i].id == frees   ? "MemoryDeallocation"
                       : line[i].id == outer   ? "outer"
                                               : "inner");
  }
  return names;
}

void compare(const std::vector<written_line>& lines, const memory_options& o) {
  const std::string capture = capture_of(lines);  // the result shows names in it
  const memory_result found = analysed(capture, o);
  std::uint64_t events = 0;
  for (const allocator_memory& a : found.allocators) {
    INFO("allocator " << a.name);
    const plain_allocator truth = plain_replay(lines, std::stoll(a.name));
    events += truth.allocations + truth.deallocations;
    CHECK(a.n_allocations == truth.allocations);
    CHECK(a.n_deallocations == truth.deallocations);
    CHECK(a.unmatched_frees == truth.unmatched);
    CHECK(a.address_reuses == truth.reuses);
    CHECK(a.disagreements == truth.disagreements);
    CHECK(a.heap_peak_bytes == truth.heap_peak);
    CHECK(a.heap_peak_ps == truth.heap_peak_ps);
    CHECK(a.occupancy_peak_bytes == truth.occupancy_peak);
    CHECK(a.occupancy_peak_ps == truth.occupancy_peak_ps);
    CHECK(a.pre_trace_bytes == truth.before);
    CHECK(a.trace_end_live_bytes == truth.end);
  }
  std::uint64_t written = 0;
  for (const written_line& line : lines)
    written += static_cast<std::uint64_t>(
        std::count_if(line.begin(), line.end(), [](const written_event& e) { return e.of_allocator(); }));
  CHECK(events == written);

  plain_allocator truth = plain_replay(lines, std::stoll(found.allocators[*found.runtime->allocator].name));
  std::stable_sort(truth.alive.begin(), truth.alive.end(), [](const plain_buffer& a, const plain_buffer& b) {
    return a.allocation.bytes > b.allocation.bytes;
  });
  std::vector<const live_row*> buffers;
  for (const live_row& row : found.runtime->alive)
    if (row.kind == "buffer") buffers.push_back(&row);
  REQUIRE(buffers.size() == truth.alive.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const plain_buffer& b = truth.alive[i];
    INFO("buffer " << i << " at " << b.allocation.addr);
    CHECK(buffers[i]->addr == static_cast<std::uint64_t>(b.allocation.addr));
    CHECK(buffers[i]->size_bytes == b.allocation.bytes);
    CHECK(buffers[i]->alloc_ts_ps == b.allocation.offset_ps);
    CHECK(buffers[i]->deallocated == b.deallocated);
    const std::vector<std::string> parents(buffers[i]->parent_chain.begin(), buffers[i]->parent_chain.end());
    CHECK(parents == plain_parents(lines[b.line], b.place));
  }
  for (const timeline_sample& s : found.runtime->samples) {
    std::int64_t live = -1;
    for (const auto& [at, bytes] : truth.live)
      if (at / 1000 <= s.ts_ns) live = bytes;
    CHECK(s.bytes_allocated == live);
  }
}

// Times are whole ns, so that samples can be compared.
std::vector<written_line> random_lines(generator& r, std::int64_t events, std::int64_t disorder) {
  std::vector<written_line> lines(static_cast<std::size_t>(1 + below(r, 4)));
  const std::int64_t addresses = 1 + below(r, 60), allocators = 1 + below(r, 3);
  for (written_line& line : lines) {
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < events; ++i) {
      written_event e;
      e.id = 1 + below(r, 4);
      at += 1000 * (below(r, 3) == 0 ? 0 : below(r, 20));
      e.offset_ps = at;
      e.duration_ps = below(r, 3) == 0 ? 0 : 1000 * below(r, e.id == outer ? 2000 : 30);
      if (e.of_allocator()) {
        e.addr = 256 * below(r, addresses);
        e.bytes = below(r, 1000);
        if (below(r, 3) == 0) e.in_use = below(r, 5000);
        if (below(r, 3) == 0) e.reserved = below(r, 5000);
        e.allocator = below(r, allocators);
      }
      line.push_back(e);
    }
    for (std::size_t i = 0; disorder > 0 && i < line.size(); ++i)
      std::swap(line[i], line[std::min(line.size() - 1, i + static_cast<std::size_t>(below(r, disorder)))]);
  }
  lines[0].push_back({allocates, 0, 0, 1, 1});  // one there is
  return lines;
}

// Buffers that come and go, some hundred at a time, while others run around them.
std::vector<written_line> steady_lines(std::int64_t events, std::size_t lines, bool shuffled) {
  std::vector<written_line> out(lines);
  for (std::int64_t i = 0; i < events; ++i) {
    const std::int64_t round = i / 400, step = i % 400;
    written_event e;
    e.id = step < 200 ? allocates : frees;
    e.offset_ps = 2000 * i;
    e.addr = 512 * (step % 200);
    e.bytes = 512 + round % 7;
    e.allocator = i % 2;
    written_line& line = out[static_cast<std::size_t>(i) % lines];
    line.push_back({outer, e.offset_ps, 2000 * 100 * static_cast<std::int64_t>(lines)});
    line.push_back(e);
  }
  generator r(7);
  for (written_line& line : out)
    if (shuffled) std::shuffle(line.begin(), line.end(), r);
  return out;
}

// The document, or the fault there is instead.
std::string document_of(document which, const std::string& capture, std::uint32_t threads) {
  hooks host;
  host.threads = threads;
  const auto opened = profile::open_buffer(capture, "replay.xplane.pb");
  if (!opened) return opened.error().message;
  std::string text;
  const auto into = memory_sink(text);
  const auto written = write_document(which, trace(**opened), {}, *into, host);
  return written ? text : written.error().message;
}

std::uint64_t memory_of(std::int64_t events, std::size_t lines, bool shuffled) {
  const std::string capture = capture_of(steady_lines(events, lines, shuffled));
  const peak_memory peak;
  const memory_result found = analysed(capture);
  REQUIRE(found.allocators.size() == 2);
  REQUIRE(found.allocators[0].n_allocations == static_cast<std::uint64_t>(events / 4));
  REQUIRE(found.allocators[0].unmatched_frees == 0);
  return peak.bytes();
}

}  // namespace

TEST_CASE("replays of random allocators equal the plainest one") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    generator r(seed);
    const std::int64_t disorder = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 5 : 100000;
    memory_options o;
    o.include_host_pools = true;
    o.time_samples = 1 + static_cast<std::uint64_t>(below(r, 40));
    compare(random_lines(r, 1 + below(r, 300), disorder), o);
  }
}

TEST_CASE("lines too far out of order to be sorted while they are read give what sorted ones give") {
  const std::int64_t events = 120'000;
  const memory_result sorted = analysed(capture_of(steady_lines(events, 1, false)));
  const memory_result shuffled = analysed(capture_of(steady_lines(events, 1, true)));
  for (std::size_t i = 0; i < sorted.allocators.size(); ++i) {
    const auto same = std::find_if(shuffled.allocators.begin(), shuffled.allocators.end(),
                                   [&](const allocator_memory& a) { return a.name == sorted.allocators[i].name; });
    REQUIRE(same != shuffled.allocators.end());
    CHECK(same->heap_peak_bytes == sorted.allocators[i].heap_peak_bytes);
    CHECK(same->heap_peak_ps == sorted.allocators[i].heap_peak_ps);
    CHECK(same->address_reuses == 0);
    CHECK(same->unmatched_frees == 0);
    CHECK(same->trace_end_live_bytes == 0);
  }
}

TEST_CASE("any number of threads tells the same, of whole captures and of damaged ones", "[threads]") {
  const std::string whole = capture_of(steady_lines(14'000, 1, false)) + capture_of(steady_lines(14'000, 3, true));
  generator r(11);
  for (int i = 0; i < 6; ++i) {
    std::string capture = whole;
    if (i > 0) capture[static_cast<std::size_t>(below(r, static_cast<std::int64_t>(whole.size())))] ^= 0x7f;
    for (const document which : {document::memory, document::report}) {
      const std::string alone = document_of(which, capture, 1);
      if (i == 0) CHECK(alone.find("\"allocators\"") != std::string::npos);
      for (const std::uint32_t threads : {2U, 3U, 8U}) {
        INFO(i << ", " << threads << " threads");
        CHECK((document_of(which, capture, threads) == alone));
      }
    }
  }
}

TEST_CASE("a timestamp behind the events counts as one in front of them", "[threads]") {
  for (const std::int64_t events : {20, 20'000}) {  // a line in one piece, and one in several
    const auto lines = steady_lines(events, 1, false);
    const std::string in_front = document_of(document::memory, capture_of(lines, {5000, 0}), 1);
    REQUIRE(in_front.find("\"heap_peak_ps\":") != std::string::npos);
    REQUIRE((in_front != document_of(document::memory, capture_of(lines, {7000, 0}), 1)));
    for (const std::uint32_t threads : {1U, 4U}) {
      INFO(events << " events, " << threads << " threads");
      // Offsets in the file are not told here, so that the documents are the same.
      CHECK((document_of(document::memory, capture_of(lines, {0, 5000}), threads) == in_front));
      CHECK((document_of(document::memory, capture_of(lines, {7000, 5000}), threads) == in_front));
    }
  }
}

TEST_CASE("of very many events around an allocation the outermost are told") {
  constexpr std::int64_t depth = 150'000;
  written_line line;
  for (std::int64_t i = 0; i < depth; ++i)
    line.push_back({i % 3 == 0 ? outer : inner, 1000 * i, 1000 * (2 * depth - 2 * i)});
  line.push_back({allocates, 1000 * depth - 500, 0, 256, 100});
  line.push_back({frees, 1000 * depth, 0, 256, 100});
  generator r(3);
  for (const bool shuffled : {false, true}) {
    INFO(shuffled);
    if (shuffled) std::shuffle(line.begin(), line.end(), r);
    const std::string capture = capture_of({line});
    const peak_memory peak;
    const memory_result found = analysed(capture);
    REQUIRE(found.runtime->alive.size() == 1);
    const auto& chain = found.runtime->alive[0].parent_chain;
    REQUIRE(chain.size() == 100);
    for (std::size_t i = 0; i < chain.size(); ++i) CHECK(chain[i] == (i % 3 == 0 ? "outer" : "inner"));
    if (counts_memory()) CHECK(peak.bytes() <= 6'000'000);
  }
}

TEST_CASE("an allocator event takes a few bytes, in order or not") {
  if (!counts_memory()) PROFKIT_SKIP("allocations cannot be counted here");
  constexpr std::int64_t few = 100'000, many = 250'000;
  const struct {
    const char* what;
    std::size_t lines;
    bool shuffled;
  } kinds[] = {{"one line", 1, false}, {"seven lines", 7, false}, {"one line, shuffled", 1, true}};
  for (const auto& kind : kinds) {
    INFO(kind.what);
    const std::uint64_t fixed = memory_of(few, kind.lines, kind.shuffled);
    const std::uint64_t all = memory_of(many, kind.lines, kind.shuffled);
    CAPTURE(fixed, all, static_cast<double>(all - fixed) / static_cast<double>(many - few));
    CHECK(fixed <= 3'000'000);
    CHECK(all - fixed <= 6 * static_cast<std::uint64_t>(many - few));
  }
}

namespace {

constexpr std::int64_t no_address = -1;

struct replayed_numbers {
  std::uint64_t allocations = 0, deallocations = 0, unmatched = 0, reuses = 0;
  std::int64_t peak_bytes = 0, peak_ps = 0, before_bytes = 0, end_bytes = 0;
};

struct replay_row {
  const char* what;
  written_line events;
  std::map<std::int64_t, replayed_numbers> expected;  // by allocator
  bool any_order = true;                              // of the events in the file: no two at one time
};

written_event event_at(event_id id, std::int64_t at_ps, std::int64_t addr, std::int64_t bytes,
                       std::int64_t allocator = 0) {
  written_event e;
  e.id = id;
  e.offset_ps = at_ps;
  e.addr = addr;
  e.bytes = bytes;
  e.allocator = allocator;
  return e;
}

void check_replay(const memory_result& r, const replay_row& row) {
  CHECK(r.allocators.size() == row.expected.size());
  for (const auto& [index, expected] : row.expected) {
    INFO("allocator " << index);
    const std::int64_t wanted = index;
    const auto at = std::find_if(r.allocators.begin(), r.allocators.end(),
                                 [&](const allocator_memory& a) { return a.name == std::to_string(wanted); });
    REQUIRE(at != r.allocators.end());
    CHECK(at->n_allocations == expected.allocations);
    CHECK(at->n_deallocations == expected.deallocations);
    CHECK(at->unmatched_frees == expected.unmatched);
    CHECK(at->address_reuses == expected.reuses);
    CHECK(at->heap_peak_bytes == expected.peak_bytes);
    CHECK(at->heap_peak_ps == expected.peak_ps);
    CHECK(at->pre_trace_bytes == expected.before_bytes);
    CHECK(at->trace_end_live_bytes == expected.end_bytes);
  }
}

written_event counted(written_event e, std::int64_t in_use) {
  e.in_use = in_use;
  return e;
}

const replay_row replay_rows[] = {
    {"an allocation and its free",
     {event_at(allocates, 10, 64, 100), event_at(frees, 20, 64, 100)},
     {{0, {1, 1, 0, 0, 100, 10, 0, 0}}}},
    {"a free without an allocation takes nothing from what was seen",
     {event_at(allocates, 10, 64, 100), event_at(frees, 20, 65, 40)},
     {{0, {1, 1, 1, 0, 100, 10, 0, 100}}}},
    {"a free without an allocation takes from what was there before",
     {counted(event_at(allocates, 10, 64, 100), 150), event_at(frees, 20, 65, 40)},
     {{0, {1, 1, 1, 0, 100, 10, 50, 110}}}},
    {"but never more than was there",
     {counted(event_at(allocates, 10, 64, 100), 150), event_at(frees, 20, 65, 51)},
     {{0, {1, 1, 1, 0, 100, 10, 50, 100}}}},
    {"a first event that is a free was there before",
     {counted(event_at(frees, 10, 64, 30), 70), event_at(allocates, 20, 64, 5)},
     {{0, {1, 1, 1, 0, 5, 20, 100, 75}}}},
    {"freed twice",
     {event_at(allocates, 10, 64, 100), event_at(frees, 20, 64, 100), event_at(frees, 30, 64, 100)},
     {{0, {1, 2, 1, 0, 100, 10, 0, 0}}}},
    {"the same address twice: the second takes the place of the first",
     {event_at(allocates, 10, 64, 100), event_at(allocates, 20, 64, 30), event_at(frees, 30, 64, 30)},
     {{0, {2, 1, 0, 1, 100, 10, 0, 0}}}},
    {"the same address twice, freed between: no reuse",
     {event_at(allocates, 10, 64, 100), event_at(frees, 20, 64, 100), event_at(allocates, 30, 64, 101)},
     {{0, {2, 1, 0, 0, 101, 30, 0, 101}}}},
    {"a free of a smaller size ends all that was allocated",
     {event_at(allocates, 10, 64, 100), event_at(frees, 20, 64, 1)},
     {{0, {1, 1, 0, 0, 100, 10, 0, 0}}}},
    {"a free of a larger size ends no more than was allocated",
     {event_at(allocates, 5, 65, 7), event_at(allocates, 10, 64, 100), event_at(frees, 20, 64, 1000)},
     {{0, {2, 1, 0, 0, 107, 10, 0, 7}}}},
    {"of equal peaks the first counts",
     {event_at(allocates, 10, 64, 100), event_at(frees, 20, 64, 100), event_at(allocates, 30, 65, 100)},
     {{0, {2, 1, 0, 0, 100, 10, 0, 100}}}},
    {"two allocators know nothing of each other's addresses",
     {event_at(allocates, 10, 64, 100, 0), event_at(allocates, 20, 64, 30, 1), event_at(frees, 30, 64, 100, 0)},
     {{0, {1, 1, 0, 0, 100, 10, 0, 0}}, {1, {1, 0, 0, 0, 30, 20, 0, 30}}}},
    {"an event without an address is one at the address 0",
     {event_at(allocates, 10, no_address, 100), event_at(frees, 20, 0, 100)},
     {{0, {1, 1, 0, 0, 100, 10, 0, 0}}}},
    {"at one time the order in the file counts: allocated, freed",
     {event_at(allocates, 10, 64, 100), event_at(frees, 10, 64, 100)},
     {{0, {1, 1, 0, 0, 100, 10, 0, 0}}},
     false},
    {"at one time the order in the file counts: freed, allocated",
     {event_at(frees, 10, 64, 100), event_at(allocates, 10, 64, 100)},
     {{0, {1, 1, 1, 0, 100, 10, 0, 100}}},
     false},
    {"one picosecond decides what comes first",
     {event_at(frees, 11, 64, 100), event_at(allocates, 10, 64, 100)},
     {{0, {1, 1, 0, 0, 100, 10, 0, 0}}}},
};

}  // namespace

TEST_CASE("what an allocator's events mean, one by one") {
  for (const replay_row& row : replay_rows) {
    INFO(row.what);
    check_replay(analysed(capture_of({row.events})), row);
    if (!row.any_order) continue;
    INFO("in the file from last to first");
    check_replay(analysed(capture_of({written_line(row.events.rbegin(), row.events.rend())})), row);
    INFO("each on a line of its own");
    std::vector<written_line> lines;
    for (const written_event& e : row.events) lines.insert(lines.begin(), {e});
    check_replay(analysed(capture_of(lines)), row);
  }
}
