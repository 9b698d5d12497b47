// How a merged trace says that a trace it was made of was not whole: as an error of an XSpace, and in a header of trace JSON.
#pragma once
#include <profkit/core/chrome.hpp>

#include <base/affix.hpp>
#include <base/json_writer.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A list of texts around the events, of the whole file or of a node's section.
inline constexpr std::string_view incomplete_key = "profkit_incomplete";
// What such a text begins with, after its node; what recorders report has neither.
inline constexpr std::string_view trace_incomplete = "its trace is incomplete: ", trace_missing = "its trace is missing: ";

// Before what an XSpace has as errors, where it is said with the rest.
inline constexpr char reported_by_recorder[] = "its recorder reported an error: ";

// The node that a text of a merged trace is about, "node 3: …" or "node 3, rank 3: …", and what it says of it.
[[nodiscard]] inline std::optional<std::pair<std::int64_t, std::string_view>> text_of_node(std::string_view text) noexcept {
  constexpr std::string_view head = "node ";
  if (text.substr(0, head.size()) != head) return std::nullopt;
  std::int64_t node = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + head.size(), last, node);
  const std::size_t colon = text.find(": ");
  if (error != std::errc{} || colon == std::string_view::npos || (*end != ':' && *end != ',')) return std::nullopt;
  return std::pair(node, text.substr(colon + 2));
}

// Whether an error of an XSpace was not reported by its recorder.
[[nodiscard]] inline bool is_merged_loss(std::string_view error) noexcept {
  const auto said = text_of_node(error);
  return said && (starts_with(said->second, trace_incomplete) || starts_with(said->second, trace_missing));
}

// What such a text says of its node: of an incomplete trace only what it lacks.
[[nodiscard]] inline std::string_view loss_of(std::string_view text) noexcept {
  const auto said = text_of_node(text);
  if (said) text = said->second;
  if (starts_with(text, trace_incomplete)) text.remove_prefix(trace_incomplete.size());
  return text;
}

// A member of a JSON object.
inline void append_losses(std::string& text, const std::vector<std::string>& losses) {
  (text += '"').append(incomplete_key) += "\":[";
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (i > 0) text += ',';
    append_json_string(text, losses[i]);
  }
  text += ']';
}

// What stands under the key: the texts of a list.
[[nodiscard]] inline std::vector<std::string> loss_texts(std::string_view json) {
  std::vector<std::string> texts;
  std::string scratch;
  for (std::size_t from = json.find('"'); from != std::string_view::npos;) {
    std::size_t to = from + 1;
    while (to < json.size() && json[to] != '"') to += json[to] == '\\' ? 2 : 1;
    texts.emplace_back(json_text(json.substr(from, to + 1 - from), scratch));
    from = to < json.size() ? json.find('"', to + 1) : std::string_view::npos;
  }
  return texts;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
