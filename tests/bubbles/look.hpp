// The detector's answer about an activity.
#pragma once
#include <profkit/core/bubbles.hpp>

#include <catch.hpp>

#include <utility>

namespace profkit::test {

// Steps end where the next one begins, the last one with its last kernel; windows_test.cpp has the others.
inline bubble_options guided() {
  bubble_options o;
  o.windows = window_policy::guide;
  return o;
}

inline bubbles_result look(const activity& of, const bubble_options& o = guided()) {
  auto r = find_bubbles(of, o);
  REQUIRE(r);
  return std::move(r).value();
}

}  // namespace profkit::test
