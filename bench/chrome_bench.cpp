// How fast trace-event JSON is read, beside plain simdjson On-Demand on the same bytes.
//
//   chrome_bench [--megabytes=N] [--benchmark_…]
//
// Inputs are real traces whose events are repeated in memory: a compact one of XLA (tests/data) and, when the
// large corpus is there, an indented one of PyTorch.
#include "ratio_reporter.hpp"

#include <profkit/core/chrome.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/source.hpp>
#include <formats/chrome/chrome_text.hpp>

#include <simdjson.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace {

using namespace profkit;
using namespace profkit::bench;

struct trace_sums {
  std::uint64_t events = 0, name_bytes = 0;
  std::int64_t duration_ps = 0;
  double duration_us = 0;
};

std::optional<std::string> read_trace(const std::string& path) {
  auto from = open_file_source(path);
  if (!from) return std::nullopt;
  auto held = hold_bytes(std::move(*from));
  if (!held) return std::nullopt;
  return std::string(held->bytes);
}

// The text between the brackets of traceEvents.
std::string_view events_of(std::string_view trace) {
  const std::size_t open = trace.find('[', trace.find("\"traceEvents\""));
  const json_value_end last = end_of_value(trace.data() + open, trace.data() + trace.size(), 100);
  return trace.substr(open + 1, static_cast<std::size_t>(last.end - trace.data()) - open - 2);
}

std::string grown(const std::string& trace, std::size_t bytes) {
  const std::string_view events = events_of(trace);
  std::string out = R"({"displayTimeUnit":"ns","traceEvents":[)";
  out.reserve(bytes + 2 * events.size());
  do {
    out.append(events).append(",\n");
  } while (out.size() < bytes);
  out.resize(out.size() - 2);
  return out + "]}";
}

class summing_visitor final : public chrome_visitor {
 public:
  bool event(const chrome_event& e) override {
    ++sums.events;
    sums.name_bytes += e.name.size();
    sums.duration_ps += e.dur_ps.value_or(0);
    return true;
  }
  trace_sums sums;
};

trace_sums sum_with_profkit(std::string_view trace, bool tolerant_only) {
  summing_visitor visitor;
  chrome_options options;
  options.tolerant_only = tolerant_only;
  if (!read_chrome(trace, visitor, options).ok()) std::abort();
  return visitor.sums;
}

// What a program written directly on simdjson does: the whole text at once, times as double.
trace_sums sum_with_simdjson(simdjson::ondemand::parser& parser, const simdjson::padded_string& trace) {
  using namespace simdjson;
  trace_sums sums;
  ondemand::document document = parser.iterate(trace);
  ondemand::array events = document["traceEvents"];
  for (ondemand::object event : events) {
    ++sums.events;
    for (ondemand::field field : event) {
      const auto key = field.key();
      double number = 0;
      if (key == "name") {
        sums.name_bytes += std::string_view(field.value()).size();
      } else if (key == "dur") {
        if (field.value().get(number) == SUCCESS) sums.duration_us += number;
      } else if (key == "ts") {
        if (field.value().get(number) == SUCCESS) benchmark::DoNotOptimize(number);
      } else if (key == "ph" || key == "cat" || key == "pid" || key == "tid" || key == "id") {
        benchmark::DoNotOptimize(field.value().raw_json_token());
      }
    }
  }
  return sums;
}

std::uint64_t sum_words(std::string_view bytes) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    sum += word;
  }
  return sum;
}

// One input and everything that is measured on it. Lives until the end of the program.
class input {
 public:
  input(std::string name, const std::string& trace, std::size_t bytes)
      : name_(std::move(name)),
        text_(grown(trace, bytes)),
        padded_(text_),
        profile_(*profile::open_buffer(text_, "x.trace.json")) {
    const trace_sums sums = sum_with_profkit(text_, false);
    std::printf("%s: %.1f MB, %llu events\n", name_.c_str(), static_cast<double>(text_.size()) / 1e6,
                static_cast<unsigned long long>(sums.events));
  }

  // Every reader must find the same.
  [[nodiscard]] bool agrees() {
    const trace_sums mine = sum_with_profkit(text_, false), tolerant = sum_with_profkit(text_, true);
    const trace_sums plain = sum_with_simdjson(parser_, padded_);
    const double difference = static_cast<double>(mine.duration_ps) / 1e6 - plain.duration_us;
    return mine.events == plain.events && mine.name_bytes == plain.name_bytes && tolerant.events == mine.events &&
           tolerant.duration_ps == mine.duration_ps && std::abs(difference) < 1e-6 * plain.duration_us;
  }

  void add_benchmarks() {
    add("read_sum", [this] { return sum_words(text_); });
    add("boundaries", [this] {
      const std::string_view events = events_of(text_);
      return static_cast<std::uint64_t>(events.size());
    });
    add("simdjson", [this] { return sum_with_simdjson(parser_, padded_).events; });
    add("read", [this] { return sum_with_profkit(text_, false).events; });
    add("read_tolerantly", [this] { return sum_with_profkit(text_, true).events; });
    add("info", [this] { return analyse_info(trace(*profile_))->events; });
  }

  void add_rows(std::vector<ratio_row>& rows) const {
    const auto row = [&](const char* what, const char* slower, const char* faster, double aim, bool at_most = false) {
      rows.push_back({name_ + ": " + what, name_ + "/" + slower, name_ + "/" + faster, aim, at_most});
    };
    row("events, beside plain simdjson On-Demand", "simdjson", "read", 0);
    row("boundary scan, beside summing the bytes", "boundaries", "read_sum", 0);
    row("events looked at one by one, beside many at once", "read_tolerantly", "read", 0);
    row("analyse_info, beside reading the events", "info", "read", 0);
  }

 private:
  template <class Work>
  void add(const char* what, Work work) {
    benchmark::RegisterBenchmark((name_ + "/" + what).c_str(), [this, work](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(work());
      state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text_.size()));
    })->Unit(benchmark::kMillisecond);
  }

  std::string name_, text_;
  simdjson::padded_string padded_;
  std::shared_ptr<const profile> profile_;
  simdjson::ondemand::parser parser_;
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t megabytes = 64;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--megabytes=", 12) == 0)
      megabytes = std::strtoull(argv[i] + 12, nullptr, 10);
    else
      argv[kept++] = argv[i];
  }
  const std::string root = PROFKIT_BENCH_SOURCE_ROOT;
  const char* const corpus_variable = std::getenv("PROFKIT_CORPUS");
  const std::string corpus = corpus_variable != nullptr ? corpus_variable : root + "/../shared";
  const std::pair<const char*, std::string> traces[] = {
      {"xla", root + "/tests/data/jax/mlp_nohlo/plugins/profile/2026_11_21_07_08_37/vm.trace.json.gz"},
      {"kineto", corpus + "/captures/kineto/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz"},
  };
  std::vector<std::unique_ptr<input>> inputs;
  std::vector<ratio_row> rows;
  for (const auto& [name, path] : traces) {
    const auto trace = read_trace(path);
    if (!trace) {
      std::printf("%s: left out, %s is not there\n", name, path.c_str());
      continue;
    }
    inputs.push_back(std::make_unique<input>(name, *trace, megabytes << 20));
    if (!inputs.back()->agrees()) {
      std::fprintf(stderr, "%s: the readers disagree\n", name);
      return 1;
    }
    inputs.back()->add_benchmarks();
    inputs.back()->add_rows(rows);
  }
  return run_and_print_ratios(kept, argv, rows);
}
