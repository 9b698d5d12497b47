// Clusters of nodes with known clocks that run collectives, as one trace a node.
#pragma once
#include <profkit/core/collectives.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/xspace_writer.hpp>

#include <catch.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace profkit::test {

inline constexpr std::int64_t epoch_ns = 1700000000000000000;

struct node_truth {
  double offset_ps = 0, drift = 0;  // clock = offset + (1 + drift) * t
  [[nodiscard]] std::int64_t at(double t_ps) const noexcept {
    return static_cast<std::int64_t>(std::llround(offset_ps + t_ps + drift * t_ps));
  }
};

struct execution {
  std::string op;
  double start_ps = 0, end_ps = 0;  // true time
  std::int64_t run_id = -1;
  std::int32_t device = 0;
};

struct cluster {
  std::vector<node_truth> nodes;
  std::vector<std::vector<execution>> executions;  // by node
  std::string kernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  std::string module;  // hlo_module; "": none is written
};

struct cluster_shape {
  std::size_t nodes = 2;
  std::size_t barriers = 16;
  double offset_ps = 50e9, drift = 100e-6;  // at most
  double skew_ps = 20e6, period_ps = 5e9, duration_ps = 300e6;
};

inline cluster random_cluster(std::uint64_t seed, const cluster_shape& shape) {
  std::mt19937_64 random(seed);
  const auto between = [&](double least, double most) { return std::uniform_real_distribution<>(least, most)(random); };
  cluster c;
  for (std::size_t n = 0; n < shape.nodes; ++n)
    c.nodes.push_back({between(-shape.offset_ps, shape.offset_ps), between(-shape.drift, shape.drift)});
  c.executions.resize(shape.nodes);
  for (std::size_t k = 0; k < shape.barriers; ++k) {
    const double begin = 1e9 + static_cast<double>(k) * shape.period_ps * between(0.9, 1.1);
    for (std::size_t n = 0; n < shape.nodes; ++n)
      c.executions[n].push_back({"all-reduce." + std::to_string(k % 3), begin - between(0, shape.skew_ps),
                                 begin + shape.duration_ps + between(0, 1.5e6), -1, 0});
  }
  return c;
}

// The trace of one node. `id` is written as the plane stat node_id when it is not negative.
inline std::string trace_of(const cluster& c, std::size_t node, std::int64_t id = -1) {
  std::string bytes;
  const auto into = memory_sink(bytes);
  xspace_writer w(*into);
  w.add_hostname("host-" + std::to_string(node));
  w.begin_plane("/device:GPU:0", 0);
  if (id >= 0) w.add_plane_stat(w.stat_metadata("node_id"), stat_value::of_int64(id));
  const auto kernel = w.event_metadata(c.kernel);
  const auto other = w.event_metadata("gemm");
  w.begin_line({2, "Stream #2(Kernel)", epoch_ns, 0, ""});
  for (const execution& e : c.executions[node]) {
    const std::int64_t start = c.nodes[node].at(e.start_ps), end = c.nodes[node].at(e.end_ps);
    w.add_event(other, start - 1000, 500);
    w.add_event(kernel, start, end - start);
    if (!e.op.empty()) w.add_event_stat(w.stat_metadata("hlo_op"), stat_value::of_ref(w.stat_metadata(e.op)));
    if (!c.module.empty()) w.add_event_stat(w.stat_metadata("hlo_module"), stat_value::of_text(c.module));
    if (e.run_id >= 0) w.add_event_stat(w.stat_metadata("run_id"), stat_value::of_int64(e.run_id));
  }
  w.end_plane();
  w.begin_plane("Task Environment");
  w.add_plane_stat(w.stat_metadata("profile_start_time"), stat_value::of_uint64(static_cast<std::uint64_t>(epoch_ns)));
  REQUIRE(w.finish().ok());
  return bytes;
}

// Traces that own their bytes.
class traces {
 public:
  explicit traces(const cluster& c) {
    for (std::size_t n = 0; n < c.nodes.size(); ++n) add(trace_of(c, n));
  }
  traces() = default;
  void add(std::string bytes) {
    bytes_.push_back(std::make_unique<std::string>(std::move(bytes)));
    auto p = profile::open_buffer(*bytes_.back(), "node" + std::to_string(all.size()) + ".xplane.pb");
    REQUIRE(p.ok());
    all.push_back(std::make_shared<const trace>(*p));
  }
  std::vector<std::shared_ptr<const trace>> all;

 private:
  std::vector<std::unique_ptr<std::string>> bytes_;
};

inline validation_result validated(const traces& t, const validation_options& o = {}) {
  auto found = validate_collectives(t.all, o);
  REQUIRE(found.ok());
  return std::move(*found);
}

}  // namespace profkit::test
