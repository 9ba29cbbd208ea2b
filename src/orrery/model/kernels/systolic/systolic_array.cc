// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/systolic/systolic_array.h"

#include <algorithm>
#include <cmath>

namespace orrery::model {
namespace {

/// Integer arithmetic that detects overflow.
class FittingMath {
 public:
  std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    fits_ &= !__builtin_mul_overflow(a, b, &result);
    return fits_ ? result : 0;
  }
  std::int64_t plus(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    fits_ &= !__builtin_add_overflow(a, b, &result);
    return fits_ ? result : 0;
  }
  [[nodiscard]] bool fits() const { return fits_; }

 private:
  bool fits_ = true;
};

std::int64_t parts_of(std::int64_t size, std::int64_t part) { return (size - 1) / part + 1; }

/// Sr, Sc and T of a product, and the numbers of folds over rows and columns.
struct Mapping {
  std::int64_t down = 0;
  std::int64_t across = 0;
  std::int64_t time = 0;
  std::int64_t row_folds = 0;
  std::int64_t column_folds = 0;
};

Mapping map(const SystolicArray& array, const SystolicProduct& product) {
  Mapping mapping;
  switch (array.flow) {
    case DataFlow::output_stationary:
      mapping = {product.m, product.n, product.k};
      break;
    case DataFlow::weight_stationary:
      mapping = {product.k, product.n, product.m};
      break;
    case DataFlow::input_stationary:
      mapping = {product.k, product.m, product.n};
      break;
  }
  mapping.row_folds = parts_of(mapping.down, array.rows);
  mapping.column_folds = parts_of(mapping.across, array.columns);
  return mapping;
}

/// Words that one half of an SRAM holds.
std::int64_t half_of(std::int64_t bytes, const SystolicArray& array) {
  return bytes / 2 / array.word_bytes;
}

/// Counts SRAM accesses. The folds of one row of folds use r of the Sr rows, and all rows of folds
/// together use Sr; the same holds for columns. So the operand over the rows (r·T words per fold)
/// is read Sr·T times per column of folds, the operand over the columns Sc·T times per row of
/// folds, and the stationary operand once. Sums leave the array once if they are stationary,
/// otherwise with every row of folds.
void count_sram(const Mapping& mapping, const SystolicProduct& product, DataFlow flow,
                SystolicCost& cost, FittingMath& math) {
  const std::int64_t ifmap = math.times(product.m, product.k);
  const std::int64_t filter = math.times(product.k, product.n);
  const std::int64_t ofmap = math.times(product.m, product.n);
  switch (flow) {
    case DataFlow::output_stationary:
      cost.ifmap.sram_reads = math.times(ifmap, mapping.column_folds);
      cost.filter.sram_reads = math.times(filter, mapping.row_folds);
      cost.ofmap.sram_writes = ofmap;
      return;
    case DataFlow::weight_stationary:
      cost.ifmap.sram_reads = math.times(ifmap, mapping.column_folds);
      cost.filter.sram_reads = filter;
      break;
    case DataFlow::input_stationary:
      cost.ifmap.sram_reads = ifmap;
      cost.filter.sram_reads = math.times(filter, mapping.column_folds);
      break;
  }
  cost.ofmap.sram_writes = math.times(ofmap, mapping.row_folds);
  cost.ofmap.sram_reads = math.times(ofmap, mapping.row_folds - 1);  // partial sums
}

/// Models DRAM traffic. Columns of folds run one after another, and within each all rows of folds.
/// An operand that is used again comes from its SRAM if the data used in between fits into one
/// half, otherwise from DRAM.
/// - The operand over the rows is used completely for every column of folds.
/// - The operand over the columns (output stationary) is used for every row of folds, but only the
///   part of this column of folds: columns × T words.
/// - Sums that are not stationary (columns × T words) are written and read again for every row of
///   folds except the first.
void count_dram(const SystolicArray& array, const Mapping& mapping, const SystolicProduct& product,
                SystolicCost& cost, FittingMath& math) {
  const std::int64_t window_words =
      product.ifmap_words > 0 ? product.ifmap_words : math.times(product.m, product.k);
  const std::int64_t filter_words = math.times(product.k, product.n);
  const std::int64_t ofmap_words = math.times(product.m, product.n);
  const std::int64_t slice = math.times(std::min(array.columns, mapping.across), mapping.time);

  cost.ifmap.dram_reads = window_words;
  cost.filter.dram_reads = filter_words;
  cost.ofmap.dram_writes = ofmap_words;
  const bool by_input = array.flow == DataFlow::input_stationary;
  SystolicTraffic& over_rows = by_input ? cost.filter : cost.ifmap;
  const std::int64_t room = half_of(by_input ? array.filter_bytes : array.ifmap_bytes, array);
  if (over_rows.dram_reads > room)
    over_rows.dram_reads = math.times(over_rows.dram_reads, mapping.column_folds);

  if (array.flow == DataFlow::output_stationary) {
    if (slice > half_of(array.filter_bytes, array))
      cost.filter.dram_reads = math.times(filter_words, mapping.row_folds);
  } else if (slice > half_of(array.ofmap_bytes, array)) {
    cost.ofmap.dram_writes = math.times(ofmap_words, mapping.row_folds);
    cost.ofmap.dram_reads = math.times(ofmap_words, mapping.row_folds - 1);
  }
}

/// The array waits for the first halves of both inputs, which are loaded concurrently, and then
/// runs as fast as the slowest of its three connections to DRAM. A model: SCALE-Sim's totals of the
/// six runs are 2 to 6 % higher.
std::int64_t total_of(const SystolicArray& array, const SystolicCost& cost, FittingMath& math) {
  if (!(array.bandwidth > 0)) return cost.cycles;
  const auto waited = [&](std::int64_t words) {
    const double cycles = std::ceil(static_cast<double>(words) / array.bandwidth);
    if (!(cycles < 9.2e18)) (void)math.times(INT64_MAX, 2);
    return math.fits() ? static_cast<std::int64_t>(cycles) : 0;
  };
  const std::int64_t fill =
      waited(std::max(std::min(cost.ifmap.dram_reads, half_of(array.ifmap_bytes, array)),
                      std::min(cost.filter.dram_reads, half_of(array.filter_bytes, array))));
  if (!array.stalls) return math.plus(fill, cost.cycles);
  const std::int64_t slowest =
      std::max({waited(cost.ifmap.dram_reads) - fill, waited(cost.filter.dram_reads) - fill,
                waited(math.plus(cost.ofmap.dram_reads, cost.ofmap.dram_writes))});
  return math.plus(fill, std::max(cost.cycles, slowest));
}

bool is_positive(const SystolicArray& array, const SystolicProduct& product) {
  return array.rows > 0 && array.columns > 0 && array.word_bytes > 0 && array.ifmap_bytes >= 0 &&
         array.filter_bytes >= 0 && array.ofmap_bytes >= 0 && product.m > 0 && product.n > 0 &&
         product.k > 0 && product.ifmap_words >= 0;
}

}  // namespace

std::optional<SystolicCost> systolic_cost(const SystolicArray& array,
                                          const SystolicProduct& product) {
  if (!is_positive(array, product)) return std::nullopt;
  FittingMath math;
  SystolicCost cost;
  const Mapping mapping = map(array, product);
  cost.folds = math.times(mapping.row_folds, mapping.column_folds);
  // A fold: the stationary operand is loaded (rows), the rest streams through with skew (rows +
  // columns + T - 2).
  const std::int64_t loading = array.flow == DataFlow::output_stationary ? 0 : array.rows;
  std::int64_t fold = math.plus(math.plus(array.rows, array.columns), mapping.time);
  fold = math.plus(fold, loading) - 2;
  cost.cycles = math.times(cost.folds, fold) - 1;
  if (cost.cycles < 1) cost.cycles = 1;  // an array with a single place and product
  cost.macs = math.times(math.times(product.m, product.n), product.k);
  count_sram(mapping, product, array.flow, cost, math);
  count_dram(array, mapping, product, cost, math);
  cost.total = total_of(array, cost, math);
  if (!math.fits()) return std::nullopt;
  const double places = static_cast<double>(array.rows) * static_cast<double>(array.columns);
  const double share = static_cast<double>(cost.macs) / places / static_cast<double>(cost.cycles);
  cost.utilization = std::min(share, 1.0);  // cycles are one less, so a single place exceeds 1
  return cost;
}

std::optional<SystolicProduct> product_of(const SystolicConvolution& layer) {
  const std::int64_t minimum =
      std::min({layer.height, layer.width, layer.filter_height, layer.filter_width, layer.channels,
                layer.filters, layer.stride});
  if (minimum < 1 || layer.filter_height > layer.height || layer.filter_width > layer.width)
    return std::nullopt;
  FittingMath math;
  const std::int64_t down = (layer.height - layer.filter_height) / layer.stride + 1;
  const std::int64_t across = (layer.width - layer.filter_width) / layer.stride + 1;
  SystolicProduct product;
  product.m = math.times(down, across);
  product.n = layer.filters;
  product.k = math.times(math.times(layer.filter_height, layer.filter_width), layer.channels);
  product.ifmap_words = math.times(math.times(layer.height, layer.width), layer.channels);
  if (!math.fits()) return std::nullopt;
  return product;
}

}  // namespace orrery::model
