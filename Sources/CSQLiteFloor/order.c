// The order of a chunk's rows by key, as SQLite's BINARY collation has it.
#include "internal.h"

static int compare(const CFloorRows *rows, int64_t left, int64_t right) {
  for (int32_t part = 0; part < rows->keys; part++) {
    int32_t column = rows->key[part];
    uint64_t a = rows->cells[left * rows->columns + column];
    uint64_t b = rows->cells[right * rows->columns + column];
    int result;
    if (rows->kinds[column] == CFLOOR_INTEGER) {
      result = ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
    } else if (rows->kinds[column] == CFLOOR_REAL) {
      result = (floor_real(a) > floor_real(b)) - (floor_real(a) < floor_real(b));
    } else {
      FloorBytes x = floor_bytes(rows, a), y = floor_bytes(rows, b);
      result = memcmp(x.bytes, y.bytes, x.length < y.length ? x.length : y.length);
      if (result == 0) result = (x.length > y.length) - (x.length < y.length);
    }
    if (result) return result;
  }
  return 0;
}

// Rows that come in order, or in the reverse order, cost one look each.
static int is_run(const CFloorRows *rows, int64_t *order, int64_t count) {
  int64_t up = 1, down = 1;
  while (up < count && compare(rows, order[up - 1], order[up]) <= 0) up++;
  if (up == count) return 1;
  while (down < count && compare(rows, order[down - 1], order[down]) > 0) down++;
  if (down < count) return 0;
  for (int64_t low = 0, high = count - 1; low < high; low++, high--) {
    int64_t kept = order[low];
    order[low] = order[high];
    order[high] = kept;
  }
  return 1;
}

void floor_sort(const CFloorRows *rows, int64_t *order, int64_t *spare, int64_t count) {
  if (count < 2 || is_run(rows, order, count)) return;
  int64_t *from = order, *to = spare;
  for (int64_t width = 1; width < count; width *= 2) {
    for (int64_t start = 0; start < count; start += 2 * width) {
      int64_t middle = start + width < count ? start + width : count;
      int64_t end = middle + width < count ? middle + width : count;
      int64_t left = start, right = middle;
      for (int64_t place = start; place < end; place++) {
        int takesLeft = left < middle && (right >= end || compare(rows, from[left], from[right]) <= 0);
        to[place] = takesLeft ? from[left++] : from[right++];
      }
    }
    int64_t *kept = from;
    from = to;
    to = kept;
  }
  if (from != order) memcpy(order, from, (size_t)count * sizeof *order);
}
