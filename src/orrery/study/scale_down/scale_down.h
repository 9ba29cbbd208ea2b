// SPDX-License-Identifier: Apache-2.0
//
// Scales a job down and compares the smaller job with the original.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/reshape/batch.h"
#include "orrery/graph/transform/rank_subset.h"
#include "orrery/study/question.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/study/scale_down/rank_choice.h"
#include "orrery/study/study.h"

namespace orrery::study {

/// The invariant when groups shrink.
enum class ScaleInvariant : std::uint8_t {
  buffers,  ///< complete buffers of collectives, and the compute of each rank
  volume,   ///< bytes that each rank sends in a collective, and its compute
  stated,   ///< sizes as stated by nodes, and the compute of each rank
  job       ///< buffers and the model: shards of fewer ranks are larger
};

}  // namespace orrery::study

namespace orrery::config {

template <>
struct EnumNames<study::ScaleInvariant> {
  static constexpr std::array<EnumName<study::ScaleInvariant>, 4> names{
      {{"buffers", study::ScaleInvariant::buffers},
       {"volume", study::ScaleInvariant::volume},
       {"stated", study::ScaleInvariant::stated},
       {"job", study::ScaleInvariant::job}}};
};

}  // namespace orrery::config

namespace orrery::study {

/// A number that may be given as a ratio: "1/4", "0.5".
struct Ratio {
  double value = 1;
};
[[nodiscard]] std::string field_text(const Ratio& ratio);
/// Parses "1/4" or "0.5". Errc: usage.
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where, Ratio& out);

struct ScaleDownQuestion {
  /// Without a cluster traces are replayed with recorded communication times.
  Question base;
  std::string ranks;  ///< see choose_ranks
  std::optional<std::uint32_t> layers, microbatches;
  Ratio batch;
  ScaleInvariant keep = ScaleInvariant::buffers;

  static constexpr std::string_view group = "Sizes";
  static constexpr auto fields = std::tuple{
      QuestionField{
          "ranks", &ScaleDownQuestion::ranks, "--keep-ranks", "N", kAnswer, "2",
          "Remaining ranks: in total (4), or along axes (dp=2,pp=2); other axes stay unchanged"},
      QuestionField{"layers", &ScaleDownQuestion::layers, "--keep-layers", "N", kAnswer, "2",
                    "Number of remaining layers, over all remaining stages"},
      QuestionField{"microbatches", &ScaleDownQuestion::microbatches, "--keep-microbatches", "N",
                    kAnswer, "1", "Number of remaining microbatches per step"},
      QuestionField{"batch", &ScaleDownQuestion::batch, "--keep-batch", "SHARE", kAnswer, "1/2",
                    "Remaining share of the samples of a microbatch: 1/4"},
      QuestionField{"keep", &ScaleDownQuestion::keep, "--keep", "WHAT", kAnswer, "volume",
                    "What smaller groups preserve: buffers (of collectives), volume (bytes that "
                    "each rank sends), stated (sizes of nodes), job (buffers and the model)"},
      QuestionGroup{"Options"},
      QuestionStruct{"base", &ScaleDownQuestion::base,
                     SelectedRow{"cluster", "Simulate on this cluster and on a part of it"},
                     SelectedRow{"network_bandwidth", "Bandwidth of the links of a dimension"},
                     SelectedRow{"groups", "Process groups of Chakra traces"},
                     SelectedRow{"recorded"}, SelectedRow{"job"}}};
};

/// Metrics of one of the two simulated jobs. Means are over ranks; for the original job over the
/// remaining ranks.
struct ScaledSide {
  std::uint32_t ranks = 0;
  graph::Shape shape;  ///< layers and microbatches, from the repetitions found
  std::uint64_t nodes = 0;
  Time step{};                              ///< end of the last rank
  Time compute{};                           ///< time with compute
  Time comm{};                              ///< time with communication, overlapped or not
  Time comm_only{}, memory_only{}, idle{};  ///< these and `compute` sum to `step`
  double flops = 0, bytes = 0;              ///< FLOPs and bytes as stated by nodes
  double sent = 0;                          ///< bytes sent to the network
  Bytes memory{};                           ///< peak tensor memory of any rank; 0: unknown
};

/// Traffic of the remaining ranks along an axis: in collectives of one type, or in messages.
struct AxisTraffic {
  std::string axis;  ///< key of the axis; empty: messages, and groups along no axis
  std::string type;  ///< "all_reduce" … "send"
  std::uint32_t original_members = 0,
                scaled_members = 0;             ///< 0: messages, or no remaining traffic
  double original_count = 0, scaled_count = 0;  ///< means over ranks
  double original_sent = 0, scaled_sent = 0;    ///< bytes, means over ranks, by sizes of nodes
};

/// Step time of the original job, extrapolated from scaled-down jobs.
struct Extrapolation {
  Time step{};
  double error = 0;  ///< relative error to the simulated step of the original; signed
};

struct ScaleDown {
  std::string workload;
  bool replayed = false;
  ScaleInvariant keep = ScaleInvariant::buffers;
  double batch = 1;
  RankChoice choice;
  ScaledSide original, scaled;
  std::vector<AxisTraffic> traffic;
  graph::DroppedCommunication left_out;
  graph::BatchReport batch_scaling;
  double optimizer_growth = 1;  ///< with ScaleInvariant::job
  /// In proportion to layers × (microbatches + stages - 1) × batch.
  Extrapolation proportional;
  /// … from simulations of a second size. Empty unless layers or microbatches are fewer, and a size
  /// lies between the two.
  std::optional<Extrapolation> by_sizes;
  std::shared_ptr<const graph::Workload> scaled_workload;
  std::shared_ptr<const Cluster> scaled_cluster;
  Findings findings;
};

/// Scales the job down and simulates both jobs. It reduces ranks first, then layers and
/// microbatches, then the batch. Errc: as what_if; as choose_ranks, graph::select_ranks,
/// graph::reshaped, graph::with_batch, platform::restrict_to_devices.
[[nodiscard]] Result<ScaleDown> scale_down(const ScaleDownQuestion& question, Watch& watch);

}  // namespace orrery::study
