// Models made by hand: kernels one behind the other, and what is asked about them.
#pragma once
#include "../bubbles/memory_activity.hpp"

#include <profkit/core/architecture.hpp>

#include <catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace profkit::test {

// Writes kernels one behind the other.
struct model {
  memory_activity& a;
  std::uint32_t device;
  std::int64_t now = 0;
  kernel_row& op(const std::string& type, std::int64_t length = 5 * us, kernel_class kind = kernel_class::compute) {
    kernel_row& k = a.kernel(device, now, length, type, kind);
    now += length + 1 * us;
    return k;
  }
  void layer(const std::string& attention, bool experts, std::int64_t attention_ps) {
    op(attention, attention_ps);
    op("MatMulV3");
    op("AddRmsNorm");
    if (experts) {
      op("MoeGatingTopK");
      op("hcom_alltoallv_", 10 * us, kernel_class::comm);
      op("GroupedMatmul");
      op("GroupedMatmul");
    } else {
      op("MatMulV3");
      op("SwiGlu");
      op("MatMulV3");
    }
    op("AddRmsNorm");
    op("MatMulV3");
    op("ReshapeAndCacheNdKernel");
  }
  void pass(int layers, int dense, std::int64_t attention_ps,
            const std::string& attention = "FusedInferAttentionScore") {
    op("GatherV2");
    for (int l = 0; l < layers; ++l) layer(attention, l >= dense, attention_ps);
    op("MatMulV3");
    op("ArgMaxV2");
  }
};

inline architecture_result look(const memory_activity& a, std::string_view label = {}) {
  auto found = find_architecture(a, {}, label);
  REQUIRE(found.ok());
  return std::move(*found);
}

inline bool has_limit(const device_architecture& d, std::string_view words) {
  return std::any_of(d.limitations.begin(), d.limitations.end(),
                     [&](const std::string& l) { return l.find(words) != std::string::npos; });
}

}  // namespace profkit::test
