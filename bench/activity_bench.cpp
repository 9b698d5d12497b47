// How fast kernels are read: rows of a table, three columns of it, the whole activity of a capture, and a Kineto
// trace beside a bare simdjson On-Demand pass over the same fields.
//
//   activity_bench                                           the Kineto traces of the corpus, as ratios
//   activity_bench rows|columns|activity|held|analysis|ondemand [--no-details] PATH
//
// `activity` begins with the path; `held`, as `ondemand`, with the bytes in memory.
//
// Prints the least processor time and elapsed time of some runs, in seconds, and what was found, so that peers can be
// compared (activity_peers.py).
#include <profkit/core/activity.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/source.hpp>
#include <profkit/csv.hpp>
#include <profkit/decimal.hpp>

#include <base/string_table.hpp>
#include <formats/ascend/ascend_columns.hpp>
#include <formats/ascend/column_strings.hpp>
#include <formats/ascend/csv_index.hpp>
#include <formats/kineto/grow.hpp>

#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace profkit;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

struct outcome {
  std::uint64_t rows = 0, total = 0;
};

// Every field of every row.
outcome read_rows(std::string_view text) {
  std::vector<std::string_view> fields(4096);
  csv_reader reader = fast_csv_reader(text);
  outcome o;
  while (reader.next(fields.data(), fields.size())) {
    ++o.rows;
    for (std::size_t i = 0; i < reader.fields(); ++i) o.total += fields[i].size();
  }
  return o;
}

// Name, start and duration as columns: interned, exact.
outcome read_columns(std::string_view text) {
  std::vector<std::string_view> fields(4096);
  csv_reader reader = fast_csv_reader(text);
  if (!reader.next(fields.data(), fields.size())) fail("no header");
  const ascend_header header = bind_ascend_header(fields.data(), reader.fields());
  const std::size_t name = header[ascend_column::name], start = header[ascend_column::start],
                    duration = header[ascend_column::duration];
  const std::size_t needed = std::max({name, start, duration}) + 1;
  const std::int64_t zero_us = read_ascend_clock(text).zero_us;
  string_table strings;
  column_strings of_names(strings);
  std::vector<string_id> names;
  std::vector<std::int64_t> starts, durations;
  while (reader.next(fields.data(), needed)) {
    decimal_time t;
    if (!parse_microseconds_text(csv_trimmed(fields[start]), t)) continue;
    make_room(starts, reader.offset(), text.size(), 32);
    make_room(durations, reader.offset(), text.size(), 32);
    make_room(names, reader.offset(), text.size(), 32);
    starts.push_back(ps_since(t, zero_us).value_or(0));
    if (!parse_microseconds_text(csv_trimmed(fields[duration]), t)) fail("no duration");
    durations.push_back(ps_since(t, 0).value_or(0));
    names.push_back(of_names.id_of(fields[name]));
  }
  outcome o;
  o.rows = names.size();
  for (const std::int64_t d : durations) o.total += static_cast<std::uint64_t>(d);
  return o;
}

struct counting_visitor final : kernel_visitor {
  result<void> rows(const kernel_row* first, std::size_t count) override {
    o.rows += count;
    for (std::size_t i = 0; i < count; ++i) o.total += static_cast<std::uint64_t>(first[i].duration_ps);
    return {};
  }
  outcome o;
};

outcome read_whole(const result<std::shared_ptr<const profile>>& p, bool details) {
  if (!p) fail(p.error().message.c_str());
  activity_options options;
  options.details = details;
  auto a = read_activity(*p, options);
  if (!a) fail(a.error().message.c_str());
  counting_visitor visitor;
  for (std::size_t d = 0; d < (*a)->devices().size(); ++d) {
    if (!(*a)->visit_kernels(d, visitor)) fail("visit");
  }
  return visitor.o;
}

// The fields that the activity takes from a Kineto trace, read with simdjson alone, times as doubles.
outcome read_ondemand(const simdjson::padded_string& text) {
  using namespace simdjson;
  ondemand::parser parser;
  ondemand::document document;
  ondemand::array events;
  if (parser.iterate(text).get(document) != SUCCESS) fail("iterate");
  if (document["traceEvents"].get_array().get(events) != SUCCESS) fail("no traceEvents");
  outcome o;
  double total = 0;
  std::uint64_t bytes = 0;
  for (auto element : events) {
    ondemand::object event;
    if (element.get_object().get(event) != SUCCESS) continue;
    for (auto field : event) {
      const std::string_view key = field.unescaped_key().value_unsafe();
      if (key == "ts" || key == "dur") {
        double value = 0;
        if (field.value().get_double().get(value) == SUCCESS) total += value;
      } else if (key == "ph" || key == "cat" || key == "name") {
        std::string_view value;
        if (field.value().get_string().get(value) == SUCCESS) bytes += value.size();
      } else if (key == "pid" || key == "tid") {
        std::string_view token;
        if (field.value().raw_json_token().get(token) == SUCCESS) bytes += token.size();
      } else if (key == "args") {
        ondemand::object args;
        if (field.value().get_object().get(args) != SUCCESS) continue;
        for (auto member : args) {
          const std::string_view name = member.unescaped_key().value_unsafe();
          if (name == "device" || name == "stream" || name == "correlation" || name == "External id" ||
              name == "Input Dims") {
            std::string_view token;
            if (member.value().raw_json_token().get(token) == SUCCESS) bytes += token.size();
          }
        }
      }
    }
    ++o.rows;
  }
  o.total = static_cast<std::uint64_t>(total) + bytes;
  return o;
}

// From the path to every answer.
outcome analyse(const std::string& path) {
  auto p = profile::open(path);
  if (!p) fail(p.error().message.c_str());
  hooks host;
  host.threads = std::thread::hardware_concurrency();
  const auto report = analyse_bubbles(trace(std::move(*p)), {}, host);
  if (!report) fail(report.error().message.c_str());
  outcome o;
  for (const device_gaps& d : report->found.devices) {
    o.rows += d.kernels;
    o.total += static_cast<std::uint64_t>(d.busy_ps);
  }
  return o;
}

// The least processor time and time on the clock of some runs: the machine may be doing other things.
struct measured {
  double processor = 1e9, elapsed = 1e9;
  outcome last;

  void add(const std::function<outcome()>& work) {
    const std::clock_t start = std::clock();
    const auto began = std::chrono::steady_clock::now();
    last = work();
    processor = std::min(processor, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    elapsed = std::min(elapsed, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
};
constexpr int runs = 9;

void measure(const std::function<outcome()>& work) {
  measured m;
  for (int i = 0; i < runs; ++i) m.add(work);
  std::printf("%.6f %.6f %llu %llu\n", m.processor, m.elapsed, static_cast<unsigned long long>(m.last.rows),
              static_cast<unsigned long long>(m.last.total));
}

held_bytes bytes_of(const std::string& path) {
  auto from = open_file_source(path);
  if (!from) fail(from.error().message.c_str());
  auto held = hold_bytes(std::move(*from));
  if (!held) fail(held.error().message.c_str());
  return std::move(*held);
}

// Both readers of one trace, taking turns.
void compare_trace(const std::string& path) {
  const held_bytes held = bytes_of(path);
  const std::string_view text = held.bytes;
  const simdjson::padded_string padded(text.data(), text.size());
  measured ours, theirs;
  for (int i = 0; i < runs; ++i) {
    theirs.add([&] { return read_ondemand(padded); });
    ours.add([&] { return read_whole(profile::open_buffer(text, "x.pt.trace.json"), true); });
  }
  std::printf("%-52s %6.1f MB %8.2f %8.2f ms %6.2fx >= 0.8x\n", path.substr(path.rfind('/') + 1, 52).c_str(),
              static_cast<double>(text.size()) / 1e6, theirs.processor * 1e3, ours.processor * 1e3,
              theirs.processor / ours.processor);
}

void compare_corpus() {
  const char* const set = std::getenv("PROFKIT_CORPUS");
  const std::string corpus = set != nullptr ? set : std::string(PROFKIT_BENCH_SOURCE_ROOT) + "/../shared";
  std::puts("whole activity of a Kineto trace in memory                      simdjson  profkit   ratio     aim");
  for (const char* name :
       {"rank-0.Apr_03_18_51_38.1102.pt.trace", "resnet50_nw0_1623143089861.pt.trace", "b200_eager_trace"}) {
    const std::string path = corpus + "/captures/kineto/" + name + ".json.gz";
    if (std::ifstream(path).good()) {
      compare_trace(path);
    } else {
      std::printf("%s: left out, it is not there\n", path.c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    compare_corpus();
    return 0;
  }
  if (argc < 3) fail("activity_bench rows|columns|activity|held|analysis|ondemand [--no-details] PATH");
  const std::string what = argv[1], path = argv[argc - 1];
  if (what == "analysis") {
    measure([&] { return analyse(path); });
    return 0;
  }
  const bool details = std::strcmp(argv[2], "--no-details") != 0;
  if (what == "activity") {
    measure([&] { return read_whole(profile::open(path), details); });
    return 0;
  }
  const held_bytes held = bytes_of(path);
  const std::string_view text = held.bytes;
  if (what == "rows") {
    measure([&] { return read_rows(text); });
  } else if (what == "columns") {
    measure([&] { return read_columns(text); });
  } else if (what == "held") {
    measure([&] { return read_whole(profile::open_buffer(text, path), details); });
  } else if (what == "ondemand") {
    const simdjson::padded_string padded(text.data(), text.size());
    measure([&] { return read_ondemand(padded); });
  } else {
    fail("what?");
  }
  return 0;
}
