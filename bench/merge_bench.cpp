// The merge: processor time against merely parsing the same bytes with Python's upb, and memory against size.
//   merge_bench [MB...]              traces of two nodes with so many megabytes in all (default 100 1000)
//   merge_bench --write FOLDER MB    only writes them, for `profkit merge`
#include <profkit/core/merge.hpp>

#include "../tests/read/xspace_writer.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t wall_ns = 1'765'400'000'000'000'000;
constexpr int nodes = 2;
constexpr std::int64_t step_ps = 20'000'000;  // between two events of a line

message text_stat(std::int64_t id, std::string_view value) { return message().number(1, id).text(5, value); }
message stat_name(std::int64_t id, std::string_view name) {
  return message().number(1, id).sub(2, message().number(1, id).text(2, name));
}

// One kernel with the stats that profilers write beside it.
std::string kernel(std::mt19937_64& random, std::int64_t offset_ps) {
  return message()
      .number(1, 1 + static_cast<std::int64_t>(random() % 40))
      .number(2, offset_ps + static_cast<std::int64_t>(random() % 5'000'000))
      .number(3, 1'000'000 + static_cast<std::int64_t>(random() % 9'000'000))
      .sub(4, text_stat(1, "fusion." + std::to_string(random() % 500)))
      .sub(4, message().number(1, 2).unsigned_number(7, 3))
      .sub(4, message().number(1, 4).unsigned_number(3, random() % 1'000'000))
      .sub(4, text_stat(5, "grid:" + std::to_string(random() % 4096) +
                               ",1,1 block:256,1,1 private_mem:0 group_mem:0 occ_pct:50"))
      .bytes();
}

// Writes a node of about `bytes`: eight devices of two streams. Gives its events.
std::uint64_t write_node(const fs::path& folder, int node, std::uint64_t bytes) {
  std::mt19937_64 random(static_cast<std::uint64_t>(node) + 1);
  const std::size_t sample = kernel(random, 1).size() + 3;
  const std::uint64_t a_line = bytes / 16 / sample;
  std::ofstream out(folder / ("node" + std::to_string(node) + ".xplane.pb"), std::ios::binary);
  std::uint64_t events = 0;
  for (int device = 0; device < 8; ++device) {
    // Sizes come first on the wire, so that every line is made twice, from the same seed.
    std::string tail;
    for (std::int64_t k = 1; k <= 40; ++k)
      tail += message().sub(4, metadata_entry_of(k, "kernel_" + std::to_string(k))).bytes();
    for (std::int64_t k = 1; k <= 5; ++k) tail += message().sub(5, stat_name(k, "stat_" + std::to_string(k))).bytes();
    const std::string head = message().number(1, device).text(2, "/device:GPU:" + std::to_string(device)).bytes();
    std::uint64_t body = head.size() + tail.size();
    std::uint64_t line_bytes[2] = {};
    const auto line_head = [](int line) {
      return message().number(1, line + 1).text(2, "Stream #" + std::to_string(line + 1)).number(3, wall_ns).bytes();
    };
    for (const bool writes : {false, true}) {
      if (writes) {
        std::string plane;
        put_varint(plane, 1U << 3 | 2U);
        put_varint(plane, body);
        out << plane << head;
      }
      for (int line = 0; line < 2; ++line) {
        std::mt19937_64 own(static_cast<std::uint64_t>(node * 100 + device * 2 + line));
        std::string piece;
        if (writes) {
          put_varint(piece, 3U << 3 | 2U);
          put_varint(piece, line_bytes[line]);
        }
        piece += line_head(line);
        std::uint64_t size = line_head(line).size();
        for (std::uint64_t e = 0; e < a_line; ++e) {
          const std::string event = kernel(own, static_cast<std::int64_t>(e) * step_ps);
          std::string framed;
          put_varint(framed, 4U << 3 | 2U);
          put_varint(framed, event.size());
          framed += event;
          size += framed.size();
          if (writes) piece += framed;
          if (piece.size() > 1U << 20) {
            out << piece;
            piece.clear();
          }
        }
        if (writes) {
          out << piece;
          events += a_line;
        } else {
          line_bytes[line] = size;
          std::string frame;
          put_varint(frame, 3U << 3 | 2U);
          put_varint(frame, size);
          body += size + frame.size();
        }
      }
    }
    out << tail;
  }
  out << message().text(4, "host" + std::to_string(node)).bytes();
  return events;
}

merge_options write_run(const fs::path& folder, std::uint64_t bytes, std::uint64_t& events) {
  merge_options o;
  std::string header = R"({"meta":true,"nodes":[)", rows;
  events = 0;
  for (int node = 0; node < nodes; ++node) {
    events += write_node(folder, node, bytes / nodes);
    const std::int64_t own = node * 1'234'567, tracer = 1'000'000'000'000 * (node + 1);
    std::string snapshots;
    for (int k = 0; k < 100; ++k) {
      const std::int64_t at = std::int64_t{k} * 1'000'000'000;
      snapshots +=
          message().sub(1, message().number(1, wall_ns + own + at + at / 200'000).number(2, tracer + at)).bytes();
    }
    std::ofstream(folder / ("node" + std::to_string(node) + ".snapshots.pb"), std::ios::binary) << snapshots;
    header += std::string(node == 0 ? "" : ",") + R"({"node_id":)" + std::to_string(node) + R"(,"start_walltime_ns":)" +
              std::to_string(wall_ns + own) + R"(,"start_gpu_ns":)" + std::to_string(tracer) + '}';
    for (int round = 0; round < 50; ++round)
      rows += R"({"round_id":)" + std::to_string(round) + R"(,"midpoint_sys_ns":)" +
              std::to_string(wall_ns + std::int64_t{round} * 2'000'000'000) + R"(,"node_id":)" + std::to_string(node) +
              R"(,"offset_ns":)" + std::to_string(own + round * node * 37) + "}\n";
    o.traces.push_back((folder / ("node" + std::to_string(node) + ".xplane.pb")).string());
    o.snapshots.push_back((folder / ("node" + std::to_string(node) + ".snapshots.pb")).string());
  }
  std::ofstream(folder / "offsets.jsonl") << header << "]}\n" << rows;
  o.offsets = (folder / "offsets.jsonl").string();
  return o;
}

struct cost {
  double processor_seconds = 0;
  double peak_mib = 0;
  bool ok = false;
};

// In a process of its own, so that its memory is its own.
template <class Work>
cost in_child(Work&& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  cost c;
  c.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  c.processor_seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                        static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  c.peak_mib = static_cast<double>(used.ru_maxrss) / 1024;
  return c;
}

bool merge_to(const merge_options& o, const fs::path& output) {
  auto into = atomic_file_sink(output.string());
  if (!into) return false;
  const auto merged = merge_traces(o, **into);
  if (!merged) std::printf("%s\n", merged.error().message.c_str());
  return merged && (*into)->finish();
}

// Processor seconds that Python takes to parse the files, reading them left out; negative when it cannot.
double python_parse_seconds(const merge_options& o) {
#ifdef PROFKIT_BENCH_DESCRIPTORS
  std::string command =
      "python3 -c '"
      "import sys, time\n"
      "from google.protobuf import descriptor_pb2, descriptor_pool, message_factory\n"
      "s = descriptor_pb2.FileDescriptorSet.FromString(open(sys.argv[1], \"rb\").read())\n"
      "p = descriptor_pool.DescriptorPool()\n"
      "for f in s.file: p.Add(f)\n"
      "c = message_factory.GetMessageClass(p.FindMessageTypeByName(s.file[-1].package + \".XSpace\"))\n"
      "t = 0\n"
      "for n in sys.argv[2:]:\n"
      "  b = open(n, \"rb\").read(); m = c(); a = time.process_time(); m.ParseFromString(b); t += time.process_time() "
      "- a\n"
      "print(t)\n' " PROFKIT_BENCH_DESCRIPTORS;
  for (const std::string& path : o.traces) command += " '" + path + "'";
  command += " 2>/dev/null";
  std::FILE* const pipe = popen(command.c_str(), "r");
  double seconds = -1;
  if (pipe == nullptr || std::fscanf(pipe, "%lf", &seconds) != 1) seconds = -1;
  if (pipe != nullptr) pclose(pipe);
  return seconds;
#else
  static_cast<void>(o);
  return -1;
#endif
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 4 && std::string(arguments[1]) == "--write") {
    std::uint64_t events = 0;
    fs::create_directories(arguments[2]);
    write_run(arguments[2], std::strtoull(arguments[3], nullptr, 10) * 1'000'000, events);
    std::printf("%llu events\n", static_cast<unsigned long long>(events));
    return 0;
  }
  std::vector<std::uint64_t> sizes;
  for (int i = 1; i < count; ++i) sizes.push_back(std::strtoull(arguments[i], nullptr, 10));
  if (sizes.empty()) sizes = {100, 1000};
  std::printf("%10s %12s %12s %14s %12s %10s\n", "input MB", "events", "merge cpu s", "python upb s", "ratio",
              "peak MiB");
  for (const std::uint64_t megabytes : sizes) {
    std::string pattern = (fs::temp_directory_path() / "profkit-merge-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) return 1;
    const fs::path folder = pattern;
    std::uint64_t events = 0;
    const merge_options o = write_run(folder, megabytes * 1'000'000, events);
    cost best;
    for (int run = 0; run < 3; ++run) {
      const cost c = in_child([&] { return merge_to(o, folder / "combined.xspace"); });
      if (!c.ok) return 1;
      if (run == 0 || c.processor_seconds < best.processor_seconds) best = c;
    }
    double python = -1;
    if (megabytes <= 1500)  // libprotobuf's limit is 2 GiB a message
      for (int run = 0; run < 3; ++run) {
        const double seconds = python_parse_seconds(o);
        if (python < 0 || (seconds >= 0 && seconds < python)) python = seconds;
      }
    std::printf("%10llu %12llu %12.3f %14.3f %12.3f %10.1f\n", static_cast<unsigned long long>(megabytes),
                static_cast<unsigned long long>(events), best.processor_seconds, python,
                python > 0 ? best.processor_seconds / python : -1, best.peak_mib);
    std::fflush(stdout);
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
}
