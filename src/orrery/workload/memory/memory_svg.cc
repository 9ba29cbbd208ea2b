// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/memory_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include "orrery/core/text/text.h"

namespace orrery::workload {
namespace {

// Layout in pixels.
constexpr double kWidth = 960, kHeight = 500;
constexpr double kLeft = 70, kRight = 690, kTop = 76, kBottom = 412;
constexpr double kLegend = 716;
constexpr std::size_t kColumns = 620;  // one per pixel

/// From bottom to top of the stack. Colors after Okabe and Ito, which are safe for color-blind
/// readers.
struct StackedArea {
  MemoryKind kind;
  const char* color;
};
constexpr std::array<StackedArea, 7> kLayers = {{{MemoryKind::weights, "#0072b2"},
                                                 {MemoryKind::gradients, "#56b4e9"},
                                                 {MemoryKind::optimizer, "#b8c4ce"},
                                                 {MemoryKind::activations, "#e69f00"},
                                                 {MemoryKind::working, "#d55e00"},
                                                 {MemoryKind::communication, "#009e73"},
                                                 {MemoryKind::workspace, "#e4d9c5"}}};
struct Strip {
  TaskKind kind;
  const char* color;
  const char* name;
};
constexpr std::array<Strip, 5> kStrips = {{{TaskKind::forward, "#8ab6e0", "forward"},
                                           {TaskKind::backward, "#5f8f5f", "backward"},
                                           {TaskKind::input_grad, "#8fbf8f", "input half"},
                                           {TaskKind::weight_grad, "#c9a66b", "weight half"},
                                           {TaskKind::step, "#777777", "step"}}};

struct Unit {
  double bytes;
  const char* name;
};
Unit unit_for(std::int64_t bytes) {
  constexpr std::array<Unit, 4> units = {{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
  for (const Unit& unit : units) {
    if (static_cast<double>(bytes) >= unit.bytes) return unit;
  }
  return units.back();
}

/// "12.3 GB"
std::string amount(std::int64_t bytes) {
  const Unit unit = unit_for(bytes);
  const double value = static_cast<double>(bytes) / unit.bytes;
  const int digits = unit.bytes == 1 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, digits, unit.name);
}

std::int64_t of_kind(const RoleMemory& memory, const MemorySample& sample, MemoryKind kind) {
  switch (kind) {
    case MemoryKind::weights:
      return memory.weights;
    case MemoryKind::gradients:
      return memory.gradients;
    case MemoryKind::optimizer:
      return memory.optimizer;
    case MemoryKind::activations:
      return sample.activations;
    case MemoryKind::working:
      return sample.working;
    case MemoryKind::communication:
      return sample.communication;
    case MemoryKind::workspace:
      return memory.workspace;
    case MemoryKind::fragmentation:
    case MemoryKind::context:
    case MemoryKind::communicators:
      break;
  }
  return 0;
}

/// The largest of each run of adjacent samples, so that there is at most one per pixel.
std::vector<MemorySample> columns_of(const std::vector<MemorySample>& samples) {
  if (samples.size() <= kColumns) return samples;
  std::vector<MemorySample> out;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const auto first = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() * i / kColumns);
    const auto last =
        samples.begin() + static_cast<std::ptrdiff_t>(samples.size() * (i + 1) / kColumns);
    out.push_back(*std::max_element(first, last, [](const MemorySample& a, const MemorySample& b) {
      return a.bytes < b.bytes;
    }));
  }
  return out;
}

class Picture {
 public:
  Picture(const Program& program, const RoleMemory& memory, std::int64_t capacity)
      : program_(program),
        memory_(memory),
        capacity_(capacity),
        columns_(columns_of(memory.samples)),
        unit_(unit_for(std::max(memory.peak, capacity))),
        top_(1.06 * static_cast<double>(std::max({memory.peak, capacity, std::int64_t{1}}))) {}

  std::string draw() {
    begin();
    if (columns_.empty()) {
      text(kLeft, kTop + 20, "start", 14, "This role has no samples.");
    } else {
      axis();
      areas();
      strip();
      mark_capacity();
      mark_peak();
      legend();
    }
    return out_ + "</svg>\n";
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void text(double x, double y, const char* anchor, int size, std::string_view what,
            const char* more = "") {
    put("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}</text>\n", x, y,
        anchor, size, more, xml_text(what));
  }
  void box(double x, double y, double width, double height, const char* color) {
    put("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
        width, height, color);
  }
  void line(double x1, double y1, double x2, double y2, const char* style) {
    put("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
        style);
  }

  [[nodiscard]] double x_of(std::size_t column) const {
    return kLeft +
           (kRight - kLeft) * static_cast<double>(column) / static_cast<double>(columns_.size());
  }
  [[nodiscard]] double y_of(double bytes) const {
    return kBottom - (kBottom - kTop) * bytes / top_;
  }

  void begin() {
    const Role& role = program_.roles[memory_.role];
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
        "height=\"{1:g}\" font-family=\"system-ui, sans-serif\" fill=\"#222\">\n",
        kWidth, kHeight);
    box(0, 0, kWidth, kHeight, "#ffffff");
    std::string title = program_.spec.name.empty() ? program_.spec.model.name : program_.spec.name;
    if (!title.empty()) title += ": ";
    title +=
        fmt::format("memory of {}, {} rank{}", role.name, role.ranks, role.ranks == 1 ? "" : "s");
    text(kLeft, 30, "start", 17, title, " font-weight=\"600\"");
  }

  void axis() {
    const double maximum = top_ / unit_.bytes;
    double step = std::pow(10, std::floor(std::log10(maximum / 4)));
    while (maximum / step > 10) step *= 2.5;
    for (int i = 0; i * step <= maximum; ++i) {
      const double y = y_of(i * step * unit_.bytes);
      line(kLeft, y, kRight, y, "stroke=\"#ddd\"");
      text(kLeft - 8, y + 4, "end", 12, fmt::format("{:g}", i * step));
    }
    text(kLeft - 8, kTop - 10, "end", 12, unit_.name);
    text((kLeft + kRight) / 2, kBottom + 60, "middle", 13,
         fmt::format("{} tasks in the order of the schedule", memory_.samples.size()));
  }

  /// Each area extends down to the axis; the next one covers it.
  void areas() {
    for (std::size_t count = kLayers.size(); count > 0; --count) {
      std::string path = fmt::format("M{:g} {:g}", kLeft, kBottom);
      double before = kBottom;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < count; ++k)
          sum += of_kind(memory_, columns_[i], kLayers[k].kind);
        const double y = std::round(y_of(static_cast<double>(sum)) * 10) / 10;
        if (y != before) fmt::format_to(std::back_inserter(path), "H{:.1f}V{:.1f}", x_of(i), y);
        before = y;
      }
      put("<path d=\"{}H{:g}V{:g}Z\" fill=\"{}\"><title>{}</title></path>\n", path, kRight, kBottom,
          kLayers[count - 1].color, name(kLayers[count - 1].kind));
    }
    line(kLeft, kBottom, kRight, kBottom, "stroke=\"#222\"");
  }

  /// Renders the kind of each task, and the legend of these colors.
  void strip() {
    for (std::size_t i = 0; i < columns_.size();) {
      std::size_t end = i + 1;
      while (end < columns_.size() && columns_[end].kind == columns_[i].kind) ++end;
      box(x_of(i), kBottom + 6, x_of(end) - x_of(i), 12, color_of(columns_[i].kind));
      i = end;
    }
    double x = kLeft;
    for (const Strip& strip : kStrips) {
      const bool there = std::any_of(columns_.begin(), columns_.end(),
                                     [&](const MemorySample& s) { return s.kind == strip.kind; });
      if (!there) continue;
      box(x, kBottom + 28, 10, 10, strip.color);
      text(x + 15, kBottom + 37, "start", 12, strip.name);
      x += 100;
    }
  }
  static const char* color_of(TaskKind kind) {
    const auto* const strip = std::find_if(kStrips.begin(), kStrips.end(),
                                           [&](const Strip& s) { return s.kind == kind; });
    return strip->color;
  }

  void mark_capacity() {
    if (capacity_ <= 0) return;
    const double y = y_of(static_cast<double>(capacity_));
    line(kLeft, y, kRight, y, "stroke=\"#cc0000\" stroke-width=\"1.5\" stroke-dasharray=\"7 4\"");
    text(kRight - 6, y - 6, "end", 12, "capacity " + amount(capacity_),
         " style=\"fill:#cc0000;stroke:#fff;stroke-width:3px;paint-order:stroke\"");
  }

  void mark_peak() {
    const MemorySample& peak = memory_.samples[memory_.peak_task];
    const double part = (memory_.peak_task + 0.5) / static_cast<double>(memory_.samples.size());
    const double x = kLeft + (kRight - kLeft) * part;
    const double y = y_of(static_cast<double>(memory_.peak));
    line(x, kTop - 14, x, y, "stroke=\"#222\"");
    put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"#fff\" stroke=\"#222\" "
        "stroke-width=\"1.5\"/>\n",
        x, y);
    std::string when = fmt::format("peak {} in task {}", amount(memory_.peak), memory_.peak_task);
    for (const Strip& strip : kStrips) {
      if (strip.kind == peak.kind) when += fmt::format(", {}", strip.name);
    }
    if (peak.kind != TaskKind::step) {
      when += fmt::format(" of microbatch {}", peak.microbatch);
      if (program_.roles[memory_.role].chunks.size() > 1)
        when += fmt::format(", chunk {}", peak.chunk);
    }
    text(x, kTop - 20, part < 0.5 ? "start" : "end", 13, when, " font-weight=\"600\"");
  }

  /// Renders the legend of the areas with their sizes at the peak; top of the stack first.
  void legend() {
    double y = kBottom - 6 - 26 * static_cast<double>(kLayers.size());
    text(kLegend, y, "start", 12, "at the peak", " style=\"fill:#666\"");
    for (std::size_t i = kLayers.size(); i-- > 0;) {
      y += 26;
      const StackedArea& layer = kLayers[i];
      box(kLegend, y - 11, 14, 14, layer.color);
      text(kLegend + 22, y + 1, "start", 13, name(layer.kind));
      text(kWidth - 24, y + 1, "end", 13,
           amount(of_kind(memory_, memory_.samples[memory_.peak_task], layer.kind)));
    }
  }

  const Program& program_;
  const RoleMemory& memory_;
  std::int64_t capacity_;
  std::vector<MemorySample> columns_;
  Unit unit_;
  double top_;
  std::string out_;
};

}  // namespace

std::string memory_svg(const Program& program, const RoleMemory& memory, std::int64_t capacity) {
  return Picture(program, memory, capacity).draw();
}

}  // namespace orrery::workload
