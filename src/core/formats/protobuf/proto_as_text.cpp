// Protobuf's text format, fields in the order of the file.
#include <formats/protobuf/proto_text.hpp>

#include <base/utf8.hpp>

#include <algorithm>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t text_flush_bytes = std::size_t{64} << 10;

class text_writer {
 public:
  text_writer(dump_run& run, sink& into) : run_(run), into_(into) { out_.reserve(text_flush_bytes + 4096); }

  result<void> write(std::string_view message, const proto_message_name* type) {
    fields(message, type, 0);
    return flush();
  }

 private:
  // Elements of each repeated field met in the message being written, on a stack that all messages share.
  class element_counts {
   public:
    element_counts(std::vector<std::uint64_t>& shared, const proto_message_name* type)
        : shared_(shared), base_(shared.size()), fields_(type == nullptr ? 0 : type->field_count) {
      shared_.resize(base_ + fields_);
    }
    ~element_counts() { shared_.resize(base_); }
    element_counts(const element_counts&) = delete;
    element_counts& operator=(const element_counts&) = delete;
    [[nodiscard]] std::size_t fields() const { return fields_; }
    std::uint64_t& of(std::size_t field) { return shared_[base_ + field]; }
    // The length so far of a run of fields with one number.
    std::uint64_t run_of(std::uint32_t number) {
      run_ = number == run_number_ ? run_ + 1 : 1;
      run_number_ = number;
      return run_;
    }
    std::uint64_t unnamed_left_out = 0;

   private:
    std::vector<std::uint64_t>& shared_;
    std::size_t base_, fields_;
    std::uint32_t run_number_ = 0;
    std::uint64_t run_ = 0;
  };

  void fields(std::string_view message, const proto_message_name* type, std::uint32_t depth) {
    const proto_names& names = known_proto_names();
    element_counts counts(counts_, type);
    wire_reader reader(message);
    wire_field f;
    while (!stopped() && reader.next(f)) field(f, names.find_field(type, f.number), type, counts, depth);
    if (stopped()) return;
    if (!reader.ok()) {
      if (reader.clipped()) clipped(f, names.find_field(type, f.number), depth);
      run_.damaged(reader);
      begin_line(depth);
      out_ += "# damaged at byte ";
      out_ += std::to_string(run_.offset_of(reader.position()));
      end_line();
    }
    if (run_.options().limit != 0) write_left_out(type, counts, depth);
  }

  void write_left_out(const proto_message_name* type, element_counts& counts, std::uint32_t depth) {
    const std::uint64_t limit = run_.options().limit;
    const auto write = [&](std::uint64_t more, const char* of) {
      if (more == 0) return;
      run_.left_out(more);
      begin_line(depth);
      out_ += "# " + std::to_string(more) + " more " + of;
      end_line();
    };
    for (std::size_t i = 0; i < counts.fields(); ++i)
      write(counts.of(i) - std::min(counts.of(i), limit),
            known_proto_names().fields[type->first_field + i].name.text());
    write(counts.unnamed_left_out, "fields without a name");
  }

  // Counts an element; false when the limit leaves it out. Without names, what repeats is a run of one number.
  bool shown(std::uint32_t number, const proto_field_name* name, const proto_message_name* type,
             element_counts& counts) {
    const std::uint64_t limit = run_.options().limit;
    if (limit == 0) return true;
    if (name == nullptr) {
      if (counts.run_of(number) <= limit) return true;
      ++counts.unnamed_left_out;
      return false;
    }
    if (!name->repeated) return true;
    return ++counts.of(static_cast<std::size_t>(name - (known_proto_names().fields + type->first_field))) <= limit;
  }

  void field(const wire_field& f, const proto_field_name* name, const proto_message_name* type, element_counts& counts,
             std::uint32_t depth) {
    const field_form form = form_of(name, f.type);
    if (form == field_form::unknown) name = nullptr;
    if (form == field_form::packed) return packed(f.bytes, *name, type, counts, depth);
    if (!shown(f.number, name, type, counts)) return;
    switch (form) {
      case field_form::scalar:
        begin_line(depth);
        out_ += name->name.text();
        out_ += ": ";
        append_scalar(out_, *name, f.value);
        end_line();
        break;
      case field_form::text: quoted_line(name->name.text(), f.bytes, name->kind() == proto_type::string, depth); break;
      case field_form::message: nested(name->name.text(), f.bytes, known_proto_names().messages + name->index, depth); break;
      case field_form::packed:
      case field_form::unknown: unnamed(f, depth); break;
    }
  }

  void packed(std::string_view bytes, const proto_field_name& name, const proto_message_name* type,
              element_counts& counts, std::uint32_t depth) {
    const char* p = bytes.data();
    const char* const end = p + bytes.size();
    begin_line(depth);
    out_ += name.name.text();
    out_ += ": [";
    bool first = true;
    for (std::uint64_t raw = 0; next_packed(name, p, end, raw);) {
      if (!shown(name.number, &name, type, counts)) continue;
      if (!first) out_ += ", ";
      first = false;
      append_scalar(out_, name, raw);
      if (out_.size() >= text_flush_bytes && !flush().ok()) return;
    }
    out_ += ']';
    if (p != end) {
      run_.damaged_at(p, "a packed value is cut");
      out_ += "  # damaged at byte " + std::to_string(run_.offset_of(p));
    }
    end_line();
  }

  void nested(const std::string& name, std::string_view bytes, const proto_message_name* type, std::uint32_t depth) {
    begin_line(depth);
    out_ += name;
    out_ += " {";
    if (!run_.enter(bytes.data())) return;
    if (depth + 1 >= run_.deepest()) {
      run_.too_nested(bytes.data());
      out_ += "  # nested deeper than limits::max_nesting, " + std::to_string(bytes.size()) + " bytes }";
      return end_line();
    }
    end_line();
    fields(bytes, type, depth + 1);
    begin_line(depth);
    out_ += '}';
    end_line();
  }

  void unnamed(const wire_field& f, std::uint32_t depth) {
    const std::string number = std::to_string(f.number);
    const auto scalar = [&](int hex_digits) {
      begin_line(depth);
      out_ += number + ": ";
      if (hex_digits == 0)
        out_ += std::to_string(f.value);
      else
        append_hex(f.value, hex_digits);
      end_line();
    };
    switch (f.type) {
      case wire_type::varint: return scalar(0);
      case wire_type::fixed64: return scalar(16);
      case wire_type::fixed32: return scalar(8);
      case wire_type::length_delimited:
        switch (look_of(f.bytes)) {
          case blob_form::text: return quoted_line(number, f.bytes, true, depth);
          case blob_form::bytes: return quoted_line(number, f.bytes, false, depth);
          case blob_form::message: return nested(number, f.bytes, nullptr, depth);
        }
        return;
      case wire_type::group: return nested(number, f.bytes, nullptr, depth);
      case wire_type::end_group: return;
    }
  }

  // A field that runs past the end: what of it is there, when that can be read by itself.
  void clipped(const wire_field& f, const proto_field_name* name, std::uint32_t depth) {
    if (form_of(name, f.type) == field_form::message)
      nested(name->name.text(), f.bytes, known_proto_names().messages + name->index, depth);
  }

  void quoted_line(const std::string& name, std::string_view value, bool is_text, std::uint32_t depth) {
    begin_line(depth);
    out_ += name;
    out_ += ": \"";
    if (run_.fits(value)) append_escaped(value, is_text);
    out_ += '"';
    if (value.size() > run_.options().bounds.max_string_bytes)
      out_ += "  # longer than limits::max_string_bytes: " + std::to_string(value.size()) + " bytes";
    end_line();
  }

  // Escapes that protobuf's parser undoes. Of a string, whole UTF-8 characters stay as they are.
  void append_escaped(std::string_view value, bool is_text) {
    for (std::size_t at = 0; at < value.size();) {
      if (out_.size() >= text_flush_bytes && !flush().ok()) return;
      const utf8_step step = decode_utf8(value, at);
      if (step.code_point == '"' || step.code_point == '\\') {
        out_ += '\\';
        out_ += value[at];
      } else if (step.code_point == '\n') {
        out_ += "\\n";
      } else if (step.valid && !is_terminal_control(step.code_point) && (is_text || step.bytes == 1)) {
        out_.append(value, at, step.bytes);
      } else {
        for (std::size_t i = at; i < at + step.bytes; ++i) append_octal(static_cast<unsigned char>(value[i]));
      }
      at += step.bytes;
    }
  }

  void append_octal(unsigned byte) {
    out_ += '\\';
    for (const unsigned shift : {6U, 3U, 0U}) out_ += static_cast<char>('0' + (byte >> shift & 7U));
  }

  void append_hex(std::uint64_t value, int digits) {
    out_ += "0x";
    for (int digit = digits - 1; digit >= 0; --digit) out_ += "0123456789abcdef"[value >> (4 * digit) & 15U];
  }

  void begin_line(std::uint32_t depth) { out_.append(std::size_t{2} * depth, ' '); }
  void end_line() {
    out_ += '\n';
    if (out_.size() >= text_flush_bytes) static_cast<void>(flush());
  }

  [[nodiscard]] bool stopped() const { return run_.stopped() || !written_.ok(); }

  result<void> flush() {
    if (written_.ok() && !out_.empty()) written_ = into_.write(out_);
    out_.clear();
    return written_;
  }

  dump_run& run_;
  sink& into_;
  std::string out_;
  std::vector<std::uint64_t> counts_;
  result<void> written_;
};

}  // namespace

result<void> write_text(std::string_view message, const proto_message_name* type, dump_run& run, sink& into) {
  return text_writer(run, into).write(message, type);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
