// Which instructions beyond the baseline a machine has, and what functions that use them are marked with. Such
// functions are called only after a look here; what is inlined into them has to be marked likewise, or not at all.
#pragma once
#include <profkit/namespace.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#define PROFKIT_X86 1
#if !defined(__clang__)
// GCC 12 takes the undefined lanes of its own intrinsics for a mistake.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#define PROFKIT_AVX2 __attribute__((target("avx2,bmi,popcnt,pclmul")))
#define PROFKIT_AVX512 \
  __attribute__((target("avx2,bmi,popcnt,pclmul,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")))

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

[[nodiscard]] inline bool has_avx2() noexcept {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
         __builtin_cpu_supports("popcnt") != 0 && __builtin_cpu_supports("pclmul") != 0;
}
[[nodiscard]] inline bool has_avx512() noexcept {
#if defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
  // GCC stores 64 bytes at once to stack frames that detect_stack_use_after_return aligns to less (its bug 110027).
  return false;
#endif
  return has_avx2() && __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vbmi") != 0 &&
         __builtin_cpu_supports("avx512vbmi2") != 0;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
#endif
