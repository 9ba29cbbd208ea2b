// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "orrery/core/check.h"
#include "orrery/report/html_internal.h"

namespace orrery::report {

namespace {

constexpr std::string_view kDataPlace = R"(id="orrery-data">)";
constexpr std::string_view kStaticPlace = "<!--orrery-static-->";
constexpr std::string_view kTitle = "<title>Orrery report</title>";
constexpr std::string_view kNoScript =
    "<noscript><p>Timelines, charts and tables need JavaScript; nothing is loaded from "
    "the network.</p></noscript>\n";
constexpr std::size_t kPlainBytes = 256 * 1024;  // data beyond that is compressed

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

/// Raw deflate, as the browser's "deflate-raw" takes it.
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
      // zlib does not write to its input.
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

/// What stands in the page: the data itself, or where that is long, its packed form.
std::string page_data(std::string data) {
  if (data.size() <= kPlainBytes) return data;
  return fmt::format(R"({{"version":1,"deflate":"{}"}})", base64(deflated(data)));
}

/// What the page says without JavaScript.
std::string static_summary(const std::vector<const result::Run*>& runs) {
  std::string out;
  for (const result::Run* run : runs) {
    out += html::opened_table(html::title(*run));
    for (const auto& [label, text] : html::summary_lines(analysis::digest(*run), run->findings))
      html::add_row(out, label, text);
    html::add_finding_rows(out, run->findings);
    out += "</tbody>\n</table>\n";
  }
  return out;
}

std::string page_title(const std::vector<const result::Run*>& runs) {
  std::string text;
  for (const result::Run* run : runs) text += (text.empty() ? "" : " and ") + html::title(*run);
  return html::escaped(text);
}

}  // namespace

namespace html {

std::string opened_table(std::string_view caption) {
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

}  // namespace html

Result<std::string> write_html(const std::vector<const result::Run*>& runs, std::string_view page,
                               const HtmlOptions& options) {
  return html::fill_page(page,
                         {page_title(runs), static_summary(runs), report_data(runs, options)});
}

}  // namespace orrery::report
