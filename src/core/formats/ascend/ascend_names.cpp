#include <formats/ascend/ascend_names.hpp>

#include <base/affix.hpp>
#include <base/communication_kernels.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Whether `text`, without underscores and in lower case, begins with `lower`; the whole text when `whole`.
bool spells(std::string_view text, std::string_view lower, bool whole) noexcept {
  std::size_t at = 0;
  for (const char c : text) {
    if (c == '_' || c == ' ') continue;
    if (at == lower.size()) return !whole;
    if (folded(c) != lower[at]) return false;
    ++at;
  }
  return at == lower.size();
}

struct unit_rule {
  std::string_view spelling;  // lower case, without underscores
  bool whole;
  kernel_class kind;
};
// The first rule that fits counts. AI_CORE and AiCore are the same.
constexpr unit_rule units[] = {
    {"aicore", true, kernel_class::compute},     {"aivectorcore", true, kernel_class::compute},
    {"aivector", true, kernel_class::compute},   {"mixaic", true, kernel_class::compute},
    {"mixaiv", true, kernel_class::compute},     {"fftsplus", false, kernel_class::compute},
    {"dsasqe", true, kernel_class::compute},     {"dvpp", false, kernel_class::compute},
    {"aicpu", true, kernel_class::aicpu},        {"hccl", true, kernel_class::comm},
    {"communication", true, kernel_class::comm}, {"sdma", false, kernel_class::copy},
    {"pciedma", false, kernel_class::copy},      {"memcpy", false, kernel_class::copy},
    {"memset", false, kernel_class::copy},
};

constexpr std::string_view no_kernels[] = {"EVENT",     "NOTIFY",      "Notify",      "PLACE_HOLDER",
                                           "PROFILING", "MAINTENANCE", "WRITE_VALUE", "CMO",
                                           "SWITCH",    "GOTO",        "TIMEOUT",     "LABEL"};

bool is_number(std::string_view text) noexcept {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool is_no_kernel(std::string_view task_type) noexcept {
  return std::any_of(std::begin(no_kernels), std::end(no_kernels),
                     [task_type](std::string_view part) { return task_type.find(part) != std::string_view::npos; });
}

bool is_no_value(std::string_view trimmed) noexcept {
  return trimmed.empty() || trimmed == "N/A" || trimmed == "-" || trimmed == "null" || trimmed == "NA" ||
         trimmed == "n/a";
}

std::string_view ascend_step_id(std::string_view written) noexcept {
  const std::string_view whole = written.substr(0, written.find('.'));
  return is_number(whole) && written.find_first_not_of('0', whole.size() + 1) == std::string_view::npos ? whole
                                                                                                        : written;
}

ascend_class classify_ascend(std::string_view core, std::string_view op_type, std::string_view name) noexcept {
  ascend_class c;
  if (is_no_value(core)) {
    c.from_name = true;
    const bool aicpu = contains(name, "Aicpu") || contains(name, "AiCpu") || contains(name, "AICPU");
    c.kind = aicpu ? kernel_class::aicpu : kernel_class::compute;
  } else {
    const auto* const unit = std::find_if(std::begin(units), std::end(units),
                                          [core](const unit_rule& r) { return spells(core, r.spelling, r.whole); });
    if (unit != std::end(units)) c.kind = unit->kind;
  }
  c.on_aicpu = c.kind == kernel_class::aicpu;
  if (is_communication(name) || is_communication(op_type)) c.kind = kernel_class::comm;
  return c;
}

std::string_view ascend_op_type(std::string_view name) noexcept {
  if (starts_with_folded(name, "hcom_")) {
    const auto end = name.find("__");
    return end == std::string_view::npos ? name : name.substr(0, end + 1);
  }
  std::string_view rest = name.substr(0, name.find('@'));
  // A type of task: MEMCPY_ASYNC.
  if (std::none_of(rest.begin(), rest.end(), [](char c) { return c >= 'a' && c <= 'z'; })) return rest.empty() ? name : rest;
  for (;;) {
    const auto bar = rest.rfind('_');
    if (bar == std::string_view::npos) return rest.empty() ? name : rest;
    const std::string_view word = rest.substr(bar + 1);
    // Op types begin with a capital; split_qkv_rmsnorm_rope_kernel is one name.
    if (!word.empty() && !is_number(word)) return word.front() >= 'A' && word.front() <= 'Z' ? word : rest;
    rest = rest.substr(0, bar);
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
