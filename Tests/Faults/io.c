// Fails calls of the system, chosen by kind and number, on files below one folder: preloaded into a program under test.
//
//   FAULT_ROOT=/folder        which files; what they are called is asked of the kernel, by their descriptor
//   FAULT=write:12:once:28    the twelfth write ends with errno 28; `on`: it and all that follow; a number: so many.
//                             0 for errno: a write of half. `signal`: the process sends itself signal 28, and writes
//   FAULT_COUNT=/file         at its end the process writes there how many calls of each kind there were
//   FAULT_RECORD=/file        what changes files is written there in its order, for who rebuilds what a power cut leaves:
//
//     kind  offset or size  size  length of path  path    bytes
//     1     8               8     2               ...     size bytes of a write, or a rename's and a link's other path
//
// `memory` is an allocation of SQLite's, `clock` a reading of the clock: errno is by how many seconds it is off then.
// The variables and LD_PRELOAD are taken out of the environment: a command that the program starts is left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, TRUNCATE, SYNC, RENAME, LINK, UNLINK, MAP, LOCK, THREAD, PROCESS, MEMORY, CLOCK, KINDS };
static const char *const names[KINDS] = {"open",   "read", "write", "truncate", "sync",    "rename", "link",
                                         "unlink", "map",  "lock",  "thread",   "process", "memory", "clock"};
static atomic_long counts[KINDS];
static char root[4096], count_file[4096];
static size_t root_size;
static int kind = -1, error, record = -1, signals;
static long number, times;
static pthread_mutex_t recording = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static void finish(void);
static void take_memory(void);

__attribute__((constructor)) static void begin(void) {
  const char *fault = getenv("FAULT"), *folder = getenv("FAULT_ROOT"), *file = getenv("FAULT_COUNT");
  const char *records = getenv("FAULT_RECORD");
  char name[16] = "", mode[8] = "";
  if (folder) root_size = (size_t)snprintf(root, sizeof root, "%s/", folder);
  if (file) snprintf(count_file, sizeof count_file, "%s", file);
  if (fault && sscanf(fault, "%15[^:]:%ld:%7[^:]:%d", name, &number, mode, &error) == 4) {
    for (int i = 0; i < KINDS; i++)
      if (!strcmp(name, names[i])) kind = i;
    signals = !strcmp(mode, "signal");
    times = !strcmp(mode, "on") ? 1L << 40 : !strcmp(mode, "once") || signals ? 1 : atol(mode);
  }
  if (records) record = REAL(open)(records, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  for (const char *const *one = (const char *const[]){"LD_PRELOAD", "FAULT", "FAULT_ROOT", "FAULT_COUNT", "FAULT_RECORD", 0};
       *one; one++)
    unsetenv(*one);
  if (*count_file || kind == MEMORY) take_memory();
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

static int path_of(int file, char *path, size_t size);
static int is_file_below(int file) {
  char path[4096];
  return path_of(file, path, sizeof path) && is_below(path);
}

// Whether this call is to fail; errno is set then.
static int fails(enum kind which, int isBelow) {
  if (!isBelow) return 0;
  long call = atomic_fetch_add(&counts[which], 1) + 1;
  if ((int)which != kind || call < number || call - number >= times) return 0;
  if (signals) {
    kill(getpid(), error);
    return 0;
  }
  errno = error;
  return 1;
}

// The path of a file below the root, in `path`; 0 for another.
static int path_of(int file, char *path, size_t size) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return 0;
  path[length] = 0;
  // The folder itself is one of them: its names are made durable by it.
  return *path == '/' && (is_below(path) || (strlen(path) + 1 == root_size && !strncmp(path, root, root_size - 1)));
}

static void note(char what, const char *path, uint64_t offset, const void *bytes, uint64_t size) {
  struct __attribute__((packed)) {
    char what;
    uint64_t offset, size;
    uint16_t length;
  } head = {what, offset, size, (uint16_t)strlen(path)};
  // The calls in between would be ours.
  REAL(write)(record, &head, sizeof head);
  REAL(write)(record, path, head.length);
  if (bytes) REAL(write)(record, bytes, size);
}

// Runs a call and notes it in the order of its effect; -1 as its result is not noted.
#define NOTED(type, what, path, offset, bytes, size, call)      \
  if (record < 0) return call;                                  \
  pthread_mutex_lock(&recording);                               \
  type result = call;                                           \
  int kept = errno;                                             \
  if (result >= 0) note(what, path, offset, bytes, size);       \
  pthread_mutex_unlock(&recording);                             \
  errno = kept;                                                 \
  return result;

#define NOTED_FILE(type, what, offset, bytes, size, call)                     \
  char path[4096];                                                            \
  if (record < 0 || !path_of(file, path, sizeof path)) return call;           \
  NOTED(type, what, path, offset, bytes, size, call)

// A file that may have been made, or emptied, is noted with its size.
static int opened(int flags, int file) {
  char whole[4096];
  if (file < 0 || record < 0 || !(flags & (O_CREAT | O_TRUNC)) || !path_of(file, whole, sizeof whole)) return file;
  pthread_mutex_lock(&recording);
  note(flags & O_TRUNC ? 'E' : 'C', whole, 0, 0, 0);
  pthread_mutex_unlock(&recording);
  return file;
}

#define OPENS(name)                                                       \
  int name(const char *path, int flags, ...) {                            \
    va_list rest;                                                         \
    va_start(rest, flags);                                                \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                         \
    if (fails(OPEN, is_below(path))) return -1;                           \
    return opened(flags, REAL(name)(path, flags, mode));                  \
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
    return opened(flags, REAL(name)(folder, path, flags, mode));          \
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

// Half of what was asked for, where that is the fault.
static ssize_t cut(int file, size_t *count) {
  if (!fails(WRITE, is_file_below(file))) return 0;
  if (error || *count < 2) return -1;
  *count /= 2;
  return 0;
}

ssize_t write(int file, const void *bytes, size_t count) {
  if (cut(file, &count)) return -1;
  NOTED_FILE(ssize_t, 'W', (uint64_t)(lseek(file, 0, SEEK_CUR) - result), bytes, (uint64_t)result,
             REAL(write)(file, bytes, count))
}
#define WRITES(name, offset_type)                                                                                     \
  ssize_t name(int file, const void *bytes, size_t count, offset_type offset) {                                       \
    if (cut(file, &count)) return -1;                                                                                 \
    NOTED_FILE(ssize_t, 'W', (uint64_t)offset, bytes, (uint64_t)result, REAL(name)(file, bytes, count, offset))       \
  }
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)

#define TRUNCATES(name, offset_type)                                                            \
  int name(int file, offset_type size) {                                                        \
    if (fails(TRUNCATE, is_file_below(file))) return -1;                                        \
    NOTED_FILE(int, 'T', (uint64_t)size, NULL, 0, REAL(name)(file, size))                       \
  }
TRUNCATES(ftruncate, off_t)
TRUNCATES(ftruncate64, off64_t)

#define SYNCS(name)                                                                             \
  int name(int file) {                                                                          \
    if (fails(SYNC, is_file_below(file))) return -1;                                            \
    NOTED_FILE(int, 'S', 0, NULL, 0, REAL(name)(file))                                          \
  }
SYNCS(fsync)
SYNCS(fdatasync)

int rename(const char *from, const char *to) {
  if (fails(RENAME, is_below(to))) return -1;
  NOTED(int, 'R', to, 0, from, strlen(from), REAL(rename)(from, to))
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  if (fails(RENAME, is_below(to))) return -1;
  NOTED(int, 'R', to, flags, from, strlen(from), REAL(renameat2)(a, from, b, to, flags))
}
int link(const char *from, const char *to) {
  if (fails(LINK, is_below(to))) return -1;
  NOTED(int, 'L', to, 0, from, strlen(from), REAL(link)(from, to))
}
int unlink(const char *path) {
  if (fails(UNLINK, is_below(path))) return -1;
  NOTED(int, 'U', path, 0, NULL, 0, REAL(unlink)(path))
}

#define MAPS(name, offset_type)                                                                 \
  void *name(void *at, size_t size, int access, int flags, int file, offset_type offset) {      \
    if (file >= 0 && fails(MAP, is_file_below(file))) return MAP_FAILED;                        \
    return REAL(name)(at, size, access, flags, file, offset);                                   \
  }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

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

// Threads and processes answer with the error itself.
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*body)(void *), void *argument) {
  return fails(THREAD, 1) ? error : REAL(pthread_create)(thread, how, body, argument);
}
#define SPAWNS(name)                                                                                             \
  int name(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *how, \
           char *const arguments[], char *const environment[]) {                                                  \
    return fails(PROCESS, 1) ? error : REAL(name)(child, path, actions, how, arguments, environment);              \
  }
SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

// The clock is off by `error` seconds at the readings that the fault chooses.
static time_t jump(void) {
  long call = atomic_fetch_add(&counts[CLOCK], 1) + 1;
  return kind == CLOCK && call >= number && call - number < times ? error : 0;
}
int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = REAL(clock_gettime)(clock, time);
  if (clock == CLOCK_REALTIME) time->tv_sec += jump();
  return result;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  int result = REAL(gettimeofday)(time, zone);
  time->tv_sec += jump();
  return result;
}

// The system's own clock stays: who waits until a time of the clock that is off waits until the system's has come as far. A time
// since the machine's start is smaller than any date.
static int is_date(const struct timespec *until) { return until->tv_sec > 1000000000; }
static struct timespec of_system(const struct timespec *until) {
  struct timespec time = *until;
  long call = counts[CLOCK];
  if (is_date(until) && kind == CLOCK && call >= number && call - number < times) time.tv_sec -= error;
  return time;
}
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  struct timespec time = of_system(until);
  return pthread_cond_clockwait(condition, mutex, is_date(until) ? CLOCK_REALTIME : CLOCK_MONOTONIC, &time);
}
int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
  struct timespec time = of_system(until);
  return sem_clockwait(semaphore, CLOCK_REALTIME, &time);
}

// SQLite's allocations, by its own hooks.
static sqlite3_mem_methods memory;
static void *allocate(int size) { return fails(MEMORY, 1) ? NULL : memory.xMalloc(size); }
static void *reallocate(void *old, int size) { return fails(MEMORY, 1) ? NULL : memory.xRealloc(old, size); }

static void take_memory(void) {
  int (*configure)(int, ...) = (int (*)(int, ...))dlsym(RTLD_DEFAULT, "sqlite3_config");
  if (!configure || configure(SQLITE_CONFIG_GETMALLOC, &memory)) return;
  sqlite3_mem_methods ours = memory;
  ours.xMalloc = allocate;
  ours.xRealloc = reallocate;
  if (configure(SQLITE_CONFIG_MALLOC, &ours)) abort();
}
