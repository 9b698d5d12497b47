// The XSpace writer, read back by generated protobuf and by our own views.
#include "captures.hpp"

#include "pk_xplane_oracle.pb.h"

#include <cmath>
#include <cstdint>
#include <limits>

using namespace profkit;
namespace pb = profkit::oracle::xplane;

namespace {

pb::XSpace parsed(const std::string& bytes) {
  pb::XSpace space;
  REQUIRE(space.ParseFromString(bytes));
  return space;
}

// A sink that fails after so many bytes.
class full_sink final : public sink {
 public:
  explicit full_sink(std::size_t room) : room_(room) {}
  result<void> write(std::string_view bytes) override {
    if (bytes.size() > room_) return fault{fault_code::output_full, "full", "", no_offset, ""};
    room_ -= bytes.size();
    return {};
  }
  result<void> finish() override { return {}; }

 private:
  std::size_t room_;
};

}  // namespace

TEST_CASE("what the writer writes is read back equal by protobuf") {
  const std::string bytes = test::written([](xspace_writer& w) {
    w.add_hostname("host-1");
    w.add_error("an error");
    w.add_warning("a warning");
    w.begin_plane("/device:GPU:0", 7);
    const auto matmul = w.event_metadata("%matmul.1 = f32[] custom-call()", "matmul.1");
    const auto op = w.stat_metadata("hlo_op", "what was run");
    CHECK(w.event_metadata("%matmul.1 = f32[] custom-call()") == matmul);
    CHECK(w.stat_metadata("hlo_op") == op);
    CHECK(w.add_event_metadata("%matmul.1 = f32[] custom-call()") != matmul);
    w.begin_line({-3, "Stream #1", 1700000000000000000, 12, "shown"});
    w.add_event(matmul, 0, 5);
    w.add_event_stat(op, stat_value::of_text("matmul.1"));
    w.add_event_stat(w.stat_metadata("u"), stat_value::of_uint64(std::numeric_limits<std::uint64_t>::max()));
    w.add_event_stat(w.stat_metadata("i"), stat_value::of_int64(-1));
    w.add_event_stat(w.stat_metadata("d"), stat_value::of_double(-0.5));
    w.add_event_stat(w.stat_metadata("b"), stat_value::of_bytes(std::string("\0\xff", 2)));
    w.add_event_stat(w.stat_metadata("r"), stat_value::of_ref(w.stat_metadata("referred")));
    w.add_event_stat(w.stat_metadata("empty"), stat_value::of_text(""));
    w.add_event(matmul, -9, 0);
    w.add_aggregate(matmul, 3, 30);
    w.end_line();
    w.begin_line({1, "second", 0, 0, ""});
    w.end_line();
    w.add_metadata_stat(matmul, w.stat_metadata("flops"), stat_value::of_uint64(12));
    w.set_metadata_bytes(matmul, "proto");
    w.add_plane_stat(w.stat_metadata("core_count"), stat_value::of_int64(8));
    w.end_plane();
    w.begin_plane("empty");  // finish() ends it
  });
  const pb::XSpace space = parsed(bytes);
  REQUIRE(space.planes_size() == 2);
  CHECK(space.hostnames(0) == "host-1");
  CHECK(space.errors(0) == "an error");
  CHECK(space.warnings(0) == "a warning");
  CHECK(space.planes(1).name() == "empty");
  const pb::XPlane& plane = space.planes(0);
  CHECK(plane.id() == 7);
  CHECK(plane.name() == "/device:GPU:0");
  REQUIRE(plane.event_metadata_size() == 2);
  const pb::XEventMetadata& matmul = plane.event_metadata().at(1);
  CHECK(matmul.id() == 1);
  CHECK(matmul.display_name() == "matmul.1");
  CHECK(matmul.metadata() == "proto");
  REQUIRE(matmul.stats_size() == 1);
  CHECK(matmul.stats(0).uint64_value() == 12);
  CHECK(plane.event_metadata().at(2).name() == matmul.name());
  const auto name_of = [&](const pb::XStat& stat) { return plane.stat_metadata().at(stat.metadata_id()).name(); };
  CHECK(plane.stat_metadata().at(1).description() == "what was run");
  REQUIRE(plane.stats_size() == 1);
  CHECK(name_of(plane.stats(0)) == "core_count");
  REQUIRE(plane.lines_size() == 2);
  const pb::XLine& line = plane.lines(0);
  CHECK(line.id() == -3);
  CHECK(line.name() == "Stream #1");
  CHECK(line.display_name() == "shown");
  CHECK(line.display_id() == 12);
  CHECK(line.timestamp_ns() == 1700000000000000000);
  REQUIRE(line.events_size() == 3);
  const pb::XEvent& first = line.events(0);
  CHECK(first.data_case() == pb::XEvent::kOffsetPs);  // an offset of 0 is there, not absent
  CHECK(first.duration_ps() == 5);
  REQUIRE(first.stats_size() == 7);
  CHECK(first.stats(0).str_value() == "matmul.1");
  CHECK(first.stats(1).uint64_value() == std::numeric_limits<std::uint64_t>::max());
  CHECK(first.stats(2).int64_value() == -1);
  CHECK(first.stats(3).double_value() == -0.5);
  CHECK(first.stats(4).bytes_value() == std::string("\0\xff", 2));
  CHECK(plane.stat_metadata().at(static_cast<std::int64_t>(first.stats(5).ref_value())).name() == "referred");
  CHECK(first.stats(6).value_case() == pb::XStat::kStrValue);
  CHECK(line.events(1).offset_ps() == -9);
  CHECK(line.events(2).num_occurrences() == 3);
  CHECK(line.events(2).duration_ps() == 30);
  CHECK(test::opened(bytes)->file_fault(0) == nullptr);
}

TEST_CASE("an empty name is interned like any other") {
  const std::string bytes = test::written([](xspace_writer& w) {
    w.begin_plane("");
    CHECK(w.event_metadata("") == 1);
    CHECK(w.event_metadata("a") == 2);
    CHECK(w.event_metadata("") == 1);
    CHECK(w.stat_metadata("") == 1);
    CHECK(w.stat_metadata("") == 1);
    CHECK(w.stat_metadata("a") == 2);
  });
  CHECK(parsed(bytes).planes(0).event_metadata_size() == 2);
}

TEST_CASE("metadata starts anew with every plane") {
  const std::string bytes = test::written([](xspace_writer& w) {
    for (int i = 0; i < 2; ++i) {
      w.begin_plane("p");
      CHECK(w.event_metadata("e") == 1);
      CHECK(w.stat_metadata("s") == 1);
      w.end_plane();
    }
  });
  CHECK(parsed(bytes).planes(1).event_metadata_size() == 1);
  CHECK(parsed(bytes).planes(1).stat_metadata_size() == 1);
  CHECK(parsed(bytes).planes(1).event_metadata().at(1).name() == "e");
}

TEST_CASE("many events keep their order over all chunks") {
  constexpr int events = 30000;
  const std::string bytes = test::written([](xspace_writer& w) {
    w.begin_plane("p");
    const auto e = w.event_metadata("e"), s = w.stat_metadata("text");
    w.begin_line({});
    const std::string long_text(3000, 'x');
    for (int i = 0; i < events; ++i) {
      w.add_event(e, i, 1);
      if (i % 100 == 0) w.add_event_stat(s, stat_value::of_text(long_text));
    }
  });
  const pb::XSpace space = parsed(bytes);
  REQUIRE(space.planes(0).lines(0).events_size() == events);
  for (int i = 0; i < events; ++i) {
    REQUIRE(space.planes(0).lines(0).events(i).offset_ps() == i);
    REQUIRE(space.planes(0).lines(0).events(i).stats_size() == (i % 100 == 0 ? 1 : 0));
  }
}

TEST_CASE("a call out of place is told by finish, and nothing is written after it") {
  const auto refused = [](const std::function<void(xspace_writer&)>& use) {
    std::string bytes;
    const auto into = memory_sink(bytes);
    xspace_writer w(*into);
    use(w);
    const auto done = w.finish();
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().code == fault_code::invalid_argument);
    REQUIRE(w.failed() != nullptr);
  };
  refused([](xspace_writer& w) { w.end_plane(); });
  refused([](xspace_writer& w) { CHECK(w.event_metadata("e") == 0); });
  refused([](xspace_writer& w) {
    w.begin_plane("p");
    w.begin_plane("q");
  });
  refused([](xspace_writer& w) {
    w.begin_plane("p");
    w.add_event(1, 0, 0);
  });
  refused([](xspace_writer& w) {
    w.begin_plane("p");
    w.begin_line({});
    w.add_event(1, 0, 0);  // an id that was never given
  });
  refused([](xspace_writer& w) {
    w.begin_plane("p");
    w.begin_line({});
    w.add_event_stat(w.stat_metadata("s"), stat_value::of_int64(1));
  });
  refused([](xspace_writer& w) {
    w.begin_plane("p");
    w.add_plane_stat(w.stat_metadata("s"), stat_value::of_ref(9));
  });
  refused([](xspace_writer& w) {
    w.begin_plane("p");
    w.add_hostname("h");
  });
}

TEST_CASE("a full disk is told") {
  full_sink into(10);
  xspace_writer w(into);
  w.begin_plane("a name that does not fit");
  w.end_plane();
  const auto done = w.finish();
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().code == fault_code::output_full);
}
