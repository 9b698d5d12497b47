#include "counted_memory.hpp"

#include <atomic>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PROFKIT_COUNTS_MEMORY 1
#include <malloc.h>
#include <cerrno>
#endif

namespace {
std::atomic<std::size_t> now{0}, most{0};
}

#if defined(PROFKIT_COUNTS_MEMORY)
// This program's malloc() and its kin stand in front of those of glibc, for shared libraries, too.
namespace {

void* counted(void* at) noexcept {
  if (at == nullptr) return at;
  const std::size_t bytes = malloc_usable_size(at);
  const std::size_t all = now.fetch_add(bytes) + bytes;
  std::size_t seen = most.load();
  while (all > seen && !most.compare_exchange_weak(seen, all)) {}
  return at;
}

void uncount(void* at) noexcept {
  if (at != nullptr) now.fetch_sub(malloc_usable_size(at));
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* at, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* at);

void* malloc(std::size_t bytes) noexcept { return counted(__libc_malloc(bytes)); }
void* calloc(std::size_t count, std::size_t bytes) noexcept { return counted(__libc_calloc(count, bytes)); }
void* realloc(void* at, std::size_t bytes) noexcept {
  const std::size_t had = at == nullptr ? 0 : malloc_usable_size(at);
  void* const moved = __libc_realloc(at, bytes);
  if (moved != nullptr || bytes == 0) now.fetch_sub(had);
  return counted(moved);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept { return counted(__libc_memalign(alignment, bytes)); }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return counted(__libc_memalign(alignment, bytes));
}
int posix_memalign(void** at, std::size_t alignment, std::size_t bytes) noexcept {
  *at = counted(__libc_memalign(alignment, bytes));
  return *at == nullptr ? ENOMEM : 0;
}
void free(void* at) noexcept {
  uncount(at);
  __libc_free(at);
}
}
#endif

namespace profkit::test {

bool counts_memory() noexcept {
#if defined(PROFKIT_COUNTS_MEMORY)
  return true;
#else
  return false;
#endif
}

peak_memory::peak_memory() noexcept : before_(now.load()) { most.store(before_); }
std::size_t peak_memory::bytes() const noexcept { return most.load() - before_; }

}  // namespace profkit::test
