// The architecture report: time to look at kernels, against the time to read them from a table.
//   architecture_bench [KERNELS]     default 500000; the table lies in a temporary folder meanwhile; options of other
//                                    benchmarks are passed over
#include <profkit/core/architecture.hpp>
#include <profkit/core/profile.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>

using namespace profkit;

namespace {

// Processor time: the machine may be doing other things.
double seconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// kernel_details.csv of a model with 61 layers, 3 of them dense, decoding.
class table {
 public:
  table(const std::string& path, std::uint64_t kernels) : out_(path, std::ios::binary), left_(kernels) {
    out_ << "Step Id,Device_id,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
            "Block Dim,Input Shapes\n";
    for (std::uint64_t step = 0; left_ > 0; ++step) pass(step);
  }

 private:
  void pass(std::uint64_t step) {
    step_ = step;
    row("GatherV2", "AI_VECTOR_CORE", 5);
    for (int layer = 0; layer < 61; ++layer) {
      row("FusedInferAttentionScore", "MIX_AIC", 200, "16,16,1,512;1135,1,128,512");
      row("TensorMove", "AI_VECTOR_CORE", 3);
      row("MatMulV3", "AI_CORE", 27);
      row("hcom_reduceScatter_", "COMMUNICATION", 52);
      row("AddRmsNormBias", "AI_VECTOR_CORE", 5);
      if (layer < 3) {
        row("QuantBatchMatmulV3", "AI_CORE", 60);
        row("SwiGlu", "AI_VECTOR_CORE", 6);
        row("QuantBatchMatmulV3", "AI_CORE", 60);
      } else {
        row("MatMulV2", "AI_CORE", 7);
        row("MoeGatingTopK", "AI_VECTOR_CORE", 7);
        row("hcom_alltoallv_", "COMMUNICATION", 1500);
        row("GroupedMatmul", "AI_CORE", 116);
        row("SwiGlu", "AI_VECTOR_CORE", 6);
        row("GroupedMatmul", "AI_CORE", 116);
        row("hcom_alltoallv_", "COMMUNICATION", 1500);
        row("AddRmsNormQuant", "AI_VECTOR_CORE", 6);
      }
      row("hcom_allGather_", "COMMUNICATION", 38);
      row("QuantBatchMatmulV3", "AI_CORE", 200);
      row("split_qkv_rmsnorm_rope_kernel", "MIX_AIV", 11);
      row("ReshapeAndCacheNdKernel", "AI_VECTOR_CORE", 5);
    }
    row("MatMulV2", "AI_CORE", 90);
    row("ArgMaxV2", "AI_VECTOR_CORE", 18);
  }
  void row(const char* type, const char* core, std::uint64_t base_us, const char* shapes = "16,7168") {
    if (left_ == 0) return;
    --left_;
    const bool comm = type[0] == 'h';
    const std::uint64_t length_ns = base_us * 1000 + random_() % 900, gap_ns = 600 + random_() % 1000;
    now_ns_ += gap_ns;
    char text[512];
    const int n = std::snprintf(
        text, sizeof text, "%llu,0,%u,%s,aclnn_%s_%s,%s,%s,%llu.%03llu\t,%llu.%03llu,%llu.%03llu,24,\"%s\"\n",
        static_cast<unsigned long long>(step_), static_cast<unsigned>(left_ % 65536), comm ? "N/A" : "2", type, type,
        type, core, static_cast<unsigned long long>(now_ns_ / 1000), static_cast<unsigned long long>(now_ns_ % 1000),
        static_cast<unsigned long long>(length_ns / 1000), static_cast<unsigned long long>(length_ns % 1000),
        static_cast<unsigned long long>(gap_ns / 1000), static_cast<unsigned long long>(gap_ns % 1000), shapes);
    out_.write(text, n);
    now_ns_ += length_ns;
  }

  std::ofstream out_;
  std::uint64_t left_, step_ = 0, now_ns_ = 1764246877000000000ULL;
  std::minstd_rand random_{7};
};

}  // namespace

int main(int count, char** arguments) {
  const bool told = count > 1 && arguments[1][0] != '-';
  const std::uint64_t kernels = told ? std::strtoull(arguments[1], nullptr, 10) : 500'000;
  const auto folder = std::filesystem::temp_directory_path() / ("architecture_bench." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = (folder / "kernel_details.csv").string();
  { table made(path, kernels); }
  double reading = 1e9, looking = 1e9, writing = 1e9;
  std::uint32_t layers = 0;
  for (int run = 0; run < 5; ++run) {
    std::shared_ptr<const activity> of;
    reading = std::min(reading, seconds_of([&] {
                         auto p = profile::open(path);
                         if (!p) std::exit(1);
                         auto read = read_activity(*p);
                         if (!read) std::exit(1);
                         of = *read;
                       }));
    architecture_report report{of, {}, "bench"};
    looking = std::min(looking, seconds_of([&] {
                         auto found = find_architecture(*of);
                         if (!found) std::exit(1);
                         report.found = std::move(*found);
                       }));
    writing = std::min(writing, seconds_of([&] {
                         std::string text;
                         if (!write_architecture_markdown(report, *memory_sink(text))) std::exit(1);
                       }));
    layers = report.found.devices.front().layers_per_pass;
  }
  std::filesystem::remove_all(folder);
  std::printf(
      "%llu kernels, %u layers a pass: read %.1f ms, looked at %.1f ms, Markdown %.1f ms: %.2f x (0.5 allowed)%s\n",
      static_cast<unsigned long long>(kernels), layers, reading * 1e3, looking * 1e3, writing * 1e3, looking / reading,
      looking <= 0.5 * reading && layers == 61 ? "" : "  TOO SLOW");
  return 0;
}
