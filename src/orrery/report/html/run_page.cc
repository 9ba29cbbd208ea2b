// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/run_page.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "orrery/analysis/explanation/explain.h"
#include "orrery/core/check.h"
#include "orrery/report/html/run_page_internal.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report {

namespace {

constexpr std::string_view kDataPlace = R"(id="orrery-data">)";
constexpr std::string_view kStaticPlace = "<!--orrery-static-->";
constexpr std::string_view kTitle = "<title>Orrery report</title>";
constexpr std::string_view kNoScript =
    "<noscript><p>Timelines, charts and tables need JavaScript; nothing is loaded from "
    "the network.</p></noscript>\n";
constexpr std::size_t kPlainBytes = 256 * 1024;  // larger data is compressed

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j < bytes.size() + 1 ? kDigits[group >> (18 - 6 * j) & 63u] : '=';
  }
  return out;
}

/// Raw deflate, the format "deflate-raw" of browsers.
std::string deflated(std::string_view text) {
  z_stream stream{};
  ORRERY_CHECK(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9,
                            Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out;
  std::array<char, 1 << 16> block{};
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const std::size_t next = std::min<std::size_t>(text.size(), 1u << 30);
      // zlib does not modify its input.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
      stream.avail_in = static_cast<uInt>(next);
      text.remove_prefix(next);
    }
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    status = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
    ORRERY_CHECK(status == Z_OK || status == Z_STREAM_END);
    out.append(block.data(), block.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

/// The data as the page stores it: plain, or compressed if it is long.
std::string page_data(std::string data) {
  if (data.size() <= kPlainBytes) return data;
  return fmt::format(R"({{"version":{},"deflate":"{}"}})", html::kPageDataVersion,
                     base64(deflated(data)));
}

/// The summary that is visible without JavaScript.
std::string static_summary(const std::vector<const result::Run*>& runs) {
  std::string out;
  const std::vector<std::string> titles = html::titles(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const result::Run* const run = runs[i];
    out += html::table_head(titles[i]);
    for (const auto& [label, text] : html::summary_lines(analysis::digest(*run), run->findings))
      html::add_row(out, label, text);
    html::add_finding_rows(out, run->findings);
    out += "</tbody>\n</table>\n";
  }
  return out;
}

std::string page_title(const std::vector<const result::Run*>& runs) {
  std::string text;
  for (const std::string& title : html::titles(runs)) text += (text.empty() ? "" : " and ") + title;
  return html::escaped(text);
}

}  // namespace

namespace html {

std::string table_head(std::string_view caption) {
  return fmt::format("<table>\n<caption>{}</caption>\n<tbody>\n", escaped(caption));
}

void add_row(std::string& out, std::string_view label, std::string_view text) {
  out +=
      fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(label), escaped(text));
}

void add_finding_rows(std::string& out, const Findings& findings) {
  for (const Finding& finding : findings.list()) {
    const FindingInfo info = describe(finding.code);
    out += fmt::format("<tr><th scope=\"row\">Finding ({})</th><td>{}; {}</td></tr>\n",
                       name(info.severity), escaped(info.sentence),
                       finding.count == 1 ? "once" : fmt::format("{} times", finding.count));
  }
}

Result<std::string> fill_page(std::string_view page, PageParts parts) {
  const std::vector<std::pair<std::string_view, std::string>> places = {
      {kTitle, fmt::format("<title>{} · Orrery</title>", parts.title)},
      {kStaticPlace, parts.plain + std::string(kNoScript)},
      {kDataPlace, std::string(kDataPlace) + page_data(std::move(parts.data))}};
  std::string out;
  for (const auto& [place, text] : places) {
    const std::size_t at = page.find(place);
    if (at == std::string_view::npos) {
      return fail(Errc::config_missing_key, "the report's page",
                  fmt::format("has no {} to put the data into", place),
                  "./setup --page builds the page");
    }
    out += page.substr(0, at);
    out += text;
    page.remove_prefix(at + place.size());
  }
  out += page;
  return out;
}

Result<std::string> fill_table_page(std::string_view page, std::string_view title,
                                    const std::vector<std::pair<std::string, std::string>>& rows,
                                    const Findings& findings, std::string data) {
  std::string table = table_head(title);
  for (const auto& [label, text] : rows) add_row(table, label, text);
  add_finding_rows(table, findings);
  return fill_page(page, {escaped(title), table + "</tbody>\n</table>\n", std::move(data)});
}

}  // namespace html

Result<std::string> write_html(const std::vector<const result::Run*>& runs, std::string_view page,
                               const HtmlOptions& options) {
  return html::fill_page(page,
                         {page_title(runs), static_summary(runs), run_page_data(runs, options)});
}

// Writes the page's data, from the manifest of a run to its timelines.

namespace html {

namespace {

using result::Run;

constexpr std::size_t kMemoryPoints = 40'000;  // over all timelines
constexpr std::size_t kHeldTensors = 4'000;
constexpr std::size_t kStragglers = 50;

std::string group_name(const Run& run, std::uint32_t group) {
  if (group >= run.groups.size()) return "unknown group";
  return run.groups[group].name.empty() ? "all ranks" : run.groups[group].name;
}

/// The title of a lane at `rank`.
std::string lane_title(const Run& run, std::uint32_t rank, const result::Lane& lane) {
  std::string text(result::name(lane.kind));
  const std::vector<std::uint32_t>& groups = run.ranks[rank].groups;
  if (lane.kind == result::LaneKind::communicator) {
    text = group_name(run, lane.group < groups.size() ? groups[lane.group] : result::kNone);
  } else if (lane.kind == result::LaneKind::sends && lane.distance != result::kNone) {
    text = fmt::format("sends to rank {}", run.peer(rank, lane.distance));
  }
  if (lane.kind == result::LaneKind::stream || lane.kind == result::LaneKind::thread)
    text = recorded_name(lane);
  return lane.layer == 0 ? text : fmt::format("{} ({})", text, lane.layer + 1);
}

/// At most `most` points with the shape of the curve: the highest and the last of each segment.
std::vector<std::pair<Time, Bytes>> outline(const result::MemoryCurve& curve, std::size_t most) {
  const auto& points = curve.points;
  if (points.size() <= most) return points;
  std::vector<std::pair<Time, Bytes>> retained{points.front()};
  const std::size_t segments = most / 2;
  for (std::size_t s = 0; s < segments; ++s) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(points.size() * s / segments);
    const auto last =
        points.begin() + static_cast<std::ptrdiff_t>(points.size() * (s + 1) / segments);
    const auto highest = std::max_element(
        first, last, [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto at : {highest, last - 1}) {
      if (retained.back().first < at->first) retained.push_back(*at);
    }
  }
  return retained;
}

/// For a modeled memory curve: the bytes of each kind at the peak.
void write_kinds(JsonWriter& json, const Run& run, const result::MemoryCurve& curve) {
  std::vector<std::pair<std::uint32_t, Bytes>> kinds;
  for (const result::HeldTensor& part : curve.at_peak) {
    auto found = std::find_if(kinds.begin(), kinds.end(),
                              [&](const auto& kind) { return kind.first == part.kind; });
    if (found == kinds.end()) found = kinds.insert(found, {part.kind, Bytes{}});
    found->second += part.size;
  }
  column(json, "kinds", kinds.size(), [&](std::size_t i) {
    json.begin_array().value(run.names[kinds[i].first]).value(kinds[i].second.count()).end_array();
  });
}

void write_memory(JsonWriter& json, const Run& run, const result::MemoryCurve& curve) {
  json.key("memory");
  if (curve.points.empty()) {
    json.null();
    return;
  }
  const std::size_t lines = run.timelines.size();
  const auto points = outline(curve, std::max<std::size_t>(16, kMemoryPoints / lines));
  const std::size_t held =
      std::min(curve.at_peak.size(), std::max<std::size_t>(3, kHeldTensors / lines));
  json.begin_object();
  column(json, "at", points.size(), [&](std::size_t i) { json.value(points[i].first.count()); });
  column(json, "bytes", points.size(),
         [&](std::size_t i) { json.value(points[i].second.count()); });
  json.field("peak", curve.peak.count()).field("peakAt", curve.peak_at.count());
  column(json, "held", held, [&](std::size_t i) {
    const result::HeldTensor& tensor = curve.at_peak[i];
    json.begin_array().value(run.names[tensor.name]).value(tensor.size.count());
    if (tensor.kind != 0) json.value(run.names[tensor.kind]);
    json.end_array();
  });
  if (curve.role != 0) {
    json.field("role", run.names[curve.role]);
    write_kinds(json, run, curve);
  }
  json.end_object();
}

void write_metrics(JsonWriter& json, const std::vector<analysis::Metric>& metrics) {
  column(json, "metrics", metrics.size(), [&](std::size_t i) {
    const analysis::Metric& metric = metrics[i];
    const Result<analysis::Explanation> about = analysis::explain_metric(metric.name);
    const bool predicted = about && !about->paragraphs.empty();
    json.begin_object().field("name", metric.name).field("title", metric.title);
    json.field("unit", metric.unit)
        .field("value", std::isfinite(metric.value) ? metric.value : 0.0);
    json.field("text", metric.text)
        .field("meaning", predicted ? about->paragraphs[0] : std::string());
    write_direction(json, metric);
    json.end_object();
  });
}

void write_machine(JsonWriter& json, const Run& run) {
  column(json, "dims", run.dims.size(), [&](std::size_t i) {
    const result::Dimension& dim = run.dims[i];
    json.begin_object().field("block", dim.block).field("size", dim.size);
    json.field("bandwidth", dim.bandwidth.count()).field("latencyNs", dim.latency_ns).end_object();
  });
  json.key("device").begin_object().field("name", run.device);
  json.field("peakFlops", run.peak_flops)
      .field("peakPrecision", run.peak_precision)
      .field("memoryCapacity", run.memory_capacity.count());
  json.end_object();
}

void write_stragglers(JsonWriter& json, const analysis::Stragglers& found) {
  column(json, "stragglers", std::min(kStragglers, found.ranks.size()), [&](std::size_t i) {
    const analysis::Straggler& one = found.ranks[i];
    json.begin_object().field("rank", one.rank).field("caused", one.caused_wait.count());
    json.field("waited", one.waited.count()).field("timesLast", one.times_last).end_object();
  });
}

void write_run(JsonWriter& json, const RunPageData& facts, const std::string& heading,
               std::size_t max_spans) {
  const Run& run = facts.run;
  const PageSpans spans = reduce_spans(run, max_spans);
  UsedNames names(run.names);
  json.begin_object().field("title", heading);
  write_pairs(json, "manifest", run.manifest);
  json.field("step", run.step.count()).field("stalled", run.stalled);
  json.field("ranks", run.ranks.size()).field("spansShown", result::name(run.spans));
  json.field("spansLeftOut", spans.merged_spans);
  write_metrics(json, facts.metrics);
  write_pairs(json, "summary", summary_lines(facts.digest, run.findings));
  write_machine(json, run);
  write_ranks(json, facts);
  write_timelines(json, facts, spans, names);
  write_groups(json, run);
  write_collectives(json, facts, names);
  write_links(json, run.links);
  write_fabric(json, run);
  write_packets(json, run);
  write_memory_levels(json, run);
  write_path(json, run, names);
  write_stragglers(json, facts.stragglers);
  write_findings(json, run.findings);
  names.write(json);
  json.end_object();
}

}  // namespace

void write_pairs(JsonWriter& json, std::string_view key,
                 const std::vector<std::pair<std::string, std::string>>& pairs) {
  column(json, key, pairs.size(), [&](std::size_t i) {
    json.begin_array().value(pairs[i].first).value(pairs[i].second).end_array();
  });
}

void write_findings(JsonWriter& json, const Findings& findings) {
  const std::vector<Finding> list = findings.list();
  column(json, "findings", list.size(), [&](std::size_t i) {
    const FindingInfo info = describe(list[i].code);
    json.begin_object().field("name", info.name).field("severity", name(info.severity));
    json.field("count", list[i].count).field("sentence", info.sentence);
    write_list(json, "places", list[i].places);
    json.end_object();
  });
}

RunPageData::RunPageData(const Run& of)
    : run(of),
      index(of),
      digest(analysis::digest(of)),
      stragglers(analysis::stragglers(of)),
      classes(analysis::collective_classes(of)),
      metrics(analysis::metrics(of)) {}

void write_timelines(JsonWriter& json, const RunPageData& facts, const PageSpans& spans,
                     UsedNames& names) {
  const Run& run = facts.run;
  column(json, "timelines", run.timelines.size(), [&](std::size_t t) {
    const result::Timeline& timeline = run.timelines[t];
    const auto ranks = facts.index.ranks_of(static_cast<std::uint32_t>(t));
    json.begin_object();
    column(json, "lanes", timeline.lanes.size(), [&](std::size_t i) {
      const result::Lane& lane = timeline.lanes[i];
      json.begin_object().field("kind", static_cast<std::uint32_t>(lane.kind));
      json.field("title", ranks.empty() ? std::string(result::name(lane.kind))
                                        : lane_title(run, ranks.front(), lane));
      // Ranks that share a timeline have different peers: the page derives the title at each of
      // them.
      if (lane.kind == result::LaneKind::communicator) json.field("group", lane.group);
      if (lane.kind == result::LaneKind::sends && lane.distance != result::kNone)
        json.field("distance", lane.distance);
      if (lane.layer > 0) json.field("layer", lane.layer);
      json.end_object();
    });
    json.field("count", spans.timelines[t].size());
    json.field("spans", pack_spans(spans.timelines[t], names));
    write_memory(json, run, timeline.memory);
    json.end_object();
  });
}

void write_groups(JsonWriter& json, const Run& run) {
  column(json, "groups", run.groups.size(), [&](std::size_t i) {
    const result::Group& group = run.groups[i];
    std::vector<std::uint32_t> ranks = group.ranks;
    std::sort(ranks.begin(), ranks.end());
    const std::string all = run.ranks.empty() ? "" : fmt::format("0-{}", run.ranks.size() - 1);
    json.begin_object().field("name", group.name).field("size", group.size);
    json.field("ranks", ranks.empty() ? all : ranges(ranks, 16)).end_object();
  });
}

}  // namespace html

std::string run_page_data(const std::vector<const result::Run*>& runs, const HtmlOptions& options) {
  std::string out;
  const std::vector<std::string> titles = html::titles(runs);
  JsonWriter json(out, 0);
  json.begin_object()
      .field("version", html::kPageDataVersion)
      .field("unknownError", analysis::unknown_error_text());
  html::column(json, "runs", runs.size(), [&](std::size_t i) {
    html::write_run(json, html::RunPageData(*runs[i]), titles[i], options.max_spans / runs.size());
  });
  json.key("comparison");
  if (runs.size() == 2) {
    html::write_comparison(json, *runs[0], *runs[1]);
  } else {
    json.null();
  }
  json.end_object();
  return html::compact_json(out);
}

}  // namespace orrery::report
