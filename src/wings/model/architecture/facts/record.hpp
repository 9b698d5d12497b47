// What is on record of the model that one device ran, or its host where no device recorded anything: gathered once for all sources of
// facts.
#pragma once
#include <model/architecture/facts/scopes.hpp>
#include <profkit/core/architecture.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

using tensor_shape = std::vector<std::int64_t>;

// Calls of one operator with the same shapes, types and values, in the same part of a model.
struct operator_use {
  std::string_view name;
  std::vector<tensor_shape> inputs;      // [] of scalars
  std::vector<std::string_view> types;   // "c10::BFloat16", "" of what is not given
  std::vector<std::string_view> values;  // of scalars, where they are kept
  std::string_view shapes_text;          // as recorded
  module_part part = module_part::none;  // of the innermost module that has one
  bool backward = false;                 // autograd called it
  bool nested = false;                   // another operator that does the same called it
  std::uint64_t calls = 0;
  [[nodiscard]] const tensor_shape& input(std::size_t i) const;
  [[nodiscard]] std::string_view type(std::size_t i) const { return i < types.size() ? types[i] : std::string_view(); }
  [[nodiscard]] std::string_view value(std::size_t i) const { return i < values.size() ? values[i] : std::string_view(); }
};

// Kernels of one name, and of one list of shapes where the capture has one a kernel.
struct kernel_use {
  std::string_view name, type;
  std::vector<tensor_shape> inputs, outputs;
  std::string_view shapes_text, dtypes;
  bool communicates = false;
  bool optimizes = false;  // the step of an optimizer, by its name
  std::uint64_t calls = 0;
  std::int64_t first_ps = 0;
};

struct span_use {
  std::string_view name;
  host_span_kind kind = host_span_kind::other;
  std::uint64_t calls = 0;
};

// What training goes through, as the host calls it.
enum class training_part : std::uint8_t {
  forward,
  backward,  // of autograd
  gradient,  // of autograd: a gradient of a parameter is added to what it has
  optimizer
};
struct training_mark {
  std::int64_t start_ps = 0, end_ps = 0;
  training_part part = training_part::forward;
};

struct model_record {
  const activity* of = nullptr;
  const activity_device* device = nullptr;  // null: no device recorded anything
  const device_architecture* found = nullptr;
  const activity_host* host = nullptr;  // null: there is none
  std::uint32_t host_group = 0;
  std::vector<kernel_use> kernels;      // by first start
  std::vector<operator_use> operators;  // by first start
  std::vector<span_use> spans;          // host spans by name
  std::vector<step_marker> steps;       // of the host and of the device, by start
  module_scopes modules;
  std::vector<training_mark> training;         // of the host, by start; none where it steps no optimizer
  std::vector<std::int64_t> optimizer_kernels;  // when kernels of an optimizer start, ascending
  std::string program;  // the compiled one that is the model; "" none
  [[nodiscard]] std::uint64_t calls_of(std::string_view span) const;
};

// By the name of a kernel or of its type.
[[nodiscard]] bool is_optimizer_kernel(std::string_view name) noexcept;
// "Optimizer.step#AdamW.step": "AdamW"; "" of other spans.
[[nodiscard]] std::string_view optimizer_of_span(std::string_view span) noexcept;

result<model_record> gather_record(const activity& of, const architecture_result& found, const hooks& host);

// "[[16, 559], [2, 3]]" or "16,559;2,3" as numbers.
[[nodiscard]] std::vector<tensor_shape> shapes_in(std::string_view text);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
