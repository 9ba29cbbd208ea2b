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
    "Chowdhery et al., PaLM (2022), appendix B; attention counted as it is computed, not in full";
constexpr std::string_view kOwn = "docs/critical-path.md";

constexpr std::array kMetrics = {
    MetricInfo{"step", "step time", "s",
               "How long the whole step takes: from the start until the last rank is done.",
               "the latest finish of all ranks", "definition"},
    MetricInfo{"ranks", "ranks", "ranks", "How many devices take part.", "count", "definition",
               true},
    MetricInfo{"exposed_compute", "exposed compute", "s",
               "Time in which a rank computes and nothing else goes on, mean over ranks.",
               "union of the intervals of compute nodes, without those of communication and remote "
               "memory; the parts of every rank sum to the step to the picosecond",
               kLumos},
    MetricInfo{
        "overlapped", "overlapped", "s",
        "Time in which a rank computes while it communicates or accesses remote memory, mean "
        "over ranks.",
        "intersection of the union of compute intervals with the union of the others", kLumos,
        true},
    MetricInfo{
        "exposed_comm", "exposed communication", "s",
        "Time in which a rank communicates and does not compute, mean over ranks; waiting for "
        "peers inside a collective counts.",
        "union of the intervals of collectives, sends and receives (from when their message "
        "is on the way), without those of compute",
        kLumos},
    MetricInfo{"exposed_memory", "exposed memory", "s",
               "Time in which a rank accesses remote memory and neither computes nor communicates, "
               "mean over ranks.",
               "union of the intervals of memory nodes, without all others", kLumos},
    MetricInfo{
        "idle", "idle", "s",
        "Time in which a rank does nothing, mean over ranks, including the wait from its own "
        "end to the end of the step.",
        "step - exposed compute - overlapped - exposed communication - exposed memory", kLumos},
    MetricInfo{"bubble", "bubble", "1",
               "The share of the step in which ranks of a pipeline do nothing, mean over the ranks "
               "that send or receive.",
               "idle / step over ranks that have a send or a receive",
               "Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters "
               "(SC 2021), section 2.2, measured instead of estimated"},
    MetricInfo{
        "peer_wait", "waiting for peers", "s",
        "How long a rank's nodes waited for others, mean over ranks: in collectives for the "
        "last member, in receives for the message to be sent.",
        "sum of the waits of its collectives, receives and sends; nodes that wait at the same "
        "time count each",
        "definition"},
    MetricInfo{"peer_wait_worst", "longest waiting for peers", "s",
               "The same for the rank that waited longest.", "maximum over ranks", "definition"},
    MetricInfo{"straggler", "straggler", "s",
               "How long others waited for the rank they waited for most.",
               "maximum over ranks of the waits, summed over the waiting, that ended when it came",
               "definition"},
    MetricInfo{
        "algbw", "algorithm bandwidth", "B/s",
        "Bytes per second of the collectives that take most of the time (one type, size and "
        "number of ranks).",
        "size / time, from when the last member came until the last was done; the size is the "
        "whole buffer, the larger of what one rank puts in and what it gets",
        kNccl, true},
    MetricInfo{"busbw", "bus bandwidth", "B/s",
               "The same as a speed of the links, comparable over numbers of ranks.",
               "algbw × 2(n-1)/n for all-reduce, (n-1)/n for all-gather, reduce-scatter and "
               "all-to-all, 1 for others",
               kNccl, true},
    MetricInfo{"of_bound", "share of the bound", "1",
               "How near these collectives come to what their links could do at best.",
               "time at full bandwidth of the slowest dimension without any latency / time",
               "lower bound of bytes that must leave each rank per dimension", true},
    MetricInfo{
        "tokens_rate", "tokens per second", "1/s",
        "How many tokens all devices together train on in a second.",
        "global batch × sequence length / step; only of a model and a plan, as traces do not "
        "say what they are for",
        "definition", true},
    MetricInfo{"tokens_rate_device", "tokens per second and device", "1/s",
               "The same for one device.", "tokens per second / ranks", "definition", true},
    MetricInfo{
        "samples_rate", "samples per second", "1/s",
        "How many pictures or rows all devices together train on in a second, of models that "
        "have no tokens.",
        "global batch / step; only of a model and a plan", "definition", true},
    MetricInfo{
        "flops_rate_device", "model FLOP/s per device", "FLOP/s",
        "Operations per second and device that the model needs: what is quoted as TFLOP/s "
        "per GPU.",
        "FLOPs of the matrix products of the forward and the backward pass, without what is "
        "done again, / (step × ranks); of causal attention what the kernel computes: half of "
        "the scores with flash attention, all of them without",
        kPalm, true},
    MetricInfo{"flops", "operations", "FLOP",
               "Floating-point operations of all ranks, as the trace counts them.",
               "sum over compute nodes", "definition", true},
    MetricInfo{
        "hfu", "hardware FLOPs utilisation", "1",
        "Operations done over what the devices could do at peak in the same time.",
        "operations / (step × peak × ranks); peak: the catalogue's dense one of the device and "
        "precision; operations: of a model and a plan those of its matrix products with what "
        "is done again, of traces all that their nodes state",
        kMegatron, true},
    MetricInfo{
        "mfu", "model FLOPs utilisation", "1",
        "The same without operations that are done a second time to save memory.",
        "of a model and a plan model FLOP/s per device / peak; of traces operations of nodes "
        "whose name does not say \"recompute\" / (step × peak × ranks)",
        kPalm, true},
    MetricInfo{"peak_memory", "peak memory", "B",
               "The most bytes that a rank holds at one time, at the rank that holds most.",
               "from first writer to last reader of every tensor that the trace names; of a model "
               "and a plan, which name none, by account as in `orrery memory`",
               "definition"},
    MetricInfo{"critical_work", "critical: work", "s",
               "The part of the critical path in which something computes or accesses memory.",
               "sum of the path's stretches by cause; all causes sum to the step", kOwn},
    MetricInfo{"critical_bandwidth", "critical: bandwidth", "s",
               "The part of the critical path in which bytes cross links.",
               "sum of the path's stretches by cause", kOwn},
    MetricInfo{"critical_latency", "critical: latency", "s",
               "The part of the critical path spent on hops and end points.",
               "sum of the path's stretches by cause", kOwn},
    MetricInfo{"critical_queue", "critical: queues", "s",
               "The part of the critical path spent waiting for a busy link, dimension or memory.",
               "sum of the path's stretches by cause", kOwn},
    MetricInfo{
        "critical_wait", "critical: waiting", "s",
        "The part of the critical path in which it waits for a peer that cannot be named, or "
        "that nothing recorded explains.",
        "sum of the path's stretches by cause (peer and idle)", kOwn},
    MetricInfo{"critical_ranks", "ranks on the critical path", "ranks",
               "How many ranks the critical path visits.", "count of distinct ranks on it", kOwn},
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
      "# Metrics\n\n"
      "<!-- Generated from src/orrery/analysis/metrics/metric_table.cc by the analysis tests with "
      "ORRERY_UPDATE_DOCS=1. -->\n\n"
      "What `orrery report`, `orrery compare` and `--json` call by name. `orrery explain NAME` "
      "says "
      "the same, with the\nfigures of a run. A unit of 1 is a share: 0.25 is 25 %. A metric is "
      "left "
      "out where a run has nothing to\ncompute it from.\n\n"
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
