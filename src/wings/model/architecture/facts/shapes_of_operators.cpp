// Shapes of operators of PyTorch and of those that vLLM, FlashAttention and TransformerEngine add to it.
// Source of orders of arguments: aten/src/ATen/native/native_functions.yaml, vLLM's csrc/torch_bindings.cpp and real traces.
#include <model/architecture/facts/shapes.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

std::string evidence_of(const operator_use& o) {
  constexpr std::size_t most = 120;
  std::string text(o.name);
  text += ' ';
  text += o.shapes_text.substr(0, most);
  if (o.shapes_text.size() > most) text += "…";
  return std::to_string(o.calls) + " x " + text;
}

class operator_reader {
 public:
  operator_reader(const model_record& r, model_shapes& into) : r_(r), into_(into) {
    for (const operator_use& o : r.operators) has_linears_ = has_linears_ || (!o.backward && o.name == "aten::linear");
  }

  void run() {
    for (const operator_use& o : r_.operators) {
      if (o.backward) {
        into_.backward = true;
        continue;
      }
      if (!o.nested) read(o);
    }
  }

 private:
  void read(const operator_use& o) {
    const std::string_view name = o.name;
    const auto stands = [&](std::string_view word) { return contains_folded(name, word); };
    const std::string_view last = name.substr(name.rfind(':') == std::string_view::npos ? 0 : name.rfind(':') + 1);
    if (stands("grouped") && o.input(1).size() == 3) return read_grouped(o);
    if (last == "linear") return read_linear(o, 0, 1, true);
    if (last == "addmm" && !has_linears_) return read_linear(o, 1, 2, false);
    if ((last == "mm" || last == "matmul") && !has_linears_) return read_linear(o, 0, 1, false);
    if (last == "embedding") return read_embedding(o);
    if (stands("unified_attention") || stands("flash_attn") || stands("attention")) return read_attention(o);
    if (stands("rotary")) return read_rotary(o);
    if (stands("batch_norm") || stands("batchnorm")) return add_norm(o, norm_kind::batch, 1);
    if (stands("group_norm")) return add_norm(o, norm_kind::group, 2);
    if (stands("rms_norm") || stands("rmsnorm")) return read_rms(o);
    if (stands("layer_norm") || stands("layernorm"))
      return add_norm(o, norm_kind::layer, last == "layer_norm" || last == "native_layer_norm" ? 2 : 1);
    if (last == "silu_and_mul" || last == "gelu_and_mul" || last == "gelu_tanh_and_mul" || stands("swiglu")) return read_gated(o);
    if (last == "silu" || last == "silu_") return add_activation(o, activation_kind::silu);
    if (last == "gelu") return add_activation(o, activation_kind::gelu);
    if (last == "relu" || last == "relu_" || last == "clamp_min") return add_activation(o, activation_kind::relu);
    if (last == "conv2d" || last == "conv3d" || last == "conv1d" || last == "convolution") return read_convolution(o);
    if (last == "argmax") return add_classes(o, false);
    if (last == "cross_entropy_loss" || last == "nll_loss" || last == "log_softmax") return add_classes(o, true);
    if (stands("moe_forward") || stands("fused_moe") || stands("fused_experts")) return read_experts(o);
  }

  // weight: [out, in]; of products without "linear" it is [in, out].
  void read_linear(const operator_use& o, std::size_t x, std::size_t w, bool out_first) {
    const tensor_shape &a = o.input(x), &b = o.input(w);
    if (a.size() < 2 || b.size() != 2 || (o.name == "aten::matmul" && a.size() == 2 && b[0] == a[0])) return;
    linear_use l;
    l.in = out_first ? b[1] : b[0];
    l.out = out_first ? b[0] : b[1];
    if (a.back() != l.in || l.in <= 0 || l.out <= 0) return;
    l.rows = rows_of(a);
    if (a.size() == 3) l.batch = a[0];
    l.bias = out_first ? !o.input(2).empty() : x == 1 && !o.input(0).empty();
    l.part = o.part;
    l.dtype = dtype_word(o.type(x));
    l.calls = o.calls;
    l.evidence = evidence_of(o);
    into_.linears.push_back(std::move(l));
  }

  void read_grouped(const operator_use& o) {
    if (auto g = grouped_of(o.input(0), o.input(1), o.calls, evidence_of(o))) into_.grouped.push_back(std::move(*g));
  }

  void read_embedding(const operator_use& o) {
    const tensor_shape &table = o.input(0), &ids = o.input(1);
    if (table.size() != 2 || ids.empty()) return;
    into_.embeddings.push_back(embedding_of(table, ids, o.calls, evidence_of(o)));
  }

  void read_attention(const operator_use& o) {
    const tensor_shape &q = o.input(0), &k = o.input(1), &v = o.input(2);
    attention_use a;
    a.calls = o.calls;
    a.evidence = evidence_of(o);
    a.dtype = dtype_word(o.type(1));
    if (contains_folded(o.name, "mla")) {
      // [tokens, heads, size], [tokens, rank], [tokens, 1, rotary size]
      if (q.size() != 3 || k.size() != 2) return;
      a.latent = true;
      a.tokens = q[0];
      a.heads = q[1];
      a.head_dim = q[2];
      a.kv_rank = k[1];
      if (v.size() == 3) a.rope_dim = v[2];
      into_.attentions.push_back(std::move(a));
      return;
    }
    if (q.size() != k.size() || q.empty() || q.back() != k.back() || v.size() != k.size()) return;
    a.head_dim = q.back();
    if (q.size() == 3) {
      a.tokens = q[0];
      a.heads = q[1];
      a.kv_heads = k[1];
    } else if (q.size() == 4) {
      // FlashAttention's own order is [batch, sequence, heads, size]; PyTorch's is [batch, heads, sequence, size].
      const bool heads_first = contains(o.name, "scaled_dot_product") || contains(o.name, "flex") || contains(o.name, "sdpa");
      const std::size_t heads = heads_first ? 1 : 2, tokens = heads_first ? 2 : 1;
      if (q[0] != k[0]) return;
      a.batch = q[0];
      a.heads = q[heads];
      a.kv_heads = k[heads];
      a.queries = q[tokens];
      a.keys = k[tokens];
    } else {
      return;
    }
    if (o.name == "aten::scaled_dot_product_attention" && a.queries == a.keys && a.queries > 1 && o.type(3).empty()) {
      if (o.value(5) == "True") a.causal = true;
      if (o.value(5) == "False") a.causal = false;
    }
    into_.attentions.push_back(std::move(a));
  }

  // positions, query, key, head size, cos and sin: vLLM's.
  void read_rotary(const operator_use& o) {
    rotary_use u;
    u.calls = o.calls;
    u.evidence = evidence_of(o);
    const tensor_shape &q = o.input(1), &k = o.input(2), &table = o.input(4);
    if (o.name == "_C::rotary_embedding" && q.size() == 2 && k.size() == 2 && table.size() == 2) {
      u.query_width = q[1];
      u.key_width = k[1];
      u.positions = table[0];
    }
    into_.rotaries.push_back(std::move(u));
  }

  void read_rms(const operator_use& o) {
    norm_use n;
    n.kind = norm_kind::rms;
    n.calls = o.calls;
    n.evidence = evidence_of(o);
    // The weight is the first input of one dimension.
    for (const tensor_shape& s : o.inputs)
      if (s.size() == 1 && n.width == 0) n.width = s[0];
    const tensor_shape& x = o.input(0).size() > 1 ? o.input(0) : o.input(1);
    if (n.width == 0 && !x.empty()) n.width = x.back();
    if (x.size() >= 3 && x.back() == n.width) n.heads = x.size() == 4 ? x[2] : 0;
    into_.norms.push_back(std::move(n));
  }

  void add_norm(const operator_use& o, norm_kind kind, std::size_t weight) {
    norm_use n;
    n.kind = kind;
    n.calls = o.calls;
    n.evidence = evidence_of(o);
    if (o.input(weight).size() == 1) n.width = o.input(weight)[0];
    into_.norms.push_back(std::move(n));
  }

  void add_activation(const operator_use& o, activation_kind kind) {
    const tensor_shape& x = o.input(0);
    activation_use a;
    a.kind = kind;
    a.width = x.empty() ? 0 : x.back();
    a.rows = rows_of(x);
    a.part = o.part;
    a.calls = o.calls;
    a.evidence = evidence_of(o);
    into_.activations.push_back(std::move(a));
  }

  // result [tokens, width], input [tokens, 2 x width]
  void read_gated(const operator_use& o) {
    const tensor_shape &out = o.input(0), &in = o.input(1);
    activation_use a;
    a.kind = contains_folded(o.name, "gelu") ? activation_kind::geglu : activation_kind::swiglu;
    a.gated = true;
    a.part = o.part;
    a.calls = o.calls;
    a.evidence = evidence_of(o);
    if (!out.empty() && !in.empty() && in.back() == 2 * out.back()) a.width = out.back();
    if (!out.empty()) a.rows = rows_of(out);
    into_.activations.push_back(std::move(a));
  }

  void read_convolution(const operator_use& o) {
    if (o.input(0).size() < 3 || o.input(1).size() != o.input(0).size()) return;
    into_.convolutions.push_back({o.input(0), o.input(1), dtype_word(o.type(0)), o.calls, evidence_of(o)});
  }

  void add_classes(const operator_use& o, bool loss) {
    const tensor_shape& x = o.input(0);
    if (x.size() != 2) return;
    into_.classes.push_back({x[0], x[1], loss, o.calls, evidence_of(o)});
  }

  // [tokens, hidden], [tokens, experts]
  void read_experts(const operator_use& o) {
    const tensor_shape &x = o.input(0), &logits = o.input(1);
    if (x.size() != 2 || logits.size() != 2 || x[0] != logits[0]) return;
    expert_use e;
    e.tokens = x[0];
    e.experts = logits[1];
    e.calls = o.calls;
    e.evidence = evidence_of(o);
    into_.experts.push_back(std::move(e));
  }

  const model_record& r_;
  model_shapes& into_;
  bool has_linears_ = false;
};

}  // namespace

void read_operators(const model_record& r, model_shapes& into) { operator_reader(r, into).run(); }

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
