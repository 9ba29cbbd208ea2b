// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "orrery/config/document.h"
#include "orrery/core/text/units.h"
#include "orrery/workload/assembly/joint_passes.h"
#include "orrery/workload/assembly/layer_partition.h"
#include "orrery/workload/assembly/optimizer_step.h"
#include "orrery/workload/assembly/pipeline_bubble.h"
#include "orrery/workload/assembly/roles.h"
#include "orrery/workload/assembly/stage_layout.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/spec/model_parallel_policy.h"
#include "orrery/workload/spec/spec.h"
#include "orrery/workload/spec/spec_rules.h"
#include "orrery/workload/stage_compat/stage_compat.h"

namespace orrery::workload {

namespace {

/// "7, 14 x 8, 7"
std::string runs_text(const std::vector<std::int64_t>& layers) {
  std::string text;
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t end = i;
    while (end < layers.size() && layers[end] == layers[i]) ++end;
    text += text.empty() ? "" : ", ";
    text +=
        end - i == 1 ? fmt::format("{}", layers[i]) : fmt::format("{} x {}", end - i, layers[i]);
    i = end;
  }
  return text;
}

/// Reports how layers are distributed over stages if the job does not specify it.
void note_uneven(const Spec& spec, std::size_t stages, Findings& findings) {
  if (!has_attention(spec.model) || !spec.schedule.stage_layers.empty()) return;
  const std::int64_t layers = layer_count(spec.model);
  if (layers % static_cast<std::int64_t>(stages) == 0) return;
  findings.add(FindingCode::layers_uneven, fmt::format("{} layers in {} stages: {}", layers, stages,
                                                       runs_text(even_layers(layers, stages))));
}

}  // namespace

Spec pad_vocabulary(const Spec& spec, Findings& findings) {
  Spec padded = spec;
  std::int64_t& vocab = padded.model.vocab;
  if (!reads_text(spec.model) || vocab % spec.parallel.tp == 0) return padded;
  const std::int64_t multiple = 128 * spec.parallel.tp;
  vocab = (vocab + multiple - 1) / multiple * multiple;
  findings.add(FindingCode::vocabulary_padded,
               fmt::format("from {} to {}", format_count(spec.model.vocab), format_count(vocab)));
  return padded;
}

Result<Program> assemble(const Spec& whole, Findings& findings) {
  if (auto allowed = check_spec(whole); !allowed) return tl::unexpected(allowed.error());
  if (whole.compat == Compat::stage) return assemble_stage(whole);
  const Spec spec = pad_vocabulary(whole, findings);
  auto order = order_of(spec);
  if (!order) return tl::unexpected(order.error());
  const std::size_t given = spec.schedule.stage_layers.size(), due = order->pipes.front().size();
  if (given != 0 && given != due) {  // the number of stages in a file is only known now
    return tl::unexpected(
        Error{Errc::config_conflict, "/schedule/stage_layers",
              fmt::format("lists {} stages, but the schedule has {}", given, due),
              "give the number of layers of every virtual stage, in the model's order"});
  }
  note_uneven(spec, due, findings);
  report_bubble(spec, *order, findings);
  return assemble_with(spec, *order, lower);
}

namespace {

constexpr std::int64_t kLargestOp = std::int64_t{1} << 62;

TaskKind task_kind(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return TaskKind::forward;
    case Pass::backward:
      return TaskKind::backward;
    case Pass::input_grad:
      return TaskKind::input_grad;
    case Pass::weight_grad:
      break;
  }
  return TaskKind::weight_grad;
}

/// Turns the passes of one stage into tasks and recipes, loop by loop.
class Tasks {
 public:
  Tasks(const DataParallel& data, const std::vector<Chunk>& chunks, PassWriter& passes,
        const Program& program, BodyTable& bodies, Role& role)
      : data_(data),
        chunks_(chunks),
        passes_(passes),
        program_(program),
        bodies_(bodies),
        joins_passes_(overlaps_experts(program.spec)),
        role_(role),
        alive_(chunks.size(), 0),
        first_(chunks.size(), nullptr),
        last_(chunks.size(), nullptr) {}

  void run(const std::vector<SlotLoop>& order, std::vector<Segment> step) {
    const std::vector<SlotLoop> loops = joins_passes_ ? with_joint_rounds(order) : order;
    for (const SlotLoop& loop : loops) {
      for (const Slot& slot : loop.slots) {
        if (makes_gradients(slot.pass)) last_[slot.chunk] = &slot;
        if (slot.pass != Pass::forward || first_[slot.chunk] != nullptr) continue;
        first_[slot.chunk] = &slot;
        if (!chunks_[slot.chunk].parts.empty()) begin_.push_back(slot.chunk);
      }
    }
    for (const SlotLoop& loop : loops) {
      // All rounds between the first and the last have the same recipes. A chunk whose number of
      // microbatches changes can have none alive only in its first or its last round.
      add(loop, 0, 1);
      if (loop.count > 2) add(loop, 1, loop.count - 2);
      if (loop.count > 1) add(loop, loop.count - 1, 1);
    }
    if (step.empty()) return;
    const Task task{TaskKind::step, 0, static_cast<std::uint32_t>(role_.recipes.size()), 0};
    role_.recipes.push_back(std::move(step));
    role_.tasks.push_back({{task}, 1, 0});
  }

 private:
  static bool makes_gradients(Pass pass) {
    return pass == Pass::backward || pass == Pass::weight_grad;
  }

  /// Adds `rounds` rounds of a loop, from round `first` on; all must have the same recipes.
  void add(const SlotLoop& loop, std::uint32_t first, std::uint32_t rounds) {
    const bool closing = first + rounds == loop.count;
    const std::vector<std::uint32_t> before = alive_;
    TaskLoop made{{}, rounds, loop.stride};
    for (std::size_t i = 0; i < loop.slots.size(); ++i) {
      const Slot& slot = loop.slots[i];
      const bool last = closing && last_[slot.chunk] == &slot;
      const PassKind kind = pass_kind(slot, first == 0 && first_[slot.chunk] == &slot, last);
      made.tasks.push_back(
          {kind.kind, slot.chunk, recipe(slot.chunk, kind), slot.microbatch + first * loop.stride});
      if (joins_passes_ && i > 0 && are_joint(loop.slots, i - 1)) join_last_two(made.tasks);
    }
    for (std::size_t c = 0; c < alive_.size(); ++c)  // modulo 2^32, since it may decrease
      alive_[c] += (rounds - 1) * (alive_[c] - before[c]);
    if (first > 0 && same_recipes(role_.tasks.back(), made)) {
      role_.tasks.back().count += rounds;
    } else {
      role_.tasks.push_back(std::move(made));
    }
  }

  /// Turns a backward pass and the forward pass after it into passes that run together.
  void join_last_two(std::vector<Task>& tasks) {
    Task forward = tasks.back(), backward = tasks[tasks.size() - 2];
    const auto offset = static_cast<std::int32_t>(backward.microbatch - forward.microbatch);
    const auto [known, added] =
        joint_.try_emplace(std::tuple(forward.recipe, backward.recipe, offset),
                           static_cast<std::uint32_t>(role_.recipes.size()));
    if (added) {
      role_.recipes.push_back(joint_pass(role_.recipes[forward.recipe],
                                         role_.recipes[backward.recipe], offset, program_.bodies,
                                         bodies_));
    }
    if (!empty_) {
      empty_ = static_cast<std::uint32_t>(role_.recipes.size());
      role_.recipes.emplace_back();
    }
    forward.recipe = known->second;
    backward.recipe = *empty_;
    tasks[tasks.size() - 2] = forward;
    tasks.back() = backward;
  }

  static bool same_recipes(const TaskLoop& a, const TaskLoop& b) {
    return std::equal(a.tasks.begin(), a.tasks.end(), b.tasks.begin(), b.tasks.end(),
                      [](const Task& x, const Task& y) { return x.recipe == y.recipe; });
  }

  /// Weights with keep_gathered are gathered when no microbatch is alive, or once per step with
  /// reduce_once. Updated weights (gathers_in_next_step) are gathered at the first use of a chunk.
  PassKind pass_kind(const Slot& slot, bool first, bool last) {
    PassKind kind;
    kind.kind = task_kind(slot.pass);
    std::uint32_t& alive = alive_[slot.chunk];
    const DataParallelPolicy& policy = data_.policy();
    const bool keep = policy.keep_gathered;
    if (slot.pass == Pass::forward) {
      kind.gather = !keep || (policy.reduce_once ? first : alive == 0);
      ++alive;
    } else if (slot.pass != Pass::weight_grad) {
      kind.gather = !keep;
      --alive;
    }
    kind.gather = kind.gather && data_.gathers_weights();
    if (first && data_.gathers_in_next_step()) gather_ahead_of(slot.chunk, kind);
    kind.reduce = makes_gradients(slot.pass) &&
                  (data_.reduces_every_pass() || (last && !data_.reduces_after_backward()));
    return kind;
  }

  /// Gathering ahead continues from chunk to chunk, in the order in which they begin.
  void gather_ahead_of(std::uint16_t chunk, PassKind& kind) const {
    const auto place = std::find(begin_.begin(), begin_.end(), chunk);
    if (place == begin_.end()) return;
    kind.gather = true;
    kind.is_first_bucket_gathered = place != begin_.begin();
    if (place + 1 != begin_.end()) kind.next = &chunks_[*(place + 1)];
  }

  std::uint32_t recipe(std::uint16_t chunk, const PassKind& kind) {
    const auto [known, added] =
        recipes_.try_emplace(std::tuple(chunk, kind.kind, kind.gather, kind.reduce),
                             static_cast<std::uint32_t>(role_.recipes.size()));
    if (added) role_.recipes.push_back(passes_.pass(chunks_[chunk], kind));
    return known->second;
  }

  const DataParallel& data_;
  const std::vector<Chunk>& chunks_;
  PassWriter& passes_;
  const Program& program_;
  BodyTable& bodies_;
  bool joins_passes_;  // see overlaps_experts
  Role& role_;
  std::vector<std::uint32_t> alive_;  // by chunk: microbatches between forward and backward pass
  std::vector<const Slot*> first_;    // by chunk: its first forward pass
  std::vector<const Slot*> last_;     // by chunk: the last pass that computes weight gradients
  std::vector<std::uint16_t> begin_;  // chunks with parts, in the order in which they begin
  std::map<std::tuple<std::uint16_t, TaskKind, bool, bool>, std::uint32_t> recipes_;
  // by the recipes of a forward and a backward pass and their microbatches: the recipe of both
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>, std::uint32_t> joint_;
  std::optional<std::uint32_t> empty_;  // the recipe without ops
};

class Assembler {
 public:
  Assembler(const Spec& spec, const PipelineOrder& order, const Lowering& lowering)
      : order_(order), lowering_(lowering) {
    program_.spec = spec;
    program_.mesh = Mesh(spec);
  }

  Result<Program> run() {
    if (auto numbered = number_roles(program_); !numbered) return tl::unexpected(numbered.error());
    const Spec& spec = program_.spec;
    const DataParallel data(spec, program_.mesh);
    BodyTable bodies(program_.bodies, spec.schedule.overlap);
    PassWriter passes(parts_, data, spec.parallel.prefetch,
                      static_cast<std::size_t>(spec.offload.window), bodies);
    const std::uint32_t roles = role_count(program_);
    program_.roles.resize(roles);
    for (std::uint32_t i = 0; i < roles; ++i) {
      if (auto made = make_role(i, data, passes, bodies); !made)
        return tl::unexpected(made.error());
    }
    if (auto fits = check_sizes(); !fits) return tl::unexpected(fits.error());
    for (LoweredPart& part : parts_) program_.parts.push_back(std::move(part.part));
    return std::move(program_);
  }

 private:
  Result<void> make_role(std::uint32_t number, const DataParallel& data, PassWriter& passes,
                         BodyTable& bodies) {
    Role& role = program_.roles[number];
    role.where = position_of(program_, number);
    role.ranks = ranks_of(program_, role.where);
    role.name = role_name(role.where);
    const auto stage = static_cast<std::uint32_t>(role.where.stage);
    auto shape = layout_of(role.where);
    if (!shape) return tl::unexpected(shape.error());
    std::vector<Chunk> chunks = (*shape)->chunks(stage);
    for (std::size_t c = 0; c < chunks.size(); ++c)
      chunks[c].has_one_bucket = data.has_one_bucket(role.where.stage, c);
    for (const Chunk& chunk : chunks) role.chunks.push_back(chunk.parts);
    if (role.ranks == 0) return {};  // this combination of classes does not occur
    if (program_.spec.schedule.blocking_sends) {
      for (Chunk& chunk : chunks)
        chunk.send_activations.stream = chunk.send_gradients.stream = stream::compute;
    }
    std::vector<Segment> step;
    OptimizerWork work = work_of(chunks, data);
    if (!program_.spec.lora) work.tied_table_elements = (*shape)->tied_table_elements(stage);
    if (order_.pipes.size() > 1)
      work.twin_stage_offset = static_cast<std::int32_t>(order_.stages) - 1 - 2 * role.where.stage;
    std::vector<Op> ops = optimizer_step_ops(program_.spec, program_.mesh, data, work);
    if (!ops.empty()) step.push_back({bodies.add("step", std::move(ops))});
    Tasks(data, chunks, passes, program_, bodies, role).run(order_.loops[stage], std::move(step));
    return {};
  }

  /// The layout for ranks of one class; all its stages share it.
  Result<const StageLayout*> layout_of(const Position& where) {
    const auto key = std::tuple(where.cp, where.expert, where.table);
    const auto known = shapes_.find(key);
    if (known != shapes_.end()) return &known->second;
    if (where.table >= 0) shapes_.clear();  // every rank has its own layout
    Position position = where;
    position.stage = 0;
    if (program_.spec.model.kind == ModelKind::dlrm) position.table = std::max(0, where.table);
    auto shape =
        StageLayout::make(program_.spec, program_.mesh, position, order_, lowering_, parts_);
    if (!shape) return tl::unexpected(shape.error());
    return &shapes_.emplace(key, std::move(*shape)).first->second;
  }

  OptimizerWork work_of(const std::vector<Chunk>& chunks, const DataParallel& data) const {
    const bool in_parts = program_.spec.parallel.sharding == Sharding::zero3;
    OptimizerWork work;
    for (const Chunk& chunk : chunks) {
      for (const PartRun& run : chunk.parts) {
        const Weights weights = parts_[run.part].part.trained();
        const Amount count = std::int64_t{run.count};
        const auto times = [&](Elements of) {
          return Elements{of.dense * count, of.expert * count};
        };
        const Elements whole = elements_of(weights);
        // Expert weights are matrices, except for their biases.
        const std::int64_t experts = std::min(weights.matrices, weights.expert);
        work.unsharded = work.unsharded + times(whole);
        work.shard = work.shard + times(data.shard(whole));
        work.matrices = work.matrices + times({weights.matrices - experts, experts});
        work.replicated += Amount(weights.replicated) * count;
      }
    }
    if (!in_parts) work.shard = data.shard(work.unsharded);
    if (data.reduces_after_backward()) work.pending_gradients = buckets_of(parts_, chunks, data);
    return work;
  }

  Result<void> check_sizes() const {
    for (const Body& body : program_.bodies) {
      for (const Op& op : body.ops) {
        const std::int64_t largest = std::max({op.matmul, op.vector, op.bytes, op.size});
        if (largest <= kLargestOp) continue;
        return tl::unexpected(Error{
            Errc::config_range, program_.spec.name.empty() ? "model" : program_.spec.name,
            fmt::format("`{}` in `{}` is larger than 2^62 FLOPs or bytes", op.name, body.name),
            "use a smaller model or batch, or split it over more ranks"});
      }
    }
    return {};
  }

  const PipelineOrder& order_;
  const Lowering& lowering_;
  Program program_;
  std::vector<LoweredPart> parts_;  ///< the parts of the program, with ops
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, StageLayout> shapes_;
};

}  // namespace

Result<PipelineOrder> order_of(const Spec& spec) {
  const auto stages = static_cast<std::uint32_t>(spec.parallel.pp);
  const auto microbatches = static_cast<std::uint32_t>(spec.microbatches());
  if (spec.schedule.kind == ScheduleKind::file) {
    auto text = config::read_text(spec.schedule.file);
    if (!text) return tl::unexpected(text.error());
    return parse_order(*text, spec.schedule.file, stages, microbatches);
  }
  return pipeline_order(spec.schedule.kind, stages, microbatches,
                        static_cast<std::uint32_t>(spec.schedule.chunks));
}

Result<Program> assemble_with(const Spec& spec, const PipelineOrder& order,
                              const Lowering& lowering) {
  return Assembler(spec, order, lowering).run();
}

}  // namespace orrery::workload
