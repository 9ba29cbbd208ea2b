// SPDX-License-Identifier: Apache-2.0
//
// docs/reference/schedules.md and its pictures, drawn from the schedules themselves.
// ORRERY_UPDATE_DOCS=1 writes them anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "orrery/core/paths_testing.h"
#include "orrery/workload/schedule/schedule.h"

namespace orrery::workload {
namespace {

constexpr std::uint32_t kStages = 4, kMicrobatches = 8;

struct Picture {
  ScheduleKind kind;
  const char* file;
  const char* title;
  std::uint32_t chunks;
  PassCost cost;  ///< so that a stage's share of the model always takes 2 forward, 4 backward
  const char* says;
};

constexpr Picture kPictures[] = {
    {ScheduleKind::gpipe,
     "gpipe",
     "GPipe",
     1,
     {2, 2, 2},
     "All forward passes, then all backward passes. Every microbatch is in flight at once."},
    {ScheduleKind::one_f_one_b,
     "1f1b",
     "1F1B",
     1,
     {2, 2, 2},
     "Stage *s* runs *p* - 1 - *s* forward passes ahead, then one forward and one backward pass in "
     "turn. GPipe's bubble, but at most *p* microbatches in flight."},
    {ScheduleKind::interleaved,
     "interleaved",
     "Interleaved 1F1B, 2 chunks",
     2,
     {1, 1, 1},
     "Each stage holds *v* pieces of the model; virtual stage *k* is chunk *k* / *p* of stage *k* "
     "mod *p*. Filling and draining the pipe takes 1/*v* of the time, and *v* times the messages. "
     "Megatron-LM's order: stage *s* runs (*v* - 1)*p* + 2(*p* - 1 - *s*) chunk passes ahead, *p* "
     "microbatches on a chunk at a time. With one chunk it is 1F1B."},
    {ScheduleKind::zb_h1,
     "zb_h1",
     "ZB-H1",
     1,
     {2, 2, 2},
     "The backward pass in two halves: only the gradient of the input is waited for by the stage "
     "before; the weights' is put off by *s* microbatches and fills gaps. Every stage holds *p* "
     "microbatches, as many as 1F1B's first."},
    {ScheduleKind::zb_v,
     "zb_v",
     "ZB-V",
     2,
     {1, 1, 1},
     "Two chunks per stage in a V: the model goes down the stages and comes back up, so the first "
     "stage holds the loss. With equal passes no stage ever waits between its first and its last "
     "pass; what is left is the time before the last stage can begin."},
    {ScheduleKind::dual_pipe,
     "dual_pipe",
     "DualPipe",
     2,
     {2, 2, 2},
     "Microbatches enter at both ends, half of them at each; so each stage holds two stages' "
     "weights: chunk 0 is its place in one direction, chunk 1 in the other. Forward and backward "
     "passes of different directions stand side by side for their communication to hide behind "
     "each other's computation."}};

PipelineOrder order_of(const Picture& picture) {
  return *pipeline_order(picture.kind, kStages, kMicrobatches, picture.chunks);
}

/// Colours by pass and chunk.
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

std::string legend(const Picture& picture, int y) {
  const bool halves = picture.kind == ScheduleKind::zb_h1 || picture.chunks == 2;
  const bool whole = picture.kind != ScheduleKind::zb_h1 && picture.kind != ScheduleKind::zb_v;
  std::vector<std::pair<Slot, std::string>> entries;
  const auto add = [&](Pass pass, const char* word) {
    for (std::uint16_t c = 0; c < picture.chunks; ++c) {
      const std::string chunk = picture.chunks > 1 ? fmt::format(", chunk {}", c) : "";
      entries.emplace_back(Slot{pass, c, 0}, word + chunk);
    }
  };
  add(Pass::forward, "forward");
  if (whole) add(Pass::backward, "backward");
  if (halves && picture.kind != ScheduleKind::interleaved) {
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

std::string svg_of(const Picture& picture) {
  const PipelineOrder order = order_of(picture);
  const Timeline time = play(order, picture.cost);
  const int width = kLeft + kUnits * kUnit + 10, height = kTop + kRow * int{kStages} + 48;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" fill=\"#222\">\n"
      "<title>{2}: {3} stages, {4} microbatches</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n"
      "<text x=\"{5}\" y=\"18\" font-size=\"13\" font-weight=\"bold\">{2}</text>\n"
      "<text x=\"{6}\" y=\"18\" text-anchor=\"end\" font-size=\"11\">bubble {7} of {8} units"
      "</text>\n",
      width, height, picture.title, kStages, kMicrobatches, kLeft, width - 10, time.bubble(),
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
      const std::int64_t length = slot.pass == Pass::forward ? picture.cost.forward
                                  : slot.pass == Pass::backward
                                      ? picture.cost.input_grad + picture.cost.weight_grad
                                  : slot.pass == Pass::weight_grad ? picture.cost.weight_grad
                                                                   : picture.cost.input_grad;
      svg += box(kLeft + static_cast<int>(time.start[s][i]) * kUnit, y,
                 static_cast<int>(length) * kUnit, fill_of(slot), std::to_string(slot.microbatch));
    }
  }
  return svg + legend(picture, kTop + kRow * int{kStages} + 10) + "</svg>\n";
}

/// Passes in flight, the most and on which stages.
std::string in_flight_of(const PipelineOrder& order) {
  std::string text;
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    text += fmt::format("{}{}", s > 0 ? " / " : "", most_in_flight(order, s));
  }
  return text;
}

constexpr const char* kIntroduction = R"(# Pipeline schedules

Which microbatch each pipeline stage works on, and when. `schedule.kind` in a workload's specification chooses one;
[workload.md](workload.md) lists the other keys. Generated from the code.

*p* stages, *m* microbatches, *v* chunks (pieces of the model) per stage. *F*, *I*, *W*: time of a forward pass, and of the
two halves of a backward pass, input and weight gradients, of **one chunk**; a whole backward pass takes *B* = *I* + *W*.

| `kind` | bubble | exact when | forward passes in flight, first stage | source |
|---|---|---|---|---|
| `gpipe` | (*p* - 1)(*F* + *B*) | always | *m* | Huang et al., NeurIPS 2019 |
| `1f1b` | (*p* - 1)(*F* + *B*) | always | min(*m*, *p*); stage *s*: *p* - *s* | Narayanan et al., SOSP 2019 and SC 2021 |
| `interleaved` | (*p* - 1)(*F* + *B*): 1/*v* of 1F1B's, as chunks are 1/*v* as long | always | *pv* + *p* - 1 chunks | SC 2021, section 2.2; Korthikanti et al., MLSys 2023, section 4.2.3 |
| `zb_h1` | (*p* - 1)(*F* + *I* - *W*) | *m* >= *p*, *I* >= *W*, and *I* or *W* <= *F* | *p*, every stage | Qi et al., ICLR 2024, table 2 |
| `zb_v` | (*p* - 1)*F*, none of it inside a stage | *F* = *I* >= *W* >= *F*/2, *m* >= 2*p* - 1 | 2*p* chunks, every stage | Qi et al., NeurIPS 2024 |
| `dual_pipe` | (*p*/2 - 1)(*F* + max(0, *I* - *W*)) | *I* <= *F* <= *B* | *p* + 1, every stage | DeepSeek-V3 report, section 3.2.1 |

Bubble: time from the first pass to the last of all, less the work of one stage, if messages take no time. Tests play every
schedule for many *p*, *m*, *v*, *F*, *I*, *W* and compare. A microbatch counts as in flight on a chunk from its forward pass
until both halves of its backward pass are done.

- `interleaved` needs *m* to be a multiple of *p*; `dual_pipe` an even *p*, an even *m* and *m* >= 2*p*; `zb_v` and
  `dual_pipe` have two chunks, `gpipe`, `1f1b` and `zb_h1` one.
- `zb_h1` beyond its condition: for *W* > *I* the bubble is (*p* - 1)*F*; for *m* < *p* it grows by (*p* - *m*) min(*I*, *W*).
- DualPipe's authors state (*p*/2 - 1)(*F&B* + *B* - 3*W*), *F&B* being a forward and a backward pass that overlap. They count
  such a pair as one unit that begins and ends together. Played that way, our order has exactly this bubble (*I* = *F* >= *W*,
  *F&B* = *F* + *B*; a test does it); with the two passes one after the other it is smaller, as in the table.
- The zero-bubble papers measure each stage from its own first pass to its own last; `zb_v` then has none.

## Pictures

4 stages, 8 microbatches, all on one scale: a stage's share of the model takes 2 units forward and 4 backward. The number is
the microbatch.
)";

constexpr const char* kOrdersOfYourOwn = R"(
## An order of your own

`schedule: {kind: file, file: order.yaml}` takes the order from a file, YAML or JSON. A pass is `F` (forward), `B` (whole
backward), `I` (its input half) or `W` (its weight half), then the microbatch, then, for a chunk other than 0, a point and the
chunk: `F0`, `B12`, `I3.1`. 1F1B on two stages:

```yaml
)";

constexpr const char* kPlacements = R"(```

`placement` says where the pieces of the model lie: `round_robin` (0, 1, ... *p* - 1, and again for the next chunk), `v` (back
up again for every second chunk) or `both_ways` (two chunks; microbatches of the second half enter at the last stage and pass
chunk 1 only). An order is refused, naming stage and slot, if a microbatch misses a pass or makes one twice, or if stages
would wait for each other in a circle.
)";

std::string page() {
  std::string text = kIntroduction;
  for (const Picture& picture : kPictures) {
    const PipelineOrder order = order_of(picture);
    const Timeline time = play(order, picture.cost);
    text += fmt::format(
        "\n### {0}\n\n{1}\n\n![{0}: passes of 4 stages over "
        "time](../pictures/schedules/{2}.svg)\n\n"
        "Bubble {3} of {4} units ({5:.1f} %). In flight by stage: {6}{7}.\n",
        picture.title, picture.says, picture.file, time.bubble(), time.end,
        100.0 * static_cast<double>(time.bubble()) / static_cast<double>(time.end),
        in_flight_of(order),
        picture.kind == ScheduleKind::interleaved || picture.kind == ScheduleKind::zb_v
            ? " half stages"
            : "");
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
  for (const Picture& picture : kPictures) {
    up_to_date(fmt::format("pictures/schedules/{}.svg", picture.file), svg_of(picture));
  }
}

}  // namespace
}  // namespace orrery::workload
