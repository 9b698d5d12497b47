// What the threads of a host did during gaps, as far as the vocabulary knows it: at each moment the innermost span of
// a thread whose name it knows.
#pragma once
#include <analyse/bubbles/gap_cells.hpp>

#include <base/hash_map.hpp>

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

// Of a gap whose next kernel has a launch on record only the thread that launched it counts; of another one the thread
// that spends mostly in one known cause. Fills host_evidence::known and what stands beside it.
class thread_causes {
 public:
  // Has to be outlived by the lists and their bubbles.
  explicit thread_causes(const std::vector<gap_list>& lists);
  // All that a thread did: its known spans, which come in any order, and, normal, all of its spans and `work`, its ops
  // and calls.
  void take(std::uint32_t thread, std::vector<known_span> known, const std::vector<interval>& all_spans,
            const std::vector<interval>& work);

 private:
  hash_map<std::uint32_t, std::vector<bubble*>> of_thread_;  // whose next kernel it launched
  std::vector<std::vector<bubble*>> unlaunched_;  // of each list, by start
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
