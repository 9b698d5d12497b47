// Names that many rows of the page have, each once.
#pragma once
#include <base/hash_map.hpp>
#include <base/json_writer.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {

class page_names {
 public:
  page_names() { static_cast<void>(of("")); }
  // Its number; 0, which stands for no name, when there are too many.
  [[nodiscard]] std::uint32_t of(std::string_view name);
  void write(json_writer& out) const;

 private:
  hash_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
  std::size_t bytes_ = 0;
};

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
