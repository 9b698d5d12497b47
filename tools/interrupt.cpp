#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace profkit_tool {
namespace {

std::atomic<bool> interrupt_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void on_interrupt(int) { interrupt_flag.store(true, std::memory_order_relaxed); }

}  // namespace

const std::atomic<bool>& interrupted() noexcept { return interrupt_flag; }

void catch_interrupts() noexcept {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

}  // namespace profkit_tool
