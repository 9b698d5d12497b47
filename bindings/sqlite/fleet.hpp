// Many captures, of which one at a time is open, and what was wrong with each.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <profkit/profkit.h>

namespace profkit_sqlite {

// Why a capture, or a table of it, was not read to its end.
struct failure {
  std::string uri, table, message, hint;  // table: "" for a capture that could not be opened
  pk_status code = PK_OK;
};

class fleet {
 public:
  void set_captures(std::vector<std::string> captures);  // sorted, each once
  [[nodiscard]] const std::vector<std::string>& captures() const noexcept { return captures_; }

  std::uint32_t threads = 1;               // that read a capture
  std::function<bool()> is_stopped = {};  // asked while captures are read

  // nullptr: it cannot be opened, which is one of the failures from then on, or the work was stopped.
  std::shared_ptr<pk_profile> open(const std::string& uri);
  // The analysis that four tables come from, of what open() gave last; kept until another capture is opened. nullptr: `*why` has
  // the error, for the caller to free.
  std::shared_ptr<pk_bubbles> bubbles(pk_status* code, pk_error** why);
  // Folders that hold several captures, and captures that stand alone in theirs.
  [[nodiscard]] std::vector<std::string> runs() const;
  // The document about the calls of a run ("profkit.validate"); "" where there is none.
  std::string calls_of_run(const std::string& path);
  // One entry for each capture and message.
  void keep_failure(failure one);
  void keep_failure(const std::string& uri, const char* table, const pk_error* why);
  [[nodiscard]] const std::vector<failure>& failures() const noexcept { return failures_; }
  // How many captures were opened, each counted once.
  [[nodiscard]] std::size_t captures_opened() const noexcept;
  // Whether everything that is wrong with a capture is among the failures.
  [[nodiscard]] bool is_checked(const std::string& uri) const { return checked_.count(uri) != 0; }
  void set_checked(const std::string& uri) { checked_.insert(uri); }
  [[nodiscard]] bool stopped() const { return is_stopped && is_stopped(); }
  // Whether a query goes over captures: these are not exchanged then.
  [[nodiscard]] bool is_read() const noexcept { return readers_ != 0; }
  void begin_reading() noexcept { ++readers_; }
  void end_reading() noexcept { --readers_; }
  // For a call of the library; borrows the fleet.
  [[nodiscard]] pk_hooks hooks() noexcept;

 private:
  [[nodiscard]] std::size_t position_of(const std::string& uri) const noexcept;

  enum class state : std::uint8_t { unknown, readable, unreadable };
  std::vector<std::string> captures_;
  std::vector<state> states_;
  std::vector<failure> failures_;
  std::set<std::string> checked_;
  std::string open_uri_;
  std::shared_ptr<pk_profile> open_;
  std::shared_ptr<pk_bubbles> bubbles_;  // of it
  std::size_t readers_ = 0;
};

// Opens the capture and reads its events: everything that is wrong with it is one of the failures then. False: it was stopped.
bool check_capture(fleet& all, const std::string& uri);

}  // namespace profkit_sqlite
