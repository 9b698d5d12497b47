// Lines of the manual page, in the language of mdoc(7), and the table of the README.
#include "generate.hpp"
#include "text.hpp"

#include <algorithm>

namespace profkit_tool {
namespace {

constexpr std::size_t manual_columns = 110;

// A backslash, an apostrophe and the hyphens of an option mean something else unless they are written so.
std::string escaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char before = i == 0 ? ' ' : text[i - 1];
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '\'')
      out += "\\(aq";
    else if (text[i] == '-' && std::string(" \n-('").find(before) != std::string::npos)
      out += "\\-";
    else
      out += text[i] == '\n' ? ' ' : text[i];
  }
  return out;
}

// A sentence ends its line; a line that begins with a full stop would be a command.
std::string paragraph(const std::string& text) {
  std::string lines;
  const std::string all = escaped(text);
  for (std::size_t from = 0, end = 0; from < all.size(); from = end + 2) {
    end = std::min(all.find(". ", from), all.size() - 1);
    lines += wrap(all.substr(from, end + 1 - from), manual_columns, 0) + '\n';
  }
  for (std::size_t at = 0; (at = lines.find("\n.", at)) != std::string::npos; at += 3) lines.insert(at + 1, "\\&");
  return lines.front() == '.' ? "\\&" + lines : lines;
}

std::string sentence(const std::string& text) { return text.empty() || text.back() == '.' ? text : text + '.'; }

std::string as_value(const listed_option& o) { return o.value_name.empty() ? "" : " Ar " + o.value_name; }

std::string manual_option(const listed_option& o) {
  std::string item;
  for (const std::string& name : spellings(o))
    item += (item.empty() ? "" : " , ") + ("Fl " + name.substr(1)) + as_value(o);
  if (item.empty()) item = "Ar " + argument_name(o);
  return ".It " + item + '\n' + paragraph(sentence(o.description) + (o.more.empty() ? "" : " " + o.more));
}

bool is_same(const listed_option& a, const listed_option& b) {
  return a.heading == b.heading && a.names == b.names && a.value_name == b.value_name &&
         a.description == b.description && a.more == b.more;
}

bool is_shared(const described_commands& all, const listed_option& o) {
  return std::count_if(all.begin(), all.end(), [&](const described_command& command) {
           return std::any_of(command.options.begin(), command.options.end(),
                              [&](const listed_option& other) { return is_same(o, other); });
         }) > 1;
}

struct manual_section {
  std::string title;
  std::vector<const listed_option*> options;
};

// The options that several commands share, by their headings.
std::vector<manual_section> shared_sections(const described_commands& all) {
  std::vector<manual_section> sections;
  for (const described_command& command : all)
    for (const listed_option& o : command.options) {
      if (o.heading.empty() || !is_shared(all, o)) continue;
      auto in = std::find_if(sections.begin(), sections.end(),
                             [&](const manual_section& s) { return s.title == o.heading; });
      if (in == sections.end()) in = sections.insert(in, {o.heading, {}});
      if (std::none_of(in->options.begin(), in->options.end(),
                       [&](const listed_option* other) { return is_same(o, *other); }))
        in->options.push_back(&o);
    }
  return sections;
}

manual_section own_section(const described_commands& all, const described_command& command) {
  manual_section own{std::string("Options of ") + command.is->name, {}};
  for (const listed_option& o : command.options)
    if (!is_shared(all, o)) own.options.push_back(&o);
  return own;
}

std::string manual_lines(const manual_section& section) {
  if (section.options.empty()) return "";
  std::string text = ".Ss " + section.title + "\n.Bl -tag -width Ds\n";
  for (const listed_option* o : section.options) text += manual_option(*o);
  return text + ".El\n";
}

}  // namespace

std::string manual_commands(const described_commands& all) {
  std::string text = ".Bl -tag -width collectives\n";
  for (const described_command& command : all) {
    const std::string more = command.is->more;
    text += std::string(".It Cm ") + command.is->name + '\n' +
            paragraph(sentence(command.is->summary) + ' ' + command.is->details + (more.empty() ? "" : " " + more));
  }
  return text + ".El\n";
}

std::string manual_options(const described_commands& all) {
  std::string text;
  for (const manual_section& section : shared_sections(all)) text += manual_lines(section);
  for (const described_command& command : all) text += manual_lines(own_section(all, command));
  return text;
}

std::string readme_commands(const described_commands& all) {
  std::string text = "| command | what it shows |\n|---|---|\n";
  for (const described_command& command : all)
    text += std::string("| `profkit ") + command.is->name + ' ' + command.is->arguments + "` | " +
            command.is->summary + " |\n";
  return text;
}

}  // namespace profkit_tool
