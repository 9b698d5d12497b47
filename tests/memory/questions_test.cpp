// What people ask next: fit, what-if, donation, the curve, and the choice of a module.
#include <profkit/core/memory.hpp>

#include <catch.hpp>

#include "hlo_builder.hpp"
#include "oracle.hpp"

#include <algorithm>

using namespace profkit;
using namespace profkit::test;

namespace {

// b (100) lives from b to d, c (50) and e (70) in between: b is only carried along.
std::string module_text() {
  module_parts p;
  p.name = "jit_ask";
  p.computations = {computation(
      1, "main",
      {instruction(1, "a", "parameter"), instruction(2, "b", "add", {1}, {}, "jit/add"),
       instruction(3, "c", "multiply", {1}), instruction(5, "e", "exp", {3}), instruction(4, "d", "negate", {2, 5})},
      4)};
  p.sequences = {sequence(1, {1, 2, 3, 5, 4})};
  p.buffers = {logical_buffer(10, 16, 1), logical_buffer(11, 100, 2), logical_buffer(12, 50, 3),
               logical_buffer(14, 70, 5), logical_buffer(13, 16, 4)};
  p.allocations = {allocation(0, 16, parameter, {{10, 0, 16}}), allocation(1, 16, live_out, {{13, 0, 16}}),
                   allocation(2, 256, temporary, {{11, 0, 100}, {12, 100, 50}, {14, 150, 70}})};
  p.traces = {heap_trace({heap_event(alloc, 11, 0, "b"), heap_event(alloc, 12, 0, "c"), heap_event(alloc, 14, 0, "e"),
                          heap_event(free_, 12), heap_event(free_, 14), heap_event(free_, 11)},
                         2)};
  return p.text();
}

result<memory_result> ask(const std::string& text, const memory_options& o) {
  const auto opened = profile::open_buffer(text, "ask.hlo_proto.pb");
  REQUIRE(opened.ok());
  return analyse_memory(trace(**opened), o);
}

}  // namespace

TEST_CASE("rematerialisation cuts the interval of a buffer") {
  const std::string text = module_text();
  memory_options o;
  o.remat = {"b"};
  const auto r = ask(text, o);
  REQUIRE(r.ok());
  REQUIRE(r->hlo->what_if.size() == 1);
  const what_if_result& w = r->hlo->what_if[0];
  CHECK(w.n_buffers == 1);
  CHECK(w.buffer_bytes == 100);
  CHECK(w.before_bytes == 32 + 220);
  CHECK(w.after_bytes == 32 + 120);  // c and e at once, b not there
  CHECK(w.claim.find("cannot fall below") != std::string::npos);

  o.remat = {"no_such"};
  const auto none = ask(text, o);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == fault_code::not_found);
  CHECK(none.error().hint.find(" b") != std::string::npos);

  o.remat.clear();
  o.offload = {"a"};
  CHECK(ask(text, o)->hlo->what_if[0].after_bytes == 32 + 220);  // a parameter stays
}

TEST_CASE("does it fit, and by how much") {
  const std::string text = module_text();
  memory_options o;
  o.fit_bytes = 288;
  auto r = ask(text, o);
  REQUIRE(r->fit);
  CHECK(r->fit->fits);
  CHECK(r->fit->spare_bytes == 0);
  o.fit_bytes = 200;
  r = ask(text, o);
  CHECK_FALSE(r->fit->fits);
  CHECK(r->fit->spare_bytes == -88);
  CHECK(r->fit->needed_by == "jit_ask(7)");
}

TEST_CASE("parameters with the shape of a result are donation candidates") {
  const std::string text = module_text();
  const auto r = ask(text, {});
  REQUIRE(r->hlo->donation.size() == 1);
  CHECK(r->hlo->donation[0].parameter_name == "a");
  CHECK(r->hlo->donation[0].output_name == "d");
  CHECK(r->hlo->donation[0].saved_bytes == 16);
}

TEST_CASE("the curve keeps every extremum, or the extremes of each part") {
  const std::string text = module_text();
  memory_options o;
  o.curve_points = 100;
  auto r = ask(text, o);
  REQUIRE(r->hlo->curve);
  REQUIRE(r->hlo->curve->points.size() == 6);
  CHECK(r->hlo->curve->points[2].live_bytes == 252);
  CHECK(r->hlo->curve->every_extremum);
  o.curve_points = 3;  // up to the peak and down again
  r = ask(text, o);
  REQUIRE(r->hlo->curve->points.size() == 3);
  CHECK(r->hlo->curve->points[1].live_bytes == 252);
  CHECK(r->hlo->curve->every_extremum);
  o.curve_points = 1;
  r = ask(text, o);
  REQUIRE(r->hlo->curve->points.size() == 1);
  CHECK(r->hlo->curve->points[0].live_bytes == 252);
  CHECK_FALSE(r->hlo->curve->every_extremum);
}

TEST_CASE("a curve of a million events keeps its extremes in a thousand points") {
  const auto oracles = corpus_path("oracles/xspace-and-memory/in/jax_transformer");
  if (!oracles) PROFKIT_SKIP_WITHOUT_CORPUS;
  const auto opened = profile::open(oracles->string());
  REQUIRE(opened.ok());
  memory_options o;
  o.module = "jit_loss";
  o.curve_points = 20;
  const auto r = analyse_memory(trace(**opened), o);
  REQUIRE(r.ok());
  const live_curve& c = *r->hlo->curve;
  CHECK(c.points.size() <= 20);
  const auto most = std::max_element(c.points.begin(), c.points.end(), [](const curve_point& a, const curve_point& b) {
    return a.live_bytes < b.live_bytes;
  });
  CHECK(most->live_bytes == r->modules[r->hlo->module].space(0)->peak_bytes);
  for (std::size_t i = 1; i < c.points.size(); ++i) CHECK(c.points[i - 1].event < c.points[i].event);
}

TEST_CASE("a module is chosen by the highest peak, by name or by id, and the choice is told") {
  const auto oracles = corpus_path("oracles/xspace-and-memory/in/jax_mlp_train");
  if (!oracles) PROFKIT_SKIP_WITHOUT_CORPUS;
  const auto opened = profile::open(oracles->string());
  REQUIRE(opened.ok());
  const profile& p = **opened;
  auto r = analyse_memory(trace(p));
  CHECK(r->modules[r->hlo->module].label == "jit_train_step(36)");
  CHECK(r->hlo->static_peak_bytes == 7313168);
  CHECK(r->hlo->temp_pool_alloc_index == 56);
  CHECK(r->hlo->thread_local_excluded_bytes == 108);
  CHECK(r->hlo->all_allocations_bytes == 7313276);
  CHECK(r->selection.find("highest peak") != std::string::npos);
  // 20 modules, embedded in the XSpace and dumped beside it.
  CHECK(r->modules.size() == 20);
  for (const module_memory& m : r->modules) CHECK(m.sources.size() == 2);

  memory_options o;
  o.module = "jit__randint";
  CHECK(analyse_memory(trace(p), o)->hlo->static_peak_bytes == 4496);
  o.module = "34";
  CHECK(analyse_memory(trace(p), o)->hlo->static_peak_bytes == 4496);
  o.module = "jit__normal";
  r = analyse_memory(trace(p), o);
  CHECK(r->modules[r->hlo->module].label == "jit__normal(16)");
  CHECK(r->selection.find("4 modules") != std::string::npos);
  o.module = "jit_nothing";
  r = analyse_memory(trace(p), o);
  REQUIRE_FALSE(r.ok());
  CHECK(r.error().code == fault_code::not_found);
  CHECK(r.error().hint.find("jit_train_step(36)") != std::string::npos);
}

TEST_CASE("another memory space is looked into, by the module that fills it most") {
  const auto path = corpus_path("oracles/xspace-and-memory/in/tpu2");
  if (!path) PROFKIT_SKIP_WITHOUT_CORPUS;
  const auto opened = profile::open(path->string());
  REQUIRE(opened.ok());
  memory_options o;
  o.memory_space = *memory_space_color("host");
  CHECK(o.memory_space == 5);
  o.fit_bytes = std::uint64_t{16} << 30;
  auto r = analyse_memory(trace(**opened), o);
  REQUIRE(r.ok());
  CHECK(r->hlo->static_peak_bytes == 16106127360);
  CHECK(r->hlo->alive.size() == 3);
  CHECK(r->hlo->alive[0].kind == residency::indefinite);
  CHECK(r->fit->fits);  // device memory is another matter
  CHECK(r->selection.find("memory space 5") != std::string::npos);
  for (const memory_invariant& i : r->invariants)
    if (i.id == "C1") CHECK_FALSE(i.holds);  // not the same memory
  o.module = "jit__psum";
  r = analyse_memory(trace(**opened), o);
  REQUIRE_FALSE(r.ok());
  CHECK(r.error().code == fault_code::not_found);
  CHECK(r.error().hint.find("0 (HBM)") != std::string::npos);
  CHECK_FALSE(memory_space_color("HBM2"));
  CHECK_FALSE(memory_space_color(""));
  CHECK(memory_space_color("17") == 17);
}
