// What a capture that is to be shared no longer says: open_options::redact.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// A word that stood in names, paths or texts, and what stands there now.
struct replaced_word {
  std::string alias;  ///< "xxc"; "Xxc" and "XXC" are the same word in other capitals
  std::string word;   ///< in small letters; with its capitals where a digit or a foreign letter stands inside
};

/// Texts of a kind that should not be shared, such as access tokens.
struct found_secret {
  std::string kind;  ///< "GitHub token"
  std::uint64_t times = 0;
};

/// What was replaced and left out when a capture was redacted. A word keeps its alias throughout the capture, and no other
/// word has it, so that equal names stay equal and others stay different. Public words (of frameworks, runtimes, kernel libraries and
/// file formats: src/wings/redact/public_words.inc), numbers and times stay.
struct redaction {
  std::vector<replaced_word> words;           ///< in the order in which they were met
  std::vector<found_secret> secrets;          ///< what looked like one; each has an alias, too
  std::uint64_t environment_dumps = 0;        ///< lists of environment variables and the like, left out
  std::uint64_t blobs = 0, blob_bytes = 0;    ///< bytes that may be anything (code, plugins' data, unknown fields), left out
  std::uint64_t constants = 0;                ///< constants of programs whose values were left out
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
