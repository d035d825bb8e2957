#pragma once

#include <string>

#include "store/database.h"

namespace tailwave {

// The page of what strategies reached on recorded spaces (tables/simulations.sql), best first, with `charts`
// (pictures_part) behind the tables; "" when nothing was simulated.
std::string simulations_page(Database& database, const std::string& charts);

}  // namespace tailwave
