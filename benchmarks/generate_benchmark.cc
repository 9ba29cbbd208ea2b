// SPDX-License-Identifier: Apache-2.0
//
// From a specification to a program, to nodes, to a workload, to bytes: 80 layers, 64 microbatches,
// 8 stages (LLaMA-3 70B's shape).
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>

#include "orrery/study/jobs/program_to_chakra.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/model_catalog.h"

namespace {

using namespace orrery;
using namespace orrery::workload;

Spec spec_of(std::int64_t dp) {
  Spec spec;
  if (!set(spec, "model", "llama-3.1-70b")) std::abort();
  spec.parallel.tp = 8;
  spec.parallel.sp = true;
  spec.parallel.pp = 8;
  spec.parallel.dp = dp;
  spec.parallel.sharding = Sharding::zero1;
  spec.batch.micro = 1;
  spec.batch.seq = 8192;
  spec.batch.global = 64 * dp;
  return spec;
}

Program program_of(std::int64_t dp) {
  Findings findings;
  auto program = assemble(spec_of(dp), findings);
  if (!program) std::abort();
  return std::move(*program);
}

void BM_Assemble(benchmark::State& state) {
  const Spec spec = spec_of(state.range(0) / 64);
  for (auto _ : state) {
    Findings findings;
    auto program = assemble(spec, findings);
    if (!program) std::abort();
    benchmark::DoNotOptimize(program->roles.data());
  }
  state.counters["ranks"] = static_cast<double>(state.range(0));
}
BENCHMARK(BM_Assemble)->Arg(1024)->Arg(131072)->Unit(benchmark::kMillisecond);

void BM_Unroll(benchmark::State& state) {
  const Program program = program_of(16);
  std::int64_t nodes = 0;
  for (auto _ : state) {
    StringPool pool;
    graph::KernelTable kernels;
    auto done = unroll(program, 0, pool, kernels, [&](const graph::NodeSpec& node) -> Result<void> {
      benchmark::DoNotOptimize(node.id);
      ++nodes;
      return {};
    });
    if (!done) std::abort();
  }
  state.SetItemsProcessed(nodes);
}
BENCHMARK(BM_Unroll)->Unit(benchmark::kMillisecond);

void BM_ToWorkload(benchmark::State& state) {
  const Program program = program_of(state.range(0) / 64);
  std::int64_t nodes = 0;
  for (auto _ : state) {
    auto workload = to_workload(program);
    if (!workload) std::abort();
    for (const graph::GraphRef& graph : workload->graphs) nodes += graph->size();
  }
  state.SetItemsProcessed(nodes);
}
BENCHMARK(BM_ToWorkload)->Arg(1024)->Arg(131072)->Unit(benchmark::kMillisecond);

/// Writes files and removes them.
void BM_WriteChakra(benchmark::State& state) {
  const Program program = program_of(state.range(0) / 64);
  const auto folder = std::filesystem::temp_directory_path() / "orrery_generate_benchmark";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  study::ChakraWriteReport report;
  for (auto _ : state) {
    auto written =
        study::write_chakra(program, {.prefix = (folder / "w").string(), .overwrite = true});
    if (!written) std::abort();
    report = *written;
  }
  std::filesystem::remove_all(folder);
  state.SetItemsProcessed(static_cast<std::int64_t>(report.nodes * state.iterations()));
  state.SetBytesProcessed(static_cast<std::int64_t>(report.bytes * state.iterations()));
}
BENCHMARK(BM_WriteChakra)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
