// Small trace folders made on the spot: record files as the driver writes them, and the log lines of their launches.
#pragma once
#include "generated.hpp"

#include <profkit/neutrino.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace profkit::test {

inline void put_u32(std::string& out, std::uint64_t value) {
  for (unsigned i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i));
}
inline void put_u64(std::string& out, std::uint64_t value) {
  put_u32(out, value & 0xffffffff);
  put_u32(out, value >> 32);
}

// One map of a record file: for each block and lane the bytes of its slot.
struct written_map {
  bool is_warp = false;
  std::uint32_t lane_bytes = 0;
  std::function<std::string(std::uint32_t block, std::uint32_t lane)> slot;
};

// A file of the drivers since 2025-07. Blocks of whole warps only.
inline std::string record_file(std::uint32_t blocks, std::uint32_t threads, const std::vector<written_map>& maps) {
  std::string out;
  for (const std::uint64_t n : {std::uint64_t{blocks}, std::uint64_t{1}, std::uint64_t{1}, std::uint64_t{threads},
                                std::uint64_t{1}, std::uint64_t{1}, std::uint64_t{0}, std::uint64_t{maps.size()}})
    put_u32(out, n);
  std::uint64_t offset = 32 + 16 * maps.size();
  std::string body;
  for (const written_map& map : maps) {
    const std::uint32_t lanes = map.is_warp ? threads / 32 : threads;
    put_u32(out, map.lane_bytes);
    put_u32(out, map.is_warp ? 32 : 1);
    put_u64(out, offset);
    for (std::uint32_t block = 0; block < blocks; ++block) {
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        std::string slot = map.slot(block, lane);
        slot.resize(map.lane_bytes);
        body += slot;
      }
    }
    offset = 32 + 16 * maps.size() + body.size();
  }
  return out + body;
}

inline std::string words(std::initializer_list<std::uint64_t> u64s, std::initializer_list<std::uint64_t> u32s = {}) {
  std::string out;
  for (const std::uint64_t value : u64s) put_u64(out, value);
  for (const std::uint64_t value : u32s) put_u32(out, value);
  return out;
}

inline const char* const block_sched_toml =
    "regs = 5\n"
    "[probe.start]\nlevel = \"warp\"\npos = \"kernel\"\nbefore = \"mov.u64 %NR0, %clock64;\"\n"
    "after = \"SAVE [ block_sched ] { %NR0, %NR1, %NR2 }\"\n"
    "[map.block_sched]\nlevel = \"warp\"\ntype = \"array\"\nsize = 16\ncap = 1\n"
    "[map.bytes]\nlevel = \"thread\"\ntype = \"array\"\nsize = 8\ncap = 1\n"
    "[map.block_sched.regs]\nstart = [\"u64\", \"None\",]\nelapsed = [\"u32\", \"None\",]\ncuid = [\"u32\", "
    "\"None\",]\n"
    "[map.bytes.regs]\nsync_bytes = [\"u32\", \"None\",]\nasync_bytes = [\"u32\", \"None\",]\n";

// Blocks of two warps on `sms` multiprocessors with two slots, and bytes of every thread.
inline std::string block_sched_file(std::uint32_t blocks, std::uint32_t sms = 3) {
  const auto start = [=](std::uint32_t block) {
    return 1000 + std::uint64_t{block / (2 * sms)} * 550 + block % (2 * sms);
  };
  return record_file(blocks, 64,
                     {{true, 16,
                       [=](std::uint32_t block, std::uint32_t warp) {
                         return words({start(block) + warp * 4}, {400 + block % 7 * 10 + warp, block % sms});
                       }},
                      {false, 8, [](std::uint32_t block, std::uint32_t thread) {
                         return words({}, {64 + block, thread % 4 * 16});
                       }}});
}

// The log of a process with one kernel and a launch for each record file.
inline std::string event_log(const std::vector<std::string>& bins, std::uint32_t blocks) {
  std::string log =
      "[init] pid 4242\n[init] cmd 16 python train.py \n[init] dl 0x1\n[init] success\n"
      "[mod] cuModuleGetFunction func 0x10 mod 0x20 name matmul\n[exec] funcmap-not-find 0x10\n"
      "[probe] find 0x10 name matmul bin 0x30 size 100\n"
      "[probe] rename matmul 0_583131ec1be78a30e31ca013fe4f731ae5c9fac3\n[probe] python succeed\n"
      "[probe] finish 0x10 name matmul n_param 2\n";
  std::uint64_t time = 1750652293000000000;
  for (const std::string& bin : bins) {
    const std::string g = std::to_string(blocks);
    log += "[exec] funcmap-find 0x10 success\n[exec] " + std::to_string(time) + " param 1000 7f1292000000 \n";
    log += "[exec] grid " + g + " 1 1 block 64 1 1 shared 0\n";
    log += "[exec] grid " + g + " warp  2 probe 16 total " + std::to_string(blocks * 32) + "\n";
    log += "[exec] grid " + g + " block 64 probe 8 total " + std::to_string(blocks * 512) + "\n";
    log += "[exec] probe-mem " + std::to_string(blocks * 544) + " (bytes)\n[exec] succeed 0\n";
    log += "[exec] save ./trace/Jun23_121812_4242/result/" + bin + " size " + std::to_string(64 + blocks * 544) + "\n";
    log += "[exec] prologue 12.000000 kernel 0.500000 epilogue 1.500000 ratio 28.000000\n";
    time += 100000000;
  }
  return log;
}

// A whole folder; gives its path.
inline std::filesystem::path write_trace(const std::filesystem::path& below, std::uint32_t blocks = 24,
                                         const std::vector<std::string>& bins = {"0.100000.bin", "0.250000.bin"}) {
  const std::filesystem::path folder = below / "Jun23_121812_4242";
  write_file(folder / "event.log", event_log(bins, blocks));
  write_file(folder / "probe.toml", block_sched_toml);
  for (const std::string& bin : bins) write_file(folder / "result" / bin, block_sched_file(blocks));
  return folder;
}

}  // namespace profkit::test
