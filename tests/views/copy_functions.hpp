// What each of two copies of the views does in one program.
#pragma once
#include <profkit/hlo.hpp>
#include <profkit/xspace.hpp>

namespace {

std::size_t count_planes(std::string_view bytes) { return profkit::xspace_view(bytes).planes().count(); }

template <class View>
const char* view_name(const View&) {
  return __PRETTY_FUNCTION__;
}

}  // namespace
