// A format of our own: a text log of what a device and its host did, a row a line, times in ns.
//
//   spanlog 1 START          START: Unix time of zero, ns
//   stream NUMBER NAME       a stream of the one device
//   kernel STREAM START LENGTH LAUNCH NAME
//   span START LENGTH NAME   what the host's one thread did
//   step NUMBER START LENGTH
#pragma once
#include <profkit/core/format.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

// The words of a line, one after another.
class words {
 public:
  explicit words(std::string_view line) : left_(line) {}
  std::string_view next() {
    left_.remove_prefix(std::min(left_.size(), left_.find_first_not_of(' ')));
    const std::string_view word = left_.substr(0, left_.find(' '));
    left_.remove_prefix(word.size());
    return word;
  }
  // All that is left, without the blank before it.
  std::string_view rest() const { return left_.substr(left_.empty() ? 0 : 1); }
  // A whole number; false for anything else.
  bool number(std::int64_t& into) {
    const std::string_view word = next();
    const auto read = std::from_chars(word.data(), word.data() + word.size(), into);
    return read.ec == std::errc() && read.ptr == word.data() + word.size();
  }
  bool time(std::int64_t& into_ps) {
    std::int64_t ns = 0;
    if (!number(ns) || ns < 0 || ns > INT64_MAX / 1000) return false;
    into_ps = ns * 1000;
    return true;
  }

 private:
  std::string_view left_;
};

class span_log final : public profkit::format {
 public:
  const char* name() const noexcept override { return "span_log"; }
  bool may_be_named(std::string_view file) const noexcept override {
    constexpr std::string_view ending = ".spans";
    return file.size() > ending.size() && file.substr(file.size() - ending.size()) == ending;
  }
  bool recognises(std::string_view head) const noexcept override { return head.substr(0, 10) == "spanlog 1 "; }

  profkit::result<void> read(std::string_view bytes, profkit::recording& into, const profkit::hooks&) const override {
    reader log(into);
    std::uint64_t number = 0;
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view line = bytes.substr(0, end);
      ++number;
      if (end == std::string_view::npos)
        return profkit::fault{profkit::fault_code::damaged,
                              "line " + std::to_string(number) + " has no end: the log was cut", "", profkit::no_offset,
                              "Copy the file again."};
      if (!line.empty() && !log.take(line, number)) into.pass_over("not a row of a span log", number);
      bytes.remove_prefix(end + 1);
    }
    return {};
  }

 private:
  class reader {
   public:
    explicit reader(profkit::recording& into)
        : into_(into),
          device_(into.add_device("Accel 0", profkit::accelerator::other, 0)),
          thread_(into.add_thread("program", "main")) {}

    bool take(std::string_view line, std::uint64_t number) {
      words row(line);
      const std::string_view what = row.next();
      if (what == "spanlog") return take_head(row);
      if (what == "stream") return take_stream(row);
      if (what == "kernel") return take_kernel(row, number);
      if (what == "span") return take_span(row, number);
      return what == "step" && take_step(row, number);
    }

   private:
    bool take_head(words& row) {
      std::int64_t version = 0, start_ns = 0;
      if (!row.number(version) || !row.number(start_ns)) return false;
      into_.set_recorder("spanlog " + std::to_string(version));
      into_.set_origin_unix_ns(start_ns);
      return true;
    }
    bool take_stream(words& row) {
      std::int64_t id = 0;
      if (!row.number(id)) return false;
      streams_[id] = into_.add_stream(device_, id, row.rest());
      return true;
    }
    bool take_kernel(words& row, std::uint64_t number) {
      std::int64_t stream = 0;
      profkit::recorded_kernel k;
      if (!row.number(stream) || !row.time(k.start_ps) || !row.time(k.duration_ps) || !row.time(k.launch_ps)) return false;
      k.name = row.rest();
      k.source_row = number;
      const auto known = streams_.find(stream);
      if (known == streams_.end()) return false;
      into_.add_kernel(known->second, k);
      return true;
    }
    bool take_span(words& row, std::uint64_t number) {
      profkit::recorded_span s;
      if (!row.time(s.start_ps) || !row.time(s.duration_ps)) return false;
      s.name = row.rest();
      s.source_row = number;
      into_.add_span(thread_, s);
      return true;
    }
    bool take_step(words& row, std::uint64_t number) {
      profkit::recorded_step s;
      if (!row.number(s.number) || !row.time(s.start_ps) || !row.time(s.duration_ps)) return false;
      const std::string name = "step " + std::to_string(s.number);
      s.name = name;
      s.source_row = number;
      into_.add_step(thread_, s);
      return true;
    }

    profkit::recording& into_;
    std::uint32_t device_, thread_;
    std::map<std::int64_t, std::uint32_t> streams_;
  };
};
