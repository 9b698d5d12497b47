// The `profkit` command.
#include "command_line/command.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {

using namespace profkit_tool;

bool is_named(std::string_view path, std::string_view name) noexcept {
  return path.substr(path.rfind('/') + 1) == name;
}

// Large blocks go back to the system as soon as they are free. Left alone, glibc keeps to itself ever larger ones once
// one was freed: a fifth of the memory of a report on gigabytes.
void give_back_large_blocks() noexcept {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
#endif
}

int print_bug(const char* what) noexcept {
  std::fprintf(stderr, "profkit: bug: an unexpected exception: %s\n  hint: please report it with the command line\n",
               what);
  return exit_bug;
}

}  // namespace

int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_DFL);  // a reader that went away ends the command, without a message
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its size limit is a write that fails, as a full disk is
  give_back_large_blocks();
  try {
    std::vector<const char*> words(arguments, arguments + count);
    // The same program under the name by which the merge was planned.
    if (count > 0 && is_named(arguments[0], "xprof_trace_combine")) words.insert(words.begin() + 1, "merge");
    const parsed_command_line parsed = parse_command_line(static_cast<int>(words.size()), words.data());
    if (parsed.asked) {
      const int status = parsed.asked->run_command();
      if (status != exit_ok) end_as_interrupted();
      return status;
    }
    std::FILE* const stream = parsed.exit_status == exit_ok ? stdout : stderr;
    const bool written = std::fputs(parsed.text.c_str(), stream) >= 0 && std::fflush(stream) == 0;
    return written ? parsed.exit_status : exit_unreadable;
  } catch (const std::bad_alloc&) {
    std::fputs("profkit: error: out of memory\n  hint: look at less at a time, with --plane, --line or --time\n",
               stderr);
    return exit_unreadable;
  } catch (const std::exception& e) {
    return print_bug(e.what());
  } catch (...) {
    return print_bug("of an unknown type");
  }
}
