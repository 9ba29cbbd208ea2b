// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/net_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/statistics/exact_math.h"
#include "orrery/core/text/text.h"
#include "orrery/model/kernels/learned/model_file_format.h"
#include "orrery/model/kernels/table/minimum_work.h"

namespace orrery::model {

namespace {

using graph::Kernel;

/// Whether the kernel lacks sizes that all training kernels have. A net treats them as 1.
bool says_less(const Kernel& kernel, const std::array<std::int64_t, graph::kKernelSizes>& lower) {
  for (std::size_t i = graph::defining_sizes(kernel.operation); i < lower.size(); ++i)
    if (kernel.sizes[i] == 0 && lower[i] > 0) return true;
  return false;
}

}  // namespace

NetInputs net_inputs(const Kernel& kernel) {
  const Kernel one = canonical(kernel);
  NetInputs inputs{};
  std::size_t at = 0;
  for (const std::int64_t size : one.sizes)
    inputs[at++] =
        static_cast<float>(exact_log2(static_cast<double>(std::max<std::int64_t>(size, 1))));
  for (std::size_t bit = 0; bit < graph::kTraits; ++bit)
    inputs[at++] = static_cast<float>(one.traits >> bit & 1);
  inputs[at + static_cast<std::size_t>(one.pass)] = 1;
  at += graph::kPasses;
  inputs[at++] = static_cast<float>(graph::bits_of(one.out)) / 32;
  inputs[at++] = static_cast<float>(one.operation) / 8;
  return inputs;
}

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

bool NetLayer::is_consistent(std::size_t inputs) const {
  return in == inputs && out > 0 && out <= Net::kMaxWidth && weights.size() == in * out &&
         bias.size() == out && all_finite(weights) && all_finite(bias);
}

bool Net::is_consistent() const {
  if (layers.empty() || layers.size() > kMaxLayers || layers.front().in != kNetInputs ||
      layers.back().out != 1 || !all_finite(mean) || !all_finite(scale) ||
      !std::isfinite(target_mean) || !std::isfinite(target_scale))
    return false;
  std::size_t before = kNetInputs;
  for (const NetLayer& layer : layers) {
    if (!layer.is_consistent(before)) return false;
    before = layer.out;
  }
  return true;
}

double Net::log2_seconds(const Kernel& kernel) const {
  const NetInputs inputs = net_inputs(kernel);
  std::array<float, kMaxWidth> values{}, next{};
  for (std::size_t i = 0; i < kNetInputs; ++i) values[i] = (inputs[i] - mean[i]) * scale[i];
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const NetLayer& layer = layers[l];
    std::copy(layer.bias.begin(), layer.bias.end(), next.begin());
    for (std::size_t i = 0; i < layer.in; ++i) {
      const float x = values[i];
      const float* const row = &layer.weights[i * layer.out];
      for (std::size_t j = 0; j < layer.out; ++j) next[j] += x * row[j];
    }
    if (l + 1 < layers.size())
      for (std::size_t j = 0; j < layer.out; ++j) next[j] = next[j] > 0 ? next[j] : 0;
    std::swap(values, next);
  }
  return target_mean + target_scale * static_cast<double>(values[0]);
}

std::optional<KernelTime> NetModel::time(const Kernel& kernel, const Silicon& silicon) const {
  const KernelClass kernels = class_of(kernel);
  if (kernels == KernelClass::none) return std::nullopt;
  const DeviceSignature like = signature_of(kernels, silicon);
  const auto is = std::find_if(classes_.begin(), classes_.end(), [&](const NetClass& known) {
    return known.kernels == kernels && is_equivalent_device(known.device, like);
  });
  if (is == classes_.end()) return std::nullopt;
  const double log2 = is->net.log2_seconds(kernel);
  if (!(log2 > -60 && log2 < 30)) return std::nullopt;  // not plausible: far from the training
  KernelTime time;
  time.seconds = exact_exp2(log2) * std::max<std::uint32_t>(kernel.launches, 1);
  time.source = TimeSource::learned;
  time.extrapolated =
      !is_within_sizes(kernel, is->lower, is->upper) || says_less(kernel, is->lower);
  time.band = holdout_band(is->seen, time.extrapolated);
  return time;
}

namespace {

using std::string_view;

constexpr std::size_t kMaxNets = 1u << 12;

void put_net(std::string& out, const NetClass& is) {
  out += fmt::format("net {} rows={}\n", name(is.kernels), is.rows);
  put_holdout(out, "seen", is.seen);
  put_signature(out, is.device);
  put_sizes(out, is.lower, is.upper);
  put_floats(out, "means", is.net.mean);
  put_floats(out, "scales", is.net.scale);
  out += fmt::format("target mean={} scale={}\n", is.net.target_mean, is.net.target_scale);
  put_layers(out, "layer", is.net.layers);
  out += "end\n";
}

class NetLines {
 public:
  NetLines(string_view text, string_view where) : lines_(text, where) {}

  Result<std::vector<NetClass>> read() {
    if (auto head = lines_.take_header(kNetMagic, kNetVersion,
                                       "a file of neural networks for kernel times");
        !head)
      return tl::unexpected(head.error());
    if (auto whole = lines_.check_file_checksum(); !whole) return tl::unexpected(whole.error());
    return lines_.read_sections<NetClass>("net", "net", kMaxNets,
                                          [&](string_view line) { return read_net(line); });
  }

 private:
  Result<NetClass> read_net(string_view line) {
    NetClass is;
    if (auto fine = lines_.read_class(line, is.kernels, is.rows); !fine)
      return tl::unexpected(fine.error());
    for (;;) {
      if (lines_.done()) return lines_.wrong("ends inside a net");
      string_view rest = lines_.take();
      const string_view word = next_token(rest);
      if (word == "end") break;
      if (!entry(word, rest, is)) return lines_.wrong("not an entry of a net: " + in_quotes(word));
    }
    if (!is.net.is_consistent() || is.device.name.empty())
      return lines_.wrong("the layers of a net do not match");
    return is;
  }

  bool entry(string_view word, string_view rest, NetClass& is) {
    Net& net = is.net;
    if (word == "seen") return read_holdout(rest, is.seen);
    if (word == "device") return read_signature(rest, is.device);
    if (word == "size") return read_sizes(rest, is.lower, is.upper);
    if (word == "means") return read_floats(rest, net.mean);
    if (word == "scales") return read_floats(rest, net.scale);
    if (word == "target")
      return keyed_number(rest, "mean", net.target_mean) &&
             keyed_number(rest, "scale", net.target_scale) && rest.empty();
    if (word == "layer")
      return net.layers.size() < Net::kMaxLayers &&
             read_layer(rest, std::max(Net::kMaxWidth, kNetInputs), net.layers);
    return word == "bias" && !net.layers.empty() && read_bias(rest, net.layers.back());
  }

  ModelFileReader lines_;
};

}  // namespace

void put_layers(std::string& out, string_view word, std::span<const NetLayer> layers) {
  for (const NetLayer& layer : layers) {
    put_floats(out, fmt::format("{} {} {}", word, layer.in, layer.out), layer.weights);
    put_floats(out, "bias", layer.bias);
  }
}

bool read_layer(string_view line, std::size_t max_inputs, std::vector<NetLayer>& layers) {
  std::size_t in = 0, out = 0;
  if (!read_number(next_token(line), in) || !read_number(next_token(line), out) || in == 0 ||
      out == 0 || in > max_inputs || out > Net::kMaxWidth ||
      line.size() != 5 * in * out)  // checked before memory is allocated
    return false;
  NetLayer& layer = layers.emplace_back(NetLayer{in, out, {}, {}});
  layer.weights.resize(in * out);
  return read_floats(line, layer.weights);
}

bool read_bias(string_view line, NetLayer& layer) {
  if (!layer.bias.empty()) return false;
  layer.bias.resize(layer.out);
  return read_floats(line, layer.bias);
}

std::string write_nets(string_view notes, std::span<const NetClass> classes) {
  std::string out = fmt::format("{} {}\n", kNetMagic, kNetVersion);
  put_notes(out, notes);
  for (const NetClass& is : classes) put_net(out, is);
  return with_checksum(std::move(out));
}

Result<NetModel> NetModel::read(string_view text, string_view where) {
  Result<std::vector<NetClass>> nets = NetLines(text, where).read();
  if (!nets) return tl::unexpected(std::move(nets.error()));
  return NetModel(*std::move(nets));
}

}  // namespace orrery::model
