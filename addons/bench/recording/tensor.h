// SPDX-License-Identifier: Apache-2.0
//
// Tensors as recordings describe them: type, sizes, strides, offset in a storage.
#pragma once

#include <array>
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

/// The spelling in plans.
inline constexpr std::array<std::string_view, kDtypes> kDtypeNames = {
    "uint8",  "int8",         "int16",         "int32",          "int64", "half",    "float",
    "double", "complex_half", "complex_float", "complex_double", "bool",  "bfloat16"};
[[nodiscard]] constexpr std::string_view name(Dtype dtype) {
  return kDtypeNames[static_cast<std::size_t>(dtype)];
}
/// The size of one element.
[[nodiscard]] std::int64_t bytes_of(Dtype dtype);
[[nodiscard]] bool is_whole(Dtype dtype);
/// The type for its spelling in recordings: "float", "long int", "long", "c10::Half" …
[[nodiscard]] std::optional<Dtype> recorded_dtype(std::string_view word);

inline constexpr std::size_t kMaxDimensions = 64;

/// The type, sizes and strides of a tensor, and its offset in its storage in elements.
struct TensorSpec {
  Dtype dtype = Dtype::real32;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;  ///< empty: contiguous, or unknown
  std::int64_t offset = 0;

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

/// The number of elements; empty if a size is negative or the number overflows.
[[nodiscard]] std::optional<std::int64_t> elements_of(const TensorSpec& spec);
/// The bytes of the storage up to the end of the tensor. Empty if a size, a stride or the offset is
/// negative, or if the end is beyond 2^62.
[[nodiscard]] std::optional<std::int64_t> reach_of(const TensorSpec& spec);
/// The bytes of its elements, without gaps. Empty as for elements_of.
[[nodiscard]] std::optional<std::int64_t> bytes_of(const TensorSpec& spec);

/// A tensor among the inputs or outputs of a recorded operator. Ids are those of the recording.
struct RecordedTensor {
  std::uint64_t id = 0;
  std::uint64_t storage = 0;
  bool defined = true;  ///< false: an undefined tensor
  TensorSpec spec;
};

}  // namespace orrery::bench
