#include "adopt/open_sizes.h"

#include <algorithm>

#include "adopt/element_names.h"
#include "adopt/lexemes.h"

namespace tailwave {
namespace {

constexpr int kDeepestSize = 4;  // variables made of variables

}  // namespace

OpenSizes::OpenSizes(Draft& draft, const DraftLaunch& launch) : draft_(draft), launch_(launch) {
  const auto block = launch.host == nullptr ? std::nullopt : parse_term(launch.host->block);
  if (block) note_block(*block, launch.host->at, 0);
}

void OpenSizes::note_block(const CTerm& term, std::size_t place, int depth) {
  for_each_term(term, [&](const CTerm& part) {
    if (part.kind != CTerm::Kind::name) return;
    const HostText::Variable own = draft_.host.origin_of(part.text, place);
    of_block_.insert(own.name);
    const auto made = draft_.host.sizes(own.name, own.place);
    if (made && depth < kDeepestSize) note_block(*made, own.place, depth + 1);
  });
}

void OpenSizes::guess(const CTerm& term, std::size_t place, int depth) {
  for_each_term(term, [&](const CTerm& part) {
    if (part.kind != CTerm::Kind::name || HostScope(draft_, place, false).meaning(part.text)) return;
    const HostText::Variable own = draft_.host.origin_of(part.text, place);
    if (of_block_.contains(own.name)) return;
    if (!draft_.host.is_open(own.name, own.place)) {
      const auto made = draft_.host.definition(own.name, own.place);
      if (made && depth < kDeepestSize) guess(*made, own.place, depth + 1);
      return;
    }
    const auto type = element_named(draft_.host.type_of(own.name, own.place), draft_.aliases);
    if (!type || type->lanes != 1 || is_real(type->scalar)) return;
    const std::string name = draft_.free_name(own.name);
    draft_.quantities.push_back({.name = name,
                                 .type = ScalarType::int32,
                                 .value = std::int64_t{1024},
                                 .is_guess = true,
                                 .is_size = true});
    draft_.name_variable(part.text, place, Polynomial::factor(name));
    guessed_.push_back(name);
  });
}

void OpenSizes::forget_unused() {
  for (const std::string& name : guessed_) {
    if (std::any_of(launch_.grid.begin(), launch_.grid.end(),
                    [&](const Polynomial& size) { return has_word(size.text(), name); }))
      continue;
    std::erase_if(draft_.quantities, [&](const DraftQuantity& each) { return each.name == name; });
    std::erase_if(draft_.host_names,
                  [&](const auto& each) { return each.second == Polynomial::factor(name); });
  }
}

}  // namespace tailwave
