// What Swift cannot call in SQLite by itself: sqlite3_db_config takes variable arguments.
#ifndef CSQLITE_SHIMS_H
#define CSQLITE_SHIMS_H
#include <sqlite3.h>

// Switches a connection's triggers on or off; foreign keys act all the same.
static inline int bolide_enable_triggers(sqlite3 *connection, int enable) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, enable, (int *)0);
}
#endif
