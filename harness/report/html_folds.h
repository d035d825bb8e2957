#pragma once

#include <cmark-gfm.h>

namespace tailwave {

// Folds the sections of a page that hold tables: a heading of the second or third level and what follows, up to the next
// heading, become <details> with the heading as its summary. Other sections, and what stands before the first, stay as they are.
void fold_sections(cmark_node* document);

}  // namespace tailwave
