#include <model/architecture/facts/scopes.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

// Parts of class names, in lower case; the first that stands in a name counts.
struct part_word {
  std::string_view word;
  module_part part;
};
constexpr part_word part_words[] = {
    {"moe", module_part::experts},        {"expert", module_part::experts},
    {"sparsemlp", module_part::experts},  {"mixtureof", module_part::experts},
    {"mamba", module_part::state_space},  {"statespace", module_part::state_space},
    {"ssm", module_part::state_space},    {"attention", module_part::attention},
    {"attn", module_part::attention},     {"mlp", module_part::mlp},
    {"feedforward", module_part::mlp},    {"ffn", module_part::mlp},
    {"densereludense", module_part::mlp},
};
constexpr std::string_view block_endings[] = {"layer", "block", "decoderlayer", "encoderlayer"};
// Words in classes that end like blocks but are not blocks.
constexpr std::string_view no_blocks[] = {"norm", "linear", "embed",  "mlp",        "ffn",  "attention",
                                          "attn", "moe",    "expert", "activation", "conv", "dropout"};

}  // namespace

std::string_view class_of_module(std::string_view span) noexcept {
  constexpr std::string_view scope = "nn.Module: ";
  if (!starts_with(span, scope)) return {};
  span.remove_prefix(scope.size());
  const std::size_t number = span.find_last_not_of("0123456789");
  if (number == std::string_view::npos || number + 1 == span.size() || span[number] != '_') return span;
  return span.substr(0, number);
}

module_part part_of_class(std::string_view name) noexcept {
  for (const part_word& p : part_words)
    if (contains_folded(name, p.word)) return p.part;
  return module_part::none;
}

bool is_block_class(std::string_view name) noexcept {
  const auto ends = [&](std::string_view ending) { return ends_with_folded(name, ending); };
  if (std::none_of(std::begin(block_endings), std::end(block_endings), ends)) return false;
  // "NemotronHAttentionDecoderLayer" is a block, "LinearLayer" is not.
  if (ends_with_folded(name, "decoderlayer") || ends_with_folded(name, "encoderlayer")) return true;
  return std::none_of(std::begin(no_blocks), std::end(no_blocks), [&](std::string_view word) { return contains_folded(name, word); });
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
