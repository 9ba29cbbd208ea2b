// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Compare the algorithms for a collective with a lower bound: `orrery collective compare`.
struct CollectiveCompareQuestion {
  /// A cluster file, or a name of the catalog.
  std::optional<std::string> cluster{};
  /// Size of the full buffer: the larger of a rank's input and output; by default 1GB. A size:
  /// 64MB.
  std::optional<std::string> size{};
  /// dispatch, combine: number of experts on all ranks. Default: 0.
  std::optional<std::int64_t> experts{};
  /// dispatch, combine: number of experts per token. Default: 0.
  std::optional<std::int64_t> top_k{};
  /// Number format, which limits reduction in switches: fp32, bf16 …; by default any.
  std::optional<std::string> dtype{};
  /// analytical (no congestion), message (congestion), flow (shared links), packet (packets in
  /// queues), noc (flits in routers) or ns3 (packets of ns-3). One of analytical, message, flow,
  /// packet, noc, ns3.
  std::optional<std::string> network{};
  /// Order of dimensions for chunks, instead of the cluster's; best: the fastest order and number
  /// of chunks that is found.
  std::optional<std::string> chunk_order{};
  /// Links of a dimension: inter=25GB/s (between nodes), intra=…, 1=400Gb/s, or a factor:
  /// inter=0.5.
  std::vector<std::string> network_bandwidth{};
  /// A change of the cluster: NCCL_ALGO=Ring (docs/reference/nccl-variables.md), inter=25GB/s,
  /// latency=0.5.
  std::vector<std::string> change{};
  /// Ranks that take part: 0-7,16; by default all.
  std::optional<std::string> ranks{};
  /// all-reduce, all-gather, reduce-scatter, all-to-all; for tokens of experts: dispatch, combine.
  std::optional<std::string> collective{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("cluster", cluster);
    text.add("size", size);
    text.add("experts", experts);
    text.add("top_k", top_k);
    text.add("dtype", dtype);
    text.add("network", network);
    text.add("chunk_order", chunk_order);
    text.add("network_bandwidth", network_bandwidth);
    text.add("change", change);
    text.add("ranks", ranks);
    text.add("collective", collective);
    return text.finish();
  }
};

[[nodiscard]] inline Answer collective_compare(const CollectiveCompareQuestion& question,
                                               const CallOptions& options = {}) {
  return call("collective compare", question.json(), options);
}

/// Check a plan of a collective (MSCCL, MSCCL++, Chakra): `orrery collective check`.
struct CollectiveCheckQuestion {
  /// Size of the full buffer: the larger of a rank's input and output; by default 1GB. A size:
  /// 64MB.
  std::optional<std::string> size{};
  /// Cluster to simulate the plan on: a file, or a name of the catalog.
  std::optional<std::string> cluster{};
  /// Links of a dimension: inter=25GB/s (between nodes), intra=…, 1=400Gb/s, or a factor:
  /// inter=0.5.
  std::vector<std::string> network_bandwidth{};
  /// analytical (no congestion), message (congestion), flow (shared links), packet (packets in
  /// queues), noc (flits in routers) or ns3 (packets of ns-3). One of analytical, message, flow,
  /// packet, noc, ns3.
  std::optional<std::string> network{};
  /// Ranks of the cluster that run the plan: 0-7,16; by default the first; once per FILE.
  std::vector<std::string> ranks{};
  /// Write the plan: FILE.xml for MSCCL ('-' for stdout), otherwise a folder of Chakra traces.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// A plan: MSCCL XML, MSCCL++ JSON, or the prefix of Chakra traces; several run concurrently.
  std::vector<std::string> file{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("size", size);
    text.add("cluster", cluster);
    text.add("network_bandwidth", network_bandwidth);
    text.add("network", network);
    text.add("ranks", ranks);
    text.add("output", output);
    text.add("force", force);
    text.add("file", file);
    return text.finish();
  }
};

[[nodiscard]] inline Answer collective_check(const CollectiveCheckQuestion& question,
                                             const CallOptions& options = {}) {
  return call("collective check", question.json(), options);
}

/// Synthesize a collective for a fabric, with a lower bound: `orrery collective synthesize`.
struct CollectiveSynthesizeQuestion {
  /// A fabric or a cluster.
  std::optional<std::string> fabric{};
  /// Size of the full buffer: the larger of a rank's input and output; by default 1GiB. A size:
  /// 64MB. Default: 1073741824B.
  std::optional<std::string> size{};
  /// Only these ranks: 0-7,16; repeated: several groups, whose collectives run concurrently.
  std::vector<std::string> ranks{};
  /// broadcast, reduce: index of the root in its group; by default 0. Default: 0.
  std::optional<std::int64_t> root{};
  /// Chunks of each rank's shard; by default several numbers are tried. Default: 0.
  std::optional<std::int64_t> shard_chunks{};
  /// Random seed; by default 1. Default: 1.
  std::optional<std::int64_t> seed{};
  /// Search even if the fabric is a torus, which has a constructive schedule.
  std::optional<bool> search{};
  /// Plot the use of links over time as SVG.
  std::optional<std::string> plot{};
  /// Write the schedule as one self-contained web page.
  std::optional<std::string> html{};
  /// Web page to fill, instead of the built-in one.
  std::optional<std::string> page{};
  /// Write the plan: FILE.xml for MSCCL ('-' for stdout), otherwise a folder of Chakra traces. Only
  /// ranks forward data then. Several groups get one numbered plan each.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// all-gather, reduce-scatter, all-reduce, all-to-all, broadcast or reduce.
  std::optional<std::string> collective{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("fabric", fabric);
    text.add("size", size);
    text.add("ranks", ranks);
    text.add("root", root);
    text.add("shard_chunks", shard_chunks);
    text.add("seed", seed);
    text.add("search", search);
    text.add("plot", plot);
    text.add("html", html);
    text.add("page", page);
    text.add("output", output);
    text.add("force", force);
    text.add("collective", collective);
    return text.finish();
  }
};

[[nodiscard]] inline Answer collective_synthesize(const CollectiveSynthesizeQuestion& question,
                                                  const CallOptions& options = {}) {
  return call("collective synthesize", question.json(), options);
}

}  // namespace orrery::api
