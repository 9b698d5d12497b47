// Walks the views and the messages protobuf made of the same bytes side by side, field by field.
#pragma once
#include <profkit/hlo.hpp>
#include <profkit/xspace.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "pk_hlo_oracle.pb.h"
#include "pk_xplane_oracle.pb.h"

namespace profkit::test {

class comparison {
 public:
  /// The first difference with the path to it; empty when there is none.
  const std::string& difference() const { return difference_; }

  template <class A, class B>
  void equal(const char* what, const A& view, const B& oracle) {
    if (!difference_.empty() || view == oracle) return;
    differ(what, text(view), text(oracle));
  }
  void equal(const char* what, std::string_view view, const std::string& oracle) {
    if (!difference_.empty() || view == oracle) return;
    differ(what, std::string(view), oracle);
  }
  void intact(const char* what, bool ok) {
    if (difference_.empty() && !ok) differ(what, "damaged", "intact");
  }

  /// Compares the elements of a range and of a repeated field with `same(element, element)`.
  template <class Range, class Repeated, class Same>
  void list(const char* what, const Range& range, const Repeated& repeated, Same same) {
    if (!difference_.empty()) return;
    path_.push_back(what);
    auto it = range.begin();
    int i = 0;
    for (; it != range.end() && i < repeated.size(); ++it, ++i) same(*it, repeated.Get(i));
    if (it != range.end() || i != repeated.size())
      equal("length", range.count(), static_cast<std::size_t>(repeated.size()));
    intact("end", it.ok());
    equal("count", range.count(), static_cast<std::size_t>(repeated.size()));
    path_.pop_back();
  }
  template <class Range, class Repeated>
  void values(const char* what, const Range& range, const Repeated& repeated) {
    list(what, range, repeated, [this](const auto& a, const auto& b) { this->equal("value", a, b); });
  }

  void enter(const char* what) { path_.push_back(what); }
  void leave() { path_.pop_back(); }

 private:
  static std::string text(const std::string& v) { return v; }
  template <class T>
  static std::string text(const T& v) {
    return std::to_string(v);
  }
  void differ(const char* what, const std::string& view, const std::string& oracle) {
    for (const char* step : path_) difference_ += std::string(step) + "/";
    difference_ += std::string(what) + ": view has " + view + ", protobuf has " + oracle;
  }

  std::string difference_;
  std::vector<const char*> path_;
};

void compare(comparison& c, const xspace_view& view, const oracle::xplane::XSpace& message);
void compare(comparison& c, const hlo_proto_view& view, const oracle::hlo::HloProto& message);

}  // namespace profkit::test
