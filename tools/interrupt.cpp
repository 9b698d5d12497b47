#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace profkit_tool {
namespace {

std::atomic<bool> interrupt_flag{false};
std::atomic<int> interrupt_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

extern "C" void on_interrupt(int signal) {
  interrupt_signal.store(signal, std::memory_order_relaxed);
  interrupt_flag.store(true, std::memory_order_relaxed);
}

}  // namespace

const std::atomic<bool>& interrupted() noexcept { return interrupt_flag; }

void catch_interrupts() noexcept {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

void end_as_interrupted() noexcept {
  if (interrupted()) std::raise(interrupt_signal.load(std::memory_order_relaxed));
}

}  // namespace profkit_tool
