// SPDX-License-Identifier: Apache-2.0
//
// The duration of a step, between the points of a grid.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::serving {

/// A part of a prompt: `queries` tokens after `past` tokens that are in the cache.
struct PromptChunk {
  std::int64_t queries = 0, past = 0;
};

/// What a step computes.
struct StepShape {
  std::int64_t tokens = 0;       ///< of all sequences
  std::int64_t samples = 0;      ///< sequences that generate a token
  std::int64_t decodes = 0;      ///< sequences with one token
  std::int64_t decode_keys = 0;  ///< keys that all of these attend to
  std::vector<PromptChunk> chunks;
};

/// Times of the parts of a step, in seconds. Each is called at the points of a grid.
struct StepParts {
  std::function<double(std::int64_t tokens)> layers;  ///< embedding and layers without attention
  std::function<double(std::int64_t samples)> head;   ///< logits and sampling
  std::function<double(std::int64_t sequences, std::int64_t keys)> decode;  ///< attention
  std::function<double(std::int64_t queries, std::int64_t past)> chunk;     ///< attention
  /// As `decode`, in a step that also computes prompts. Null: as `decode`.
  std::function<double(std::int64_t sequences, std::int64_t keys)> mixed_decode;
  /// Attention of one query to one key, the fixed part of its time: in steps without prompts, and
  /// in steps with prompts.
  double attention_floor = 0, prompt_floor = 0;
  /// As `layers`, in a step with prompts if CUDA graphs have no such steps. Null: as `layers`.
  std::function<double(std::int64_t tokens)> eager_layers;
  /// Padding of `tokens`: sizes of CUDA graphs. Null: none.
  std::function<std::int64_t(std::int64_t tokens)> padded;
  /// Tokens of the largest step that CUDA graphs have.
  std::int64_t captured = std::numeric_limits<std::int64_t>::max();
  /// Time in which the host launches all kernels of a step that no CUDA graph has. The host works
  /// while the device does, so a step takes the longer time of both.
  double launch = 0;
};

/// A grid: every integer below 2^bits, then 2^(bits - 1) points per octave.
struct Grid {
  int bits = 4;

  /// The value of a point.
  [[nodiscard]] constexpr std::int64_t value(std::size_t point) const {
    const std::size_t half = std::size_t{1} << (bits - 1);
    if (point < 2 * half) return static_cast<std::int64_t>(point);
    const std::size_t octave = (point - 2 * half) / half, part = (point - 2 * half) % half;
    return static_cast<std::int64_t>(half + part) << (octave + 1);
  }
  /// A value between two points.
  struct Place {
    std::size_t point = 0;           ///< the last point that is not above the value
    std::int64_t low = 0, high = 0;  ///< the values of this point and the next
  };
  /// The place of a value from 0. O(1).
  [[nodiscard]] constexpr Place place(std::int64_t at) const {
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    if (at < 2 * half) return {static_cast<std::size_t>(at), at, at + 1};
    const auto wide = static_cast<std::uint64_t>(at);
    const int shift = static_cast<int>(std::bit_width(wide)) - bits;
    const auto part = static_cast<std::int64_t>(wide >> shift) - half;
    const auto point = static_cast<std::size_t>((shift + 1) * half + part);
    return {point, value(point), value(point + 1)};
  }
};
/// Of tokens and samples, whose products run in tiles; all sizes of CUDA graphs are points.
inline constexpr Grid kTokenGrid{7};
/// Of attention: sequences, keys, queries.
inline constexpr Grid kAttentionGrid{5};

/// The duration of steps. Values of grid points are computed when they are first needed; not
/// thread-safe. A lookup costs O(number of chunks).
///
/// Time = layers(tokens) + head(samples) + attention, and at least StepParts::launch for a step
/// that no CUDA graph has. Attention of a step is one kernel, so the fixed part of its time counts
/// once: floor + Σ (time of each part − floor). Decodes of different lengths cost as much as
/// equally many of their mean length.
class StepCost {
 public:
  explicit StepCost(StepParts parts);

  [[nodiscard]] Time operator()(const StepShape& shape) const;
  /// The same without rounding to the grid.
  [[nodiscard]] Time exact(const StepShape& shape) const;
  /// Number of grid points that were computed.
  [[nodiscard]] std::size_t points() const { return points_; }

 private:
  /// Keys of one sequence that decodes.
  static std::int64_t mean_keys(const StepShape& shape) {
    return (shape.decode_keys + shape.decodes / 2) / shape.decodes;
  }
  [[nodiscard]] bool is_mixed(const StepShape& shape) const {
    return parts_.mixed_decode != nullptr && !shape.chunks.empty();
  }
  /// Whether no CUDA graph has the layers of a step.
  [[nodiscard]] bool is_eager(const StepShape& shape) const {
    return shape.tokens > parts_.captured ||
           (parts_.eager_layers != nullptr && !shape.chunks.empty());
  }
  static Time time_of(double seconds) {
    return Time(static_cast<std::int64_t>(seconds * static_cast<double>(kPsPerSecond) + 0.5));
  }
  /// The sum of the parts. `layers` and `head`: times by one number, `decode` and `chunk` by two.
  template <class Layers, class Head, class Decode, class Chunk>
  [[nodiscard]] double sum(const StepShape& shape, const Layers& layers, const Head& head,
                           const Decode& decode, const Chunk& chunk) const;
  using One = std::function<double(std::int64_t)>;
  using Two = std::function<double(std::int64_t, std::int64_t)>;
  [[nodiscard]] double at(std::vector<double>& table, const One& part, std::int64_t value) const;
  [[nodiscard]] double at(std::vector<std::vector<double>>& table, const Two& part, std::int64_t x,
                          std::int64_t y) const;
  [[nodiscard]] double point(std::vector<double>& table, const One& part, std::size_t at) const;
  [[nodiscard]] double point(std::vector<std::vector<double>>& table, const Two& part,
                             std::size_t x, std::size_t y) const;

  StepParts parts_;
  mutable std::vector<double> layers_, eager_, head_;
  mutable std::vector<std::vector<double>> decode_, mixed_, chunk_;
  mutable std::size_t points_ = 0;
};

}  // namespace orrery::serving
