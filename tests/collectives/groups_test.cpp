// Who takes part in a collective, by the instruction of its program: one row a case.
#include <profkit/core/xspace_writer.hpp>

#include <clusters/collectives/groups.hpp>
#include <clusters/collectives/membership.hpp>
#include <base/wire_encode.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <catch.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace profkit;

namespace {

std::string number(std::uint32_t field, std::uint64_t value) {
  std::string out;
  append_varint_field(out, field, value);
  return out;
}
std::string part(std::uint32_t field, const std::string& bytes) {
  std::string out;
  append_bytes_field(out, field, bytes);
  return out;
}

struct row {
  const char* what;
  std::string opcode;
  std::uint64_t replicas, partitions;
  std::vector<std::vector<int>> groups;
  bool has_channel, has_global_ids;
  participation expected;
  bool has_pairs = false;
  std::vector<int> mesh_sizes{};               // of its axes
  std::vector<std::pair<int, int>> mesh_axes{};  // those that devices are grouped along: position, and part of it or 0
};

std::string instruction_of(const row& r) {
  std::string out = part(1, r.opcode + ".1") + part(2, r.opcode);
  for (const auto& group : r.groups) {
    std::string ids;
    for (const int id : group) append_varint(ids, static_cast<std::uint64_t>(id));
    out += part(49, part(1, ids));
  }
  if (r.has_pairs) out += part(52, number(1, 0) + number(2, 1));
  if (!r.mesh_sizes.empty()) {
    std::string mesh, axes;
    for (const int size : r.mesh_sizes) mesh += part(1, part(1, "axis") + number(2, static_cast<std::uint64_t>(size)));
    for (const auto& [position, some] : r.mesh_axes) {
      const auto pieces = static_cast<std::uint64_t>(some);
      axes += part(2, number(1, static_cast<std::uint64_t>(position)) +
                          (some > 0 ? part(2, number(1, 1) + number(2, pieces)) : ""));
    }
    out += part(93, part(1, mesh) + axes);
  }
  if (r.has_channel) out += number(26, 1);
  if (r.has_global_ids) out += number(71, 1);
  return out;
}

std::string space_with(const std::vector<row>& rows) {
  std::string bytes;
  const auto into = memory_sink(bytes);
  xspace_writer w(*into);
  w.begin_plane("/host:metadata");
  for (const row& r : rows) {
    const std::string module = part(1, "jit_step") + part(3, part(2, instruction_of(r))) + number(5, 7) +
                               part(15, number(1, r.replicas) + number(2, r.partitions));
    w.add_metadata_stat(w.event_metadata("jit_step(" + std::to_string(&r - rows.data()) + ")"),
                        w.stat_metadata("Hlo Proto"), stat_value::of_bytes(part(1, module)));
  }
  REQUIRE(w.finish().ok());
  return bytes;
}

text_groups text(group_ids ids_are, std::int64_t groups, std::int64_t ids, bool pairs = false) {
  text_groups found;
  found.ids_are = ids_are;
  found.groups = groups;
  found.ids = ids;
  found.pairs = pairs;
  return found;
}

recorded_groups::answer found_in(const std::vector<row>& rows, const std::string& instruction) {
  const std::string bytes = space_with(rows);
  const auto index = index_xspace(bytes);
  recorded_groups groups(index);
  return groups.find(std::nullopt, "jit_step", instruction);
}

}  // namespace

TEST_CASE("who takes part: opcode, ids, groups, replicas and partitions") {
  using who = participation;
  const std::vector<row> rows = {
      // Without groups: all replicas, or with a channel all partitions.
      {"all replicas of one partition", "all-reduce", 4, 1, {}, false, false, who::everyone},
      {"all replicas of each of two partitions", "all-reduce", 4, 2, {}, false, false, who::sub_groups},
      {"a channel: all of both", "all-reduce", 4, 2, {}, true, false, who::everyone},
      {"a channel, ids of devices: of one replica", "all-reduce", 1, 4, {}, true, true, who::everyone},
      {"a channel, ids of devices: of two replicas", "all-reduce", 2, 4, {}, true, true, who::sub_groups},
      {"an all-to-all over a channel: of one replica", "all-to-all", 1, 4, {}, true, false, who::everyone},
      {"an all-to-all over a channel: of two", "all-to-all", 2, 4, {}, true, false, who::sub_groups},
      {"an all-to-all without: of two partitions", "all-to-all", 1, 2, {}, false, false, who::sub_groups},
      // Without groups or pairs, these say nothing.
      {"a send", "send", 1, 2, {}, true, false, who::unknown},
      {"a recv", "recv", 1, 2, {}, true, false, who::unknown},
      {"a permute", "collective-permute", 1, 2, {}, true, false, who::unknown},
      {"a permute of pairs", "collective-permute", 1, 2, {}, true, false, who::sub_groups, true},
      // One group: everyone when it has them all.
      {"one group of all", "all-reduce", 2, 1, {{0, 1}}, false, false, who::everyone},
      {"one group of some", "all-reduce", 3, 1, {{0, 1}}, false, false, who::sub_groups},
      {"one group of the replicas, in each partition", "all-reduce", 2, 2, {{0, 1}}, false, false, who::sub_groups},
      {"one group of replicas with all their partitions", "all-reduce", 2, 3, {{0, 1}}, true, false, who::everyone},
      {"the same of some replicas", "all-gather", 3, 2, {{0, 1}}, true, false, who::sub_groups},
      {"one group of devices", "reduce-scatter", 2, 2, {{0, 1, 2, 3}}, true, true, who::everyone},
      {"one group of partitions", "all-to-all", 1, 2, {{0, 1}}, true, false, who::everyone},
      // Along axes of a mesh.
      {"every axis", "all-reduce", 2, 3, {}, true, true, who::everyone, false, {2, 3}, {{0, 0}, {1, 0}}},
      {"one axis of two", "all-reduce", 2, 3, {}, true, true, who::sub_groups, false, {2, 3}, {{1, 0}}},
      {"a part of an axis", "all-reduce", 2, 3, {}, true, true, who::sub_groups, false, {6}, {{0, 3}}},
      {"a mesh of fewer", "all-reduce", 2, 3, {}, true, true, who::sub_groups, false, {5}, {{0, 0}}},
      // Several.
      {"two groups", "all-reduce", 2, 1, {{0}, {1}}, false, false, who::sub_groups},
      {"three groups", "all-reduce", 3, 1, {{0}, {1}, {2}}, false, false, who::sub_groups},
      // A program whose devices are not on record.
      {"no devices", "all-reduce", 0, 0, {{0, 1}}, false, false, who::unknown},
      {"two groups, no devices", "all-reduce", 0, 0, {{0}, {1}}, false, false, who::sub_groups},
  };
  for (const row& r : rows) {
    INFO(r.what);
    const auto found = found_in({r}, r.opcode + ".1");
    CHECK(static_cast<int>(found.who) == static_cast<int>(r.expected));
    const std::uint64_t devices = r.expected == who::unknown ? 0 : r.replicas * r.partitions;
    CHECK(found.devices == static_cast<std::int64_t>(devices));
  }
}

TEST_CASE("who takes part: of several programs with one instruction the most divided counts, and the fewest devices") {
  const row all = {"", "all-reduce", 8, 1, {}, false, false, participation::everyone};
  const row few = {"", "all-reduce", 2, 1, {}, false, false, participation::everyone};
  const row two = {"", "all-reduce", 4, 1, {{0, 1}, {2, 3}}, false, false, participation::sub_groups};
  for (const auto& rows : {std::vector<row>{all, few}, {few, all}}) {
    const auto found = found_in(rows, "all-reduce.1");
    CHECK(found.who == participation::everyone);
    CHECK(found.devices == 2);
  }
  for (const auto& rows : {std::vector<row>{all, two}, {two, all}})
    CHECK(found_in(rows, "all-reduce.1").who == participation::sub_groups);
  CHECK(found_in({all}, "all-reduce.2").who == participation::unknown);
}

TEST_CASE("the text of an operation says how many groups and ids there are, and what the ids count") {
  const struct {
    const char* text;
    const char* opcode;
    text_groups expected;
  } rows[] = {
      {"%a = f32[4]{0} all-reduce(f32[4]{0} %p), channel_id=1, replica_groups={{0,1}}, to_apply=%add", "all-reduce",
       text(group_ids::replicas_of_all_partitions, 1, 2)},
      {"replica_groups={{0,1},{2,3}}", "all-reduce", text(group_ids::replicas, 2, 4)},
      {"a, replica_groups={{0,2,4},{1,3,5}}, use_global_device_ids=true, channel_id=7", "all-gather",
       text(group_ids::devices, 2, 6)},
      {"channel_id=1, replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true", "all-reduce",
       text(group_ids::devices, 4, 8)},
      {"replica_groups=[1,16]<=[16]", "all-gather", text(group_ids::replicas, 1, 16)},
      {"channel_id=3, replica_groups={{0,1,2,3}}", "all-to-all", text(group_ids::partitions, 1, 4)},
      {"replica_groups={}", "all-reduce", text(group_ids::replicas, 0, 0)},
      {"channel_id=2, source_target_pairs={{0,1},{1,2},{2,0}}", "collective-permute",
       text(group_ids::partitions, 3, 3, true)},
      {"use_global_device_ids=false, replica_groups={{0}}", "all-reduce", text(group_ids::replicas, 1, 1)},
      {"replica_groups={ {0, 1}, {2, 3} }", "all-reduce", text(group_ids::replicas, 2, 4)},
  };
  for (const auto& r : rows) {
    INFO(r.text);
    const auto found = groups_in_text(r.text, r.opcode);
    REQUIRE(found);
    CHECK(*found == r.expected);
  }
  for (const char* none :
       {"", "all-reduce.5", "replica_groups=", "replica_groups={", "replica_groups={{0,1}", "replica_groups={{0,1},",
        "replica_groups={{0,}}", "replica_groups={{-1}}", "replica_groups=[4,2]", "replica_groups=[4,2]<", "replica_groups=[4",
        "replica_groups=[0,2]<=[0]", "replica_groups=[99999999999,99999999999]<=[8]", "replica_groups={{99999999999999}}",
        "my_replica_groups={{0,1}}", "source_target_pairs={{0", "replica_groups=@mesh"}) {
    INFO(none);
    CHECK_FALSE(groups_in_text(none, "all-reduce"));
  }
}

TEST_CASE("the texts of a program's operations say together how many devices it has") {
  using ids = group_ids;
  const text_groups of_replicas = text(ids::replicas, 1, 2), of_partitions = text(ids::partitions, 1, 4),
                    of_both = text(ids::replicas_of_all_partitions, 1, 2), of_devices = text(ids::devices, 1, 8),
                    of_all = text(ids::replicas, 0, 0), halves = text(ids::devices, 2, 8),
                    pairs = text(ids::partitions, 3, 4, true), one_pair = text(ids::partitions, 1, 2, true);
  const struct {
    std::vector<text_groups> texts;
    text_groups asked;
    participation who;
    std::int64_t devices;
  } rows[] = {
      {{of_replicas}, of_replicas, participation::everyone, 2},
      {{of_replicas, of_partitions}, of_replicas, participation::sub_groups, 8},
      {{of_both, of_partitions}, of_both, participation::everyone, 8},
      {{of_both}, of_both, participation::everyone, 2},
      {{of_devices, of_replicas}, of_devices, participation::everyone, 8},
      {{of_devices, of_replicas}, of_replicas, participation::sub_groups, 8},
      {{halves}, halves, participation::sub_groups, 8},
      {{pairs}, pairs, participation::sub_groups, 4},
      {{one_pair}, one_pair, participation::sub_groups, 2},
      {{of_all, of_partitions}, of_all, participation::everyone, 4},
      {{of_all}, of_all, participation::unknown, 0},
  };
  for (const auto& r : rows) {
    INFO(&r - rows);
    program_extent extent;
    for (const text_groups& t : r.texts) extent.add(t);
    const auto found = extent.answer_of(r.asked);
    CHECK(static_cast<int>(found.who) == static_cast<int>(r.who));
    CHECK(found.devices == r.devices);
  }
}

TEST_CASE("which devices join: numbers of an instruction and the device assignment") {
  using groups = std::vector<std::vector<std::int64_t>>;
  const auto ids = [](const std::vector<int>& all) {
    std::string out;
    for (const int id : all) append_varint(out, static_cast<std::uint64_t>(id));
    return out;
  };
  // Devices 10 and more, in an order of their own: partition by partition the devices of its replicas.
  const auto found = [&](const row& r, const std::vector<std::vector<int>>& assigned) -> std::optional<groups> {
    std::string devices = number(1, r.replicas) + number(2, r.partitions);
    for (const std::vector<int>& partition : assigned) devices += part(3, part(1, ids(partition)));
    const std::string bytes =
        part(1, part(1, "jit_step") + part(3, part(2, instruction_of(r))) + (r.replicas > 0 ? part(15, devices) : ""));
    const hlo_module_view module = hlo_proto_view(bytes).hlo_module();
    program_memberships memberships(module);
    for (const computation_view computation : module.computations())
      for (const instruction_view instruction : computation.instructions())
        if (const auto members = memberships.of(instruction, r.opcode)) return members->groups;
    return std::nullopt;
  };
  const std::vector<std::vector<int>> two_by_two{{10, 12}, {13, 11}}, eight{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
  const auto who = participation::unknown;  // is not asked here
  const auto of_two = [&](const char* opcode, std::vector<std::vector<int>> all, bool channel, bool global) {
    return found({"", opcode, 2, 2, std::move(all), channel, global, who}, two_by_two);
  };
  // Replica 0 is 10 and 13, replica 1 is 12 and 11.
  CHECK(of_two("all-reduce", {{0, 1}}, false, false) == groups{{10, 12}, {13, 11}});
  CHECK(of_two("all-reduce", {}, false, false) == groups{{10, 12}, {13, 11}});
  CHECK(of_two("all-reduce", {{0}, {1}}, true, false) == groups{{10, 13}, {12, 11}});
  CHECK(of_two("all-reduce", {{0, 3}, {1, 2}}, true, true) == groups{{10, 11}, {13, 12}});
  CHECK(of_two("all-to-all", {{1, 0}}, true, false) == groups{{13, 10}, {11, 12}});
  CHECK(of_two("all-reduce", {{0, 2}}, false, false) == std::nullopt);  // no such replica
  CHECK(of_two("all-reduce", {{0, 1}, {1}}, false, false) == std::nullopt);  // in two groups
  // An assignment with a device twice, or too few of them.
  CHECK(found({"", "all-reduce", 2, 2, {{0, 1}}, false, false, who}, {{10, 12}, {13, 10}}) == std::nullopt);
  CHECK(found({"", "all-reduce", 2, 2, {{0, 1}}, false, false, who}, {{10, 12}}) == std::nullopt);
  // Without one as many devices as there are ids.
  CHECK(found({"", "all-reduce", 0, 0, {{0, 2}, {1, 3}}, true, true, who}, {}) == groups{{0, 2}, {1, 3}});
  CHECK(found({"", "all-reduce", 0, 0, {}, true, true, who}, {}) == std::nullopt);
  // A mesh of 2 by 4: along the second axis, along the first, along the major half of the second, along its minor half.
  const auto mesh = [&](std::vector<std::pair<int, int>> axes) {
    return found({"", "all-reduce", 1, 8, {}, true, true, who, false, {2, 4}, std::move(axes)}, eight);
  };
  CHECK(mesh({{1, 0}}) == groups{{0, 1, 2, 3}, {4, 5, 6, 7}});
  CHECK(mesh({{0, 0}}) == groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  CHECK(mesh({{1, 2}}) == groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  CHECK(mesh({{0, 0}, {1, 0}}) == groups{{0, 1, 2, 3, 4, 5, 6, 7}});
  CHECK(mesh({{2, 0}}) == std::nullopt);  // no such axis
  CHECK(mesh({{1, 3}}) == std::nullopt);  // no such part
}
