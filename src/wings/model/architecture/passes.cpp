#include <model/architecture/passes.hpp>

#include <base/median.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

using bubbles::device_windows;
using bubbles::step_window;

// Positions of anchors before which a pass begins; never 0.
using cut_list = std::vector<std::size_t>;

std::vector<std::size_t> sizes_of(const cut_list& cuts, std::size_t anchors) {
  std::vector<std::size_t> sizes;
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    sizes.push_back(cut - from);
    from = cut;
  }
  sizes.push_back(anchors - from);
  return sizes;
}

// The most frequent size; of equally frequent ones the largest.
std::size_t usual_size(const std::vector<std::size_t>& sizes) {
  std::map<std::size_t, std::size_t> counts;
  for (const std::size_t s : sizes) ++counts[s];
  std::size_t best = 0, most = 0;
  for (const auto& [size, count] : counts) {
    if (count < most) continue;
    most = count;
    best = size;
  }
  return best;
}

// All passes have the same number of layers; only the first and the last one, which a capture may cut, have fewer.
bool is_even(const std::vector<std::size_t>& sizes) {
  if (sizes.size() < 2) return false;
  std::vector<std::size_t> inner(sizes.begin() + 1, sizes.end() - 1);
  const std::size_t usual = inner.empty() ? std::max(sizes.front(), sizes.back()) : usual_size(inner);
  return std::all_of(inner.begin(), inner.end(), [&](std::size_t s) { return s == usual; }) && sizes.front() <= usual &&
         sizes.back() <= usual;
}

// Models with a draft head sample more than once a pass: sizes repeat in a longer pattern. Cuts between patterns.
cut_list merge_pattern(const cut_list& cuts, const std::vector<std::size_t>& sizes) {
  for (std::size_t period = 2; period <= 4 && sizes.size() >= 2 * period; ++period) {
    bool repeats = true;
    for (std::size_t i = 0; i + period < sizes.size() && repeats; ++i) repeats = sizes[i] == sizes[i + period];
    if (!repeats) continue;
    cut_list merged;
    for (std::size_t i = period; i < sizes.size(); i += period) merged.push_back(cuts[i - 1]);
    return merged;
  }
  return {};
}

cut_list merged(const cut_list& a, const cut_list& b) {
  cut_list both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

class cutter {
 public:
  cutter(const device_kernels& of, const layer_anchors& anchors, const device_windows& windows)
      : of_(of), rows_(anchors.rows), windows_(windows) {
    marked_ = !windows.windows.empty() && !windows.windows.front().pseudo;
  }

  pass_cuts cut() {
    find_marks();
    pass_cuts found;
    cut_list cuts = choose(found);
    const std::vector<std::size_t> sizes = sizes_of(cuts, rows_.size());
    found.uneven = sizes.size() > 1 && !is_even(sizes);
    found.layers = static_cast<std::uint32_t>(layers_of(sizes));
    make_spans(cuts, found);
    return found;
  }

 private:
  [[nodiscard]] std::int32_t window_of(std::size_t row) const {
    if (!marked_) return -1;
    const std::int64_t at = of_.rows[row].start_ps;
    const auto& all = windows_.windows;
    const auto after = std::upper_bound(all.begin(), all.end(), at,
                                        [](std::int64_t t, const step_window& w) { return t < w.start_ps; });
    return static_cast<std::int32_t>(after - all.begin()) - 1;
  }

  // Goes through the kernels between anchors once.
  void find_marks() {
    gap_rows_.assign(rows_.size(), 0);
    windows_of_.resize(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      windows_of_[i] = window_of(rows_[i]);
      if (i == 0) continue;
      if (windows_of_[i] != windows_of_[i - 1]) by_window_.push_back(i);
      bool sampled = false, embedded = false, went_back = false;
      for (std::size_t row = rows_[i - 1] + 1; row < rows_[i]; ++row) {
        const op_kind kind = of_.kind_of(of_.rows[row]);
        went_back = went_back || kind == op_kind::attention_backward;
        if (kind == op_kind::sampling) {
          sampled = true;
          gap_rows_[i] = row + 1;
          embedded = false;
        }
        if (kind == op_kind::embedding && !embedded) {
          embedded = true;
          gap_rows_[i] = row;
        }
      }
      if (sampled) by_sampling_.push_back(i);
      if (embedded) by_embedding_.push_back(i);
      if (went_back) by_backward_.push_back(i);
    }
  }

  // Pauses between anchors that are far longer than usual.
  [[nodiscard]] cut_list by_distance() const {
    if (rows_.size() < 4) return {};
    std::vector<std::int64_t> distances;
    for (std::size_t i = 1; i < rows_.size(); ++i) distances.push_back(distance(i));
    const std::int64_t median = upper_median(distances);
    cut_list cuts;
    for (std::size_t i = 1; i < rows_.size(); ++i)
      if (median > 0 && distance(i) / 5 > median) cuts.push_back(i);
    return cuts;
  }
  [[nodiscard]] std::int64_t distance(std::size_t i) const {
    return of_.rows[rows_[i]].start_ps - of_.rows[rows_[i - 1]].start_ps;
  }

  // What a layer consists of, as far as that distinguishes layers.
  [[nodiscard]] std::vector<std::uint64_t> kinds_of_layers() const {
    std::vector<std::uint64_t> kinds(rows_.size());
    for (std::size_t i = 0; i + 1 < rows_.size(); ++i)
      for (std::size_t row = rows_[i]; row < rows_[i + 1]; ++row)
        kinds[i] |= std::uint64_t{1} << static_cast<unsigned>(of_.kind_of(of_.rows[row]));
    return kinds;
  }
  // The shortest pattern of kinds that repeats without a break, beginning with the first layer.
  [[nodiscard]] cut_list by_pattern() const {
    std::vector<std::uint64_t> kinds = kinds_of_layers();
    if (kinds.size() < 4) return {};
    kinds.pop_back();  // what the last layer holds is open
    if (std::all_of(kinds.begin(), kinds.end(), [&](std::uint64_t k) { return k == kinds.front(); })) return {};
    // Failure links: the shortest period of the sequence.
    std::vector<std::size_t> link(kinds.size(), 0);
    for (std::size_t i = 1, k = 0; i < kinds.size(); ++i) {
      while (k > 0 && kinds[i] != kinds[k]) k = link[k - 1];
      if (kinds[i] == kinds[k]) ++k;
      link[i] = k;
    }
    const std::size_t period = kinds.size() - link.back();
    if (period < 2 || period * 2 > rows_.size()) return {};
    cut_list cuts;
    for (std::size_t i = period; i < rows_.size(); i += period) cuts.push_back(i);
    return cuts;
  }

  [[nodiscard]] bool even(const cut_list& cuts) const { return is_even(sizes_of(cuts, rows_.size())); }
  // A mark inside of every layer marks no pass.
  [[nodiscard]] bool parts_layers(const cut_list& cuts) const {
    return !cuts.empty() && usual_size(sizes_of(cuts, rows_.size())) < 2;
  }

  struct mark {
    const cut_list* cuts;
    const char *name, *with_steps;
  };
  cut_list choose(pass_cuts& found) {
    if (rows_.empty()) return {};
    // Micro-batches of training: the backward pass of one comes before the forward pass of the next.
    const mark marks[] = {{&by_sampling_, "sampling", "steps and sampling"},
                          {&by_embedding_, "embedding", "steps and embedding"},
                          {&by_backward_, "backward attention", "steps and backward attention"}};
    if (marked_) {
      for (const mark& m : marks) {
        if (parts_layers(*m.cuts)) continue;
        cut_list both = merged(by_window_, *m.cuts);
        if (both.size() == by_window_.size() || !even(both)) continue;
        found.source = m.with_steps;
        return both;
      }
      found.source = by_window_.empty() ? "" : "steps";
      found.bounded = true;
      return by_window_;
    }
    for (const mark& m : marks)
      if (more_than_layers(*m.cuts) && even(*m.cuts)) {
        found.source = m.name;
        return *m.cuts;
      }
    for (const mark& m : marks) {
      if (!more_than_layers(*m.cuts)) continue;
      cut_list pattern = merge_pattern(*m.cuts, sizes_of(*m.cuts, rows_.size()));
      if (pattern.empty()) continue;
      found.source = m.name;
      return pattern;
    }
    for (const auto& [cuts, name] : {std::pair{by_distance(), "pauses"}, std::pair{by_pattern(), "order of layers"}})
      if (!cuts.empty() && !parts_layers(cuts) && even(cuts)) {
        found.source = name;
        return cuts;
      }
    found.bounded = marked_at_both_ends();
    return {};
  }
  // Passes of one layer are believed only when sampling and embedding agree on them.
  [[nodiscard]] bool more_than_layers(const cut_list& cuts) const {
    return !cuts.empty() && (!parts_layers(cuts) || by_sampling_ == by_embedding_);
  }
  [[nodiscard]] bool marked_at_both_ends() const {
    const auto has = [&](std::size_t from, std::size_t to, op_kind kind) {
      for (std::size_t row = from; row < to; ++row)
        if (of_.kind_of(of_.rows[row]) == kind) return true;
      return false;
    };
    return has(0, rows_.front(), op_kind::embedding) && has(rows_.back(), of_.rows.size(), op_kind::sampling);
  }

  static std::size_t layers_of(const std::vector<std::size_t>& sizes) {
    if (sizes.size() <= 2) return *std::max_element(sizes.begin(), sizes.end());
    return usual_size(sizes);
  }

  // The first row of the pass that begins with anchor `i`.
  [[nodiscard]] std::size_t first_row_of(std::size_t i) const {
    if (i > 0 && gap_rows_[i] != 0) return gap_rows_[i];
    if (marked_ && windows_of_[i] >= 0 && (i == 0 || windows_of_[i] != windows_of_[i - 1]))
      return of_.row_at(windows_.windows[static_cast<std::size_t>(windows_of_[i])].start_ps);
    if (i == 0) return 0;
    // After the longest pause.
    std::size_t best = rows_[i];
    std::int64_t longest = -1, reached = of_.rows[rows_[i - 1]].end_ps();
    for (std::size_t row = rows_[i - 1] + 1; row <= rows_[i]; ++row) {
      const std::int64_t pause = of_.rows[row].start_ps - reached;
      if (pause > longest) {
        longest = pause;
        best = row;
      }
      reached = std::max(reached, of_.rows[row].end_ps());
    }
    return best;
  }

  void make_spans(const cut_list& cuts, pass_cuts& into) const {
    if (rows_.empty()) return;
    std::size_t from = 0;
    const auto add = [&](std::size_t to) {
      pass_span p;
      p.first_anchor = from;
      p.last_anchor = to;
      p.window = windows_of_[from];
      p.first_row = first_row_of(from);
      // A window that nothing but steps cuts begins with its first kernel.
      if (marked_ && p.window >= 0 && (from == 0 || windows_of_[from - 1] != p.window))
        p.first_row = of_.row_at(windows_.windows[static_cast<std::size_t>(p.window)].start_ps);
      p.first_row = std::min(p.first_row, rows_[from]);
      into.passes.push_back(p);
      from = to;
    };
    for (const std::size_t cut : cuts) add(cut);
    add(rows_.size());
    for (std::size_t i = 0; i < into.passes.size(); ++i) {
      pass_span& p = into.passes[i];
      p.last_row = i + 1 < into.passes.size() ? into.passes[i + 1].first_row : of_.rows.size();
      if (marked_ && windows_of_[p.last_anchor - 1] >= 0) {
        const step_window& last = windows_.windows[static_cast<std::size_t>(windows_of_[p.last_anchor - 1])];
        if (last.end_ps != bubbles::open_end)
          p.last_row = std::min(p.last_row, std::max(of_.row_at(last.end_ps), rows_[p.last_anchor - 1] + 1));
      }
      p.last_row = std::max(p.last_row, rows_[p.last_anchor - 1] + 1);
    }
  }

  const device_kernels& of_;
  const std::vector<std::size_t>& rows_;
  const device_windows& windows_;
  bool marked_ = false;
  std::vector<std::int32_t> windows_of_;
  std::vector<std::size_t> gap_rows_;  // by anchor: where a pass that begins with it begins; 0: not known
  cut_list by_window_, by_sampling_, by_embedding_, by_backward_;
};

}  // namespace

pass_cuts cut_passes(const device_kernels& of, const layer_anchors& anchors, const device_windows& windows) {
  if (anchors.rows.empty()) return {};
  return cutter(of, anchors, windows).cut();
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
