// Traces that the real driver wrote, in three published versions, on a stand-in for a GPU whose kernels save values
// that tell where they belong.
#include "generated.hpp"

#include <profkit/core/probe_trace.hpp>

#include <catch.hpp>

#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <vector>

using namespace profkit;
using profkit::test::corpus_path;
namespace fs = std::filesystem;

namespace {

struct planned_map {
  probe_level level;
  std::uint64_t records;  // of a lane; 0: lane % 4 + 1
  std::uint32_t u64_fields, u32_fields;
};

// What the probes of each case saved.
const std::map<std::string, std::vector<planned_map>> plans{
    {"two_maps", {{probe_level::thread, 2, 1, 0}, {probe_level::warp, 2, 1, 2}}},
    {"warp_then_thread", {{probe_level::warp, 1, 1, 2}, {probe_level::thread, 1, 0, 2}}},
    {"dynamic", {{probe_level::thread, 0, 2, 0}}},
    {"cb_fail", {{probe_level::thread, 1, 1, 0}}},
    {"benchmark", {{probe_level::thread, 1, 1, 0}}},
};

// The value of field `field` of record k.
std::uint64_t saved_value(std::uint64_t map, std::uint64_t block, std::uint64_t lane, std::uint64_t k,
                          std::uint64_t field) {
  return (map + 1) << 56 | (block & 0xffffff) << 32 | (lane & 0xffff) << 16 | (k & 0xff) << 8 | field;
}

std::vector<probe_field> fields_of(const planned_map& plan) {
  std::vector<probe_field> fields;
  for (std::uint32_t i = 0; i < plan.u64_fields; ++i) fields.push_back({"", probe_type::u64, 0, 0});
  for (std::uint32_t i = 0; i < plan.u32_fields; ++i) fields.push_back({"", probe_type::u32, 0, 0});
  store_order(fields.data(), fields.size());
  return fields;
}

std::size_t check_map(const probe_bin& bin, std::size_t index, const planned_map& plan, std::string_view file) {
  const probe_map& place = bin.maps[index].place;
  CHECK(place.level == plan.level);
  CHECK(place.present_bytes == place.bytes);
  const std::vector<probe_field> fields = fields_of(plan);
  const std::uint32_t record_bytes = fields.back().offset + (fields.back().type == probe_type::u64 ? 8 : 4);
  const probe_records records(file, place, record_bytes);
  // Who wrote each slot last: blocks in order, lanes in order.
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> writer;
  for (std::uint64_t block = 0; block < place.blocks; ++block)
    for (std::uint64_t lane = 0; lane < place.lanes_in_file; ++lane)
      writer[block * place.lanes_per_block + lane] = {block, lane};
  std::size_t checked = 0;
  for (const auto& [slot, who] : writer) {
    const auto [block, lane] = who;
    if (slot >= records.lane_count()) {
      // The partial warp of a last block has no slot of its own in the file.
      CHECK((place.flags & probe_aliased) != 0);
      continue;
    }
    const probe_lane view = records.lane_at(slot);
    const std::uint64_t count = plan.records != 0 ? plan.records : 1 + lane % 4;
    CHECK(view.used() == count);
    for (std::uint64_t k = 0; k < count; ++k) {
      for (std::size_t f = 0; f < fields.size(); ++f) {
        std::uint64_t expected = saved_value(index, block, lane, k, f);
        if (fields[f].type == probe_type::u32) expected &= 0xffffffff;
        if (view.record(k).value(fields[f]) != expected) {
          CAPTURE(slot, block, lane, k, f);
          CHECK(view.record(k).value(fields[f]) == expected);
        }
      }
      ++checked;
    }
  }
  return checked;
}

std::vector<fs::path> trace_folders(const fs::path& below) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(below))
    if (entry.path().filename() == "event.log") found.push_back(entry.path().parent_path());
  return found;
}

// Kinds and counts by the corpus's own grammar.
std::map<std::string, std::uint64_t> counted_by_grammar(const fs::path& script, const fs::path& log) {
  std::map<std::string, std::uint64_t> counts;
  const std::string command = "python3 '" + script.string() + "' '" + log.string() + "' 2>/dev/null";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return counts;
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), got);
  ::pclose(pipe);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("UNKNOWN", 0) == 0) break;
    std::istringstream parts(line);
    std::uint64_t n = 0;
    std::string kind;
    if (parts >> n >> kind) counts[kind] = n;
  }
  return counts;
}

}  // namespace

TEST_CASE("neutrino: every record file of the real driver reads as it was saved") {
  const auto root = corpus_path("captures/neutrino/oracle");
  if (!root) PROFKIT_SKIP_WITHOUT_CORPUS;
  std::size_t bins = 0, records = 0, without_launch = 0;
  std::set<std::string> unplanned;
  for (const fs::path& folder : trace_folders(*root)) {
    const std::string name = folder.parent_path().filename().string();
    CAPTURE(folder.string());
    const auto opened = probe_trace::open(folder.string());
    REQUIRE(opened);
    const probe_trace& trace = **opened;
    const auto plan = plans.find(name);
    if (plan == plans.end()) {
      unplanned.insert(name);
      CHECK(trace.bins.empty());
      continue;
    }
    for (const probe_bin& bin : trace.bins) {
      CAPTURE(bin.name);
      REQUIRE(bin.layout.status == probe_status::ok);
      CHECK_FALSE(bin.damage);
      REQUIRE(bin.maps.size() == plan->second.size());
      without_launch += bin.launch < 0;
      CHECK((bin.launch >= 0) == (bin.kernel >= 0));
      const auto held = trace.hold(static_cast<std::size_t>(&bin - trace.bins.data()));
      REQUIRE(held);
      for (std::size_t i = 0; i < bin.maps.size(); ++i) records += check_map(bin, i, plan->second[i], held->bytes);
      ++bins;
    }
  }
  CHECK(bins == 52);
  CHECK(without_launch == 3);  // logs of the first driver lack their last lines
  CHECK(unplanned == std::set<std::string>{"memusage", "no_python"});  // nothing was recorded there
  CHECK(records == 11971);
}

TEST_CASE("neutrino: no line of the real driver's logs is unknown, and each is of the kind that the grammar says") {
  const auto root = corpus_path("captures/neutrino/oracle");
  const auto grammar = corpus_path("oracles/neutrino/check_log_grammar.py");
  if (!root || !grammar) PROFKIT_SKIP_WITHOUT_CORPUS;
  std::size_t logs = 0;
  for (const fs::path& folder : trace_folders(*root)) {
    CAPTURE(folder.string());
    const auto opened = probe_trace::open(folder.string());
    REQUIRE(opened);
    const probe_log& log = (*opened)->log;
    CHECK(log.unknown == 0);
    std::map<std::string, std::uint64_t> read;
    for (const probe_log_kind& kind : log.kinds) read[std::string(kind.name)] = kind.lines;
    CHECK(read == counted_by_grammar(*grammar, folder / "event.log"));
    CHECK((*opened)->warnings.empty());
    ++logs;
  }
  CHECK(logs == 17);
}

TEST_CASE("neutrino: the log of the documentation") {
  const auto path = corpus_path("captures/neutrino/doc_sample_event.log");
  if (!path) PROFKIT_SKIP_WITHOUT_CORPUS;
  const test::scratch_folder into;
  fs::copy_file(*path, into.path() / "event.log");
  const auto opened = probe_trace::open(into.path().string());
  REQUIRE(opened);
  const probe_trace& trace = **opened;
  CHECK(trace.log.unknown == 0);
  CHECK(trace.pid == 3183093u);
  CHECK(trace.log.command == "python unittest/kernel/torch_.py ");
  REQUIRE(trace.launches.size() == 1);
  const probe_launch& launch = trace.launches.front();
  CHECK(launch.function == "0x8209510");
  CHECK(launch.grid[0] == 32768);
  CHECK(launch.time_ns == 1750652293770568192);
  CHECK(launch.kernel_ps == 65'536'000);
  CHECK(launch.bin_name == "0.611403.bin");
  CHECK(launch.bin == -1);
  CHECK(launch.callback == probe_callback::succeeded);
  REQUIRE(trace.kernels.size() == 1);
  CHECK(trace.kernels[0].name() == trace.kernels[0].found_name);
}
