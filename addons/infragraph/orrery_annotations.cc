// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/orrery_annotations.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <unordered_map>

#include "orrery/core/limits.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform::infragraph {
namespace {

/// The first `count` words of a text, and the rest after the next blank.
std::optional<std::vector<std::string_view>> words_and_rest(std::string_view text,
                                                            std::size_t count) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = text.find(' ');
    if (end == std::string_view::npos) return std::nullopt;
    words.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  words.push_back(text);
  return words;
}

std::string number_or_dash(std::uint32_t number) {
  return number == 0xFFFFFFFF ? "-" : std::to_string(number);
}
std::optional<std::uint32_t> number_of(std::string_view word) {
  if (word == "-") return 0xFFFFFFFF;
  const auto number = whole_number(word);
  if (!number || *number >= 0xFFFFFFFF) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

template <class Enum>
std::optional<Enum> enum_named(std::string_view word, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (name(static_cast<Enum>(i)) == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

std::string figures_text(const LinkFigures& figures) {
  return fmt::format("{}:{}:{}:{}", name(figures.kind), figures.bandwidth.count(),
                     figures.latency ? std::to_string(figures.latency->count()) : "-",
                     figures.count);
}

std::optional<LinkFigures> figures_in(std::string_view word) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t colon = word.find(':');
    parts.push_back(word.substr(0, colon));
    if (colon == std::string_view::npos) break;
    word.remove_prefix(colon + 1);
  }
  if (parts.size() != 4) return std::nullopt;
  const auto kind = enum_named<LinkClass>(parts[0], kLinkClasses);
  const auto bandwidth = real_number(parts[1]);
  const auto latency = parts[2] == "-" ? std::optional<std::uint64_t>(0) : whole_number(parts[2]);
  const auto count = number_of(parts[3]);
  if (!kind || !bandwidth || *bandwidth < 0 || !latency || *latency > 9'000'000'000'000'000'000 ||
      !count)
    return std::nullopt;
  LinkFigures made{Bandwidth(*bandwidth), std::nullopt, *count, *kind};
  if (parts[2] != "-") made.latency = Time(static_cast<std::int64_t>(*latency));
  return made;
}

std::optional<LinkPair> both_in(std::string_view text) {
  LinkPair made;
  LineReader lines(text);
  if (!lines.next()) return std::nullopt;
  bool back = false;
  for (const std::string_view word : lines.words()) {
    if (word == "|") {
      if (back) return std::nullopt;
      back = true;
      continue;
    }
    const auto figures = figures_in(word);
    if (!figures) return std::nullopt;
    (back ? made.back : made.there).push_back(*figures);
  }
  return back && made.there.size() + made.back.size() > 0 ? std::optional(made) : std::nullopt;
}

std::optional<NodeAnnotation> node_in(std::string_view text) {
  const auto words = words_and_rest(text, 4);
  if (!words) return std::nullopt;
  const auto number = number_of((*words)[0]), host = number_of((*words)[2]),
             rank = number_of((*words)[3]);
  const auto kind = enum_named<NodeClass>((*words)[1], kNodeClasses);
  if (!number || !kind || !host || !rank) return std::nullopt;
  return NodeAnnotation{*number, *kind, *host, *rank, std::string((*words)[4])};
}

/// The value of the "orrery" attribute; empty if it is missing.
std::string own_value(const Json& attributes) {
  if (!attributes.is_array()) return {};
  for (const Json& pair : attributes) {
    if (text_at(pair, "attribute") == kOrreryAttribute) return text_at(pair, "value");
  }
  return {};
}
const Json& member(const Json& object, const char* key) {
  static const Json kNothing = Json::array();
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : kNothing;
}

tl::unexpected<Error> broken(const std::string& place) {
  return fail(Errc::input_corrupt, place,
              fmt::format("the annotation \"{}\" was not written by Orrery", kOrreryAttribute),
              "remove all annotations of that name; the rest is plain InfraGraph");
}

class TopologyRestorer {
 public:
  TopologyRestorer(const Json& file, ExpandedGraph& graph, const std::string& where)
      : notes_(file.at("annotations")), graph_(graph), where_(where + ":/annotations") {}

  Result<Topology> restore_topology() {
    const auto head = words_and_rest(head_ = own_value(member(notes_, "graph")), 2);
    const auto hosts = head ? number_of((*head)[1]) : std::nullopt;
    if (!hosts || *hosts > limits::kFabricNodes) return broken(where_ + "/graph");
    TopologyBuilder builder(std::string((*head)[2]), "InfraGraph");
    for (std::uint32_t i = 0; i < *hosts; ++i) builder.add_host();
    if (auto done = nodes(*hosts, builder); !done) return tl::unexpected(done.error());
    if (auto done = links(builder); !done) return tl::unexpected(done.error());
    return builder.finish(where_);
  }

 private:
  Result<void> nodes(std::uint32_t hosts, TopologyBuilder& builder) {
    const NodeIndex count = graph_.builder.node_count();
    std::unordered_map<std::string_view, NodeIndex> by_name;
    for (NodeIndex node = 0; node < count; ++node) by_name.emplace(graph_.builder.name(node), node);
    number_of_.assign(count, count);
    std::vector<std::optional<NodeAnnotation>> in_order(count);
    for (const Json& note : member(notes_, "nodes")) {
      const auto node = by_name.find(text_at(note, "name"));
      auto own = node_in(own_value(member(note, "attributes")));
      if (node == by_name.end() || !own || own->number >= count || in_order[own->number] ||
          number_of_[node->second] != count ||
          (own->host != Topology::kNoHost && own->host >= hosts))
        return broken(where_ + "/nodes");
      number_of_[node->second] = own->number;
      in_order[own->number] = std::move(own);
    }
    for (const std::optional<NodeAnnotation>& own : in_order) {
      if (!own) return broken(where_ + "/nodes");
      const NodeIndex node = builder.add(own->kind, own->name, own->host);
      if (own->rank != Topology::kNoRank) builder.set_rank(node, own->rank);
    }
    return {};
  }

  Result<void> links(TopologyBuilder& builder) {
    std::map<std::string, LinkPair, std::less<>> by_name;
    for (const Json& note : member(notes_, "links")) {
      auto both = both_in(own_value(member(note, "attributes")));
      if (!both) return broken(where_ + "/links");
      by_name.insert_or_assign(text_at(note, "name"), std::move(*both));
    }
    // The builder stores the two directions of an edge consecutively.
    for (std::size_t i = 0; i + 1 < graph_.builder.link_count(); i += 2) {
      const auto known = by_name.find(graph_.link_name_of[graph_.link_type_of[i]]);
      if (known == by_name.end()) return broken(where_ + "/links");
      const Link& link = graph_.builder.links()[i];
      const NodeIndex a = number_of_[link.from], b = number_of_[link.to];
      for (const LinkFigures& figures : known->second.there) builder.link(a, b, figures);
      for (const LinkFigures& figures : known->second.back) builder.link(b, a, figures);
    }
    return {};
  }

  const Json& notes_;
  ExpandedGraph& graph_;
  std::string where_, head_;
  std::vector<NodeIndex> number_of_;  ///< original number of each node of the graph
};

}  // namespace

std::string annotation_text(const LinkPair& links) {
  std::string out;
  for (const LinkFigures& figures : links.there) out += figures_text(figures) + " ";
  out += "|";
  for (const LinkFigures& figures : links.back) out += " " + figures_text(figures);
  return out;
}

std::string annotation_text(const NodeAnnotation& node) {
  return fmt::format("{} {} {} {} {}", node.number, name(node.kind), number_or_dash(node.host),
                     number_or_dash(node.rank), node.name);
}

bool is_orrery_file(const Json& file) {
  return file.contains("annotations") &&
         own_value(member(file["annotations"], "graph")).starts_with("1 ");
}

Result<Topology> restore_topology(const Json& file, ExpandedGraph& graph,
                                  const std::string& where) {
  return TopologyRestorer(file, graph, where).restore_topology();
}

}  // namespace orrery::platform::infragraph
