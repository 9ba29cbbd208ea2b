// SPDX-License-Identifier: Apache-2.0
//
// docs/reference/schedules.md and its pictures, drawn from the schedules themselves.
// ORRERY_UPDATE_DOCS=1 writes them anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "orrery/core/paths_testing.h"
#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {
namespace {

constexpr std::uint32_t kStages = 4, kMicrobatches = 8;

constexpr std::uint32_t kChunks = 2;  // of schedules with several

std::uint32_t chunks_of(const ScheduleEntry& schedule) {
  return schedule.chunks == ChunkCount::one ? 1 : kChunks;
}

/// Chunks of a rank that a microbatch passes.
std::uint32_t passed_chunks(const ScheduleEntry& schedule) {
  return schedule.placement == Placement::bidirectional ? 1 : chunks_of(schedule);
}

/// So that a stage's share of the model always takes 2 forward, 4 backward.
PassCost cost_of(const ScheduleEntry& schedule) {
  const std::int64_t each = 2 / passed_chunks(schedule);
  return {each, each, each};
}

std::string title_of(const ScheduleEntry& schedule) {
  const bool several = schedule.chunks == ChunkCount::several;
  return std::string(schedule.page.title) + (several ? fmt::format(", {} chunks", kChunks) : "");
}

PipelineOrder order_of(const ScheduleEntry& schedule) {
  return *pipeline_order(schedule.kind, kStages, kMicrobatches, chunks_of(schedule));
}

/// Colors by pass and chunk.
const char* fill_of(const Slot& slot) {
  constexpr const char* kFills[4][2] = {{"#9ecae1", "#4292c6"},   // forward
                                        {"#a1d99b", "#41ab5d"},   // backward
                                        {"#c7e9c0", "#74c476"},   // input half
                                        {"#fdd0a2", "#fd8d3c"}};  // weight half
  return kFills[static_cast<std::size_t>(slot.pass)][slot.chunk];
}

constexpr int kUnit = 13, kRow = 26, kLeft = 62, kTop = 40;
constexpr int kUnits = 66;  // of the longest picture, so that all have one scale

std::string box(int x, int y, int width, const char* fill, const std::string& text) {
  return fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#fff\"/>"
      "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\" font-size=\"10\">{}</text>\n",
      x, y, width, kRow - 2, fill, x + width / 2.0, y + 16, text);
}

std::string legend(const PipelineOrder& order, int y) {
  bool whole = false, halves = false;
  for (const Slot& slot : order.slots(0)) {
    whole = whole || slot.pass == Pass::backward;
    halves = halves || slot.pass == Pass::input_grad;
  }
  std::vector<std::pair<Slot, std::string>> entries;
  const auto add = [&](Pass pass, const char* word) {
    for (std::uint16_t c = 0; c < order.chunks; ++c) {
      const std::string chunk = order.chunks > 1 ? fmt::format(", chunk {}", c) : "";
      entries.emplace_back(Slot{pass, c, 0}, word + chunk);
    }
  };
  add(Pass::forward, "forward");
  if (whole) add(Pass::backward, "backward");
  if (halves) {
    add(Pass::input_grad, "input half");
    add(Pass::weight_grad, "weight half");
  }
  std::string text;
  int x = kLeft;
  for (const auto& [slot, word] : entries) {
    text += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>"
        "<text x=\"{}\" y=\"{}\" font-size=\"10\">{}</text>\n",
        x, y, fill_of(slot), x + 16, y + 10, word);
    x += 26 + 6 * static_cast<int>(word.size());
    if (x > kLeft + (kUnits - 10) * kUnit) x = kLeft, y += 18;
  }
  return text;
}

std::string svg_of(const ScheduleEntry& schedule) {
  const PipelineOrder order = order_of(schedule);
  const PassCost cost = cost_of(schedule);
  const PipelineTimeline time = pipeline_timeline(order, cost);
  const int width = kLeft + kUnits * kUnit + 10, height = kTop + kRow * int{kStages} + 48;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" fill=\"#222\">\n"
      "<title>{2}: {3} stages, {4} microbatches</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n"
      "<text x=\"{5}\" y=\"18\" font-size=\"13\" font-weight=\"bold\">{2}</text>\n"
      "<text x=\"{6}\" y=\"18\" text-anchor=\"end\" font-size=\"11\">bubble {7} of {8} units"
      "</text>\n",
      width, height, title_of(schedule), kStages, kMicrobatches, kLeft, width - 10, time.bubble(),
      time.end);
  for (std::uint32_t s = 0; s < kStages; ++s) {
    const int y = kTop + kRow * static_cast<int>(s);
    svg += fmt::format(
        "<text x=\"8\" y=\"{}\" font-size=\"11\">stage {}</text>\n"
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#eee\"/>\n",
        y + 16, s, kLeft, y, time.end * kUnit, kRow - 2);
    const std::vector<Slot> slots = order.slots(s);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Slot& slot = slots[i];
      const std::int64_t length = slot.pass == Pass::forward    ? cost.forward
                                  : slot.pass == Pass::backward ? cost.input_grad + cost.weight_grad
                                  : slot.pass == Pass::weight_grad ? cost.weight_grad
                                                                   : cost.input_grad;
      svg += box(kLeft + static_cast<int>(time.start[s][i]) * kUnit, y,
                 static_cast<int>(length) * kUnit, fill_of(slot), std::to_string(slot.microbatch));
    }
  }
  return svg + legend(order, kTop + kRow * int{kStages} + 10) + "</svg>\n";
}

/// Passes in flight, the most and on which stages.
std::string in_flight_of(const PipelineOrder& order) {
  std::string text;
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    text += fmt::format("{}{}", s > 0 ? " / " : "", max_in_flight(order, s));
  }
  return text;
}

constexpr const char* kIntroduction = R"(# Pipeline schedules

A pipeline schedule sets which microbatch each stage processes, and when. `schedule.kind` in a workload's
specification selects one; [workload.md](workload.md) lists the other keys. This page is generated from the code.

| symbol | meaning |
|---|---|
| *p*, *m*, *v* | number of stages, of microbatches, and of chunks (pieces of the model) per stage |
| *F* | time of a forward pass of **one chunk** |
| *I*, *W* | times of the two halves of its backward pass: input gradients and weight gradients |
| *B* = *I* + *W* | time of a complete backward pass |

| `kind` | chunks | bubble | exact when | forward passes in flight, first stage | source |
|---|---|---|---|---|---|
)";

constexpr const char* kBelowTheTable = R"(
The bubble is the time from the first pass to the end of the last one, minus the work of one stage, if messages need no
time. Tests simulate every schedule for many *p*, *m*, *v*, *F*, *I*, *W* and compare the bubbles. A microbatch is in
flight on a chunk from its forward pass until both halves of its backward pass end.

)";

constexpr const char* kPicturesOf = R"(
## Pictures

All pictures show 4 stages and 8 microbatches on one scale. A stage's share of the model needs 2 units forward and 4
backward. The numbers are the microbatches.
)";

constexpr const char* kOrdersOfYourOwn = R"(
## Custom orders

`schedule: {kind: file, file: order.yaml}` reads the order from a YAML or JSON file. A pass has up to three parts, for
example `F0`, `B12` or `I3.1`:

- `F` (forward), `B` (complete backward), `I` (its input half) or `W` (its weight half);
- the number of the microbatch;
- for a chunk other than 0, a point and the number of the chunk.

This is 1F1B on two stages:

```yaml
)";

constexpr const char* kPlacements = R"(```

`placement` assigns the pieces of the model to stages:

| `placement` | stages |
|---|---|
| `round_robin` | 0, 1, ... *p* - 1, and again for the next chunk |
| `v` | the same, but every second chunk goes back up |
| `both_ways` | two chunks; microbatches of the second half enter at the last stage and pass chunk 1 only |

Orrery refuses an order if a microbatch misses a pass or has it twice, or if stages wait for each other in a circle.
The error names stage and slot.
)";

std::string page() {
  std::string text = kIntroduction, notes;
  for (const ScheduleEntry* each : kSchedules) {
    const SchedulePage& page = each->page;
    constexpr std::array<std::string_view, 3> kCounts = {"one", "two", "two or more"};
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", name(each->kind),
                        kCounts[static_cast<std::size_t>(each->chunks)], page.bubble,
                        page.exact_when, page.in_flight, page.source);
    for (const ScheduleRule& rule : each->rules) notes += fmt::format("- {}\n", rule.sentence);
    notes += page.notes;
  }
  text += kBelowTheTable + notes + kPicturesOf;
  for (const ScheduleEntry* each : kSchedules) {
    const PipelineOrder order = order_of(*each);
    const PipelineTimeline time = pipeline_timeline(order, cost_of(*each));
    text += fmt::format(
        "\n### {0}\n\n{1}\n\n![{0}: passes of 4 stages over "
        "time](../pictures/schedules/{2}.svg)\n\n"
        "Bubble {3} of {4} units ({5:.1f} %). In flight by stage: {6}{7}.\n",
        title_of(*each), each->page.text, name(each->kind), time.bubble(), time.end,
        100.0 * static_cast<double>(time.bubble()) / static_cast<double>(time.end),
        in_flight_of(order), passed_chunks(*each) > 1 ? " half stages" : "");
  }
  const Result<PipelineOrder> small = pipeline_order(ScheduleKind::one_f_one_b, 2, 3, 1);
  return text + kOrdersOfYourOwn + order_to_yaml(*small) + kPlacements;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void up_to_date(const std::string& path, const std::string& text) {
  const std::string full = std::string(core_testing::kSourceFolder) + "/docs/" + path;
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(full) << text;
  EXPECT_EQ(read_file(full), text) << path << ": run this test with ORRERY_UPDATE_DOCS=1";
}

TEST(SchedulePages, AreUpToDate) {
  up_to_date("reference/schedules.md", page());
  for (const ScheduleEntry* each : kSchedules)
    up_to_date(fmt::format("pictures/schedules/{}.svg", name(each->kind)), svg_of(*each));
}

}  // namespace
}  // namespace orrery::workload
