#include "CLibPQ.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>

static bolide_pg_functions functions;
static const bolide_pg_functions *loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *const names[] = {
#ifdef __APPLE__
  "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
#else
  "libpq.so.5",
#endif
};

static void load(void) {
  void *library = NULL;
  for (size_t index = 0; library == NULL && index < sizeof names / sizeof *names; index++)
    library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define FIND(member, name) \
  if ((*(void **)&functions.member = dlsym(library, name)) == NULL) return;
  FIND(connectStart, "PQconnectStartParams")
  FIND(connectPoll, "PQconnectPoll")
  FIND(ping, "PQpingParams")
  FIND(status, "PQstatus")
  FIND(errorMessage, "PQerrorMessage")
  FIND(finish, "PQfinish")
  FIND(sendQueryParams, "PQsendQueryParams")
  FIND(putCopyData, "PQputCopyData")
  FIND(putCopyEnd, "PQputCopyEnd")
  FIND(setSingleRowMode, "PQsetSingleRowMode")
  FIND(getResult, "PQgetResult")
  FIND(resultStatus, "PQresultStatus")
  FIND(resultErrorField, "PQresultErrorField")
  FIND(rows, "PQntuples")
  FIND(fields, "PQnfields")
  FIND(type, "PQftype")
  FIND(value, "PQgetvalue")
  FIND(length, "PQgetlength")
  FIND(isNull, "PQgetisnull")
  FIND(affected, "PQcmdTuples")
  FIND(clear, "PQclear")
  FIND(password, "PQpass")
  FIND(serverVersion, "PQserverVersion")
  FIND(process, "PQbackendPID")
  FIND(parameterStatus, "PQparameterStatus")
  FIND(transactionStatus, "PQtransactionStatus")
  FIND(socket, "PQsocket")
  FIND(isBusy, "PQisBusy")
  FIND(consumeInput, "PQconsumeInput")
  FIND(notification, "PQnotifies")
  FIND(freeMemory, "PQfreemem")
  FIND(getCancel, "PQgetCancel")
  FIND(cancel, "PQcancel")
  FIND(freeCancel, "PQfreeCancel")
  FIND(setNotice, "PQsetNoticeProcessor")
#undef FIND
  loaded = &functions;
}

const bolide_pg_functions *bolide_pg_load(void) {
  pthread_once(&once, load);
  return loaded;
}

bolide_pg_connection *bolide_pg_start(const bolide_pg_functions *library, const char *address) {
  // A machine that is gone without a word is noticed within half a minute; what the address says comes behind, and counts.
  static const char *const keywords[] = {
    "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout", "dbname", NULL};
  const char *const values[] = {"15", "5", "3", "30000", address, NULL};
  return library->connectStart(keywords, values, 1);
}

int bolide_pg_takes(const bolide_pg_functions *library, const char *address) {
  static const char *const keywords[] = {"dbname", "connect_timeout", NULL};
  const char *const values[] = {address, "2", NULL};
  // PQPING_NO_ATTEMPT
  return library->ping(keywords, values, 1) != 3;
}

int bolide_pg_wait(int socket, int wantsRead, int wantsWrite, int milliseconds) {
  struct pollfd poll_ = {.fd = socket, .events = (wantsRead ? POLLIN : 0) | (wantsWrite ? POLLOUT : 0)};
  int result = poll(&poll_, 1, milliseconds);
  return result < 0 && errno == EINTR ? 0 : result;
}
