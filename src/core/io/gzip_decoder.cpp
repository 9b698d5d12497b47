#include <algorithm>
#include <string>
#include <utility>

#include "decoder.hpp"
#include "deflate.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// RFC 1952: members one after the other. Zero bytes after the last are the padding of tapes and block devices.
class gzip_decoder final : public decoder {
 public:
  explicit gzip_decoder(std::unique_ptr<member_inflater> member) noexcept : member_(std::move(member)) {}

  result<void> decode(std::string_view& in, output_room& out) override {
    for (;;) {
      if (state_ == state::between_members && !in.empty()) {
        if (in.front() == '\x1f') {
          member_->reset();
          state_ = state::in_member;
        } else if (in.front() == '\0') {
          state_ = state::in_padding;
        } else {
          return damaged("bytes follow the end of the gzip stream that are neither another member nor zero padding");
        }
      }
      if (state_ == state::in_padding) {
        const auto padding = std::min(in.find_first_not_of('\0'), in.size());
        in.remove_prefix(padding);
        if (!in.empty()) return damaged("bytes that are not zero follow the padding after the gzip stream");
      }
      if (state_ != state::in_member || out.bytes == 0) return {};
      const std::size_t before_in = in.size(), before_out = out.bytes;
      auto ended = member_->inflate(in, out);
      if (!ended.ok()) {
        fault why = std::move(ended).error();
        if (why.code == fault_code::damaged) why.message = "the gzip stream is damaged (" + why.message + ")";
        return why;
      }
      if (*ended) state_ = state::between_members;
      const bool moved = in.size() != before_in || out.bytes != before_out;
      if (!*ended && (in.empty() || !moved)) return {};
    }
  }

  [[nodiscard]] bool complete() const noexcept override { return state_ != state::in_member; }

  void reset() noexcept override {
    member_->reset();
    state_ = state::in_member;
  }

 private:
  enum class state { in_member, between_members, in_padding };

  static fault damaged(std::string what) { return fault{fault_code::damaged, std::move(what), "", no_offset, ""}; }

  std::unique_ptr<member_inflater> member_;
  state state_ = state::in_member;
};

}  // namespace

result<std::unique_ptr<decoder>> make_gzip_decoder() {
  auto member = member_inflater::make();
  if (!member.ok()) return std::move(member).error();
  return std::unique_ptr<decoder>(std::make_unique<gzip_decoder>(std::move(*member)));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
