#include "report/html_folds.h"

#include <memory>
#include <string_view>
#include <vector>

#include "store/statement.h"

namespace tailwave {
namespace {

bool is_heading(cmark_node* node) {
  return cmark_node_get_type(node) == CMARK_NODE_HEADING;
}

bool has_table(cmark_node* root) {
  const std::unique_ptr<cmark_iter, Destroy<cmark_iter_free>> iterator(cmark_iter_new(root));
  while (cmark_iter_next(iterator.get()) != CMARK_EVENT_DONE)
    if (std::string_view(cmark_node_get_type_string(cmark_iter_get_node(iterator.get()))) == "table")
      return true;
  return false;
}

// What belongs to a heading alone.
std::vector<cmark_node*> part_of(cmark_node* heading) {
  std::vector<cmark_node*> part;
  for (cmark_node* node = cmark_node_next(heading); node != nullptr && !is_heading(node);
       node = cmark_node_next(node))
    part.push_back(node);
  return part;
}

cmark_node* block(const char* enter, const char* leave) {
  cmark_node* node = cmark_node_new(CMARK_NODE_CUSTOM_BLOCK);
  cmark_node_set_on_enter(node, enter);
  cmark_node_set_on_exit(node, leave);
  return node;
}

void fold(cmark_node* heading, const std::vector<cmark_node*>& part) {
  cmark_node* details = block("<details>", "</details>");
  cmark_node* summary = block("<summary>", "</summary>");
  cmark_node_insert_before(heading, details);
  cmark_node_append_child(details, summary);
  cmark_node_append_child(summary, heading);
  for (cmark_node* one : part) cmark_node_append_child(details, one);
}

}  // namespace

void fold_sections(cmark_node* document) {
  std::vector<cmark_node*> headings;
  for (cmark_node* node = cmark_node_first_child(document); node != nullptr; node = cmark_node_next(node))
    if (is_heading(node) && cmark_node_get_heading_level(node) > 1) headings.push_back(node);
  for (cmark_node* heading : headings) {
    const std::vector<cmark_node*> part = part_of(heading);
    bool folds = false;
    for (cmark_node* node : part) folds = folds || has_table(node);
    if (folds) fold(heading, part);
  }
}

}  // namespace tailwave
