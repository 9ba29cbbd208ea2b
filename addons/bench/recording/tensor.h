// SPDX-License-Identifier: Apache-2.0
//
// Tensors as a recording tells of them: type, sizes, strides, place in a storage.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery::bench {

/// In the order of PyTorch's ScalarType.
enum class Dtype : std::uint8_t {
  byte,
  signed_byte,
  int16,
  int32,
  int64,
  half,
  real32,
  real64,
  complex_half,
  complex32,
  complex64,
  truth,
  bfloat16
};
inline constexpr std::size_t kDtypes = 13;

/// "float", "int64" …: words of plans.
[[nodiscard]] std::string_view name(Dtype dtype);
/// Of one element.
[[nodiscard]] std::int64_t bytes_of(Dtype dtype);
[[nodiscard]] bool is_whole(Dtype dtype);
/// What recordings call it: "float", "long int", "long", "c10::Half" …
[[nodiscard]] std::optional<Dtype> recorded_dtype(std::string_view word);

inline constexpr std::size_t kMaxDimensions = 64;

/// Type, sizes and strides of a tensor and where it begins in its storage, in elements.
struct TensorSpec {
  Dtype dtype = Dtype::real32;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;  ///< empty: contiguous, or not known
  std::int64_t offset = 0;

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

/// How many elements; nothing when a size is negative or there are too many to count.
[[nodiscard]] std::optional<std::int64_t> elements_of(const TensorSpec& spec);
/// How many bytes of its storage it reaches, from the storage's beginning. Nothing when a size, a
/// stride or the offset is negative or the end is beyond 2^62.
[[nodiscard]] std::optional<std::int64_t> reach_of(const TensorSpec& spec);
/// Its elements' own bytes, without gaps. Nothing as of elements_of.
[[nodiscard]] std::optional<std::int64_t> bytes_of(const TensorSpec& spec);

/// A tensor among a recorded operator's inputs or outputs. Ids are the recording's own.
struct RecordedTensor {
  std::uint64_t id = 0;
  std::uint64_t storage = 0;
  bool defined = true;  ///< false: a tensor without anything
  TensorSpec spec;
};

}  // namespace orrery::bench
