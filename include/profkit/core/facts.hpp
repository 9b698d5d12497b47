// What is known of a model that ran, a row a fact: how sure it is, where it comes from, and what contradicts it.
#pragma once
#include <profkit/core/finding.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum fact_source: written by scripts/generate
/// pk_fact.source: what a fact is read from, best first.
enum class fact_source : std::uint8_t {
  annotation, ///< what a framework wrote around its steps
  module,     ///< scopes of modules: nn.Module, named scopes of programs
  shape,      ///< shapes and types of operators, of kernels that a table lists, or of a program
  kernel,     ///< names of kernels and their template arguments
  group,      ///< groups of communication and settings of the run
  recorder,   ///< what the recorder says of the machine or of the run
  count       ///< how often something ran
};
[[nodiscard]] const char* fact_source_name(fact_source value) noexcept;  ///< "annotation", "module", …
// end of enum fact_source

using fact_value = std::variant<std::int64_t, double, bool, std::string, std::vector<std::string>, std::vector<std::int64_t>>;
/// "24", "41.2", "true", "prefill, decode".
[[nodiscard]] std::string fact_text(const fact_value& v);

struct model_fact {
  std::string name;  ///< "layers", "hidden_size"; docs/architecture-report.md lists them
  fact_value value;
  std::string unit;  ///< "tokens", "parameters", "tokens/s", "%"; "" for counts and words
  certainty sure = certainty::possible;
  fact_source source = fact_source::count;
  std::string evidence;                     ///< "aten::embedding [[151936, 1024], [16, 559]]"
  std::vector<std::string> contradictions;  ///< what other sources say: "32 by kernels: 32 x flash_fwd_kernel"
};

/// The value for people: parameters and rates rounded, "464 M", shares with their sign.
[[nodiscard]] std::string shown_text(const model_fact& f);

/// A line of the card: "attention", "kind GQA; heads 10; kv heads 5; …".
struct fact_line {
  const char* title;
  std::string text;
};
/// The facts on one screen, what is alike on one line; what is not proved says how sure it is. Lines without a fact are left out.
[[nodiscard]] std::vector<fact_line> card_of(const std::vector<model_fact>& facts);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
