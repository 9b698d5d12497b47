// Neutrino record files: records summed and schedules analysed, beside the bandwidth of a sum over the same bytes and,
// where the corpus is there, the prototype reader in Python. One run; prints one line a figure.
//   neutrino_bench [MEGABYTES]      200 unless said otherwise
#include <profkit/core/probe.hpp>

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

using namespace profkit;

namespace {

// What is allocated now, and the most of it since the last look.
std::size_t held_bytes_now, held_bytes_most;

void* counted(void* at) {
  if (at == nullptr) throw std::bad_alloc();
  held_bytes_now += malloc_usable_size(at);
  held_bytes_most = std::max(held_bytes_most, held_bytes_now);
  return at;
}
void uncounted(void* at) noexcept {
  if (at != nullptr) held_bytes_now -= malloc_usable_size(at);
  std::free(at);
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(std::malloc(bytes)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(std::aligned_alloc(static_cast<std::size_t>(alignment), bytes));
}
void operator delete(void* at) noexcept { uncounted(at); }
void operator delete(void* at, std::size_t) noexcept { uncounted(at); }
void operator delete(void* at, std::align_val_t) noexcept { uncounted(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { uncounted(at); }

namespace {

volatile std::uint64_t kept;  // what is computed must not be optimised away

// Processor time: the machine may be doing other things.
double seconds_of(const std::function<void()>& work) {
  timespec from{}, to{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
  work();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
  return static_cast<double>(to.tv_sec - from.tv_sec) + static_cast<double>(to.tv_nsec - from.tv_nsec) * 1e-9;
}
double best_of(int runs, const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) best = std::min(best, seconds_of(work));
  return best;
}

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

// Blocks of `warps` warps on 108 multiprocessors of 8 slots. Lengths differ, so that starts are only nearly in order.
std::string block_sched_file(std::uint64_t bytes, std::uint32_t warps) {
  const std::uint64_t blocks = bytes / (16 * warps);
  std::string out;
  out.reserve(48 + blocks * 16 * warps);
  for (const std::uint64_t n : {blocks, std::uint64_t{1}, std::uint64_t{1}, std::uint64_t{32} * warps, std::uint64_t{1},
                                std::uint64_t{1}, std::uint64_t{0}, std::uint64_t{1}})
    put(out, n, 4);
  put(out, 16, 4);
  put(out, 32, 4);
  put(out, 48, 8);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const std::uint64_t start = 1000 + block / 864 * 1500 + block * 2654435761 % 977;
    for (std::uint64_t warp = 0; warp < warps; ++warp) {
      put(out, start + warp, 8);
      put(out, 400 + (block * 7 + warp) % 500, 4);
      put(out, block % 108, 4);
    }
  }
  return out;
}

struct opened_map {
  probe_bin_map map;
  explicit opened_map(std::string_view file) {
    const probe_layout layout = resolve_probe_maps(probe_file(file), {}, &map.place);
    const auto record = probe_tool_record(probe_tool::block_sched);
    auto shape = std::make_shared<probe_shape>();
    shape->name = record->name;
    shape->fields = record->fields;
    shape->record_bytes = record->record_bytes;
    map.shape = std::move(shape);
    if (layout.status != probe_status::ok) std::exit(1);
  }
};

void sum_bytes(std::string_view file) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + 8 <= file.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, file.data() + at, 8);
    sum += word;
  }
  kept = sum;
}
void sum_records(const opened_map& m, std::string_view file) {
  std::uint64_t sum = 0;
  records_of(m.map, file).each_record([&](const probe_record& r) { sum += r.u64(0) + r.u32(8) + r.u32(12); });
  kept = sum;
}
void walk_rows(const opened_map& m, std::string_view file) {
  std::uint64_t sum = 0;
  for (const probe_records::row& row : records_of(m.map, file))
    sum += row.block + row.lane + row.record.u64(0) + row.record.u32(8) + row.record.u32(12);
  kept = sum;
}
void analyse_schedule(const opened_map& m, std::string_view file) {
  const auto found = analyse_block_schedule(m.map, file);
  kept = found ? found->max_start_skew + found->sms.size() : 0;
}
void total(const opened_map& m, std::string_view file) {
  const auto found = analyse_lane_totals(m.map, file);
  kept = found ? found->total : 0;
}

// The most that the work had allocated at one time.
double peak_mib(const std::function<void()>& work) {
  const std::size_t before = held_bytes_most = held_bytes_now;
  work();
  return static_cast<double>(held_bytes_most - before) / (1024 * 1024);
}

void print(const char* what, double value, const char* unit, const char* aim) {
  std::printf("%-58s %10.2f %-5s %s\n", what, value, unit, aim);
}

// Seconds over one trace folder with this file, or nothing where the prototype reader is not there.
struct python_seconds {
  double loop = 0;     // the prototype's decoding, then the leanest loop over the records that Python has
  double objects = 0;  // the same, with an object for each record in lists of blocks and lanes
};
std::optional<python_seconds> seconds_of_prototype(const std::string& file) {
  const char* corpus = std::getenv("PROFKIT_CORPUS");
  const std::string root = corpus != nullptr ? corpus : PROFKIT_BENCH_SOURCE_ROOT "/../shared";
  const std::string script = root + "/oracles/neutrino/proto_reader.py";
  if (!std::filesystem::exists(script)) return std::nullopt;
  std::string name = (std::filesystem::temp_directory_path() / "neutrino-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return std::nullopt;
  const std::filesystem::path folder = name;
  std::ofstream(folder / "x.bin", std::ios::binary) << file;
  // Its own decoding, then every record through struct; records of zeros were never written and do not count, as here.
  std::ofstream(folder / "run.py")
      << "import importlib.util, struct, sys, time\n"
         "spec = importlib.util.spec_from_file_location('p', sys.argv[1])\n"
         "p = importlib.util.module_from_spec(spec); spec.loader.exec_module(p)\n"
         "t = time.process_time(); r = p.decode(sys.argv[2], '/nowhere')\n"
         "b = open(sys.argv[2], 'rb').read(); s = 0; m = r['maps'][0]\n"
         "for o in range(m['start'], m['start'] + m['present'], 16):\n"
         "    v = struct.unpack_from('<QII', b, o)\n"
         "    if v[0] or v[1] or v[2]: s += v[0] + v[1] + v[2]\n"
         "print(time.process_time() - t)\n"
         "from typing import NamedTuple\n"
         "class Record(NamedTuple):\n"
         "    start: int\n"
         "    elapsed: int\n"
         "    cuid: int\n"
         "t = time.process_time(); r = p.decode(sys.argv[2], '/nowhere'); m = r['maps'][0]\n"
         "h = r['header']; blocks = []; s = 0\n"
         "with open(sys.argv[2], 'rb') as f:\n"
         "    f.seek(m['start'])\n"
         "    for _ in range(m['present'] // 16 // m['lanes_dev']):\n"
         "        blocks.append([[Record(*struct.unpack('<QII', f.read(16)))]\n"
         "                       for _ in range(m['lanes_dev'])])\n"
         "for block in blocks:\n"
         "    for lane in block:\n"
         "        for x in lane: s += x.start + x.elapsed + x.cuid\n"
         "print(time.process_time() - t)\n";
  const std::string command = "python3 '" + (folder / "run.py").string() + "' '" + script + "' '" +
                              (folder / "x.bin").string() + "' 2>/dev/null";
  python_seconds took;
  bool is_read = false;
  if (FILE* pipe = popen(command.c_str(), "r")) {
    is_read = std::fscanf(pipe, "%lf %lf", &took.loop, &took.objects) == 2;
    pclose(pipe);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!is_read) return std::nullopt;
  return took;
}

}  // namespace

int main(int count, char** arguments) {
  const std::uint64_t bytes = (count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 200) * 1000000;
  const auto rate = [](double seconds, std::size_t size) { return static_cast<double>(size) / seconds * 1e-9; };
  {
    const std::string file = block_sched_file(bytes, 8);
    const opened_map m(file);
    sum_bytes(file);
    double read = 1e9, summed = 1e9, rows = 1e9;
    for (int i = 0; i < 5; ++i) {  // in turn, so that each meets the same neighbours
      read = std::min(read, seconds_of([&] { sum_bytes(file); }));
      summed = std::min(summed, seconds_of([&] { sum_records(m, file); }));
      rows = std::min(rows, seconds_of([&] { walk_rows(m, file); }));
    }
    print("sum over the bytes", rate(read, file.size()), "GB/s", "");
    print("records summed", rate(summed, file.size()), "GB/s", "");
    print("  of the bandwidth of a sum", 100 * read / summed, "%", "aim: at least 45");
    print("records with their block and lane, by iterator", rate(rows, file.size()), "GB/s", "");
    const double totals = best_of(2, [&] { total(m, file); });
    print("totals and histograms of every field", rate(totals, file.size()), "GB/s", "");
    print("  memory beyond the file", peak_mib([&] { total(m, file); }), "MiB", "aim: at most 16");
    const double schedule = best_of(5, [&] { analyse_schedule(m, file); });
    print("block schedule, 8 warps a block", rate(schedule, file.size()), "GB/s", "aim: at least 1");
    print("  memory beyond the file", peak_mib([&] { analyse_schedule(m, file); }), "MiB", "24 bytes a block");
    const std::string small = file.substr(0, std::min<std::size_t>(file.size(), 48 + 16 * 1000000));
    if (const auto python = seconds_of_prototype(small)) {
      const double ours = summed / static_cast<double>(file.size()) * static_cast<double>(small.size());
      print("records summed, against the prototype reader", python->loop / ours, "x", "aim: at least 200");
      print("  with an object for each record", python->objects / ours, "x", "");
    }
  }
  {
    const std::string file = block_sched_file(bytes, 1);
    const opened_map m(file);
    const double schedule = best_of(5, [&] { analyse_schedule(m, file); });
    print("block schedule, 1 warp a block", rate(schedule, file.size()), "GB/s", "aim: at least 0.4");
  }
  return 0;
}
