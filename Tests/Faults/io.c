// Fails calls of the system, chosen by kind and number, on files below one folder: preloaded into a program under test.
//
//   FAULT_ROOT=/folder        which files; what they are called is asked of the kernel, by their descriptor
//   FAULT=write:12:once:28    the twelfth write ends with errno 28; `on`: it and all that follow. 0 for errno: a write of half
//   FAULT_COUNT=/file         at its end the process writes there how many calls of each kind there were
//
// The variables and LD_PRELOAD are taken out of the environment: a command that the program starts is left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, TRUNCATE, SYNC, RENAME, LINK, UNLINK, MAP, LOCK, KINDS };
static const char *const names[KINDS] = {"open",   "read", "write",  "truncate", "sync",
                                         "rename", "link", "unlink", "map",      "lock"};
static atomic_long counts[KINDS];
static char root[4096], count_file[4096];
static size_t root_size;
static int kind = -1, goes_on, error;
static long number;

static void finish(void);

__attribute__((constructor)) static void begin(void) {
  const char *fault = getenv("FAULT"), *folder = getenv("FAULT_ROOT"), *file = getenv("FAULT_COUNT");
  char name[16] = "", mode[8] = "";
  if (folder) root_size = (size_t)snprintf(root, sizeof root, "%s/", folder);
  if (file) snprintf(count_file, sizeof count_file, "%s", file);
  if (fault && sscanf(fault, "%15[^:]:%ld:%7[^:]:%d", name, &number, mode, &error) == 4) {
    for (int i = 0; i < KINDS; i++)
      if (!strcmp(name, names[i])) kind = i;
    goes_on = !strcmp(mode, "on");
  }
  for (const char *const *one = (const char *const[]){"LD_PRELOAD", "FAULT", "FAULT_ROOT", "FAULT_COUNT", 0}; *one; one++)
    unsetenv(*one);
  atexit(finish);
}

static void finish(void) {
  if (!*count_file) return;
  FILE *file = fopen(count_file, "w");
  if (!file) return;
  for (int i = 0; i < KINDS; i++) fprintf(file, "%s %ld\n", names[i], counts[i]);
  fclose(file);
}

static int is_below(const char *path) {
  char whole[8192];
  if (!root_size || !path) return 0;
  if (*path != '/') {
    if (!getcwd(whole, sizeof whole / 2)) return 0;
    strcat(whole, "/");
    strncat(whole, path, sizeof whole / 2 - 2);
    path = whole;
  }
  return !strncmp(path, root, root_size);
}

static int is_file_below(int file) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return *path == '/' && is_below(path);
}

// Whether this call is to fail; errno is set then.
static int fails(enum kind which, int isBelow) {
  if (!isBelow) return 0;
  long call = atomic_fetch_add(&counts[which], 1) + 1;
  if ((int)which != kind || (goes_on ? call < number : call != number)) return 0;
  errno = error;
  return 1;
}

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

#define OPENS(name)                                                       \
  int name(const char *path, int flags, ...) {                            \
    va_list rest;                                                         \
    va_start(rest, flags);                                                \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                         \
    if (fails(OPEN, is_below(path))) return -1;                           \
    return REAL(name)(path, flags, mode);                                 \
  }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                                    \
  int name(int folder, const char *path, int flags, ...) {                \
    va_list rest;                                                         \
    va_start(rest, flags);                                                \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                         \
    if (fails(OPEN, folder == AT_FDCWD && is_below(path))) return -1;     \
    return REAL(name)(folder, path, flags, mode);                         \
  }
OPENS_AT(openat)
OPENS_AT(openat64)

ssize_t read(int file, void *bytes, size_t count) {
  if (fails(READ, is_file_below(file))) return -1;
  return REAL(read)(file, bytes, count);
}
#define READS(name, offset_type)                                            \
  ssize_t name(int file, void *bytes, size_t count, offset_type offset) {   \
    if (fails(READ, is_file_below(file))) return -1;                        \
    return REAL(name)(file, bytes, count, offset);                          \
  }
READS(pread, off_t)
READS(pread64, off64_t)

ssize_t write(int file, const void *bytes, size_t count) {
  if (fails(WRITE, is_file_below(file))) {
    if (error || count < 2) return -1;
    count /= 2;
  }
  return REAL(write)(file, bytes, count);
}
#define WRITES(name, offset_type)                                                \
  ssize_t name(int file, const void *bytes, size_t count, offset_type offset) {  \
    if (fails(WRITE, is_file_below(file))) {                                     \
      if (error || count < 2) return -1;                                         \
      count /= 2;                                                                \
    }                                                                            \
    return REAL(name)(file, bytes, count, offset);                               \
  }
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)

int ftruncate(int file, off_t size) {
  return fails(TRUNCATE, is_file_below(file)) ? -1 : REAL(ftruncate)(file, size);
}
int ftruncate64(int file, off64_t size) {
  return fails(TRUNCATE, is_file_below(file)) ? -1 : REAL(ftruncate64)(file, size);
}
int fsync(int file) { return fails(SYNC, is_file_below(file)) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return fails(SYNC, is_file_below(file)) ? -1 : REAL(fdatasync)(file); }
int rename(const char *from, const char *to) {
  return fails(RENAME, is_below(to)) ? -1 : REAL(rename)(from, to);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  return fails(RENAME, is_below(to)) ? -1 : REAL(renameat2)(a, from, b, to, flags);
}
int link(const char *from, const char *to) { return fails(LINK, is_below(to)) ? -1 : REAL(link)(from, to); }
int unlink(const char *path) { return fails(UNLINK, is_below(path)) ? -1 : REAL(unlink)(path); }

void *mmap(void *at, size_t size, int access, int flags, int file, off_t offset) {
  if (file >= 0 && fails(MAP, is_file_below(file))) return MAP_FAILED;
  return REAL(mmap)(at, size, access, flags, file, offset);
}
void *mmap64(void *at, size_t size, int access, int flags, int file, off64_t offset) {
  if (file >= 0 && fails(MAP, is_file_below(file))) return MAP_FAILED;
  return REAL(mmap64)(at, size, access, flags, file, offset);
}

static int is_lock(int command) { return command == F_SETLK || command == F_OFD_SETLK; }
#define CONTROLS(name)                                                       \
  int name(int file, int command, ...) {                                     \
    va_list rest;                                                            \
    va_start(rest, command);                                                 \
    void *argument = va_arg(rest, void *);                                   \
    va_end(rest);                                                            \
    if (is_lock(command) && fails(LOCK, is_file_below(file))) return -1;     \
    return REAL(name)(file, command, argument);                              \
  }
CONTROLS(fcntl)
CONTROLS(fcntl64)
int flock(int file, int how) { return fails(LOCK, is_file_below(file)) ? -1 : REAL(flock)(file, how); }
