#include <read/held_source.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class held_source final : public source {
 public:
  held_source(const held_bytes& held, std::string label) : held_(held), label_(std::move(label)) {}
  [[nodiscard]] const std::string& name() const noexcept override { return label_; }
  [[nodiscard]] std::uint64_t encoded_bytes() const noexcept override { return held_.bytes.size(); }
  [[nodiscard]] compression encoding() const noexcept override { return compression::none; }
  [[nodiscard]] std::optional<std::string_view> span() const noexcept override {
    if (held_.damage) return std::nullopt;
    return held_.bytes;
  }
  result<std::size_t> read(void* into, std::size_t bytes) override {
    if (at_ == held_.bytes.size() && held_.damage && bytes != 0) return *held_.damage;
    const std::size_t count = std::min(bytes, held_.bytes.size() - at_);
    if (count != 0) std::memcpy(into, held_.bytes.data() + at_, count);
    at_ += count;
    return count;
  }
  void ask(const hooks* /*host*/) noexcept override {}
  result<void> rewind() override {
    at_ = 0;
    return {};
  }
  [[nodiscard]] std::uint64_t encoded_position() const noexcept override { return at_; }
  void keep_for_rewind(std::uint64_t) override {}

 private:
  const held_bytes& held_;
  std::string label_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<source> source_of_held(const held_bytes& held, std::string label) {
  return std::make_unique<held_source>(held, std::move(label));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
