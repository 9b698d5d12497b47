// event_scanner: the hot loop for usual events, chosen at run time, and the careful path for all others.
#include <formats/xspace/xspace_index.hpp>
#include <formats/xspace/xspace_scan_bmi2.hpp>

#include <profkit/wire.hpp>

#include <limits>

#if defined(PROFKIT_HAS_BMI2)
#include <cpuid.h>
#endif

// Gathers the 7-bit groups of a masked word in three steps.
#define PROFKIT_SCAN_VARINT(word, mask) gather_groups((word) & (mask))
namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {
inline std::uint64_t gather_groups(std::uint64_t v) noexcept {
  v &= 0x7f7f7f7f7f7f7f7fU;
  v = (v & 0x007f007f007f007fU) | ((v & 0x7f007f007f007f00U) >> 1);
  v = (v & 0x00003fff00003fffU) | ((v & 0x3fff00003fff0000U) >> 2);
  return (v & 0x000000000fffffffU) | ((v & 0x0fffffff00000000U) >> 4);
}
}  // namespace
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
#include <formats/xspace/xspace_scan_fast.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

#if defined(PROFKIT_HAS_BMI2)
// AMD families 15h to 18h have BMI2 but run PEXT in microcode, slower than the portable code.
bool has_fast_pext() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & (1U << 8)) == 0) return false;
  if (__get_cpuid(0, &a, &b, &c, &d) == 0) return false;
  const bool amd = b == signature_AMD_ebx && c == signature_AMD_ecx && d == signature_AMD_edx;
  const bool hygon = b == 0x6f677948U && d == 0x6e65476eU && c == 0x656e6975U;  // "HygonGenuine"
  if (!amd && !hygon) return true;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  unsigned family = (a >> 8) & 15U;
  if (family == 15U) family += (a >> 20) & 255U;
  return family < 0x15U || family > 0x18U;
}
#endif

std::size_t scan_usual_events_swar(const char** at, const char* end, event_row* rows, std::size_t capacity) noexcept {
  return scan_usual_events(*at, end, rows, capacity);
}

using scan_function = std::size_t (*)(const char**, const char*, event_row*, std::size_t) noexcept;

scan_function choose_scan(scan_variant wanted) noexcept {
#if defined(PROFKIT_HAS_BMI2)
  static const bool fast_pext = has_fast_pext();
  if (wanted != scan_variant::portable && fast_pext) return scan_usual_events_bmi2;
#else
  static_cast<void>(wanted);
#endif
  return scan_usual_events_swar;
}

// Decodes any event. Null when it is whole, else where the damaged field starts.
const char* decode_event(std::string_view event, event_row& row) noexcept {
  row = event_row{0, 0, 0, 0, event.data() + event.size(), 0, 0};
  wire_reader reader(event);
  const char* field_at = event.data();
  const char* stats = nullptr;
  for (wire_field field; reader.next(field); field_at = reader.position()) {
    const auto value = static_cast<std::int64_t>(field.value);
    if (field.is_varint(1)) {
      row.metadata_id = value;
    } else if (field.is_varint(2)) {
      row.offset_ps = value;
      row.num_occurrences = 0;
      row.flags = event_has_offset;
    } else if (field.is_varint(3)) {
      row.duration_ps = value;
    } else if (field.is_varint(5)) {
      row.num_occurrences = value;
      row.offset_ps = 0;
      row.flags = event_has_occurrences;
    } else if (field.is_bytes(4) && stats == nullptr) {
      stats = field_at;
    }
  }
  if (stats != nullptr) {
    row.stats = stats;
    row.stats_bytes = static_cast<std::uint32_t>(event.data() + event.size() - stats);
  }
  return reader.ok() ? nullptr : reader.position();
}

}  // namespace

event_scanner::event_scanner(std::string_view line_body, scan_variant wanted) noexcept
    : begin_(line_body.data()), at_(begin_), end_(begin_ + line_body.size()), scan_(choose_scan(wanted)) {}

std::size_t event_scanner::next(event_row* rows, std::size_t capacity) noexcept {
  std::size_t count = 0;
  while (count < capacity && damage_ == nullptr) {
    count += scan_(&at_, end_, rows + count, capacity - count);
    if (count == capacity || at_ == end_) break;
    wire_reader reader(std::string_view(at_, static_cast<std::size_t>(end_ - at_)));
    wire_field field;
    if (!reader.next(field)) {
      damage_ = at_;
      break;
    }
    if (field.is_bytes(4)) {
      damage_ =
          field.bytes.size() > std::numeric_limits<std::uint32_t>::max() ? at_ : decode_event(field.bytes, rows[count]);
      if (damage_ != nullptr) break;
      ++count;
    } else {
      take_line_field(field, header_);
      met_timestamp_ = met_timestamp_ || field.is_varint(3);
    }
    at_ = reader.position();
  }
  return count;
}

bool decode_first_event(std::string_view from, event_row& row) noexcept {
  static const scan_function scan = choose_scan(scan_variant::fastest);
  const char* at = from.data();
  if (scan(&at, at + from.size(), &row, 1) == 1) return true;
  event_scanner any(from);
  return any.next(&row, 1) == 1;
}

std::uint64_t count_events(std::string_view line_body) noexcept {
  std::uint64_t count = 0;
  const message_range<std::string_view, 4> events(line_body);
  for (auto event = events.begin(); !event.done(); ++event) ++count;
  return count;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
