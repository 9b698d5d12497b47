// What a command says of itself, at the end of its own file, tools/NAME.cpp. commands.cpp lists them all.
#pragma once
#include "command_line/option_list.hpp"
#include "options.hpp"

#include <profkit/core/result.hpp>

#include <memory>
#include <optional>

namespace profkit_tool {

// What the command line of one command takes. Words are understood after parsing, so that every mistake is reported in
// one way.
class command_options {
 public:
  virtual ~command_options() = default;
  // Names the options; what is typed arrives in `into` and in the members.
  virtual void list(option_list& all, options& into) = 0;
  // Makes values of the words that arrived.
  [[nodiscard]] virtual std::optional<profkit::fault> understand(options& into) const = 0;
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
  int (*run)(const options& asked);  // gives the exit status
  const char* more = "";             // what the manual says beyond the details
};

}  // namespace profkit_tool
