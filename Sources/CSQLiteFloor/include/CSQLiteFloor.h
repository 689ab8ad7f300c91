// The floor: what SQLite alone takes for rows that are typed and in memory already.
//
// This is C so that nothing of Swift's, and nothing of Bolide's, is in the measure that Bolide is held against.
#ifndef CSQLITEFLOOR_H
#define CSQLITEFLOOR_H

#include <stdint.h>

enum { CFLOOR_INTEGER, CFLOOR_REAL, CFLOOR_TEXT, CFLOOR_BLOB };
enum { CFLOOR_MESSAGE = 256 };

// Rows in the input's order, one after another.
//
//   cells   row 0: c0 c1 c2 …  row 1: c0 c1 c2 …     8 bytes each: an int64, a double, or an offset into the arena
//   present row 0: 1  0  1  …                        0 is NULL
//   arena   length, bytes, length, bytes, …          texts and blobs; a length is a uint32 in the machine's order
typedef struct {
  int32_t columns;
  const uint8_t *kinds;
  int32_t keys;
  const int32_t *key;  // the columns of the key, in its order
  int64_t rows;
  const uint64_t *cells;
  const uint8_t *present;
  const uint8_t *arena;
} CFloorRows;

typedef enum {
  // One prepared statement, bound and stepped once a row.
  CFLOOR_PREPARED,
  // The chunk as a virtual table, one INSERT … SELECT a chunk.
  CFLOOR_INSERT,
  // The chunk as a virtual table: a LEFT JOIN finds new and changed rows, two statements write those alone.
  CFLOOR_DIFFERENCE,
} CFloorShape;

typedef struct {
  CFloorShape shape;
  const char *path;
  const char *settings;     // pragmas for a new connection
  const char *create;       // makes the table where there is none
  const char *declaration;  // the virtual table `chunk`, its columns as in the rows, then the place or the id
  const char *row;          // PREPARED, INSERT: the statement
  const char *difference;   // DIFFERENCE: gives place, and id or NULL, of rows that are new or changed
  const char *insert;       // DIFFERENCE: the new rows
  const char *update;       // DIFFERENCE: the changed rows
  const char *after;        // runs once all rows are there; may be NULL
  int64_t chunk;            // rows a transaction
} CFloorPlan;

typedef struct {
  double seconds;  // from opening the file to its close, after the last checkpoint
  double sorting;  // of these
  double closing;  // of these: the last checkpoint and the close
  int64_t inserted;
  int64_t updated;
  char message[CFLOOR_MESSAGE];  // what went wrong
} CFloorResult;

// Writes the rows. Returns 0, or SQLite's code.
int cfloor_run(const CFloorRows *rows, const CFloorPlan *plan, CFloorResult *result);

#endif
