#pragma once

#include "adopt/draft.h"

namespace tailwave {

// What buffers begin with whose elements are indices: whole numbers below what they are indices of. Where each two neighbours
// are the begin and the end of a row (rows[i], rows[i + 1]), rows of equal lengths; where nobody knows how many elements the
// rows have, it is 8 each. Counts are known by then.
void fill_indices(Draft& draft);

}  // namespace tailwave
