#pragma once

#include <string>

#include "store/database.h"

namespace tailwave {

// The name under which the database has the device that a person calls `wanted`: that name, what --target calls the
// device ("h200"), or a part of the name that no other device's has; capitals, spaces and punctuation do not count. A
// kind ("cuda", "cpu", "recorded") stays as it is, and so does everything while no device has run anything. Throws
// Error (bad usage), naming the devices that there are, where none or several are meant.
std::string stored_device(Database& database, const std::string& wanted);

}  // namespace tailwave
