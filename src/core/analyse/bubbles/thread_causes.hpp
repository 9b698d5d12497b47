// What the threads of a host did during gaps, as far as the vocabulary knows it: at each moment the innermost span of
// a thread whose name it knows.
#pragma once
#include <analyse/bubbles/gap_cells.hpp>

#include <base/hash_map.hpp>
#include <profkit/interval.hpp>

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

struct known_span {
  interval span;
  string_id name = 0;
  idle_cause cause = idle_cause::unexplained;
  bool frame = false;
};

// A span that is long enough to be most of a gap.
struct lasting_span {
  interval span;
  string_id name = 0;
  bool is_range = false;  // an annotation: it may hold more than the gap
};
// What one thread did.
struct thread_record {
  span_union all, work;  // work: ops and calls, no annotation of a stretch of them
  span_union edges;      // near a beginning or an end of an op, a call or a range
  std::vector<known_span> known;
  std::vector<lasting_span> lasting;

  void add(const interval& span, string_id name, host_span_kind kind);
  void add(thread_record& more);
  void clear();
};

// Of a gap whose next kernel has a launch on record only the thread that launched it counts; of another one the thread
// that spends mostly in one known cause. Fills host_evidence::known and what stands beside it.
class thread_causes {
 public:
  // Has to be outlived by the lists and their bubbles.
  explicit thread_causes(const std::vector<gap_list>& lists);
  // All that a thread did.
  void take(std::uint32_t thread, thread_record& of);

 private:
  hash_map<std::uint32_t, std::vector<bubble*>> of_thread_;  // whose next kernel it launched
  std::vector<std::vector<bubble*>> unlaunched_;  // of each list, by start
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
