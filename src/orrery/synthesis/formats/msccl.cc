// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/formats/msccl.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <pugixml.hpp>
#include <span>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/platform/topology/formats/common/xml.h"
#include "orrery/synthesis/plans/plan_limits.h"

namespace orrery::synthesis {
namespace {

using platform::attribute;
using Names = std::span<const std::string_view>;

/// Known attributes. The last ones of <algo> have no effect here.
constexpr std::string_view kAlgoAttributes[]{
    "name",       "proto",    "nchannels", "nchunksperloop", "ngpus",         "coll",     "inplace",
    "outofplace", "minBytes", "maxBytes",  "root",           "nthreadblocks", "maxcount", "redop"};
constexpr std::string_view kGpuAttributes[]{"id", "i_chunks", "o_chunks", "s_chunks"};
constexpr std::string_view kBlockAttributes[]{"id", "send", "recv", "chan"};
constexpr std::string_view kStepAttributes[]{"s",      "type", "srcbuf", "srcoff", "dstbuf",
                                             "dstoff", "cnt",  "depid",  "deps",   "hasdep"};

class MscclReader {
 public:
  MscclReader(std::string_view text, const std::string& where, Findings& findings)
      : places_(text, where), findings_(findings) {}

  Result<Plan> read(const pugi::xml_node& algo) {
    if (auto done = read_head(algo); !done) return tl::unexpected(done.error());
    std::vector<bool> seen(plan_.ranks.size());
    for (const pugi::xml_node& gpu : algo.children("gpu")) {
      const auto id = number(gpu, "id", 0, static_cast<std::int64_t>(seen.size()) - 1);
      if (!id) return tl::unexpected(id.error());
      if (seen[static_cast<std::size_t>(*id)])
        return fail(Errc::input_duplicate_id, place(gpu), fmt::format("a second gpu {}", *id));
      seen[static_cast<std::size_t>(*id)] = true;
      if (auto done = read_gpu(gpu, static_cast<std::uint32_t>(*id)); !done)
        return tl::unexpected(done.error());
    }
    if (auto done = check_dependencies(); !done) return tl::unexpected(done.error());
    return std::move(plan_);
  }

 private:
  struct Dependency {
    StepPosition of, on;
    pugi::xml_node element;
  };

  std::string place(const pugi::xml_node& node) const { return places_.of(node); }

  void report_unknown(const pugi::xml_node& node, Names known) {
    for (const pugi::xml_attribute& one : node.attributes()) {
      if (std::find(known.begin(), known.end(), one.name()) == known.end())
        findings_.add(FindingCode::key_ignored,
                      fmt::format("{}: {}", place(node), printable(one.name(), kShownBytes)));
    }
  }

  Result<std::int64_t> number(const pugi::xml_node& node, const char* name, std::int64_t minimum,
                              std::int64_t maximum) const {
    const std::string_view text = attribute(node, name);
    if (text.empty())
      return fail(Errc::input_missing_attr, place(node),
                  fmt::format("<{}> without {}", node.name(), name));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      return fail(Errc::input_corrupt, place(node),
                  fmt::format("{} is {}, not a whole number", name, in_quotes(text)));
    if (value < minimum || value > maximum)
      return fail(Errc::input_range, place(node),
                  fmt::format("{} is {}, outside {} to {}", name, value, minimum, maximum));
    return value;
  }
  Result<std::int64_t> number_or(const pugi::xml_node& node, const char* name, std::int64_t missing,
                                 std::int64_t minimum, std::int64_t maximum) const {
    if (attribute(node, name).empty()) return missing;
    return number(node, name, minimum, maximum);
  }

  /// Optional integer attributes and their destinations.
  struct IntegerAttribute {
    const char* name;
    std::int64_t* out;
    std::int64_t minimum, maximum;
  };
  Result<void> read_integers(const pugi::xml_node& node,
                             std::initializer_list<IntegerAttribute> attributes) const {
    for (const IntegerAttribute& one : attributes) {
      const auto value = number_or(node, one.name, *one.out, one.minimum, one.maximum);
      if (!value) return tl::unexpected(value.error());
      *one.out = *value;
    }
    return {};
  }

  Result<void> read_head(const pugi::xml_node& algo) {
    report_unknown(algo, kAlgoAttributes);
    std::int64_t gpus = 0, channels = 1, loop = 0, in_place = 0, root = 0;
    for (const pugi::xml_node& child : algo.children()) {
      if (child.type() != pugi::node_element) continue;
      if (std::string_view(child.name()) == "gpu") {
        ++gpus;
      } else {
        findings_.add(FindingCode::key_ignored,
                      fmt::format("{}: <{}>", place(child), printable(child.name(), kShownBytes)));
      }
    }
    const std::int64_t gpu_elements = gpus;
    constexpr std::int64_t kMax = std::int64_t{1} << 62;
    if (gpu_elements == 0) return fail(Errc::input_empty, place(algo), "contains no gpu");
    if (gpu_elements > plan_limits::kPlanRanks)
      return fail(Errc::limit_exceeded, place(algo),
                  fmt::format("{} gpus, more than {}", gpu_elements, plan_limits::kPlanRanks));
    if (auto done = read_integers(algo, {{"ngpus", &gpus, 1, kMax},
                                         {"nchannels", &channels, 1, plan_limits::kPlanChannels},
                                         {"nchunksperloop", &loop, 0, plan_limits::kPlanChunks},
                                         {"inplace", &in_place, 0, 1},
                                         {"root", &root, 0, gpu_elements - 1},
                                         {"minBytes", &plan_.min_bytes, 0, kMax},
                                         {"maxBytes", &plan_.max_bytes, 0, kMax}});
        !done)
      return done;
    // MSCCL's compiler writes a maximum of 0 if its program states none.
    if (plan_.max_bytes == 0) plan_.max_bytes = -1;
    if (plan_.max_bytes > 0 && plan_.min_bytes > plan_.max_bytes)
      return fail(Errc::input_range, place(algo),
                  fmt::format("minBytes is {}, more than maxBytes, which is {}", plan_.min_bytes,
                              plan_.max_bytes));
    if (gpus != gpu_elements)
      return fail(Errc::input_corrupt, place(algo),
                  fmt::format("ngpus is {}, but there are {} <gpu>", gpus, gpu_elements));
    std::int64_t out_of_place = in_place == 0 ? 1 : 0;
    if (auto done = read_integers(algo, {{"outofplace", &out_of_place, 0, 1}}); !done) return done;
    plan_.format = "MSCCL";
    plan_.name = printable(attribute(algo, "name"));
    plan_.protocol = printable(attribute(algo, "proto"));
    plan_.collective_name = printable(attribute(algo, "coll"));
    plan_.collective = plan_collective(plan_.collective_name);
    plan_.in_place = in_place != 0;
    plan_.out_of_place = out_of_place != 0;
    plan_.channels = static_cast<std::uint32_t>(channels);
    plan_.chunks_per_loop = static_cast<std::uint32_t>(loop);
    plan_.root = static_cast<std::uint32_t>(root);
    plan_.ranks.resize(static_cast<std::size_t>(gpu_elements));
    return {};
  }

  Result<void> read_gpu(const pugi::xml_node& gpu, std::uint32_t rank) {
    report_unknown(gpu, kGpuAttributes);
    PlanRank& made = plan_.ranks[rank];
    constexpr const char* kChunks[] = {"i_chunks", "o_chunks", "s_chunks"};
    for (std::size_t i = 0; i < kPlanBuffers; ++i) {
      const auto chunks = number_or(gpu, kChunks[i], 0, 0, plan_limits::kPlanChunks);
      if (!chunks) return tl::unexpected(chunks.error());
      made.chunks[i] = static_cast<std::uint32_t>(*chunks);
      total_places_ += made.chunks[i];
    }
    if (total_places_ > plan_limits::kPlanPlaces)
      return fail(Errc::limit_exceeded, place(gpu),
                  fmt::format("buffers of more than {} chunks in total", plan_limits::kPlanPlaces));
    std::vector<pugi::xml_node> blocks;
    for (const pugi::xml_node& block : gpu.children("tb")) blocks.push_back(block);
    made.blocks.resize(blocks.size());
    std::vector<bool> seen(blocks.size());
    for (const pugi::xml_node& block : blocks) {
      const auto id = number(block, "id", 0, static_cast<std::int64_t>(blocks.size()) - 1);
      if (!id) return tl::unexpected(id.error());
      if (seen[static_cast<std::size_t>(*id)])
        return fail(Errc::input_duplicate_id, place(block), fmt::format("a second tb {}", *id));
      seen[static_cast<std::size_t>(*id)] = true;
      if (auto done = read_block(block, {rank, static_cast<std::uint32_t>(*id), 0}); !done)
        return done;
    }
    return {};
  }

  Result<void> read_block(const pugi::xml_node& block, StepPosition at) {
    report_unknown(block, kBlockAttributes);
    PlanBlock& made = plan_.ranks[at.rank].blocks[at.block];
    std::int64_t to = -1, from = -1, channel = 0;
    const auto last = static_cast<std::int64_t>(plan_.ranks.size()) - 1;
    if (auto done = read_integers(block, {{"send", &to, -1, last},
                                          {"recv", &from, -1, last},
                                          {"chan", &channel, -1, plan_limits::kPlanChannels - 1}});
        !done)
      return done;
    if (to == at.rank || from == at.rank)
      return fail(Errc::input_corrupt, place(block),
                  fmt::format("gpu {} is its own peer", at.rank));
    if (to >= 0) made.to = static_cast<std::uint32_t>(to);
    if (from >= 0) made.from = static_cast<std::uint32_t>(from);
    made.channel = static_cast<std::uint32_t>(std::max<std::int64_t>(channel, 0));
    for (const pugi::xml_node& step : block.children("step")) {
      if (auto done = read_step(step, at, made); !done) return done;
      ++at.step;
    }
    return {};
  }

  Result<PlanBuffer> buffer(const pugi::xml_node& step, const char* name) const {
    const std::string_view text = attribute(step, name);
    if (text == "i") return PlanBuffer::input;
    if (text == "o") return PlanBuffer::output;
    if (text == "s") return PlanBuffer::scratch;
    return fail(Errc::input_corrupt, place(step), fmt::format("{} is {}", name, in_quotes(text)),
                "buffers must be i, o or s");
  }

  Result<void> read_step(const pugi::xml_node& step, StepPosition at, PlanBlock& block) {
    report_unknown(step, kStepAttributes);
    if (++steps_ > plan_limits::kPlanSteps)
      return fail(Errc::limit_exceeded, place(step),
                  fmt::format("more than {} steps", plan_limits::kPlanSteps));
    std::int64_t index = at.step, source = -1, target = -1, count = 0, on_block = -1, on_step = -1,
                 is_waited_for = 0;
    if (auto done = read_integers(step, {{"s", &index, at.step, at.step},
                                         {"srcoff", &source, -1, plan_limits::kPlanChunks},
                                         {"dstoff", &target, -1, plan_limits::kPlanChunks},
                                         {"cnt", &count, 0, plan_limits::kPlanChunks},
                                         {"depid", &on_block, -1, plan_limits::kPlanChunks},
                                         {"deps", &on_step, -1, plan_limits::kPlanChunks},
                                         {"hasdep", &is_waited_for, 0, 1}});
        !done)
      return done;
    const std::string_view word = attribute(step, "type");
    const auto type = msccl_step(word);
    if (!type)
      return fail(Errc::input_unsupported, place(step),
                  fmt::format("unknown step type {}", in_quotes(word)),
                  "types must be s, r, rcs, rrs, rrc, rrcs, cpy, re or nop");
    PlanStep made;
    made.type = *type;
    if (on_block >= 0)
      dependencies_.push_back({at,
                               {at.rank, static_cast<std::uint32_t>(on_block),
                                static_cast<std::uint32_t>(std::max<std::int64_t>(on_step, 0))},
                               step});
    if (*type != StepType::nop) {
      if (source < 0 || target < 0 || count == 0)
        return fail(Errc::input_range, place(step),
                    "srcoff, dstoff or cnt is missing or too small in a step that moves chunks");
      const auto from = buffer(step, "srcbuf");
      if (!from) return tl::unexpected(from.error());
      const auto to = buffer(step, "dstbuf");
      if (!to) return tl::unexpected(to.error());
      made.count = static_cast<std::uint32_t>(count);
      set_accesses(
          made, at.rank,
          {*from, *to, static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(target)});
      moves_ += made.count * (made.reads.size() + made.writes.size());
      if (moves_ > plan_limits::kPlanMoves)
        return fail(Errc::limit_exceeded, place(step),
                    fmt::format("steps move more than {} chunks", plan_limits::kPlanMoves));
    }
    if ((made.sends && !block.to) || (made.receives && !block.from))
      return fail(Errc::input_corrupt, place(step),
                  fmt::format("step {} {}, but its block has no peer for that", name(*type),
                              made.sends && !block.to ? "sends" : "receives"));
    block.steps.push_back(std::move(made));
    return {};
  }

  /// Sets the reads and writes of each step type as MSCCL's interpreter does
  /// (src/collectives/device/msccl_kernel.h): which of the two places belong to this rank.
  static void set_accesses(PlanStep& step, std::uint32_t rank, const MessageEndpoints& ends) {
    const PlanSpan source{rank, ends.from, ends.first_from, step.count};
    const PlanSpan target{rank, ends.to, ends.first_to, step.count};
    const auto is = [&](std::initializer_list<StepType> types) {
      return is_one_of(step.type, types);
    };
    using enum StepType;
    step.receives = is({receive, receive_copy_send, receive_reduce_send, receive_reduce_copy,
                        receive_reduce_copy_send});
    step.sends = is({send, receive_copy_send, receive_reduce_send, receive_reduce_copy_send});
    if (is({send, receive_reduce_send, receive_reduce_copy, receive_reduce_copy_send, copy,
            reduce}))
      step.reads.push_back(source);
    if (step.type == reduce) step.reads.push_back(target);
    if (is({receive, receive_copy_send, receive_reduce_copy, receive_reduce_copy_send, copy,
            reduce}))
      step.writes.push_back(target);
    if (step.receives || step.sends) step.ends = ends;
  }

  Result<void> check_dependencies() {
    // The file order of steps differs from the order of blocks: use step numbers.
    for (const Dependency& one : dependencies_) {
      const auto& blocks = plan_.ranks[one.on.rank].blocks;
      if (one.on.block >= blocks.size() || one.on.step >= blocks[one.on.block].steps.size())
        return fail(Errc::input_dangling_dep, place(one.element),
                    fmt::format("waits for gpu {}, step {}, block {}, which does not exist",
                                one.on.rank, one.on.step, one.on.block));
      if (one.on == one.of)
        return fail(Errc::input_self_edge, place(one.element), "a step waits for itself");
      const std::string_view marked = hasdep_of(one);
      if (marked != "1")
        findings_.add(
            FindingCode::attr_ignored,
            fmt::format("{}: waits for a step whose hasdep is not 1", place(one.element)));
      plan_.ranks[one.of.rank].blocks[one.of.block].steps[one.of.step].after.push_back(one.on);
    }
    return {};
  }

  /// The `hasdep` attribute of the step that a dependency refers to.
  std::string_view hasdep_of(const Dependency& one) {
    const pugi::xml_node gpu = one.element.parent().parent();
    if (gpu != indexed_) {
      indexed_ = gpu;
      steps_of_.assign(plan_.ranks[one.of.rank].blocks.size(), {});
      for (const pugi::xml_node& block : gpu.children("tb")) {
        auto& list = steps_of_[static_cast<std::size_t>(block.attribute("id").as_int())];
        for (const pugi::xml_node& step : block.children("step")) list.push_back(step);
      }
    }
    return attribute(steps_of_[one.on.block][one.on.step], "hasdep");
  }

  platform::XmlPlaces places_;
  Findings& findings_;
  Plan plan_;
  std::vector<Dependency> dependencies_;
  pugi::xml_node indexed_;
  std::vector<std::vector<pugi::xml_node>> steps_of_;
  std::uint64_t steps_ = 0, moves_ = 0, total_places_ = 0;
};

}  // namespace

Result<Plan> read_msccl(std::string_view text, const std::string& where, Findings& findings) {
  pugi::xml_document document;
  if (auto parsed = platform::parse_xml(text, where, document); !parsed)
    return tl::unexpected(parsed.error());
  const pugi::xml_node algo = document.child("algo");
  if (!algo) return fail(Errc::input_unsupported, where, "has no <algo>: not an MSCCL plan");
  return MscclReader(text, where, findings).read(algo);
}

}  // namespace orrery::synthesis
