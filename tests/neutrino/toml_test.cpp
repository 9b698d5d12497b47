// The TOML tree keeps the order of the file: section i of a trace is the i-th map table as written.
#include "read/toml_tree.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace profkit;

namespace {

std::vector<std::string> names(const toml_value* table) {
  std::vector<std::string> all;
  if (!table) return all;
  for (const toml_member& each : table->members) all.push_back(each.name);
  return all;
}

using text_list = std::vector<std::string>;

}  // namespace

TEST_CASE("toml: tables, keys and inline tables keep the order of the file") {
  const auto parsed = parse_toml(
      "zeta = 1\nalpha = 'x'\n"
      "[map.zz]\ncap = 2\nbytes = 3\n"
      "[map.mm.regs]\nstart = ['u64', 'None',]\nelapsed = ['u32']\ncuid = ['u32']\n"
      "[other]\nk = { y = 1, b = 2, a.q = true, a.c = 1.5 }\n"
      "[map.aa]\nx = 1979-05-27\n"
      "[map.mm]\nlevel = \"warp\"\n",
      "probe.toml");
  REQUIRE(parsed);
  const toml_value& root = parsed.value();
  CHECK(names(&root) == text_list{"zeta", "alpha", "map", "other"});
  const toml_value* maps = root.find("map");
  CHECK(names(maps) == text_list{"zz", "mm", "aa"});
  CHECK(names(maps->find("mm")) == text_list{"regs", "level"});
  CHECK(names(maps->find("mm")->find("regs")) == text_list{"start", "elapsed", "cuid"});
  CHECK(names(root.find("other")->find("k")) == text_list{"y", "b", "a"});
  CHECK(names(root.find("other")->find("k")->find("a")) == text_list{"q", "c"});
  CHECK(maps->find("mm")->find("regs")->find("start")->items.at(0).text == "u64");
  CHECK(maps->find("aa")->find("x")->kind == toml_kind::time);
  CHECK(maps->find("zz")->find("cap")->integer == 2);
  CHECK(root.members[2].line == 3);
}

TEST_CASE("toml: damage is a fault that names the line") {
  const auto broken = parse_toml("regs = 1\n[map\x01.x", "probe.toml");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().code == fault_code::damaged);
  CHECK(broken.error().byte_offset == 9);
  CHECK(broken.error().path == "probe.toml");
  CHECK_FALSE(parse_toml("a = '\xff'\n", ""));
  CHECK_FALSE(parse_toml("[\x1f\x1f", ""));
  CHECK_FALSE(parse_toml("a = 1\na = 2\n", ""));
  CHECK_FALSE(parse_toml("a = " + std::string(1000, '[') + std::string(1000, ']'), ""));
  CHECK(parse_toml(std::string(max_toml_bytes + 1, '\n'), "").error().code == fault_code::limit);
  CHECK(parse_toml("", "").value().members.empty());
}
