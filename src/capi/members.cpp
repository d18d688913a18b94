// Where the bytes of a patch go: what the library found is held for a C caller, who looks at it piece by piece.
#include "bdelta/members.hpp"

#include <new>

#include "capi/structs.hpp"

struct bdelta_members {
  bdelta::PatchBytes bytes;
};

namespace bdelta::capi {
namespace {

void put_name(const std::string& from, const char*& text, std::size_t& size) noexcept {
  text = from.c_str();
  size = from.size();
}

bdelta_share c_share(const NamedBytes& from) noexcept {
  bdelta_share to{};
  put_name(from.name, to.name, to.name_size);
  to.patch_bytes = from.bytes;
  return to;
}

bdelta_share c_share(const SectionBytes& from) noexcept {
  bdelta_share to{};
  put_name(from.name, to.name, to.name_size);
  to.patch_bytes = from.patch_bytes;
  to.target_bytes = from.target_bytes;
  to.changed_bytes = from.changed_bytes;
  return to;
}

bdelta_member c_member(const MemberBytes& from) noexcept {
  bdelta_member to{};
  put_name(from.path, to.path, to.path_size);
  put_name(from.source_path, to.source_path, to.source_path_size);
  to.parent = from.parent == MemberBytes::kNone ? BDELTA_NO_MEMBER : from.parent;
  to.format = from.format.c_str();
  to.packed_as = from.packed_as.c_str();
  to.target_bytes = from.target_bytes;
  to.patch_bytes = from.patch_bytes;
  to.copied_bytes = from.copied_bytes;
  to.changed_bytes = from.changed_bytes;
  to.kind_count = from.kinds.size();
  to.section_count = from.sections.size();
  to.source_has_path = from.source_has_path;
  return to;
}

bdelta_entry c_entry(const EntryBytes& from) noexcept {
  bdelta_entry to{};
  to.change = static_cast<std::uint32_t>(from.change);
  put_name(from.path, to.path, to.path_size);
  put_name(from.source_path, to.source_path, to.source_path_size);
  to.target_bytes = from.bytes;
  to.has_patch_bytes = from.patch_bytes.has_value();
  to.patch_bytes = from.patch_bytes.value_or(0);
  return to;
}

bdelta_members_summary c_summary(const PatchBytes& from) noexcept {
  bdelta_members_summary to{};
  to.patch_bytes = from.patch_bytes;
  to.kind_count = from.kinds.size();
  to.member_count = from.members.size();
  to.removed_count = from.removed_paths.size();
  to.has_entries = from.entries.has_value();
  to.entry_count = from.entries ? from.entries->size() : 0;
  return to;
}

Status check_index(std::size_t count, std::size_t index, const char* name) {
  if (index < count) return {};
  return Error{ErrorCode::kUsage, std::string(name) + ": expected a number below " + std::to_string(count) + ", found " +
                                      std::to_string(index)};
}

// One of `items` into the caller's struct.
template <class Item, class Struct>
Status give_item(const std::vector<Item>& items, std::size_t index, const char* name, Struct (*as_c)(const Item&), Struct* to) {
  BDELTA_TRY(check_index(items.size(), index, name));
  write_struct(as_c(items[index]), to);
  return {};
}

// The frame of the calls that look at what is held.
template <class Body>
std::int32_t look(const bdelta_members* members, const void* to, bdelta_error* error, Body&& body) noexcept {
  return call(error, [&]() -> Status {
    BDELTA_TRY(require(members, "members"));
    BDELTA_TRY(require(to, "the struct to fill"));
    BDELTA_TRY(check_out(to, "the struct to fill"));
    return body(members->bytes);
  });
}

Result<PatchBytes> inspect(const char* source, const char* patch, const bdelta_apply_options* options) {
  BDELTA_ASSIGN(const auto patch_path, path_of(patch, "patch"));
  BDELTA_ASSIGN(const ApplyOptions how, pull_options(options));
  if (!source) return inspect_bytes(patch_path, how);
  BDELTA_ASSIGN(const auto source_path, path_of(source, "source"));
  return inspect_members(source_path, patch_path, how);
}

}  // namespace
}  // namespace bdelta::capi

using namespace bdelta;        // NOLINT: this file is the C face of that namespace
using namespace bdelta::capi;  // NOLINT

extern "C" {

int32_t bdelta_members_open(const char* source, const char* patch, const bdelta_apply_options* options,
                            bdelta_members** members, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(require(members, "members"));
    *members = nullptr;
    BDELTA_ASSIGN(PatchBytes found, capi::inspect(source, patch, options));
    *members = new bdelta_members{std::move(found)};
    return {};
  });
}

int32_t bdelta_members_sum_up(const bdelta_members* members, bdelta_members_summary* summary, bdelta_error* error) {
  return look(members, summary, error, [&](const PatchBytes& bytes) -> Status {
    write_struct(c_summary(bytes), summary);
    return {};
  });
}

int32_t bdelta_members_member(const bdelta_members* members, size_t index, bdelta_member* member, bdelta_error* error) {
  return look(members, member, error, [&](const PatchBytes& bytes) {
    return give_item(bytes.members, index, "member", &c_member, member);
  });
}

int32_t bdelta_members_kind(const bdelta_members* members, size_t member, size_t index, bdelta_share* share, bdelta_error* error) {
  return look(members, share, error, [&](const PatchBytes& bytes) -> Status {
    if (member != BDELTA_NO_MEMBER) BDELTA_TRY(check_index(bytes.members.size(), member, "member"));
    const std::vector<NamedBytes>& kinds = member == BDELTA_NO_MEMBER ? bytes.kinds : bytes.members[member].kinds;
    return give_item<NamedBytes, bdelta_share>(kinds, index, "kind", &c_share, share);
  });
}

int32_t bdelta_members_section(const bdelta_members* members, size_t member, size_t index, bdelta_share* share,
                               bdelta_error* error) {
  return look(members, share, error, [&](const PatchBytes& bytes) -> Status {
    BDELTA_TRY(check_index(bytes.members.size(), member, "member"));
    return give_item<SectionBytes, bdelta_share>(bytes.members[member].sections, index, "section", &c_share, share);
  });
}

int32_t bdelta_members_entry(const bdelta_members* members, size_t index, bdelta_entry* entry, bdelta_error* error) {
  return look(members, entry, error, [&](const PatchBytes& bytes) {
    static const std::vector<EntryBytes> none;
    return give_item(bytes.entries ? *bytes.entries : none, index, "entry", &c_entry, entry);
  });
}

const char* bdelta_members_removed(const bdelta_members* members, size_t index, size_t* size) {
  if (!members || index >= members->bytes.removed_paths.size()) return nullptr;
  const std::string& path = members->bytes.removed_paths[index];
  if (size) *size = path.size();
  return path.c_str();
}

void bdelta_members_close(bdelta_members* members) { delete members; }

}  // extern "C"
