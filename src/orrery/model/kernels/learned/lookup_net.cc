// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/lookup_net.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/statistics/exact_math.h"
#include "orrery/core/text/text.h"
#include "orrery/model/kernels/learned/forest.h"
#include "orrery/model/kernels/learned/model_file_format.h"

namespace orrery::model {

namespace {

/// Applies one layer; replaces `values` by its output.
void apply(const NetLayer& layer, bool rectified, std::vector<float>& values,
           std::vector<float>& next) {
  next.assign(layer.bias.begin(), layer.bias.end());
  for (std::size_t i = 0; i < layer.in; ++i) {
    const float x = values[i];
    const float* const row = &layer.weights[i * layer.out];
    for (std::size_t j = 0; j < layer.out; ++j) next[j] += x * row[j];
  }
  if (rectified)
    for (float& x : next) x = x > 0 ? x : 0;
  std::swap(values, next);
}

}  // namespace

LookupInputs lookup_inputs(const LookupTable& table) {
  LookupInputs inputs{};
  const auto log = [](double x, double lower) {
    return static_cast<float>(exact_log2(std::max(x, lower)));
  };
  inputs[0] = log(static_cast<double>(table.batch), 1);
  inputs[1] = log(static_cast<double>(table.rows), 1);
  inputs[2] = log(table.pooling, 1e-3);
  inputs[3] = log(static_cast<double>(table.features), 1);
  for (std::size_t bin = 0; bin < kReuseBins; ++bin)
    inputs[4 + bin] = static_cast<float>(table.shares[bin]);
  return inputs;
}

bool LookupNet::is_consistent() const {
  if (!all_finite(mean) || !all_finite(scale) || !std::isfinite(target_mean) ||
      !std::isfinite(target_scale) || each.empty() || all.size() != 2 ||
      each.size() + all.size() > Net::kMaxLayers)
    return false;
  std::size_t in = kLookupInputs;
  for (const std::vector<NetLayer>* layers : {&each, &all}) {
    for (const NetLayer& layer : *layers) {
      if (!layer.is_consistent(in)) return false;
      in = layer.out;
    }
  }
  return in == 1;
}

double LookupNet::log2_us(std::span<const LookupTable> tables) const {
  std::vector<float> sum(each.back().out), values, next;
  for (const LookupTable& table : tables) {
    const LookupInputs inputs = lookup_inputs(table);
    values.resize(kLookupInputs);
    for (std::size_t i = 0; i < kLookupInputs; ++i) values[i] = (inputs[i] - mean[i]) * scale[i];
    for (const NetLayer& layer : each) apply(layer, true, values, next);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  }
  apply(all[0], true, sum, next);
  apply(all[1], false, sum, next);
  return target_mean + target_scale * static_cast<double>(sum[0]);
}

std::optional<double> LookupNets::us(std::string_view device, bool backward,
                                     std::span<const LookupTable> tables) const {
  for (const DeviceLookupNet& is : nets_) {
    if (is.device != device || is.backward != backward) continue;
    const double log2 = is.net.log2_us(tables);
    if (!(log2 > -20 && log2 < 50)) return std::nullopt;
    return exact_exp2(log2);
  }
  return std::nullopt;
}

// Writes and reads nets for lookups: lines of text, followed by a checksum of all previous bytes.

namespace {

using std::string_view;

constexpr std::size_t kMaxLookupNets = 1u << 12;

bool is_word(string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n") == string_view::npos;
}

class LookupNetLines {
 public:
  LookupNetLines(string_view text, string_view where) : lines_(text, where) {}

  Result<std::vector<DeviceLookupNet>> read() {
    if (auto head = lines_.take_header(kLookupNetMagic, kLookupNetVersion,
                                       "a file of neural networks for embedding lookups");
        !head)
      return tl::unexpected(head.error());
    if (auto whole = lines_.check_file_checksum(); !whole) return tl::unexpected(whole.error());
    return lines_.read_sections<DeviceLookupNet>("lookup", "net", kMaxLookupNets,
                                                 [&](string_view line) { return read_net(line); });
  }

 private:
  Result<DeviceLookupNet> read_net(string_view line) {
    DeviceLookupNet is;
    is.device = next_token(line);
    const string_view pass = next_token(line);
    is.backward = pass == "backward";
    if (is.device.empty() || (pass != "forward" && !is.backward) ||
        !keyed_number(line, "rows", is.rows) || is.rows < 0 || !line.empty())
      return lines_.wrong("not the header of a net: device, pass and rows");
    for (;;) {
      if (lines_.done()) return lines_.wrong("ends inside a net");
      string_view rest = lines_.take();
      const string_view word = next_token(rest);
      if (word == "end") break;
      if (!entry(word, rest, is)) return lines_.wrong("not an entry of a net: " + in_quotes(word));
    }
    if (!is.net.is_consistent()) return lines_.wrong("the layers of a net do not match");
    return is;
  }

  bool entry(string_view word, string_view rest, DeviceLookupNet& is) {
    LookupNet& net = is.net;
    if (word == "seen") return read_holdout(rest, is.seen);
    if (word == "means") return read_floats(rest, net.mean);
    if (word == "scales") return read_floats(rest, net.scale);
    if (word == "target")
      return keyed_number(rest, "mean", net.target_mean) &&
             keyed_number(rest, "scale", net.target_scale) && rest.empty();
    if (word == "each" || word == "all") {
      std::vector<NetLayer>& layers = word == "each" ? net.each : net.all;
      if (net.each.size() + net.all.size() >= Net::kMaxLayers ||
          !read_layer(rest, Net::kMaxWidth, layers))
        return false;
      last_ = &layers.back();
      return true;
    }
    return word == "bias" && !(net.each.empty() && net.all.empty()) && read_bias(rest, *last_);
  }

  ModelFileReader lines_;
  NetLayer* last_ = nullptr;  // last layer of the current net
};

}  // namespace

std::string write_lookup_nets(string_view notes, std::span<const DeviceLookupNet> nets) {
  std::string out = fmt::format("{} {}\n", kLookupNetMagic, kLookupNetVersion);
  put_notes(out, notes);
  for (const DeviceLookupNet& is : nets) {
    out += fmt::format("lookup {} {} rows={}\n", is_word(is.device) ? is.device : "?",
                       is.backward ? "backward" : "forward", is.rows);
    put_holdout(out, "seen", is.seen);
    put_floats(out, "means", is.net.mean);
    put_floats(out, "scales", is.net.scale);
    out += fmt::format("target mean={} scale={}\n", is.net.target_mean, is.net.target_scale);
    put_layers(out, "each", is.net.each);
    put_layers(out, "all", is.net.all);
    out += "end\n";
  }
  return with_checksum(std::move(out));
}

Result<LookupNets> LookupNets::read(string_view text, string_view where) {
  auto nets = LookupNetLines(text, where).read();
  if (!nets) return tl::unexpected(std::move(nets.error()));
  return LookupNets(*std::move(nets));
}

}  // namespace orrery::model
