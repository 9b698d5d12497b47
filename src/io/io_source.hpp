// What the sources of this folder share, and hold_bytes() asks of them.
#pragma once
#include "encoded_input.hpp"

#include <memory>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class io_source : public source {
 public:
  explicit io_source(std::unique_ptr<encoded_input> input) : input_(std::move(input)) {}
  [[nodiscard]] const std::string& name() const noexcept override { return input_->name(); }
  [[nodiscard]] std::uint64_t encoded_bytes() const noexcept override { return input_->size_bytes(); }
  // How far into the encoded bytes the reads so far have come: the measure of progress.
  [[nodiscard]] virtual std::uint64_t encoded_position() const noexcept { return input_->position(); }

 protected:
  std::unique_ptr<encoded_input> input_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
