#include <profkit/core/chrome.hpp>

#include <base/json_writer.hpp>
#include <formats/chrome/chrome_text.hpp>
#include <redact/redact.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Ascend puts blanks around its numbers, which stay.
void append_between_blanks(std::string& out, std::string_view text, aliaser& names) {
  const std::string_view core = trim_json_space(text);
  const auto first = static_cast<std::size_t>(core.data() - text.data());
  out += text.substr(0, first);
  names.append(out, core);
  out += text.substr(first + core.size());
}

class json_redactor {
 public:
  json_redactor(std::string_view bytes, aliaser& names, redaction& into, std::string& out)
      : at_(bytes.data()), end_(at_ + bytes.size()), names_(names), into_(into), out_(out) {}

  void run() {
    while (at_ != end_) {
      if (*at_ == '"')
        text();
      else if (is_json_space(*at_) || (scalar_ends.has[static_cast<unsigned char>(*at_)] && *at_ != '"'))
        out_ += *at_++;
      else
        scalar();
    }
  }

 private:
  void text() {
    const json_value_end found = end_of_string(at_, end_);
    const bool is_whole = found.why == json_end::found;
    const std::string_view raw(at_, static_cast<std::size_t>((is_whole ? found.end : end_) - at_));
    at_ = is_whole ? found.end : end_;
    if (!is_whole) {  // cut: what is there of it
      whole_.assign(raw);
      whole_ += raw.back() == '\\' ? "\\\"" : "\"";
      append_text(whole_);
      out_.pop_back();
      return;
    }
    append_text(raw);
    const char* const after = skip_json_space(at_, end_);
    if (after == end_ || *after != ':') return;
    if (!names_environment(json_text(raw, scratch_))) return;
    const char* const value = skip_json_space(after + 1, end_);
    if (value == end_ || (*value != '{' && *value != '[' && *value != '"')) return;
    out_.append(at_, value);
    leave_out(value);
  }

  void append_text(std::string_view raw) {
    made_.clear();
    append_between_blanks(made_, json_text(raw, scratch_), names_);
    append_json_string(out_, made_);
  }

  // The value, but for what is in it. Brackets that never close take the rest.
  void leave_out(const char* value) {
    at_ = value;
    std::uint64_t depth = 0;
    bool empty = true;
    do {
      if (*at_ == '"') {
        const json_value_end found = end_of_string(at_, end_);
        at_ = found.why == json_end::found ? found.end : end_;
        empty = false;
      } else {
        if (*at_ == '{' || *at_ == '[') ++depth;
        if (*at_ == '}' || *at_ == ']') --depth;
        ++at_;
      }
    } while (depth != 0 && at_ != end_);
    if (!empty) ++into_.environment_dumps;
    out_ += *value == '{' ? "{" : *value == '[' ? "[" : "\"";
    if (depth == 0) out_ += *value == '{' ? "}" : *value == '[' ? "]" : "\"";
  }

  // A number or a word of JSON; in a damaged file anything.
  void scalar() {
    const char* const end = end_of_scalar(at_, end_);
    const std::string_view all(at_, static_cast<std::size_t>(end - at_));
    at_ = end;
    constexpr std::string_view words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity", "nan", "inf", "-inf"};
    for (const std::string_view word : words)
      if (word.substr(0, all.size()) == all) {
        out_ += all;
        return;
      }
    for (const char c : all) {
      const bool is_of_number = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
      out_ += is_of_number ? c : '?';
    }
  }

  const char* at_;
  const char* const end_;
  aliaser& names_;
  redaction& into_;
  std::string& out_;
  std::string scratch_, made_, whole_;
};

}  // namespace

void redact_json(std::string_view bytes, aliaser& names, redaction& into, std::string& out) {
  out.reserve(out.size() + bytes.size());
  json_redactor(bytes, names, into, out).run();
}

void redact_rows(std::string_view bytes, aliaser& names, std::string& out) {
  out.reserve(out.size() + bytes.size());
  constexpr std::string_view ends = ",\n\"";
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find_first_of(ends, at), bytes.size());
    append_between_blanks(out, bytes.substr(at, end - at), names);
    if (end < bytes.size()) out += bytes[end];
    at = end + 1;
  }
}

bool redact_file(file_family family, std::string_view bytes, aliaser& names, redaction& into, std::string& out) {
  switch (content_of(family)) {
    case file_content::planes: redact_message(bytes, "XSpace", names, into, out); return true;
    case file_content::module: redact_message(bytes, "HloProto", names, into, out); return true;
    case file_content::op_totals: redact_message(bytes, "OpStats", names, into, out); return true;
    case file_content::trace_events:
    case file_content::settings: redact_json(bytes, names, into, out); return true;
    case file_content::kernel_table:
    case file_content::totals_table: redact_rows(bytes, names, out); return true;
    case file_content::nothing:
    case file_content::probe_records:
    case file_content::recording: return false;
  }
  return false;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
