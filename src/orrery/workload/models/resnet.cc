// SPDX-License-Identifier: Apache-2.0
//
// ResNet (He et al., CVPR 2016, table 1), as in torchvision: a bottleneck has its stride in the 3×3
// convolution; shortcuts that change the shape are 1×1 convolutions with a batch norm.
//
// A convolution is a product of B·Ho·Wo rows: 2·B·Ho·Wo·Cout·Cin·k² FLOPs forward, as many for each
// gradient. The first convolution does not compute the gradient of the images. A batch norm counts
// as a layer norm: 9 FLOPs per element forward, 14 + 7 backward. The inputs of convolutions and
// batch norms are saved; the backward pass reads the sign of a ReLU from its output.
#include <algorithm>
#include <string>

#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/operators/primitives.h"

namespace orrery::workload {

namespace {

/// Feature maps between two operators.
struct Map {
  Tensor tensor;
  Amount channels;
  std::int64_t side = 1;
};

struct Names {
  OpName convolution;
  const char* convolved;
  OpName norm;
  const char* output;
};
#define ORRERY_CONVOLUTION(text) \
  { ORRERY_OP(text), text ".output", ORRERY_OP(text ".norm"), text ".normed" }
constexpr Names kStem = ORRERY_CONVOLUTION("stem");
constexpr Names kConvolutions[] = {ORRERY_CONVOLUTION("conv1"), ORRERY_CONVOLUTION("conv2"),
                                   ORRERY_CONVOLUTION("conv3")};
constexpr Names kShortcut = ORRERY_CONVOLUTION("shortcut");
constexpr OpName kReluOp = ORRERY_OP("relu");
constexpr PerElement kNormFlops{9, 14 + 7};

struct Convolution {
  const Names* names = nullptr;
  Amount out;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  bool relu = true;
  bool hidden = true;
  bool first = false;  ///< first in the network: the gradient of its input is not computed
};

Amount elements(const Scope& scope, const Map& map) {
  return Amount(scope.micro) * map.channels * map.side * map.side;
}

/// A ReLU, fused with the kernel before it.
void rectify(Tape& tape, const Scope& scope, Amount count) {
  const Amount size = scope.activation(count);
  const graph::Kernel kernel = elements_kernel(scope, graph::Operation::activation, count);
  tape.forward(
      compute_op(kReluOp.forward, OpClass::vector, Phase::forward, 0, count, size + size, kernel),
      size + size);
  tape.backward(compute_op(kReluOp.dgrad, OpClass::vector, Phase::input_grad, 0, count,
                           size + size + size, kernel));
}

/// Convolution, batch norm and optional ReLU. With padding, the output side is input / stride,
/// rounded up.
Map convolve(Tape& tape, const Scope& scope, const Convolution& shape, const Map& x) {
  Map y{{}, shape.out, ceil_div(x.side, shape.stride).value()};
  const Amount matrix = x.channels * shape.out * shape.kernel * shape.kernel;
  const Amount count = elements(scope, y);
  const Amount flops = Amount(2) * count * x.channels * shape.kernel * shape.kernel;
  const Amount size = scope.activation(count);
  const Amount moved = tape.bytes_of(x.tensor) + size;

  const OpName& conv = shape.names->convolution;
  tape.begin(Group::none, {x.tensor});
  tape.save(x.tensor);
  tape.add_weights(WeightKind::dense, matrix, shape.hidden);
  graph::Kernel kernel = elements_kernel(scope, graph::Operation::convolution, scope.micro);
  kernel.a = kernel.b = product_format(*scope.spec);
  kernel.sizes = {scope.micro, x.channels.value(), shape.out.value(), y.side,
                  y.side,      shape.kernel,       shape.kernel,      shape.stride};
  tape.forward(compute_op(conv.forward, OpClass::matmul, Phase::forward, flops, 0,
                          moved + scope.weight(matrix), kernel));
  if (!shape.first)
    tape.backward(compute_op(conv.dgrad, OpClass::matmul, Phase::input_grad, flops, 0,
                             moved + scope.weight(matrix), kernel));
  tape.backward(compute_op(conv.wgrad, OpClass::matmul, Phase::weight_grad, flops, 0,
                           moved + scope.gradient(matrix), kernel));
  const Tensor convolved = tape.output(shape.names->convolved, size);

  const OpName& norm = shape.names->norm;
  tape.begin(Group::norm, {convolved});
  tape.save(convolved);
  tape.save("norm.statistics", y.channels * 8);  // mean and deviation, fp32
  tape.add_weights(WeightKind::replicated, y.channels * 2);
  graph::Kernel normalize = elements_kernel(scope, graph::Operation::batch_norm, count);
  tape.forward(compute_op(norm.forward, OpClass::vector, Phase::forward, 0,
                          count * kNormFlops.forward, size + size, normalize));
  if (shape.relu) rectify(tape, scope, count);
  normalize.pass = graph::Pass::backward;
  tape.backward(compute_op(norm.dgrad, OpClass::vector, Phase::input_grad, 0,
                           count * kNormFlops.backward, Amount(3) * size, normalize),
                shape.relu ? Amount(2) * size : Amount(-1));
  y.tensor = tape.output(shape.names->output, size);
  return y;
}

/// Max pooling of 3×3 pixels with stride 2: eight comparisons; the gradient moves to one pixel.
Map max_pool(Tape& tape, const Scope& scope, const Map& x) {
  Map y{{}, x.channels, ceil_div(x.side, 2).value()};
  const Amount count = elements(scope, y), size = scope.activation(count);
  tape.begin(Group::none, {x.tensor});
  tape.save("pool.indices", count);  // a byte each
  const Amount moved = tape.bytes_of(x.tensor) + size + count;
  const graph::Kernel kernel = elements_kernel(scope, graph::Operation::pooling, count);
  tape.forward(compute_op("pool", OpClass::vector, Phase::forward, 0, count * 8, moved, kernel));
  tape.backward(
      compute_op("pool.dgrad", OpClass::vector, Phase::input_grad, 0, count, moved, kernel));
  y.tensor = tape.output("pool", size);
  return y;
}

/// A residual block, applied to `x`.
struct ResidualBlock {
  Amount inner;
  Amount out;
  std::int64_t stride = 1;
  bool bottleneck = true;
};

Map residual_block(Tape& tape, const Scope& scope, const ResidualBlock& block, const Map& x) {
  Map y = x;
  if (block.bottleneck) {
    y = convolve(tape, scope, {.names = &kConvolutions[0], .out = block.inner}, y);
    y = convolve(
        tape, scope,
        {.names = &kConvolutions[1], .out = block.inner, .kernel = 3, .stride = block.stride}, y);
    y = convolve(tape, scope, {.names = &kConvolutions[2], .out = block.out, .relu = false}, y);
  } else {
    y = convolve(
        tape, scope,
        {.names = &kConvolutions[0], .out = block.inner, .kernel = 3, .stride = block.stride}, y);
    y = convolve(tape, scope,
                 {.names = &kConvolutions[1], .out = block.out, .kernel = 3, .relu = false}, y);
  }
  Map shortcut = x;
  if (block.stride != 1 || !(x.channels == block.out))
    shortcut =
        convolve(tape, scope,
                 {.names = &kShortcut, .out = block.out, .stride = block.stride, .relu = false}, x);
  // The backward pass reads the sign of the result from the next block's input.
  const Amount count = elements(scope, y), size = scope.activation(count);
  tape.begin(Group::none, {y.tensor, shortcut.tensor});
  tape.forward(compute_op("residual", OpClass::vector, Phase::forward, 0, count, Amount(3) * size));
  rectify(tape, scope, count);
  y.tensor = tape.output("block", size);
  return y;
}

Result<LoweredPart> lower_stem(const Scope& scope, Map& map) {
  const Vision& vision = *scope.model().vision;
  Tape tape(scope, "stem", false);
  Map picture{{}, vision.channels, vision.image};
  picture.tensor = tape.input("pictures", scope.activation(elements(scope, picture)));
  const Map convolved = convolve(tape, scope,
                                 {.names = &kStem,
                                  .out = vision.width,
                                  .kernel = 7,
                                  .stride = 2,
                                  .hidden = false,
                                  .first = true},
                                 picture);
  map = max_pool(tape, scope, convolved);
  return tape.finish({map.tensor});
}

Result<LoweredPart> lower_block(const Scope& scope, const std::string& name,
                                const ResidualBlock& block, Map& map) {
  Tape tape(scope, name, true);
  map.tensor = tape.input("block.input", scope.activation(elements(scope, map)));
  map = residual_block(tape, scope, block, map);
  return tape.finish({map.tensor});
}

/// The classifier: mean over all pixels, a matrix, softmax and loss.
Result<LoweredPart> lower_classifier(const Scope& scope, Map map) {
  const std::int64_t classes = scope.model().vision->classes;
  Tape tape(scope, "head", false);
  const Amount count = elements(scope, map), pictures = scope.micro;
  map.tensor = tape.input("head.input", scope.activation(count));
  tape.begin(Group::none, {map.tensor});
  const Amount moved = tape.bytes_of(map.tensor) + scope.activation(pictures * map.channels);
  tape.forward(compute_op("mean", OpClass::vector, Phase::forward, 0, count, moved));
  tape.backward(compute_op("mean.dgrad", OpClass::vector, Phase::input_grad, 0, count, moved));
  const Tensor mean = tape.output("mean", scope.activation(pictures * map.channels));
  if (classes == 0) return tape.finish({mean});
  Linear shape;
  shape.name = ORRERY_OP("head");
  shape.tokens = pictures;
  shape.in = map.channels;
  shape.outputs = {{"head", classes, true}};
  shape.hidden_matrix = false;
  const Tensor scores = linear(tape, scope, shape, {mean}).front();
  elementwise(tape, scope,
              {.name = ORRERY_OP("loss"),
               .elements = pictures * classes,
               .output = "loss",
               .flops = softmax_flops},
              scores);
  return tape.finish({});
}

}  // namespace

Result<LoweredModel> lower_resnet(const Spec& spec, const Mesh& mesh, const Position& where) {
  constexpr std::int64_t kMaxResidual = 65536;  // as the maximum number of layers
  const Scope scope(spec, mesh, where, 1);
  const Vision& vision = *spec.model.vision;
  LoweredModel model;
  Map map;
  if (auto done = append_part(model, lower_stem(scope, map), 1, -1); !done)
    return tl::unexpected(done.error());
  ResidualBlock block;
  block.inner = vision.width;
  block.bottleneck = vision.bottleneck;
  std::int64_t layer = 0;
  for (std::size_t stage = 0; stage < vision.blocks.size(); ++stage) {
    const std::int64_t blocks = std::max<std::int64_t>(vision.blocks[stage], 1);
    if (blocks > kMaxResidual)
      return tl::unexpected(Error{Errc::config_range, "model.vision.blocks",
                                  "a stage has more than 65536 blocks", ""});
    const std::string name = "stage " + std::to_string(stage + 1);
    block.out = block.bottleneck ? block.inner * 4 : block.inner;
    block.stride = stage == 0 ? 1 : 2;
    if (auto done = append_part(model, lower_block(scope, name + " first", block, map), 1, layer);
        !done)
      return tl::unexpected(done.error());
    block.stride = 1;
    if (blocks > 1)
      if (auto done =
              append_part(model, lower_block(scope, name, block, map), blocks - 1, layer + 1);
          !done)
        return tl::unexpected(done.error());
    layer += blocks;
    block.inner = block.inner * 2;
  }
  if (auto done = append_part(model, lower_classifier(scope, map), 1, -1); !done)
    return tl::unexpected(done.error());
  return model;
}

}  // namespace orrery::workload
