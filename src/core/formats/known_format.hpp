// What a format is to the rest of profkit: how its files are recognised, and what reads them. Each folder describes its
// own (format.cpp), registry.cpp lists them.
#pragma once
#include <profkit/core/chrome.hpp>
#include <profkit/core/profile.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct activity_parts;

// How many decoded bytes the probes want to see. Kineto may put tens of KB of metadata before its events. Of a JSON
// object whose first values are longer they see more, up to the other number.
inline constexpr std::size_t probe_bytes = std::size_t{64} << 10;
inline constexpr std::size_t max_probe_bytes = std::size_t{64} << 20;

enum class detection_confidence { none, possible, likely, certain };

// What a probe found; `what` is a short static text for detection::why.
struct probe_result {
  detection_confidence sure = detection_confidence::none;
  const char* what = "";
};

enum class host_rule {
  none,           // the name says no host
  stem,           // what stands before the pattern
  stem_and_time,  // the same, with ".<digits>" of a time after the host
};

// How files may be named: how a name begins and ends, after .gz or .zst was taken off. A whole name stands in both.
struct name_rule {
  const char* pattern;  // for people: "*.xplane.pb"
  std::string_view prefix, suffix;
  detection_confidence sure = detection_confidence::certain;  // `possible`: only the contents can decide
  host_rule host = host_rule::none;
  bool is_export = false;  // an exporter writes such files beside the capture that they show
};

template <class T>
struct static_list {
  const T* first = nullptr;
  std::size_t count = 0;
  constexpr static_list() = default;
  template <std::size_t N>
  constexpr static_list(const T (&all)[N]) : first(all), count(N) {}
  [[nodiscard]] constexpr const T* begin() const noexcept { return first; }
  [[nodiscard]] constexpr const T* end() const noexcept { return first + count; }
};

struct time_zero {
  std::optional<std::int64_t> origin_unix_ns;
  std::optional<std::int64_t> start_unix_ns;  // the same, before all of its events that are known
};

struct known_format {
  file_family family = file_family::unknown;
  const char* name = "";         // in documents: "chrome_trace"
  const char* title = "";        // for people: "Chrome trace"
  file_content content = file_content::nothing;
  const char* why_not_read = nullptr;  // and what to do, where its files are only listed
  static_list<name_rule> names;  // the first that matches counts
  // How likely it is that some first bytes begin such a file. Reads only inside them, in one pass; null: the name
  // decides.
  probe_result (*probe)(std::string_view head) = nullptr;
  // Why they do not, for people.
  std::string (*why_not)(std::string_view head) = nullptr;
  // Whether contents that are certainly of another format weigh more than a name that matches.
  bool yields_to_contents = false;
  bool makes_a_run = false;     // a folder that holds one is a run
  bool is_of_a_rank = false;    // lies in the folder of an Ascend rank
  const char* no_message = "";  // what it is, when not a protobuf message: "JSON of an Ascend capture"
  // Its time zero, where that is found in its bytes.
  time_zero (*zero)(std::string_view bytes, const chrome_options& how) = nullptr;
  // Adds the tracks of a file (an index into p.what().files of the family) and then their events, with times on the
  // capture's clock. Damage found on the way is reported after everything intact was handed over. `host` is not null.
  // Null: there are none.
  result<void> (*fill_tracks)(const profile& p, std::size_t file, track_sink& into, const tracks_wanted& wanted) = nullptr;
  // Adds devices, kernels, host spans and markers of all files of the family, and of those that belong to it. Damage goes
  // to the inputs; a fault that is given back stops everything (cancelled, out_of_memory, a bad option).
  result<void> (*fill_activity)(activity_parts& into) = nullptr;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
