#include "output.hpp"

#include <unistd.h>

#include <utility>

namespace profkit_tool {

using profkit::result;
using profkit::sink;

namespace {
constexpr std::size_t flush_at_bytes = 64 * 1024;
}  // namespace

text_output::text_output(std::unique_ptr<sink> into, terminal screen)
    : into_(std::move(into)), screen_(std::move(screen)) {}

result<text_output> text_output::open(const std::string& path, color_mode color) {
  if (path.empty())
    return text_output(profkit::descriptor_sink(STDOUT_FILENO, "standard output"),
                       look_at_terminal(STDOUT_FILENO, color));
  result<std::unique_ptr<sink>> file = profkit::atomic_file_sink(path);
  if (!file) return std::move(file).error();
  terminal screen;
  screen.color = color == color_mode::always;
  return text_output(std::move(file).value(), screen);
}

void text_output::write(std::string_view text) {
  if (!text.empty()) wrote_anything_ = true;
  buffer_ += text;
  if (buffer_.size() >= flush_at_bytes) flush();
}

void text_output::flush() {
  if (!fault_ && !buffer_.empty()) {
    result<void> written = into_->write(buffer_);
    if (!written) fault_ = std::move(written).error();
  }
  buffer_.clear();
}

sink& text_output::raw() {
  flush();
  wrote_anything_ = true;
  return *into_;
}

result<void> text_output::finish() {
  flush();
  if (!fault_) {
    result<void> done = into_->finish();
    if (!done) fault_ = std::move(done).error();
  }
  if (fault_) return *fault_;
  return {};
}

profkit::result<void> write_file(const std::string& path, const std::function<profkit::result<void>(profkit::sink&)>& write) {
  profkit::result<std::unique_ptr<profkit::sink>> file = profkit::atomic_file_sink(path);
  if (!file) return std::move(file).error();
  if (profkit::result<void> written = write(**file); !written) return written;
  return (*file)->finish();
}

}  // namespace profkit_tool
