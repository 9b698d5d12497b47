// Paths are bytes: those that are no UTF-8 reach the file, come back as they were, and are shown as valid text.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "handles.hpp"

using namespace profkit::test;

namespace {

namespace fs = std::filesystem;

// A folder whose name is no UTF-8, gone at the end.
class odd_folder {
 public:
  odd_folder() : path_(fs::temp_directory_path() / ("profkit_\xff\xfe_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~odd_folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("a capture at a path that is no UTF-8") {
  const odd_folder folder;
  const std::string path = folder.file("caf\xe9.xplane.pb");
  fs::copy_file(gpu_capture(), path);
  for (const std::string& opened_as : {path, folder.path()}) {
    const auto profile = opened(opened_as);
    REQUIRE(pk_file_count(profile.get()) == 1);
    pk_file_info info;
    REQUIRE(pk_file_get(profile.get(), 0, &info, nullptr) == PK_OK);
    CHECK(text_of(info.path) == path);
    std::string document;
    REQUIRE(pk_document_write(profile.get(), PK_DOCUMENT_INFO, nullptr, append, &document, nullptr, nullptr) == PK_OK);
    CHECK(document.find("caf") != std::string::npos);
    CHECK(std::none_of(document.begin(), document.end(), [](char c) { return c == '\xff' || c == '\xe9'; }));
  }
}

TEST_CASE("a path that is no UTF-8 and leads nowhere") {
  const odd_folder folder;
  const std::string path = folder.file("\x80\xbf.xplane.pb");
  pk_profile* profile = nullptr;
  error_slot error;
  CHECK(pk_profile_open(path.c_str(), nullptr, &profile, error.out()) == PK_E_NOT_FOUND);
  CHECK(std::string(pk_error_path(error.get())) == path);
  CHECK(error.message().find(path) != std::string::npos);
  CHECK(error.message().find(path) == error.message().rfind(path));
  std::string document;
  CHECK(pk_document_write_error(PK_DOCUMENT_INFO, error.get(), append, &document, nullptr) == PK_OK);
  CHECK(document.find('\x80') == std::string::npos);
}

TEST_CASE("a message that names its path is not given it again") {
  const odd_folder folder;
  const std::string empty = folder.file("empty");
  REQUIRE(std::filesystem::create_directory(empty));
  pk_profile* profile = nullptr;
  error_slot error;
  CHECK(pk_profile_open(empty.c_str(), nullptr, &profile, error.out()) == PK_E_NOT_FOUND);
  CHECK(error.message().find("no profile in " + empty) == 0);
  CHECK(std::string(pk_error_path(error.get())) == empty);
}

TEST_CASE("what is written to a path that is no UTF-8") {
  const odd_folder folder;
  const std::string written = folder.file("w\xff.xplane.pb"), merged = folder.file("m\xff.xplane.pb");
  pk_xspace_writer* writer = nullptr;
  REQUIRE(pk_xspace_writer_open(nullptr, written.c_str(), &writer, nullptr) == PK_OK);
  const auto text = [](std::string_view t) { return pk_str{t.data(), t.size()}; };
  pk_xspace_writer_begin_plane(writer, text("/device:GPU:0"), 1);
  pk_xspace_writer_begin_line(writer, 1, text("XLA Ops"), 0);
  pk_xspace_writer_event(writer, pk_xspace_writer_event_metadata(writer, text("fusion"), text("")), 0, 1000);
  pk_xspace_writer_end_line(writer);
  pk_xspace_writer_end_plane(writer);
  REQUIRE(pk_xspace_writer_finish(writer, nullptr) == PK_OK);
  pk_xspace_writer_free(writer);
  CHECK(pk_plane_count(opened(written).get(), 0) == 1);

  const char* const traces[] = {written.c_str()};
  pk_merge_options options = PK_MERGE_OPTIONS_INIT;
  options.traces = traces;
  options.trace_count = 1;
  options.output = merged.c_str();
  options.correction = PK_CORRECTION_NONE;
  pk_merge* merge = nullptr;
  error_slot error;
  CHECK(pk_merge_run(&options, nullptr, nullptr, &merge, error.out()) == PK_OK);
  INFO(error.message());
  pk_merge_free(merge);
  CHECK(pk_plane_count(opened(merged).get(), 0) >= 1);
}
