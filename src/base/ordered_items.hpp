// Pieces of work on several threads whose outcomes are taken one at a time, in the order of the pieces.
#pragma once
#include <base/contained.hpp>
#include <base/thread_pool.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What was done and waits for pieces in front of it: a few more than there are threads.
template <class Found>
class outcomes_in_order {
 public:
  outcomes_in_order(std::size_t count, const hooks& host)
      : found_(count), most_ahead_(2 * std::size_t{std::max<std::uint32_t>(host.threads, 1)}), host_(host) {}

  // Hands all that has nothing left in front of it to keep(item, found).
  template <class Keep>
  result<void> put(std::size_t item, Found found, Keep&& keep) {
    std::unique_lock<std::mutex> hold(mutex_);
    found_[item] = std::move(found);
    if (keeping_) {
      // Taking is slower than reading: no more is read ahead. A piece may end without an outcome when the host stops.
      while (item > next_ + most_ahead_ && !stopped_ &&
             (host_.cancel == nullptr || !host_.cancel->load(std::memory_order_relaxed)))
        moved_.wait_for(hold, std::chrono::milliseconds(20));
      return {};
    }
    keeping_ = true;
    while (next_ < found_.size() && found_[next_]) {
      Found taken = std::move(*found_[next_]);
      found_[next_].reset();
      const std::size_t at = next_++;
      hold.unlock();
      moved_.notify_all();
      if (result<void> kept = keep(at, std::move(taken)); !kept) return kept;
      hold.lock();
    }
    keeping_ = false;
    return {};
  }
  // A piece has no outcome: none waits for it.
  void stop() {
    const std::lock_guard<std::mutex> hold(mutex_);
    stopped_ = true;
    moved_.notify_all();
  }

 private:
  std::vector<std::optional<Found>> found_;
  const std::size_t most_ahead_;
  const hooks& host_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::size_t next_ = 0;  // the first that was not taken
  bool keeping_ = false, stopped_ = false;
};

// `work(item)` gives a result<Found>, on up to host.threads threads; keep(item, found) takes them in order, on one
// thread at a time. Faults as in for_each_item().
template <class Found, class Work, class Keep>
result<void> for_each_in_order(std::size_t count, const hooks& host, Work&& work, Keep&& keep) {
  outcomes_in_order<Found> outcomes(count, host);
  return for_each_item(count, host, [&](std::size_t item) -> result<void> {
    result<void> done = contained([&]() -> result<void> {
      result<Found> found = work(item);
      if (!found) return std::move(found).error();
      return outcomes.put(item, std::move(*found), keep);
    });
    if (!done) outcomes.stop();
    return done;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
