#include <formats/ascend/csv_index.hpp>

#include <base/instructions.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

#if defined(PROFKIT_X86)

struct avx2_unit {
  PROFKIT_AVX2 static csv_detail::block_masks masks_of(const char* block, char separator) noexcept {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32));
    const __m256i wanted[3] = {_mm256_set1_epi8(separator), _mm256_set1_epi8('\n'), _mm256_set1_epi8('"')};
    std::uint64_t masks[3];
    for (int i = 0; i < 3; ++i) {
      const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted[i])));
      const auto second = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted[i])));
      masks[i] = first | std::uint64_t{second} << 32;
    }
    return {masks[0], masks[1], masks[2]};
  }
  PROFKIT_AVX2 static std::uint64_t prefix_parity(std::uint64_t bits) noexcept {
    const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(bits)), _mm_set1_epi8(-1), 0);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
  }
  PROFKIT_AVX2 static unsigned count(std::uint64_t bits) noexcept {
    return static_cast<unsigned>(__builtin_popcountll(bits));
  }
  // Eight at a time, a few too many at the end.
  PROFKIT_AVX2 static void write_places(std::uint64_t bits, std::size_t from, std::uint16_t* at) noexcept {
    const std::uint16_t* const end = at + count(bits);
    for (; at < end; at += 8) {
      for (unsigned i = 0; i < 8; ++i) {
        at[i] = static_cast<std::uint16_t>(from + _tzcnt_u64(bits));
        bits &= bits - 1;
      }
    }
  }
};

struct avx512_unit : avx2_unit {
  PROFKIT_AVX512 static csv_detail::block_masks masks_of(const char* block, char separator) noexcept {
    const __m512i bytes = _mm512_loadu_si512(block);
    return {_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(separator)),
            _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n')),
            _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"'))};
  }
  PROFKIT_AVX512 static void write_places(std::uint64_t bits, std::size_t from, std::uint16_t* at) noexcept {
    alignas(64) static constexpr unsigned char counted[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i places = _mm512_maskz_compress_epi8(bits, _mm512_load_si512(counted));
    const __m512i base = _mm512_set1_epi16(static_cast<short>(from));
    _mm512_storeu_si512(at, _mm512_add_epi16(base, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(places))));
    if (count(bits) <= 32) return;
    _mm512_storeu_si512(at + 32, _mm512_add_epi16(base, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(places, 1))));
  }
};

PROFKIT_AVX2 void index_with_avx2(const char* text, std::size_t size, std::size_t from, char separator,
                                  csv_detail::row_index& into) noexcept {
  csv_detail::index_rows<avx2_unit>(text, size, from, separator, into);
}
PROFKIT_AVX512 void index_with_avx512(const char* text, std::size_t size, std::size_t from, char separator,
                                      csv_detail::row_index& into) noexcept {
  csv_detail::index_rows<avx512_unit>(text, size, from, separator, into);
}

#endif

}  // namespace

csv_indexer csv_indexer_of([[maybe_unused]] csv_variant variant) noexcept {
#if defined(PROFKIT_X86)
  if (variant == csv_variant::fastest && has_avx512()) return index_with_avx512;
  if (variant != csv_variant::plain && has_avx2()) return index_with_avx2;
#endif
  return csv_detail::index_rows_plainly;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
