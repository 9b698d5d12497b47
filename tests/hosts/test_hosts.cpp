// What a host does to a library: loads and unloads it again and again, forks, loads two copies, counts its threads and
// allocations, and measures how long it takes. Links nothing of profkit: everything goes through dlopen.
//
// test_hosts LIBPROFKIT.SO CAPTURE SCRATCH_FOLDER
#include <profkit/profkit.h>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

int passed = 0;
int failed = 0;

void check(bool holds, const std::string& what) {
  ++(holds ? passed : failed);
  if (!holds) std::printf("failed: %s\n", what.c_str());
}

// ---- allocations, by who asked for them ----

std::atomic<bool> counting{false};
std::atomic<std::uintptr_t> last_caller{0};
std::atomic<int> allocations{0};

}  // namespace

extern "C" void* __libc_malloc(std::size_t);
extern "C" void* malloc(std::size_t size) {
  if (counting.load(std::memory_order_relaxed)) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    last_caller = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  }
  return __libc_malloc(size);
}

namespace {

class library {
 public:
  explicit library(const std::string& path, int mode = RTLD_NOW | RTLD_LOCAL) : handle_(dlopen(path.c_str(), mode)) {
    if (!handle_) {
      std::printf("failed: %s\n", dlerror());
      std::exit(1);
    }
  }
  ~library() { dlclose(handle_); }
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_;
};
#define PROFKIT_FUNCTION(lib, name) (lib).find<decltype(name)>(#name)

bool is_mapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(name) != std::string::npos) return true;
  return false;
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t thread_count() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

std::uint64_t events_in(const library& lib, const pk_profile* profile) {
  std::uint64_t events = 0;
  const auto planes = PROFKIT_FUNCTION(lib, pk_plane_count)(profile, 0);
  for (std::uint32_t plane = 0; plane < planes; ++plane)
    for (std::uint32_t line = 0; line < PROFKIT_FUNCTION(lib, pk_line_count)(profile, 0, plane); ++line) {
      pk_line_summary summary;
      if (PROFKIT_FUNCTION(lib, pk_line_summarise)(profile, 0, plane, line, &summary, nullptr) == PK_OK)
        events += summary.event_count;
    }
  return events;
}

pk_profile* opened(const library& lib, const std::string& capture) {
  pk_profile* profile = nullptr;
  PROFKIT_FUNCTION(lib, pk_profile_open)(capture.c_str(), nullptr, &profile, nullptr);
  return profile;
}

std::string document_of(const library& lib, const pk_profile* profile) {
  std::string bytes;
  const auto append = [](void* user, const void* data, std::size_t size) -> std::int32_t {
    static_cast<std::string*>(user)->append(static_cast<const char*>(data), size);
    return 0;
  };
  PROFKIT_FUNCTION(lib, pk_document_write)(profile, PK_DOCUMENT_INFO, nullptr, append, &bytes, nullptr, nullptr);
  return bytes;
}

// ---- the tests ----

void constructors_allocate_nothing(const std::string& path) {
  // Once for the libraries it needs, whose constructors are not ours; then only its own run again.
  { const library first(path); }
  const library keeps_dependencies("libstdc++.so.6");
  std::vector<void*> needed;
  for (const char* name : {"libz.so.1", "libzstd.so.1"})
    needed.push_back(dlopen(name, RTLD_NOW));
  allocations = 0;
  counting = true;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  counting = false;
  Dl_info caller{};
  const bool ours = dladdr(reinterpret_cast<void*>(last_caller.load()), &caller) != 0 && caller.dli_fname &&
                    (std::strstr(caller.dli_fname, "profkit") || std::strstr(caller.dli_fname, "stdc++"));
  // The loader itself allocates what describes a library; the constructors come after that.
  check(!ours, std::string("a constructor of the library allocates; last caller in ") +
                   (caller.dli_fname ? caller.dli_fname : "?"));
  check(thread_count() == 1, "loading the library starts a thread");
  dlclose(handle);
  for (void* each : needed)
    if (each) dlclose(each);
}

void reopened_a_hundred_times(const std::string& path, const std::string& capture) {
  std::size_t before = 0;
  for (int round = 0; round < 100; ++round) {
    {
      const library lib(path);
      pk_profile* profile = opened(lib, capture);
      if (!profile || document_of(lib, profile).empty())
        check(false, "the library works in round " + std::to_string(round));
      PROFKIT_FUNCTION(lib, pk_profile_free)(profile);
    }
    if (is_mapped("libprofkit")) {
      check(false, "the library is still mapped after dlclose, round " + std::to_string(round));
      return;
    }
    if (round == 20) before = resident_bytes();
  }
  const std::size_t after = resident_bytes();
  check(true, "gone from the maps each time");
  check(after < before + (1U << 20),
        "80 rounds of dlopen and dlclose grew by " + std::to_string(after - before) + " bytes");
}

void forked_after_opening(const library& lib, const std::string& capture) {
  pk_profile* profile = opened(lib, capture);
  const std::string expected = document_of(lib, profile);
  const std::uint64_t events = events_in(lib, profile);
  const pid_t child = fork();
  if (child == 0) {
    const bool same = events_in(lib, profile) == events && document_of(lib, profile) == expected;
    PROFKIT_FUNCTION(lib, pk_profile_free)(profile);
    _exit(same ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child reads what its parent opened");
  check(document_of(lib, profile) == expected, "the parent goes on");
  PROFKIT_FUNCTION(lib, pk_profile_free)(profile);
}

void two_copies(const std::string& path, const std::string& capture, const std::string& scratch) {
  const std::string copy = scratch + "/libprofkit-other.so";
  std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
  const library first(path, RTLD_NOW | RTLD_GLOBAL);
  const library second(copy, RTLD_NOW | RTLD_GLOBAL);
  pk_profile* a = opened(first, capture);
  pk_profile* b = opened(second, capture);
  const auto* in_first = reinterpret_cast<void*>(PROFKIT_FUNCTION(first, pk_profile_open));
  const auto* in_second = reinterpret_cast<void*>(PROFKIT_FUNCTION(second, pk_profile_open));
  check(in_first != in_second, "there are two copies");
  check(document_of(first, a) == document_of(second, b), "two copies in one process agree");
  PROFKIT_FUNCTION(first, pk_profile_free)(a);
  check(events_in(second, b) > 0, "one copy goes on when the other has freed");
  PROFKIT_FUNCTION(second, pk_profile_free)(b);
  std::filesystem::remove(copy);
}

void starts_fast(const std::string& path, const std::string& capture) {
  using clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const auto begin = clock::now();
    const library lib(path);
    pk_profile* profile = opened(lib, capture);
    const std::chrono::duration<double, std::milli> took = clock::now() - begin;
    check(profile != nullptr && thread_count() == 1, "opening starts no thread");
    PROFKIT_FUNCTION(lib, pk_profile_free)(profile);
    best = std::min(best, took.count());
  }
  std::printf("dlopen and open: %.2f ms at best\n", best);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  check(best <= 5.0, "dlopen and open take more than 5 ms");
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string path = argv[1];
  const std::string capture = argv[2];
  constructors_allocate_nothing(path);
  reopened_a_hundred_times(path, capture);
  starts_fast(path, capture);
  two_copies(path, capture, argv[3]);
  {
    const library lib(path);
    forked_after_opening(lib, capture);
  }
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
