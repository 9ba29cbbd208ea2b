// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/metric_table.h"

#include <fmt/format.h>

#include <array>

namespace orrery::analysis {

namespace {

constexpr std::string_view kLumos =
    "the four-way breakdown of Lumos (MLSys 2025), with remote memory as a fifth part";
constexpr std::string_view kNccl = "NVIDIA nccl-tests, doc/PERFORMANCE.md";
constexpr std::string_view kMegatron =
    "Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models (2022), "
    "section 6.3";
constexpr std::string_view kPalm =
    "Chowdhery et al., PaLM (2022), appendix B; attention counts computed operations only, not the "
    "full score matrix";
constexpr std::string_view kOwn = "docs/critical-path.md";
constexpr std::string_view kFormatPeaks =
    "the sum over number formats of (FLOPs of matrix products in the format / dense peak of the "
    "format) / (step × ranks); FLOPs and peaks as for `hfu` and `mfu`; only for a model and a plan "
    "whose products have another peak than the one of `mfu`";

constexpr std::array kMetrics = {
    MetricInfo{"step", "step time", "s",
               "Duration of the complete step, from the start until the last rank finishes.",
               "the latest finish of all ranks", "definition"},
    MetricInfo{"step_low", "step time, low", "s",
               "Lower end of the 80 % prediction interval of the step; only of simulated points.",
               "[prediction intervals](../bands.md)", "docs/bands.md", false, true},
    MetricInfo{"step_high", "step time, high", "s",
               "Upper end of the 80 % prediction interval of the step; only of simulated points.",
               "[prediction intervals](../bands.md)", "docs/bands.md", false, true},
    MetricInfo{"ranks", "ranks", "ranks", "Number of devices in the job.", "count", "definition",
               false, false, true},
    MetricInfo{"exposed_compute", "exposed compute", "s",
               "Time in which a rank only computes, mean over ranks.",
               "union of the intervals of compute nodes, without those of communication and remote "
               "memory; the parts of every rank sum to the step to the picosecond",
               kLumos},
    MetricInfo{"overlapped", "overlapped", "s",
               "Time in which a rank computes and also communicates or accesses remote memory, "
               "mean over ranks.",
               "intersection of the union of compute intervals with the union of the others",
               kLumos, true},
    MetricInfo{
        "exposed_comm", "exposed communication", "s",
        "Time in which a rank communicates and does not compute, mean over ranks; waiting for "
        "peers inside a collective counts.",
        "union of the intervals of collectives, sends and receives (from the start of their "
        "message), without those of compute",
        kLumos},
    MetricInfo{"exposed_memory", "exposed memory", "s",
               "Time in which a rank accesses remote memory and neither computes nor communicates, "
               "mean over ranks.",
               "union of the intervals of memory nodes, without all others", kLumos},
    MetricInfo{"idle", "idle", "s",
               "Time in which a rank is idle, mean over ranks, including the wait from its end to "
               "the end of the step.",
               "step - exposed compute - overlapped - exposed communication - exposed memory",
               kLumos},
    MetricInfo{"bubble", "bubble", "1",
               "Share of the step in which ranks of a pipeline are idle, mean over the ranks that "
               "send or receive.",
               "idle / step over ranks that have a send or a receive",
               "Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters "
               "(SC 2021), section 2.2, measured instead of estimated",
               false, false, true},
    MetricInfo{"peer_wait", "waiting for peers", "s",
               "Time in which the nodes of a rank wait for peers, mean over ranks: in collectives "
               "for the last member, in receives for the send.",
               "sum of the waits of its collectives, receives and sends; concurrent waits count "
               "separately",
               "definition"},
    MetricInfo{"peer_wait_worst", "longest waiting for peers", "s",
               "The same for the rank that waits longest.", "maximum over ranks", "definition"},
    MetricInfo{"straggler", "straggler", "s",
               "Time in which other ranks wait for the slowest rank.",
               "maximum over ranks of the sum, over all waiting ranks, of the waits that ended "
               "when this rank arrived",
               "definition"},
    MetricInfo{
        "algbw", "algorithm bandwidth", "B/s",
        "Bytes per second of the collectives with the longest total time (of one type, size and "
        "number of ranks).",
        "size / time, from the arrival of the last member to the end of the last member; the size "
        "is that of the complete buffer, the larger of input and output of one rank",
        kNccl, true},
    MetricInfo{"busbw", "bus bandwidth", "B/s",
               "The same converted to link bandwidth, comparable between numbers of ranks.",
               "algbw × 2(n-1)/n for all-reduce, (n-1)/n for all-gather, reduce-scatter and "
               "all-to-all, 1 for others",
               kNccl, true},
    MetricInfo{
        "of_bound", "share of the bound", "1",
        "Speed of these collectives, relative to the lower bound of their time on these links.",
        "time at full bandwidth of the slowest dimension without latency / time",
        "lower bound of bytes that must leave each rank per dimension", true},
    MetricInfo{
        "tokens_rate", "tokens per second", "1/s",
        "Training tokens per second of all devices; models without tokens have samples_rate.",
        "global batch × sequence length / step; only for a model and a plan, because traces "
        "do not contain the number of tokens",
        "definition", true},
    MetricInfo{"tokens_rate_device", "tokens per second and device", "1/s",
               "Training tokens per second of one device.", "tokens per second / ranks",
               "definition", true},
    MetricInfo{"samples_rate", "samples per second", "1/s",
               "Training images or rows per second of all devices, for models without tokens.",
               "global batch / step; only for a model and a plan", "definition", true},
    MetricInfo{
        "flops_rate_device", "model FLOP/s per device", "FLOP/s",
        "Operations per second and device that the model needs, often quoted as TFLOP/s per GPU.",
        "FLOPs of the matrix products of the forward and the backward pass, without recomputation, "
        "/ (step × ranks); for causal attention, the operations that the kernel computes: half of "
        "the scores with flash attention, all scores without",
        kPalm, true},
    MetricInfo{"flops", "operations", "FLOP",
               "Floating-point operations of all ranks, as counted in the trace.",
               "sum over compute nodes", "definition", false, false, true},
    MetricInfo{"hfu", "hardware FLOPs utilization", "1",
               "Operations of the step, divided by the operations that the devices can execute at "
               "peak in the same time.",
               "operations / (step × peak × ranks); peak: the catalog's dense peak of the device "
               "and precision; operations: for a model and a plan, its matrix products including "
               "recomputation; for traces, all operations of their nodes",
               kMegatron, true},
    MetricInfo{
        "mfu", "model FLOPs utilization", "1",
        "Operations that the model needs, without recomputed ones, divided by the operations that "
        "the devices can execute at peak in the same time.",
        "for a model and a plan, model FLOP/s per device / peak; for traces, operations of "
        "nodes without \"recompute\" in the name / (step × peak × ranks); peak: as for `hfu`. If "
        "products run in a format with another peak, `format_mfu` divides by that peak",
        kPalm, true},
    MetricInfo{"format_hfu", "hardware FLOPs utilization by format", "1",
               "Operations of the step, divided by the operations that the devices can execute at "
               "the peaks of the formats in the same time: products in fp8 at the fp8 peak.",
               kFormatPeaks, "definition", true},
    MetricInfo{"format_mfu", "model FLOPs utilization by format", "1",
               "Operations that the model needs, divided by the operations that the devices can "
               "execute at the peaks of the formats in the same time: products in fp8 at the fp8 "
               "peak. `mfu` divides by one peak, usually of bf16.",
               kFormatPeaks, "definition", true},
    MetricInfo{"peak_memory", "peak memory", "B",
               "Maximum memory of a rank at one time, maximum over ranks.",
               "from the first writer to the last reader of every tensor in the trace; for a model "
               "and a plan, which have no tensors, the memory account as in `orrery memory`",
               "definition"},
    MetricInfo{"spare_memory", "memory to spare", "B",
               "Memory that a process can allocate on a device, minus the memory that it needs.",
               "usable memory of the device - the memory account as in `orrery memory`; below 0, "
               "the estimate exceeds the device",
               "definition", true, true},
    MetricInfo{"critical_work", "critical: work", "s",
               "Time on the critical path in which a rank computes or accesses memory.",
               "sum of the path's segments by cause; all causes sum to the step", kOwn},
    MetricInfo{"critical_bandwidth", "critical: bandwidth", "s",
               "Time on the critical path in which bytes cross links.",
               "sum of the path's segments by cause", kOwn},
    MetricInfo{"critical_latency", "critical: latency", "s",
               "Time on the critical path for latency of hops and end points.",
               "sum of the path's segments by cause", kOwn},
    MetricInfo{"critical_queue", "critical: queues", "s",
               "Time on the critical path in which it waits for a busy link, dimension or memory.",
               "sum of the path's segments by cause", kOwn},
    MetricInfo{"critical_wait", "critical: waiting", "s",
               "Time on the critical path in which it waits for an unknown peer, or for an "
               "unrecorded reason.",
               "sum of the path's segments by cause (peer and idle)", kOwn},
    MetricInfo{"critical_ranks", "ranks on the critical path", "ranks",
               "Number of ranks on the critical path.", "number of distinct ranks on the path",
               kOwn, false, false, true},
    MetricInfo{"power", "power", "W", "Maximum power of all devices, including hosts and network.",
               "ranks × (maximum power of a device + other_power) × overhead; from the catalog, "
               "unless the search space sets it",
               "definition", false, true},
    MetricInfo{"energy", "energy", "J",
               "Energy of a step in which all devices draw their maximum power.", "power × step",
               "definition", false, true},
    MetricInfo{"tokens_per_joule", "tokens per joule", "1/J",
               "Training tokens per joule; samples, for models without tokens.",
               "tokens of a step / energy", "definition", true, true},
    MetricInfo{"cost", "cost of a step", "currency",
               "Cost of a step: devices and energy, in the currency of the prices.",
               "step × ranks × price of a device hour + energy × price of a kWh", "definition",
               false, true},
    MetricInfo{"cost_of_1e9", "cost of 10^9 tokens", "currency",
               "Cost of 10^9 tokens; samples, for models without tokens.",
               "cost of a step / tokens of a step × 10^9", "definition", false, true},
};

}  // namespace

std::span<const MetricInfo> metric_table() { return kMetrics; }

const MetricInfo* find_metric(std::string_view name) {
  for (const MetricInfo& info : kMetrics) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::string_view meaning_of(std::string_view name) {
  const MetricInfo* info = find_metric(name);
  return info == nullptr ? std::string_view() : info->meaning;
}

std::string metrics_markdown() {
  std::string text =
      "# Metrics\n"
      "\n"
      "<!-- Generated from src/orrery/analysis/metrics/metric_table.cc by the analysis tests with "
      "ORRERY_UPDATE_DOCS=1. -->\n"
      "\n"
      "The metrics of `orrery report`, `orrery compare`, `orrery search` and `--json`.\n"
      "`orrery explain NAME` prints the same, with the values of a run. A unit of 1 is a share:\n"
      "0.25 is 25 %. A metric is omitted if the run has no data to compute it from. Only\n"
      "points of `orrery search` have power, energy, costs, memory to spare and the ends of the\n"
      "interval as metrics; a [search space](space.md) can set prices and power.\n"
      "\n"
      "| name | title | unit | meaning | formula | source |\n"
      "|---|---|---|---|---|---|\n";
  for (const MetricInfo& info : kMetrics) {
    const bool page = info.source == kOwn;
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", info.name, info.title, info.unit,
                        info.meaning, info.formula,
                        page ? "[the critical path](../critical-path.md)" : info.source);
  }
  return text;
}

}  // namespace orrery::analysis
