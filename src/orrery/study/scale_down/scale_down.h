// SPDX-License-Identifier: Apache-2.0
//
// A job made smaller, and what the smaller one still stands for.
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

/// What stays as it was where groups get smaller.
enum class ScaleInvariant : std::uint8_t {
  buffers,  ///< whole buffers of collectives, and what each rank computes
  volume,   ///< the bytes that each rank sends in a collective, and what it computes
  stated,   ///< sizes as nodes state them, and what each rank computes
  job       ///< buffers and the model: what is sharded among fewer ranks is larger on each
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

/// A number that may be typed as a ratio: "1/4", "0.5".
struct Ratio {
  double value = 1;
};
[[nodiscard]] std::string field_text(const Ratio& ratio);
/// Errc: usage.
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where, Ratio& out);

struct ScaleDownQuestion {
  /// Without a cluster traces are played again, and communications take what they were recorded to
  /// take.
  Question base;
  std::string ranks;  ///< see choose_ranks
  std::optional<std::uint32_t> layers, microbatches;
  Ratio batch;
  ScaleInvariant keep = ScaleInvariant::buffers;

  static constexpr std::string_view group = "What is made smaller";
  static constexpr auto fields = std::tuple{
      QuestionField{"ranks", &ScaleDownQuestion::ranks, "--ranks", "N", kAnswer, "2",
                    "How many ranks stay, in all (4) or along axes (dp=2,pp=2); others stay as "
                    "they are"},
      QuestionField{"layers", &ScaleDownQuestion::layers, "--layers", "N", kAnswer, "2",
                    "... layers of the model, of all stages that stay"},
      QuestionField{"microbatches", &ScaleDownQuestion::microbatches, "--microbatches", "N",
                    kAnswer, "1", "... microbatches of a step"},
      QuestionField{"batch", &ScaleDownQuestion::batch, "--batch", "SHARE", kAnswer, "1/2",
                    "... of the samples of a microbatch: 1/4"},
      QuestionField{"keep", &ScaleDownQuestion::keep, "--keep", "WHAT", kAnswer, "volume",
                    "What stays where groups get smaller: buffers (of collectives, whole), volume "
                    "(that each rank sends), stated (sizes as nodes have them), job (buffers and "
                    "the model)"},
      QuestionGroup{"Options"},
      QuestionStruct{"base", &ScaleDownQuestion::base,
                     SelectedRow{"cluster", "Simulate on this cluster, and on a part of it"},
                     SelectedRow{"groups", "Process groups of Chakra traces"},
                     SelectedRow{"recorded"}, SelectedRow{"job"}}};
};

/// One of the two, as simulated. Means over ranks: of the larger job those that stay.
struct ScaledSide {
  std::uint32_t ranks = 0;
  graph::Shape shape;  ///< as repetitions say
  std::uint64_t nodes = 0;
  Time step{};                              ///< all ranks have ended
  Time compute{};                           ///< something computes
  Time comm{};                              ///< something communicates, hidden or not
  Time comm_only{}, memory_only{}, idle{};  ///< these and `compute` sum to `step`
  double flops = 0, bytes = 0;              ///< that works state
  double sent = 0;                          ///< bytes on the network
  Bytes memory{};  ///< most that tensors take on a rank; 0: traces do not say
};

/// What ranks that stay send along an axis in collectives of a type; or in messages.
struct AxisTraffic {
  std::string axis;  ///< its key; empty: groups that lie along none, and messages
  std::string type;  ///< "all_reduce" … "send"
  std::uint32_t original_members = 0,
                scaled_members = 0;             ///< 0: messages; of `is` also where none is left
  double original_count = 0, scaled_count = 0;  ///< means over ranks
  double original_sent = 0, scaled_sent = 0;    ///< bytes, likewise, by nodes' sizes
};

/// The step of the larger job by what smaller ones take.
struct Extrapolation {
  Time step{};
  double off = 0;  ///< share of the larger job's simulated step
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
  Extrapolation proportional;   ///< layers × (microbatches + stages - 1) × batch
  /// … by a second size of layers and microbatches, where these are fewer and there is one between.
  std::optional<Extrapolation> by_sizes;
  std::shared_ptr<const graph::Workload> scaled_workload;
  std::shared_ptr<const Cluster> scaled_cluster;
  Findings findings;
};

/// Makes it smaller and simulates both: first fewer ranks, then layers and microbatches, then the
/// batch. Errc: as what_if; as choose_ranks, with_fewer_ranks, reshaped, with_batch,
/// with_fewer_devices.
[[nodiscard]] Result<ScaleDown> scale_down(const ScaleDownQuestion& question, Watch& watch);

}  // namespace orrery::study
