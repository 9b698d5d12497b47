// Numbers as text, for people and for JSON. Times are printed from integers: no double ever holds one.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

void append_integer(std::string& out, std::int64_t n);
void append_integer(std::string& out, std::uint64_t n);

// Fixed decimals, rounded half away from zero; never "-0.000".
void append_microseconds(std::string& out, std::int64_t ps);  // 3 decimals: "1234.568"
void append_milliseconds(std::string& out, std::int64_t ps);  // 6 decimals: "1.234568"
[[nodiscard]] std::string microseconds_text(std::int64_t ps);
[[nodiscard]] std::string milliseconds_text(std::int64_t ps);

// The largest unit in which the time is at least one, with three decimals: "0 ps", "17 ps", "1.500 ns",
// "1.234 us", "12.345 ms", "1.000 s", and past an hour "2 h 05 min", past a minute "3 min 04.500 s".
[[nodiscard]] std::string human_duration(std::int64_t ps);
[[nodiscard]] std::string human_duration_unsigned(std::uint64_t ps);

// "0 B", "1023 B", "1.0 KiB", "1.2 GiB".
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

// Digits in groups of three: "26,723".
[[nodiscard]] std::string grouped(std::uint64_t n);
[[nodiscard]] std::string grouped(std::int64_t n);

// part / whole in percent with one decimal, rounded half up: "12.3 %"; "-" when whole is 0.
[[nodiscard]] std::string percent_text(std::uint64_t part, std::uint64_t whole);

// A computed rate or amount (never a time) with three significant digits and an SI prefix: "918 T", "1.23 G",
// "12 "; the unit is put after it by the caller. "-" for NaN and infinities.
[[nodiscard]] std::string si_text(double value);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
