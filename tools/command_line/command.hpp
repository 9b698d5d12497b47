// What a command says of itself, at the end of its own file, tools/NAME.cpp. commands.cpp lists them all.
#pragma once
#include "command_line/option_list.hpp"
#include "options.hpp"

#include <profkit/core/result.hpp>

#include <memory>
#include <optional>
#include <string>

namespace profkit_tool {

// What one command is asked for: what all share, and its own. Words are understood after parsing, so that every mistake
// is reported in one way.
class command_options : public options {
 public:
  virtual ~command_options() = default;
  // Names the options; what is typed arrives in the members.
  virtual void list(option_list& all) = 0;
  // Makes values of the words that arrived.
  [[nodiscard]] virtual std::optional<profkit::fault> understand() = 0;
  [[nodiscard]] virtual int run_command() const = 0;  // gives the exit status
};

template <class T>
std::unique_ptr<command_options> make_options() {
  return std::make_unique<T>();
}

struct command_description {
  const char* name;
  const char* arguments;  // as the usage line shows them
  const char* summary;
  const char* details;
  const char* examples;
  std::unique_ptr<command_options> (*make_options)();
  const char* more = "";  // what the manual says beyond the details
};

// Either a command to run, or the text and exit status with which the program ends at once (help, version, usage errors).
struct parsed_command_line {
  std::unique_ptr<command_options> asked;
  std::string text;
  int exit_status = 0;
};
// Only parser.cpp knows the library that parses it.
parsed_command_line parse_command_line(int count, const char* const* arguments);

}  // namespace profkit_tool
