// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/changes/nccl_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/collective/nccl/settings.h"

namespace orrery::study {

using platform::LibrarySettings;
using std::string_view;

namespace {

constexpr std::int64_t kMostChannels = 64;  // user guide: 64 since NCCL 2.25

constexpr string_view kPathOfHost = "the rate of copies through host memory";
constexpr string_view kPathOfCpu = "the path between GPU and network card";
constexpr string_view kSockets = "the rate of TCP sockets";
constexpr string_view kSwitchLoad = "how the network's switches distribute load over routes";
constexpr string_view kCosts = "costs that depend on it";
constexpr string_view kTopology = "the places of GPUs, cards and PCI switches in a host";

std::string upper(string_view name) {
  std::string made(name);
  for (char& c : made)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return made;
}

/// The whole number in a range, or the error that states the range.
Result<std::int64_t> number_of(const NcclValue& given, std::int64_t least, std::int64_t most) {
  const auto number = parse_integer(given.value, given.where);
  if (number && *number >= least && *number <= most) return *number;
  return fail(Errc::usage, given.where, in_quotes(given.value) + " is not a value of this variable",
              fmt::format("{} accepts {}", given.variable.name, given.variable.values));
}

// How variables change the settings, without a check of names in lists.

Result<void> set_algorithms(const NcclValue& given, LibrarySettings& settings) {
  settings.algorithms = given.value;
  return {};
}

Result<void> set_protocols(const NcclValue& given, LibrarySettings& settings) {
  settings.protocols = given.value;
  return {};
}

Result<void> set_nvls(const NcclValue& given, LibrarySettings& settings) {
  const auto number = number_of(given, 0, 2);
  if (!number) return tl::unexpected(number.error());
  settings.nvls = *number != 0;
  return {};
}

Result<void> set_collnet(const NcclValue& given, LibrarySettings& settings) {
  const auto number = number_of(given, 0, 1);
  if (!number) return tl::unexpected(number.error());
  settings.collnet = *number != 0;
  return {};
}

// Of several limits of channels, those of the cluster file too, the most restrictive applies (user
// guide).

Result<void> set_least_channels(const NcclValue& given, LibrarySettings& settings) {
  const auto number = number_of(given, 1, kMostChannels);
  if (!number) return tl::unexpected(number.error());
  settings.min_channels = std::max<std::int64_t>(settings.min_channels, *number);
  return {};
}

Result<void> set_most_channels(const NcclValue& given, LibrarySettings& settings) {
  const auto number = number_of(given, 1, kMostChannels);
  if (!number) return tl::unexpected(number.error());
  std::int64_t& most = settings.max_channels;
  most = most > 0 ? std::min(most, *number) : *number;
  return {};
}

// Source of names, values, defaults and meanings: NVIDIA/nccl, docs/userguide/source/env.rst. The
// effects are those of NCCL's cost model (tuning.h) and of its channels (channels.h).
constexpr auto kVariables = std::to_array<NcclVariable>({
    {"NCCL_ALGO",
     "Ring, Tree, CollnetDirect, CollnetChain, NVLS, NVLSTree, PAT: a list with commas; ^ "
     "before it excludes; allreduce:Tree for one collective, with semicolons between "
     "several",
     "", "algorithms that NCCL may use", "NCCL chooses among these only", "", set_algorithms},
    {"NCCL_PROTO", "LL, LL128, Simple: lists as those of NCCL_ALGO", "",
     "protocols that NCCL may use", "NCCL chooses among these only", "", set_protocols},
    {"NCCL_MIN_CTAS", "1 to 64", "", "minimum number of CTAs: of channels",
     "more channels than NCCL finds share the rate of the links, and hold more SMs", "",
     set_least_channels},
    {"NCCL_MAX_CTAS", "1 to 64", "", "maximum number of CTAs: of channels",
     "fewer channels than NCCL finds carry less, and hold fewer SMs", "", set_most_channels},
    {"NCCL_MIN_NCHANNELS", "1 to 64", "", "older name of NCCL_MIN_CTAS",
     "as NCCL_MIN_CTAS; the higher of both applies", "", set_least_channels},
    {"NCCL_MAX_NCHANNELS", "1 to 64", "", "older name of NCCL_MAX_CTAS",
     "as NCCL_MAX_CTAS; the lower of both applies", "", set_most_channels},
    {"NCCL_NVLS_ENABLE", "0, 1, 2", "2", "NVLink SHARP, from Hopper on",
     "0: neither NVLS nor NVLSTree runs", "", set_nvls},
    {"NCCL_COLLNET_ENABLE", "0, 1", "0", "switches of the network reduce (SHARP)",
     "1: CollnetDirect and CollnetChain may run, by the cost model alone", "", set_collnet},
    {"NCCL_BUFFSIZE", "bytes", "4194304", "size of the buffer between two GPUs", "", kCosts},
    {"NCCL_NTHREADS", "64, 128, 256, 512", "", "CUDA threads per block", "", kCosts},
    {"NCCL_P2P_DISABLE", "0, 1", "0", "no direct access between GPUs (NVLink, PCI)", "",
     kPathOfHost},
    {"NCCL_P2P_LEVEL", "LOC, NVL, PIX, PXB, PHB, SYS", "",
     "the largest distance of GPUs with direct access", "", kTopology},
    {"NCCL_P2P_DIRECT_DISABLE", "0, 1", "0",
     "no direct access to user buffers between GPUs of a process", "", kCosts},
    {"NCCL_SHM_DISABLE", "0, 1", "0", "no transport through shared host memory", "", kPathOfHost},
    {"NCCL_IB_DISABLE", "0, 1", "0", "no InfiniBand and RoCE; falls back to IP sockets", "",
     kSockets},
    {"NCCL_NET", "IB, Socket, or a plug-in", "", "the network implementation", "", kSockets},
    {"NCCL_NET_PLUGIN", "a library or suffix", "", "the network plug-in", "",
     "the rates of plug-ins"},
    {"NCCL_CROSS_NIC", "0, 1, 2", "2", "rings may use other cards on other nodes", "",
     "the rails of the network"},
    {"NCCL_IB_HCA", "a list of cards", "", "the cards that NCCL uses", "", kTopology},
    {"NCCL_IB_MERGE_NICS", "0, 1", "1", "combines the ports of a card", "", kTopology},
    {"NCCL_IB_QPS_PER_CONNECTION", "1 to 128", "1", "queue pairs per connection", "", kSwitchLoad},
    {"NCCL_IB_SPLIT_DATA_ON_QPS", "0, 1", "0", "splits each message over the queue pairs", "",
     kSwitchLoad},
    {"NCCL_IB_ADAPTIVE_ROUTING", "0, 1", "", "adaptive routing", "", kSwitchLoad},
    {"NCCL_IB_AR_THRESHOLD", "bytes", "8192", "message size from which on adaptive routing applies",
     "", kSwitchLoad},
    {"NCCL_IB_SL", "a service level", "0", "InfiniBand service level", "", kSwitchLoad},
    {"NCCL_IB_TC", "a traffic class", "0", "InfiniBand traffic class", "", kSwitchLoad},
    {"NCCL_IB_TIMEOUT", "0 to 31", "20", "timeout of InfiniBand messages", "", "lost messages"},
    {"NCCL_IB_RETRY_CNT", "0 to 7", "7", "retries of InfiniBand messages", "", "lost messages"},
    {"NCCL_IB_GID_INDEX", "an index", "-1", "the global identifier of RoCE", "",
     "addresses of networks"},
    {"NCCL_IB_PCI_RELAXED_ORDERING", "0, 1, 2", "2", "relaxed ordering of PCI writes", "",
     kPathOfCpu},
    {"NCCL_NET_GDR_LEVEL", "LOC, PIX, PXB, PHB, SYS", "",
     "the largest distance of GPU and card with GPUDirect RDMA", "", kPathOfCpu},
    {"NCCL_NET_GDR_READ", "0, 1", "", "GPUDirect RDMA when sending", "", kPathOfCpu},
    {"NCCL_NET_GDR_C2C", "0, 1", "1", "GPUDirect RDMA through the CPU's chip link", "", kPathOfCpu},
    {"NCCL_DMABUF_ENABLE", "0, 1", "1", "GPUDirect RDMA through Linux dma-buf", "", kPathOfCpu},
    {"NCCL_SOCKET_IFNAME", "a list of interfaces", "", "the IP interfaces that NCCL uses", "",
     kSockets},
    {"NCCL_SOCKET_NTHREADS", "1 to 16", "", "threads per connection of sockets", "", kSockets},
    {"NCCL_NSOCKS_PERTHREAD", "a number", "", "sockets per thread", "", kSockets},
    {"NCCL_PXN_DISABLE", "0, 1", "0", "no use of another GPU's card over NVLink", "", kTopology},
    {"NCCL_P2P_PXN_LEVEL", "0, 1, 2", "2", "use of another GPU's card by messages", "", kTopology},
    {"NCCL_NVB_DISABLE", "0, 1", "0", "no NVLink over an intermediate GPU", "", kTopology},
    {"NCCL_P2P_NET_CHUNKSIZE", "bytes", "131072", "size of pieces of messages", "", kCosts},
    {"NCCL_P2P_LL_THRESHOLD", "bytes", "16384", "largest message with protocol LL", "", kCosts},
    {"NCCL_COLLNET_NODE_THRESHOLD", "a number of nodes", "2",
     "number of nodes from which on CollNet is used", "", kCosts},
    {"NCCL_MNNVL_ENABLE", "0, 1, 2", "", "NVLink between nodes", "",
     "which nodes share NVLink, apart from the cluster's dimensions"},
    {"NCCL_CGA_CLUSTER_SIZE", "0 to 8", "", "thread block clusters of NCCL's kernels", "", kCosts},
    {"NCCL_CTA_POLICY", "DEFAULT, EFFICIENCY, ZERO", "DEFAULT", "how many CTAs NCCL prefers", "",
     kCosts},
    {"NCCL_LAUNCH_MODE", "PARALLEL, GROUP", "PARALLEL", "how NCCL launches kernels", "", kCosts},
    {"NCCL_GRAPH_REGISTER", "0, 1", "1", "registered buffers in CUDA graphs", "", kCosts},
    {"NCCL_LOCAL_REGISTER", "0, 1", "1", "registered buffers", "", kCosts},
    {"NCCL_CUMEM_ENABLE", "0, 1", "", "cuMem functions allocate memory", "", kCosts},
    {"NCCL_TUNER_PLUGIN", "a library or suffix", "", "a plug-in that chooses algorithms", "",
     "the plug-in's choices (the key NCCL_TUNER_CONFIG_FILE of a cluster file gives them)"},
    {"NCCL_TOPO_FILE", "a file", "", "topology of the host", "",
     "a cluster for it (a cluster file with fabric: FILE reads it)"},
    {"NCCL_DEBUG", "VERSION, WARN, INFO, TRACE", "", "what NCCL logs", "",
     "logs, which affect no time"},
});

Error not_represented(const NcclVariable& variable, const std::string& where) {
  return {Errc::config_conflict, where,
          fmt::format("the model of NCCL does not represent it ({}): it has no data for {}",
                      variable.meaning, variable.missing),
          fmt::format("the model represents {}", join(represented_nccl_variables()))};
}

Error unknown_variable(string_view name, const std::string& where) {
  std::vector<string_view> names;
  for (const NcclVariable& one : kVariables) names.push_back(one.name);
  std::string near = did_you_mean(upper(name), names);
  return {Errc::usage, where, fmt::format("NCCL has no variable {}", printable(upper(name))),
          near.empty() ? fmt::format("the model represents {}", join(represented_nccl_variables()))
                       : std::move(near)};
}

}  // namespace

std::span<const NcclVariable> nccl_variables() { return kVariables; }

const NcclVariable* find_nccl_variable(string_view name) {
  const std::string wanted = upper(name);
  const auto* const found =
      std::find_if(kVariables.begin(), kVariables.end(),
                   [&](const NcclVariable& one) { return one.name == wanted; });
  return found == kVariables.end() ? nullptr : found;
}

bool is_nccl_variable(string_view name) { return upper(name).starts_with("NCCL_"); }

std::vector<string_view> represented_nccl_variables() {
  std::vector<string_view> names;
  for (const NcclVariable& one : kVariables)
    if (one.is_represented()) names.push_back(one.name);
  return names;
}

Result<void> set_nccl_variable(string_view name, const std::string& value, const std::string& where,
                               LibrarySettings& settings) {
  const NcclVariable* const variable = find_nccl_variable(name);
  if (variable == nullptr) return tl::unexpected(unknown_variable(name, where));
  if (!variable->is_represented()) {
    if (!variable->usual.empty() && upper(value) == upper(variable->usual)) return {};
    return tl::unexpected(not_represented(*variable, where));
  }
  // Errors of one value name its place; those of several are found with the whole settings.
  const NcclValue given{*variable, value, where};
  LibrarySettings alone, all = settings;
  if (auto set = variable->set(given, alone); !set) return set;
  if (auto allowed = model::read_allowed(alone, ""); !allowed) {
    Error error = allowed.error();
    error.code = Errc::usage;
    error.where = where;
    return tl::unexpected(std::move(error));
  }
  if (auto set = variable->set(given, all); !set) return set;
  if (auto allowed = model::read_allowed(all, ""); !allowed) {
    Error error = allowed.error();
    error.where = where;
    return tl::unexpected(std::move(error));
  }
  settings = std::move(all);
  return {};
}

std::string nccl_variables_reference() {
  std::string text =
      "# NCCL's environment variables\n"
      "\n"
      "`orrery whatif … --change NCCL_ALGO=Ring` predicts a step with a variable of NCCL, and\n"
      "`orrery collective compare … --change NCCL_ALGO=Ring` a single collective. [The\n"
      "guide](../how-to/change-nccl-variables.md) has examples. The case of names and values does\n"
      "not matter. A cluster file has most variables of the first table under\n"
      "[`collectives: settings`](cluster.md#collectives-settings).\n"
      "\n"
      "The variables are those of [NCCL's user "
      "guide](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html)\n"
      "(NCCL 2.30 to 2.32). The model of NCCL is described in [collective "
      "times](../collectives.md#the-model).\n"
      "\n"
      "## Variables that the model represents\n"
      "\n"
      "| variable | values | default | meaning | effect in the model |\n"
      "|---|---|---|---|---|\n";
  const auto usual = [](const NcclVariable& one) {
    return one.usual.empty() ? std::string() : fmt::format("`{}`", one.usual);
  };
  for (const NcclVariable& one : kVariables)
    if (one.is_represented())
      text += fmt::format("| `{}` | {} | {} | {} | {} |\n", one.name, one.values, usual(one),
                          one.meaning, one.effect);
  text +=
      "\n"
      "## Variables that the model does not represent\n"
      "\n"
      "A value other than NCCL's default is an error, because the model has no data for its "
      "effect.\n"
      "\n"
      "| variable | values | default | meaning | no data for |\n"
      "|---|---|---|---|---|\n";
  for (const NcclVariable& one : kVariables)
    if (!one.is_represented())
      text += fmt::format("| `{}` | {} | {} | {} | {} |\n", one.name, one.values, usual(one),
                          one.meaning, one.missing);
  return text;
}

}  // namespace orrery::study
