#include <analyse/bubbles/layer_spans.hpp>

#include <base/affix.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

constexpr std::size_t max_spans = std::size_t{1} << 20;

class span_collector final : public host_span_visitor {
 public:
  explicit span_collector(const activity& of) : of_(of) {}
  result<void> spans(const host_span* spans, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const host_span& s = spans[i];
      if (s.kind == host_span_kind::device_marker || s.duration_ps <= 0 || !is_layer(s.name)) continue;
      if (found.size() < max_spans) found.push_back({s.start_ps, saturating_add(s.start_ps, s.duration_ps), s.name});
    }
    return {};
  }
  bool wants(string_id name) override { return is_layer(name); }
  std::vector<layer_span> found;

 private:
  bool is_layer(string_id name) {
    if (name >= looked_at_.size()) looked_at_.resize(std::size_t{name} + 1, 0);
    if (looked_at_[name] == 0) looked_at_[name] = names_a_layer(of_.text(name)) ? 2 : 1;
    return looked_at_[name] == 2;
  }
  const activity& of_;
  std::vector<std::uint8_t> looked_at_;
};

result<layer_list> find_layer_spans(const activity& of, std::uint32_t group, const hooks& host) {
  span_collector collector(of);
  constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min() + 1;
  if (result<void> seen = of.visit_host_spans(group, first, std::numeric_limits<std::int64_t>::max(), collector, host);
      !seen)
    return std::move(seen).error();
  auto& all = collector.found;
  std::sort(all.begin(), all.end(), [](const layer_span& a, const layer_span& b) {
    return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.end_ps > b.end_ps;
  });
  std::vector<layer_span> apart;
  for (const layer_span& s : all)
    if (apart.empty() || s.start_ps >= apart.back().end_ps) apart.push_back(s);
  return std::make_shared<const std::vector<layer_span>>(std::move(apart));
}

}  // namespace

bool names_a_layer(std::string_view name) noexcept {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == name.size()) return false;
  std::string_view word = name.substr(0, last + 1);
  if (word.back() == '#' || word.back() == '.' || word.back() == '_') word.remove_suffix(1);
  for (const std::string_view layer : {"block", "blocks", "layer", "layers", "stage"})
    if (ends_with_folded(word, layer)) return true;
  return false;
}

host_layers::host_layers(const activity& of) : of_(of) {
  for (std::size_t device = 0; device < of.devices().size(); ++device) {
    if (!asks(device)) continue;
    auto& group = groups_[of.devices()[device].host_group];
    if (group == nullptr) group = std::make_unique<group_layers>();
    ++group->waiting;
  }
}

bool host_layers::asks(std::size_t device) const noexcept {
  const activity_device& on = of_.devices()[device];
  return on.has_launches && of_.has_host_spans(on.host_group);
}

result<layer_list> host_layers::take(std::size_t device, const hooks& host) {
  if (!asks(device)) return std::make_shared<const std::vector<layer_span>>();
  const std::uint32_t number = of_.devices()[device].host_group;
  group_layers& group = *groups_.find(number)->second;
  std::call_once(group.once, [&] {
    auto found = find_layer_spans(of_, number, host);
    if (found)
      group.found = std::move(*found);
    else
      group.why_not = std::move(found).error();
  });
  if (group.why_not) return *group.why_not;
  layer_list mine = group.found;
  // The last to copy frees it.
  if (--group.waiting == 0) group.found.reset();
  return mine;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
