// A file that is held in memory, as a source.
#pragma once
#include <profkit/core/capture.hpp>
#include <profkit/core/source.hpp>

#include <memory>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Bytes that are in memory, and the damage that ended them. Borrows both.
[[nodiscard]] std::unique_ptr<source> source_of_held(const held_bytes& held, std::string label);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
