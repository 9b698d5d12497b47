// Shapes of the programs that an XSpace carries (HloProto): products, attention, tables and weights that are stacked over layers.
// Source of custom calls: Transformer Engine's jax extensions (te_fused_attn_*), XLA's gemm_rewriter (__cublas$gemm).
#include <model/architecture/facts/shapes.hpp>

#include <analyse/element_types.hpp>
#include <base/affix.hpp>
#include <base/hash_map.hpp>
#include <formats/xspace/embedded_modules.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/hlo.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

tensor_shape extents_of(const shape_view& s) {
  tensor_shape all;
  for (const std::int64_t n : s.dimensions()) all.push_back(n);
  return all;
}

std::string element_word(const shape_view& s) {
  const element_type* const type = find_element_type(s.element_type());
  return type == nullptr ? std::string() : std::string(type->name);
}

std::string extents_text(const tensor_shape& s) {
  std::string text = "[";
  for (std::size_t i = 0; i < s.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(s[i]);
  return text + "]";
}

std::int64_t size_of(const tensor_shape& s, std::size_t first, std::size_t end) {
  std::int64_t all = 1;
  for (std::size_t i = first; i < end && i < s.size(); ++i) all = s[i] <= 0 || all > (std::int64_t{1} << 60) / s[i] ? 0 : all * s[i];
  return all;
}

// Of the gradient, or what is done again for it.
bool is_of_gradient(std::string_view scope) noexcept { return contains(scope, "transpose(") || contains(scope, "rematted_computation"); }

module_part part_of_scope(std::string_view scope) noexcept {
  // The last part of the path is the primitive.
  const std::size_t last = scope.rfind('/');
  return part_of_class(last == std::string_view::npos ? std::string_view() : scope.substr(0, last));
}

class program_reader {
 public:
  program_reader(const hlo_module_view& module, model_shapes& into) : module_(module), into_(into) {}

  void run() {
    const std::int64_t entry = module_.entry_computation_id();
    for (const computation_view computation : module_.computations()) {
      hash_map<std::int64_t, instruction_view> known;
      for (const instruction_view each : computation.instructions()) known.emplace(each.id(), each);
      for (const instruction_view each : computation.instructions()) {
        const bool input = each.opcode() == "parameter" && computation.id() == entry;
        if (!input && each.opcode() != "dot" && each.opcode() != "custom-call" && each.opcode() != "gather") continue;
        std::vector<instruction_view> operands;
        for (const std::int64_t id : each.operand_ids())
          if (const auto at = known.find(id); at != known.end()) operands.push_back(at->second);
        read(each, operands);
      }
    }
    for (const parameter& p : parameters_)
      if (p.shape.size() == 2 && !dtype_word(p.type).empty())
        into_.weights.emplace_back(p.shape, std::string(module_.name()) + ": " + p.name + ' ' + p.type + extents_text(p.shape));
    settle_tables();
    settle_batches();
    find_stacked();
  }

 private:
  void read(const instruction_view& each, const std::vector<instruction_view>& operands) {
    const std::string_view scope = each.metadata().op_name();
    if (each.opcode() == "parameter") {
      parameters_.push_back({extents_of(each.shape()), element_word(each.shape()), std::string(each.name())});
      return;
    }
    if (contains(scope, "transpose(")) into_.backward = true;
    if (is_of_gradient(scope)) return;
    if (each.opcode() != "gather") into_.scopes.add(scope);
    if (each.opcode() == "dot" && operands.size() == 2) return read_dot(each, operands, scope);
    if (each.opcode() == "gather" && operands.size() == 2) return read_gather(each, operands);
    if (each.opcode() == "custom-call") read_call(each, operands, scope);
  }

  std::string evidence_of(const instruction_view& each, const std::vector<instruction_view>& operands) const {
    std::string text =
        std::string(module_.name()) + ": " + std::string(each.opcode() == "custom-call" ? each.custom_call_target() : each.opcode());
    for (std::size_t i = 0; i < operands.size() && i < 3; ++i)
      text += ' ' + element_word(operands[i].shape()) + extents_text(extents_of(operands[i].shape()));
    return text;
  }

  void read_dot(const instruction_view& each, const std::vector<instruction_view>& operands, std::string_view scope) {
    const tensor_shape a = extents_of(operands[0].shape()), b = extents_of(operands[1].shape()), out = extents_of(each.shape());
    std::size_t batches = 0;
    for (const std::int64_t d : each.dot_dimension_numbers().lhs_batch_dimensions()) {
      static_cast<void>(d);
      ++batches;
    }
    const auto contracts = [](const auto& dimensions) {
      std::int64_t one = -1, n = 0;
      for (const std::int64_t d : dimensions) {
        one = d;
        ++n;
      }
      return n == 1 ? one : -1;
    };
    const std::int64_t left = contracts(each.dot_dimension_numbers().lhs_contracting_dimensions());
    const std::int64_t right = contracts(each.dot_dimension_numbers().rhs_contracting_dimensions());
    if (left < 0 || right < 0 || left >= static_cast<std::int64_t>(a.size()) || right >= static_cast<std::int64_t>(b.size())) return;
    const std::int64_t depth = a[static_cast<std::size_t>(left)];
    if (batches == 0 && b.size() == 2 && a.size() >= 2) {
      linear_use l;
      l.in = depth;
      l.out = b[right == 0 ? 1 : 0];
      l.rows = size_of(a, 0, a.size()) / std::max<std::int64_t>(depth, 1);
      if (a.size() == 3 && left == 2) l.batch = a[0];
      add_linear(l, operands, each, scope);
    } else if (batches == 2 && a.size() == 4 && b.size() == 4 && out.size() == 4) {
      // Scores: as many rows as columns, and neither is what was summed over.
      if (out[2] != out[3] || out[2] == depth || out[2] <= 1) return;
      attention_use u;
      u.batch = out[0];
      u.heads = u.kv_heads = out[1];
      u.queries = u.keys = out[2];
      u.head_dim = depth;
      u.dtype = dtype_word(element_word(operands[0].shape()));
      u.calls = 1;
      u.evidence = evidence_of(each, operands);
      into_.attentions.push_back(std::move(u));
    }
  }

  void add_linear(linear_use l, const std::vector<instruction_view>& operands, const instruction_view& each, std::string_view scope) {
    if (l.rows <= 0 || l.in <= 0 || l.out <= 0) return;
    l.part = part_of_scope(scope);
    l.dtype = dtype_word(element_word(operands[0].shape()));
    l.calls = 1;
    l.evidence = evidence_of(each, operands);
    linears_.push_back(into_.linears.size());
    into_.linears.push_back(std::move(l));
  }

  void read_gather(const instruction_view& each, const std::vector<instruction_view>& operands) {
    const tensor_shape table = extents_of(operands[0].shape()), ids = extents_of(operands[1].shape());
    constexpr std::int64_t min_rows = 256;
    if (table.size() != 2 || ids.empty() || table[0] < min_rows || element_word(operands[1].shape()).front() == 'f') return;
    if (ids.back() != 1) return;
    embedding_use e;
    e.rows = table[0];
    e.width = table[1];
    e.sequence = size_of(ids, 0, ids.size());
    e.calls = 1;
    e.evidence = evidence_of(each, operands);
    tables_.push_back(std::move(e));
  }

  void read_call(const instruction_view& each, const std::vector<instruction_view>& operands, std::string_view scope) {
    const std::string_view target = each.custom_call_target();
    if (starts_with(target, "__cublas$") && operands.size() >= 2) {
      const tensor_shape a = extents_of(operands[0].shape()), b = extents_of(operands[1].shape());
      if (a.size() != 2 || b.size() != 2 || a[1] != b[0] || (a[0] == a[1] && b[0] == b[1])) return;
      linear_use l;
      l.rows = a[0];
      l.in = a[1];
      l.out = b[1];
      return add_linear(l, operands, each, scope);
    }
    if (starts_with(target, "te_fused_attn_forward") && !operands.empty()) {
      const tensor_shape q = extents_of(operands[0].shape());
      attention_use u;
      if (q.size() == 5 && q[2] == 3) {  // [batch, sequence, 3, heads, size]
        u.heads = u.kv_heads = q[3];
      } else if (q.size() == 4) {
        const tensor_shape k = operands.size() > 1 ? extents_of(operands[1].shape()) : tensor_shape();
        u.heads = q[2];
        if (k.size() >= 4) u.kv_heads = k[k.size() - 2];
      } else {
        return;
      }
      u.batch = q[0];
      u.queries = u.keys = q[1];
      u.head_dim = q.back();
      u.dtype = dtype_word(element_word(operands[0].shape()));
      u.calls = 1;
      u.evidence = evidence_of(each, operands);
      into_.attentions.push_back(std::move(u));
    }
  }

  // Tokens come as a table of sequences: [batch, length]. For a loss all but the last are looked up.
  void settle_tables() {
    for (embedding_use& e : tables_) {
      for (const parameter& p : parameters_) {
        if (p.shape.size() != 2 || p.type.empty() || (p.type[0] != 's' && p.type[0] != 'u')) continue;
        const std::int64_t all = p.shape[0] * p.shape[1], shorter = p.shape[0] * (p.shape[1] - 1);
        if (e.sequence != all && e.sequence != shorter) continue;
        e.batch = p.shape[0];
        e.sequence = p.shape[1];
        e.evidence += ", tokens " + extents_text(p.shape);
        break;
      }
      if (e.batch != 0) into_.embeddings.push_back(e);
    }
  }

  // An input of three dimensions whose first two are the rows of products.
  void settle_batches() {
    for (const std::size_t i : linears_) {
      linear_use& l = into_.linears[i];
      if (l.batch != 0) continue;
      for (const parameter& p : parameters_)
        if (p.shape.size() == 3 && p.shape[2] == l.in && p.shape[0] * p.shape[1] == l.rows) {
          l.batch = p.shape[0];
          break;
        }
    }
  }

  // Weights of all layers in one array, which a loop goes over: [layers, in, out] of products that are there.
  void find_stacked() {
    std::map<std::int64_t, std::pair<std::size_t, std::string>> by_layers;
    for (const parameter& p : parameters_) {
      if (p.shape.size() != 3 || p.shape[0] < 2) continue;
      const bool weighs = std::any_of(linears_.begin(), linears_.end(), [&](std::size_t i) {
        const linear_use& l = into_.linears[i];
        return l.in == p.shape[1] && l.out == p.shape[2];
      });
      if (!weighs) continue;
      auto& of = by_layers[p.shape[0]];
      ++of.first;
      if (of.second.empty()) of.second = std::string(module_.name()) + ": weights " + p.type + extents_text(p.shape);
    }
    if (by_layers.size() != 1 || by_layers.begin()->second.first < 2) return;
    into_.stacked_layers = by_layers.begin()->first;
    into_.stacked_evidence = by_layers.begin()->second.second;
  }

  struct parameter {
    tensor_shape shape;
    std::string type, name;
  };

  hlo_module_view module_;
  model_shapes& into_;
  std::vector<parameter> parameters_;
  std::vector<embedding_use> tables_;
  std::vector<std::size_t> linears_;  // of this program
};

}  // namespace

void read_programs(const profile& from, model_record& r, model_shapes& into) {
  // The program with most products is the model; what else runs prepares or repeats parts of it. Where none stands out, as in
  // benchmarks that run each product on its own, all of them are looked at.
  std::vector<std::pair<std::size_t, std::string_view>> programs;
  for (std::size_t file = 0; file < from.file_count(); ++file) {
    for (const plane_index& plane : from.xspace(file)->planes) {
      if (plane.kind != plane_kind::metadata) continue;
      for_each_embedded_module(plane, [&](const event_metadata_view&, std::string_view blob) {
        const hlo_module_view module = hlo_proto_view(blob).hlo_module();
        std::size_t products = 0;
        for (const computation_view computation : module.computations())
          for (const instruction_view each : computation.instructions())
            products += each.opcode() == "dot" || (each.opcode() == "custom-call" && (starts_with(each.custom_call_target(), "__cublas$") ||
                                                                                      contains(each.custom_call_target(), "attn")));
        if (products > 0) programs.emplace_back(products, blob);
      });
    }
  }
  if (programs.empty()) return;
  const auto most = std::max_element(programs.begin(), programs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  constexpr std::size_t min_products = 4;
  for (const auto& [products, blob] : programs) {
    if (most->first >= min_products && blob.data() != most->second.data()) continue;
    const hlo_module_view module = hlo_proto_view(blob).hlo_module();
    program_reader(module, into).run();
    if (most->first >= min_products) r.program = std::string(module.name());
  }
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
