// Validation through the C ABI: the core's own counts, documents and intervals, and arguments that make no sense.
#include <profkit/core/collectives.hpp>
#include <profkit/core/xspace_writer.hpp>

#include "handles.hpp"

using namespace profkit::test;

namespace {

// A GPU that runs an all-reduce every ms, by a clock that is `shift_ps` ahead.
std::string node_trace(std::int64_t shift_ps, int runs) {
  std::string bytes;
  const auto into = profkit::memory_sink(bytes);
  profkit::xspace_writer w(*into);
  w.begin_plane("/device:GPU:0", 0);
  const auto kernel = w.event_metadata("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  w.begin_line({1, "Stream #1", 1'700'000'000'000'000'000, 0, ""});
  for (std::int64_t i = 1; i <= runs; ++i) {
    w.add_event(kernel, i * 1'000'000'000 + shift_ps, 100'000'000);
    w.add_event_stat(w.stat_metadata("hlo_op"), profkit::stat_value::of_text("all-reduce.1"));
  }
  w.end_plane();
  REQUIRE(w.finish().ok());
  return bytes;
}

struct two_nodes {
  // The second is 200 us ahead, which no all-reduce of 100 us allows, and ran once more.
  std::string first = node_trace(0, 3), second = node_trace(200'000'000, 4);
  owned<pk_profile> a = opened_buffer(first, "node0.xplane.pb"), b = opened_buffer(second, "node1.xplane.pb");
  const pk_profile* both[2] = {a.get(), b.get()};
  profkit::validation_result core(const profkit::validation_options& o) const {
    const auto one = profkit::profile::open_buffer(first, "node0.xplane.pb");
    const auto two = profkit::profile::open_buffer(second, "node1.xplane.pb");
    REQUIRE((one.ok() && two.ok()));
    auto found = profkit::validate_collectives(
        {std::make_shared<const profkit::trace>(*one), std::make_shared<const profkit::trace>(*two)}, o);
    REQUIRE(found.ok());
    return std::move(*found);
  }
};

}  // namespace

TEST_CASE("validate: the C ABI counts and writes what the core does") {
  const two_nodes nodes;
  pk_validation_options options = PK_VALIDATION_OPTIONS_INIT;
  options.flags = PK_VALIDATION_ALIGN | PK_VALIDATION_HAS_BOUND;
  options.bound_ps = 1'000'000;
  pk_validation* made = nullptr;
  error_slot error;
  REQUIRE(pk_validation_open(nodes.both, 2, &options, &made, error.out()) == PK_OK);
  const owned<pk_validation> validation(made);
  profkit::validation_options o;
  o.bound_ps = options.bound_ps;
  const profkit::validation_result found = nodes.core(o);
  const profkit::alignment_result aligned = profkit::align_by_collectives(found);
  pk_validation_summary summary;
  REQUIRE(pk_validation_get(made, &summary, error.out()) == PK_OK);
  CHECK(summary.status == PK_DOCUMENT_STATUS_OK);
  CHECK(summary.node_count == 2);
  CHECK(summary.group_count == 3);
  CHECK(summary.violations == 3);
  CHECK(summary.violations == found.violations);
  CHECK(summary.violations_raw == found.violations_raw);
  CHECK(summary.pair_violations == found.pair_violations);
  CHECK(summary.overlaps == found.overlaps);
  CHECK(summary.unjudged == found.unjudged);
  CHECK(summary.warnings == found.warnings);
  CHECK(summary.warnings == 2);  // the counts differ, and one has no partner
  CHECK(summary.bounds_known == 1);

  std::string ours, theirs;
  std::int32_t status = -1;
  REQUIRE(pk_validation_write(made, append, &ours, &status, error.out()) == PK_OK);
  CHECK(status == PK_DOCUMENT_STATUS_OK);
  auto into = profkit::memory_sink(theirs);
  REQUIRE(profkit::write_validation(found, &aligned, *into).ok());
  REQUIRE(into->finish().ok());
  CHECK(ours == theirs);
  options.limit = 1;
  pk_validation* shorter = nullptr;
  REQUIRE(pk_validation_open(nodes.both, 2, &options, &shorter, error.out()) == PK_OK);
  const owned<pk_validation> kept(shorter);
  theirs.clear();
  REQUIRE(pk_validation_write(shorter, append, &theirs, &status, error.out()) == PK_OK);
  CHECK(theirs.size() < ours.size());
  CHECK(theirs.find("\"limited\"") != std::string::npos);
  ours.clear();
  theirs.clear();
  REQUIRE(pk_validation_write_csv(made, append, &ours, error.out()) == PK_OK);
  into = profkit::memory_sink(theirs);
  REQUIRE(profkit::write_validation_csv(found, *into).ok());
  REQUIRE(into->finish().ok());
  CHECK(ours == theirs);

  pk_clock_interval intervals[2];
  std::size_t count = 0;
  REQUIRE(pk_clock_intervals_read(made, 0, intervals, 2, &count, error.out()) == PK_OK);
  REQUIRE(count == 2);
  const profkit::clock_relation& r = aligned.nodes[1].to_reference;
  CHECK(intervals[1].node_id == 1);
  CHECK(intervals[1].least_offset_ps == r.least_offset_ps);
  CHECK(intervals[1].most_offset_ps == r.most_offset_ps);
  CHECK(intervals[1].least_offset_ps <= 200'000'000);
  CHECK(intervals[1].most_offset_ps >= 200'000'000);
  CHECK(intervals[1].constraints == 3);
}

TEST_CASE("validate: no clocks were asked for, and a node that is not there") {
  const two_nodes nodes;
  pk_validation* made = nullptr;
  error_slot error;
  REQUIRE(pk_validation_open(nodes.both, 2, nullptr, &made, error.out()) == PK_OK);
  const owned<pk_validation> both(made);
  pk_validation_summary summary;
  std::size_t count = 1;
  pk_clock_interval interval;
  CHECK(pk_clock_intervals_read(made, 0, &interval, 1, &count, error.out()) == PK_END);  // nobody asked for them

  const pk_profile* one[2] = {nodes.a.get(), nullptr};
  REQUIRE(pk_validation_open(one, 2, nullptr, &made, error.out()) == PK_OK);
  const owned<pk_validation> alone(made);
  REQUIRE(pk_validation_get(made, &summary, error.out()) == PK_OK);
  CHECK(summary.status == PK_DOCUMENT_STATUS_ABSENT);
  CHECK(summary.group_count == 0);
}

TEST_CASE("validate: a caller who stops, and arguments that make no sense") {
  const two_nodes nodes;
  error_slot error;
  pk_validation* made = reinterpret_cast<pk_validation*>(1);
  CHECK(pk_validation_open(nullptr, 2, nullptr, &made, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(made == nullptr);
  CHECK(pk_validation_open(nodes.both, 0, nullptr, &made, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_validation_open(nodes.both, 2, nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  pk_validation_options options = PK_VALIDATION_OPTIONS_INIT;
  options.flags = 1U << 30;
  CHECK(pk_validation_open(nodes.both, 2, &options, &made, error.out()) == PK_E_UNSUPPORTED);
  pk_cancel_token* token_made = nullptr;
  REQUIRE(pk_cancel_token_new(&token_made, nullptr) == PK_OK);
  const owned<pk_cancel_token> token(token_made);
  pk_cancel_token_cancel(token_made);
  pk_hooks hooks = PK_HOOKS_INIT;
  hooks.cancel = token_made;
  options.flags = 0;
  options.hooks = &hooks;
  CHECK(pk_validation_open(nodes.both, 2, &options, &made, error.out()) == PK_E_CANCELLED);
  CHECK(made == nullptr);
  REQUIRE(pk_validation_open(nodes.both, 2, nullptr, &made, error.out()) == PK_OK);
  const owned<pk_validation> validation(made);
  CHECK(pk_validation_write(made, nullptr, nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_validation_write(made, refuse, nullptr, nullptr, error.out()) == PK_E_CANCELLED);
  CHECK(pk_validation_write_csv(made, refuse, nullptr, error.out()) == PK_E_CANCELLED);
  CHECK(pk_validation_get(nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_validation_get(made, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
}
