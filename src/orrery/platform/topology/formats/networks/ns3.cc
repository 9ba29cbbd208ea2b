// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/networks/ns3.h"

#include <fmt/format.h>

#include <unordered_set>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/platform/topology/formats/common/switch_tiers.h"

namespace orrery::platform {
namespace {

Result<void> read_counts(const LineReader& lines, const std::string& where, std::size_t minimum,
                         Ns3Text& out) {
  const auto& words = lines.words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (const auto count = whole_number(word)) {
      out.counts.push_back(*count);
    } else if (i > 0 && i + 1 == words.size()) {
      out.word = std::string(word);
    } else {
      return fail(Errc::input_corrupt, at_line(where, lines.number()),
                  fmt::format("{} is not a number of nodes, switches or links", in_quotes(word)),
                  "the first line must contain only counts");
    }
  }
  if (out.counts.size() < minimum)
    return fail(Errc::input_corrupt, at_line(where, lines.number()),
                fmt::format("the first line has {} counts, but must have {} or more",
                            out.counts.size(), minimum),
                "write the number of nodes, switches and links");
  return {};
}

Result<void> read_switch_ids(const LineReader& lines, const std::string& where, std::uint64_t count,
                             Ns3Text& out) {
  std::unordered_set<std::uint64_t> seen;
  for (const std::string_view word : lines.words()) {
    const auto id = whole_number(word);
    const std::string place = at_line(where, lines.number());
    if (!id)
      return fail(Errc::input_corrupt, place,
                  fmt::format("{} is not a number of a switch", in_quotes(word)),
                  "the second line must list the numbers of all switches");
    if (*id >= out.counts[0])
      return fail(
          Errc::input_range, place,
          fmt::format("switch {}, but there are {} nodes, numbered from 0", *id, out.counts[0]));
    if (!seen.insert(*id).second)
      return fail(Errc::input_corrupt, place, fmt::format("switch {} is listed twice", *id),
                  "list each switch once");
    out.switches.push_back(static_cast<NodeIndex>(*id));
  }
  if (out.switches.size() == count) return {};
  return fail(
      Errc::input_mismatch, at_line(where, lines.number()),
      fmt::format("lists {} switches, but the first line counts {}", out.switches.size(), count),
      "correct the count, or the second line");
}

Result<void> read_link_line(const LineReader& lines, const std::string& where, Ns3Text& out,
                            Findings& findings) {
  const std::string place = at_line(where, lines.number());
  const auto& words = lines.words();
  if (words.size() < 4)
    return fail(Errc::input_corrupt, place,
                fmt::format("a link line has {} words: {}", words.size(), in_quotes(lines.text())),
                "write a link as: from, to, rate, delay, error rate");
  Link link;
  NodeIndex* const ends[] = {&link.from, &link.to};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto node = whole_number(words[i]);
    if (!node)
      return fail(Errc::input_corrupt, place,
                  fmt::format("{} is not a node number", in_quotes(words[i])));
    if (*node >= out.counts[0])
      return fail(
          Errc::input_range, place,
          fmt::format("node {}, but there are {} nodes, numbered from 0", *node, out.counts[0]),
          "correct the count of nodes in the first line, or the link");
    *ends[i] = static_cast<NodeIndex>(*node);
  }
  if (link.from == link.to)
    return fail(Errc::input_range, place, fmt::format("a link joins node {} to itself", link.from));
  Result<Bandwidth> rate = read_rate(words[2], place);
  if (!rate) return tl::unexpected(rate.error());
  Result<Time> delay = read_delay(words[3], place);
  if (!delay) return tl::unexpected(delay.error());
  link.figures = {*rate, *delay, 1, LinkClass::network};
  if (words.size() > 4 && real_number(words[4]).value_or(1) != 0)
    findings.add(FindingCode::fabric_part_ignored, place + ": an error rate");
  out.links.push_back(link);
  return {};
}

}  // namespace

Result<Ns3Text> read_ns3_text(std::string_view text, const std::string& where,
                              std::vector<std::size_t> switch_counts, Findings& findings) {
  LineReader lines(text);
  Ns3Text out;
  if (!lines.next_content_line()) return fail(Errc::input_empty, where, "is empty");
  const std::size_t links_at = switch_counts.back() + 1;
  if (auto done = read_counts(lines, where, links_at + 1, out); !done)
    return tl::unexpected(done.error());
  if (out.counts.size() > links_at + 1)
    findings.add(FindingCode::fabric_part_ignored,
                 at_line(where, lines.number()) + ": further counts");
  const std::string first = at_line(where, lines.number());
  const std::uint64_t links = out.counts[links_at];
  std::uint64_t switches = 0;
  for (const std::size_t i : switch_counts) switches = saturating_sum(switches, out.counts[i]);
  if (auto fits = check_parts(out.counts[0], text.size(), first); !fits)
    return tl::unexpected(fits.error());
  if (switches > out.counts[0])
    return fail(Errc::input_mismatch, first,
                fmt::format("{} switches, but only {} nodes", switches, out.counts[0]),
                "the number of nodes includes the switches");
  if (switches > 0) {
    if (!lines.next_content_line())
      return fail(Errc::input_truncated, where, "ends before the list of switches");
    if (auto done = read_switch_ids(lines, where, switches, out); !done)
      return tl::unexpected(done.error());
  }
  while (lines.next_content_line()) {
    if (out.links.size() == links) {
      // HPCC's own file explains itself below its links; ns-3 reads no further either.
      if (!whole_number(lines.words()[0])) {
        findings.add(FindingCode::fabric_part_ignored,
                     at_line(where, lines.number()) + ": text after the links");
        break;
      }
      return fail(Errc::input_mismatch, at_line(where, lines.number()),
                  fmt::format("more links than the {} that the first line counts", links),
                  "correct the count, or remove lines");
    }
    if (auto done = read_link_line(lines, where, out, findings); !done)
      return tl::unexpected(done.error());
  }
  if (out.links.size() < links)
    return fail(Errc::input_truncated, where,
                fmt::format("ends after {} of the {} links that the first line counts",
                            out.links.size(), links),
                "correct the count, or add the missing lines");
  if (links == 0)
    return fail(Errc::input_missing_attr, first, "a network without links",
                "the third count of the first line is the number of link lines");
  return out;
}

Result<Topology> read_ns3(std::string_view text, const std::string& where, Findings& findings) {
  Result<Ns3Text> file = read_ns3_text(text, where, {1}, findings);
  if (!file) return tl::unexpected(file.error());
  TopologyBuilder builder("ns-3 network", "ns-3 text");
  std::vector<bool> is_switch(file->counts[0]);
  for (const NodeIndex node : file->switches) is_switch[node] = true;
  for (NodeIndex node = 0; node < file->counts[0]; ++node)
    builder.add(is_switch[node] ? NodeClass::switched : NodeClass::device,
                fmt::format("{}{}", is_switch[node] ? "switch" : "node", node));
  for (const Link& link : file->links) builder.join(link.from, link.to, link.figures);
  assign_tiers(builder);
  return builder.finish(where);
}

}  // namespace orrery::platform
