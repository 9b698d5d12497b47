// What the command's exit status means. The manual page and the README list the same table.
#pragma once
#include <profkit/core/result.hpp>

namespace profkit_tool {

enum exit_code : int {
  exit_ok = 0,          // also when a slice is absent and says why
  exit_gate = 1,        // --fail-on or --fit tripped
  exit_usage = 2,       // the command line is wrong, or a filter, step or pattern matches nothing
  exit_not_found = 3,   // no capture at that path
  exit_unreadable = 4,  // not one readable record, output that cannot be written, or --strict on damage
  exit_partial = 5,     // damage: what was intact was printed first
  exit_bug = 70,        // an unexpected exception: please report it
};

// The exit status of a fault that ended the command.
[[nodiscard]] constexpr exit_code exit_code_of(profkit::fault_code code) noexcept {
  switch (code) {
    case profkit::fault_code::invalid_argument: return exit_usage;
    case profkit::fault_code::not_found: return exit_not_found;
    case profkit::fault_code::internal: return exit_bug;
    default: return exit_unreadable;
  }
}

}  // namespace profkit_tool
