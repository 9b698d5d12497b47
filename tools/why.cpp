// profkit info --why: what was looked at to detect the format of each file, and the outcome.
#include "exit_code.hpp"
#include "interrupt.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"
#include "why.hpp"

#include <profkit/core/detection.hpp>
#include <profkit/core/text.hpp>

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

namespace profkit_tool {
namespace {

using profkit::considered_format;
using profkit::detection_report;
using profkit::escape_for_terminal;
using profkit::fault;
using profkit::result;

// "7b 22 61 22", and the same as text, a dot for anything but visible ASCII.
std::string hex_of(const std::string& bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!text.empty()) text += ' ';
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}
std::string ascii_of(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) text += c >= 0x20 && c < 0x7f ? c : '.';
  return text;
}

std::string bytes_text(const detection_report& r) {
  std::string text = r.bytes == 0 && !r.first_bytes.empty() ? "of no known size" : profkit::human_bytes(r.bytes);
  if (r.encoding != profkit::compression::none)
    text += std::string(", ") + profkit::compression_name(r.encoding) + "; what follows is of its contents";
  return text;
}

// Families that are known by contents have a line each; those known by names alone share one, and so do all formats
// that are only named.
void print_considered(text_output& out, const detection_report& r, std::size_t columns) {
  table t;
  t.left("looked for").left("").flexible("");
  std::size_t others = 0;
  std::string by_name;
  for (const considered_format& c : r.considered) {
    others += c.is_read ? 0 : 1;
    const bool asked_contents = c.why != profkit::detected_by_name_only;
    if (!asked_contents && !c.name_matches) by_name += (by_name.empty() ? "" : ", ") + c.format;
    if (c.matches || (c.is_read && (asked_contents || c.name_matches)))
      t.row({escape_for_terminal(c.format), c.matches ? "yes" : c.name_matches ? "name" : "no",
             escape_for_terminal(c.why)});
  }
  if (!by_name.empty()) t.row({"by name alone", "no", by_name});
  if (others != 0) t.row({"not read", "no", std::to_string(others) + " more formats, which --json lists"});
  t.print(out, columns);
}

std::string next_text(const std::string& next, std::size_t columns) {
  constexpr std::size_t indent = 14;
  const std::string escaped = escape_for_terminal(next);
  if (columns == 0) return escaped;
  return wrap(escaped, columns, indent);
}

void print_detection(text_output& out, const detection_report& r, std::size_t columns) {
  const bool is_read = profkit::is_recognised(r.family);
  out.line(out.screen().paint(escape_for_terminal(r.path), style::heading));
  out.line("  size        " + bytes_text(r));
  if (!r.first_bytes.empty()) out.line("  begins      " + hex_of(r.first_bytes) + "  " + ascii_of(r.first_bytes));
  print_considered(out, r, columns);
  if (r.damage) out.line("  damage      " + escape_for_terminal(r.damage->message));
  const style how = is_read ? style::good : style::warning;
  out.line("  verdict     " + out.screen().paint(escape_for_terminal(r.verdict), how));
  if (!r.next.empty()) out.line("  next        " + next_text(r.next, columns));
}

// A folder: a row a file.
void print_folder(text_output& out, const std::vector<detection_report>& all, const options& asked,
                  std::size_t columns) {
  const std::uint64_t limit = asked.limit.value_or(profkit::default_document_limit);
  const std::size_t shown =
      limit == 0 ? all.size() : shown_of(all.size(), static_cast<std::size_t>(limit));
  std::size_t read = 0;
  table t;
  t.flexible("file", cut::middle, 24).right("size").left("packed").left("begins").flexible("verdict", cut::end, 40);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const detection_report& r = all[i];
    read += profkit::is_recognised(r.family) ? 1 : 0;
    if (i >= shown) continue;
    const bool packed = r.encoding != profkit::compression::none;
    const std::string below = path_below(asked.path, r.path).string();
    t.row({escape_for_terminal(below.empty() ? r.path : below), profkit::human_bytes(r.bytes),
           packed ? profkit::compression_name(r.encoding) : "", ascii_of(r.first_bytes.substr(0, 8)),
           escape_for_terminal(r.verdict)});
  }
  t.print(out, columns, 0);
  print_more(out, all.size(), shown, 0);
  out.line();
  out.line(count_of(all.size(), "file") + ", " + profkit::grouped(std::uint64_t{read}) +
           " recognised; for all details of one file: profkit info --why FILE");
}

int fail_with(const options& asked, const fault& why, const terminal& errors) {
  if (asked.json && !print_interrupt(asked, why)) {
    const std::unique_ptr<profkit::sink> out = profkit::descriptor_sink(STDOUT_FILENO, "standard output");
    if (profkit::write_detection_error(why, *out)) static_cast<void>(out->finish());
  }
  return fail(asked, why, errors);
}

}  // namespace

int run_why(const options& asked) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  progress_line progress(!asked.quiet);
  result<std::vector<detection_report>> found = profkit::explain_path(asked.path, {}, progress.hooks(asked.threads));
  progress.clear();
  if (!found) return fail_with(asked, found.error(), errors);
  for (const detection_report& r : *found)
    if (is_same_file(asked.output_path, r.path)) return fail(asked, output_is_input(asked.output_path), errors);
  const std::optional<fault> why = profkit::why_unrecognised(asked.path, *found);

  if (!asked.output_path.empty()) catch_interrupts();
  result<text_output> out = text_output::open(asked.output_path, asked.color);
  if (!out) return fail(asked, out.error(), errors);
  if (asked.json) {
    if (result<void> written = profkit::write_detection_document(asked.path, *found, out->raw(),
                                                                       asked.limit.value_or(profkit::default_document_limit));
        !written)
      return fail(asked, written.error(), errors);
  } else if (found->size() == 1) {
    print_detection(*out, found->front(), asked.wide ? 0 : out->screen().columns);
  } else if (!found->empty()) {
    print_folder(*out, *found, asked, asked.wide ? 0 : out->screen().columns);
  }
  if (result<void> finished = out->finish(); !finished) return fail(asked, finished.error(), errors);
  if (!why) return exit_ok;
  if (found->empty()) print_fault(*why, errors);  // else it was printed
  return exit_code_of(why->code);
}

}  // namespace profkit_tool
