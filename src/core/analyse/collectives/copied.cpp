#include <analyse/collectives/copied.hpp>

#include <analyse/element_types.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct array_shape {
  std::int64_t bytes = 0, space = 0;
};
// The result of a start is a tuple: what it gives, and a tuple in it of what it takes. The first of each are enough.
struct start_shape {
  std::array<std::optional<array_shape>, 2> direct, nested;
  std::size_t directs = 0, nesteds = 0;

  void add(int depth, const std::optional<array_shape>& shape) noexcept {
    if (depth == 1 && directs < direct.size()) direct[directs++] = shape;
    if (depth == 2 && nesteds < nested.size()) nested[nesteds++] = shape;
  }
};

class shape_text_reader {
 public:
  explicit shape_text_reader(std::string_view text) noexcept : text_(text) {}

  // A tuple up to its end.
  std::optional<start_shape> tuple() noexcept {
    start_shape found;
    int depth = 0;
    do {
      skip_separators();
      if (take('('))
        ++depth;
      else if (take(')'))
        --depth;
      else if (depth == 0 || text_.empty() || !read_array(depth, found))
        return std::nullopt;
    } while (depth > 0);
    return found;
  }
  // "copy-start" of " copy-start(…".
  std::string_view opcode() noexcept {
    skip_separators();
    return text_.substr(0, text_.find('('));
  }

 private:
  bool take(char c) noexcept {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Blanks, commas and "/*index=5*/".
  void skip_separators() noexcept {
    while (!text_.empty()) {
      if (text_.front() == ' ' || text_.front() == ',') {
        text_.remove_prefix(1);
      } else if (text_.substr(0, 2) == "/*") {
        const std::size_t end = text_.find("*/", 2);
        text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 2);
      } else {
        return;
      }
    }
  }
  std::optional<std::int64_t> number() noexcept {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  // "f32[5,<=8]{1,0:T(8,128)S(5)}". False when the text is not an array or ends in it.
  bool read_array(int depth, start_shape& found) noexcept {
    const std::size_t bracket = text_.find('[');
    if (bracket == std::string_view::npos) return false;
    const element_type* const type = find_element_type_by_name(text_.substr(0, bracket));
    text_.remove_prefix(bracket + 1);
    std::int64_t elements = 1;
    while (!take(']')) {
      take('<');  // a bound: "<=8"
      take('=');
      const std::optional<std::int64_t> extent = number();
      if (!extent) return false;
      elements = saturating_mul(elements, *extent);
      take(',');
    }
    std::string_view layout;
    if (take('{')) {
      const std::size_t end = text_.find('}');
      if (end == std::string_view::npos) return false;
      layout = text_.substr(0, end);
      text_.remove_prefix(end + 1);
    }
    found.add(depth, shape_of(type, elements, layout));
    return true;
  }
  // Numbers of less than a byte take one each, unless the layout says how many bits they take: "E(4)".
  static std::optional<array_shape> shape_of(const element_type* type, std::int64_t elements, std::string_view layout) noexcept {
    const std::size_t properties = std::min(layout.find(':'), layout.size());
    layout.remove_prefix(properties);
    const std::int64_t bits = number_in(layout, "E(").value_or(type == nullptr ? 0 : std::max<std::int64_t>(type->bits, 8));
    if (type == nullptr || type->bits == 0 || bits == 0) return std::nullopt;
    const std::int64_t bytes = bits % 8 == 0 ? saturating_mul(elements, bits / 8) : saturating_add(saturating_mul(elements, bits), 7) / 8;
    return array_shape{bytes, number_in(layout, "S(").value_or(0)};
  }
  static std::optional<std::int64_t> number_in(std::string_view layout, std::string_view opening) noexcept {
    const std::size_t at = layout.find(opening);
    if (at == std::string_view::npos) return std::nullopt;
    return shape_text_reader(layout.substr(at + opening.size())).number();
  }

  std::string_view text_;
};

}  // namespace

std::optional<copied_array> copied_by(std::string_view hlo_text) noexcept {
  const std::size_t equals = hlo_text.find(" = ");
  if (equals == std::string_view::npos) return std::nullopt;
  shape_text_reader reader(hlo_text.substr(equals + 3));
  const std::optional<start_shape> shape = reader.tuple();
  if (!shape) return std::nullopt;
  const std::string_view opcode = reader.opcode();
  std::optional<array_shape> moved, from, to;
  if (opcode == "copy-start") {  // (destination, source, context)
    moved = to = shape->direct[0];
    from = shape->direct[1];
  } else if (opcode == "slice-start" || opcode == "dynamic-slice-start") {  // ((source, position…), slice, context)
    moved = to = shape->direct[0];
    from = shape->nested[0];
  } else if (opcode == "dynamic-update-slice-start") {  // ((whole, slice, position…), whole, context)
    moved = from = shape->nested[1];
    to = shape->direct[0];
  }
  if (!moved || !from || !to) return std::nullopt;
  return copied_array{moved->bytes, from->space, to->space};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
