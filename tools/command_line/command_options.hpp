// What the command line of one command takes. Words are understood after parsing, so that every mistake is told in
// one way.
#pragma once
#include "command_line/option_list.hpp"
#include "options.hpp"

#include <profkit/core/result.hpp>

#include <memory>
#include <optional>
#include <string>

namespace profkit_tool {

class command_options {
 public:
  virtual ~command_options() = default;
  // Names the options; what is typed arrives in `into` and in the members.
  virtual void list(option_list& all, options& into) = 0;
  // Makes values of the words that arrived.
  [[nodiscard]] virtual std::optional<profkit::fault> understand(options& into) const = 0;
};

// Options that many commands share.
struct filter_words {
  std::string step, time;
  void list(option_list& all, options& into);
  [[nodiscard]] std::optional<profkit::fault> understand(options& into) const;
};
struct output_words {
  std::string limit, color;
  void list(option_list& all, options& into, bool has_tables = true);
  void list_color(option_list& all);
  [[nodiscard]] std::optional<profkit::fault> understand(options& into) const;
};
struct input_words {
  std::string io, threads, fail_on;
  void list(option_list& all, options& into);
  void list_io(option_list& all);
  void list_threads(option_list& all);
  [[nodiscard]] std::optional<profkit::fault> understand(options& into) const;
};
void list_path(option_list& all, options& into);

std::unique_ptr<command_options> slice_command_options(command what);  // report, info, tree, ops, …
std::unique_ptr<command_options> dump_command_options();
std::unique_ptr<command_options> memory_command_options();
std::unique_ptr<command_options> bubbles_command_options();
std::unique_ptr<command_options> architecture_command_options();
std::unique_ptr<command_options> export_command_options();
std::unique_ptr<command_options> merge_command_options();
std::unique_ptr<command_options> validate_command_options();
std::unique_ptr<command_options> neutrino_command_options();

}  // namespace profkit_tool
