// SPDX-License-Identifier: Apache-2.0
//
// Models that are no decoders.
#include <array>

#include "orrery/workload/catalogue_internal.h"

namespace orrery::workload {
namespace {

Model bert(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  Model model = gpt(layers, hidden, heads, 30522, 512);
  model.kind = ModelKind::encoder;
  model.token_types = 2;
  model.head_bias = true;
  model.embedding_norm = true;
  model.final_norm = false;
  model.pooler = true;
  return model;
}

Model t5(std::int64_t layers, std::int64_t hidden, std::int64_t ffn, std::int64_t heads,
         std::int64_t head_dim) {
  Model model = llama({layers, hidden, ffn, heads, heads, 32128, true});
  model.kind = ModelKind::encoder_decoder;
  model.encoder_layers = layers;
  model.head_dim = head_dim;
  model.mlp = Mlp::relu;
  model.positions = Positions::relative;
  return model;
}

Model vit(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t patch) {
  Model model = gpt(layers, hidden, heads, 1, 0);
  model.kind = ModelKind::vit;
  model.vision = Vision{.patch = patch};
  return model;
}

Model dit(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t patch) {
  Model model = gpt(layers, hidden, heads, 1, 0);
  model.kind = ModelKind::dit;
  model.vision = Vision{.image = 32, .patch = patch, .channels = 4};
  return model;
}

Model resnet(std::vector<std::int64_t> blocks, bool bottleneck) {
  Model model;
  model.kind = ModelKind::resnet;
  model.vision = Vision{.blocks = std::move(blocks), .bottleneck = bottleneck};
  return model;
}

const std::array kModels = {
    ModelEntry{
        .name = "bert-large",
        .title = "BERT large, uncased",
        .seq = 512,
        .published = "336,226,108",
        .source = "Devlin et al. 2019, section 3; google-bert/bert-large-uncased config.json",
        .count_source = "Hugging Face, num_parameters() of BertForPreTraining",
        .model = [] { return bert(24, 1024, 16); }},
    ModelEntry{.name = "t5-11b",
               .title = "T5 11B",
               .seq = 512,
               .published = "11,307,321,344",
               .source = "Raffel et al. 2020 (JMLR), section 3.7; google-t5/t5-11b config.json",
               .count_source = "Hugging Face, num_parameters()",
               .model = [] { return t5(24, 1024, 65536, 128, 128); }},
    ModelEntry{.name = "vit-h-14",
               .title = "ViT-H/14",
               .published = "632,045,800",
               .source = "Dosovitskiy et al. 2021, table 1",
               .count_source = "torchvision, vit_h_14",
               .model = [] { return vit(32, 1280, 16, 14); }},
    ModelEntry{.name = "dit-xl-2",
               .title = "DiT-XL/2, 256 x 256",
               .published = "675M",
               .source = "Peebles and Xie 2023, table 1",
               .count_source = "Peebles and Xie 2023, table 4",
               .model = [] { return dit(28, 1152, 16, 2); }},
    ModelEntry{.name = "resnet-50",
               .title = "ResNet-50",
               .published = "25,557,032",
               .source = "He et al. 2016, table 1",
               .count_source = "torchvision, resnet50",
               .model =
                   [] {
                     return resnet({3, 4, 6, 3}, true);
                   }},
};

}  // namespace

std::span<const ModelEntry> other_models() { return kModels; }

}  // namespace orrery::workload
