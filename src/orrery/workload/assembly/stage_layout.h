// SPDX-License-Identifier: Apache-2.0
//
// The model laid out over the stages, for ranks of one class. Private to the assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/assembly/assemble.h"
#include "orrery/workload/assembly/pass_writer.h"

namespace orrery::workload {

/// Where on a stage's chunk the model's virtual stage `index` of pipe `pipe` lies.
struct VirtualPlace {
  std::uint32_t pipe = 0;
  std::uint32_t index = 0;
};
/// By stage, then chunk.
[[nodiscard]] std::vector<std::vector<VirtualPlace>> virtual_places(const PipelineOrder& order);

/// Parts of the model by virtual stage, as ranks of one class see them.
class StageLayout {
 public:
  /// Adds the model's parts to `parts`. Tied tables: with pp > 1 the head has a copy of its own,
  /// except on ranks that hold the input table, too; there it is as in a model on one stage.
  static Result<StageLayout> make(const Spec& spec, const Mesh& mesh, const Position& where,
                                  const PipelineOrder& order, const Lowering& lowering,
                                  std::vector<LoweredPart>& parts);

  /// The chunks of a stage: what lies there, and the messages to and from its neighbours.
  [[nodiscard]] std::vector<Chunk> chunks(std::uint32_t stage) const;
  /// Elements of the tied table on this stage that a copy on another stage has to be added to; 0
  /// where there is none. dual_pipe: none, since stages exchange all gradients.
  [[nodiscard]] std::int64_t table(std::uint32_t stage) const;

 private:
  [[nodiscard]] bool holds_both(std::uint32_t stage) const;
  [[nodiscard]] Message message(std::uint32_t stage, std::uint32_t chunk, std::uint32_t pipe,
                                std::int64_t neighbour, bool gradients, bool send) const;

  const PipelineOrder* order_ = nullptr;
  std::vector<std::vector<VirtualPlace>> places_;
  std::vector<std::vector<PartRun>> stages_;  ///< by virtual stage
  std::vector<std::int64_t> boundary_;        ///< by virtual stage: what it sends on
  std::vector<std::uint32_t> without_copy_;   ///< by part: the same without a copy of the table
  std::uint32_t first_part_ = 0;
  std::int64_t shares_ = 1;                        ///< that a message is sent in, by ranks of tp
  graph::Format numbers_ = graph::Format::unsaid;  ///< of messages
  std::int64_t table_ = 0;                         ///< elements of the head's copy
};

}  // namespace orrery::workload
