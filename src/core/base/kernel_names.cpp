#include <base/kernel_names.hpp>

#include <base/affix.hpp>
#include <base/collective_names.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

enum wrapped_argument : std::uint8_t { type = 100, last, config };

struct kernel_wrapper {
  std::string_view scope, name;
  std::uint8_t which;
};
constexpr kernel_wrapper kernel_wrappers[] = {
#define PROFKIT_KERNEL_WRAPPER(scope, name, which) {scope, name, which},
#include <base/kernel_wrappers.inc>
#undef PROFKIT_KERNEL_WRAPPER
};

constexpr int deepest_wrapper = 10;

const kernel_wrapper* find_wrapper(std::string_view path) noexcept {
  const std::size_t colon = path.rfind("::");
  const std::string_view own = colon == std::string_view::npos ? path : path.substr(colon + 2);
  for (const kernel_wrapper& each : kernel_wrappers) {
    if (each.name != own) continue;
    const bool fits = each.scope.empty() || starts_with(path, each.scope) || contains(path, "::" + std::string(each.scope));
    if (fits) return &each;
  }
  return nullptr;
}

std::string_view without_spaces(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The position after the '>' that belongs to the '<' at `open`; the end where there is none. Between parentheses < and > may
// be comparisons.
std::size_t end_of_arguments(std::string_view name, std::size_t open) noexcept {
  std::size_t angles = 0, round = 0;
  for (std::size_t at = open; at < name.size(); ++at) {
    const char c = name[at];
    if (c == '(' || c == '{' || c == '[') ++round;
    if ((c == ')' || c == '}' || c == ']') && round > 0) --round;
    if (round > 0) continue;
    if (c == '<') ++angles;
    if (c == '>' && name[at - 1] != '-' && --angles == 0) return at + 1;
  }
  return name.size();
}

// Of "<4, f<a, b>(c)>": "4" and "f<a, b>(c)".
std::vector<std::string_view> arguments_of(std::string_view list) {
  std::vector<std::string_view> found;
  if (list.size() < 2) return found;
  std::size_t from = 1, angles = 0, round = 0;
  for (std::size_t at = 1; at < list.size(); ++at) {
    const char c = list[at];
    if (c == '(' || c == '{' || c == '[') ++round;
    if ((c == ')' || c == '}' || c == ']') && round > 0) --round;
    if (round > 0) continue;
    const bool is_end = at + 1 == list.size();
    if ((c == ',' && angles == 0) || is_end) {
      const std::size_t end = is_end && c != '>' ? at + 1 : at;
      found.push_back(without_spaces(list.substr(from, end - from)));
      from = at + 1;
    }
    if (c == '<') ++angles;
    if (c == '>' && angles > 0 && list[at - 1] != '-') --angles;
  }
  return found;
}

// Namespaces that only say a version: "THRUST_200302_800_NS".
bool is_version(std::string_view part) noexcept {
  return ends_with(part, "_NS") && std::all_of(part.begin(), part.end(), [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; });
}

void add_part(std::string& path, std::string_view part) {
  part = without_spaces(part);
  if (part.empty() || is_version(part)) return;
  if (!path.empty()) path += "::";
  path += part;
}

// What may stand before a space: "void", "std::enable_if<…>::type".
bool is_result(std::string_view text) noexcept {
  constexpr std::string_view results[] = {"void", "bool", "int", "float", "double"};
  return ends_with(text, "::type") || std::find(std::begin(results), std::end(results), text) != std::end(results);
}

// Up to the parameters. Nothing when that is not C++.
kernel_function split_name(std::string_view name) {
  constexpr std::string_view unnamed[] = {"(anonymous namespace)", "<unnamed>", "{anonymous}"};
  kernel_function found;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= name.size(); ++at) {
    const char c = at == name.size() ? '(' : name[at];
    const auto skipped = std::find_if(std::begin(unnamed), std::end(unnamed),
                                      [&](std::string_view each) { return at == begin && starts_with(name.substr(at), each); });
    if (skipped != std::end(unnamed)) {
      at += skipped->size() - 1;
      begin = at + 1;
    } else if (c == '<') {
      add_part(found.path, name.substr(begin, at - begin));
      const std::size_t end = end_of_arguments(name, at);
      found.arguments = name.substr(at, end - at);
      begin = end;
      at = end - 1;
    } else if (c == ':' || c == ' ' || c == '(') {
      if (const std::string_view part = name.substr(begin, at - begin); !part.empty()) {
        add_part(found.path, part);
        found.arguments.clear();
      }
      if (c == '(' || (c == ' ' && name.substr(at + 1) == "const")) break;
      if (c == ' ' && !is_result(name.substr(0, at))) return {};
      if (c == ' ') found = {};
      begin = at + 1;
    }
  }
  return found;
}

bool is_number_or_architecture(std::string_view argument) noexcept {
  return argument.empty() || is_digit(argument.front()) || argument.front() == '-' || contains(argument, "::gfx");
}

// The word of "rocprim::detail::wrapped_scan_config<…>".
std::string word_of_config(std::string_view argument) {
  constexpr std::string_view before = "wrapped_", after = "_config";
  const std::size_t from = argument.find(before), to = argument.find(after);
  if (from == std::string_view::npos || to == std::string_view::npos || to < from + before.size()) return {};
  return std::string(argument.substr(from + before.size(), to - from - before.size()));
}

std::string_view wrapped_in(const kernel_wrapper& wrapper, const std::vector<std::string_view>& arguments) noexcept {
  if (arguments.empty()) return {};
  if (wrapper.which == wrapped_argument::last) return arguments.back();
  if (wrapper.which == wrapped_argument::config) return arguments.front();
  if (wrapper.which == wrapped_argument::type) {
    const auto found = std::find_if(arguments.begin(), arguments.end(), [](std::string_view a) { return !is_number_or_architecture(a); });
    return found == arguments.end() ? std::string_view() : *found;
  }
  return wrapper.which <= arguments.size() ? arguments[wrapper.which - 1U] : std::string_view();
}

bool is_mangled(std::string_view name) noexcept {
  return starts_with(name, "_ZN") || (starts_with(name, "_Z") && name.size() > 2 && is_digit(name[2]));
}

// "_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdI…": the parts of the name, and the first name among its template arguments.
class mangled_name {
 public:
  explicit mangled_name(std::string_view name) noexcept : rest_(name.substr(2)) {}

  kernel_function read() {
    kernel_function found;
    read_parts(found.path);
    if (!rest_.empty() && rest_.front() == 'I' && find_wrapper(found.path) != nullptr) {
      rest_.remove_prefix(1);
      const std::string outer = std::move(found.path);
      found.path.clear();
      if (!skip_literals() || !read_parts(found.path, outer)) found.path = outer;
    }
    return found;
  }

 private:
  // "Li1E", "Lb0E": numbers, until a name begins.
  bool skip_literals() noexcept {
    while (!rest_.empty() && rest_.front() == 'L') {
      const std::size_t end = rest_.find('E');
      if (end == std::string_view::npos) return false;
      rest_.remove_prefix(end + 1);
    }
    return !rest_.empty();
  }
  // Lengths, each with a part of the name. Before them may be a namespace that was named before: S_ is the first part of `outer`,
  // S0_ the first two.
  bool read_parts(std::string& path, std::string_view outer = {}) {
    while (!rest_.empty() && contains("NKVrL", rest_.substr(0, 1))) rest_.remove_prefix(1);
    if (!rest_.empty() && rest_.front() == 'S') {
      const std::size_t end = rest_.find('_');
      if (end == std::string_view::npos || end > 2) return false;
      const std::size_t parts = end == 1 ? 1 : static_cast<std::size_t>(rest_[1] - '0') + 2;
      std::size_t at = 0;
      for (std::size_t i = 0; i < parts && at != std::string_view::npos; ++i) at = outer.find("::", i == 0 ? 0 : at + 2);
      path = outer.substr(0, at);
      rest_.remove_prefix(end + 1);
    }
    bool any = false;
    while (!rest_.empty() && is_digit(rest_.front())) {
      std::size_t length = 0, digits = 0;
      while (digits < rest_.size() && is_digit(rest_[digits]) && length <= rest_.size())
        length = 10 * length + static_cast<std::size_t>(rest_[digits++] - '0');
      rest_.remove_prefix(digits);
      const std::string_view part = rest_.substr(0, length);
      rest_.remove_prefix(part.size());
      if (!starts_with(part, "_GLOBAL__N")) add_part(path, part);
      any = true;
    }
    return any;
  }

  std::string_view rest_;
};

}  // namespace

kernel_function function_of_kernel(std::string_view name) {
  name = name.substr(0, name.find(" [clone "));
  if (ends_with(name, ".kd")) name.remove_suffix(3);
  if (is_mangled(name)) {
    kernel_function found = mangled_name(name).read();
    if (found.path.empty()) found.path = name;
    return found;
  }
  kernel_function found = split_name(name);
  for (int depth = 0; depth < deepest_wrapper; ++depth) {
    const kernel_wrapper* wrapper = find_wrapper(found.path);
    if (wrapper == nullptr || found.arguments.empty()) break;
    const std::string outer = found.arguments;
    const std::string_view inner = wrapped_in(*wrapper, arguments_of(outer));
    if (wrapper->which == wrapped_argument::config) {
      if (const std::string word = word_of_config(inner); !word.empty()) found = {std::string(wrapper->scope) + "::" + word, {}};
      break;
    }
    kernel_function next = split_name(inner);
    if (next.path.empty() || is_number_or_architecture(next.path)) break;
    found = std::move(next);
  }
  if (found.path.empty()) found = {std::string(name), {}};
  return found;
}

std::string type_of_kernel(std::string_view name) {
  return std::string(is_mangled(name) ? bare_kernel_name(name) : bare_kernel_name(function_of_kernel(name).path));
}

std::string_view without_instance(std::string_view name) noexcept {
  const std::size_t letters = name.find_last_not_of("0123456789") + 1;
  const bool is_numbered = letters < name.size() && letters > 1 && (name[letters - 1] == '.' || name[letters - 1] == '_');
  return is_numbered ? name.substr(0, letters - 1) : name;
}

std::string_view without_instances(std::string_view name) noexcept {
  for (;;) {
    const std::string_view less = without_instance(name);
    if (less.size() == name.size()) return name;
    name = less;
  }
}

std::string readable_kernel_name(std::string_view name) {
  kernel_function found = function_of_kernel(name);
  return std::move(found.path) + found.arguments;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
