#include <model/architecture/phases.hpp>
#include <base/hash_map.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

constexpr std::int64_t prefill_above_ps = 10'000'000'000, decode_below_ps = 1'000'000'000;
constexpr std::int64_t largest_head = 576, max_heads = 256;
constexpr std::int64_t max_decode_tokens = 8;  // a sequence and pass: more is a prompt, fewer may be drafts

using shape = std::vector<std::int64_t>;

// "8192,16,128;12307,128,128;;7" with or without quotes; an empty shape stays empty.
std::vector<shape> parse_shapes(std::string_view text) {
  constexpr std::size_t max_inputs = 64, max_dimensions = 16;
  std::vector<shape> all(1);
  std::size_t at = 0;
  while (at < text.size() && all.size() <= max_inputs) {
    const char c = text[at];
    if (c == ';') {
      all.emplace_back();
      ++at;
    } else if (c >= '0' && c <= '9') {
      std::int64_t n = 0;
      const auto read = std::from_chars(text.data() + at, text.data() + text.size(), n);
      if (read.ec != std::errc() || all.back().size() == max_dimensions) return {};
      all.back().push_back(n);
      at = static_cast<std::size_t>(read.ptr - text.data());
    } else if (c == ',' || c == '"' || c == ' ' || c == '\t') {
      ++at;
    } else {
      return {};
    }
  }
  return all;
}

// Lists of sequence lengths are short one-dimensional inputs after query, key and value.
std::int64_t sequences_of(const std::vector<shape>& inputs) {
  constexpr std::int64_t max_sequences = 65536;
  for (std::size_t i = 3; i < inputs.size(); ++i)
    if (inputs[i].size() == 1 && inputs[i][0] > 0 && inputs[i][0] <= max_sequences) return inputs[i][0];
  return 0;
}

// Whether [S, B, H] or [B, S, H]: where the batch stands in a query of three dimensions, if that is known.
std::optional<std::size_t> batch_place(const std::vector<shape>& inputs, std::int64_t sequences) {
  const shape& query = inputs.front();
  // The list of lengths has an entry for each sequence.
  if (sequences > 0 && (sequences == query[0]) != (sequences == query[1])) return sequences == query[0] ? 0 : 1;
  if (inputs.size() < 2 || inputs[1].size() != 3) return std::nullopt;
  // Keys have the batch of the query; when their length differs, only one place is the same.
  const shape& key = inputs[1];
  if ((key[0] == query[0]) != (key[1] == query[1])) return key[0] == query[0] ? 0 : 1;
  // No one attends to a single token.
  if (key[0] == query[0] && key[1] == query[1] && (key[0] == 1) != (key[1] == 1)) return key[0] == 1 ? 0 : 1;
  return std::nullopt;
}

model_phase by_tokens(std::int64_t tokens, std::int64_t sequences) {
  return tokens <= max_decode_tokens * sequences ? model_phase::decode : model_phase::prefill;
}

model_phase by_rule(std::int64_t duration_ps) {
  if (duration_ps > prefill_above_ps) return model_phase::prefill;
  return duration_ps < decode_below_ps ? model_phase::decode : model_phase::undetermined;
}

// Two clusters of durations, when their centres are at least four times apart; the longer one is prefill.
bool cluster(const std::vector<std::int64_t>& durations_ps, std::vector<model_phase>& phases) {
  std::vector<double> sorted;
  for (const std::int64_t d : durations_ps)
    if (d > 0) sorted.push_back(std::log2(static_cast<double>(d)));
  if (sorted.size() < 2) return false;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> sums(sorted.size() + 1, 0), squares(sorted.size() + 1, 0);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sums[i + 1] = sums[i] + sorted[i];
    squares[i + 1] = squares[i] + sorted[i] * sorted[i];
  }
  const auto spread = [&](std::size_t from, std::size_t to) {
    const double n = static_cast<double>(to - from), sum = sums[to] - sums[from];
    return squares[to] - squares[from] - sum * sum / n;
  };
  std::size_t best = 1;
  double least = spread(0, 1) + spread(1, sorted.size());
  for (std::size_t cut = 2; cut < sorted.size(); ++cut) {
    const double both = spread(0, cut) + spread(cut, sorted.size());
    if (both >= least) continue;
    least = both;
    best = cut;
  }
  const double low = sums[best] / static_cast<double>(best);
  const double high = (sums.back() - sums[best]) / static_cast<double>(sorted.size() - best);
  if (high - low < 2) return false;
  // Clusters that touch are not separate, and a few outliers are not a phase.
  constexpr std::size_t min_members = 4;
  if (sorted[best] - sorted[best - 1] < 1 || best < min_members || sorted.size() - best < min_members) return false;
  for (std::size_t i = 0; i < durations_ps.size(); ++i)
    phases[i] = durations_ps[i] > 0 && std::log2(static_cast<double>(durations_ps[i])) >= sorted[best]
                    ? model_phase::prefill
                    : model_phase::decode;
  // Phases follow each other in blocks. Lengths that take turns are those of different kinds of attention.
  std::size_t changes = 0;
  for (std::size_t i = 1; i < phases.size(); ++i) changes += phases[i] != phases[i - 1] ? 1 : 0;
  return changes * 4 <= phases.size();
}

}  // namespace

std::optional<model_phase> phase_of_shapes(std::string_view shapes) {
  const std::vector<shape> inputs = parse_shapes(shapes);
  if (inputs.empty()) return std::nullopt;
  const shape& query = inputs.front();
  const std::int64_t sequences = sequences_of(inputs);
  if (query.size() == 4) {
    const std::int64_t least = std::min(query[1], query[2]), most = std::max(query[1], query[2]);
    if (most > max_heads) return by_tokens(most, 1);  // more than there are heads
    if (least == 1 || most <= max_decode_tokens) return model_phase::decode;
    if (least > max_decode_tokens) return model_phase::prefill;
    return std::nullopt;
  }
  if (query.size() == 3 && query[2] > largest_head) {
    if (const auto batch_at = batch_place(inputs, sequences)) return by_tokens(query[1 - *batch_at], 1);
    // Undecided: both readings have to say the same.
    const model_phase batch_first = by_tokens(query[1], 1), sequence_first = by_tokens(query[0], 1);
    if (batch_first != sequence_first) return std::nullopt;
    return batch_first;
  }
  if ((query.size() == 3 || query.size() == 2) && sequences > 0 && query[0] > 0) return by_tokens(query[0], sequences);
  return std::nullopt;
}

bool is_layout_undecided(std::string_view shapes) {
  const std::vector<shape> inputs = parse_shapes(shapes);
  return !inputs.empty() && inputs.front().size() == 3 && inputs.front()[2] > largest_head &&
         !batch_place(inputs, sequences_of(inputs)) && !phase_of_shapes(shapes);
}

anchor_phases find_phases(const activity& of, std::size_t device, const device_kernels& kernels,
                          const layer_anchors& anchors) {
  anchor_phases found;
  const std::size_t count = anchors.rows.size();
  found.phases.assign(count, model_phase::undetermined);
  found.rule.assign(count, model_phase::undetermined);
  if (anchors.source != anchor_source::attention) return found;
  const auto row = [&](std::size_t i) -> const kernel& { return kernels.rows[anchors.rows[i]]; };
  for (std::size_t i = 0; i < count; ++i) found.rule[i] = by_rule(row(i).duration_ps);
  if (anchors.backward > 0) {
    found.phases.assign(count, model_phase::training);
    found.source = "backward";
    return found;
  }
  if (kernels.trains) return found;  // which of them are of the backward pass is not known
  const auto all_known = [&](const std::vector<model_phase>& p) {
    return std::none_of(p.begin(), p.end(), [](model_phase one) { return one == model_phase::undetermined; });
  };
  for (std::size_t i = 0; i < count; ++i) {
    const phase_hint hint = kernels.ops[row(i).op].family->hint;
    if (hint != phase_hint::none)
      found.phases[i] = hint == phase_hint::prefill ? model_phase::prefill : model_phase::decode;
  }
  if (all_known(found.phases)) {
    found.source = "names";
    return found;
  }
  const std::vector<kernel_details>& details = of.devices()[device].details;
  hash_map<string_id, model_phase> by_shape;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t at = row(i).details;
    if (found.phases[i] != model_phase::undetermined || at == 0 || at > details.size()) continue;
    const string_id shapes = details[at - 1].input_shapes;
    const auto [known, is_new] = by_shape.emplace(shapes, model_phase::undetermined);
    if (is_new) known->second = phase_of_shapes(of.text(shapes)).value_or(model_phase::undetermined);
    if (is_new && found.undecided == 0 && is_layout_undecided(of.text(shapes))) found.undecided = shapes;
    found.phases[i] = known->second;
  }
  if (all_known(found.phases)) {
    found.source = "shapes";
    return found;
  }
  // The rule by length is made for one kernel family, whose prompts take long.
  if (anchors.family == "FusedInferAttentionScore" && all_known(found.rule)) {
    found.phases = found.rule;
    found.source = "durations";
    return found;
  }
  std::vector<std::int64_t> durations;
  for (std::size_t i = 0; i < count; ++i) durations.push_back(row(i).duration_ps);
  std::vector<model_phase> clustered(count, model_phase::undetermined);
  if (cluster(durations, clustered)) {
    found.phases = std::move(clustered);
    found.source = "clusters";
  }
  return found;
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
