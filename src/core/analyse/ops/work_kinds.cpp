#include <analyse/ops/work_kinds.hpp>

#include <base/kernel_families.hpp>
#include <base/affix.hpp>
#include <base/collective_names.hpp>
#include <profkit/core/activity.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

enum class vocabulary : std::uint8_t { hlo, pytorch, npu, npu_beginning, transfer };
struct kind_word {
  vocabulary of;
  std::string_view word;
  work_kind kind;
};
constexpr kind_word kind_words[] = {
#define PROFKIT_WORK_KIND(of, word, kind) {vocabulary::of, word, work_kind::kind},
#include <analyse/ops/work_kinds.inc>
#undef PROFKIT_WORK_KIND
};
struct kernel_words {
  std::string_view first, second;
  work_kind kind;
};
constexpr kernel_words kernel_kinds[] = {
#define PROFKIT_KERNEL_KIND(first, second, kind) {first, second, work_kind::kind},
#include <analyse/ops/work_kinds.inc>
#undef PROFKIT_KERNEL_KIND
};

// Of the first word of the vocabulary for which fits(word) holds.
template <class Fits>
work_kind find_kind(vocabulary of, Fits&& fits) {
  const auto found =
      std::find_if(std::begin(kind_words), std::end(kind_words), [&](const kind_word& each) { return each.of == of && fits(each.word); });
  return found == std::end(kind_words) ? work_kind::unknown : found->kind;
}
work_kind find_word(vocabulary of, std::string_view wanted) noexcept {
  return find_kind(of, [&](std::string_view word) { return word == wanted; });
}

work_kind kind_of_transfer(std::string_view name) noexcept {
  const work_kind way = find_kind(vocabulary::transfer, [&](std::string_view word) { return contains_folded(name, word); });
  if (way != work_kind::unknown) return way;
  return contains_folded(name, "memset") || contains_folded(name, "fill") ? work_kind::fill : work_kind::copy;
}

// "Conv2DBackpropFilter": names of C++ kernels have other signs.
bool may_be_op_type(std::string_view name) noexcept {
  const auto is_letter = [](char c) { return folded(c) >= 'a' && folded(c) <= 'z'; };
  return !name.empty() && name[0] >= 'A' && name[0] <= 'Z' &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

work_kind kind_of_op_type(std::string_view type) noexcept {
  if (!may_be_op_type(type)) return work_kind::unknown;
  if (const work_kind whole = find_word(vocabulary::npu, type); whole != work_kind::unknown) return whole;
  return find_kind(vocabulary::npu_beginning, [&](std::string_view word) { return starts_with(type, word); });
}

// Of aten::copy_, whose first two inputs are what it writes and what it reads. Nothing where their types are not on record.
std::optional<bool> converts(std::string_view types) noexcept {
  std::string_view both[2];
  for (std::string_view& each : both) {
    const std::size_t begin = types.find('"');
    if (begin == std::string_view::npos) return std::nullopt;
    types.remove_prefix(begin + 1);
    const std::size_t end = std::min(types.find('"'), types.size());
    each = types.substr(0, end);
    types.remove_prefix(std::min(end + 1, types.size()));
    if (each.empty()) return std::nullopt;
  }
  return both[0] != both[1];
}

work_kind find_kernel(std::string_view name) noexcept {
  const auto fits = [&](const kernel_words& each) { return contains(name, each.first) && contains(name, each.second); };
  const auto found = std::find_if(std::begin(kernel_kinds), std::end(kernel_kinds), fits);
  return found == std::end(kernel_kinds) ? work_kind::unknown : found->kind;
}

// It reads and writes the same type.
work_kind kind_of_plain_copy(const named_kernel& k) noexcept {
  const work_kind kind = find_kernel(k.name);
  const bool reorders = kind == work_kind::layout_copy || find_word(vocabulary::pytorch, k.outer_op) == work_kind::layout_copy;
  return reorders ? work_kind::layout_copy : work_kind::copy;
}

// What a copy of PyTorch is for, by the operator that asked for it.
work_kind kind_of_operator(std::string_view op, std::string_view outer_op) noexcept {
  const work_kind own = find_word(vocabulary::pytorch, op);
  if (own != work_kind::copy) return own;
  const work_kind outer = find_word(vocabulary::pytorch, outer_op);
  return outer == work_kind::unknown ? own : outer;
}

// Of kernels that do several things at once nothing is said.
work_kind kind_of_family(architecture::op_kind kind) noexcept {
  using architecture::op_kind;
  switch (kind) {
    case op_kind::unknown:
    case op_kind::moe_routing:
    case op_kind::kv_cache:
    case op_kind::quantisation: return work_kind::unknown;
    case op_kind::embedding: return work_kind::gather;
    default: return architecture::communicates(kind) ? work_kind::communication : work_kind::compute;
  }
}

}  // namespace

const char* work_kind_name(work_kind k) noexcept {
  switch (k) {
    case work_kind::unknown: return "";
    case work_kind::compute: return "compute";
    case work_kind::communication: return "communication";
    case work_kind::control: return "control flow";
    case work_kind::transpose: return "transpose";
    case work_kind::layout_copy: return "layout copy";
    case work_kind::formatting: return "data formatting";
    case work_kind::pad: return "pad";
    case work_kind::concatenate: return "concatenate";
    case work_kind::gather: return "gather";
    case work_kind::scatter: return "scatter";
    case work_kind::slice: return "slice";
    case work_kind::copy: return "copy";
    case work_kind::cast: return "cast";
    case work_kind::broadcast: return "broadcast";
    case work_kind::fill: return "fill";
    case work_kind::to_device: return "copy to device";
    case work_kind::to_host: return "copy to host";
    case work_kind::between_devices: return "copy between devices";
    case work_kind::host_transfer: return "transfer with host";
    case work_kind::copy_wait: return "wait for copy";
  }
  return "";
}

work_kind kind_of_opcode(std::string_view opcode) noexcept {
  if (!collective_of(opcode).empty()) return work_kind::communication;
  return find_word(vocabulary::hlo, opcode);
}

work_kind kind_of_kernel(const named_kernel& k) {
  if (k.category == kernel_class_name(kernel_class::comm)) return work_kind::communication;
  const bool is_transfer = contains_folded(k.name, "memcpy") || contains_folded(k.name, "memset");
  if (is_transfer || k.category == kernel_class_name(kernel_class::copy)) return kind_of_transfer(k.name);
  if (k.op == "aten::copy_")
    if (const std::optional<bool> known = converts(k.types)) return *known ? work_kind::cast : kind_of_plain_copy(k);
  if (const work_kind kind = find_kernel(k.name); kind != work_kind::unknown) return kind;
  if (const work_kind kind = kind_of_op_type(k.op_type); kind != work_kind::unknown) return kind;
  if (const work_kind kind = kind_of_operator(k.op, k.outer_op); kind != work_kind::unknown) return kind;
  if (starts_with(k.op, "aten::") || contains(k.name, "at::native::")) return work_kind::compute;
  const architecture::kernel_family* const family = architecture::find_family(k.name);
  return family == nullptr ? work_kind::unknown : kind_of_family(family->kind);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
