// SPDX-License-Identifier: Apache-2.0
//
// ASTRA-sim 1.0 workloads (text) as Chakra traces.
//
//   HYBRID_DLRM 2                      the parallelism; for DLRM the last layer of its bottom part
//   5                                  layers
//   embedding -1 4 ALLTOALL 1000 4 ALLTOALL 1000 4 NONE 0 2
//   name reserved, forward: time comm size, input gradient: …, weight gradient: …, update time
//
// Every rank does the same. Times are taken as microseconds and sizes as bytes, as Chakra's own
// converter does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::intake {

enum class Parallelism : std::uint8_t { micro, data, model, hybrid, dlrm };

/// One of a layer's three parts.
struct AstraStep {
  std::uint64_t micros = 0;
  /// Chakra's number of the collective behind it, or -1: none.
  std::int32_t comm_type = -1;
  std::int64_t comm_size = 0;
};

struct AstraLayer {
  std::string name;
  AstraStep forward, input_gradient, weight_gradient;
};

struct AstraWorkload {
  Parallelism parallelism = Parallelism::micro;
  std::string word;               ///< "HYBRID_DATA_MODEL"
  std::uint32_t last_bottom = 0;  ///< dlrm: the layer that joins the embeddings
  std::vector<AstraLayer> layers;
};

struct AstraTextOptions {
  std::uint32_t ranks = 1;
  std::uint32_t passes = 1;
  /// NONE as Chakra's converter has it: an all-reduce of nothing. Otherwise NONE is no node, and
  /// what would wait for it waits for the computation before it.
  bool none_is_all_reduce = false;
  bool force = false;  ///< convert_astra_text: replaces files that are there
};

struct AstraTextReport {
  std::uint32_t ranks = 0;
  std::uint64_t nodes = 0;  ///< per rank
  std::uint64_t edges = 0;  ///< per rank
};

/// Errc: input_empty, input_corrupt, input_range, input_truncated (fewer layers than announced),
/// input_unsupported (HYBRID_TRANSFORMER and other words). More layers than announced are taken,
/// update times are not used: counted (attr_ignored).
[[nodiscard]] Result<AstraWorkload> parse_astra_text(std::string_view text,
                                                     const std::string& where,
                                                     const AstraTextOptions& options,
                                                     Findings& findings);

/// Hands over the nodes of one rank, ids 0, 1, … Errc: limit_exceeded, and the callback's.
[[nodiscard]] Result<AstraTextReport> astra_nodes(
    const AstraWorkload& workload, const AstraTextOptions& options,
    const std::function<Result<void>(const trace::chakra::NodeRecord&)>& on_node);

/// Writes `<prefix>.<rank>.et` for every rank, all with equal bytes. Errc: as parse_astra_text, or
/// usage, input_not_found, output_exists (before anything is written), output_failed.
[[nodiscard]] Result<AstraTextReport> convert_astra_text(const std::string& path,
                                                         const std::string& prefix,
                                                         const AstraTextOptions& options,
                                                         Findings& findings);

}  // namespace orrery::intake
