#pragma once
#include "session.hpp"

namespace profkit_tool {

// What a report says of a Neutrino trace; false when the capture has none.
bool print_neutrino_report(session& s);

}  // namespace profkit_tool
