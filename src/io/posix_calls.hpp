// Calls of the table for POSIX systems that stand in a file of their own, and what all of them use. Each sets errno where it
// gives -1; file_ops.hpp says what each does.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "io/file_ops.hpp"

namespace bdelta::io {

// -1, with this error.
int fail(int error);

// Moves a descriptor that took the place of a closed standard stream out of the way.
int above_standard(int fd);

// What stat(2) has found, if its result is 0.
int to_file_info(int result, const struct ::stat& from, FileInfo& out);

std::FILE* system_open_stream(int fd, bool for_writing, const FileOps& table);
int system_set_buffer(std::FILE* file, char* buffer, std::size_t size);
std::size_t system_read_stream(std::FILE* file, void* to, std::size_t size);
std::size_t system_write_stream(std::FILE* file, const void* from, std::size_t size);
bool system_stream_failed(std::FILE* file);
bool system_stream_ended(std::FILE* file);
void system_clear_stream(std::FILE* file);

int system_rename_new(const char* from, const char* to);
int system_sync_directory(const char* path);
int system_free_bytes(const char* directory, std::uint64_t& out);
int system_is_in_memory(const char* directory, bool& out);
int system_clone(int from, int to);
std::ptrdiff_t system_copy_range(int from, int to, std::uint64_t pos, std::size_t size);
int system_set_mtime(int fd, std::int64_t mtime_ns);
int system_sync_all(int fd);

int system_open_directory(const char* path);
int system_open_at(int directory, const char* name, OpenAtKind kind, std::uint32_t mode);
int system_info_at(int directory, const char* name, FileInfo& out);
int system_list(int directory, std::vector<std::string>& names);
int system_make_directory(const char* path, std::uint32_t mode);
int system_make_directory_at(int directory, const char* name, std::uint32_t mode);
int system_make_link_at(int directory, const char* name, const char* target);
int system_read_link_at(int directory, const char* name, std::string& target);
int system_move_at(int from_directory, const char* from, int to_directory, const char* to);
int system_remove_at(int directory, const char* name, bool is_directory);
int system_rename_directory(const char* from, const char* to);
int system_remove_tree(const char* path);

}  // namespace bdelta::io
