// What the threads of the hosts called, one inside the other, added up over time: the data of a flame graph.
#pragma once
#include <profkit/core/activity.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct call_tree_options {
  std::string plane, line;  ///< of process and thread: text that their names contain; "" all
  std::int64_t from_ps = std::numeric_limits<std::int64_t>::min();  ///< calls count as far as they lie in [from_ps, to_ps)
  std::int64_t to_ps = std::numeric_limits<std::int64_t>::max();
  std::uint64_t max_spans = 4'000'000;  ///< a fault (limit) beyond: 40 bytes each are held
};

inline constexpr std::uint32_t no_call = 0xffffffff;

/// Calls of one name at one place of the tree.
struct call_node {
  std::uint32_t parent = no_call;  ///< index into nodes; no_call: the node of a thread
  std::uint32_t thread = 0;        ///< index into activity::threads()
  string_id name = 0;              ///< of the activity; of a thread's own node 0
  host_span_kind kind = host_span_kind::other;
  std::uint64_t calls = 0;
  std::int64_t total_ps = 0;  ///< time inside; of a thread: that its outermost calls cover
  std::int64_t self_ps = 0;   ///< without what was called inside
};

struct call_tree {
  std::vector<call_node> nodes;  ///< parents before their children; threads by time, the longest first
  std::uint64_t spans = 0;
};

/// Adds up the calls of all hosts. A call that begins in another of its thread counts as inside it, and no longer than it. Markers
/// of devices are left out. Faults: limit, cancelled, those of the visit.
result<call_tree> analyse_call_tree(const activity& of, const call_tree_options& o = {}, const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
