// Shapes of kernels of CANN, as kernel_details.csv lists them.
// Source of orders: the operators' pages of CANN's documentation (aclnnFlashAttentionScore, FusedInferAttentionScore, …) and real tables.
#include <model/architecture/facts/shapes.hpp>

#include <base/affix.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

std::string table_evidence(const kernel_use& k) {
  constexpr std::size_t most = 120;
  std::string text = std::to_string(k.calls) + " x " + std::string(k.type) + " \"" + std::string(k.shapes_text.substr(0, most));
  return text + (k.shapes_text.size() > most ? "…\"" : "\"");
}

class table_reader {
 public:
  table_reader(const model_record& r, model_shapes& into) : r_(r), into_(into) {
    for (const kernel_use& k : r.kernels)
      trains_ =
          trains_ || contains_folded(k.type, "grad") || contains_folded(k.type, "backprop") || starts_with_folded(k.type, "applyadam");
  }

  void run() {
    for (const kernel_use& k : r_.kernels)
      if (!k.communicates && !k.inputs.empty() && !is_backward(k)) read(k);
    into_.backward = into_.backward || trains_;
  }

 private:
  static bool is_backward(const kernel_use& k) { return contains_folded(k.type, "grad") || contains_folded(k.type, "backprop"); }
  static const tensor_shape& at(const std::vector<tensor_shape>& of, std::size_t i) {
    static const tensor_shape none;
    return i < of.size() ? of[i] : none;
  }

  void read(const kernel_use& k) {
    const auto stands = [&](std::string_view word) { return contains_folded(k.type, word); };
    if (stands("groupedmatmul")) return read_grouped(k);
    if (starts_with_folded(k.type, "moegatingtopk")) return read_gating(k);
    if (starts_with_folded(k.type, "matmul") || starts_with_folded(k.type, "quantbatchmatmul")) return read_matmul(k);
    if (stands("flashattentionscore") || stands("fusedinferattention") || stands("promptflashattention") || stands("increflashattention"))
      return read_attention(k);
    if (starts_with_folded(k.type, "gather")) return read_gather(k);
    if (starts_with_folded(k.type, "applyrotaryposemb")) return read_rotary_pair(k);
    if (starts_with_folded(k.type, "rotarypositionembedding")) return read_rotary(k);
    if (stands("rmsnorm")) return read_norm(k, norm_kind::rms);
    if (stands("layernorm")) return read_norm(k, norm_kind::layer);
    if (stands("swiglu")) return read_activation(k, activation_kind::swiglu, true);
    if (stands("geglu")) return read_activation(k, activation_kind::geglu, true);
    if (k.type == "Gelu" || k.type == "FastGelu" || k.type == "GeluV2") return read_activation(k, activation_kind::gelu, false);
    if (k.type == "Relu" || k.type == "ReluV2") return read_activation(k, activation_kind::relu, false);
    if (k.type == "Swish" || k.type == "Silu") return read_activation(k, activation_kind::silu, false);
    if (starts_with_folded(k.type, "conv2d")) return read_convolution(k);
    if (starts_with_folded(k.type, "argmax")) return read_classes(k, false);
    if (starts_with_folded(k.type, "logsoftmax") || stands("crossentropy")) return read_classes(k, true);
  }

  void read_matmul(const kernel_use& k) {
    const tensor_shape &a = at(k.inputs, 0), &b = at(k.inputs, 1);
    if (a.size() != 2 || b.size() != 2) return;
    // A weight is [out, in]. In training, [in, out] is a gradient's product.
    const bool out_first = b[1] == a[1];
    if (!out_first && (b[0] != a[1] || trains_)) return;
    linear_use l;
    l.rows = a[0];
    l.in = a[1];
    l.out = out_first ? b[0] : b[1];
    l.bias = at(k.inputs, 2).size() == 1 && at(k.inputs, 2)[0] == l.out;
    l.dtype = first_type(k);
    l.calls = k.calls;
    l.evidence = table_evidence(k);
    into_.linears.push_back(std::move(l));
  }

  void read_grouped(const kernel_use& k) {
    if (auto g = grouped_of(at(k.inputs, 0), at(k.inputs, 1), k.calls, table_evidence(k))) into_.grouped.push_back(std::move(*g));
  }

  void read_gating(const kernel_use& k) {
    const tensor_shape &x = at(k.inputs, 0), &chosen = at(k.outputs, 0);
    if (x.size() != 2) return;
    expert_use e;
    e.tokens = x[0];
    e.experts = x[1];
    if (chosen.size() == 2 && chosen[0] == x[0] && chosen[1] <= x[1]) e.top_k = chosen[1];
    e.calls = k.calls;
    e.evidence = table_evidence(k);
    into_.experts.push_back(std::move(e));
  }

  void read_gather(const kernel_use& k) {
    const tensor_shape &table = at(k.inputs, 0), &ids = at(k.inputs, 1);
    constexpr std::int64_t min_rows = 1000;  // fewer are positions, types or rows of a cache
    if (table.size() != 2 || ids.empty() || ids.size() > 2 || table[0] < min_rows) return;
    into_.embeddings.push_back(embedding_of(table, ids, k.calls, table_evidence(k)));
  }

  // Query and key as [tokens, heads, size], or with batch and sequence apart.
  void read_rotary_pair(const kernel_use& k) {
    const tensor_shape &q = at(k.inputs, 0), &key = at(k.inputs, 1);
    if (q.size() < 3 || q.size() != key.size() || q.back() != key.back()) return;
    rotary_use u;
    u.heads = q[q.size() - 2];
    u.kv_heads = key[key.size() - 2];
    u.head_dim = q.back();
    u.calls = k.calls;
    u.evidence = table_evidence(k);
    into_.rotaries.push_back(std::move(u));
  }

  // One of them: [S, B, heads, size] with [S, 1, 1, size], or [B, S, heads, size] with [1, S, 1, size].
  void read_rotary(const kernel_use& k) {
    const tensor_shape& x = at(k.inputs, 0);
    if (x.size() != 4) return;
    rotary_use u;
    u.heads = x[2];
    u.head_dim = x[3];
    u.calls = k.calls;
    u.evidence = table_evidence(k);
    into_.rotaries.push_back(std::move(u));
  }

  void read_norm(const kernel_use& k, norm_kind kind) {
    norm_use n;
    n.kind = kind;
    const tensor_shape& x = at(k.inputs, 0);
    for (const tensor_shape& s : k.inputs)
      if (s.size() == 1 && n.width == 0) n.width = s[0];
    if (n.width == 0 && !x.empty()) n.width = x.back();
    if (x.size() == 4 && x.back() == n.width) n.heads = x[2];
    n.calls = k.calls;
    n.evidence = table_evidence(k);
    into_.norms.push_back(std::move(n));
  }

  void read_activation(const kernel_use& k, activation_kind kind, bool gated) {
    const tensor_shape& x = at(k.inputs, 0);
    if (x.empty()) return;
    activation_use a;
    a.kind = kind;
    a.gated = gated;
    a.width = gated ? x.back() / 2 : x.back();
    a.rows = rows_of(x);
    a.calls = k.calls;
    a.evidence = table_evidence(k);
    into_.activations.push_back(std::move(a));
  }

  void read_convolution(const kernel_use& k) {
    into_.convolutions.push_back({at(k.inputs, 0), at(k.inputs, 1), first_type(k), k.calls, table_evidence(k)});
  }

  void read_classes(const kernel_use& k, bool loss) {
    const tensor_shape& x = at(k.inputs, 0);
    if (x.size() == 2) into_.classes.push_back({x[0], x[1], loss, k.calls, table_evidence(k)});
  }

  void read_attention(const kernel_use& k) {
    const tensor_shape &q = at(k.inputs, 0), &key = at(k.inputs, 1);
    if (q.size() < 3 || key.empty()) return;
    attention_use a;
    a.calls = k.calls;
    a.dtype = first_type(k);
    a.evidence = table_evidence(k);
    const tensor_shape& sums = at(k.outputs, 0);  // of FlashAttentionScore: [B, N, S, 8]
    if (sums.size() == 4 && sums[3] == 8) {
      a.batch = sums[0];
      a.heads = sums[1];
      a.queries = sums[2];
    }
    if (q.size() == 3) {
      a.width = q[2];
      a.kv_width = key.size() == 3 ? key[2] : 0;
      if (a.batch == 0) order(q, key, k, a);
      if (a.batch == 0 && a.tokens == 0) a.width = a.kv_width = 0;
      if (a.heads > 0 && a.width % a.heads == 0) {
        a.head_dim = a.width / a.heads;
        if (a.kv_width % a.head_dim == 0) a.kv_heads = a.kv_width / a.head_dim;
      }
    } else if (q.size() == 4) {
      a.head_dim = q[3];
      // [B, N, S, D] unless only the other order gives a number of heads that rotary positions, or the sums, have, too.
      const auto fits = [&](std::int64_t heads, std::int64_t queries) {
        return a.batch == 0 ? is_heads(heads) : heads == a.heads && queries == a.queries;
      };
      const bool heads_second = !fits(q[2], q[1]) || fits(q[1], q[2]);
      if (a.batch == 0) {
        a.batch = q[0];
        a.heads = q[heads_second ? 1 : 2];
        a.queries = q[heads_second ? 2 : 1];
      }
      // Keys lie as queries do; a cache is [blocks, kv heads, block, size].
      if (key.size() == 4) a.kv_heads = key[heads_second || key[0] != a.batch ? 1 : 2];
      if (key.size() == 3 && key[2] % q[3] == 0) a.kv_heads = key[2] / q[3];  // a cache: [blocks, block, kv heads x size]
    }
    if (contains_folded(k.type, "flashattentionscore")) {
      a.keys = key.size() == q.size() ? a.queries : 0;
      // The mask of causal attention: compressed it is 2048 x 2048, else as long as the sequence.
      for (std::size_t i = 3; i < k.inputs.size(); ++i) {
        const tensor_shape& m = k.inputs[i];
        if (m.size() >= 2 && m[m.size() - 1] == m[m.size() - 2] && m.back() == 2048 && a.queries != 2048) a.causal = true;
      }
    }
    into_.attentions.push_back(std::move(a));
  }

  bool is_heads(std::int64_t n) const {
    return std::any_of(r_.kernels.begin(), r_.kernels.end(), [&](const kernel_use& k) {
      if (!contains_folded(k.type, "rotary")) return false;
      const tensor_shape& x = at(k.inputs, 0);
      return x.size() >= 3 && x[x.size() - 2] == n;
    });
  }

  // [S,B,H], [B,S,H] or [T,N,D]. A width that may as well be the size of one head says nothing.
  void order(const tensor_shape& q, const tensor_shape& key, const kernel_use& k, attention_use& a) {
    for (const kernel_use& other : r_.kernels) {
      if (!contains_folded(other.type, "rotary")) continue;
      const tensor_shape& x = at(other.inputs, 0);
      if (x == q && x.size() == 3) {  // tokens, heads, size
        a.tokens = q[0];
        a.heads = q[1];
        a.head_dim = q[2];
        a.width = q[1] * q[2];
        if (key.size() == 3) {
          a.kv_heads = key[1];
          a.kv_width = key[1] * key[2];
        }
        return;
      }
    }
    // As many tokens of keys, and fewer heads.
    if (key.size() == 3 && q[0] == key[0] && q[2] == key[2] && q[1] > key[1] && q[1] % key[1] == 0) {
      a.tokens = q[0];
      a.heads = q[1];
      a.kv_heads = key[1];
      a.head_dim = q[2];
      a.width = q[1] * q[2];
      a.kv_width = key[1] * key[2];
      return;
    }
    // A mask of the whole sequence says how long it is.
    for (std::size_t i = 3; i < k.inputs.size(); ++i) {
      const tensor_shape& m = k.inputs[i];
      if (m.size() < 2 || m[m.size() - 1] != m[m.size() - 2] || q[0] == q[1]) continue;
      if (m.back() == q[0] || m.back() == q[1]) {
        // 2048 is the size of compressed masks, too, and then says nothing.
        if (m.size() == 2 && m.back() == 2048) continue;
        a.queries = m.back();
        a.batch = m.back() == q[0] ? q[1] : q[0];
        return;
      }
    }
    for (const embedding_use& e : into_.embeddings) {
      if (e.batch == 0 || e.batch == e.sequence) continue;
      if ((q[0] == e.sequence && q[1] == e.batch) || (q[0] == e.batch && q[1] == e.sequence)) {
        a.queries = e.sequence;
        a.batch = e.batch;
        return;
      }
    }
    // FlashAttentionScore reads no cache: what is many times longer is the sequence.
    constexpr std::int64_t far = 16, largest_head = 256;
    a.either_order = true;
    if (q[2] > largest_head && std::max(q[0], q[1]) >= far * std::min(q[0], q[1]) && contains_folded(k.type, "flashattentionscore")) {
      a.queries = std::max(q[0], q[1]);
      a.batch = std::min(q[0], q[1]);
    }
  }

  const model_record& r_;
  model_shapes& into_;
  bool trains_ = false;
};

}  // namespace

void read_tables(const model_record& r, model_shapes& into) {
  if (r.device != nullptr && r.device->type == accelerator::npu) table_reader(r, into).run();
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
