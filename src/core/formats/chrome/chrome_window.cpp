#include <formats/chrome/chrome_window.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

bool text_window::more() {
  if (end_of_file_) return false;
  const std::size_t wanted = std::max(chunk_bytes_, size());
  if (source_ == nullptr) {
    const std::size_t shown = std::min(wanted, span_bytes_ - end_);
    end_ += shown;
    end_of_file_ = end_ == span_bytes_;
    return shown > 0;
  }
  make_room(wanted);
  const std::size_t got = read(buffer_.get() + end_, wanted);
  end_ += got;
  return got > 0;
}

// Moves what is held to the front, into a larger buffer when it has to be.
void text_window::make_room(std::size_t bytes) {
  const std::size_t held = size();
  if (end_ + bytes <= capacity_) return;
  if (held + bytes > capacity_) {
    const std::size_t capacity = held + bytes;
    std::unique_ptr<char[]> larger(new char[capacity]);
    if (held > 0) std::memcpy(larger.get(), at(), held);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  } else if (begin_ > 0) {
    std::memmove(buffer_.get(), at(), held);
  }
  text_ = buffer_.get();
  begin_ = 0;
  end_ = held;
}

// Fills `into` as far as the file goes; a fault of the source is kept and ends the text.
std::size_t text_window::read(char* into, std::size_t bytes) {
  std::size_t got = 0;
  while (got < bytes && !end_of_file_) {
    result<std::size_t> piece = source_->read(into + got, bytes - got);
    if (!piece) source_fault_ = std::move(piece.error());
    if (!piece || *piece == 0)
      end_of_file_ = true;
    else
      got += *piece;
  }
  return got;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
