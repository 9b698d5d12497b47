// Which of several markers give a device its steps, and where those begin and end: one row for each kind of device, set of
// markers and policy.
#include "look.hpp"
#include "memory_activity.hpp"

#include <profkit/core/bubbles.hpp>

#include <catch.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

// What is on record beside the kernels.
enum given : unsigned {
  nothing = 0,
  host = 1,         // steps 1 and 2 of the host: [0, 30) and [30, 60)
  annotations = 2,  // the same on the device: [9, 41) and [49, 62)
  first_only = 4,   // the first of them
  line = 8,         // steps 7 and 8 of a line: [5, 45) and [45, 75)
  ids = 16,         // ids of a table, 5 from 10 to 40 and 6 from 50 to 80
  launches = 32,    // of the kernels: at 2, 25, 35 and 58
  lesser = 64,      // numbered steps of the host as well: [3, 33) and [33, 66)
};

struct cell {
  accelerator type;
  unsigned what;
  window_policy policy;
  const char *source, *windows;
};

constexpr auto npu = accelerator::npu, gpu = accelerator::gpu, tpu = accelerator::tpu, other = accelerator::other;
constexpr auto guide = window_policy::guide, marker = window_policy::marker, device = window_policy::device,
               whole = window_policy::whole;

const cell cells[] = {
    // Nothing: the whole capture.
    {npu, nothing, guide, "none", "capture[10,80)"},
    {gpu, launches, marker, "none", "capture[10,80)"},
    // An NPU lies on the clock of its host: its steps are those of the host, unless the device is asked.
    {npu, host, guide, "host markers", "1[0,30) 2[30,80)"},
    {npu, host, marker, "host markers", "1[0,30) 2[30,60)"},
    {npu, host, device, "host markers", "1[10,20) 2[32,80)"},
    {npu, host | launches, guide, "host markers", "1[0,30) 2[30,80)"},
    {npu, host | launches, device, "launches", "1[10,40) 2[50,80)"},
    {npu, host | annotations, guide, "host markers", "1[0,30) 2[30,80)"},
    {npu, host | annotations, device, "device annotations", "1[9,41) 2[49,62)"},
    {npu, host | line, device, "line", "7[5,45) 8[45,75)"},
    {npu, host | ids, guide, "host markers", "1[0,30) 2[30,80)"},
    {npu, host | ids, device, "step ids", "5[10,40) 6[50,80)"},
    {npu, host | annotations | ids, device, "device annotations", "1[9,41) 2[49,62)"},
    // Without those of the host the device's own, ids last.
    {npu, annotations | ids, guide, "device annotations", "1[9,49) 2[49,80)"},
    {npu, line | ids, marker, "line", "7[5,45) 8[45,75)"},
    {npu, ids, guide, "step ids", "5[10,40) 6[50,80)"},
    {npu, ids, marker, "step ids", "5[10,40) 6[50,80)"},
    // Other devices lie milliseconds behind their host: annotations, then launches, then the host's time.
    {gpu, host | annotations, guide, "device annotations", "1[9,49) 2[49,80)"},
    {gpu, host | annotations | launches, marker, "device annotations", "1[9,41) 2[49,62)"},
    {gpu, host | launches, guide, "launches", "1[10,50) 2[50,80)"},
    {gpu, host | launches, marker, "launches", "1[10,40) 2[50,80)"},
    {gpu, host | first_only | launches, guide, "mixed", "1[9,50) 2[50,80)"},
    {gpu, host | first_only | launches, marker, "mixed", "1[9,41) 2[50,80)"},
    {gpu, host, guide, "host markers", "1[0,30) 2[30,80)"},
    {gpu, host | ids, guide, "host markers", "1[0,30) 2[30,80)"},
    {gpu, host | ids, device, "step ids", "5[10,40) 6[50,80)"},
    {gpu, host | line, guide, "line", "7[5,45) 8[45,80)"},
    {tpu, host | line, guide, "line", "7[5,45) 8[45,80)"},
    {tpu, host | launches, guide, "launches", "1[10,50) 2[50,80)"},
    {other, host | line, guide, "line", "7[5,45) 8[45,80)"},
    {other, host | launches, marker, "launches", "1[10,40) 2[50,80)"},
    // Of several kinds the best alone.
    {npu, host | lesser, guide, "host markers", "1[0,30) 2[30,80)"},
    {npu, lesser, guide, "host markers", "1[3,33) 2[33,80)"},
    {gpu, host | lesser | launches, guide, "launches", "1[10,50) 2[50,80)"},
    {gpu, annotations | line, guide, "device annotations", "1[9,49) 2[49,80)"},
    // Whole steps: the first begins with its mark, the last ends with it or with what it launched; what is launched later, or
    // begins after a rest where no launch is known, is in none.
    {npu, host, whole, "host markers", "1[0,30) 2[30,60)"},
    {npu, host | launches, whole, "host markers", "1[0,30) 2[30,80)"},
    {npu, ids, whole, "step ids", "5[10,40) 6[50,80)"},
    {gpu, host, whole, "host markers", "1[0,30) 2[30,60)"},
    {gpu, host | launches, whole, "launches", "1[0,50) 2[50,80)"},
    {gpu, host | annotations, whole, "device annotations", "1[0,49) 2[49,62)"},
    {gpu, host | annotations | launches, whole, "device annotations", "1[0,49) 2[49,80)"},
    {gpu, host | first_only | launches, whole, "mixed", "1[0,50) 2[50,80)"},
    {gpu, host | line, whole, "line", "7[5,45) 8[45,75)"},
    {gpu, annotations | line, whole, "device annotations", "1[9,49) 2[49,80)"},
    {tpu, host | launches, whole, "launches", "1[0,50) 2[50,80)"},
    {tpu, nothing, whole, "none", "capture[10,80)"},
};

void step(memory_activity& a, int number, std::int64_t from, std::int64_t to, int on, marker_source source) {
  a.step(number, from * ms, to * ms, on, source);
}

memory_activity made_of(const cell& c) {
  memory_activity a;
  const auto d = a.add_device("device", c.type);
  a.device(d).has_launches = (c.what & launches) != 0;
  const std::int64_t at[][3] = {{10, 20, 2}, {32, 40, 25}, {50, 60, 35}, {70, 80, 58}};
  for (const auto& k : at) {
    kernel_row& row = a.kernel(d, k[0] * ms, (k[1] - k[0]) * ms, "A");
    if ((c.what & launches) != 0) row.launch_ps = k[2] * ms;
  }
  if ((c.what & host) != 0) {
    step(a, 1, 0, 30, -1, marker_source::profiler_step);
    step(a, 2, 30, 60, -1, marker_source::profiler_step);
  }
  if ((c.what & lesser) != 0) {
    step(a, 1, 3, 33, -1, marker_source::numbered_step);
    step(a, 2, 33, 66, -1, marker_source::numbered_step);
  }
  if ((c.what & (annotations | first_only)) != 0) step(a, 1, 9, 41, 0, marker_source::device_annotation);
  if ((c.what & annotations) != 0) step(a, 2, 49, 62, 0, marker_source::device_annotation);
  if ((c.what & line) != 0) {
    step(a, 7, 5, 45, 0, marker_source::line);
    step(a, 8, 45, 75, 0, marker_source::line);
  }
  if ((c.what & ids) != 0) {
    step(a, 5, 10, 40, 0, marker_source::step_id);
    step(a, 6, 50, 80, 0, marker_source::step_id);
  }
  auto& markers = a.all_markers();
  std::stable_sort(markers.begin(), markers.end(), [](const step_marker& x, const step_marker& y) {
    return std::tie(x.device, x.start_ps, x.source) < std::tie(y.device, y.start_ps, y.source);
  });
  return a;
}

std::string windows_of(const bubbles_result& r) {
  std::string text;
  for (const bubble_step& s : r.steps)
    text += (text.empty() ? "" : " ") + s.id + '[' + std::to_string(s.start_ps / ms) + ',' +
            std::to_string(s.end_ps / ms) + ')';
  return text;
}

}  // namespace

TEST_CASE("steps of a device by what is on record") {
  for (const cell& c : cells) {
    bubble_options o;
    o.windows = c.policy;
    const memory_activity a = made_of(c);
    const auto r = find_bubbles(a, o);
    REQUIRE(r);
    INFO(accelerator_name(c.type) << ", given " << c.what << ", " << window_policy_name(c.policy));
    CHECK(std::string(r->devices[0].window_source) == c.source);
    CHECK(windows_of(*r) == c.windows);
    CHECK(r->devices[0].windows_cut == 0);
    CHECK(r->devices[0].steps_not_found == 0);
  }
}

// Marks of 100 ms each; of a device far from its host, with launches.
struct launched {
  std::int64_t launch, start, end;
};
bubbles_result whole_steps(const std::vector<launched>& kernels, const std::vector<std::pair<std::int64_t, std::int64_t>>& marks) {
  memory_activity a;
  const auto d = a.add_device("GPU 0", gpu);
  a.device(d).has_launches = true;
  for (const launched& k : kernels) a.kernel(d, k.start * ms, (k.end - k.start) * ms, "A").launch_ps = k.launch * ms;
  int number = 0;
  for (const auto& [from, to] : marks) a.step(++number, from * ms, to * ms);
  auto r = find_bubbles(a, {});
  REQUIRE(r);
  return std::move(*r);
}

TEST_CASE("a step lasts as long as its mark says") {
  using marks = std::vector<std::pair<std::int64_t, std::int64_t>>;
  struct row {
    const char* what;
    std::vector<launched> kernels;
    marks of;
    const char* windows;
  };
  for (const row& c : {
           row{"one step, late and early at rest", {{85, 86, 94}}, {{0, 100}}, "1[0,100)"},
           row{"two, nothing runs from one into the other", {{85, 86, 94}, {185, 186, 194}}, {{0, 100}, {100, 200}}, "1[0,100) 2[100,200)"},
           row{"what the first launched runs on in the second", {{85, 86, 120}, {185, 186, 194}}, {{0, 100}, {100, 200}}, "1[0,186) 2[186,200)"},
           row{"what was launched before runs past the first mark", {{-9, -8, 20}, {85, 86, 94}}, {{0, 100}}, "1[20,100)"},
           row{"it ends right before the first kernel", {{-9, -8, 86}, {85, 86, 94}}, {{0, 100}}, "1[86,100)"},
           row{"it ended before", {{-9, -8, -1}, {85, 86, 94}}, {{0, 100}}, "1[0,100)"},
           row{"the device finishes after the mark", {{2, 3, 90}, {5, 90, 130}}, {{0, 100}}, "1[0,130)"},
           row{"work that is launched later is in no step", {{2, 3, 90}, {500, 501, 600}}, {{0, 100}}, "1[0,100)"},
           row{"time between marks is of the step before", {{2, 3, 90}, {160, 161, 170}}, {{0, 100}, {150, 250}}, "1[0,150) 2[150,250)"},
       }) {
    INFO(c.what);
    const bubbles_result r = whole_steps(c.kernels, c.of);
    CHECK(windows_of(r) == c.windows);
    for (const bubble_step& s : r.steps) CHECK(s.tail_known);
    for (const bubble& b : r.bubbles) CHECK_FALSE(b.boundary_adjacent);
  }
}

TEST_CASE("a step whose end is not on record lasts to its last kernel and is in no median") {
  std::vector<launched> kernels;
  std::vector<std::pair<std::int64_t, std::int64_t>> marks;
  for (std::int64_t i = 0; i < 4; ++i) {
    kernels.push_back({i * 100 + 1, i * 100 + 2, i * 100 + 10});
    marks.emplace_back(i * 100, i * 100);  // says when a step begins, not when it ends
  }
  const bubbles_result r = whole_steps(kernels, marks);
  CHECK(windows_of(r) == "1[0,100) 2[100,200) 3[200,300) 4[300,310)");
  CHECK((r.steps[0].tail_known && r.steps[2].tail_known && !r.steps[3].tail_known));
  REQUIRE(r.groups.size() == 1);
  CHECK(r.groups[0].complete == 3);
  CHECK(r.groups[0].service_ps.median == 100 * ms);
  CHECK(r.groups[0].service_ps.mean == 100 * ms);
}

TEST_CASE("stretches of a device that are none of its host's steps end with the last kernel, so far as is known") {
  memory_activity a;
  const auto d = a.add_device("GPU 0", gpu);
  a.device(d).has_launches = true;
  a.kernel(d, 10 * ms, 10 * ms, "A").launch_ps = 5 * ms;
  a.kernel(d, 50 * ms, 20 * ms, "A").launch_ps = 45 * ms;
  a.step(1, 0, 100 * ms);
  step_marker& stretch = a.all_markers().emplace_back(a.all_markers().front());
  stretch.device = 0;
  stretch.source = marker_source::device_annotation;
  stretch.name = a.id("forward");
  stretch.start_ps = 10 * ms;
  stretch.end_ps = 20 * ms;
  const auto r = find_bubbles(a, {});
  REQUIRE(r);
  REQUIRE(r->steps.size() == 1);
  CHECK(r->steps[0].end_ps == 70 * ms);
  CHECK_FALSE(r->steps[0].tail_known);
}

TEST_CASE("where no launch is known, the queue of the last step ends with the first rest of the device") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.kernel(d, 10 * ms, 95 * ms, "A");  // over the end of the mark
  a.kernel(d, 105 * ms + 40 * us, 5 * ms, "A");
  a.kernel(d, 110 * ms + 90 * us, 5 * ms, "A");  // after 50 us
  a.kernel(d, 115 * ms + 100 * us, 5 * ms, "A");  // it has rested
  a.step(1, 0, 100 * ms);
  const auto r = find_bubbles(a, {});
  REQUIRE(r);
  REQUIRE(r->steps.size() == 1);
  CHECK(r->steps[0].end_ps == 110 * ms + 40 * us);
  CHECK(r->devices[0].kernels_after_steps == 2);
}

// Steps of a marker policy that overlap, touch and leave a hole.
TEST_CASE("a window that overlaps the next one ends there and is counted") {
  struct row {
    std::int64_t first_end, second_start;
    std::uint64_t cut;
    const char* windows;
    std::uint64_t between;
  };
  for (const row& c : {row{30, 31, 0, "1[0,30) 2[31,60)", 0}, row{31, 31, 0, "1[0,31) 2[31,60)", 0},
                       row{32, 31, 1, "1[0,31) 2[31,60)", 0}, row{9, 31, 0, "1[0,9) 2[31,60)", 1}}) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.kernel(d, 0, 5 * ms, "A");
    a.kernel(d, 10 * ms, 5 * ms, "A");
    a.kernel(d, 31 * ms, 5 * ms, "A");
    a.kernel(d, 60 * ms, 5 * ms, "A");
    a.step(1, 0, c.first_end * ms);
    a.step(2, c.second_start * ms, 60 * ms);
    bubble_options o;
    o.windows = window_policy::marker;
    const auto r = find_bubbles(a, o);
    REQUIRE(r);
    INFO(c.first_end << ' ' << c.second_start);
    CHECK(windows_of(*r) == c.windows);
    CHECK(r->devices[0].windows_cut == c.cut);
    CHECK(r->devices[0].kernels_before_steps == 0);
    CHECK(r->devices[0].kernels_between_steps == c.between);
    CHECK(r->devices[0].kernels_after_steps == 1);
  }
}

TEST_CASE("kernels outside of the steps are counted by where they lie") {
  memory_activity a;
  const std::uint32_t devices[] = {a.add_device("NPU 0"), a.add_device("NPU 1")};
  // The second device has another number in each place.
  for (const std::uint32_t d : devices) {
    for (std::int64_t n = 0; n < 1 + d; ++n) a.kernel(d, (1 + n) * ms, us, "A");
    a.kernel(d, 10 * ms, 5 * ms, "A");
    for (std::int64_t n = 0; n < 2 + d; ++n) a.kernel(d, (20 + n) * ms, us, "A");
    a.kernel(d, 30 * ms, 10 * ms, "A");
    for (std::int64_t n = 0; n < 4 * d; ++n) a.kernel(d, (40 + n) * ms, us, "A");
  }
  a.step(1, 10 * ms, 20 * ms);
  a.step(2, 30 * ms, 40 * ms);
  bubble_options o;
  o.windows = window_policy::marker;
  const auto r = find_bubbles(a, o);
  REQUIRE(r);
  for (const std::uint32_t d : devices) {
    CHECK(r->devices[d].kernels_before_steps == 1 + d);
    CHECK(r->devices[d].kernels_between_steps == 2 + d);
    CHECK(r->devices[d].kernels_after_steps == 4 * d);
  }
  // The first step of each device has kernels before it; behind the last one there are some on the second device alone.
  const auto partial = [&](std::size_t step) { return r->steps[step].tags.has(bubble_tag::partial_capture_boundary); };
  CHECK((partial(0) && partial(2) && partial(3)));
  CHECK_FALSE(partial(1));
}

// ---- as many rows as a capture is long, not as many as it has devices times steps ----

namespace {

// Counts how often all spans of a host are looked through.
class counting_activity : public memory_activity {
 public:
  mutable std::atomic<std::size_t> whole_visits{0};
  result<void> visit_host_spans(std::uint32_t group, std::int64_t from_ps, std::int64_t to_ps, host_span_visitor& into,
                                const hooks& host) const override {
    if (to_ps == std::numeric_limits<std::int64_t>::max()) ++whole_visits;
    return memory_activity::visit_host_spans(group, from_ps, to_ps, into, host);
  }
};

// Devices of one host; each runs one kernel, in a step of its own.
void fill(memory_activity& a, std::size_t devices, std::int64_t steps, bool launched) {
  for (std::int64_t i = 0; i < steps; ++i) a.step(i, i * ms, (i + 1) * ms);
  for (std::size_t i = 0; i < devices; ++i) {
    const std::uint32_t d = a.add_device("device", accelerator::gpu, 0, {7});
    const std::int64_t in_step = static_cast<std::int64_t>(i) % steps;
    kernel_row& k = a.kernel(d, in_step * ms + 100 * us, 200 * us);
    a.device(d).has_launches = launched;
    if (launched) k.launch_ps = in_step * ms + 50 * us;
  }
}

}  // namespace

TEST_CASE("steps of a host in which a device begins nothing are not all listed on each of its devices") {
  constexpr std::size_t devices = 1000;
  constexpr std::int64_t steps = 2000;
  memory_activity many;
  fill(many, devices, steps, false);
  const bubbles_result r = look(many);
  CHECK(r.steps.size() <= (std::size_t{1} << 14) + devices);
  std::vector<std::size_t> listed(devices);
  std::size_t with_kernel = 0;
  for (const bubble_step& s : r.steps) {
    ++listed[s.device];
    if (s.kernels[static_cast<std::size_t>(kernel_class::compute)] == 0) continue;
    ++with_kernel;
    CHECK(s.id == std::to_string(s.device));
    CHECK(s.start_ps == s.device * ms);
    CHECK(s.end_ps == (s.device + 1) * ms);  // also when the next one is not listed
    CHECK(s.prelaunch_ps == 100 * us);
    CHECK(s.tail_ps == 700 * us);
  }
  CHECK(with_kernel == devices);
  for (std::size_t d = 0; d < devices; ++d) CHECK(listed[d] + r.devices[d].steps_left_out == steps);
  const auto tells = [](const std::string& gap) {
    return gap.find("steps of the host without a device kernel") != std::string::npos;
  };
  CHECK(std::count_if(r.evidence_gaps.begin(), r.evidence_gaps.end(), tells) == 1);

  // As many as a capture of a few devices has are listed, all of them.
  memory_activity few;
  fill(few, 4, 4000, false);
  const bubbles_result all = look(few);
  CHECK(all.steps.size() == 16000);
  CHECK(all.devices[3].steps_left_out == 0);
  CHECK(std::none_of(all.evidence_gaps.begin(), all.evidence_gaps.end(), tells));
}

// Were each device shown each step, this would take minutes.
TEST_CASE("what a device launches is found without a look at each step of its host") {
  memory_activity a;
  constexpr std::size_t devices = 60000;
  constexpr std::int64_t steps = 120000;
  fill(a, devices, steps, true);
  const bubbles_result r = look(a);
  CHECK(r.steps.size() == devices);
  CHECK(r.devices.back().steps_not_found == steps - 1);
  CHECK(r.steps[devices - 1].id == std::to_string(devices - 1));
}

TEST_CASE("the spans of a host are looked through once for all of its devices") {
  counting_activity a;
  fill(a, 40, 50, true);
  a.host(0, 10 * ms, "layers.0");
  a.host(10 * ms, 10 * ms, "layers.1");
  const bubbles_result r = look(a);
  CHECK(a.whole_visits == 1);
  CHECK(r.steps.size() == 40);
}

TEST_CASE("steps of one name are all found where the device annotates each") {
  for (const int annotated : {3, 2}) {
    memory_activity a;
    const auto d = a.add_device("device", accelerator::gpu);
    a.device(d).has_launches = true;
    for (int i = 0; i < 3; ++i) a.step(i, i * 10 * ms, (i + 1) * 10 * ms);
    for (int i = 0; i < annotated; ++i)
      a.step(i, (i * 10 + 1) * ms, (i * 10 + 9) * ms, 0, marker_source::device_annotation);
    for (step_marker& m : a.all_markers()) {
      m.name = a.id("train");
      m.number = -1;
    }
    a.kernel(d, 2 * ms, ms).launch_ps = ms;
    const bubbles_result r = look(a);
    CHECK(r.steps.size() == static_cast<std::size_t>(annotated));
    // Of a name that is annotated too rarely nobody knows which: those that launched nothing are not found.
    CHECK(r.devices[0].steps_not_found == (annotated == 3 ? 0U : 2U));
  }
}
