// Names and texts with every word that is not public replaced by an alias.
#pragma once
#include <profkit/core/redaction.hpp>

#include <base/hash_map.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A text is cut into runs of letters and digits; all else stays. Digits at the end of a run stay where they are few ("layer_11"),
// the rest is cut at capitals and numbers ("BertLayer"), and each word stays or becomes its alias. A run without words, such as a
// hash, or has foreign letters, gets one alias. What looks like an access token or an address gets one as a whole.
//
// Different texts stay different, for a run is cut in only one way, aliases are letters only and no public word begins like one.
// Aliases are given in the order of first sight. Not thread-safe.
class aliaser {
 public:
  explicit aliaser(redaction& into);

  void append(std::string& out, std::string_view text);
  [[nodiscard]] std::string of(std::string_view text) {
    std::string out;
    append(out, text);
    return out;
  }
  // of() for names of files and folders: numbers of any length stay, such as times of runs.
  [[nodiscard]] std::string of_path(std::string_view path) {
    std::string out;
    work_out(out, path, true);
    return out;
  }

 private:
  void work_out(std::string& out, std::string_view text, bool numbers_stay);
  // Whether it is a number, and stayed.
  bool append_run(std::string& out, std::string_view run, bool number_stays);
  void append_word(std::string& out, std::string_view word);
  [[nodiscard]] bool is_public(std::string_view word) const;
  [[nodiscard]] bool has_words(std::string_view run) const;
  const std::string& alias_of(std::string_view word);
  std::size_t append_secret(std::string& out, std::string_view text, std::size_t at);
  std::size_t append_address(std::string& out, std::string_view text, std::size_t at);

  redaction& into_;
  hash_set<std::string_view> public_;
  hash_map<std::string, std::string> aliases_;
  hash_map<std::string, std::string> texts_;  // short ones that were met
};

// Whether a name says that its value is a list of environment variables.
[[nodiscard]] bool names_environment(std::string_view name) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
