#include "session.hpp"

#include "command_line/shared_options.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"
#include "quantity.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/activity.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/text.hpp>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

namespace profkit_tool {

using profkit::query_filters;
using profkit::document;
using profkit::document_status;
using profkit::escape_for_terminal;
using profkit::fault;
using profkit::fault_code;
using profkit::file_damage;
using profkit::grouped;
using profkit::profile;
using profkit::result;

query_filters filters_of(const options& asked, std::uint64_t default_limit) {
  query_filters o;
  o.host = asked.host;
  o.plane = asked.plane;
  o.line = asked.line;
  o.name = asked.name;
  o.step = asked.step;
  o.from_ps = asked.from_ps;
  o.to_ps = asked.to_ps;
  o.limit = asked.limit.value_or(default_limit);
  return o;
}

namespace {

void print_to_standard_error(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

// Whether the reader of standard output went away, as `head` does: not an error of ours, and no message would be read.
bool is_reader_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

template <class Which>
void print_failed(const options& asked, Which which, const fault& why) {
  if (!asked.json) return;
  const std::unique_ptr<profkit::sink> out = profkit::descriptor_sink(STDOUT_FILENO, "standard output");
  if (profkit::write_error_document(which, why, *out)) static_cast<void>(out->finish());
}

// The fault that ended a command: as a document when JSON was asked for, and always on standard error.
int fail_document(const options& asked, document which, const fault& why, const terminal& errors) {
  leave_with_reader(asked, why);
  if (print_interrupt(asked, why)) return exit_unreadable;
  print_failed(asked, which, why);
  print_fault(why, errors);
  return exit_code_of(why.code);
}

// What was replaced, and what must not be overlooked, on standard error.
void print_redaction(const profkit::redaction& done, const std::string& aliases_path) {
  std::string text = "profkit: redacted: " + count_of(done.words.size(), "word") + " replaced";
  if (!aliases_path.empty()) text += " (" + escape_for_terminal(aliases_path) + " says by what: keep it to yourself)";
  const auto left_out = [&](std::uint64_t n, const char* one, const char* several) {
    if (n != 0) text += "\n  left out: " + count_of(n, one, several);
  };
  left_out(done.environment_dumps, "list of environment variables", "lists of environment variables");
  left_out(done.blobs, "value that cannot be looked into", "values that cannot be looked into");
  left_out(done.constants, "constant of a program", "constants of programs");
  for (const profkit::found_secret& s : done.secrets)
    text += "\n  replaced: what looks like a secret (" + s.kind + ", " + count_of(s.times, "time") + "): withdraw it";
  text += '\n';
  print_to_standard_error(text);
}

// If an open capture gives not_found, the caller asked for a name that it lacks.
int status_of_question(int status) noexcept { return status == exit_not_found ? exit_usage : status; }

}  // namespace

void print_error_document(const options& asked, const char* name, const fault& why) { print_failed(asked, std::string_view(name), why); }

std::filesystem::path path_below(const std::string& folder, const std::string& path) {
  std::filesystem::path inside = resolved_path(path).lexically_relative(resolved_path(folder));
  return inside.empty() || *inside.begin() == ".." ? std::filesystem::path() : inside;
}

bool is_input_of(const profkit::capture& opened, const std::string& output) {
  if (output.empty()) return false;
  for (const std::string& path : opened.read_from)
    if (is_same_file(output, path)) return true;
  if (opened.redacted) return false;
  for (const profkit::capture_file& file : opened.files) {
    if (is_same_file(output, file.path)) return true;
    // A trace folder is one entry of the capture: what its driver wrote lies in it.
    const std::filesystem::path inside = path_below(file.path, output);
    if (inside.empty()) continue;
    for (const char* const own : {"event.log", "probe.toml", "read.py", "tensor.trace", "result", "kernel"})
      if (*inside.begin() == own) return true;
  }
  return false;
}

bool print_interrupt(const fault& why, const std::vector<std::string>& written,
                    const std::vector<std::string>& missing) {
  if (why.code != fault_code::cancelled || !interrupted()) return false;
  const auto part = [](const std::vector<std::string>& paths, const char* one, const char* many) {
    std::string text;
    for (std::size_t i = 0; i < paths.size(); ++i)
      text += (i == 0 ? "; " : i + 1 == paths.size() ? " and " : ", ") + escape_for_terminal(paths[i]);
    return paths.empty() ? text : text + (paths.size() == 1 ? one : many);
  };
  print_to_standard_error("profkit: interrupted" + part(written, " is complete", " are complete") +
                          part(missing, " was not written", " were not written") + '\n');
  return true;
}

bool print_interrupt(const options& asked, const fault& why) {
  std::vector<std::string> missing;
  if (!asked.output_path.empty()) missing.push_back(asked.output_path);
  return print_interrupt(why, {}, missing);
}

void leave_with_reader(const options& asked, const fault& why) {
  if (why.code == fault_code::output && asked.output_path.empty() && is_reader_gone()) std::raise(SIGPIPE);
}

int fail(const options& asked, const fault& why, const terminal& errors) {
  leave_with_reader(asked, why);
  if (print_interrupt(asked, why)) return exit_unreadable;
  print_fault(why, errors);
  return exit_code_of(why.code);
}

void print_fault(const fault& why, const terminal& screen, bool is_warning) {
  std::string text = screen.paint("profkit: ", style::dim);
  text += is_warning ? screen.paint("damaged: ", style::warning) : screen.paint("error: ", style::error);
  if (!why.path.empty() && why.message.find(why.path) == std::string::npos)
    text += escape_for_terminal(why.path) + ": ";
  text += escape_for_terminal(why.message);
  if (why.byte_offset != profkit::no_offset) {
    const std::string offset = std::to_string(why.byte_offset);
    if (why.message.find(offset) == std::string::npos) text += " (at byte " + offset + ')';
  }
  text += '\n';
  if (!why.hint.empty()) text += "  hint: " + escape_for_terminal(why.hint) + '\n';
  print_to_standard_error(text);
}

fault output_is_input(const std::string& output) {
  fault f;
  f.code = fault_code::invalid_argument;
  f.message = "the output file is a file of the capture";
  f.path = output;
  f.hint = "choose another name for --output";
  return f;
}

int print_losses(const options& asked, const std::vector<file_damage>& losses, bool usable, const terminal& errors) {
  if (losses.empty()) return exit_ok;
  for (const file_damage& loss : losses) print_fault(loss.what, errors, usable && !asked.strict);
  if (usable && !asked.quiet)
    print_to_standard_error("profkit: what was intact is shown; what was lost is not counted\n");
  return usable && !asked.strict ? exit_partial : exit_unreadable;
}

query_filters session::filters(std::uint64_t default_limit) const { return filters_of(asked_, default_limit); }

std::size_t session::columns() const noexcept { return asked_.wide ? 0 : out_.screen().columns; }

bool session::several_files() const noexcept {
  const auto& files = capture_.what().files;
  return std::count_if(files.begin(), files.end(), [](const auto& file) { return file.export_of < 0; }) > 1;
}

std::string session::file_label(std::uint32_t file) const {
  return several_files() ? std::to_string(file) : std::string();
}

void session::heading(std::string_view text) {
  print_heading(out_, text);
}

void session::absent(std::string_view why) {
  was_absent_ = true;
  out_.line("[absent] " + escape_for_terminal(why));
}

std::size_t session::rows_of(std::size_t otherwise, std::size_t size) const noexcept {
  return asked_.limit ? rows_within(size, *asked_.limit) : shown_of(size, otherwise);
}

void session::left_out(std::uint64_t total, std::uint64_t shown, std::size_t indent) {
  left_any_out_ = left_any_out_ || shown < total;
  print_more(out_, total, shown, indent);
}

void session::print(std::string_view title, const table& rows, std::uint64_t total) {
  heading(title);
  rows.print(out_, columns());
  left_out(total, rows.size());
}

void session::lost(const std::vector<file_damage>& damage) {
  for (const file_damage& d : damage) {
    const bool known = std::any_of(losses_.begin(), losses_.end(), [&](const file_damage& other) {
      return other.file == d.file && other.what.byte_offset == d.what.byte_offset && other.what.code == d.what.code;
    });
    if (known) continue;
    losses_.push_back(d);
    if (losses_.back().what.path.empty() && d.file < capture_.what().files.size())
      losses_.back().what.path = capture_.what().files[d.file].path;
  }
}

result<void> names_fit(const profkit::activity& of, const std::string& device, const std::string& step_pattern) {
  if (of.inputs().empty()) return {};
  const profkit::activity_input& first = of.inputs().front();
  fault f;
  f.code = fault_code::invalid_argument;
  f.path = first.path;
  if (!device.empty() && first.no_device_fits) {
    f.message = first.why_empty;
    f.hint = "give a part of one of these names, capitals and all";
    return f;
  }
  if (step_pattern.empty() || !first.no_step_fits) return {};
  f.message = "no event's name matches the step pattern \"" + step_pattern + '"';
  std::vector<std::string_view> steps;
  constexpr std::size_t max_shown = 4;
  for (const profkit::step_marker& m : of.markers())
    if (steps.size() < max_shown && std::find(steps.begin(), steps.end(), of.text(m.name)) == steps.end())
      steps.push_back(of.text(m.name));
  for (std::size_t i = 0; i < steps.size(); ++i)
    f.message += (i == 0 ? "; steps known without it: '" : ", '") + std::string(steps[i]) + '\'';
  f.hint = "it has to match whole names of host events, as in train_step_[0-9]+";
  return f;
}

void session::note_unchecked(document which) {
  const bool is_sample = which == document::tree;
  if (!losses_.empty() || was_absent_ || (is_sample && !left_any_out_)) return;
  for (std::size_t file = 0; file < capture_.file_count(); ++file)
    if (capture_.file_fault(file) != nullptr) return;
  const profkit::events_checked checked = profkit::checked_by(which, capture_, filters(profkit::default_limit(which)));
  if (checked == profkit::events_checked::all) return;
  out_.line("");
  out_.line(out_.screen().paint(std::string(is_sample ? "events that are not shown were not checked" : "events not checked") +
                                    ": `profkit info` reads all of them", style::dim));
}

void session::lost(const profkit::activity& of) {
  for (const profkit::activity_input& in : of.inputs())
    if (in.damage) lost({{in.file, *in.damage}});
}

namespace {

// Whether one of the conditions of --fail-on is met.
result<bool> print_failed_gates(const options& asked, const profkit::bubble_options* idle, const profkit::trace& capture, const profkit::hooks& hooks) {
  bool failed = false;
  if (asked.fail_on.incomplete) {
    const result<profkit::info_result> info = profkit::analyse_info(capture, {}, hooks);
    if (!info) return info.error();
    failed = !info->complete;
    for (std::size_t i = 0; failed && i < info->reasons.size(); ++i)
      print_to_standard_error("profkit: incomplete: " + escape_for_terminal(info->reasons[i]) + '\n');
  }
  if (asked.fail_on.times.empty()) return failed;
  profkit::bubble_options wanted = idle != nullptr ? *idle : profkit::bubble_options();
  const profkit::bubble_options filtered = profkit::bubble_options_of(filters_of(asked, 0));
  if (wanted.device.empty()) wanted.device = filtered.device;
  if (wanted.only.empty()) wanted.only = filtered.only;
  const auto found = profkit::analyse_bubbles(capture, wanted, hooks);
  if (!found) return found.error();
  for (const time_gate& gate : asked.fail_on.times)
    if (const auto why = why_gate_failed(gate, found->found)) {
      print_to_standard_error("profkit: " + *why + '\n');
      failed = true;
    }
  return failed;
}

}  // namespace

int run_slice(const options& asked, document which, const print_slice& print, draw_slice draw) {
  slice_writer writer;
  writer.document = [&](const profkit::trace& capture, profkit::sink& into, const profkit::hooks& hooks) {
    return profkit::write_document(which, capture, filters_of(asked, profkit::default_limit(which)), into, hooks);
  };
  writer.text = print;
  if (draw != nullptr)
    writer.picture = [&asked, draw](const profkit::trace& capture, profkit::sink& into, const profkit::hooks& hooks) {
      return draw(asked, capture, into, hooks);
    };
  return run_slice(asked, which, writer);
}

result<std::shared_ptr<const profile>> open_asked(const options& asked, progress_line& progress, const profkit::hooks& hooks,
                                                  profkit::access_mode access) {
  profkit::open_options how;
  how.standard_input = true;
  how.io = asked.io;
  how.run = asked.run;
  how.host = hooks;
  how.access = access;
  how.redact = asked.redact;
  result<std::shared_ptr<const profile>> opened = profile::open(asked.path, how);
  progress.clear();
  if (!opened || !asked.redact) return opened;
  const profkit::capture& what = (*opened)->what();
  if (!asked.aliases_path.empty()) {
    if (is_input_of(what, asked.aliases_path)) return output_is_input(asked.aliases_path);
    const result<void> written =
        write_to_file(asked.aliases_path, [&](profkit::sink& into) { return profkit::write_redaction(*what.redacted, into); });
    if (!written) return written.error();
  }
  if (!asked.quiet) print_redaction(*what.redacted, asked.aliases_path);
  return opened;
}

const std::string& shown_path(const options& asked, const profkit::capture& what) noexcept {
  return what.redacted ? what.path : asked.path;
}

result<void> write_to_file(const std::string& path, const std::function<result<void>(profkit::sink&)>& draw) {
  auto file = profkit::atomic_file_sink(path);
  if (!file) return std::move(file).error();
  if (result<void> drawn = draw(**file); !drawn) return drawn;
  return (*file)->finish();
}

int run_slice(const options& asked, document which, const slice_writer& writer) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  progress_line progress(!asked.quiet);
  const profkit::hooks hooks = progress.hooks(asked.threads);

  profkit::access_mode access = profkit::access_mode::random;
  // Another look, for --fail-on or --svg, would come too late for a pipe.
  const bool looks_again = asked.fail_on.incomplete || !asked.fail_on.times.empty() || !asked.svg_path.empty();
  if ((which == document::info || which == document::ops) && !looks_again)
    access = profkit::access_mode::one_pass;
  result<std::shared_ptr<const profile>> opened = open_asked(asked, progress, hooks, access);
  if (!opened) return fail_document(asked, which, opened.error(), errors);
  const profile& capture = **opened;
  for (const std::string* path : {&asked.output_path, &asked.svg_path})
    if (is_input_of(capture.what(), *path)) return fail_document(asked, which, output_is_input(*path), errors);

  if (!asked.output_path.empty()) catch_interrupts();
  result<text_output> target = text_output::open(asked.output_path, asked.color);
  if (!target) return fail_document(asked, which, target.error(), errors);
  text_output& out = *target;
  session s(asked, capture, out, hooks);

  const bool filters_wait = capture.is_any_streamed();
  if (!filters_wait && which != document::memory)  // which knows the hosts of nodes
    if (result<void> fits = profkit::check_filters(s.trace(), filters_of(asked, 0), hooks); !fits)
      return fail_document(asked, which, fits.error(), errors);

  int status = exit_ok;
  if (asked.json) {
    result<document_status> written = writer.document(s.trace(), out.raw(), hooks);
    progress.clear();
    if (!written) return status_of_question(fail_document(asked, which, written.error(), errors));
    if (*written == document_status::error) status = exit_unreadable;
    if (*written == document_status::partial) status = asked.strict ? exit_unreadable : exit_partial;
    // A document that holds nothing does not replace a file that may hold something.
    const bool keeps_file = *written == document_status::error && !asked.output_path.empty();
    if (status != exit_ok && !asked.quiet)
      print_to_standard_error(keeps_file ? "profkit: nothing of the capture is intact, and no file was written; without -o the document says "
                                           "where it is damaged\n"
                                         : "profkit: the capture is damaged; the document says where\n");
    if (keeps_file) return status;
  } else {
    result<void> printed = writer.text(s);
    progress.clear();
    if (!printed) {
      if (asked.output_path.empty()) static_cast<void>(out.finish());  // a file appears only when it is complete
      return status_of_question(fail_document(asked, which, printed.error(), errors));
    }
  }
  if (filters_wait) {
    if (result<void> fits = profkit::check_filters(s.trace(), filters_of(asked, 0), hooks); !fits) {
      if (asked.output_path.empty()) static_cast<void>(out.finish());
      print_fault(fits.error(), errors);
      return exit_code_of(fits.error().code);
    }
  }
  if (result<void> finished = out.finish(); !finished) return fail_document(asked, which, finished.error(), errors);
  if (writer.picture && !asked.svg_path.empty()) {
    const auto draw = [&](profkit::sink& into) { return writer.picture(s.trace(), into, hooks); };
    if (result<void> drawn = write_to_file(asked.svg_path, draw); !drawn) {
      progress.clear();
      return status_of_question(fail(asked, drawn.error(), errors));
    }
  }

  if (!asked.json) status = print_losses(asked, s.losses(), s.anything_intact(), errors);
  if (status != exit_ok) return status;
  result<bool> failed = print_failed_gates(asked, writer.idle, s.trace(), hooks);
  if (!failed) return fail_document(asked, which, failed.error(), errors);
  return *failed ? exit_gate : exit_ok;
}

}  // namespace profkit_tool
