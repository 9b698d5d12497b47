// What the sources of this folder share.
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
  [[nodiscard]] std::uint64_t encoded_position() const noexcept override { return input_->position(); }
  void keep_for_rewind(std::uint64_t max_bytes) override { input_->keep_for_rewind(max_bytes); }
  void ask(const hooks* host) noexcept override { input_->ask(host); }

 protected:
  std::unique_ptr<encoded_input> input_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
