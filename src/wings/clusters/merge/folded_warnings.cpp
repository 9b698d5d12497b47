#include "folded_warnings.hpp"

#include <base/affix.hpp>
#include <base/hash_map.hpp>

#include "clock_measurements.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct repeated_warning {
  std::string text;
  std::size_t times = 0;
  std::int64_t most_ps = 0;
};

// The text without its numbers and the units after them, which go from ns to ms.
std::string pattern_of(std::string_view text) {
  std::string pattern;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      pattern += text[i++];
      continue;
    }
    if (!pattern.empty() && pattern.back() == '-') pattern.pop_back();
    while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
    for (const std::string_view unit : {" ps", " ns", " us", " ms"})
      if (text.substr(i, unit.size()) == unit) {
        i += unit.size();
        break;
      }
    pattern += '#';
  }
  return pattern;
}

class warning_folder {
 public:
  void add(const std::string& text, std::int64_t size_ps) {
    const auto [at, is_new] = by_pattern_.try_emplace(pattern_of(text), all_.size());
    if (is_new) all_.push_back({text, 0, 0});
    repeated_warning& w = all_[at->second];
    ++w.times;
    w.most_ps = std::max(w.most_ps, size_ps);
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const repeated_warning& w : all_) {
      texts.push_back(w.text);
      if (w.times == 1) continue;
      texts.back() += " (" + std::to_string(w.times) + " times";
      if (w.most_ps > 0) texts.back() += ", up to " + step_text(static_cast<double>(w.most_ps));
      texts.back() += ')';
    }
    return texts;
  }

 private:
  std::vector<repeated_warning> all_;
  hash_map<std::string, std::size_t> by_pattern_;
};

}  // namespace

std::vector<std::string> folded_warnings(const std::vector<std::string>& all) {
  warning_folder folder;
  for (const std::string& text : all) folder.add(text, 0);
  return folder.texts();
}

std::vector<std::string> folded_warnings(const std::vector<clock_anomaly>& all) {
  warning_folder folder;
  for (const clock_anomaly& a : all) folder.add(a.text, a.size_ps);
  return folder.texts();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
