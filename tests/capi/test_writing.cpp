// What is written through the C ABI: documents into files, messages of open files, XSpaces with bounds, gzip and hooks.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "handles.hpp"

using namespace profkit::test;
namespace fs = std::filesystem;

namespace {

struct scratch_folder {
  fs::path at = fs::temp_directory_path() / ("profkit-capi-writing-" + std::to_string(::getpid()));
  scratch_folder() { fs::create_directories(at); }
  ~scratch_folder() { fs::remove_all(at); }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
};

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

pk_str text(std::string_view s) { return {s.data(), s.size()}; }

// Planes of one line of so many events each; gives the status of finish().
pk_status write_planes(pk_xspace_writer* writer, int planes, int events, error_slot& error) {
  for (int plane = 0; plane < planes; ++plane) {
    pk_xspace_writer_begin_plane(writer, text("/device:GPU:" + std::to_string(plane)), plane);
    pk_xspace_writer_begin_line(writer, 1, text("Stream"), 0);
    const std::int64_t name = pk_xspace_writer_event_metadata(writer, text("kernel"), text(""));
    for (int i = 0; i < events; ++i) pk_xspace_writer_event(writer, name, i * 1000, 500);
    pk_xspace_writer_end_plane(writer);
  }
  return pk_xspace_writer_finish(writer, error.out());
}

std::string written_with(const pk_writer_options* options, int planes, int events) {
  std::string bytes;
  pk_xspace_writer* made = nullptr;
  error_slot error;
  REQUIRE(pk_xspace_writer_new(options, append, &bytes, &made, error.out()) == PK_OK);
  const pk_status status = write_planes(made, planes, events, error);
  pk_xspace_writer_free(made);
  INFO(error.message());
  REQUIRE(status == PK_OK);
  return bytes;
}

}  // namespace

TEST_CASE("a document into a file is that of the callback") {
  const scratch_folder folder;
  const auto profile = opened(gpu_capture());
  error_slot error;
  std::string expected;
  pk_document_options options = PK_DOCUMENT_OPTIONS_INIT;
  options.limit = 3;
  REQUIRE(pk_document_write(profile.get(), PK_DOCUMENT_OPS, &options, append, &expected, nullptr, nullptr) == PK_OK);
  const fs::path path = folder.at / "ops.json";
  std::int32_t status = -1;
  REQUIRE(pk_document_write_file(profile.get(), PK_DOCUMENT_OPS, &options, path.c_str(), &status, error.out()) == PK_OK);
  CHECK(status == PK_DOCUMENT_STATUS_OK);
  CHECK(content_of(path) == expected);
  // What fails leaves what was there before.
  pk_filters filters = PK_FILTERS_INIT;
  filters.flags = PK_FILTER_HAS_STEP;
  filters.step = 1000000;
  options.filters = &filters;
  CHECK(pk_document_write_file(profile.get(), PK_DOCUMENT_OPS, &options, path.c_str(), &status, error.out()) < 0);
  CHECK(content_of(path) == expected);
  CHECK(std::distance(fs::directory_iterator(folder.at), fs::directory_iterator()) == 1);
  CHECK(pk_document_write_file(profile.get(), PK_DOCUMENT_OPS, nullptr, "/dev/full", nullptr, error.out()) == PK_E_OUTPUT_FULL);
  CHECK(pk_document_write_file(profile.get(), 999, nullptr, path.c_str(), nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_document_write_file(nullptr, PK_DOCUMENT_OPS, nullptr, path.c_str(), nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_document_write_file(profile.get(), PK_DOCUMENT_OPS, nullptr, nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
}

TEST_CASE("what is read is not replaced by what is written") {
  const scratch_folder folder;
  const fs::path capture = folder.at / "vm.xplane.pb", link = folder.at / "other-name";
  fs::copy_file(gpu_capture(), capture);
  fs::create_symlink(capture, link);
  const std::string before = content_of(capture);
  const auto profile = opened(capture.string());
  error_slot error;
  for (const fs::path& path : {capture, link}) {
    CHECK(pk_document_write_file(profile.get(), PK_DOCUMENT_INFO, nullptr, path.c_str(), nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
    CHECK(error.message().find("replace") != std::string::npos);
    CHECK(pk_trace_write_file(profile.get(), nullptr, path.c_str(), nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  }
  CHECK(content_of(capture) == before);
  // The label of a buffer is no file.
  const auto held = opened_buffer(before, capture.c_str());
  CHECK(pk_document_write_file(held.get(), PK_DOCUMENT_INFO, nullptr, capture.c_str(), nullptr, error.out()) == PK_OK);
  CHECK(content_of(capture) != before);
}

TEST_CASE("a message of an open file is shown as that of its path") {
  const std::string whole = content_of(gpu_capture());
  pk_dump_options options = PK_DUMP_OPTIONS_INIT;
  options.format = PK_DUMP_TEXT;
  options.limit = 2;
  std::string expected, ours;
  error_slot error;
  REQUIRE(pk_dump_write(gpu_capture().c_str(), &options, append, &expected, nullptr, nullptr) == PK_OK);
  const auto buffer = opened_buffer(whole);
  std::int32_t status = -1;
  REQUIRE(pk_file_dump_write(buffer.get(), 0, &options, append, &ours, &status, error.out()) == PK_OK);
  CHECK(ours == expected);
  CHECK(status == PK_DOCUMENT_STATUS_OK);
  const std::string half = whole.substr(0, whole.size() / 2);
  const auto cut = opened_buffer(half);
  ours.clear();
  REQUIRE(pk_file_dump_write(cut.get(), 0, &options, append, &ours, &status, error.out()) == PK_OK);
  CHECK(status == PK_DOCUMENT_STATUS_PARTIAL);
  const std::string json = R"({"traceEvents":[{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":"a"}]})";
  const auto chrome = opened_buffer(json, "a.trace.json");
  CHECK(pk_file_dump_write(chrome.get(), 0, nullptr, append, &ours, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(error.message().find("no protobuf") != std::string::npos);
  CHECK(pk_file_dump_write(buffer.get(), 1, nullptr, append, &ours, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_file_dump_write(nullptr, 0, nullptr, append, &ours, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_file_dump_write(buffer.get(), 0, nullptr, nullptr, nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
}

TEST_CASE("the writer compresses") {
  const std::string plain = written_with(nullptr, 2, 1000);
  pk_writer_options options = PK_WRITER_OPTIONS_INIT;
  options.flags = PK_WRITER_GZIP;
  const std::string packed = written_with(&options, 2, 1000);
  REQUIRE(packed.size() > 2);
  CHECK(packed.substr(0, 2) == "\x1f\x8b");
  CHECK(packed.size() < plain.size());
  const auto profile = opened_buffer(packed);
  pk_str bytes{};
  REQUIRE(pk_file_bytes(profile.get(), 0, &bytes, nullptr) == PK_OK);
  CHECK(std::string(bytes.data, bytes.size) == plain);
}

TEST_CASE("a message that is whole, in a file whose end is cut off, is partial") {
  pk_writer_options packing = PK_WRITER_OPTIONS_INIT;
  packing.flags = PK_WRITER_GZIP;
  std::string packed = written_with(&packing, 1, 10);
  packed.resize(packed.size() - 4);  // of the checksum that follows the contents
  const auto profile = opened_buffer(packed);
  REQUIRE(pk_file_damage(profile.get(), 0) != nullptr);
  std::string ours;
  std::int32_t status = -1;
  REQUIRE(pk_file_dump_write(profile.get(), 0, nullptr, append, &ours, &status, nullptr) == PK_OK);
  CHECK(status == PK_DOCUMENT_STATUS_PARTIAL);
}

TEST_CASE("the writer keeps to a bound of the open plane") {
  pk_writer_options options = PK_WRITER_OPTIONS_INIT;
  options.max_plane_bytes = 2000;
  const std::string plain = written_with(nullptr, 20, 100);  // 20 planes of some 900 bytes
  CHECK(plain.size() > 10'000);
  CHECK(written_with(&options, 20, 100) == plain);
  options.max_plane_bytes = PK_LIMIT_NONE;
  CHECK(written_with(&options, 20, 100) == plain);
  options.max_plane_bytes = 500;
  std::string bytes;
  pk_xspace_writer* made = nullptr;
  error_slot error;
  REQUIRE(pk_xspace_writer_new(&options, append, &bytes, &made, error.out()) == PK_OK);
  CHECK(write_planes(made, 1, 100, error) == PK_E_LIMIT);
  CHECK(pk_xspace_writer_status(made) == PK_E_LIMIT);
  CHECK(error.message().find("max_plane_bytes") != std::string::npos);
  pk_xspace_writer_free(made);
  CHECK(bytes.empty());
  // Names alone reach it, too.
  REQUIRE(pk_xspace_writer_new(&options, append, &bytes, &made, error.out()) == PK_OK);
  pk_xspace_writer_begin_plane(made, text("p"), 0);
  for (int i = 0; i < 100; ++i) pk_xspace_writer_stat_metadata(made, text("a name of a stat " + std::to_string(i)));
  CHECK(pk_xspace_writer_status(made) == PK_E_LIMIT);
  pk_xspace_writer_free(made);
}

TEST_CASE("the host stops a writer") {
  const scratch_folder folder;
  const fs::path path = folder.at / "stopped.xplane.pb";
  pk_cancel_token* token = nullptr;
  REQUIRE(pk_cancel_token_new(&token, nullptr) == PK_OK);
  const owned<pk_cancel_token> held(token);
  pk_hooks hooks = PK_HOOKS_INIT;
  hooks.cancel = token;
  pk_writer_options options = PK_WRITER_OPTIONS_INIT;
  options.hooks = &hooks;
  pk_xspace_writer* made = nullptr;
  error_slot error;
  REQUIRE(pk_xspace_writer_open(&options, path.c_str(), &made, error.out()) == PK_OK);
  hooks = PK_HOOKS_INIT;  // the struct was copied
  pk_cancel_token_cancel(token);
  CHECK(write_planes(made, 1, 10, error) == PK_E_CANCELLED);
  pk_xspace_writer_free(made);
  CHECK_FALSE(fs::exists(path));
  // After the last bytes, too: the file is not put in place.
  pk_cancel_token* late = nullptr;
  REQUIRE(pk_cancel_token_new(&late, nullptr) == PK_OK);
  const owned<pk_cancel_token> held_late(late);
  hooks.cancel = late;
  REQUIRE(pk_xspace_writer_open(&options, path.c_str(), &made, error.out()) == PK_OK);
  pk_xspace_writer_begin_plane(made, text("p"), 0);
  pk_xspace_writer_end_plane(made);
  CHECK(pk_xspace_writer_status(made) == PK_OK);
  pk_cancel_token_cancel(late);
  CHECK(pk_xspace_writer_finish(made, error.out()) == PK_E_CANCELLED);
  pk_xspace_writer_free(made);
  CHECK_FALSE(fs::exists(path));
  hooks.cancel = token;
  CHECK(pk_xspace_writer_open(&options, path.c_str(), &made, error.out()) == PK_E_CANCELLED);
  CHECK(made == nullptr);

  // Progress says how many bytes came, and stops the work when it wants to.
  std::uint64_t last = 0;
  hooks = PK_HOOKS_INIT;
  hooks.user = &last;
  hooks.progress = [](void* user, std::uint64_t done, std::uint64_t total) -> std::int32_t {
    *static_cast<std::uint64_t*>(user) = done;
    return total == 0 ? 0 : 1;
  };
  std::string bytes;
  REQUIRE(pk_xspace_writer_new(&options, append, &bytes, &made, error.out()) == PK_OK);
  CHECK(write_planes(made, 1, 10, error) == PK_OK);
  pk_xspace_writer_free(made);
  CHECK(last > 0);
  CHECK(last <= bytes.size());
  hooks.progress = [](void*, std::uint64_t, std::uint64_t) -> std::int32_t { return 1; };
  REQUIRE(pk_xspace_writer_new(&options, append, &bytes, &made, error.out()) == PK_OK);
  CHECK(write_planes(made, 1, 10, error) == PK_E_CANCELLED);
  pk_xspace_writer_free(made);
  options.flags = 64;
  CHECK(pk_xspace_writer_new(&options, append, &bytes, &made, error.out()) == PK_E_UNSUPPORTED);
}
