// SPDX-License-Identifier: Apache-2.0
#include "hint_words.h"

namespace orrery::app {

namespace {

struct Hint {
  std::string_view words;  ///< separated by spaces
  std::string_view hint;
};

constexpr Hint kHints[] = {
    {"serve serving inference infer decode prefill",
     "serving is not simulated yet; docs/how-to/size-a-model-for-serving.md estimates the GPUs"},
    {"train simulate sim", "'orrery run' simulates a training step"},
    {"models devices gpus links clusters catalogue catalog", "'orrery list' has the catalog"},
    {"tune optimize autotune", "'orrery search' finds parallelism plans"},
    {"plot view open visualize html page",
     "'orrery report RUN.orrery --html FILE' writes a web page"},
    {"timeline perfetto chrome", "'orrery report RUN.orrery --perfetto FILE' writes a timeline"},
    {"profile analyze summary", "'orrery trace info' shows the contents of a trace"},
    {"benchmark mystique", "'orrery bench' runs the operators of a recording"},
    {"roofline flops", "'orrery kernels' predicts kernel times, 'orrery job count' counts FLOPs"},
    {"allreduce all-reduce all_reduce nccl", "'orrery collective compare' compares algorithms"},
    {"bandwidth fabric", "'orrery network show' describes a fabric"},
    {"version", "'orrery --version'"},
    {"chakra", "'orrery trace convert' writes Chakra traces"},
    {"bubble schedule", "'orrery whatif --change schedule=...' compares schedules"},
    {"config", "'orrery schema cluster' describes cluster files"},
};

}  // namespace

std::string_view hint_for_word(std::string_view word) {
  for (const Hint& row : kHints)
    for (std::string_view rest = row.words; !rest.empty();) {
      const std::size_t end = rest.find(' ');
      if (rest.substr(0, end) == word) return row.hint;
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  return {};
}

}  // namespace orrery::app
