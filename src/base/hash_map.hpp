// The hash map and set of the core. This is the only file that names abseil.
#pragma once
#include <profkit/namespace.hpp>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Iteration order differs from run to run (the hash is seeded): never let it reach an output.
template <class K, class V>
using hash_map = absl::flat_hash_map<K, V>;
template <class K>
using hash_set = absl::flat_hash_set<K>;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
