// The bridge with a host's own classes: full and lite runtime, there and back, damage, text that is no UTF-8, HLO.
#include <profkit/hlo.hpp>
#include <profkit/proto_bridge.hpp>

#include <catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "host_full.pb.h"
#include "host_lite.pb.h"
#include "pk_hlo_oracle.pb.h"

namespace {

std::string capture(const char* name) {
  const char* root = std::getenv("PROFKIT_SOURCE_ROOT");
  std::ifstream file(std::string(root ? root : ".") + "/tests/data/" + name, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  REQUIRE_FALSE(bytes.empty());
  return bytes;
}

template <class Space>
void check_there_and_back(const std::string& bytes) {
  Space parsed;
  REQUIRE(parsed.ParseFromString(bytes));
  Space filled;
  CHECK(profkit::bridge::fill(profkit::xspace_view(bytes), filled));
  // Both have the same serialisation when both have the same content, maps in one order.
  const auto sorted = [](const Space& space) {
    std::string out;
    google::protobuf::io::StringOutputStream stream(&out);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    space.SerializeToCodedStream(&coded);
    coded.Trim();
    return out;
  };
  CHECK(sorted(filled) == sorted(parsed));
  CHECK(filled.planes_size() > 0);

  const profkit::bridge::serialised<profkit::xspace_view> back(filled);
  REQUIRE(back.ok());
  int planes = 0;
  for (const profkit::plane_view plane : back->planes()) CHECK(plane.name() == filled.planes(planes++).name());
  CHECK(planes == filled.planes_size());
  std::string by_planes;
  CHECK(profkit::bridge::serialise_by_planes(filled, by_planes));
  Space again;
  REQUIRE(again.ParseFromString(by_planes));
  CHECK(sorted(again) == sorted(parsed));
}

}  // namespace

TEST_CASE("a host's classes are filled from a view and viewed back") {
  for (const char* name : {"xspace/tpu_v6e_inference.xplane.pb", "xspace/jax08_gemm_mi300.xplane.pb"}) {
    const std::string bytes = capture(name);
    check_there_and_back<host::full::XSpace>(bytes);
    check_there_and_back<host::lite::XSpace>(bytes);
  }
}

TEST_CASE("every kind of value, aggregated events, children, notes") {
  host::lite::XSpace made;
  made.add_hostnames("h");
  made.add_errors("e");
  made.add_warnings("w");
  auto* plane = made.add_planes();
  plane->set_id(-3);
  plane->add_stats()->set_double_value(0.25);
  plane->add_stats()->set_uint64_value(~std::uint64_t{0});
  plane->add_stats()->set_int64_value(-1);
  plane->add_stats()->set_str_value("text");
  plane->add_stats()->set_bytes_value(std::string("\0\xff", 2));
  plane->add_stats()->set_ref_value(7);
  plane->add_stats();
  auto& entry = (*plane->mutable_event_metadata())[5];
  entry.set_id(5);
  entry.set_metadata("m");
  entry.set_display_name("d");
  entry.add_child_id(-9);
  entry.add_child_id(10);
  entry.add_stats()->set_int64_value(1);
  (*plane->mutable_stat_metadata())[7].set_description("what it is");
  auto* line = plane->add_lines();
  line->set_display_id(4);
  line->set_display_name("shown");
  line->set_duration_ps(6);
  line->add_events()->set_num_occurrences(12);
  line->add_events()->set_offset_ps(0);
  const profkit::bridge::serialised<profkit::xspace_view> view(made);
  host::full::XSpace filled;
  CHECK(profkit::bridge::fill(*view, filled));
  host::lite::XSpace back;
  REQUIRE(back.ParseFromString(filled.SerializeAsString()));
  CHECK(back.SerializeAsString() == made.SerializeAsString());
  CHECK(filled.planes(0).lines(0).events(1).data_case() == host::full::XEvent::kOffsetPs);
}

TEST_CASE("text that is no UTF-8 is filled, and refused by the host's parser") {
  const std::string bytes(
      "\x0a\x06\x12\x04"
      "a\xff\xfe"
      "b",
      8);
  host::full::XSpace space;
  CHECK(profkit::bridge::fill(profkit::xspace_view(bytes), space));
  CHECK(space.planes(0).name() ==
        "a\xff\xfe"
        "b");
  CHECK_FALSE(profkit::bridge::parse(profkit::xspace_view(bytes), space));
}

TEST_CASE("damage is told, and what is intact is kept") {
  const std::string bytes = capture("xspace/jax08_gemm_mi300.xplane.pb");
  host::full::XSpace whole;
  host::full::XSpace cut;
  CHECK(profkit::bridge::fill(profkit::xspace_view(bytes), whole));
  for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, bytes.size() / 3}) {
    // A cut at the boundary of a top-level field leaves a valid message: these do not lie there.
    CHECK_FALSE(profkit::bridge::fill(profkit::xspace_view(std::string_view(bytes).substr(0, size)), cut));
    CHECK(cut.planes_size() <= whole.planes_size());
  }
  const std::string bad_event("\x0a\x0d\x1a\x0b\x22\x04\x08\x07\x18\x05\x22\x03\x08\x07\x18", 15);
  CHECK_FALSE(profkit::bridge::fill(profkit::xspace_view(bad_event), cut));
  REQUIRE(cut.planes_size() == 1);
  CHECK(cut.planes(0).lines(0).events(0).duration_ps() == 5);
  CHECK(profkit::bridge::fill(profkit::xspace_view(std::string_view()), cut));
  CHECK(cut.planes_size() == 0);  // fill() empties first
}

TEST_CASE("an HLO module goes there and back") {
  const std::string bytes = capture("jax/two_process_rank0/dump/module_0000.jit_step.cpu_after_optimizations.hlo.pb");
  profkit::oracle::hlo::HloProto proto;
  REQUIRE(profkit::bridge::parse(profkit::hlo_proto_view(bytes), proto));
  CHECK(proto.hlo_module().name() == profkit::hlo_proto_view(bytes).hlo_module().name());
  const profkit::bridge::serialised<profkit::hlo_proto_view> held(proto);
  REQUIRE(held.ok());
  CHECK(held->hlo_module().name() == proto.hlo_module().name());
}
