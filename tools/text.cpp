#include "text.hpp"

#include <profkit/core/named_stat.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace profkit_tool {

using profkit::terminal_width;

namespace {

// Bytes of the code point at text[at]; the text is valid UTF-8.
std::size_t bytes_of_character(std::string_view text, std::size_t at) noexcept {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return bytes < text.size() - at ? bytes : text.size() - at;
}

// The longest head of `text` that fits into `columns`.
std::string_view head_of(std::string_view text, std::size_t columns) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = bytes_of_character(text, at);
    const std::size_t width = terminal_width(text.substr(at, bytes));
    if (width > columns) break;
    columns -= width;
    at += bytes;
  }
  return text.substr(0, at);
}

// The longest tail of `text` that fits into `columns`.
std::string_view tail_of(std::string_view text, std::size_t columns) noexcept {
  std::size_t width = terminal_width(text);
  std::size_t at = 0;
  while (at < text.size() && width > columns) {
    const std::size_t bytes = bytes_of_character(text, at);
    width -= terminal_width(text.substr(at, bytes));
    at += bytes;
  }
  return text.substr(at);
}

}  // namespace

std::string shorten(std::string_view text, std::size_t columns, cut where) {
  if (terminal_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  const std::size_t kept = columns - 1;  // one column for the ellipsis
  const std::size_t head = where == cut::end ? kept : where == cut::start ? 0 : kept - kept / 3;
  std::string out(head_of(text, head));
  out += "…";
  out += tail_of(text, kept - head);
  return out;
}

std::string short_op_name(std::string_view name, std::string_view display_name) {
  return profkit::escape_for_terminal(profkit::readable_kernel_name(profkit::short_op_name(name, display_name)));
}

std::string source_name(const std::string& symbol) {
  constexpr std::size_t max_bytes = 2000;  // the demangler recurses
  if (symbol.size() > max_bytes || symbol.compare(0, 2, "_Z") != 0) return symbol;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                     std::free);
  if (status != 0 || !plain) return symbol;
  // "void n::f<4, (n::kind)1>(float*)" gives "n::f<…>": the word before the outermost list of parameters.
  const std::string_view whole = plain.get();
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const char c = whole[i];
    if (c == '(' && depth == 0 && whole.substr(i, 21) == "(anonymous namespace)") {
      name += whole.substr(i, 21);
      i += 20;
    } else if (c == '(' && depth == 0) {
      break;
    } else if (c == '<' && depth++ == 0) {
      name += "<\u2026>";
    } else if (c == '>') {
      --depth;
    } else if (c == ' ' && depth == 0) {
      name.clear();
    } else if (depth == 0) {
      name += c;
    }
  }
  return name.empty() ? std::string(whole) : name;
}

namespace {

// Where the first word ends; a number stays with what it counts.
std::size_t end_of_word(std::string_view text) noexcept {
  const std::size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  const bool is_number = !word.empty() && word.back() >= '0' && word.back() <= '9' && word.find_first_not_of("0123456789.,(") == std::string_view::npos;
  return is_number && end != std::string_view::npos ? text.find(' ', end + 1) : end;
}

}  // namespace

std::string wrap(std::string_view text, std::size_t columns, std::size_t indent) {
  if (columns == 0) return std::string(text);
  std::string out;
  std::size_t used = indent;
  bool line_is_empty = true;
  while (!text.empty()) {
    const std::size_t blank = end_of_word(text);
    const std::string_view word = text.substr(0, blank);
    text = blank == std::string_view::npos ? std::string_view{} : text.substr(blank + 1);
    const std::size_t width = terminal_width(word);
    if (!line_is_empty && used + 1 + width > columns) {
      out += '\n' + std::string(indent, ' ');
      used = indent;
      line_is_empty = true;
    }
    if (!line_is_empty) {
      out += ' ';
      ++used;
    }
    out += word;
    used += width;
    line_is_empty = false;
  }
  return out;
}

std::string spaced(std::string id) {
  std::replace(id.begin(), id.end(), '_', ' ');
  return id;
}

}  // namespace profkit_tool
