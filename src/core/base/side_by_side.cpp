#include <profkit/core/side_by_side.hpp>

#include <base/contained.hpp>
#include <base/progress.hpp>
#include <base/thread_pool.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// One progress function for pieces that run at the same time: it reports the numbers of the first piece that has not
// ended.
class joint_progress {
 public:
  // A piece's way to it.
  struct way {
    joint_progress* to = nullptr;
    std::size_t piece = 0;
  };
  joint_progress(const hooks& host, std::size_t pieces) : host_(host), ended_(pieces, false) {}

  static std::int32_t report(void* user, std::uint64_t done_bytes, std::uint64_t total_bytes) {
    const way& from = *static_cast<const way*>(user);
    return from.to->report(from.piece, done_bytes, total_bytes);
  }
  void end(std::size_t piece) {
    const std::lock_guard<std::mutex> hold(mutex_);
    ended_[piece] = true;
  }

 private:
  std::int32_t report(std::size_t piece, std::uint64_t done_bytes, std::uint64_t total_bytes) {
    const std::lock_guard<std::mutex> hold(mutex_);
    if (std::find(ended_.begin(), ended_.end(), false) - ended_.begin() == static_cast<std::ptrdiff_t>(piece)) {
      done_bytes_ = done_bytes;
      total_bytes_ = total_bytes;
    }
    const auto now = std::chrono::steady_clock::now();
    if (answer_ != 0 || now - last_ < progress_meter::interval) return answer_;
    last_ = now;
    return answer_ = host_.progress(host_.user, done_bytes_, total_bytes_);
  }

  const hooks& host_;
  std::mutex mutex_;
  std::vector<bool> ended_;
  std::uint64_t done_bytes_ = 0, total_bytes_ = 0;
  std::chrono::steady_clock::time_point last_{};
  std::int32_t answer_ = 0;
};

}  // namespace

std::vector<result<void>> side_by_side(const hooks& host,
                                       const std::vector<std::function<result<void>(const hooks&)>>& pieces) {
  std::vector<result<void>> outcomes(pieces.size());
  const std::uint32_t at_once = host.threads < 2 ? 1 : 2;
  joint_progress progress(host, pieces.size());
  std::vector<joint_progress::way> ways(pieces.size());
  hooks both = host;
  both.threads = at_once;
  both.cancel = nullptr;  // each piece looks at it: all of them have an outcome
  static_cast<void>(for_each_item(pieces.size(), both, [&](std::size_t item) -> result<void> {
    hooks own = host;
    own.threads = std::max<std::uint32_t>(host.threads / at_once, 1);
    if (host.progress != nullptr) {
      ways[item] = {&progress, item};
      own.progress = &joint_progress::report;
      own.user = &ways[item];
      own.log = nullptr;  // it takes the host's own `user`
    }
    outcomes[item] = contained([&] { return pieces[item](own); });
    progress.end(item);
    return {};
  }));
  return outcomes;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
