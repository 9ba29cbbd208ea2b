// SPDX-License-Identifier: Apache-2.0
//
// Times of embedding lookups from a neural network with row reuse as an input.
//
// Source: Lin et al., "Towards Universal Performance Modeling for Machine Learning Training on
// Multi-GPU Platforms" (TPDS 2024), section 4.2. Each table has 21 inputs. All layers except the
// last two process one table at a time. Their outputs are summed over the tables, and two layers
// compute the logarithm of the time from the sum. Each device has one net for forward and one for
// backward passes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/embedding/reuse.h"
#include "orrery/model/kernels/learned/net_model.h"

namespace orrery::model {

/// One table of a lookup.
struct LookupTable {
  std::int64_t batch = 1, rows = 1, features = 1;
  double pooling = 1;       ///< mean number of lookups per bag
  ReuseHistogram shares{};  ///< shares of rows by number of reads

  friend bool operator==(const LookupTable&, const LookupTable&) = default;
};

/// Inputs: logarithms of batch, rows, pooling (at least 1e-3) and features; 17 shares.
inline constexpr std::size_t kLookupInputs = 4 + kReuseBins;
using LookupInputs = std::array<float, kLookupInputs>;
[[nodiscard]] LookupInputs lookup_inputs(const LookupTable& table);

/// Layers, and the normalization of inputs and output.
struct LookupNet {
  LookupInputs mean{}, scale{};  ///< inputs become (x - mean) * scale; scale 0: constant input
  double target_mean = 0;        ///< mean of log2 of microseconds …
  double target_scale = 1;       ///< … and the factor of the output
  std::vector<NetLayer> each;    ///< layers per table, all with ReLU
  std::vector<NetLayer> all;     ///< two layers after the sum; the first with ReLU

  /// Whether layers fit together, have kLookupInputs inputs and one output, and all values are
  /// finite.
  [[nodiscard]] bool is_consistent() const;
  /// log2 of microseconds; equal on every machine.
  [[nodiscard]] double log2_us(std::span<const LookupTable> tables) const;
};

/// One measured lookup.
struct MeasuredLookup {
  std::string device;
  bool backward = false;
  double us = 0;  ///< above 0
  std::vector<LookupTable> tables;
};

/// The net of one pass on one device.
struct DeviceLookupNet {
  std::string device;
  bool backward = false;
  std::int64_t rows = 0;  ///< number of training lookups
  HoldoutError seen;      ///< at held-out lookups
  LookupNet net;
};

/// Nets of a file.
class LookupNets {
 public:
  explicit LookupNets(std::vector<DeviceLookupNet> nets) : nets_(std::move(nets)) {}
  /// Reads a file that write_lookup_nets() wrote. Errc: input_corrupt, input_truncated,
  /// input_unsupported.
  [[nodiscard]] static Result<LookupNets> read(std::string_view text, std::string_view where);

  /// Microseconds. Empty: there is no net for the device and pass, or the result is not plausible.
  [[nodiscard]] std::optional<double> us(std::string_view device, bool backward,
                                         std::span<const LookupTable> tables) const;
  [[nodiscard]] std::span<const DeviceLookupNet> all() const { return nets_; }

 private:
  std::vector<DeviceLookupNet> nets_;
};

inline constexpr int kLookupNetVersion = 1;
inline constexpr std::string_view kLookupNetMagic = "orrery-lookup-nets";

/// The text of a file. `notes` are a comment at its begin. Equal inputs give equal bytes.
[[nodiscard]] std::string write_lookup_nets(std::string_view notes,
                                            std::span<const DeviceLookupNet> nets);

}  // namespace orrery::model
