// Stage 1 of the reader: bytes -> positions of JSON's structure, 64 bytes at a time.
//
// This is C, not Swift, for two things only: a function can be compiled for AVX2 and chosen at run time, and
// a compare of 16 or 32 bytes can be turned into one bit a byte. All that needs neither is in Swift.
#ifndef CJSONSTREAM_H
#define CJSONSTREAM_H

#include "classify.h"
#include "delimited.h"
#include "scan.h"

#endif
