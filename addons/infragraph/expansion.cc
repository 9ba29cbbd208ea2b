// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "addons/infragraph/device_layout.h"
#include "addons/infragraph/node_classes.h"
#include "addons/infragraph/slices.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform::infragraph {
namespace {

using NamedLink = std::pair<const std::string, LinkType>;

/// Edges between nodes. After settle(), there is one per pair, in the order of the nodes.
class EdgeList {
 public:
  struct One {
    NodeIndex a, b;
    const NamedLink* link;
    const Edge* edge;  ///< source of the edge in the file
  };

  void add(std::uint64_t a, std::uint64_t b, const NamedLink* link, const Edge* edge) {
    edges_.push_back({static_cast<NodeIndex>(std::min(a, b)),
                      static_cast<NodeIndex>(std::max(a, b)), link, edge});
  }

  /// Keeps the last edge of each pair, as a networkx graph does.
  void settle(Findings& findings) {
    std::stable_sort(edges_.begin(), edges_.end(), before);
    std::size_t retained = 0;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const bool last = i + 1 == edges_.size() || before(edges_[i], edges_[i + 1]);
      // Both directions of many2many within one list are one edge: no finding.
      if (!last && edges_[i].edge != edges_[i + 1].edge)
        findings.add(FindingCode::fabric_link_dropped, edges_[i + 1].edge->place);
      if (last) edges_[retained++] = edges_[i];
    }
    edges_.resize(retained);
  }
  [[nodiscard]] bool has(std::uint64_t a, std::uint64_t b) const {
    const One wanted{static_cast<NodeIndex>(a), static_cast<NodeIndex>(b), nullptr, nullptr};
    return std::binary_search(edges_.begin(), edges_.end(), wanted, before);
  }
  [[nodiscard]] const std::vector<One>& all() const { return edges_; }

 private:
  static bool before(const One& left, const One& right) {
    return left.a != right.a ? left.a < right.a : left.b < right.b;
  }
  std::vector<One> edges_;
};

struct Block {
  NodeIndex first = 0;
  std::uint64_t size = 0;
  std::size_t device = 0;
};

static_assert(limits::kFabricMaxParts <= limits::kFabricNodes,
              "check_parts() bounds the nodes, too");

class GraphExpander {
 public:
  GraphExpander(Infrastructure& file, std::size_t bytes, const std::string& where,
                Findings& findings)
      : file_(file),
        bytes_(bytes),
        where_(where),
        findings_(findings),
        out_{TopologyBuilder(file.name.empty() ? "infrastructure" : file.name, "InfraGraph"),
             {},
             {}} {}

  Result<ExpandedGraph> expand() {
    Result<std::vector<DeviceLayout>> layouts = make_layouts(file_);
    if (!layouts) return tl::unexpected(layouts.error());
    layouts_ = std::move(*layouts);
    inside_.resize(file_.devices.size());
    expanded_.resize(file_.devices.size());
    for (const Instance& instance : file_.instances) {
      if (auto done = place_instance(instance); !done) return tl::unexpected(done.error());
    }
    for (const Block& block : blocks_) add_nodes_of(block);
    for (const Block& block : blocks_) {
      for (std::uint64_t copy = 0; copy < file_.instances[&block - blocks_.data()].count; ++copy)
        stamp(inside_[block.device], block.first + static_cast<NodeIndex>(copy * block.size));
    }
    if (auto done = between(); !done) return tl::unexpected(done.error());
    stamp(between_, 0);
    return std::move(out_);
  }

 private:
  /// Counts nodes and edges that the expansion will create.
  Result<void> charge(std::uint64_t parts, std::uint64_t copies, const std::string& place) {
    parts_ = saturating_sum(parts_, saturating_product(parts, copies));
    return check_parts(parts_, bytes_, place);
  }
  /// Counts pairs that the expansion will visit, including those of unused devices.
  Result<void> charge_pairs(std::uint64_t pair_count, std::uint64_t copies,
                            const std::string& place) {
    pairs_ = saturating_sum(pairs_, saturating_product(pair_count, copies));
    return check_parts(pairs_, bytes_, place);
  }

  /// Computes the location of an instance's nodes, if all of them fit.
  Result<void> place_instance(const Instance& instance) {
    const std::size_t device = file_.device_of.find(instance.device)->second;
    const std::uint64_t size = layouts_[device].size;
    if (auto fits = charge(size, instance.count, instance.place); !fits) return fits;
    if (auto done = expand_device(device); !done) return done;
    if (auto fits = charge(inside_[device].all().size(), instance.count, instance.place); !fits)
      return fits;
    blocks_.push_back({next_, size, device});
    next_ += static_cast<NodeIndex>(size * instance.count);
    return {};
  }

  /// Expands the edges of one copy of a device, those of its parts first.
  Result<void> expand_device(std::size_t device) {
    if (expanded_[device]) return {};
    expanded_[device] = true;
    const Device& is = file_.devices[device];
    for (std::size_t c = 0; c < is.components.size(); ++c) {
      if (!is.components[c].device) continue;
      const std::size_t nested = file_.device_of.find(is.components[c].name)->second;
      if (auto done = expand_device(nested); !done) return done;
      const std::vector<EdgeList::One>& parts = inside_[nested].all();
      if (auto fits = charge_pairs(parts.size(), is.components[c].count, is.place); !fits)
        return fits;
      for (std::uint64_t copy = 0; copy < is.components[c].count; ++copy) {
        const std::uint64_t base = layouts_[device].first[c] + copy * layouts_[device].each[c];
        for (const EdgeList::One& one : parts)
          inside_[device].add(base + one.a, base + one.b, one.link, one.edge);
      }
    }
    for (const Edge& edge : is.edges) {
      NodeSelection ends[2];
      for (std::size_t i = 0; i < 2; ++i) {
        const std::string place = edge.place + (i == 0 ? "/ep1" : "/ep2");
        Result<std::vector<Slice>> slices = parse_slices(i == 0 ? edge.ep1 : edge.ep2, place);
        if (!slices) return tl::unexpected(slices.error());
        if (auto done = select_nodes(file_, layouts_, device, *slices, place, ends[i], findings_);
            !done)
          return done;
      }
      if (auto done = add_edge(edge, ends, is.links, inside_[device]); !done) return done;
    }
    inside_[device].settle(findings_);
    return {};
  }

  Result<void> between() {
    for (const Edge& edge : file_.edges) {
      NodeSelection ends[2];
      for (std::size_t i = 0; i < 2; ++i) {
        const std::string place = edge.place + (i == 0 ? "/ep1" : "/ep2");
        if (auto done = end_between(i == 0 ? edge.ep1 : edge.ep2, place, ends[i]); !done)
          return done;
      }
      if (auto done = add_edge(edge, ends, file_.links, between_); !done) return done;
    }
    between_.settle(findings_);
    return charge(between_.all().size(), 1, where_);
  }

  Result<void> end_between(const std::string& text, const std::string& place, NodeSelection& out) {
    Result<std::vector<Slice>> slices = parse_slices(text, place);
    if (!slices) return tl::unexpected(slices.error());
    const auto found = file_.instance_of.find((*slices)[0].name);
    if (found == file_.instance_of.end())
      return fail(Errc::input_corrupt, place,
                  fmt::format("unknown instance {}", in_quotes((*slices)[0].name)));
    if (slices->size() == 1)
      return fail(Errc::input_missing_attr, place, "an end names no component");
    const Block& block = blocks_[found->second];
    Result<IndexRange> range = range_of((*slices)[0], file_.instances[found->second].count, place);
    if (!range) return tl::unexpected(range.error());
    out.move(block.first);
    out.narrow(*range, block.size);
    return select_nodes(file_, layouts_, block.device, std::span(*slices).subspan(1), place, out,
                        findings_);
  }

  Result<void> add_edge(const Edge& edge, const NodeSelection (&ends)[2], const LinkTypes& links,
                        EdgeList& out) {
    const std::uint64_t most = pair_count(edge.scheme, ends[0], ends[1]);
    if (auto fits = charge_pairs(most, 1, edge.place); !fits) return fits;
    if (edge.scheme == EdgeScheme::one2one && ends[0].size() != ends[1].size() &&
        ends[0].size() > 0 && ends[1].size() > 0)
      findings_.add(FindingCode::fabric_pairs_cut,
                    fmt::format("{}: {} and {}", edge.place, ends[0].size(), ends[1].size()));
    const NamedLink* which = link_named(edge.link, links);
    for_pairs(edge.scheme, ends[0], ends[1], [&](std::uint64_t a, std::uint64_t b) {
      if (a == b) return;
      if (&out == &between_ && inside_has(a, b)) {
        findings_.add(FindingCode::fabric_link_dropped, edge.place);
      } else {
        out.add(a, b, which, &edge);
      }
    });
    return {};
  }

  /// Creates a link without properties if the file does not define it.
  const NamedLink* link_named(const std::string& name, const LinkTypes& links) {
    if (const auto here = links.find(name); here != links.end()) return &*here;
    if (const auto there = file_.links.find(name); there != file_.links.end()) return &*there;
    return &*file_.undescribed.emplace(name, LinkType{}).first;
  }

  /// Whether both nodes are in one copy of a device and an edge of the device already joins them.
  [[nodiscard]] bool inside_has(std::uint64_t a, std::uint64_t b) const {
    const auto block =
        std::upper_bound(blocks_.begin(), blocks_.end(), std::min(a, b),
                         [](std::uint64_t node, const Block& one) { return node < one.first; }) -
        1;
    const std::uint64_t low = std::min(a, b) - block->first, high = std::max(a, b) - block->first;
    if (low / block->size != high / block->size) return false;
    return inside_[block->device].has(low % block->size, high % block->size);
  }

  void add_nodes_of(const Block& block) {
    const Instance& instance = file_.instances[static_cast<std::size_t>(&block - blocks_.data())];
    for (std::uint64_t copy = 0; copy < instance.count; ++copy) {
      const NodeIndex first = out_.builder.node_count();
      add_nodes(block.device, fmt::format("{}.{}", instance.name, copy));
      bool machine = false;
      for (NodeIndex node = first; node < out_.builder.node_count(); ++node) {
        const NodeClass kind = out_.builder.kind(node);
        machine |= kind == NodeClass::device || kind == NodeClass::cpu || kind == NodeClass::nic;
      }
      if (!machine) continue;
      const std::uint32_t host = out_.builder.add_host();
      for (NodeIndex node = first; node < out_.builder.node_count(); ++node)
        out_.builder.set_host(node, host);
    }
  }

  void add_nodes(std::size_t device, const std::string& prefix) {
    const Device& is = file_.devices[device];
    for (const Component& component : is.components) {
      const NodeClass kind =
          class_of(component, is.name, layouts_[device].holds_devices, layouts_[device].ports);
      for (std::uint64_t copy = 0; copy < component.count; ++copy) {
        const std::string name = fmt::format("{}.{}.{}", prefix, component.name, copy);
        if (component.device) {
          add_nodes(file_.device_of.find(component.name)->second, name);
        } else {
          out_.builder.add(kind, name);
        }
      }
    }
  }

  void stamp(const EdgeList& edges, NodeIndex base) {
    for (const EdgeList::One& edge : edges.all()) {
      const NodeIndex a = base + edge.a, b = base + edge.b;
      const LinkType& link = edge.link->second;
      const std::uint32_t host = out_.builder.host(a);
      const bool together =
          &edges != &between_ || (host != Topology::kNoHost && host == out_.builder.host(b));
      out_.builder.join(a, b,
                        {link.bandwidth, link.latency, 1,
                         class_of_link(edge.link->first, link.description, out_.builder.kind(a),
                                       out_.builder.kind(b), together)});
      out_.link_type_of.insert(out_.link_type_of.end(), 2, &link);
      out_.link_name_of.emplace(&link, edge.link->first);
    }
  }

  Infrastructure& file_;
  std::size_t bytes_;
  const std::string& where_;
  Findings& findings_;
  ExpandedGraph out_;
  std::vector<DeviceLayout> layouts_;
  std::vector<EdgeList> inside_;  ///< per device: edges inside one copy
  std::vector<bool> expanded_;
  EdgeList between_;
  std::vector<Block> blocks_;  ///< per instance, in order
  NodeIndex next_ = 0;
  std::uint64_t parts_ = 0, pairs_ = 0;
};

}  // namespace

Result<ExpandedGraph> expand(Infrastructure& file, std::size_t bytes, const std::string& where,
                             Findings& findings) {
  return GraphExpander(file, bytes, where, findings).expand();
}

}  // namespace orrery::platform::infragraph
