#include "profile.hpp"

#include <algorithm>
#include <utility>

#include <base/contained.hpp>

#include "options.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

void hold_core(pk_profile& handle, std::shared_ptr<const profile> core) {
  handle.core = std::move(core);
  handle.trace = std::make_shared<const profkit::trace>(handle.core);
  handle.damage = std::make_unique<damage_slot[]>(handle.core->file_count());
}

// What the three ways to open share. `open` gets the handle to fill and the core's options.
template <class Open>
pk_status open_profile(const pk_open_options* options, pk_profile** out, pk_error** err, Open&& open) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!out) return null_argument("out");
    result<pk_open_options> given =
        read_sized_struct<pk_open_options>(options, "pk_open_options");
    if (!given) return std::move(given).error();
    hook_bridge bridge;
    result<open_options> core_options = read_open_options(*given, bridge);
    if (!core_options) return std::move(core_options).error();
    auto handle = std::make_unique<pk_profile>();
    result<std::shared_ptr<const profile>> opened = open(*handle, given->flags, *core_options);
    if (!opened) return std::move(opened).error();
    hold_core(*handle, std::move(*opened));
    *out = handle.release();
    return PK_OK;
  });
}

// Reports to the host, once, that its callbacks are not called any more.
class reader_end {
 public:
  explicit reader_end(const pk_read_callbacks& callbacks) noexcept : user_(callbacks.user), release_(callbacks.release) {}
  reader_end(reader_end&& other) noexcept : user_(other.user_), release_(std::exchange(other.release_, nullptr)) {}
  ~reader_end() {
    if (release_) release_(user_);
  }
  reader_end(const reader_end&) = delete;
  reader_end& operator=(const reader_end&) = delete;
  reader_end& operator=(reader_end&&) = delete;

 private:
  void* user_;
  void (*release_)(void*);
};

// A profile that reads through callbacks until it ends: the reader ends after it.
struct profile_with_reader {
  reader_end reader;
  std::shared_ptr<const profile> core;
};

std::string position(const char* what, std::uint32_t asked, std::size_t there) {
  return std::string("there is no ") + what + " " + std::to_string(asked) + ": the number of " + what + "s is " +
         std::to_string(there);
}

}  // namespace

std::unique_ptr<pk_profile> handle_of(std::shared_ptr<const profile> core) {
  auto handle = std::make_unique<pk_profile>();
  hold_core(*handle, std::move(core));
  return handle;
}

const xspace_index* find_xspace(const pk_profile* profile, std::uint32_t file) noexcept {
  return profile ? profile->core->xspace(file) : nullptr;
}

const plane_index* find_plane(const pk_profile* profile, std::uint32_t file, std::uint32_t plane) noexcept {
  const xspace_index* xspace = find_xspace(profile, file);
  return xspace && plane < xspace->planes.size() ? &xspace->planes[plane] : nullptr;
}

result<const profile*> require_file(const pk_profile* profile, std::uint32_t file) {
  if (!profile) return null_argument("profile");
  const std::size_t there = profile->core->file_count();
  if (file >= there) return invalid_argument(position("file", file, there));
  return profile->core.get();
}

result<const plane_index*> require_plane(const pk_profile* profile, std::uint32_t file, std::uint32_t plane) {
  result<const profkit::profile*> core = require_file(profile, file);
  if (!core) return std::move(core).error();
  const std::vector<plane_index>& planes = (*core)->xspace(file)->planes;
  if (plane < planes.size()) return &planes[plane];
  if (!profkit::has_planes((*core)->what().files[file].family)) {
    fault why = invalid_argument("only an XSpace file has planes", "look at pk_file_info::family");
    why.path = (*core)->what().files[file].path;
    return why;
  }
  if (const fault* broken = (*core)->file_fault(file); broken && planes.empty()) return *broken;
  return invalid_argument(position("plane", plane, planes.size()));
}

result<const line_index*> require_line(const pk_profile* profile, std::uint32_t file, std::uint32_t plane,
                                       std::uint32_t line) {
  result<const plane_index*> found = require_plane(profile, file, plane);
  if (!found) return std::move(found).error();
  const std::vector<line_index>& lines = (*found)->lines;
  if (line >= lines.size()) return invalid_argument(position("line", line, lines.size()));
  return &lines[line];
}

result<void> check_output(const pk_profile& profile, const char* path) {
  if (profile.has_paths)
    for (const capture_file& file : profile.core->what().files)
      if (is_same_file(path, file.path)) {
        fault why = invalid_argument("the output would replace a file that is read", "name another file");
        why.path = path;
        return why;
      }
  return {};
}

result<std::unique_ptr<sink>> output_file(const pk_profile& profile, const char* path) {
  if (auto free = check_output(profile, path); !free) return std::move(free).error();
  return atomic_file_sink(path);
}

fault damage_at(const profile& p, std::uint32_t file, const char* at, const char* what) {
  fault why;
  why.code = fault_code::damaged;
  why.path = p.what().files[file].path;
  why.byte_offset = static_cast<std::uint64_t>(at - p.bytes(file).data());
  why.message = std::string(what) + " at byte " + std::to_string(why.byte_offset) + " breaks the format of an XSpace";
  why.hint = "what was read before is intact; copy the file again, or record it anew";
  return why;
}

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;
using core_profile = std::shared_ptr<const profkit::profile>;

pk_status pk_profile_open(const char* path, const pk_open_options* options, pk_profile** out, pk_error** err) noexcept {
  return open_profile(options, out, err,
                      [&](pk_profile& handle, std::uint32_t, const profkit::open_options& core) -> result<core_profile> {
                        if (!path) return null_argument("path");
                        if (!core.hostname.empty() || core.rank >= 0)
                          return invalid_argument("pk_open_options::host and rank are of one buffer, and this is a path");
                        handle.has_paths = true;
                        return profkit::profile::open(path, core);
                      });
}

pk_status pk_profile_open_buffer(const void* data, size_t size, const char* label, const pk_open_options* options,
                                 pk_profile** out, pk_error** err) noexcept {
  return open_profile(
      options, out, err,
      [&](pk_profile& handle, std::uint32_t flags, const profkit::open_options& core) -> result<core_profile> {
        if (!data && size != 0) return null_argument("data");
        std::string_view bytes(static_cast<const char*>(data), size);
        if ((flags & PK_OPEN_COPY) != 0) bytes = handle.copied.assign(bytes);
        return profkit::profile::open_buffer(bytes, text_of(label), core);
      });
}

pk_status pk_profile_open_callbacks(const pk_read_callbacks* callbacks, const char* label,
                                    const pk_open_options* options, pk_profile** out, pk_error** err) noexcept {
  result<pk_read_callbacks> given =
      profkit::contained([&] { return read_sized_struct<pk_read_callbacks>(callbacks, "pk_read_callbacks"); });
  reader_end reader(given ? *given : pk_read_callbacks{});
  return open_profile(
      options, out, err, [&](pk_profile&, std::uint32_t flags, const profkit::open_options& core) -> result<core_profile> {
        if (!callbacks) return null_argument("callbacks");
        if (!given) return std::move(given).error();
        if (!given->read_at) return null_argument("pk_read_callbacks::read_at");
        if (given->reserved != 0) return invalid_argument("pk_read_callbacks::reserved is not 0");
        const std::uint64_t size = given->size_bytes == 0 ? profkit::no_offset : given->size_bytes;
        result<core_profile> opened = profkit::profile::open_callbacks({given->user, given->read_at, size}, text_of(label), core);
        if (!opened || (flags & PK_OPEN_ONE_PASS) == 0) return opened;
        const auto kept = std::make_shared<profile_with_reader>(profile_with_reader{std::move(reader), *opened});
        return core_profile(kept, kept->core.get());
      });
}

pk_profile* pk_profile_ref(pk_profile* profile) noexcept {
  if (profile) profile->references.fetch_add(1, std::memory_order_relaxed);
  return profile;
}

void pk_profile_free(pk_profile* profile) noexcept {
  if (profile && profile->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete profile;
}

pk_status pk_profile_get(const pk_profile* profile, pk_profile_info* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!profile) return null_argument("profile");
    if (!out) return null_argument("out");
    const profkit::capture& what = profile->core->what();
    out->path = borrowed(what.path);
    out->ignored_count = what.ignored_count;
    out->file_count = pk_file_count(profile);
    out->run_count = static_cast<std::uint32_t>(what.runs.size());
    if (const auto origin = profile->core->origin_unix_ns()) {
      out->origin_unix_ns = *origin;
      out->flags |= PK_PROFILE_HAS_ORIGIN;
    }
    return PK_OK;
  });
}

pk_status pk_run_get(const pk_profile* profile, uint32_t run, pk_run_info* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!profile) return null_argument("profile");
    if (!out) return null_argument("out");
    const auto& runs = profile->core->what().runs;
    if (run >= runs.size()) return invalid_argument(position("run", run, runs.size()));
    out->name = borrowed(runs[run].name);
    out->path = borrowed(runs[run].path);
    out->chosen = runs[run].chosen ? 1 : 0;
    return PK_OK;
  });
}
