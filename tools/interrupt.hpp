// Ctrl-C while a file is being written stops the work in order, so that nothing half-written stays behind.
#pragma once
#include <atomic>

namespace profkit_tool {

// Set by SIGINT, SIGTERM and SIGHUP once catch_interrupts() was called; a second signal ends the process.
[[nodiscard]] const std::atomic<bool>& interrupted() noexcept;
void catch_interrupts() noexcept;

}  // namespace profkit_tool
