// Writes a merged trace in order, while threads render its long parts.
#pragma once
#include "line_survey.hpp"

#include <profkit/core/sink.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Pieces are kept until they fill a batch, then rendered by the host's threads and written one after another, so that
// the bytes do not depend on how many threads there are. Not thread-safe.
class merge_output final : public event_output {
 public:
  merge_output(sink& into, const hooks& host) noexcept : into_(into), host_(host) {}

  result<void> literal(std::string bytes);
  // Bytes of the input, which stay where they are.
  result<void> copy(std::string_view bytes);
  // Exactly so many bytes, made by `render`, which may run on any thread. Past them it may write over
  // write_slack_bytes.
  result<void> render(std::uint64_t bytes, std::function<void(char*)> render);
  // Called once everything before it is written.
  result<void> when_written(std::function<void()> then);
  result<void> take(std::string_view bytes) override { return copy_now(bytes); }
  // Renders and writes what is kept.
  result<void> flush();
  // The bytes written in all.
  result<std::uint64_t> finish();

 private:
  struct piece {
    std::string bytes;
    std::string_view borrowed;  // of the input, or (render) in the room below
    std::function<void(char*)> render;
    std::function<void()> then;
  };
  // Memory for rendered bytes that is used again for every batch.
  struct room {
    std::unique_ptr<char[]> bytes;
    std::uint64_t size = 0;
  };
  result<void> keep(piece p, std::uint64_t bytes);
  result<void> copy_now(std::string_view bytes);

  sink& into_;
  const hooks& host_;
  std::vector<piece> kept_;
  std::vector<room> rooms_;
  std::uint64_t kept_bytes_ = 0, written_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
