// SPDX-License-Identifier: Apache-2.0
//
// Memory and communication of data parallelism, on one mesh.
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

/// The ends of the model that a stage, or a chunk, contains.
enum class ModelEnds : std::uint8_t { embedding, none, head, both };
inline constexpr std::size_t kModelEnds = 4;
[[nodiscard]] constexpr std::size_t index_of(ModelEnds ends) {
  return static_cast<std::size_t>(ends);
}
[[nodiscard]] constexpr bool has_embedding(ModelEnds ends) {
  return ends == ModelEnds::embedding || ends == ModelEnds::both;
}
[[nodiscard]] constexpr bool has_head(ModelEnds ends) {
  return ends == ModelEnds::head || ends == ModelEnds::both;
}

/// Whether a pipeline of `stages` stages has a stage with these ends: `both` only for one stage,
/// `none` only for more than two.
[[nodiscard]] constexpr bool occurs(ModelEnds ends, std::int32_t stages) {
  return (stages == 1) == (ends == ModelEnds::both) && !(ends == ModelEnds::none && stages == 2);
}
/// The same for chunks.
[[nodiscard]] constexpr bool chunk_occurs(ModelEnds ends, std::int32_t stages,
                                          std::int32_t chunks) {
  return occurs(ends, stages * chunks);
}
/// Number of parts at each Place in a stage or chunk with `layers` layers.
[[nodiscard]] std::array<std::int64_t, kPlaces> parts_of(std::int64_t layers, ModelEnds ends);

/// Applies to all plans with the same mesh and sharding.
struct DataParallelShape {
  std::int64_t stride = 1;                               ///< ranks from one stage to the next
  std::array<workload::ModelStateBytes, kPlaces> state;  ///< per part, by Place
  std::array<std::int64_t, kPlaces> gathered{};  ///< bytes of the unsharded weights of a part
  std::array<std::int64_t, kPlaces> copies{};    ///< bytes of additional fp32 gradients
  std::array<std::uint32_t, kModelEnds> axes{};  ///< axes over which stages communicate, as bits
};

/// Gradients that one collective reduces during a backward pass.
struct Bucket {
  std::uint32_t after = 0;  ///< number of parts whose backward pass precedes it
  workload::Elements sum;
};

/// Data parallelism of plans on one mesh. The layer shape must outlive it.
class DataParallelWork {
 public:
  DataParallelWork(const workload::Spec& spec, const LayerShape& layer);

  [[nodiscard]] DataParallelShape shape() const;
  [[nodiscard]] const workload::Program& program() const { return program_; }
  [[nodiscard]] const workload::DataParallel& data() const { return data_; }
  [[nodiscard]] workload::Elements trained(std::size_t place) const;
  [[nodiscard]] workload::Elements whole(std::size_t place) const;
  /// Ops after the last backward pass of a stage.
  [[nodiscard]] std::vector<workload::Op> step(ModelEnds ends) const;
  /// Buckets of a chunk, in the order in which they are ready.
  [[nodiscard]] std::vector<Bucket> buckets(std::int64_t layers, ModelEnds ends) const;
  /// Bytes of gradients outside the reduction buffer during the backward pass of each part, in the
  /// order of the model.
  [[nodiscard]] std::vector<std::int64_t> gradient_bytes(std::int64_t layers, ModelEnds ends) const;

 private:
  void set_state(DataParallelShape& out) const;

  workload::Program program_;
  workload::DataParallel data_;
  const LayerShape& layer_;
};

}  // namespace orrery::estimate
