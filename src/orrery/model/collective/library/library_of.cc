// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/library/library_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/core/text.h"
#include "orrery/platform/catalogue.h"
#include "orrery/platform/node.h"

namespace orrery::model {

using Design = platform::Architecture;
using platform::Dimension;

namespace {

nccl::Generation generation_of(Design architecture) {
  switch (architecture) {
    case Design::hopper:
      return nccl::Generation::hopper;
    case Design::blackwell:
    case Design::blackwell_ultra:
    case Design::rtx_blackwell:
      return nccl::Generation::blackwell;
    case Design::ampere:
    case Design::ada:
    case Design::cdna2:
    case Design::cdna3:
    case Design::cdna4:
      return nccl::Generation::ampere;
    default:
      return nccl::Generation::volta;
  }
}

bool is_amd(Design architecture) {
  return architecture == Design::cdna2 || architecture == Design::cdna3 ||
         architecture == Design::cdna4;
}

/// GB/s of one device into the dimension, one way.
double links(const Dimension& dim) {
  const double one = dim.bandwidth.count() / 1e9;
  switch (dim.block) {
    case platform::Block::fully_connected:
      return one * static_cast<double>(std::max<std::int64_t>(dim.size - 1, 1));
    case platform::Block::ring:
      return dim.size > 2 ? 2 * one : one;
    case platform::Block::switched:
      break;
  }
  return one;
}

std::uint8_t all_of(std::size_t count) { return static_cast<std::uint8_t>((1U << count) - 1); }

/// The words of such a setting as bits; `named` gives a word's place.
template <class Named>
Result<std::uint8_t> read_words(std::string_view text, std::size_t count, const std::string& where,
                                std::string_view what, std::string_view all, Named named) {
  if (text.empty()) return all_of(count);
  const bool others = text.front() == '^';
  if (others) text.remove_prefix(1);
  std::uint8_t bits = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string word;
    for (const char c : text.substr(0, end))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto place = named(word);
    if (!place)
      return fail(Errc::config_range, where, in_quotes(word) + " is no " + std::string(what),
                  fmt::format("there are {}", all));
    bits |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(*place));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (others) bits = static_cast<std::uint8_t>(all_of(count) & ~bits);
  if (bits == 0) return fail(Errc::config_range, where, "leaves nothing to choose from");
  return bits;
}

// NCCL writes its names without underscores, and its tuner's CSV with them.
std::optional<nccl::Algorithm> algorithm_called(const std::string& word) {
  for (std::size_t a = 0; a < nccl::kAlgorithms; ++a) {
    const auto algorithm = static_cast<nccl::Algorithm>(a);
    std::string bare(nccl::name(algorithm));
    std::erase(bare, '_');
    if (word == bare || word == nccl::name(algorithm)) return algorithm;
  }
  return std::nullopt;
}

}  // namespace

LibraryMachine library_machine(const platform::Platform& platform) {
  const platform::DeviceEntry* entry = platform::find_device(platform.device.entry);
  const Design architecture = entry == nullptr ? Design::unknown : entry->architecture;
  LibraryMachine machine;
  nccl::Hardware& hardware = machine.hardware;
  hardware.generation = generation_of(architecture);
  machine.node_dims = platform::node_dimensions(platform);
  const std::string_view usual = entry == nullptr ? std::string_view() : entry->build.scale_up;
  hardware.nvlink = !usual.starts_with("pcie");
  const Dimension& first = platform.dims.front();
  hardware.multicast = hardware.nvlink && first.block == platform::Block::switched &&
                       platform.collectives.settings.nvls;
  if (is_amd(architecture)) hardware.usable = 48.0 / 64;
  if (machine.node_dims > 0) hardware.intra = links(first);
  for (std::size_t d = machine.node_dims; d < platform.dims.size(); ++d) {
    if (platform.dims[d].size < 2) continue;
    const double rate = links(platform.dims[d]);
    hardware.inter = hardware.inter > 0 ? std::min(hardware.inter, rate) : rate;
  }
  return machine;
}

Result<nccl::Allowed> read_allowed(const platform::LibrarySettings& settings,
                                   const std::string& where) {
  nccl::Allowed allowed;
  auto algorithms =
      read_words(settings.algorithms, nccl::kAlgorithms, where + "/NCCL_ALGO", "algorithm of NCCL",
                 "tree, ring, collnetdirect, collnetchain, nvls, nvlstree, pat", algorithm_called);
  if (!algorithms) return tl::unexpected(std::move(algorithms.error()));
  auto protocols = read_words(settings.protocols, nccl::kProtocols, where + "/NCCL_PROTO",
                              "protocol of NCCL", "ll, ll128, simple",
                              [](const std::string& word) { return nccl::protocol_named(word); });
  if (!protocols) return tl::unexpected(std::move(protocols.error()));
  allowed.algorithms = *algorithms;
  allowed.protocols = *protocols;
  allowed.least_channels = static_cast<int>(settings.least_channels);
  allowed.most_channels = static_cast<int>(settings.most_channels);
  if (allowed.most_channels > 0 && allowed.least_channels > allowed.most_channels)
    return fail(Errc::config_conflict, where + "/NCCL_MIN_NCHANNELS",
                "is more than NCCL_MAX_NCHANNELS");
  return allowed;
}

Result<std::shared_ptr<const LibraryTimes>> library_of(const platform::Platform& platform,
                                                       std::vector<MeasuredCollective> own,
                                                       std::vector<nccl::TunerLine> tuner) {
  if (platform.collectives.library == platform::CollectiveLibrary::ideal ||
      platform.rules == platform::Rules::astra)
    return std::shared_ptr<const LibraryTimes>();
  auto allowed = read_allowed(platform.collectives.settings, "/collectives/settings");
  if (!allowed) return tl::unexpected(std::move(allowed.error()));
  return std::make_shared<const LibraryTimes>(library_machine(platform).hardware,
                                              platform.device.entry, std::move(own),
                                              nccl::Chooser{*allowed, std::move(tuner)});
}

}  // namespace orrery::model
