// The memory analysis through the C ABI: the command's own document, and arguments that make no sense.
#include <profkit/core/memory.hpp>

#include <limits>

#include "handles.hpp"

using namespace profkit::test;

namespace {

std::int32_t append(void* user, const void* data, std::size_t size) {
  static_cast<std::string*>(user)->append(static_cast<const char*>(data), size);
  return 0;
}

}  // namespace

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
  const auto sink = profkit::memory_sink(theirs);
  REQUIRE(profkit::write_memory_document(**core, o, *sink).ok());
  REQUIRE(sink->finish().ok());
  CHECK(ours == theirs);
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
  options.flags = 1u << 30;
  CHECK(pk_memory_open(profile.get(), &options, &memory, error.out()) < 0);

  REQUIRE(pk_memory_open(profile.get(), nullptr, &memory, error.out()) == PK_OK);
  const owned<pk_memory> held(memory);
  std::size_t count = 5;
  pk_live_buffer row;
  CHECK(pk_live_buffers_read(memory, 0, &row, 0, &count, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_live_buffers_read(memory, std::numeric_limits<std::uint64_t>::max(), &row, 1, &count, error.out()) ==
        PK_END);
  CHECK(count == 0);
  pk_curve_point point;
  CHECK(pk_live_curve_read(memory, 0, &point, 1, &count, error.out()) == PK_END);  // no curve was asked for
  CHECK(pk_memory_fit(memory, nullptr, nullptr, error.out()) == PK_END);
  pk_memory_module module;
  CHECK(pk_memory_module_get(memory, 99, &module, error.out()) == PK_E_INVALID_ARGUMENT);
  pk_memory_allocator allocator;
  CHECK(pk_memory_allocator_get(memory, 99, &allocator, error.out()) == PK_E_INVALID_ARGUMENT);
}
