// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/net_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text.h"
#include "orrery/model/kernels/learned/model_words.h"

namespace orrery::model {
namespace {

using std::string_view;

constexpr std::size_t kMostNets = 1u << 12;

void put_floats(std::string& out, string_view name, std::span<const float> values) {
  out += fmt::format("{} ", name);
  append_cuts(out, values);
  out += '\n';
}

void put_net(std::string& out, const NetClass& is) {
  out += fmt::format("net {} rows={}\n", name(is.kernels), is.rows);
  put_held(out, "seen", is.seen);
  put_likeness(out, is.device);
  put_sizes(out, is.least, is.most);
  put_floats(out, "means", is.net.mean);
  put_floats(out, "scales", is.net.scale);
  out += fmt::format("target mean={} scale={}\n", is.net.target_mean, is.net.target_scale);
  for (const NetLayer& layer : is.net.layers) {
    put_floats(out, fmt::format("layer {} {}", layer.in, layer.out), layer.weights);
    put_floats(out, "bias", layer.bias);
  }
  out += "end\n";
}

bool read_floats(string_view text, std::span<float> into) {
  if (text.size() != 5 * into.size()) return false;
  const auto read = cuts_of(text);
  if (!read) return false;
  std::copy(read->begin(), read->end(), into.begin());
  return true;
}

class NetLines {
 public:
  NetLines(string_view text, string_view where) : lines_(text, where) {}

  Result<std::vector<NetClass>> read() {
    if (auto head = lines_.take_head(kNetMagic, kNetVersion, "a file of nets for kernel times");
        !head)
      return tl::unexpected(head.error());
    if (auto whole = lines_.check_whole(); !whole) return tl::unexpected(whole.error());
    std::vector<NetClass> nets;
    while (!lines_.done()) {
      string_view line = lines_.take();
      if (line.starts_with('#')) continue;
      const string_view word = word_of(line);
      if (word == "sum") break;
      if (word != "net" || nets.size() >= kMostNets)
        return lines_.wrong("neither a net nor the sum at the end");
      Result<NetClass> is = read_net(line);
      if (!is) return tl::unexpected(std::move(is.error()));
      nets.push_back(*std::move(is));
    }
    return nets;
  }

 private:
  Result<NetClass> read_net(string_view line) {
    NetClass is;
    if (auto fine = lines_.read_class(line, is.kernels, is.rows); !fine)
      return tl::unexpected(fine.error());
    for (;;) {
      if (lines_.done()) return lines_.wrong("ends inside a net");
      string_view rest = lines_.take();
      const string_view word = word_of(rest);
      if (word == "end") break;
      if (!entry(word, rest, is)) return lines_.wrong("not an entry of a net: " + in_quotes(word));
    }
    if (!is.net.is_whole() || is.device.name.empty())
      return lines_.wrong("the layers of a net do not fit together");
    return is;
  }

  bool entry(string_view word, string_view rest, NetClass& is) {
    Net& net = is.net;
    if (word == "seen") return read_held(rest, is.seen);
    if (word == "device") return read_likeness(rest, is.device);
    if (word == "size") return read_sizes(rest, is.least, is.most);
    if (word == "means") return read_floats(rest, net.mean);
    if (word == "scales") return read_floats(rest, net.scale);
    if (word == "target")
      return keyed(rest, "mean", net.target_mean) && keyed(rest, "scale", net.target_scale) &&
             rest.empty();
    if (word == "layer") {
      std::size_t in = 0, out = 0;
      if (net.layers.size() >= Net::kMostLayers || !number_of(word_of(rest), in) ||
          !number_of(word_of(rest), out) || in == 0 || out == 0 ||
          in > std::max(Net::kMostWidth, kNetInputs) || out > Net::kMostWidth)
        return false;
      NetLayer& layer = net.layers.emplace_back(NetLayer{in, out, {}, {}});
      if (rest.size() != 5 * in * out) return false;  // before there is memory for them
      layer.weights.resize(in * out);
      return read_floats(rest, layer.weights);
    }
    if (word != "bias" || net.layers.empty() || !net.layers.back().bias.empty()) return false;
    net.layers.back().bias.resize(net.layers.back().out);
    return read_floats(rest, net.layers.back().bias);
  }

  FittedLines lines_;
};

}  // namespace

std::string write_nets(string_view notes, std::span<const NetClass> classes) {
  std::string out = fmt::format("{} {}\n", kNetMagic, kNetVersion);
  put_notes(out, notes);
  for (const NetClass& is : classes) put_net(out, is);
  return with_sum(std::move(out));
}

Result<NetModel> NetModel::read(string_view text, string_view where) {
  Result<std::vector<NetClass>> nets = NetLines(text, where).read();
  if (!nets) return tl::unexpected(std::move(nets.error()));
  return NetModel(*std::move(nets));
}

}  // namespace orrery::model
