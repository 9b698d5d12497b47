// What the differential test cannot show: positions, clipped ends, the index, constant evaluation, bounds.
#include <catch.hpp>

#include <profkit/hlo.hpp>
#include <profkit/xspace.hpp>

#include <map>
#include <string>
#include <vector>

#include "support.hpp"
#include "walk.hpp"

using namespace profkit;
using namespace std::string_view_literals;

namespace {

// ---- everything works at compile time ----

constexpr std::string_view space_bytes =
    "\x0a\x48"                              // plane, 72 bytes
    "\x1a\x1d"                              //   line, 29 bytes, before the maps
    "\x22\x0f\x08\x07\x10\x00\x18\x96\x01"  //     event: id 7, offset 0 set, duration 150
    "\x22\x06\x08\x02\x38\x85\x80\x00"      //       stat: id 2, ref 5 (padded)
    "\x22\x05\x08\x07\x28\xe8\x07"          //     event: id 7, 1000 occurrences
    "\x12\x01L\x18\x09"                     //     name, timestamp
    "\x12\x01P\x08\x03"                     //   name, id
    "\x22\x07\x08\x07\x12\x03\x12\x01o"     //   event metadata 7: "o"
    "\x22\x07\x08\x07\x12\x03\x12\x01"
    "e"                                  //   event metadata 7 again: "e"
    "\x2a\x07\x08\x02\x12\x03\x12\x01s"  //   stat metadata 2: "s"
    "\x2a\x07\x08\x05\x12\x03\x12\x01t"  //   stat metadata 5: "t"
    "\x22\x01h"sv;                       // hostname

constexpr xspace_view space(space_bytes);
constexpr plane_view plane = *space.planes().begin();
constexpr line_view line = *plane.lines().begin();
constexpr event_view event = *line.events().begin();
static_assert(space.ok());
static_assert(*space.hostnames().begin() == "h");
static_assert(plane.name() == "P" && plane.id() == 3);
static_assert(plane.header().event_metadata_count == 2);
static_assert(line.header().timestamp_ns == 9 && line.header().name == "L" && line.header().event_count == 2);
static_assert(event.metadata_id() == 7 && event.duration_ps() == 150);
static_assert(event.data_case() == event_data_case::offset_ps && event.offset_ps() == 0);
static_assert((*++line.events().begin()).data_case() == event_data_case::num_occurrences);
static_assert((*++line.events().begin()).num_occurrences() == 1000);
static_assert((*event.stats().begin()).kind() == stat_kind::ref_value && (*event.stats().begin()).as_ref() == 5);

constexpr bool index_works_at_compile_time() {
  metadata_slot events[metadata_index::slots_needed(2)];
  metadata_slot stats[metadata_index::slots_needed(2)];
  const auto event_metadata = metadata_index::of_event_metadata(plane, events, std::size(events));
  const auto stat_metadata = metadata_index::of_stat_metadata(plane, stats, std::size(stats));
  const resolved_stat stat = resolve_stat(*event.stats().begin(), stat_origin::event, stat_metadata);
  return event_metadata.ok() && event_metadata_view(event_metadata.find(7).bytes).name() == "e" &&
         !event_metadata.find(8) && stat.name == "s" && stat.name_found && stat.text == "t" && stat.text_found;
}
static_assert(index_works_at_compile_time());

constexpr std::string_view program_bytes =
    "\x0a\x04\x1a\x02\x2a\x00"      // module: computation with an id field that is no varint
    "\x0a\x03\x0a\x01m"             // module again: name
    "\x0a\x05\x3a\x03\x0a\x01\x08"  // module again: schedule with a damaged entry
    "\x1a\x04\x0a\x02\x08\x05"sv;   // buffer assignment: logical buffer 5
static_assert(hlo_proto_view(program_bytes).hlo_module().name() == "m");
static_assert(hlo_proto_view(program_bytes).hlo_module().computations().count() == 1);
static_assert((*hlo_proto_view(program_bytes).buffer_assignment().logical_buffers().begin()).id() == 5);
static_assert(!(*hlo_proto_view(program_bytes).hlo_module().schedule().sequences().begin()).ok());

static_assert(stat_view("\x11\x00\x00\x00\x00\x00\x00\xf8\xbf"sv).as_double() == -1.5);
static_assert(stat_view("\x11\x00\x00\x00\x00\x00\x00\x08\x40"sv).as_double() == 3);
static_assert(stat_view("\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv).as_int64() == -1);

// ---- helpers ----

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string field(std::uint32_t number, std::uint64_t value) { return varint(number << 3) + varint(value); }
std::string field(std::uint32_t number, const std::string& payload) {
  return varint(number << 3 | 2) + varint(payload.size()) + payload;
}

bool reads_to_end(const std::string& bytes) {
  wire_reader reader(bytes);
  for (wire_field f; reader.next(f);) {}
  return reader.ok();
}

}  // namespace

TEST_CASE("a varint is read wherever the buffer ends") {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{16384}, std::uint64_t{1} << 34,
        std::uint64_t{1} << 55, (std::uint64_t{1} << 56) - 1, std::uint64_t{1} << 56, ~std::uint64_t{0}}) {
    const std::string encoded = varint(value);
    for (std::size_t behind = 0; behind < 12; ++behind) {
      const std::string bytes = encoded + std::string(behind, '\xff');
      std::vector<char> exact(bytes.begin(), bytes.end());
      const char* p = exact.data();
      std::uint64_t read = 1;
      REQUIRE(read_varint(p, exact.data() + exact.size(), read));
      CHECK(read == value);
      CHECK(p == exact.data() + encoded.size());
    }
    for (std::size_t length = 0; length < encoded.size(); ++length) {
      std::vector<char> cut(encoded.begin(), encoded.begin() + static_cast<std::ptrdiff_t>(length));
      const char* p = cut.data();
      std::uint64_t read = 5;
      CHECK_FALSE(read_varint(p, cut.data() + cut.size(), read));
      CHECK(read == 5);
      CHECK(p == cut.data());
    }
  }
  const std::string eleven = std::string(10, '\x80') + '\x00';
  const char* p = eleven.data();
  std::uint64_t read = 0;
  CHECK_FALSE(read_varint(p, eleven.data() + eleven.size(), read));
}

TEST_CASE("tags and groups that are no fields are damage") {
  CHECK(reads_to_end("\x0b\x0c"));                            // an empty group
  CHECK(reads_to_end("\x0b\x13\x08\x01\x14\x0c"));            // a group in a group
  CHECK_FALSE(reads_to_end("\x0b\x14"));                      // ended by another number
  CHECK_FALSE(reads_to_end("\x0b"));                          // not ended
  CHECK_FALSE(reads_to_end("\x0c"));                          // not begun
  CHECK_FALSE(reads_to_end("\x0e"));                          // wire type 6
  CHECK_FALSE(reads_to_end("\x0f"));                          // wire type 7
  CHECK_FALSE(reads_to_end(std::string("\x00\x01", 2)));      // field number 0
  CHECK_FALSE(reads_to_end("\x88\x80\x80\x80\x80\x01\x00"));  // a tag of six bytes
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '\x0b') + std::string(static_cast<std::size_t>(depth), '\x0c');
  };
  CHECK(reads_to_end(nested(max_group_depth)));
  CHECK_FALSE(reads_to_end(nested(max_group_depth + 1)));
  CHECK_FALSE(reads_to_end(std::string(1 << 20, '\x0b')));

  wire_reader reader("\x0b\x08\x01\x0c\x10\x02"sv);
  wire_field f;
  REQUIRE(reader.next(f));
  CHECK(f.type == wire_type::group);
  CHECK(f.bytes == "\x08\x01");
  REQUIRE(reader.next(f));
  CHECK(f.is_varint(2));
}

TEST_CASE("a reader says where the damage is and what is left of the field") {
  const std::string whole = field(1, 5) + field(2, std::string("abcdef"));
  wire_reader reader(std::string_view(whole).substr(0, whole.size() - 2));
  wire_field f;
  REQUIRE(reader.next(f));
  CHECK_FALSE(reader.next(f));
  CHECK_FALSE(reader.next(f));
  CHECK_FALSE(reader.ok());
  CHECK(offset_in(whole, reader.position()) == 2);
  REQUIRE(reader.clipped());
  CHECK(f.number == 2);
  CHECK(f.bytes == "abcd");
  CHECK(damage_position(whole) == nullptr);

  const std::string huge = "\x12\xff\xff\xff\xff\x7f" + std::string("rest");  // a length of 32 GiB
  wire_reader far(huge);
  CHECK_FALSE(far.next(f));
  CHECK(far.clipped());
  CHECK(f.bytes == "rest");
}

TEST_CASE("a cut plane still gives its intact part") {
  const std::string event = field(4, field(1, 7) + field(2, 100));
  const std::string line = field(3, field(2, std::string("L")) + event + event + event);
  const std::string bytes = field(1, field(2, std::string("A"))) + field(1, field(2, std::string("B")) + line);
  const std::string_view cut = std::string_view(bytes).substr(0, bytes.size() - 3);

  const auto planes = xspace_view(cut).planes();
  CHECK(planes.count() == 2);
  CHECK_FALSE(planes.ok());
  std::string met;
  for (const plane_view plane : planes)
    for (const line_view each : plane.lines()) met += std::string(plane.name()) + std::to_string(each.events().count());
  CHECK(met == "B2");
  CHECK(planes.damage() == xspace_view(cut).damage());
  const plane_view rest(planes.clipped());
  CHECK(rest.name() == "B");
  CHECK_FALSE(rest.ok());
  const line_view last(rest.lines().clipped());
  CHECK(last.events().count() == 2);
  CHECK_FALSE(last.ok());
  CHECK(last.events().clipped().size() == 1);
  CHECK(xspace_view(bytes).planes().clipped().data() == nullptr);

  // Fields that end whole, then rubbish: no element is cut.
  const std::string rubbish = bytes + "\x0f";
  CHECK_FALSE(xspace_view(rubbish).planes().ok());
  CHECK(xspace_view(rubbish).planes().count() == 2);
  CHECK(xspace_view(rubbish).planes().clipped().data() == nullptr);

  // A field of another number is cut: it is no part of an element.
  const std::string host = field(4, std::string("a host"));
  const std::string other = bytes + host.substr(0, host.size() - 2);
  CHECK_FALSE(xspace_view(other).planes().ok());
  CHECK(xspace_view(other).planes().count() == 2);
  CHECK(xspace_view(other).planes().clipped().data() == nullptr);
  CHECK(xspace_view(other).hostnames().clipped() == "a ho");
  // The same of stats that lie in the value of a map entry.
  const std::string value = field(5, field(1, 3)) + field(2, std::string("name"));
  const std::string entry = field(1, 7) + field(2, value.substr(0, value.size() - 1));
  const event_metadata_view of_entry{std::string_view(entry)};
  auto stats = of_entry.stats().begin();
  CHECK_FALSE(stats.done());
  ++stats;
  CHECK(stats.done());
  CHECK_FALSE(stats.ok());
  CHECK(stats.clipped().data() == nullptr);
}

TEST_CASE("integers damaged inside a packed run end the range there") {
  const std::string bytes = field(6, 1) + field(6, std::string("\x02\x03\x80")) + field(6, 4);
  const int_range<6> range{message_bytes(bytes)};
  std::vector<std::int64_t> values;
  auto it = range.begin();
  for (; it != range.end(); ++it) values.push_back(*it);
  CHECK(values == std::vector<std::int64_t>{1, 2, 3});
  CHECK_FALSE(it.ok());
  CHECK(offset_in(bytes, it.position()) == 6);
  CHECK(range.damage() == it.position());
}

TEST_CASE("pieces of a sub-message merge at every depth") {
  const auto layout = [](int space) { return field(5, field(8, static_cast<std::uint64_t>(space))); };
  const std::string shape_1 = field(3, field(2, 11) + layout(1));
  const std::string shape_2 = field(3, field(3, 128) + layout(2) + field(5, field(1, 0)));
  const std::string bytes = shape_1 + field(1, std::string("n")) + shape_2;
  const instruction_view instruction(bytes);
  const shape_view shape = instruction.shape();
  CHECK(shape.element_type() == 11);
  CHECK(*shape.dimensions().begin() == 128);
  CHECK(shape.layout().memory_space() == 2);
  CHECK(shape.layout().minor_to_major().count() == 1);
  CHECK(shape.layout().ok());
  CHECK_FALSE(instruction.metadata().present());

  // Damage behind the first piece is damage of the merged message, too.
  const std::string damaged = shape_1 + "\x0f";
  CHECK(instruction_view(damaged).shape().present());
  CHECK_FALSE(instruction_view(damaged).shape().ok());
  CHECK(offset_in(damaged, instruction_view(damaged).shape().damage()) == shape_1.size());
}

TEST_CASE("the index finds the last entry of any key") {
  const auto entry = [](std::int64_t key, const std::string& name) {
    return field(4, field(1, static_cast<std::uint64_t>(key)) + field(2, field(2, name)));
  };
  const auto check = [](const std::string& plane_bytes, const std::map<std::int64_t, std::string>& expected,
                        std::uint64_t entries) {
    const plane_view plane(plane_bytes);
    REQUIRE(plane.header().event_metadata_count == entries);
    std::vector<metadata_slot> slots(metadata_index::slots_needed(entries));
    const auto index = metadata_index::of_event_metadata(plane, slots.data(), slots.size());
    REQUIRE(index.ok());
    for (const auto& [key, name] : expected) {
      const metadata_entry found = index.find(key);
      REQUIRE(found.found);
      REQUIRE(event_metadata_view(found.bytes).name() == name);
    }
    for (const std::int64_t absent : {INT64_C(-1), INT64_C(987654321), INT64_C(-987654321)})
      CHECK(index.find(absent).found == (expected.count(absent) != 0));
  };

  SECTION("ordinary, negative and extreme keys, doubled") {
    std::string plane;
    std::map<std::int64_t, std::string> expected;
    std::uint64_t entries = 0;
    for (const std::int64_t key :
         {INT64_C(0), INT64_C(1), INT64_C(-1), INT64_MIN, INT64_MAX, INT64_C(1), INT64_C(-1)}) {
      expected[key] = std::to_string(entries++);
      plane += entry(key, expected[key]);
    }
    check(plane, expected, entries);
  }
  SECTION("many keys in a row") {
    std::string plane;
    std::map<std::int64_t, std::string> expected;
    for (std::int64_t key = -3000; key < 3000; ++key) plane += entry(key, expected[key] = std::to_string(key));
    check(plane, expected, 6000);
  }
  SECTION("keys made to collide") {
    // All of them hash to the first slot: products with the multiplier that stay below 2^32.
    std::uint64_t inverse = 1;
    for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9e3779b97f4a7c15U * inverse;
    std::string plane;
    std::map<std::int64_t, std::string> expected;
    for (std::uint64_t i = 1; i <= 3000; ++i) {
      const std::uint64_t mixed = inverse * i;
      const auto key = static_cast<std::int64_t>(mixed ^ (mixed >> 32));
      plane += entry(key, "old");
      plane += entry(key, expected[key] = std::to_string(i));
    }
    check(plane, expected, 6000);
  }
  SECTION("an empty plane") {
    metadata_slot slot;
    CHECK_FALSE(metadata_index::of_stat_metadata(plane_view(), &slot, 1).find(0).found);
    CHECK_FALSE(metadata_index().find(0).found);
    CHECK(metadata_index::of_stat_metadata(plane_view(), nullptr, 0).ok());
  }
  SECTION("storage that is too small is told") {
    std::string plane;
    for (int key = 0; key < 10; ++key) plane += entry(key, "x");
    metadata_slot slots[9];
    CHECK(metadata_index::of_event_metadata(plane_view(plane), slots, 9).status() ==
          metadata_index_status::storage_too_small);
    metadata_slot ten[10];
    CHECK(metadata_index::of_event_metadata(plane_view(plane), ten, 10).ok());
  }
  SECTION("damage is told, and what is before it is found") {
    const std::string plane = entry(1, "one") + "\x0f" + entry(2, "two");
    metadata_slot slots[8];
    const auto index = metadata_index::of_event_metadata(plane_view(plane), slots, 8);
    CHECK(index.status() == metadata_index_status::damaged);
    CHECK(offset_in(plane, index.damage()) == entry(1, "one").size());
    CHECK(index.find(1).found);
    CHECK_FALSE(index.find(2).found);
  }
}

TEST_CASE("a stat without metadata says so") {
  metadata_slot slots[2];
  const auto none = metadata_index::of_stat_metadata(plane_view(), slots, 2);
  const resolved_stat ref = resolve_stat(stat_view("\x08\x01\x38\x09"sv), stat_origin::metadata, none);
  CHECK_FALSE(ref.name_found);
  CHECK_FALSE(ref.text_found);
  CHECK(ref.origin == stat_origin::metadata);
  const resolved_stat text = resolve_stat(stat_view("\x08\x01\x2a\x02hi"sv), stat_origin::plane, none);
  CHECK(text.text == "hi");
  CHECK(text.text_found);
}

TEST_CASE("a frame is found by its position, and a circle of frames is the caller's to break") {
  const std::string frames = field(1, std::string("a.py")) + field(2, std::string("f")) +
                             field(3, field(1, 1) + field(2, 1) + field(3, 42)) + field(4, field(1, 1) + field(2, 2)) +
                             field(4, field(1, 9) + field(2, 1));
  const stack_frame_index_view index{basic_message_bytes<2>(message_bytes(frames))};
  const source_frame frame = index.frame_linear(1);
  CHECK(frame.found);
  CHECK(frame.file == "a.py");
  CHECK(frame.function == "f");
  CHECK(frame.line == 42);
  CHECK(frame.parent_frame_id == 2);
  CHECK_FALSE(index.frame_linear(2).found);  // its location does not exist
  CHECK(index.frame_linear(2).parent_frame_id == 1);
  CHECK_FALSE(index.frame_linear(0).found);
  CHECK_FALSE(index.frame_linear(3).found);
}

TEST_CASE("a tuple nested a hundred thousand deep is walked without deep recursion") {
  constexpr int levels = 100'000;
  std::string reversed;  // built from the inside out
  const auto prepend = [&reversed](const std::string& bytes) { reversed.append(bytes.rbegin(), bytes.rend()); };
  prepend(field(2, 11));
  for (int level = 0; level < levels; ++level) {
    const std::size_t size = reversed.size();
    prepend(varint(4 << 3 | 2) + varint(size));
  }
  const std::string shape_bytes(reversed.rbegin(), reversed.rend());

  shape_view shape{basic_message_bytes<3>(message_bytes(shape_bytes))};
  int deepest = 0;
  CHECK_FALSE(visit_shape(shape, [&deepest](const shape_view&, int depth) { deepest = depth; }));
  CHECK(deepest == 100);
  int walked = 0;
  for (;;) {
    const auto inner = shape.tuple_shapes().begin();
    if (inner.done()) break;
    shape = *inner;
    ++walked;
  }
  CHECK(walked == levels);
  CHECK(shape.element_type() == 11);

  test::view_walker walker;
  const std::string instruction = field(3, shape_bytes);
  walker.instruction(instruction_view(instruction));
  CHECK_FALSE(walker.ok());  // deeper than it looks
}

TEST_CASE("an event decoded in a line equals the same event decoded alone") {
  // In a line the decoder may load words beyond the event; alone it must not.
  std::string line;
  for (std::uint64_t i = 0; i < 64; ++i) {
    std::string event = field(1, i * i * i);
    if (i % 7) event += field(2, std::uint64_t{1} << i);
    if (i % 5) event += field(3, (std::uint64_t{1} << (63 - i)) - 1);
    for (std::uint64_t stat = 0; stat < i % 4; ++stat) event += field(4, field(1, i) + field(3 + i % 2, i << stat));
    if (i % 11 == 0) event += field(5, 3);
    line += field(4, event);
  }
  std::size_t events = 0;
  for (const event_view in_line : line_view(line).events()) {
    const std::vector<char> copy(in_line.bytes().begin(), in_line.bytes().end());
    const event_view alone(std::string_view(copy.data(), copy.size()));
    CHECK(in_line.metadata_id() == alone.metadata_id());
    CHECK(in_line.data_case() == alone.data_case());
    CHECK(in_line.offset_ps() == alone.offset_ps());
    CHECK(in_line.num_occurrences() == alone.num_occurrences());
    CHECK(in_line.duration_ps() == alone.duration_ps());
    CHECK(in_line.stats().count() == alone.stats().count());
    CHECK(in_line.ok());
    CHECK(alone.ok());
    ++events;
  }
  CHECK(events == 64);
}
