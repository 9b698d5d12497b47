// Documents through the write callback: the command's bytes, cancelled by the callback, the progress and the token.
#include <profkit/core/export.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "handles.hpp"

using namespace profkit::test;

namespace {

struct written {
  std::string bytes;
  std::int32_t status = -1;
};

written write(const pk_profile* profile, std::int32_t document, const pk_document_options* options) {
  written w;
  error_slot error;
  const pk_status status = pk_document_write(profile, document, options, append, &w.bytes, &w.status, error.out());
  INFO(pk_document_name(document) << ": " << error.message());
  REQUIRE(status == PK_OK);
  return w;
}

written expected(const std::string& path, std::int32_t document, const profkit::query_filters& filters) {
  const auto profile = profkit::profile::open(path);
  REQUIRE(profile.ok());
  written w;
  const auto sink = profkit::memory_sink(w.bytes);
  const auto status = profkit::write_document(static_cast<profkit::document>(document), profkit::trace(**profile), filters, *sink);
  REQUIRE(status.ok());
  REQUIRE(sink->finish().ok());
  w.status = static_cast<std::int32_t>(*status);
  return w;
}

void check_all(const std::string& path, const pk_document_options* options,
               void (*set)(profkit::query_filters&) = nullptr) {
  const auto profile = opened(path);
  for (std::int32_t document = PK_DOCUMENT_REPORT; document <= PK_DOCUMENT_MEMORY; ++document) {
    profkit::query_filters filters;
    filters.limit = profkit::default_limit(static_cast<profkit::document>(document));
    if (set) set(filters);
    const written ours = write(profile.get(), document, options);
    const written theirs = expected(path, document, filters);
    INFO(path << " " << pk_document_name(document));
    CHECK(ours.status == theirs.status);
    CHECK(ours.bytes == theirs.bytes);
    CHECK_FALSE(ours.bytes.empty());
    CHECK(ours.bytes.find("\"status\"") != std::string::npos);
  }
}

}  // namespace

TEST_CASE("documents are the bytes of write_document") {
  check_all(gpu_capture(), nullptr);
  check_all(cpu_run(), nullptr);
}

TEST_CASE("a document is small unless all of it is asked for, and says what it left out") {
  const auto profile = opened(tpu_capture());
  pk_document_options options = PK_DOCUMENT_OPTIONS_INIT;
  CHECK(options.limit == PK_LIMIT_DEFAULT);
  const auto by_default = write(profile.get(), PK_DOCUMENT_REPORT, &options).bytes;
  options.limit = 1;
  const auto least = write(profile.get(), PK_DOCUMENT_REPORT, &options).bytes;
  options.limit = PK_LIMIT_NONE;
  const auto whole = write(profile.get(), PK_DOCUMENT_REPORT, &options).bytes;
  CHECK(by_default.size() <= 1'000'000);
  CHECK(least.size() < by_default.size());
  CHECK(by_default.size() < whole.size());
  CHECK(by_default.find("\n  \"limited\": {\n    \"limit\": 20,") != std::string::npos);
  CHECK(least.find("\n  \"limited\": {\n    \"limit\": 1,") != std::string::npos);
  for (const std::uint64_t limit : {std::uint64_t{PK_LIMIT_DEFAULT}, std::uint64_t{PK_LIMIT_NONE}, std::uint64_t{50}}) {
    options.limit = limit;
    const auto brief = write(profile.get(), PK_DOCUMENT_BRIEF, &options).bytes;
    CHECK(brief.size() <= 16'000);
    CHECK(brief.find("\"more\": [") != std::string::npos);
  }
  CHECK(std::string(pk_document_name(PK_DOCUMENT_BRIEF)) == "brief");
  for (std::int32_t which = PK_DOCUMENT_INFO; which <= PK_DOCUMENT_ARCHITECTURE; ++which) {
    INFO(pk_document_name(which));
    options.limit = PK_LIMIT_NONE;
    options.max_bytes = 24'000;
    CHECK(write(profile.get(), which, &options).bytes.size() <= 24'000);
  }
}

TEST_CASE("filters reach the documents") {
  pk_document_options options = PK_DOCUMENT_OPTIONS_INIT;
  pk_filters given = PK_FILTERS_INIT;
  given.plane = "TPU:0";
  given.line = "XLA Ops";
  given.name = "fusion";
  given.flags = PK_FILTER_HAS_FROM | PK_FILTER_HAS_TO;
  given.from_ps = 0;
  given.to_ps = 1000000000000;
  options.filters = &given;
  options.limit = 3;
  check_all(tpu_capture(), &options, [](profkit::query_filters& filters) {
    filters.plane = "TPU:0";
    filters.line = "XLA Ops";
    filters.name = "fusion";
    filters.from_ps = 0;
    filters.to_ps = 1000000000000;
    filters.limit = 3;
  });
  options = PK_DOCUMENT_OPTIONS_INIT;
  options.limit = PK_LIMIT_NONE;
  check_all(gpu_capture(), &options, [](profkit::query_filters& filters) { filters.limit = 0; });
}

TEST_CASE("a step that is not there is an error of the call") {
  const auto profile = opened(tpu_capture());
  pk_document_options options = PK_DOCUMENT_OPTIONS_INIT;
  pk_filters filters = PK_FILTERS_INIT;
  filters.flags = PK_FILTER_HAS_STEP;
  filters.step = 1000000;
  options.filters = &filters;
  std::string bytes;
  error_slot error;
  CHECK(pk_document_write(profile.get(), PK_DOCUMENT_OPS, &options, append, &bytes, nullptr, error.out()) < 0);
  CHECK_FALSE(error.message().empty());
}

TEST_CASE("damage makes a document partial, not the call an error") {
  std::ifstream file(gpu_capture(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  const std::string cut = whole.substr(0, whole.size() / 2);
  const auto profile = opened_buffer(cut, "gemm.xplane.pb");
  const written info = write(profile.get(), PK_DOCUMENT_INFO, nullptr);
  CHECK(info.status == PK_DOCUMENT_STATUS_PARTIAL);
  CHECK(info.bytes.find("\"partial\"") != std::string::npos);
}

TEST_CASE("an error document has what the error has") {
  pk_profile* profile = nullptr;
  error_slot error;
  REQUIRE(pk_profile_open("/nonexistent/a.xplane.pb", nullptr, &profile, error.out()) == PK_E_NOT_FOUND);
  std::string ours;
  REQUIRE(pk_document_write_error(PK_DOCUMENT_OPS, error.get(), append, &ours, nullptr) == PK_OK);
  const auto opened = profkit::profile::open("/nonexistent/a.xplane.pb");
  REQUIRE_FALSE(opened.ok());
  std::string theirs;
  const auto sink = profkit::memory_sink(theirs);
  REQUIRE(profkit::write_error_document(profkit::document::ops, opened.error(), *sink).ok());
  REQUIRE(sink->finish().ok());
  CHECK(ours == theirs);
  CHECK(ours.find("not_found") != std::string::npos);
}

TEST_CASE("the write callback stops the document") {
  const auto profile = opened(tpu_capture());
  int calls = 0;
  error_slot error;
  const auto refuse = [](void* user, const void*, std::size_t) -> std::int32_t { return ++*static_cast<int*>(user); };
  CHECK(pk_document_write(profile.get(), PK_DOCUMENT_OPS, nullptr, refuse, &calls, nullptr, error.out()) ==
        PK_E_CANCELLED);
  CHECK(error.code() == PK_E_CANCELLED);
  CHECK(calls == 1);
  CHECK(pk_document_write_error(PK_DOCUMENT_OPS, error.get(), refuse, &calls, nullptr) == PK_E_CANCELLED);
}

TEST_CASE("the cancel token stops documents and opening") {
  const auto profile = opened(tpu_capture());
  pk_cancel_token* made = nullptr;
  REQUIRE(pk_cancel_token_new(&made, nullptr) == PK_OK);
  const owned<pk_cancel_token> token(made);
  pk_hooks hooks = PK_HOOKS_INIT;
  hooks.cancel = token.get();
  pk_document_options options = PK_DOCUMENT_OPTIONS_INIT;
  options.hooks = &hooks;
  std::string bytes;
  CHECK(pk_document_write(profile.get(), PK_DOCUMENT_INFO, &options, append, &bytes, nullptr, nullptr) == PK_OK);
  // Cancelled from inside, as another thread would.
  struct cancels_at_first_bytes {
    pk_cancel_token* token;
    int calls = 0;
  } host{token.get()};
  const auto cancel = [](void* user, const void*, std::size_t) -> std::int32_t {
    auto& h = *static_cast<cancels_at_first_bytes*>(user);
    ++h.calls;
    pk_cancel_token_cancel(h.token);
    return 0;
  };
  pk_document_write(profile.get(), PK_DOCUMENT_INFO, &options, cancel, &host, nullptr, nullptr);
  CHECK(host.calls > 0);
  for (std::int32_t document = PK_DOCUMENT_REPORT; document <= PK_DOCUMENT_MEMORY; ++document) {
    error_slot error;
    bytes.clear();
    CHECK(pk_document_write(profile.get(), document, &options, append, &bytes, nullptr, error.out()) == PK_E_CANCELLED);
    CHECK(bytes.empty());
  }
  pk_module_list* modules = nullptr;
  CHECK(pk_module_list_open(profile.get(), &hooks, &modules, nullptr) == PK_E_CANCELLED);
  pk_open_options open = PK_OPEN_OPTIONS_INIT;
  open.hooks = &hooks;
  pk_profile* handle = nullptr;
  CHECK(pk_profile_open(cpu_run().c_str(), &open, &handle, nullptr) == PK_E_CANCELLED);
  CHECK(handle == nullptr);
}

namespace {

// A source that is slow enough for progress to be told: 64 KiB of a line's events at a time, 60 ms each.
struct slow_source {
  std::string bytes;
  int reports = 0;
  std::int32_t answer = 0;
  std::uint64_t last_done = 0;
};

std::int64_t read_slowly(void* user, std::uint64_t offset, void* into, std::size_t size) {
  auto& source = *static_cast<slow_source*>(user);
  if (offset >= source.bytes.size()) return 0;
  const std::size_t left = source.bytes.size() - static_cast<std::size_t>(offset);
  const std::size_t count = std::min({size, std::size_t{64} << 10, left});
  std::memcpy(into, source.bytes.data() + offset, count);
  if (offset != 0) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
    while (std::chrono::steady_clock::now() < until) {}
  }
  return static_cast<std::int64_t>(count);
}

pk_status open_slowly(slow_source& source, pk_profile*& handle, error_slot& error) {
  pk_hooks hooks = PK_HOOKS_INIT;
  hooks.user = &source;
  hooks.progress = [](void* user, std::uint64_t done, std::uint64_t) -> std::int32_t {
    auto& s = *static_cast<slow_source*>(user);
    ++s.reports;
    s.last_done = done;
    return s.answer;
  };
  pk_open_options options = PK_OPEN_OPTIONS_INIT;
  options.hooks = &hooks;
  pk_read_callbacks callbacks = PK_READ_CALLBACKS_INIT;
  callbacks.user = &source;
  callbacks.read_at = read_slowly;
  callbacks.size_bytes = source.bytes.size();
  return pk_profile_open_callbacks(&callbacks, "slow.xplane.pb", &options, &handle, error.out());
}

}  // namespace

TEST_CASE("progress is told while a source is read, and stops it") {
  std::ifstream file(tpu_capture(), std::ios::binary);
  slow_source source;
  source.bytes.assign(std::istreambuf_iterator<char>(file), {});
  pk_profile* handle = nullptr;
  error_slot error;
  CHECK(open_slowly(source, handle, error) == PK_OK);
  CHECK(source.reports > 2);
  CHECK(source.last_done <= source.bytes.size());
  // The hooks and callbacks ended with the call that opened.
  const int reports = source.reports;
  std::string document;
  CHECK(pk_document_write(handle, PK_DOCUMENT_INFO, nullptr, append, &document, nullptr, nullptr) == PK_OK);
  CHECK(source.reports == reports);
  pk_profile_free(handle);

  source.answer = 1;
  source.reports = 0;
  CHECK(open_slowly(source, handle, error) == PK_E_CANCELLED);
  CHECK(handle == nullptr);
  CHECK(source.reports == 1);
}

TEST_CASE("a folder that cannot be looked into is logged, and the others are read") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("profkit_capi_log_" + std::to_string(::getpid()));
  fs::create_directories(folder / "locked");
  fs::create_directories(folder / "open");
  fs::copy_file(gpu_capture(), folder / "open" / "gemm.xplane.pb", fs::copy_options::overwrite_existing);
  fs::permissions(folder / "open" / "gemm.xplane.pb", fs::perms::all);
  fs::permissions(folder / "locked", fs::perms::none);
  struct remark {
    std::int32_t level = 0;
    std::string message;
  } heard;
  pk_hooks hooks = PK_HOOKS_INIT;
  hooks.user = &heard;
  hooks.log = [](void* user, std::int32_t level, const char* message) {
    *static_cast<remark*>(user) = {level, message};
  };
  pk_open_options options = PK_OPEN_OPTIONS_INIT;
  options.hooks = &hooks;
  const ::uid_t before = ::geteuid();
  if (before == 0) REQUIRE(::seteuid(65534) == 0);  // root may look into every folder
  pk_profile* handle = nullptr;
  const pk_status status = pk_profile_open(folder.c_str(), &options, &handle, nullptr);
  if (before == 0) REQUIRE(::seteuid(0) == 0);
  const owned<pk_profile> profile(handle);
  fs::permissions(folder / "locked", fs::perms::all);
  fs::remove_all(folder);
  REQUIRE(status == PK_OK);
  CHECK(pk_file_count(handle) == 1);
  CHECK(heard.level == PK_LOG_WARNING);
  CHECK(heard.message.find("locked") != std::string::npos);
}

TEST_CASE("a read callback that fails, and one that gives more than it may") {
  pk_read_callbacks callbacks = PK_READ_CALLBACKS_INIT;
  pk_profile* handle = nullptr;
  error_slot error;
  callbacks.read_at = [](void*, std::uint64_t, void*, std::size_t) -> std::int64_t { return -1; };
  CHECK(pk_profile_open_callbacks(&callbacks, "bad.xplane.pb", nullptr, &handle, error.out()) == PK_E_IO);
  CHECK(std::string(pk_error_path(error.get())) == "bad.xplane.pb");
  CHECK(error.message().find("bad.xplane.pb") == 0);
  CHECK(error.message().rfind("bad.xplane.pb") == 0);
  std::string document;  // has fields for both, so its message has no path
  REQUIRE(pk_document_write_error(PK_DOCUMENT_INFO, error.get(), append, &document, nullptr) == PK_OK);
  CHECK(document.find("bad.xplane.pb") != std::string::npos);
  CHECK(document.find("bad.xplane.pb: ") == std::string::npos);
  // A label that stands in other words of the message is not named by them.
  CHECK(pk_profile_open_callbacks(&callbacks, "e", nullptr, &handle, error.out()) == PK_E_IO);
  CHECK(error.message().find("e: ") == 0);
  callbacks.read_at = [](void*, std::uint64_t, void*, std::size_t size) -> std::int64_t {
    return static_cast<std::int64_t>(size) + 1;
  };
  CHECK(pk_profile_open_callbacks(&callbacks, "bad.xplane.pb", nullptr, &handle, error.out()) < 0);
  CHECK(handle == nullptr);
}

TEST_CASE("a reader is released once, after the last read") {
  struct reader {
    std::string bytes;
    int released = 0, reads_after_release = 0;
  } source;
  std::ifstream file(gpu_capture(), std::ios::binary);
  source.bytes.assign(std::istreambuf_iterator<char>(file), {});
  pk_read_callbacks callbacks = PK_READ_CALLBACKS_INIT;
  callbacks.user = &source;
  callbacks.size_bytes = source.bytes.size();
  callbacks.read_at = [](void* user, std::uint64_t offset, void* into, std::size_t size) -> std::int64_t {
    auto& from = *static_cast<reader*>(user);
    if (from.released != 0) ++from.reads_after_release;
    return static_cast<std::int64_t>(from.bytes.copy(static_cast<char*>(into), size, static_cast<std::size_t>(offset)));
  };
  callbacks.release = [](void* user) { ++static_cast<reader*>(user)->released; };
  pk_open_options options = PK_OPEN_OPTIONS_INIT;
  pk_profile* handle = nullptr;
  error_slot error;

  SECTION("by the call that opens, when all is read there") {
    REQUIRE(pk_profile_open_callbacks(&callbacks, "gemm.xplane.pb", &options, &handle, error.out()) == PK_OK);
    CHECK(source.released == 1);
    pk_profile_free(handle);
    CHECK(source.released == 1);
  }
  SECTION("by the call that does not open") {
    options.flags = PK_OPEN_ONE_PASS;
    callbacks.read_at = [](void*, std::uint64_t, void*, std::size_t) -> std::int64_t { return -1; };
    CHECK(pk_profile_open_callbacks(&callbacks, "gemm.xplane.pb", &options, &handle, error.out()) == PK_E_IO);
    CHECK(source.released == 1);
    options.flags = ~0u;
    CHECK(pk_profile_open_callbacks(&callbacks, "gemm.xplane.pb", &options, &handle, error.out()) == PK_E_UNSUPPORTED);
    CHECK(source.released == 2);
    CHECK(pk_profile_open_callbacks(&callbacks, "gemm.xplane.pb", &options, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
    CHECK(source.released == 3);
  }
  SECTION("with the last reference, when documents read later") {
    options.flags = PK_OPEN_ONE_PASS;
    REQUIRE(pk_profile_open_callbacks(&callbacks, "gemm.xplane.pb", &options, &handle, error.out()) == PK_OK);
    std::string document;
    CHECK(pk_document_write(handle, PK_DOCUMENT_INFO, nullptr, append, &document, nullptr, nullptr) == PK_OK);
    pk_table* kernels = nullptr;
    REQUIRE(pk_table_open(handle, PK_TABLE_KERNELS, nullptr, &kernels, error.out()) == PK_OK);
    pk_profile_free(handle);
    CHECK(source.released == 0);
    pk_kernel_row row;
    std::size_t count = 0;
    CHECK(pk_table_read(kernels, &row, sizeof row, 1, &count, error.out()) == PK_OK);
    CHECK(source.released == 0);
    pk_table_free(kernels);
    CHECK(source.released == 1);
  }
  SECTION("not at all where the caller knows no release") {
    callbacks.struct_size = offsetof(pk_read_callbacks, release);
    CHECK(pk_profile_open_callbacks(&callbacks, "gemm.xplane.pb", &options, &handle, error.out()) == PK_OK);
    pk_profile_free(handle);
    CHECK(source.released == 0);
  }
  CHECK(source.reads_after_release == 0);
}

TEST_CASE("a gzip file and a directory open through the C ABI") {
  const auto run = opened(data_path("jax/mlp_nohlo/plugins/profile/2026_11_21_07_08_37/vm.trace.json.gz").string());
  pk_file_info file;
  REQUIRE(pk_file_get(run.get(), 0, &file, nullptr) == PK_OK);
  CHECK(file.compression == PK_COMPRESSION_GZIP);
  CHECK(file.family == PK_FAMILY_CHROME_TRACE);
  CHECK(file.encoded_bytes == 17548);
  pk_str bytes;
  REQUIRE(pk_file_bytes(run.get(), 0, &bytes, nullptr) == PK_OK);
  CHECK(bytes.size > file.encoded_bytes);

  const auto folder = std::filesystem::temp_directory_path() / "profkit_capi_empty";
  std::filesystem::create_directories(folder);
  pk_profile* none = nullptr;
  CHECK(pk_profile_open(folder.string().c_str(), nullptr, &none, nullptr) == PK_E_NOT_FOUND);
  CHECK(none == nullptr);
  std::filesystem::remove_all(folder);
}

TEST_CASE("Chrome events: text, times, damage after what was intact") {
  const std::string json =
      R"({"displayTimeUnit":"ms","traceEvents":[)"
      R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"dev"}},)"
      R"({"ph":"X","pid":1,"tid":"7","ts":1.5,"dur":2,"name":"a\u0041","cat":"op","id":"0x1","args":{"k":[1,2]}},)"
      R"({"ph":"i","pid":1,"tid":3,"ts":4,"name":"mark"},)"
      R"({"ph":"X","pid":1,"ts":)";
  pk_profile* handle = nullptr;
  REQUIRE(pk_profile_open_buffer(json.data(), json.size(), "a.trace.json", nullptr, &handle, nullptr) == PK_OK);
  pk_chrome_reader* made = nullptr;
  error_slot error;
  REQUIRE(pk_chrome_open(handle, 0, &made, error.out()) == PK_OK);
  pk_profile_free(handle);  // the reader holds a reference of its own
  const owned<pk_chrome_reader> reader(made);
  pk_chrome_event rows[2];
  std::size_t count = 0;
  REQUIRE(pk_chrome_events_read(reader.get(), rows, 1, &count, nullptr) == PK_OK);
  CHECK(count == 1);
  CHECK(rows[0].phase == 'M');
  CHECK(rows[0].flags == 0);
  CHECK(text_of(rows[0].args) == R"({"name":"dev"})");
  REQUIRE(pk_chrome_events_read(reader.get(), rows, 2, &count, nullptr) == PK_OK);
  REQUIRE(count == 2);
  CHECK(text_of(rows[0].name) == "aA");
  CHECK(text_of(rows[0].category) == "op");
  CHECK(text_of(rows[0].id) == "0x1");
  CHECK(text_of(rows[0].pid) == "1");
  CHECK(text_of(rows[0].tid) == "7");
  CHECK(rows[0].flags == (PK_CHROME_HAS_START | PK_CHROME_HAS_DURATION | PK_CHROME_TID_IS_STRING));
  CHECK(rows[0].start_ps == 1500000);
  CHECK(rows[0].duration_ps == 2000000);
  CHECK(json.compare(static_cast<std::size_t>(rows[0].byte_offset), 9, R"({"ph":"X")") == 0);
  CHECK(rows[1].phase == 'i');
  CHECK(rows[1].flags == PK_CHROME_HAS_START);
  CHECK(pk_chrome_events_read(reader.get(), rows, 2, &count, error.out()) == PK_E_DAMAGED);
  CHECK(std::string(pk_error_path(error.get())) == "a.trace.json");
  CHECK(count == 0);
  pk_chrome_summary summary;
  REQUIRE(pk_chrome_summarise(reader.get(), &summary, nullptr) == PK_OK);
  CHECK(summary.event_count == 3);
}

TEST_CASE("modules: siblings and modules in files of their own") {
  const auto list_of = [](const std::string& path) {
    const auto profile = opened(path);
    pk_module_list* made = nullptr;
    REQUIRE(pk_module_list_open(profile.get(), nullptr, &made, nullptr) == PK_OK);
    return owned<pk_module_list>(made);
  };
  const auto own =
      list_of(data_path("jax/two_process_rank0/dump/module_0000.jit_step.cpu_after_optimizations.hlo.pb").string());
  REQUIRE(pk_module_count(own.get()) == 1);
  pk_module_info module;
  REQUIRE(pk_module_get(own.get(), 0, &module, nullptr) == PK_OK);
  CHECK(module.plane == -1);
  CHECK(module.hlo_proto.size == 8401);
  CHECK(text_of(module.module_name) == "jit_step");
  const auto none = list_of(gpu_capture());
  for (std::size_t i = 0; i < pk_module_count(none.get()); ++i) {
    REQUIRE(pk_module_get(none.get(), i, &module, nullptr) == PK_OK);
    CHECK(module.sibling == PK_SIBLING_NONE);
  }
}
