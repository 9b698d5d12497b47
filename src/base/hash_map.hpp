// The hash map and set of the core: open addressing, sixteen places a group, a byte of each place looked at first. What
// does not depend on the types of a map, growing above all, is one piece of code for all of them.
#pragma once
#include <profkit/namespace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace hash_detail {

// ---- hashes: one multiplication a number; seeded, so that no input can be made to collide ----
extern const std::uint8_t no_marks[16];  // of maps without rows; where it lies is the seed

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 wide;
  const wide product = static_cast<wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  a = (a ^ b ^ (a >> 32)) * 0xd6e8feb86659fd93ULL;
  a = (a ^ (a >> 29)) * 0xd6e8feb86659fd93ULL;
  return a ^ (a >> 32);
#endif
}
inline std::uint64_t mix_number(std::uint64_t number) noexcept {
  return mix(number ^ reinterpret_cast<std::uintptr_t>(&no_marks), 0x9ddfea08eb382d69ULL);
}
[[nodiscard]] std::uint64_t hash_bytes(const void* bytes, std::size_t count) noexcept;

template <class T, std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>, int> = 0>
std::uint64_t hash_value(T number) noexcept {
  return mix_number(static_cast<std::uint64_t>(number));
}
template <class T>
std::uint64_t hash_value(const T* place) noexcept {
  return mix_number(reinterpret_cast<std::uintptr_t>(place));
}
inline std::uint64_t hash_value(std::string_view text) noexcept { return hash_bytes(text.data(), text.size()); }
template <class T, std::size_t N>
std::uint64_t hash_value(const std::array<T, N>& numbers) noexcept {
  static_assert(std::has_unique_object_representations_v<T>);
  return hash_bytes(numbers.data(), sizeof numbers);
}
template <class T>
std::uint64_t hash_value(const std::optional<T>& value) noexcept {
  return value ? hash_value(*value) : mix_number(~std::uint64_t{0});
}
template <class... T>
std::uint64_t hash_values(const T&... values) noexcept {
  std::uint64_t hash = 0;
  ((hash = mix_number(hash ^ hash_value(values))), ...);
  return hash;
}
template <class A, class B>
std::uint64_t hash_value(const std::pair<A, B>& both) noexcept {
  return hash_values(both.first, both.second);
}
template <class... T>
std::uint64_t hash_value(const std::tuple<T...>& all) noexcept {
  return std::apply([](const T&... values) { return hash_values(values...); }, all);
}

// ---- marks: a byte a place. Never used, erased, or seven bits of the hash below the highest bit ----
inline constexpr std::size_t group_places = 16;
inline constexpr std::uint8_t never_used = 0, erased = 1, taken = 0x80;

// The marks of a group as sets of places, a bit each.
class mark_group {
 public:
#ifdef __SSE2__
  explicit mark_group(const std::uint8_t* marks) noexcept
      : marks_(_mm_load_si128(reinterpret_cast<const __m128i*>(marks))) {}
  [[nodiscard]] std::uint32_t like(std::uint8_t mark) const noexcept {
    return bits(_mm_cmpeq_epi8(marks_, _mm_set1_epi8(static_cast<char>(mark))));
  }
  [[nodiscard]] std::uint32_t in_use() const noexcept { return bits(marks_); }

 private:
  static std::uint32_t bits(__m128i of) noexcept { return static_cast<std::uint32_t>(_mm_movemask_epi8(of)); }
  __m128i marks_;
#else
  explicit mark_group(const std::uint8_t* marks) noexcept { std::memcpy(halves_, marks, sizeof halves_); }
  [[nodiscard]] std::uint32_t like(std::uint8_t mark) const noexcept {
    return bits(equal(halves_[0], mark)) | bits(equal(halves_[1], mark)) << 8;
  }
  [[nodiscard]] std::uint32_t in_use() const noexcept { return bits(halves_[0]) | bits(halves_[1]) << 8; }

 private:
  static constexpr std::uint64_t ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
  static std::uint64_t equal(std::uint64_t half, std::uint8_t mark) noexcept {
    const std::uint64_t rest = half ^ (ones * mark);
    return ~(((rest & ~tops) + ~tops) | rest | ~tops);
  }
  // The highest bit of each byte; the first byte of memory first.
  static std::uint32_t bits(std::uint64_t half) noexcept {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    half = __builtin_bswap64(half);
#endif
    return static_cast<std::uint32_t>(((half & tops) >> 7) * 0x0102040810204080ULL >> 56);
  }
  std::uint64_t halves_[2];
#endif
};

inline std::uint32_t lowest(std::uint32_t set) noexcept { return static_cast<std::uint32_t>(__builtin_ctz(set)); }

// What growing has to know of a row: its hash, and how it is moved, which also destroys what is left. A row without
// `move` is bytes.
struct row_kind {
  std::size_t bytes;
  std::uint64_t (*hash)(const void* row);
  void (*move)(void* to, void* from);
};

// Where rows lie, whatever they are.
class row_places {
 public:
  row_places() noexcept = default;
  row_places(row_places&& from) noexcept { swap(from); }
  row_places& operator=(row_places&&) = delete;
  ~row_places() {
    if (places_ != 0) ::operator delete(marks_);
  }
  void swap(row_places& with) noexcept {
    std::swap(marks_, with.marks_);
    std::swap(rows_, with.rows_);
    std::swap(places_, with.places_);
    std::swap(last_group_, with.last_group_);
    std::swap(size_, with.size_);
    std::swap(left_, with.left_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t places() const noexcept { return places_; }
  [[nodiscard]] void* rows() const noexcept { return rows_; }
  [[nodiscard]] const std::uint8_t* marks() const noexcept { return marks_; }
  [[nodiscard]] std::size_t last_group() const noexcept { return last_group_; }
  // The first place from `place` on that holds a row; places() when there is none.
  [[nodiscard]] std::size_t row_from(std::size_t place) const noexcept {
    while (place < places_ && marks_[place] < taken) ++place;
    return place;
  }

  // A free place for a row of that hash; rows may have moved. The row is made there, and then it is taken.
  [[nodiscard]] std::size_t room_for(std::uint64_t hash, row_kind kind);
  void take(std::size_t place, std::uint64_t hash) noexcept {
    if (marks_[place] == never_used) --left_;
    marks_[place] = static_cast<std::uint8_t>(taken | hash);
    ++size_;
  }
  void give_up(std::size_t place) noexcept;
  // As if no row had ever been there; rows are destroyed by the caller. Large blocks go back.
  void forget() noexcept;
  void reserve(std::size_t rows, row_kind kind);

 private:
  void move_to(std::size_t places, const row_kind& kind);
  [[nodiscard]] std::size_t first_free(std::uint64_t hash) const noexcept;

  std::uint8_t* marks_ =
      const_cast<std::uint8_t*>(no_marks);  // and the rows behind them; nothing is written to no_marks
  void* rows_ = nullptr;
  std::size_t places_ = 0;
  std::size_t last_group_ = 0;  // groups are a power of two
  std::size_t size_ = 0;
  std::size_t left_ = 0;  // of never used places, before it grows
};

template <class Key>
using looked_for = std::conditional_t<std::is_same_v<Key, std::string>, std::string_view, Key>;

template <class Row, bool Const>
class row_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Row;
  using difference_type = std::ptrdiff_t;
  using pointer = std::conditional_t<Const, const Row*, Row*>;
  using reference = std::conditional_t<Const, const Row&, Row&>;

  row_iterator() noexcept = default;
  row_iterator(const row_places* in, std::size_t place) noexcept : in_(in), place_(place) {}
  template <bool Other, std::enable_if_t<Const && !Other, int> = 0>
  row_iterator(const row_iterator<Row, Other>& from) noexcept : in_(from.in()), place_(from.place()) {}
  reference operator*() const noexcept { return static_cast<Row*>(in_->rows())[place_]; }
  pointer operator->() const noexcept { return &**this; }
  row_iterator& operator++() noexcept {
    place_ = in_->row_from(place_ + 1);
    return *this;
  }
  [[nodiscard]] const row_places* in() const noexcept { return in_; }
  [[nodiscard]] std::size_t place() const noexcept { return place_; }
  friend bool operator==(const row_iterator& a, const row_iterator& b) noexcept { return a.place_ == b.place_; }
  friend bool operator!=(const row_iterator& a, const row_iterator& b) noexcept { return a.place_ != b.place_; }

 private:
  const row_places* in_ = nullptr;
  std::size_t place_ = 0;
};

// What map and set share. Get::key(row) is the key of a row.
template <class Key, class Row, class Get>
class hashed_rows {
 public:
  using value_type = Row;
  using iterator = row_iterator<Row, std::is_same_v<Key, Row>>;
  using const_iterator = row_iterator<Row, true>;
  /// The hash of a key, for those who keep hashes instead of keys.
  struct hasher {
    std::uint64_t operator()(const looked_for<Key>& key) const noexcept { return hash_value(key); }
  };

  hashed_rows() noexcept = default;
  hashed_rows(hashed_rows&& from) noexcept = default;
  hashed_rows(const hashed_rows& from) {
    reserve(from.size());
    for (const Row& row : from) add(Get::key(row), row);
  }
  hashed_rows& operator=(hashed_rows from) noexcept {
    places_.swap(from.places_);
    return *this;
  }
  ~hashed_rows() { destroy_rows(); }

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] iterator begin() noexcept { return {&places_, places_.row_from(0)}; }
  [[nodiscard]] iterator end() noexcept { return {&places_, places_.places()}; }
  [[nodiscard]] const_iterator begin() const noexcept { return {&places_, places_.row_from(0)}; }
  [[nodiscard]] const_iterator end() const noexcept { return {&places_, places_.places()}; }

  [[nodiscard]] iterator find(const looked_for<Key>& key) noexcept {
    return {&places_, place_of(key, hash_value(key))};
  }
  [[nodiscard]] const_iterator find(const looked_for<Key>& key) const noexcept {
    return {&places_, place_of(key, hash_value(key))};
  }
  [[nodiscard]] bool contains(const looked_for<Key>& key) const noexcept { return find(key) != end(); }
  [[nodiscard]] std::size_t count(const looked_for<Key>& key) const noexcept { return contains(key) ? 1 : 0; }

  void erase(const_iterator at) noexcept {
    rows()[at.place()].~Row();
    places_.give_up(at.place());
  }
  std::size_t erase(const looked_for<Key>& key) noexcept {
    const const_iterator at = find(key);
    if (at == end()) return 0;
    erase(at);
    return 1;
  }
  void clear() noexcept {
    destroy_rows();
    places_.forget();
  }
  void reserve(std::size_t count) { places_.reserve(count, kind()); }

 protected:
  // The row of a key, made of `parts` when there is none.
  template <class... Parts>
  std::pair<iterator, bool> add(const looked_for<Key>& key, Parts&&... parts) {
    const std::uint64_t hash = hash_value(key);
    std::size_t place = place_of(key, hash);
    if (place != places_.places()) return {{&places_, place}, false};
    place = places_.room_for(hash, kind());
    new (rows() + place) Row(std::forward<Parts>(parts)...);
    places_.take(place, hash);
    return {{&places_, place}, true};
  }

 private:
  static_assert(alignof(Row) <= group_places);

  static std::uint64_t hash_of_row(const void* row) noexcept {
    const looked_for<Key>& key = Get::key(*static_cast<const Row*>(row));
    return hash_value(key);
  }
  static void move_row(void* to, void* from) {
    new (to) Row(std::move(*static_cast<Row*>(from)));
    static_cast<Row*>(from)->~Row();
  }
  static row_kind kind() noexcept { return {sizeof(Row), hash_of_row, Get::is_bytes ? nullptr : move_row}; }

  [[nodiscard]] Row* rows() const noexcept { return static_cast<Row*>(places_.rows()); }
  [[nodiscard]] std::size_t place_of(const looked_for<Key>& key, std::uint64_t hash) const noexcept {
    std::size_t group = hash >> 7 & places_.last_group();
    for (std::size_t step = 1;; ++step) {
      const mark_group here(places_.marks() + group * group_places);
      for (std::uint32_t like = here.like(static_cast<std::uint8_t>(taken | hash)); like != 0; like &= like - 1) {
        const std::size_t place = group * group_places + lowest(like);
        if (__builtin_expect(Get::key(rows()[place]) == key, 1)) return place;
      }
      if (__builtin_expect(here.like(never_used) != 0, 1)) return places_.places();
      group = (group + step) & places_.last_group();
    }
  }
  void destroy_rows() noexcept {
    if constexpr (!std::is_trivially_destructible_v<Row>)
      for (std::size_t at = places_.row_from(0); at < places_.places(); at = places_.row_from(at + 1))
        rows()[at].~Row();
  }

  row_places places_;
};

template <class Key, class Value>
struct map_rows {
  static constexpr bool is_bytes = std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>;
  static const Key& key(const std::pair<Key, Value>& row) noexcept { return row.first; }
};
template <class Key>
struct set_rows {
  static constexpr bool is_bytes = std::is_trivially_copyable_v<Key>;
  static const Key& key(const Key& row) noexcept { return row; }
};

}  // namespace hash_detail

// The part of std::unordered_map that is used here. Rows move when it grows, and keys are not to be written to.
// Iteration order differs from run to run (the hash is seeded): never let it reach an output. Keys that are strings are
// looked for by any text.
template <class K, class V>
class hash_map : public hash_detail::hashed_rows<K, std::pair<K, V>, hash_detail::map_rows<K, V>> {
  using base = hash_detail::hashed_rows<K, std::pair<K, V>, hash_detail::map_rows<K, V>>;

 public:
  using typename base::iterator;

  hash_map() noexcept = default;
  hash_map(std::initializer_list<std::pair<K, V>> rows) {
    for (const auto& row : rows) this->add(row.first, row);
  }

  template <class Q = K, class... Parts>
  std::pair<iterator, bool> try_emplace(Q&& key, Parts&&... parts) {
    const hash_detail::looked_for<K>& looked_for = key;
    return this->add(looked_for, std::piecewise_construct, std::forward_as_tuple(std::forward<Q>(key)),
                     std::forward_as_tuple(std::forward<Parts>(parts)...));
  }
  template <class Q = K, class Part = V>
  std::pair<iterator, bool> emplace(Q&& key, Part&& value) {
    return try_emplace(std::forward<Q>(key), std::forward<Part>(value));
  }
  std::pair<iterator, bool> insert(std::pair<K, V> row) {
    return try_emplace(std::move(row.first), std::move(row.second));
  }
  template <class Q = K, class Part = V>
  std::pair<iterator, bool> insert_or_assign(Q&& key, Part&& value) {
    const auto there = try_emplace(std::forward<Q>(key));
    there.first->second = std::forward<Part>(value);
    return there;
  }
  template <class Q = K>
  V& operator[](Q&& key) {
    return try_emplace(std::forward<Q>(key)).first->second;
  }
};

template <class K>
class hash_set : public hash_detail::hashed_rows<K, K, hash_detail::set_rows<K>> {
  using base = hash_detail::hashed_rows<K, K, hash_detail::set_rows<K>>;

 public:
  using typename base::iterator;

  hash_set() noexcept = default;
  hash_set(std::initializer_list<K> rows) {
    for (const K& row : rows) this->add(row, row);
  }
  std::pair<iterator, bool> insert(K row) { return this->add(row, std::move(row)); }
  template <class... Parts>
  std::pair<iterator, bool> emplace(Parts&&... parts) {
    return insert(K(std::forward<Parts>(parts)...));
  }
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
