// Where results go: standard output, or a file that appears only when it is complete.
#pragma once
#include "terminal.hpp"

#include <profkit/core/sink.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace profkit_tool {

// Buffered text over a sink. The first fault is kept and later writes do nothing.
class text_output {
 public:
  // Opens `path` for atomic replacement; "" is standard output.
  static profkit::result<text_output> open(const std::string& path, color_mode color);

  void write(std::string_view text);
  void line(std::string_view text = {}) {
    write(text);
    write("\n");
  }
  // The sink under it, flushed so far: JSON documents are written there.
  profkit::sink& raw();
  // Flushes and commits; the first fault of all writes.
  profkit::result<void> finish();

  [[nodiscard]] const terminal& screen() const noexcept { return screen_; }
  [[nodiscard]] bool failed() const noexcept { return fault_.has_value(); }
  [[nodiscard]] bool wrote_anything() const noexcept { return wrote_anything_; }

 private:
  explicit text_output(std::unique_ptr<profkit::sink> into, terminal screen);
  void flush();

  std::unique_ptr<profkit::sink> into_;
  terminal screen_;
  std::string buffer_;
  std::optional<profkit::fault> fault_;
  bool wrote_anything_ = false;
};

// A file that appears when `write` gave all of it.
profkit::result<void> write_file(const std::string& path, const std::function<profkit::result<void>(profkit::sink&)>& write);

}  // namespace profkit_tool
