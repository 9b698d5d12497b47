// The bubble detector through the C ABI: the command's own document, and arguments that make no sense.
#include <profkit/core/bubbles.hpp>

#include <profkit/profkit.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "handles.hpp"

using namespace profkit::test;

TEST_CASE("the C ABI writes the bubbles of the command") {
  const auto profile = opened(tpu_capture());
  pk_bubbles_options options = PK_BUBBLES_OPTIONS_INIT;
  const char* const thresholds[] = {"heavy_gap_us=500.5"};
  options.thresholds = thresholds;
  options.threshold_count = 1;
  options.window_policy = PK_WINDOW_POLICY_MARKER;
  options.limit = 7;
  pk_bubbles* made = nullptr;
  REQUIRE(pk_bubbles_open(profile.get(), &options, &made, nullptr) == PK_OK);
  const owned<pk_bubbles> bubbles(made);
  std::string ours, theirs;
  REQUIRE(pk_bubbles_write(bubbles.get(), append, &ours, nullptr, nullptr) == PK_OK);
  const auto core = profkit::profile::open(tpu_capture());
  REQUIRE(core.ok());
  profkit::bubble_options o;
  o.windows = profkit::window_policy::marker;
  o.limit = 7;
  REQUIRE(profkit::set_threshold(o.thresholds, "heavy_gap_us", "500.5").ok());
  const auto found = profkit::analyse_bubbles(profkit::trace(*core), o);
  REQUIRE(found.ok());
  const auto sink = profkit::memory_sink(theirs);
  REQUIRE(profkit::write_bubbles_document(**core, o, *found, *sink).ok());
  REQUIRE(sink->finish().ok());
  CHECK(ours == theirs);
}

TEST_CASE("filters of the bubbles: devices, names and positions of steps, time") {
  const auto profile = opened(tpu_capture());
  const auto core = profkit::profile::open(tpu_capture());
  REQUIRE(core.ok());
  std::vector<std::string> documents;
  const auto compare = [&](const pk_filters& filters, const profkit::bubble_options& o) {
    pk_bubbles_options options = PK_BUBBLES_OPTIONS_INIT;
    options.filters = &filters;
    options.limit = 7;
    pk_bubbles* made = nullptr;
    error_slot error;
    const pk_status status = pk_bubbles_open(profile.get(), &options, &made, error.out());
    INFO(error.message());
    REQUIRE(status == PK_OK);
    const owned<pk_bubbles> bubbles(made);
    std::string ours, theirs;
    REQUIRE(pk_bubbles_write(bubbles.get(), append, &ours, nullptr, nullptr) == PK_OK);
    profkit::bubble_options wanted = o;
    wanted.limit = 7;
    const auto found = profkit::analyse_bubbles(profkit::trace(*core), wanted);
    REQUIRE(found.ok());
    const auto sink = profkit::memory_sink(theirs);
    REQUIRE(profkit::write_bubbles_document(**core, wanted, *found, *sink).ok());
    REQUIRE(sink->finish().ok());
    CHECK(ours == theirs);
    documents.push_back(ours);
  };
  pk_filters filters = PK_FILTERS_INIT;
  profkit::bubble_options o;
  compare(filters, o);
  filters.plane = "TPU:1";
  o.device = "TPU:1";
  compare(filters, o);
  filters.flags = PK_FILTER_HAS_STEP;
  filters.step = 1;
  o.only.step = 1;
  compare(filters, o);
  filters.flags = PK_FILTER_HAS_FROM | PK_FILTER_HAS_TO;
  filters.from_ps = 0;
  filters.to_ps = 9'900'000'000'000;
  o.only = {{}, 0, 9'900'000'000'000, ""};
  compare(filters, o);
  filters.flags = 0;
  filters.name = "2";
  o.only = {{}, {}, {}, "2"};
  compare(filters, o);
  std::sort(documents.begin(), documents.end());
  CHECK(std::unique(documents.begin(), documents.end()) == documents.end());  // each of them made a difference
}

TEST_CASE("the document of an analysis has the command's limit unless another is given") {
  const auto profile = opened(tpu_capture());
  const auto sized = [&](std::uint64_t limit) {
    pk_bubbles_options options = PK_BUBBLES_OPTIONS_INIT;
    options.limit = limit;
    pk_bubbles* made = nullptr;
    REQUIRE(pk_bubbles_open(profile.get(), &options, &made, nullptr) == PK_OK);
    const owned<pk_bubbles> bubbles(made);
    std::string text;
    REQUIRE(pk_bubbles_write(bubbles.get(), append, &text, nullptr, nullptr) == PK_OK);
    return text;
  };
  CHECK(sized(PK_LIMIT_DEFAULT) == sized(profkit::default_document_limit));
  CHECK(sized(PK_LIMIT_DEFAULT).size() <= 1'000'000);
  CHECK(sized(1).size() < sized(PK_LIMIT_DEFAULT).size());
  CHECK(sized(PK_LIMIT_DEFAULT).size() < sized(PK_LIMIT_NONE).size());
}

TEST_CASE("gaps through profkit.hpp") {
  const profkit::lib::profile profile = profkit::lib::profile::open(tpu_capture()).or_throw();
  const profkit::lib::bubbles bubbles = profile.find_bubbles().or_throw();
  std::size_t steps = 0, gaps = 0, causes = 0;
  for (const pk_bubble_step& step : *bubbles.rows<pk_bubble_step>()) {
    CHECK(step.end_ps > step.start_ps);
    CHECK(step.step == static_cast<std::int64_t>(steps++));
  }
  CHECK(steps == 414);
  CHECK(bubbles.device_count() == 4);
  CHECK(bubbles.device_name(3) == "/device:TPU:3");
  for (const pk_cause& cause : *bubbles.rows<pk_cause>()) CHECK(cause.gap == causes++);
  for (const pk_bubble& gap : *bubbles.rows<pk_bubble>()) {
    CHECK(gap.end_ps > gap.start_ps);
    CHECK(gap.host_ps <= gap.end_ps - gap.start_ps);
    ++gaps;
  }
  CHECK(gaps > 0);
  CHECK(causes == gaps);
  // Every table of the analysis is a table of the profile, too.
  std::size_t of_profile = 0;
  for (const pk_bubble& gap : *profile.rows<pk_bubble>()) of_profile += gap.end_ps > gap.start_ps ? 1 : 0;
  CHECK(of_profile == gaps);
}

TEST_CASE("text of gaps and causes lives as long as the analysis") {
  const profkit::lib::profile profile = profkit::lib::profile::open(tpu_capture()).or_throw();
  const profkit::lib::bubbles bubbles = profile.find_bubbles().or_throw();
  check_text_outlives_table<pk_bubble>(bubbles, {&pk_bubble::before, &pk_bubble::after});
  check_text_outlives_table<pk_cause>(bubbles, {&pk_cause::span});
}

TEST_CASE("bubbles: arguments that make no sense") {
  const auto profile = opened(tpu_capture());
  pk_bubbles* bubbles = reinterpret_cast<pk_bubbles*>(1);
  error_slot error;
  CHECK(pk_bubbles_open(nullptr, nullptr, &bubbles, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(bubbles == nullptr);
  CHECK(pk_bubbles_open(profile.get(), nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  pk_bubbles_options options = PK_BUBBLES_OPTIONS_INIT;
  options.window_policy = 7;
  CHECK(pk_bubbles_open(profile.get(), &options, &bubbles, error.out()) == PK_E_INVALID_ARGUMENT);
  options = PK_BUBBLES_OPTIONS_INIT;
  options.flags = 64;
  CHECK(pk_bubbles_open(profile.get(), &options, &bubbles, error.out()) == PK_E_UNSUPPORTED);
  options = PK_BUBBLES_OPTIONS_INIT;
  options.threshold_count = 1;
  CHECK(pk_bubbles_open(profile.get(), &options, &bubbles, error.out()) == PK_E_INVALID_ARGUMENT);
  const char* const wrong[] = {"idle_ratio"};
  options.thresholds = wrong;
  CHECK(pk_bubbles_open(profile.get(), &options, &bubbles, error.out()) == PK_E_INVALID_ARGUMENT);
  options = PK_BUBBLES_OPTIONS_INIT;
  options.step_pattern = "(";
  CHECK(pk_bubbles_open(profile.get(), &options, &bubbles, error.out()) == PK_E_INVALID_ARGUMENT);
  REQUIRE(pk_bubbles_open(profile.get(), nullptr, &bubbles, error.out()) == PK_OK);
  const owned<pk_bubbles> held(bubbles);
  pk_table* table = reinterpret_cast<pk_table*>(1);
  CHECK(pk_bubbles_table(nullptr, PK_TABLE_GAPS, nullptr, &table, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(table == nullptr);
  CHECK(pk_bubbles_table(bubbles, PK_TABLE_OPS, nullptr, &table, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_bubbles_table(bubbles, PK_TABLE_GAPS, nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  pk_filters filters = PK_FILTERS_INIT;
  filters.plane = "TPU:0";
  pk_table_options asked = PK_TABLE_OPTIONS_INIT;
  asked.filters = &filters;
  CHECK(pk_bubbles_table(bubbles, PK_TABLE_GAPS, &asked, &table, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_bubbles_device_name(bubbles, 99).size == 0);
}
