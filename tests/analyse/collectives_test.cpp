// Collectives: flows in pairs, the one-event form of real TPU captures, halves that are missing, kernels.
#include "capture_builder.hpp"
#include "support.hpp"

#include <base/collective_names.hpp>
#include <base/communication_kernels.hpp>

#include <map>
#include <optional>

using namespace profkit;
using namespace profkit::test;

TEST_CASE("names tell operations, roles and libraries") {
  CHECK(instruction_name("%copy-done.2 = f32[5] copy-done((f32[5]) %x)") == "copy-done.2");
  CHECK(instruction_name("all-reduce.3") == "all-reduce.3");
  CHECK(role_of("all-gather-start.12") == async_role::start);
  CHECK(role_of("copy-done") == async_role::done);
  CHECK(role_of("copy-done.1.clone") == async_role::done);
  CHECK(role_of("start-up") == async_role::none);
  CHECK(operation_of("all-gather-start.12") == "all-gather");
  CHECK(operation_of("copy") == "copy");
  CHECK(collective_of("all-reduce") == "all-reduce");
  CHECK(collective_of("all-reduce fusion") == "all-reduce");
  CHECK(collective_of("all-reduce-scatter.7") == "all-reduce-scatter");
  CHECK(collective_of("reduce-scatter-start") == "reduce-scatter");
  CHECK(collective_of("ragged-all-to-all.1") == "ragged-all-to-all");
  CHECK(collective_of("collective-permute-done.4") == "collective-permute");
  CHECK(collective_of("send-done.3") == "send");
  CHECK(collective_of("sender").empty());
  CHECK(collective_of("reduce").empty());
  CHECK(collective_of("copy-start").empty());
  CHECK(collective_of("").empty());
  CHECK(collective_library_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)") == "nccl");
  CHECK(collective_library_of("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)") == "nccl");
  CHECK(collective_library_of("ncclAllReduceRingLLKernel_sum_f32(ncclColl)") == "nccl");
  CHECK(collective_library_of("void mscclKernel_Sum_half_LL(x)") == "msccl");
  CHECK(collective_library_of("void stream_executor::gpu::AllReduceKernelImpl<float>(x)") == "xla");
  CHECK(collective_library_of("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(x)") ==
        "torch");
  CHECK(collective_library_of("void vllm::cross_device_reduce_1stage<float, 8>(vllm::RankData*)") == "vllm");
  CHECK(bare_kernel_name("void at::native::(anonymous namespace)::fill<int>((anonymous namespace)::op)") == "fill");
  CHECK(collective_library_of("fusion_ncclDevKernel").empty());
  CHECK(collective_library_of("").empty());
}

TEST_CASE("kernels communicate by their own name and namespace, whatever stands in their arguments") {
  const auto what = [](std::string_view name) { return communication_of(name).what; };
  constexpr auto none = kernel_communication::none, all_to_all = kernel_communication::all_to_all;
  // Underscores, capitals and neither; a number at the end; what a loader appends.
  for (const char* name : {"all_reduce_kernel", "allReduceKernel", "void AllReduce<float>(x)", "ALL_REDUCE_2",
                           "_ZL17all_reduce_kernelPf", "allreduce.kd", "all_reduce(x) [clone .kd]", "f32AllReduce_7"})
    CHECK(what(name) == kernel_communication::collective);
  for (const char* name : {"all_kernel_reduce", "allreducer", "small_reduce", "reduce_all", "_fused_moe_gather_kernel", "",
                           "void", "::", "f<all_reduce>(all_reduce)", "%all-reduce.1 = f32[8] all-reduce(x)",
                           "all_reduce.3 = f32[8] fusion(x)", "a::all_reduce::b"})
    CHECK(what(name) == none);
  CHECK(what("moeA2ADispatchKernel") == all_to_all);
  CHECK(what("moeA2APrepareDispatchKernel") == none);
  CHECK(what("OneShotAll2allSdmaKernel_u32") == all_to_all);
  // Namespaces, also of mangled names and of classes that are templates.
  CHECK(what("void deep_ep::intranode::dispatch<8, 768>(int4*)") == all_to_all);
  CHECK(what("_ZN7deep_ep9intranode8dispatchILi8ELi768EEvP4int4") == all_to_all);
  CHECK(what("_ZN12_GLOBAL__N_112internode_ll7combineEv") == all_to_all);
  CHECK(what("void uccl::internode<4>::combine<x>(y)") == all_to_all);
  CHECK(what("void deep_ep::layout::get_dispatch_layout<256>(x)") == none);
  CHECK(what("void dispatch<8, 768>(int4*)") == none);
  CHECK(what("_ZN99deep_ep8dispatchEv") == none);
  CHECK(what("_ZN18446744073709551617deep_ep8dispatchEv") == none);
  CHECK(what("_Z") == none);
  CHECK(what("std::enable_if<((sizeof(half))>=(2)), void>::type vllm::cross_device_reduce_1stage<half>(half*)") ==
        kernel_communication::collective);
  CHECK(what("void at::native::(anonymous namespace)::all_reduce<x>(y)") == none);
  CHECK(what("void (anonymous namespace)::dispatchKernel<10, true>(x)") == all_to_all);
  CHECK(what("void other::dispatchKernel<10, true>(x)") == none);
  CHECK(what("dispatch_kernel") == none);
  CHECK(what("triton_red_fused_all_reduce_mean_0") == none);
  CHECK(what("MatmulAllReduce") == none);
  CHECK(collective_library_of("rcclGenericKernel") == "rccl");
  CHECK(collective_library_of("all_gather_kernel") == "custom");
  // Parts and words without end.
  std::string longest;
  for (int i = 0; i < 1000; ++i) longest += "a_";
  CHECK(what(longest + "all_reduce") == none);
  for (int i = 0; i < 1000; ++i) longest += "::a";
  CHECK(what(longest + "::ncclKernel") == kernel_communication::collective);
}

TEST_CASE("start and done events are joined by flow") {
  plane_builder p("/device:TPU:0");
  const auto flow = [&](std::int64_t n) { return p.int_stat("flow", n); };
  p.line("Async XLA Ops",
         {p.event("%all-gather-start.1 = x", 100, 5, {flow(7), p.text_stat("hlo_op", "all-gather-start.1")}),
          p.event("%all-gather-done.1 = x", 400, 30, {flow(7), p.int_stat("device_duration_ps", 25)}),
          p.event("%all-reduce-done.2 = x", 50, 10, {flow(9), p.int_stat("device_duration_ps", 9)}),
          p.event("%all-reduce-start.3 = x", 60, 10, {flow(11)}), p.event("nothing", 1, 1)},
         2);
  const opened held = open_bytes(space_of({p}));
  const auto found = analyse_collectives(trace(*held));
  REQUIRE(found);
  CHECK(found->flows == 3);
  CHECK(found->events_without_flow == 1);
  REQUIRE(found->async.size() == 4);

  const async_row& pair = found->async[0];
  CHECK(pair.shape == async_row::form::pair);
  CHECK(pair.flow == 7u);
  CHECK(pair.events == 2);
  CHECK(pair.start_ps == 2100);  // 2 ns after the origin
  CHECK(pair.duration_ps == 330);
  CHECK(pair.exposed_stall_ps == 25);
  CHECK(pair.exposed_from == "done event");
  CHECK(pair.category == "all-gather");
  CHECK(pair.hlo_op == "all-gather-start.1");

  CHECK(found->async[1].shape == async_row::form::unmatched_done);
  CHECK(found->async[1].exposed_stall_ps == 9);
  CHECK(found->async[2].shape == async_row::form::unmatched_start);
  CHECK(!found->async[2].exposed_stall_ps);
  CHECK(found->async[3].shape == async_row::form::single);
  CHECK(!found->async[3].flow);
}

TEST_CASE("of a flow with many events the first, the last that says done and the greatest end count") {
  plane_builder p("/device:TPU:0");
  const auto part = [&](const char* name, std::int64_t offset_ps, std::int64_t duration_ps, std::int64_t waited_ps) {
    return p.event(name, offset_ps, duration_ps,
                   {p.int_stat("flow", 1), p.text_stat("hlo_op", name), p.int_stat("device_duration_ps", waited_ps)});
  };
  // In front of the origin: no end is above 0. The file's order is not that of the starts, which are equal, too.
  p.line("Async XLA Ops",
         {part("copy-done.2", -900, 10, 2), part("copy-start.1", -950, 300, 1), part("copy-start.3", -950, 5, 3),
          part("copy-done.4", -900, 20, 4), part("copy-start.5", -700, 1, 5)});
  const opened held = open_bytes(space_of({p}));
  const auto found = analyse_collectives(trace(*held));
  REQUIRE(found);
  REQUIRE(found->async.size() == 1);
  const async_row& row = found->async[0];
  CHECK(row.events == 5);
  CHECK(row.name == "copy-start.1");  // of equal starts the first in the file
  CHECK(row.hlo_op == "copy-start.1");
  CHECK(row.start_ps == -950);
  CHECK(row.duration_ps == 300);     // to -650
  CHECK(row.exposed_stall_ps == 4);  // of equal starts the last in the file

  const auto ops = analyse_ops(trace(*held));
  REQUIRE(ops);
  const auto again = analyse_collectives(trace(*held), *ops);
  REQUIRE(again);
  CHECK(again->async.size() == 1);
  CHECK(again->ops.size() == found->ops.size());
}

TEST_CASE("one event a flow spans start to done, and its stall is that of the done operation") {
  plane_builder p("/device:TPU:0");
  p.line("Async XLA Ops",
         {p.event("%copy-start.1 = x", 100, 50, {p.uint_stat("flow", 3), p.text_stat("hlo_op", "copy-done.1")}),
          p.event("%copy-start.2 = x", 200, 50, {p.uint_stat("flow", 4), p.ref_stat("hlo_op", "copy-done.2")}),
          p.event("%copy-start.3 = x", 300, 50, {p.uint_stat("flow", 5), p.text_stat("hlo_op", "copy-done.3")})});
  p.line("XLA Ops",
         {p.event("%copy-done.1 = x", 130, 20, {p.uint_stat("device_duration_ps", 21)}),
          p.event("%copy-done.2 = x", 240, 10),   // no stat: its own duration
          p.event("%copy-done.9 = x", 340, 10)},  // another operation ends there
         0, 2);
  p.metadata("%copy-start.1 = x").sub(5, p.text_stat("hlo_category", "copy-start"));
  const opened held = open_bytes(space_of({p}));
  const auto found = analyse_collectives(trace(*held));
  REQUIRE(found);
  REQUIRE(found->async.size() == 3);
  for (const async_row& row : found->async) CHECK(row.shape == async_row::form::single);
  CHECK(found->async[0].exposed_stall_ps == 21);
  CHECK(found->async[0].exposed_from == "XLA Ops");
  CHECK(found->async[0].category == "copy");
  CHECK(found->async[1].exposed_stall_ps == 10);
  CHECK(found->async[1].hlo_op == "copy-done.2");
  CHECK(!found->async[2].exposed_stall_ps);
  CHECK(found->async[2].exposed_from.empty());
}

TEST_CASE("a flight and the wait in it are told by one clock, or the wait is not told") {
  plane_builder p("/device:TPU:0");
  const auto flight = [&](const char* name, std::int64_t start_ps, std::int64_t flow, const char* done) {
    return p.event(name, start_ps, 50, {p.uint_stat("flow", flow), p.text_stat("hlo_op", done)});
  };
  const auto op = [&](const char* name, std::int64_t start_ps, std::int64_t duration_ps, std::int64_t device_start_ps,
                      std::int64_t device_ps) {
    return p.event(name, start_ps, duration_ps,
                   {p.uint_stat("device_offset_ps", device_start_ps), p.uint_stat("device_duration_ps", device_ps)});
  };
  p.line("Async XLA Ops", {flight("%copy-start.1 = x", 100, 3, "copy-done.1"),
                           flight("%copy-start.2 = x", 200, 4, "copy-done.2"),
                           flight("%copy-start.3 = x", 300, 5, "copy-done.3"),
                           flight("%copy-start.4 = x", 400, 6, "copy-done.4")});
  p.line("XLA Ops",
         {op("%copy-start.1 = x", 100, 1, 1100, 1), op("%copy-done.1 = x", 110, 40, 1110, 70),  // 1100 to 1180
          op("%copy-done.2 = x", 210, 40, 1210, 51),  // where it began the device does not say, and 51 > 50
          op("%copy-done.3 = x", 310, 40, 1310, 50),
          op("%copy-start.4 = x", 400, 1, 1400, 1), op("%copy-done.4 = x", 410, 40, 10, 45)},  // its clock began anew
         0, 2);
  const opened held = open_bytes(space_of({p}));
  const auto found = analyse_collectives(trace(*held));
  REQUIRE(found);
  REQUIRE(found->async.size() == 4);
  for (const async_row& row : found->async) CHECK(row.duration_ps == 50);
  CHECK(found->async[0].exposed_stall_ps == 70);
  CHECK(found->async[0].in_flight_ps == 80);
  CHECK(!found->async[1].exposed_stall_ps);
  CHECK(found->async[1].exposed_from.empty());
  CHECK(found->async[1].in_flight_ps == 50);
  CHECK(found->async[2].exposed_stall_ps == 50);
  CHECK(found->async[2].in_flight_ps == 50);
  CHECK(found->async[3].exposed_stall_ps == 45);
  CHECK(found->async[3].in_flight_ps == 50);
}

TEST_CASE("a pair whose halves have the device's clock is told by it") {
  plane_builder p("/device:TPU:0");
  const auto half = [&](const char* name, std::int64_t flow, std::int64_t start_ps, std::int64_t duration_ps,
                        std::int64_t device_start_ps, std::int64_t device_ps) {
    return p.event(name, start_ps, duration_ps,
                   {p.int_stat("flow", flow), p.uint_stat("device_offset_ps", device_start_ps),
                    p.uint_stat("device_duration_ps", device_ps)});
  };
  p.line("Async XLA Ops", {half("%all-gather-start.1 = x", 7, 100, 5, 1100, 5),
                           half("%all-gather-done.1 = x", 7, 130, 20, 1140, 60),
                           half("%all-gather-start.2 = x", 8, 200, 90, 1200, 90),  // reaches beyond its done
                           half("%all-gather-done.2 = x", 8, 230, 20, 1240, 100)});
  const opened held = open_bytes(space_of({p}));
  const auto found = analyse_collectives(trace(*held));
  REQUIRE(found);
  REQUIRE(found->async.size() == 2);
  CHECK(found->async[0].duration_ps == 50);
  CHECK(found->async[0].in_flight_ps == 100);
  CHECK(found->async[0].exposed_stall_ps == 60);
  CHECK(found->async[1].in_flight_ps == 90);
  CHECK(!found->async[1].exposed_stall_ps);
}

TEST_CASE("collectives take as long as their ops: by the device's clock, over all programs") {
  plane_builder tpu("/device:TPU:0");
  const auto timed = [&](std::int64_t offset_ps, std::int64_t duration_ps, std::int64_t device_ps) {
    return tpu.event("%all-reduce.1 = x", offset_ps, duration_ps,
                     {tpu.uint_stat("device_offset_ps", offset_ps), tpu.uint_stat("device_duration_ps", device_ps),
                      tpu.int_stat("program_id", offset_ps)});
  };
  tpu.line("XLA Ops", {timed(0, 10, 15), timed(20, 30, 20)});
  const opened held = open_bytes(space_of({tpu}));
  const auto found = analyse_collectives(trace(*held));
  REQUIRE(found);
  REQUIRE(found->ops.size() == 1);
  CHECK(found->ops[0].count == 2);
  CHECK(found->ops[0].total_ps == 35);
  CHECK(found->ops[0].min_ps == 15);
  CHECK(found->ops[0].max_ps == 20);
}

TEST_CASE("synchronous collectives and kernels are totalled by name") {
  plane_builder tpu("/device:TPU:0");
  tpu.line("XLA Ops", {tpu.event("%all-reduce.1 = x", 0, 10), tpu.event("%all-reduce.1 = x", 20, 30),
                       tpu.event("%fusion.1 = x", 50, 5), tpu.event("%fusion.2 = x", 60, 7),
                       tpu.event("%all-gather-done.4 = x", 70, 3)});
  tpu.metadata("%fusion.2 = x").sub(5, tpu.text_stat("hlo_category", "all-reduce fusion"));
  const opened held_tpu = open_bytes(space_of({tpu}));
  const auto ops = analyse_collectives(trace(*held_tpu));
  REQUIRE(ops);
  REQUIRE(ops->ops.size() == 3);
  CHECK(ops->ops[0].category == "all-reduce");
  CHECK(ops->ops[0].count == 2);
  CHECK(ops->ops[0].total_ps == 40);
  CHECK(ops->ops[0].max_ps == 30);
  CHECK(ops->ops[1].category == "all-reduce");
  CHECK(ops->ops[2].category == "all-gather-done");

  plane_builder gpu("/device:GPU:0");
  gpu.line("Stream #1(Compute)", {gpu.event("ncclDevKernel_AllReduce_Sum(x)", 0, 8), gpu.event("gemm", 9, 1)}, 0, 14);
  const opened held = open_bytes(space_of({gpu}));
  const auto kernels = analyse_collectives(trace(*held));
  REQUIRE(kernels);
  REQUIRE(kernels->ops.size() == 1);
  CHECK(kernels->ops[0].category == "all-reduce");

  plane_builder none("/device:GPU:0");
  none.line("Stream #1(Compute)", {none.event("gemm", 9, 1)}, 0, 14);
  const opened held_none = open_bytes(space_of({none}));
  const auto absent = analyse_collectives(trace(*held_none));
  REQUIRE(absent);
  CHECK(!absent->absent.empty());
}

namespace {

// The ops of a capture that communicate, all lines together: name and category, executions and their time.
using op_facts = std::map<std::pair<std::string, std::string>, std::pair<std::uint64_t, std::int64_t>>;
op_facts facts_of(const profile& p, const query_filters& o = {}) {
  const auto found = analyse_collectives(trace(p), o);
  REQUIRE(found);
  op_facts facts;
  for (const collective_op_row& row : found->ops) {
    auto& [count, total_ps] = facts[{std::string(row.name), std::string(row.category)}];
    count += row.count;
    total_ps += row.total_ps;
  }
  return facts;
}

std::string program(const std::string& name, std::int64_t id,
                    const std::vector<std::pair<std::string, std::string>>& names_and_opcodes) {
  message computation;
  for (const auto& [instruction, opcode] : names_and_opcodes)
    computation.sub(2, message().text(1, instruction).text(2, opcode));
  return message().sub(1, message().text(1, name).number(5, id).sub(3, computation)).bytes();
}

}  // namespace

TEST_CASE("programs tell what the instructions of hosts are") {
  plane_builder programs("/host:metadata");
  const auto add = [&](const std::string& name, std::int64_t id,
                       const std::vector<std::pair<std::string, std::string>>& instructions) {
    const std::string blob = program(name, id, instructions);
    const std::string label = name + "(" + std::to_string(id) + ")";
    programs.metadata(label).sub(5, programs.bytes_stat("Hlo Proto", blob));
  };
  add("jit_f", 70, {{"psum.7", "all-reduce"}, {"all-reduce", "fusion"}, {"go.1", "all-gather-start"}});
  add("jit_g", 71, {{"psum.7", "add"}, {"twice", "all-to-all"}});
  add("jit_g", 72, {{"twice", "copy"}});

  plane_builder host("/host:CPU");
  const auto op = [&](const std::string& name, std::int64_t at_ps, const std::string& module,
                      std::optional<std::int64_t> id) {
    std::vector<message> stats = {host.ref_stat("hlo_op", name), host.ref_stat("hlo_module", module)};
    if (id) stats.push_back(host.int_stat("program_id", *id));
    return host.event(name, at_ps, 10, stats);
  };
  message aggregated = message().number(1, host.event_id("psum.7")).number(3, 30).number(5, 3);
  aggregated.sub(4, host.ref_stat("hlo_op", "psum.7")).sub(4, host.int_stat("program_id", 70));
  host.line("thread", {op("psum.7", 0, "jit_f", 70), op("psum.7", 20, "jit_g", 71),  // one name and id, two programs
                       op("psum.7", 40, "jit_f", std::nullopt),                      // by the name of the module
                       op("psum.7", 60, "jit_f", 99),                                // no program has this id
                       op("all-reduce", 80, "jit_f", 70),                            // what its name says is not so
                       op("all-reduce", 100, "jit_h", 5),                            // nothing but its name is known
                       op("go.1", 120, "jit_f", 70), op("twice", 140, "jit_g", 71),
                       op("twice", 160, "jit_g", std::nullopt),  // two programs of this name disagree
                       aggregated, host.event("psum.7", 180, 10)});
  const opened held = open_bytes(space_of({programs, host}));
  CHECK(facts_of(*held) == op_facts{{{"psum.7", "all-reduce"}, {6, 60}},
                                    {{"all-reduce", "all-reduce"}, {1, 10}},
                                    {{"go.1", "all-gather-start"}, {1, 10}},
                                    {{"twice", "all-to-all"}, {1, 10}}});
  const auto found = analyse_collectives(trace(*held));
  REQUIRE(found);
  CHECK(found->ops.front().min_ps == 10);
  CHECK(found->ops.front().max_ps == 10);
  query_filters window;
  window.from_ps = 130;
  CHECK(facts_of(*held, window) == op_facts{{{"twice", "all-to-all"}, {1, 10}}});
}

TEST_CASE("collectives of real JAX captures that are named after the jaxpr") {
  // Counts and times: an independent reader's sums over the events with these hlo_op stats.
  const auto two = profile::open(data_path("jax/two_process_rank0").string());
  REQUIRE(two);
  CHECK(facts_of(**two) == op_facts{{{"all-reduce.2", "all-reduce"}, {8, 101139147000}},
                                    {{"psum.7", "all-reduce"}, {8, 33799814000}},
                                    {{"all_gather.7", "all-gather"}, {8, 21691417000}},
                                    {{"all-to-all", "all-to-all"}, {8, 20571117000}},
                                    {{"ppermute.3", "collective-permute"}, {8, 9095591000}}});
  const auto captures = corpus_path("captures/jax/multi_device");
  if (!captures) PROFKIT_SKIP_WITHOUT_CORPUS;
  const auto many = profile::open(captures->string());
  REQUIRE(many);
  CHECK(facts_of(**many) == op_facts{{{"all-reduce.4", "all-reduce"}, {24, 27186260000}},
                                     {{"all-reduce", "all-reduce"}, {24, 20818438000}},
                                     {{"pmax.7", "all-reduce"}, {24, 11349989000}},
                                     {{"ppermute.3", "collective-permute"}, {24, 7087808000}},
                                     {{"psum.7", "all-reduce"}, {24, 4922513000}},
                                     {{"reduce_scatter.7", "reduce-scatter"}, {24, 3336539000}},
                                     {{"all_gather.3", "all-gather"}, {24, 3328086000}},
                                     {{"all-to-all", "all-to-all"}, {24, 2844855000}}});
}

TEST_CASE("every asynchronous copy of a real TPU capture finds its stall") {
  const auto p = profile::open(data_path("xspace/tpu_v6e_inference.xplane.pb").string());
  REQUIRE(p);
  const auto found = analyse_collectives(trace(**p));
  REQUIRE(found);
  CHECK(found->flows == 600);
  CHECK(found->async.size() == 600);
  std::int64_t waited_ps = 0, in_flight_ps = 0;
  for (const async_row& row : found->async) {
    CHECK(row.shape == async_row::form::single);
    CHECK(row.category == "copy");
    REQUIRE(row.exposed_stall_ps);
    CHECK(*row.exposed_stall_ps <= row.in_flight_ps);
    waited_ps += *row.exposed_stall_ps;
    in_flight_ps += row.in_flight_ps;
  }
  // device_duration_ps of the 600 copy-done events of that device, and how far their ends lie behind device_offset_ps of
  // the copy-start events, added up by an independent reader.
  CHECK(waited_ps == 76009515471250);
  CHECK(in_flight_ps == 196365448587500);
}
