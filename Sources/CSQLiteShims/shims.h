// What Swift cannot call by itself: sqlite3_db_config takes variable arguments, and renameat2 is hidden by the C library
// unless a program asks for its extensions.
#ifndef CSQLITE_SHIMS_H
#define CSQLITE_SHIMS_H
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>

// Switches a connection's triggers on or off; foreign keys act all the same.
static inline int bolide_enable_triggers(sqlite3 *connection, int enable) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, enable, (int *)0);
}

// Whether statements look whether what a foreign key leads to is there, and act when it goes.
static inline int bolide_enable_foreign_keys(sqlite3 *connection, int enable) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FKEY, enable, (int *)0);
}

// Refuses what could damage a file from within SQL: writing the schema or the tables behind a virtual one.
static inline int bolide_defend(sqlite3 *connection, int enable) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, enable, (int *)0);
}

// Leaves the write-ahead log as it is when the last connection closes.
static inline int bolide_keep_log(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Takes "x" for a name and never for a text.
static inline int bolide_refuse_quoted_texts(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

// Locks one byte of a file for a descriptor, not for the process; EAGAIN or EACCES where another one has it.
static inline int bolide_lock_byte(int descriptor, long long place) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
#ifdef F_OFD_SETLK
    return fcntl(descriptor, F_OFD_SETLK, &lock);
#elif defined(__linux__)
    return fcntl(descriptor, 37 /* F_OFD_SETLK */, &lock);
#else
    return fcntl(descriptor, F_SETLK, &lock);
#endif
}

#ifdef __linux__
int renameat2(int, const char *, int, const char *, unsigned int);
#endif

// Renames a file in one step unless the new name is taken (EEXIST); EINVAL where the file system cannot.
static inline int bolide_rename_new(const char *from, const char *to) {
#ifdef __linux__
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 1 /* RENAME_NOREPLACE */);
#else
    return renamex_np(from, to, RENAME_EXCL);
#endif
}
#endif
