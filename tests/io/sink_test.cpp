#include <profkit/core/sink.hpp>
#include <profkit/core/source.hpp>

#include "support.hpp"
#include "test_files.hpp"

#include <catch.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace profkit;
using namespace profkit::test;

namespace {

std::size_t entries_in(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

// Writes until a fault or the end, then finishes; every later call must give the same fault.
result<void> write_all(sink& out, const std::string& bytes, std::size_t piece) {
  result<void> state;
  for (std::size_t at = 0; at < bytes.size() && state.ok(); at += piece) {
    state = out.write(std::string_view(bytes).substr(at, piece));
  }
  if (state.ok()) state = out.finish();
  if (!state.ok()) {
    const auto again = out.write("more");
    CHECK_FALSE(again.ok());
    if (!again.ok()) CHECK(again.error().code == state.error().code);
    CHECK_FALSE(out.finish().ok());
  }
  return state;
}

}  // namespace

TEST_CASE("memory, callback and descriptor sinks pass every byte on in order") {
  const std::string bytes = sample_bytes(300000);
  for (const std::size_t piece : {std::size_t{17}, std::size_t{65536}, std::size_t{300000}}) {
    std::string text, called;
    CHECK(write_all(*memory_sink(text), bytes, piece).ok());
    CHECK(text == bytes);
    const write_callback append = [](void* user, const void* data, std::size_t count) {
      static_cast<std::string*>(user)->append(static_cast<const char*>(data), count);
      return std::int32_t{0};
    };
    CHECK(write_all(*callback_sink(append, &called), bytes, piece).ok());
    CHECK(called == bytes);
    const temporary_folder folder;
    const int file = ::open(folder.path("f").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(file >= 0);
    CHECK(write_all(*descriptor_sink(file, "f"), bytes, piece).ok());
    CHECK(::fcntl(file, F_GETFD) >= 0);  // still open
    ::close(file);
    CHECK(file_bytes(folder.path("f")) == bytes);
  }
}

TEST_CASE("a host that has enough cancels") {
  int left = 2;
  const write_callback limited = [](void* user, const void*, std::size_t) {
    return --*static_cast<int*>(user) < 0 ? 5 : 0;
  };
  const auto done = write_all(*callback_sink(limited, &left), sample_bytes(1000), 100);
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().code == fault_code::cancelled);
  CHECK(left == -1);  // not called again
  CHECK_FALSE(callback_sink(nullptr, nullptr)->write("x").ok());
}

TEST_CASE("a reader that went away is a fault, not a signal") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  const auto done = write_all(*descriptor_sink(ends[1], "pipe"), sample_bytes(200000), 1000);
  ::close(ends[1]);
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().code == fault_code::output);
  CHECK(done.error().path == "pipe");
  sigset_t waiting;
  sigpending(&waiting);
  CHECK(sigismember(&waiting, SIGPIPE) == 0);  // nothing is left behind
}

TEST_CASE("a pipe that is full for a while is waited for") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
  const std::string bytes = sample_bytes(1000000);
  std::string got;
  std::thread reader([&] {
    char buffer[5000];
    for (;;) {
      const auto count = ::read(ends[0], buffer, sizeof buffer);
      if (count <= 0) break;
      got.append(buffer, static_cast<std::size_t>(count));
    }
  });
  CHECK(write_all(*descriptor_sink(ends[1], "pipe"), bytes, 100000).ok());
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  CHECK(got == bytes);
}

TEST_CASE("a full disk is told from other faults") {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) PROFKIT_SKIP("this system has no /dev/full");
  const auto done = write_all(*descriptor_sink(full, "out"), sample_bytes(200000), 1000);
  ::close(full);
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().code == fault_code::output_full);
  // Few bytes stay in the buffer until the end: then the fault comes from finish().
  const auto device = atomic_file_sink("/dev/full");
  REQUIRE(device.ok());
  CHECK((*device)->write("few").ok());
  const auto finished = (*device)->finish();
  REQUIRE_FALSE(finished.ok());
  CHECK(finished.error().code == fault_code::output_full);
}

TEST_CASE("an atomic file appears as a whole") {
  const temporary_folder folder;
  const std::string path = folder.write("out.json", "old"), bytes = sample_bytes(100000);
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  {
    const auto out = std::move(*atomic_file_sink(path));
    REQUIRE(out->write(bytes).ok());
    CHECK(file_bytes(path) == "old");
    CHECK(entries_in(folder.path()) == 2);
    REQUIRE(out->finish().ok());
    CHECK(file_bytes(path) == bytes);
  }
  CHECK(entries_in(folder.path()) == 1);
  struct ::stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);  // permissions are kept
  // A new file, and an empty one.
  CHECK(std::move(*atomic_file_sink(folder.path("empty")))->finish().ok());
  CHECK(std::filesystem::file_size(folder.path("empty")) == 0);
  // A link stays a link.
  std::filesystem::create_symlink("out.json", folder.path("link"));
  CHECK(write_all(**atomic_file_sink(folder.path("link")), "through", 100).ok());
  CHECK(std::filesystem::is_symlink(folder.path("link")));
  CHECK(file_bytes(path) == "through");
}

TEST_CASE("a large atomic file holds what was written") {
  // The first 32 MiB go through the page cache, the rest past it where that can be done.
  const temporary_folder folder;
  const std::string path = folder.path("large"), piece = sample_bytes(1999993);
  for (const std::size_t pieces : {16U, 17U, 20U}) {
    const auto out = std::move(*atomic_file_sink(path));
    std::string expected;
    for (std::size_t i = 0; i < pieces; ++i) {
      const auto bytes = std::string_view(piece).substr(i * 7);
      REQUIRE(out->write(bytes).ok());
      expected += bytes;
    }
    REQUIRE(out->write("end").ok());
    REQUIRE(out->finish().ok());
    CHECK(file_bytes(path) == expected + "end");
  }
  const auto whole = std::move(*atomic_file_sink(path));
  const std::string blocks(std::size_t{36} << 20, 'x');
  REQUIRE(whole->write(blocks).ok());
  REQUIRE(whole->finish().ok());
  CHECK(file_bytes(path) == blocks);
}

TEST_CASE("an atomic file that is not finished leaves nothing behind") {
  const temporary_folder folder;
  const std::string path = folder.write("out.json", "old");
  {
    const auto out = std::move(*atomic_file_sink(path));
    REQUIRE(out->write(sample_bytes(200000)).ok());
  }
  CHECK(file_bytes(path) == "old");
  CHECK(entries_in(folder.path()) == 1);
  {
    const auto out = gzip_sink(std::move(*atomic_file_sink(folder.path("new.gz"))));
    REQUIRE(out->write(sample_bytes(200000)).ok());
  }
  CHECK(entries_in(folder.path()) == 1);
}

TEST_CASE("an atomic file on a full disk leaves nothing behind") {
  const temporary_folder folder;
  const std::string path = folder.write("out.json", "old");
  const std::size_t limit = GENERATE(100000U, 36000000U), piece = limit / 10;
  // A file size limit stands in for a full disk; a child has it, so that this program stays as it is.
  const ::pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const ::rlimit small{limit, limit};
    if (::setrlimit(RLIMIT_FSIZE, &small) != 0) ::_exit(2);
    auto out = std::move(*atomic_file_sink(path));
    result<void> state;
    for (int i = 0; i < 100 && state.ok(); ++i) state = out->write(sample_bytes(piece));
    if (state.ok()) state = out->finish();
    const bool full = !state.ok() && state.error().code == fault_code::output_full && state.error().path == path;
    out.reset();
    ::_exit(full ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) PROFKIT_SKIP("the system sets no file size limit");
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(file_bytes(path) == "old");
  CHECK(entries_in(folder.path()) == 1);
}

TEST_CASE("paths that cannot be written say why") {
  const temporary_folder folder;
  const auto code = [](const std::string& path) {
    const auto out = atomic_file_sink(path);
    REQUIRE_FALSE(out.ok());
    CHECK_FALSE(out.error().hint.empty());
    CHECK(out.error().path == path);
    return out.error().code;
  };
  CHECK(code("") == fault_code::output);
  CHECK(code(folder.path()) == fault_code::output);
  CHECK(code(folder.path("new/")) == fault_code::output);
  CHECK(code(folder.path("missing/out")) == fault_code::output);
  // The target turns into a folder before the file is put in place.
  const auto out = std::move(*atomic_file_sink(folder.path("f")));
  std::filesystem::create_directory(folder.path("f"));
  REQUIRE(out->write("x").ok());
  CHECK_FALSE(out->finish().ok());
}

TEST_CASE("devices are written to, never replaced") {
  const auto out = atomic_file_sink("/dev/null");
  REQUIRE(out.ok());
  CHECK((*out)->write("gone").ok());
  CHECK((*out)->finish().ok());
  struct ::stat status {};
  REQUIRE(::stat("/dev/null", &status) == 0);
  CHECK(S_ISCHR(status.st_mode));
}

namespace {

bool holds(const std::string& packed, const std::string& bytes) {
  const unpacked read = unpacked_by_zlib(packed);
  return read.whole && read.bytes == bytes;
}

}  // namespace

TEST_CASE("gzip output is unpacked by zlib and does not depend on the time") {
  const std::string bytes = sample_bytes(500000);
  std::string first, second, empty;
  CHECK(write_all(*gzip_sink(memory_sink(first)), bytes, 1000).ok());
  CHECK(write_all(*gzip_sink(memory_sink(second)), bytes, 99999).ok());
  CHECK(first == second);
  CHECK(first.substr(0, 10) == std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10));
  CHECK(holds(first, bytes));
  CHECK(gzip_sink(memory_sink(empty))->finish().ok());
  CHECK(holds(empty, ""));
  // More than one block, and a second finish() that writes nothing.
  const std::string large = sample_bytes(2500000);
  std::string blocks;
  const auto into = gzip_sink(memory_sink(blocks), 2);
  CHECK(write_all(*into, large, 70000).ok());
  CHECK(into->finish().ok());
  CHECK(holds(blocks, large));
  int left = 1;
  const write_callback limited = [](void* user, const void*, std::size_t) {
    return --*static_cast<int*>(user) < 0 ? 1 : 0;
  };
  const auto stopped = write_all(*gzip_sink(callback_sink(limited, &left)), bytes, 1000);
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().code == fault_code::cancelled);
}

TEST_CASE("gzip output is unpacked by zlib, whatever the text") {
  std::mt19937_64 random(7);
  std::vector<std::string> texts = {"a", std::string(259, 'x'), std::string(300000, 'y'), "abcabcabcabcabcabcabc"};
  std::string noise, skewed, repeated;
  for (int i = 0; i < 200000; ++i) noise += static_cast<char>(random());
  // Frequencies as Fibonacci's make the longest codes there are.
  std::uint64_t a = 1, b = 1;
  for (int letter = 0; letter < 24; ++letter) {
    for (std::uint64_t i = 0; i < a; ++i) skewed += static_cast<char>('a' + letter);
    b = std::exchange(a, a + b);
  }
  std::shuffle(skewed.begin(), skewed.end(), random);
  for (int i = 0; i < 60000; ++i)
    repeated += R"({"ph":"X","pid":)" + std::to_string(random() % 9) + R"(,"ts":)" + std::to_string(i * 977) + "},\n";
  // Matches at every distance and of every length, also across the blocks.
  std::string mixed;
  while (mixed.size() < 2500000) {
    const std::size_t length = 1 + random() % 600;
    const std::size_t distance = mixed.empty() ? 0 : 1 + random() % std::min<std::size_t>(mixed.size(), 40000);
    for (std::size_t i = 0; i < length; ++i)
      mixed += distance == 0 || random() % 100 == 0 ? static_cast<char>(random()) : mixed[mixed.size() - distance];
  }
  for (std::string* text : {&noise, &skewed, &repeated, &mixed}) texts.push_back(std::move(*text));
  for (const std::string& text : texts) {
    std::string one, three;
    CHECK(write_all(*gzip_sink(memory_sink(one)), text, 99991).ok());
    CHECK(write_all(*gzip_sink(memory_sink(three), 3), text, 4096).ok());
    CHECK(one == three);
    CHECK(holds(one, text));
    CHECK(one.size() < text.size() + text.size() / 100 + 400);
  }
}
