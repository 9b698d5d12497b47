// Why a device waited: every rule at its edge, on activities built by hand.
#include "look.hpp"
#include "memory_activity.hpp"

#include <profkit/core/bubbles.hpp>

#include <catch.hpp>

#include <array>
#include <optional>
#include <string>

using namespace profkit;
using namespace profkit::test;

namespace {

// A step of 20 ms whose device waits from 5 to 15 ms.
constexpr std::int64_t from = 5 * ms, gap = 10 * ms, to = from + gap;
constexpr std::uint32_t launcher = 7, other = 8;

class waiting final {
 public:
  waiting() {
    const auto d = all.add_device("GPU 0", accelerator::gpu);
    all.device(d).has_launches = true;
    all.step(1, 0, 20 * ms, static_cast<std::int32_t>(d), marker_source::device_annotation);
    all.kernel(d, 0, from, "A");
    next = &all.kernel(d, to, 5 * ms, "B");
    all.trace();
  }
  // The call that launches the kernel after the gap.
  waiting& launched(std::int64_t start_ps, std::int64_t end_ps, std::uint32_t thread = launcher) {
    next->launch_ps = start_ps;
    next->launch_end_ps = end_ps;
    next->launch_thread = thread;
    return *this;
  }
  waiting& late() { return launched(to - 8 * us, to - 4 * us); }
  waiting& by_graph() {
    next->flags |= kernel_by_graph;
    return *this;
  }
  waiting& does(const std::string& name, std::int64_t start_ps, std::int64_t length_ps, std::uint32_t thread = launcher,
                host_span_kind kind = host_span_kind::op) {
    all.host(start_ps, length_ps, name, thread, 0, kind);
    return *this;
  }
  // One op after the other, each a twentieth.
  waiting& works(const std::string& name, std::int64_t start_ps, std::int64_t length_ps, std::uint32_t thread = launcher) {
    const std::int64_t piece_ps = length_ps / 20;
    for (int i = 0; i < 19; ++i) does(name, start_ps + i * piece_ps, piece_ps, thread);
    return does(name, start_ps + 19 * piece_ps, length_ps - 19 * piece_ps, thread);
  }
  waiting& frame(const std::string& name, std::int64_t start_ps, std::int64_t length_ps) {
    return does(name, start_ps, length_ps, launcher, host_span_kind::frame);
  }
  waiting& ends_with(const std::string& kernel) {
    next->name = all.id(kernel);
    return *this;
  }
  // "data_loader proved: <span>"
  std::string verdict() const {
    const bubbles_result r = look(all);
    REQUIRE(r.bubbles.size() == 1);
    const bubble& b = r.bubbles[0];
    return std::string(idle_cause_name(b.cause.id)) + ' ' + certainty_name(b.sure) +
           (b.cause.span == 0 ? "" : ": " + std::string(all.text(b.cause.span)));
  }
  memory_activity all;
  kernel_row* next = nullptr;
};

const std::string batch = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

}  // namespace

TEST_CASE("a graph that a busy thread launches late is named, unless what the thread does is known") {
  CHECK(waiting().late().by_graph().works("aten::add", from, gap).verdict() == "graph_launch_late proved");
  CHECK(waiting().late().by_graph().works("aten::add", from, gap / 2).verdict() == "graph_launch_late likely");
  CHECK(waiting().late().by_graph().does(batch, from, gap).verdict() == "data_loader proved: " + batch);
  CHECK(waiting().launched(from - 8 * us, from - 4 * us).by_graph().works("aten::add", from, gap).verdict() ==
        "device_dependency proved");
  waiting late;
  late.late().by_graph().works("aten::add", from, gap);
  const bubbles_result r = look(late.all);
  REQUIRE(!r.recommendations.empty());
  CHECK(r.recommendations[0].text.rfind("The graph is launched late", 0) == 0);
}

TEST_CASE("the innermost known span of the launching thread names the cause") {
  // Ops of the framework inside say nothing: the loader is what the thread is in.
  CHECK(waiting().late().does(batch, from, gap).does("aten::stack", from, 9 * ms).verdict() ==
        "data_loader proved: " + batch);
  // A known call inside has its own time; what it leaves is the loader's.
  CHECK(waiting().late().does(batch, from, gap).does("cudaStreamSynchronize", from, 6 * ms).verdict() ==
        "sync_wait likely: cudaStreamSynchronize");
  CHECK(waiting().late().does(batch, from, gap).does("cudaStreamSynchronize", from, 4 * ms).verdict() ==
        "data_loader likely: " + batch);
  // Two names of one cause count together; the longer one is shown.
  CHECK(waiting().late().does("cudaFree", from, 3 * ms).does("cudaMalloc", from + 3 * ms, 6 * ms).verdict() ==
        "allocation proved: cudaMalloc");
  CHECK(waiting().late().does("Python GC", from, gap, launcher, host_span_kind::gc).verdict() == "gc proved: Python GC");
}

TEST_CASE("frames and locks count only where nothing else is known") {
  const std::string loader = "torch/utils/data/dataloader.py(630): __next__", lock = "<built-in method acquire of lock>";
  CHECK(waiting().late().frame(loader, from, gap).verdict() == "data_loader proved: " + loader);
  CHECK(waiting().late().frame(loader, from, gap).does("cudaMalloc", from, 6 * ms).verdict() ==
        "allocation likely: cudaMalloc");
  CHECK(waiting().late().frame(loader, from, gap).frame(lock, from, gap).verdict() == "data_loader proved: " + loader);
  // A lock alone is never certain.
  CHECK(waiting().late().frame(lock, from, gap).verdict() == "lock likely: " + lock);
}

TEST_CASE("only the launching thread owns a gap") {
  CHECK(waiting().late().does("cudaEventSynchronize", from, gap, other).verdict() == "unexplained unknown");
  CHECK(waiting()
            .late()
            .does("cudaEventSynchronize", from, gap, other)
            .works("aten::add", from, gap)
            .verdict() == "launch_bound proved");
  // Without a launch on record any thread may be the one: that is a guess.
  CHECK(waiting().does(batch, from, gap, other).verdict() == "data_loader possible: " + batch);
  CHECK(waiting().works("aten::add", from, gap, other).verdict() == "launch_bound possible");
}

TEST_CASE("devices that wait at the same time have launching threads of their own") {
  memory_activity a;
  for (const std::uint32_t thread : {launcher, other}) {
    const auto d = a.add_device("GPU " + std::to_string(thread), accelerator::gpu);
    a.device(d).has_launches = true;
    a.step(1, 0, 20 * ms, static_cast<std::int32_t>(d), marker_source::device_annotation);
    a.kernel(d, 0, from, "A");
    kernel_row& next = a.kernel(d, to, 5 * ms, "B");
    next.launch_ps = to - 8 * us;
    next.launch_end_ps = to - 4 * us;
    next.launch_thread = thread;
  }
  a.host(from, gap, batch, launcher);
  a.host(from, gap, "cudaMalloc", other);
  const bubbles_result r = look(a);
  REQUIRE(r.bubbles.size() == 2);
  CHECK(r.bubbles[0].cause.id == idle_cause::data_loader);
  CHECK(r.bubbles[1].cause.id == idle_cause::allocation);
}

TEST_CASE("short known calls among much else are no cause") {
  const auto with_calls = [](std::int64_t length_ps) {
    return waiting().late().works("aten::add", from, gap).does("cudaMemcpyAsync", from, length_ps).verdict();
  };
  CHECK(with_calls(gap / 2) == "sync_wait likely: cudaMemcpyAsync");
  CHECK(with_calls(gap / 2 - 1) == "launch_bound proved");
}

TEST_CASE("high needs a late launch and nine tenths of the gap") {
  CHECK(waiting().late().does(batch, from, gap * 9 / 10).verdict() == "data_loader proved: " + batch);
  CHECK(waiting().late().does(batch, from, gap * 9 / 10 - 1).verdict() == "data_loader likely: " + batch);
  CHECK(waiting().late().does(batch, from, gap / 2).verdict() == "data_loader likely: " + batch);
  CHECK(waiting().late().does(batch, from, gap / 2 - 1).verdict() == "data_loader possible: " + batch);
  CHECK(waiting().late().does(batch, from, gap / 5).verdict() == "data_loader possible: " + batch);
  CHECK(waiting().late().does(batch, from, gap / 5 - 1).verdict() == "unexplained unknown");
  const auto launched_at = [](std::int64_t at_ps) {
    return waiting().launched(at_ps - 1, at_ps).does(batch, from, gap).verdict();
  };
  CHECK(launched_at(from + gap * 8 / 10) == "data_loader proved: " + batch);
  CHECK(launched_at(from + gap * 8 / 10 - 1) == "data_loader likely: " + batch);
  CHECK(launched_at(from + gap / 2) == "data_loader likely: " + batch);
  // Launched early in the gap or before it: whatever the host does, the device waits for something else.
  CHECK(launched_at(from + gap / 2 - 1) == "device_dependency likely");
  CHECK(launched_at(from + gap / 10 + 1) == "device_dependency likely");
  CHECK(launched_at(from + gap / 10) == "device_dependency proved");
  CHECK(launched_at(from - 3 * ms) == "device_dependency proved");
}

TEST_CASE("a call that lasts to the end of the gap launches late, however early it began") {
  const auto copying = [](const std::string& kernel) {
    return waiting()
        .launched(from - 2 * ms, to)
        .does("cudaMemcpyAsync", from - 2 * ms, gap + 2 * ms)
        .ends_with(kernel)
        .verdict();
  };
  CHECK(copying("Memcpy HtoD (Pageable -> Device)") == "h2d_pageable proved: cudaMemcpyAsync");
  CHECK(copying("Memcpy HtoD (Pinned -> Device)") == "sync_wait proved: cudaMemcpyAsync");
}

TEST_CASE("a launch that fills the gap is no lack of speed of the host") {
  CHECK(waiting().launched(from + 2 * ms, from + 7 * ms).does("hipLaunchKernel", from, gap).verdict() ==
        "host_call likely: hipLaunchKernel");
  CHECK(waiting().launched(from + 2 * ms + 1, from + 7 * ms).does("hipLaunchKernel", from, gap).verdict() ==
        "host_call possible: hipLaunchKernel");
  // Where the call itself is not on record, nothing has a name.
  CHECK(waiting().launched(from + 2 * ms, from + 7 * ms).verdict() == "unexplained unknown");
}

TEST_CASE("ops that may copy prove no synchronisation") {
  for (const char* const name : {"aten::to", "aten::_to_copy", "aten::copy_"})
    CHECK(waiting().late().works(name, from, gap).verdict() == "launch_bound proved");
}

TEST_CASE("who stands in one call is not busy launching") {
  CHECK(waiting().late().does("aten::add", from, gap).verdict() == "host_call likely: aten::add");
  // The innermost one is named; a range that is more than the gap is none.
  CHECK(waiting().late().does("outer", from, gap).does("inner", from + us, gap - 2 * us).verdict() == "host_call likely: inner");
  CHECK(waiting().late().does("batch", from, gap, launcher, host_span_kind::annotation).verdict() == "host_call likely: batch");
  CHECK(waiting().late().does("epoch", 0, 2 * gap + 2, launcher, host_span_kind::annotation).verdict() != "host_call likely: epoch");
  // Half of the gap.
  CHECK(waiting().late().works("aten::add", from, gap / 2).does("one", from + gap / 2, gap / 2).verdict() == "host_call likely: one");
  CHECK(waiting().late().works("aten::add", from, gap / 2 + us).does("one", from + gap / 2 + us, gap / 2 - us).verdict() ==
        "launch_bound proved");
  // A launch of less than a millisecond takes its time; this gap is of 900 us.
  for (const std::int64_t length_ps : {900 * us, 1100 * us}) {
    memory_activity a;
    const auto d = a.add_device("GPU 0", accelerator::gpu);
    a.device(d).has_launches = true;
    a.kernel(d, 0, from, "A");
    kernel_row& next = a.kernel(d, from + length_ps, 5 * ms, "B");
    next.launch_ps = from + length_ps - 8 * us;
    next.launch_end_ps = from + length_ps - 4 * us;
    next.launch_thread = launcher;
    a.host(from, length_ps - 2 * us, "aten::mm", launcher);
    const bubbles_result r = look(a);
    REQUIRE(r.bubbles.size() == 1);
    CHECK(r.bubbles[0].cause.id == (length_ps < ms ? idle_cause::launch_bound : idle_cause::host_call));
  }
}

TEST_CASE("what the profiler does counts on every thread") {
  CHECK(waiting().late().does("Buffer Flush", from, gap * 9 / 10, other).verdict() == "recording proved: Buffer Flush");
  CHECK(waiting().late().does("Buffer Flush", from, gap * 9 / 10 - 1, other).verdict() == "recording likely: Buffer Flush");
  // It is no drain: the wait before would have cost less.
  CHECK(waiting().late().does("cudaStreamSynchronize", 0, from + 10 * us).does("Buffer Flush", from + 20 * us, gap - 40 * us, other)
            .verdict() == "recording proved: Buffer Flush");
}

TEST_CASE("a wait that emptied the queue owns as much of the gap as it lasted") {
  // It ends 0.2 ms into the gap: with 4.8 ms of its own it makes up half of the gap.
  CHECK(waiting()
            .late()
            .does("cudaStreamSynchronize", from + 200 * us - 4800 * us, 4800 * us)
            .works("aten::add", from + 300 * us, 9 * ms)
            .verdict() == "sync_drain likely: cudaStreamSynchronize");
  CHECK(waiting()
            .late()
            .does("cudaStreamSynchronize", from + 200 * us - 4799 * us, 4799 * us)
            .works("aten::add", from + 300 * us, 9 * ms)
            .verdict() == "launch_bound proved");
  const auto waits_for = [](std::int64_t length_ps) {
    return waiting()
        .late()
        .does("cudaStreamSynchronize", from + 200 * us - length_ps, length_ps)
        .works("aten::add", from + 200 * us, 9800 * us);
  };
  CHECK(waits_for(8800 * us).verdict() == "sync_drain proved: cudaStreamSynchronize");
  CHECK(waits_for(8800 * us - 1).verdict() == "sync_drain likely: cudaStreamSynchronize");
  // One call after it has its own time, and what is not on record is not known.
  CHECK(waits_for(8800 * us).does("save", from + 300 * us, 9600 * us).verdict() == "sync_drain proved: cudaStreamSynchronize");
  CHECK(waiting().late().does("cudaStreamSynchronize", 0, from + 200 * us).does("mine", from + 200 * us, 9800 * us).verdict() ==
        "sync_drain likely: cudaStreamSynchronize");
  CHECK(waiting().late().does("cudaStreamSynchronize", 0, from + 200 * us).verdict() == "host_untraced proved");
}

TEST_CASE("little on record is no cause") {
  CHECK(waiting().late().verdict() == "host_untraced proved");
  // Less than a twentieth.
  CHECK(waiting().late().does("aten::add", from, gap / 20 - 1).verdict() == "host_untraced proved");
  CHECK(waiting().late().does("aten::add", from, gap / 20).verdict() == "unexplained unknown");
  CHECK(waiting().late().does("aten::add", from + gap - gap / 20 + 1, gap / 20 - 1).verdict() == "host_untraced proved");
  // Short spans here and there: it was traced.
  CHECK(waiting().late().does("aten::add", from + gap / 2, us).verdict() == "unexplained unknown");
  CHECK(waiting().late().works("aten::add", from, gap / 2 - 1).verdict() == "unexplained unknown");
  CHECK(waiting().late().works("aten::add", from, gap / 2).verdict() == "launch_bound likely");
  // Another thread, or frames: the host was recorded.
  CHECK(waiting().late().does("aten::add", from, gap / 20, other).verdict() == "unexplained unknown");
  CHECK(waiting().late().frame("train.py(3): main", 0, 20 * ms).verdict() == "unexplained unknown");
  const std::string update = "Optimizer.step#AdamW.step";
  CHECK(waiting().late().does(update, from, gap).works("aten::add", from, gap).verdict() == "optimizer_loop proved: " + update);
  CHECK(waiting().late().does(update, from, gap).verdict() == "optimizer_loop likely: " + update);
}

TEST_CASE("the idle end of a step is judged by the launch of the next step's first kernel") {
  memory_activity a;
  const auto d = a.add_device("GPU 0", accelerator::gpu);
  a.device(d).has_launches = true;
  for (int step = 0; step < 2; ++step) {
    const std::int64_t at = step * 20 * ms;
    a.step(step, at, at + 20 * ms, static_cast<std::int32_t>(d), marker_source::device_annotation);
    kernel_row& first = a.kernel(d, at, 12 * ms, "A");
    first.launch_ps = at - 8 * us;
    first.launch_end_ps = at - 4 * us;
    first.launch_thread = launcher;
  }
  a.host(12 * ms, 8 * ms - 10 * us, batch, launcher);
  a.host(12 * ms, 8 * ms, "cudaEventSynchronize", other);
  const bubbles_result r = look(a);
  REQUIRE(r.bubbles.size() == 1);
  CHECK(r.bubbles[0].scope == bubble_scope::tail);
  CHECK(r.bubbles[0].after_count == 0);
  CHECK(r.bubbles[0].cause.id == idle_cause::data_loader);
  CHECK(r.bubbles[0].sure == certainty::proved);
  CHECK(r.bubbles[0].launch_ps() == 20 * ms - 8 * us);
  // What is found for a report is the cause of most of the time, not a smaller one that is more certain.
  const auto why = std::find_if(r.findings.begin(), r.findings.end(),
                                [](const finding& f) { return f.id == "bubbles.cause.data_loader"; });
  REQUIRE(why != r.findings.end());
  CHECK(why->sure == certainty::proved);
  CHECK(why->what.rfind("the host waits for the next batch", 0) == 0);
}

TEST_CASE("a larger cause that is a guess is not replaced by a smaller one that is certain") {
  memory_activity a;
  const auto d = a.add_device("GPU 0", accelerator::gpu);
  a.device(d).has_launches = true;
  a.step(1, 0, 40 * ms, static_cast<std::int32_t>(d), marker_source::device_annotation);
  a.kernel(d, 0, 5 * ms, "A");
  a.kernel(d, 25 * ms, 5 * ms, "B");  // no launch on record
  kernel_row& last = a.kernel(d, 32 * ms, 8 * ms, "C");
  last.launch_ps = 32 * ms - 8 * us;
  last.launch_end_ps = 32 * ms - 4 * us;
  last.launch_thread = launcher;
  a.host(5 * ms, 20 * ms, batch, other);
  a.host(30 * ms, 2 * ms, "cudaMalloc", launcher);
  const bubbles_result r = look(a);
  std::vector<std::string> told;
  for (const finding& f : r.findings)
    if (f.id.rfind("bubbles.cause.", 0) == 0) told.push_back(f.what.substr(0, f.what.find(',')));
  CHECK(told == std::vector<std::string>{"Possible cause: the host waits for the next batch"});
}

TEST_CASE("causes and advice come by the time they stand for, and cite a gap of their own") {
  // Two steps: many short gaps under ops of the framework, one long gap under the loader.
  memory_activity a;
  const auto d = a.add_device("GPU 0", accelerator::gpu);
  a.device(d).has_launches = true;
  const auto kernel = [&](std::int64_t start_ps, std::int64_t length_ps, const std::string& name) {
    kernel_row& k = a.kernel(d, start_ps, length_ps, name);
    k.launch_ps = start_ps - 8 * us;
    k.launch_end_ps = start_ps - 4 * us;
    k.launch_thread = launcher;
  };
  for (int step = 0; step < 3; ++step) {
    const std::int64_t at = step * 40 * ms;
    a.step(step, at, at + 40 * ms, static_cast<std::int32_t>(d), marker_source::device_annotation);
    kernel(at, 5 * ms, "first");
    kernel(at + 6 * ms, 5 * ms, "second");
    kernel(at + 12 * ms, 5 * ms, "third");
    kernel(at + 25 * ms, 15 * ms, "last");
    for (const std::int64_t start_ps : {5 * ms, 11 * ms})
      for (int i = 0; i < 4; ++i) a.host(at + start_ps + i * ms / 4, ms / 4, "aten::linear", launcher);
    a.host(at + 17 * ms, 8 * ms, batch, launcher);
  }
  const bubbles_result r = look(a);
  REQUIRE(r.causes.size() == 2);
  CHECK(r.causes[0].cause == idle_cause::data_loader);
  CHECK(r.causes[0].total_ps == 24 * ms);
  CHECK(r.causes[0].bubbles == 3);
  CHECK(r.causes[0].sure == certainty::proved);
  CHECK(a.text(r.causes[0].span) == batch);
  CHECK(r.causes[1].cause == idle_cause::launch_bound);
  CHECK(r.causes[1].total_ps == 6 * ms);
  CHECK(r.causes[1].bubbles == 6);
  CHECK(r.causes[1].sure == certainty::proved);
  REQUIRE(r.recommendations.size() >= 2);
  const auto cites = [](const recommendation& given, const std::string& name) {
    return given.evidence.back().find("before " + name) != std::string::npos;
  };
  CHECK(r.recommendations[0].recoverable_ps == 24 * ms);
  CHECK(r.recommendations[0].text.find("batch") != std::string::npos);
  CHECK(cites(r.recommendations[0], "last"));
  CHECK(r.recommendations[1].recoverable_ps == 6 * ms);
  CHECK(r.recommendations[1].text.find("launch too late") != std::string::npos);
  CHECK(cites(r.recommendations[1], "second"));
  for (std::size_t i = 1; i < r.recommendations.size(); ++i)
    CHECK(r.recommendations[i - 1].recoverable_ps >= r.recommendations[i].recoverable_ps);
}

TEST_CASE("advice speaks of layers where the host names them, else of parts that repeat") {
  for (const bool named : {false, true}) {
    memory_activity a;
    const auto d = a.add_device("GPU 0", accelerator::gpu);
    a.device(d).has_launches = true;
    const auto kernel = [&](std::int64_t start_ps, std::int64_t length_ps, const std::string& name) {
      kernel_row& k = a.kernel(d, start_ps, length_ps, name);
      k.launch_ps = start_ps - 8 * us;
      k.launch_end_ps = start_ps - 4 * us;
      k.launch_thread = launcher;
    };
    for (int step = 0; step < 3; ++step) {
      const std::int64_t at = step * 40 * ms;
      a.step(step, at, at + 40 * ms, static_cast<std::int32_t>(d), marker_source::device_annotation);
      for (int part = 0; part < 4; ++part) {
        const std::int64_t from = at + part * 10 * ms;
        kernel(from, 2 * ms, "begins");
        kernel(from + 2 * ms, 2 * ms, "ends");
        for (int i = 0; i < 6; ++i) a.host(from + 4 * ms + i * ms, ms, "aten::linear", launcher);
        if (named) a.host(from - 9 * us, 3 * ms, "layers." + std::to_string(part), launcher);
      }
    }
    const bubbles_result r = look(a);
    INFO(r.steps[0].structure_source);
    REQUIRE(std::string(r.steps[0].structure_source) == (named ? "annotations" : "periodic op"));
    const auto says = [&](const char* words) {
      return std::any_of(r.recommendations.begin(), r.recommendations.end(), [&](const recommendation& given) {
        return std::string(given.scope) == "structure" && given.text.find(words) != std::string::npos;
      });
    };
    CHECK(says("late between layers") == named);
    CHECK(says("late between the parts of a step that repeat") == !named);
  }
}

TEST_CASE("advice about an op cites a gap of its cause") {
  // Short kernels after a late launch; the longest gap before such a kernel is the loader's.
  memory_activity a;
  const auto d = a.add_device("GPU 0", accelerator::gpu);
  a.device(d).has_launches = true;
  const auto kernel = [&](std::int64_t start_ps, std::int64_t length_ps, const std::string& name) -> kernel_row& {
    kernel_row& k = a.kernel(d, start_ps, length_ps, name);
    k.launch_ps = start_ps - 8 * us;
    k.launch_end_ps = start_ps - 4 * us;
    k.launch_thread = launcher;
    return k;
  };
  a.step(0, 0, 60 * ms, static_cast<std::int32_t>(d), marker_source::device_annotation);
  kernel(0, 5 * ms, "big");
  kernel(6 * ms, 2 * us, "tiny");
  for (int i = 0; i < 4; ++i) a.host(5 * ms + i * ms / 4, ms / 4, "aten::linear", launcher);
  kernel(6 * ms + 2 * us, 5 * ms, "big");
  kernel(13 * ms + 2 * us, 2 * us, "tiny");
  for (int i = 0; i < 4; ++i) a.host(11 * ms + 2 * us + i * ms / 2, ms / 2, "aten::linear", launcher);
  kernel(13 * ms + 4 * us, 5 * ms, "big");
  kernel(40 * ms, 2 * us, "tiny");
  a.host(18 * ms + 4 * us, 22 * ms - 4 * us, batch, launcher);
  kernel(40 * ms + 2 * us, 20 * ms - 2 * us, "big");
  kernel(60 * ms - 1 * us, 1 * us, "waiting").wait_ps = 9 * ms;
  const bubbles_result r = look(a);
  const auto of_op = [&](const std::string& target) {
    std::vector<const recommendation*> found;
    for (const recommendation& given : r.recommendations)
      if (std::string(given.scope) == "op" && given.target == target) found.push_back(&given);
    REQUIRE(found.size() == 1);
    return found[0];
  };
  const recommendation& fuse = *of_op("tiny");
  CHECK(fuse.recoverable_ps == 3 * ms);
  REQUIRE(fuse.evidence.size() == 2);
  CHECK(fuse.evidence[1] == "the longest gap, 2.000 ms: GPU 0, step 0, after big, before tiny");
  // Its wait is no gap of the device, and none is cited.
  const recommendation& waiting = *of_op("waiting");
  CHECK(waiting.text.find("gap") == std::string::npos);
  CHECK(waiting.evidence.size() == 1);
}

TEST_CASE("Time is said to be in steps only where all of it is") {
  // 10 ms of a step on one device; the other has none, and 10 ms from its first kernel to the end of its last.
  const auto found = [](bool both) {
    memory_activity a;
    const auto first = a.add_device("GPU 0", accelerator::gpu), second = a.add_device("GPU 1", accelerator::gpu);
    a.step(1, 0, 10 * ms, static_cast<std::int32_t>(first), marker_source::device_annotation);
    if (both) a.step(1, 0, 10 * ms, static_cast<std::int32_t>(second), marker_source::device_annotation);
    for (const auto d : {first, second}) {
      a.kernel(d, 0, 4 * ms, "A");
      a.kernel(d, 9 * ms, 1 * ms, "B");
    }
    return look(a);
  };
  const bubbles_result all = found(true), some = found(false);
  CHECK(all.answers[0].find("Device time in steps, 20.000 ms: compute 50.0 %, idle 50.0 % (10.000 ms). The longest gap in a step is 5.000 ms") !=
        std::string::npos);
  CHECK(some.answers[0].find("Device time, 20.000 ms: compute 50.0 %, idle 50.0 % (10.000 ms). The longest gap is 5.000 ms") !=
        std::string::npos);
  CHECK((has_only_marked_steps(all) && has_marked_steps(all)));
  CHECK((!has_only_marked_steps(some) && has_marked_steps(some)));
}

TEST_CASE("idle? is No only when nearly all of the steps is compute") {
  // 100 ms: compute, then what is given, one after the other.
  const auto answer = [](std::int64_t comm_us, std::int64_t copy_us, std::int64_t idle_us) {
    memory_activity a;
    const auto d = a.add_device("GPU 0", accelerator::gpu);
    a.step(1, 0, 100 * ms, static_cast<std::int32_t>(d), marker_source::device_annotation);
    const std::int64_t compute = 100 * ms - (comm_us + copy_us + idle_us) * us;
    a.kernel(d, 0, compute / 2, "A");
    if (comm_us > 0) a.kernel(d, compute / 2 + idle_us * us, comm_us * us, "ncclDevKernel", kernel_class::comm);
    if (copy_us > 0) a.kernel(d, compute / 2 + (idle_us + comm_us) * us, copy_us * us, "Memcpy", kernel_class::copy);
    a.kernel(d, 100 * ms - compute / 2, compute / 2, "B");
    return look(a).answers;
  };
  const auto begins = [](const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; };
  CHECK(begins(answer(4'000, 3'000, 3'000)[0], "No. "));
  CHECK(begins(answer(4'000, 3'000, 3'002)[0], "Little. "));
  CHECK(answer(4'000, 3'000, 3'000)[4] == "Nothing needs an explanation.");
  CHECK(begins(answer(0, 0, 40'000)[0], "Yes. "));
  const auto mostly_waiting_for_others = answer(66'800, 0, 200);
  CHECK(begins(mostly_waiting_for_others[0],
               "Little. Device time in steps, 100.000 ms: compute 33.0 %, exposed communication 66.8 %, idle 0.2 % "
               "(200.000 us)."));
  CHECK(mostly_waiting_for_others[4] != "Nothing needs an explanation.");
}

namespace {

// Ranks of a run, each a GPU with a clock of its own. Every 20 ms they compute for 5, 6, 9, … ms and then run a collective,
// which ends 1 ms after the last of them has begun it.
struct ranks {
  explicit ranks(std::int32_t here, std::int32_t world = 3, const std::string& name = "ncclDevKernel_AllReduce_Sum_f32",
                 const std::array<std::int64_t, 3>& computes = {5, 6, 9}) {
    for (std::int32_t rank = 0; rank < here; ++rank) {
      const auto group = static_cast<std::uint32_t>(rank);
      const auto d = all.add_device("GPU " + std::to_string(rank), accelerator::gpu, group);
      all.device(d).rank = rank;
      all.device(d).world_size = world;
      const std::int64_t clock = rank * 3 * ms, compute = computes[group] * ms;
      all.step(1, clock, clock + 40 * ms, static_cast<std::int32_t>(d), marker_source::device_annotation, group);
      for (const std::int64_t at : {clock, clock + 20 * ms}) {
        all.kernel(d, at, compute, "gemm");
        all.kernel(d, at + compute, 10 * ms - compute, name, kernel_class::comm, 1);
      }
    }
  }
  std::optional<cause_summary> waits() const {
    const bubbles_result r = look(all);
    for (const cause_summary& c : r.causes)
      if (c.cause == idle_cause::straggler_wait) return c;
    return std::nullopt;
  }
  std::string unjudged() const {
    for (const std::string& gap : look(all).evidence_gaps)
      if (gap.rfind("it is not known of all collectives", 0) == 0) return gap.substr(gap.find(": ") + 2);
    return "";
  }
  std::string missing() const {
    for (const std::string& gap : look(all).evidence_gaps)
      if (gap.rfind("how long collectives wait", 0) == 0) return gap.substr(gap.find(": ") + 2);
    return "";
  }
  memory_activity all;
};

}  // namespace

TEST_CASE("ranks wait in collectives for the last one, by no clock but their own") {
  const auto found = ranks(3).waits();
  REQUIRE(found);
  CHECK(found->total_ps == 2 * (4 + 3) * ms);
  CHECK(found->sure == certainty::proved);
  CHECK(found->is_exposed());
  CHECK(found->evidence[0] == "rank 2 comes last in 2 of 2 collectives; the others wait 14.000 ms for it");
  CHECK(found->evidence[1] == "the longest, 4.000 ms: rank 0 in ncclDevKernel_AllReduce_Sum_f32");
  CHECK(ranks(3).missing().empty());
}

TEST_CASE("what only some ranks recorded, and what need not end together, says nothing of waits") {
  CHECK_FALSE(ranks(3, 3, "ncclDevKernel_Broadcast_RING_LL").waits());
  CHECK_FALSE(ranks(2).waits());
  CHECK(ranks(2).missing() == "only 2 ranks of 3 are here");
  CHECK(ranks(1, 8).missing() == "only 1 rank of 8 is here");
  CHECK(ranks(1, 1).missing().empty());
  for (const std::uint32_t rank : {0U, 2U}) {  // one call of one rank alone; the others are known as before
    ranks once_more(3);
    once_more.all.kernel(rank, 36 * ms, ms, "ncclDevKernel_AllReduce_Sum_f32", kernel_class::comm, 1);
    const auto found = once_more.waits();
    REQUIRE(found);
    CHECK(found->evidence[0] == "rank 2 comes last in 2 of 2 collectives; the others wait 14.000 ms for it");
    CHECK(once_more.unjudged() == "not judged: 1 collective (not every member recorded them)");
  }
  CHECK(ranks(3).unjudged().empty());
  ranks same_rank(3);
  same_rank.all.device(1).rank = 0;
  CHECK_FALSE(same_rank.waits());
  ranks little(3);  // 14 of 1,200 ms
  for (std::uint32_t d = 0; d < 3; ++d) little.all.kernel(d, 40 * ms, 400 * ms, "gemm");
  for (step_marker& m : little.all.all_markers()) m.end_ps += 400 * ms;
  CHECK_FALSE(little.waits());
}

TEST_CASE("of a process group its own members are enough") {
  ranks r(2, 3, "ncclDevKernel_AllReduce_Sum_f32", {5, 9, 9});
  for (std::uint32_t d = 0; d < 2; ++d) {
    kernel_details in;
    in.group_name = r.all.id("1");
    in.group_ranks = r.all.id("[0, 1]");
    in.group_size = 2;
    r.all.device(d).details.push_back(in);
    for (std::size_t i = 1; i < 4; i += 2) r.all.kernels_of(d)[i].details = 1;
  }
  const auto found = r.waits();
  REQUIRE(found);
  CHECK(found->total_ps == 8 * ms);
  CHECK(found->evidence[0] == "rank 1 comes last in 2 of 2 collectives; the others wait 8.000 ms for it");
}
