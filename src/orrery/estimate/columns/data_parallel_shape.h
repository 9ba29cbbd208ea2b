// SPDX-License-Identifier: Apache-2.0
//
// What data parallelism holds, and whom it talks to, on one mesh.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "orrery/estimate/columns/layer_shape.h"
#include "orrery/workload/assembly/data_parallel.h"
#include "orrery/workload/memory/model_state.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// Which ends of the model a stage, or a chunk, has.
enum class Ends : std::uint8_t { embedding, none, head, both };
inline constexpr std::size_t kEnds = 4;
[[nodiscard]] constexpr bool has_embedding(Ends ends) {
  return ends == Ends::embedding || ends == Ends::both;
}
[[nodiscard]] constexpr bool has_head(Ends ends) {
  return ends == Ends::head || ends == Ends::both;
}

/// Which ends stages of so many can have: all but `both`, or `both` alone.
[[nodiscard]] constexpr bool occurs(Ends ends, std::int32_t stages) {
  return (stages == 1) == (ends == Ends::both) && !(ends == Ends::none && stages == 2);
}
/// Likewise of chunks.
[[nodiscard]] constexpr bool chunk_occurs(Ends ends, std::int32_t stages, std::int32_t chunks) {
  const std::int32_t pieces = stages * chunks;
  return (pieces == 1) == (ends == Ends::both) && !(ends == Ends::none && pieces == 2);
}
/// How many of each part a stage or chunk of so many layers has, by Place.
[[nodiscard]] std::array<std::int64_t, kPlaces> parts_of(std::int64_t layers, Ends ends);

/// For all plans with the same mesh and sharding.
struct DataParallelShape {
  std::int64_t stride = 1;                               ///< ranks from one stage to the next
  std::array<workload::ModelStateBytes, kPlaces> state;  ///< of a part, by Place
  std::array<std::int64_t, kPlaces> gathered{};          ///< of a part's weights, whole
  std::array<std::int64_t, kPlaces> copies{};            ///< gradients in fp32 beside others
  std::array<std::uint32_t, kEnds> axes{};               ///< that stages communicate over, as bits
};

/// Gradients that are sent off together in a backward pass.
struct Bucket {
  std::uint32_t after = 0;  ///< so many parts
  workload::Elements sum;
};

/// What plans on one mesh do. Outlived by the layers' shape.
class DataParallelWork {
 public:
  DataParallelWork(const workload::Spec& spec, const LayerShape& layer);

  [[nodiscard]] DataParallelShape shape() const;
  [[nodiscard]] const workload::Program& program() const { return program_; }
  [[nodiscard]] const workload::DataParallel& data() const { return data_; }
  [[nodiscard]] workload::Elements trained(std::size_t place) const;
  [[nodiscard]] workload::Elements whole(std::size_t place) const;
  /// Ops that follow the last backward pass of a stage.
  [[nodiscard]] std::vector<workload::Op> step(Ends ends) const;
  /// Of a chunk, in the order in which they are ready.
  [[nodiscard]] std::vector<Bucket> buckets(std::int64_t layers, Ends ends) const;
  /// Bytes of gradients beside where they are summed up, while the backward pass is at each part,
  /// in the model's order.
  [[nodiscard]] std::vector<std::int64_t> concurrent(std::int64_t layers, Ends ends) const;

 private:
  void set_state(DataParallelShape& out) const;

  workload::Program program_;
  workload::DataParallel data_;
  const LayerShape& layer_;
};

}  // namespace orrery::estimate
