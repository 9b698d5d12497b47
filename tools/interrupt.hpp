// Ctrl-C while a file is being written stops the work in order, so that no half-written file is left.
#pragma once
#include <atomic>

namespace profkit_tool {

// Set by SIGINT, SIGTERM and SIGHUP once catch_interrupts() was called; a second signal ends the process.
[[nodiscard]] const std::atomic<bool>& interrupted() noexcept;
void catch_interrupts() noexcept;
// Ends the process as the signal that was caught would have; does nothing when there was none. To be called
// when nothing is left to clean up.
void end_as_interrupted() noexcept;

}  // namespace profkit_tool
