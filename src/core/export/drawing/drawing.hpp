// A picture as SVG without scripts: readable in light and dark, with a title and a description for screen readers.
#pragma once
#include <profkit/core/picture.hpp>
#include <profkit/core/sink.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {

// "20 s", where human_duration() says "20.000 s".
[[nodiscard]] std::string round_duration(std::int64_t ps);

// A label on an axis.
struct tick {
  std::int64_t value = 0;
  std::string label;
};
// At most `most` instants of [from_ps, to_ps], 1, 2 or 5 times a power of ten apart, labelled as times since `zero_ps`.
[[nodiscard]] std::vector<tick> time_ticks(std::int64_t from_ps, std::int64_t to_ps, std::int64_t zero_ps, std::size_t most);
// At most `most` counts from 0 to `to`, 1, 2 or 5 times a power of ten apart; the unit stands at the last one.
[[nodiscard]] std::vector<tick> count_ticks(std::int64_t to, std::string_view unit, std::size_t most);
// At most `most` sizes from 0 to `to_bytes`, a power of two apart.
[[nodiscard]] std::vector<tick> byte_ticks(std::int64_t to_bytes, std::size_t most);

// "1,504 ops", "1 op".
[[nodiscard]] std::string counted(std::uint64_t n, std::string_view noun);

// Where in a picture of width x height what is measured lies.
struct plot {
  double width, height, left, right, top, bottom;
};

// From values to pixels.
struct scale {
  std::int64_t from = 0, to = 1;
  double first = 0, last = 0;  // pixels of `from` and `to`
  [[nodiscard]] double at(std::int64_t value) const noexcept;
};

// Kinds for what only has to differ: nodes, collectives.
inline constexpr const char* distinct_kinds[] = {"compute", "communication", "copies", "cause2", "cause1", "other"};

// `kind` of what is drawn is a class of picture.css.
class drawing {
 public:
  drawing(sink& into, double width, double height, std::string_view title, std::string_view description,
          picture_form form = picture_form::file);

  enum class anchor { start, middle, end };
  void text(double x, double y, std::string_view words, anchor at = anchor::start, std::string_view kind = "");
  // `tip` is shown where a pointer rests on it; "" for none.
  void box(double x, double y, double width, double height, std::string_view kind, std::string_view tip = "");
  // A box in a colour of its own, as CSS writes it.
  void coloured_box(double x, double y, double width, double height, std::string_view fill, std::string_view tip = "");
  void dot(double x, double y, double radius, std::string_view kind, std::string_view tip = "");
  void line(double x1, double y1, double x2, double y2, std::string_view kind);
  struct point {
    double x = 0, y = 0;
  };
  // Through all points; filled down to `base` with `is_area`.
  void curve(const std::vector<point>& through, std::string_view kind, bool is_area = false, double base = 0);
  result<void> finish();

 private:
  void flush();

  sink& into_;
  std::string out_;
  result<void> state_;
};

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
