// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "addons/infragraph/infragraph.h"
#include "addons/infragraph/orrery_annotations.h"
#include "orrery/config/yaml_writer.h"
#include "orrery/core/text/text.h"

namespace orrery::platform {
namespace {

using config::OrderedJson;

/// The name of components of a class, and InfraGraph's type for them.
struct Word {
  std::string_view name, choice;
};
Word enum_name(NodeClass kind) {
  constexpr std::array<Word, kNodeClasses> kWords{
      Word{"xpu", "xpu"},    {"cpu", "cpu"},       {"mem", "memory"},    {"nic", "nic"},
      {"port", "port"},      {"pciesw", "switch"}, {"nvsw", "switch"},   {"leafsw", "switch"},
      {"spinesw", "switch"}, {"coresw", "switch"}, {"switch", "switch"}, {"optical", "optical"},
      {"part", "part"}};
  return kWords[static_cast<std::size_t>(kind)];
}

/// The definition of a device: the number of components of each class, and the edges inside.
struct Blueprint {
  std::array<std::uint32_t, kNodeClasses> count{};
  std::vector<std::array<std::string, 3>> edges;  ///< ends and link
  std::set<std::string> links;
  friend auto operator<=>(const Blueprint&, const Blueprint&) = default;
};

class InfragraphWriter {
 public:
  explicit InfragraphWriter(const Topology& topology) : topology_(topology) {}

  std::string write() {
    place_nodes();
    join_nodes();
    OrderedJson out;
    out["infrastructure"]["name"] = printable(topology_.name());
    OrderedJson& infrastructure = out["infrastructure"];
    infrastructure["devices"] = OrderedJson::array();
    infrastructure["instances"] = OrderedJson::array();
    std::map<Blueprint, std::string> known;
    for (std::size_t i = 0; i < blueprints_.size(); ++i) {
      const auto [found, added] =
          known.emplace(blueprints_[i], fmt::format("device{}", known.size()));
      if (added) infrastructure["devices"].push_back(device(found->second, blueprints_[i]));
      infrastructure["instances"].push_back(
          {{"name", instance(i)}, {"device", found->second}, {"count", 1}});
    }
    infrastructure["links"] = OrderedJson::array();
    for (const std::string& link : between_links_)
      infrastructure["links"].push_back(link_json(link));
    infrastructure["edges"] = std::move(between_);
    out["annotations"] = annotations();
    return config::to_yaml(out, 3);
  }

 private:
  static std::string instance(std::size_t i) { return fmt::format("part{}", i); }

  /// Creates one instance per machine, and one per node between machines.
  void place_nodes() {
    std::map<std::uint32_t, std::size_t> of_host;
    for (NodeIndex node = 0; node < topology_.node_count(); ++node) {
      const std::uint32_t host = topology_.host(node);
      std::size_t at = blueprints_.size();
      if (host != Topology::kNoHost) at = of_host.emplace(host, at).first->second;
      if (at == blueprints_.size()) blueprints_.emplace_back();
      const auto kind = static_cast<std::size_t>(topology_.kind(node));
      instance_of_.push_back(at);
      copy_of_.push_back(blueprints_[at].count[kind]++);
    }
  }

  [[nodiscard]] std::string component(NodeIndex node) const {
    return fmt::format("{}[{}]", enum_name(topology_.kind(node)).name, copy_of_[node]);
  }
  /// The position of a node in the expanded graph, for comparisons.
  [[nodiscard]] std::array<std::size_t, 3> order(NodeIndex node) const {
    return {instance_of_[node], static_cast<std::size_t>(topology_.kind(node)), copy_of_[node]};
  }

  void join_nodes() {
    for (NodeIndex a = 0; a < topology_.node_count(); ++a) {
      for (const NodeIndex b : neighbors(a)) {
        if (order(b) < order(a)) continue;  // written from the other node
        const std::string link = link_name({figures(a, b), figures(b, a)});
        if (instance_of_[a] == instance_of_[b]) {
          Blueprint& blueprint = blueprints_[instance_of_[a]];
          blueprint.edges.push_back({component(a), component(b), link});
          blueprint.links.insert(link);
          continue;
        }
        between_links_.insert(link);
        const auto end = [&](NodeIndex node) -> OrderedJson {
          return {{"instance", instance(instance_of_[node]) + "[0]"},
                  {"component", component(node)}};
        };
        between_.push_back(
            {{"ep1", end(a)}, {"ep2", end(b)}, {"scheme", "one2one"}, {"link", link}});
      }
    }
  }

  /// The distinct nodes to or from which a link leads.
  [[nodiscard]] std::set<NodeIndex> neighbors(NodeIndex node) const {
    std::set<NodeIndex> found;
    const auto [first, last] = topology_.out(node);
    for (LinkIndex i = first; i < last; ++i) found.insert(topology_.link(i).to);
    for (const LinkIndex i : topology_.in(node)) found.insert(topology_.link(i).from);
    return found;
  }

  [[nodiscard]] std::vector<LinkFigures> figures(NodeIndex from, NodeIndex to) const {
    std::vector<LinkFigures> found;
    const auto [first, last] = topology_.between(from, to);
    for (LinkIndex i = first; i < last; ++i) found.push_back(topology_.link(i).figures);
    return found;
  }

  std::string link_name(infragraph::LinkPair both) {
    const std::string text = infragraph::annotation_text(both);
    const auto [found, added] = links_.emplace(text, std::pair{links_.size(), std::move(both)});
    const LinkFigures& first = found->second.second.there.empty() ? found->second.second.back[0]
                                                                  : found->second.second.there[0];
    std::string name = fmt::format("{}{}", orrery::platform::name(first.kind), found->second.first);
    if (added) by_name_.emplace(name, found);
    return name;
  }

  /// A link in InfraGraph's form, with the total width of parallel links.
  [[nodiscard]] OrderedJson link_json(const std::string& name) const {
    const infragraph::LinkPair& both = by_name_.at(name)->second.second;
    const std::vector<LinkFigures>& all = both.there.empty() ? both.back : both.there;
    double rate = 0;
    for (const LinkFigures& one : all)
      rate += one.bandwidth.count() * static_cast<double>(one.count);
    OrderedJson out{{"name", name}};
    if (rate > 0)
      out["physical"]["bandwidth"] = {{"choice", "gigabits_per_second"},
                                      {"gigabits_per_second", rate * 8 / 1e9}};
    if (all[0].latency)
      out["physical"]["latency"] = {{"choice", "ns"},
                                    {"ns", static_cast<double>(all[0].latency->count()) / 1e3}};
    return out;
  }

  [[nodiscard]] OrderedJson device(const std::string& name, const Blueprint& blueprint) const {
    OrderedJson out{{"name", name}, {"components", OrderedJson::array()}};
    for (std::size_t kind = 0; kind < kNodeClasses; ++kind) {
      if (blueprint.count[kind] == 0) continue;
      const Word word = enum_name(static_cast<NodeClass>(kind));
      const bool custom = word.choice == "optical" || word.choice == "part";
      OrderedJson component{{"name", std::string(word.name)},
                            {"choice", custom ? "custom" : std::string(word.choice)},
                            {"count", blueprint.count[kind]}};
      if (custom) component["custom"] = {{"type", std::string(word.choice)}};
      out["components"].push_back(std::move(component));
    }
    out["links"] = OrderedJson::array();
    for (const std::string& link : blueprint.links) out["links"].push_back(link_json(link));
    out["edges"] = OrderedJson::array();
    for (const auto& [ep1, ep2, link] : blueprint.edges)
      out["edges"].push_back({{"ep1", {{"component", ep1}}},
                              {"ep2", {{"component", ep2}}},
                              {"scheme", "one2one"},
                              {"link", link}});
    return out;
  }

  static OrderedJson attribute(std::string_view name, std::string value) {
    return {{"attribute", std::string(name)}, {"value", std::move(value)}};
  }

  [[nodiscard]] OrderedJson annotations() const {
    OrderedJson out;
    out["nodes"] = OrderedJson::array();
    for (NodeIndex node = 0; node < topology_.node_count(); ++node) {
      const infragraph::NodeAnnotation own{node, topology_.kind(node), topology_.host(node),
                                           topology_.rank(node), printable(topology_.name(node))};
      OrderedJson attributes =
          OrderedJson::array({attribute(infragraph::kOrreryAttribute, annotation_text(own))});
      if (own.rank != Topology::kNoRank)
        attributes.push_back(attribute("rank", std::to_string(own.rank)));
      out["nodes"].push_back({{"name", fmt::format("{}.0.{}.{}", instance(instance_of_[node]),
                                                   enum_name(own.kind).name, copy_of_[node])},
                              {"attributes", std::move(attributes)}});
    }
    out["links"] = OrderedJson::array();
    for (const auto& [name, link] : by_name_)
      out["links"].push_back({{"name", name},
                              {"attributes", OrderedJson::array({attribute(
                                                 infragraph::kOrreryAttribute, link->first)})}});
    out["graph"] = OrderedJson::array(
        {attribute(infragraph::kOrreryAttribute,
                   fmt::format("1 {} {}", topology_.host_count(), printable(topology_.name())))});
    return out;
  }

  using Links = std::map<std::string, std::pair<std::size_t, infragraph::LinkPair>>;

  const Topology& topology_;
  std::vector<Blueprint> blueprints_;     ///< by instance
  std::vector<std::size_t> instance_of_;  ///< by node
  /// By node: its number among the nodes of its class in the instance.
  std::vector<std::uint32_t> copy_of_;
  Links links_;  ///< by annotation
  std::map<std::string, Links::const_iterator> by_name_;
  std::set<std::string> between_links_;
  OrderedJson between_ = OrderedJson::array();
};

}  // namespace

std::string write_infragraph(const Topology& topology) {
  return InfragraphWriter(topology).write();
}

}  // namespace orrery::platform
