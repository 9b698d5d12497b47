// One table of one capture, as batches of Arrow.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <profkit/profkit.h>

#include "fleet.hpp"
#include "schema.hpp"

namespace profkit_sqlite {

struct cell {
  enum class is : std::uint8_t { null, integer, large, text };  // large: an integer of 2^63 and more
  is what = is::null;
  std::int64_t number = 0;
  std::uint64_t bits = 0;
  std::string_view text = {};
};

// The values of one column of a batch.
class column_view {
 public:
  column_view() = default;
  column_view(const ArrowSchema& of, const ArrowArray& values);
  [[nodiscard]] cell at(std::int64_t row) const noexcept;
  // Which entry of the dictionary has that text; -1: none. Of a column without one nothing.
  [[nodiscard]] std::optional<std::int32_t> index_of(std::string_view text) const noexcept;
  [[nodiscard]] bool has_index(std::int64_t row, std::int32_t index) const noexcept;

 private:
  [[nodiscard]] bool is_known(std::int64_t row) const noexcept;
  template <class T>
  [[nodiscard]] T value(std::int64_t row) const noexcept;

  const ArrowArray* values_ = nullptr;
  char format_ = 0;  // 0: a dictionary of text
};

struct batch {
  batch() = default;
  batch(const batch&) = delete;
  batch& operator=(const batch&) = delete;
  ~batch();
  ArrowArray array = {};
  std::vector<column_view> columns;                           // by their position in the schema; others than asked for are empty
  std::vector<std::pair<std::string, column_view>> fields = {};  // of probe_records: what the probe describes
  std::string map = {};                                       // of probe_records
};

// What the reader itself is asked for.
struct reader_filters {
  std::optional<std::string> host, plane, line, name;
  std::optional<std::int64_t> step, from_ps, to_ps;
  std::optional<std::int64_t> file;  // of events alone
  [[nodiscard]] bool any() const noexcept { return host || plane || line || name || step || from_ps || to_ps; }
};

enum class stream_outcome {
  rows,
  end,      // also where the capture has a failure, which the fleet keeps
  refused,  // a filter fits nothing in this capture
  stopped
};

class table_stream {
 public:
  // `columns`: positions in the schema; at least one.
  table_stream(fleet& all, const schema_table& table, std::string uri, std::vector<std::size_t> columns, reader_filters filters);
  ~table_stream();
  table_stream(const table_stream&) = delete;
  table_stream& operator=(const table_stream&) = delete;

  stream_outcome next();
  [[nodiscard]] const std::shared_ptr<const batch>& rows() const noexcept { return rows_; }
  [[nodiscard]] const std::string& why_refused() const noexcept { return why_refused_; }

 private:
  // Goes to the next stream of Arrow; a table has one, probe_records one for each map.
  stream_outcome open_stream();
  stream_outcome open_records();
  stream_outcome take(pk_status code, pk_error* why, pk_table* opened);
  [[nodiscard]] bool is_no_file_of_events(pk_profile* profile) const noexcept;
  void keep_failure_of_stream();
  void close_stream() noexcept;

  fleet& fleet_;
  const schema_table& table_;
  const std::string uri_;
  const std::vector<std::size_t> columns_;
  const reader_filters filters_;
  std::shared_ptr<pk_profile> profile_;
  std::shared_ptr<pk_probe> probe_;
  std::size_t bin_ = 0;
  std::uint32_t map_ = 0;
  std::string map_name_;
  bool begun_ = false;
  ArrowArrayStream stream_ = {};
  ArrowSchema schema_ = {};
  std::shared_ptr<const batch> rows_;
  std::string why_refused_;
};

}  // namespace profkit_sqlite
