// Names cut to size. Text is escaped for a terminal already (profkit/core/text.hpp).
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace profkit_tool {

// Where a text that is too long loses characters.
enum class cut { end, middle, start };
// At most `columns` wide, with an ellipsis where something was cut.
std::string shorten(std::string_view text, std::size_t columns, cut where = cut::end);

[[nodiscard]] inline bool has_ending(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// profkit::short_op_name(), of a kernel what it runs; escaped.
std::string short_op_name(std::string_view name, std::string_view display_name);

// A linker's name as the source has it, without what it returns and takes ("_Z3addIfEvPT_" gives "add<…>"); any other
// text as it is.
std::string source_name(const std::string& symbol);

// Breaks a sentence into lines of at most `columns` (0: of any length). It follows `indent` columns, which the caller fills on
// the first line and blanks fill on further ones.
std::string wrap(std::string_view text, std::size_t columns, std::size_t indent);

// "exposed_copies" as "exposed copies".
std::string spaced(std::string id);

}  // namespace profkit_tool
