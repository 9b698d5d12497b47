#include <formats/step_names.hpp>

#include <base/affix.hpp>

#include <charconv>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Longer names are never steps.
constexpr std::size_t longest_step_name = 1024;

bool is_numbered(std::string_view name, std::string_view prefix) noexcept {
  return name.size() > prefix.size() && starts_with(name, prefix) &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos;
}

// "step[DECODE bs=32]", "step[EXTEND bs=1 toks=512]": a batch of SGLang's scheduler.
bool is_scheduler_step(std::string_view name) noexcept {
  return starts_with(name, "step[") && ends_with(name, "]") && name.size() <= longest_step_name;
}

// "execute_context_1(8)_generation_0(0)", "execute_8_context_1(sq8sk8)_generation_0(sq0sk0)": a call of vLLM's worker.
bool is_execute_step(std::string_view name) noexcept {
  if (!starts_with(name, "execute_") || !ends_with(name, ")") || name.size() > longest_step_name) return false;
  const std::size_t context = name.find("context_");
  return context != std::string_view::npos && name.find(")_generation_", context) != std::string_view::npos;
}

}  // namespace

std::int64_t trailing_number(std::string_view name) noexcept {
  const auto last = name.find_last_not_of("0123456789");
  const std::string_view digits = last == std::string_view::npos ? name : name.substr(last + 1);
  std::int64_t number = -1;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc() ? number : -1;
}

result<step_names> step_names::make(const std::string& pattern) {
  step_names made;
  if (pattern.empty()) return made;
  result<name_pattern> compiled = name_pattern::make(pattern);
  if (!compiled) {
    fault why = std::move(compiled).error();
    why.code = fault_code::invalid_argument;
    why.message = "the pattern of step names \"" + pattern + "\": " + why.message;
    if (why.hint.empty()) why.hint = "give a regular expression, such as train_step_[0-9]+";
    return why;
  }
  made.pattern_ = std::move(*compiled);
  return made;
}

std::optional<named_step> step_names::match(std::string_view name) const {
  if (is_numbered(name, "ProfilerStep#")) return named_step{marker_source::profiler_step, trailing_number(name)};
  if (is_numbered(name, "Iteration#") || is_numbered(name, "Step#")) {
    return named_step{marker_source::numbered_step, trailing_number(name)};
  }
  if (fits_pattern(name)) return named_step{marker_source::pattern, trailing_number(name)};
  if (is_scheduler_step(name)) return named_step{marker_source::scheduler_step, -1};
  if (is_execute_step(name)) return named_step{marker_source::execute_step, -1};
  return std::nullopt;
}

bool step_names::fits_pattern(std::string_view name) const {
  return pattern_ && name.size() <= longest_step_name && pattern_->matches(name);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
