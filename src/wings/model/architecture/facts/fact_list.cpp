#include <model/architecture/facts/fact_list.hpp>

#include <model/architecture/facts/card.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::string fact_text(const fact_value& v) {
  if (const auto* n = std::get_if<std::int64_t>(&v)) return std::to_string(*n);
  if (const auto* d = std::get_if<double>(&v)) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, *d).ptr};
  }
  if (const auto* b = std::get_if<bool>(&v)) return *b ? "true" : "false";
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  std::string text;
  const auto join = [&](std::string_view part) { text.append(text.empty() ? "" : ", ").append(part); };
  if (const auto* words = std::get_if<std::vector<std::string>>(&v))
    for (const std::string& w : *words) join(w);
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&v))
    for (const std::int64_t n : *numbers) join(std::to_string(n));
  return text;
}

namespace architecture {
void fact_list::add(std::string name, fact_value value, certainty sure, fact_source source, std::string evidence, std::string unit) {
  const auto at = std::find_if(facts_.begin(), facts_.end(), [&](const model_fact& f) { return f.name == name; });
  if (at == facts_.end()) {
    facts_.push_back({std::move(name), std::move(value), std::move(unit), sure, source, std::move(evidence), {}});
    return;
  }
  model_fact& known = *at;
  const auto dispute = disputes_.find(known.name);
  const certainty surest = dispute != disputes_.end() ? dispute->second : known.sure;
  const bool differs = known.value != value;
  const bool is_disputed = dispute != disputes_.end() || (differs && std::min(surest, sure) >= certainty::likely);
  if (is_disputed) disputes_[known.name] = std::max(surest, sure);
  known.sure = is_disputed ? certainty::possible : std::max(surest, sure);
  if (!differs) return;
  if (sure > surest) {
    std::swap(known.value, value);
    std::swap(known.source, source);
    std::swap(known.evidence, evidence);
  }
  known.contradictions.push_back(fact_text(value) + " by " + fact_source_name(source) + ": " + evidence);
}

void fact_list::remove(std::string_view name) {
  if (const auto dispute = disputes_.find(name); dispute != disputes_.end()) disputes_.erase(dispute);
  facts_.erase(std::remove_if(facts_.begin(), facts_.end(), [&](const model_fact& f) { return f.name == name; }), facts_.end());
}

const model_fact* fact_list::find(std::string_view name) const {
  const auto at = std::find_if(facts_.begin(), facts_.end(), [&](const model_fact& f) { return f.name == name; });
  return at == facts_.end() ? nullptr : &*at;
}

std::optional<std::int64_t> fact_list::number(std::string_view name) const {
  const model_fact* f = find(name);
  const auto* n = f == nullptr ? nullptr : std::get_if<std::int64_t>(&f->value);
  return n == nullptr ? std::nullopt : std::make_optional(*n);
}

std::string fact_list::text(std::string_view name) const {
  const model_fact* f = find(name);
  const auto* s = f == nullptr ? nullptr : std::get_if<std::string>(&f->value);
  return s == nullptr ? std::string() : *s;
}

bool fact_list::is(std::string_view name) const {
  const model_fact* f = find(name);
  const auto* b = f == nullptr ? nullptr : std::get_if<bool>(&f->value);
  return b != nullptr && *b;
}

std::vector<model_fact> fact_list::take() {
  std::stable_sort(facts_.begin(), facts_.end(),
                   [](const model_fact& a, const model_fact& b) { return card_place(a.name) < card_place(b.name); });
  return {std::make_move_iterator(facts_.begin()), std::make_move_iterator(facts_.end())};
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
