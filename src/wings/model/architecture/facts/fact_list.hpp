// Facts as sources give them: of those with one name the surest stands, and what differs from it stands beside it.
#pragma once
#include <profkit/core/facts.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

class fact_list {
 public:
  // Sources come best first. Two that agree are as sure as the surer one; where any that are likely or better differ, none is more
  // than possible.
  void add(std::string name, fact_value value, certainty sure, fact_source source, std::string evidence, std::string unit = {});
  // Removes what only looked like a fact.
  void remove(std::string_view name);

  // Stays valid while more are added.
  [[nodiscard]] const model_fact* find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;  // "" when it is not a text
  [[nodiscard]] bool is(std::string_view name) const;           // whether it is a switch that is on
  // In the order of a card: what it is, its sizes, its layers, how it ran, on what.
  [[nodiscard]] std::vector<model_fact> take();

 private:
  std::deque<model_fact> facts_;
  std::map<std::string, certainty, std::less<>> disputes_;  // facts on which sources differ: how sure the surest of them is
};

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
