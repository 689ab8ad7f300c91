// Opens, writes chunk by chunk, checkpoints and closes, by the clock.
#include <stdio.h>
#include <time.h>

#include "internal.h"

typedef struct {
  sqlite3 *db;
  const CFloorRows *rows;
  const CFloorPlan *plan;
  CFloorResult *result;
  FloorView view;
  sqlite3_stmt *row, *difference, *insert, *update;
  // Room for the rows of one chunk.
  int64_t *order, *fresh, *changed, *ids;
} Floor;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int prepare(Floor *f, const char *sql, sqlite3_stmt **statement) {
  return sql ? sqlite3_prepare_v3(f->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) : SQLITE_OK;
}

static int run(sqlite3_stmt *statement) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {}
  return code == SQLITE_DONE ? sqlite3_reset(statement) : code;
}

static void bind(Floor *f, int64_t row) {
  const CFloorRows *rows = f->rows;
  for (int32_t column = 0; column < rows->columns; column++) {
    int64_t index = row * rows->columns + column;
    uint64_t cell = rows->cells[index];
    int place = column + 1;
    if (!rows->present[index]) {
      sqlite3_bind_null(f->row, place);
    } else if (rows->kinds[column] == CFLOOR_REAL) {
      sqlite3_bind_double(f->row, place, floor_real(cell));
    } else if (rows->kinds[column] == CFLOOR_INTEGER) {
      sqlite3_bind_int64(f->row, place, (int64_t)cell);
    } else {
      FloorBytes bytes = floor_bytes(rows, cell);
      if (rows->kinds[column] == CFLOOR_TEXT) {
        sqlite3_bind_text64(f->row, place, bytes.bytes, bytes.length, SQLITE_STATIC, SQLITE_UTF8);
      } else {
        sqlite3_bind_blob64(f->row, place, bytes.bytes, bytes.length, SQLITE_STATIC);
      }
    }
  }
}

// Shows rows, runs a statement over them, and counts what it wrote.
static int write_shown(Floor *f, const int64_t *shown, int64_t count, sqlite3_stmt *statement, int64_t *written) {
  if (count == 0) return SQLITE_OK;
  f->view.shown = shown;
  f->view.count = count;
  int code = run(statement);
  *written += sqlite3_changes(f->db);
  return code;
}

static int write_difference(Floor *f, int64_t count) {
  f->view.shown = f->order;
  f->view.count = count;
  f->view.ids = NULL;
  int64_t fresh = 0, changed = 0;
  int code;
  while ((code = sqlite3_step(f->difference)) == SQLITE_ROW) {
    int64_t row = f->order[sqlite3_column_int64(f->difference, 0)];
    if (sqlite3_column_type(f->difference, 1) == SQLITE_NULL) {
      f->fresh[fresh++] = row;
    } else {
      f->ids[changed] = sqlite3_column_int64(f->difference, 1);
      f->changed[changed++] = row;
    }
  }
  if (code != SQLITE_DONE || (code = sqlite3_reset(f->difference))) return code;
  if ((code = write_shown(f, f->fresh, fresh, f->insert, &f->result->inserted))) return code;
  f->view.ids = f->ids;
  return write_shown(f, f->changed, changed, f->update, &f->result->updated);
}

static int write_chunk(Floor *f, int64_t first, int64_t count) {
  double start = now();
  for (int64_t i = 0; i < count; i++) f->order[i] = first + i;
  floor_sort(f->rows, f->order, f->fresh, count);
  f->result->sorting += now() - start;
  switch (f->plan->shape) {
    case CFLOOR_PREPARED:
      for (int64_t i = 0; i < count; i++) {
        bind(f, f->order[i]);
        int code = run(f->row);
        if (code) return code;
      }
      return SQLITE_OK;
    case CFLOOR_INSERT: return write_shown(f, f->order, count, f->row, &f->result->inserted);
    case CFLOOR_DIFFERENCE: return write_difference(f, count);
  }
  return SQLITE_MISUSE;
}

static int open_and_prepare(Floor *f) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  int code = sqlite3_open_v2(f->plan->path, &f->db, flags, NULL);
  if (code || (code = sqlite3_exec(f->db, f->plan->settings, NULL, NULL, NULL))) return code;
  if ((code = sqlite3_exec(f->db, f->plan->create, NULL, NULL, NULL))) return code;
  if ((code = floor_register(f->db, &f->view))) return code;
  if ((code = prepare(f, f->plan->row, &f->row))) return code;
  if ((code = prepare(f, f->plan->difference, &f->difference))) return code;
  if ((code = prepare(f, f->plan->insert, &f->insert))) return code;
  return prepare(f, f->plan->update, &f->update);
}

static int write_all(Floor *f) {
  int code = open_and_prepare(f);
  for (int64_t first = 0; !code && first < f->rows->rows; first += f->plan->chunk) {
    int64_t left = f->rows->rows - first;
    if ((code = sqlite3_exec(f->db, "BEGIN IMMEDIATE", NULL, NULL, NULL))) break;
    if ((code = write_chunk(f, first, left < f->plan->chunk ? left : f->plan->chunk))) break;
    code = sqlite3_exec(f->db, "COMMIT", NULL, NULL, NULL);
  }
  return !code && f->plan->after ? sqlite3_exec(f->db, f->plan->after, NULL, NULL, NULL) : code;
}

int cfloor_run(const CFloorRows *rows, const CFloorPlan *plan, CFloorResult *result) {
  size_t room = (size_t)plan->chunk * sizeof(int64_t);
  Floor f = {.rows = rows, .plan = plan, .result = result};
  f.view = (FloorView){.rows = rows, .declaration = plan->declaration};
  f.order = malloc(room), f.fresh = malloc(room), f.changed = malloc(room), f.ids = malloc(room);
  memset(result, 0, sizeof *result);
  double start = now();
  int code = f.order && f.fresh && f.changed && f.ids ? write_all(&f) : SQLITE_NOMEM;
  if (code) {
    snprintf(result->message, CFLOOR_MESSAGE, "%s", f.db ? sqlite3_errmsg(f.db) : sqlite3_errstr(code));
  }
  double closing = now();
  sqlite3_finalize(f.row), sqlite3_finalize(f.difference), sqlite3_finalize(f.insert), sqlite3_finalize(f.update);
  // The last connection to close empties the WAL into the file.
  int closed = sqlite3_close(f.db);
  result->closing = now() - closing;
  result->seconds = now() - start;
  free(f.order), free(f.fresh), free(f.changed), free(f.ids);
  return code ? code : closed;
}
