// How fast an XSpace is read, beside other readers and the limits of the machine.
//
//   xspace_bench [--megabytes=N] [--benchmark_…]
//
// Inputs are real captures under tests/data and, where it is there, one of the large corpus, grown in memory.
#include "amplify.hpp"
#include "peers.hpp"
#include "ratio_reporter.hpp"

#include <analyse/ops/op_totals.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/core/xspace_push.hpp>
#include <formats/xspace/xspace_index.hpp>
#include <formats/xspace/xspace_stream.hpp>

#include <zlib.h>
#include <zstd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

namespace {

using namespace profkit;
using namespace profkit::bench;

constexpr std::size_t batch_rows = 256;

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void add_stats(const event_row& row, const char* readable_end, event_sums& sums) {
  const message_range<stat_view, 4> stats(std::string_view(row.stats, row.stats_bytes), readable_end);
  for (const stat_view stat : stats) {
    ++sums.stats;
    sums.stat_ids += static_cast<std::uint64_t>(stat.metadata_id());
    sums.stat_values += stat.as_uint64();
    sums.stat_bytes += stat.as_bytes().size();
  }
}

template <bool WithStats>
event_sums sum_with_profkit(const xspace_index& index, scan_variant variant) {
  event_sums sums;
  event_row rows[batch_rows];
  for (const plane_index& plane : index.planes) {
    for (const line_index& line : plane.lines) {
      const char* const readable_end = line.body.data() + line.body.size();
      event_scanner scan(line.body, variant);
      while (const std::size_t count = scan.next(rows, batch_rows)) {
        sums.events += count;
        for (std::size_t i = 0; i < count; ++i) {
          sums.metadata_ids += static_cast<std::uint64_t>(rows[i].metadata_id);
          sums.offsets += static_cast<std::uint64_t>(rows[i].offset_ps);
          sums.durations += static_cast<std::uint64_t>(rows[i].duration_ps);
          if constexpr (WithStats) add_stats(rows[i], readable_end, sums);
        }
      }
    }
  }
  return sums;
}

void add_rows_to(event_sums& sums, const event_row* rows, std::size_t count) {
  sums.events += count;
  for (std::size_t i = 0; i < count; ++i) {
    sums.metadata_ids += static_cast<std::uint64_t>(rows[i].metadata_id);
    sums.offsets += static_cast<std::uint64_t>(rows[i].offset_ps);
    sums.durations += static_cast<std::uint64_t>(rows[i].duration_ps);
  }
}

// A source that is read in one pass, which copies the capture once.
event_sums sum_in_one_pass(std::string_view capture) {
  struct : stream_visitor {
    event_sums sums;
    bool begin_line(stream_place, std::uint64_t) override { return true; }
    void events(const line_rows& rows) override { add_rows_to(sums, rows.rows, rows.count); }
    void end_line(const line_end&) override {}
  } visitor;
  read_at_callbacks from;
  from.user = &capture;
  from.size_bytes = capture.size();
  from.read_at = [](void* user, std::uint64_t offset, void* into, std::size_t bytes) {
    const std::string_view all = *static_cast<const std::string_view*>(user);
    const std::size_t count = std::min<std::size_t>(bytes, all.size() - static_cast<std::size_t>(offset));
    std::memcpy(into, all.data() + offset, count);
    return static_cast<std::int64_t>(count);
  };
  auto opened = open_callback_source(from, "bench");
  if (!opened || !stream_xspace(**opened, visitor)) std::abort();
  return visitor.sums;
}

// The same, pushed in pieces.
event_sums sum_pushed(std::string_view capture, std::size_t piece_bytes) {
  struct : xspace_push_visitor {
    event_sums sums;
    bool events(const pushed_line&, const event_row* rows, std::size_t count) override {
      add_rows_to(sums, rows, count);
      return true;
    }
  } visitor;
  xspace_push_reader reader(visitor);
  for (std::size_t at = 0; at < capture.size(); at += piece_bytes)
    if (!reader.push(capture.substr(at, piece_bytes))) std::abort();
  if (!reader.finish()) std::abort();
  return visitor.sums;
}

template <bool WithStats>
event_sums sum_with_views(std::string_view capture) {
  event_sums sums;
  for (const plane_view plane : xspace_view(capture).planes()) {
    for (const line_view line : plane.lines()) {
      for (const event_view event : line.events()) {
        ++sums.events;
        sums.metadata_ids += static_cast<std::uint64_t>(event.metadata_id());
        sums.offsets += static_cast<std::uint64_t>(event.offset_ps());
        sums.durations += static_cast<std::uint64_t>(event.duration_ps());
        if constexpr (WithStats) {
          for (const stat_view stat : event.stats()) {
            ++sums.stats;
            sums.stat_ids += static_cast<std::uint64_t>(stat.metadata_id());
            sums.stat_values += stat.as_uint64();
            sums.stat_bytes += stat.as_bytes().size();
          }
        }
      }
    }
  }
  return sums;
}

// Totals of all lines by op; `with_self` is the whole row.
std::uint64_t total_by_op(const xspace_index& index, bool with_self) {
  std::uint64_t check = 0;
  event_row rows[batch_rows];
  for (const plane_index& plane : index.planes) {
    for (const line_index& line : plane.lines) {
      op_totals totals(plane.event_metadata_entries.size() + 1);
      event_scanner scan(line.body);
      while (const std::size_t count = scan.next(rows, batch_rows)) {
        if (with_self)
          totals.add(rows, count);
        else
          totals.add_without_self(rows, count);
      }
      if (with_self) totals.finish();
      check += static_cast<std::uint64_t>(totals.duration_sum_ps()) + totals.busy_ps();
    }
  }
  return check;
}

std::uint64_t sum_words(std::string_view bytes) {
  std::uint64_t sums[8] = {};
  std::size_t at = 0;
  for (; at + sizeof sums <= bytes.size(); at += sizeof sums) {
    std::uint64_t words[8];
    std::memcpy(words, bytes.data() + at, sizeof words);
    for (int i = 0; i < 8; ++i) sums[i] += words[i];
  }
  return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

std::string gzipped(std::string_view bytes) {
  std::string out;
  const auto into = gzip_sink(memory_sink(out));
  if (!into->write(bytes).ok() || !into->finish().ok()) std::abort();
  return out;
}

std::string zstandard(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1);
  if (ZSTD_isError(size) != 0) std::abort();
  out.resize(size);
  return out;
}

// Decoding alone, into memory that is there already.
std::uint64_t inflate_alone(const std::string& gz, std::string& into) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) std::abort();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gz.data()));
  stream.avail_in = static_cast<uInt>(gz.size());
  stream.next_out = reinterpret_cast<Bytef*>(into.data());
  stream.avail_out = static_cast<uInt>(into.size());
  const int ended = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (ended != Z_STREAM_END) std::abort();
  return stream.total_out;
}
std::uint64_t unzstd_alone(const std::string& zst, std::string& into) {
  const std::size_t size = ZSTD_decompress(into.data(), into.size(), zst.data(), zst.size());
  if (ZSTD_isError(size) != 0) std::abort();
  return size;
}

// One input and everything that is measured on it. Lives until the end of the program.
class input {
 public:
  input(std::string name, const std::string& capture, std::uint64_t bytes)
      : name_(std::move(name)), grown_(amplifier(capture, bytes).in_memory()), index_(index_xspace(grown_)) {
    small_ = amplifier(capture, bytes / 4).in_memory();
    gz_ = gzipped(small_);
    zst_ = zstandard(small_);
    profile_ = *profile::open_buffer(grown_, name_ + ".xplane.pb");
    std::printf("%s: %.1f MB, %llu events, %llu stats\n", name_.c_str(), static_cast<double>(grown_.size()) / 1e6,
                static_cast<unsigned long long>(sum_with_profkit<true>(index_, scan_variant::fastest).events),
                static_cast<unsigned long long>(sum_with_profkit<true>(index_, scan_variant::fastest).stats));
  }

  // Every reader must find the same.
  [[nodiscard]] bool agrees() const {
    const event_sums mine = sum_with_profkit<true>(index_, scan_variant::fastest);
    bool same = mine == sum_with_profkit<true>(index_, scan_variant::portable) && mine == sum_with_views<true>(grown_);
    const event_sums without_stats = sum_with_profkit<false>(index_, scan_variant::fastest);
    same = same && without_stats == sum_in_one_pass(grown_) && without_stats == sum_pushed(grown_, 4096);
#if defined(PROFKIT_BENCH_PROTOBUF)
    same = same && mine == sum_with_protobuf(grown_, true);
#endif
#if defined(PROFKIT_BENCH_PROTOZERO)
    same = same && mine == sum_with_protozero(grown_, true);
#endif
    return same;
  }

  void add_benchmarks() {
    copy_.resize(grown_.size());
    add("memcpy", [this] {
      std::memcpy(copy_.data(), grown_.data(), grown_.size());
      return copy_[grown_.size() / 2];
    });
    add("read_sum", [this] { return sum_words(grown_); });
    add("events", [this] { return sum_with_profkit<false>(index_, scan_variant::fastest).durations; });
    add("events_portable", [this] { return sum_with_profkit<false>(index_, scan_variant::portable).durations; });
    add("events_views", [this] { return sum_with_views<false>(grown_).durations; });
    add("one_pass", [this] { return sum_in_one_pass(grown_).durations; });
    add("pushed_4k", [this] { return sum_pushed(grown_, std::size_t{4} << 10).durations; });
    add("pushed_64k", [this] { return sum_pushed(grown_, std::size_t{64} << 10).durations; });
    add("count_events", [this] {
      std::uint64_t count = 0;
      for (const plane_index& plane : index_.planes)
        for (const line_index& line : plane.lines) count += count_events(line.body);
      return count;
    });
    add("stats", [this] { return sum_with_profkit<true>(index_, scan_variant::fastest).stat_values; });
    add("stats_portable", [this] { return sum_with_profkit<true>(index_, scan_variant::portable).stat_values; });
    add("stats_views", [this] { return sum_with_views<true>(grown_).stat_values; });
    add("by_op", [this] { return total_by_op(index_, false); });
    add("ops", [this] { return total_by_op(index_, true); });
    add("analyse_ops", [this] { return analyse_ops(trace(*profile_))->lines.size(); });
    add("open", [this] { return (*profile::open_buffer(grown_, "host.xplane.pb"))->file_count(); });
    // A quarter of the input: decoding takes its time.
    add(
        "open_plain", [this] { return (*profile::open_buffer(small_, "host.xplane.pb"))->file_count(); },
        small_.size());
    add(
        "open_gz", [this] { return (*profile::open_buffer(gz_, "host.xplane.pb.gz"))->bytes(0).size(); },
        small_.size());
    add(
        "open_zst", [this] { return (*profile::open_buffer(zst_, "host.xplane.pb.zst"))->bytes(0).size(); },
        small_.size());
    add(
        "inflate", [this] { return inflate_alone(gz_, copy_); }, small_.size());
    add(
        "unzstd", [this] { return unzstd_alone(zst_, copy_); }, small_.size());
#if defined(PROFKIT_BENCH_PROTOBUF)
    add("events_protobuf", [this] { return sum_with_protobuf(grown_, false).durations; });
    add("stats_protobuf", [this] { return sum_with_protobuf(grown_, true).stat_values; });
#endif
#if defined(PROFKIT_BENCH_PROTOZERO)
    add("events_protozero", [this] { return sum_with_protozero(grown_, false).durations; });
    add("stats_protozero", [this] { return sum_with_protozero(grown_, true).stat_values; });
#endif
  }

  void add_rows(std::vector<ratio_row>& rows) const {
    const auto row = [&](const char* what, const char* slower, const char* faster, double aim, bool at_most = false) {
      rows.push_back({name_ + ": " + what, name_ + "/" + slower, name_ + "/" + faster, aim, at_most});
    };
    row("events, libprotobuf arena / profkit", "events_protobuf", "events", 15);
    row("events, protozero / profkit", "events_protozero", "events", 2);
    row("events + stats, libprotobuf arena / profkit", "stats_protobuf", "stats", 8);
    row("events + stats, protozero / profkit", "stats_protozero", "stats", 0);
    row("events without BMI2, libprotobuf arena / profkit", "events_protobuf", "events_portable", 0);
    row("events without BMI2, protozero / profkit", "events_protozero", "events_portable", 0);
    row("events through the views, protozero / profkit", "events_protozero", "events_views", 0);
    row("events + stats through the views, protozero / profkit", "stats_protozero", "stats_views", 0);
    row("count, total, min, max by op / events", "by_op", "events", 1.3, true);
    row("whole ops row with self time / events", "ops", "events", 2, true);
    row("one pass over a source / events", "one_pass", "events", 0);
    row("pushed in pieces of 64 KiB / one pass over a source", "pushed_64k", "one_pass", 0);
    row("pushed in pieces of 4 KiB / one pass over a source", "pushed_4k", "one_pass", 0);
    row("events / counting them by their lengths", "events", "count_events", 0);
    row("events / memcpy", "events", "memcpy", 0);
    row("events / reading every word", "events", "read_sum", 0);
    row("events + stats / reading every word", "stats", "read_sum", 0);
    row("open and index / events", "open", "events", 0);
    row("open a gzip file / zlib's inflate alone", "open_gz", "inflate", 0);
    row("open a zstd file / zstd alone", "open_zst", "unzstd", 0);
  }

 private:
  template <class Work>
  void add(const char* what, Work work, std::size_t bytes = 0) {
    const auto processed = static_cast<std::int64_t>(bytes == 0 ? grown_.size() : bytes);
    benchmark::RegisterBenchmark((name_ + "/" + what).c_str(), [work, processed](benchmark::State& state) {
      for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(work());
      state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * processed);
    })->Unit(benchmark::kMillisecond);
  }

  std::string name_, grown_, small_, gz_, zst_, copy_;
  xspace_index index_;
  std::shared_ptr<const profile> profile_;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t megabytes = 64;
  std::vector<char*> arguments;
  for (int i = 0; i < argc; ++i) {
    constexpr std::string_view option("--megabytes=");
    if (std::string_view(argv[i]).substr(0, option.size()) == option)
      megabytes = std::strtoull(argv[i] + option.size(), nullptr, 10);
    else
      arguments.push_back(argv[i]);
  }
  const char* root = std::getenv("PROFKIT_SOURCE_ROOT");
  const char* corpus = std::getenv("PROFKIT_CORPUS");
  const std::string data = std::string(root != nullptr ? root : PROFKIT_BENCH_SOURCE_ROOT);
  const std::string captures = (corpus != nullptr ? std::string(corpus) : data + "/../shared") + "/captures/";
  std::vector<std::unique_ptr<input>> inputs;
  std::vector<ratio_row> rows;
  const auto take = [&](const char* name, const std::string& path) {
    const auto capture = read_file(path);
    if (!capture) return false;
    inputs.push_back(std::make_unique<input>(name, *capture, megabytes << 20));
    if (!inputs.back()->agrees()) {
      std::fprintf(stderr, "%s: the readers do not find the same\n", name);
      std::exit(1);
    }
    inputs.back()->add_benchmarks();
    inputs.back()->add_rows(rows);
    return true;
  };
  take("tpu", data + "/tests/data/xspace/tpu_v6e_inference.xplane.pb");
  take("mi300", data + "/tests/data/xspace/jax08_gemm_mi300.xplane.pb");
  take("gpu", captures + "xspace/gpu_tf_2020_8gpu.xplane.pb");
  return run_and_print_ratios(static_cast<int>(arguments.size()), arguments.data(), rows);
}
