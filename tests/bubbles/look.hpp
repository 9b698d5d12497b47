// The detector's answer about an activity.
#pragma once
#include <profkit/core/bubbles.hpp>

#include <catch.hpp>

#include <utility>

namespace profkit::test {

inline bubbles_result look(const activity& of, const bubble_options& o = {}) {
  auto r = find_bubbles(of, o);
  REQUIRE(r);
  return std::move(r).value();
}

}  // namespace profkit::test
