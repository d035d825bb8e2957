#include "spec/system_fields.h"

#include <string>

namespace tailwave {
namespace {

void add_loop(FieldHasher& hasher, const LoopSpec* loop) {
  if (loop == nullptr) {
    hasher.add("once");
    return;
  }
  hasher.add(loop->repeat.text()).add(loop->counter);
  hasher.add(loop->until ? loop->until->buffer : "").add(loop->until ? loop->until->at_most.text() : "");
}

// Of a launch on all SMs what it was before there were any others.
std::string how_it_is_launched(const LaunchSpec& launch) {
  std::string how = launch.cooperative ? "cooperative" : "";
  if (launch.sms.text() != Expression().text()) how += " on SMs: " + launch.sms.text();
  if (launch.cluster)
    for (const Expression& size : *launch.cluster) how += " in clusters of " + size.text();
  if (launch.dependent.text() != Expression().text()) how += " dependent: " + launch.dependent.text();
  if (launch.priority.text() != Expression().text()) how += " priority: " + launch.priority.text();
  if (launch.collective != Collective::none) how += " collective " + launch.summed;
  if (!launch.copied_to.empty()) how += " to " + launch.copied_to;
  if (!launch.prefetched.empty())
    how += " of " + launch.prefetched + (launch.to_host ? " to the host" : " to the device");
  return how;
}

void add_texture(FieldHasher& hasher, const TextureArgument& texture) {
  const TextureLook& look = texture.look;
  hasher.add("texture").add(texture.buffer).add(std::to_string(look.channels));
  hasher.add(to_string(look.layout)).add(to_string(look.filter)).add(to_string(look.address));
  hasher.add(to_string(look.read)).add(look.normalized ? "normalized" : "");
}

void add_argument(FieldHasher& hasher, const Argument& argument) {
  if (const auto* texture = std::get_if<TextureArgument>(&argument)) {
    add_texture(hasher, *texture);
    for (const Expression* one : expressions_of(argument)) hasher.add(one->text());
    return;
  }
  if (const auto* map = std::get_if<TensorMapArgument>(&argument)) {
    hasher.add("tensor map").add(map->buffer).add(map->nan_out_of_bounds ? "nan" : "");
    hasher.add(std::to_string(map->dims.size())).add(std::to_string(map->strides.size()));
    for (const Expression* one : expressions_of(argument)) hasher.add(one->text());
    return;
  }
  if (const auto* whole = std::get_if<StructArgument>(&argument)) {
    hasher.add("struct")
        .add(std::to_string(whole->least_alignment))
        .add(std::to_string(whole->fields.size()));
    for (const Argument& field : whole->fields) add_argument(hasher, field);
  } else if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
    hasher.add("buffer").add(buffer->buffer);
    if (buffer->offset) hasher.add("from").add(buffer->offset->text());
  } else if (const auto* bytes = std::get_if<BytesArgument>(&argument)) {
    hasher.add("bytes").add(bytes->bytes);
  } else if (const auto* choice = std::get_if<BufferChoice>(&argument)) {
    hasher.add("buffers").add(std::to_string(choice->buffers.size())).add(choice->index.text());
    for (const std::string& name : choice->buffers) hasher.add(name);
  } else {
    const auto& scalar = std::get<ScalarArgument>(argument);
    hasher.add(to_string(scalar.type)).add(scalar.value.text());
  }
}

void add_launches(FieldHasher& hasher, const std::vector<LaunchSpec>& launches) {
  hasher.add(std::to_string(launches.size()));
  const LoopSpec* previous = nullptr;
  for (const LaunchSpec& launch : launches) {
    hasher.add(launch.kernel).add(launch.copied).add(launch.loop.get() == previous ? "" : "begins");
    previous = launch.loop.get();
    for (const auto* sizes : {&launch.grid, &launch.block}) {
      for (const Expression& size : *sizes) hasher.add(size.text());
    }
    hasher.add(launch.dynamic_shared_bytes.text());
    hasher.add(launch.stream.text()).add(launch.gpu.text()).add(how_it_is_launched(launch));
    hasher.add(std::to_string(launch.wait.size()));
    for (const Expression& stream : launch.wait) hasher.add(stream.text());
    hasher.add(launch.when ? launch.when->text() : "");
    add_loop(hasher, launch.loop.get());
    for (const Argument& argument : launch.arguments) add_argument(hasher, argument);
    for (const CommandWord& word : launch.command) hasher.add("word").add(word.written);
    for (const std::string& name : launch.reports) hasher.add("reports").add(name);
  }
}

}  // namespace

void add_plan(FieldHasher& hasher, const VariantSpec& variant) {
  for (const auto* part : {&variant.prepare, &variant.launches, &variant.finish}) add_launches(hasher, *part);
  if (variant.pes) hasher.add("pes").add(variant.pes->text());
}

void add_offset(FieldHasher& hasher, const Fill& fill) {
  if (fill.offset.text() != Fill().offset.text()) hasher.add("from").add(fill.offset.text());
}

void add_reference(FieldHasher& hasher, const ReferenceSpec& reference) {
  if (reference.python) {
    hasher.add("python").add(reference.python->function).add(reference.python->file.filename().string());
    for (const auto& [name, hash] : reference.python->files) hasher.add(name).add(hash);
  }
  for (const auto& [name, results] : reference.stored) {
    hasher.add("stored").add(name).add(results.digest);
    add_offset(hasher, results);
    if (results.kind != Fill::Kind::file) hasher.add(results.element.text()).add(amount_text(results.value));
  }
  for (const auto& [name, value] : reference.stored_problem) hasher.add(name).add(to_string(value));
  if (!reference.none.empty()) hasher.add("none");
}

void add_buffers(FieldHasher& hasher, const System& system) {
  for (const auto& [name, buffer] : system.buffers) {
    hasher.add(name).add(to_string(buffer.type)).add(buffer.count.text()).add(buffer.gpu.text());
    hasher.add(std::to_string(static_cast<int>(buffer.fill.kind))).add(amount_text(buffer.fill.value));
    hasher.add(amount_text(buffer.fill.low)).add(amount_text(buffer.fill.high));
    hasher.add(buffer.fill.seed.text()).add(buffer.output_only ? "output_only" : "");
    if (buffer.fill.kind == Fill::Kind::function) hasher.add(buffer.fill.function);
    for (const Expression& argument : buffer.fill.arguments) hasher.add(argument.text());
    if (buffer.fill.kind == Fill::Kind::normal)
      hasher.add(amount_text(buffer.fill.mean)).add(amount_text(buffer.fill.deviation));
    if (buffer.memory.text() != BufferSpec().memory.text()) hasher.add("in").add(buffer.memory.text());
    hasher.add(buffer.fill.element.text()).add(buffer.fill.digest);
    add_offset(hasher, buffer.fill);
  }
}

}  // namespace tailwave
