#include <base/name_pattern.hpp>

#include <cstdint>
#include <string>
#include <utility>

#include <re2/re2.h>
#include <re2/stringpiece.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t max_memory_bytes = std::int64_t{8} << 20;  // of a compiled pattern

re2::RE2::Options how_to_match() {
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_max_mem(max_memory_bytes);
  return options;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct name_pattern::compiled {
  explicit compiled(std::string_view pattern) : expression(piece(pattern), how_to_match()) {}
  re2::RE2 expression;
};

name_pattern::name_pattern(std::shared_ptr<const compiled> pattern) noexcept : compiled_(std::move(pattern)) {}

result<name_pattern> name_pattern::make(std::string_view pattern) {
  auto made = std::make_shared<const compiled>(pattern);
  if (!made->expression.ok()) return fault{fault_code::invalid_argument, made->expression.error(), "", no_offset, ""};
  return name_pattern(std::move(made));
}

bool name_pattern::matches(std::string_view name) const {
  return re2::RE2::FullMatch(piece(name), compiled_->expression);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
