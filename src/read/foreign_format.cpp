#include <read/foreign_format.hpp>

#include <profkit/core/capture.hpp>
#include <profkit/wire.hpp>
#include <read/probe.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr foreign_format perfetto{"a Perfetto trace",
                                  "Open it on ui.perfetto.dev, or give the capture that it was exported from."};
constexpr foreign_format pprof{"a pprof profile",
                               "pprof shows it; of a run of JAX give the folder with its *.xplane.pb."};
constexpr foreign_format events_file{
    "a file of TensorFlow events", "The profile lies beside it, in plugins/profile: give that folder, or an *.xplane.pb."};

// Files that begin with a signature of their own.
struct signature {
  std::string_view begins;
  foreign_format format;
};
constexpr signature signatures[] = {
    {std::string_view("SQLite format 3\0", 16),
     {"an SQLite database", "Export it as text or JSON with the profiler that wrote it."}},
    {std::string_view("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f", 8),
     {"a Riegeli file", "Unpack its records: each may be an XSpace."}},
    {std::string_view("PK\x03\x04", 4), {"a ZIP archive", "Unpack it and give what is inside."}},
    {std::string_view("\x7f" "ELF", 4), {"a program", "Give what its profiler wrote."}},
};

// Calls use(field) for the first fields of a message; true when it did for one. Ends at bytes that are no field.
template <class Use>
bool any_field(std::string_view message, std::size_t most, Use&& use) noexcept {
  wire_reader reader(message);
  wire_field field;
  for (std::size_t seen = 0; seen < most && reader.next(field); ++seen)
    if (use(field)) return true;
  return false;
}

// A Trace: nothing but packets in field 1. Every packet has a sequence (10), or a time (8) beside what it tells.
bool is_perfetto(std::string_view bytes) noexcept {
  constexpr std::size_t packets_looked_at = 64;
  bool only_packets = true, any_sequence = false;
  static_cast<void>(any_field(bytes, packets_looked_at, [&](const wire_field& field) {
    only_packets = only_packets && field.is_bytes(1);
    if (only_packets)
      any_sequence = any_sequence || any_field(field.bytes, 32, [](const wire_field& inside) {
        return inside.type == wire_type::varint && (inside.number == 8 || inside.number == 10);
      });
    return !only_packets;
  }));
  return only_packets && any_sequence;
}

// A Profile: kinds of samples, which are pairs of indices into the table of strings, and that table, empty text first.
bool is_pprof(std::string_view bytes) noexcept {
  bool kinds = false, first_text = true;
  return any_field(bytes, ~std::size_t{0}, [&](const wire_field& field) {
    if (field.is_bytes(1)) {
      kinds = any_field(field.bytes, 2, [](const wire_field& inside) {
        return inside.number <= 2 && inside.type == wire_type::varint;
      });
    }
    if (!field.is_bytes(6)) return false;
    const bool empty = field.bytes.empty() && first_text;
    first_text = false;
    return kinds && empty;
  });
}

// Records of a length, its checksum, an Event that begins with its time, and a checksum.
bool is_events_file(std::string_view bytes) noexcept {
  constexpr std::size_t head = 12, tail = 4;
  constexpr char wall_time_tag = 0x09;
  if (bytes.size() <= head + tail || bytes[head] != wall_time_tag) return false;
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length != 0 && length <= bytes.size() - head - tail;
}

}  // namespace

const foreign_format* find_foreign_format(std::string_view bytes) noexcept {
  for (const signature& known : signatures)
    if (bytes.substr(0, known.begins.size()) == known.begins) return &known.format;
  if (is_events_file(bytes)) return &events_file;
  if (is_pprof(bytes)) return &pprof;
  return is_perfetto(bytes) ? &perfetto : nullptr;
}

fault unrecognised(std::string_view bytes) {
  fault f;
  f.code = fault_code::unrecognised;
  if (const foreign_format* const known = find_foreign_format(bytes)) {
    f.message = std::string("this is ") + known->name + ", which is not read: expected an XSpace, a Chrome trace, "
                "an HLO module, an Ascend table or a Neutrino trace";
    f.hint = known->next;
    return f;
  }
  f.message =
      "no reader knows these bytes: not an XSpace, a Chrome trace, an HLO module, an Ascend table or a Neutrino trace";
  f.hint = "If they are another protobuf message, `profkit dump --type raw` shows it.";
  return f;
}

std::optional<fault> why_not_begun_xspace(std::string_view bytes) {
  if (probe_xspace(bytes.substr(0, probe_bytes)).sure >= detection_confidence::likely) return std::nullopt;
  return unrecognised(bytes);
}

std::optional<fault> why_not_xspace(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, probe_bytes);
  if (probe_xspace(head).sure >= detection_confidence::likely || !is_foreign_message(bytes)) return std::nullopt;
  return unrecognised(bytes);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
