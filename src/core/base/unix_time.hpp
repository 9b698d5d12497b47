// Which times of a capture count from the Unix epoch.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What times of a trace JSON are since, in its header.
inline constexpr std::string_view base_time_key = "baseTimeNanoseconds";

// Microseconds from here on (1973) count from the Unix epoch: no machine is up that long. In nanoseconds since the
// epoch the same instant is 1e17, more than any time in microseconds.
inline constexpr std::int64_t min_unix_us = 100'000'000'000'000;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
