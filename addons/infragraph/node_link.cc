// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/node_link.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <vector>

#include "addons/infragraph/node_classes.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/platform/topology/formats/common/switch_tiers.h"

namespace orrery::platform {
namespace {

using config::Json;
using infragraph::Component;

/// Text or a number as text; empty: neither.
std::string word_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? found->dump() : std::string();
}

/// The parts of "host.0.cx5.0.port.1": the device copy, and the component.
struct Place {
  std::string_view device, component, machine;
};
Place split_id(std::string_view id) {
  const std::size_t index = id.rfind('.');
  if (index == std::string_view::npos || index == 0) return {{}, id, {}};
  const std::size_t name = id.rfind('.', index - 1);
  if (name == std::string_view::npos) return {{}, id.substr(0, index), {}};
  const std::size_t first = id.find('.');
  return {id.substr(0, name), id.substr(name + 1, index - name - 1),
          id.substr(0, id.find('.', first + 1))};
}

class NodeLinkReader {
 public:
  NodeLinkReader(const Json& file, const std::string& where, Findings& findings)
      : file_(file), where_(where), findings_(findings), builder_(title(file), "InfraGraph") {}

  Result<Topology> read() {
    if (auto done = nodes(); !done) return tl::unexpected(done.error());
    classify();
    if (auto done = edges(); !done) return tl::unexpected(done.error());
    assign_tiers(builder_);
    return builder_.finish(where_);
  }

 private:
  static std::string title(const Json& file) {
    const auto graph = file.find("graph");
    const std::string name =
        graph != file.end() && graph->is_object() ? text_at(*graph, "name") : std::string();
    return name.empty() ? "infrastructure" : name;
  }

  Result<void> nodes() {
    const Json& list = file_["nodes"];
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string place = fmt::format("{}:/nodes/{}", where_, i);
      const std::string id = word_at(list[i].is_object() ? list[i] : Json::object(), "id");
      if (id.empty()) return fail(Errc::input_missing_attr, place, "a node has no id");
      const NodeIndex node = builder_.add(NodeClass::other, id);
      if (!by_id_.emplace(id, node).second)
        return fail(Errc::input_corrupt, place, fmt::format("a second node {}", in_quotes(id)));
      types_.push_back(text_at(list[i], "type"));
      const std::string rank = word_at(list[i], "rank");
      if (rank.empty()) continue;
      const auto number = whole_number(rank);
      if (!number || *number >= 0xFFFFFFFF)
        return fail(Errc::input_range, place, fmt::format("{} is not a rank", in_quotes(rank)));
      builder_.set_rank(node, static_cast<std::uint32_t>(*number));
    }
    return {};
  }

  void classify() {
    struct Copy {
      std::uint64_t ports = 0;
      bool holds_devices = false;
    };
    std::unordered_map<std::string_view, Copy> copies;
    for (NodeIndex node = 0; node < builder_.node_count(); ++node) {
      const Place at = split_id(builder_.name(node));
      std::string& type = types_[node];
      if (type.empty()) {
        findings_.add(FindingCode::fabric_class_guessed, builder_.name(node));
        type = mentions(at.component, "asic") ? "cpu" : std::string(at.component);
      }
      const NodeClass kind = infragraph::class_of(component(at, type), at.device, true, 0);
      Copy& copy = copies[at.device];
      copy.holds_devices |= kind == NodeClass::device;
      copy.ports += kind == NodeClass::port ? 1 : 0;
    }
    std::unordered_map<std::string_view, bool> is_machine;
    for (NodeIndex node = 0; node < builder_.node_count(); ++node) {
      const Place at = split_id(builder_.name(node));
      const Copy& copy = copies[at.device];
      const NodeClass kind = infragraph::class_of(component(at, types_[node]), at.device,
                                                  copy.holds_devices, copy.ports);
      builder_.set_kind(node, kind);
      is_machine[at.machine] |=
          kind == NodeClass::device || kind == NodeClass::cpu || kind == NodeClass::nic;
    }
    std::unordered_map<std::string_view, std::uint32_t> hosts;
    for (NodeIndex node = 0; node < builder_.node_count(); ++node) {
      const std::string_view machine = split_id(builder_.name(node)).machine;
      if (machine.empty() || !is_machine[machine]) continue;
      const auto [host, added] = hosts.emplace(machine, 0);
      if (added) host->second = builder_.add_host();
      builder_.set_host(node, host->second);
    }
  }

  static Component component(const Place& at, const std::string& type) {
    return {std::string(at.component), {}, type, false, 1};
  }

  Result<NodeIndex> end(const Json& edge, const char* key, const std::string& place) {
    const std::string id = word_at(edge, key);
    const auto found = by_id_.find(id);
    if (found != by_id_.end()) return found->second;
    return fail(Errc::input_corrupt, place + "/" + key,
                fmt::format("unknown node {}", in_quotes(id)));
  }

  Result<void> edges() {
    const char* key = file_.contains("edges") ? "edges" : "links";
    const Json& list = file_[key];
    const bool directed = file_.value("directed", Json(false)) == true;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string place = fmt::format("{}:/{}/{}", where_, key, i);
      const Json& edge = list[i];
      if (!edge.is_object()) return fail(Errc::input_corrupt, place, "must be a mapping");
      Result<NodeIndex> from = end(edge, "source", place), to = end(edge, "target", place);
      if (!from) return tl::unexpected(from.error());
      if (!to) return tl::unexpected(to.error());
      if (*from == *to) {
        findings_.add(FindingCode::fabric_link_dropped, place);
        continue;
      }
      Result<LinkFigures> figures = figures_of(edge, place);
      if (!figures) return tl::unexpected(figures.error());
      const bool together =
          builder_.host(*from) != Topology::kNoHost && builder_.host(*from) == builder_.host(*to);
      const bool inside =
          split_id(builder_.name(*from)).device == split_id(builder_.name(*to)).device;
      figures->kind = infragraph::class_of_link(text_at(edge, "link"), {}, builder_.kind(*from),
                                                builder_.kind(*to), together || inside);
      if (directed) {
        builder_.link(*from, *to, *figures);
      } else {
        builder_.join(*from, *to, *figures);
      }
    }
    return {};
  }

  Result<LinkFigures> figures_of(const Json& edge, const std::string& place) {
    LinkFigures made;
    const std::string rate = text_at(edge, "bandwidth");
    if (mentions(rate, "gt/s"))
      return fail(Errc::input_missing_attr, place + "/bandwidth",
                  fmt::format("{}, but the width of the link is missing", in_quotes(rate)),
                  "give the bandwidth in Gbps");
    if (!rate.empty()) {
      Result<Bandwidth> is = infragraph::annotated_rate(rate, place + "/bandwidth");
      if (!is) return tl::unexpected(is.error());
      made.bandwidth = *is;
    }
    if (const std::string delay = text_at(edge, "latency"); !delay.empty()) {
      Result<Time> is = read_delay(delay, place + "/latency");
      if (!is) return tl::unexpected(is.error());
      made.latency = *is;
    }
    return made;
  }

  const Json& file_;
  const std::string& where_;
  Findings& findings_;
  TopologyBuilder builder_;
  std::unordered_map<std::string, NodeIndex> by_id_;
  std::vector<std::string> types_;
};

}  // namespace

Result<Topology> read_node_link(const Json& file, const std::string& where, Findings& findings) {
  return NodeLinkReader(file, where, findings).read();
}

}  // namespace orrery::platform
