// The text form of every slice; each lives in a file of its own. A fault ends the command; damage goes to
// session::lost() and is told at the end.
#pragma once
#include "session.hpp"

namespace profkit_tool {

profkit::result<void> print_report(session& s);
profkit::result<void> print_info(session& s);
profkit::result<void> print_tree(session& s);
profkit::result<void> print_metadata(session& s);
profkit::result<void> print_steps(session& s);
profkit::result<void> print_ops(session& s);
profkit::result<void> print_modules(session& s);
profkit::result<void> print_framework(session& s);
profkit::result<void> print_collectives(session& s);
profkit::result<void> print_chrome(session& s);

// info --why opens no profile. Gives the exit status.
int run_why(const options& asked);

// memory has options of its own. Gives the exit status.
int run_memory(const options& asked);

// So has bubbles.
int run_bubbles(const options& asked);
// And architecture.
int run_architecture(const options& asked);
// export writes files of other formats. Gives the exit status.
int run_export(const options& asked);

// merge works on many traces and opens no profile. Gives the exit status.
int run_merge(const options& asked);
// validate compares traces of several nodes. Gives the exit status.
int run_validate(const options& asked);
// neutrino has slices of its own. Gives the exit status.
int run_neutrino(const options& asked);
// What a report says of a Neutrino trace; false when the capture has none.
bool print_neutrino_report(session& s);

// dump works on one file without a profile. Gives the exit status.
int run_dump(const options& asked);

}  // namespace profkit_tool
