// SPDX-License-Identifier: Apache-2.0
//
// Systolic arrays as SCALE-Sim counts them: cycles of its three data flows in closed form, and what
// moves between array, SRAMs and DRAM.
//
// A product of m×k (ifmap) by k×n (filter) lies on the array in folds: Sr of its sizes go over the
// rows, Sc over the columns, and T pass through in time.
//
//   data flow           Sr  Sc  T   what stays in the array
//   output stationary   m   n   k   sums
//   weight stationary   k   n   m   the filter
//   input stationary    k   m   n   the ifmap
//
// Cycles, folds, utilisation and accesses of SRAMs are exact for this mapping; cycles equal
// SCALE-Sim's "compute cycles" (six of its runs are in the tests). Traffic of the DRAM, and with it
// stalls and the first fill of the buffers, is a model: see SystolicTraffic.
#pragma once

#include <cstdint>
#include <optional>

namespace orrery::model {

enum class DataFlow : std::uint8_t { output_stationary, weight_stationary, input_stationary };

/// An array and its buffers. Each operand has an SRAM of two halves: one is used while the other is
/// filled.
struct SystolicArray {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  DataFlow flow = DataFlow::output_stationary;
  std::int64_t ifmap_bytes = 0;  ///< SRAM, both halves
  std::int64_t filter_bytes = 0;
  std::int64_t ofmap_bytes = 0;
  std::int64_t word_bytes = 1;  ///< of one number; SCALE-Sim's words are bytes
  double bandwidth = 0;         ///< words per cycle between DRAM and each SRAM; 0: no end of it
  /// Later than the first fill, too: SCALE-Sim's interface "USER". Else ("CALC") bandwidth is taken
  /// to be what the array needs once it runs.
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
  std::int64_t sram_reads = 0;   ///< into the array; windows of convolutions count every time
  std::int64_t sram_writes = 0;  ///< out of the array
  std::int64_t dram_reads = 0;
  std::int64_t dram_writes = 0;
};

struct SystolicCost {
  std::int64_t folds = 0;
  std::int64_t cycles = 0;  ///< of the array, which never waits: SCALE-Sim's compute cycles
  std::int64_t total = 0;   ///< with the first fill and where DRAM is too slow; a model
  std::int64_t macs = 0;    ///< m·n·k
  SystolicTraffic ifmap{};
  SystolicTraffic filter{};
  SystolicTraffic ofmap{};
  double utilisation = 0;  ///< of all places of the array over `cycles`, 0 to 1
};

/// Nothing where an array or product is not positive, or a count does not fit in 64 bits.
/// Source: SCALE-Sim v2/v3 runs at 32×32, all six equal.
[[nodiscard]] std::optional<SystolicCost> systolic_cost(const SystolicArray& array,
                                                        const SystolicProduct& product);

/// A convolution as SCALE-Sim's topology files have it: sizes of what goes in, without padding.
struct SystolicConvolution {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t filter_height = 0;
  std::int64_t filter_width = 0;
  std::int64_t channels = 0;
  std::int64_t filters = 0;
  std::int64_t stride = 1;
};

/// m: places of the output, (height - filter_height + stride) / stride of them downwards; n:
/// filters; k: channels in a window. Nothing where the filter is larger than what goes in, a size
/// is not positive, or a count does not fit.
[[nodiscard]] std::optional<SystolicProduct> product_of(const SystolicConvolution& layer);

}  // namespace orrery::model
