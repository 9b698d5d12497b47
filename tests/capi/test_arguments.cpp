// Misuse: every NULL, every position out of range, option structs of other releases.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "handles.hpp"

using namespace profkit::test;

TEST_CASE("a NULL argument is an error, never a crash") {
  const auto profile = opened(tpu_capture());
  pk_profile* p = profile.get();
  pk_profile* opened_handle = nullptr;
  pk_profile_info profile_info;
  pk_run_info run_info;
  pk_file_info file_info;
  pk_plane_info plane_info;
  pk_line_info line_info;
  pk_line_summary line_summary;
  pk_event event{};
  pk_event_cursor events{};
  pk_stat stat;
  pk_stat_cursor stats{};
  pk_metadata_cursor entries{};
  pk_event_metadata event_metadata;
  pk_stat_metadata stat_metadata;
  pk_module_list* modules = nullptr;
  pk_module_info module;
  pk_chrome_reader* chrome = nullptr;
  pk_chrome_event chrome_event;
  pk_chrome_summary chrome_summary;
  pk_str text;
  std::size_t count = 0;
  std::int64_t id = 0;
  const pk_write_callback write = [](void*, const void*, std::size_t) -> std::int32_t { return 0; };
  pk_document_options asked = PK_DOCUMENT_OPTIONS_INIT;
  const auto about = [&](const char* what) {
    asked.of = what;
    return &asked;
  };
  REQUIRE(pk_events_begin(p, 0, 0, 0, &events, nullptr) == PK_OK);
  REQUIRE(pk_plane_stats(p, 0, 0, &stats, nullptr) == PK_OK);
  REQUIRE(pk_event_metadata_begin(p, 0, 0, &entries, nullptr) == PK_OK);

  using call = std::function<pk_status(pk_error**)>;
  const std::vector<std::pair<const char*, call>> calls{
      {"cancel_token_new", [&](pk_error** e) { return pk_cancel_token_new(nullptr, e); }},
      {"open path", [&](pk_error** e) { return pk_profile_open(nullptr, nullptr, &opened_handle, e); }},
      {"open out", [&](pk_error** e) { return pk_profile_open("x", nullptr, nullptr, e); }},
      {"open_buffer data",
       [&](pk_error** e) { return pk_profile_open_buffer(nullptr, 1, nullptr, nullptr, &opened_handle, e); }},
      {"open_buffer out", [&](pk_error** e) { return pk_profile_open_buffer("", 0, nullptr, nullptr, nullptr, e); }},
      {"open_callbacks",
       [&](pk_error** e) { return pk_profile_open_callbacks(nullptr, nullptr, nullptr, &opened_handle, e); }},
      {"open_callbacks read_at",
       [&](pk_error** e) {
         const pk_read_callbacks none = PK_READ_CALLBACKS_INIT;
         return pk_profile_open_callbacks(&none, nullptr, nullptr, &opened_handle, e);
       }},
      {"profile_get", [&](pk_error** e) { return pk_profile_get(nullptr, &profile_info, e); }},
      {"profile_get out", [&](pk_error** e) { return pk_profile_get(p, nullptr, e); }},
      {"run_get", [&](pk_error** e) { return pk_run_get(nullptr, 0, &run_info, e); }},
      {"run_get out", [&](pk_error** e) { return pk_run_get(p, 0, nullptr, e); }},
      {"file_get", [&](pk_error** e) { return pk_file_get(nullptr, 0, &file_info, e); }},
      {"file_get out", [&](pk_error** e) { return pk_file_get(p, 0, nullptr, e); }},
      {"file_bytes", [&](pk_error** e) { return pk_file_bytes(nullptr, 0, &text, e); }},
      {"file_bytes out", [&](pk_error** e) { return pk_file_bytes(p, 0, nullptr, e); }},
      {"file_note_get", [&](pk_error** e) { return pk_file_note_get(nullptr, 0, 0, 0, &text, e); }},
      {"file_note_get out", [&](pk_error** e) { return pk_file_note_get(p, 0, 0, 0, nullptr, e); }},
      {"plane_get", [&](pk_error** e) { return pk_plane_get(nullptr, 0, 0, &plane_info, e); }},
      {"plane_get out", [&](pk_error** e) { return pk_plane_get(p, 0, 0, nullptr, e); }},
      {"line_get", [&](pk_error** e) { return pk_line_get(nullptr, 0, 0, 0, &line_info, e); }},
      {"line_get out", [&](pk_error** e) { return pk_line_get(p, 0, 0, 0, nullptr, e); }},
      {"line_summarise", [&](pk_error** e) { return pk_line_summarise(nullptr, 0, 0, 0, &line_summary, e); }},
      {"line_summarise out", [&](pk_error** e) { return pk_line_summarise(p, 0, 0, 0, nullptr, e); }},
      {"events_begin", [&](pk_error** e) { return pk_events_begin(nullptr, 0, 0, 0, &events, e); }},
      {"events_begin out", [&](pk_error** e) { return pk_events_begin(p, 0, 0, 0, nullptr, e); }},
      {"event_next", [&](pk_error** e) { return pk_event_next(nullptr, &event, e); }},
      {"event_next out", [&](pk_error** e) { return pk_event_next(&events, nullptr, e); }},
      {"events_read", [&](pk_error** e) { return pk_events_read(nullptr, &event, 1, &count, e); }},
      {"events_read events", [&](pk_error** e) { return pk_events_read(&events, nullptr, 1, &count, e); }},
      {"events_read count", [&](pk_error** e) { return pk_events_read(&events, &event, 1, nullptr, e); }},
      {"events_read capacity", [&](pk_error** e) { return pk_events_read(&events, &event, 0, &count, e); }},
      {"event_stats", [&](pk_error** e) { return pk_event_stats(nullptr, 0, 0, &event, 1, &stats, e); }},
      {"event_stats event", [&](pk_error** e) { return pk_event_stats(p, 0, 0, nullptr, 1, &stats, e); }},
      {"event_stats out", [&](pk_error** e) { return pk_event_stats(p, 0, 0, &event, 1, nullptr, e); }},
      {"event_stat_find", [&](pk_error** e) { return pk_event_stat_find(nullptr, 0, 0, &event, 1, {}, &stat, e); }},
      {"event_stat_find event", [&](pk_error** e) { return pk_event_stat_find(p, 0, 0, nullptr, 1, {}, &stat, e); }},
      {"event_stat_find out", [&](pk_error** e) { return pk_event_stat_find(p, 0, 0, &event, 1, {}, nullptr, e); }},
      {"event_stat_find name", [&](pk_error** e) { return pk_event_stat_find(p, 0, 0, &event, 1, {nullptr, 1}, &stat, e); }},
      {"event_stats origins", [&](pk_error** e) { return pk_event_stats(p, 0, 0, &event, 8, &stats, e); }},
      {"metadata_stats", [&](pk_error** e) { return pk_event_metadata_stats(nullptr, 0, 0, 1, &stats, e); }},
      {"metadata_stats out", [&](pk_error** e) { return pk_event_metadata_stats(p, 0, 0, 1, nullptr, e); }},
      {"plane_stats", [&](pk_error** e) { return pk_plane_stats(nullptr, 0, 0, &stats, e); }},
      {"plane_stats out", [&](pk_error** e) { return pk_plane_stats(p, 0, 0, nullptr, e); }},
      {"stat_next", [&](pk_error** e) { return pk_stat_next(nullptr, &stat, e); }},
      {"stat_next out", [&](pk_error** e) { return pk_stat_next(&stats, nullptr, e); }},
      {"event_metadata_get", [&](pk_error** e) { return pk_event_metadata_get(nullptr, 0, 0, 1, &event_metadata, e); }},
      {"event_metadata_get out", [&](pk_error** e) { return pk_event_metadata_get(p, 0, 0, 1, nullptr, e); }},
      {"children", [&](pk_error** e) { return pk_event_metadata_children(nullptr, 0, 0, 1, &id, 1, &count, e); }},
      {"children ids", [&](pk_error** e) { return pk_event_metadata_children(p, 0, 0, 1, nullptr, 1, &count, e); }},
      {"children count", [&](pk_error** e) { return pk_event_metadata_children(p, 0, 0, 1, &id, 1, nullptr, e); }},
      {"stat_metadata_get", [&](pk_error** e) { return pk_stat_metadata_get(nullptr, 0, 0, 1, &stat_metadata, e); }},
      {"stat_metadata_get out", [&](pk_error** e) { return pk_stat_metadata_get(p, 0, 0, 1, nullptr, e); }},
      {"find", [&](pk_error** e) { return pk_stat_metadata_find(nullptr, 0, 0, "a", 1, &id, e); }},
      {"find name", [&](pk_error** e) { return pk_stat_metadata_find(p, 0, 0, nullptr, 1, &id, e); }},
      {"find id", [&](pk_error** e) { return pk_stat_metadata_find(p, 0, 0, "a", 1, nullptr, e); }},
      {"event_metadata_begin", [&](pk_error** e) { return pk_event_metadata_begin(nullptr, 0, 0, &entries, e); }},
      {"event_metadata_begin out", [&](pk_error** e) { return pk_event_metadata_begin(p, 0, 0, nullptr, e); }},
      {"event_metadata_next", [&](pk_error** e) { return pk_event_metadata_next(nullptr, &event_metadata, e); }},
      {"event_metadata_next out", [&](pk_error** e) { return pk_event_metadata_next(&entries, nullptr, e); }},
      {"stat_metadata_begin", [&](pk_error** e) { return pk_stat_metadata_begin(nullptr, 0, 0, &entries, e); }},
      {"stat_metadata_begin out", [&](pk_error** e) { return pk_stat_metadata_begin(p, 0, 0, nullptr, e); }},
      {"stat_metadata_next", [&](pk_error** e) { return pk_stat_metadata_next(nullptr, &stat_metadata, e); }},
      {"stat_metadata_next kind", [&](pk_error** e) { return pk_stat_metadata_next(&entries, &stat_metadata, e); }},
      {"module_list_open", [&](pk_error** e) { return pk_module_list_open(nullptr, nullptr, &modules, e); }},
      {"module_list_open out", [&](pk_error** e) { return pk_module_list_open(p, nullptr, nullptr, e); }},
      {"module_get", [&](pk_error** e) { return pk_module_get(nullptr, 0, &module, e); }},
      {"chrome_open", [&](pk_error** e) { return pk_chrome_open(nullptr, 0, &chrome, e); }},
      {"chrome_open out", [&](pk_error** e) { return pk_chrome_open(p, 0, nullptr, e); }},
      {"chrome_events_read", [&](pk_error** e) { return pk_chrome_events_read(nullptr, &chrome_event, 1, &count, e); }},
      {"chrome_summarise", [&](pk_error** e) { return pk_chrome_summarise(nullptr, &chrome_summary, e); }},
      {"document_write",
       [&](pk_error** e) { return pk_document_write(nullptr, 2, nullptr, write, nullptr, nullptr, e); }},
      {"document_write write",
       [&](pk_error** e) { return pk_document_write(p, 2, nullptr, nullptr, nullptr, nullptr, e); }},
      {"document_write number",
       [&](pk_error** e) { return pk_document_write(p, 0, nullptr, write, nullptr, nullptr, e); }},
      {"document_write of", [&](pk_error** e) { return pk_document_write(p, PK_DOCUMENT_OPS, about("x"), write, nullptr, nullptr, e); }},
      {"document_write no such key",
       [&](pk_error** e) { return pk_document_write(p, PK_DOCUMENT_OP_GROUPS, about("op,no"), write, nullptr, nullptr, e); }},
      {"document_write empty id",
       [&](pk_error** e) { return pk_document_write(p, PK_DOCUMENT_EXPLAIN, about(""), write, nullptr, nullptr, e); }},
      {"captures_write", [&](pk_error** e) { return pk_captures_write(nullptr, write, nullptr, e); }},
      {"captures_write write", [&](pk_error** e) { return pk_captures_write(".", nullptr, nullptr, e); }},
      {"redaction_write", [&](pk_error** e) { return pk_redaction_write(nullptr, write, nullptr, e); }},
      {"redaction_write write", [&](pk_error** e) { return pk_redaction_write(p, nullptr, nullptr, e); }},
      {"redaction_write as it is", [&](pk_error** e) { return pk_redaction_write(p, write, nullptr, e); }},
      {"page_write", [&](pk_error** e) { return pk_page_write(nullptr, nullptr, write, nullptr, nullptr, e); }},
      {"page_write write", [&](pk_error** e) { return pk_page_write(p, nullptr, nullptr, nullptr, nullptr, e); }},
      {"document_write_error", [&](pk_error** e) { return pk_document_write_error(2, nullptr, write, nullptr, e); }},
  };
  for (const auto& [name, run] : calls) {
    INFO(name);
    error_slot error;
    CHECK(run(error.out()) == PK_E_INVALID_ARGUMENT);
    CHECK(error.code() == PK_E_INVALID_ARGUMENT);
    CHECK_FALSE(error.message().empty());
    CHECK(run(nullptr) == PK_E_INVALID_ARGUMENT);
  }
  CHECK(opened_handle == nullptr);

  CHECK(pk_file_count(nullptr) == 0);
  CHECK(pk_plane_count(nullptr, 0) == 0);
  CHECK(pk_line_count(nullptr, 0, 0) == 0);
  CHECK(pk_file_note_count(nullptr, 0, PK_NOTE_ERROR) == 0);
  CHECK(pk_file_damage(nullptr, 0) == nullptr);
  CHECK(pk_module_damage(nullptr, 0) == nullptr);
  pk_cancel_token_cancel(nullptr);
}

TEST_CASE("a position out of range is told with how many there are") {
  const auto profile = opened(tpu_capture());
  const pk_profile* p = profile.get();
  error_slot error;
  pk_file_info file;
  CHECK(pk_file_get(p, 1, &file, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(error.message().find("the number of files is 1") != std::string::npos);
  CHECK(file.path.data == nullptr);
  pk_plane_info plane;
  CHECK(pk_plane_get(p, 0, 7, &plane, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(error.message().find("the number of planes is 7") != std::string::npos);
  pk_line_info line;
  CHECK(pk_line_get(p, 0, 0, UINT32_MAX, &line, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(error.message().find("the number of lines is 5") != std::string::npos);
  pk_run_info run;
  CHECK(pk_run_get(p, 0, &run, nullptr) == PK_E_INVALID_ARGUMENT);
  pk_str note;
  CHECK(pk_file_note_get(p, 0, PK_NOTE_ERROR, 0, &note, nullptr) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_file_note_get(p, 0, 99, 0, &note, nullptr) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_file_note_count(p, 0, 99) == 0);
  CHECK(pk_plane_count(p, 1) == 0);
  CHECK(pk_line_count(p, 0, 7) == 0);
  CHECK(pk_file_damage(p, 1) == nullptr);
}

TEST_CASE("a cursor that was not begun is rejected") {
  pk_event_cursor events{};
  pk_event event;
  CHECK(pk_event_next(&events, &event, nullptr) == PK_E_INVALID_ARGUMENT);
  pk_stat_cursor stats{};
  pk_stat stat;
  CHECK(pk_stat_next(&stats, &stat, nullptr) == PK_E_INVALID_ARGUMENT);
  pk_metadata_cursor entries{};
  pk_event_metadata entry;
  CHECK(pk_event_metadata_next(&entries, &entry, nullptr) == PK_E_INVALID_ARGUMENT);
}

#ifndef NDEBUG
TEST_CASE("debug builds refuse a cursor that another thread is inside") {
  const auto profile = opened(tpu_capture());
  pk_profile* p = profile.get();
  pk_event_cursor events;
  pk_event event;
  REQUIRE(pk_events_begin(p, 0, 0, 0, &events, nullptr) == PK_OK);
  pk_stat_cursor stats;
  pk_stat stat;
  REQUIRE(pk_plane_stats(p, 0, 0, &stats, nullptr) == PK_OK);
  pk_metadata_cursor entries;
  pk_event_metadata entry;
  REQUIRE(pk_event_metadata_begin(p, 0, 0, &entries, nullptr) == PK_OK);
  // As the other thread leaves them meanwhile. Two threads that really do it would be a race of the test's.
  const auto last_byte = [](auto& cursor) -> char& { return reinterpret_cast<char*>(&cursor)[sizeof cursor - 1]; };
  const auto check = [&](char inside, bool refused) {
    last_byte(events) = last_byte(stats) = last_byte(entries) = inside;
    error_slot error;
    CHECK((pk_event_next(&events, &event, error.out()) == PK_E_INVALID_ARGUMENT) == refused);
    CHECK((error.message().find("two threads") != std::string::npos) == refused);
    CHECK((pk_stat_next(&stats, &stat, nullptr) == PK_E_INVALID_ARGUMENT) == refused);
    CHECK((pk_event_metadata_next(&entries, &entry, nullptr) == PK_E_INVALID_ARGUMENT) == refused);
  };
  check(0, false);
  check(1, true);
  check(0, false);  // and it may go on
}
#endif

TEST_CASE("an event of another file is not read with this plane's names") {
  const auto tpu = opened(tpu_capture());
  const auto gpu = opened(gpu_capture());
  pk_event_cursor cursor;
  pk_event event;
  REQUIRE(pk_events_begin(gpu.get(), 0, 9, 0, &cursor, nullptr) == PK_OK);
  do REQUIRE(pk_event_next(&cursor, &event, nullptr) == PK_OK);
  while (event.stats_bytes == 0);
  pk_stat_cursor stats;
  CHECK(pk_event_stats(gpu.get(), 0, 9, &event, PK_ORIGIN_EVENT, &stats, nullptr) == PK_OK);
  CHECK(pk_event_stats(gpu.get(), 0, 0, &event, PK_ORIGIN_EVENT, &stats, nullptr) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_event_stats(tpu.get(), 0, 0, &event, PK_ORIGIN_EVENT, &stats, nullptr) == PK_E_INVALID_ARGUMENT);
  event.stats_bytes = UINT32_MAX;
  CHECK(pk_event_stats(gpu.get(), 0, 9, &event, PK_ORIGIN_EVENT, &stats, nullptr) == PK_E_INVALID_ARGUMENT);
}

namespace {

// A caller's struct of another release: `size` bytes of it, the ones this release does not know set to `tail`.
template <class Options>
struct other_release {
  Options known;
  unsigned char tail[16];
  other_release(const Options& options, std::uint32_t size, unsigned char tail_value) : known(options) {
    std::memset(tail, tail_value, sizeof tail);
    known.struct_size = size;
  }
};

pk_status open_with(const pk_open_options& options, error_slot& error) {
  pk_profile* profile = nullptr;
  const pk_status status = pk_profile_open(gpu_capture().c_str(), &options, &profile, error.out());
  const owned<pk_profile> freed_at_end(profile);
  return status;
}

template <class Options, class Put>
void check_sizes(const Options& init, Put&& put) {
  error_slot error;
  const std::uint32_t size = sizeof(Options);
  const auto status_of = [&](std::uint32_t struct_size, unsigned char tail) {
    other_release<Options> options(init, struct_size, tail);
    return put(options.known, error);
  };
  CHECK(status_of(size, 0xff) == PK_OK);
  CHECK(status_of(size + 16, 0) == PK_OK);             // a newer caller that uses nothing new
  CHECK(status_of(size + 16, 1) == PK_E_UNSUPPORTED);  // and one that does
  CHECK(error.message().find("does not know") != std::string::npos);
  CHECK(status_of(0, 0) == PK_E_INVALID_ARGUMENT);  // nobody set it
  CHECK(error.message().find("struct_size is 0") != std::string::npos);
  CHECK(status_of(0xcccccccc, 0) == PK_E_INVALID_ARGUMENT);
  for (std::uint32_t older = 8; older < size; older += 8) CHECK(status_of(older, 0xff) == PK_OK);
}

}  // namespace

TEST_CASE("option structs of older and newer releases") {
  SECTION("pk_open_options") { check_sizes<pk_open_options>(PK_OPEN_OPTIONS_INIT, open_with); }
  SECTION("pk_limits") {
    check_sizes<pk_limits>(PK_LIMITS_INIT, [](const pk_limits& limits, error_slot& error) {
      pk_open_options options = PK_OPEN_OPTIONS_INIT;
      options.limits = &limits;
      return open_with(options, error);
    });
  }
  SECTION("pk_hooks") {
    check_sizes<pk_hooks>(PK_HOOKS_INIT, [](const pk_hooks& hooks, error_slot& error) {
      pk_open_options options = PK_OPEN_OPTIONS_INIT;
      options.hooks = &hooks;
      return open_with(options, error);
    });
  }
  SECTION("pk_writer_options") {
    check_sizes<pk_writer_options>(PK_WRITER_OPTIONS_INIT, [](const pk_writer_options& o, error_slot& error) {
      const auto swallow = [](void*, const void*, std::size_t) -> std::int32_t { return 0; };
      pk_xspace_writer* made = nullptr;
      const pk_status status = pk_xspace_writer_new(&o, swallow, nullptr, &made, error.out());
      pk_xspace_writer_free(made);
      return status;
    });
  }
  SECTION("pk_trace_builder_options") {
    check_sizes<pk_trace_builder_options>(PK_TRACE_BUILDER_OPTIONS_INIT, [](const pk_trace_builder_options& o, error_slot& error) {
      pk_trace_builder* made = nullptr;
      const pk_status status = pk_trace_builder_new(&o, &made, error.out());
      pk_trace_builder_free(made);
      return status;
    });
  }
  SECTION("pk_push_callbacks") {
    check_sizes<pk_push_callbacks>(PK_PUSH_CALLBACKS_INIT, [](const pk_push_callbacks& o, error_slot& error) {
      pk_xspace_push* made = nullptr;
      const pk_status status = pk_xspace_push_new(&o, nullptr, &made, error.out());
      pk_xspace_push_free(made);
      return status;
    });
  }
  SECTION("pk_push_options") {
    check_sizes<pk_push_options>(PK_PUSH_OPTIONS_INIT, [](const pk_push_options& o, error_slot& error) {
      const pk_push_callbacks none = PK_PUSH_CALLBACKS_INIT;
      pk_xspace_push* made = nullptr;
      const pk_status status = pk_xspace_push_new(&none, &o, &made, error.out());
      pk_xspace_push_free(made);
      return status;
    });
  }
  SECTION("parts of a host's own trace") {
    pk_trace_builder* made = nullptr;
    REQUIRE(pk_trace_builder_new(nullptr, &made, nullptr) == PK_OK);
    std::uint32_t number = 0;
    check_sizes<pk_trace_host>(PK_TRACE_HOST_INIT, [&](const pk_trace_host& o, error_slot& error) {
      return pk_trace_builder_add_host(made, &o, &number, error.out());
    });
    check_sizes<pk_trace_device>(PK_TRACE_DEVICE_INIT, [&](const pk_trace_device& o, error_slot& error) {
      return pk_trace_builder_add_device(made, &o, &number, error.out());
    });
    check_sizes<pk_trace_stream>(PK_TRACE_STREAM_INIT, [&](const pk_trace_stream& o, error_slot& error) {
      return pk_trace_builder_add_stream(made, &o, &number, error.out());
    });
    check_sizes<pk_trace_thread>(PK_TRACE_THREAD_INIT, [&](const pk_trace_thread& o, error_slot& error) {
      return pk_trace_builder_add_thread(made, &o, &number, error.out());
    });
    check_sizes<pk_trace_counter>(PK_TRACE_COUNTER_INIT, [&](const pk_trace_counter& o, error_slot& error) {
      return pk_trace_builder_add_counter(made, &o, &number, error.out());
    });
    check_sizes<pk_trace_allocator>(PK_TRACE_ALLOCATOR_INIT, [&](const pk_trace_allocator& o, error_slot& error) {
      return pk_trace_builder_add_allocator(made, &o, &number, error.out());
    });
    pk_trace_builder_free(made);
  }
  SECTION("pk_filters") {
    const auto profile = opened(gpu_capture());
    check_sizes<pk_filters>(PK_FILTERS_INIT, [&](const pk_filters& filters, error_slot& error) {
      pk_document_options options = PK_DOCUMENT_OPTIONS_INIT;
      options.filters = &filters;
      return pk_document_write(
          profile.get(), PK_DOCUMENT_STEPS, &options, [](void*, const void*, std::size_t) -> std::int32_t { return 0; },
          nullptr, nullptr, error.out());
    });
  }
  SECTION("pk_document_options") {
    const auto profile = opened(gpu_capture());
    const auto write = [&](const pk_document_options& options, error_slot& error) {
      return pk_document_write(
          profile.get(), PK_DOCUMENT_STEPS, &options, [](void*, const void*, std::size_t) -> std::int32_t { return 0; },
          nullptr, nullptr, error.out());
    };
    check_sizes<pk_document_options>(PK_DOCUMENT_OPTIONS_INIT, write);
  }
  SECTION("pk_activity_options") {
    const auto profile = opened(gpu_capture());
    check_sizes<pk_activity_options>(PK_ACTIVITY_OPTIONS_INIT, [&](const pk_activity_options& o, error_slot& error) {
      pk_activity* made = nullptr;
      const pk_status status = pk_activity_open(profile.get(), &o, &made, error.out());
      pk_activity_free(made);
      return status;
    });
  }
  SECTION("pk_memory_options") {
    const auto profile = opened(gpu_capture());
    check_sizes<pk_memory_options>(PK_MEMORY_OPTIONS_INIT, [&](const pk_memory_options& o, error_slot& error) {
      pk_memory* made = nullptr;
      const pk_status status = pk_memory_open(profile.get(), &o, &made, error.out());
      pk_memory_free(made);
      return status;
    });
  }
  SECTION("pk_bubbles_options") {
    const auto profile = opened(gpu_capture());
    check_sizes<pk_bubbles_options>(PK_BUBBLES_OPTIONS_INIT, [&](const pk_bubbles_options& o, error_slot& error) {
      pk_bubbles* made = nullptr;
      const pk_status status = pk_bubbles_open(profile.get(), &o, &made, error.out());
      pk_bubbles_free(made);
      return status;
    });
  }
  SECTION("pk_architecture_options") {
    const auto profile = opened(gpu_capture());
    check_sizes<pk_architecture_options>(
        PK_ARCHITECTURE_OPTIONS_INIT, [&](const pk_architecture_options& o, error_slot& error) {
          pk_architecture* made = nullptr;
          const pk_status status = pk_architecture_open(profile.get(), &o, &made, error.out());
          pk_architecture_free(made);
          return status;
        });
  }
  SECTION("pk_validation_options") {
    const auto profile = opened(gpu_capture());
    const pk_profile* const all[] = {profile.get()};
    check_sizes<pk_validation_options>(PK_VALIDATION_OPTIONS_INIT,
                                       [&](const pk_validation_options& o, error_slot& error) {
                                         pk_validation* made = nullptr;
                                         const pk_status status = pk_validation_open(all, 1, &o, &made, error.out());
                                         pk_validation_free(made);
                                         return status;
                                       });
  }
  SECTION("pk_trace_options") {
    const auto profile = opened(gpu_capture());
    check_sizes<pk_trace_options>(PK_TRACE_OPTIONS_INIT, [&](const pk_trace_options& o, error_slot& error) {
      const auto swallow = [](void*, const void*, std::size_t) -> std::int32_t { return 0; };
      return pk_trace_write(profile.get(), &o, swallow, nullptr, nullptr, error.out());
    });
  }
  SECTION("pk_dump_options") {
    check_sizes<pk_dump_options>(PK_DUMP_OPTIONS_INIT, [&](const pk_dump_options& o, error_slot& error) {
      const auto swallow = [](void*, const void*, std::size_t) -> std::int32_t { return 0; };
      return pk_dump_write(gpu_capture().c_str(), &o, swallow, nullptr, nullptr, error.out());
    });
  }
  SECTION("pk_probe_query") {
    const auto profile = opened(data_path("neutrino/block_sched").string());
    pk_probe* made = nullptr;
    REQUIRE(pk_probe_open(profile.get(), PK_PROBE_TOOL_NONE, &made, nullptr) == PK_OK);
    check_sizes<pk_probe_query>(PK_PROBE_QUERY_INIT, [&](const pk_probe_query& o, error_slot& error) {
      const auto swallow = [](void*, const void*, std::size_t) -> std::int32_t { return 0; };
      return pk_probe_write(made, &o, swallow, nullptr, nullptr, error.out());
    });
    pk_probe_free(made);
  }
  SECTION("pk_table_options") {
    const auto profile = opened(gpu_capture());
    check_sizes<pk_table_options>(PK_TABLE_OPTIONS_INIT, [&](const pk_table_options& o, error_slot& error) {
      pk_table* table = nullptr;
      const pk_status status = pk_table_open(profile.get(), PK_TABLE_EVENTS, &o, &table, error.out());
      pk_table_free(table);
      return status;
    });
  }
  SECTION("pk_merge_options and pk_clock_options") {
    // Their required fields lie past the first ones: only what is too long, too short or absurd can be tried alone.
    error_slot error;
    const std::string path = gpu_capture();
    const char* const traces[] = {path.c_str()};
    const auto swallow = [](void*, const void*, std::size_t) -> std::int32_t { return 0; };
    const auto merge_with = [&](std::uint32_t size, unsigned char tail) {
      pk_merge_options init = PK_MERGE_OPTIONS_INIT;
      init.traces = traces;
      init.trace_count = 1;
      init.correction = PK_CORRECTION_NONE;
      init.flags = PK_MERGE_KEEP_GOING;
      other_release<pk_merge_options> options(init, size, tail);
      return pk_merge_run(&options.known, swallow, nullptr, nullptr, error.out());
    };
    CHECK(merge_with(sizeof(pk_merge_options), 0xff) == PK_OK);
    CHECK(merge_with(sizeof(pk_merge_options) + 16, 0) == PK_OK);
    CHECK(merge_with(sizeof(pk_merge_options) + 16, 1) == PK_E_UNSUPPORTED);
    CHECK(merge_with(offsetof(pk_merge_options, limits), 0xff) == PK_OK);
    CHECK(merge_with(0, 0) == PK_E_INVALID_ARGUMENT);
    const pk_clock_pair pairs[2] = {{0, 0, 0, 0}, {1000, 1000, 0, 0}};
    const auto clock_with = [&](std::uint32_t size, unsigned char tail) {
      pk_clock_options init = PK_CLOCK_OPTIONS_INIT;
      init.flags = PK_CLOCK_IS_REFERENCE;
      init.pairs = pairs;
      init.pair_count = 2;
      other_release<pk_clock_options> options(init, size, tail);
      pk_clock* made = nullptr;
      const pk_status status = pk_clock_build(&options.known, &made, error.out());
      pk_clock_free(made);
      return status;
    };
    CHECK(clock_with(sizeof(pk_clock_options), 0xff) == PK_OK);
    CHECK(clock_with(offsetof(pk_clock_options, offsets), 0xff) == PK_OK);
    CHECK(clock_with(sizeof(pk_clock_options) + 16, 1) == PK_E_UNSUPPORTED);
    CHECK(clock_with(0, 0) == PK_E_INVALID_ARGUMENT);
  }
  SECTION("pk_read_callbacks") {
    pk_read_callbacks callbacks = PK_READ_CALLBACKS_INIT;
    // An XSpace with a plane that holds nothing.
    callbacks.read_at = [](void*, std::uint64_t offset, void* into, std::size_t bytes) -> std::int64_t {
      constexpr char space[] = {0x0a, 0x00};
      if (offset >= sizeof space || bytes == 0) return 0;
      *static_cast<char*>(into) = space[offset];
      return 1;
    };
    error_slot error;
    pk_profile* profile = nullptr;
    callbacks.struct_size = 0;
    CHECK(pk_profile_open_callbacks(&callbacks, "a.xplane.pb", nullptr, &profile, error.out()) ==
          PK_E_INVALID_ARGUMENT);
    // An older caller that knew no size: it is unknown.
    callbacks.struct_size = offsetof(pk_read_callbacks, size_bytes);
    callbacks.size_bytes = 12345;
    CHECK(pk_profile_open_callbacks(&callbacks, "a.xplane.pb", nullptr, &profile, error.out()) == PK_OK);
    pk_profile_free(profile);
    const pk_read_callbacks init = PK_READ_CALLBACKS_INIT;
    callbacks.size_bytes = init.size_bytes;
    for (const unsigned char tail : {std::uint8_t{0}, std::uint8_t{1}}) {
      const other_release<pk_read_callbacks> newer(callbacks, sizeof callbacks + 16, tail);
      profile = nullptr;
      CHECK(pk_profile_open_callbacks(&newer.known, "a.xplane.pb", nullptr, &profile, error.out()) ==
            (tail == 0 ? PK_OK : PK_E_UNSUPPORTED));
      pk_profile_free(profile);
    }
  }
}

TEST_CASE("what an older caller could not set has its default") {
  pk_limits limits = PK_LIMITS_INIT;
  limits.max_materialised_bytes = 1;
  pk_open_options options = PK_OPEN_OPTIONS_INIT;
  options.limits = &limits;
  options.io = PK_IO_READ;
  error_slot error;
  CHECK(open_with(options, error) == PK_E_LIMIT);
  CHECK(error.message().find("max_materialised_bytes") != std::string::npos);
  options.struct_size = offsetof(pk_open_options, limits);
  CHECK(open_with(options, error) == PK_OK);
}

TEST_CASE("unknown flags, kinds and reserved fields") {
  error_slot error;
  pk_open_options options = PK_OPEN_OPTIONS_INIT;
  options.flags = 32;
  CHECK(open_with(options, error) == PK_E_UNSUPPORTED);
  options = PK_OPEN_OPTIONS_INIT;
  options.io = 2;
  CHECK(open_with(options, error) == PK_E_INVALID_ARGUMENT);
  options = PK_OPEN_OPTIONS_INIT;
  options.rank = 1;  // without PK_OPEN_HAS_RANK
  CHECK(open_with(options, error) == PK_E_INVALID_ARGUMENT);
  options = PK_OPEN_OPTIONS_INIT;
  options.run = "no_such_run";
  pk_profile* profile = nullptr;
  CHECK(pk_profile_open(cpu_run().c_str(), &options, &profile, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(error.message().find("2026_11_21_07_08_37") != std::string::npos);
  const auto gpu = opened(gpu_capture());
  pk_document_options document = PK_DOCUMENT_OPTIONS_INIT;
  document.flags = 8;
  CHECK(pk_document_write(
            gpu.get(), PK_DOCUMENT_INFO, &document, [](void*, const void*, std::size_t) -> std::int32_t { return 0; },
            nullptr, nullptr, error.out()) == PK_E_UNSUPPORTED);
}

namespace {

// Opens or writes something with these filters.
using filtered_call = std::function<pk_status(const pk_filters&, pk_error**)>;

// Which of the filters are not taken: "host plane line name step time", as far as they are refused.
std::string refused_by(const filtered_call& call) {
  std::string refused;
  for (const std::string name : {"host", "plane", "line", "name", "step", "from", "to"}) {
    pk_filters filters = PK_FILTERS_INIT;
    if (name == "host") filters.host = "x";
    if (name == "plane") filters.plane = "x";
    if (name == "line") filters.line = "x";
    if (name == "name") filters.name = "x";
    if (name == "step") filters.flags = PK_FILTER_HAS_STEP;
    if (name == "from") filters.flags = PK_FILTER_HAS_FROM;
    if (name == "to") filters.flags = PK_FILTER_HAS_TO;
    error_slot error;
    const pk_status status = call(filters, error.out());
    const bool is_refused = status != PK_OK && error.message().find("is not taken here") != std::string::npos;
    if (is_refused) CHECK(status == PK_E_INVALID_ARGUMENT);
    if (is_refused) refused += name + ' ';
  }
  return refused;
}

}  // namespace

TEST_CASE("a filter that is not taken is an error") {
  const auto profile = opened(tpu_capture());
  pk_profile* const p = profile.get();
  const auto swallow = [](void*, const void*, std::size_t) -> std::int32_t { return 0; };
  CHECK(refused_by([&](const pk_filters& filters, pk_error** err) {
          pk_activity_options o = PK_ACTIVITY_OPTIONS_INIT;
          o.filters = &filters;
          pk_activity* made = nullptr;
          const pk_status status = pk_activity_open(p, &o, &made, err);
          pk_activity_free(made);
          return status;
        }) == "host line name step from to ");
  CHECK(refused_by([&](const pk_filters& filters, pk_error** err) {
          pk_architecture_options o = PK_ARCHITECTURE_OPTIONS_INIT;
          o.filters = &filters;
          pk_architecture* made = nullptr;
          const pk_status status = pk_architecture_open(p, &o, &made, err);
          pk_architecture_free(made);
          return status;
        }) == "host line name step from to ");
  CHECK(refused_by([&](const pk_filters& filters, pk_error** err) {
          pk_bubbles_options o = PK_BUBBLES_OPTIONS_INIT;
          o.filters = &filters;
          pk_bubbles* made = nullptr;
          const pk_status status = pk_bubbles_open(p, &o, &made, err);
          pk_bubbles_free(made);
          return status;
        }) == "host line ");
  CHECK(refused_by([&](const pk_filters& filters, pk_error** err) {
          pk_memory_options o = PK_MEMORY_OPTIONS_INIT;
          o.filters = &filters;
          pk_memory* made = nullptr;
          const pk_status status = pk_memory_open(p, &o, &made, err);
          pk_memory_free(made);
          return status;
        }) == "plane line name from to ");
  CHECK(refused_by([&](const pk_filters& filters, pk_error** err) {
          pk_trace_options o = PK_TRACE_OPTIONS_INIT;
          o.filters = &filters;
          return pk_trace_write(p, &o, swallow, nullptr, nullptr, err);
        }).empty());
  CHECK(refused_by([&](const pk_filters& filters, pk_error** err) {
          pk_document_options o = PK_DOCUMENT_OPTIONS_INIT;
          o.filters = &filters;
          return pk_document_write(p, PK_DOCUMENT_OPS, &o, swallow, nullptr, nullptr, err);
        }).empty());
  pk_filters unknown = PK_FILTERS_INIT;
  unknown.flags = 8;
  pk_document_options o = PK_DOCUMENT_OPTIONS_INIT;
  o.filters = &unknown;
  error_slot error;
  CHECK(pk_document_write(p, PK_DOCUMENT_OPS, &o, swallow, nullptr, nullptr, error.out()) == PK_E_UNSUPPORTED);
}

TEST_CASE("a filter that fits nothing is an error of a table, too") {
  const auto profile = opened(tpu_capture());
  const auto refuses = [&](std::int32_t which, const auto& set, std::uint32_t flags = 0) {
    pk_filters filters = PK_FILTERS_INIT;
    set(filters);
    pk_table_options options = PK_TABLE_OPTIONS_INIT;
    options.filters = &filters;
    options.flags = flags;
    pk_table* table = nullptr;
    error_slot error;
    const pk_status status = pk_table_open(profile.get(), which, &options, &table, error.out());
    pk_table_free(table);
    return status == PK_OK ? std::string() : std::to_string(status) + ": " + error.message();
  };
  const auto plane = [](const char* name) { return [name](pk_filters& f) { f.plane = name; }; };
  const std::string invalid = std::to_string(PK_E_INVALID_ARGUMENT) + ": ";
  for (const std::int32_t which : {PK_TABLE_OPS, PK_TABLE_KERNELS, PK_TABLE_STEPS, PK_TABLE_GAPS, PK_TABLE_CAUSES,
                                   PK_TABLE_DEVICE_TIME, PK_TABLE_FACTS}) {
    INFO(pk_table_name(which));
    CHECK(refuses(which, plane("no such plane")).substr(0, invalid.size()) == invalid);
    CHECK(refuses(which, plane("TPU:0")).empty());
    CHECK(refuses(which, plane("no such plane"), PK_TABLE_ALLOW_EMPTY).empty());
  }
  // A plane of a host is there, and no device.
  CHECK(refuses(PK_TABLE_KERNELS, plane("/host:CPU")).find("no device has \"/host:CPU\" in its name") != std::string::npos);
  CHECK(refuses(PK_TABLE_GAPS, plane("/host:CPU")).find("no device has \"/host:CPU\" in its name") != std::string::npos);
  CHECK(refuses(PK_TABLE_OPS, [](pk_filters& f) { f.name = "no such op"; }).substr(0, invalid.size()) == invalid);
  CHECK(refuses(PK_TABLE_OPS, [](pk_filters& f) { f.host = "no such host"; }).substr(0, invalid.size()) == invalid);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they end the program instead
TEST_CASE("without memory the error is a static one") {
  pk_open_options copy = PK_OPEN_OPTIONS_INIT;
  copy.flags = PK_OPEN_COPY;
  const char byte = 0;
  for (const std::size_t size : {std::size_t{1} << 62, SIZE_MAX}) {
    pk_profile* profile = nullptr;
    pk_error* error = nullptr;
    CHECK(pk_profile_open_buffer(&byte, size, "huge", &copy, &profile, &error) == PK_E_OUT_OF_MEMORY);
    CHECK(profile == nullptr);
    CHECK(pk_error_code(error) == PK_E_OUT_OF_MEMORY);
    CHECK(std::string(pk_error_message(error)) == "out of memory");
    CHECK(std::string(pk_error_hint(error)) != "");
    pk_error_free(error);
    pk_error_free(error);  // nothing was allocated for it
  }
}
#endif
