#include <base/name_pattern.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using byte_set = std::bitset<256>;

constexpr std::size_t deepest_group = 100;
constexpr std::uint32_t most_repeats = 1000;
constexpr std::uint32_t unlimited = ~std::uint32_t{0};
constexpr std::size_t most_states = 5000;
constexpr std::size_t most_steps = 100000;  // of a pattern that repeats nothing very often

template <class Is>
byte_set bytes_that(Is is) {
  byte_set set;
  for (unsigned byte = 0; byte < 256; ++byte) set[byte] = is(byte);
  return set;
}

bool is_digit(unsigned byte) noexcept { return byte >= '0' && byte <= '9'; }
bool is_lower(unsigned byte) noexcept { return byte >= 'a' && byte <= 'z'; }
bool is_upper(unsigned byte) noexcept { return byte >= 'A' && byte <= 'Z'; }
bool is_letter(unsigned byte) noexcept { return is_lower(byte) || is_upper(byte); }
bool is_in_word(unsigned byte) noexcept { return is_letter(byte) || is_digit(byte) || byte == '_'; }
bool is_space(unsigned byte) noexcept { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }
bool is_shown(unsigned byte) noexcept { return byte > ' ' && byte < 0x7f; }
unsigned hex_digit(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  if (is_digit(byte)) return byte - unsigned{'0'};
  if (byte >= 'a' && byte <= 'f') return byte - unsigned{'a'} + 10;
  if (byte >= 'A' && byte <= 'F') return byte - unsigned{'A'} + 10;
  return 16;
}

struct named_class {
  std::string_view name;
  bool (*holds)(unsigned byte);
};
constexpr named_class classes[] = {
    {"alnum", [](unsigned b) { return is_letter(b) || is_digit(b); }},
    {"alpha", is_letter},
    {"blank", [](unsigned b) { return b == ' ' || b == '\t'; }},
    {"cntrl", [](unsigned b) { return b < ' ' || b == 0x7f; }},
    {"d", is_digit},
    {"digit", is_digit},
    {"graph", is_shown},
    {"lower", is_lower},
    {"print", [](unsigned b) { return b == ' ' || is_shown(b); }},
    {"punct", [](unsigned b) { return is_shown(b) && !is_letter(b) && !is_digit(b); }},
    {"s", is_space},
    {"space", is_space},
    {"upper", is_upper},
    {"w", is_in_word},
    {"xdigit", [](unsigned b) { return hex_digit(static_cast<char>(b)) < 16; }},
};

std::optional<byte_set> class_named(std::string_view name) {
  for (const named_class& one : classes)
    if (one.name == name) return bytes_that(one.holds);
  return std::nullopt;
}

// \d, \w, \s and their opposites.
std::optional<byte_set> class_escaped(char letter) {
  const bool opposite = letter == 'D' || letter == 'W' || letter == 'S';
  const char name = opposite ? static_cast<char>(letter - 'A' + 'a') : letter;
  if (name != 'd' && name != 'w' && name != 's') return std::nullopt;
  const byte_set set = *class_named(std::string_view(&name, 1));
  return opposite ? ~set : set;
}

enum class part_kind { bytes, sequence, choice, repeated, start, end, word_edge, no_word_edge };

struct part {
  part_kind kind = part_kind::sequence;
  byte_set bytes;
  std::vector<part> of;     // sequence, choice; repeated: the one
  std::uint32_t least = 0;  // repeated
  std::uint32_t most = 0;
};

part bytes_part(const byte_set& set) {
  part made;
  made.kind = part_kind::bytes;
  made.bytes = set;
  return made;
}

part mark(part_kind kind) {
  part made;
  made.kind = kind;
  return made;
}

class pattern_parser {
 public:
  explicit pattern_parser(std::string_view pattern) : left_(pattern) {}

  // Nothing when the pattern is none; why() says it.
  std::optional<part> parse() {
    std::optional<part> all = choice(0);
    if (all && !left_.empty()) return wrong("a ) without its (");
    return all;
  }
  [[nodiscard]] const char* why() const noexcept { return why_; }

 private:
  std::nullopt_t wrong(const char* why) noexcept {
    if (why_ == nullptr) why_ = why;
    return std::nullopt;
  }
  bool take(std::string_view text) noexcept {
    if (left_.substr(0, text.size()) != text) return false;
    left_.remove_prefix(text.size());
    return true;
  }
  char take_byte() noexcept {
    const char byte = left_.front();
    left_.remove_prefix(1);
    return byte;
  }

  std::optional<part> choice(std::size_t depth) {
    if (depth > deepest_group) return wrong("groups too deep in each other");
    part all;
    all.kind = part_kind::choice;
    do {
      std::optional<part> one = sequence(depth);
      if (!one) return std::nullopt;
      all.of.push_back(std::move(*one));
    } while (take("|"));
    return all;
  }

  std::optional<part> sequence(std::size_t depth) {
    part all;
    while (!left_.empty() && left_.front() != '|' && left_.front() != ')') {
      std::optional<part> one = term(depth);
      if (!one) return std::nullopt;
      all.of.push_back(std::move(*one));
    }
    return all;
  }

  std::optional<part> term(std::size_t depth) {
    if (take("^")) return mark(part_kind::start);
    if (take("$")) return mark(part_kind::end);
    if (take("\\b")) return mark(part_kind::word_edge);
    if (take("\\B")) return mark(part_kind::no_word_edge);
    if (left_.front() == '*' || left_.front() == '+' || left_.front() == '?' || left_.front() == '{')
      return wrong("nothing stands before *, +, ? or {");
    std::optional<part> one = atom(depth);
    return one ? repeated(std::move(*one)) : std::nullopt;
  }

  std::optional<part> atom(std::size_t depth) {
    if (take("(?=") || take("(?!")) return wrong("looking ahead, (?= and (?!, is not supported");
    if (take("(?:") || take("(")) {
      std::optional<part> inner = choice(depth + 1);
      if (inner && !take(")")) return wrong("a ( without its )");
      return inner;
    }
    if (take(".")) return bytes_part(bytes_that([](unsigned byte) { return byte != '\n' && byte != '\r'; }));
    if (take("[")) return bracket();
    if (!take("\\")) return bytes_part(only(take_byte()));
    if (left_.empty()) return wrong("a \\ at the end");
    if (const std::optional<byte_set> set = class_escaped(left_.front())) {
      left_.remove_prefix(1);
      return bytes_part(*set);
    }
    const std::optional<char> byte = escaped();
    if (!byte) return std::nullopt;
    return bytes_part(only(*byte));
  }

  static byte_set only(char byte) {
    byte_set set;
    set.set(static_cast<unsigned char>(byte));
    return set;
  }

  // One byte after a backslash.
  std::optional<char> escaped() {
    const char letter = take_byte();
    switch (letter) {
      case 't': return '\t';
      case 'n': return '\n';
      case 'v': return '\v';
      case 'f': return '\f';
      case 'r': return '\r';
      case '0': return '\0';
      case 'x': {
        const unsigned high = left_.size() < 2 ? 16 : hex_digit(left_[0]);
        const unsigned low = left_.size() < 2 ? 16 : hex_digit(left_[1]);
        if (high > 15 || low > 15) return wrong("\\x without two hexadecimal digits");
        left_.remove_prefix(2);
        return static_cast<char>(high * 16 + low);
      }
      default: break;
    }
    const auto byte = static_cast<unsigned char>(letter);
    if (is_digit(byte)) return wrong("back references, \\1 to \\9, are not supported");
    if (is_letter(byte)) return wrong("an unknown letter after \\");
    return letter;
  }

  std::optional<part> bracket() {
    const bool opposite = take("^");
    byte_set set;
    while (!take("]")) {
      if (left_.empty()) return wrong("a [ without its ]");
      if (take("[:")) {
        const std::size_t ends = left_.find(":]");
        const std::optional<byte_set> named = class_named(left_.substr(0, ends));
        if (ends == std::string_view::npos || !named) return wrong("an unknown class after [:");
        set |= *named;
        left_.remove_prefix(ends + 2);
        continue;
      }
      if (left_.size() > 1 && left_[0] == '\\') {
        if (const std::optional<byte_set> named = class_escaped(left_[1])) {
          set |= *named;
          left_.remove_prefix(2);
          continue;
        }
      }
      const std::optional<char> from = bracket_byte();
      if (!from) return std::nullopt;
      std::optional<char> to = from;
      if (left_.size() > 1 && left_[0] == '-' && left_[1] != ']') {
        left_.remove_prefix(1);
        to = bracket_byte();
        if (!to) return std::nullopt;
      }
      const auto first = static_cast<unsigned char>(*from), last = static_cast<unsigned char>(*to);
      if (first > last) return wrong("a range whose end is before its start");
      for (unsigned byte = first; byte <= last; ++byte) set.set(byte);
    }
    return bytes_part(opposite ? ~set : set);
  }

  std::optional<char> bracket_byte() {
    if (take("\\b")) return '\b';
    if (!take("\\")) return take_byte();
    if (left_.empty()) return wrong("a \\ at the end");
    return escaped();
  }

  std::optional<part> repeated(part one) {
    part all;
    all.kind = part_kind::repeated;
    if (take("*")) {
      all.most = unlimited;
    } else if (take("+")) {
      all.least = 1;
      all.most = unlimited;
    } else if (take("?")) {
      all.most = 1;
    } else if (take("{")) {
      if (!counts(all)) return std::nullopt;
    } else {
      return one;
    }
    take("?");
    if (!left_.empty() &&
        (left_.front() == '*' || left_.front() == '+' || left_.front() == '?' || left_.front() == '{'))
      return wrong("a repetition of a repetition");
    all.of.push_back(std::move(one));
    return all;
  }

  // What follows a brace, up to its end.
  bool counts(part& all) {
    const std::optional<std::uint32_t> least = count();
    if (!least) return false;
    all.least = all.most = *least;
    if (take(",")) {
      all.most = unlimited;
      if (!left_.empty() && left_.front() != '}') {
        const std::optional<std::uint32_t> most = count();
        if (!most) return false;
        all.most = *most;
      }
    }
    if (!take("}")) wrong("a { without its }");
    if (all.most < all.least) wrong("a {m,n} whose end is before its start");
    return why_ == nullptr;
  }

  std::optional<std::uint32_t> count() {
    if (left_.empty() || !is_digit(static_cast<unsigned char>(left_.front()))) return wrong("no number after {");
    std::uint32_t number = 0;
    while (!left_.empty() && is_digit(static_cast<unsigned char>(left_.front()))) {
      number = number * 10 + static_cast<std::uint32_t>(take_byte() - '0');
      if (number > most_repeats) return wrong("more than 1000 repetitions");
    }
    return number;
  }

  std::string_view left_;
  const char* why_ = nullptr;
};

}  // namespace

// Writes the states of a pattern from its end to its start: every part knows what comes after it.
class pattern_states {
 public:
  using step = name_pattern::step;
  explicit pattern_states(name_pattern& into) : into_(into) {}

  // False when the pattern is too large.
  bool write(const part& all) {
    const std::uint32_t done = add({step::done, 0, 0, 0});
    into_.first_ = states_of(all, done);
    return !is_full();
  }

 private:
  [[nodiscard]] bool is_full() const noexcept { return into_.states_.size() > most_states || steps_ > most_steps; }

  std::uint32_t add(const name_pattern::state& one) {
    into_.states_.push_back(one);
    return static_cast<std::uint32_t>(into_.states_.size() - 1);
  }

  std::uint32_t states_of(const part& of, std::uint32_t next) {
    ++steps_;
    if (is_full()) return next;
    switch (of.kind) {
      case part_kind::bytes:
        into_.sets_.push_back(of.bytes);
        return add({step::one_of, static_cast<std::uint32_t>(into_.sets_.size() - 1), next, 0});
      case part_kind::sequence:
        for (std::size_t at = of.of.size(); at-- > 0;) next = states_of(of.of[at], next);
        return next;
      case part_kind::choice: {
        std::uint32_t first = states_of(of.of.back(), next);
        for (std::size_t at = of.of.size() - 1; at-- > 0;) {
          const std::uint32_t one = states_of(of.of[at], next);
          first = add({step::either, 0, one, first});
        }
        return first;
      }
      case part_kind::repeated: return repetitions_of(of, next);
      case part_kind::start: return add({step::at_start, 0, next, 0});
      case part_kind::end: return add({step::at_end, 0, next, 0});
      case part_kind::word_edge: return add({step::at_word_edge, 0, next, 0});
      case part_kind::no_word_edge: return add({step::inside_word, 0, next, 0});
    }
    return next;
  }

  std::uint32_t repetitions_of(const part& of, std::uint32_t next) {
    const part& one = of.of.front();
    if (of.most == unlimited) {
      const std::uint32_t again = add({step::either, 0, next, next});
      const std::uint32_t first = states_of(one, again);
      into_.states_[again].next = first;
      next = again;
    } else {
      const std::uint32_t after = next;
      for (std::uint32_t at = of.least; at < of.most && !is_full(); ++at)
        next = add({step::either, 0, states_of(one, next), after});
    }
    for (std::uint32_t at = 0; at < of.least && !is_full(); ++at) next = states_of(one, next);
    return next;
  }

  name_pattern& into_;
  std::size_t steps_ = 0;
};

result<name_pattern> name_pattern::make(std::string_view pattern) {
  pattern_parser parser(pattern);
  const std::optional<part> parsed = parser.parse();
  if (!parsed) return fault{fault_code::invalid_argument, parser.why(), "", no_offset, ""};
  name_pattern made;
  if (!pattern_states(made).write(*parsed)) return fault{fault_code::invalid_argument, "too large", "", no_offset, ""};
  return made;
}

// All the states that a name can be in, after each of its bytes.
class name_pattern::run {
 public:
  run(const name_pattern& pattern, std::string_view name)
      : pattern_(pattern), name_(name), seen_at_(pattern.states_.size(), 0) {}

  bool matches() {
    enter(pattern_.first_, 0);
    for (std::size_t at = 0; at < name_.size() && !now_.empty(); ++at) {
      std::swap(now_, before_);
      now_.clear();
      for (const std::uint32_t in : before_) {
        const state& s = pattern_.states_[in];
        if (s.kind == step::one_of && pattern_.sets_[s.set][static_cast<unsigned char>(name_[at])])
          enter(s.next, at + 1);
      }
    }
    for (const std::uint32_t in : now_)
      if (pattern_.states_[in].kind == step::done) return true;
    return false;
  }

 private:
  // Every state that is reached from `first` without a byte, before byte `at`.
  void enter(std::uint32_t first, std::size_t at) {
    open_.push_back(first);
    while (!open_.empty()) {
      const std::uint32_t in = open_.back();
      open_.pop_back();
      if (seen_at_[in] == at + 1) continue;
      seen_at_[in] = at + 1;
      const state& s = pattern_.states_[in];
      switch (s.kind) {
        case step::one_of:
        case step::done: now_.push_back(in); break;
        case step::either:
          open_.push_back(s.other);
          open_.push_back(s.next);
          break;
        default:
          if (holds(s.kind, at)) open_.push_back(s.next);
      }
    }
  }

  [[nodiscard]] bool holds(step kind, std::size_t at) const noexcept {
    if (kind == step::at_start) return at == 0;
    if (kind == step::at_end) return at == name_.size();
    const bool before = at > 0 && is_in_word(static_cast<unsigned char>(name_[at - 1]));
    const bool after = at < name_.size() && is_in_word(static_cast<unsigned char>(name_[at]));
    return (before != after) == (kind == step::at_word_edge);
  }

  const name_pattern& pattern_;
  std::string_view name_;
  std::vector<std::size_t> seen_at_;
  std::vector<std::uint32_t> now_, before_, open_;
};

bool name_pattern::matches(std::string_view name) const { return !states_.empty() && run(*this, name).matches(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
