#include "model/mixing.hpp"

namespace bdelta::mix {

constinit const Tables kTables = {make_stretch(), make_rates(), make_squash()};

}  // namespace bdelta::mix
