// Options that several commands share.
#pragma once
#include "command_line/command.hpp"
#include "command_line/words.hpp"

#include <filesystem>
#include <string>

namespace profkit_tool {

void list_path(option_list& all, options& into);
void list_window(option_list& all, std::string& typed);
void list_device(option_list& all, std::string& into);
void list_step_pattern(option_list& all, std::string& into);
void list_json(option_list& all, options& into);
void list_output(option_list& all, options& into);
void list_wide(option_list& all, options& into);
void list_quiet(option_list& all, options& into);
void list_strict(option_list& all, options& into);

struct filter_words {
  std::string step, time, node;
  void list(option_list& all, options& into);
  [[nodiscard]] std::optional<profkit::fault> understand(options& into) const;
};

struct output_words {
  std::string limit;
  choice<color_mode> color{
      {"auto", color_mode::automatic}, {"always", color_mode::always}, {"never", color_mode::never}};
  void list(option_list& all, options& into, bool has_tables = true);
  void list_color(option_list& all);
  [[nodiscard]] std::optional<profkit::fault> understand(options& into) const;
};

struct input_words {
  std::string threads;
  choice<profkit::io_mode> io{{"map", profkit::io_mode::map}, {"read", profkit::io_mode::read}};
  std::string fail_on;
  void list(option_list& all, options& into);
  void list_of_captures(option_list& all, options& into);  // of a command that takes several
  void list_io(option_list& all);
  void list_threads(option_list& all);
  [[nodiscard]] std::optional<profkit::fault> understand(options& into) const;
};

// One path for every way to write it, whether anything is there or not.
[[nodiscard]] std::filesystem::path resolved_path(const std::string& path);

// Of two outputs in one file the second would replace the first. Devices and pipes may take both.
[[nodiscard]] std::optional<profkit::fault> outputs_in_one_file(const options& asked, const std::string& help);

// A command that shows a part of one capture takes these. One that takes more lists its own before them.
class slice_options : public command_options {
 public:
  void list(option_list& all) override;
  [[nodiscard]] std::optional<profkit::fault> understand() override;

 protected:
  virtual void list_own(option_list&) {}

 private:
  filter_words filters_;
  output_words output_;
  input_words input_;
};

}  // namespace profkit_tool
