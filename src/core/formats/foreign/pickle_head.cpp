#include <formats/foreign/pickle_head.hpp>

#include <cstddef>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Opcodes by what follows them.
constexpr std::string_view alone("(012N)]}aebdltRosuQ.\x81\x85\x86\x87\x88\x89\x8f\x90\x91\x92\x93\x94\x97\x98");
constexpr std::string_view one_byte("Khq\x82"), two_bytes("M\x83"), four_bytes("Jjr\x84"), eight_bytes("G\x95");
constexpr std::string_view length_of_one("UC\x8c\x8a"), length_of_four("XTB\x8b"), length_of_eight("\x8d\x8e\x96");
constexpr char global = 'c', stop = '.';

class opcode_walk {
 public:
  // Starts after the opcode that names the protocol.
  explicit opcode_walk(std::string_view head) noexcept {
    if (head.size() < 2 || head[0] != '\x80' || head[1] < 2 || head[1] > 5) return;
    text_ = head;
    at_ = 2;
  }

  // The next whole opcode; false at the end, after the last one, and at an unknown one.
  bool next() noexcept {
    if (at_ >= text_.size() || opcode_ == stop) return false;
    opcode_ = text_[at_++];
    const auto is_one_of = [&](std::string_view some) { return some.find(opcode_) != std::string_view::npos; };
    string_ = {};
    if (is_one_of(alone)) return true;
    if (is_one_of(one_byte)) return skip(1);
    if (is_one_of(two_bytes)) return skip(2);
    if (is_one_of(four_bytes)) return skip(4);
    if (is_one_of(eight_bytes)) return skip(8);
    if (is_one_of(length_of_one)) return take_string(1);
    if (is_one_of(length_of_four)) return take_string(4);
    if (is_one_of(length_of_eight)) return take_string(8);
    return opcode_ == global && skip_line() && skip_line();
  }
  [[nodiscard]] char opcode() const noexcept { return opcode_; }
  [[nodiscard]] std::string_view string() const noexcept { return string_; }
  [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }

 private:
  bool skip(std::uint64_t bytes) noexcept {
    if (bytes > text_.size() - at_) return false;
    at_ += static_cast<std::size_t>(bytes);
    return true;
  }
  bool take_string(std::size_t width) noexcept {
    std::uint64_t length = 0;
    const std::size_t start = at_;
    if (!skip(width)) return false;
    for (std::size_t i = width; i-- > 0;) length = length << 8 | static_cast<unsigned char>(text_[start + i]);
    if (!skip(length)) return false;
    string_ = text_.substr(start + width, static_cast<std::size_t>(length));
    return true;
  }
  bool skip_line() noexcept {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) return false;
    at_ = end + 1;
    return true;
  }

  std::string_view text_, string_;
  std::size_t at_ = 0;
  char opcode_ = 0;
};

}  // namespace

bool is_pickle(std::string_view head) noexcept {
  constexpr int enough = 8;  // in a row; few other bytes are so many opcodes
  opcode_walk walk(head);
  int seen = 0;
  while (seen < enough && walk.next()) ++seen;
  return seen == enough || (walk.opcode() == stop && walk.at_end());
}

bool is_memory_snapshot(std::string_view head) noexcept {
  constexpr int max_opcodes = 4096;
  opcode_walk walk(head);
  bool dict = false, segments = false;
  for (int seen = 0; seen < max_opcodes && walk.next(); ++seen) {
    dict = dict || walk.opcode() == '}';
    const std::string_view text = walk.string();
    if (text.empty()) continue;
    if (segments && (text == "total_size" || text == "device_traces")) return true;
    if (!segments && (!dict || text != "segments")) return false;  // the first key
    segments = true;
  }
  return false;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
