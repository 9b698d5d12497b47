// Which launch of a graph's capture each of its kernels belongs to, where only the order says it.
#pragma once
#include <formats/kineto/launch_calls.hpp>
#include <formats/launch_names.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A kernel that a graph replayed.
struct replayed_kernel {
  std::size_t device = 0, row = 0;  // whatever the caller knows it by
  std::int64_t start_ps = 0;
  string_id name = 0;
  std::uint32_t stream = 0;
  std::uint64_t graph = no_launch_id, node = no_launch_id;  // as recorded
};

// While a capture lasts, launches run nothing and become nodes of a graph. Recorders do not say which node a kernel ran. The i-th
// kernel of a replay is that of the i-th launch where the trace leaves no other way: every replay has a capture of as many launches
// before it, only one capture has that many, what it captured is one line of nodes, and all replays of that size have the same kernels.
class graph_captures {
 public:
  // A call that begins or ends a capture, or that makes what follows wait for another stream.
  void note(capture_call what, std::uint32_t thread, std::int64_t start_ps, std::int64_t end_ps);
  [[nodiscard]] bool empty() const noexcept { return begins_and_ends_.empty(); }

  // Finds out which launches were captured; once, when calls and kernels are joined.
  void settle(launch_calls& calls);

  struct order_link {
    std::size_t device, row;
    std::size_t call;    // of the launch in the capture
    std::size_t replay;  // the launch of the graph
  };
  // `replays`: kernels by the launch of their graph. In no promised order.
  [[nodiscard]] std::vector<order_link> link(std::map<std::size_t, std::vector<replayed_kernel>>& replays,
                                             const launch_calls& calls) const;

 private:
  struct mark {
    std::uint32_t thread;
    std::int64_t start_ps, end_ps;
    bool begins;
  };
  struct capture {
    std::int64_t start_ps, end_ps;
    bool is_one_line = true;  // no other order of its nodes is possible
    std::vector<std::size_t> launches;
  };
  void find_captures();
  void take_launches(const launch_calls& calls);
  [[nodiscard]] const capture* only_capture_of(std::size_t launches) const;
  [[nodiscard]] bool is_explained(std::size_t kernels, std::int64_t launch_ps) const;

  std::vector<mark> begins_and_ends_;
  std::vector<std::int64_t> waits_;  // of streams for others
  std::vector<capture> captures_;    // by start
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
