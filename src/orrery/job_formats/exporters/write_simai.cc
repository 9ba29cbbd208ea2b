// SPDX-License-Identifier: Apache-2.0
//
// SimAI's text (aliyun/SimAI, Workload::initialize_workload; aliyun/aicb,
// SimAI_training_workload_generator.py). A header line, the number of rows, then rows of twelve
// words:
//
//   name  -1  forward: ns, collective, bytes  input gradient: …  weight gradient: …  update ns
//
// SimAI runs the rows from top to bottom, forward, then from bottom to top, input and weight
// gradients. Therefore all microbatches of a stage follow each other, and the optimizer step is at
// the top. Forward and input-gradient collectives run in the tensor-parallel group, weight-gradient
// ones in the data-parallel group, unless the collective's name ends with "_EP" or "_DP_EP". Bytes
// are those of the full buffer, also for an all-gather.
#include "orrery/job_formats/exporters/write_simai.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "orrery/core/limits.h"

namespace orrery::workload {
namespace {

/// One of a row's three columns.
struct Cell {
  std::int64_t time = 0;
  std::string collective = "NONE";
  std::int64_t size = 0;

  [[nodiscard]] bool empty() const { return time == 0 && size == 0 && collective == "NONE"; }
};

/// The computation up to and during one collective: `pass` blocks it, `weights` overlaps it.
struct ComputeSegment {
  std::string name;
  Cell pass;
  Cell weights;
};

tl::unexpected<Error> cannot(std::string what) {
  return fail(Errc::config_conflict, "SimAI", std::move(what),
              "the format supports tensor, expert, pipeline and data parallelism up to ZeRO-2; "
              "write Chakra traces instead");
}

/// The column of a collective and the suffix of its name; empty if SimAI has no such group.
struct Column {
  bool weights = false;
  const char* suffix = "";
};
std::optional<Column> column_of(Axis axis, bool backward) {
  switch (axis) {
    case Axis::tp:
    case Axis::etp:
      return Column{false, ""};
    case Axis::ep:
      return Column{false, "_EP"};
    case Axis::dp:
    case Axis::dp_shard:
      if (backward) return Column{true, ""};
      break;
    case Axis::edp:
      if (backward) return Column{true, "_DP_EP"};
      break;
    default:
      break;
  }
  return std::nullopt;
}

const char* enum_name(graph::CollectiveType type) {
  switch (type) {
    case graph::CollectiveType::all_reduce:
      return "ALLREDUCE";
    case graph::CollectiveType::all_gather:
      return "ALLGATHER";
    case graph::CollectiveType::reduce_scatter:
      return "REDUCESCATTER";
    case graph::CollectiveType::all_to_all:
      return "ALLTOALL";
    default:
      return nullptr;
  }
}

/// Writes the rows of one stage.
class SimaiText {
 public:
  SimaiText(const Program& program, const OpTime& time_of)
      : program_(program), role_(busiest(program)), time_of_(time_of) {}

  Result<std::string> make() {
    if (program_.spec.parallel.ep_own_axis) return cannot("experts have a separate axis");
    if (program_.mesh.extent(Axis::dp_shard) != program_.mesh.extent(Axis::dp))
      return cannot("a copy of the weights is sharded over only a part of the data-parallel ranks");
    for (const std::vector<Segment>& recipe : role_.recipes) {
      if (Result<void> done = cut(recipe); !done) return tl::unexpected(done.error());
    }
    if (Result<void> done = write_rows(); !done) return tl::unexpected(done.error());
    auto head = header();
    if (!head) return tl::unexpected(head.error());
    return *head + fmt::format("{}\n", count_) + rows_;
  }

 private:
  /// The role with the most FLOPs of matrix products; the first of equal ones.
  static const Role& busiest(const Program& program) {
    const Role* most = &program.roles.front();
    double work = -1;
    for (const Role& role : program.roles) {
      double sum = 0;
      for (const TaskLoop& loop : role.tasks) {
        for (const Task& task : loop.tasks) {
          for (const Segment& segment : role.recipes[task.recipe]) {
            for (const Op& op : program.bodies[segment.body].ops)
              sum += static_cast<double>(op.matmul) * segment.count * loop.count;
          }
        }
      }
      if (sum > work) work = sum, most = &role;
    }
    return *most;
  }

  /// Appends the pieces of a recipe to `pieces_`.
  Result<void> cut(const std::vector<Segment>& recipe) {
    pieces_.emplace_back();
    ComputeSegment piece;
    for (const Segment& segment : recipe) {
      const Body& body = program_.bodies[segment.body];
      for (std::uint32_t i = 0; i < segment.count; ++i) {
        for (const Op& op : body.ops) {
          if (Result<void> done = take(body, op, piece); !done) return done;
        }
      }
    }
    close(piece);
    return {};
  }

  /// Adds an op to a piece. A blocking collective ends the piece.
  Result<void> take(const Body& body, const Op& op, ComputeSegment& piece) {
    if (op.op_class == OpClass::copy) return {};
    if (op.kind == graph::NodeKind::comp) {
      name(body, op, piece);
      (op.phase == Phase::weight_grad ? piece.weights : piece.pass).time += time_of_(op);
      return {};
    }
    if (op.op_class == OpClass::transfer)
      return cannot(fmt::format("{} accesses remote memory", op.name));
    if (op.kind != graph::NodeKind::coll) {
      if (op.axis == Axis::pp) return {};  // the header contains these
      return cannot(fmt::format("messages are sent along {}", workload::name(op.axis)));
    }
    const Result<std::optional<Column>> column = place(op);
    if (!column) return tl::unexpected(column.error());
    if (!*column) return {};
    if ((*column)->weights && piece.weights.size > 0) close(piece);
    name(body, op, piece);
    if (Result<void> done = put(op, **column, piece); !done) return done;
    if (!(*column)->weights) close(piece);
    return {};
  }

  void close(ComputeSegment& piece) {
    if (!piece.pass.empty() || !piece.weights.empty()) pieces_.back().push_back(std::move(piece));
    piece = {};
  }

  /// "layer.qkv": the first op of the piece.
  static void name(const Body& body, const Op& op, ComputeSegment& piece) {
    if (!piece.name.empty()) return;
    piece.name = fmt::format("{}.{}", body.name.substr(0, body.name.find('.')), op.name);
    std::replace(piece.name.begin(), piece.name.end(), ' ', '_');
  }

  /// The column of a collective; empty for small collectives of the step, since SimAI has no group
  /// for them.
  [[nodiscard]] Result<std::optional<Column>> place(const Op& op) const {
    const bool forward = op.phase == Phase::forward || op.phase == Phase::recompute;
    const std::optional<Column> column = column_of(op.axis, !forward);
    if (column || op.phase == Phase::step) return column;
    return cannot(fmt::format("{} ({}) communicates over {} in the {} pass", op.name,
                              graph::name(op.collective), workload::name(op.axis),
                              forward ? "forward" : "backward"));
  }

  Result<void> put(const Op& op, const Column& column, ComputeSegment& piece) const {
    const char* const word = enum_name(op.collective);
    if (word == nullptr)
      return cannot(fmt::format("{} is a {}", op.name, graph::name(op.collective)));
    Cell& cell = column.weights ? piece.weights : piece.pass;
    cell.collective = std::string(word) + column.suffix;
    const std::int64_t parts = op.collective == graph::CollectiveType::all_gather
                                   ? std::int64_t{program_.mesh.extent(op.axis)}
                                   : 1;
    if (__builtin_mul_overflow(op.size, parts, &cell.size))
      return cannot(fmt::format("{} transfers more than 2^63 bytes", op.name));
    return {};
  }

  Result<void> write_rows() {
    std::map<std::pair<std::uint32_t, std::uint16_t>, Passes> passes;  // by microbatch and chunk
    std::vector<const ComputeSegment*> step;
    for (const Task& task : expand_task_loops(role_.tasks)) {
      const std::vector<ComputeSegment>& pieces = pieces_[task.recipe];
      Passes& of = passes[{task.microbatch, task.chunk}];
      std::vector<const ComputeSegment*>& to = task.kind == TaskKind::step      ? step
                                               : task.kind == TaskKind::forward ? of.forward
                                                                                : of.backward;
      for (const ComputeSegment& piece : pieces) to.push_back(&piece);
      count_ += pieces.size();
      if (count_ > limits::kScheduleSlots) {
        return fail(Errc::limit_exceeded, "SimAI",
                    fmt::format("more than {} rows", limits::kScheduleSlots),
                    "SimAI files contain every microbatch; use fewer microbatches");
      }
    }
    count_ = 0;
    add_rows({{}, std::move(step)});
    for (const auto& [place, of] : passes) add_rows(of);
    return {};
  }

  struct Passes {
    std::vector<const ComputeSegment*> forward, backward;
  };
  /// Forward pieces from the first row down, backward pieces from the last row up.
  void add_rows(const Passes& passes) {
    const std::size_t rows = std::max(passes.forward.size(), passes.backward.size());
    static const ComputeSegment kNothing;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t up = rows - 1 - i;
      const ComputeSegment& down = i < passes.forward.size() ? *passes.forward[i] : kNothing;
      const ComputeSegment& back = up < passes.backward.size() ? *passes.backward[up] : kNothing;
      fmt::format_to(std::back_inserter(rows_), "{}\t-1\t{}\t{}\t{}\t{}\n",
                     down.name.empty() ? back.name : down.name, text(down.pass), text(back.pass),
                     text(back.weights), kUpdate);
      ++count_;
    }
  }
  static std::string text(const Cell& cell) {
    return fmt::format("{}\t{}\t{}", cell.time, cell.collective, cell.size);
  }

  [[nodiscard]] Result<std::string> header() const {
    std::int64_t message = 0;
    for (const std::vector<Segment>& recipe : role_.recipes) {
      for (const Segment& segment : recipe) {
        for (const Op& op : program_.bodies[segment.body].ops) {
          if (op.kind == graph::NodeKind::send) message = std::max(message, op.size);
        }
      }
    }
    // SimAI parses it as an int.
    if (message > std::numeric_limits<std::int32_t>::max())
      return cannot(
          fmt::format("messages between stages have {} bytes, but the limit is 2^31", message));
    const Spec& spec = program_.spec;
    return fmt::format(
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: {} ep: {} pp: {} vpp: {} ga: {} "
        "all_gpus: {} checkpoints: 0 checkpoint_initiates: 0 pp_comm: {}\n",
        spec.parallel.tp, spec.parallel.ep, spec.parallel.pp, spec.schedule.chunks,
        spec.microbatches(), program_.mesh.world(), message);
  }

  static constexpr int kUpdate = 100;  // as AICB writes it

  const Program& program_;
  const Role& role_;
  const OpTime& time_of_;
  std::vector<std::vector<ComputeSegment>> pieces_;  // by recipe
  std::string rows_;
  std::uint64_t count_ = 0;
};

}  // namespace

Result<std::string> to_simai(const Program& program) {
  return to_simai(program, [](const Op&) { return std::int64_t{1}; });
}

Result<std::string> to_simai(const Program& program, const OpTime& time_of) {
  return SimaiText(program, time_of).make();
}

}  // namespace orrery::workload
