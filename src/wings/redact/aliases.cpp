#include <redact/aliases.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr char public_words[] =
#include <redact/public_words.inc>
    ;

// How access tokens begin. Sources: the pages of their issuers on the formats of tokens.
struct token_kind {
  std::string_view prefix;
  const char* name;
};
constexpr token_kind token_kinds[] = {
    {"ghp_", "GitHub token"},      {"gho_", "GitHub token"},          {"ghs_", "GitHub token"},
    {"ghu_", "GitHub token"},      {"github_pat_", "GitHub token"},   {"glpat-", "GitLab token"},
    {"hf_", "Hugging Face token"}, {"AKIA", "AWS access key"},        {"ASIA", "AWS access key"},
    {"AIza", "Google API key"},    {"ya29.", "Google access token"},  {"xoxb-", "Slack token"},
    {"xoxp-", "Slack token"},      {"sk-", "API key"},                {"eyJ", "JSON web token"},
    {"wandb_", "W&B API key"},     {"-----BEGIN", "key or certificate"},
};
constexpr std::size_t min_token_bytes = 16;

constexpr std::size_t max_kept_digits = 6;   // more may be an account, a job or a telephone
constexpr std::size_t max_index_digits = 4;  // at the end of a word
constexpr std::size_t max_remembered_bytes = 256;
constexpr std::size_t max_remembered = std::size_t{1} << 17;

constexpr bool is_small(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_capital(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_foreign(char c) noexcept { return static_cast<unsigned char>(c) >= 0x80; }
constexpr bool is_of_run(char c) noexcept { return is_digit(c) || is_small(c) || is_capital(c) || is_foreign(c); }
constexpr char upper(char c) noexcept { return is_small(c) ? static_cast<char>(c - 'a' + 'A') : c; }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), folded);
  return out;
}

std::size_t end_of_run(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_of_run(text[at])) ++at;
  return at;
}
std::size_t end_of_digits(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// The next word of letters: "HTTP" and "Server" of "HTTPServer", "my" and "Layer" of "myLayer".
std::size_t end_of_word(std::string_view letters, std::size_t at) noexcept {
  std::size_t capitals = at;
  while (capitals < letters.size() && is_capital(letters[capitals])) ++capitals;
  if (capitals == letters.size() || is_digit(letters[capitals])) return capitals;
  if (capitals > at + 1) return capitals - 1;
  std::size_t end = capitals;
  while (end < letters.size() && is_small(letters[end])) ++end;
  return end;
}

bool reads_as_number(std::string_view text) noexcept {
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t whole = end_of_digits(text, at);
  if (whole == at) return false;
  at = whole;
  if (at < text.size() && text[at] == '.') at = end_of_digits(text, at + 1);
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const std::size_t exponent = end_of_digits(text, at);
    if (exponent == at || exponent - at > max_index_digits) return false;
    at = exponent;
  }
  return at == text.size();
}

}  // namespace

bool names_environment(std::string_view name) noexcept {
  constexpr std::string_view endings[] = {"env", "envs", "environ", "environment", "env_vars", "envvars", "env_variables",
                                          "environment_variables", "environment variables"};
  return std::any_of(std::begin(endings), std::end(endings), [&](std::string_view ending) {
    if (!ends_with_folded(name, ending)) return false;
    return name.size() == ending.size() || !is_of_run(name[name.size() - ending.size() - 1]);
  });
}

aliaser::aliaser(redaction& into) : into_(into) {
  const std::string_view all = public_words;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find(' ', at);
    public_.insert(all.substr(at, end - at));
    at = end + 1;
  }
}

bool aliaser::is_public(std::string_view word) const { return word.size() == 1 || public_.contains(lowered(word)); }

// Whether a run with digits inside is words and short numbers ("128x64", "Sm100aKernel", "Qwen2DecoderLayer"), and no number in
// another base, no hash and no key.
bool aliaser::has_words(std::string_view run) const {
  std::size_t digits = 0, letters = 0, words = 0;
  for (std::size_t at = 0; at < run.size();) {
    if (is_digit(run[at])) {
      const std::size_t end = end_of_digits(run, at);
      if (end - at > max_index_digits) return false;
      digits += end - at;
      at = end;
      continue;
    }
    const std::size_t end = end_of_word(run, at);
    const std::string_view word = run.substr(at, end - at);
    if (word.size() == 1) {
      letters += word != "x";
    } else {
      if (word.size() == 2 && !is_public(word)) return false;
      ++words;
    }
    at = end;
  }
  return digits <= 2 * max_kept_digits && letters <= (words == 0 ? 0 : 2 * words + 2);
}

const std::string& aliaser::alias_of(std::string_view word) {
  const auto known = aliases_.find(word);
  if (known != aliases_.end()) return known->second;
  std::string letters;
  for (std::size_t n = into_.words.size() + 1; n > 0; n = (n - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('a' + (n - 1) % 26));
  into_.words.push_back({"xx" + letters, std::string(word)});
  return aliases_.emplace(word, into_.words.back().alias).first->second;
}

// A number, or a word of letters: all of them capitals, the first, or none.
void aliaser::append_word(std::string& out, std::string_view word) {
  if (is_digit(word[0]) || is_public(word)) {
    out += word;
    return;
  }
  const std::size_t from = out.size();
  out += alias_of(lowered(word));
  if (!is_capital(word[0])) return;
  out[from] = upper(out[from]);
  if (is_capital(word[1])) std::transform(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(),
                                        out.begin() + static_cast<std::ptrdiff_t>(from), upper);
}

bool aliaser::append_run(std::string& out, std::string_view run, bool number_stays) {
  const bool foreign = std::any_of(run.begin(), run.end(), is_foreign);
  std::size_t letters = run.size();
  while (letters > 0 && is_digit(run[letters - 1])) --letters;
  if (letters == 0) {
    number_stays = number_stays || run.size() <= max_kept_digits;
    out += number_stays ? run : std::string_view(alias_of(run));
    return number_stays;
  }
  const std::string_view head = run.size() - letters <= max_index_digits ? run.substr(0, letters) : run;
  const bool mixed = std::any_of(head.begin(), head.end(), is_digit);
  if (!foreign && mixed && public_.contains(lowered(head))) {
    out += run;
  } else if (foreign || (mixed && !has_words(head))) {
    out += alias_of(run);
  } else {
    for (std::size_t at = 0; at < head.size();) {
      const std::size_t end = is_digit(head[at]) ? end_of_digits(head, at) : end_of_word(head, at);
      append_word(out, head.substr(at, end - at));
      at = end;
    }
    out += run.substr(head.size());
  }
  return false;
}

// Where what looks like an access token ends; `at` when none begins there.
std::size_t aliaser::append_secret(std::string& out, std::string_view text, std::size_t at) {
  const auto kind = std::find_if(std::begin(token_kinds), std::end(token_kinds), [&](const token_kind& k) {
    return text.substr(at, k.prefix.size()) == k.prefix;
  });
  if (kind == std::end(token_kinds)) return at;
  const auto is_of_token = [](char c) { return is_of_run(c) || std::strchr("_-.+/=", c) != nullptr; };
  std::size_t end = at;
  while (end < text.size() && text[end] != '\0' && is_of_token(text[end])) ++end;
  const std::string_view token = text.substr(at, end - at);
  // Names have words, and a token is digits and letters without order.
  const std::string_view rest = token.substr(kind->prefix.size());
  const bool is_key_block = kind->prefix[0] == '-';
  if (!is_key_block && (token.size() < min_token_bytes || std::none_of(rest.begin(), rest.end(), is_digit) ||
                        std::none_of(rest.begin(), rest.end(), is_capital)))
    return at;
  const auto noted = std::find_if(into_.secrets.begin(), into_.secrets.end(),
                                  [&](const found_secret& s) { return s.kind == kind->name; });
  if (noted == into_.secrets.end())
    into_.secrets.push_back({kind->name, 1});
  else
    ++noted->times;
  out += alias_of(token);
  return end;
}

// Where an IPv4 address ("10.0.0.7", "ip-10-0-0-7") or a UUID ends, else `at`: digits that would stay.
std::size_t aliaser::append_address(std::string& out, std::string_view text, std::size_t at) {
  constexpr std::size_t uuid_groups[] = {8, 4, 4, 4, 12};
  std::size_t end = at;
  std::size_t groups = 0;
  for (const std::size_t bytes : uuid_groups) {
    const std::size_t stop = end_of_run(text, end);
    if (stop - end != bytes) break;
    ++groups;
    end = stop;
    if (groups < 5 && (end == text.size() || text[end++] != '-')) break;
  }
  if (groups == 5) {
    out += alias_of(text.substr(at, end - at));
    return end;
  }
  end = at;
  char between = '\0';
  for (groups = 0; groups < 4; ++groups) {
    const std::size_t stop = end_of_digits(text, end);
    if (stop == end || stop - end > 3) return at;
    end = stop;
    if (groups == 3) break;
    if (end == text.size() || (text[end] != '.' && text[end] != '-') || (between != '\0' && text[end] != between)) return at;
    between = text[end++];
  }
  if (end < text.size() && (is_of_run(text[end]) || (text[end] == between && end + 1 < text.size() && is_digit(text[end + 1]))))
    return at;
  out += alias_of(text.substr(at, end - at));
  return end;
}

void aliaser::work_out(std::string& out, std::string_view text, bool numbers_stay) {
  if (reads_as_number(text)) {
    out += text;
    return;
  }
  std::size_t number_end = text.size();  // of the last one that stayed
  std::size_t brackets = 0;  // in which long numbers stay: dimensions, ids of programs
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || !is_of_run(text[at - 1]);
    if (begins) {
      std::size_t end = append_secret(out, text, at);
      if (end == at) end = append_address(out, text, at);
      if (end != at) {
        at = end;
        continue;
      }
    }
    if (!is_of_run(text[at])) {
      if (text[at] == '[' || text[at] == '(') ++brackets;
      if ((text[at] == ']' || text[at] == ')') && brackets > 0) --brackets;
      out += text[at++];
      continue;
    }
    const std::size_t end = end_of_run(text, at);
    const std::string_view run = text.substr(at, end - at);
    const bool is_fraction = number_end + 1 == at && text[number_end] == '.';
    if (append_run(out, run, numbers_stay || brackets > 0 || is_fraction)) number_end = end;
    at = end;
  }
}

void aliaser::append(std::string& out, std::string_view text) {
  if (text.size() > max_remembered_bytes) return work_out(out, text, false);
  if (const auto known = texts_.find(text); known != texts_.end()) {
    out += known->second;
    return;
  }
  std::string made;
  work_out(made, text, false);
  out += made;
  if (texts_.size() < max_remembered) texts_.emplace(text, std::move(made));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
