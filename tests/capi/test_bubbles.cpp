// The bubble detector through the C ABI: the command's own document, and arguments that make no sense.
#include <profkit/core/bubbles.hpp>

#include <profkit/profkit.hpp>

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
  const auto found = profkit::analyse_bubbles(*core, o);
  REQUIRE(found.ok());
  const auto sink = profkit::memory_sink(theirs);
  REQUIRE(profkit::write_bubbles_document(**core, o, *found, *sink).ok());
  REQUIRE(sink->finish().ok());
  CHECK(ours == theirs);
}

TEST_CASE("gaps through profkit.hpp") {
  const profkit::lib::profile profile = profkit::lib::profile::open(tpu_capture()).or_throw();
  const profkit::lib::bubbles bubbles = profile.find_bubbles().or_throw();
  REQUIRE(bubbles.step_count() > 100);
  CHECK(bubbles.step(0).end_ps > bubbles.step(0).start_ps);
  std::size_t gaps = 0;
  for (const pk_bubble& gap : bubbles.gaps()) {
    CHECK(gap.end_ps > gap.start_ps);
    CHECK(gap.host_ps <= gap.end_ps - gap.start_ps);
    ++gaps;
  }
  CHECK(gaps > 0);
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
  pk_bubble row;
  std::size_t count = 1;
  CHECK(pk_bubbles_read(bubbles, 0, &row, 0, &count, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_bubbles_read(bubbles, ~std::uint64_t{0}, &row, 1, &count, error.out()) == PK_END);
  CHECK(count == 0);
  CHECK(pk_bubbles_device_name(bubbles, 99).size == 0);
}
