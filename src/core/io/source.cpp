// The sources: an input as it is, or decompressed on the way.
#include <base/contained.hpp>

#include "decoder.hpp"
#include "encoded_input.hpp"
#include "io_source.hpp"

#include <algorithm>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class plain_source final : public io_source {
 public:
  using io_source::io_source;
  [[nodiscard]] compression encoding() const noexcept override { return compression::none; }
  [[nodiscard]] std::optional<std::string_view> span() const noexcept override { return input_->span(); }
  void forget(std::string_view part) const noexcept override { input_->forget(part); }

  result<std::size_t> read(void* into, std::size_t bytes) override {
    return contained([&] {
      auto count = input_->read(into, bytes);
      if (!count.ok() && count.error().byte_offset == no_offset) count.error().byte_offset = input_->position();
      return count;
    });
  }

  result<void> rewind() override {
    return contained([&] { return input_->rewind(); });
  }
};

class decoding_source final : public io_source {
 public:
  decoding_source(std::unique_ptr<encoded_input> input, std::unique_ptr<decoder> d, compression encoding,
                  const limits& bounds)
      : io_source(std::move(input)), decoder_(std::move(d)), encoding_(encoding), bounds_(bounds) {
    start();
  }
  [[nodiscard]] compression encoding() const noexcept override { return encoding_; }
  [[nodiscard]] std::optional<std::string_view> span() const noexcept override { return std::nullopt; }
  [[nodiscard]] std::uint64_t encoded_position() const noexcept override {
    return input_->position() + taken_from_span_ - window_.size();
  }

  // Fills all of `into` unless the stream ends or is damaged.
  result<std::size_t> read(void* into, std::size_t bytes) override {
    return contained([&]() -> result<std::size_t> {
      output_room out{static_cast<char*>(into), bytes};
      while (out.bytes != 0 && !ended_ && !failed_) {
        // Small steps, so that a bomb is noticed soon.
        output_room step{out.at, std::min(out.bytes, step_bytes)};
        const std::size_t room = step.bytes;
        advance(step);
        const std::size_t written = room - step.bytes;
        out.at += written;
        out.bytes -= written;
        decoded_ += written;
        if (!failed_) check_ratio();
        if (failed_) failed_->byte_offset = decoded_;
      }
      if (out.bytes == bytes && bytes != 0 && failed_) return *failed_;
      return bytes - out.bytes;
    });
  }

  result<void> rewind() override {
    return contained([&]() -> result<void> {
      if (auto back = input_->rewind(); !back.ok()) return back;
      decoder_->reset();
      start();
      return {};
    });
  }

 private:
  static constexpr std::size_t step_bytes = std::size_t{1} << 20;
  static constexpr std::size_t buffer_bytes = std::size_t{256} << 10;

  void start() {
    decoded_ = 0;
    ended_ = false;
    failed_.reset();
    input_ended_ = false;
    window_ = {};
    taken_from_span_ = 0;
    if (const auto all = input_->span()) {
      window_ = *all;
      taken_from_span_ = all->size();
      input_ended_ = true;
    } else {
      buffer_.resize(buffer_bytes);
    }
  }

  // Decodes until the room is used up or the window is.
  void advance(output_room& out) {
    if (window_.empty() && !input_ended_) {
      auto count = input_->read(buffer_.data(), buffer_.size());
      if (!count.ok()) return fail(std::move(count).error());
      window_ = {buffer_.data(), *count};
      input_ended_ = *count == 0;
    }
    const std::size_t room = out.bytes;
    const std::size_t waiting = window_.size();
    auto decoded = decoder_->decode(window_, out);
    if (!decoded.ok()) return fail(std::move(decoded).error());
    if (out.bytes != room || window_.size() != waiting || !input_ended_) return;
    // Nothing moved and nothing more will come.
    if (decoder_->complete()) {
      ended_ = true;
    } else {
      fail(cut_stream(encoding_));
    }
  }

  void check_ratio() {
    if (auto why = over_ratio(encoded_position(), decoded_, bounds_)) fail(std::move(*why));
  }

  void fail(fault f) {
    f.path = name();
    f.message += ", at encoded byte " + std::to_string(encoded_position()) + " of the file";
    failed_ = std::move(f);
  }

  std::unique_ptr<decoder> decoder_;
  compression encoding_;
  limits bounds_;
  std::string_view window_;  // encoded bytes not decoded yet
  std::vector<char> buffer_;
  std::uint64_t taken_from_span_ = 0;
  std::uint64_t decoded_ = 0;
  bool input_ended_ = false;
  bool ended_ = false;
  std::optional<fault> failed_;
};

using source_result = result<std::unique_ptr<source>>;

source_result open_over(input_result opened, const limits& bounds, const hooks* asked = nullptr) {
  if (!opened.ok()) return std::move(opened).error();
  std::unique_ptr<encoded_input> input = std::move(*opened);
  input->ask(asked);
  const auto first = input->peek(magic_bytes);
  if (!first.ok()) return first.error();
  const compression encoding = compression_of(*first);
  if (encoding == compression::none) return std::unique_ptr<source>(std::make_unique<plain_source>(std::move(input)));
  auto made = encoding == compression::gzip ? make_gzip_decoder() : make_zstd_decoder();
  if (!made.ok()) {
    made.error().path = input->name();
    return std::move(made).error();
  }
  return std::unique_ptr<source>(
      std::make_unique<decoding_source>(std::move(input), std::move(*made), encoding, bounds));
}

}  // namespace

compression compression_of(std::string_view first) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(first[i]); };
  // A cut may leave only a part of the magic, but two bytes of gzip's and four of zstd's are enough.
  if (first.size() >= 2 && byte(0) == 0x1f && byte(1) == 0x8b && (first.size() == 2 || byte(2) == 8)) {
    return compression::gzip;
  }
  if (first.size() < 4) return compression::none;
  const bool frame = byte(0) == 0x28 && byte(1) == 0xb5 && byte(2) == 0x2f && byte(3) == 0xfd;
  const bool skippable = (byte(0) & 0xf0) == 0x50 && byte(1) == 0x2a && byte(2) == 0x4d && byte(3) == 0x18;
  return frame || skippable ? compression::zstd : compression::none;
}

fault cut_stream(compression encoding) {
  return {fault_code::damaged, std::string("the ") + compression_name(encoding) + " stream is cut: the file ends inside it", "",
          no_offset, "copy or download the file again; what was decoded before the cut is used"};
}

std::optional<fault> over_ratio(std::uint64_t encoded_bytes, std::uint64_t decoded_bytes, const limits& bounds) {
  const std::uint64_t encoded = std::max<std::uint64_t>(encoded_bytes, 1);
  if (decoded_bytes <= bounds.ratio_free_bytes || decoded_bytes / encoded <= bounds.max_decompression_ratio) return std::nullopt;
  return fault{fault_code::limit,
               std::to_string(encoded) + " compressed bytes decode to " + std::to_string(decoded_bytes) +
                   ": more than max_decompression_ratio (" + std::to_string(bounds.max_decompression_ratio) + ")",
               "", no_offset, "raise max_decompression_ratio if the file is known to be good"};
}

source_result open_file_source(const std::string& path, io_mode mode, const limits& bounds, const hooks* asked) {
  return contained([&] { return open_over(open_file_input(path, mode), bounds, asked); });
}

source_result open_plain_file_source(const std::string& path, io_mode mode) {
  return contained([&]() -> source_result {
    input_result opened = open_file_input(path, mode);
    if (!opened.ok()) return std::move(opened).error();
    return std::unique_ptr<source>(std::make_unique<plain_source>(std::move(*opened)));
  });
}

source_result open_buffer_source(std::string_view bytes, std::string label, const limits& bounds) {
  return contained([&] { return open_over(open_buffer_input(bytes, std::move(label)), bounds); });
}

source_result open_callback_source(const read_at_callbacks& callbacks, std::string label, const limits& bounds) {
  return contained([&] { return open_over(open_callback_input(callbacks, std::move(label)), bounds); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
