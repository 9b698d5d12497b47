#include <formats/kept_operators.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Operators of PyTorch (native_functions.yaml) that compute nothing of a model, or that optimizers call for every weight. Sorted.
constexpr std::string_view passed_over[] = {
    "_conj", "_efficientzerotensor", "_has_compatible_shallow_copy_type", "_local_scalar_dense", "_reshape_alias", "_to_copy",
    "_unsafe_view", "add_", "addcdiv", "addcdiv_", "addcmul", "addcmul_", "alias", "all", "any", "arange", "argsort", "as_strided",
    "chunk", "clone", "contiguous", "copy_", "cos", "cumsum", "detach", "detach_", "div", "div_", "empty", "empty_like", "empty_strided",
    "eq", "expand", "expand_as", "fill_", "flatten", "full", "full_like", "ge", "gt", "index", "index_select", "is_nonzero", "item", "le",
    "lerp_", "lift_fresh", "lt", "max", "min", "mul_", "narrow", "ne", "neg", "new_empty", "new_zeros", "ones", "ones_like", "permute",
    "pin_memory", "record_stream", "repeat", "reshape", "resize_", "resolve_conj", "resolve_neg", "scalar_tensor", "scatter_", "select",
    "set_", "sin", "slice", "slice_backward", "split", "split_with_sizes", "sqrt", "squeeze", "stack", "sub", "sub_", "sum", "swapaxes",
    "t", "to", "transpose", "unbind", "unflatten", "unsafe_split", "unsqueeze", "view", "view_as", "where", "zero_", "zeros",
    "zeros_like",
};
constexpr std::string_view native = "aten::";

}  // namespace

bool keeps_operator(std::string_view name) noexcept {
  if (name.substr(0, native.size()) != native) return !starts_with(name, "torch::autograd::") && name != "detach" && name != "detach_";
  name.remove_prefix(native.size());
  return !starts_with(name, "_foreach_") && !std::binary_search(std::begin(passed_over), std::end(passed_over), name);
}

bool keeps_operator_values(std::string_view name) noexcept {
  return contains_folded(name, "attention") || contains_folded(name, "attn") || contains_folded(name, "sdpa");
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
