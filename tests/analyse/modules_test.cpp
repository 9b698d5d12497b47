// Modules: embedded and in files, how the two compare, damage of one, the entry computation, shapes as text.
#include "../io/test_files.hpp"
#include "capture_builder.hpp"
#include "support.hpp"

#include <analyse/modules/hlo_compare.hpp>
#include <analyse/modules/shape_text.hpp>

#include <random>

using namespace profkit;
using namespace profkit::test;

namespace {

message shape_of(std::int64_t type, const std::vector<std::int64_t>& dimensions) {
  message shape;
  shape.number(2, type);
  for (const std::int64_t n : dimensions) shape.number(3, n);
  return shape;
}

// Two computations; the entry is the second, runs its instructions backwards, and has a schedule.
message hlo_fields(const std::string& name, std::int64_t id) {
  const auto instruction = [](std::int64_t number, const char* called, const char* opcode) {
    return message().text(1, called).text(2, opcode).sub(3, shape_of(11, {2, 3})).number(35, number);
  };
  message helper = message().text(1, "helper").sub(2, instruction(1, "x", "parameter")).number(5, 5);
  message entry = message()
                      .text(1, "main")
                      .sub(2, instruction(7, "a", "parameter"))
                      .sub(2, instruction(8, "b", "add"))
                      .number(5, 6);
  const message order = message().number(1, 8).number(1, 7);
  const message other_order = message().number(1, 1);
  message schedule;
  schedule.sub(1, message().number(1, 5).sub(2, other_order)).sub(1, message().number(1, 6).sub(2, order));
  return message().text(1, name).sub(3, helper).sub(3, entry).number(5, id).number(6, 6).sub(7, schedule);
}
std::string hlo(const std::string& name, std::int64_t id) { return message().sub(1, hlo_fields(name, id)).bytes(); }

std::string space_with(const std::vector<std::pair<std::string, std::string>>& modules) {
  plane_builder p("/host:metadata");
  for (const auto& [name, blob] : modules) p.metadata(name).sub(5, p.bytes_stat("Hlo Proto", blob));
  return space_of({p});
}

const module_row& row_named(const modules_result& found, std::string_view name) {
  for (const module_row& row : found.modules)
    if (row.name == name) return row;
  FAIL("no module " << std::string(name));
  return found.modules.front();
}

}  // namespace

TEST_CASE("embedded modules are counted, largest first") {
  const std::string small = hlo("jit_a", 1);
  const std::string large = hlo("jit_a_longer_name", 2);
  const opened held = open_bytes(space_with({{"jit_a(1)", small}, {"jit_b(2)", large}, {"no module", ""}}));
  const auto found = analyse_modules(trace(*held));
  REQUIRE(found);
  REQUIRE(found->modules.size() == 3);  // an empty blob is a valid message
  const module_row& row = found->modules[0];
  CHECK(row.name == "jit_b(2)");
  CHECK(row.module_name == "jit_a_longer_name");
  CHECK(row.module_id == 2);
  CHECK(row.computations == 2);
  CHECK(row.instructions == 3);
  CHECK(row.bytes == large.size());
  CHECK(row.blob == large);
  CHECK(row.sibling == sibling_state::none);
  CHECK(!row.damage);
}

TEST_CASE("a damaged module keeps to its own row") {
  const std::string whole = hlo("jit_a", 1);
  const opened held = open_bytes(space_with({{"cut", whole.substr(0, whole.size() - 3)}, {"whole", whole}}));
  const auto found = analyse_modules(trace(*held));
  REQUIRE(found);
  REQUIRE(found->modules.size() == 2);
  CHECK(row_named(*found, "cut").damage);
  CHECK(!row_named(*found, "whole").damage);
  REQUIRE(found->damage.size() == 1);
  CHECK(found->damage[0].what.byte_offset < held.bytes->size());
}

TEST_CASE("a file beside the XSpace is the same module, or is not") {
  const std::string jit_a = hlo("jit_a", 1), jit_b = hlo("jit_b", 2), jit_c = hlo("jit_c", 3);
  std::mt19937 random(4);
  std::string shuffled;
  do {
    message fields = hlo_fields("jit_b", 2);
    shuffled = message().sub(1, fields.shuffle(random)).bytes();
  } while (shuffled == jit_b);
  const temporary_folder folder;
  folder.write(
      "host.xplane.pb",
      space_with({{"jit_a(1)", jit_a}, {"jit_b(2)", jit_b}, {"jit_c(3)", jit_c}, {"jit_d(4)", hlo("jit_d", 4)}}));
  folder.write("jit_a(1).hlo_proto.pb", jit_a);
  folder.write("jit_b(2).hlo_proto.pb", shuffled);
  message other = hlo_fields("jit_c", 3);
  folder.write("jit_c(3).hlo_proto.pb", message().sub(1, other.number(11, 1)).bytes());
  folder.write("jit_e(5).hlo_proto.pb", hlo("jit_e", 5));
  const auto p = profile::open(folder.path());
  REQUIRE(p);
  const auto found = analyse_modules(trace(**p));
  REQUIRE(found);
  REQUIRE(found->modules.size() == 6);  // four embedded, one that differs, one of its own
  CHECK(row_named(*found, "jit_a(1)").sibling == sibling_state::same_bytes);
  CHECK(row_named(*found, "jit_a(1)").sibling_path == folder.path("jit_a(1).hlo_proto.pb"));
  CHECK(row_named(*found, "jit_b(2)").sibling == sibling_state::same_content);
  CHECK(row_named(*found, "jit_d(4)").sibling == sibling_state::none);
  CHECK(row_named(*found, "jit_e(5)").plane == -1);
  int with_c = 0;
  for (const module_row& row : found->modules)
    if (row.name == "jit_c(3)") {
      ++with_c;
      CHECK(row.sibling == (row.plane < 0 ? sibling_state::none : sibling_state::differs));
    }
  CHECK(with_c == 2);

  const auto info = analyse_info(trace(**p));
  REQUIRE(info);
  const auto findings = analyse_findings(**p, *info, *found, {});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "modules.differs");
}

TEST_CASE("content is the same in any order of fields and of map entries, and only then") {
  std::mt19937 random(11);
  const std::string whole = hlo("jit_a", 1);
  for (int i = 0; i < 50; ++i) {
    message fields = hlo_fields("jit_a", 1);
    const std::string other = message().sub(1, fields.shuffle(random)).bytes();
    // Shuffling swaps the two computations half of the time: those are a list, whose order counts.
    CHECK(same_hlo_content(whole, other) == (other.find("helper") < other.find("main")));
  }
  CHECK(same_hlo_content("", ""));
  CHECK(!same_hlo_content(whole, whole + std::string("\x10\x01")));
  CHECK(!same_hlo_content(whole, hlo("jit_b", 1)));
  CHECK(!same_hlo_content(whole, hlo("jit_a", 2)));
  // Packed numbers that happen to read as reordered fields: instruction ids 8,1,16,2 and 16,2,8,1.
  const auto with_operands = [](const std::string& packed) {
    const message instruction = message().text(1, "a").text(36, packed);
    return message().sub(1, message().sub(3, message().sub(2, instruction))).bytes();
  };
  CHECK(!same_hlo_content(with_operands("\x08\x01\x10\x02"), with_operands("\x10\x02\x08\x01")));
  CHECK(same_hlo_content(with_operands("\x08\x01\x10\x02"), with_operands("\x08\x01\x10\x02")));
  const std::string cut = whole.substr(0, whole.size() - 1);
  CHECK(!same_hlo_content(cut, whole));
  CHECK(same_hlo_content(cut, cut));
}

TEST_CASE("the entry computation comes in proto order and in schedule order") {
  const opened held = open_bytes(space_with({{"jit_a(1)", hlo("jit_a", 1)}}));
  const auto found = analyse_modules(trace(*held));
  REQUIRE(found);
  const auto dump = analyse_entry(found->modules[0]);
  REQUIRE(dump);
  CHECK(dump->module_name == "jit_a");
  CHECK(dump->computation_name == "main");
  REQUIRE(dump->proto_order.size() == 2);
  CHECK(dump->proto_order[0].name == "a");
  CHECK(dump->proto_order[1].opcode == "add");
  CHECK(dump->proto_order[1].shape == "f32[2,3]");
  CHECK(dump->schedule_order == std::vector<std::size_t>{1, 0});

  module_row empty;
  const auto none = analyse_entry(empty);
  REQUIRE(!none);
  CHECK(none.error().code == fault_code::not_found);
}

TEST_CASE("places in the source come from the table of stack frames") {
  const auto p = profile::open(data_path("jax/two_process_rank0").string());
  REQUIRE(p);
  const auto found = analyse_modules(trace(**p));
  REQUIRE(found);
  REQUIRE(!found->modules.empty());
  const auto dump = analyse_entry(found->modules[0]);
  REQUIRE(dump);
  std::size_t placed = 0;
  for (const instruction_row& row : dump->proto_order)
    if (!row.source_file.empty() && row.source_line > 0) ++placed;
  CHECK(placed > 0);
  CHECK(dump->schedule_order.size() == dump->proto_order.size());
}

TEST_CASE("shapes are written as XLA writes them") {
  const auto text = [](const message& shape) {
    const std::string bytes = shape.bytes();
    return shape_text(shape_view(std::string_view(bytes)));
  };
  const auto layout = [](const std::vector<std::int64_t>& order) {
    message l;
    for (const std::int64_t n : order) l.number(1, n);
    return l;
  };
  CHECK(text(shape_of(11, {})) == "f32[]");
  CHECK(text(shape_of(16, {5, 1024})) == "bf16[5,1024]");
  CHECK(text(shape_of(11, {5, 1024}).sub(5, layout({1, 0}))) == "f32[5,1024]{1,0}");
  CHECK(text(shape_of(11, {8, 128})
                 .sub(5, layout({1, 0})
                             .sub(6, message().number(1, 8).number(1, 128))
                             .sub(6, message().number(1, 2))
                             .number(8, 5))) == "f32[8,128]{1,0:T(8,128)(2)S(5)}");
  CHECK(text(shape_of(11, {}).sub(5, layout({}).sub(6, message().number(1, 128)).number(8, 6))) ==
        "f32[]{:T(128)S(6)}");
  CHECK(text(shape_of(1, {8, 4}).number(6, 1).number(6, 0)) == "pred[<=8,4]");
  CHECK(text(shape_of(13, {}).sub(4, shape_of(11, {2})).sub(4, shape_of(4, {}))) == "(f32[2], s32[])");
  CHECK(text(shape_of(13, {})) == "()");
  CHECK(text(shape_of(99, {1})) == "type99[1]");
  CHECK(text(shape_of(-1, {})) == "type-1[]");
}

TEST_CASE("a tuple of a hundred thousand levels is told in bounded time and depth") {
  std::string shape = message().number(2, 13).bytes();
  for (int depth = 0; depth < 2000; ++depth) shape = message().number(2, 13).text(4, shape).bytes();
  const std::string text = shape_text(shape_view(std::string_view(shape)));
  CHECK(text.find("…") != std::string::npos);
  CHECK(text.size() < 1000);
  // As a module: listed, dumped, compared; never a crash.
  const message instruction = message().text(1, "deep").text(2, "tuple").text(3, shape).number(35, 1);
  const std::string blob =
      message()
          .sub(1, message().text(1, "jit_deep").sub(3, message().sub(2, instruction).number(5, 1)).number(6, 1))
          .bytes();
  const opened held = open_bytes(space_with({{"jit_deep(1)", blob}}));
  const auto found = analyse_modules(trace(*held));
  REQUIRE(found);
  CHECK(analyse_entry(found->modules[0]));
  std::string other = blob;
  other.back() ^= 2;
  CHECK(!same_hlo_content(blob, other));
}
