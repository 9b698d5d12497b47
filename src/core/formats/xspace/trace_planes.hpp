// The planes of an XSpace one after another, with no index: little of a large file is touched.
#pragma once
#include <profkit/wire.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class trace_planes {
 public:
  explicit trace_planes(std::string_view xspace) noexcept : reader_(xspace) {}

  bool next() noexcept {
    for (wire_field field; reader_.next(field);) {
      if (!field.is_bytes(1)) continue;
      body_ = field.bytes;
      name_ = leading_name(body_);
      return true;
    }
    return false;
  }
  [[nodiscard]] std::string_view body() const noexcept { return body_; }
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] bool ok() const noexcept { return reader_.ok(); }

 private:
  // Writers put the name before the lines; only where it is missing there is the whole plane hopped over.
  static std::string_view leading_name(std::string_view plane) noexcept {
    std::string_view name;
    wire_reader reader(plane);
    for (wire_field field; reader.next(field);) {
      if (field.is_bytes(2)) name = field.bytes;
      if (field.number > 2 && !name.empty()) break;
    }
    return name;
  }

  wire_reader reader_;
  std::string_view body_, name_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
