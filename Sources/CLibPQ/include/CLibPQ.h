// PostgreSQL's C client library, loaded when it is asked for: a program that never opens a store on a server needs no
// libpq, and one binary serves both. Declared by hand, as far as it is used: the types are opaque in libpq's own header too.
#ifndef CLIBPQ_H
#define CLIBPQ_H

#include <stddef.h>

typedef struct bolide_pg_connection bolide_pg_connection;
typedef struct bolide_pg_result bolide_pg_result;
typedef struct bolide_pg_cancel bolide_pg_cancel;
typedef void (*bolide_pg_notice)(void *_Nullable argument, const char *_Nullable message);

// A message of the server's that it was asked to send: NOTIFY.
typedef struct {
  char *_Nonnull name;
  int process;
  char *_Nonnull extra;
} bolide_pg_notification;

// libpq's functions: PQstatus and so on.
typedef struct {
  bolide_pg_connection *_Nullable (*_Nonnull connectStart)(
    const char *_Nullable const *_Nonnull keywords, const char *_Nullable const *_Nonnull values, int expandsName);
  int (*_Nonnull connectPoll)(bolide_pg_connection *_Nonnull);
  int (*_Nonnull ping)(
    const char *_Nullable const *_Nonnull keywords, const char *_Nullable const *_Nonnull values, int expandsName);
  int (*_Nonnull status)(const bolide_pg_connection *_Nonnull);
  char *_Nonnull (*_Nonnull errorMessage)(const bolide_pg_connection *_Nonnull);
  void (*_Nonnull finish)(bolide_pg_connection *_Nonnull);
  int (*_Nonnull sendQueryParams)(
    bolide_pg_connection *_Nonnull, const char *_Nonnull command, int count, const unsigned int *_Nullable types,
    const char *_Nullable const *_Nullable values, const int *_Nullable lengths, const int *_Nullable formats,
    int resultFormat);
  int (*_Nonnull putCopyData)(bolide_pg_connection *_Nonnull, const char *_Nullable bytes, int count);
  int (*_Nonnull putCopyEnd)(bolide_pg_connection *_Nonnull, const char *_Nullable problem);
  int (*_Nonnull setSingleRowMode)(bolide_pg_connection *_Nonnull);
  bolide_pg_result *_Nullable (*_Nonnull getResult)(bolide_pg_connection *_Nonnull);
  int (*_Nonnull resultStatus)(const bolide_pg_result *_Nonnull);
  char *_Nullable (*_Nonnull resultErrorField)(const bolide_pg_result *_Nonnull, int field);
  int (*_Nonnull rows)(const bolide_pg_result *_Nonnull);
  int (*_Nonnull fields)(const bolide_pg_result *_Nonnull);
  unsigned int (*_Nonnull type)(const bolide_pg_result *_Nonnull, int column);
  char *_Nullable (*_Nonnull value)(const bolide_pg_result *_Nonnull, int row, int column);
  int (*_Nonnull length)(const bolide_pg_result *_Nonnull, int row, int column);
  int (*_Nonnull isNull)(const bolide_pg_result *_Nonnull, int row, int column);
  char *_Nullable (*_Nonnull affected)(bolide_pg_result *_Nonnull);
  void (*_Nonnull clear)(bolide_pg_result *_Nonnull);
  char *_Nullable (*_Nonnull password)(const bolide_pg_connection *_Nonnull);
  int (*_Nonnull serverVersion)(const bolide_pg_connection *_Nonnull);
  int (*_Nonnull process)(const bolide_pg_connection *_Nonnull);
  const char *_Nullable (*_Nonnull parameterStatus)(const bolide_pg_connection *_Nonnull, const char *_Nonnull name);
  int (*_Nonnull transactionStatus)(const bolide_pg_connection *_Nonnull);
  int (*_Nonnull socket)(const bolide_pg_connection *_Nonnull);
  int (*_Nonnull isBusy)(bolide_pg_connection *_Nonnull);
  int (*_Nonnull consumeInput)(bolide_pg_connection *_Nonnull);
  bolide_pg_notification *_Nullable (*_Nonnull notification)(bolide_pg_connection *_Nonnull);
  void (*_Nonnull freeMemory)(void *_Nonnull);
  bolide_pg_cancel *_Nullable (*_Nonnull getCancel)(bolide_pg_connection *_Nonnull);
  int (*_Nonnull cancel)(bolide_pg_cancel *_Nonnull, char *_Nonnull text, int size);
  void (*_Nonnull freeCancel)(bolide_pg_cancel *_Nonnull);
  bolide_pg_notice _Nullable (*_Nonnull setNotice)(
    bolide_pg_connection *_Nonnull, bolide_pg_notice _Nonnull, void *_Nullable argument);
} bolide_pg_functions;

// The library's functions; NULL where the system has no libpq. Any thread may call it, as often as it likes.
const bolide_pg_functions *_Nullable bolide_pg_load(void);

// Begins to connect to what a libpq address names. NULL without memory.
bolide_pg_connection *_Nullable bolide_pg_start(
  const bolide_pg_functions *_Nonnull library, const char *_Nonnull address);

// Whether libpq understands an address. It takes up to two seconds, as it connects to one that it understands.
int bolide_pg_takes(const bolide_pg_functions *_Nonnull library, const char *_Nonnull address);

// Waits until a socket can be read, or written where that is wanted too.
// A negative socket: for the time alone. Returns a number above 0 where it can, 0 after the time, a negative one after an error.
int bolide_pg_wait(int socket, int wantsRead, int wantsWrite, int milliseconds);

#endif
