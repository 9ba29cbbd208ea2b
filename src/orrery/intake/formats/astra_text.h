// SPDX-License-Identifier: Apache-2.0
//
// Converts ASTRA-sim 1.0 workloads (text) to Chakra traces.
//
//   HYBRID_DLRM 2                      the parallelism; for DLRM the last layer of its bottom part
//   5                                  layers
//   embedding -1 4 ALLTOALL 1000 4 ALLTOALL 1000 4 NONE 0 2
//   name reserved, forward: time comm size, input gradient: …, weight gradient: …, update time
//
// All ranks execute the same workload. As in Chakra's own converter, times are in microseconds and
// sizes in bytes.
//
// AICB writes the same table for SimAI, with times in nanoseconds and a plan in the first line:
//
//   HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus:
//   8 mlp -1 2000000 ALLREDUCE 33554432 2000000 NONE 0 2000000 ALLREDUCE_DP_EP 1024 100
//
// A suffix of a collective names its group. Without one, collectives of the forward pass and of
// input gradients are those of a tensor-parallel group, those of weight gradients of a
// data-parallel group. Source: aliyun/SimAI, astra-sim/workload/Workload.cc; aliyun/aicb,
// workload/simAI.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::intake {

enum class Parallelism : std::uint8_t { micro, data, model, hybrid, dlrm, transformer };

/// The ranks of a collective; `all` except in AICB's workloads.
enum class AstraGroup : std::uint8_t { all, tp, dp, ep, dp_ep };
[[nodiscard]] std::string_view name(AstraGroup group);
/// The number of ranks of a group, by AstraGroup.
using GroupSizes = std::array<std::uint32_t, 5>;

/// The plan of AICB's workloads. Ranks are numbered as in Megatron-LM: tensor-parallel ranks are
/// consecutive, then data-parallel ranks, then pipeline stages; experts are spread over
/// data-parallel ranks.
struct AicbPlan {
  std::uint32_t tp = 1, ep = 1, pp = 1;
  std::uint32_t ranks = 0;  ///< 0: not stated
};

/// One of the three parts of a layer.
struct AstraStep {
  Time duration{};
  /// Chakra's number of the collective after the computation, or -1: none.
  std::int32_t comm_type = -1;
  std::int64_t comm_size = 0;
  AstraGroup group = AstraGroup::all;
};

struct AstraLayer {
  std::string name;
  AstraStep forward, input_gradient, weight_gradient;
};

struct AstraWorkload {
  Parallelism parallelism = Parallelism::micro;
  std::string word;               ///< "HYBRID_DATA_MODEL"
  std::uint32_t last_bottom = 0;  ///< dlrm: the layer that joins the embeddings
  AicbPlan plan;                  ///< transformer
  std::vector<AstraLayer> layers;
};

struct AstraTextOptions {
  std::uint32_t ranks = 1;
  std::uint32_t passes = 1;
  /// Treats NONE as Chakra's converter does: as an all-reduce of 0 bytes. Otherwise NONE creates no
  /// node, and later nodes wait for the computation before it.
  bool none_is_all_reduce = false;
  bool force = false;  ///< convert_astra_text: replaces existing files
};

struct AstraTextReport {
  std::uint32_t ranks = 0;
  std::uint64_t nodes = 0;  ///< per rank
  std::uint64_t edges = 0;  ///< per rank
};

/// Errc: input_empty, input_corrupt, input_range, input_truncated (fewer layers than declared),
/// input_unsupported (unknown words; recomputed layers, which AICB does not write). Additional
/// layers are used, and update times are ignored; both are counted (attr_ignored).
[[nodiscard]] Result<AstraWorkload> parse_astra_text(std::string_view text,
                                                     const std::string& where,
                                                     const AstraTextOptions& options,
                                                     Findings& findings);

struct AstraNode {
  trace::chakra::NodeRecord record;  ///< its duration is in whole microseconds
  Time duration{};                   ///< exact
  const AstraStep* comm = nullptr;   ///< the collective of a communication node
};

/// Calls `on_node` for each node of one rank, ids 0, 1, … Errc: limit_exceeded, and errors of
/// `on_node`.
[[nodiscard]] Result<AstraTextReport> astra_nodes(
    const AstraWorkload& workload, const AstraTextOptions& options,
    const std::function<Result<void>(const AstraNode&)>& on_node);

/// Reads and parses a file. Errc: as parse_astra_text, and those of reading.
[[nodiscard]] Result<AstraWorkload> read_astra_text(const std::string& path,
                                                    const AstraTextOptions& options,
                                                    Findings& findings);

/// Writes `<prefix>.<rank>.et` for every rank, with identical bytes. Errc: as parse_astra_text;
/// input_unsupported (AICB's workloads, whose times are finer than those of Chakra), usage,
/// input_not_found, output_exists (before it writes), output_failed.
[[nodiscard]] Result<AstraTextReport> convert_astra_text(const std::string& path,
                                                         const std::string& prefix,
                                                         const AstraTextOptions& options,
                                                         Findings& findings);

}  // namespace orrery::intake
