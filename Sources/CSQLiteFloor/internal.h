#ifndef CSQLITEFLOOR_INTERNAL_H
#define CSQLITEFLOOR_INTERNAL_H

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "CSQLiteFloor.h"

typedef struct {
  const void *bytes;
  uint32_t length;
} FloorBytes;

static inline FloorBytes floor_bytes(const CFloorRows *rows, uint64_t cell) {
  const uint8_t *start = rows->arena + cell;
  FloorBytes result = {start + sizeof(uint32_t), 0};
  memcpy(&result.length, start, sizeof(uint32_t));
  return result;
}

static inline double floor_real(uint64_t cell) {
  double value;
  memcpy(&value, &cell, sizeof value);
  return value;
}

// What the virtual table shows: `count` rows by their numbers, and the id of each.
typedef struct {
  const CFloorRows *rows;
  const char *declaration;
  const int64_t *shown;
  const int64_t *ids;
  int64_t count;
} FloorView;

int floor_register(sqlite3 *db, FloorView *view);

// Sorts the numbers of rows by key. `spare` has room for as many.
void floor_sort(const CFloorRows *rows, int64_t *order, int64_t *spare, int64_t count);

#endif
