// Which captures lie at paths and patterns. What lies below a folder pk_captures_write() says.
#pragma once
#include <string>
#include <vector>

namespace profkit_sqlite {

// The captures at paths and patterns ("runs/**/*.xplane.pb"), each once, by name. A folder is searched; where none is found in
// it, it is one itself, and so is a path where nothing is: reading it gives the error.
[[nodiscard]] std::vector<std::string> captures_at(const std::vector<std::string>& where);

}  // namespace profkit_sqlite
