// One scan for several readers: each meets the events as they were recorded, whatever the others do with theirs.
#include "../main/support.hpp"
#include "../read/one_pass.hpp"
#include "capture_builder.hpp"

#include <analyse/questions.hpp>
#include <trace/line_scan.hpp>

#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <tuple>

using namespace profkit;
using namespace profkit::test;

namespace {

using event_key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // id, offset, duration
using events_of_lines = std::map<line_place, std::vector<event_key>>;

// Notes the events of every second line, or of all; then it may spoil the rows.
class noting_pass final : public line_pass {
 public:
  noting_pass(bool spoils, bool all, std::size_t looks) : spoils_(spoils), all_(all), looks_(looks) {}
  bool wants(const line_place& place) override { return all_ || place.line % 2 == 0; }
  std::unique_ptr<line_reader> begin(const line_place& place, std::uint64_t) override {
    return std::make_unique<reader>(*this, place);
  }
  std::map<line_place, std::vector<std::vector<event_key>>> met;  // at each look
  int damaged = 0;

 private:
  class reader final : public line_reader {
   public:
    reader(noting_pass& of, const line_place& place) : of_(of), place_(place) {}
    bool changes_rows() const noexcept override { return of_.spoils_; }
    void take(const line_rows& rows) override {
      for (std::size_t i = 0; i < rows.count; ++i) {
        event_row& row = rows.rows[i];
        events_.emplace_back(row.metadata_id, row.offset_ps, row.duration_ps);
        if (of_.spoils_) row = event_row();
      }
    }
    bool end(const line_end& end) override {
      const std::lock_guard<std::mutex> hold(of_.mutex_);
      of_.damaged += end.damaged ? 1 : 0;
      std::vector<std::vector<event_key>>& looks = of_.met[place_];
      looks.push_back(events_);
      return looks.size() < of_.looks_;
    }

   private:
    noting_pass& of_;
    const line_place place_;
    std::vector<event_key> events_;
  };

  const bool spoils_, all_;
  const std::size_t looks_;
  std::mutex mutex_;
};

// 40 lines of up to 1000 events, which are more than a batch.
plane_builder plane_of_lines(events_of_lines& expected) {
  plane_builder plane("/device:TPU:0");
  for (std::int32_t line = 0; line < 40; ++line) {
    std::vector<message> events;
    for (std::int64_t i = 0; i < (line * 37) % 1000; ++i) {
      const std::string name = "op " + std::to_string(i % 7);
      events.push_back(plane.event(name, i * 10 + line, i % 9));
      expected[{0, 0, line}].emplace_back(plane.event_id(name), i * 10 + line, i % 9);
    }
    plane.line("line " + std::to_string(line), events, 0, line);
  }
  return plane;
}

template <class Check>
void for_each_opening(const std::string& bytes, Check&& check) {
  const auto held = profile::open_buffer(bytes, "held.xplane.pb");
  REQUIRE(held);
  check(**held, "in memory");
  drops from{bytes, 4096};
  const auto passed = profile::open_callbacks(from.callbacks(), "passed.xplane.pb", in_one_pass());
  REQUIRE(passed);
  check(**passed, "streamed");
}

}  // namespace

TEST_CASE("readers of one scan do not see what the others change", "[threads]") {
  events_of_lines expected;
  const std::string bytes = space_of({plane_of_lines(expected)});
  for (const std::uint32_t threads : {1U, 2U, 8U})
    for_each_opening(bytes, [&](const profile& p, const char* how) {
      INFO(how << ", " << threads << " threads");
      hooks host;
      host.threads = threads;
      noting_pass first(true, true, 1), second(false, true, 2), third(true, false, 3);
      if (p.is_any_streamed()) REQUIRE(scan_streamed_lines(p, {}, true, host));  // its outline
      REQUIRE(scan_lines(p, {&first, &second, &third}, host));
      std::size_t looks = 0;
      for (const noting_pass* const pass : {&first, &second, &third}) {
        ++looks;
        for (const auto& [place, met] : pass->met) {
          CHECK(met.size() == looks);
          for (const std::vector<event_key>& events : met) CHECK(events == expected[place]);
        }
      }
      CHECK(first.damaged + second.damaged + third.damaged == 0);
      CHECK(first.met.size() == 40);
      CHECK(second.met.size() == 40);
      CHECK(third.met.size() == 20);
    });
}

TEST_CASE("questions that share a scan find what each finds alone", "[threads]") {
  for (const char* capture : {"xspace/tpu_v6e_inference.xplane.pb", "xspace/jax08_gemm_mi300.xplane.pb"}) {
    std::ifstream in(data_path(capture), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (const std::uint32_t threads : {1U, 2U, 8U})
      for_each_opening(bytes, [&](const profile& p, const char* how) {
        INFO(capture << ", " << how << ", " << threads << " threads");
        const trace t(p);
        hooks host;
        host.threads = threads;
        const query_filters all;
        query_filters modules;
        modules.line = "XLA Modules";
        info_result info;
        ops_result ops, runs;
        framework_result framework;
        const auto a = info_question(t, all, host, info), b = ops_question(t, all, host, ops),
                   c = ops_question(t, modules, host, runs), d = framework_question(t, all, host, framework);
        REQUIRE(run_questions(p, {a.get(), b.get(), c.get(), d.get()}, host));

        const auto info_alone = analyse_info(t, all);
        REQUIRE(info_alone);
        CHECK(info.events == info_alone->events);
        CHECK(info.event_stats == info_alone->event_stats);
        CHECK(info.complete == info_alone->complete);
        REQUIRE(info.files.size() == 1);
        const auto& planes = info.files[0].planes;
        REQUIRE(planes.size() == info_alone->files[0].planes.size());
        for (std::size_t plane = 0; plane < planes.size(); ++plane)
          for (std::size_t line = 0; line < planes[plane].lines.size(); ++line) {
            const line_info &one = planes[plane].lines[line], &other = info_alone->files[0].planes[plane].lines[line];
            CHECK(std::tie(one.name, one.events, one.duration_sum_ps, one.first_ps, one.last_ps) ==
                  std::tie(other.name, other.events, other.duration_sum_ps, other.first_ps, other.last_ps));
          }
        for (const auto& [found, asked] : std::vector<std::pair<const ops_result*, const query_filters*>>{{&ops, &all}, {&runs, &modules}}) {
          const auto alone = analyse_ops(t, *asked);
          REQUIRE(alone);
          REQUIRE(found->lines.size() == alone->lines.size());
          for (std::size_t line = 0; line < alone->lines.size(); ++line) {
            const ops_line &one = found->lines[line], &other = alone->lines[line];
            CHECK(std::tie(one.line_name, one.events, one.duration_sum_ps, one.busy_ps) ==
                  std::tie(other.line_name, other.events, other.duration_sum_ps, other.busy_ps));
            REQUIRE(one.ops.size() == other.ops.size());
            for (std::size_t i = 0; i < other.ops.size(); ++i) {
              const op_row op = one.ops[i], expected = other.ops[i];
              CHECK(std::tie(op.name, op.count, op.total_ps, op.self_ps) ==
                    std::tie(expected.name, expected.count, expected.total_ps, expected.self_ps));
            }
          }
        }
        const auto framework_alone = analyse_framework(t, all);
        REQUIRE(framework_alone);
        CHECK(framework.matched == framework_alone->matched);
        CHECK(framework.names.size() == framework_alone->names.size());
        CHECK(framework.events.size() == framework_alone->events.size());
      });
  }
}
