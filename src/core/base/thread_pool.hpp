// Independent pieces of work on several threads, with results that do not depend on how many there are.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Calls work(0) … work(count - 1), each once, on up to host.threads threads, the caller's included.
// Pieces begin in the order of their numbers; put the longest first. After a fault no new piece begins, and
// the fault of the lowest-numbered failed piece is given: the same one for any number of threads. What a piece
// throws becomes its fault. The host's cancel token is looked at before each piece.
result<void> for_each_item(std::size_t count, const hooks& host, const std::function<result<void>(std::size_t)>& work);

// for_each_item() that keeps what each piece gives, in the order of the pieces.
template <class Value, class Work>
result<std::vector<Value>> map_items(std::size_t count, const hooks& host, Work&& work) {
  std::vector<std::optional<Value>> slots(count);
  auto done = for_each_item(count, host, [&](std::size_t item) -> result<void> {
    result<Value> value = work(item);
    if (!value.ok()) return std::move(value).error();
    slots[item] = std::move(*value);
    return {};
  });
  if (!done.ok()) return std::move(done).error();
  std::vector<Value> values;
  values.reserve(count);
  for (auto& slot : slots) values.push_back(std::move(*slot));
  return values;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
