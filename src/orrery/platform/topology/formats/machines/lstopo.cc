// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/machines/lstopo.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/platform/topology/formats/common/pcie.h"
#include "orrery/platform/topology/formats/common/xml.h"
#include "orrery/platform/topology/formats/machines/lstopo_distances.h"

namespace orrery::platform {

namespace {

constexpr std::size_t kMaxPackages = 1024;

std::string_view object_type(const pugi::xml_node& object) { return attribute(object, "type"); }
bool is_object(const pugi::xml_node& node) { return std::string_view(node.name()) == "object"; }

/// The operating system knows an accelerator in this PCI device.
bool is_accelerator(const pugi::xml_node& device) {
  for (const pugi::xml_node& os : device.children("object")) {
    const std::string_view name = attribute(os, "name"), subtype = attribute(os, "subtype");
    if (mentions_any(subtype, {"cuda", "opencl", "levelzero", "rsmi", "nvml"}) ||
        mentions_any(name, {"cuda", "opencl", "rsmi", "nvml", "mic"}) || name.starts_with("ze"))
      return true;
  }
  return false;
}

/// The class of a PCI device; other: not relevant here.
NodeClass kind_of(const pugi::xml_node& device) {
  if (is_accelerator(device)) return NodeClass::device;
  const NodeClass kind = class_of_pci(attribute(device, "pci_type"), false);
  const bool is_relevant =
      kind == NodeClass::device || kind == NodeClass::nic || kind == NodeClass::memory;
  return is_relevant ? kind : NodeClass::other;
}

class LstopoReader {
 public:
  LstopoReader(std::string_view text, const std::string& where, Findings& findings)
      : places_(text, where), where_(where), findings_(findings), builder_("machine", "lstopo") {}

  Result<Topology> read(const pugi::xml_node& topology) {
    const pugi::xml_node machine = topology.child("object");
    if (!machine)
      return fail(Errc::input_empty, where_, "a topology without objects",
                  "write the file with `lstopo --whole-io machine.xml`");
    if (object_type(machine) != "System") host_ = builder_.add_host();
    if (auto done = read_cpus(machine); !done) return tl::unexpected(done.error());
    if (cpus_.empty()) add_cpu("cpu0");
    if (auto done = walk(machine, cpus_[0], cpus_[0]); !done) return tl::unexpected(done.error());
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (builder_.host(cpus_[k]) == builder_.host(cpus_[i]))
          join(cpus_[k], cpus_[i], Bandwidth(0), LinkClass::host);
      }
    }
    if (auto done = read_lstopo_distances(topology, places_, by_index_, builder_, findings_); !done)
      return tl::unexpected(done.error());
    return builder_.finish(where_);
  }

 private:
  NodeIndex add_cpu(std::string name) {
    cpus_.push_back(builder_.add(NodeClass::cpu, std::move(name), host_));
    return cpus_.back();
  }

  void join(NodeIndex a, NodeIndex b, Bandwidth rate, LinkClass kind) {
    builder_.join(a, b, {rate, std::nullopt, 1, kind});
  }

  /// Packages first, so that CPUs are numbered in the machine's order.
  Result<void> read_cpus(const pugi::xml_node& object) {
    // A "System" is several machines, as versions before 2 could put them together.
    if (object_type(object) == "Machine" && object_type(object.parent()) == "System")
      host_ = builder_.add_host();
    const bool package = object_type(object) == "Package" || object_type(object) == "Socket";
    if (package) {
      if (cpus_.size() == kMaxPackages)
        return fail(Errc::limit_exceeded, places_.of(object),
                    fmt::format("more than {} packages", kMaxPackages));
      cpu_of_.emplace(object.offset_debug(), add_cpu(fmt::format("cpu{}", cpus_.size())));
      set_index(object, cpus_.back());
    }
    for (const pugi::xml_node& child : object.children()) {
      if (!is_object(child)) continue;
      if (auto done = read_cpus(child); !done) return done;
    }
    return {};
  }

  /// The first package at or below an object: the CPU that its siblings are close to.
  [[nodiscard]] std::optional<NodeIndex> nearest_cpu(const pugi::xml_node& object) const {
    if (const auto found = cpu_of_.find(object.offset_debug()); found != cpu_of_.end())
      return found->second;
    for (const pugi::xml_node& child : object.children()) {
      const std::string_view type = object_type(child);
      if (!is_object(child) || type == "Bridge" || type == "PCIDev" || type == "OSDev") continue;
      if (const auto below = nearest_cpu(child)) return below;
    }
    return std::nullopt;
  }

  /// `cpu`: whose memory is below; `above`: what PCI devices below hang on.
  Result<void> walk(const pugi::xml_node& object, NodeIndex cpu, NodeIndex above) {
    const std::string_view type = object_type(object);
    const bool io = type == "Bridge" || type == "PCIDev";
    if (!io && type != "OSDev" && type != "Core" && type != "PU" && !mentions(type, "cache")) {
      // Machines, groups and packages: what is directly in them is near their first package.
      if (const auto first = nearest_cpu(object)) cpu = above = *first;
      host_ = builder_.host(cpu);
    }
    if (type == "NUMANode") {
      const NodeIndex memory =
          builder_.add(NodeClass::memory, fmt::format("numa{}", numas_++), host_);
      join(cpu, memory, Bandwidth(0), LinkClass::host);
    }
    if (type == "Bridge") {
      if (!leads_to_device(object)) return {};
      Result<NodeIndex> node = add_pci(object, NodeClass::pcie_switch, above);
      if (!node) return tl::unexpected(node.error());
      above = *node;
    }
    if (type == "PCIDev") {
      const NodeClass kind = kind_of(object);
      if (kind == NodeClass::other) return {};
      Result<NodeIndex> node = add_pci(object, kind, above);
      if (!node) return tl::unexpected(node.error());
      for (const pugi::xml_node& os : object.children("object")) set_index(os, *node);
      return {};
    }
    for (const pugi::xml_node& child : object.children()) {
      if (!is_object(child)) continue;
      if (auto done = walk(child, cpu, above); !done) return done;
    }
    return {};
  }

  static bool leads_to_device(const pugi::xml_node& bridge) {
    for (const pugi::xml_node& child : bridge.children("object")) {
      if (object_type(child) == "PCIDev" ? kind_of(child) != NodeClass::other
                                         : leads_to_device(child))
        return true;
    }
    return false;
  }

  Result<NodeIndex> add_pci(const pugi::xml_node& object, NodeClass kind, NodeIndex above) {
    const std::string_view speed = attribute(object, "pci_link_speed");
    const auto gigabytes = speed.empty() ? std::optional<double>(0) : real_number(speed);
    if (!gigabytes || *gigabytes < 0 || *gigabytes > 1e6)
      return fail(Errc::input_range, places_.of(object),
                  fmt::format("a PCI link of {} GB/s", in_quotes(speed)));
    const NodeIndex node = builder_.add(kind, name_of(object, kind), host_);
    // hwloc writes 0 where it does not know.
    join(above, node, Bandwidth(*gigabytes * 1e9), LinkClass::pcie);
    set_index(object, node);
    return node;
  }

  /// "cuda0", "mlx5_0 3b:00.0", "pcie 0000:17:00.0".
  static std::string name_of(const pugi::xml_node& object, NodeClass kind) {
    std::string_view at = attribute(object, "pci_busid");
    if (at.empty()) at = attribute(object, "bridge_pci");
    std::string_view stem = kind == NodeClass::device   ? "gpu"
                            : kind == NodeClass::nic    ? "nic"
                            : kind == NodeClass::memory ? "memory"
                                                        : "pcie";
    for (const pugi::xml_node& os : object.children("object")) {
      const std::string_view name = attribute(os, "name");
      if (kind == NodeClass::pcie_switch || object_type(os) != "OSDev" || name.empty()) continue;
      stem = name;
      if (name.starts_with("cuda") || mentions_any(name, {"mlx", "hfi", "bnxt", "cxi", "rsmi"}))
        break;
    }
    return printable(stem, kShownBytes) + " " + printable(at, kShownBytes);
  }

  void set_index(const pugi::xml_node& object, NodeIndex node) {
    if (const auto index = whole_number(attribute(object, "gp_index")))
      by_index_.emplace(*index, node);
  }

  XmlPlaces places_;
  const std::string& where_;
  Findings& findings_;
  TopologyBuilder builder_;
  std::uint32_t host_ = Topology::kNoHost;
  std::vector<NodeIndex> cpus_;
  std::map<std::ptrdiff_t, NodeIndex> cpu_of_;  ///< by where the package stands
  std::map<std::uint64_t, NodeIndex> by_index_;
  std::size_t numas_ = 0;
};

}  // namespace

Result<Topology> read_lstopo(const pugi::xml_document& document, std::string_view text,
                             const std::string& where, Findings& findings) {
  return LstopoReader(text, where, findings).read(document.child("topology"));
}

namespace {

/// All words of all children of that name.
std::vector<std::string_view> words_in(const pugi::xml_node& matrix, const char* name) {
  std::vector<std::string_view> all;
  for (const pugi::xml_node& part : matrix.children(name)) {
    LineReader lines(part.child_value());
    while (lines.next()) all.insert(all.end(), lines.words().begin(), lines.words().end());
  }
  return all;
}

/// "OSDev:332" and "332" → 332.
std::optional<std::uint64_t> index_of(std::string_view word) {
  const std::size_t colon = word.rfind(':');
  return whole_number(colon == std::string_view::npos ? word : word.substr(colon + 1));
}

Result<void> read_matrix(const pugi::xml_node& matrix, const XmlPlaces& places,
                         const std::map<std::uint64_t, NodeIndex>& by_index,
                         TopologyBuilder& builder, Findings& findings) {
  const std::vector<std::string_view> objects = words_in(matrix, "indexes");
  const std::vector<std::string_view> values = words_in(matrix, "u64values");
  const std::string place = places.of(matrix);
  if (values.size() != objects.size() * objects.size())
    return fail(Errc::input_truncated, place,
                fmt::format("a matrix of {} objects has {} values", objects.size(), values.size()));
  std::vector<NodeIndex> nodes;
  for (const std::string_view word : objects) {
    const auto index = index_of(word);
    const auto known = index ? by_index.find(*index) : by_index.end();
    nodes.push_back(known == by_index.end() ? builder.node_count() : known->second);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const std::string_view word = values[i * nodes.size() + k];
      const auto value = whole_number(word);
      if (!value || *value > 1'000'000'000'000)
        return fail(Errc::input_corrupt, place,
                    fmt::format("{} is not a bandwidth in MB/s", in_quotes(word)));
      if (*value == 0 || i == k) continue;
      if (nodes[i] == builder.node_count() || nodes[k] == builder.node_count() ||
          nodes[i] == nodes[k]) {
        findings.add(FindingCode::fabric_link_dropped, place);
        continue;
      }
      builder.link(
          nodes[i], nodes[k],
          {Bandwidth(static_cast<double>(*value) * 1e6), std::nullopt, 1, LinkClass::scale_up});
    }
  }
  return {};
}

}  // namespace

Result<void> read_lstopo_distances(const pugi::xml_node& topology, const XmlPlaces& places,
                                   const std::map<std::uint64_t, NodeIndex>& by_index,
                                   TopologyBuilder& builder, Findings& findings) {
  for (const pugi::xml_node& child : topology.children()) {
    const std::string_view name = child.name();
    if (name != "distances2" && name != "distances2hetero") continue;
    if (!mentions(attribute(child, "name"), "bandwidth") ||
        mentions(attribute(child, "name"), "numa"))
      continue;
    if (name == "distances2" && attribute(child, "indexing") == "os") continue;
    if (auto done = read_matrix(child, places, by_index, builder, findings); !done) return done;
  }
  return {};
}

}  // namespace orrery::platform
