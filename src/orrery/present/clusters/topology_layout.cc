// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/topology_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace orrery::present {

using platform::NodeClass;
using platform::NodeIndex;
using platform::Topology;
using study::TopologyAnswer;

namespace {

constexpr double kPage = 1500, kHostGap = 22, kTop = 84;  // in pixels
constexpr std::size_t kMaxInRow = 64, kMaxOpenNodes = 420, kMaxOnGrid = 1024;

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

class LayoutBuilder {
 public:
  explicit LayoutBuilder(const TopologyAnswer& answer)
      : answer_(answer), topology_(answer.topology) {
    layout_.box_of.assign(topology_.node_count(), Layout::kNoBox);
    bool devices_alone = topology_.host_count() == 0;
    std::size_t inside = 0;
    for (NodeIndex node = 0; node < topology_.node_count(); ++node) {
      devices_alone &= topology_.kind(node) == NodeClass::device;
      inside += topology_.host(node) != Topology::kNoHost ? 1 : 0;
    }
    if (devices_alone && topology_.node_count() <= kMaxOnGrid) {
      grid();
    } else {
      open_hosts_ = inside <= kMaxOpenNodes;
      fit();
      outside();
      hosts();
    }
  }

  [[nodiscard]] Layout layout() && { return std::move(layout_); }

 private:
  /// The end of its name; where that is too long, the end of that.
  [[nodiscard]] std::string label_of(NodeIndex node, double width) const {
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
    layout_.right = std::max(layout_.right, box.x + box.width / 2);
    layout_.bottom = std::max(layout_.bottom, box.y + kNodeHeight);
    layout_.boxes.push_back(std::move(box));
    return layout_.boxes.size() - 1;
  }
  void place(const std::vector<NodeIndex>& nodes, double width, double left, double y) {
    const bool all = nodes.size() <= kMaxInRow;
    const std::size_t drawn = all ? nodes.size() : kMaxInRow - 1;
    const auto x = [&](std::size_t i) {
      return left + static_cast<double>(i) * (width + kNodeGap) + width / 2;
    };
    for (std::size_t i = 0; i < drawn; ++i)
      layout_.box_of[nodes[i]] =
          add({label_of(nodes[i], width), topology_.name(nodes[i]), x(i), y, width});
    if (all) return;
    const std::size_t more = nodes.size() - drawn;
    const std::size_t rest =
        add({fmt::format("+{}", more), fmt::format("{} more", more), x(drawn), y, width});
    for (std::size_t i = drawn; i < nodes.size(); ++i) layout_.box_of[nodes[i]] = rest;
  }
  [[nodiscard]] static double width_of(std::size_t nodes, double width) {
    return static_cast<double>(std::min(nodes, kMaxInRow)) * (width + kNodeGap) - kNodeGap;
  }
  [[nodiscard]] double width_of(std::size_t nodes) const { return width_of(nodes, width_); }
  /// Of boxes, so that so many have room on a page.
  static double fitting_width(double page, std::size_t boxes) {
    const auto most = static_cast<double>(std::clamp<std::size_t>(boxes, 1, kMaxInRow));
    return std::clamp(page / most - kNodeGap, kNarrowest, kWidest);
  }

  // Planes of the first two dimensions side by side.
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
      layout_.box_of[node] =
          add({label_of(node, width_), topology_.name(node),
               kSide + x * (width_ + 2 * kNodeGap) + width_ / 2, kTop + y * kRowHeight, width_});
    }
    layout_.bottom += kMaxBow / 2;
  }

  /// As wide as the page allows.
  void fit() {
    std::size_t most = open_hosts_ ? 0 : std::min<std::size_t>(topology_.host_count(), kMaxInRow);
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
    const auto width_of_row = [&](const std::vector<NodeIndex>& nodes) {
      return fitting_width(kPage, nodes.size());
    };
    for (const auto& [row, nodes] : rows)
      widest = std::max(widest, width_of(nodes.size(), width_of_row(nodes)));
    y_ = kTop;
    for (const auto& [row, nodes] : rows) {
      const double width = width_of_row(nodes);
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
      layout_.frames.push_back({all.size() > 1 ? fmt::format("host {}", host) : std::string(),
                                left - kHostGap / 2 + 2, y_ - 12, width + kHostGap - 4, y - y_});
      layout_.bottom = std::max(layout_.bottom, y);
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
    const std::size_t drawn = hosts <= kMaxInRow ? hosts : kMaxInRow - 1;
    std::vector<std::size_t> boxes(hosts, Layout::kNoBox);
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
        layout_.box_of[node] = boxes[std::min<std::size_t>(topology_.host(node), drawn)];
    }
  }

  const TopologyAnswer& answer_;
  const Topology& topology_;
  Layout layout_;
  bool open_hosts_ = true;
  double width_ = kWidest;  // of a box
  double y_ = kTop, widest_ = 0;
};

}  // namespace

Layout layout_of(const TopologyAnswer& answer) { return LayoutBuilder(answer).layout(); }

}  // namespace orrery::present
