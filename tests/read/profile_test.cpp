// Opening: whose time is whose, and what is said of broken files.
#include <catch.hpp>

#include <profkit/core/profile.hpp>
#include <formats/xspace/line_time.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "support.hpp"
#include "xspace_writer.hpp"

using namespace profkit;
using namespace profkit::test;

namespace {

// A folder that goes with the test.
class scratch_folder {
 public:
  explicit scratch_folder(const char* name)
      : path_(std::filesystem::temp_directory_path() / (std::string("profkit_read_test_") + name)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

message environment(std::uint64_t start_ns) {
  return message()
      .text(2, "Task Environment")
      .sub(5, metadata_entry_of(1, "profile_start_time"))
      .sub(6, message().number(1, 1).unsigned_number(3, start_ns));
}

std::string capture_at(std::int64_t timestamp_ns, std::uint64_t start_ns = 0) {
  message line;
  line.number(1, 4).text(2, "Stream #4(Kernel)").number(3, timestamp_ns);
  line.sub(4, event(1, 7, 10)).sub(4, message().number(1, 1).number(5, 3)).sub(4, event(2, 30, 0).sub(4, stat(1, 1)));
  message space;
  space.sub(1, message().text(2, "/device:GPU:2").sub(3, line).sub(4, metadata_entry_of(1, "kernel")));
  if (start_ns != 0) space.sub(1, environment(start_ns));
  return space.text(4, "host-a").bytes();
}

constexpr std::int64_t unix_ns = 1'741'722'099'081'044'120;

std::shared_ptr<const profile> open_bytes(std::string_view bytes) {
  auto opened = profile::open_buffer(bytes, "host.xplane.pb");
  REQUIRE(opened.ok());
  return *opened;
}
std::optional<std::int64_t> first_base(const profile& p, std::size_t file = 0) {
  return line_base_ps(p, file, p.xspace(file)->planes.at(0).lines.at(0));
}

}  // namespace

TEST_CASE("The origin is the profile's start, else the least Unix time of a line, else unknown") {
  const std::string relative = capture_at(212990, unix_ns), absolute = capture_at(unix_ns + 5), bare = capture_at(400);
  const std::string both = capture_at(unix_ns + 5, unix_ns);
  const auto with_start = open_bytes(relative);
  REQUIRE(with_start->origin_unix_ns() == unix_ns);
  REQUIRE(with_start->file_origin_unix_ns(0) == unix_ns);
  REQUIRE(first_base(*with_start) == 212990000);
  const auto with_unix = open_bytes(absolute);
  REQUIRE(with_unix->origin_unix_ns() == unix_ns + 5);
  REQUIRE(first_base(*with_unix) == 0);
  const auto with_both = open_bytes(both);
  REQUIRE(first_base(*with_both) == 5000);
  const auto unknown = open_bytes(bare);
  REQUIRE_FALSE(unknown->origin_unix_ns());
  REQUIRE(first_base(*unknown) == 400000);
  // From 1e17 ns on a line's time is Unix time.
  const std::string earliest = capture_at(100'000'000'000'000'000), before = capture_at(99'999'999'999'999'999);
  REQUIRE(open_bytes(earliest)->origin_unix_ns() == 100'000'000'000'000'000);
  const auto refused = profile::open_buffer(before, "host.xplane.pb");
  REQUIRE_FALSE((refused.ok() && (*refused)->origin_unix_ns()));
  // Of several lines the earliest, wherever it stands.
  message plane;
  plane.text(2, "/device:GPU:0");
  for (const std::int64_t later_ns : {30, 10, 20})
    plane.sub(3, message().number(1, 4).text(2, "Stream #4").number(3, unix_ns + later_ns).sub(4, event(1, 0, 1)));
  const std::string several = message().sub(1, plane).bytes();
  const auto of_lines = open_bytes(several);
  REQUIRE(of_lines->origin_unix_ns() == unix_ns + 10);
  REQUIRE(first_base(*of_lines) == 20000);
  REQUIRE(unknown->file_fault(0) == nullptr);
}

TEST_CASE("Files of one capture are put on one clock") {
  const scratch_folder folder("clock");
  folder.write("a.xplane.pb", capture_at(100, unix_ns + 2'000'000));
  folder.write("b.xplane.pb", capture_at(100, unix_ns));
  folder.write("c.xplane.pb", capture_at(100));
  const auto opened = profile::open(folder.path());
  REQUIRE(opened.ok());
  const profile& p = **opened;
  REQUIRE(p.file_count() == 3);
  REQUIRE(p.origin_unix_ns() == unix_ns);
  REQUIRE(p.file_shift_ns(0) == 2'000'000);
  REQUIRE(p.file_shift_ns(1) == 0);
  REQUIRE(p.file_shift_ns(2) == 0);
  REQUIRE_FALSE(p.file_origin_unix_ns(2));
  REQUIRE(first_base(p, 0) == 2'000'100'000);
  REQUIRE(first_base(p, 1) == 100'000);
}

TEST_CASE("Files are listed by what they hold, and one that is no XSpace has no planes") {
  const scratch_folder folder("held");
  const std::string events = R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}]})";
  folder.write("a.trace.json", events);  // shows a.xplane.pb again
  folder.write("a.xplane.pb", capture_at(100));
  folder.write("b.pt.trace.json", events);
  const auto opened = profile::open(folder.path());
  REQUIRE(opened.ok());
  const profile& p = **opened;
  REQUIRE(p.file_count() == 3);
  REQUIRE(p.files_with(file_content::planes) == std::vector<std::uint32_t>{1});
  REQUIRE(p.files_with(file_content::trace_events) == std::vector<std::uint32_t>{2});
  REQUIRE(p.files_with(file_content::probe_records).empty());
  REQUIRE(p.is_any_xspace());
  REQUIRE_FALSE(p.outline(1)->planes.empty());
  REQUIRE(p.outline(2)->planes.empty());
  REQUIRE(p.xspace(2)->planes.empty());
  REQUIRE(p.allocations(1) == p.xspace(1));
  REQUIRE(p.allocations(2) == nullptr);
  REQUIRE(p.neutrino(2) == nullptr);
}

TEST_CASE("Times more than 106 days apart are a fault of the file that has them") {
  const scratch_folder folder("far");
  folder.write("a.xplane.pb", capture_at(100, unix_ns));
  folder.write("b.xplane.pb", capture_at(100, unix_ns + 107LL * 86'400'000'000'000));
  const auto opened = profile::open(folder.path());
  REQUIRE(opened.ok());
  REQUIRE((*opened)->file_fault(0) == nullptr);
  const fault* far = (*opened)->file_fault(1);
  REQUIRE(far != nullptr);
  REQUIRE(far->message.find("106 days") != std::string::npos);
  REQUIRE(far->path == folder.path("b.xplane.pb"));
  REQUIRE((*opened)->file_shift_ns(1) == 0);

  const std::string hostile = capture_at(INT64_MIN + 3, unix_ns);
  const auto odd = open_bytes(hostile);
  REQUIRE(odd->file_fault(0) != nullptr);
  REQUIRE_FALSE(first_base(*odd));
}

TEST_CASE("One broken file of several is told, and the others are read") {
  const scratch_folder folder("broken");
  const std::string good = capture_at(1, unix_ns);
  folder.write("a.xplane.pb", good.substr(0, good.size() / 2));
  folder.write("b.xplane.pb", good);
  const auto opened = profile::open(folder.path());
  REQUIRE(opened.ok());
  const profile& p = **opened;
  REQUIRE(p.file_fault(0) != nullptr);
  REQUIRE(p.file_fault(0)->code == fault_code::damaged);
  REQUIRE(p.file_fault(0)->path == folder.path("a.xplane.pb"));
  REQUIRE(p.file_fault(1) == nullptr);
  REQUIRE(p.bytes(1) == good);
  REQUIRE(p.xspace(7)->planes.empty());
  REQUIRE(p.file_fault(7) == nullptr);
  REQUIRE(p.bytes(7).empty());
}

TEST_CASE("A single file of which nothing can be read is a fault, and so is an empty one") {
  const auto garbage = profile::open_buffer("\xff\xff\xff\xff", "x.xplane.pb");
  REQUIRE_FALSE(garbage.ok());
  REQUIRE(garbage.error().code == fault_code::damaged);
  REQUIRE(garbage.error().path == "x.xplane.pb");
  REQUIRE(garbage.error().byte_offset == 0);
  const auto empty = profile::open_buffer({}, "x.xplane.pb");
  REQUIRE_FALSE(empty.ok());
  REQUIRE(empty.error().code == fault_code::unrecognised);
  const auto missing = profile::open("/nowhere/at/all.xplane.pb");
  REQUIRE_FALSE(missing.ok());
  REQUIRE(missing.error().code == fault_code::not_found);
}

TEST_CASE("Callbacks open like a file") {
  const std::string bytes = capture_at(3, unix_ns);
  read_at_callbacks callbacks;
  callbacks.user = const_cast<std::string*>(&bytes);
  callbacks.size_bytes = bytes.size();
  callbacks.read_at = [](void* user, std::uint64_t offset, void* into, std::size_t count) -> std::int64_t {
    const auto& from = *static_cast<const std::string*>(user);
    return static_cast<std::int64_t>(from.copy(static_cast<char*>(into), count, static_cast<std::size_t>(offset)));
  };
  const auto opened = profile::open_callbacks(callbacks, "host.xplane.pb");
  REQUIRE(opened.ok());
  REQUIRE((*opened)->bytes(0) == bytes);
  REQUIRE((*opened)->origin_unix_ns() == unix_ns);
}

TEST_CASE("A list of tracks refuses events of a track that was not added") {
  track_list t;
  const track_event e;
  REQUIRE_FALSE(t.add_events(0, &e, 1).ok());
  REQUIRE(t.add_track({}) == 0);
  REQUIRE(t.add_events(0, &e, 1).ok());
  REQUIRE(t.text(0).empty());
}
