#include <base/thread_pool.hpp>

#include <base/contained.hpp>
#include <base/progress.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint32_t max_threads = 256;  // more only costs memory

class item_queue {
 public:
  item_queue(std::size_t count, const hooks& host, const std::function<result<void>(std::size_t)>& work)
      : count_(count), host_(host), work_(work) {}

  // Takes pieces until there are none left or one has failed; run by every thread.
  void work_off() noexcept {
    while (!stop_.load(std::memory_order_relaxed)) {
      const std::size_t item = next_.fetch_add(1, std::memory_order_relaxed);
      if (item >= count_) return;
      auto done = contained([&]() -> result<void> {
        if (host_.cancel != nullptr && host_.cancel->load(std::memory_order_relaxed)) return progress_meter::stopped();
        return work_(item);
      });
      if (!done.ok()) keep(item, std::move(done).error());
    }
  }

  result<void> outcome() {
    if (failed_) return std::move(*failed_);
    return {};
  }

 private:
  // Every piece before a failed one had begun already, so the lowest number wins, in whatever order they fail.
  void keep(std::size_t item, fault f) noexcept {
    stop_.store(true, std::memory_order_relaxed);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failed_ && failed_item_ < item) return;
    failed_ = std::move(f);
    failed_item_ = item;
  }

  std::size_t count_;
  const hooks& host_;
  const std::function<result<void>(std::size_t)>& work_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::optional<fault> failed_;
  std::size_t failed_item_ = 0;
};

}  // namespace

result<void> for_each_item(std::size_t count, const hooks& host, const std::function<result<void>(std::size_t)>& work) {
  item_queue queue(count, host, work);
  return contained([&]() -> result<void> {
    std::vector<std::thread> helpers;
    const std::size_t wanted = std::min<std::size_t>(std::clamp<std::uint32_t>(host.threads, 1, max_threads), count);
    try {
      helpers.reserve(wanted);
      while (helpers.size() + 1 < wanted) helpers.emplace_back([&queue] { queue.work_off(); });
    } catch (const std::exception&) {
      // No more threads or memory for them: those that run do all the work.
    }
    queue.work_off();
    for (std::thread& helper : helpers) helper.join();
    return queue.outcome();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
