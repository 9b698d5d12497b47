// analyse_ops over whole profiles.
#include <catch.hpp>

#include <profkit/core/filters.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/ops.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "support.hpp"
#include "xspace_writer.hpp"

using namespace profkit;
using namespace profkit::test;

namespace {

struct held_profile {
  explicit held_profile(std::string file) : bytes(std::move(file)) {
    auto opened = profile::open_buffer(bytes, "host0.xplane.pb");
    REQUIRE(opened.ok());
    open = *opened;
  }
  std::string bytes;
  std::shared_ptr<const profile> open;
};

ops_result ops_of(const profile& p, const query_filters& o = {}, const hooks& host = {}) {
  auto found = analyse_ops(trace(p), o, host);
  REQUIRE(found.ok());
  return *found;
}

message tpu_plane(const std::string& name, std::int64_t shift) {
  message ops;
  ops.number(1, 3).text(2, "XLA Ops");
  ops.sub(4, event(1, shift, 100)).sub(4, event(2, shift + 10, 30)).sub(4, event(2, shift + 60, 30));
  ops.sub(4, event(77, shift + 200, 10));
  message overlay;
  overlay.number(1, 7).text(2, "TC Overlay").sub(4, event(1, shift, 100));
  message modules;
  modules.number(1, 2).text(2, "XLA Modules").sub(4, event(3, shift, 250)).sub(4, event(3, shift + 1000, 10));
  return message()
      .text(2, name)
      .sub(3, modules)
      .sub(3, ops)
      .sub(3, overlay)
      .sub(4, message().number(1, 1).sub(2, message()
                                                .number(1, 1)
                                                .text(2, "%while.1 = …")
                                                .text(4, "while.1")
                                                .sub(5, message().number(1, 1).text(5, "while"))
                                                .sub(5, message().number(1, 2).unsigned_number(7, 3))))
      .sub(4, metadata_entry_of(2, "fusion.2"))
      .sub(4, metadata_entry_of(3, "jit_f(1)"))
      .sub(5, metadata_entry_of(1, "hlo_category"))
      .sub(5, metadata_entry_of(2, "source"))
      .sub(5, metadata_entry_of(3, "model.py:7"))
      .sub(5, metadata_entry_of(4, "peak_teraflops_per_second"))
      .sub(5, metadata_entry_of(5, "peak_hbm_bw_gigabytes_per_second"))
      .sub(5, metadata_entry_of(6, "device_type_string"))
      .sub(6, message().number(1, 4).fixed64(2, 0x408cb00000000000))  // 918.0
      .sub(6, message().number(1, 5).fixed64(2, 0x4099980000000000))  // 1638.0
      .sub(6, message().number(1, 6).text(5, "TPU v6 Lite"));
}

}  // namespace

TEST_CASE("Ops come from XLA Ops, with self time, and never from derived lines") {
  const held_profile p(message().sub(1, tpu_plane("/device:TPU:0", 0)).sub(1, tpu_plane("/device:TPU:1", 5)).bytes());
  const ops_result found = ops_of(*p.open);
  REQUIRE(found.source == "XLA Ops");
  REQUIRE(found.absent.empty());
  REQUIRE(found.damage.empty());
  REQUIRE(found.lines.size() == 2);
  const ops_line& line = found.lines[1];
  REQUIRE(line.plane == 1);
  REQUIRE(line.line == 1);
  REQUIRE(line.plane_name == "/device:TPU:1");
  REQUIRE(line.line_name == "XLA Ops");
  REQUIRE(line.kind == line_kind::ops);
  REQUIRE(line.events == 4);
  REQUIRE(line.duration_sum_ps == 170);
  REQUIRE(line.busy_ps == 110);
  REQUIRE(line.ops.size() == 3);
  REQUIRE(line.ops[0].metadata_id == 1);
  REQUIRE(line.ops[0].self_ps == 40);
  REQUIRE(line.ops[0].metadata().display_name() == "while.1");
  REQUIRE(line.ops[1].metadata_id == 2);
  REQUIRE(line.ops[1].count == 2);
  REQUIRE(line.ops[1].self_ps == 60);
  REQUIRE(line.ops[1].min_ps == 30);
  // An id without an entry is a row like any other, without a name.
  REQUIRE(line.ops[2].metadata_id == 77);
  REQUIRE(line.ops[2].entry.data() == nullptr);
  REQUIRE(line.ops[2].metadata().name().empty());
  REQUIRE(op_stats(*p.open, line, line.ops[2]).empty());

  const std::vector<named_stat> stats = op_stats(*p.open, line, line.ops[0]);
  REQUIRE(stats.size() == 2);
  REQUIRE(stats[0].name == "hlo_category");
  REQUIRE(stats[0].text == "while");
  REQUIRE(stats[1].name == "source");
  REQUIRE(stats[1].text == "model.py:7");

  const device_peaks peaks = peaks_of(*p.open, line);
  REQUIRE(peaks.flops_per_s == 918.0 * 1e12);
  REQUIRE(peaks.hbm_bytes_per_s == 1638.0 * 1e9);
  REQUIRE(peaks.device_type == "TPU v6 Lite");
  REQUIRE(peaks.source == "the plane");
  ops_line elsewhere;
  elsewhere.plane = 99;
  REQUIRE(peaks_of(*p.open, elsewhere).flops_per_s == 0);
  elsewhere.plane = -1;
  REQUIRE(peaks_of(*p.open, elsewhere).source.empty());
}

TEST_CASE("Filters pick planes, lines, names and times") {
  const held_profile p(message().sub(1, tpu_plane("/device:TPU:0", 0)).sub(1, tpu_plane("/device:TPU:1", 5)).bytes());
  query_filters o;
  o.plane = "TPU:1";
  REQUIRE(ops_of(*p.open, o).lines.size() == 1);

  o = {};
  o.name = "fusion";
  const ops_result named = ops_of(*p.open, o);
  REQUIRE(named.lines[0].ops.size() == 1);
  REQUIRE(named.lines[0].ops[0].metadata_id == 2);
  REQUIRE(named.lines[0].ops[0].self_ps == 60);  // of the whole line
  REQUIRE(named.lines[0].events == 4);

  o = {};
  o.line = "TC Overlay";
  const ops_result overlay = ops_of(*p.open, o);
  REQUIRE(overlay.lines.size() == 2);
  REQUIRE(overlay.lines[0].kind == line_kind::derived);
  REQUIRE(overlay.source == "lines named 'TC Overlay'");
  o.line = "XLA";  // no line of this name: those that have it in theirs
  REQUIRE(ops_of(*p.open, o).lines.size() == 4);
  o.line = "nothing";
  const ops_result none = ops_of(*p.open, o);
  REQUIRE(none.lines.empty());
  REQUIRE(none.absent.find("nothing") != std::string::npos);

  o = {};
  o.from_ps = 150;
  o.to_ps = 204;
  const ops_result late = ops_of(*p.open, o);
  REQUIRE(late.lines.size() == 1);
  REQUIRE(late.lines[0].plane == 0);
  REQUIRE(late.lines[0].events == 1);
  REQUIRE(late.lines[0].ops[0].metadata_id == 77);

  o = {};
  o.step = 0;
  REQUIRE(ops_of(*p.open, o).lines.at(0).events == 4);
  o.step = 1;
  REQUIRE(ops_of(*p.open, o).lines.empty());
}

TEST_CASE("Without XLA Ops the streams count, without devices the host events with hlo_op") {
  message stream;
  stream.number(1, 16).text(2, "Stream #16(Kernel)").sub(4, event(1, 0, 10));
  message derived;
  derived.number(1, -559038734).text(2, "TensorFlow Ops").sub(4, event(1, 0, 10));
  message thread;
  thread.number(1, 9).text(2, "worker/9");
  thread.sub(4, event(1, 0, 100).sub(4, stat(3, 1)));
  thread.sub(4, event(2, 10, 20)).sub(4, event(2, 40, 20).sub(4, stat(3, 1)));
  const auto host = message().text(2, "/host:CPU").sub(3, thread).sub(5, metadata_entry_of(3, "hlo_op"));
  const auto gpu = message().text(2, "/device:GPU:0").sub(3, stream).sub(3, derived);

  const held_profile with_device(message().sub(1, gpu).sub(1, host).bytes());
  const ops_result streams = ops_of(*with_device.open);
  REQUIRE(streams.source == "device streams");
  REQUIRE(streams.lines.size() == 1);
  REQUIRE(streams.lines[0].events == 1);

  const held_profile host_only(message().sub(1, message().text(2, "/device:GPU:0")).sub(1, host).bytes());
  const ops_result threads = ops_of(*host_only.open);
  REQUIRE(threads.source == "host events with hlo_op");
  REQUIRE(threads.lines.size() == 1);
  REQUIRE(threads.lines[0].events == 2);
  REQUIRE(threads.lines[0].busy_ps == 100);
  REQUIRE(threads.lines[0].ops[0].self_ps == 80);

  const held_profile nothing(message().sub(1, message().text(2, "/host:CPU")).bytes());
  const ops_result absent = ops_of(*nothing.open);
  REQUIRE(absent.lines.empty());
  REQUIRE(absent.source.empty());
  REQUIRE_FALSE(absent.absent.empty());
}

TEST_CASE("Damage is told, and what is intact in front of it is totalled") {
  message ops;
  ops.text(2, "XLA Ops").sub(4, event(1, 0, 10)).text(4, std::string_view("\x08\xff", 2)).sub(4, event(1, 20, 10));
  message negative;
  negative.text(2, "XLA Ops").sub(4, event(1, 0, -5)).sub(4, event(1, 3, 5));
  const held_profile damaged(message().sub(1, message().text(2, "/device:TPU:0").sub(3, ops)).bytes());
  const ops_result found = ops_of(*damaged.open);
  REQUIRE(found.lines.at(0).events == 1);
  REQUIRE(found.damage.size() == 1);
  REQUIRE(found.damage[0].what.code == fault_code::damaged);
  REQUIRE(found.damage[0].what.byte_offset < damaged.bytes.size());
  REQUIRE(damaged.bytes.substr(found.damage[0].what.byte_offset, 2) == std::string("\x08\xff", 2));

  const held_profile with_negative(message().sub(1, message().text(2, "/device:TPU:0").sub(3, negative)).bytes());
  const ops_result zeroed = ops_of(*with_negative.open);
  REQUIRE(zeroed.lines.at(0).duration_sum_ps == 5);
  REQUIRE(zeroed.damage.size() == 1);
}

TEST_CASE("Results are the same for any number of threads, and a cancel stops") {
  message space;
  for (int plane = 0; plane < 9; ++plane) {
    message ops;
    ops.text(2, "XLA Ops");
    for (int i = 0; i < 500 * (plane % 4 + 1); ++i) ops.sub(4, event(i * 7 % 13, i * 10 + plane, i * 31 % 25));
    space.sub(1, message().text(2, "/device:TPU:" + std::to_string(plane)).sub(3, ops));
  }
  const held_profile p(space.bytes());
  const ops_result one = ops_of(*p.open);
  REQUIRE(one.lines.size() == 9);
  for (const std::uint32_t threads : {2U, 3U, 8U}) {
    hooks host;
    host.threads = threads;
    const ops_result several = ops_of(*p.open, {}, host);
    REQUIRE(several.lines.size() == one.lines.size());
    for (std::size_t i = 0; i < one.lines.size(); ++i) {
      REQUIRE(several.lines[i].plane == one.lines[i].plane);
      REQUIRE(several.lines[i].busy_ps == one.lines[i].busy_ps);
      REQUIRE(several.lines[i].ops.size() == one.lines[i].ops.size());
      for (std::size_t op = 0; op < one.lines[i].ops.size(); ++op) {
        REQUIRE(several.lines[i].ops[op].metadata_id == one.lines[i].ops[op].metadata_id);
        REQUIRE(several.lines[i].ops[op].self_ps == one.lines[i].ops[op].self_ps);
      }
    }
  }
  const std::atomic<bool> cancel{true};
  hooks host;
  host.cancel = &cancel;
  const auto stopped = analyse_ops(trace(*p.open), {}, host);
  REQUIRE_FALSE(stopped.ok());
  REQUIRE(stopped.error().code == fault_code::cancelled);
}

TEST_CASE("Unordered lines are sorted for self time") {
  message ops;
  ops.text(2, "XLA Ops").sub(4, event(2, 10, 5)).sub(4, event(2, 20, 5)).sub(4, event(1, 0, 100));
  const held_profile p(message().sub(1, message().text(2, "/device:TPU:0").sub(3, ops)).bytes());
  const ops_line line = ops_of(*p.open).lines.at(0);
  REQUIRE(line.ops[0].metadata_id == 1);
  REQUIRE(line.ops[0].self_ps == 90);
  REQUIRE(line.busy_ps == 100);
}

namespace {

// An event with the device's own times beside the aligned ones.
message timed(std::int64_t id, std::int64_t offset, std::int64_t duration, std::int64_t device_offset,
              std::int64_t device_duration) {
  return event(id, offset, duration)
      .sub(4, message().number(1, 1).number(3, device_offset))
      .sub(4, message().number(1, 2).number(3, device_duration));
}
message lasting(std::int64_t id, std::int64_t offset, std::int64_t duration, std::int64_t device_duration) {
  return event(id, offset, duration).sub(4, message().number(1, 2).number(3, device_duration));
}

held_profile profile_of_ops(const message& ops) {
  return held_profile(message()
                          .sub(1, message()
                                      .text(2, "/device:TPU:0")
                                      .sub(3, ops)
                                      .sub(5, metadata_entry_of(1, "device_offset_ps"))
                                      .sub(5, metadata_entry_of(2, "device_duration_ps")))
                          .bytes());
}

op_row row_of(const ops_line& line, std::int64_t metadata_id) {
  for (const op_row op : line.ops)
    if (op.metadata_id == metadata_id) return op;
  FAIL("no op " << metadata_id);
  return {};
}

void require_self(const ops_line& line, const std::map<std::int64_t, std::int64_t>& expected) {
  std::int64_t sum = 0;
  for (const op_row op : line.ops) sum += op.self_ps;
  REQUIRE(sum == line.busy_ps);
  REQUIRE(line.ops.size() == expected.size());
  for (const auto& [id, self_ps] : expected) {
    INFO("op " << id);
    REQUIRE(row_of(line, id).self_ps == self_ps);
  }
}

}  // namespace

TEST_CASE("Times of ops are the device's own where events carry them, and nest by its clock") {
  message ops;
  ops.text(2, "XLA Ops");
  ops.sub(4, timed(1, 0, 100, 1000, 300));    // 1000 to 1300
  ops.sub(4, timed(2, 20, 30, 1100, 100));    // within it
  ops.sub(4, timed(3, 100, 500, 1390, 10));   // 1390 to 1400, stored before the one that starts first
  ops.sub(4, timed(4, 600, 10, 1300, 70));    // 1300 to 1370
  ops.sub(4, timed(2, 700, 900, 2000, 0));    // 0 is a duration as well
  const held_profile p = profile_of_ops(ops);
  const ops_line line = ops_of(*p.open).lines.at(0);
  REQUIRE(line.clock == ops_clock::device);
  REQUIRE(line.duration_sum_ps == 480);
  REQUIRE(line.busy_ps == 380);
  require_self(line, {{1, 200}, {2, 100}, {3, 10}, {4, 70}});
  REQUIRE(row_of(line, 2).total_ps == 100);
  REQUIRE(row_of(line, 2).min_ps == 0);
  REQUIRE(row_of(line, 2).max_ps == 100);

  // Which events a window has is told by aligned times: those of op 3 and of what follows.
  query_filters o;
  o.from_ps = 100;
  o.to_ps = 700;
  const ops_line late = ops_of(*p.open, o).lines.at(0);
  REQUIRE(late.events == 2);
  require_self(late, {{3, 10}, {4, 70}});
}

TEST_CASE("Without the stats times are aligned, as they are said to be") {
  message ops;
  ops.text(2, "XLA Ops").sub(4, event(1, 0, 100)).sub(4, event(2, 10, 20));
  const held_profile p = profile_of_ops(ops);
  const ops_line line = ops_of(*p.open).lines.at(0);
  REQUIRE(line.clock == ops_clock::aligned);
  require_self(line, {{1, 80}, {2, 20}});
}

TEST_CASE("Starts are the device's for all events of a line or for none") {
  // Op 1 runs from 0 to 40 by its own duration, op 2 from 20 to 30 within it.
  const auto check = [](message first, message second) {
    const held_profile p = profile_of_ops(message().text(2, "XLA Ops").sub(4, first).sub(4, second));
    const ops_line line = ops_of(*p.open).lines.at(0);
    REQUIRE(line.clock == ops_clock::mixed);
    REQUIRE(line.events == 2);
    REQUIRE(line.busy_ps == 40);
    require_self(line, {{1, 30}, {2, 10}});
  };
  check(lasting(1, 0, 100, 40), event(2, 20, 10));
  check(lasting(1, 0, 100, 40), lasting(2, 20, 500, 10));
  check(lasting(1, 0, 100, 40), timed(2, 20, 500, 7000, 10));
  check(timed(1, 0, 100, 7000, 40), event(2, 20, 10));  // the first promised more than the second keeps
  check(timed(1, 0, 100, 7000, 40), lasting(2, 20, 500, 10));
}

TEST_CASE("A device's clock that begins anew goes on after what was before") {
  message ops;
  ops.text(2, "XLA Ops");
  std::int64_t aligned = 0;
  for (int run = 0; run < 2; ++run)
    for (int i = 0; i < 40; ++i) ops.sub(4, timed(1, aligned += 10, 5, i * 100, 60));
  const held_profile p = profile_of_ops(ops);
  const ops_line line = ops_of(*p.open).lines.at(0);
  REQUIRE(line.duration_sum_ps == 80 * 60);
  REQUIRE(line.busy_ps == 80 * 60);  // two clocks laid over each other would give half of it
}

TEST_CASE("A line out of order is sorted by the device's clock") {
  message ops;
  ops.text(2, "XLA Ops");
  for (int i = 39; i >= 0; --i) ops.sub(4, timed(2, i * 10, 10, 1000 + i * 20, 20));
  ops.sub(4, timed(1, 0, 400, 1000, 1000));  // around them all, which take 800 of it
  const held_profile p = profile_of_ops(ops);
  const ops_line line = ops_of(*p.open).lines.at(0);
  REQUIRE(line.clock == ops_clock::device);
  REQUIRE(line.busy_ps == 1000);
  require_self(line, {{1, 200}, {2, 800}});
}

TEST_CASE("Ops of different programs are kept apart") {
  // Stats of events: 1 program_id, 2 hlo_module (a ref to 3, 4 or 5). One kernel, five programs or none.
  const auto of = [](std::int64_t offset, std::int64_t duration, std::int64_t program, std::int64_t module) {
    message m = event(1, offset, duration);
    if (program != 0) m.sub(4, message().number(1, 1).number(4, program));
    if (module != 0) m.sub(4, message().number(1, 2).number(7, module));
    return m;
  };
  message stream;
  stream.number(1, 16).text(2, "Stream #16(Kernel)");
  stream.sub(4, of(0, 10, 7, 3)).sub(4, of(10, 20, 9, 3)).sub(4, of(30, 40, 7, 3));  // two programs of one module
  stream.sub(4, of(70, 5, 0, 4)).sub(4, of(75, 6, 0, 5)).sub(4, of(81, 1, 0, 4));    // modules without an id
  stream.sub(4, of(82, 3, 11, 0)).sub(4, of(85, 2, 0, 0));                           // an id alone, nothing
  const auto gpu = message()
                       .text(2, "/device:GPU:0")
                       .sub(3, stream)
                       .sub(4, metadata_entry_of(1, "fusion.1"))
                       .sub(5, metadata_entry_of(1, "program_id"))
                       .sub(5, metadata_entry_of(2, "hlo_module"))
                       .sub(5, metadata_entry_of(3, "jit_f"))
                       .sub(5, metadata_entry_of(4, "jit_g"))
                       .sub(5, metadata_entry_of(5, "jit_h"));
  const held_profile p(message().sub(1, gpu).bytes());
  const ops_result found = ops_of(*p.open);
  const ops_line& line = found.lines.at(0);
  const op_programs programs(*p.open);
  std::map<std::string, std::pair<std::uint64_t, std::int64_t>> rows;
  for (const op_row op : line.ops) {
    REQUIRE(op.metadata_id == 1);
    REQUIRE(op.metadata().name() == "fusion.1");
    REQUIRE(rows.emplace(programs.name_of(line, op), std::pair(op.count, op.total_ps)).second);
  }
  const std::map<std::string, std::pair<std::uint64_t, std::int64_t>> expected = {
      {"jit_f(7)", {2, 50}}, {"jit_f(9)", {1, 20}}, {"jit_g", {2, 6}}, {"jit_h", {1, 6}}, {"11", {1, 3}}, {"", {1, 2}}};
  REQUIRE(rows == expected);
  REQUIRE(line.busy_ps == 87);
}

TEST_CASE("The program of an op may stand in its metadata, and its name among the programs of the file") {
  const auto entry = [](std::int64_t id, std::uint64_t program) {
    return message().number(1, id).sub(
        2, message().number(1, id).text(2, "fusion.1").sub(5, message().number(1, 1).unsigned_number(3, program)));
  };
  const auto tpu = message()
                       .text(2, "/device:TPU:0")
                       .sub(3, message()
                                   .text(2, "XLA Ops")
                                   .sub(4, event(1, 0, 30))
                                   .sub(4, event(2, 30, 20))
                                   .sub(4, event(3, 50, 10)))
                       .sub(4, entry(1, 12190760917235803885U))
                       .sub(4, entry(2, 2))
                       .sub(4, entry(3, 5))
                       .sub(5, metadata_entry_of(1, "program_id"));
  // Keys are no ids of programs: JAX numbers them through on CPUs.
  const auto modules = message()
                           .text(2, "/host:metadata")
                           .sub(4, metadata_entry_of(2, "jit_g(12190760917235803885)"))
                           .sub(4, metadata_entry_of(3, "jit_h(2)"))
                           .sub(4, metadata_entry_of(5, "ThreadpoolListener::Region"));
  const held_profile p(message().sub(1, tpu).sub(1, modules).bytes());
  const ops_result found = ops_of(*p.open);
  const ops_line& line = found.lines.at(0);
  const op_programs programs(*p.open);
  REQUIRE(line.ops.size() == 3);
  REQUIRE(programs.name_of(line, line.ops[0]) == "jit_g(12190760917235803885)");
  REQUIRE(programs.name_of(line, line.ops[1]) == "jit_h(2)");
  REQUIRE(programs.name_of(line, line.ops[2]) == "5");
}

TEST_CASE("Totals agree with XProf's where they mean the same") {
  struct total {
    std::uint64_t count = 0;
    std::int64_t ps = 0;
    std::vector<std::string> facts;  // category, framework op, bytes and FLOPs of a run; of TPU ops alone
  };
  std::map<std::string, std::map<std::string, total>> expected;
  std::ifstream in(source_root() / "tests" / "read" / "xprof_totals.tsv");
  REQUIRE(in.good());
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text[0] == '#') continue;
    std::vector<std::string> cells(1);
    for (const char c : text)
      if (c == '\t')
        cells.emplace_back();
      else
        cells.back() += c;
    REQUIRE((cells.size() == 4 || cells.size() == 8));
    total& t = expected[cells[0]][cells[1]];
    t.count = std::stoull(cells[2]);
    t.ps = std::stoll(cells[3]) * 1000;
    t.facts.assign(cells.begin() + 4, cells.end());
  }
  REQUIRE(expected.size() == 5);
  std::size_t compared = 0;
  for (const auto& [name, totals] : expected) {
    auto path =
        std::filesystem::exists(data_path(name)) ? std::optional(data_path(name)) : corpus_path("captures/" + name);
    if (!path) {
      note_skip("needs PROFKIT_CORPUS: " + name);
      continue;
    }
    auto opened = profile::open(path->string());
    REQUIRE(opened.ok());
    const profile& p = **opened;
    std::map<std::string, total> found;
    for (const ops_line& line : ops_of(p).lines) {
      for (const op_row op : line.ops) {
        const std::string_view display = op.metadata().display_name();
        total& t = found[std::string(display.empty() ? op.metadata().name() : display)];
        t.count += op.count;
        t.ps += op.total_ps;
        t.facts.resize(4);
        for (const named_stat& stat : op_stats(p, line, op)) {
          if (stat.name == "hlo_category") t.facts[0] = stat.text;
          if (stat.name == "tf_op") t.facts[1] = stat.text;
          if (stat.name == "bytes_accessed") t.facts[2] = std::to_string(stat.bits);
          if (stat.name == "flops") t.facts[3] = std::to_string(stat.bits);
        }
      }
    }
    for (const auto& [op, theirs] : totals) {
      INFO(name << " " << op);
      REQUIRE(found.count(op) == 1);
      REQUIRE(found[op].count == theirs.count);
      REQUIRE(std::abs(found[op].ps - theirs.ps) <= 1000);  // theirs are rounded to ns
      if (!theirs.facts.empty()) REQUIRE(found[op].facts == theirs.facts);
      ++compared;
    }
  }
  REQUIRE(compared > 20);
}
