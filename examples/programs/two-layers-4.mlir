// A training step of two layers, as JAX writes it: four devices with 512 samples each, gradients
// all-reduced, weights changed by gradient descent.
module @two_layers_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func public @main(%x: tensor<512x1024xbf16>, %y: tensor<512x256xf32>, %w1: tensor<1024x4096xbf16>, %w2: tensor<4096x256xbf16>) -> (tensor<1024x4096xbf16>, tensor<4096x256xbf16>) {
    %h = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<512x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<512x4096xbf16>
    %a = call @relu(%h) : (tensor<512x4096xbf16>) -> tensor<512x4096xbf16>
    %o = stablehlo.dot_general %a, %w2, contracting_dims = [1] x [0] : (tensor<512x4096xbf16>, tensor<4096x256xbf16>) -> tensor<512x256xbf16>
    %0 = stablehlo.convert %o : (tensor<512x256xbf16>) -> tensor<512x256xf32>
    %1 = stablehlo.subtract %0, %y : tensor<512x256xf32>
    %g = stablehlo.convert %1 : (tensor<512x256xf32>) -> tensor<512x256xbf16>
    %g2 = stablehlo.dot_general %a, %g, contracting_dims = [0] x [0] : (tensor<512x4096xbf16>, tensor<512x256xbf16>) -> tensor<4096x256xbf16>
    %da = stablehlo.dot_general %g, %w2, contracting_dims = [1] x [1] : (tensor<512x256xbf16>, tensor<4096x256xbf16>) -> tensor<512x4096xbf16>
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<bf16>) -> tensor<512x4096xbf16>
    %on = stablehlo.compare  GT, %a, %zeros,  FLOAT : (tensor<512x4096xbf16>, tensor<512x4096xbf16>) -> tensor<512x4096xi1>
    %dh = stablehlo.select %on, %da, %zeros : tensor<512x4096xi1>, tensor<512x4096xbf16>
    %g1 = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0] : (tensor<512x1024xbf16>, tensor<512x4096xbf16>) -> tensor<1024x4096xbf16>
    %s2 = "stablehlo.all_reduce"(%g2) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
      %sum = stablehlo.add %p, %q : tensor<bf16>
      stablehlo.return %sum : tensor<bf16>
    }) : (tensor<4096x256xbf16>) -> tensor<4096x256xbf16>
    %s1 = "stablehlo.all_reduce"(%g1) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
      %sum = stablehlo.add %p, %q : tensor<bf16>
      stablehlo.return %sum : tensor<bf16>
    }) : (tensor<1024x4096xbf16>) -> tensor<1024x4096xbf16>
    %rate = stablehlo.constant dense<1.000000e-03> : tensor<bf16>
    %r1 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<bf16>) -> tensor<1024x4096xbf16>
    %d1 = stablehlo.multiply %r1, %s1 : tensor<1024x4096xbf16>
    %n1 = stablehlo.subtract %w1, %d1 : tensor<1024x4096xbf16>
    %r2 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<bf16>) -> tensor<4096x256xbf16>
    %d2 = stablehlo.multiply %r2, %s2 : tensor<4096x256xbf16>
    %n2 = stablehlo.subtract %w2, %d2 : tensor<4096x256xbf16>
    return %n1, %n2 : tensor<1024x4096xbf16>, tensor<4096x256xbf16>
  }
  func.func private @relu(%x: tensor<512x4096xbf16>) -> tensor<512x4096xbf16> {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<bf16>) -> tensor<512x4096xbf16>
    %0 = stablehlo.maximum %x, %zeros : tensor<512x4096xbf16>
    return %0 : tensor<512x4096xbf16>
  }
}
