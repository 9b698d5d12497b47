// Files past 2 and 4 GiB, and how much memory reading takes.
#include <catch.hpp>

#include <profkit/core/memory.hpp>
#include <profkit/core/ops.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <sys/stat.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "../../bench/amplify.hpp"
#include "support.hpp"
#include "xspace_writer.hpp"

using namespace profkit;
using namespace profkit::test;

namespace {

// A file that goes with the test.
class scratch_file {
 public:
  explicit scratch_file(const char* name)
      : path_(std::filesystem::temp_directory_path() / (std::string("profkit_large_test_") + name + ".xplane.pb")) {}
  ~scratch_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::uint64_t allocated_bytes(const std::string& path) {
  struct stat found {};
  REQUIRE(stat(path.c_str(), &found) == 0);
  return static_cast<std::uint64_t>(found.st_blocks) * 512;
}

// Memory of this process that is no mapped file.
std::uint64_t anonymous_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("RssAnon:", 0) == 0) return std::strtoull(line.c_str() + 8, nullptr, 10) * 1024;
  return 0;
}

// The most anonymous memory beyond what there was when it was made, as far as progress is told.
class memory_watch {
 public:
  memory_watch() {
#if defined(__GLIBC__)
    malloc_trim(0);  // else what was freed before would be used again, unseen
#endif
    before_ = most_ = anonymous_bytes();
  }
  [[nodiscard]] hooks told() {
    hooks host;
    host.user = this;
    host.progress = [](void* user, std::uint64_t, std::uint64_t) -> std::int32_t {
      static_cast<memory_watch*>(user)->look();
      return 0;
    };
    return host;
  }
  std::uint64_t bytes() {
    look();
    return most_ - before_;
  }

 private:
  void look() { most_ = std::max(most_, anonymous_bytes()); }
  std::uint64_t before_ = 0, most_ = 0;
};

void write_grown(const bench::amplifier& grow, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  grow.write([&](std::string_view piece) { out.write(piece.data(), static_cast<std::streamsize>(piece.size())); });
  REQUIRE(out.good());
}

// Tag and length of a field, whose payload follows.
std::string field_head(std::uint32_t field, std::uint64_t length) {
  std::string head;
  put_varint(head, field << 3 | 2U);
  put_varint(head, length);
  return head;
}

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

}  // namespace

TEST_CASE("Planes and events past 4 GiB are found") {
  const std::uint64_t hole = 4 * gib + gib / 2;
  const std::string first = message().sub(4, event(1, 1, 10)).bytes();
  const std::string second = message().sub(4, event(2, 30, 5)).sub(4, event(1, 40, 7)).bytes();
  const std::string name = message().text(2, "XLA Ops").bytes();
  const std::string unknown = field_head(100, hole);
  const std::uint64_t line_bytes = name.size() + first.size() + unknown.size() + hole + second.size();
  const std::string plane_name = message().text(2, "/device:TPU:0").bytes();
  const std::string line_head = field_head(3, line_bytes);
  const std::string behind = message().sub(1, message().text(2, "/device:TPU:1")).bytes();

  const scratch_file file("holes");
  {
    std::ofstream out(file.path(), std::ios::binary);
    out << field_head(1, plane_name.size() + line_head.size() + line_bytes) << plane_name << line_head << name << first
        << unknown;
    out.seekp(static_cast<std::streamoff>(hole), std::ios::cur);
    out << second << behind;
    REQUIRE(out.good());
  }
  if (allocated_bytes(file.path()) > gib) PROFKIT_SKIP("the file system of the temporary folder has no sparse files");

  const auto opened = profile::open(file.path());
  REQUIRE(opened.ok());
  const profile& p = **opened;
  REQUIRE(p.file_fault(0) == nullptr);
  const xspace_index& index = *p.xspace(0);
  REQUIRE(index.planes.size() == 2);
  REQUIRE(index.planes[1].name == "/device:TPU:1");
  REQUIRE(index.planes[1].offset > 4 * gib);
  const auto ops = analyse_ops(trace(p));
  REQUIRE(ops.ok());
  REQUIRE(ops->damage.empty());
  REQUIRE(ops->lines.at(0).events == 3);
  REQUIRE(ops->lines[0].duration_sum_ps == 22);
  REQUIRE(ops->lines[0].ops[0].total_ps == 17);
}

TEST_CASE("An event of more than 4 GiB is damage") {
  const std::uint64_t huge = 4 * gib + 100;
  const scratch_file file("huge_event");
  const std::string whole = message().sub(4, event(1, 1, 10)).bytes();
  const std::string event_head = field_head(4, huge);
  const std::string name = message().text(2, "XLA Ops").bytes();
  const std::uint64_t line_bytes = name.size() + whole.size() + event_head.size() + huge;
  const std::string line_head = field_head(3, line_bytes);
  {
    std::ofstream out(file.path(), std::ios::binary);
    out << field_head(1, line_head.size() + line_bytes) << line_head << name << whole << event_head;
    out.seekp(static_cast<std::streamoff>(huge - 1), std::ios::cur);
    out << '\0';
    REQUIRE(out.good());
  }
  if (allocated_bytes(file.path()) > gib) PROFKIT_SKIP("the file system of the temporary folder has no sparse files");
  const auto opened = profile::open(file.path());
  REQUIRE(opened.ok());
  const line_index& line = (*opened)->xspace(0)->planes.at(0).lines.at(0);
  event_row rows[4];
  event_scanner scan(line.body);
  REQUIRE(scan.next(rows, 4) == 1);
  REQUIRE_FALSE(scan.ok());
  REQUIRE(scan.offset() == name.size() + whole.size());
}

TEST_CASE("A file past 2 GiB is totalled in full, in little memory") {
  if (std::getenv("PROFKIT_SLOW") == nullptr) PROFKIT_SKIP("writes 2.2 GiB; set PROFKIT_SLOW=1 to run it");
  std::ifstream in(data_path("xspace/tpu_v6e_inference.xplane.pb"), std::ios::binary);
  const std::string capture(std::istreambuf_iterator<char>(in), {});
  const bench::amplifier grow(capture, 2 * gib + gib / 5);
  const scratch_file file("grown");
  write_grown(grow, file.path());
  REQUIRE(std::filesystem::file_size(file.path()) > 2 * gib);
  const auto small = profile::open_buffer(capture, "small.xplane.pb");
  REQUIRE(small.ok());

  memory_watch memory;
  const hooks host = memory.told();
  const auto large = profile::open(file.path());
  REQUIRE(large.ok());
  REQUIRE((*large)->file_fault(0) == nullptr);
  std::uint64_t metadata_entries = 0, events = 0, small_events = 0;
  for (const plane_index& plane : (*large)->xspace(0)->planes) {
    metadata_entries += plane.event_metadata_entries.size() + plane.stat_metadata_entries.size();
    for (const line_index& line : plane.lines) events += count_events(line.body);
  }
  for (const plane_index& plane : (*small)->xspace(0)->planes)
    for (const line_index& line : plane.lines) small_events += count_events(line.body);
  REQUIRE(events == small_events * grow.copies());

  const auto ops = analyse_ops(trace(**large), {}, host);
  REQUIRE(ops.ok());
  const std::uint64_t used = memory.bytes();
  const auto few = analyse_ops(trace(**small));
  REQUIRE(few.ok());
  const auto copies = static_cast<std::int64_t>(grow.copies());
  REQUIRE(ops->lines.size() == few->lines.size());
  for (std::size_t i = 0; i < few->lines.size(); ++i) {
    const ops_line &many = ops->lines[i], &one = few->lines[i];
    REQUIRE(many.events == one.events * grow.copies());
    REQUIRE(many.duration_sum_ps == one.duration_sum_ps * copies);
    REQUIRE(many.ops.size() == one.ops.size());
    std::int64_t self_ps = 0;
    for (std::size_t op = 0; op < one.ops.size(); ++op) {
      REQUIRE(many.ops[op].metadata_id == one.ops[op].metadata_id);
      REQUIRE(many.ops[op].count == one.ops[op].count * grow.copies());
      REQUIRE(many.ops[op].total_ps == one.ops[op].total_ps * copies);
      self_ps += many.ops[op].self_ps;
    }
    REQUIRE(self_ps == many.busy_ps);
  }
  std::printf("%llu events; memory beyond the mapping: %llu KiB, %llu metadata entries\n",
              static_cast<unsigned long long>(events), static_cast<unsigned long long>(used / 1024),
              static_cast<unsigned long long>(metadata_entries));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  REQUIRE(used <= (std::uint64_t{16} << 20) + 64 * metadata_entries);
#endif
}

TEST_CASE("Allocators of a file past 2 GiB are replayed in little memory") {
  if (std::getenv("PROFKIT_SLOW") == nullptr) PROFKIT_SKIP("writes 2.2 GiB; set PROFKIT_SLOW=1 to run it");
  const struct {
    const char* capture;
    bench::arrangement as;
  } inputs[] = {{"xspace/tpu_v6e_inference.xplane.pb", bench::arrangement::as_recorded},
                {"xspace/tpu_v6e_inference.xplane.pb", bench::arrangement::out_of_order},
                {"xspace/jax08_gemm_mi300.xplane.pb", bench::arrangement::bodies_shuffled}};
  for (const auto& input : inputs) {
    INFO(input.capture << " " << static_cast<int>(input.as));
    std::ifstream in(data_path(input.capture), std::ios::binary);
    const std::string capture(std::istreambuf_iterator<char>(in), {});
    const bench::amplifier grow(capture, 2 * gib + gib / 5, input.as);
    const scratch_file file("allocators");
    write_grown(grow, file.path());
    const auto small = profile::open_buffer(capture, "small.xplane.pb");
    REQUIRE(small.ok());
    const auto few = analyse_memory(trace(**small));
    REQUIRE(few.ok());
    REQUIRE_FALSE(few->allocators.empty());
    memory_watch memory;
    const auto large = profile::open(file.path());
    REQUIRE(large.ok());
    const auto many = analyse_memory(trace(**large), {}, memory.told());
    REQUIRE(many.ok());
    const std::uint64_t used = memory.bytes();
    REQUIRE(many->allocators.size() == few->allocators.size());
    std::uint64_t events = 0;
    for (const allocator_memory& one : few->allocators) {
      const auto of_it = std::find_if(many->allocators.begin(), many->allocators.end(),
                                      [&](const allocator_memory& a) { return a.name == one.name; });
      REQUIRE(of_it != many->allocators.end());
      CHECK(of_it->n_allocations == one.n_allocations * grow.copies());
      CHECK(of_it->n_deallocations == one.n_deallocations * grow.copies());
      CHECK(of_it->lifetime_peak_bytes == one.lifetime_peak_bytes);
      events += of_it->n_allocations + of_it->n_deallocations;
    }
    std::printf("%llu allocator events; memory beyond the mapping: %llu KiB\n", static_cast<unsigned long long>(events),
                static_cast<unsigned long long>(used / 1024));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(used <= std::uint64_t{200} << 20);
#endif
  }
}
