#include <formats/foreign/sqlite_schema.hpp>

#include <cstddef>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view magic("SQLite format 3\0", 16);
constexpr std::size_t header_bytes = 100;
constexpr int max_tree_levels = 8;
constexpr std::size_t max_pages = 4096;

// Numbers and texts of one page; what lies outside it is 0 or empty.
class page_bytes {
 public:
  explicit page_bytes(std::string_view bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] std::uint32_t number(std::size_t at, std::size_t width) const noexcept {
    if (at > bytes_.size() || bytes_.size() - at < width) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value = value << 8 | static_cast<unsigned char>(bytes_[at + i]);
    return value;
  }
  // A number of 7 bits a byte, the highest first; moves `at` past it.
  [[nodiscard]] std::uint64_t varint(std::size_t& at) const noexcept {
    std::uint64_t value = 0;
    for (int i = 0; i < 9 && at < bytes_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(bytes_[at++]);
      if (i == 8) return value << 8 | byte;
      value = value << 7 | (byte & 0x7f);
      if (byte < 0x80) return value;
    }
    return 0;
  }
  [[nodiscard]] std::string_view text(std::size_t at, std::uint64_t length) const noexcept {
    if (at > bytes_.size() || bytes_.size() - at < length) return {};
    return bytes_.substr(at, static_cast<std::size_t>(length));
  }

 private:
  std::string_view bytes_;
};

// Which of the tables that identify a program were seen.
struct seen_tables {
  bool string_ids = false, of_nsys = false;
  bool rocpd_info = false, rocpd_api = false, rocpd_op = false;
  bool npu_info = false, session_time = false;

  void take(std::string_view name) noexcept {
    const auto begins = [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; };
    string_ids = string_ids || name == "StringIds";
    of_nsys = of_nsys || begins("CUPTI_ACTIVITY_KIND_") || name == "TARGET_INFO_SYSTEM_ENV" ||
              name == "ANALYSIS_DETAILS" || name == "COMPOSITE_EVENTS" || name == "OSRT_API";
    rocpd_info = rocpd_info || begins("rocpd_info_");
    rocpd_api = rocpd_api || name == "rocpd_api";
    rocpd_op = rocpd_op || name == "rocpd_op";
    npu_info = npu_info || name == "NPU_INFO";
    session_time = session_time || name == "SESSION_TIME_INFO";
  }
};

// The b-tree of the schema: its root is page 1, and every row of it names a table, an index, a view or a trigger.
class schema_walk {
 public:
  explicit schema_walk(std::string_view head) noexcept : head_(head) {
    const std::uint32_t stored = page_bytes(head).number(16, 2);
    page_size_ = stored == 1 ? std::size_t{65536} : stored;
  }
  seen_tables run() noexcept {
    if (page_size_ >= 512 && (page_size_ & (page_size_ - 1)) == 0) visit(1, 0);
    return seen_;
  }

 private:
  void visit(std::uint32_t page, int level) noexcept {
    if (page == 0 || level == max_tree_levels || ++pages_ > max_pages) return;
    const std::uint64_t start = std::uint64_t{page - 1} * page_size_;
    if (start + page_size_ > head_.size()) return;
    const page_bytes bytes(head_.substr(static_cast<std::size_t>(start), page_size_));
    const std::size_t at = page == 1 ? header_bytes : 0;
    constexpr std::uint32_t interior = 5, leaf = 13;
    const std::uint32_t type = bytes.number(at, 1), cells = bytes.number(at + 3, 2);
    if (type == leaf) {
      for (std::uint32_t i = 0; i < cells; ++i) take_row(bytes, bytes.number(at + 8 + 2 * i, 2));
    } else if (type == interior) {
      for (std::uint32_t i = 0; i < cells; ++i) visit(bytes.number(bytes.number(at + 12 + 2 * i, 2), 4), level + 1);
      visit(bytes.number(at + 8, 4), level + 1);
    }
  }

  // A record: its length, the row's number, the length of its header, the types of the columns, then their values:
  // what it is, its name, and more.
  void take_row(const page_bytes& bytes, std::size_t at) noexcept {
    if (at == 0) return;
    static_cast<void>(bytes.varint(at));
    static_cast<void>(bytes.varint(at));
    const std::size_t header = at;
    const std::uint64_t header_length = bytes.varint(at);
    const std::uint64_t what = text_length(bytes.varint(at)), name = text_length(bytes.varint(at));
    if (header_length > page_size_) return;
    const std::size_t values = header + static_cast<std::size_t>(header_length);
    if (bytes.text(values, what) == "table") seen_.take(bytes.text(values + 5, name));
  }

  static std::uint64_t text_length(std::uint64_t type) noexcept {
    return type >= 13 && type % 2 == 1 ? (type - 13) / 2 : 0;
  }

  std::string_view head_;
  std::size_t page_size_ = 0, pages_ = 0;
  seen_tables seen_;
};

}  // namespace

sqlite_kind kind_of_sqlite(std::string_view head) noexcept {
  if (head.substr(0, magic.size()) != magic) return sqlite_kind::other;
  const seen_tables seen = schema_walk(head).run();
  if (seen.string_ids && seen.of_nsys) return sqlite_kind::nsys;
  if (seen.rocpd_info) return sqlite_kind::rocprofv3;
  if (seen.rocpd_api && seen.rocpd_op) return sqlite_kind::rpd;
  if (seen.npu_info && seen.session_time) return sqlite_kind::ascend;
  return sqlite_kind::other;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
