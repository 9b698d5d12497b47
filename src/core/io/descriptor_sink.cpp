#include <profkit/core/sink.hpp>

#include <base/contained.hpp>

#include "descriptor_writer.hpp"

#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class borrowed_descriptor_sink final : public sink {
 public:
  borrowed_descriptor_sink(int number, std::string label) : out_(number, std::move(label)) {}
  result<void> write(std::string_view bytes) override {
    return contained([&] { return out_.write(bytes); });
  }
  result<void> finish() override {
    return contained([&] { return out_.flush(); });
  }

 private:
  descriptor_writer out_;
};

}  // namespace

std::unique_ptr<sink> descriptor_sink(int descriptor, std::string label) {
  return std::make_unique<borrowed_descriptor_sink>(descriptor, std::move(label));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
