// SPDX-License-Identifier: Apache-2.0
//
// How nets for lookups are written and read: text, line by line, ended by a sum over all bytes
// before.
#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text.h"
#include "orrery/model/kernels/learned/forest.h"
#include "orrery/model/kernels/learned/lookup_net.h"
#include "orrery/model/kernels/learned/model_words.h"

namespace orrery::model {
namespace {

using std::string_view;

constexpr std::size_t kMostLookupNets = 1u << 12;

void put_numbers(std::string& out, string_view name, std::span<const float> values) {
  out += fmt::format("{} ", name);
  append_cuts(out, values);
  out += '\n';
}

void put_layers(std::string& out, string_view word, std::span<const NetLayer> layers) {
  for (const NetLayer& layer : layers) {
    put_numbers(out, fmt::format("{} {} {}", word, layer.in, layer.out), layer.weights);
    put_numbers(out, "bias", layer.bias);
  }
}

bool read_numbers_of(string_view text, std::span<float> into) {
  if (text.size() != 5 * into.size()) return false;
  const auto read = cuts_of(text);
  if (!read) return false;
  std::copy(read->begin(), read->end(), into.begin());
  return true;
}

bool is_word(string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n") == string_view::npos;
}

class LookupNetLines {
 public:
  LookupNetLines(string_view text, string_view where) : lines_(text, where) {}

  Result<std::vector<LookupNetOf>> read() {
    if (auto head = lines_.take_head(kLookupNetMagic, kLookupNetVersion,
                                     "a file of nets for embedding lookups");
        !head)
      return tl::unexpected(head.error());
    if (auto whole = lines_.check_whole(); !whole) return tl::unexpected(whole.error());
    std::vector<LookupNetOf> nets;
    while (!lines_.done()) {
      string_view line = lines_.take();
      if (line.starts_with('#')) continue;
      const string_view word = word_of(line);
      if (word == "sum") break;
      if (word != "lookup" || nets.size() >= kMostLookupNets)
        return lines_.wrong("neither a net nor the sum at the end");
      auto is = read_net(line);
      if (!is) return tl::unexpected(std::move(is.error()));
      nets.push_back(*std::move(is));
    }
    return nets;
  }

 private:
  Result<LookupNetOf> read_net(string_view line) {
    LookupNetOf is;
    is.device = word_of(line);
    const string_view pass = word_of(line);
    is.backward = pass == "backward";
    if (is.device.empty() || (pass != "forward" && !is.backward) || !keyed(line, "rows", is.rows) ||
        is.rows < 0 || !line.empty())
      return lines_.wrong("not the head of a net: its device, pass and rows");
    for (;;) {
      if (lines_.done()) return lines_.wrong("ends inside a net");
      string_view rest = lines_.take();
      const string_view word = word_of(rest);
      if (word == "end") break;
      if (!entry(word, rest, is)) return lines_.wrong("not an entry of a net: " + in_quotes(word));
    }
    if (!is.net.is_whole()) return lines_.wrong("the layers of a net do not fit together");
    return is;
  }

  bool entry(string_view word, string_view rest, LookupNetOf& is) {
    LookupNet& net = is.net;
    if (word == "seen") return read_held(rest, is.seen);
    if (word == "means") return read_numbers_of(rest, net.mean);
    if (word == "scales") return read_numbers_of(rest, net.scale);
    if (word == "target")
      return keyed(rest, "mean", net.target_mean) && keyed(rest, "scale", net.target_scale) &&
             rest.empty();
    if (word == "each" || word == "all") {
      std::size_t in = 0, out = 0;
      if (net.each.size() + net.all.size() >= Net::kMostLayers || !number_of(word_of(rest), in) ||
          !number_of(word_of(rest), out) || in == 0 || out == 0 || in > Net::kMostWidth ||
          out > Net::kMostWidth || rest.size() != 5 * in * out)  // before there is memory for them
        return false;
      last_ = &(word == "each" ? net.each : net.all).emplace_back(NetLayer{in, out, {}, {}});
      last_->weights.resize(in * out);
      return read_numbers_of(rest, last_->weights);
    }
    if (word != "bias" || (net.each.empty() && net.all.empty()) || !last_->bias.empty())
      return false;
    last_->bias.resize(last_->out);
    return read_numbers_of(rest, last_->bias);
  }

  FittedLines lines_;
  NetLayer* last_ = nullptr;  // of the net that is read
};

}  // namespace

std::string write_lookup_nets(string_view notes, std::span<const LookupNetOf> nets) {
  std::string out = fmt::format("{} {}\n", kLookupNetMagic, kLookupNetVersion);
  put_notes(out, notes);
  for (const LookupNetOf& is : nets) {
    out += fmt::format("lookup {} {} rows={}\n", is_word(is.device) ? is.device : "?",
                       is.backward ? "backward" : "forward", is.rows);
    put_held(out, "seen", is.seen);
    put_numbers(out, "means", is.net.mean);
    put_numbers(out, "scales", is.net.scale);
    out += fmt::format("target mean={} scale={}\n", is.net.target_mean, is.net.target_scale);
    put_layers(out, "each", is.net.each);
    put_layers(out, "all", is.net.all);
    out += "end\n";
  }
  return with_sum(std::move(out));
}

Result<LookupNets> LookupNets::read(string_view text, string_view where) {
  auto nets = LookupNetLines(text, where).read();
  if (!nets) return tl::unexpected(std::move(nets.error()));
  return LookupNets(*std::move(nets));
}

}  // namespace orrery::model
