// The memory analysis through the C ABI: the command's own document, and arguments that make no sense.
#include <profkit/core/memory.hpp>

#include <profkit/profkit.hpp>

#include <limits>

#include "handles.hpp"

using namespace profkit::test;

TEST_CASE("the C ABI writes the document of the command") {
  const auto profile = opened(tpu_capture());
  pk_memory* made = nullptr;
  pk_memory_options options = PK_MEMORY_OPTIONS_INIT;
  options.top = 3;
  options.module = "jit__psum";
  REQUIRE(pk_memory_open(profile.get(), &options, &made, nullptr) == PK_OK);
  const owned<pk_memory> memory(made);
  std::string ours, theirs;
  REQUIRE(pk_memory_write(memory.get(), append, &ours, nullptr, nullptr) == PK_OK);
  const auto core = profkit::profile::open(tpu_capture());
  REQUIRE(core.ok());
  profkit::memory_options o;
  o.top = 3;
  o.module = "jit__psum";
  const auto found = profkit::analyse_memory(profkit::trace(*core), o);
  REQUIRE(found.ok());
  const auto sink = profkit::memory_sink(theirs);
  REQUIRE(profkit::write_memory_document(**core, o, *found, *sink).ok());
  REQUIRE(sink->finish().ok());
  CHECK(ours == theirs);
}

TEST_CASE("filters of the memory: hosts and the position of a step window") {
  const auto profile = opened(tpu_capture());
  const auto core = profkit::profile::open(tpu_capture());
  REQUIRE(core.ok());
  const auto compare = [&](const pk_filters& filters, const profkit::memory_options& o) {
    pk_memory_options options = PK_MEMORY_OPTIONS_INIT;
    options.filters = &filters;
    pk_memory* made = nullptr;
    error_slot error;
    const pk_status status = pk_memory_open(profile.get(), &options, &made, error.out());
    const auto found = profkit::analyse_memory(profkit::trace(*core), o);
    if (!found) {
      CHECK(status == static_cast<pk_status>(found.error().code));
      return std::string();
    }
    INFO(error.message());
    REQUIRE(status == PK_OK);
    const owned<pk_memory> memory(made);
    std::string ours, theirs;
    REQUIRE(pk_memory_write(memory.get(), append, &ours, nullptr, nullptr) == PK_OK);
    const auto sink = profkit::memory_sink(theirs);
    REQUIRE(profkit::write_memory_document(**core, o, *found, *sink).ok());
    REQUIRE(sink->finish().ok());
    CHECK(ours == theirs);
    return ours;
  };
  pk_filters filters = PK_FILTERS_INIT;
  profkit::memory_options o;
  const std::string all = compare(filters, o);
  CHECK_FALSE(all.empty());
  filters.host = "no such host";
  o.host = "no such host";
  CHECK(compare(filters, o) != all);
  filters = PK_FILTERS_INIT;
  o = {};
  filters.flags = PK_FILTER_HAS_STEP;
  filters.step = 2;
  o.step = 2;
  CHECK(compare(filters, o) != all);
}

// Two blocks that are allocated and not freed.
std::string two_blocks() {
  std::string bytes;
  pk_xspace_writer* made = nullptr;
  REQUIRE(pk_xspace_writer_new(nullptr, append, &bytes, &made, nullptr) == PK_OK);
  const auto text = [](std::string_view s) { return pk_str{s.data(), s.size()}; };
  const auto stat = [&](const char* name, std::int32_t kind, std::uint64_t bits, std::string_view words) {
    const pk_value value{kind, 0, bits, text(words)};
    pk_xspace_writer_event_stat(made, pk_xspace_writer_stat_metadata(made, text(name)), &value);
  };
  pk_xspace_writer_begin_plane(made, text("/host:CPU"), 1);
  pk_xspace_writer_begin_line(made, 1, text("allocator"), 0);
  for (const std::uint64_t at : {1, 2}) {
    pk_xspace_writer_event(made, pk_xspace_writer_event_metadata(made, text("MemoryAllocation"), text("")), static_cast<std::int64_t>(at) * 1000000, 0);
    stat("allocator_name", PK_VALUE_TEXT, 0, "GPU_0_bfc");
    stat("addr", PK_VALUE_UINT64, at * 4096, "");
    stat("allocation_bytes", PK_VALUE_INT64, 512, "");
    stat("requested_bytes", PK_VALUE_INT64, 500, "");
    stat("bytes_allocated", PK_VALUE_INT64, at * 512, "");
    stat("peak_bytes_in_use", PK_VALUE_INT64, at * 512, "");
    stat("bytes_reserved", PK_VALUE_INT64, 0, "");
    stat("bytes_available", PK_VALUE_INT64, 9000 - at * 512, "");
  }
  pk_xspace_writer_end_plane(made);
  CHECK(pk_xspace_writer_finish(made, nullptr) == PK_OK);
  pk_xspace_writer_free(made);
  return bytes;
}

TEST_CASE("what zero cannot say of the memory options has a flag") {
  const std::string bytes = two_blocks();
  const auto profile = opened_buffer(bytes);
  const auto core = profkit::profile::open_buffer(bytes, "test.xplane.pb", {});
  REQUIRE(core.ok());
  const auto document = [&](std::uint32_t flags, std::uint64_t samples, std::uint32_t threshold) {
    pk_memory_options options{};
    options.struct_size = sizeof options;
    options.flags = flags;
    options.time_samples = samples;
    options.persistent_threshold_steps = threshold;
    pk_memory* made = nullptr;
    REQUIRE(pk_memory_open(profile.get(), &options, &made, nullptr) == PK_OK);
    const owned<pk_memory> memory(made);
    std::string text;
    REQUIRE(pk_memory_write(memory.get(), append, &text, nullptr, nullptr) == PK_OK);
    return text;
  };
  const auto expected = [&](std::uint64_t samples, std::int64_t threshold) {
    profkit::memory_options o;
    o.time_samples = samples;
    o.persistent_threshold_steps = threshold;
    const auto found = profkit::analyse_memory(profkit::trace(*core), o);
    REQUIRE(found.ok());
    std::string text;
    const auto sink = profkit::memory_sink(text);
    REQUIRE(profkit::write_memory_document(**core, o, *found, *sink).ok());
    REQUIRE(sink->finish().ok());
    return text;
  };
  const std::string usual = document(0, 0, 0);
  CHECK(usual == expected(200, 2));
  CHECK(document(0, 200, 2) == usual);
  CHECK(document(0, 7, 1) == expected(7, 1));
  CHECK(document(PK_MEMORY_NO_TIMELINE, 0, 0) == expected(0, 2));
  CHECK(document(PK_MEMORY_KEPT_IS_PERSISTENT, 0, 0) == expected(200, 0));
  CHECK(expected(0, 2) != usual);
  CHECK(expected(200, 0) != usual);
}

TEST_CASE("rows, curve, fit and what-if through profkit.hpp") {
  const profkit::lib::profile profile = profkit::lib::profile::open(tpu_capture()).or_throw();
  const char* questions[] = {"remat=copy-start", "offload=copy-start.2"};
  pk_memory_options options = PK_MEMORY_OPTIONS_INIT;
  options.curve_points = 100;
  options.flags = PK_MEMORY_HAS_FIT;
  options.fit_bytes = std::uint64_t{32} << 30;
  options.what_if = questions;
  options.what_if_count = 2;
  const profkit::lib::memory memory = profile.analyse_memory(&options).or_throw();
  CHECK(memory.module_count() == 4);
  CHECK(memory.module(0).chosen == 1);
  std::vector<pk_memory_allocator> allocators;
  for (const pk_memory_allocator& a : *memory.rows<pk_memory_allocator>()) allocators.push_back(a);
  REQUIRE(allocators.size() == 4);
  CHECK(allocators[1].device == 1);
  std::int64_t sum = 0;
  std::uint64_t parts = 0;
  auto buffers = memory.rows<pk_live_buffer>().or_throw();
  for (const pk_live_buffer& b : buffers) {
    sum += b.size_bytes;
    if (profkit::lib::view(b.instruction_name) != "copy-start") continue;
    CHECK(profkit::lib::view(b.computation_name) == "main.22_spmd");
    REQUIRE(b.shape_index_count == 1);
    CHECK(b.shape_index[0] == 0);
    ++parts;
  }
  CHECK(buffers.ok());
  CHECK(parts == 1);
  CHECK(sum == memory.space(0, 0).peak_bytes);
  std::int64_t most = 0;
  for (const pk_curve_point& point : *memory.rows<pk_curve_point>()) most = std::max(most, point.live_bytes);
  CHECK(most == memory.space(0, 0).peak_bytes);
  CHECK(memory.spare_bytes().value_or(-1) == (std::int64_t{32} << 30) - 21492671104);
  std::string text;
  CHECK(memory.write_document([&](std::string_view piece) { text += piece; }).or_throw() == PK_DOCUMENT_STATUS_OK);
  CHECK(text.find("\"copy-start.2\"") != std::string::npos);
  CHECK(text.find("\"remat\"") < text.find("\"offload\""));
}

TEST_CASE("another memory space through the C ABI") {
  const profkit::lib::profile profile = profkit::lib::profile::open(tpu_capture()).or_throw();
  pk_memory_options options = PK_MEMORY_OPTIONS_INIT;
  options.memory_space = 5;
  const profkit::lib::memory memory = profile.analyse_memory(&options).or_throw();
  std::int64_t sum = 0;
  for (const pk_live_buffer& b : *memory.rows<pk_live_buffer>()) sum += b.size_bytes;
  CHECK(sum == 16106127360);  // three parameters of 5 GiB in host memory
  CHECK_FALSE(memory.spare_bytes());
  options.memory_space = 3;
  CHECK(profile.analyse_memory(&options).error().code() == PK_E_NOT_FOUND);
}

TEST_CASE("text of allocators and buffers lives as long as the analysis") {
  const profkit::lib::profile profile = profkit::lib::profile::open(tpu_capture()).or_throw();
  const profkit::lib::memory memory = profile.analyse_memory().or_throw();
  check_text_outlives_table<pk_memory_allocator>(memory, {&pk_memory_allocator::host, &pk_memory_allocator::name});
  check_text_outlives_table<pk_live_buffer>(memory, {&pk_live_buffer::instruction_name, &pk_live_buffer::shape});
}

TEST_CASE("memory: arguments that make no sense") {
  const auto profile = opened(tpu_capture());
  pk_memory* memory = reinterpret_cast<pk_memory*>(1);
  error_slot error;
  CHECK(pk_memory_open(nullptr, nullptr, &memory, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(memory == nullptr);
  CHECK(pk_memory_open(profile.get(), nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  pk_memory_options options = PK_MEMORY_OPTIONS_INIT;
  options.module = "no_such_module";
  CHECK(pk_memory_open(profile.get(), &options, &memory, error.out()) == PK_E_NOT_FOUND);
  CHECK(error.message().find("no_such_module") != std::string::npos);
  options = PK_MEMORY_OPTIONS_INIT;
  options.step_policy = 7;
  CHECK(pk_memory_open(profile.get(), &options, &memory, error.out()) == PK_E_INVALID_ARGUMENT);
  options = PK_MEMORY_OPTIONS_INIT;
  const char* question = "forget=copy-start";
  options.what_if = &question;
  options.what_if_count = 1;
  CHECK(pk_memory_open(profile.get(), &options, &memory, error.out()) == PK_E_INVALID_ARGUMENT);
  question = nullptr;
  CHECK(pk_memory_open(profile.get(), &options, &memory, error.out()) == PK_E_INVALID_ARGUMENT);
  options.what_if = nullptr;
  CHECK(pk_memory_open(profile.get(), &options, &memory, error.out()) == PK_E_INVALID_ARGUMENT);
  options = PK_MEMORY_OPTIONS_INIT;
  options.flags = 1u << 30;
  CHECK(pk_memory_open(profile.get(), &options, &memory, error.out()) < 0);

  REQUIRE(pk_memory_open(profile.get(), nullptr, &memory, error.out()) == PK_OK);
  const owned<pk_memory> held(memory);
  std::size_t count = 5;
  pk_live_buffer row;
  pk_table* table = nullptr;
  CHECK(pk_memory_table(memory, PK_TABLE_GAPS, nullptr, &table, error.out()) == PK_E_INVALID_ARGUMENT);
  REQUIRE(pk_memory_table(memory, PK_TABLE_LIVE_BUFFERS, nullptr, &table, error.out()) == PK_OK);
  CHECK(pk_table_read(table, &row, sizeof row, 0, &count, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(count == 0);
  CHECK(pk_table_read(table, &row, sizeof row - 8, 1, &count, error.out()) == PK_E_INVALID_ARGUMENT);
  pk_table_free(table);
  REQUIRE(pk_memory_table(memory, PK_TABLE_LIVE_CURVE, nullptr, &table, error.out()) == PK_OK);
  pk_curve_point point;
  CHECK(pk_table_read(table, &point, sizeof point, 1, &count, error.out()) == PK_END);  // no curve was asked for
  pk_table_free(table);
  CHECK(pk_memory_fit(memory, nullptr, nullptr, error.out()) == PK_END);
  pk_memory_module module;
  CHECK(pk_memory_module_get(memory, 99, &module, error.out()) == PK_E_INVALID_ARGUMENT);
}
