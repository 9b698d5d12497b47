// Which call of the host launched a kernel, and what the operation that made the call worked on, where a trace ties
// them together by numbers.
#pragma once
#include <profkit/core/track.hpp>

#include <base/hash_map.hpp>
#include <base/string_table.hpp>
#include <formats/stream_overruns.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// How a kernel is tied to the host.
struct launch_link {
  std::uint64_t correlation = no_launch_id, external = no_launch_id;
};

// Calls come in any number, kernels are few: calls are only put down, and looked through when the kernels are known.
class launch_calls {
 public:
  struct call {
    std::uint64_t correlation, external;
    std::int64_t start_ps, end_ps;
    std::uint32_t thread;
    string_id name;
  };
  struct operation {
    std::uint64_t external;
    string_id dims, types;
    std::uint32_t work;  // 1 + an index of the reader's; 0: not known
    std::size_t span;    // its position in the spans, which grows from one to the next
  };

  // `work`: what a call of that name launches, where the name is known.
  void add_call(const call& c, std::optional<launched_work> work) {
    if (work) launches_.push_back({calls_.size(), *work});
    if (work == launched_work::graph) graphs_.push_back(calls_.size());
    calls_.push_back(c);
  }
  void add_operation(const operation& o) { operations_.push_back(o); }

  [[nodiscard]] const call& at(std::size_t number) const { return calls_[number]; }
  [[nodiscard]] std::size_t number_of(const call& c) const { return static_cast<std::size_t>(&c - calls_.data()); }
  // visit(its number, the call, what it launches), after join() also whether the trace has a kernel of it.
  template <class Visit>
  void for_each_launch(Visit&& visit) const {
    for (const launch& l : launches_) visit(l.call, calls_[l.call], l.work);
  }
  [[nodiscard]] bool has_kernel(const call& c) const { return by_correlation_.find(c.correlation) != by_correlation_.end(); }
  // A launch that ran nothing: it became a node of a graph.
  void set_captured(std::size_t number) { captured_.insert(number); }

  // Looks for what those links lead to; once, when all is there. Calls of unknown names launch where
  // most of their name have a kernel.
  void join(const std::vector<const std::vector<launch_link>*>& links, const string_table& names);

  // Looks for the operations of captured launches, too; after set_captured().
  void join_captured();

  // The call of the kernel's correlation, the first one of it; for a kernel without, that of its operation.
  [[nodiscard]] const call* launcher_of(const launch_link& link) const;
  [[nodiscard]] bool is_graph(const call& c) const;
  // Counts launches, and lists those without a kernel; nothing where no kernel names its launch. After join().
  void list_unrecorded(activity_host& into) const;
  // The last one that had shapes.
  [[nodiscard]] const operation* operation_of(const launch_link& link) const;
  [[nodiscard]] const operation* operation_at(std::size_t span) const;

 private:
  struct calls_of_name {
    std::size_t calls = 0, with_kernel = 0;  // with a correlation
  };
  void find_launches(const hash_map<string_id, calls_of_name>& by_name, const string_table& names);

  static constexpr std::size_t none = ~std::size_t{0};
  struct of_external {
    std::size_t call = none, operation = none;
  };

  std::vector<call> calls_;
  struct launch {
    std::size_t call;
    launched_work work;
  };
  std::vector<launch> launches_;     // of the calls, in order
  std::vector<std::size_t> graphs_;  // likewise
  std::size_t kernels_ = 0;
  bool some_without_correlation_ = false;
  std::vector<operation> operations_;
  hash_map<std::uint64_t, std::size_t> by_correlation_;
  hash_map<std::uint64_t, of_external> by_external_;
  hash_set<std::size_t> captured_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
