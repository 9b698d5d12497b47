// A cell of a table as RFC 4180 has it, on one line: breaks are \n and \r, for many programs read a line at a time.
#pragma once
#include <base/utf8.hpp>
#include <profkit/namespace.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Bytes that are not UTF-8 as \\xNN, like in JSON: other programs refuse a table with one of them.
inline std::string all_utf8(std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  std::string valid;
  for (std::size_t at = 0; at < text.size();) {
    const utf8_step step = decode_utf8(text, at);
    if (step.valid) {
      valid += text.substr(at, step.bytes);
    } else {
      valid += {'\\', 'x', hex[step.code_point >> 4 & 15], hex[step.code_point & 15]};
    }
    at += step.bytes;
  }
  return valid;
}

inline std::string without_breaks(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? std::string_view("\\n") : c == '\r' ? std::string_view("\\r") : std::string_view(&c, 1);
  return line;
}

inline void append_csv_cell(std::string& out, std::string_view text) {
  if (!is_valid_utf8(text)) return append_csv_cell(out, all_utf8(text));
  if (text.find_first_of("\r\n") != std::string_view::npos) return append_csv_cell(out, without_breaks(text));
  if (text.find_first_of(",\"") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t quote = std::min(text.find('"', at), text.size());
    out += text.substr(at, quote - at);
    if (quote < text.size()) out += "\"\"";
    at = quote + 1;
  }
  out += '"';
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
