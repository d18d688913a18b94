#include "io/attributes.hpp"

#include "io/retry_interrupted.hpp"

namespace bdelta::io {
namespace {

constexpr std::uint32_t kSetIdBits = 06000;
constexpr std::uint32_t kGroupBits = 070;

}  // namespace

// Owner first, as changing it clears the set-id bits. Where the group could not be kept, the group that the file has instead
// may do no more than everybody. The same holds where the access list could not be kept. With a list the group bits of the
// mode are no rights of the group but a bound on the list.
void give_attributes(const FileOps& ops, int fd, const FileInfo* old, const std::filesystem::path& old_path,
                     GivenMode given) noexcept {
  std::uint32_t mode = given.mode;
  if (old) {
    FileInfo now;
    const bool known = retry_interrupted([&] { return ops.info(fd, now); }) == 0;
    const auto give = [&](std::uint32_t owner, std::uint32_t group) {
      return retry_interrupted([&] { return ops.set_owner(fd, owner, group); }) == 0;
    };
    const bool same = known && now.owner == old->owner && now.group == old->group;
    bool group_kept = true;
    if (!same && !give(old->owner, old->group)) {
      mode &= ~kSetIdBits;
      group_kept = known && (now.group == old->group || give(now.owner, old->group));
    }
    const bool list_kept = retry_interrupted([&] { return ops.copy_access(old_path.c_str(), fd); }) == 0;
    if ((!group_kept || !list_kept) && !given.is_fixed) mode &= ~kGroupBits | ((mode & 07) << 3);
  }
  (void)retry_interrupted([&] { return ops.set_mode(fd, mode); });
}

}  // namespace bdelta::io
