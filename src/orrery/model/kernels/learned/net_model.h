// SPDX-License-Identifier: Apache-2.0
//
// Kernel times from small neural networks over sizes only, one for each device and class.
//
// Source: Lin et al., "Building a Performance Model for Deep Learning Recommendation Model Training
// on GPUs", HiPC 2022: the inputs are logarithms of sizes, the output is the logarithm of the time,
// with ReLU in between.
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

/// Inputs: logarithms of eight sizes; traits, pass, bits of the output and operation as numbers.
inline constexpr std::size_t kNetInputs = 8 + graph::kTraits + graph::kPasses + 2;
using NetInputs = std::array<float, kNetInputs>;
[[nodiscard]] NetInputs net_inputs(const graph::Kernel& kernel);

/// One layer: out = in · weights + bias, then max(0, out) in all layers except the last.
struct NetLayer {
  std::size_t in = 0, out = 0;
  std::vector<float> weights;  ///< `in` rows of `out` numbers
  std::vector<float> bias;     ///< `out` numbers

  /// Whether it has `inputs` inputs, outputs, and as many finite numbers as these need.
  [[nodiscard]] bool is_consistent(std::size_t inputs) const;
};
[[nodiscard]] bool all_finite(std::span<const float> values);

/// Layers, and the normalization of inputs and output.
struct Net {
  NetInputs mean{}, scale{};  ///< inputs become (x - mean) * scale; scale 0: constant input
  double target_mean = 0;     ///< mean of log2 of seconds …
  double target_scale = 1;    ///< … and the factor of the output
  std::vector<NetLayer> layers;

  static constexpr std::size_t kMaxWidth = 512;
  static constexpr std::size_t kMaxLayers = 8;
  /// Whether layers fit together, have kNetInputs inputs and one output, and all values are finite.
  [[nodiscard]] bool is_consistent() const;
  /// log2 of the seconds of one launch. Sums have a fixed order and use only multiplications and
  /// additions, so the result is equal on every machine.
  [[nodiscard]] double log2_seconds(const graph::Kernel& kernel) const;
};

/// The net of one class on one device.
struct NetClass {
  KernelClass kernels = KernelClass::none;
  std::int64_t rows = 0;  ///< number of training rows
  HoldoutError seen;      ///< at held-out sizes
  DeviceSignature device;
  std::array<std::int64_t, graph::kKernelSizes> lower{}, upper{};  ///< limits of training sizes
  Net net;
};

/// Predicts kernels of the classes and devices of its training; data sheets identify devices. The
/// band is that of held-out kernels. Outside the training sizes it is twice as wide, and
/// `extrapolated` is true.
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

/// The text of a file. `notes` are a comment at its begin. Equal inputs give equal bytes.
[[nodiscard]] std::string write_nets(std::string_view notes, std::span<const NetClass> classes);

/// Appends layers to the text of a file, in lines that begin with `word`.
void put_layers(std::string& out, std::string_view word, std::span<const NetLayer> layers);
/// Parses the text after this word and adds the layer, without its bias. False: another form, or
/// more than `max_inputs` inputs.
[[nodiscard]] bool read_layer(std::string_view line, std::size_t max_inputs,
                              std::vector<NetLayer>& layers);
/// Parses the bias of a layer that has none yet.
[[nodiscard]] bool read_bias(std::string_view line, NetLayer& layer);

}  // namespace orrery::model
