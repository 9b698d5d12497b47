// Pieces of trace JSON: numbers and strings as XLA's converter writes them, and times as exact decimals.
#pragma once
#include <profkit/namespace.hpp>

#include <base/exact_microseconds.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// ps / 1e6 as "%.17g" prints the double: what XLA's converter writes.
void append_xla_microseconds(std::string& out, std::uint64_t ps);
// "%.17g" of any finite double, exact and fast between 1e-4 and 2^53.
void append_g17(std::string& out, double value);
// "%g": six significant digits.
void append_g6(std::string& out, double value);

// A quoted string in ASCII alone, cut at the first NUL, as XLA's converter writes it. Bytes that are not UTF-8,
// which that one never meets, become U+FFFD.
void append_xla_string(std::string& out, std::string_view text);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
