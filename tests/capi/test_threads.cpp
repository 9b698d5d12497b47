// One handle read by many threads: totals agree, and ThreadSanitizer finds nothing.
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "handles.hpp"

using namespace profkit::test;

namespace {

constexpr int thread_count = 8;

void on_all_threads(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

// Catch2's assertions are not thread-safe: threads return what they saw.
struct seen {
  std::uint64_t events = 0, stats = 0, names = 0, document_bytes = 0, chrome_events = 0, damaged = 0;
  friend bool operator==(const seen& a, const seen& b) {
    return a.events == b.events && a.stats == b.stats && a.names == b.names && a.document_bytes == b.document_bytes &&
           a.chrome_events == b.chrome_events && a.damaged == b.damaged;
  }
};

std::int32_t count_bytes(void* user, const void*, std::size_t size) {
  *static_cast<std::uint64_t*>(user) += size;
  return 0;
}

seen read_everything(pk_profile* p) {
  seen s;
  for (std::uint32_t f = 0; f < pk_file_count(p); ++f) {
    pk_file_info info;
    if (pk_file_get(p, f, &info, nullptr) != PK_OK) continue;
    if (pk_file_damage(p, f)) ++s.damaged;  // reads the file, once for all threads
    if (info.family == PK_FAMILY_CHROME_TRACE) {
      pk_chrome_reader* made = nullptr;
      if (pk_chrome_open(p, f, &made, nullptr) != PK_OK) continue;
      const owned<pk_chrome_reader> reader(made);
      pk_chrome_event rows[32];
      for (std::size_t n = 0; pk_chrome_events_read(made, rows, 32, &n, nullptr) == PK_OK;) s.chrome_events += n;
    }
    for (std::uint32_t plane = 0; plane < info.plane_count; ++plane)
      for (std::uint32_t line = 0; line < pk_line_count(p, f, plane); ++line) {
        pk_event_cursor cursor;
        pk_events_begin(p, f, plane, line, &cursor, nullptr);
        for (pk_event row; pk_event_next(&cursor, &row, nullptr) == PK_OK;) {
          ++s.events;
          pk_event_metadata entry;
          if (pk_event_metadata_get(p, f, plane, row.metadata_id, &entry, nullptr) == PK_OK) ++s.names;
          pk_stat_cursor stats;
          pk_event_stats(p, f, plane, &row, PK_ORIGIN_EVENT, &stats, nullptr);
          for (pk_stat stat; pk_stat_next(&stats, &stat, nullptr) == PK_OK;) ++s.stats;
        }
      }
  }
  pk_document_write(p, PK_DOCUMENT_INFO, nullptr, count_bytes, &s.document_bytes, nullptr, nullptr);
  return s;
}

void check_threads(const owned<pk_profile>& profile, std::uint64_t events) {
  std::vector<seen> all(thread_count);
  on_all_threads([&](int i) {
    pk_profile* mine = pk_profile_ref(profile.get());
    all[static_cast<std::size_t>(i)] = read_everything(mine);
    pk_profile_free(mine);
  });
  for (const seen& s : all) {
    CHECK(s == all[0]);
    CHECK(s.events == events);
    CHECK(s.document_bytes > 0);
  }
}

}  // namespace

TEST_CASE("a run directory read by eight threads") { check_threads(opened(cpu_run()), 1262); }

TEST_CASE("a damaged capture read by eight threads") {
  std::string bytes("\x0a\x0e\x12\x01p\x1a\x09\x22\x04\x08\x01\x10\x05\x22\x7f\x08", 16);
  check_threads(opened_buffer(bytes), 1);
}

TEST_CASE("the last reference may be given back by any thread") {
  for (int round = 0; round < 20; ++round) {
    pk_profile* profile = opened(gpu_capture()).release();
    std::vector<pk_profile*> shares;
    for (int i = 0; i < thread_count; ++i) shares.push_back(pk_profile_ref(profile));
    pk_profile_free(profile);
    on_all_threads([&](int i) {
      pk_profile* mine = shares[static_cast<std::size_t>(i)];
      pk_file_info info;
      pk_file_get(mine, 0, &info, nullptr);
      pk_profile_free(mine);
    });
  }
}

TEST_CASE("analyses read by eight threads") {
  const auto profile = opened(tpu_capture());
  pk_memory* memory = nullptr;
  pk_bubbles* bubbles = nullptr;
  pk_activity* activity = nullptr;
  REQUIRE(pk_memory_open(profile.get(), nullptr, &memory, nullptr) == PK_OK);
  REQUIRE(pk_bubbles_open(profile.get(), nullptr, &bubbles, nullptr) == PK_OK);
  REQUIRE(pk_activity_open(profile.get(), nullptr, &activity, nullptr) == PK_OK);
  struct rows {
    std::uint64_t buffers = 0, gaps = 0, kernels = 0, document_bytes = 0;
    bool operator==(const rows& other) const {
      return buffers == other.buffers && gaps == other.gaps && kernels == other.kernels &&
             document_bytes == other.document_bytes;
    }
  };
  std::vector<rows> all(thread_count);
  on_all_threads([&](int i) {
    rows& mine = all[static_cast<std::size_t>(i)];
    std::size_t count = 0;
    const auto counted = [&](pk_status opened, pk_table* table, auto row) {
      std::vector<decltype(row)> some(64);
      std::uint64_t all_rows = 0;
      while (opened == PK_OK && pk_table_read(table, some.data(), sizeof row, some.size(), &count, nullptr) == PK_OK)
        all_rows += count;
      pk_table_free(table);
      return all_rows;
    };
    pk_table* table = nullptr;
    pk_status opened_table = pk_memory_table(memory, PK_TABLE_LIVE_BUFFERS, nullptr, &table, nullptr);
    mine.buffers = counted(opened_table, table, pk_live_buffer{});
    opened_table = pk_bubbles_table(bubbles, PK_TABLE_GAPS, nullptr, &table, nullptr);
    mine.gaps = counted(opened_table, table, pk_bubble{});
    opened_table = pk_activity_table(activity, nullptr, &table, nullptr);
    mine.kernels = counted(opened_table, table, pk_kernel_row{});
    pk_memory_write(memory, count_bytes, &mine.document_bytes, nullptr, nullptr);
    pk_bubbles_write(bubbles, count_bytes, &mine.document_bytes, nullptr, nullptr);
  });
  for (const rows& seen_by_one : all) CHECK(seen_by_one == all[0]);
  CHECK(all[0].buffers > 0);
  CHECK(all[0].gaps > 0);
  CHECK(all[0].kernels > 0);
  CHECK(all[0].document_bytes > 0);
  pk_activity_free(activity);
  pk_bubbles_free(bubbles);
  pk_memory_free(memory);
}

TEST_CASE("errors move between threads") {
  pk_error* error = nullptr;
  pk_profile* profile = nullptr;
  std::thread([&] { pk_profile_open("/nonexistent", nullptr, &profile, &error); }).join();
  CHECK(pk_error_code(error) == PK_E_NOT_FOUND);
  std::thread([&] { pk_error_free(error); }).join();
}

TEST_CASE("a token is cancelled by another thread") {
  pk_cancel_token* made = nullptr;
  REQUIRE(pk_cancel_token_new(&made, nullptr) == PK_OK);
  const owned<pk_cancel_token> token(made);
  const auto profile = opened(gpu_capture());
  std::atomic<bool> started{false};
  pk_status status = PK_OK;
  std::thread worker([&] {
    pk_hooks hooks = PK_HOOKS_INIT;
    hooks.cancel = token.get();
    pk_document_options options = PK_DOCUMENT_OPTIONS_INIT;
    options.hooks = &hooks;
    std::uint64_t bytes = 0;
    while (status == PK_OK) {
      status = pk_document_write(profile.get(), PK_DOCUMENT_INFO, &options, count_bytes, &bytes, nullptr, nullptr);
      started = true;
    }
  });
  while (!started) std::this_thread::yield();
  pk_cancel_token_cancel(token.get());
  worker.join();
  CHECK(status == PK_E_CANCELLED);
}
