// Quantities and names as people read them, in terminals and in the sentences of findings.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// The largest unit in which the time is at least one, with three decimals: "0 ps", "17 ps", "1.500 ns",
/// "1.234 us", "12.345 ms", "1.000 s", and past an hour "2 h 05 min", past a minute "3 min 04.500 s".
[[nodiscard]] std::string human_duration(std::int64_t ps);
[[nodiscard]] std::string human_duration_unsigned(std::uint64_t ps);

/// "0 B", "1023 B", "1.0 KiB", "1.2 GiB".
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

/// Digits in groups of three: "26,723".
[[nodiscard]] std::string grouped(std::uint64_t n);
[[nodiscard]] std::string grouped(std::int64_t n);

/// What a kernel runs, for people to read: "at::native::MulFunctor<float>" of "void at::native::vectorized_elementwise_kernel<4,
/// at::native::MulFunctor<float>, …>(int)". Without its result and parameters; other names stay as they are.
[[nodiscard]] std::string readable_kernel_name(std::string_view name);
/// part / whole in percent with one decimal, rounded half up: "12.3 %"; "-" when whole is 0.
[[nodiscard]] std::string percent_text(std::uint64_t part, std::uint64_t whole);

/// percent_text() of times: "<0.1 %" for a little more than nothing; "" when whole is not positive or part is negative.
[[nodiscard]] std::string share_text(std::int64_t part, std::int64_t whole);

/// A computed rate or amount (never a time) with three significant digits and an SI prefix: "918 T", "1.23 G",
/// "12 "; the unit is put after it by the caller. "-" for NaN and infinities.
[[nodiscard]] std::string si_text(double value);

/// The name that was probably meant: a part of it differs from `wanted` by the fewest letters (one in four at most; case does not
/// count); of equals the one nearest in length. Null where none is near, or `wanted` is shorter than three letters.
[[nodiscard]] const std::string* closest_to(std::string_view wanted, const std::vector<std::string>& names);

/// The text with every byte of a control character and every byte that is not UTF-8 shown as \xNN (lower case).
/// Names of a capture come from outside: printed raw they could drive the terminal.
[[nodiscard]] std::string escape_for_terminal(std::string_view text);

/// The columns an escaped text takes on a terminal: two for wide characters (East Asian, emoji), none for
/// combining marks; a byte that escape_for_terminal() would escape counts as the four columns of its \xNN.
[[nodiscard]] std::size_t terminal_width(std::string_view text) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
