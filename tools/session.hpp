// One run of a command over a capture: what was asked, the opened profile, where text goes, and what became
// of damage. The commands themselves only look and print.
#pragma once
#include "command_line/shared_options.hpp"
#include "output.hpp"
#include "progress.hpp"

#include <profkit/core/export.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/trace.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
struct bubble_options;
}
}  // namespace profkit

namespace profkit_tool {

class table;

// The filters of the command line; `default_limit` where no limit was asked for.
profkit::query_filters filters_of(const options& asked, std::uint64_t default_limit);

class session {
 public:
  session(const options& asked, const profkit::profile& capture, text_output& out, profkit::hooks hooks)
      : asked_(asked), capture_(capture), trace_(capture), out_(out), hooks_(hooks) {}

  [[nodiscard]] const options& asked() const noexcept { return asked_; }
  [[nodiscard]] const profkit::profile& capture() const noexcept { return capture_; }
  // The capture, as analyses share it.
  [[nodiscard]] const profkit::trace& trace() const noexcept { return trace_; }
  [[nodiscard]] text_output& out() noexcept { return out_; }
  [[nodiscard]] const profkit::hooks& hooks() const noexcept { return hooks_; }

  // The filters of the command line; `default_limit` where none was asked for.
  [[nodiscard]] profkit::query_filters filters(std::uint64_t default_limit) const;

  // Columns a table may take: the screen, 100 when the output is not a terminal, 0 (any) with --wide.
  [[nodiscard]] std::size_t columns() const noexcept;
  // More than one file with something of its own: exports of an XSpace do not count.
  [[nodiscard]] bool several_files() const noexcept;
  // "0" when there are several files, else "".
  [[nodiscard]] std::string file_label(std::uint32_t file) const;

  void heading(std::string_view text);
  // "[absent] why" on its own line: the slice is not in this capture, which is not an error.
  void absent(std::string_view why);
  // How many of `size` rows a list shows: as --limit says, else about `otherwise`.
  [[nodiscard]] std::size_t rows_of(std::size_t otherwise, std::size_t size) const noexcept;
  void left_out(std::uint64_t total, std::uint64_t shown, std::size_t indent = 2);
  // A table under its heading, and how many of `total` rows it has not (0: it has all).
  void print(std::string_view title, const table& rows, std::uint64_t total = 0);

  // Says at the end where events were not decoded, so that they may be damaged.
  void note_unchecked(profkit::document which);

  // Keeps what a slice says was lost; printed on standard error after everything was printed.
  void lost(const std::vector<profkit::file_damage>& damage);
  void lost(const profkit::activity& of);
  [[nodiscard]] const std::vector<profkit::file_damage>& losses() const noexcept { return losses_; }
  // Nothing that the slice is about is intact.
  void lost_all() noexcept { lost_all_ = true; }
  [[nodiscard]] bool anything_intact() const noexcept { return !lost_all_ && profkit::anything_intact(capture_); }

 private:
  const options& asked_;
  const profkit::profile& capture_;
  profkit::trace trace_;
  text_output& out_;
  profkit::hooks hooks_;
  std::vector<profkit::file_damage> losses_;
  bool was_absent_ = false, left_any_out_ = false, lost_all_ = false;
};

// Opens what was asked for, and clears the line of progress. Of a redacted capture it says on standard error what was replaced, and writes --aliases.
profkit::result<std::shared_ptr<const profkit::profile>> open_asked(
    const options& asked, progress_line& progress, const profkit::hooks& hooks,
    profkit::access_mode access = profkit::access_mode::random);
// PATH as texts for others show it.
const std::string& shown_path(const options& asked, const profkit::capture& what) noexcept;

// Opens the capture and prints one slice: as the JSON document `which`, or as text with `print`. Gives the
// exit status; every error has been printed by then.
using print_slice = std::function<profkit::result<void>(session&)>;
using draw_slice = profkit::result<void> (*)(const options&, const profkit::trace&, profkit::sink&, const profkit::hooks&);
int run_slice(const options& asked, profkit::document which, const print_slice& print, draw_slice draw = nullptr);

// run_slice() with a document and text of the command's own, for commands with more options than filters.
struct slice_writer {
  std::function<profkit::result<profkit::document_status>(const profkit::trace&, profkit::sink&,
                                                          const profkit::hooks&)>
      document;
  print_slice text;
  std::function<profkit::result<void>(const profkit::trace&, profkit::sink&, const profkit::hooks&)> picture = {};  // of --svg
  const profkit::bubble_options* idle = nullptr;  // how --fail-on counts idle time; else as by default
};
// Writes a file, which appears when it is complete.
profkit::result<void> write_to_file(const std::string& path, const std::function<profkit::result<void>(profkit::sink&)>& draw);
int run_slice(const options& asked, profkit::document which, const slice_writer& writer);

// Of a command that has filters alone.
template <profkit::document which, profkit::result<void> (*print)(session&)>
class plain_slice final : public slice_options {
  [[nodiscard]] int run_command() const override { return run_slice(*this, which, print); }
};

// A fault on standard error: what, where, what to do next.
void print_fault(const profkit::fault& why, const terminal& screen, bool is_warning = false);

// Says so when the fault is that a signal stopped the work; main() then ends the process with it.
bool print_interrupt(const options& asked, const profkit::fault& why);
// print_interrupt() for a command of several files: those that are in place, and those that are not.
bool print_interrupt(const profkit::fault& why, const std::vector<std::string>& written,
                    const std::vector<std::string>& missing);

// Ends the process as SIGPIPE does, quietly, when the fault is that the reader of standard output went away.
void leave_with_reader(const options& asked, const profkit::fault& why);
// Of a command whose document is not of one capture: the document that says why there is none, where JSON was asked for.
void print_error_document(const options& asked, const char* name, const profkit::fault& why);
// Says why the command ends and gives its exit status; a reader that went away ends it without a word.
int fail(const options& asked, const profkit::fault& why, const terminal& errors);

// Whether a device has the name, and an event the pattern of steps, that were asked for; the fault says what there is.
profkit::result<void> names_fit(const profkit::activity& of, const std::string& device,
                                const std::string& step_pattern);

// What was lost, on standard error, after everything that was intact. Gives the exit status.
int print_losses(const options& asked, const std::vector<profkit::file_damage>& losses, bool usable,
                const terminal& screen);

// The fault that says that writing to `output` would replace what is read.
using profkit::is_same_file;
profkit::fault output_is_input(const std::string& output);
// `path` as seen from `folder`, when it lies below it; else "".
std::filesystem::path path_below(const std::string& folder, const std::string& path);
// Whether writing there would replace a file that was opened, or one of a trace folder that was.
bool is_input_of(const profkit::capture& opened, const std::string& output);

}  // namespace profkit_tool
