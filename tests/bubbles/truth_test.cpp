// Generated Ascend profiles with known truth, and real ones with exact sums: equal to the nanosecond.
#include <support.hpp>

#include <profkit/core/bubbles.hpp>

#include <simdjson.h>
#include <catch.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace profkit;
namespace dom = simdjson::dom;
namespace fs = std::filesystem;

namespace {

// "1764246877347712.782" in ns.
std::int64_t ns_of_us(std::string_view text) {
  const std::size_t point = text.find('.');
  std::int64_t whole = std::stoll(std::string(text.substr(0, point)));
  std::string decimals = point == std::string_view::npos ? "" : std::string(text.substr(point + 1, 3));
  decimals.resize(3, '0');
  return whole * 1000 + std::stoll(decimals);
}

// Steps as the truth has them, whatever the input says of them.
class with_windows final : public activity {
 public:
  with_windows(std::shared_ptr<const activity> of, std::vector<step_marker> markers)
      : of_(std::move(of)), markers_(std::move(markers)) {}
  const std::vector<activity_device>& devices() const noexcept override { return of_->devices(); }
  const std::vector<activity_host>& hosts() const noexcept override { return of_->hosts(); }
  const std::vector<activity_thread>& threads() const noexcept override { return of_->threads(); }
  const std::vector<step_marker>& markers() const noexcept override { return markers_; }
  const std::vector<activity_input>& inputs() const noexcept override { return of_->inputs(); }
  const std::vector<communication_row>& communication() const noexcept override { return of_->communication(); }
  const std::vector<step_trace_row>& step_trace() const noexcept override { return of_->step_trace(); }
  std::string_view text(string_id id) const noexcept override { return of_->text(id); }
  std::optional<std::int64_t> origin_unix_ns() const noexcept override { return of_->origin_unix_ns(); }
  bool has_host_spans(std::uint32_t group) const noexcept override { return of_->has_host_spans(group); }
  result<void> visit_kernels(std::size_t device, kernel_visitor& into, const hooks& host) const override {
    return of_->visit_kernels(device, into, host);
  }
  result<void> visit_host_spans(std::uint32_t group, std::int64_t from, std::int64_t to, host_span_visitor& into,
                                const hooks& host) const override {
    return of_->visit_host_spans(group, from, to, into, host);
  }

 private:
  std::shared_ptr<const activity> of_;
  std::vector<step_marker> markers_;
};

std::shared_ptr<const activity> read(const fs::path& path) {
  auto p = profile::open(path.string());
  if (!p) {
    FAIL(path << ": " << p.error().message);
    return nullptr;
  }
  auto a = read_activity(*p);
  REQUIRE(a);
  return *a;
}

bubbles_result look(const activity& of, window_policy windows) {
  bubble_options o;
  o.windows = windows;
  auto r = find_bubbles(of, o);
  REQUIRE(r);
  return std::move(*r);
}

std::set<std::string> names_of(bubble_labels labels) {
  std::set<std::string> names;
  for (std::size_t l = 0; l < bubble_label_count; ++l)
    if (labels.has(static_cast<bubble_label>(l))) names.insert(bubble_label_name(static_cast<bubble_label>(l)));
  return names;
}

std::set<std::string> strings_of(dom::element list) {
  std::set<std::string> all;
  for (dom::element e : dom::array(list)) all.insert(std::string(std::string_view(e)));
  return all;
}

std::int64_t integer(dom::element of, const char* key) { return std::int64_t(of[key]); }

// The steps that the detector finds on its own begin where the truth says, and end there by their own markers.
void compare_own_steps(const activity& of, dom::element truth) {
  for (const char* const flag : {"notrace", "nosteps", "partial"})
    if (bool set = false; truth["flags"][flag].get(set) == simdjson::SUCCESS && set) return;
  const std::int64_t origin = of.origin_unix_ns().value_or(0);
  const bubbles_result r = look(of, window_policy::marker);
  const dom::array steps = truth["steps"];
  REQUIRE(r.steps.size() == steps.size() * of.devices().size());
  for (std::size_t i = 0; i < r.steps.size(); ++i) {
    const dom::element want = steps.at(i % steps.size());
    INFO("own step " << r.steps[i].id);
    CHECK(r.steps[i].start_ps == (ns_of_us(std::string_view(want["start_us"])) - origin) * 1000);
    CHECK(r.steps[i].end_ps == (ns_of_us(std::string_view(want["end_us"])) - origin) * 1000);
  }
}

void compare_with_truth(const fs::path& folder, dom::element truth) {
  const std::string scenario{std::string_view(truth["scenario"])}, variant{std::string_view(truth["variant"])};
  const auto of = read(folder);
  const std::int64_t origin = of->origin_unix_ns().value_or(0);
  if (variant != "op_summary" && variant != "old2023" && variant != "level0") compare_own_steps(*of, truth);
  std::vector<step_marker> windows;
  std::int64_t number = 0;
  for (std::size_t d = 0; d < of->devices().size(); ++d) {
    number = 0;
    for (dom::element s : dom::array(truth["steps"])) {
      step_marker m;
      m.host_group = of->devices()[d].host_group;
      m.device = static_cast<std::int32_t>(d);
      m.number = number;
      m.start_ps = (ns_of_us(std::string_view(s["start_us"])) - origin) * 1000;
      m.end_ps = (ns_of_us(std::string_view(s["end_us"])) - origin) * 1000;
      m.source = marker_source::device_annotation;
      windows.push_back(m);
      ++number;
    }
  }
  const with_windows exact(of, windows);
  const bubbles_result r = look(exact, window_policy::marker);
  std::int64_t devices = 1;
  if (auto given = truth["devices"]; !given.error()) devices = std::int64_t(given);
  REQUIRE(r.devices.size() == static_cast<std::size_t>(devices));
  REQUIRE(r.steps.size() == static_cast<std::size_t>(devices * number));
  // Old tables round: starts to a quarter of a microsecond, durations to 10 ns.
  const bool rounded = variant == "old2023";
  for (std::int64_t d = 0; d < devices; ++d) {
    std::size_t at = 0;
    for (dom::element s : dom::array(truth["steps"])) {
      const bubble_step& step = r.steps[static_cast<std::size_t>(d * number) + at++];
      INFO(folder << " device " << d << " step " << step.id);
      const std::int64_t gaps = integer(s, "bubble_count");
      const auto equal = [&](std::int64_t ours_ps, const char* key) {
        INFO(key);
        const std::int64_t theirs = integer(s, key);
        if (rounded)
          CHECK(std::abs(ours_ps / 1000 - theirs) <= 1000 + 300 * gaps);
        else
          CHECK(ours_ps == theirs * 1000);
      };
      equal(step.service_ps(), "service_ns");
      equal(step.busy_ps, "busy_ns");
      equal(step.underfeed_ps(), "underfeed_ns");
      equal(step.prelaunch_ps, "prelaunch_ns");
      equal(step.tail_ps, "tail_ns");
      equal(step.internal_total_ps, "internal_total_ns");
      equal(step.largest_internal_ps, "largest_ns");
      if (!rounded) CHECK(step.bubble_count == static_cast<std::uint64_t>(gaps));
      CHECK(step.busy_ps + step.prelaunch_ps + step.internal_total_ps + step.tail_ps == step.service_ps());
      CHECK(step.breakdown.sum_ps() == step.service_ps());
      const auto expected = strings_of(s["tags"]);
      const auto wants = [&](const char* tag) { return expected.count(tag) != 0; };
      CHECK(step.tags.has(bubble_tag::prelaunch_gap_heavy) == wants("PRELAUNCH_GAP_HEAVY"));
      CHECK(step.tags.has(bubble_tag::tail_gap_heavy) == wants("TAIL_GAP_HEAVY"));
      CHECK(step.tags.has(bubble_tag::internal_bubble_heavy) == wants("INTERNAL_BUBBLE_HEAVY"));
      CHECK(step.tags.has(bubble_tag::device_idle_gap_heavy) == wants("DEVICE_IDLE_GAP_HEAVY(rulebook)"));
      for (dom::element b : dom::array(s["bubbles_ge_100us"])) {
        const std::int64_t start = (ns_of_us(std::string_view(b["start_us"])) - origin) * 1000;
        const std::int64_t end = (ns_of_us(std::string_view(b["end_us"])) - origin) * 1000;
        if (rounded) continue;
        CHECK(std::any_of(r.bubbles.begin(), r.bubbles.end(), [&](const bubble& mine) {
          return mine.device == d && mine.start_ps == start && mine.end_ps == end && mine.before_count > 0 &&
                 mine.after_count > 0 && mine.scope == bubble_scope::step_internal;
        }));
      }
    }
  }
  // msprof has no framework events, so the evidence that was put there is not in its trace.
  if (variant == "op_summary" || !r.has_host_trace) return;
  for (dom::element b : dom::array(truth["injected_bubbles"])) {
    const std::int64_t start = (ns_of_us(std::string_view(b["start_us"])) - origin) * 1000;
    const std::int64_t end = (ns_of_us(std::string_view(b["end_us"])) - origin) * 1000;
    const std::string scope{std::string_view(b["scope"])};
    INFO(folder << " bubble of step " << std::int64_t(b["step"]) << ' ' << scope << " at " << start);
    std::int64_t found = 0;
    for (const bubble& mine : r.bubbles) {
      if (scope != bubble_scope_name(mine.scope)) continue;
      const std::int64_t slack = rounded ? 600'000 : 0;
      if (std::abs(mine.start_ps - start) > slack || std::abs(mine.end_ps - end) > slack) continue;
      ++found;
      CHECK(names_of(mine.labels) == strings_of(b["labels"]));
    }
    CHECK(found == devices);
  }
  std::map<std::string, double> masked;
  std::map<std::string, std::string> verdicts;
  for (dom::element a : dom::array(truth["aicpu"])) {
    masked["NonZero"] = double(a["masked_ratio"]);
    verdicts["NonZero"] = std::string(std::string_view(a["tag"]));
  }
  for (const aicpu_op& a : r.aicpu_ops) {
    const auto wanted = masked.find(std::string(of->text(a.op_type)));
    if (wanted == masked.end()) continue;
    CHECK(static_cast<double>(a.masked_ps) / static_cast<double>(a.duration_ps) == Approx(wanted->second).margin(1e-3));
    CHECK(aicpu_verdict_name(a.verdict) == verdicts[wanted->first]);
    masked.erase(wanted);
  }
  if (variant != "level0") CHECK(masked.empty());  // level 0 does not name cores
}

fs::path real_path(const fs::path& golden, const fs::path& corpus) {
  std::ifstream in(golden / "input_path.txt");
  std::string line;
  std::getline(in, line);
  return corpus / line;
}

double number(dom::element e) {
  double d = 0;
  if (e.get(d) == simdjson::SUCCESS) return d;
  return static_cast<double>(std::int64_t(e));
}

// The reference's numbers: doubles of microseconds, so some of its gaps are lost or made.
void compare_with_reference(const activity& of, dom::element reference, window_policy windows,
                            const std::string& what) {
  const bubbles_result r = look(of, windows);
  const std::int64_t origin = of.origin_unix_ns().value_or(0);
  INFO(what << " windows " << window_policy_name(windows));
  const dom::array steps = reference["steps"];
  REQUIRE(r.steps.size() == steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const dom::element theirs = steps.at(i);
    const bubble_step& s = r.steps[i];
    const double tolerance_ms = (1.0 + 0.25 * static_cast<double>(s.bubble_count + 2)) / 1000;
    const auto near = [&](std::int64_t ps, const char* key) {
      INFO(key);
      CHECK(std::abs(static_cast<double>(ps) / 1e9 - number(theirs[key])) <= tolerance_ms);
    };
    near(s.service_ps(), "service_ms");
    near(s.busy_ps, "device_busy_union_ms");
    near(s.underfeed_ps(), "underfeed_ms");
    near(s.prelaunch_ps, "prelaunch_gap_ms");
    near(s.tail_ps, "tail_gap_ms");
    near(s.internal_total_ps, "internal_bubble_total_ms");
    near(s.largest_internal_ps, "largest_internal_bubble_ms");
    const auto tags = strings_of(theirs["tags"]);
    CHECK(s.tags.has(bubble_tag::prelaunch_gap_heavy) == (tags.count("PRELAUNCH_GAP_HEAVY") != 0));
    CHECK(s.tags.has(bubble_tag::tail_gap_heavy) == (tags.count("TAIL_GAP_HEAVY") != 0));
    CHECK(s.tags.has(bubble_tag::internal_bubble_heavy) == (tags.count("INTERNAL_BUBBLE_HEAVY") != 0));
  }
  std::size_t matched = 0, listed = 0;
  for (dom::element theirs : dom::array(reference["bubbles_top"])) {
    if (number(theirs["dur_us"]) < 51) continue;
    ++listed;
    for (const bubble& b : r.bubbles) {
      if (b.inter_step || std::string_view(theirs["scope"]) != bubble_scope_name(b.scope)) continue;
      const double start = static_cast<double>(b.start_ps / 1000 + origin) / 1e3;
      const double end = static_cast<double>(b.end_ps / 1000 + origin) / 1e3;
      if (std::abs(start - number(theirs["start_us"])) > 0.51 || std::abs(end - number(theirs["end_us"])) > 0.51)
        continue;
      ++matched;
      INFO("gap at " << b.start_ps);
      const auto ratio = [&](std::int64_t part) {
        return static_cast<double>(part) / static_cast<double>(b.length_ps());
      };
      const double slack = 1.0 / (static_cast<double>(b.length_ps()) / 1e6) + 1e-3;
      CHECK(ratio(b.host.host_ps) == Approx(number(theirs["host_visible_coverage_ratio"])).margin(slack));
      CHECK(ratio(b.host.leaf_ps) == Approx(number(theirs["host_cov_without_python_function"])).margin(slack));
      CHECK(ratio(b.host.sync_ps) == Approx(number(theirs["sync_marker_overlap_ratio"])).margin(slack));
      CHECK(ratio(b.host.comm_ps) == Approx(number(theirs["comm_marker_overlap_ratio"])).margin(slack));
      CHECK(names_of(b.labels) == strings_of(theirs["soft_root_cause_labels"]));
      break;
    }
  }
  CHECK(matched == listed);
}

}  // namespace

TEST_CASE("generated profiles equal their truth") {
  const auto golden = test::corpus_path("oracles/ascend/golden");
  if (!golden) PROFKIT_SKIP_WITHOUT_CORPUS;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(*golden))
    if (entry.path().filename().string().rfind("gen_", 0) == 0) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  REQUIRE(folders.size() > 40);
  dom::parser parser;
  for (const fs::path& folder : folders) {
    dom::element truth;
    REQUIRE(parser.load((folder / "input" / "ground_truth.json").string()).get(truth) == simdjson::SUCCESS);
    compare_with_truth(folder / "input", truth);
  }
}

TEST_CASE("real profiles have their exact sums") {
  const auto golden = test::corpus_path("oracles/ascend/golden");
  const auto captures = test::corpus_path("captures/ascend");
  if (!golden || !captures) PROFKIT_SKIP_WITHOUT_CORPUS;
  const fs::path corpus = captures->parent_path().parent_path();
  dom::parser parser, reference_parser;
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(*golden)) {
    if (entry.path().filename().string().rfind("real_", 0) != 0) continue;
    ++seen;
    INFO(entry.path());
    const auto of = read(real_path(entry.path(), corpus));
    dom::element exact;
    REQUIRE(parser.load((entry.path() / "exact_ns.json").string()).get(exact) == simdjson::SUCCESS);
    const std::int64_t origin = of->origin_unix_ns().value_or(0);
    const auto r = look(*of, window_policy::guide);
    REQUIRE(r.devices.size() == 1);
    const device_gaps& d = r.devices[0];
    CHECK(d.kernels + d.duplicates == static_cast<std::uint64_t>(integer(exact, "rows")));
    CHECK(d.first_ps / 1000 + origin == std::stoll(std::string(std::string_view(exact["span_start_ns"]))));
    CHECK(d.last_ps / 1000 + origin == std::stoll(std::string(std::string_view(exact["span_end_ns"]))));
    CHECK(d.busy_ps == integer(exact, "busy_union_ns") * 1000);
    CHECK(d.gaps == static_cast<std::uint64_t>(integer(exact, "bubble_count")));
    CHECK(d.span_ps() - d.busy_ps == integer(exact, "internal_bubble_total_ns") * 1000);
    CHECK(d.largest_ps == integer(exact, "largest_ns") * 1000);
    std::int64_t sum = 0, waits = 0;
    for (const bubble_op& op : r.ops) {
      sum += op.duration_ps;
      waits += op.wait_ps;
    }
    CHECK(sum == integer(exact, "kernel_sum_ns") * 1000);
    CHECK(std::abs(waits - integer(exact, "wait_sum_ns") * 1000) <= 1'000'000);  // waits have six decimals
    if (auto top = exact["top5"]; !top.error()) {
      std::size_t i = 0;
      for (dom::element gap : dom::array(top)) {
        REQUIRE(i < d.top.size());
        CHECK(d.top[i].first / 1000 + origin == std::stoll(std::string(std::string_view(gap["start_ns"]))));
        CHECK(d.top[i].second / 1000 + origin == std::stoll(std::string(std::string_view(gap["end_ns"]))));
        ++i;
      }
    }
    if (auto steps = exact["steps"]; !steps.error()) {
      std::size_t i = 0;
      for (dom::element s : dom::array(steps)) {
        REQUIRE(i < r.steps.size());
        CHECK(r.steps[i].start_ps / 1000 + origin == std::stoll(std::string(std::string_view(s["start_ns"]))));
        CHECK(r.steps[i].prelaunch_ps == integer(s, "prelaunch_ns") * 1000);
        CHECK(r.steps[i].marker_end_ps / 1000 + origin ==
              std::stoll(std::string(std::string_view(s["marker_end_ns"]))));
        ++i;
      }
    }
    // The capture's own table, but for the one that covers other rows than its kernels.
    if (entry.path().filename() != "real_msinsight_srv_test_rank_0")
      for (const self_check_row& row : r.self_check) {
        INFO(row.what << " ours " << row.ours_ps << " theirs " << row.theirs_ps);
        CHECK(row.agrees);
      }
    for (const auto& [file, policy] :
         {std::pair{"ref_guide.json", window_policy::guide}, std::pair{"ref_event.json", window_policy::marker}}) {
      dom::element reference;
      REQUIRE(reference_parser.load((entry.path() / file).string()).get(reference) == simdjson::SUCCESS);
      compare_with_reference(*of, reference, policy, entry.path().filename().string());
    }
  }
  CHECK(seen == 6);
}
