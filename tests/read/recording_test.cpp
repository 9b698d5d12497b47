// Formats of a host's own: what of a recording counts, what is passed over, who is asked, what exporters write.
#include <catch.hpp>

#include <profkit/core/activity.hpp>
#include <profkit/core/format.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/core/trace_export.hpp>
#include <profkit/core/tree.hpp>
#include <profkit/time.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace profkit;

namespace {

constexpr std::int64_t furthest_ps = max_relative_ns * ps_per_ns;

// Reads as it is told to, whatever the bytes are.
class told_format final : public format {
 public:
  using reader = std::function<result<void>(recording&)>;
  explicit told_format(reader read, std::string magic = "told", const char* called = "told")
      : read_(std::move(read)), magic_(std::move(magic)), called_(called) {}
  const char* name() const noexcept override { return called_; }
  bool may_be_named(std::string_view) const noexcept override { return true; }
  bool recognises(std::string_view head) const noexcept override { return head.substr(0, magic_.size()) == magic_; }
  result<void> read(std::string_view, recording& into, const hooks&) const override { return read_(into); }

 private:
  reader read_;
  std::string magic_;
  const char* called_;
};

std::shared_ptr<const profile> opened(told_format::reader read, const char* bytes = "told") {
  open_options how;
  how.formats = {nullptr, std::make_shared<told_format>([](recording&) { return result<void>(); }, "other"),
                 std::make_shared<told_format>(std::move(read))};
  auto p = profile::open_buffer(bytes, "buffer", how);
  REQUIRE(p.ok());
  return *p;
}

std::shared_ptr<const activity> activity_of(const std::shared_ptr<const profile>& p) {
  auto read = read_activity(p);
  REQUIRE(read.ok());
  return *read;
}

struct kept_kernels final : kernel_visitor {
  std::vector<kernel_row> all;
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    all.insert(all.end(), rows, rows + count);
    return {};
  }
};
std::vector<kernel_row> kernels_of(const activity& a, std::size_t device) {
  kept_kernels kept;
  REQUIRE(a.visit_kernels(device, kept).ok());
  return kept.all;
}

recorded_kernel kernel_at(std::int64_t start_ps, std::int64_t duration_ps, std::uint64_t row = 0) {
  recorded_kernel k;
  k.name = "gemm";
  k.start_ps = start_ps;
  k.duration_ps = duration_ps;
  k.source_row = row;
  return k;
}

std::string exported(const std::shared_ptr<const profile>& p, trace_format format) {
  std::string text;
  trace_export_options o;
  o.format = format;
  const auto into = memory_sink(text);
  const auto written = export_trace(trace(*p), o, *into);
  REQUIRE(written.ok());
  CHECK(written->status == document_status::ok);
  REQUIRE(into->finish().ok());
  return text;
}

}  // namespace

TEST_CASE("Rows of a recording reach the analyses in the order of time", "[recording]") {
  const auto p = opened([](recording& into) {
    into.set_recorder("tracer 3");
    into.set_rank(2, 8);
    const std::uint32_t device = into.add_device("Chip 5", accelerator::npu, 5);
    const std::uint32_t late = into.add_stream(device, 40, "compute"), early = into.add_stream(device, 41);
    recorded_kernel copy = kernel_at(100, 5, 3);
    copy.kind = kernel_class::copy;
    copy.launch_ps = 90;
    into.add_kernel(early, copy);
    into.add_kernel(late, kernel_at(500, 20, 1));
    into.add_kernel(early, kernel_at(-100, 7, 2));
    return result<void>();
  });
  const auto a = activity_of(p);
  REQUIRE(a->devices().size() == 1);
  const activity_device& d = a->devices()[0];
  CHECK(a->text(d.name) == "Chip 5");
  CHECK(d.type == accelerator::npu);
  CHECK(d.ordinal == 5);
  CHECK(d.rank == 2);
  CHECK(d.world_size == 8);
  CHECK(d.has_launches);
  CHECK(d.kernels == 3);
  REQUIRE(d.streams.size() == 2);
  CHECK(a->text(d.streams[0].name) == "compute");
  CHECK(a->text(d.streams[1].name) == "stream 41");
  REQUIRE(a->hosts().size() == 1);
  CHECK(a->hosts()[0].recorder == "tracer 3");
  CHECK(a->hosts()[0].rank == 2);

  const std::vector<kernel_row> rows = kernels_of(*a, 0);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].start_ps == -100);
  CHECK(rows[0].stream == 1);
  CHECK(rows[0].launch_ps == no_time_ps);
  CHECK(rows[1].kind == kernel_class::copy);
  CHECK(rows[1].launch_ps == 90);
  CHECK(rows[1].source_row == 3);
  CHECK(rows[2].start_ps == 500);
  CHECK(rows[2].kind == kernel_class::compute);
  CHECK(p->file_fault(0) == nullptr);
}

TEST_CASE("Rows that cannot be are passed over, counted and told", "[recording]") {
  const auto p = opened([](recording& into) {
    const std::uint32_t stream = into.add_stream(into.add_device("Chip"), 1);
    const std::uint32_t thread = into.add_thread("python", "main");
    into.add_kernel(stream, kernel_at(0, 10, 1));
    into.add_kernel(stream, kernel_at(5, -1, 2));
    into.add_kernel(stream, kernel_at(furthest_ps + 1, 0, 3));
    into.add_kernel(stream, kernel_at(-furthest_ps - 1, 1, 4));
    into.add_kernel(stream, kernel_at(furthest_ps, 1, 5));
    into.add_kernel(stream, kernel_at(INT64_MAX, INT64_MAX, 6));
    into.add_kernel(stream + 1, kernel_at(0, 1, 7));
    into.add_kernel(into.add_stream(9, 1), kernel_at(0, 1, 8));  // of no device
    recorded_span span;
    span.name = "forward";
    span.source_row = 9;
    into.add_span(thread + 1, span);
    span.duration_ps = -5;
    into.add_span(thread, span);
    recorded_step step;
    step.source_row = 10;
    into.add_step(thread + 1, step);
    step.start_ps = INT64_MIN;
    into.add_step(thread, step);
    into.pass_over("no such row", 11);
    return result<void>();
  });
  REQUIRE(p->file_fault(0) != nullptr);
  CHECK(p->file_fault(0)->code == fault_code::damaged);
  const auto a = activity_of(p);
  REQUIRE(a->inputs().size() == 1);
  const activity_input& input = a->inputs()[0];
  CHECK(input.variant == "told");
  CHECK(input.rows == 13);
  CHECK(input.rejected == 12);
  CHECK(input.first_rejected_line == 2);
  CHECK(input.damage.has_value());
  const std::vector<std::pair<std::string, std::uint64_t>> reasons = {
      {"the duration is negative", 2}, {"the time lies out of reach (106 days)", 5},
      {"of a stream that was not added", 2}, {"of a thread that was not added", 2}, {"no such row", 1}};
  CHECK(input.reject_reasons == reasons);
  CHECK(kernels_of(*a, 0).size() == 1);
}

TEST_CASE("A row that ends out of reach is damage of the file", "[recording]") {
  const auto p = opened([](recording& into) {
    const std::uint32_t stream = into.add_stream(into.add_device("Chip"), 1);
    into.add_kernel(stream, kernel_at(0, 1, 1));
    into.add_kernel(stream, kernel_at(furthest_ps, 1, 2));
    return result<void>();
  });
  CHECK(p->file_fault(0) != nullptr);
}

TEST_CASE("What was read before a fault stays", "[recording]") {
  const auto some = opened([](recording& into) -> result<void> {
    into.add_kernel(into.add_stream(into.add_device("Chip"), 1), kernel_at(0, 10, 1));
    return fault{fault_code::damaged, "it ends", "", no_offset, "Copy it again."};
  });
  REQUIRE(some->file_fault(0) != nullptr);
  CHECK(some->file_fault(0)->message == "it ends");
  CHECK(some->file_fault(0)->path == "buffer");
  CHECK(activity_of(some)->devices()[0].kernels == 1);
}

TEST_CASE("Spans named like steps mark steps, calls of the runtime never do", "[recording]") {
  const auto p = opened([](recording& into) {
    const std::uint32_t thread = into.add_thread("python", "main");
    recorded_span span;
    span.name = "ProfilerStep#7";
    span.duration_ps = 1000;
    into.add_span(thread, span);
    span.kind = host_span_kind::runtime;
    into.add_span(thread, span);
    recorded_step step;
    step.name = "epoch";
    step.start_ps = 5000;
    step.duration_ps = 10;
    into.add_step(thread, step);
    return result<void>();
  });
  const auto a = activity_of(p);
  REQUIRE(a->markers().size() == 2);
  CHECK(a->markers()[0].number == 7);
  CHECK(a->markers()[0].end_ps == 1000);
  CHECK(a->text(a->markers()[1].name) == "epoch");
  CHECK(a->markers()[1].number == -1);
  CHECK(a->markers()[1].end_ps == 5010);
}

TEST_CASE("Threads of processes that take turns stand under their processes", "[recording]") {
  const auto p = opened([](recording& into) {
    recorded_span span;
    span.duration_ps = 1;
    span.name = "work";
    const char* const of[][2] = {{"a", "1"}, {"a", "3"}, {"b", "2"}, {"a", "4"}};
    for (const auto& [process, thread] : of) into.add_span(into.add_thread(process, thread), span);
    return result<void>();
  });
  struct : tree_visitor {
    std::string seen;
    void begin_file(std::uint32_t, const file_info&) override {}
    void begin_plane(const tree_plane& plane) override { seen += std::string(plane.name) + std::to_string(plane.plane); }
    void begin_line(const tree_line& line) override {
      seen += '(' + std::string(line.header.name) + std::to_string(line.line) + ')';
    }
    void event(const tree_event&) override {}
    void end_line(std::uint64_t) override {}
    void end_plane(std::uint64_t) override { seen += ' '; }
    void end_file(const fault*) override {}
  } tree;
  REQUIRE(walk_tree(trace(*p), tree).ok());
  CHECK(tree.seen == "a0(10)(31)(42) b1(20) ");
}

TEST_CASE("The first format that recognises a file has it; others stay with theirs", "[recording]") {
  const auto nothing = [](recording&) { return result<void>(); };
  open_options how;
  how.formats = {std::make_shared<told_format>(nothing, "to", "first"), std::make_shared<told_format>(nothing)};
  const auto mine = profile::open_buffer("told", "a", how);
  REQUIRE(mine.ok());
  CHECK((*mine)->what().files[0].family == file_family::own);
  CHECK((*mine)->what().files[0].why == "own format first");
  const auto trace = profile::open_buffer(R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]})", "b", how);
  REQUIRE(trace.ok());
  CHECK((*trace)->what().files[0].family == file_family::chrome_trace);
}

TEST_CASE("Exports of a recording hold its rows", "[recording]") {
  const auto p = opened([](recording& into) {
    into.set_origin_unix_ns(1700000000000000000);
    const std::uint32_t device = into.add_device("Chip, \"one\"");
    into.add_kernel(into.add_stream(device, 4, "compute"), kernel_at(2500, 1500, 1));
    const std::uint32_t thread = into.add_thread("python", "main");
    recorded_span span;
    span.name = "inner";
    span.duration_ps = 1000;
    into.add_span(thread, span);
    span.name = "forward";
    span.duration_ps = 4000;
    into.add_span(thread, span);
    return result<void>();
  });
  const std::string csv = exported(p, trace_format::csv);
  CHECK(csv.find("gemm") != std::string::npos);
  CHECK(csv.find("\"Chip, \"\"one\"\"\"") != std::string::npos);
  CHECK(csv.find("2500,1500") != std::string::npos);
  CHECK(csv.find("forward") < csv.find("inner"));
  const std::string perfetto = exported(p, trace_format::perfetto);
  for (const char* text : {"gemm", "forward", "Chip, \"one\"", "compute", "python"})
    CHECK(perfetto.find(text) != std::string::npos);
}
