// How long the command takes from start to end, as a shell would see it.
//
// The runs of all commands take turns; the table shows medians. /bin/true tells what starting a process costs here.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct command {
  std::string what;
  std::vector<std::string> arguments;
  double aim_ms = 0;  // of wall time; 0: none
  std::vector<double> wall_ms, cpu_ms;
};

double milliseconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// False when it could not be started or did not end with 0.
bool run_once(command& c) {
  std::vector<char*> arguments;
  for (std::string& argument : c.arguments) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const auto start = std::chrono::steady_clock::now();
  const int spawned = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 1;
  rusage used{};
  if (spawned != 0 || wait4(child, &status, 0, &used) != child || status != 0) return false;
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  c.wall_ms.push_back(wall.count());
  c.cpu_ms.push_back(milliseconds(used.ru_utime) + milliseconds(used.ru_stime));
  return true;
}

}  // namespace

int main() {
  constexpr int runs = 41;
  const char* const corpus_variable = std::getenv("PROFKIT_CORPUS");
  const std::string root = PROFKIT_BENCH_SOURCE_ROOT;
  const std::string corpus = corpus_variable != nullptr ? corpus_variable : root + "/../shared";
  std::vector<command> commands = {
      {"/bin/true", {"/bin/true"}, 0, {}, {}},
      {"profkit --version", {PROFKIT_BENCH_COMMAND, "--version"}, 10, {}, {}},
  };
  const auto report = [&](const char* name, const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return;
    char what[96];
    std::snprintf(what, sizeof what, "profkit report, %s, %.2f MB", name, static_cast<double>(found.st_size) / 1e6);
    commands.push_back({what, {PROFKIT_BENCH_COMMAND, "report", path}, 50, {}, {}});
  };
  report("TPU", root + "/tests/data/xspace/tpu_v6e_inference.xplane.pb");
  report("GPU", root + "/tests/data/xspace/jax08_gemm_mi300.xplane.pb");
  report("CPU", corpus + "/captures/jax/transformer/plugins/profile/2026_11_21_06_44_05/vm.xplane.pb");

  for (int run = 0; run < runs; ++run)
    for (command& c : commands)
      if (!run_once(c)) {
        std::fprintf(stderr, "%s failed\n", c.what.c_str());
        return 1;
      }
  std::printf("%-48s %9s %9s %9s\n", "Medians of the commands, ms", "wall", "CPU", "aim");
  for (const command& c : commands) {
    const double wall = median(c.wall_ms);
    std::printf("%-48s %9.1f %9.1f", c.what.c_str(), wall, median(c.cpu_ms));
    if (c.aim_ms != 0) std::printf("  <= %4.0f%s", c.aim_ms, wall > c.aim_ms ? "  missed" : "");
    std::printf("\n");
  }
  return 0;
}
