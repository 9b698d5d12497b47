// Trace folders as people have them: above several, damaged, with links, with thousands of files.
#include "../fill_all.hpp"

#include "trace_writer.hpp"

#include <profkit/core/probe_export.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/trace_export.hpp>

#include "support.hpp"

#include <catch.hpp>

#include <sys/stat.h>
#include <algorithm>
#include <vector>

using namespace profkit;
using namespace profkit::test;
namespace fs = std::filesystem;

namespace {

std::shared_ptr<const probe_trace> open_trace(const fs::path& path) {
  auto opened = probe_trace::open(path.string());
  REQUIRE(opened);
  return std::move(opened).value();
}

bool mentions(const std::vector<std::string>& texts, std::string_view part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& t) { return t.find(part) != std::string::npos; });
}

std::string document_of(const profile& p, probe_query query, document_status* status = nullptr) {
  std::string text;
  const auto into = memory_sink(text);
  const auto written = write_probe_document(p, query, *into);
  REQUIRE(written);
  REQUIRE(into->finish());
  if (status != nullptr) *status = *written;
  return text;
}

}  // namespace

TEST_CASE("folder: a capture finds traces by themselves, below others and through one record file") {
  PROFKIT_NEEDS("toml");
  const scratch_folder root;
  const fs::path first = write_trace(root.path());
  for (const fs::path& path : {first, root.path(), first / "result" / "0.100000.bin"}) {
    CAPTURE(path.string());
    const auto opened = profile::open(path.string());
    REQUIRE(opened);
    const profile& p = **opened;
    REQUIRE(p.file_count() == 1);
    CHECK(p.what().files[0].family == file_family::neutrino);
    CHECK(p.file_fault(0) == nullptr);
    REQUIRE(p.neutrino(0) != nullptr);
    const probe_trace& trace = *p.neutrino(0);
    CHECK(trace.launches.size() == 2);
    CHECK(trace.bins.size() == (path.extension() == ".bin" ? 1 : 2));
    CHECK(trace.bins[0].kernel == 0);
    CHECK(trace.bins[0].maps.at(0).shape->clock == probe_clock::sm_cycles);
    CHECK(p.bytes(0).empty());
  }
  // Two traces: both are runs, one of them is chosen.
  fs::copy(first, root.path() / "Jun24_101010_77", fs::copy_options::recursive);
  open_options all;
  all.run = "all";
  const auto both = profile::open(root.path().string(), all);
  REQUIRE(both);
  CHECK((*both)->file_count() == 2);
  CHECK((*both)->what().runs.size() == 2);
  CHECK((*profile::open(root.path().string()))->file_count() == 1);
}

TEST_CASE("folder: record files come in the order of time, and other names after them") {
  const scratch_folder root;
  const fs::path folder = write_trace(root.path(), 4, {"10.100000.bin", "9.900000.bin", "0.500000.bin"});
  write_file(folder / "result" / "named.bin", block_sched_file(4));
  write_file(folder / "result" / "1.000000.dmat", "x");
  const auto trace = open_trace(folder);
  std::vector<std::string> names;
  for (const probe_bin& bin : trace->bins) names.push_back(bin.name);
  CHECK(names == std::vector<std::string>{"0.500000.bin", "9.900000.bin", "10.100000.bin", "named.bin"});
  CHECK(trace->bins[3].launch == -1);
  CHECK(trace->bins[3].layout.status == probe_status::ok);
  CHECK(trace->bins[0].launch == 2);
  CHECK(trace->start_unix_ns == 1750652293000000000 + 200000000 - 500000000);
}

TEST_CASE("folder: links, pipes and what leads nowhere") {
  const scratch_folder root, elsewhere;
  const fs::path folder = write_trace(root.path(), 4, {"0.100000.bin"});
  write_file(elsewhere.path() / "real.bin", block_sched_file(4));
  fs::create_symlink(elsewhere.path() / "real.bin", folder / "result" / "0.200000.bin");
  fs::create_symlink("/nonexistent/x", folder / "result" / "0.300000.bin");
  fs::create_symlink(folder, folder / "result" / "loop");
  fs::create_directory(folder / "result" / "0.400000.bin");
  REQUIRE(::mkfifo((folder / "result" / "0.500000.bin").c_str(), 0600) == 0);
  const auto trace = open_trace(folder);
  REQUIRE(trace->bins.size() == 2);
  CHECK(trace->bins[1].layout.status == probe_status::ok);
  CHECK(mentions(trace->warnings, "0.300000.bin: a link that leads nowhere"));
  CHECK(mentions(trace->warnings, "0.500000.bin: neither a file nor a folder"));
}

TEST_CASE("folder: thousands of record files") {
  const scratch_folder root;
  const fs::path folder = root.path() / "Jun23_121812_4242";
  const std::string bytes = block_sched_file(1);
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) {
    names.push_back(std::to_string(3000 - i) + ".000000.bin");
    write_file(folder / "result" / names.back(), bytes);
  }
  write_file(folder / "event.log", event_log(names, 1));
  const auto trace = open_trace(folder);
  REQUIRE(trace->bins.size() == 3000);
  CHECK(trace->bins.front().name == "1.000000.bin");
  CHECK(trace->bins.back().launch == 0);
  CHECK(std::all_of(trace->bins.begin(), trace->bins.end(), [](const probe_bin& b) { return b.launch >= 0; }));
}

TEST_CASE("folder: a record file that begins like a gzip file is a record file") {
  const scratch_folder root;
  std::string bytes = record_file(0x00088b1f, 32, {});
  REQUIRE(bytes.substr(0, 3) == std::string("\x1f\x8b\x08", 3));
  write_file(root.path() / "result" / "0.100000.bin", bytes);
  const auto trace = open_trace(root.path());
  REQUIRE(trace->bins.size() == 1);
  CHECK(trace->bins[0].header.grid[0] == 0x00088b1f);
  CHECK_FALSE(trace->bins[0].damage);
  CHECK(mentions(trace->warnings, "no maps"));
}

TEST_CASE("folder: one bad record file of several") {
  const scratch_folder root;
  const fs::path folder = write_trace(root.path(), 6);
  write_file(folder / "result" / "0.250000.bin", block_sched_file(6).substr(0, 700));
  write_file(folder / "result" / "0.300000.bin", "short");
  const auto opened = profile::open(folder.string());
  REQUIRE(opened);
  const probe_trace& trace = *(*opened)->neutrino(0);
  CHECK_FALSE(trace.bins[0].damage);
  REQUIRE(trace.bins[1].damage);
  CHECK(trace.bins[1].damage->byte_offset == 700);
  REQUIRE(trace.bins[2].damage);
  CHECK(trace.bins[2].damage->message.find("short_header") == 0);
  CHECK((*opened)->file_fault(0) != nullptr);
  document_status status = document_status::ok;
  probe_query query;
  query.slice = probe_slice::maps;
  const std::string text = document_of(**opened, query, &status);
  CHECK(status == document_status::partial);
  CHECK(text.find("\"short_header\"") != std::string::npos);
  CHECK(text.find("\"truncated\"") != std::string::npos);
}

TEST_CASE("folder: its parts stand for it") {
  const scratch_folder root;
  const fs::path folder = write_trace(root.path(), 6);
  for (const char* const part : {"event.log", "probe.toml", "result", "result/"}) {
    CAPTURE(part);
    const auto opened = profile::open((folder / part).string());
    REQUIRE(opened);
    CHECK((*opened)->what().files[0].path == folder.string());
    CHECK((*opened)->neutrino(0)->bins.size() == 2);
    CHECK((*opened)->neutrino(0)->launches.size() == 2);
  }
  // The same names elsewhere are nothing of ours.
  write_file(root.path() / "other" / "event.log", "started\n");
  write_file(root.path() / "other" / "result" / "table.txt", "1 2 3\n");
  CHECK_FALSE(profile::open((root.path() / "other" / "event.log").string()));
  const auto result = profile::open((root.path() / "other" / "result").string());
  CHECK((!result || (*result)->neutrino(0) == nullptr));
}

TEST_CASE("folder: a log on its own, under any name") {
  const scratch_folder root;
  write_file(root.path() / "copied.log", event_log({"0.100000.bin", "0.250000.bin"}, 24));
  const auto opened = profile::open((root.path() / "copied.log").string());
  REQUIRE(opened);
  REQUIRE((*opened)->neutrino(0) != nullptr);
  CHECK((*opened)->neutrino(0)->launches.size() == 2);
  CHECK((*opened)->neutrino(0)->bins.empty());
  CHECK((*opened)->file_fault(0) == nullptr);
}

TEST_CASE("folder: a record file whose name is no time is read, after those that have one") {
  const scratch_folder root;
  const fs::path folder = write_trace(root.path(), 6);
  write_file(folder / "result" / "0weird.bin", block_sched_file(6));
  write_file(folder / "result" / "a.bin", block_sched_file(6));
  const auto trace = open_trace(folder);
  REQUIRE(trace->bins.size() == 4);
  CHECK(trace->bins[2].name == "0weird.bin");
  CHECK(trace->bins[3].name == "a.bin");
  CHECK_FALSE(trace->bins[3].elapsed_us);
  CHECK(trace->bins[3].launch == -1);
  CHECK_FALSE(trace->bins[3].damage);
}

TEST_CASE("folder: nothing of a trace") {
  const scratch_folder root;
  CHECK(probe_trace::open(root.path().string()).error().code == fault_code::unrecognised);
  CHECK(probe_trace::open((root.path() / "missing").string()).error().code == fault_code::not_found);
  write_file(root.path() / "x.bin", "not enough");
  const auto opened = profile::open((root.path() / "x.bin").string());
  CHECK_FALSE(opened);
  write_file(root.path() / "0.100000.bin", "not enough");
  const auto named = profile::open((root.path() / "0.100000.bin").string());
  REQUIRE_FALSE(named);
  CHECK(named.error().message.find("short_header") != std::string::npos);
}

TEST_CASE("folder: the log may be cut at every byte, and each launch that is whole is told") {
  const std::string log = event_log({"0.100000.bin", "0.250000.bin"}, 24);
  std::size_t launches = 0;
  for (std::size_t length = 0; length <= log.size(); length += 3) {
    const scratch_folder root;
    write_file(root.path() / "event.log", log.substr(0, length));
    write_file(root.path() / "probe.toml", "");
    const auto trace = open_trace(root.path());
    CHECK(trace->log.unknown <= 1);
    CHECK(trace->launches.size() >= launches);
    launches = trace->launches.size();
    CHECK(launches <= 2);
  }
  CHECK(launches == 2);
}

TEST_CASE("folder: lines that were glued together, repeated or saved twice") {
  const scratch_folder root;
  std::string log = event_log({"0.100000.bin", "0.250000.bin"}, 24);
  const std::string last = log.substr(log.rfind("[exec] funcmap-find"));
  log += last;  // a forked child flushes what its parent had written
  log.insert(log.find("7f1292000000"), "[mem] cuMemFree_v2 0 dptr 7f00\n");
  write_file(root.path() / "event.log", log);
  write_file(root.path() / "result" / "0.100000.bin", block_sched_file(24));
  const auto trace = open_trace(root.path());
  REQUIRE(trace->launches.size() == 2);
  CHECK(trace->log.repeated == 1);
  CHECK(trace->log.unknown == 2);
  CHECK(trace->launches[0].params_torn);
  CHECK(trace->launches[0].params == std::vector<std::uint64_t>{0x1000});
  CHECK(trace->launches[0].bin == 0);
  CHECK(trace->launches[1].outcome == probe_outcome::ok);
  CHECK(trace->launches[1].maps.size() == 2);

  std::string twice = event_log({"0.100000.bin", "0.100000.bin"}, 24);
  write_file(root.path() / "event.log", twice);
  const auto again = open_trace(root.path());
  CHECK(again->bins[0].launch == 1);
  CHECK(again->launches[0].bin == -1);
  CHECK(mentions(again->warnings, "the last time counts"));
}

TEST_CASE("folder: names of bytes that are no text, and names that hold delimiters") {
  const scratch_folder root;
  const std::string name = "k\xff bin 0x1 size 7 n_param 9";
  write_file(root.path() / "probe.toml", "");
  write_file(root.path() / "event.log", "[init] pid 1\n[exec] funcmap-not-find 0x5\n[probe] find 0x5 name " + name +
                                            " bin 0x9 size 3\n[probe] finish 0x5 name " + name + " n_param 2\n");
  const auto opened = profile::open(root.path().string());
  REQUIRE(opened);
  const probe_trace& trace = *(*opened)->neutrino(0);
  CHECK(trace.log.unknown == 0);
  REQUIRE(trace.kernels.size() == 1);
  CHECK(trace.kernels[0].name() == name);
  probe_query query;
  query.slice = probe_slice::kernels;
  CHECK(document_of(**opened, query).find("k\\\\xff bin 0x1 size 7 n_param 9") != std::string::npos);
}

TEST_CASE("folder: descriptions that are empty, broken, or of another probe") {
  PROFKIT_NEEDS("toml");
  const scratch_folder root;
  const fs::path folder = write_trace(root.path(), 4, {"0.100000.bin"});
  const auto flags_under = [&](const std::string& toml, std::size_t map) {
    write_file(folder / "probe.toml", toml);
    const auto trace = open_trace(folder);
    CHECK_FALSE(trace->bins[0].damage);
    return trace->bins[0].maps.at(map).place.flags;
  };
  CHECK(flags_under("", 0) == probe_raw_words);
  CHECK(flags_under("x = \n[map\x01", 1) == probe_raw_words);
  CHECK(flags_under("[map.only]\nlevel = 'warp'\nsize = 16\ncap = 1\n[map.only.regs]\na = ['u64']\nb = ['u64']\n", 0) ==
        probe_maps_mismatch);
  CHECK(flags_under("[map.only]\nlevel = 'warp'\nsize = 16\ncap = 1\n[map.only.regs]\na = ['u64']\nb = ['u64']\n", 1) ==
        (probe_maps_mismatch | probe_raw_words));
  // Section i is the i-th table of the file, whatever the names.
  CHECK(flags_under("[map.zz]\nlevel='warp'\nsize=16\ncap=1\n[map.aa]\nlevel='thread'\nsize=8\ncap=1\n"
                    "[map.zz.regs]\nz=['u64']\na=['u32']\nm=['u32']\n[map.aa.regs]\nq=['u64']\n",
                    0) == 0);
  const auto ordered = open_trace(folder);
  CHECK(ordered->bins[0].maps[0].shape->name == "zz");
  CHECK(ordered->bins[0].maps[0].shape->fields[1].name == "a");
  CHECK(ordered->bins[0].maps[1].shape->name == "aa");
  // Sizes of another probe: the fields are used where they divide a lane.
  CHECK(flags_under("[map.a]\nlevel='warp'\nsize=64\ncap=1\n[map.b]\nlevel='thread'\nsize=8\ncap=1\n"
                    "[map.a.regs]\nx=['u64']\n[map.b.regs]\ny=['u64']\n",
                    0) == probe_shape_mismatch);
  CHECK(flags_under("[map.a]\nlevel='warp'\nsize=24\ncap=1\n[map.b]\nlevel='thread'\nsize=8\ncap=1\n"
                    "[map.a.regs]\nx=['u64']\ny=['u64']\nz=['u64']\n[map.b.regs]\ny=['u64']\n",
                    0) == (probe_shape_mismatch | probe_raw_words));
}

TEST_CASE("folder: the block schedule becomes tracks of a timeline and of a Perfetto trace") {
  PROFKIT_NEEDS("toml");
  const scratch_folder root;
  const auto opened = profile::open(write_trace(root.path()).string());
  REQUIRE(opened);
  track_list filled;
  REQUIRE(profkit_tests::fill_all(**opened, filled));
  std::size_t slots = 0, blocks = 0, launches = 0;
  for (track_id t = 0; t < filled.tracks().size(); ++t) {
    const track& each = filled.tracks()[t];
    const std::string name(filled.text(each.line_name));
    const auto& events = filled.events(t);
    if (name == "launches") {
      launches += events.size();
      CHECK(events.at(0).duration_ps == 500'000'000);
      CHECK(filled.text(events.at(0).name) == "matmul");
      continue;
    }
    CHECK(name.rfind("SM ", 0) == 0);
    ++slots;
    blocks += events.size();
    for (std::size_t i = 1; i < events.size(); ++i)
      CHECK(events[i].start_ps >= events[i - 1].start_ps + events[i - 1].duration_ps);
  }
  CHECK(launches == 2);
  CHECK(blocks == 48);
  CHECK(slots == 12);
  std::string bytes;
  const auto into = memory_sink(bytes);
  trace_export_options options;
  options.format = trace_format::perfetto;
  const auto told = export_trace(trace(**opened), options, *into);
  REQUIRE(told);
  CHECK(told->events == 50);
  CHECK(told->tracks == 13);
  CHECK(bytes.find("SM 2 slot 1") != std::string::npos);
  options.format = trace_format::csv;
  bytes.clear();
  REQUIRE(export_trace(trace(**opened), options, *into));
  CHECK(std::count(bytes.begin(), bytes.end(), '\n') == 51);  // a head, and a row an event
}

TEST_CASE("folder: pictures are well-formed and show every block or how full it was") {
  for (const std::uint32_t blocks : {24u, 30000u}) {
    const std::string file = block_sched_file(blocks);
    probe_map maps[2];
    resolve_probe_maps(probe_file(file), {}, maps);
    auto shape = std::make_shared<probe_shape>();
    const auto record = probe_tool_record(probe_tool::block_sched);
    shape->fields = record->fields;
    shape->record_bytes = record->record_bytes;
    const auto found = analyse_block_schedule({maps[0], shape}, file);
    REQUIRE(found);
    std::string svg;
    const auto into = memory_sink(svg);
    REQUIRE(write_schedule_svg(*found, "a <kernel> & \"more\"\x1b", *into));
    CHECK(svg.rfind("<svg ", 0) == 0);
    CHECK(svg.find("</svg>\n") == svg.size() - 7);
    CHECK(svg.find("a &lt;kernel&gt; &amp; &quot;more&quot;\\x1b") != std::string::npos);
    std::size_t tips = 0;
    for (auto at = svg.find("<title>block "); at != std::string::npos; at = svg.find("<title>block ", at + 1)) ++tips;
    CHECK(tips == (blocks == 24 ? 24 : 0));
    CHECK(svg.size() < 400000);
  }
}

TEST_CASE("folder: queries choose launches, maps, blocks and lanes") {
  PROFKIT_NEEDS("toml");
  const scratch_folder root;
  const auto opened = profile::open(write_trace(root.path()).string());
  REQUIRE(opened);
  probe_query query;
  query.slice = probe_slice::records;
  query.launch = "1";
  query.map = "bytes";
  query.block = 3;
  query.lane = 5;
  const std::string one = document_of(**opened, query);
  CHECK(one.find("\"bin\": \"0.250000.bin\"") != std::string::npos);
  CHECK(one.find("\"row_count\": 1,") != std::string::npos);
  CHECK(one.find("\"67\"") != std::string::npos);
  query.lane.reset();
  CHECK(document_of(**opened, query).find("\"row_count\": 64,") != std::string::npos);
  query.limit = 2;
  query.skip = 60;
  const std::string few = document_of(**opened, query);
  CHECK(few.find("\"row_count\": 64,") != std::string::npos);
  CHECK(few.find("\"lane\": 60,") != std::string::npos);
  CHECK(few.find("\"lane\": 62,") == std::string::npos);
  query.map = "nothing";
  CHECK(find_probe_target(**opened, query).error().code == fault_code::invalid_argument);
  query = {};
  query.launch = "0.100000";
  CHECK(find_probe_target(**opened, query)->bins.size() == 1);
  query.launch = "7";
  CHECK(find_probe_target(**opened, query).error().message.find("\"7\"") != std::string::npos);
  std::string csv;
  const auto into = memory_sink(csv);
  query = {};
  query.slice = probe_slice::records;
  query.limit = 2;
  const auto told = write_probe_csv(**opened, query, *into);
  REQUIRE(told);
  CHECK(told->rows == 2);
  CHECK(csv == "block,lane,k,start,elapsed,cuid\r\n0,0,0,1000,400,0\r\n0,1,0,1004,401,0\r\n");
}
