// Of facts with one name the surest stands, and what differs stands beside it.
#include <model/architecture/facts/fact_list.hpp>

#include <catch.hpp>

#include <string>

using namespace profkit;
using architecture::fact_list;

namespace {

model_fact only(fact_list& list) {
  const std::vector<model_fact> facts = list.take();
  REQUIRE(facts.size() == 1);
  return facts[0];
}

}  // namespace

TEST_CASE("sources that agree are as sure as the surer one") {
  fact_list list;
  list.add("layers", std::int64_t{24}, certainty::possible, fact_source::module, "scopes");
  list.add("layers", std::int64_t{24}, certainty::proved, fact_source::kernel, "kernels");
  const model_fact f = only(list);
  CHECK(f.sure == certainty::proved);
  CHECK(f.source == fact_source::module);
  CHECK(f.contradictions.empty());
}

TEST_CASE("a surer source replaces what is less sure, which stays as a contradiction") {
  fact_list list;
  list.add("layers", std::int64_t{24}, certainty::possible, fact_source::count, "24 sorts");
  list.add("layers", std::int64_t{32}, certainty::proved, fact_source::module, "32 scopes");
  const model_fact f = only(list);
  CHECK(f.value == fact_value(std::int64_t{32}));
  CHECK(f.sure == certainty::proved);
  CHECK(f.source == fact_source::module);
  CHECK(f.evidence == "32 scopes");
  CHECK(f.contradictions == std::vector<std::string>{"24 by count: 24 sorts"});
}

TEST_CASE("two sure sources that differ make it possible, whichever comes first") {
  for (const bool surer_first : {true, false}) {
    fact_list list;
    const auto proved = [&] { list.add("layers", std::int64_t{24}, certainty::proved, fact_source::module, "scopes"); };
    const auto likely = [&] { list.add("layers", std::int64_t{32}, certainty::likely, fact_source::kernel, "kernels"); };
    if (surer_first) proved();
    likely();
    if (!surer_first) proved();
    const model_fact f = only(list);
    CHECK(f.value == fact_value(std::int64_t{24}));
    CHECK(f.sure == certainty::possible);
    CHECK(f.contradictions == std::vector<std::string>{"32 by kernel: kernels"});
  }
}

TEST_CASE("of what is as sure the first stands") {
  fact_list list;
  list.add("norm", std::string("RMSNorm"), certainty::possible, fact_source::shape, "a");
  list.add("norm", std::string("LayerNorm"), certainty::possible, fact_source::kernel, "b");
  const model_fact f = only(list);
  CHECK(fact_text(f.value) == "RMSNorm");
  CHECK(f.sure == certainty::possible);
  CHECK(f.contradictions == std::vector<std::string>{"LayerNorm by kernel: b"});
}

TEST_CASE("values as texts, exact for programs and rounded for people") {
  CHECK(fact_text(std::int64_t{463987712}) == "463987712");
  CHECK(fact_text(0.1) == "0.1");
  CHECK(fact_text(true) == "true");
  CHECK(fact_text(std::vector<std::int64_t>{1, 2}) == "1, 2");
  model_fact f;
  f.value = std::int64_t{463987712};
  CHECK(shown_text(f) == "463987712");
  f.unit = "parameters";
  CHECK(shown_text(f) == "464 M");
  f.value = 25.5;
  f.unit = "%";
  CHECK(shown_text(f) == "25.5 %");
}

TEST_CASE("a card has a line for what is alike, marks what is not proved, and leaves out what is not known") {
  fact_list list;
  list.add("kv_heads", std::int64_t{5}, certainty::likely, fact_source::shape, "e");
  list.add("attention_heads", std::int64_t{10}, certainty::proved, fact_source::shape, "e");
  list.add("layers", std::int64_t{24}, certainty::proved, fact_source::module, "e");
  list.add("moe", false, certainty::possible, fact_source::count, "e");
  const std::vector<fact_line> card = card_of(list.take());
  REQUIRE(card.size() == 3);
  CHECK(std::string(card[0].title) == "what");
  CHECK(card[0].text == "no moe (possible)");
  CHECK(card[1].text == "24");
  CHECK(std::string(card[2].title) == "attention");
  CHECK(card[2].text == "heads 10; kv heads 5 (likely)");
}
