// Whether an attention kernel reads a prompt or continues one.
#pragma once
#include <model/architecture/anchors.hpp>
#include <model/architecture/kernels.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

struct anchor_phases {
  std::vector<model_phase> phases, rule;  // by anchor; `rule` by length alone
  const char* source = "";                // "backward", "names", "shapes", "durations", "clusters", "" not known
  string_id undecided = 0;                // the first input shapes in which batch and sequence look alike
};

[[nodiscard]] anchor_phases find_phases(const activity& of, std::size_t device, const device_kernels& kernels,
                                        const layer_anchors& anchors);

// Query tokens a sequence, from the input shapes of an attention kernel as tables write them ("16,16,1,512;…"); nothing
// when the layout leaves it open. Layouts: T,N,D or T,H with a list of sequence lengths after it; B,S,H, S,B,H, B,N,S,D
// or B,S,N,D where only one reading makes sense.
[[nodiscard]] std::optional<model_phase> phase_of_shapes(std::string_view shapes);
// Three dimensions whose first two may be batch and sequence in either order, and the phase depends on that order.
[[nodiscard]] bool is_layout_undecided(std::string_view shapes);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
