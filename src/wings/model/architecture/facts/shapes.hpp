// Shapes of what a model computes, in one form for operators of PyTorch, kernels of CANN's tables and instructions of programs.
#pragma once
#include <model/architecture/facts/program_scopes.hpp>
#include <model/architecture/facts/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// A product with a weight: rows x in by in x out.
struct linear_use {
  std::int64_t rows = 0, in = 0, out = 0;
  std::int64_t batch = 0;  // the first dimension where there are three; 0: not known
  bool bias = false;
  module_part part = module_part::none;
  std::string dtype;  // "bf16"; "" not known
  std::uint64_t calls = 0;
  std::string evidence;
};

struct attention_use {
  std::int64_t batch = 0, queries = 0, keys = 0;  // 0: not known
  std::int64_t tokens = 0;                        // of all sequences, where only their sum is known
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  std::int64_t width = 0, kv_width = 0;  // heads x head size, where only that is known
  bool either_order = false;             // the first two dimensions may be sequence and batch
  std::optional<bool> causal;
  bool latent = false;  // keys are latent: kv_rank is their width
  std::int64_t kv_rank = 0, rope_dim = 0;
  std::string dtype;
  std::uint64_t calls = 0;
  std::string evidence;
};

enum class norm_kind : std::uint8_t { rms, layer, group, batch };
struct norm_use {
  norm_kind kind = norm_kind::rms;
  std::int64_t width = 0;  // 0: not known
  std::int64_t heads = 0;  // of a norm over heads: their number; 0: it is not over heads
  std::uint64_t calls = 0;
  std::string evidence;
};

struct embedding_use {
  std::int64_t rows = 0, width = 0, batch = 0, sequence = 0;  // batch 0: tokens of all sequences
  std::uint64_t calls = 0;
  std::string evidence;
};

enum class activation_kind : std::uint8_t { silu, gelu, relu, swiglu, geglu, tanh, sigmoid };
struct activation_use {
  activation_kind kind = activation_kind::silu;
  std::int64_t width = 0, rows = 0;
  bool gated = false;
  module_part part = module_part::none;
  std::uint64_t calls = 0;
  std::string evidence;
};

struct convolution_use {
  tensor_shape input, weight;
  std::string dtype;
  std::uint64_t calls = 0;
  std::string evidence;
};

// A choice or a loss over classes.
struct class_use {
  std::int64_t rows = 0, classes = 0;
  bool loss = false;  // else the class is chosen
  std::uint64_t calls = 0;
  std::string evidence;
};

// Rotary positions of queries and keys, where their widths or heads are known.
struct rotary_use {
  std::int64_t query_width = 0, key_width = 0, heads = 0, kv_heads = 0, head_dim = 0, positions = 0;
  std::uint64_t calls = 0;
  std::string evidence;
};

struct expert_use {
  std::int64_t experts = 0, rank_experts = 0, top_k = 0, width = 0, tokens = 0;  // 0: not known; width: of one expert
  std::uint64_t calls = 0;
  std::string evidence;
};

// A product with the weights of several experts.
struct grouped_use {
  std::int64_t rows = 0, rank_experts = 0, in = 0, out = 0;
  std::uint64_t calls = 0;
  std::string evidence;
};

struct model_shapes {
  std::vector<linear_use> linears;
  std::vector<attention_use> attentions;
  std::vector<norm_use> norms;
  std::vector<embedding_use> embeddings;
  std::vector<activation_use> activations;
  std::vector<convolution_use> convolutions;
  std::vector<class_use> classes;
  std::vector<rotary_use> rotaries;
  std::vector<expert_use> experts;
  std::vector<grouped_use> grouped;
  bool backward = false;                                      // products of a backward pass are among the operators
  std::vector<std::pair<tensor_shape, std::string>> weights;  // inputs of programs: [in, out], with what they are
  std::int64_t stacked_layers = 0;                            // of weights that stand in one array for all layers; 0: none do
  std::string stacked_evidence;
  program_scopes scopes;  // of programs
};

// "bf16" of "c10::BFloat16", "DT_BF16" or "bfloat16"; "" of anything but a type that models compute in.
[[nodiscard]] std::string dtype_word(std::string_view recorded);

// Of the first input of a kernel; "" where it is not known.
[[nodiscard]] std::string first_type(const kernel_use& k);

// The product of all extents but the last; 0 where it is not known, or too large.
[[nodiscard]] std::int64_t rows_of(const tensor_shape& s);
// table: [rows, width]; ids: [sequence] or [batch, sequence].
[[nodiscard]] embedding_use embedding_of(const tensor_shape& table, const tensor_shape& ids, std::uint64_t calls, std::string evidence);
// x: [rows, in]; w: [experts, in, out] or [experts, out, in]. Nothing where they are no such product.
[[nodiscard]] std::optional<grouped_use> grouped_of(const tensor_shape& x, const tensor_shape& w, std::uint64_t calls, std::string evidence);

// Of operators of PyTorch.
void read_operators(const model_record& r, model_shapes& into);
// Of kernels of CANN.
void read_tables(const model_record& r, model_shapes& into);
// Of the programs in the files of a capture; the record gets the name of the one that is the model.
void read_programs(const profile& from, model_record& r, model_shapes& into);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
