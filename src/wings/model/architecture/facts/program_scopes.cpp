#include <model/architecture/facts/program_scopes.hpp>

#include <base/affix.hpp>
#include <base/word_list.hpp>

#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

// Transformations of the whole function, and what control flow adds: no modules.
constexpr std::string_view wrappers_of_functions[] = {"jit", "pjit", "pmap", "xmap", "shard_map"};
constexpr std::string_view control_flow[] = {"while", "body", "cond", "branch", "scan", "closed_call", "core_call", "checkpoint",
                                             "remat", "custom_jvp_call", "custom_vjp_call"};

// "Transformer" of "transpose(jvp(Transformer))"; "" of anything but a module.
std::string_view module_in(std::string_view part) {
  while (!part.empty() && part.back() == ')') {
    const std::size_t open = part.find('(');
    if (open == std::string_view::npos || is_one_of(part.substr(0, open), wrappers_of_functions)) return {};
    part = part.substr(open + 1, part.size() - open - 2);
  }
  return is_one_of(part, control_flow) ? std::string_view() : part;
}

// The modules of a path, from outside in.
std::vector<std::string_view> modules_of(std::string_view path) {
  std::vector<std::string_view> all;
  for (std::size_t at = path.find('/'), from = 0; at != std::string_view::npos; from = at + 1, at = path.find('/', from))
    if (const std::string_view module = module_in(path.substr(from, at - from)); !module.empty()) all.push_back(module);
  return all;
}

// ("layer", 3) of "layer_3".
std::optional<std::pair<std::string_view, std::int64_t>> numbered_name(std::string_view module) {
  const std::size_t line = module.rfind('_');
  if (line == std::string_view::npos || line == 0 || module.size() - line > 6 || module.size() - line < 2) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : module.substr(line + 1)) {
    if (!is_digit(c)) return std::nullopt;
    number = 10 * number + (c - '0');
  }
  return std::pair(module.substr(0, line), number);
}

}  // namespace

void program_scopes::add(std::string_view path) {
  const std::vector<std::string_view> modules = modules_of(path);
  if (modules.empty()) return;
  const char first = modules.front().front();
  if (model_.empty() && first >= 'A' && first <= 'Z') model_ = modules.front();
  std::string outside;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const auto named = numbered_name(modules[i]);
    if (!named) {
      outside.append(modules[i]).append("/");
      continue;
    }
    // The outermost number counts layers; those inside of it count parts of a layer.
    family& of = families_[outside + std::string(named->first)];
    of.numbers.insert(named->second);
    for (std::size_t inner = i + 1; inner < modules.size(); ++inner)
      of.attends = of.attends || part_of_class(modules[inner]) == module_part::attention;
    return;
  }
}

std::optional<program_scopes::numbered> program_scopes::layers() const {
  std::optional<numbered> found;
  for (const auto& [path, of] : families_) {
    const auto count = static_cast<std::int64_t>(of.numbers.size());
    if (!of.attends || count < 2 || *of.numbers.begin() != 0 || *of.numbers.rbegin() != count - 1) continue;
    if (found) return std::nullopt;
    const std::size_t name = path.rfind('/') + 1;
    const std::string each = path.substr(name) + '_';
    found = numbered{count, each + "0 … " + each + std::to_string(count - 1)};
    if (name > 0) found->evidence += " of " + path.substr(0, name - 1);
  }
  return found;
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
