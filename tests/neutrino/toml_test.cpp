// The TOML tree keeps the order of the file: section i of a trace is the i-th map table as written.
#include "base/toml_tree.hpp"

#include "support.hpp"

#include <catch.hpp>

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
  PROFKIT_NEEDS("toml");
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
  PROFKIT_NEEDS("toml");
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

TEST_CASE("toml: what is valid, and what it means") {
  PROFKIT_NEEDS("toml");
  const auto parsed = parse_toml(
      "\xef\xbb\xbf# a comment\r\n"
      "hex = 0xdead_BEEF\noct = 0o17\nbin = -0\nlong = -9223372036854775808\n"
      "real = 6.626e-34\nshort = 1.5e-3\nwide = 100e-3\nspaced = 1_000.5e+0_1\nendless = -inf\n"
      "text = \"tab\\t \\u00e9 \\U0001F600 \\\\\"\nraw = 'C:\\n'\n"
      "lines = \"\"\"\none\r\n\\  \n\n   two\"\"\"\"\"\nraw_lines = '''\n\\a\n'''\n"
      "\"a key\" = 1\n'' = 2\n1.2 = 3\n"
      "day = 2000-02-29\nmoment = 1979-05-27 07:32:00.5-07:00\nhour = 23:59:59\n"
      "list = [1, [true, {x = 'y'}], # why\n 'z',\n]\n"
      "[[fruit]]\nname = 'apple'\n[fruit.shape]\nround = true\n[[fruit]]\nname = 'plum'\n[fruit.shape.more]\n"
      "[a.b.c]\n[a]\nb.x = 1\nb.y = 2\n",
      "");
  REQUIRE(parsed);
  const toml_value& root = parsed.value();
  CHECK(root.find("hex")->integer == 0xdeadbeef);
  CHECK(root.find("oct")->integer == 15);
  CHECK(root.find("bin")->integer == 0);
  CHECK(root.find("long")->integer == INT64_MIN);
  CHECK(root.find("real")->number == 6.626e-34);
  CHECK(root.find("short")->number == 1.5e-3);
  CHECK(root.find("wide")->number == 100e-3);
  CHECK(root.find("spaced")->number == 10005);
  CHECK(root.find("endless")->number < -1e308);
  CHECK(root.find("text")->text == "tab\t \xc3\xa9 \xf0\x9f\x98\x80 \\");
  CHECK(root.find("raw")->text == "C:\\n");
  CHECK(root.find("lines")->text == "one\ntwo\"\"");
  CHECK(root.find("raw_lines")->text == "\\a\n");
  CHECK(root.find("a key")->integer == 1);
  CHECK(root.find("")->integer == 2);
  CHECK(root.find("1")->find("2")->integer == 3);
  for (const char* time : {"day", "moment", "hour"}) CHECK(root.find(time)->kind == toml_kind::time);
  REQUIRE(root.find("list")->items.size() == 3);
  CHECK(root.find("list")->items[1].items[1].find("x")->text == "y");
  const toml_value* const fruit = root.find("fruit");
  REQUIRE(fruit->items.size() == 2);
  CHECK(fruit->items[0].find("shape")->find("round")->truth);
  CHECK(fruit->items[1].find("shape")->find("more")->kind == toml_kind::table);
  CHECK(root.find("a")->find("b")->find("y")->integer == 2);
}

TEST_CASE("toml: what is not valid") {
  PROFKIT_NEEDS("toml");
  for (const char* text : {
           "a",
           "a =",
           "= 1",
           "a = 1 b = 2",
           "a b = 1",
           "[a",
           "[a] b",
           "[[a]",
           "[a]]",
           "[]",
           "[.a]",
           "a = 01",
           "a = 1__0",
           "a = 1_",
           "a = .5",
           "a = 5.",
           "a = 1e",
           "a = +0x1",
           "a = 0x",
           "a = 0b2",
           "a = 1.e5",
           "a = True",
           "a = '",
           "a = \"\n\"",
           "a = \"\\x\"",
           "a = \"\\ud800\"",
           "a = '\x01'",
           "# \x7f",
           "a = '''x''",
           "a = [1,,2]",
           "a = [,]",
           "a = [1 2]",
           "a = {b = 1,}",
           "a = {\n}",
           "a = {b=1, b=2}",
           "a = 1\ra = 2",
           "a = 99999999999999999999",
           "a = 1e999",
           "a = 2001-02-29",
           "a = 24:00:00",
           "a = 07:32",
           "a = 1979-05-27 ten",
           "a = 1\na = 2",
           "a = 1\na.b = 2",
           "a = 1\n[a]",
           "[a]\n[a]",
           "[a]\nb = 1\n[a.b]",
           "a = {}\n[a.b]",
           "a = {}\na.b = 1",
           "a = []\n[[a]]",
           "[[a]]\n[a]",
           "[a]\n[[a]]",
           "a.b = 1\n[a]",
           "[a.b]\n[a]\nb.c = 1",
           "[a]\nb.c = 1\n[a.b]",
           "[a]\nb.c = 1\n[d]\n[a.b.c]",
           "a = {b.c = 1, b = {}}",
       }) {
    INFO(text);
    const auto parsed = parse_toml(text, "");
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == fault_code::damaged);
  }
  // A string, a comment and other keys on the line are no part of a key.
  const auto key = [](int parts) {
    std::string text = "a";
    for (int i = 1; i < parts; ++i) text += i % 2 != 0 ? " . b" : ".\"a.'\\\".\"";
    return text;
  };
  const std::string dots(100, '.');
  CHECK(parse_toml(key(32) + " = '" + dots + "' # " + dots + "\nx = {" + key(32) + " = 1, y = 1.5}\n", ""));
  CHECK(parse_toml("[" + key(32) + "]\nx = \"\"\"\n\\\"\"\"" + dots + "\n\"\"\"\n", ""));
  for (const std::string& text : {key(33) + " = 1", "\n[" + key(33) + "]", "x = {" + key(33) + " = 1}",
                                  "x = '" + dots + "'\n" + key(100000) + " = 1"}) {
    const auto deep = parse_toml(text, "");
    REQUIRE_FALSE(deep);
    CHECK(deep.error().message.find("32 parts") != std::string::npos);
  }
  CHECK_FALSE(parse_toml("a = " + std::string(300, '{') + std::string(300, '}'), ""));
}

TEST_CASE("toml: many keys take time in proportion") {
  PROFKIT_NEEDS("toml");
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "key" + std::to_string(i) + " = 1\n";
  const auto parsed = parse_toml(text, "");
  REQUIRE(parsed);
  CHECK(parsed.value().members.size() == 200000);
  CHECK_FALSE(parse_toml(text + "key0 = 2\n", ""));
}
