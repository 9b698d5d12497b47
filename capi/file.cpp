#include <vector>

#include "profile.hpp"
#include "tables/rows_of_list.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {


const std::vector<std::string_view>* find_notes(const xspace_index* xspace, std::int32_t kind) noexcept {
  if (!xspace) return nullptr;
  switch (kind) {
    case PK_NOTE_HOSTNAME: return &xspace->hostnames;
    case PK_NOTE_ERROR: return &xspace->errors;
    case PK_NOTE_WARNING: return &xspace->warnings;
    default: return nullptr;
  }
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

const char* pk_family_name(int32_t family) noexcept {
  return profkit::family_name(static_cast<profkit::file_family>(family));
}

uint32_t pk_file_count(const pk_profile* profile) noexcept {
  return profile ? static_cast<std::uint32_t>(profile->core->file_count()) : 0;
}

pk_status pk_file_get(const pk_profile* profile, uint32_t file, pk_file_info* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::profile*> core = require_file(profile, file);
    if (!core) return std::move(core).error();
    if (!out) return null_argument("out");
    profkit::fill_row(**core, file, *out);
    return PK_OK;
  });
}

pk_status pk_file_bytes(const pk_profile* profile, uint32_t file, pk_str* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::profile*> core = require_file(profile, file);
    if (!core) return std::move(core).error();
    if (!out) return null_argument("out");
    *out = borrowed((*core)->bytes(file));
    return PK_OK;
  });
}

const pk_error* pk_file_damage(const pk_profile* profile, uint32_t file) noexcept {
  if (file >= pk_file_count(profile)) return nullptr;
  const profkit::fault* why = profile->core->file_fault(file);
  if (!why) return nullptr;
  damage_slot& slot = profile->damage[file];
  std::call_once(slot.made, [&] {
    guard(nullptr, [&]() -> result<pk_status> {
      report(&slot.error, profkit::fault(*why));
      return PK_OK;
    });
    if (!slot.error) report_out_of_memory(&slot.error);
  });
  return slot.error;
}

uint32_t pk_file_note_count(const pk_profile* profile, uint32_t file, int32_t kind) noexcept {
  const auto* notes = find_notes(find_xspace(profile, file), kind);
  return notes ? static_cast<std::uint32_t>(notes->size()) : 0;
}

pk_status pk_file_note_get(const pk_profile* profile, uint32_t file, int32_t kind, uint32_t note, pk_str* out,
                           pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::profile*> core = require_file(profile, file);
    if (!core) return std::move(core).error();
    if (!out) return null_argument("out");
    const auto* notes = find_notes((*core)->xspace(file), kind);
    if (!notes || note >= notes->size())
      return invalid_argument("there is no note " + std::to_string(note) + " of kind " + std::to_string(kind) +
                              ": their number is " + std::to_string(notes ? notes->size() : 0));
    *out = borrowed((*notes)[note]);
    return PK_OK;
  });
}
