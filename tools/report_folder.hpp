// -o with a folder: reports get names of their own in it.
#pragma once
#include <profkit/core/result.hpp>

#include <string>

namespace profkit_tool {

// Whether `path` is a folder, or is written like one ("reports/").
[[nodiscard]] bool names_folder(const std::string& path);
// Makes the folder if it is not there (its parent must be). Faults: permission, not_found, output.
profkit::result<void> make_folder(const std::string& path);
// "reports/" and "a.md" make "reports/a.md".
[[nodiscard]] std::string file_in(const std::string& folder, const std::string& name);

// "wrote reports/a.md" on standard output, which has nothing else to say.
void print_written(const std::string& path);

}  // namespace profkit_tool
