#include <base/progress.hpp>
#include <base/thread_pool.hpp>

#include <profkit/core/side_by_side.hpp>

#include <catch.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

using namespace profkit;

namespace {

hooks with_threads(std::uint32_t n) {
  hooks host;
  host.threads = n;
  return host;
}

}  // namespace

TEST_CASE("results come in the order of the pieces for any number of threads") {
  for (const std::uint32_t threads : {0u, 1u, 2u, 7u, 64u}) {
    std::atomic<int> calls{0};
    const auto values = map_items<std::size_t>(1000, with_threads(threads), [&](std::size_t i) -> result<std::size_t> {
      calls.fetch_add(1);
      return i * i;
    });
    REQUIRE(values.ok());
    CHECK(calls == 1000);
    REQUIRE(values->size() == 1000);
    for (std::size_t i = 0; i < 1000; ++i) {
      if ((*values)[i] != i * i) FAIL(i);
    }
  }
  CHECK(for_each_item(0, with_threads(3), [](std::size_t) -> result<void> { return {}; }).ok());
}

TEST_CASE("the fault of the first failed piece is given, whoever fails first") {
  for (const std::uint32_t threads : {1u, 2u, 4u}) {
    for (int round = 0; round < 20; ++round) {
      // Piece 9 fails before piece 10 in even rounds and after it in odd ones; both are under way together.
      std::atomic<bool> ninth{false}, tenth{false};
      const auto wait_for = [&](const std::atomic<bool>& other) {
        while (threads > 1 && !other) std::this_thread::yield();
      };
      const auto done = for_each_item(64, with_threads(threads), [&](std::size_t i) -> result<void> {
        if (i < 9) return {};
        (i == 9 ? ninth : tenth) = true;
        if (i == 9) wait_for(tenth);
        if (i == 10) wait_for(ninth);
        if ((i == 10) == (round % 2 == 0)) std::this_thread::sleep_for(std::chrono::microseconds(500));
        return fault{fault_code::damaged, std::to_string(i), "", no_offset, ""};
      });
      REQUIRE_FALSE(done.ok());
      REQUIRE(done.error().message == "9");
    }
  }
}

TEST_CASE("what a piece throws becomes a fault") {
  const auto thrown =
      for_each_item(4, with_threads(2), [](std::size_t) -> result<void> { throw std::runtime_error("why"); });
  REQUIRE_FALSE(thrown.ok());
  CHECK(thrown.error().code == fault_code::internal);
  CHECK(thrown.error().message == "why");
  const auto memory = for_each_item(1, with_threads(1), [](std::size_t) -> result<void> { throw std::bad_alloc(); });
  REQUIRE_FALSE(memory.ok());
  CHECK(memory.error().code == fault_code::out_of_memory);
}

TEST_CASE("the cancel token stops the work") {
  std::atomic<bool> cancel{false};
  hooks host = with_threads(2);
  host.cancel = &cancel;
  std::atomic<int> calls{0};
  const auto done = for_each_item(100000, host, [&](std::size_t i) -> result<void> {
    calls.fetch_add(1);
    if (i == 10) cancel = true;
    return {};
  });
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().code == fault_code::cancelled);
  CHECK(calls < 100000);
}

TEST_CASE("pieces side by side share the threads, and each has its outcome", "[threads]") {
  for (const std::uint32_t threads : {1U, 2U, 7U}) {
    INFO(threads);
    std::atomic<int> running{0}, most{0};
    const auto piece = [&](int number) {
      return [&, number](const hooks& host) -> result<void> {
        const int now = ++running;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {}
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        --running;
        if (host.threads != std::max(threads / 2, 1U)) return fault{fault_code::internal, "threads", "", no_offset, ""};
        if (number == 1) return fault{fault_code::damaged, "one", "", no_offset, ""};
        if (number == 2) throw std::bad_alloc();
        return {};
      };
    };
    const auto outcomes = side_by_side(with_threads(threads), {piece(0), piece(1), piece(2), piece(3)});
    REQUIRE(outcomes.size() == 4);
    CHECK(outcomes[0].ok());
    REQUIRE_FALSE(outcomes[1].ok());
    CHECK(outcomes[1].error().message == "one");
    REQUIRE_FALSE(outcomes[2].ok());
    CHECK(outcomes[2].error().code == fault_code::out_of_memory);
    CHECK(outcomes[3].ok());
    CHECK(most <= static_cast<int>(std::min(threads, 2U)));
  }
}

TEST_CASE("a host that stops one piece stops those beside it and behind it", "[threads]") {
  for (const std::uint32_t threads : {1U, 4U}) {
    INFO(threads);
    hooks host = with_threads(threads);
    std::atomic<int> asked{0};
    host.user = &asked;
    host.progress = [](void* user, std::uint64_t, std::uint64_t) -> std::int32_t {
      ++*static_cast<std::atomic<int>*>(user);
      return 1;
    };
    const auto until_stopped = [](const hooks& own) -> result<void> {
      progress_meter meter(own);
      for (;;)
        if (result<void> stepped = meter.step(1); !stepped) return stepped;
    };
    for (const result<void>& outcome : side_by_side(host, {until_stopped, until_stopped, until_stopped})) {
      REQUIRE_FALSE(outcome.ok());
      CHECK(outcome.error().code == fault_code::cancelled);
    }
    CHECK(asked == 1);
  }
}

TEST_CASE("progress is told at most every 50 ms, and can stop the work") {
  struct seen {
    int calls = 0;
    std::uint64_t total = 0;
    std::int32_t answer = 0;
  } told;
  hooks host;
  host.user = &told;
  host.progress = [](void* user, std::uint64_t, std::uint64_t total) {
    auto& s = *static_cast<seen*>(user);
    ++s.calls;
    s.total = total;
    return s.answer;
  };
  progress_meter meter(host, 77);
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(130)) REQUIRE(meter.step(1).ok());
  CHECK(told.calls >= 1);
  const auto took = std::chrono::steady_clock::now() - start;
  CHECK(told.calls <= took / std::chrono::milliseconds(50));
  CHECK(told.total == 77);
  told.answer = 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  const auto stopped = meter.step(2);
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().code == fault_code::cancelled);
}
