// SPDX-License-Identifier: Apache-2.0
//
// A fabric as a drawing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/present/topology_text.h"

namespace orrery::present {

using platform::Link;
using platform::LinkClass;
using platform::LinkIndex;
using platform::NodeClass;
using platform::NodeIndex;
using platform::Topology;
using study::TopologyAnswer;

namespace {

// In pixels.
constexpr double kWidest = 58, kNarrowest = 17, kNodeHeight = 20, kNodeGap = 6, kRowHeight = 64;
constexpr double kPage = 1500, kMostBow = 70;
constexpr double kHostGap = 22, kTop = 84, kSide = 24;
constexpr std::size_t kMostInRow = 64, kMostOpenNodes = 420, kMostOnGrid = 1024;

constexpr const char* kFabricStyle =
    "<style>.b{fill:#fff}.t{fill:#222}.f{fill:#666}.n{fill:#eef1f5;stroke:#8a929c}"
    ".h{fill:none;stroke:#b9c0c8;stroke-dasharray:4 3}"
    "@media(prefers-color-scheme:dark){.b{fill:#16191d}.t{fill:#e6e6e6}.f{fill:#a0a0a0}"
    ".n{fill:#262b31;stroke:#6b7480}.h{stroke:#4a525c}}</style>\n";

/// Okabe and Ito's colours, by class of link.
const char* colour_of(LinkClass kind) {
  constexpr std::array<const char*, platform::kLinkClasses> kColours = {
      "#009e73", "#cc79a7", "#0072b2", "#e69f00", "#999999", "#56b4e9"};
  return kColours[static_cast<std::size_t>(kind)];
}

/// Something that is drawn: a node, or several as one.
struct Box {
  std::string label, about;
  double x = 0, y = 0;  // its middle
  double width = kWidest;
};

struct Frame {
  std::string label;
  double x = 0, y = 0, width = 0, height = 0;
};

/// The rows of what is in a host, the nearest to the network first.
int row_in_host(NodeClass kind) {
  switch (kind) {
    case NodeClass::nic:
    case NodeClass::port:
      return 0;
    case NodeClass::pcie_switch:
      return 1;
    case NodeClass::device:
      return 3;
    case NodeClass::nvswitch:
      return 4;
    default:
      return 2;
  }
}

int row_outside(NodeClass kind) {
  switch (kind) {
    case NodeClass::core:
      return 0;
    case NodeClass::spine:
      return 1;
    case NodeClass::leaf:
      return 2;
    case NodeClass::device:
      return 5;
    case NodeClass::optical:
      return 4;
    default:
      return 3;
  }
}

class Drawing {
 public:
  explicit Drawing(const TopologyAnswer& answer)
      : answer_(answer), topology_(answer.topology), box_of_(topology_.node_count(), kNoBox) {
    bool devices_alone = topology_.host_count() == 0;
    std::size_t inside = 0;
    for (NodeIndex node = 0; node < topology_.node_count(); ++node) {
      devices_alone &= topology_.kind(node) == NodeClass::device;
      inside += topology_.host(node) != Topology::kNoHost ? 1 : 0;
    }
    if (devices_alone && topology_.node_count() <= kMostOnGrid) {
      grid();
    } else {
      open_hosts_ = inside <= kMostOpenNodes;
      fit();
      outside();
      hosts();
    }
  }

  [[nodiscard]] std::string svg() const;

 private:
  static constexpr std::size_t kNoBox = ~std::size_t{0};

  /// The end of its name; where that is too long, the end of that.
  [[nodiscard]] std::string shown(NodeIndex node, double width) const {
    const std::string& name = topology_.name(node);
    const bool narrow = width < 40;
    if (narrow && topology_.kind(node) == NodeClass::device)
      return fmt::format("{}", topology_.rank(node));
    const std::size_t dot = name.find_last_of("./ ");
    const bool part = dot != std::string::npos && topology_.host(node) != Topology::kNoHost &&
                      name.find_first_not_of("0123456789", dot + 1) != std::string::npos;
    std::string label = part ? name.substr(dot + 1) : name;
    if (narrow) {
      const std::size_t digits = label.find_last_not_of("0123456789") + 1;
      return digits < label.size() ? label.substr(digits) : label.substr(0, 3);
    }
    if (label.size() > 10 && dot != std::string::npos && !part) {  // "group0.router1": "0.router1"
      const std::size_t digits = name.find_last_not_of("0123456789", dot - 1) + 1;
      label = name.substr(std::min(digits, dot));
    }
    if (label.size() > 10) label = label.substr(0, 3) + ".." + label.substr(label.size() - 5);
    return label;
  }
  std::size_t add(Box box) {
    right_ = std::max(right_, box.x + box.width / 2);
    bottom_ = std::max(bottom_, box.y + kNodeHeight);
    boxes_.push_back(std::move(box));
    return boxes_.size() - 1;
  }
  void place(const std::vector<NodeIndex>& nodes, double width, double left, double y) {
    const bool all = nodes.size() <= kMostInRow;
    const std::size_t drawn = all ? nodes.size() : kMostInRow - 1;
    const auto x = [&](std::size_t i) {
      return left + static_cast<double>(i) * (width + kNodeGap) + width / 2;
    };
    for (std::size_t i = 0; i < drawn; ++i)
      box_of_[nodes[i]] = add({shown(nodes[i], width), topology_.name(nodes[i]), x(i), y, width});
    if (all) return;
    const std::size_t more = nodes.size() - drawn;
    const std::size_t rest =
        add({fmt::format("+{}", more), fmt::format("{} more", more), x(drawn), y, width});
    for (std::size_t i = drawn; i < nodes.size(); ++i) box_of_[nodes[i]] = rest;
  }
  [[nodiscard]] static double width_of(std::size_t nodes, double width) {
    return static_cast<double>(std::min(nodes, kMostInRow)) * (width + kNodeGap) - kNodeGap;
  }
  [[nodiscard]] double width_of(std::size_t nodes) const { return width_of(nodes, width_); }
  /// Of boxes, so that so many have room on a page.
  static double that_fits(double page, std::size_t boxes) {
    const auto most = static_cast<double>(std::clamp<std::size_t>(boxes, 1, kMostInRow));
    return std::clamp(page / most - kNodeGap, kNarrowest, kWidest);
  }

  // Planes of the first two dimensions beside each other.
  void grid() {
    const auto count = static_cast<std::int64_t>(topology_.node_count());
    auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
    if (!answer_.sizes.empty() && answer_.sizes[0] < count) columns = answer_.sizes[0];
    std::int64_t rows = (count + columns - 1) / columns;
    if (answer_.sizes.size() > 2) rows = answer_.sizes[1];
    const std::int64_t planes = (count + columns * rows - 1) / (columns * rows);
    width_ = std::clamp((kPage / static_cast<double>(planes * (columns + 1))) - 2 * kNodeGap,
                        kNarrowest, kWidest);
    for (NodeIndex node = 0; node < topology_.node_count(); ++node) {
      const std::int64_t plane = node / (columns * rows);
      const auto x = static_cast<double>(node % columns + plane * (columns + 1));
      const auto y = static_cast<double>(node / columns % rows);
      box_of_[node] =
          add({shown(node, width_), topology_.name(node),
               kSide + x * (width_ + 2 * kNodeGap) + width_ / 2, kTop + y * kRowHeight, width_});
    }
    bottom_ += kMostBow / 2;
  }

  /// As wide as the page allows.
  void fit() {
    std::size_t most = open_hosts_ ? 0 : std::min<std::size_t>(topology_.host_count(), kMostInRow);
    for (const auto& host : rows_of_hosts()) {
      std::size_t widest = 0;
      for (const auto& [row, nodes] : host) widest = std::max(widest, nodes.size());
      if (open_hosts_) most += widest;
    }
    const double gaps = open_hosts_ ? kHostGap * topology_.host_count() : 0;
    width_ =
        std::clamp((kPage - gaps) / static_cast<double>(std::max<std::size_t>(1, most)) - kNodeGap,
                   kNarrowest, kWidest);
  }

  void outside() {
    std::map<int, std::vector<NodeIndex>> rows;
    for (NodeIndex node = 0; node < topology_.node_count(); ++node) {
      if (topology_.host(node) == Topology::kNoHost)
        rows[row_outside(topology_.kind(node))].push_back(node);
    }
    double widest = open_hosts_ ? hosts_width() : collapsed_width();
    const auto own = [&](const std::vector<NodeIndex>& nodes) {
      return that_fits(kPage, nodes.size());
    };
    for (const auto& [row, nodes] : rows)
      widest = std::max(widest, width_of(nodes.size(), own(nodes)));
    y_ = kTop;
    for (const auto& [row, nodes] : rows) {
      const double width = own(nodes);
      place(nodes, width, kSide + (widest - width_of(nodes.size(), width)) / 2, y_);
      y_ += kRowHeight * 1.5;
    }
    widest_ = widest;
  }

  [[nodiscard]] std::vector<std::map<int, std::vector<NodeIndex>>> rows_of_hosts() const {
    std::vector<std::map<int, std::vector<NodeIndex>>> all(topology_.host_count());
    for (NodeIndex node = 0; node < topology_.node_count(); ++node) {
      if (topology_.host(node) != Topology::kNoHost)
        all[topology_.host(node)][row_in_host(topology_.kind(node))].push_back(node);
    }
    return all;
  }
  [[nodiscard]] double width_of(const std::map<int, std::vector<NodeIndex>>& rows) const {
    double width = width_;
    for (const auto& [row, nodes] : rows) width = std::max(width, width_of(nodes.size()));
    return width;
  }
  [[nodiscard]] double hosts_width() const {
    double width = -kHostGap;
    for (const auto& rows : rows_of_hosts()) width += width_of(rows) + kHostGap;
    return std::max(width, 0.0);
  }
  [[nodiscard]] double collapsed_width() const { return width_of(topology_.host_count()); }

  void hosts() {
    if (!open_hosts_) return closed_hosts();
    double left = kSide + (widest_ - hosts_width()) / 2;
    const auto all = rows_of_hosts();
    for (std::size_t host = 0; host < all.size(); ++host) {
      const double width = width_of(all[host]);
      double y = y_ + 14;
      for (const auto& [row, nodes] : all[host]) {
        place(nodes, width_, left + (width - width_of(nodes.size())) / 2, y);
        y += kRowHeight * 0.8;
      }
      frames_.push_back({all.size() > 1 ? fmt::format("host {}", host) : std::string(),
                         left - kHostGap / 2 + 2, y_ - 12, width + kHostGap - 4, y - y_});
      bottom_ = std::max(bottom_, y);
      left += width + kHostGap;
    }
  }

  void closed_hosts() {
    std::vector<std::size_t> devices(topology_.host_count());
    for (NodeIndex node = 0; node < topology_.node_count(); ++node) {
      if (topology_.host(node) != Topology::kNoHost && topology_.kind(node) == NodeClass::device)
        ++devices[topology_.host(node)];
    }
    const std::size_t hosts = devices.size();
    const std::size_t drawn = hosts <= kMostInRow ? hosts : kMostInRow - 1;
    std::vector<std::size_t> boxes(hosts, kNoBox);
    const double left = kSide + (widest_ - collapsed_width()) / 2;
    for (std::size_t host = 0; host < std::min(hosts, drawn + 1); ++host) {
      const bool rest = host == drawn;
      const std::string name = width_ < 40 ? fmt::format("{}", host) : fmt::format("host {}", host);
      boxes[host] =
          add({rest ? fmt::format("+{}", hosts - drawn) : name,
               rest ? fmt::format("{} more hosts", hosts - drawn)
                    : fmt::format("host {}: {} accelerators", host, devices[host]),
               left + static_cast<double>(host) * (width_ + kNodeGap) + width_ / 2, y_, width_});
    }
    for (NodeIndex node = 0; node < topology_.node_count(); ++node) {
      if (topology_.host(node) != Topology::kNoHost)
        box_of_[node] = boxes[std::min<std::size_t>(topology_.host(node), drawn)];
    }
  }

  struct Line {
    std::uint32_t links = 0;
    double capacity = 0;
    LinkClass kind = LinkClass::other;
    bool down = false;
  };
  /// Both directions of all links between two boxes as one line.
  [[nodiscard]] std::map<std::pair<std::size_t, std::size_t>, Line> lines() const {
    std::map<std::pair<std::size_t, std::size_t>, Line> all;
    for (LinkIndex i = 0; i < topology_.link_count(); ++i) {
      const Link& link = topology_.link(i);
      const std::size_t a = box_of_[link.from], b = box_of_[link.to];
      if (a == b || a == kNoBox || b == kNoBox) continue;
      Line& line = all[{std::min(a, b), std::max(a, b)}];
      line.kind = link.figures.kind;
      line.down |= !answer_.down.empty() && answer_.down[i];
      if (a > b) continue;
      ++line.links;
      line.capacity += link.capacity();
    }
    return all;
  }

  const TopologyAnswer& answer_;
  const Topology& topology_;
  std::vector<std::size_t> box_of_;  // by node
  std::vector<Box> boxes_;
  std::vector<Frame> frames_;
  bool open_hosts_ = true;
  double width_ = kWidest;  // of a box
  double y_ = kTop, widest_ = 0, right_ = 0, bottom_ = 0;
};

std::string xml_text(std::string_view text) {
  std::string made;
  append_xml_text(made, text, "\"");
  return made;
}

std::string Drawing::svg() const {
  const double width = std::max(right_ + kSide, 520.0), height = bottom_ + 34;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" font-family=\"sans-serif\" font-size=\"11\">\n{2}<rect class=\"b\" "
      "width=\"100%\" height=\"100%\"/>\n<text class=\"t\" x=\"12\" y=\"22\" font-size=\"15\">{3}"
      "</text>\n<text class=\"f\" x=\"12\" y=\"40\">{4} accelerators, {5} nodes, {6} links (each "
      "direction)</text>\n",
      width, height, kFabricStyle, xml_text(printable(topology_.name())), answer_.seats.size(),
      topology_.node_count(), topology_.link_count());
  double x = 12;
  for (std::size_t i = 0; i < platform::kLinkClasses; ++i) {
    const auto kind = static_cast<LinkClass>(i);
    const auto& links = answer_.facts.links;
    if (std::none_of(links.begin(), links.end(),
                     [&](const platform::LinkKind& one) { return one.figures.kind == kind; }))
      continue;
    svg += fmt::format(
        "<path d=\"M{0:g} 54h18\" stroke=\"{1}\" stroke-width=\"2\"/><text class=\"f\" x=\"{2:g}\" "
        "y=\"58\">{3}</text>\n",
        x, colour_of(kind), x + 22, platform::name(kind));
    x += 90;
  }
  for (const Frame& frame : frames_)
    svg += fmt::format(
        "<rect class=\"h\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"5\"/>"
        "<text class=\"f\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        frame.x, frame.y, frame.width, frame.height, frame.x + 4, frame.y + frame.height + 12,
        frame.label);
  for (const auto& [ends, line] : lines()) {
    const Box &a = boxes_[ends.first], &b = boxes_[ends.second];
    const double wide = 0.7 + 0.5 * std::log2(1.0 + line.links);
    // Along a row or a column, a bow that passes what stands between.
    const bool row = std::abs(a.y - b.y) < 1, column = std::abs(a.x - b.x) < 1;
    const double far = std::abs(a.x - b.x) + std::abs(a.y - b.y);
    const double bow =
        row || (column && far > 1.6 * kRowHeight) ? std::min(10 + 0.2 * far, kMostBow) : 0;
    const std::string path = bow > 0
                                 ? fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", a.x,
                                               a.y, (a.x + b.x) / 2 + (row ? 0 : bow),
                                               (a.y + b.y) / 2 + (row ? bow : 0), b.x, b.y)
                                 : fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", a.x, a.y, b.x, b.y);
    svg += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\" opacity=\"0.75\"{}>"
        "<title>{} to {}: {} link{}, {}</title></path>\n",
        path, line.down ? "#d55e00" : colour_of(line.kind), wide,
        line.down ? " stroke-dasharray=\"3 3\"" : "", xml_text(a.about), xml_text(b.about),
        line.links, line.links == 1 ? "" : "s",
        line.capacity > 0 ? format_bandwidth(Bandwidth(line.capacity)) : "bandwidth not stated");
  }
  for (const Box& box : boxes_)
    svg += fmt::format(
        "<g><title>{}</title><rect class=\"n\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:g}\" "
        "height=\"{:g}\" rx=\"3\"/><text class=\"t\" x=\"{:.1f}\" y=\"{:.1f}\" "
        "text-anchor=\"middle\" font-size=\"{}\">{}</text></g>\n",
        xml_text(box.about), box.x - box.width / 2, box.y - kNodeHeight / 2, box.width, kNodeHeight,
        box.x, box.y + 3.5, box.width < 40 ? 8 : 10, xml_text(printable(box.label)));
  return svg + "</svg>\n";
}

}  // namespace

std::string topology_svg(const TopologyAnswer& answer) { return Drawing(answer).svg(); }

}  // namespace orrery::present
