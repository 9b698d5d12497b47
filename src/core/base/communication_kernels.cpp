#include <base/communication_kernels.hpp>

#include <base/affix.hpp>
#include <base/packed_texts.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr kernel_communication kinds[] = {
#define PROFKIT_COMMUNICATION(what, scope, words, library) kernel_communication::what,
#include <base/communication_kernels.inc>
#undef PROFKIT_COMMUNICATION
};
constexpr std::string_view plain_texts[] = {
#define PROFKIT_COMMUNICATION(what, scope, words, library) scope, words, library,
#include <base/communication_kernels.inc>
#undef PROFKIT_COMMUNICATION
};
constexpr auto texts = pack_texts<plain_texts>();

// A bit for the letter that a word begins with.
constexpr std::uint32_t letter_bit(char c) noexcept {
  const char small = folded(c);
  return small >= 'a' && small <= 'z' ? 1U << (small - 'a') : 0;
}
// For each line the letter of its first word; nothing where a line has a namespace only.
constexpr auto first_letters = [] {
  std::array<std::uint32_t, std::size(kinds)> bits{};
  for (std::size_t row = 0; row < bits.size(); ++row) {
    const std::string_view words = plain_texts[3 * row + 1];
    const std::size_t marks = words.empty() || (words[0] != '^' && words[0] != '=') ? 0 : 1;
    bits[row] = marks < words.size() ? letter_bit(words[marks]) : 0;
  }
  return bits;
}();

constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }

// Further parts and words do not count: real names have fewer.
constexpr std::size_t max_parts = 16, max_words = 32;

// A name without types and arguments: namespaces and classes, then what stands last.
struct kernel_path {
  std::array<std::string_view, max_parts> scopes{};
  std::size_t scope_count = 0;
  std::string_view own;

  void add(std::string_view part) noexcept {
    if (!own.empty() && scope_count < scopes.size()) scopes[scope_count++] = own;
    own = part;
  }
  [[nodiscard]] bool is_in(std::string_view scope) const noexcept {
    return std::find(scopes.begin(), scopes.begin() + scope_count, scope) != scopes.begin() + scope_count;
  }
};

// "_ZN7deep_ep9intranode8dispatchILi8ELi768EEvPi": lengths, each with a part of the name, up to the template arguments.
kernel_path path_of_mangled(std::string_view name) noexcept {
  kernel_path path;
  std::size_t at = 2;
  const auto skip = [&](std::string_view letters) {
    while (at < name.size() && letters.find(name[at]) != std::string_view::npos) ++at;
  };
  skip("NKVrL");
  while (at < name.size() && is_digit(name[at])) {
    std::size_t length = 0;
    for (; at < name.size() && is_digit(name[at]) && length <= name.size(); ++at)
      length = 10 * length + static_cast<std::size_t>(name[at] - '0');
    if (length == 0 || length > name.size() - at) break;
    const std::string_view part = name.substr(at, length);
    at += length;
    if (!starts_with(part, "_GLOBAL__N")) path.add(part);
    skip("L");
  }
  return path;
}

// "void a::(anonymous namespace)::b<c<d>, 4>::e<f>(g)": a, b and e.
kernel_path path_of(std::string_view name) noexcept {
  if (starts_with(name, "_Z")) return path_of_mangled(name);
  kernel_path path;
  constexpr std::string_view anonymous = "(anonymous namespace)";
  std::size_t begin = 0, end = 0, angles = 0, parentheses = 0;
  const auto take = [&] {
    if (end > begin) path.add(name.substr(begin, end - begin));
  };
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (parentheses > 0 || angles > 0) {
      if (c == '(') ++parentheses;
      if (c == ')' && parentheses > 0) --parentheses;
      if (parentheses > 0) continue;  // the comparisons of a condition open and close nothing
      if (c == '<') ++angles;
      if (c == '>' && angles > 0) --angles;
      continue;
    }
    if (c == '(') {
      if (!starts_with(name.substr(at), anonymous)) break;
      at += anonymous.size() - 1;
      begin = end = at + 1;
    } else if (c == '<') {
      angles = 1;
    } else if (c == ':') {
      take();
      begin = end = at + 1;
    } else if (c == ' ') {
      if (starts_with(name.substr(at), " [")) break;  // " [clone .kd]"
      path = {};
      begin = end = at + 1;
    } else if (end == at) {  // what follows template arguments belongs to no part
      end = at + 1;
    }
  }
  take();
  path.own = path.own.substr(0, path.own.find_first_of(".@"));
  return path;
}

struct word_list {
  std::array<std::string_view, max_words> all{};
  std::size_t count = 0;
  std::uint32_t letters = 0;  // that words begin with
};

// "ncclDevKernel", "moeA2ADispatch", "sm90AllReduce_2": nccl Dev Kernel; moe A2A Dispatch; sm90 All Reduce.
word_list words_of(std::string_view name) noexcept {
  word_list words;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end) {
    if (end > begin && words.count < words.all.size()) {
      words.all[words.count++] = name.substr(begin, end - begin);
      words.letters |= letter_bit(name[begin]);
    }
    begin = end;
  };
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
      cut(at);
      begin = at + 1;
    } else if (is_upper(c) && at > begin) {
      const bool next_is_lower = at + 1 < name.size() && is_lower(name[at + 1]);
      if (is_lower(name[at - 1]) || next_is_lower) cut(at);
    }
  }
  cut(name.size());
  const auto is_number = [](std::string_view word) { return std::all_of(word.begin(), word.end(), is_digit); };
  while (words.count > 0 && is_number(words.all[words.count - 1])) --words.count;
  return words;
}

// The index of the first word after those from `at` on that make up the wanted one; `none` when they do not.
std::size_t after_word(std::string_view wanted, const word_list& words, std::size_t at) noexcept {
  constexpr std::size_t none = max_words + 1;
  const bool may_go_on = ends_with(wanted, "*");
  if (may_go_on) wanted.remove_suffix(1);
  while (!wanted.empty()) {
    if (at == words.count) return none;
    const std::string_view word = words.all[at++];
    const std::size_t length = std::min(word.size(), wanted.size());
    if (!std::equal(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(length), wanted.begin(),
                    [](char a, char b) { return folded(a) == b; }))
      return none;
    if (length < word.size() && !may_go_on) return none;
    wanted.remove_prefix(length);
  }
  return at;
}

bool stand_at(std::string_view wanted, bool to_the_end, const word_list& words, std::size_t at) noexcept {
  while (!wanted.empty()) {
    const std::size_t blank = std::min(wanted.find(' '), wanted.size());
    at = after_word(wanted.substr(0, blank), words, at);
    if (at > words.count) return false;
    wanted.remove_prefix(std::min(blank + 1, wanted.size()));
  }
  return !to_the_end || at == words.count;
}

bool stand_in(std::string_view wanted, const kernel_path& path, const word_list& words) noexcept {
  if (wanted.empty()) return true;
  if (wanted.front() == '=') return wanted.substr(1) == path.own;
  const bool from_the_start = wanted.front() == '^', to_the_end = wanted.back() == '$';
  if (from_the_start) wanted.remove_prefix(1);
  if (to_the_end) wanted.remove_suffix(1);
  for (std::size_t at = 0; at < (from_the_start ? std::min<std::size_t>(words.count, 1) : words.count); ++at)
    if (stand_at(wanted, to_the_end, words, at)) return true;
  return false;
}

}  // namespace

communication_family communication_of(std::string_view kernel_name) noexcept {
  // The text of an HLO instruction.
  if (starts_with(kernel_name, "%") || contains(kernel_name.substr(0, kernel_name.find_first_of("<(")), " = ")) return {};
  const kernel_path path = path_of(kernel_name);
  const word_list words = words_of(path.own);
  if (words.count == 0) return {};
  for (std::size_t row = 0; row < std::size(kinds); ++row) {
    if ((first_letters[row] & ~words.letters) != 0) continue;
    const std::string_view scope = texts[3 * row];
    const bool in_scope = scope.empty() || (scope == "::" ? path.scope_count == 0 : path.is_in(scope));
    if (in_scope && stand_in(texts[3 * row + 1], path, words)) return {kinds[row], texts[3 * row + 2]};
  }
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
