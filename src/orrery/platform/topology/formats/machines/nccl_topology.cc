// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/machines/nccl_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/platform/topology/formats/common/pcie.h"
#include "orrery/platform/topology/formats/common/xml.h"

namespace orrery::platform {
namespace {

constexpr std::size_t kMaxNcclCpus = 1024;
constexpr std::uint32_t kMaxParallelLinks = 65536;

/// "16.0 GT/s PCIe" → 16; nothing: it is not known.
double leading_number(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  return real_number(text.substr(0, end)).value_or(0);
}

class NcclReader {
 public:
  NcclReader(std::string_view text, const std::string& where, Findings& findings)
      : places_(text, where),
        where_(where),
        findings_(findings),
        builder_("machine", "NCCL topology") {}

  Result<Topology> read(const pugi::xml_node& system) {
    const std::string_view version = attribute(system, "version");
    if (!version.empty() && version != "1" && version != "2")
      return fail(Errc::input_unsupported, place(system),
                  fmt::format("version {} of NCCL's topology", in_quotes(version)),
                  "supported are versions 1 (NCCL) and 2 (RCCL)");
    for (const pugi::xml_node& cpu : system.children()) {
      if (std::string_view(cpu.name()) != "cpu") {
        report_ignored(cpu);
      } else if (auto done = read_cpu(cpu); !done) {
        return tl::unexpected(done.error());
      }
    }
    if (cpus_.empty())
      return fail(Errc::input_empty, place(system), "a system without a cpu",
                  "write the file with NCCL_TOPO_DUMP_FILE");
    if (auto done = add_scale_up_links(); !done) return tl::unexpected(done.error());
    join_cpus();
    set_ranks();
    return builder_.finish(where_);
  }

 private:
  struct Gpu {
    NodeIndex node;
    NodeIndex cpu;
    pugi::xml_node element;
    std::optional<std::uint64_t> rank;
  };
  using Key = std::pair<std::uint32_t, std::string>;         ///< host, bus id
  using LinkKey = std::tuple<NodeIndex, NodeIndex, double>;  ///< from, to, rate of each link

  std::string place(const pugi::xml_node& node) const { return places_.of(node); }
  void report_ignored(const pugi::xml_node& node) {
    if (node.type() != pugi::node_element) return;
    findings_.add(FindingCode::fabric_part_ignored,
                  fmt::format("{}: <{}>", place(node), printable(node.name(), kShownBytes)));
  }

  Result<void> read_cpu(const pugi::xml_node& cpu) {
    if (cpus_.size() == kMaxNcclCpus)
      return fail(Errc::limit_exceeded, place(cpu), fmt::format("more than {} CPUs", kMaxNcclCpus));
    const auto [host, added] = hosts_.emplace(attribute(cpu, "host_hash"), 0);
    if (added) host->second = builder_.add_host();
    host_ = host->second;
    const std::string_view id = attribute(cpu, "numaid");
    const NodeIndex node = builder_.add(
        NodeClass::cpu, unique_name(fmt::format("cpu{}", printable(id, kShownBytes))), host_);
    cpus_.emplace_back(node, host_);
    cpu_ = node;
    return read_children(cpu, node);
  }

  Result<void> read_children(const pugi::xml_node& above, NodeIndex node) {
    for (const pugi::xml_node& child : above.children()) {
      const std::string_view name = child.name();
      Result<void> done;
      if (name == "pci") {
        done = read_pci(child, node);
      } else if (name == "nic") {
        // Without a PCI device of its own: a virtual one, or one whose place is not known.
        done = read_nic(child, add_nic(child, node));
      } else if (name == "gpu") {
        done = fail(Errc::input_corrupt, place(child), "a gpu element outside a pci element");
      } else {
        report_ignored(child);
      }
      if (!done) return done;
    }
    return {};
  }

  NodeIndex add_nic(const pugi::xml_node& nic, NodeIndex above) {
    const std::string_view port = attribute(nic.child("net"), "name");
    const NodeIndex node =
        builder_.add(NodeClass::nic,
                     unique_name("nic " + (port.empty() ? std::to_string(nics_++)
                                                        : printable(port, kShownBytes))),
                     host_);
    builder_.join(above, node, {Bandwidth(0), std::nullopt, 1, LinkClass::pcie});
    return node;
  }

  Result<void> read_pci(const pugi::xml_node& pci, NodeIndex above) {
    const std::string_view busid = attribute(pci, "busid");
    if (busid.empty())
      return fail(Errc::input_missing_attr, place(pci), "a pci element without a busid");
    const Bandwidth rate = pcie_rate(leading_number(attribute(pci, "link_speed")),
                                     leading_number(attribute(pci, "link_width")));
    // If one PCI device contains several GPUs, it forwards to them.
    const pugi::xml_node first = pci.child("gpu");
    const bool is_multi_gpu = first.next_sibling("gpu");
    const pugi::xml_node gpu = is_multi_gpu ? pugi::xml_node() : first;
    const bool has_children = pci.child("pci") || (pci.child("nic") && gpu) || is_multi_gpu;
    NodeClass kind = class_of_pci(lower_case(attribute(pci, "class")), true);
    if (gpu) kind = NodeClass::device;
    if (!gpu && pci.child("nic")) kind = NodeClass::nic;
    if (!gpu && has_children) kind = NodeClass::pcie_switch;
    const NodeIndex node = builder_.add(kind, unique_name(name_of(pci, gpu, kind)), host_);
    builder_.join(above, node, {rate, std::nullopt, 1, LinkClass::pcie});
    for (pugi::xml_node part = first; is_multi_gpu && part; part = part.next_sibling("gpu")) {
      const NodeIndex device = builder_.add(
          NodeClass::device, unique_name(name_of(pci, part, NodeClass::device)), host_);
      builder_.join(node, device, {Bandwidth(0), std::nullopt, 1, LinkClass::inside});
      by_bus_.emplace(Key{host_, lower_case(busid)}, device);
      gpus_.push_back({device, cpu_, part, whole_number(attribute(part, "rank"))});
    }
    by_bus_.emplace(Key{host_, lower_case(busid)}, node);
    if (kind == NodeClass::device)
      gpus_.push_back({node, cpu_, gpu, whole_number(attribute(gpu, "rank"))});
    for (const pugi::xml_node& child : pci.children()) {
      const std::string_view name = child.name();
      Result<void> done;
      if (name == "pci") done = read_pci(child, node);
      if (name == "nic")
        done = read_nic(child, kind == NodeClass::nic ? node : add_nic(child, node));
      if (name != "pci" && name != "nic" && name != "gpu") report_ignored(child);
      if (!done) return done;
    }
    return {};
  }

  static std::string name_of(const pugi::xml_node& pci, const pugi::xml_node& gpu, NodeClass kind) {
    const std::string busid = printable(attribute(pci, "busid"), kShownBytes);
    if (gpu && !attribute(gpu, "dev").empty())
      return "gpu" + printable(attribute(gpu, "dev"), kShownBytes);
    switch (kind) {
      case NodeClass::device:
        return "gpu " + busid;
      case NodeClass::nic:
        return "nic " + busid;
      case NodeClass::pcie_switch:
        return "pcie " + busid;
      default:
        return "pci " + busid;
    }
  }

  /// Ports: NCCL knows their speed in Mb/s and their latency in microseconds; 0 is not known.
  Result<void> read_nic(const pugi::xml_node& nic, NodeIndex node) {
    for (const pugi::xml_node& net : nic.children()) {
      if (std::string_view(net.name()) != "net") {
        report_ignored(net);
        continue;
      }
      const std::string_view name = attribute(net, "name");
      LinkFigures figures{Bandwidth(0), std::nullopt, 1, LinkClass::inside};
      const double speed = real_number(attribute(net, "speed")).value_or(0);
      const double latency = real_number(attribute(net, "latency")).value_or(0);
      if (speed > 0) {
        Result<Bandwidth> rate = read_rate(speed, 1e6 / 8, place(net));
        if (!rate) return tl::unexpected(rate.error());
        figures.bandwidth = *rate;
      }
      if (latency > 0) {
        Result<Time> delay = read_delay(latency, 1e6, place(net));
        if (!delay) return tl::unexpected(delay.error());
        figures.latency = *delay;
      }
      const NodeIndex port = builder_.add(
          NodeClass::port,
          unique_name("net " + printable(name.empty() ? attribute(net, "dev") : name, kShownBytes)),
          host_);
      builder_.join(node, port, figures);
    }
    return {};
  }

  /// NVLinks, xGMI links and chip-to-chip links, as each GPU lists them.
  Result<void> add_scale_up_links() {
    for (const Gpu& gpu : gpus_) {
      for (const pugi::xml_node& link : gpu.element.children()) {
        const std::string_view name = link.name();
        if (name != "nvlink" && name != "xgmi" && name != "c2c") {
          report_ignored(link);
        } else if (auto done = count_scale_up_link(gpu, link); !done) {
          return done;
        }
      }
    }
    for (const auto& [key, count] : counts_) {
      const auto& [from, to, rate] = key;
      const LinkFigures figures{Bandwidth(rate), std::nullopt, count, LinkClass::scale_up};
      builder_.link(from, to, figures);
      if (!counts_.contains({to, from, rate})) builder_.link(to, from, figures);
    }
    return {};
  }

  Result<void> count_scale_up_link(const Gpu& gpu, const pugi::xml_node& link) {
    const std::string_view stated = attribute(link, "count");
    const auto count = stated.empty() ? std::optional<std::uint64_t>(1) : whole_number(stated);
    if (!count || *count == 0 || *count > kMaxParallelLinks)
      return fail(Errc::input_range, place(link), fmt::format("{} links", in_quotes(stated)),
                  "count must be the number of parallel links");
    const std::string target = lower_case(attribute(link, "target"));
    NodeIndex peer = gpu.cpu;
    double rate = 0;
    if (std::string_view(link.name()) == "c2c") {
      // Of each link, in MB/s; 0 is not known.
      if (const double stated_bw = real_number(attribute(link, "bw")).value_or(0); stated_bw != 0) {
        Result<Bandwidth> is = read_rate(stated_bw, 1e6, place(link));
        if (!is) return tl::unexpected(is.error());
        rate = is->count();
      }
    } else {
      const std::uint32_t host = builder_.host(gpu.node);
      const auto known = by_bus_.find({host, target});
      const NodeClass kind = class_of_pci(lower_case(attribute(link, "tclass")), true);
      if (known != by_bus_.end()) {
        peer = known->second;
      } else if (kind == NodeClass::nvswitch &&
                 !attribute(link, "tclass").starts_with("0x068001")) {
        peer = builder_.add(NodeClass::nvswitch,
                            unique_name("nvswitch " + printable(target, kShownBytes)), host);
        by_bus_.emplace(Key{host, target}, peer);
      } else if (kind != NodeClass::nvswitch) {
        return report_dropped(link);
      }
      if (peer == gpu.node) return report_dropped(link);
    }
    std::uint32_t& sum = counts_[{gpu.node, peer, rate}];
    sum += static_cast<std::uint32_t>(*count);
    if (sum <= kMaxParallelLinks) return {};
    return fail(Errc::input_range, place(link),
                fmt::format("more than {} parallel links", kMaxParallelLinks));
  }

  Result<void> report_dropped(const pugi::xml_node& link) {
    findings_.add(FindingCode::fabric_link_dropped, place(link));
    return {};
  }

  void join_cpus() {
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (cpus_[i].second == cpus_[k].second)
          builder_.join(cpus_[k].first, cpus_[i].first,
                        {Bandwidth(0), std::nullopt, 1, LinkClass::host});
      }
    }
  }

  /// In the order of the ranks that the file states, if they are all there and differ.
  void set_ranks() {
    std::vector<std::pair<std::uint64_t, NodeIndex>> order;
    std::set<std::uint64_t> seen;
    for (const Gpu& gpu : gpus_) {
      if (gpu.rank && seen.insert(*gpu.rank).second) order.emplace_back(*gpu.rank, gpu.node);
    }
    if (order.size() < gpus_.size()) {
      if (!order.empty()) findings_.add(FindingCode::fabric_ranks_in_order, where_);
      return;
    }
    std::sort(order.begin(), order.end());
    if (!order.empty() && order.back().first != order.size() - 1)
      findings_.add(FindingCode::fabric_ranks_in_order, where_);
    for (std::uint32_t rank = 0; rank < order.size(); ++rank)
      builder_.set_rank(order[rank].second, rank);
  }

  std::string unique_name(std::string name) {
    const std::uint32_t before = names_[name]++;
    return before == 0 ? name : fmt::format("{} #{}", name, before + 1);
  }

  XmlPlaces places_;
  const std::string& where_;
  Findings& findings_;
  TopologyBuilder builder_;
  std::map<std::string, std::uint32_t, std::less<>> hosts_;
  std::map<std::string, std::uint32_t> names_;
  std::vector<std::pair<NodeIndex, std::uint32_t>> cpus_;
  std::vector<Gpu> gpus_;
  std::map<Key, NodeIndex> by_bus_;
  std::map<LinkKey, std::uint32_t> counts_;
  std::uint32_t host_ = 0;
  NodeIndex cpu_ = 0;
  std::uint32_t nics_ = 0;
};

}  // namespace

Result<Topology> read_nccl_topology(const pugi::xml_document& document, std::string_view text,
                                    const std::string& where, Findings& findings) {
  return NcclReader(text, where, findings).read(document.child("system"));
}

}  // namespace orrery::platform
