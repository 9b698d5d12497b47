#include <model/architecture/facts/shapes.hpp>

#include <base/affix.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

struct dtype_rule {
  std::string_view part, word;  // part: in lower case
};
// The first that stands in a recorded type counts.
constexpr dtype_rule dtype_rules[] = {
    {"float8", "fp8"}, {"fp8", "fp8"},      {"e4m3", "fp8"},  {"e5m2", "fp8"},    {"bfloat16", "bf16"}, {"bf16", "bf16"},
    {"half", "fp16"},  {"float16", "fp16"}, {"fp16", "fp16"}, {"double", "fp64"}, {"float64", "fp64"},  {"float", "fp32"},
    {"fp32", "fp32"},  {"f32", "fp32"},     {"f16", "fp16"},  {"f64", "fp64"},
};

}  // namespace

std::string dtype_word(std::string_view recorded) {
  for (const dtype_rule& rule : dtype_rules)
    if (contains_folded(recorded, rule.part)) return std::string(rule.word);
  return {};
}

std::string first_type(const kernel_use& k) { return dtype_word(k.dtypes.substr(0, k.dtypes.find(';'))); }

std::int64_t rows_of(const tensor_shape& s) {
  std::int64_t all = 1;
  for (std::size_t i = 0; i + 1 < s.size(); ++i) all = s[i] <= 0 || all > (std::int64_t{1} << 60) / s[i] ? 0 : all * s[i];
  return all;
}

embedding_use embedding_of(const tensor_shape& table, const tensor_shape& ids, std::uint64_t calls, std::string evidence) {
  embedding_use e;
  e.rows = table[0];
  e.width = table[1];
  e.sequence = ids.back();
  if (ids.size() == 2) e.batch = ids[0];
  e.calls = calls;
  e.evidence = std::move(evidence);
  return e;
}

std::optional<grouped_use> grouped_of(const tensor_shape& x, const tensor_shape& w, std::uint64_t calls, std::string evidence) {
  if (x.size() != 2 || w.size() != 3 || (w[1] != x[1] && w[2] != x[1])) return std::nullopt;
  return grouped_use{x[0], w[0], x[1], w[1] == x[1] ? w[2] : w[1], calls, std::move(evidence)};
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
