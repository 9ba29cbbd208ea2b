// SPDX-License-Identifier: Apache-2.0
//
// Times of embedding lookups from a network that knows how often rows are read again.
//
// Source: Lin et al., "Towards Universal Performance Modeling for Machine Learning Training on
// Multi-GPU Platforms" (TPDS 2024), section 4.2: 21 inputs for each table; all layers but the last
// two see one table at a time, what comes out is summed over the tables, two layers make the
// logarithm of the time of it. One net for forward, one for backward passes, for each device.
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
  double pooling = 1;       ///< lookups of a bag, on average
  ReuseHistogram shares{};  ///< of rows by how often they are read

  friend bool operator==(const LookupTable&, const LookupTable&) = default;
};

/// Logarithms of batch, rows, pooling (at least 1e-3) and features; 17 shares.
inline constexpr std::size_t kLookupInputs = 4 + kReuseBins;
using LookupInputs = std::array<float, kLookupInputs>;
[[nodiscard]] LookupInputs lookup_inputs(const LookupTable& table);

/// Layers, and what inputs and output are measured in.
struct LookupNet {
  LookupInputs mean{}, scale{};  ///< inputs become (x - mean) * scale; 0 where all were the same
  double target_mean = 0;        ///< of log2 of microseconds …
  double target_scale = 1;       ///< … and what the output is multiplied by
  std::vector<NetLayer> each;    ///< of every table, all rectified
  std::vector<NetLayer> all;     ///< two, of the sum; the first rectified

  /// Layers fit together, take kLookupInputs and give one number, and all is finite.
  [[nodiscard]] bool is_consistent() const;
  /// log2 of microseconds: the same number on every machine.
  [[nodiscard]] double log2_us(std::span<const LookupTable> tables) const;
};

/// One lookup that was measured.
struct MeasuredLookup {
  std::string device;
  bool backward = false;
  double us = 0;  ///< above 0
  std::vector<LookupTable> tables;
};

/// What was learned of one pass on one device.
struct DeviceLookupNet {
  std::string device;
  bool backward = false;
  std::int64_t rows = 0;  ///< lookups learned
  HoldoutError seen;      ///< of others, held back
  LookupNet net;
};

/// Nets of a file.
class LookupNets {
 public:
  explicit LookupNets(std::vector<DeviceLookupNet> nets) : nets_(std::move(nets)) {}
  /// Reads a file that write_lookup_nets made. Errc: input_corrupt, input_truncated,
  /// input_unsupported.
  [[nodiscard]] static Result<LookupNets> read(std::string_view text, std::string_view where);

  /// Microseconds; nothing for a device or a pass that was not learned, or far off what was.
  [[nodiscard]] std::optional<double> us(std::string_view device, bool backward,
                                         std::span<const LookupTable> tables) const;
  [[nodiscard]] std::span<const DeviceLookupNet> all() const { return nets_; }

 private:
  std::vector<DeviceLookupNet> nets_;
};

inline constexpr int kLookupNetVersion = 1;
inline constexpr std::string_view kLookupNetMagic = "orrery-lookup-nets";

/// The file; `notes` are a comment at its head. The same input gives the same bytes.
[[nodiscard]] std::string write_lookup_nets(std::string_view notes,
                                            std::span<const DeviceLookupNet> nets);

}  // namespace orrery::model
