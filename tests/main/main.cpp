#define CATCH_CONFIG_RUNNER
#include <catch.hpp>

#include <cstdio>
#include <cstdlib>

#include "support.hpp"

namespace {

using listener = profkit::test::catch_listener;
constexpr int meson_skip_status = 77;  // a test program that ends with it is reported as skipped

struct case_counts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
};
case_counts counts;
std::string running_case;
bool running_case_skipped = false;

// Catch2 2 knows no skipped cases, so they are counted beside it.
struct count_listener : listener {
  using listener::listener;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    running_case = info.name;
    running_case_skipped = false;
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (!stats.totals.assertions.allOk())
      ++counts.failed;
    else if (running_case_skipped)
      ++counts.skipped;
    else
      ++counts.passed;
  }
};

}  // namespace

CATCH_REGISTER_LISTENER(count_listener)

namespace profkit::test {

std::filesystem::path source_root() {
  const char* root = std::getenv("PROFKIT_SOURCE_ROOT");
  return root ? root : ".";
}

std::filesystem::path data_path(const std::string& relative) { return source_root() / "tests" / "data" / relative; }

std::optional<std::filesystem::path> corpus_path(const std::string& relative) {
  const char* corpus = std::getenv("PROFKIT_CORPUS");
  const std::filesystem::path path =
      (corpus && *corpus ? std::filesystem::path(corpus) : source_root() / ".." / "shared") / relative;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  return path;
}

bool is_left_out(const std::string& part) {
  const char* parts = std::getenv("PROFKIT_LEFT_OUT");
  return parts && (' ' + std::string(parts) + ' ').find(' ' + part + ' ') != std::string::npos;
}

void note_skip(const std::string& reason) {
  running_case_skipped = true;
  std::printf("SKIPPED %s: %s\n", running_case.c_str(), reason.c_str());
}

}  // namespace profkit::test

int main(int argc, char** argv) {
  const int status = Catch::Session().run(argc, argv);
  if (counts.passed + counts.failed + counts.skipped == 0) return status;
  // scripts/test adds these lines up.
  std::printf("%d passed, %d failed, %d skipped\n", counts.passed, counts.failed, counts.skipped);
  if (status == 0 && counts.passed == 0) return meson_skip_status;
  return status;
}
