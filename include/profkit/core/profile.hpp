// An opened capture: its files held in memory (mapped, or decoded under the limits) and indexed once.
#pragma once
#include <profkit/core/capture.hpp>
#include <profkit/core/track.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct xspace_index;   ///< src/core/formats/xspace/xspace_index.hpp
class stream_visitor;  ///< src/core/formats/xspace/xspace_stream.hpp
class probe_trace;     ///< profkit/core/probe_trace.hpp
class recording;       ///< profkit/core/recording.hpp
struct recorded_file;  ///< likewise

/// Immutable after open(): share it between threads freely. Spans it hands out live as long as it does.
class profile {
 public:
  /// Opens everything open_capture() finds. One bad file of several does not fail the whole: its fault is
  /// kept (file_fault) and the others are read. Faults: those of open_capture(); the file's own fault when
  /// the only file cannot be read at all.
  static result<std::shared_ptr<const profile>> open(const std::string& path, const open_options& options = {});
  /// One file from the host's memory (borrowed: must outlive the profile) or callbacks; `label` stands for
  /// the path in messages and helps detection.
  static result<std::shared_ptr<const profile>> open_buffer(std::string_view bytes, std::string label,
                                                            const open_options& options = {});
  static result<std::shared_ptr<const profile>> open_callbacks(const read_at_callbacks& callbacks, std::string label,
                                                               const open_options& options = {});
  /// Recordings that a host made in memory, a file each: one at least. Faults: `unsupported` under open_options::redact, and
  /// those that make a single file unreadable.
  static result<std::shared_ptr<const profile>> open_recordings(std::vector<recorded_file> files,
                                                                const open_options& options = {});
  ~profile();

  [[nodiscard]] const capture& what() const noexcept;
  [[nodiscard]] std::size_t file_count() const noexcept;
  /// The files that hold such a thing and repeat no other file, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& files_with(file_content held) const noexcept;
  /// Decoded bytes of a file; what was intact when file_fault() reports damage; empty when unreadable.
  [[nodiscard]] std::string_view bytes(std::size_t file) const noexcept;
  /// The index of an XSpace file; of other files, and of one that cannot be read, one without planes. Never nullptr.
  [[nodiscard]] const xspace_index* xspace(std::size_t file) const noexcept;
  /// Whether any file is an XSpace.
  [[nodiscard]] bool is_any_xspace() const noexcept;
  /// True for an XSpace that waits to be read in one pass (access_mode::one_pass) and is not in memory; its xspace()
  /// would decode all of it.
  [[nodiscard]] bool is_streamed(std::size_t file) const noexcept;
  /// Of any file: names of planes and lines are known when the pass is over.
  [[nodiscard]] bool is_any_streamed() const noexcept;
  /// Bytes of a file as it lies on its disk; of a pipe, what was read and decoded of it so far.
  [[nodiscard]] std::uint64_t file_bytes(std::size_t file) const noexcept;
  /// Reads all of a streamed file once and hands its events to `visitor`; then outline() knows it. `again`: a second
  /// look may follow, so a pipe keeps its encoded bytes, up to limits::max_materialised_bytes. Damage is reported by
  /// file_fault(). Faults: `cancelled`, `limit`, the source's when nothing is usable; for the only file of a profile
  /// also the damage that left no plane.
  result<void> stream(std::size_t file, stream_visitor& visitor, const hooks& host, bool again) const;
  /// As xspace(), but of a file that was streamed the index of everything except its events: the lines' bodies are
  /// without them.
  [[nodiscard]] const xspace_index* outline(std::size_t file) const noexcept;
  /// The Neutrino trace folder that this "file" is; nullptr for other families.
  [[nodiscard]] const probe_trace* neutrino(std::size_t file) const noexcept;
  /// What a file of a host's own format holds; nullptr for other families.
  [[nodiscard]] const recording* recorded(std::size_t file) const noexcept;
  /// The XSpace whose planes say what allocators of a file did: its own; of a recording one that was made of its allocations.
  /// nullptr when there is none.
  [[nodiscard]] const xspace_index* allocations(std::size_t file) const noexcept;
  /// Why a file is damaged or unreadable; nullptr when it is sound. fault.byte_offset is in decoded bytes.
  /// Damage found only while events are scanned is reported by the analysis that scans them.
  [[nodiscard]] const fault* file_fault(std::size_t file) const noexcept;
  /// Unix ns of this file's own time zero, when the capture carries it (see docs/architecture.md, time).
  [[nodiscard]] std::optional<std::int64_t> file_origin_unix_ns(std::size_t file) const noexcept;
  /// The least known file origin, or whole seconds before it where a file says that it began earlier. Times of all
  /// analyses are ps relative to it.
  [[nodiscard]] std::optional<std::int64_t> origin_unix_ns() const noexcept;
  /// What to add to a file's relative ns to get ns relative to the capture origin; 0 when unaligned.
  [[nodiscard]] std::int64_t file_shift_ns(std::size_t file) const noexcept;

 private:
  struct state;
  explicit profile(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

/// Streams the tracks and events of a file other than an XSpace into a sink. A file without events gives none, nor does
/// an XSpace: outline() has its lines, xspace.hpp reads its events. Faults: damaged, after everything intact was
/// handed over; invalid_argument for a file that is not there; cancelled; those of the sink.
result<void> fill_tracks(const profile& p, std::size_t file, track_sink& into, const tracks_wanted& wanted = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
