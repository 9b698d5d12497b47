#include "fleet.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "table_stream.hpp"

namespace profkit_sqlite {
namespace {

std::int32_t ask_whether_stopped(void* user, std::uint64_t, std::uint64_t) { return static_cast<fleet*>(user)->stopped() ? 1 : 0; }

}  // namespace

void fleet::set_captures(std::vector<std::string> captures) {
  captures_ = std::move(captures);
  states_.assign(captures_.size(), state::unknown);
  failures_.clear();
  checked_.clear();
  open_uri_.clear();
  bubbles_.reset();
  open_.reset();
}

pk_hooks fleet::hooks() noexcept {
  pk_hooks given = PK_HOOKS_INIT;
  given.threads = threads;
  given.user = this;
  given.progress = ask_whether_stopped;
  return given;
}

std::size_t fleet::position_of(const std::string& uri) const noexcept {
  const auto at = std::lower_bound(captures_.begin(), captures_.end(), uri);
  return at != captures_.end() && *at == uri ? static_cast<std::size_t>(at - captures_.begin()) : captures_.size();
}

std::shared_ptr<pk_profile> fleet::open(const std::string& uri) {
  if (open_ != nullptr && open_uri_ == uri) return open_;
  const std::size_t at = position_of(uri);
  if (at == captures_.size() || states_[at] == state::unreadable) return nullptr;
  // The one before goes first: two captures need not be held at a time.
  bubbles_.reset();
  open_.reset();
  pk_profile* opened = nullptr;
  pk_error* why = nullptr;
  pk_open_options how = PK_OPEN_OPTIONS_INIT;
  const pk_hooks given = hooks();
  how.hooks = &given;
  const pk_status code = pk_profile_open(uri.c_str(), &how, &opened, &why);
  if (code == PK_E_CANCELLED) {
    pk_error_free(why);
    return nullptr;
  }
  if (code != PK_OK) {
    keep_failure(uri, "", why);
    pk_error_free(why);
    states_[at] = state::unreadable;
    return nullptr;
  }
  states_[at] = state::readable;
  open_ = std::shared_ptr<pk_profile>(opened, pk_profile_free);
  open_uri_ = uri;
  return open_;
}

std::shared_ptr<pk_bubbles> fleet::bubbles(pk_status* code, pk_error** why) {
  *code = PK_OK;
  if (bubbles_ != nullptr) return bubbles_;
  pk_bubbles_options how = PK_BUBBLES_OPTIONS_INIT;
  const pk_hooks given = hooks();
  how.hooks = &given;
  pk_bubbles* made = nullptr;
  *code = pk_bubbles_open(open_.get(), &how, &made, why);
  if (*code == PK_OK) bubbles_ = std::shared_ptr<pk_bubbles>(made, pk_bubbles_free);
  return bubbles_;
}

std::vector<std::string> fleet::runs() const {
  std::map<std::string, std::vector<const std::string*>> folders;
  for (const std::string& uri : captures_) {
    const std::size_t slash = uri.rfind('/');
    folders[slash == std::string::npos ? "." : uri.substr(0, std::max<std::size_t>(slash, 1))].push_back(&uri);
  }
  std::vector<std::string> all;
  for (const auto& [folder, captures] : folders) all.push_back(captures.size() > 1 ? folder : *captures.front());
  return all;
}

// What is wrong with its captures is said of each of them.
std::string fleet::calls_of_run(const std::string& path) {
  std::string text;
  pk_profile* opened = nullptr;
  pk_open_options how = PK_OPEN_OPTIONS_INIT;
  pk_validation_options asked = PK_VALIDATION_OPTIONS_INIT;
  const pk_hooks given = hooks();
  how.hooks = asked.hooks = &given;
  asked.limit = PK_LIMIT_NONE;
  pk_error* why = nullptr;
  if (pk_profile_open(path.c_str(), &how, &opened, &why) == PK_OK) {
    const auto append = [](void* into, const void* data, size_t size) -> std::int32_t {
      static_cast<std::string*>(into)->append(static_cast<const char*>(data), size);
      return 0;
    };
    pk_validation* found = nullptr;
    pk_status code = pk_validation_open(&opened, 1, &asked, &found, &why);
    if (code == PK_OK) code = pk_validation_write(found, append, &text, nullptr, &why);
    if (code != PK_OK) text.clear();
    pk_validation_free(found);
    pk_profile_free(opened);
  }
  pk_error_free(why);
  return text;
}

std::size_t fleet::captures_opened() const noexcept {
  return static_cast<std::size_t>(std::count(states_.begin(), states_.end(), state::readable));
}

void fleet::keep_failure(failure one) {
  const bool known = std::any_of(failures_.begin(), failures_.end(),
                                 [&](const failure& other) { return other.uri == one.uri && other.message == one.message; });
  if (!known) failures_.push_back(std::move(one));
}

void fleet::keep_failure(const std::string& uri, const char* table, const pk_error* why) {
  keep_failure({uri, table, pk_error_message(why), pk_error_hint(why), pk_error_code(why)});
}

bool check_capture(fleet& all, const std::string& uri) {
  if (all.is_checked(uri)) return true;
  const std::shared_ptr<pk_profile> profile = all.open(uri);
  if (profile == nullptr) return !all.stopped();
  bool has_probes = false;
  for (std::uint32_t file = 0; file < pk_file_count(profile.get()); ++file) {
    if (const pk_error* const why = pk_file_damage(profile.get(), file)) all.keep_failure(uri, "files", why);
    pk_file_info info = {};
    if (pk_file_get(profile.get(), file, &info, nullptr) == PK_OK && info.family == PK_FAMILY_NEUTRINO) has_probes = true;
  }
  for (const schema_table& table : all_schema_tables()) {
    const bool reads_probes = table.number == PK_TABLE_PROBE_LAUNCHES || table.number == PK_TABLE_PROBE_RECORDS;
    if (has_probes ? !reads_probes : table.number != PK_TABLE_OPS) continue;
    table_stream rows(all, table, uri, {0}, {});
    for (;;) {
      const stream_outcome outcome = rows.next();
      if (outcome == stream_outcome::stopped) return false;
      if (outcome != stream_outcome::rows) break;
    }
  }
  all.set_checked(uri);
  return true;
}

}  // namespace profkit_sqlite
