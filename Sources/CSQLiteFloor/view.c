// The rows of a chunk as a virtual table.
#include "internal.h"

typedef struct {
  sqlite3_vtab base;
  FloorView *view;
} Table;

typedef struct {
  sqlite3_vtab_cursor base;
  FloorView *view;
  int64_t place;
} Cursor;

static int connect(sqlite3 *db, void *view, int count, const char *const *words, sqlite3_vtab **result, char **error) {
  (void)count, (void)words, (void)error;
  int code = sqlite3_declare_vtab(db, ((FloorView *)view)->declaration);
  if (code) return code;
  Table *table = calloc(1, sizeof *table);
  if (!table) return SQLITE_NOMEM;
  table->view = view;
  *result = &table->base;
  return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table) {
  free(table);
  return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *index) {
  (void)table;
  index->estimatedCost = 1e6;
  return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
  Cursor *cursor = calloc(1, sizeof *cursor);
  if (!cursor) return SQLITE_NOMEM;
  cursor->view = ((Table *)table)->view;
  *result = &cursor->base;
  return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
  free(cursor);
  return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int count, sqlite3_value **values) {
  (void)number, (void)text, (void)count, (void)values;
  ((Cursor *)cursor)->place = 0;
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor) {
  ((Cursor *)cursor)->place++;
  return SQLITE_OK;
}

static int is_end(sqlite3_vtab_cursor *cursor) { return ((Cursor *)cursor)->place >= ((Cursor *)cursor)->view->count; }

static int column(sqlite3_vtab_cursor *base, sqlite3_context *result, int column) {
  Cursor *cursor = (Cursor *)base;
  const FloorView *view = cursor->view;
  const CFloorRows *rows = view->rows;
  if (column == rows->columns) {
    sqlite3_result_int64(result, view->ids ? view->ids[cursor->place] : cursor->place);
    return SQLITE_OK;
  }
  int64_t index = view->shown[cursor->place] * rows->columns + column;
  uint64_t cell = rows->cells[index];
  if (!rows->present[index]) {
    sqlite3_result_null(result);
  } else if (rows->kinds[column] == CFLOOR_REAL) {
    sqlite3_result_double(result, floor_real(cell));
  } else if (rows->kinds[column] == CFLOOR_INTEGER) {
    sqlite3_result_int64(result, (int64_t)cell);
  } else {
    FloorBytes bytes = floor_bytes(rows, cell);
    if (rows->kinds[column] == CFLOOR_TEXT) {
      sqlite3_result_text64(result, bytes.bytes, bytes.length, SQLITE_STATIC, SQLITE_UTF8);
    } else {
      sqlite3_result_blob64(result, bytes.bytes, bytes.length, SQLITE_STATIC);
    }
  }
  return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *result) {
  *result = ((Cursor *)cursor)->place;
  return SQLITE_OK;
}

static const sqlite3_module module = {
    .xCreate = connect, .xConnect = connect, .xBestIndex = best_index, .xDisconnect = disconnect,
    .xDestroy = disconnect, .xOpen = open_cursor, .xClose = close_cursor, .xFilter = filter,
    .xNext = next, .xEof = is_end, .xColumn = column, .xRowid = rowid,
};

int floor_register(sqlite3 *db, FloorView *view) {
  int code = sqlite3_create_module(db, "floor", &module, view);
  return code ? code : sqlite3_exec(db, "CREATE VIRTUAL TABLE temp.chunk USING floor", NULL, NULL, NULL);
}
