// What a merge is going to write: every plane and line of its traces with what a look at them found.
#pragma once
#include "alignment.hpp"
#include "line_survey.hpp"
#include "plane_names.hpp"

#include <base/progress.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct line_plan {
  std::string_view body;
  line_correction clock;
  line_facts facts;
  std::uint64_t body_bytes = 0;  // of the line as it will be written
  std::string head, tail;        // fields around the events
};

// The plane stats by which a merge knows whose a plane is.
inline constexpr std::string_view tag_names[] = {"node_id", "hostname", "clock_skew_ns"};

struct plane_plan {
  std::size_t trace = 0;
  std::string_view body, name;
  std::int64_t id = 0;
  std::int64_t node = 0;
  std::size_t first_line = 0, line_count = 0;
  std::int64_t max_stat_id = 0;
  std::int64_t tag_ids[3] = {};  // stat metadata of tag_names that is there already; 0: none
  bool device = false;
  plane_name named;
  std::string head, tail;  // fields before and after everything else
  std::uint64_t body_bytes = 0;
};

struct merge_plan {
  alignment all;
  line_rules rules;
  std::vector<plane_plan> planes;
  std::vector<line_plan> lines;

  [[nodiscard]] const aligned_trace& trace_of(const plane_plan& p) const noexcept { return all.traces[p.trace]; }
  // Planes of single nodes are tagged; those of a trace that was merged before are so already.
  [[nodiscard]] bool tags(const plane_plan& p) const noexcept { return trace_of(p).before.empty(); }
};

// Progress over both passes, from any thread.
class shared_progress {
 public:
  shared_progress(const hooks& host, std::uint64_t total) : meter_(host, total) {}
  result<void> add(std::uint64_t bytes) {
    const std::uint64_t done = done_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    return lock.owns_lock() ? meter_.step(done) : result<void>();
  }

 private:
  progress_meter meter_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
