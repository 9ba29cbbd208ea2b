// SPDX-License-Identifier: Apache-2.0
//
// Memory and communication of a model with identical layers, under one partitioning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "orrery/core/error.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// Position of a part in a model: before the layers, a layer, after the layers.
enum class Place : std::uint8_t { embedding, layer, head };
inline constexpr std::size_t kPlaces = 3;
inline constexpr std::size_t kLayerPlace = static_cast<std::size_t>(Place::layer);

/// Memory of a part for one microbatch, in bytes (workload/memory).
struct PartMemory {
  std::int64_t stored = 0, halfway = 0, working = 0, redone = 0, shared = 0;
};

struct LayerShape {
  bool uniform = false;  ///< false: layers differ, and the other fields are unset
  std::int64_t layers = 0;
  std::array<PartMemory, kPlaces> memory;  ///< by Place
  std::array<workload::Weights, kPlaces> weights, frozen;
  std::int64_t boundary = 0;  ///< size of a message between stages, bytes
  /// Largest input that a weight half gathers again over tp, bytes, by Place.
  std::array<std::int64_t, kPlaces> gathered{};
  std::array<std::uint32_t, kPlaces> axes{};  ///< axes over which a part communicates, as bits

  /// Ranks with which a rank exchanges tokens directly; at most 7 per group.
  std::int64_t peers = 0;
  std::int64_t table = 0;  ///< elements of the head's copy of tied embeddings

  [[nodiscard]] workload::Weights trained(std::size_t place) const {
    return weights[place].without(frozen[place]);
  }
};

/// Index of the part at each Place; -1: none.
using PartsByPlace = std::array<std::int32_t, kPlaces>;
[[nodiscard]] std::optional<PartsByPlace> places_of(const workload::LoweredModel& model);

/// Errc: those of assembly.
[[nodiscard]] Result<LayerShape> layer_shape(const workload::Spec& spec);

/// A program of `spec` without ops: its mesh, and one role per stage.
[[nodiscard]] workload::Program empty_program(const workload::Spec& spec);

}  // namespace orrery::estimate
