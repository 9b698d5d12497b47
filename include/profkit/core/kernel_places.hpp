/// Where in its program each kernel of an XSpace comes from, by the rules by which op_groups groups ops.
#pragma once
#include <profkit/core/profile.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// "" where it is not on record.
struct kernel_place {
  std::string op;      ///< of the framework: "dot_general"
  std::string module;  ///< from outside in: "Net/layer_0/attn"
  std::string source, phase;
  std::string shapes;   ///< of the op's inputs
  std::string program;  ///< "jit_step(7)"
};

/// Of one device after another. Not for several threads at once.
class kernel_places {
 public:
  explicit kernel_places(const profile& p);  ///< borrows the profile
  ~kernel_places();
  /// The device whose kernels come next, by activity_device::file and plane. False: they are no events of an XSpace.
  bool look_at(std::uint32_t file, std::int32_t plane);
  /// Of the kernel with this kernel_row::source_row; it lives as long as this object. Null where the event cannot be read.
  [[nodiscard]] const kernel_place* of(std::uint64_t source_row);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
