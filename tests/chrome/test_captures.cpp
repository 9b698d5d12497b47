// Every trace of the corpus against facts by Python's JSON reader (make_facts.py).
#include "recorded.hpp"
#include "support.hpp"

#include <catch.hpp>

#include <fstream>
#include <map>
#include <sstream>

using namespace profkit;
using namespace profkit::test;

namespace {

struct fact {
  std::string path, phases;
  std::uint64_t events = 0, durations = 0;
  std::int64_t duration_sum_ps = 0, first_us = 0, first_ps = 0, last_us = 0, last_ps = 0;
};

std::vector<fact> facts() {
  std::ifstream in(source_root() / "tests/chrome/facts.tsv");
  std::vector<fact> all;
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    fact f;
    cells >> f.path >> f.events >> f.phases >> f.durations >> f.duration_sum_ps >> f.first_us >> f.first_ps >>
        f.last_us >> f.last_ps;
    all.push_back(f);
  }
  return all;
}

class summing_visitor final : public chrome_visitor {
 public:
  bool event(const chrome_event& e) override {
    ++phases[e.phase == 0 ? std::string() : std::string(1, e.phase)];
    if (e.phase == 'X' && e.dur_ps) {
      ++durations;
      duration_sum_ps += *e.dur_ps;
    }
    if (e.ts_ps) {
      first = first ? std::min(*first, *e.ts_ps) : *e.ts_ps;
      last = last ? std::max(*last, *e.ts_ps) : *e.ts_ps;
    }
    return true;
  }
  [[nodiscard]] std::string phases_text() const {
    std::string out;
    for (const auto& [phase, count] : phases) out += (out.empty() ? "" : ",") + phase + ":" + std::to_string(count);
    return out;
  }
  std::map<std::string, std::uint64_t> phases;
  std::uint64_t durations = 0;
  std::int64_t duration_sum_ps = 0;
  std::optional<std::int64_t> first, last;
};

// Whole µs and ps of an instant in the file's own microseconds.
std::pair<std::int64_t, std::int64_t> absolute(std::int64_t zero_us, std::int64_t ps) {
  std::int64_t us = ps / 1'000'000, rest = ps % 1'000'000;
  if (rest < 0) {
    --us;
    rest += 1'000'000;
  }
  return {zero_us + us, rest};
}

void check(const fact& f, const std::string& path, bool tolerant) {
  CAPTURE(f.path, tolerant);
  auto from = open_file_source(path);
  REQUIRE(from.ok());
  summing_visitor seen;
  chrome_options options;
  options.tolerant_only = tolerant;
  const auto read = read_chrome(**from, seen, options);
  REQUIRE(read.ok());
  CHECK_FALSE(read->damage);
  CHECK(read->terminated);
  CHECK(read->irregular == 0);
  CHECK(read->unusable_times == 0);
  CHECK(read->events == f.events);
  CHECK(seen.phases_text() == f.phases);
  CHECK(seen.durations == f.durations);
  CHECK(seen.duration_sum_ps == f.duration_sum_ps);
  REQUIRE(seen.first);
  CHECK(absolute(read->zero_us, *seen.first) == std::make_pair(f.first_us, f.first_ps));
  CHECK(absolute(read->zero_us, *seen.last) == std::make_pair(f.last_us, f.last_ps));
}

}  // namespace

TEST_CASE("the vendored traces agree with Python") {
  std::size_t checked = 0;
  for (const fact& f : facts()) {
    const std::string folder = f.path.substr(std::string("captures/").size());
    std::string vendored = folder;
    if (const auto at = vendored.find("two_process/rank0"); at != std::string::npos)
      vendored.replace(at, 17, "two_process_rank0");
    const auto path = data_path(vendored);
    if (!std::filesystem::exists(path)) continue;
    check(f, path.string(), false);
    ++checked;
  }
  CHECK(checked >= 2);
}

TEST_CASE("every trace of the corpus agrees with Python") {
  if (!corpus_path("captures/kineto")) PROFKIT_SKIP_WITHOUT_CORPUS;
  std::size_t checked = 0;
  for (const fact& f : facts()) {
    const auto path = corpus_path(f.path);
    REQUIRE(path);
    check(f, path->string(), false);
    check(f, path->string(), true);
    ++checked;
  }
  CHECK(checked == 33);
}
