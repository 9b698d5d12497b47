// The tree, the metadata and the inventory: what is counted, what the limit leaves out, what the filters pick.
#include "capture_builder.hpp"

#include <cstring>

using namespace profkit;
using namespace profkit::test;

namespace {

// Writes what is visited as one line an item.
struct tree_text final : tree_visitor {
  std::string text;
  std::vector<tree_event> events;
  const fault* damage = nullptr;
  void begin_file(std::uint32_t file, const file_info& header) override {
    text += "file " + std::to_string(file) + " hosts " + std::to_string(header.hosts.size()) + "\n";
    CHECK(header.planes.empty());
  }
  void begin_plane(const tree_plane& p) override {
    text += "plane " + std::string(p.name) + " lines " + std::to_string(p.lines) + " ids " +
            std::to_string(p.event_metadata) + "\n";
  }
  void begin_line(const tree_line& l) override {
    text += "line " + std::string(l.header.name) + " events " + std::to_string(l.events) + "\n";
  }
  void event(const tree_event& e) override {
    text += "event " + std::string(e.name) + " stats " + std::to_string(e.stats.size()) + "/" +
            std::to_string(e.stat_count) + "\n";
    events.push_back(e);
  }
  void end_line(std::uint64_t left_out) override { text += "left out " + std::to_string(left_out) + "\n"; }
  void end_plane(std::uint64_t left_out) override { text += "lines left out " + std::to_string(left_out) + "\n"; }
  void end_file(const fault* f) override { text += f == nullptr ? "sound\n" : "damaged\n"; }
};

std::string tree_of(const profile& p, const query_filters& o = {}) {
  tree_text t;
  REQUIRE(walk_tree(trace(p), t, o));
  return t.text;
}

plane_builder device() {
  plane_builder p("/device:TPU:0");
  p.line("XLA Ops", {p.event("a", 0, 5, {p.int_stat("x", 1), p.int_stat("y", 2), p.int_stat("z", 3)}),
                     p.event("b", 10, 5), p.event("a", 20, 5)});
  p.line("Steps", {p.event("0", 0, 30)}, 0, 2);
  p.line("TC Overlay", {}, 0, 3);
  return p;
}

}  // namespace

TEST_CASE("the tree comes in file order, and the limit says what it left out") {
  const opened held = open_bytes(space_of({device()}));
  query_filters o;
  o.limit = 2;
  CHECK(tree_of(*held, o) ==
        "file 0 hosts 1\nplane /device:TPU:0 lines 3 ids 3\n"
        "line XLA Ops events 3\nevent a stats 2/3\nevent b stats 0/0\nleft out 1\n"
        "line Steps events 1\nevent 0 stats 0/0\nleft out 0\nlines left out 1\nsound\n");
  o.limit = 0;
  o.line = "XLA Ops";
  o.name = "a";
  CHECK(tree_of(*held, o) ==
        "file 0 hosts 1\nplane /device:TPU:0 lines 3 ids 3\n"
        "line XLA Ops events 3\nevent a stats 3/3\nevent a stats 0/0\nleft out 0\nlines left out 0\nsound\n");
  o = {};
  o.limit = 0;
  o.from_ps = 12;
  o.to_ps = 20;
  o.line = "XLA";
  CHECK(tree_of(*held, o) ==
        "file 0 hosts 1\nplane /device:TPU:0 lines 3 ids 3\n"
        "line XLA Ops events 3\nevent b stats 0/0\nleft out 0\nlines left out 0\nsound\n");
  o = {};
  o.host = "elsewhere";
  CHECK(tree_of(*held, o).empty());
}

TEST_CASE("all six kinds of stats keep their values") {
  plane_builder p("/host:CPU");
  const double number = -0.25;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  message nameless = message().number(1, 77).number(4, 5);
  const message e = p.event("e", 0, 1,
                            {message().number(1, p.stat_id("d")).fixed64(2, bits), p.uint_stat("u", ~std::uint64_t{0}),
                             p.int_stat("i", -3), p.text_stat("s", "text"), p.bytes_stat("b", std::string("\0\xff", 2)),
                             p.ref_stat("r", "referred"), nameless, message().number(1, p.stat_id("n"))});
  p.line("t", {e});
  const opened held = open_bytes(space_of({p}));
  tree_text t;
  query_filters o;
  o.limit = 0;
  REQUIRE(walk_tree(trace(*held), t, o));
  REQUIRE(t.events.size() == 1);
  const std::vector<named_stat>& s = t.events[0].stats;
  REQUIRE(s.size() == 8);
  CHECK(s[0].bits == bits);
  CHECK(s[0].kind == stat_kind::double_value);
  CHECK(s[1].bits == ~std::uint64_t{0});
  CHECK(static_cast<std::int64_t>(s[2].bits) == -3);
  CHECK(s[3].text == "text");
  CHECK(s[4].text == std::string_view("\0\xff", 2));
  CHECK(s[5].text == "referred");
  CHECK(s[6].name.empty());
  CHECK(s[6].metadata_id == 77);
  CHECK(s[7].kind == stat_kind::none);
  for (const named_stat& stat : s) CHECK(stat.from == named_stat::origin::event);
}

TEST_CASE("metadata comes by ascending signed key, the last of equal keys counting") {
  struct rows final : metadata_visitor {
    std::string text;
    void begin_plane(const tree_plane& p) override {
      text += std::to_string(p.event_metadata) + "+" + std::to_string(p.stat_metadata) + ":";
    }
    void event_metadata(const metadata_event_row& r) override {
      text += " " + std::to_string(r.key) + "=" + std::string(r.name) + "/" + std::to_string(r.child_ids.size());
    }
    void end_event_metadata(std::uint64_t left_out) override { text += " -" + std::to_string(left_out) + ";"; }
    void stat_metadata(const metadata_stat_row& r) override {
      text += " " + std::to_string(r.key) + "=" + std::string(r.name);
    }
    void end_stat_metadata(std::uint64_t left_out) override { text += " -" + std::to_string(left_out); }
    void end_plane() override { text += "\n"; }
  };
  message plane;
  plane.text(2, "/device:TPU:0");
  for (const auto& [key, name] :
       std::vector<std::pair<std::int64_t, const char*>>{{5, "five"}, {-7, "neg"}, {5, "later"}, {0, "zero"}})
    plane.sub(4, metadata_entry_of(key, name));
  plane.sub(4, message().number(1, 9).sub(2, message().text(2, "kids").number(6, 1).text(6, "\x02\x03")));
  plane.sub(5, metadata_entry_of(2, "b")).sub(5, metadata_entry_of(1, "a"));
  const opened held = open_bytes(message().sub(1, plane).bytes());
  rows r;
  query_filters o;
  o.limit = 3;
  REQUIRE(walk_metadata(trace(*held), r, o));
  CHECK(r.text == "4+2: -7=neg/0 0=zero/0 5=later/0 -1; 1=a 2=b -0\n");
  r.text.clear();
  o = {};
  o.name = "kid";
  REQUIRE(walk_metadata(trace(*held), r, o));
  CHECK(r.text == "4+2: 9=kids/3 -0; -0\n");
}

TEST_CASE("the inventory counts everything once") {
  plane_builder p = device();
  p.line("aggregates", {message().number(1, p.event_id("a")).number(5, 1000).sub(4, stat(1, 1))}, 0, 4);
  message space;
  space.sub(1, p.build()).text(2, "it broke").text(3, "mind this").text(4, "host-a").text(4, "host-b");
  const opened held = open_bytes(space.bytes());
  const auto info = analyse_info(trace(*held));
  REQUIRE(info);
  REQUIRE(info->files.size() == 1);
  const file_info& file = info->files[0];
  CHECK(file.hosts == std::vector<std::string>{"host-a", "host-b"});
  CHECK(file.warnings.size() == 1);
  CHECK(info->planes == 1);
  CHECK(info->lines == 4);
  CHECK(info->events == 5);
  CHECK(info->event_stats == 4);
  REQUIRE(file.planes.size() == 1);
  const line_info& ops = file.planes[0].lines[0];
  CHECK(ops.kind == line_kind::ops);
  CHECK(ops.duration_sum_ps == 15);
  CHECK(ops.first_ps == 0);
  CHECK(ops.last_ps == 25);
  CHECK(!file.planes[0].lines[3].first_ps);
  CHECK(file.last_ps == 30);
  CHECK(!info->complete);  // the recorder's error
  REQUIRE(info->reasons.size() == 1);
  CHECK(info->reasons[0].find("it broke") != std::string::npos);

  query_filters o;
  o.line = "XLA";
  o.name = "b";
  const auto few = analyse_info(trace(*held), o);
  REQUIRE(few);
  CHECK(few->lines == 1);
  CHECK(few->events == 1);
}

TEST_CASE("a header behind the events counts, and times beyond the clock are told") {
  plane_builder p("/device:TPU:0");
  message line;
  for (int i = 0; i < 20000; ++i) line.sub(4, p.event("a", i, 1));  // larger than the index looks at
  line.text(2, "XLA Ops").number(3, 7).number(1, 42);
  message plane = p.build();
  plane.sub(3, line);
  const opened held = open_bytes(message().sub(1, plane).bytes());
  const auto info = analyse_info(trace(*held));
  REQUIRE(info);
  const line_info& found = info->files[0].planes[0].lines[0];
  CHECK(found.id == 42);
  CHECK(found.timestamp_ns == 7);
  CHECK(found.first_ps == 7000);
  CHECK(found.events == 20000);
  CHECK(info->complete);

  plane_builder far("/device:TPU:0");
  far.line("XLA Ops", {far.event("a", INT64_MAX - 10, 5), far.event("a", 3, INT64_MAX)}, 1);
  const auto beyond = analyse_info(trace(*open_bytes(space_of({far}))));
  REQUIRE(beyond);
  CHECK(beyond->files[0].planes[0].lines[0].duration_sum_ps == INT64_MAX);  // stays at the end, no wrap
  CHECK(beyond->files[0].damage);
}

TEST_CASE("a damaged stat anywhere is told by the inventory") {
  const std::string bad_stat("\x08\x01\x20", 3);  // the value is missing
  plane_builder p("/device:TPU:0");
  message e = p.event("a", 0, 5);
  e.text(4, bad_stat);
  p.line("XLA Ops", {p.event("a", 10, 5), e, p.event("a", 20, 5)});
  const auto in_event = analyse_info(trace(*open_bytes(space_of({p}))));
  REQUIRE(in_event);
  CHECK(in_event->events == 3);
  REQUIRE(in_event->files[0].damage);
  CHECK(in_event->files[0].damage->message.find("XLA Ops") != std::string::npos);

  plane_builder q("/device:TPU:0");
  q.line("XLA Ops", {q.event("a", 10, 5)});
  q.metadata("a").text(5, bad_stat);
  const auto in_metadata = analyse_info(trace(*open_bytes(space_of({q}))));
  REQUIRE(in_metadata);
  CHECK(in_metadata->files[0].damage);
}
