#include <base/collective_names.hpp>

#include <base/affix.hpp>

#include <cstddef>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// HLO opcodes that communicate (xla/hlo/ir/hlo_opcode.h of openxla/xla, 2021 to 2026), and the names that the
// TPU compiler gives to fused and wrapped ones. hlo_category is the opcode, or "<opcode> fusion".
constexpr std::string_view hlo_collectives[] = {
    "all-reduce-scatter",  // a fused all-reduce and slice; before its prefix
    "all-reduce",
    "all-gather",
    "reduce-scatter",
    "ragged-all-to-all",
    "all-to-all",
    "collective-permute",
    "collective-broadcast",
    "async-collective",
    "send",
    "recv",
};

struct spelling {
  std::string_view letters;  // small ones, nothing between them
  std::string_view collective;
};
// What stands in longer names comes after these.
constexpr spelling spellings[] = {
    {"raggedalltoall", "ragged-all-to-all"}, {"alltoall", "all-to-all"}, {"reducescatter", "reduce-scatter"},
    {"allreduce", "all-reduce"},             {"allgather", "all-gather"}, {"crossdevicereduce", "all-reduce"},
    {"sendrecv", "send-recv"},               {"broadcast", "broadcast"},  {"barrier", "barrier"},
    {"reduce", "reduce"},                    {"gather", "gather"},        {"scatter", "scatter"},
    {"send", "send"},                        {"recv", "recv"},            {"receive", "recv"},
};

// "copy-done" of "copy-done.2" and of "copy-done.2.clone".
std::string_view without_number(std::string_view name) noexcept {
  for (std::size_t at = 0; at + 1 < name.size(); ++at)
    if (name[at] == '.' && (is_digit(name[at + 1]) || starts_with(name.substr(at), ".clone")))
      return name.substr(0, at);
  return name;
}

}  // namespace

std::string_view instruction_name(std::string_view event_name) noexcept {
  if (!event_name.empty() && event_name.front() == '%') event_name.remove_prefix(1);
  return event_name.substr(0, event_name.find_first_of(" ="));
}

async_role role_of(std::string_view name) noexcept {
  const std::string_view base = without_number(name);
  if (ends_with(base, "-start")) return async_role::start;
  if (ends_with(base, "-done")) return async_role::done;
  return async_role::none;
}

std::string_view operation_of(std::string_view name) noexcept {
  std::string_view base = without_number(name);
  for (const std::string_view role : {"-start", "-done", "-update"})
    if (ends_with(base, role)) return base.substr(0, base.size() - role.size());
  return base;
}

std::string_view operation_number_of(std::string_view name) noexcept { return name.substr(without_number(name).size()); }

std::string_view collective_of(std::string_view category_or_name) noexcept {
  const std::string_view operation = operation_of(category_or_name);
  for (const std::string_view collective : hlo_collectives) {
    if (!starts_with(operation, collective)) continue;
    const std::string_view rest = operation.substr(collective.size());
    // "all-reduce fusion", "all-gather-fusion"; but "sender" and "send_buffer" are not "send".
    if (rest.empty() || rest.front() == ' ' || rest.front() == '-' || rest.front() == '.') return collective;
  }
  return {};
}

std::string_view collective_with_role(std::string_view name) noexcept {
  const std::string_view collective = collective_of(name);
  const async_role role = role_of(name);
  if (collective.empty() || role == async_role::none) return collective;
  constexpr std::size_t start_bytes = 6, done_bytes = 5;
  return name.substr(0, operation_of(name).size() + (role == async_role::start ? start_bytes : done_bytes));
}

std::string_view bare_kernel_name(std::string_view name) noexcept {
  constexpr std::string_view returns = "void ", anonymous = "(anonymous namespace)::";
  if (starts_with(name, returns)) name.remove_prefix(returns.size());
  for (auto at = name.find(anonymous); at != std::string_view::npos && at <= name.find_first_of("<(");
       at = name.find(anonymous))
    name.remove_prefix(at + anonymous.size());
  name = name.substr(0, name.find_first_of("<("));
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  const std::size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

std::string squeezed(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, name.find_first_of("(<")))
    if (c != '_' && c != '-' && c != ' ') text += folded(c);
  return text;
}

std::string_view collective_spelled_in(std::string_view name) {
  const std::string letters = squeezed(bare_kernel_name(name));
  for (const spelling& s : spellings)
    if (contains(letters, s.letters)) return s.collective;
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
