// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/machines/nvidia_smi.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <vector>

#include "orrery/core/disjoint_sets.h"
#include "orrery/platform/topology/formats/machines/nvidia_smi_lines.h"
#include "orrery/platform/topology/formats/machines/nvidia_smi_matrix.h"

namespace orrery::platform {
namespace {

/// Links of the GPU that has the most: NVLink 4 and 5.
constexpr std::uint32_t kMaxNvlinks = 18;
constexpr std::size_t kLevels = 4;  ///< pix, pxb, phb, node

class SmiTopologyBuilder {
 public:
  SmiTopologyBuilder(const SmiMatrix& matrix, const std::string& where, Findings& findings)
      : matrix_(matrix),
        where_(where),
        findings_(findings),
        builder_("machine", "nvidia-smi topo -m"),
        host_(builder_.add_host()) {}

  Result<Topology> build() {
    for (std::uint32_t i = 0; i < size(); ++i)
      builder_.add(matrix_.gpu[i] ? NodeClass::device : NodeClass::nic, matrix_.names[i], host_);
    find_levels();
    report_contradictions();
    add_pcie_tree();
    add_nvlinks();
    return builder_.finish(where_);
  }

 private:
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(matrix_.size()); }
  /// Who is together at each level: what joins two there joins them at all further ones.
  void find_levels() {
    levels_.assign(kLevels, DisjointSets(size()));
    std::map<std::string, std::uint32_t> first_of;
    for (std::uint32_t i = 0; i < size(); ++i) {
      for (std::uint32_t k = 0; k < i; ++k) {
        const auto path = static_cast<std::size_t>(matrix_.cells[i][k].path);
        for (std::size_t level = path; level < kLevels; ++level) levels_[level].join(i, k);
      }
      // GPUs whose rows name the same NUMA node (or CPUs) are at it.
      if (!matrix_.gpu[i]) continue;
      const auto [known, added] = first_of.emplace(matrix_.affinity[i], i);
      if (!added && !are_on_different_nodes(i, known->second))
        levels_.back().join(i, known->second);
    }
  }

  [[nodiscard]] bool are_on_different_nodes(std::uint32_t a, std::uint32_t b) const {
    return matrix_.cells[a][b].path == SmiPath::sys;
  }

  /// Ways that are shorter than stated because others are: the matrix contradicts itself.
  void report_contradictions() {
    for (std::uint32_t i = 0; i < size(); ++i) {
      for (std::uint32_t k = 0; k < i; ++k) {
        const auto path = static_cast<std::size_t>(matrix_.cells[i][k].path);
        if (matrix_.cells[i][k].path == SmiPath::unknown || path == 0) continue;
        if (levels_[path - 1].find(i) != levels_[path - 1].find(k)) continue;
        findings_.add(FindingCode::fabric_contradicts,
                      fmt::format("{}: {} and {}", where_, matrix_.names[k], matrix_.names[i]));
      }
    }
  }

  /// CPUs, host bridges and switches above the devices.
  void add_pcie_tree() {
    std::array<std::map<std::uint32_t, NodeIndex>, kLevels> made;
    std::array<std::vector<std::size_t>, 2> members;
    for (std::size_t level = 0; level < 2; ++level) {
      members[level].assign(matrix_.size(), 0);
      for (std::uint32_t i = 0; i < size(); ++i) ++members[level][levels_[level].find(i)];
    }
    const auto node = [&](std::size_t level, std::uint32_t of, NodeClass kind,
                          std::string_view name) {
      const auto [known, added] = made[level].emplace(levels_[level].find(of), 0);
      if (added)
        known->second =
            builder_.add(kind, fmt::format("{}{}", name, made[level].size() - 1), host_);
      return std::pair{known->second, added};
    };
    for (std::uint32_t i = 0; i < size(); ++i) {
      const auto [cpu, new_cpu] = node(3, i, NodeClass::cpu, "cpu");
      if (new_cpu) cpus_.push_back(cpu);
      const auto [bridge, new_bridge] = node(2, i, NodeClass::pcie_switch, "hostbridge");
      if (new_bridge) join(cpu, bridge, LinkClass::host);
      NodeIndex above = bridge;
      const bool alone = members[0][levels_[0].find(i)] == 1;
      const bool nested = members[1][levels_[1].find(i)] > members[0][levels_[0].find(i)];
      if (nested) {
        const auto [top, added] = node(1, i, NodeClass::pcie_switch, "pcie_top");
        if (added) join(above, top, LinkClass::pcie);
        above = top;
      }
      if (!alone || nested) {
        const auto [low, added] = node(0, i, NodeClass::pcie_switch, "pcie");
        if (added) join(above, low, LinkClass::pcie);
        above = low;
      }
      join(above, i, LinkClass::pcie);
    }
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) join(cpus_[k], cpus_[i], LinkClass::host);
    }
  }

  void join(NodeIndex a, NodeIndex b, LinkClass kind, std::uint32_t count = 1) {
    builder_.join(a, b, {Bandwidth(0), std::nullopt, count, kind});
  }

  void add_nvlinks() {
    DisjointSets islands(size());
    for (std::uint32_t i = 0; i < size(); ++i) {
      for (std::uint32_t k = 0; k < i; ++k)
        if (matrix_.cells[i][k].nvlinks > 0) islands.join(i, k);
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> members;
    for (std::uint32_t i = 0; i < size(); ++i) members[islands.find(i)].push_back(i);
    std::size_t switches = 0;
    for (const auto& [first, island] : members) {
      if (island.size() < 2) continue;
      const std::uint32_t links = common_link_count(island);
      if (island.size() > 2 && links * (island.size() - 1) > kMaxNvlinks) {
        const NodeIndex nvswitch =
            builder_.add(NodeClass::nvswitch, fmt::format("nvswitch{}", switches++), host_);
        for (const std::uint32_t i : island) join(i, nvswitch, LinkClass::scale_up, links);
        continue;
      }
      for (std::size_t a = 0; a < island.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          const std::uint32_t count = matrix_.cells[island[a]][island[b]].nvlinks;
          if (count > 0) join(island[b], island[a], LinkClass::scale_up, count);
        }
      }
    }
  }

  /// How many NVLinks each pair has; 0: not all as many.
  [[nodiscard]] std::uint32_t common_link_count(const std::vector<std::uint32_t>& island) const {
    const std::uint32_t links = matrix_.cells[island[0]][island[1]].nvlinks;
    for (std::size_t a = 0; a < island.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b)
        if (matrix_.cells[island[a]][island[b]].nvlinks != links) return 0;
    }
    return links;
  }

  const SmiMatrix& matrix_;
  const std::string& where_;
  Findings& findings_;
  TopologyBuilder builder_;
  std::uint32_t host_;
  std::vector<DisjointSets> levels_;
  std::vector<NodeIndex> cpus_;
};

}  // namespace

Result<Topology> read_nvidia_smi(std::string_view text, const std::string& where,
                                 Findings& findings) {
  const Result<SmiMatrix> matrix =
      read_smi_matrix(join_wrapped_lines(strip_escapes(text)), where, findings);
  if (!matrix) return tl::unexpected(matrix.error());
  return SmiTopologyBuilder(*matrix, where, findings).build();
}

}  // namespace orrery::platform
