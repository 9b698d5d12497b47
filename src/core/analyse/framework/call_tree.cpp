#include <profkit/core/call_tree.hpp>

#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/open_calls.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct placed_call {
  std::int64_t start_ps = 0, end_ps = 0;
  std::uint64_t source_row = 0;
  std::uint32_t thread = 0;
  string_id name = 0;
  host_span_kind kind = host_span_kind::other;
};

class call_collector final : public host_span_visitor {
 public:
  call_collector(const activity& of, const call_tree_options& o, std::vector<placed_call>& into) : of_(of), o_(o), into_(into) {}

  result<void> spans(const host_span* spans, std::size_t count) override {
    for (const host_span* s = spans; s != spans + count; ++s) {
      const std::int64_t start_ps = std::max(s->start_ps, o_.from_ps);
      const std::int64_t end_ps = std::min(saturating_add(s->start_ps, s->duration_ps), o_.to_ps);
      if (s->kind == host_span_kind::device_marker || end_ps <= start_ps || !is_kept(s->thread)) continue;
      if (into_.size() == o_.max_spans)
        return fault{fault_code::limit, "there are more than " + std::to_string(o_.max_spans) + " calls to add up", "", no_offset,
                     "ask for a part of the time or for one thread"};
      into_.push_back({start_ps, end_ps, s->source_row, s->thread, s->name, s->kind});
    }
    return {};
  }

 private:
  [[nodiscard]] bool is_kept(std::uint32_t thread) const {
    if (thread >= of_.threads().size()) return false;
    const activity_thread& t = of_.threads()[thread];
    return t.process.find(o_.plane) != std::string::npos && t.name.find(o_.line) != std::string::npos;
  }
  const activity& of_;
  const call_tree_options& o_;
  std::vector<placed_call>& into_;
};

class tree_builder {
 public:
  explicit tree_builder(call_tree& into) : into_(into) {}

  // Calls of a thread by start, of equal starts the longer one first.
  void add(const placed_call& call) {
    if (into_.nodes.empty() || into_.nodes[thread_].thread != call.thread) begin_thread(call.thread);
    open_.close_until(call.start_ps);
    const std::uint32_t* const in = open_.innermost();
    const std::int64_t length_ps = open_.end_within(call.end_ps) - call.start_ps;
    if (in == nullptr)
      into_.nodes[thread_].total_ps = saturating_add(into_.nodes[thread_].total_ps, length_ps);
    else
      into_.nodes[*in].self_ps -= length_ps;
    const std::uint32_t node = child_of(in == nullptr ? thread_ : *in, call);
    call_node& own = into_.nodes[node];
    ++own.calls;
    own.total_ps = saturating_add(own.total_ps, length_ps);
    own.self_ps = saturating_add(own.self_ps, length_ps);
    open_.open(call.end_ps, node);
  }

 private:
  void begin_thread(std::uint32_t thread) {
    open_.clear();
    thread_ = static_cast<std::uint32_t>(into_.nodes.size());
    into_.nodes.push_back({no_call, thread, 0, host_span_kind::other, 0, 0, 0});
  }
  std::uint32_t child_of(std::uint32_t parent, const placed_call& call) {
    const auto [at, is_new] = children_.try_emplace(std::uint64_t{parent} << 32 | call.name, static_cast<std::uint32_t>(into_.nodes.size()));
    if (is_new) into_.nodes.push_back({parent, call.thread, call.name, call.kind, 0, 0, 0});
    return at->second;
  }

  call_tree& into_;
  std::uint32_t thread_ = 0;  // the thread's own node
  open_calls<std::uint32_t> open_;
  hash_map<std::uint64_t, std::uint32_t> children_;
};

// Parents stay before their children; threads, and the children of each node, by time.
void sort_nodes(std::vector<call_node>& nodes) {
  std::vector<std::vector<std::uint32_t>> children(nodes.size());
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) (nodes[i].parent == no_call ? waiting : children[nodes[i].parent]).push_back(i);
  const auto is_shorter = [&](std::uint32_t a, std::uint32_t b) {
    return nodes[a].total_ps != nodes[b].total_ps ? nodes[a].total_ps < nodes[b].total_ps : a > b;
  };
  std::sort(waiting.begin(), waiting.end(), is_shorter);
  std::vector<call_node> sorted;
  sorted.reserve(nodes.size());
  std::vector<std::uint32_t> place(nodes.size());
  while (!waiting.empty()) {
    const std::uint32_t next = waiting.back();
    waiting.pop_back();
    place[next] = static_cast<std::uint32_t>(sorted.size());
    call_node& added = sorted.emplace_back(nodes[next]);
    if (added.parent != no_call) added.parent = place[added.parent];
    std::sort(children[next].begin(), children[next].end(), is_shorter);
    waiting.insert(waiting.end(), children[next].begin(), children[next].end());
  }
  nodes = std::move(sorted);
}

}  // namespace

result<call_tree> analyse_call_tree(const activity& of, const call_tree_options& o, const hooks& host) {
  return contained([&]() -> result<call_tree> {
    std::vector<placed_call> calls;
    call_collector collector(of, o, calls);
    for (std::uint32_t group = 0; group < of.hosts().size(); ++group) {
      if (!of.has_host_spans(group)) continue;
      if (auto visited = of.visit_host_spans(group, o.from_ps, o.to_ps, collector, host); !visited) return std::move(visited).error();
    }
    std::sort(calls.begin(), calls.end(), [](const placed_call& a, const placed_call& b) {
      if (a.thread != b.thread) return a.thread < b.thread;
      if (a.start_ps != b.start_ps) return a.start_ps < b.start_ps;
      return a.end_ps != b.end_ps ? a.end_ps > b.end_ps : a.source_row < b.source_row;
    });
    call_tree found;
    found.spans = calls.size();
    tree_builder builder(found);
    for (const placed_call& call : calls) builder.add(call);
    sort_nodes(found.nodes);
    return found;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
