// What each of two copies of the views does in one program.
#pragma once
#include <profkit/hlo.hpp>
#include <profkit/xspace.hpp>

#include <typeinfo>

namespace {

std::size_t count_planes(std::string_view bytes) { return profkit::xspace_view(bytes).planes().count(); }

template <class View>
const char* view_name(const View&) {
  return typeid(View).name();  // with the inline namespace, as every compiler mangles it
}

}  // namespace
