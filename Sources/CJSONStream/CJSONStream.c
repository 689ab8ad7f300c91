// The functions are all `static inline` in the headers; a target needs one source file.
#include "CJSONStream.h"
