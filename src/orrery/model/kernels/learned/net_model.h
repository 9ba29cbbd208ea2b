// SPDX-License-Identifier: Apache-2.0
//
// Kernel times from small neural networks that know sizes alone, one for each device and class.
//
// Source: Lin et al., "Building a Performance Model for Deep Learning Recommendation Model Training
// on GPUs", HiPC 2022: logarithms of sizes in, the logarithm of the time out, ReLU in between.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/model/kernels/learned/learned_model.h"

namespace orrery::model {

/// Logarithms of eight sizes; traits, pass, output's bits and operation as numbers.
inline constexpr std::size_t kNetInputs = 8 + graph::kTraits + graph::kPasses + 2;
using NetInputs = std::array<float, kNetInputs>;
[[nodiscard]] NetInputs net_inputs(const graph::Kernel& kernel);

/// One layer: out = in · weights + bias, then max(0, out) in all but the last.
struct NetLayer {
  std::size_t in = 0, out = 0;
  std::vector<float> weights;  ///< in rows of `out`
  std::vector<float> bias;     ///< `out` of them
};

/// Layers, and what inputs and output are measured in.
struct Net {
  NetInputs mean{}, scale{};  ///< inputs become (x - mean) * scale; 0 where all were the same
  double target_mean = 0;     ///< of log2 of seconds …
  double target_scale = 1;    ///< … and what the output is multiplied by
  std::vector<NetLayer> layers;

  static constexpr std::size_t kMaxWidth = 512;
  static constexpr std::size_t kMaxLayers = 8;
  /// Layers fit together, take kNetInputs and give one number, and all is finite.
  [[nodiscard]] bool is_consistent() const;
  /// log2 of one launch's seconds. Sums are made in one order, by multiplications and additions
  /// alone: the same number on every machine.
  [[nodiscard]] double log2_seconds(const graph::Kernel& kernel) const;
};

/// What was learned of one class on one device.
struct NetClass {
  KernelClass kernels = KernelClass::none;
  std::int64_t rows = 0;  ///< learned
  HoldoutError seen;      ///< other sizes
  DeviceSignature device;
  std::array<std::int64_t, graph::kKernelSizes> lower{}, upper{};  ///< of the sizes learned
  Net net;
};

/// Answers on its devices, told by their data sheets, for the classes that it learned there. The
/// band is the one that held-back kernels had; where sizes are beyond those learned it is twice as
/// wide, and `extrapolated` says so.
class NetModel final : public KernelModel {
 public:
  explicit NetModel(std::vector<NetClass> classes) : classes_(std::move(classes)) {}
  /// Reads a file that `fit_kernel_models` wrote. Errc: input_corrupt, input_truncated,
  /// input_unsupported.
  [[nodiscard]] static Result<NetModel> read(std::string_view text, std::string_view where);

  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override;
  [[nodiscard]] std::span<const NetClass> classes() const { return classes_; }

 private:
  std::vector<NetClass> classes_;
};

inline constexpr int kNetVersion = 1;
inline constexpr std::string_view kNetMagic = "orrery-kernel-nets";

/// The file; `notes` are a comment at its head. The same input gives the same bytes.
[[nodiscard]] std::string write_nets(std::string_view notes, std::span<const NetClass> classes);

}  // namespace orrery::model
