// One pass over what is not in memory says the same as random access to it.
#include <catch.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/steps.hpp>

#include <formats/xspace/xspace_index.hpp>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include "../io/test_files.hpp"
#include "one_pass.hpp"
#include "support.hpp"
#include "xspace_writer.hpp"

using namespace profkit;
using namespace profkit::test;

namespace {

// What the filters can be that a pass understands, and some that it does not.
std::vector<query_filters> questions() {
  std::vector<query_filters> all(6);
  for (query_filters& o : all) o.limit = 0;
  all[1].line = "XLA";
  all[2].name = "fusion";
  all[3].plane = "/host";
  all[4].host = "nowhere";
  all[5].from_ps = 1000;
  return all;
}

// Every question is put to a profile of its own.
template <class Open>
void same_answers(const std::string& what, Open&& open, const std::vector<query_filters>& asked = questions()) {
  INFO(what);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    for (const document which : {document::info, document::ops}) {
      INFO(document_name(which) << ", question " << i);
      const std::string wanted = document_text(open(open_options()), which, asked[i]);
      const auto streamed = open(in_one_pass());
      REQUIRE(document_text(streamed, which, asked[i]) == wanted);
    }
  }
}

void same_answers_of_callbacks(const std::string& what, std::string_view bytes, std::uint64_t at_once,
                               const std::vector<query_filters>& asked = questions()) {
  drops from{bytes, at_once};
  same_answers(
      what, [&](const open_options& o) { return profile::open_callbacks(from.callbacks(), "a.xplane.pb", o); }, asked);
}

// A device with ops, a host with threads and hlo_op stats, aggregated events, lines out of order; with `stats` a
// device's clock and programs.
std::string mixed_capture(std::mt19937_64& random, bool with_device, std::mt19937_64* stats = nullptr) {
  message space;
  for (int p = 0; p < 3; ++p) {
    const bool device = p == 1 && with_device;
    message plane;
    const auto clock = stats ? (*stats)() % 3 : 0;  // of the device: none, complete, of some events
    const bool programs = stats && (*stats)() % 2 == 0;
    plane.number(1, p).text(2, device ? "/device:TPU:0" : p == 2 ? "Task Environment" : "/host:CPU");
    if (p == 2)
      plane.sub(6, message().number(1, 1).unsigned_number(3, 1'700'000'000'000'000'000U))
          .sub(5, metadata_entry_of(1, "profile_start_time"));
    for (int l = 0; l < 3 && p != 2; ++l) {
      message line;
      line.number(1, l - 1).text(2, device ? (l == 1 ? "XLA Ops" : "Steps") : "thread " + std::to_string(l));
      line.number(3, 1'700'000'000'000'000'000 + l).text(11, "shown").number(9, 7).text(20, "unknown field");
      std::int64_t at = 0;
      for (int e = 0; e < 40; ++e) {
        at += static_cast<std::int64_t>(random() % 50) - (l == 2 ? 10 : 0);
        message one = event(static_cast<std::int64_t>(random() % 9), at, static_cast<std::int64_t>(random() % 200));
        if (random() % 3 == 0) one.sub(4, stat(static_cast<std::int64_t>(random() % 4), 5));
        // The device's clock, complete or not, which leaps back once; two programs, or none.
        if (device && clock != 0 && (clock == 1 || (*stats)() % 4 != 0))
          one.sub(4, stat(4, (e < 30 ? at * 3 : at) + static_cast<std::int64_t>((*stats)() % 20)))
              .sub(4, stat(5, static_cast<std::int64_t>((*stats)() % 100)));
        if (programs && (*stats)() % 3 != 0) one.sub(4, stat(6, static_cast<std::int64_t>((*stats)() % 2)));
        if (random() % 11 == 0) one = message().number(1, 3).number(5, 4).number(3, 100);
        line.sub(4, one);
      }
      plane.sub(3, line.shuffle(random));
    }
    for (int id = 0; id < 8; ++id) plane.sub(4, metadata_entry_of(id, "fusion." + std::to_string(id)));
    plane.sub(5, metadata_entry_of(2, "hlo_op")).sub(5, metadata_entry_of(3, "flops")).text(30, "unknown");
    plane.sub(5, metadata_entry_of(4, "device_offset_ps")).sub(5, metadata_entry_of(5, "device_duration_ps"));
    plane.sub(5, metadata_entry_of(6, "program_id"));
    space.sub(1, plane.shuffle(random));
  }
  space.text(2, "an error").text(4, "host-0").text(99, "unknown");
  return space.shuffle(random).bytes();
}

// Bytes that come out of a named pipe, once.
class pipe_of {
 public:
  pipe_of(const std::string& path, std::string_view bytes) : path_(path) {
    std::signal(SIGPIPE, SIG_IGN);  // a reader may go before the end
    std::filesystem::remove(path);
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    writer_ = std::thread([path, bytes] { std::ofstream(path, std::ios::binary) << bytes; });
  }
  ~pipe_of() { writer_.join(); }
  [[nodiscard]] result<std::shared_ptr<const profile>> open(const open_options& o) const {
    return profile::open(path_, o);
  }

 private:
  std::string path_;
  std::thread writer_;
};

}  // namespace

TEST_CASE("A pass says what random access says, whatever the order of fields and however the bytes come") {
  std::mt19937_64 random(11), stats(12);
  for (int round = 0; round < 60; ++round) {
    const std::string bytes = mixed_capture(random, round % 3 != 0, round % 2 == 0 ? nullptr : &stats);
    const std::uint64_t at_once[] = {1, 7, 100, 5000};
    same_answers_of_callbacks("round " + std::to_string(round), bytes, at_once[round % 4]);
  }
}

TEST_CASE("A pass over every capture says what random access says") {
  std::vector<std::filesystem::path> captures;
  for (const char* folder : {"xspace", "jax"}) {
    const auto at = corpus_path(folder == std::string("xspace") ? "captures/xspace" : "captures/jax");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(at ? *at : data_path(folder)))
      if (entry.path().string().find(".xplane.pb") != std::string::npos) captures.push_back(entry.path());
  }
  REQUIRE(captures.size() >= 3);
  const temporary_folder folder;
  for (const auto& path : captures) {
    const std::string bytes = file_bytes(path.string());
    std::vector<query_filters> asked(1);
    asked[0].limit = 0;
    const struct {
      const char* name;
      std::string bytes;
    } forms[] = {{"a.xplane.pb.gz", gzipped(bytes, 1)}, {"a.xplane.pb.zst", zstandard(bytes)}, {"a.xplane.pb", bytes}};
    for (const auto& form : forms) {
      const std::string file = folder.write(form.name, form.bytes);
      same_answers(
          path.string() + " as " + form.name,
          [&](open_options o) {
            o.io = io_mode::read;
            return profile::open(file, o);
          },
          asked);
      std::optional<pipe_of> pipe;  // written while the profile lives
      same_answers(
          path.string() + " as a pipe of " + form.name,
          [&](const open_options& o) {
            pipe.emplace(folder.path("pipe.xplane.pb"), form.bytes);
            return pipe->open(o);
          },
          asked);
    }
  }
}

TEST_CASE("A damaged stream: what was intact is shown, and where it ends") {
  std::mt19937_64 random(12);
  const std::string whole = mixed_capture(random, true);
  std::vector<query_filters> asked(1);
  asked[0].limit = 0;
  for (std::size_t cut = 0; cut < whole.size(); cut += 1 + cut / 400)
    same_answers_of_callbacks("cut at " + std::to_string(cut), std::string_view(whole).substr(0, cut), 977, asked);
  for (int round = 0; round < 1500; ++round) {
    std::string broken = whole;
    for (std::uint64_t flips = 1 + random() % 3; flips != 0; --flips)
      broken[random() % broken.size()] ^= static_cast<char>(1U << random() % 8);
    same_answers_of_callbacks("flips, round " + std::to_string(round), broken, 64, asked);
  }
  const std::string encoded = gzipped(whole);
  const temporary_folder folder;
  for (std::size_t cut = encoded.size() / 3; cut < encoded.size(); cut += 97) {
    const std::string file = folder.write("cut.xplane.pb.gz", encoded.substr(0, cut));
    same_answers(
        "gzip cut at " + std::to_string(cut), [&](const open_options& o) { return profile::open(file, o); }, asked);
  }
}

TEST_CASE("A pass goes on where holding the file would hit the limit, and says which limit the others hit") {
  std::mt19937_64 random(13);
  std::string line = message().text(2, "XLA Ops").bytes();
  while (line.size() < 3'000'000) line += message().sub(4, event(1, static_cast<std::int64_t>(line.size()), 5)).bytes();
  const std::string bytes =
      message().sub(1, message().text(2, "/device:TPU:0").text(3, line).sub(4, metadata_entry_of(1, "op"))).bytes();
  const temporary_folder folder;
  const std::string file = folder.write("a.xplane.pb.gz", gzipped(bytes));
  open_options small = in_one_pass();
  small.bounds.max_materialised_bytes = 1 << 16;
  const auto opened = profile::open(file, small);
  REQUIRE(opened.ok());
  const profile& p = **opened;
  REQUIRE(p.is_streamed(0));
  const auto ops = analyse_ops(trace(p));
  REQUIRE(ops.ok());
  REQUIRE(ops->damage.empty());
  REQUIRE(ops->lines.at(0).events == count_events(line));
  REQUIRE(ops->lines[0].ops[0].metadata().name() == "op");
  const auto info = analyse_info(trace(p));
  REQUIRE(info.ok());
  REQUIRE(info->events == ops->lines[0].events);
  REQUIRE(info->complete);
  REQUIRE(p.is_streamed(0));

  // Steps are looked up at random.
  const auto steps = analyse_steps(trace(p));
  REQUIRE(steps.ok());
  REQUIRE(steps->steps.empty());
  REQUIRE(steps->damage.at(0).what.code == fault_code::limit);
  REQUIRE(steps->damage[0].what.message.find("max_materialised_bytes (65536)") != std::string::npos);
  REQUIRE_FALSE(p.is_streamed(0));

  // What has to be kept is bounded, too.
  small.bounds.max_materialised_bytes = 20;
  const auto tiny = profile::open(file, small);
  REQUIRE(tiny.ok());
  const auto none = analyse_ops(trace(**tiny));
  REQUIRE_FALSE(none.ok());
  REQUIRE(none.error().code == fault_code::limit);
  REQUIRE(none.error().message.find("max_materialised_bytes (20)") != std::string::npos);
  REQUIRE(none.error().path == file);
}

TEST_CASE("A pipe is read once: a second question needs what was kept of it") {
  std::mt19937_64 random(14);
  const std::string bytes = mixed_capture(random, false);  // host events with hlo_op: ops look twice
  const temporary_folder folder;
  open_options o = in_one_pass();
  const std::size_t lines = analyse_ops(trace(**profile::open_buffer(bytes, "a.xplane.pb")))->lines.size();
  REQUIRE(lines > 1);
  {
    const pipe_of pipe(folder.path("a.xplane.pb"), bytes);
    const auto opened = pipe.open(o);
    REQUIRE(opened.ok());
    REQUIRE(analyse_ops(trace(**opened))->lines.size() == lines);
    REQUIRE(analyse_ops(trace(**opened))->lines.size() == lines);
    REQUIRE_FALSE((*opened)->xspace(0)->planes.empty());
    REQUIRE(analyse_info(trace(**opened))->lines == 6);
  }
  {
    const pipe_of pipe(folder.path("a.xplane.pb"), bytes);
    const auto opened = pipe.open(o);
    REQUIRE((*opened)->is_streamed(0));
    REQUIRE(analyse_info(trace(**opened))->lines == 6);
    const auto again = analyse_ops(trace(**opened));
    REQUIRE_FALSE(again.ok());
    REQUIRE(again.error().code == fault_code::unsupported);
    REQUIRE((*opened)->xspace(0)->planes.empty());
    REQUIRE((*opened)->file_fault(0)->code == fault_code::unsupported);
  }
  // More than may be kept.
  const std::string more = bytes + message().text(99, std::string(100'000, '-')).bytes();
  o.bounds.max_materialised_bytes = 90'000;
  const pipe_of pipe(folder.path("a.xplane.pb"), more);
  const auto opened = pipe.open(o);
  REQUIRE(opened.ok());
  const auto ops = analyse_ops(trace(**opened));
  REQUIRE_FALSE(ops.ok());
  REQUIRE(ops.error().code == fault_code::limit);
  REQUIRE(ops.error().message.find("max_materialised_bytes (90000)") != std::string::npos);
}

TEST_CASE("Several files, one streamed and one damaged, lie on one clock") {
  std::mt19937_64 random(15);
  const temporary_folder folder;
  const std::string run = folder.path("run");
  std::filesystem::create_directories(run);
  const std::string a = mixed_capture(random, true), b = mixed_capture(random, true);
  std::ofstream(run + "/a.xplane.pb", std::ios::binary) << a;
  std::ofstream(run + "/b.xplane.pb.gz", std::ios::binary) << gzipped(b);
  std::ofstream(run + "/c.xplane.pb.gz", std::ios::binary) << gzipped(a).substr(0, 300);
  std::ofstream(run + "/d.xplane.pb.zst", std::ios::binary) << zstandard(a).substr(0, 30);
  same_answers("a folder", [&](const open_options& o) { return profile::open(run, o); });
}

TEST_CASE("A pass stops when the host says so") {
  std::mt19937_64 random(16);
  const std::string bytes = mixed_capture(random, true);
  drops from{bytes, 64};
  const auto opened = profile::open_callbacks(from.callbacks(), "a.xplane.pb", in_one_pass());
  REQUIRE(opened.ok());
  const std::atomic<bool> stop{true};
  hooks host;
  host.cancel = &stop;
  for (const bool ops : {true, false}) {
    const fault why = ops ? analyse_ops(trace(**opened), {}, host).error() : analyse_info(trace(**opened), {}, host).error();
    REQUIRE(why.code == fault_code::cancelled);
    REQUIRE(why.path == "a.xplane.pb");
  }
  REQUIRE(analyse_info(trace(**opened)).ok());  // and can be asked again
}

TEST_CASE("A file that shrinks while it is read is told") {
  std::mt19937_64 random(17);
  const std::string bytes = mixed_capture(random, true);
  drops from{bytes, 64};
  read_at_callbacks longer = from.callbacks();
  longer.size_bytes += 1000;
  const auto opened = profile::open_callbacks(longer, "a.xplane.pb", in_one_pass());
  REQUIRE(opened.ok());
  const auto info = analyse_info(trace(**opened));
  REQUIRE(info.ok());
  REQUIRE(info->lines == 6);
  REQUIRE_FALSE(info->complete);
  REQUIRE(info->files.at(0).damage->code == fault_code::input_changed);
}

TEST_CASE("Threads may put questions to a streamed profile at once") {
  std::mt19937_64 random(18);
  const std::string bytes = mixed_capture(random, false);
  drops from{bytes, 64};
  const auto opened = profile::open_callbacks(from.callbacks(), "a.xplane.pb", in_one_pass());
  REQUIRE(opened.ok());
  query_filters all;
  all.limit = 0;
  const auto held = profile::open_callbacks(from.callbacks(), "a.xplane.pb");
  const std::string wanted = document_text(held, document::ops, all);
  std::atomic<int> equal{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      if (t == 3) static_cast<void>((*opened)->xspace(0));
      equal += document_text(opened, document::ops, all) == wanted ? 1 : 0;
    });
  for (std::thread& t : threads) t.join();
  REQUIRE(equal == 4);
}
