// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/features.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "orrery/core/statistics/exact_math.h"
#include "orrery/model/kernels/heuristic/chip.h"
#include "orrery/model/kernels/heuristic/heuristic_model.h"

namespace orrery::model {
namespace {

using graph::Format;
using graph::Kernel;
using std::string_view;

constexpr std::array<string_view, 8> kDeviceFeatures = {
    "balance", "processors", "clock", "cache_share", "stream_width", "width", "watts", "age"};

/// The features of the device, then those of the class.
template <std::size_t kOwn>
constexpr auto behind_device(const std::array<string_view, kOwn>& own) {
  std::array<string_view, kDeviceFeatures.size() + kOwn> all{};
  std::copy(kDeviceFeatures.begin(), kDeviceFeatures.end(), all.begin());
  std::copy(own.begin(), own.end(), all.begin() + kDeviceFeatures.size());
  return all;
}

constexpr auto kProductFeatures = behind_device(std::array<string_view, 24>{
    "base_launches", "stream_compute", "count",    "m",        "n",        "k",
    "tiles",         "waves",          "fill",     "tile_m",   "tile_n",   "split",
    "align_m",       "align_n",        "align_k",  "fill_128", "fill_256", "fill_64",
    "rest_m",        "rest_n",         "b_cached", "a_cached", "gated",    "out_bits"});
/// Grouped products: features of routing replace features that are equal in all measurements.
constexpr auto kGroupedFeatures = [] {
  auto names = kProductFeatures;
  const auto put = [&](string_view old, string_view made) {
    *std::find(names.begin(), names.end(), old) = made;
  };
  put("align_m", "groups");
  put("align_n", "chosen");
  put("align_k", "experts");
  put("out_bits", "tokens");
  return names;
}();
constexpr auto kAttentionFeatures = behind_device(std::array<string_view, 18>{
    "base_launches", "stream_compute", "batch", "heads", "kv_heads", "queries", "keys", "key_dim",
    "window", "causal", "group", "heads_fill", "waves", "parts_fill", "kv_cached", "rest_q",
    "flops", "bytes"});
constexpr auto kMovingFeatures = behind_device(
    std::array<string_view, 9>{"base_launches", "bytes", "cached", "rows", "width_of_row",
                               "align_row", "rows_fill", "operation", "bytes_each"});

/// The logarithm of x >= 0; values below 1e-12 count as 1e-12.
double log_of(double x) { return exact_log2(std::max(x, 1e-12)); }

/// Position of an architecture in order of release; a middle value if it is not named.
double age_of(const Silicon& silicon) {
  constexpr std::array<string_view, 7> kAges = {"pascal", "volta",  "turing",   "ampere",
                                                "ada",    "hopper", "blackwell"};
  string_view architecture = silicon.architecture;
  constexpr string_view kWorkstations = "rtx-";
  if (architecture.starts_with(kWorkstations)) architecture.remove_prefix(kWorkstations.size());
  for (std::size_t i = 0; i < kAges.size(); ++i)
    if (architecture.starts_with(kAges[i])) return static_cast<double>(i);
  return 4.5;
}

/// Exponent of the largest power of two that divides a size, at most 7.
double alignment(double size) {
  const auto whole = static_cast<std::uint64_t>(size);
  return whole == 0 ? 0 : std::min(std::countr_zero(whole), 7);
}

/// Share of the places in complete waves that `parts` use.
double fill_of(double parts, double processors) {
  return parts / (std::ceil(parts / processors) * processors);
}

/// Ratio of `size` to the next multiple of `tile`.
double rest_of(double size, double tile) { return size / (std::ceil(size / tile) * tile); }

class FeatureWriter {
 public:
  explicit FeatureWriter(Features& into) : into_(into) {}
  template <class... Values>
  void put(Values... values) {
    ((into_.values[at_++] = static_cast<float>(values)), ...);
  }

 private:
  Features& into_;
  std::size_t at_ = 0;
};

void put_device(const Chip& chip, Format format, FeatureView view, FeatureWriter& out) {
  const Silicon& silicon = chip.silicon;
  const double peak = std::max(peak_for(format, silicon), 1e9);
  const double per_second = chip.processors * chip.clock;
  if (view == FeatureView::general) {
    for (std::size_t i = 0; i < kDeviceFeatures.size(); ++i) out.put(0.0);
    return;
  }
  out.put(log_of(peak / chip.memory), log_of(chip.processors), log_of(chip.clock * 1e-9),
          log_of((chip.cache + 1e6) / chip.processors * 1e-3), log_of(chip.memory / per_second),
          log_of(peak / per_second), log_of((silicon.power + 1) / per_second * 1e9),
          age_of(silicon));
}

/// The origin of a grouped product's rows. Rows that are not gathered count as one token each.
struct Routed {
  double groups, tokens, chosen, experts;
};
Routed routed_of(const Kernel& kernel) {
  const double groups = one_or_more(kernel.sizes[0]), rows = one_or_more(kernel.sizes[1]);
  if (kernel.sizes[4] <= 0) return {groups, rows, 1, groups};
  return {groups, one_or_more(kernel.sizes[4]), one_or_more(kernel.sizes[5]),
          std::max(groups, one_or_more(kernel.sizes[6]))};
}

void put_product(const Kernel& kernel, const Chip& chip, double seconds, FeatureView view,
                 FeatureWriter& out) {
  const Product is = product_of(kernel);
  const double rate = product_rate(is.format, chip);
  const Tiling best = best_tiling(is, chip, rate);
  const double bytes_a = is.count * is.m * is.k * is.bytes_a;
  const double bytes_b = is.count * is.k * is.n * is.bytes_b;
  const double moved = bytes_a + bytes_b + is.count * is.m * is.n * is.bytes_out;
  const auto tiles = [&](double m, double n) {
    return is.count * std::ceil(is.m / m) * std::ceil(is.n / n);
  };
  const Routed routed = routed_of(kernel);
  put_device(chip, is.format, view, out);
  out.put(log_of(seconds / chip.figures.launch), log_of(moved / chip.memory / best.seconds),
          log_of(is.count), log_of(is.m), log_of(is.n), log_of(is.k), log_of(best.tiles),
          std::min(best.waves, 64.0), fill_of(best.tiles * best.split, chip.processors),
          log_of(best.tile_m), log_of(best.tile_n), log_of(best.split),
          is.grouped ? log_of(routed.groups) : alignment(is.m),
          is.grouped ? routed.chosen : alignment(is.n),
          is.grouped ? log_of(routed.experts) : alignment(is.k),
          fill_of(tiles(128, 128), chip.processors), fill_of(tiles(128, 256), chip.processors),
          fill_of(tiles(64, 64), chip.processors), rest_of(is.m, 128), rest_of(is.n, 128),
          log_of(bytes_b / (chip.cache + 1e6)), log_of(bytes_a / (chip.cache + 1e6)),
          kernel.has(graph::kGated) ? 1 : 0,
          is.grouped ? log_of(routed.tokens) : graph::bits_of(kernel.out));
}

void put_attention(const Kernel& kernel, const Chip& chip, double seconds, FeatureView view,
                   FeatureWriter& out) {
  const auto at = [&](std::size_t i) { return one_or_more(kernel.sizes[i]); };
  const double batch = at(0), heads = at(1), queries = at(3), keys = at(4), dim = at(5);
  const double kv_heads = kernel.sizes[2] > 0 ? at(2) : heads;
  const auto window = static_cast<double>(kernel.sizes[7]);
  const double span = window > 0 ? std::min(window, keys) : keys;
  const bool causal = kernel.has(graph::kCausal);
  const double pairs = causal && window == 0 && queries > 1 ? queries * span / 2 : queries * span;
  const double flops = 4 * batch * heads * pairs * dim;
  const double kv_bytes = batch * kv_heads * span * dim * 4;
  const double bytes = kv_bytes + batch * heads * queries * dim * 4;
  const double peak = std::max(peak_for(Format::bf16, chip.silicon), 1e9);
  const double blocks = batch * heads * std::ceil(queries / 128);
  const double parts = batch * kv_heads * std::ceil(span / 256);
  put_device(chip, Format::bf16, view, out);
  out.put(log_of(seconds / chip.figures.decode_launch),
          log_of(bytes / chip.memory / (flops / peak)), log_of(batch), log_of(heads),
          log_of(kv_heads), log_of(queries), log_of(keys), dim, log_of(window + 1), causal ? 1 : 0,
          log_of(heads / kv_heads), fill_of(batch * kv_heads, chip.processors),
          std::min(blocks / chip.processors, 64.0), std::min(parts / chip.processors, 64.0),
          log_of(kv_bytes / (chip.cache + 1e6)), rest_of(queries, 128),
          log_of(flops / peak / chip.figures.decode_launch),
          log_of(bytes / chip.memory / chip.figures.decode_launch));
}

void put_moving(const Kernel& kernel, const Chip& chip, double seconds, FeatureView view,
                FeatureWriter& out) {
  const double bytes = bytes_of(kernel);
  const auto [rows, row, said] = rows_of(kernel);
  put_device(chip, Format::fp32, view, out);
  out.put(log_of(seconds / chip.figures.small), log_of(bytes), log_of(bytes / (chip.cache + 1e6)),
          log_of(rows), log_of(row), alignment(row), std::min(rows / chip.processors, 64.0),
          static_cast<double>(kernel.operation), bytes / (rows * row));
}

}  // namespace

Features features_of(KernelClass kernels, const Kernel& kernel, const Silicon& silicon,
                     FeatureView view) {
  Features features;
  const Chip chip(silicon, view == FeatureView::general ? general_architecture(silicon)
                                                        : architecture_of(silicon));
  const double all = heuristic_seconds(kernel, chip);
  if (!(all > 0)) return features;
  const double seconds = all / std::max<double>(1, kernel.launches);
  FeatureWriter out(features);
  const FeatureSet set = traits_of(kernels).features;
  if (set == FeatureSet::product || set == FeatureSet::grouped_product) {
    if (product_of(kernel).count <= 0) return features;
    put_product(kernel, chip, seconds, view, out);
  } else if (set == FeatureSet::attention) {
    put_attention(kernel, chip, seconds, view, out);
  } else {
    put_moving(kernel, chip, seconds, view, out);
  }
  features.log2_base = exact_log2(all);
  features.said = true;
  return features;
}

std::span<const string_view> feature_names(KernelClass kernels) {
  switch (traits_of(kernels).features) {
    case FeatureSet::none:
      break;
    case FeatureSet::product:
      return kProductFeatures;
    case FeatureSet::grouped_product:
      return kGroupedFeatures;
    case FeatureSet::attention:
      return kAttentionFeatures;
    case FeatureSet::moving:
      return kMovingFeatures;
  }
  return {};
}

}  // namespace orrery::model
