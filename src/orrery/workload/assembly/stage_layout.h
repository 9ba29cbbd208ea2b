// SPDX-License-Identifier: Apache-2.0
//
// Distributes the model over the stages, for ranks of one class. Private to the assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/assembly/assemble.h"
#include "orrery/workload/assembly/pass_writer.h"

namespace orrery::workload {

/// The virtual stage that a chunk of a stage holds: virtual stage `index` of pipe `pipe`.
struct PipePosition {
  std::uint32_t pipe = 0;
  std::uint32_t index = 0;
};
/// The virtual stage of each chunk, by stage, then chunk.
[[nodiscard]] std::vector<std::vector<PipePosition>> pipe_positions(const PipelineOrder& order);

/// The parts of the model by virtual stage, for ranks of one class.
class StageLayout {
 public:
  /// Adds the model's parts to `parts`. Tied tables: with pp > 1 the head has its own copy. On
  /// ranks that also hold the input table, both use one table, as in a model on one stage.
  static Result<StageLayout> make(const Spec& spec, const Mesh& mesh, const Position& where,
                                  const PipelineOrder& order, const Lowering& lowering,
                                  std::vector<LoweredPart>& parts);

  /// The chunks of a stage: their parts, and the messages to and from neighbors.
  [[nodiscard]] std::vector<Chunk> chunks(std::uint32_t stage) const;
  /// Elements of this stage's copy of the tied table whose gradients are added to those of a copy
  /// on another stage; 0 if there is none. dual_pipe: 0, since stages exchange all gradients.
  [[nodiscard]] std::int64_t tied_table_elements(std::uint32_t stage) const;

 private:
  [[nodiscard]] bool holds_both_tables(std::uint32_t stage) const;
  [[nodiscard]] Message message(std::uint32_t stage, std::uint32_t chunk, std::uint32_t pipe,
                                std::int64_t neighbor, bool gradients, bool send) const;

  const PipelineOrder* order_ = nullptr;
  std::vector<std::vector<PipePosition>> places_;
  std::vector<std::vector<PartRun>> stages_;  ///< by virtual stage
  std::vector<std::int64_t> boundary_bytes_;  ///< by virtual stage: bytes that it sends to the next
  std::vector<std::uint32_t> without_copy_;   ///< by part: the index of the same part without a
                                              ///< copy of the table
  std::uint32_t first_part_ = 0;
  std::int64_t message_shares_ = 1;  ///< shares of a message, one per tp rank that
                                     ///< sends
  graph::Format message_format_ = graph::Format::unsaid;  ///< format of messages
  std::int64_t table_copy_elements_ = 0;                  ///< elements of the head's copy
};

}  // namespace orrery::workload
