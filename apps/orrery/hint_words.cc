// SPDX-License-Identifier: Apache-2.0
#include "hint_words.h"

#include <algorithm>

#include "orrery/core/text/text.h"

namespace orrery::app {

namespace {

struct Hint {
  std::string_view words;  ///< separated by ","
  std::string_view hint;
};

constexpr Hint kHints[] = {
    {"serve,serving,inference,decode,prefill",
     "'orrery infer' predicts latencies and throughput of a server"},
    {"train,simulate,sim", "'orrery run' simulates a training step"},
    {"models,devices,gpus,links,clusters,catalogue,catalog", "'orrery list' has the catalog"},
    {"tune,optimize,autotune", "'orrery search' finds parallelism plans"},
    {"plot,view,open,visualize,html,page",
     "'orrery report RUN.orrery --html FILE' writes a web page"},
    {"timeline,perfetto,chrome", "'orrery report RUN.orrery --perfetto FILE' writes a timeline"},
    {"profile,analyze,summary", "'orrery trace info' shows the contents of a trace"},
    {"benchmark,mystique", "'orrery bench' runs the operators of a recording"},
    {"roofline,flops", "'orrery kernels' predicts kernel times, 'orrery job count' counts FLOPs"},
    {"allreduce,all-reduce,all_reduce,nccl", "'orrery collective compare' compares algorithms"},
    {"bandwidth,fabric", "'orrery network show' describes a fabric"},
    {"version", "'orrery --version'"},
    {"chakra", "'orrery trace convert' writes Chakra traces"},
    {"bubble,schedule", "'orrery whatif --change schedule=...' compares schedules"},
    {"config", "'orrery schema cluster' describes cluster files"},
};

}  // namespace

std::string_view hint_for_word(std::string_view word) {
  for (const Hint& row : kHints) {
    const auto words = list_items(row.words);
    if (std::find(words.begin(), words.end(), word) != words.end()) return row.hint;
  }
  return {};
}

}  // namespace orrery::app
