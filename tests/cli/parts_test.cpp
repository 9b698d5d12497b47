// The parts of the command that are easier to test alone.
#include "quantity.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/report.hpp>

#include <catch.hpp>

#include <cstdint>
#include <limits>
#include <string>

using namespace profkit_tool;
using profkit::duration_statistics;
using profkit::shell_word;
using profkit::statistics_of;

TEST_CASE("times are parsed exactly or not at all") {
  const auto ps = [](const char* text) {
    const auto parsed = parse_time_ps(text);
    REQUIRE(parsed.ok());
    return *parsed;
  };
  CHECK(ps("0") == 0);
  CHECK(ps("17ps") == 17);
  CHECK(ps("1.5ms") == 1'500'000'000);
  CHECK(ps("0.001ns") == 1);
  CHECK(ps(".5us") == 500'000);
  CHECK(ps("2µs") == 2'000'000);
  CHECK(ps("-3s") == -3'000'000'000'000);
  CHECK(ps("1.500000000000s") == 1'500'000'000'000);
  CHECK(ps("9223372036854775807ps") == std::numeric_limits<std::int64_t>::max());
  for (const char* wrong : {"", "-", "5", "ms", "1.5ps", "0.0001ns", "1..2ms", "1ms2", "1 ms", "9223372036854775808ps",
                            "9223373s", "1e3ms", "0x10ns", "--1s", "1.5.5s"}) {
    INFO(wrong);
    const auto parsed = parse_time_ps(wrong);
    CHECK_FALSE(parsed.ok());
    CHECK_FALSE(parsed.error().hint.empty());
  }
}

TEST_CASE("sizes are parsed exactly or not at all") {
  struct row {
    const char* text;
    std::uint64_t bytes;
  };
  for (const row& r : {row{"17", 17}, row{"2.0B", 2}, row{"1.5kB", 1500}, row{"1.5KiB", 1536}, row{"0.25KiB", 256},
                       row{"32GiB", std::uint64_t{32} << 30}, row{"95GB", 95'000'000'000}, row{"0.001kB", 1},
                       row{"18446744073709551615", std::numeric_limits<std::uint64_t>::max()}}) {
    INFO(r.text);
    const auto parsed = parse_bytes(r.text);
    REQUIRE(parsed.ok());
    CHECK(*parsed == r.bytes);
  }
  for (const char* wrong : {"", "1.5", "0.3KiB", "1.0001kB", ".5KiB", "1..5kB", "1.2.3kB", "KiB", "1xB", "-1", "1 kB", "16385PiB",
                            "18446744073709551616", "0.0000000001GiB"}) {
    INFO(wrong);
    CHECK_FALSE(parse_bytes(wrong).ok());
  }
}

TEST_CASE("dates before 1970 begin a second earlier, too") {
  CHECK(date_text(0) == "1970-01-01 00:00:00 UTC");
  CHECK(date_text(999'999'999) == "1970-01-01 00:00:00 UTC");
  CHECK(date_text(-1) == "1969-12-31 23:59:59 UTC");
  CHECK(date_text(-1'000'000'000) == "1969-12-31 23:59:59 UTC");
  CHECK(date_text(-1'000'000'001) == "1969-12-31 23:59:58 UTC");
  CHECK(date_text(1'700'000'000'000'000'000) == "2023-11-14 22:13:20 UTC");
}

TEST_CASE("a window may be open on either side") {
  const auto both = parse_time_window("1ms:2ms");
  REQUIRE(both.ok());
  CHECK(both->from_ps == 1'000'000'000);
  CHECK(both->to_ps == 2'000'000'000);
  const auto from = parse_time_window("1ms:");
  REQUIRE(from.ok());
  CHECK_FALSE(from->to_ps.has_value());
  CHECK_FALSE(parse_time_window("1ms").ok());
  CHECK_FALSE(parse_time_window("2ms:1ms").ok());
  CHECK_FALSE(parse_time_window("1ms:1ms").ok());
}

TEST_CASE("a window is printed as it is typed") {
  CHECK(time_window_text(148'330'000'000, 1'321'100'000'000) == "0.148s:1.322s");
  CHECK(time_window_text(0, 1) == "0ps:2ps");
  CHECK(time_window_text(0, 0) == "0ps:1ps");
  CHECK(time_window_text(-1'500'000, 1'000'000) == "-1.500us:1.001us");
  CHECK(time_window_text(10'000'000'000'000, 10'000'057'000'000) == "10000000.00us:10000057.01us");
  CHECK(time_window_text(std::numeric_limits<std::int64_t>::min(), 0).empty());
  CHECK(time_window_text(0, std::numeric_limits<std::int64_t>::max()).empty());
  std::int64_t first = -7, span = 1;
  for (int i = 0; i < 14; ++i, first = first * 13 + i, span *= 9) {
    const auto window = parse_time_window(time_window_text(first, first + span));
    REQUIRE(window.ok());
    CHECK((*window->from_ps <= first && *window->to_ps > first + span));
    CHECK(*window->to_ps - *window->from_ps <= span + span / 500 + 2);
  }
}

TEST_CASE("a share is never rounded to nothing") {
  CHECK(share_text(0, 100) == "0.0 %");
  CHECK(share_text(1, 1'000'000) == "<0.1 %");
  CHECK(share_text(1, 3) == "33.3 %");
  CHECK(share_text(5, 0).empty());
}

TEST_CASE("counts agree with their noun") {
  CHECK(count_of(0, "line") == "0 lines");
  CHECK(count_of(1, "line") == "1 line");
  CHECK(count_of(1504, "entry", "entries") == "1,504 entries");
}

TEST_CASE("text is shortened to columns, not to bytes") {
  CHECK(shorten("fusion.1", 8) == "fusion.1");
  CHECK(shorten("fusion.12", 8) == "fusion.…");
  CHECK(shorten("fusion.12", 8, cut::start) == "…sion.12");
  CHECK(shorten("abcdefghij", 7, cut::middle) == "abcd…ij");
  CHECK(shorten("ααααα", 3) == "αα…");
  CHECK(shorten("日本語", 5) == "日本…");
  CHECK(shorten("日本語", 4) == "日…");  // half a character does not fit
  CHECK(shorten("ab", 0).empty());
  CHECK(shorten("a😀b😀c", 5) == "a😀b…");  // four bytes a character
}

TEST_CASE("operations have short names") {
  CHECK(short_op_name("%fusion.3 = f32[8]{0} fusion(%a), kind=kLoop", "") == "fusion.3");
  CHECK(short_op_name("%fusion.3 = f32[8]{0} fusion(%a)", "fusion.3.remat") == "fusion.3.remat");
  CHECK(short_op_name("void kernel<int>(int)", "") == "kernel<int>");
  CHECK(short_op_name("%a = f32[] add(%b, %c)", "") == "a");
  CHECK(short_op_name("% = f32[]", "") == "% = f32[]");
  CHECK(short_op_name("%broken", "") == "%broken");
  CHECK(short_op_name("", "") == "(no name)");
  CHECK(short_op_name("a\tb", "") == "a\\x09b");
}

TEST_CASE("linkers' names are shown as the source has them") {
  CHECK(source_name("_Z3addPf") == "add");
  CHECK(
      source_name("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIN3c104HalfEEENS_6detail5ArrayIPc"
                  "Li1EEEEEviT0_T1_") == "at::native::vectorized_elementwise_kernel<\u2026>");
  CHECK(source_name("_ZN12_GLOBAL__N_14stepEi") == "(anonymous namespace)::step");
  CHECK(source_name("_Z1fPFivE") == "f");
  CHECK(source_name("_Z") == "_Z");
  CHECK(source_name("triton_poi_fused_add_0") == "triton_poi_fused_add_0");
  CHECK(source_name("").empty());
}

TEST_CASE("sentences wrap between words") {
  CHECK(wrap("one two three", 8, 2) == "one\n  two\n  three");
  CHECK(wrap("one two three", 9, 2) == "one two\n  three");
  CHECK(wrap("unbreakable_word next", 5, 0) == "unbreakable_word\nnext");
  CHECK(wrap("", 10, 2).empty());
}

TEST_CASE("the median of an even number lies between") {
  const duration_statistics even = statistics_of({4, 1, 3, 2});
  CHECK(even.count == 4);
  CHECK(even.total_ps == 10);
  CHECK(even.median_ps == 2);
  CHECK(even.min_ps == 1);
  CHECK(even.max_ps == 4);
  CHECK(statistics_of({7, 9, 8}).median_ps == 8);
  CHECK(statistics_of({}).count == 0);
}

TEST_CASE("words for a shell are quoted when they must be") {
  CHECK(shell_word("/tmp/run_1/vm.xplane.pb") == "/tmp/run_1/vm.xplane.pb");
  CHECK(shell_word("my file") == "'my file'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("-") == "'-'");
  CHECK(shell_word("") == "''");
}
