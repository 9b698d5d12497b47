// Clocks and merging through the C ABI: the core's own results, and arguments that make no sense.
#include <profkit/core/merge.hpp>
#include <profkit/core/xspace_writer.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <unistd.h>

#include "handles.hpp"

using namespace profkit::test;

namespace {

// Two captures of other kinds, which merge by the times they tell.
struct two_traces {
  std::string first = gpu_capture(), second = tpu_capture();
  const char* paths[2] = {first.c_str(), second.c_str()};
  pk_merge_options options = PK_MERGE_OPTIONS_INIT;
  two_traces() {
    options.traces = paths;
    options.trace_count = 2;
    options.correction = PK_CORRECTION_NONE;
    options.flags = PK_MERGE_KEEP_GOING;
  }
};

}  // namespace

TEST_CASE("the C ABI merges as the core does") {
  two_traces run;
  profkit::merge_options o;
  o.traces = {run.first, run.second};
  o.correction = profkit::merge_correction::none;
  o.keep_going = true;
  std::string ours, theirs, our_document, their_document;
  const auto into = profkit::memory_sink(theirs);
  const auto core = profkit::merge_traces(o, *into);
  REQUIRE(core.ok());
  pk_merge* made = nullptr;
  error_slot error;
  const pk_status ran = pk_merge_run(&run.options, append, &ours, &made, error.out());
  INFO(error.message());
  REQUIRE(ran == PK_OK);
  const owned<pk_merge> merge(made);
  CHECK(ours == theirs);
  CHECK(pk_merge_origin_ns(made) == core->origin_ns);
  REQUIRE(pk_merge_write(made, append, &our_document, nullptr) == PK_OK);
  const auto document = profkit::memory_sink(their_document);
  REQUIRE(profkit::write_merge_metadata(*core, *document).ok());
  CHECK(our_document == their_document);

  const std::string output =
      (std::filesystem::temp_directory_path() / ("profkit-capi-merge-" + std::to_string(::getpid()))).string();
  run.options.output = output.c_str();
  REQUIRE(pk_merge_run(&run.options, nullptr, nullptr, nullptr, error.out()) == PK_OK);
  std::ifstream written(output, std::ios::binary);
  CHECK(std::string(std::istreambuf_iterator<char>(written), {}) == ours);
  std::remove(output.c_str());
}

TEST_CASE("merge: progress is told, and a caller can stop it") {
  two_traces run;
  pk_cancel_token* made = nullptr;
  REQUIRE(pk_cancel_token_new(&made, nullptr) == PK_OK);
  const owned<pk_cancel_token> token(made);
  pk_hooks hooks = PK_HOOKS_INIT;
  hooks.cancel = made;
  run.options.hooks = &hooks;
  error_slot error;
  std::string bytes;
  pk_cancel_token_cancel(made);
  bytes.clear();
  CHECK(pk_merge_run(&run.options, append, &bytes, nullptr, error.out()) == PK_E_CANCELLED);
  CHECK(bytes.empty());
  run.options.hooks = nullptr;
  CHECK(pk_merge_run(&run.options, refuse, nullptr, nullptr, error.out()) == PK_E_CANCELLED);
}

TEST_CASE("merge: progress is told as it goes on") {
  // Longer than the pieces that are written at once.
  const std::string path =
      (std::filesystem::temp_directory_path() / ("profkit-capi-long-" + std::to_string(::getpid()))).string();
  {
    auto file = profkit::atomic_file_sink(path);
    REQUIRE(file.ok());
    profkit::xspace_writer w(**file);
    for (std::int64_t p = 0; p < 4; ++p) {
      w.begin_plane("/device:GPU:" + std::to_string(p), p);
      const auto kernel = w.event_metadata("a kernel");
      w.begin_line({1, "Stream #1", 1'700'000'000'000'000'000, 0, ""});
      for (std::int64_t i = 0; i < 200'000; ++i) w.add_event(kernel, i * 1'000'000'000, 500'000'000);
      w.end_plane();
    }
    REQUIRE(w.finish().ok());
    REQUIRE((*file)->finish().ok());
  }
  struct watched {
    std::uint64_t calls = 0, done = 0, written = 0;
    bool in_order = true;
    static std::int32_t progress(void* user, std::uint64_t done, std::uint64_t total) {
      auto& self = *static_cast<watched*>(user);
      self.in_order = self.in_order && done >= self.done && done <= total;
      self.done = done;
      ++self.calls;
      return 0;
    }
    // Progress comes at most every 50 ms: the first piece takes as long.
    static std::int32_t write(void* user, const void*, std::size_t size) {
      auto& self = *static_cast<watched*>(user);
      if (self.written == 0) std::this_thread::sleep_for(std::chrono::milliseconds(60));
      self.written += size;
      return 0;
    }
  } seen;
  pk_hooks hooks = PK_HOOKS_INIT;
  hooks.progress = &watched::progress;
  hooks.user = &seen;
  const char* const paths[1] = {path.c_str()};
  pk_merge_options options = PK_MERGE_OPTIONS_INIT;
  options.traces = paths;
  options.trace_count = 1;
  options.correction = PK_CORRECTION_NONE;
  options.hooks = &hooks;
  error_slot error;
  const pk_status ran = pk_merge_run(&options, &watched::write, &seen, nullptr, error.out());
  INFO(error.message());
  CHECK(ran == PK_OK);
  CHECK(seen.written > 4'000'000);
  CHECK(seen.calls > 0);
  CHECK(seen.in_order);
  std::filesystem::remove(path);
}

TEST_CASE("merge and clock: arguments that make no sense") {
  two_traces run;
  error_slot error;
  std::string bytes;
  pk_merge* merge = reinterpret_cast<pk_merge*>(1);
  CHECK(pk_merge_run(nullptr, append, &bytes, &merge, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(merge == nullptr);
  run.options.flags = 1u << 30;
  CHECK(pk_merge_run(&run.options, append, &bytes, &merge, error.out()) == PK_E_UNSUPPORTED);
  run.options.flags = 0;
  run.options.zero = 9;
  CHECK(pk_merge_run(&run.options, append, &bytes, &merge, error.out()) == PK_E_INVALID_ARGUMENT);
  run.options.zero = 0;
  run.options.traces = nullptr;
  CHECK(pk_merge_run(&run.options, append, &bytes, &merge, error.out()) == PK_E_INVALID_ARGUMENT);
  pk_merge_node node;
  CHECK(pk_merge_node_get(nullptr, 0, &node, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_merge_write(nullptr, append, &bytes, error.out()) == PK_E_INVALID_ARGUMENT);

  pk_clock* clock = nullptr;
  pk_clock_options options = PK_CLOCK_OPTIONS_INIT;
  pk_clock_pair pairs[2] = {{0, 0, 0, 0}, {1000, 1000, 1000, 0}};  // a sub_ps that is a ns
  options.pairs = pairs;
  options.pair_count = 2;
  options.flags = PK_CLOCK_IS_REFERENCE;
  CHECK(pk_clock_build(&options, &clock, error.out()) == PK_E_INVALID_ARGUMENT);
  pairs[1].tracer_sub_ps = 0;
  REQUIRE(pk_clock_build(&options, &clock, error.out()) == PK_OK);
  const owned<pk_clock> held(clock);
  const std::int64_t far = INT64_MAX;
  std::int64_t to = 0;
  CHECK(pk_clock_map(clock, PK_CLOCK_TRACER, &far, &to, 1, error.out()) == PK_OK);
  CHECK(to == INT64_MIN);
  CHECK(pk_clock_map(clock, 5, &far, &to, 1, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_clock_map(nullptr, 0, &far, &to, 1, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_clock_bound(clock, PK_CLOCK_HOST, far, &to, error.out()) == PK_OK);
  CHECK(to >= 0);
}

TEST_CASE("each base is the zero of its own clock") {
  error_slot error;
  // The tracer clock is 5000 ns behind the host's; both run alike.
  const pk_clock_pair pairs[2] = {{1000, 6000, 0, 0}, {2000, 7000, 0, 0}};
  pk_clock_options options = PK_CLOCK_OPTIONS_INIT;
  options.flags = PK_CLOCK_IS_REFERENCE;
  options.pairs = pairs;
  options.pair_count = 2;
  options.tracer_base_ns = 1100;
  options.host_base_ns = 6300;
  options.reference_base_ns = 6300;  // the reference node's own
  pk_clock* clock = nullptr;
  REQUIRE(pk_clock_build(&options, &clock, error.out()) == PK_OK);
  const owned<pk_clock> held(clock);
  const std::int64_t from = 7;
  std::int64_t to = 0;
  REQUIRE(pk_clock_map(clock, PK_CLOCK_TRACER, &from, &to, 1, error.out()) == PK_OK);
  CHECK(to == -199'993);  // 1100 ns is 6100 ns on the host
  REQUIRE(pk_clock_map(clock, PK_CLOCK_HOST, &from, &to, 1, error.out()) == PK_OK);
  CHECK(to == 7);
}
