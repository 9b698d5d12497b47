// Clocks and merging through the C ABI: the core's own results, and arguments that make no sense.
#include <profkit/core/merge.hpp>
#include <profkit/core/xspace_writer.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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

namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

owned<pk_profile> opened_buffer(const std::string& bytes, const char* label, const char* host, std::int32_t rank) {
  pk_open_options how = PK_OPEN_OPTIONS_INIT;
  how.host = host;
  how.rank = rank;
  how.flags = PK_OPEN_HAS_RANK;
  pk_profile* made = nullptr;
  error_slot error;
  const pk_status status = pk_profile_open_buffer(bytes.data(), bytes.size(), label, &how, &made, error.out());
  INFO(error.message());
  REQUIRE(status == PK_OK);
  return owned<pk_profile>(made);
}

struct merged_profiles {
  explicit merged_profiles(std::vector<const pk_profile*> of) : profiles(std::move(of)) {
    options.profiles = profiles.data();
    options.profile_count = profiles.size();
    options.correction = PK_CORRECTION_NONE;
  }
  pk_status run(std::string& into, error_slot& error, owned<pk_merge>* made = nullptr) {
    pk_merge* merge = nullptr;
    const pk_status status = pk_merge_run(&options, append, &into, &merge, error.out());
    if (made) made->reset(merge);
    else pk_merge_free(merge);
    return status;
  }
  std::vector<const pk_profile*> profiles;
  pk_merge_options options = PK_MERGE_OPTIONS_INIT;
};

// The values of a column of all rows of a table.
std::vector<std::string> column_of(pk_profile* profile, std::int32_t which, const char* column) {
  std::vector<std::string> all;
  pk_table* table = nullptr;
  REQUIRE(pk_table_open(profile, which, nullptr, &table, nullptr) == PK_OK);
  std::size_t count = 0;
  pk_value value{};
  while (pk_table_read(table, nullptr, 0, 1, &count, nullptr) == PK_OK) {
    REQUIRE(pk_table_values(table, column, &value, 1, &count, nullptr) == PK_OK);
    all.push_back(value.kind == 0 ? "null" : value.kind == PK_VALUE_TEXT ? std::string(text_of(value.text)) : std::to_string(value.bits));
  }
  pk_table_free(table);
  return all;
}

}  // namespace

TEST_CASE("open captures merge as their files do") {
  two_traces run;
  const auto first = opened(run.first), second = opened(run.second);
  std::string by_path, by_profile;
  error_slot error;
  REQUIRE(pk_merge_run(&run.options, append, &by_path, nullptr, error.out()) == PK_OK);
  merged_profiles open({first.get(), second.get()});
  open.options.flags = run.options.flags;
  const pk_status status = open.run(by_profile, error);
  INFO(error.message());
  REQUIRE(status == PK_OK);
  CHECK(by_profile == by_path);

  SECTION("the output is none of them") {
    open.options.output = run.second.c_str();
    CHECK(pk_merge_run(&open.options, nullptr, nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
    CHECK(error.message().find("the output would replace") != std::string::npos);
  }
  SECTION("a path and a capture") {
    const char* const path = run.first.c_str();
    merged_profiles rest({second.get()});
    rest.options.traces = &path;
    rest.options.trace_count = 1;
    rest.options.flags = run.options.flags;
    std::string mixed;
    REQUIRE(rest.run(mixed, error) == PK_OK);
    CHECK(mixed == by_path);
  }
}

TEST_CASE("two buffers of one kind are told apart by host and rank") {
  const std::string bytes = bytes_of(gpu_capture());
  const auto one = opened_buffer(bytes, "memory", "trainer-one", 4), two = opened_buffer(bytes, "memory", "trainer-two", 3);
  CHECK(column_of(one.get(), PK_TABLE_DEVICES, "host").front() == "trainer-one");
  CHECK(column_of(two.get(), PK_TABLE_DEVICES, "host").front() == "trainer-two");
  CHECK(column_of(one.get(), PK_TABLE_DEVICES, "rank").front() == "4");
  CHECK(column_of(one.get(), PK_TABLE_FILES, "host") == std::vector<std::string>{"trainer-one"});

  std::string merged;
  error_slot error;
  owned<pk_merge> made;
  merged_profiles open({one.get(), two.get()});
  const pk_status status = open.run(merged, error, &made);
  INFO(error.message());
  REQUIRE(status == PK_OK);
  REQUIRE(pk_merge_node_count(made.get()) == 2);
  pk_merge_node node{};
  REQUIRE(pk_merge_node_get(made.get(), 0, &node, nullptr) == PK_OK);
  CHECK(node.id == 4);
  CHECK(text_of(node.hostname) == "trainer-one");
  const std::uint64_t events = node.events;
  CHECK(events > 0);
  REQUIRE(pk_merge_node_get(made.get(), 1, &node, nullptr) == PK_OK);
  CHECK(node.id == 3);
  CHECK(text_of(node.hostname) == "trainer-two");
  CHECK(node.events == events);

  const auto reopened = opened_buffer(merged, "merged", "", 0);
  std::vector<std::string> hosts = column_of(reopened.get(), PK_TABLE_DEVICES, "host");
  CHECK(std::count(hosts.begin(), hosts.end(), "trainer-one") == std::count(hosts.begin(), hosts.end(), "trainer-two"));
  CHECK(std::count(hosts.begin(), hosts.end(), "trainer-one") > 0);
}

TEST_CASE("trace JSON merges into trace JSON") {
  const auto text_of_rank = [](int number) {
    return std::string(R"({"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000, "deviceProperties": [{"id": 0, "name": "Test"}],
        "distributedInfo": {"rank": 7, "world_size": 8},
        "traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": )") + std::to_string(1000 * (number + 1)) +
           R"(, "dur": 5, "args": {"device": 0, "stream": 7}}]})";
  };
  const std::string texts[] = {text_of_rank(0), text_of_rank(1)};
  const auto one = opened_buffer(texts[0], "memory", "trainer-one", 0), two = opened_buffer(texts[1], "memory", "trainer-two", 1);
  std::string merged;
  error_slot error;
  owned<pk_merge> made;
  merged_profiles open({one.get(), two.get()});
  CHECK(open.run(merged, error) == PK_E_UNSUPPORTED);
  CHECK(merged.empty());
  open.options.format = PK_MERGED_TRACE_JSON;
  const pk_status status = open.run(merged, error, &made);
  INFO(error.message());
  REQUIRE(status == PK_OK);
  CHECK(merged.substr(0, 1) == "{");
  CHECK(column_of(two.get(), PK_TABLE_KERNELS, "rank") == std::vector<std::string>{"1"});  // not 7, which the file says
  REQUIRE(pk_merge_node_count(made.get()) == 2);
  const auto reopened = opened_buffer(merged, "merged", "", 0);
  CHECK(column_of(reopened.get(), PK_TABLE_KERNELS, "host") == std::vector<std::string>{"trainer-one", "trainer-two"});
  CHECK(column_of(reopened.get(), PK_TABLE_KERNELS, "start_ps") == std::vector<std::string>{"1000000000", "2000000000"});

  const std::string planes = bytes_of(gpu_capture());
  const auto xspace = opened_buffer(planes, "memory", "trainer-three", 2);
  merged_profiles mixed({one.get(), xspace.get()});
  mixed.options.format = PK_MERGED_TRACE_JSON;
  CHECK(mixed.run(merged, error) == PK_E_UNSUPPORTED);
  mixed.options.format = 2;
  CHECK(mixed.run(merged, error) == PK_E_INVALID_ARGUMENT);
  open.options.reserved = 1;
  CHECK(open.run(merged, error) == PK_E_INVALID_ARGUMENT);
}

TEST_CASE("captures that cannot be merged") {
  error_slot error;
  std::string bytes;
  SECTION("NULL among them") {
    CHECK(merged_profiles({nullptr}).run(bytes, error) == PK_E_INVALID_ARGUMENT);
    CHECK(error.message().find("profiles[0]") != std::string::npos);
  }
  SECTION("a damaged one is no success, and with keep_going what is intact is there") {
    std::string cut = bytes_of(gpu_capture());
    cut.resize(cut.size() - 10);
    const auto damaged = opened_buffer(cut, "cut", "a", 0);
    merged_profiles open({damaged.get()});
    CHECK(open.run(bytes, error) == PK_E_DAMAGED);
    CHECK(bytes.empty());
    open.options.flags = PK_MERGE_KEEP_GOING;
    owned<pk_merge> made;
    REQUIRE(open.run(bytes, error, &made) == PK_OK);
    pk_merge_node node{};
    REQUIRE(pk_merge_node_get(made.get(), 0, &node, nullptr) == PK_OK);
    CHECK(node.status == PK_NODE_CORRUPT);
    CHECK(node.events > 0);
  }
  SECTION("what a host built itself") {
    pk_trace_builder* builder = nullptr;
    pk_trace_host host = PK_TRACE_HOST_INIT;
    std::uint32_t number = 0;
    pk_profile* made = nullptr;
    REQUIRE(pk_trace_builder_new(nullptr, &builder, nullptr) == PK_OK);
    REQUIRE(pk_trace_builder_add_host(builder, &host, &number, nullptr) == PK_OK);
    REQUIRE(pk_trace_builder_finish(builder, &made, nullptr) == PK_OK);
    pk_trace_builder_free(builder);
    const owned<pk_profile> own(made);
    CHECK(merged_profiles({made}).run(bytes, error) == PK_E_UNSUPPORTED);
    CHECK(error.message().find("neither an XSpace nor trace JSON") != std::string::npos);
  }
  SECTION("two of one rank") {
    const std::string whole = bytes_of(gpu_capture());
    const auto one = opened_buffer(whole, "one", "a", 2), two = opened_buffer(whole, "two", "b", 2);
    std::string merged;
    owned<pk_merge> made;
    REQUIRE(merged_profiles({one.get(), two.get()}).run(merged, error, &made) == PK_OK);  // then their places are their ids
    pk_merge_node node{};
    REQUIRE(pk_merge_node_get(made.get(), 1, &node, nullptr) == PK_OK);
    CHECK(node.id == 1);
  }
}

TEST_CASE("host and rank are of buffers, and sound") {
  pk_open_options how = PK_OPEN_OPTIONS_INIT;
  pk_profile* made = nullptr;
  error_slot error;
  const std::string bytes = bytes_of(gpu_capture());
  how.host = "a";
  CHECK(pk_profile_open(gpu_capture().c_str(), &how, &made, error.out()) == PK_E_INVALID_ARGUMENT);
  how.flags = PK_OPEN_REDACT;
  CHECK(pk_profile_open_buffer(bytes.data(), bytes.size(), "a", &how, &made, error.out()) == PK_E_UNSUPPORTED);
  how.host = nullptr;
  how.flags = PK_OPEN_HAS_RANK;
  how.rank = -1;
  CHECK(pk_profile_open_buffer(bytes.data(), bytes.size(), "a", &how, &made, error.out()) == PK_E_INVALID_ARGUMENT);
  how.flags = 0;
  how.rank = 1;
  CHECK(pk_profile_open_buffer(bytes.data(), bytes.size(), "a", &how, &made, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(made == nullptr);
}
