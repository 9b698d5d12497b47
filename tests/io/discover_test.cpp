#include <profkit/core/discover.hpp>

#include "test_files.hpp"

#include <catch.hpp>

#include <atomic>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.hpp"

using namespace profkit;
using namespace profkit::test;

namespace {

std::vector<std::string> names_in(const discovery& found) {
  std::vector<std::string> names;
  for (const found_folder& folder : found.folders) {
    names.push_back(folder.path + "/");
    for (const found_file& file : folder.files) names.push_back(joined_path(folder.path, file.name));
  }
  return names;
}

}  // namespace

TEST_CASE("files are found in the order of their names") {
  const temporary_folder folder;
  for (const char* name : {"b", "a", "z/2", "z/1", "c/d/e", ".hidden/x", ".dot"}) folder.write(name, name);
  std::filesystem::create_directory(folder.path("empty"));
  const std::string root = folder.path();
  const auto found = discover(root, {}, {});
  REQUIRE(found.ok());
  CHECK(names_in(*found) == std::vector<std::string>{root + "/", root + "/a", root + "/b", root + "/c/", root + "/c/d/",
                                                     root + "/c/d/e", root + "/empty/", root + "/z/", root + "/z/1",
                                                     root + "/z/2"});
  CHECK(found->folders[0].files[0].bytes == 1);
  // 17 s and 3 ns after 1970, so that neither part is lost.
  const ::timespec times[] = {{17, 3}, {17, 3}};
  REQUIRE(::utimensat(AT_FDCWD, (root + "/a").c_str(), times, 0) == 0);
  const auto again = discover(root, {}, {});
  REQUIRE(again.ok());
  CHECK(again->folders[0].files[0].modified_ns == 17'000'000'003);
  CHECK(again->folders[0].files[1].modified_ns > 1'600'000'000'000'000'000);
  CHECK(joined_path("a/", "b") == "a/b");
}

TEST_CASE("links are followed once, and lead to no circle") {
  const temporary_folder folder;
  folder.write("real/file", "x");
  std::filesystem::create_directory_symlink(".", folder.path("real/loop"));
  std::filesystem::create_directory_symlink("..", folder.path("real/up"));
  std::filesystem::create_directory_symlink("real", folder.path("same"));
  std::filesystem::create_symlink("nowhere", folder.path("dangling"));
  REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  REQUIRE(::mkfifo(folder.path("real/pipe").c_str(), 0600) == 0);
  const auto found = discover(folder.path(), {}, {});
  REQUIRE(found.ok());
  REQUIRE(found->folders.size() == 2);
  CHECK(found->folders[1].path == folder.path("real"));
  CHECK(found->folders[1].files.size() == 1);
  REQUIRE(found->folders[0].files.size() == 1);
  CHECK(found->folders[0].files[0].name == "dangling");
  CHECK_FALSE(found->folders[0].files[0].reachable);
  CHECK(found->passed_over == std::vector<std::string>{folder.path("pipe"), folder.path("real/pipe")});
}

TEST_CASE("what is never opened in a folder says why") {
  const temporary_folder folder;
  REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  CHECK(why_never_opened(folder.path("pipe"))->message == "a named pipe in a folder, which is not read");
  CHECK(why_never_opened("/dev/null")->message == "a device in a folder, which is not read");
  CHECK(why_never_opened("/dev/null")->code == fault_code::unsupported);
  CHECK_FALSE(why_never_opened(folder.write("file", "x")));
  CHECK_FALSE(why_never_opened(folder.path()));
  CHECK_FALSE(why_never_opened(folder.path("gone")));
}

TEST_CASE("looking for files is bounded and can be cancelled") {
  const temporary_folder folder;
  for (int i = 0; i < 20; ++i) folder.write("d/" + std::to_string(i), "");
  limits bounds;
  bounds.max_files = 21;
  CHECK(discover(folder.path(), bounds, {}).ok());
  bounds.max_files = 20;
  const auto over = discover(folder.path(), bounds, {});
  REQUIRE_FALSE(over.ok());
  CHECK(over.error().code == fault_code::limit);
  CHECK(over.error().message.find("max_files") != std::string::npos);
  std::atomic<bool> cancel{true};
  hooks host;
  host.cancel = &cancel;
  const auto stopped = discover(folder.path(), {}, host);
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().code == fault_code::cancelled);
  CHECK(discover(folder.path("none"), {}, {}).error().code == fault_code::not_found);
  CHECK(discover(folder.write("file", ""), {}, {}).error().code == fault_code::not_found);
}

TEST_CASE("a folder that may not be looked into is named, the others are found") {
  const temporary_folder folder;
  folder.write("open/file", "x");
  folder.write("shut/file", "x");
  REQUIRE(::chmod(folder.path("shut").c_str(), 0) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  const ::pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(2);
    const auto found = discover(folder.path(), {}, {});
    const auto refused = discover(folder.path("shut"), {}, {});
    const bool good = found.ok() && found->folders.size() == 2 && found->folders[1].path == folder.path("open") &&
                      found->unreadable == std::vector<std::string>{folder.path("shut")} && !refused.ok() &&
                      refused.error().code == fault_code::permission;
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  ::chmod(folder.path("shut").c_str(), 0700);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) PROFKIT_SKIP("runs as root, and the system does not let it become another user");
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a path is told to be a file, a folder or a stream") {
  const temporary_folder folder;
  const auto file = look_at_path(folder.write("sub/f", "four"));
  REQUIRE(file.ok());
  CHECK(file->kind == path_kind::file);
  CHECK(file->bytes == 4);
  CHECK(file->name == "f");
  CHECK(look_at_path(folder.path("sub//"))->name == "sub");
  CHECK(look_at_path(folder.path("sub/."))->name == "sub");
  CHECK(look_at_path(folder.path("sub"))->kind == path_kind::folder);
  CHECK(look_at_path("-")->kind == path_kind::stream);
  CHECK(look_at_path("/dev/null")->kind == path_kind::stream);
  CHECK(look_at_path("/")->name == "/");
  CHECK(look_at_path(folder.path("none")).error().code == fault_code::not_found);
  CHECK(look_at_path("").error().code == fault_code::invalid_argument);
}
