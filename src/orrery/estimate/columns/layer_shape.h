// SPDX-License-Identifier: Apache-2.0
//
// What a model of layers that are alike holds and whom it talks to, cut one way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// Where parts of a model lie: what stands before the layers, a layer, what follows them.
enum class Place : std::uint8_t { embedding, layer, head };
inline constexpr std::size_t kPlaces = 3;
inline constexpr std::size_t kLayerPlace = static_cast<std::size_t>(Place::layer);

/// What a part holds of one microbatch, in bytes (workload/memory).
struct PartMemory {
  std::int64_t stored = 0, halfway = 0, working = 0, redone = 0, shared = 0;
};

struct LayerShape {
  bool uniform = false;  ///< false: layers differ, and nothing else is told
  std::int64_t layers = 0;
  std::array<PartMemory, kPlaces> memory;  ///< by Place
  std::array<workload::Weights, kPlaces> weights, frozen;
  std::int64_t boundary = 0;                     ///< bytes of a message between stages
  std::array<std::int64_t, kPlaces> gathered{};  ///< the largest input gathered again over tp for
                                                 ///< a weight half, by part
  std::array<std::uint32_t, kPlaces> axes{};     ///< that a part communicates over, as bits

  std::int64_t peers = 0;  ///< ranks that a rank exchanges tokens with directly
  std::int64_t table = 0;  ///< elements of the head's copy of a tied table

  [[nodiscard]] workload::Weights trained(std::size_t place) const {
    return weights[place].without(frozen[place]);
  }
};

/// Which part of a model lies at a place; -1: none. Nothing where layers differ.
using PartsByPlace = std::array<std::int32_t, kPlaces>;
[[nodiscard]] std::optional<PartsByPlace> places_of(const workload::LoweredModel& model);

/// Errc: those of laying it out.
[[nodiscard]] Result<LayerShape> layer_shape(const workload::Spec& spec);

/// A program of `spec` without ops: its mesh and roles, of ranks of whole stages.
[[nodiscard]] workload::Program empty_program(const workload::Spec& spec);

}  // namespace orrery::estimate
