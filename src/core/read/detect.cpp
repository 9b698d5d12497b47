#include <read/detect.hpp>

#include <profkit/core/format.hpp>
#include <base/affix.hpp>
#include <formats/chrome/probe_json.hpp>
#include <formats/recording/saved.hpp>
#include <formats/registry.hpp>

#include <algorithm>
#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t head_growth = 4;

std::string_view without_compression(std::string_view name) noexcept {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (ends_with(name, suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

// Whether a head ends inside a JSON object that has not shown its format yet, and the name does not say it either.
bool goes_on(std::string_view head, std::string_view file_name) {
  return head.size() < max_probe_bytes && detect_by_name(file_name).sure != detection_confidence::certain &&
         probe_chrome_trace(head).sure == detection_confidence::possible;
}

bool matches(const name_rule& row, std::string_view name) noexcept {
  if (row.prefix == row.suffix && !row.prefix.empty()) return name == row.prefix;
  return name.size() >= row.prefix.size() + row.suffix.size() && name.substr(0, row.prefix.size()) == row.prefix &&
         ends_with(name, row.suffix);
}

std::string host_in_name(const name_rule& row, std::string_view name) {
  if (row.host == host_rule::none) return {};
  std::string_view stem = name.substr(0, name.size() - row.suffix.size());
  if (row.host == host_rule::stem_and_time) {
    const auto last = stem.find_last_not_of("0123456789");
    if (last != std::string_view::npos && last + 1 < stem.size() && stem[last] == '.') stem = stem.substr(0, last);
  }
  return std::string(stem);
}

detection found_by(const std::shared_ptr<const format>& of, std::string why) {
  detection found;
  found.family = file_family::own;
  found.sure = detection_confidence::certain;
  found.why = std::move(why);
  found.own = of;
  return found;
}

}  // namespace

detection detect_by_name(std::string_view file_name) {
  const std::string_view name = without_compression(file_name);
  for (const detection_confidence sure : {detection_confidence::certain, detection_confidence::possible})
    for (const known_format* const format : known_formats())
      for (const name_rule& rule : format->names)
        if (rule.sure == sure && matches(rule, name))
          return {format->family,          sure,           std::string("name ") + rule.pattern,
                  host_in_name(rule, name), rule.is_export, nullptr};
  return {};
}

detection detect_by_content(std::string_view head) {
  detection best;
  for (const known_format* const format : known_formats()) {
    if (best.sure == detection_confidence::certain) break;
    if (format->probe == nullptr) continue;
    const probe_result probed = format->probe(head);
    if (probed.sure <= best.sure) continue;
    best.family = format->family;
    best.sure = probed.sure;
    best.why = std::string("probe: ") + probed.what;
  }
  return best;
}

detection detect(std::string_view file_name, std::string_view head) {
  if (const std::shared_ptr<const format> saved = saved_recordings(); saved->recognises(head)) {
    detection found = found_by(saved, std::string("probe: ") + saved_recording);
    found.host = host_of_saved(head);
    return found;
  }
  constexpr std::size_t first_look_bytes = 4096;
  detection named = detect_by_name(file_name);
  if (named.sure == detection_confidence::certain && head.size() > first_look_bytes) {
    const detection first = detect_by_content(head.substr(0, first_look_bytes));
    if (first.sure == detection_confidence::certain && first.family == named.family) return named;
  }
  detection probed = detect_by_content(head);
  if (named.sure == detection_confidence::certain) {
    if (probed.sure != detection_confidence::certain || probed.family == named.family ||
        !format_of(named.family).yields_to_contents) {
      return named;
    }
    probed.why += ", though the name says " + named.why.substr(named.why.find(' ') + 1);
    return probed;
  }
  if (probed.sure < detection_confidence::likely) return {};
  if (probed.family == named.family) {
    probed.host = named.host;
    probed.is_export_name = named.is_export_name;
    probed.why = named.why + ", " + probed.why;
  }
  return probed;
}

detection detected_probe_trace(detection_confidence sure, const char* why) {
  detection found;
  found.family = file_family::neutrino;
  found.sure = sure;
  found.why = why;
  return found;
}

detection detect(std::string_view file_name, std::string_view head, const own_formats& own) {
  const std::string_view first = head.substr(0, probe_bytes);
  for (const std::shared_ptr<const format>& of : own)
    if (of != nullptr && of->recognises(first)) return found_by(of, std::string("own format ") + of->name());
  return detect(file_name, head);
}

bool may_be_own(std::string_view file_name, const own_formats& own) noexcept {
  const std::string_view name = without_compression(file_name);
  return std::any_of(own.begin(), own.end(), [&](const std::shared_ptr<const format>& of) {
    return of != nullptr && of->may_be_named(name);
  });
}

std::string_view head_of(std::string_view bytes, std::string_view file_name) {
  std::size_t wanted = probe_bytes;
  while (wanted < bytes.size() && goes_on(bytes.substr(0, wanted), file_name)) wanted *= head_growth;
  return bytes.substr(0, wanted);
}

std::string read_head(source& from, std::string_view file_name) {
  std::string head;
  std::size_t have = 0;
  do {
    head.resize(std::max(probe_bytes, have * head_growth));
    while (have < head.size()) {
      const auto count = from.read(head.data() + have, head.size() - have);
      if (!count.ok() || *count == 0) break;
      have += *count;
    }
    const bool is_all = have < head.size();
    head.resize(have);
    if (is_all) break;
  } while (goes_on(head, file_name));
  return head;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
