#include <profkit/core/source.hpp>

#include "support.hpp"
#include "test_files.hpp"

#include <catch.hpp>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace profkit;
using namespace profkit::test;

namespace {

struct drained {
  std::string bytes;
  std::optional<fault> damage;
};

// Reads to the end in pieces of that size; a fault must come again when the source is read once more.
drained drain(source& from, std::size_t piece = 1000) {
  drained out;
  std::string buffer(piece, '\0');
  for (;;) {
    const auto count = from.read(buffer.data(), piece);
    if (!count.ok()) {
      out.damage = count.error();
      const auto again = from.read(buffer.data(), piece);
      CHECK_FALSE(again.ok());
      return out;
    }
    if (*count == 0) return out;
    REQUIRE(*count <= piece);
    out.bytes.append(buffer, 0, *count);
  }
}

// The bytes in a block of exactly their size, so that ASan sees a read past the end.
struct exact_block {
  explicit exact_block(const std::string& bytes) : size(bytes.size()), data(new char[bytes.size()]) {
    std::memcpy(data.get(), bytes.data(), size);
  }
  std::string_view view() const { return {data.get(), size}; }
  std::size_t size;
  std::unique_ptr<char[]> data;
};

std::unique_ptr<source> open_bytes(std::string_view bytes, const limits& bounds = {}) {
  auto opened = open_buffer_source(bytes, "buffer", bounds);
  REQUIRE(opened.ok());
  return std::move(*opened);
}

fault_code open_fault(const std::string& path, io_mode mode = io_mode::map) {
  const auto opened = open_file_source(path, mode);
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().path == path);
  CHECK_FALSE(opened.error().message.empty());
  CHECK_FALSE(opened.error().hint.empty());
  return opened.error().code;
}

struct host_file {
  std::string bytes;
  std::uint64_t largest_answer = ~std::uint64_t{0};
  std::int64_t forced = -2;  // what to answer instead, when not -2
  int calls = 0;
};

std::int64_t read_host_file(void* user, std::uint64_t offset, void* into, std::size_t bytes) {
  auto& file = *static_cast<host_file*>(user);
  ++file.calls;
  if (file.forced != -2) return file.forced;
  if (offset >= file.bytes.size()) return 0;
  const auto count = std::min<std::uint64_t>({bytes, file.bytes.size() - offset, file.largest_answer});
  std::memcpy(into, file.bytes.data() + offset, count);
  return static_cast<std::int64_t>(count);
}

}  // namespace

TEST_CASE("every source gives the same bytes, plain and compressed") {
  PROFKIT_NEEDS("zstd");
  const temporary_folder folder;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{4096}, std::size_t{1200000}}) {
    const std::string bytes = sample_bytes(size);
    const struct {
      compression encoding;
      std::string encoded;
    } forms[] = {
        {compression::none, bytes}, {compression::gzip, gzipped(bytes)}, {compression::zstd, zstandard(bytes)}};
    for (const auto& form : forms) {
      const std::string path = folder.write("f", form.encoded);
      host_file file{form.encoded, 7777};
      read_at_callbacks sized{&file, read_host_file, form.encoded.size()}, unsized{&file, read_host_file, no_offset};
      std::unique_ptr<source> sources[] = {
          open_bytes(form.encoded),
          std::move(*open_file_source(path, io_mode::map)),
          std::move(*open_file_source(path)),
          std::move(*open_callback_source(sized, "host")),
          std::move(*open_callback_source(unsized, "host")),
      };
      std::size_t index = 0;
      for (auto& from : sources) {
        INFO(size << " bytes, " << compression_name(form.encoding) << ", source " << index);
        CHECK(from->encoding() == form.encoding);
        CHECK(from->encoded_bytes() == (index == 4 ? no_offset : form.encoded.size()));
        const bool in_memory = index < 2 && form.encoding == compression::none;
        CHECK(from->span().has_value() == in_memory);
        if (in_memory) CHECK(*from->span() == bytes);
        for (const std::size_t piece : {std::size_t{977}, std::size_t{1} << 21}) {
          const drained all = drain(*from, piece);
          CHECK(all.bytes == bytes);
          CHECK_FALSE(all.damage);
          REQUIRE(from->rewind().ok());
        }
        char first;
        static_cast<void>(from->read(&first, 1));  // holding starts at the first byte wherever the source stands
        auto held = hold_bytes(std::move(from));
        REQUIRE(held.ok());
        CHECK(held->bytes == bytes);
        CHECK_FALSE(held->damage);
        ++index;
      }
    }
  }
}

TEST_CASE("a compressed file cut at any byte gives what was before the cut, and a fault") {
  const std::string bytes = sample_bytes(700);
  for (const bool zstd : {false, true}) {
    if (zstd) PROFKIT_NEEDS("zstd");
    const std::string encoded = zstd ? zstandard(bytes) : gzipped(bytes);
    const std::size_t magic = zstd ? 4 : 2;  // shorter than that, nobody can tell
    std::string longest;
    for (std::size_t cut = magic; cut < encoded.size(); ++cut) {
      const exact_block block(encoded.substr(0, cut));
      INFO((zstd ? "zstd" : "gzip") << " cut at " << cut);
      const auto from = open_bytes(block.view());
      const drained all = drain(*from, 64);
      REQUIRE(all.damage);
      REQUIRE(all.damage->code == fault_code::damaged);
      CHECK(all.damage->path == "buffer");
      CHECK(all.damage->byte_offset == all.bytes.size());
      CHECK(all.damage->message.find("encoded byte " + std::to_string(cut)) != std::string::npos);
      REQUIRE(bytes.compare(0, all.bytes.size(), all.bytes) == 0);
      CHECK(all.bytes.size() >= longest.size());
      longest = all.bytes;
      const auto held = hold_bytes(open_bytes(block.view()));
      REQUIRE(held.ok());
      CHECK(held->bytes == all.bytes);
      REQUIRE(held->damage);
      CHECK(held->damage->code == fault_code::damaged);
    }
    // gzip gives all but the check sum away; a zstd block only comes as a whole, and here it is the last.
    CHECK(longest == (zstd ? std::string() : bytes));
  }
}

TEST_CASE("a flipped bit never crashes and never changes bytes silently under a check sum") {
  const std::string bytes = sample_bytes(3000);
  const std::string encoded = gzipped(bytes);
  int noticed = 0;
  for (std::size_t bit = 10 * 8; bit < encoded.size() * 8;
       bit += 3) {  // behind the header, whose flags may change nothing
    std::string flipped = encoded;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const exact_block block(flipped);
    const drained all = drain(*open_bytes(block.view()), 512);
    if (!all.damage && all.bytes != bytes) FAIL("bit " << bit);
    noticed += all.damage ? 1 : 0;  // the last byte of a deflate stream has bits that mean nothing
  }
  CHECK(noticed > 1000);
}

TEST_CASE("of a damaged gzip member, what zlib reads is read") {
  std::mt19937 random(11);
  for (const int level : {0, 1, 6}) {
    const std::string bytes = sample_bytes(200000), packed = gzipped(bytes, level);
    for (int round = 0; round < 400; ++round) {
      std::string damaged = packed;
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
      if (round % 4 == 0) damaged.resize(random() % damaged.size());
      const unpacked theirs = unpacked_by_zlib(damaged);
      const exact_block block(damaged);
      for (const std::size_t piece : {std::size_t{100}, std::size_t{70000}, std::size_t{1} << 20}) {
        const drained ours = drain(*open_bytes(block.view()), piece);
        INFO(level << ' ' << round << ' ' << piece);
        if (damaged.substr(0, 3) != packed.substr(0, 3)) continue;  // no gzip
        CHECK(ours.damage.has_value() == !theirs.whole);
        CHECK(ours.bytes.size() + 258 >= theirs.bytes.size());  // what isa-l last counted may not have been decoded
        CHECK(theirs.bytes.compare(0, ours.bytes.size(), ours.bytes) == 0);
      }
    }
  }
}

TEST_CASE("the header of a gzip member may have every part, and come in pieces") {
  const std::string bytes = sample_bytes(5000), packed = gzipped(bytes);
  for (int flags = 0; flags < 32; ++flags) {
    std::string head = packed.substr(0, 10);
    head[3] = static_cast<char>(flags);
    if ((flags & 4) != 0) head += std::string("\x05\x00", 2) + "extra";
    if ((flags & 8) != 0) head += std::string("a name\0", 7);
    if ((flags & 16) != 0) head += std::string("\0", 1);
    if ((flags & 2) != 0) {
      const auto sum = crc32(0, reinterpret_cast<const Bytef*>(head.data()), static_cast<uInt>(head.size()));
      head += {static_cast<char>(sum), static_cast<char>(sum >> 8)};
    }
    const std::string whole = head + packed.substr(10);
    REQUIRE(unpacked_by_zlib(whole).whole);
    for (std::uint64_t piece = 1; piece < head.size() + 3; ++piece) {
      INFO("flags " << flags << ", pieces of " << piece);
      host_file file{whole + whole, piece};
      const drained all = drain(**open_callback_source({&file, read_host_file, no_offset}, "host"));
      CHECK_FALSE(all.damage);
      CHECK(all.bytes == bytes + bytes);
    }
    if ((flags & 2) == 0) continue;
    std::string wrong = whole;
    wrong[head.size() - 1] ^= 1;
    CHECK(drain(*open_bytes(wrong)).damage.has_value());
  }
}

TEST_CASE("several members, several frames, padding and what follows them") {
  PROFKIT_NEEDS("zstd");
  const std::string a = sample_bytes(5000, 1), b = sample_bytes(400000, 2);
  const auto all_of = [](const std::string& encoded) {
    const exact_block block(encoded);
    // Also through small windows, where members end at awkward places.
    host_file file{encoded, 1};
    if (encoded.size() < 20000) {
      const auto slow = open_callback_source({&file, read_host_file, no_offset}, "host");
      const drained from_host = drain(**slow);
      const drained from_memory = drain(*open_bytes(block.view()));
      CHECK(from_host.bytes == from_memory.bytes);
      CHECK(from_host.damage.has_value() == from_memory.damage.has_value());
    }
    return drain(*open_bytes(block.view()));
  };
  CHECK(all_of(gzipped(a) + gzipped(b)).bytes == a + b);
  CHECK(all_of(gzipped("") + gzipped(a)).bytes == a);
  CHECK(all_of(zstandard(a) + zstandard(b)).bytes == a + b);

  const drained padded = all_of(gzipped(a) + std::string(1000, '\0'));
  CHECK(padded.bytes == a);
  CHECK_FALSE(padded.damage);

  const std::string skippable("\x53\x2a\x4d\x18\x05\x00\x00\x00hello", 13);
  const drained skipped = all_of(skippable + zstandard(a) + skippable + zstandard(b) + skippable);
  CHECK(skipped.bytes == a + b);
  CHECK_FALSE(skipped.damage);
  CHECK(all_of(zstandard(a) + skippable.substr(0, 10)).damage);

  for (const std::string& tail :
       {std::string("x"), std::string("\x1f\x8b\x08"), std::string("\0\0y", 3), std::string("\x1f\x00", 2)}) {
    const drained followed = all_of(gzipped(a) + tail);
    CHECK(followed.bytes == a);
    REQUIRE(followed.damage);
    CHECK(followed.damage->code == fault_code::damaged);
    CHECK(followed.damage->byte_offset == a.size());
  }
  const drained garbage = all_of(zstandard(a) + "garbage");
  CHECK(garbage.bytes == a);
  CHECK(garbage.damage);
  // A frame that is whole but damaged in a late block: the blocks before it come out.
  std::string blocks = zstandard(b);
  blocks[blocks.size() - 20] = static_cast<char>(blocks[blocks.size() - 20] ^ 0x55);
  const drained early = all_of(blocks);
  if (early.damage) CHECK(early.bytes.size() >= 131072);
  CHECK(b.compare(0, std::min<std::size_t>(early.bytes.size(), 131072), early.bytes, 0, 131072) == 0);
  // The second member is damaged: the first is whole.
  std::string second = gzipped(b);
  second[second.size() / 2] = static_cast<char>(second[second.size() / 2] ^ 0x55);
  const drained half = all_of(gzipped(a) + second);
  CHECK(half.damage);
  CHECK(half.bytes.compare(0, a.size(), a) == 0);
}

TEST_CASE("a bomb stops at the ratio, a large file at the size") {
  PROFKIT_NEEDS("zstd");
  const std::string zeros(8 << 20, '\0');
  limits bounds;
  bounds.ratio_free_bytes = 1 << 20;
  bounds.max_decompression_ratio = 100;
  for (const std::string& bomb : {gzipped(zeros, 9), zstandard(zeros)}) {
    REQUIRE(bomb.size() < 20000);
    const auto from = open_bytes(bomb, bounds);
    const drained all = drain(*from, 1 << 16);
    REQUIRE(all.damage);
    CHECK(all.damage->code == fault_code::limit);
    CHECK(all.damage->message.find("max_decompression_ratio") != std::string::npos);
    CHECK(all.bytes.size() <= (std::size_t{3} << 20));
    const auto held = hold_bytes(open_bytes(bomb, bounds), bounds);
    REQUIRE_FALSE(held.ok());
    CHECK(held.error().code == fault_code::limit);
  }
  // The same bytes are fine where the ratio is not looked at yet.
  bounds.ratio_free_bytes = 16 << 20;
  CHECK(hold_bytes(open_bytes(zstandard(zeros), bounds), bounds)->bytes == zeros);

  limits small;
  small.max_materialised_bytes = zeros.size() - 1;
  const auto over = hold_bytes(open_bytes(zstandard(zeros)), small);
  REQUIRE_FALSE(over.ok());
  CHECK(over.error().code == fault_code::limit);
  CHECK(over.error().message.find("max_materialised_bytes") != std::string::npos);
  small.max_materialised_bytes = zeros.size();
  CHECK(hold_bytes(open_bytes(zstandard(zeros)), small)->bytes == zeros);
  // A size that the host only claims is not allocated.
  host_file file{"abcdef"};
  const auto claimed =
      hold_bytes(std::move(*open_callback_source({&file, read_host_file, std::uint64_t{1} << 60}, "host")));
  REQUIRE_FALSE(claimed.ok());
  CHECK(claimed.error().code == fault_code::limit);
  const auto shorter =
      hold_bytes(std::move(*open_callback_source({&file, read_host_file, std::uint64_t{1} << 32}, "host")));
  REQUIRE(shorter.ok());
  CHECK(shorter->bytes == "abcdef");
  REQUIRE(shorter->damage);
  CHECK(shorter->damage->code == fault_code::input_changed);
}

TEST_CASE("zstd streams that ask for too much or for something else say so") {
  PROFKIT_NEEDS("zstd");
  const auto code_of = [](const std::string& frame) {
    const drained all = drain(*open_bytes(frame));
    REQUIRE(all.damage);
    return all.damage->code;
  };
  const std::string block("\x01\x00\x00", 3);  // the last block, raw and empty
  CHECK_FALSE(drain(*open_bytes(std::string("\x28\xb5\x2f\xfd\x00\x38", 6) + block)).damage);
  CHECK(code_of(std::string("\x28\xb5\x2f\xfd\x00\xa8", 6) + block) == fault_code::limit);  // a window of 2 GiB
  CHECK(code_of(std::string("\x28\xb5\x2f\xfd\x01\x38\x07", 7) + block) == fault_code::unsupported);  // dictionary 7
  CHECK(code_of(std::string("\x28\xb5\x2f\xfd\x08\x38", 6) + block) == fault_code::unsupported);      // a reserved bit
}

TEST_CASE("memory that is refused is a fault") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const bool sanitized = true;
#elif defined(__has_feature)
  const bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
  const bool sanitized = false;
#endif
  if (sanitized) PROFKIT_SKIP("a sanitizer needs more address space than this case leaves");
  const ::pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const ::rlimit small{std::uint64_t{200} << 20, std::uint64_t{200} << 20};
    if (::setrlimit(RLIMIT_AS, &small) != 0) ::_exit(2);
    host_file file{"abcdef"};
    const auto held =
        hold_bytes(std::move(*open_callback_source({&file, read_host_file, std::uint64_t{1} << 32}, "host")));
    ::_exit(!held.ok() && held.error().code == fault_code::out_of_memory ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) PROFKIT_SKIP("the system sets no limit on the address space");
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("paths that cannot be opened say why") {
  const temporary_folder folder;
  CHECK(open_fault(folder.path("missing")) == fault_code::not_found);
  const std::string file = folder.write("f", "x");
  CHECK(open_fault(file + "/below") == fault_code::not_found);
  CHECK(open_fault(folder.path()) == fault_code::invalid_argument);
  CHECK(open_fault("") == fault_code::invalid_argument);
  CHECK(open_fault(std::string("a\0b", 3)) == fault_code::invalid_argument);
  CHECK_FALSE(open_callback_source({}, "host").ok());
  CHECK_FALSE(hold_bytes(nullptr).ok());
}

TEST_CASE("a file without read permission says so") {
  const temporary_folder folder;
  const std::string file = folder.write("f", "x");
  REQUIRE(::chmod(file.c_str(), 0) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  // The superuser may read everything: a child gives the right up.
  const ::pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(2);
    const auto opened = open_file_source(file);
    ::_exit(!opened.ok() && opened.error().code == fault_code::permission ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) PROFKIT_SKIP("runs as root, and the system does not let it become another user");
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a file that shrinks while it is read is a fault that names both sizes") {
  const temporary_folder folder;
  const std::string bytes = sample_bytes(100000);
  const std::string path = folder.write("f", bytes);
  auto from = std::move(*open_file_source(path, io_mode::read));
  std::string buffer(60000, '\0');
  REQUIRE(from->read(buffer.data(), 10000).ok());
  REQUIRE(::truncate(path.c_str(), 50000) == 0);
  const drained rest = drain(*from, 60000);
  REQUIRE(rest.damage);
  CHECK(rest.damage->code == fault_code::input_changed);
  CHECK(rest.damage->message.find("100000") != std::string::npos);
  CHECK(rest.damage->message.find("50000") != std::string::npos);
  CHECK(rest.damage->byte_offset == 50000);
  // What was intact is held.
  const std::string again = folder.write("g", bytes);
  from = std::move(*open_file_source(again, io_mode::read));
  REQUIRE(::truncate(again.c_str(), 300) == 0);
  const auto held = hold_bytes(std::move(from));
  REQUIRE(held.ok());
  CHECK(held->bytes == bytes.substr(0, 300));
  REQUIRE(held->damage);
  CHECK(held->damage->code == fault_code::input_changed);
  // Compressed as well; and a file that grows keeps the size it had.
  const std::string zipped = folder.write("z", gzipped(sample_bytes(2000000)));
  from = std::move(*open_file_source(zipped, io_mode::read));
  REQUIRE(::truncate(zipped.c_str(), 400) == 0);
  const drained cut = drain(*from);
  REQUIRE(cut.damage);
  CHECK(cut.damage->code == fault_code::input_changed);
  const std::string grown = folder.write("h", "before");
  from = std::move(*open_file_source(grown, io_mode::read));
  folder.write("h", "before and after");
  CHECK(drain(*from).bytes == "before");
}

TEST_CASE("where files are mapped, small ones are held; by themselves they are read") {
  const temporary_folder folder;
  const std::string bytes = sample_bytes(30000);
  const std::string path = folder.write("small", bytes);
  CHECK_FALSE((*open_file_source(path))->span());
  const auto held = std::move(*open_file_source(path, io_mode::map));
  REQUIRE(held->span());
  REQUIRE(::truncate(path.c_str(), 0) == 0);  // of a mapping the next touch would be a SIGBUS
  CHECK(*held->span() == bytes);
  const std::string other = folder.write("mapped", sample_bytes(600000));
  CHECK_FALSE((*open_file_source(other))->span());
  const auto mapped = std::move(*open_file_source(other, io_mode::map));
  const int file = ::open(other.c_str(), O_WRONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  REQUIRE(::pwrite(file, "!", 1, 0) == 1);
  REQUIRE(::close(file) == 0);
  CHECK(mapped->span()->front() == '!');
}

TEST_CASE("a path that vanishes after it was opened can still be read") {
  const temporary_folder folder;
  for (const io_mode mode : {io_mode::map, io_mode::read}) {
    const std::string path = folder.write("f", "still here");
    const auto from = std::move(*open_file_source(path, mode));
    REQUIRE(::unlink(path.c_str()) == 0);
    CHECK(drain(*from).bytes == "still here");
    CHECK(open_fault(path) == fault_code::not_found);
  }
}

TEST_CASE("a host's read function may fail in every way") {
  host_file file{sample_bytes(5000)};
  file.forced = -1;
  const auto refused = open_callback_source({&file, read_host_file, 5000}, "host");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == fault_code::io);
  file.forced = -2;
  auto from = std::move(*open_callback_source({&file, read_host_file, 5000}, "host"));
  file.forced = 1 << 20;  // more than it was asked for
  drained all = drain(*from);
  CHECK(all.bytes.size() == 4);  // the four that were looked at for a magic
  REQUIRE(all.damage);
  CHECK(all.damage->code == fault_code::invalid_argument);
  // One byte more than asked for is too many.
  host_file honest{sample_bytes(5000)};
  auto of_honest = std::move(*open_callback_source({&honest, read_host_file, 5000}, "host"));
  char one = 0;
  REQUIRE(of_honest->read(&one, 1).ok());
  honest.forced = 5;
  char rest[4];
  REQUIRE(of_honest->read(rest, 3).ok());  // of what was looked at
  const auto over = of_honest->read(rest, 4);
  REQUIRE_FALSE(over.ok());
  CHECK(over.error().code == fault_code::invalid_argument);
  CHECK(over.error().message.find("5 bytes where 4 were asked for") != std::string::npos);
  file.forced = 0;
  REQUIRE(from->rewind().ok());
  all = drain(*from);
  REQUIRE(all.damage);
  CHECK(all.damage->code == fault_code::input_changed);
}

TEST_CASE("what begins like gzip and is none is plain") {
  for (const char* text : {"\x1f\x8b\x07text", "\x1f\x8a\x08text", "\x1f"}) {
    const std::string bytes(text);
    const auto from = open_bytes(bytes);
    CHECK(from->encoding() == compression::none);
    CHECK(drain(*from).bytes == bytes);
  }
  CHECK(open_bytes("\x1f\x8b")->encoding() == compression::gzip);
}

TEST_CASE("the position in a compressed file is that of what was taken from it") {
  const std::string text = sample_bytes(3'000'000), packed = gzipped(text);
  const auto from = open_bytes(packed);
  CHECK(from->encoded_position() == 0);
  std::string part(1'000'000, '\0');
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(from->read(part.data(), part.size()).ok());
    CHECK(from->encoded_position() > last);
    CHECK(from->encoded_position() <= packed.size());
    CHECK((i == 2 || from->encoded_position() < packed.size() - 100));
    last = from->encoded_position();
  }
}

TEST_CASE("a named pipe that nobody writes into is not waited for without end") {
  const temporary_folder folder;
  const std::string path = folder.path("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const auto begun = std::chrono::steady_clock::now();
  const auto none = open_file_source(path);
  const auto lasted = std::chrono::steady_clock::now() - begun;
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == fault_code::io);
  CHECK(none.error().message.find("no program writes to this pipe") == 0);
  CHECK_FALSE(none.error().hint.empty());
  CHECK(lasted > std::chrono::milliseconds(1500));
  CHECK(lasted < std::chrono::seconds(30));
  // One that has a writer may take its time: longer than that, before the first byte and after it.
  const std::string bytes = sample_bytes(300'000);
  std::thread writer([&] {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    for (const std::size_t end : {std::size_t{10}, bytes.size()}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2200));
      for (std::size_t at = end == 10 ? 0 : 10; at < end;) {
        const auto count = ::write(file, bytes.data() + at, end - at);
        if (count <= 0) break;
        at += static_cast<std::size_t>(count);
      }
    }
    ::close(file);
  });
  const auto from = open_file_source(path);
  REQUIRE(from.ok());
  CHECK(drain(**from).bytes == bytes);
  writer.join();
}

TEST_CASE("a named pipe is read however its writer is timed, and one whose writer leaves is empty") {
  const temporary_folder folder;
  const std::string path = folder.path("pipe"), bytes = sample_bytes(3000), packed = gzipped(bytes);
  for (int round = 0; round < 3000; ++round) {
    std::filesystem::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    const std::string_view sent = round % 10 == 9 ? std::string_view() : packed;
    ::ssize_t written = -1;
    std::thread writer([&] {
      const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      written = ::write(file, sent.data(), sent.size());
      ::close(file);
    });
    const auto from = open_file_source(path);
    INFO("round " << round);
    const std::string got = from.ok() ? drain(**from).bytes : from.error().message;
    writer.join();
    REQUIRE(written == static_cast<::ssize_t>(sent.size()));
    REQUIRE(got == (sent.empty() ? "" : bytes));
  }
}

TEST_CASE("a pipe is kept for another look up to the limit, and not a byte further") {
  const std::string bytes = sample_bytes(30000);
  const std::uint64_t kept = bytes.size() - 4;  // the first four, looked at for a magic, are held anyway
  for (const std::uint64_t limit : {kept, kept - 1}) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    REQUIRE(::write(ends[1], bytes.data(), bytes.size()) == static_cast<::ssize_t>(bytes.size()));
    ::close(ends[1]);
    const int saved = ::dup(STDIN_FILENO);
    REQUIRE(::dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    ::close(ends[0]);
    auto from = std::move(*open_file_source("-"));
    from->keep_for_rewind(limit);
    CHECK(drain(*from).bytes == bytes);
    const auto back = from->rewind();
    CHECK(back.ok() == (limit == kept));
    if (back.ok()) {
      // What is kept is still there when nothing more shall be kept before it was read again.
      from->keep_for_rewind(0);
      CHECK(drain(*from).bytes == bytes);
    }
    if (saved >= 0) {
      ::dup2(saved, STDIN_FILENO);
      ::close(saved);
    }
  }
}

TEST_CASE("standard input and pipes are read once") {
  const std::string bytes = sample_bytes(30000);
  for (const std::string& sent : {bytes, gzipped(bytes)}) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    std::thread writer([&] {
      for (std::size_t at = 0; at < sent.size();) {
        const auto count = ::write(ends[1], sent.data() + at, std::min<std::size_t>(sent.size() - at, 1001));
        if (count <= 0) break;
        at += static_cast<std::size_t>(count);
      }
      ::close(ends[1]);
    });
    const int saved = ::dup(STDIN_FILENO);
    REQUIRE(::dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    ::close(ends[0]);
    auto from = std::move(*open_file_source("-"));
    CHECK(from->encoded_bytes() == no_offset);
    CHECK(from->rewind().ok());  // nothing was consumed yet
    CHECK(drain(*from).bytes == bytes);
    const auto back = from->rewind();
    REQUIRE_FALSE(back.ok());
    CHECK(back.error().code == fault_code::unsupported);
    writer.join();
    if (saved >= 0) {
      ::dup2(saved, STDIN_FILENO);
      ::close(saved);
    }
  }
}

TEST_CASE("holding bytes tells its progress and can be cancelled") {
  struct progress_seen {
    int calls = 0;
    std::uint64_t done = 0, total = 0;
    std::int32_t answer = 0;
  } seen;
  hooks host;
  host.user = &seen;
  host.progress = [](void* user, std::uint64_t done, std::uint64_t total) {
    auto& s = *static_cast<progress_seen*>(user);
    ++s.calls;
    s.done = done;
    s.total = total;
    return s.answer;
  };
  const auto slow_read = [](void* user, std::uint64_t offset, void* into, std::size_t bytes) {
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    return read_host_file(user, offset, into, std::min<std::size_t>(bytes, 20000));
  };
  host_file file{sample_bytes(200000)};
  const auto open = [&] { return std::move(*open_callback_source({&file, slow_read, file.bytes.size()}, "host")); };
  const auto start = std::chrono::steady_clock::now();
  CHECK(hold_bytes(open(), {}, host)->bytes == file.bytes);
  const auto took = std::chrono::steady_clock::now() - start;
  CHECK(seen.calls >= 1);
  CHECK(seen.calls <= took / std::chrono::milliseconds(50));
  CHECK(seen.total == file.bytes.size());
  CHECK(seen.done > 0);
  seen.answer = 1;
  const auto stopped = hold_bytes(open(), {}, host);
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().code == fault_code::cancelled);
  std::atomic<bool> cancel{true};
  hooks with_token;
  with_token.cancel = &cancel;
  file.calls = 0;
  const auto token = hold_bytes(open(), {}, with_token);
  REQUIRE_FALSE(token.ok());
  CHECK(token.error().code == fault_code::cancelled);
  CHECK(file.calls == 1);  // the look for a magic
}

TEST_CASE("files over 4 GiB are reached at both ends") {
  // Holes cost nothing in a file system in memory; elsewhere reading them fills the page cache.
  const temporary_folder folder("/dev/shm");
  const std::uint64_t size = (std::uint64_t{4} << 30) + 12345;
  const std::string path = folder.write("large", "head");
  const std::string tail = "tail";
  {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    REQUIRE(file >= 0);
    const bool sparse = ::ftruncate(file, static_cast<::off_t>(size)) == 0 &&
                        ::pwrite(file, tail.data(), tail.size(), static_cast<::off_t>(size - tail.size())) == 4;
    ::close(file);
    if (!sparse) PROFKIT_SKIP("the file system of the temporary folder does not take a sparse file of 4 GiB");
  }
  struct ::stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  if (status.st_blocks > 2048) PROFKIT_SKIP("the file system of the temporary folder has no sparse files");
  const auto mapped = std::move(*open_file_source(path, io_mode::map));
  REQUIRE(mapped->span());
  CHECK(mapped->span()->size() == size);
  CHECK(mapped->span()->substr(0, 4) == "head");
  CHECK(mapped->span()->substr(size - 4) == tail);
  // Reading is in order: the middle is a hole, which costs no disk, so all of it is read.
  const auto read = std::move(*open_file_source(path, io_mode::read));
  CHECK(read->encoded_bytes() == size);
  std::string buffer(std::size_t{256} << 10, '\0'), last;
  std::uint64_t total = 0;
  for (;;) {
    const auto count = read->read(buffer.data(), buffer.size());
    REQUIRE(count.ok());
    if (*count == 0) break;
    if (total == 0) CHECK(buffer.compare(0, 4, "head") == 0);
    total += *count;
    last.append(buffer, 0, *count);
    last.erase(0, last.size() - 4);
  }
  CHECK(total == size);
  CHECK(last == tail);
  // Shrunk past the 32-bit border, the fault still names the right sizes.
  REQUIRE(read->rewind().ok());
  REQUIRE(::truncate(path.c_str(), 2) == 0);
  const drained cut = drain(*read, 1000);
  REQUIRE(cut.damage);
  CHECK(cut.damage->message.find(std::to_string(size)) != std::string::npos);
  limits small;
  small.max_materialised_bytes = std::uint64_t{1} << 32;
  REQUIRE(::truncate(path.c_str(), static_cast<::off_t>(size)) == 0);
  const auto held = hold_bytes(std::move(*open_file_source(path, io_mode::read)), small);
  REQUIRE_FALSE(held.ok());
  CHECK(held.error().code == fault_code::limit);
}

TEST_CASE("more than 4 GiB come out of one zstd stream") {
  PROFKIT_NEEDS("zstd");
  // Written by hand: a frame of RLE blocks, 128 KiB each of one byte, four bytes of input a block.
  const std::uint64_t blocks = (std::uint64_t{1} << 15) + 3;  // 4 GiB and 384 KiB
  std::string frame("\x28\xb5\x2f\xfd\x00\x38", 6);           // no size, no check sum; a window of 128 KiB
  frame.reserve(frame.size() + blocks * 4);
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint32_t header = (i + 1 == blocks ? 1u : 0u) | (1u << 1) | ((128u << 10) << 3);
    frame += static_cast<char>(header & 255);
    frame += static_cast<char>((header >> 8) & 255);
    frame += static_cast<char>((header >> 16) & 255);
    frame += static_cast<char>('a' + i % 26);
  }
  limits bounds;
  bounds.max_decompression_ratio = 1 << 20;
  const auto from = open_bytes(frame, bounds);
  std::string buffer(std::size_t{256} << 10, '\0');
  std::uint64_t total = 0;
  char last = 0;
  for (;;) {
    const auto count = from->read(buffer.data(), buffer.size());
    REQUIRE(count.ok());
    if (*count == 0) break;
    total += *count;
    last = buffer[*count - 1];
  }
  CHECK(total == blocks << 17);
  CHECK(last == static_cast<char>('a' + (blocks - 1) % 26));
}
