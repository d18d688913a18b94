// How far a making of a patch has come: shares after which steps end, as it is for a usual pair at a middle level.
#pragma once

namespace bdelta::share {

// Of the whole work.
inline constexpr double kLoaded = 0.02;
inline constexpr double kDigested = 0.04;
inline constexpr double kSegmentsDone = 0.89;
inline constexpr double kEncoded = 0.9;
inline constexpr double kChecked = 0.97;

// Of a segment.
inline constexpr double kSegmentLoaded = 0.04;
inline constexpr double kMatched = 0.55;
inline constexpr double kChosen = 0.6;

}  // namespace bdelta::share
