#include <read/chrome_window.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

bool text_window::more() {
  if (end_of_file_) return false;
  std::size_t wanted = std::max(chunk_bytes_, size());
  if (source_ == nullptr) wanted = std::min(wanted, span_.size());
  if (wanted == 0) {
    end_of_file_ = true;
    return false;
  }
  make_room(wanted);
  const std::size_t got = read(end(), wanted);
  end_ += got;
  std::memset(end(), ' ', padding_);
  return got > 0;
}

// Moves what is held to the front, into a larger buffer when it has to be.
void text_window::make_room(std::size_t bytes) {
  const std::size_t held = size();
  if (end_ + bytes <= capacity_) return;
  if (held + bytes > capacity_) {
    const std::size_t capacity = held + bytes;
    std::unique_ptr<char[]> larger(new char[1 + capacity + padding_]);
    larger[0] = ' ';
    if (held > 0) std::memcpy(larger.get() + 1, at(), held);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  } else if (begin_ > 0) {
    std::memmove(buffer_.get() + 1, at(), held);
  }
  begin_ = 0;
  end_ = held;
}

// Fills `into` as far as the file goes; a fault of the source is kept and ends the text.
std::size_t text_window::read(char* into, std::size_t bytes) {
  std::size_t got = 0;
  if (source_ == nullptr) {
    got = std::min(bytes, span_.size());
    if (got > 0) std::memcpy(into, span_.data(), got);
    span_.remove_prefix(got);
    end_of_file_ = span_.empty();
    return got;
  }
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
