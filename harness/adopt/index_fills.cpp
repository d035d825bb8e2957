#include "adopt/index_fills.h"

#include <fmt/format.h>

#include <algorithm>

#include "adopt/kernel_scope.h"
#include "space/expression.h"

namespace tailwave {
namespace {

constexpr std::int64_t kElementsOfARow = 8;

class IndexFills {
 public:
  IndexFills(Draft& draft, const DraftLaunch& launch)
      : draft_(draft), launch_(launch), scope_(launch, draft, true) {}

  void fill_rows() {
    for (const auto& [pointer, targets] : launch_.body.indexed_by)
      if (DraftBuffer* begins = indices(pointer); begins != nullptr && has_neighbours(pointer))
        fill_begins(*begins, targets);
  }

  void fill_others() {
    for (const auto& [pointer, targets] : launch_.body.indexed_by)
      if (DraftBuffer* buffer = indices(pointer);
          buffer != nullptr && buffer->fill != DraftBuffer::Fill::generated)
        fill_below(*buffer, targets);
  }

 private:
  DraftBuffer* buffer_of(const std::string& pointer) {
    const auto name = launch_.buffers.find(pointer);
    return name == launch_.buffers.end() ? nullptr : draft_.buffer(name->second);
  }
  DraftBuffer* indices(const std::string& pointer) {
    DraftBuffer* buffer = buffer_of(pointer);
    return buffer == nullptr || is_real(buffer->type.scalar) ? nullptr : buffer;
  }

  // Whether an element and the next one are read.
  bool has_neighbours(const std::string& pointer) {
    std::vector<Polynomial> places;
    for (const MemoryAccess& access : launch_.body.accesses) {
      if (access.pointer != pointer || !access.index || access.writes) continue;
      if (const auto place = to_polynomial(*access.index, scope_)) places.push_back(*place);
    }
    return std::any_of(places.begin(), places.end(), [&](const Polynomial& place) {
      return std::find(places.begin(), places.end(), place + 1) != places.end();
    });
  }

  void fill_begins(DraftBuffer& begins, const std::set<std::string>& targets) {
    const Polynomial rows = begins.count - 1;
    const Values defaults = draft_.defaults();
    if (rows.value(defaults).value_or(0) < 1) return;
    for (const std::string& target : targets)
      if (DraftBuffer* buffer = buffer_of(target);
          buffer != nullptr && buffer != &begins && buffer->count_is_guess)
        buffer->count = rows * Polynomial(kElementsOfARow);
    const auto elements = least(begins, targets);
    if (!elements) return;
    const auto each = elements->divided_by(rows);
    const std::string length =
        each ? each->text() : fmt::format("(({}) // ({}))", elements->text(), rows.text());
    begins.fill = DraftBuffer::Fill::generated;
    begins.element = length + " * i";
    draft_.guess(fmt::format("'{}' are the begins of rows of {} elements", begins.name, length),
                 fmt::format("/buffers/{}/fill", begins.name));
  }

  void fill_below(DraftBuffer& buffer, const std::set<std::string>& targets) {
    const auto below = least(buffer, targets);
    if (!below) return;
    buffer.fill = DraftBuffer::Fill::indices;
    buffer.below = for_all_parameters(*below);
    draft_.guess(fmt::format("'{}' has indices below {}", buffer.name, buffer.below.text()),
                 fmt::format("/buffers/{}/fill", buffer.name));
  }

  // Elements of the smallest of what is indexed, other than itself.
  std::optional<Polynomial> least(const DraftBuffer& own, const std::set<std::string>& targets) {
    std::optional<Polynomial> found;
    const Values defaults = draft_.defaults();
    for (const std::string& target : targets) {
      const DraftBuffer* buffer = buffer_of(target);
      if (buffer == &own) continue;
      const std::optional<Polynomial> count = buffer != nullptr ? buffer->count : length_of(target);
      const auto number = count ? count->value(defaults) : std::nullopt;
      if (number && (!found || *number < found->value(defaults).value_or(0))) found = count;
    }
    return found;
  }

  // Inputs are the same for all values of parameters: the smallest number of those that are tried.
  [[nodiscard]] Polynomial for_all_parameters(const Polynomial& below) const {
    Polynomial least = below;
    const std::vector<std::string> names = Expression::parse(below.text()).names();
    for (const std::string& name : names) {
      const DraftParameter* parameter = draft_.parameter(name);
      if (parameter == nullptr) continue;
      std::int64_t smallest = std::get<std::int64_t>(parameter->value);
      for (const std::int64_t tried : parameter->tried) smallest = std::min(smallest, tried);
      least = least.with_number(name, smallest);
    }
    return least;
  }

  std::optional<Polynomial> length_of(const std::string& array) {
    for (const SharedArray& each : launch_.body.shared)
      if (each.name == array && !each.sizes.empty() && each.sizes[0])
        return to_polynomial(*each.sizes[0], scope_);
    return std::nullopt;
  }

  Draft& draft_;
  const DraftLaunch& launch_;
  KernelScope scope_;
};

}  // namespace

void fill_indices(Draft& draft) {
  for (const DraftLaunch& launch : draft.launches) IndexFills(draft, launch).fill_rows();
  for (const DraftLaunch& launch : draft.launches) IndexFills(draft, launch).fill_others();
}

}  // namespace tailwave
