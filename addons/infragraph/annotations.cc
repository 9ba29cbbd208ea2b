// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "addons/infragraph/slices.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/platform/topology/formats/common/pcie.h"

namespace orrery::platform::infragraph {
namespace {

class AnnotationReader {
 public:
  AnnotationReader(std::size_t bytes, const std::string& where, ExpandedGraph& graph,
                   Findings& findings)
      : bytes_(bytes), where_(where), graph_(graph), findings_(findings) {}

  Result<void> read(const Json& annotations) {
    if (auto done = each(annotations, "nodes", &AnnotationReader::node); !done) return done;
    // Annotations of edges come last, because they override those of link names.
    if (auto done = each(annotations, "edges", &AnnotationReader::edge); !done) return done;
    if (auto done = each(annotations, "links", &AnnotationReader::link); !done) return done;
    if (annotations.contains("graph")) has_other_annotations_ = true;
    if (has_other_annotations_)
      findings_.add(FindingCode::fabric_part_ignored, where_ + ": other attributes");
    return {};
  }

 private:
  Result<void> each(const Json& annotations, const char* key,
                    Result<void> (AnnotationReader::*reader)(const Json&, const std::string&)) {
    return for_list(annotations, key, where_, [&](const Json& one, const std::string& place) {
      return (this->*reader)(one, place);
    });
  }

  /// The value of an attribute as text; empty: it is missing.
  std::optional<std::string> value(const Json& annotation, std::string_view wanted) {
    std::optional<std::string> found;
    const auto list = annotation.find("attributes");
    if (list == annotation.end() || !list->is_array()) return found;
    for (const Json& pair : *list) {
      if (text_at(pair, "attribute") != wanted) continue;
      const auto is = pair.find("value");
      if (is != pair.end()) found = is->is_string() ? is->get<std::string>() : is->dump();
    }
    return found;
  }

  Result<void> charge(std::uint64_t work, const std::string& place) {
    work_ = saturating_sum(work_, work);
    return check_parts(work_, bytes_, place);
  }

  /// The numbers of all nodes that a name with slices selects.
  Result<std::vector<NodeIndex>> nodes(const std::string& text, const std::string& place) {
    Result<std::vector<Slice>> slices = parse_slices(text, place);
    if (!slices) return tl::unexpected(slices.error());
    std::uint64_t count = 1;
    for (const Slice& slice : *slices) {
      // A name without an index is not expanded here, because the number of copies may be huge.
      const std::uint64_t first = slice.first.value_or(0);
      if (slice.last && *slice.last > first) count = saturating_product(count, *slice.last - first);
    }
    if (auto fits = charge(count, place); !fits) return tl::unexpected(fits.error());
    if (by_name_.empty()) {
      for (NodeIndex node = 0; node < graph_.builder.node_count(); ++node)
        by_name_.emplace(graph_.builder.name(node), node);
    }
    std::vector<NodeIndex> found;
    if (auto done = collect(*slices, 0, {}, place, found); !done)
      return tl::unexpected(done.error());
    return found;
  }

  Result<void> collect(const std::vector<Slice>& slices, std::size_t i, std::string prefix,
                       const std::string& place, std::vector<NodeIndex>& found) {
    if (i == slices.size()) {
      const auto node = by_name_.find(prefix);
      if (node == by_name_.end())
        return fail(Errc::input_corrupt, place, fmt::format("unknown node {}", in_quotes(prefix)),
                    "write nodes as instance.index.component.index, or as slices of that");
      found.push_back(node->second);
      return {};
    }
    if (!prefix.empty()) prefix += '.';
    prefix += slices[i].name;
    if (!slices[i].first && !slices[i].last)
      return collect(slices, i + 1, std::move(prefix), place, found);
    if (!slices[i].last)
      return fail(Errc::input_corrupt, place,
                  fmt::format("the slice of {} has no end", in_quotes(slices[i].name)));
    Result<IndexRange> range = range_of(slices[i], *slices[i].last, place);
    if (!range) return tl::unexpected(range.error());
    for (std::uint64_t k = 0; k < range->size; ++k) {
      std::string copy = fmt::format("{}.{}", prefix, range->first + k * range->step);
      if (auto done = collect(slices, i + 1, std::move(copy), place, found); !done) return done;
    }
    return {};
  }

  Result<void> node(const Json& annotation, const std::string& place) {
    const std::optional<std::string> rank = value(annotation, "rank");
    if (!rank) {
      has_other_annotations_ = true;
      return {};
    }
    const auto number = whole_number(*rank);
    if (!number || *number >= 0xFFFFFFFF)
      return fail(Errc::input_range, place, fmt::format("{} is not a rank", in_quotes(*rank)),
                  "ranks must be whole numbers from 0");
    Result<std::vector<NodeIndex>> which = nodes(text_at(annotation, "name"), place + "/name");
    if (!which) return tl::unexpected(which.error());
    if (which->size() != 1)
      return fail(Errc::input_corrupt, place, fmt::format("{} nodes have one rank", which->size()),
                  "annotate each node separately");
    graph_.builder.set_rank(which->front(), static_cast<std::uint32_t>(*number));
    return {};
  }

  /// The link properties in an annotation; empty if there are none.
  Result<LinkType> figures(const Json& annotation, const std::string& place) {
    LinkType made;
    if (const auto text = value(annotation, "bandwidth"); text && !mentions(*text, "gt/s")) {
      Result<Bandwidth> is = annotated_rate(*text, place);
      if (!is) return tl::unexpected(is.error());
      made.bandwidth = *is;
    }
    if (const auto text = value(annotation, "latency")) {
      Result<Time> is = read_delay(*text, place);
      if (!is) return tl::unexpected(is.error());
      made.latency = *is;
    }
    return made;
  }

  void apply(const LinkType& kind, std::size_t link) {
    LinkFigures& figures = graph_.builder.links()[link].figures;
    if (figures.bandwidth.count() == 0) figures.bandwidth = kind.bandwidth;
    if (!figures.latency) figures.latency = kind.latency;
  }

  Result<void> edge(const Json& annotation, const std::string& place) {
    Result<LinkType> kind = figures(annotation, place);
    if (!kind) return tl::unexpected(kind.error());
    if (kind->bandwidth.count() == 0 && !kind->latency) {
      has_other_annotations_ = true;
      return {};
    }
    Result<std::vector<NodeIndex>> from = nodes(text_at(annotation, "ep1"), place + "/ep1");
    if (!from) return tl::unexpected(from.error());
    Result<std::vector<NodeIndex>> to = nodes(text_at(annotation, "ep2"), place + "/ep2");
    if (!to) return tl::unexpected(to.error());
    if (links_at_.empty()) {
      links_at_.resize(graph_.builder.node_count());
      for (std::size_t i = 0; i < graph_.builder.link_count(); ++i)
        links_at_[graph_.builder.links()[i].from].push_back(static_cast<std::uint32_t>(i));
    }
    const std::unordered_set<NodeIndex> targets(to->begin(), to->end());
    std::size_t matched = 0;
    for (const NodeIndex node : *from) {
      if (auto fits = charge(links_at_[node].size(), place); !fits) return fits;
      for (const std::uint32_t i : links_at_[node]) {
        if (!targets.contains(graph_.builder.links()[i].to)) continue;
        apply(*kind, i);
        apply(*kind, i ^ 1u);  // The builder stores the two directions of an edge consecutively.
        ++matched;
      }
    }
    if (matched == 0) return fail(Errc::input_corrupt, place, "annotates edges that do not exist");
    return {};
  }

  Result<void> link(const Json& annotation, const std::string& place) {
    const std::string name = text_at(annotation, "name");
    Result<LinkType> kind = figures(annotation, place);
    if (!kind) return tl::unexpected(kind.error());
    std::optional<std::string> lanes = value(annotation, "width");
    if (!lanes) lanes = value(annotation, "lanes");
    if (!lanes && kind->bandwidth.count() == 0 && !kind->latency) {
      has_other_annotations_ = true;
      return {};
    }
    std::string_view digits = lanes ? std::string_view(*lanes) : std::string_view("1");
    if (digits.starts_with('x')) digits.remove_prefix(1);
    const std::optional<double> width = real_number(digits);
    if (!width || *width <= 0 || *width > 1024)
      return fail(Errc::input_range, place, fmt::format("{} is not a width", in_quotes(*lanes)));
    if (links_of_.empty()) {
      for (std::size_t i = 0; i < graph_.link_type_of.size(); ++i)
        links_of_[graph_.link_name_of[graph_.link_type_of[i]]].push_back(
            static_cast<std::uint32_t>(i));
    }
    const std::vector<std::uint32_t>& named = links_of_[name];
    if (auto fits = charge(named.size() / 2, place); !fits) return fits;
    for (const std::uint32_t i : named) {
      LinkType is = *kind;
      if (lanes && is.bandwidth.count() == 0)
        is.bandwidth = pcie_rate(graph_.link_type_of[i]->gigatransfers, *width);
      apply(is, i);
    }
    return {};
  }

  std::size_t bytes_;
  const std::string& where_;
  ExpandedGraph& graph_;
  Findings& findings_;
  std::unordered_map<std::string, NodeIndex> by_name_;
  std::vector<std::vector<std::uint32_t>> links_at_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> links_of_;
  bool has_other_annotations_ = false;
  std::uint64_t work_ = 0;
};

}  // namespace

Result<void> annotate(const Json& annotations, std::size_t bytes, const std::string& where,
                      ExpandedGraph& graph, Findings& findings) {
  return AnnotationReader(bytes, where, graph, findings).read(annotations);
}

Result<void> check_gigatransfers(ExpandedGraph& graph) {
  for (std::size_t i = 0; i < graph.link_type_of.size(); ++i) {
    const LinkType* kind = graph.link_type_of[i];
    if (kind->gigatransfers == 0 || graph.builder.links()[i].figures.bandwidth.count() > 0)
      continue;
    return fail(Errc::input_missing_attr, kind->place,
                fmt::format("{} GT/s, but the width of the link is missing", kind->gigatransfers),
                "annotate the link with `width` (lanes), or state gigabytes_per_second");
  }
  return {};
}

}  // namespace orrery::platform::infragraph
