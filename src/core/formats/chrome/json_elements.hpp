// Walks the elements of one JSON array's text ("[…]"), the counterpart of json_members.
#pragma once
#include <formats/chrome/chrome_text.hpp>

#include <profkit/core/limits.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class json_elements {
 public:
  explicit json_elements(std::string_view array) noexcept : at_(array.data()), end_(array.data() + array.size()) {
    at_ = skip_json_space(at_, end_);
    ok_ = at_ != end_ && *at_ == '[';
    if (ok_) ++at_;
  }
  bool next() noexcept {
    if (!ok_ || done_) return false;
    at_ = skip_json_space(at_, end_);
    if (at_ != end_ && *at_ == ']' && first_) return close();
    const json_value_end value = end_of_value(at_, end_, limits{}.max_nesting);
    if (value.why != json_end::found || value.end == at_) return fail();
    value_ = trim_json_space({at_, static_cast<std::size_t>(value.end - at_)});
    at_ = skip_json_space(value.end, end_);
    if (at_ == end_ || (*at_ != ',' && *at_ != ']')) return fail();
    last_ = *at_ == ']';
    ++at_;
    first_ = false;
    if (last_) done_ = true;
    return true;
  }
  [[nodiscard]] std::string_view value() const noexcept { return value_; }
  [[nodiscard]] bool ok() const noexcept { return ok_; }

 private:
  bool fail() noexcept { return ok_ = false; }
  bool close() noexcept {
    done_ = true;
    return false;
  }
  const char* at_;
  const char* end_;
  std::string_view value_;
  bool ok_ = true, first_ = true, last_ = false, done_ = false;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
