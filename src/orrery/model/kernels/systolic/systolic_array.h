// SPDX-License-Identifier: Apache-2.0
//
// Systolic arrays with the counts of SCALE-Sim: cycles of its three data flows in closed form, and
// the traffic between array, SRAMs and DRAM.
//
// A product of m×k (ifmap) by k×n (filter) is mapped to the array in folds: Sr of its sizes is
// spread over the rows, Sc over the columns, and T passes through over time.
//
//   data flow           Sr  Sc  T   stationary operand
//   output stationary   m   n   k   sums
//   weight stationary   k   n   m   the filter
//   input stationary    k   m   n   the ifmap
//
// Cycles, folds, utilization and SRAM accesses are exact for this mapping; cycles equal SCALE-Sim's
// "compute cycles" (six of its runs are in the tests). DRAM traffic, and therefore stalls and the
// first fill of the buffers, is a model.
#pragma once

#include <cstdint>
#include <optional>

namespace orrery::model {

enum class DataFlow : std::uint8_t { output_stationary, weight_stationary, input_stationary };

/// An array and its buffers. Each operand has an SRAM with two halves: the array uses one while the
/// other is filled.
struct SystolicArray {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  DataFlow flow = DataFlow::output_stationary;
  std::int64_t ifmap_bytes = 0;  ///< SRAM, both halves
  std::int64_t filter_bytes = 0;
  std::int64_t ofmap_bytes = 0;
  std::int64_t word_bytes = 1;  ///< bytes per number; in SCALE-Sim, words are bytes
  double bandwidth = 0;         ///< words per cycle between DRAM and each SRAM; 0: unlimited
  /// Whether the bandwidth also limits the array after the first fill (SCALE-Sim's interface
  /// "USER"). Otherwise ("CALC") the bandwidth is then assumed to suffice.
  bool stalls = true;
  double clock = 0;  ///< Hz
};

/// One product. `ifmap_words` are the distinct numbers of the first operand: fewer than m·k for a
/// convolution, whose windows overlap; 0: m·k.
struct SystolicProduct {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t ifmap_words = 0;
};

/// Words of one operand.
struct SystolicTraffic {
  std::int64_t sram_reads = 0;   ///< into the array; overlapping windows count repeatedly
  std::int64_t sram_writes = 0;  ///< out of the array
  std::int64_t dram_reads = 0;
  std::int64_t dram_writes = 0;
};

struct SystolicCost {
  std::int64_t folds = 0;
  std::int64_t cycles = 0;  ///< of the array without waits: SCALE-Sim's compute cycles
  std::int64_t total = 0;   ///< with the first fill and waits for DRAM; a model
  std::int64_t macs = 0;    ///< m·n·k
  SystolicTraffic ifmap{};
  SystolicTraffic filter{};
  SystolicTraffic ofmap{};
  double utilization = 0;  ///< mean over all places of the array and `cycles`, 0 to 1
};

/// The cost of a product. Empty: a size of the array or the product is not positive, or a count
/// does not fit in 64 bits.
/// Source: SCALE-Sim v2/v3 runs at 32×32, all six equal.
[[nodiscard]] std::optional<SystolicCost> systolic_cost(const SystolicArray& array,
                                                        const SystolicProduct& product);

/// A convolution as in SCALE-Sim's topology files: sizes of the input, without padding.
struct SystolicConvolution {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t filter_height = 0;
  std::int64_t filter_width = 0;
  std::int64_t channels = 0;
  std::int64_t filters = 0;
  std::int64_t stride = 1;
};

/// The product of a convolution. m: places of the output, with
/// (height - filter_height + stride) / stride rows; n: filters; k: numbers in a window. Empty: the
/// filter is larger than the input, a size is not positive, or a count does not fit.
[[nodiscard]] std::optional<SystolicProduct> product_of(const SystolicConvolution& layer);

}  // namespace orrery::model
