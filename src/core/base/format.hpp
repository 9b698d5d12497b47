// Numbers as text, beside what profkit/core/text.hpp has. Times are printed from integers: no double ever holds one.
#pragma once
#include <profkit/core/text.hpp>

#include <cstdint>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// "1 layer", "12 345 layers".
[[nodiscard]] std::string counted(std::uint64_t n, const char* singular, const char* plural);

void append_integer(std::string& out, std::int64_t n);
void append_integer(std::string& out, std::uint64_t n);
// The shortest text that reads back equal: "0.1"; "inf", "nan".
void append_shortest(std::string& out, double n);

// Fixed decimals, rounded half away from zero; never "-0.000".
void append_microseconds(std::string& out, std::int64_t ps);  // 3 decimals: "1234.568"
void append_milliseconds(std::string& out, std::int64_t ps);  // 6 decimals: "1.234568"
[[nodiscard]] std::string microseconds_text(std::int64_t ps);
[[nodiscard]] std::string milliseconds_text(std::int64_t ps);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
