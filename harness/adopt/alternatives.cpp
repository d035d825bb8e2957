#include "adopt/alternatives.h"

#include <algorithm>

#include "adopt/host_pointer.h"

namespace tailwave {
namespace {

bool take_the_same(const KernelText& left, const KernelText& right) {
  return left.templates.size() == right.templates.size() &&
         std::equal(left.parameters.begin(), left.parameters.end(), right.parameters.begin(),
                    right.parameters.end(), [](const OutlineParameter& a, const OutlineParameter& b) {
                      return a.type_name == b.type_name && a.pointer == b.pointer && a.reads == b.reads;
                    });
}

// What they are passed, whatever it is called where they are launched.
bool have_the_same_arguments(Draft& draft, const DraftLaunch& left, const DraftLaunch& right) {
  const auto& own = left.host->arguments;
  const auto& others = right.host->arguments;
  const auto value = [&](LexemeSpan argument, std::size_t at) {
    HostScope scope(draft, at, false);
    const auto term = parse_term(argument);
    return term ? to_polynomial(*term, scope) : std::nullopt;
  };
  for (std::size_t i = 0; i < own.size() && i < others.size(); ++i) {
    const bool is_pointer = i < left.kernel->parameters.size() && left.kernel->parameters[i].pointer;
    const HostPointer a = memory_of(draft.host, pointer_of(own[i]), left.host->at),
                      b = memory_of(draft.host, pointer_of(others[i]), right.host->at);
    const auto x = is_pointer ? std::nullopt : value(own[i], left.host->at),
               y = is_pointer ? std::nullopt : value(others[i], right.host->at);
    const bool is_same = is_pointer ? a.passed == b.passed
                         : x || y   ? x == y
                                    : joined(own[i]) == joined(others[i]);
    if (!is_same) return false;
  }
  return own.size() == others.size();
}

// Whether a buffer that one of them writes is read by none, other than to add to it at once.
bool only_write(const std::vector<DraftLaunch>& launches, std::size_t pointer) {
  bool writes = false, reads = false;
  for (const DraftLaunch& launch : launches)
    for (const MemoryAccess& access : launch.body.accesses) {
      if (access.pointer != launch.pointers[pointer].name) continue;
      const bool adds = access.reads && access.writes && access.index;
      writes = writes || (access.writes && !launch.pointers[pointer].reads);
      reads = reads || (access.reads && !adds);
    }
  return !writes || !reads;
}

// "box.width" of "p.width" where the parameter p of one kernel is called box by the other.
std::string renamed(const std::string& name, const KernelText& from, const KernelText& to) {
  const std::size_t dot = name.find('.');
  const std::string whole = name.substr(0, dot);
  for (std::size_t i = 0; i < from.parameters.size(); ++i)
    if (from.parameters[i].name == whole)
      return to.parameters[i].name + (dot == std::string::npos ? "" : name.substr(dot));
  return "";
}

}  // namespace

bool have_one_signature(const std::vector<KernelText>& kernels) {
  return kernels.size() > 1 && std::all_of(kernels.begin(), kernels.end(), [&](const KernelText& each) {
           return take_the_same(kernels.front(), each) && !each.parameters.empty();
         });
}

bool are_alternatives(Draft& draft) {
  const std::vector<DraftLaunch>& launches = draft.launches;
  if (launches.size() < 2) return false;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const DraftLaunch &first = launches.front(), &one = launches[i];
    if (one.host == nullptr || first.host == nullptr || one.pointers.size() != first.pointers.size() ||
        !take_the_same(*first.kernel, *one.kernel) || !have_the_same_arguments(draft, first, one))
      return false;
    for (std::size_t other = 0; other < i; ++other)
      if (launches[other].kernel == one.kernel) return false;
  }
  for (std::size_t i = 0; i < launches.front().pointers.size(); ++i)
    if (!only_write(launches, i)) return false;
  return true;
}

void name_as_first(const DraftLaunch& first, DraftLaunch& other) {
  for (const auto& [name, value] : first.known)
    if (const std::string own = renamed(name, *first.kernel, *other.kernel); !own.empty())
      other.known[own] = value;
  for (const auto& [pointer, buffer] : first.buffers)
    if (const std::string own = renamed(pointer, *first.kernel, *other.kernel); !own.empty())
      other.buffers[own] = buffer;
}

}  // namespace tailwave
