// SPDX-License-Identifier: Apache-2.0
//
// A compiled program (HLO, StableHLO) as data: computations of operations on shapes. Readers of
// text fill it; a reader of HLO's protobuf can fill the same fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/hlo/program/opcodes.h"

namespace orrery::hlo {

/// Nesting of regions, calls and brackets.
inline constexpr int kMostDepth = 64;
/// Operations of a program, and of a program whose calls and loops are written out.
inline constexpr std::size_t kMostOperations = std::size_t{1} << 24;
/// Parts of a type or an operation.
inline constexpr std::size_t kMostParts = std::size_t{1} << 16;

/// Number formats of elements; `other`: formats without a size (strings, opaque values).
enum class ElementType : std::uint8_t {
  other,
  token,
  tuple,
  pred,
  s4,
  s8,
  s16,
  s32,
  s64,
  u4,
  u8,
  u16,
  u32,
  u64,
  f4,
  f8,
  bf16,
  f16,
  f32,
  f64,
  c64,
  c128,
};

/// "bf16", "s32" … as HLO writes it; empty for `other` and tuples. All formats of 8 bits are "f8".
[[nodiscard]] std::string_view name(ElementType type);
/// Bits of an element; 0 for those without a size.
[[nodiscard]] int bits_of(ElementType type);
/// The format in which our models price it; unsaid if they have none.
[[nodiscard]] graph::Format format_of(ElementType type);
/// The type that MLIR ("i32", "f8E4M3FN", "complex<f32>") or HLO ("s32", "f8e4m3fn", "c64") calls
/// so; `other` for other words.
[[nodiscard]] ElementType element_type_of(std::string_view word);

/// The shape of a value.
struct Shape {
  ElementType type = ElementType::other;
  std::vector<std::int64_t> dims;  ///< -1: known only when the program runs
  std::vector<Shape> parts;        ///< of a tuple

  [[nodiscard]] bool is_tuple() const { return type == ElementType::tuple; }
  /// Elements of the value, of all parts of a tuple; unknown sizes count as 1. Saturates.
  [[nodiscard]] std::int64_t elements() const;
  /// Bytes in memory. Saturates.
  [[nodiscard]] std::int64_t bytes() const;
};

/// Products saturate at this number, so that sums of some thousands stay in range.
inline constexpr std::int64_t kMostWork = std::int64_t{1} << 62;
/// a × b and a + b for numbers that are not negative; at most kMostWork.
[[nodiscard]] std::int64_t saturating_product(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t saturating_sum(std::int64_t a, std::int64_t b);

/// Dimension numbers of a product.
struct DotDims {
  std::vector<std::int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
};

/// One spatial dimension of a window.
struct WindowDim {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t pad_low = 0, pad_high = 0;
  std::int64_t base_dilation = 1;    ///< of the input: zeros between its elements
  std::int64_t window_dilation = 1;  ///< of the window
};

/// Dimension numbers of a convolution, as indices of the dimensions of its three arrays.
struct ConvolutionDims {
  std::int64_t input_batch = 0, input_feature = 0;
  std::int64_t kernel_input = 0, kernel_output = 0;
  std::int64_t output_batch = 0, output_feature = 0;
  std::vector<std::int64_t> input_spatial, kernel_spatial, output_spatial;
};

/// What the ids in groups of a collective denote (StableHLO specification, "all_reduce").
enum class GroupIds : std::uint8_t {
  replicas,             ///< replicas, of each partition apart
  partitions,           ///< partitions, of each replica apart
  replicas_partitions,  ///< replicas, with all their partitions
  devices,              ///< replica × partitions + partition
};

/// Which devices communicate.
struct ReplicaGroups {
  std::vector<std::vector<std::int64_t>> groups;             ///< empty: one group of all
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  ///< collective_permute: from, to
  GroupIds ids = GroupIds::replicas;
};

/// One operation. Operands are indices of operations of the same computation.
struct Instruction {
  const Opcode* opcode = nullptr;  ///< a row of the table; never null
  std::string word;                ///< the operation as the file writes it: "stablehlo.add"
  std::string name;                ///< of its result: "%12", "fusion.3"
  std::string scope;               ///< of the source program: "jit(step)/dense/dot_general"
  std::uint32_t line = 0;          ///< in the file; 0: unknown
  Shape shape;
  std::vector<std::uint32_t> operands;
  std::vector<std::uint32_t> called;  ///< computations: bodies, reducers, branches
  std::string target;                 ///< of a custom call
  std::int64_t number = 0;  ///< of a parameter or tuple element; the value of a scalar constant
  bool has_value = false;   ///< a constant: `number` is its value
  std::string direction;    ///< of a comparison: "LT"
  std::vector<std::int64_t> dims;  ///< reduced, gathered or split dimensions
  std::vector<WindowDim> window;   ///< spatial, or of all dimensions
  std::optional<DotDims> dot;
  std::optional<ConvolutionDims> convolution;
  std::int64_t feature_groups = 1, batch_groups = 1;
  std::optional<ReplicaGroups> groups;     ///< of a collective
  std::optional<std::int64_t> trip_count;  ///< of a loop, if the file states it
};

/// Operations in an order in which operands come first.
struct Computation {
  std::string name;
  std::vector<Instruction> operations;
  std::vector<std::uint32_t> parameters;  ///< operations, by number
  std::uint32_t root = 0;                 ///< the operation whose value it returns
  /// Of a region: operations of the computation around it whose values its last parameters are.
  std::vector<std::uint32_t> captured;
};

/// A program that all devices run.
struct Program {
  std::string name;
  std::int64_t replicas = 1, partitions = 1;
  bool states_devices = false;  ///< the file states one of both
  bool scheduled = false;       ///< operations run in the order of the file
  bool is_fused = false;        ///< a compiler has fused it
  bool has_shardings = false;   ///< some value is to be divided over devices …
  bool has_manual_regions =
      false;  ///< … and the program has parts whose shapes are those of a device
  std::vector<Computation> computations;
  std::uint32_t entry = 0;

  [[nodiscard]] std::int64_t devices() const { return replicas * partitions; }
  [[nodiscard]] const Computation& main() const { return computations[entry]; }
};

}  // namespace orrery::hlo
