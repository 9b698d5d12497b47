// Who is asked while a read waits for a pipe.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/source.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Of a source, for as long as this object lives.
class asking {
 public:
  asking(source& of, const hooks& host) noexcept : of_(of) { of_.ask(&host); }
  ~asking() { of_.ask(nullptr); }
  asking(const asking&) = delete;
  asking& operator=(const asking&) = delete;

 private:
  source& of_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
