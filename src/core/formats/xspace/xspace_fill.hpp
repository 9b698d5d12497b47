// XSpaces to the activity.
#pragma once
#include <profkit/core/profile.hpp>

#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct activity_parts;

// See known_format.
result<void> fill_activity_from_xspace(activity_parts& into);  // activity_xspace.cpp

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
