// Pieces of work on several threads whose outcomes are taken one at a time, in the order of the pieces.
#pragma once
#include <base/contained.hpp>
#include <base/thread_pool.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Finished pieces that wait for pieces before them: about half as many as there are threads. All of them are taken on
// the thread that made this, so that what lives long comes from one arena of the allocator.
template <class Found>
class outcomes_in_order {
 public:
  outcomes_in_order(std::size_t count, const hooks& host)
      : found_(count), max_ahead_(1 + std::size_t{host.threads} / 2), host_(host) {}

  void begin() {
    const std::lock_guard<std::mutex> hold(mutex_);
    ++begun_;
  }
  template <class Keep>
  result<void> put(std::size_t item, Found found, Keep&& keep) {
    {
      std::unique_lock<std::mutex> hold(mutex_);
      found_[item] = std::move(found);
      if (std::this_thread::get_id() != owner_) {
        while (too_far_ahead(item)) moved_.wait_for(hold, std::chrono::milliseconds(20));
        return {};
      }
    }
    return take(keep);
  }
  // On the thread that made this: hands every piece whose predecessors are all done to keep(item, found).
  template <class Keep>
  result<void> take(Keep&& keep) {
    for (;;) {
      std::optional<Found> taken;
      {
        const std::lock_guard<std::mutex> hold(mutex_);
        if (next_ == found_.size() || !found_[next_]) return {};
        taken = std::exchange(found_[next_], std::nullopt);
        ++next_;
      }
      moved_.notify_all();
      if (result<void> kept = keep(next_ - 1, std::move(*taken)); !kept) return kept;
    }
  }
  // A piece has no outcome: none waits for it.
  void stop() {
    const std::lock_guard<std::mutex> hold(mutex_);
    stopped_ = true;
    moved_.notify_all();
  }

 private:
  // Once all pieces have begun, the owner may have none left and wait for this thread.
  [[nodiscard]] bool too_far_ahead(std::size_t item) const noexcept {
    return item > next_ + max_ahead_ && begun_ < found_.size() && !stopped_ &&
           (host_.cancel == nullptr || !host_.cancel->load(std::memory_order_relaxed));
  }

  std::vector<std::optional<Found>> found_;
  const std::size_t max_ahead_;
  const hooks host_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable moved_;
  std::size_t next_ = 0;  // the first that was not taken; only the owner changes it
  std::size_t begun_ = 0;
  bool stopped_ = false;
};

// `work(item)` gives a result<Found>, on up to host.threads threads but not more than `max_threads`: others would wait
// for the one that takes, with an outcome each in memory. keep(item, found) takes them in order, on the caller's
// thread. Faults as in for_each_item().
template <class Found, class Work, class Keep>
result<void> for_each_in_order(std::size_t count, const hooks& host, Work&& work, Keep&& keep) {
  constexpr std::uint32_t max_threads = 4;
  hooks bounded = host;
  bounded.threads = std::min(host.threads, max_threads);
  outcomes_in_order<Found> outcomes(count, bounded);
  result<void> done = for_each_item(count, bounded, [&](std::size_t item) -> result<void> {
    result<void> put = contained([&]() -> result<void> {
      outcomes.begin();
      result<Found> found = work(item);
      if (!found) return std::move(found).error();
      return outcomes.put(item, std::move(*found), keep);
    });
    if (!put) outcomes.stop();
    return put;
  });
  if (!done) return done;
  return outcomes.take(keep);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
