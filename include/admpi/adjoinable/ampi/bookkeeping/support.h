/* A header of AdjoinableMPI's that programs include; see adTool/support.h. */
#ifndef ADMPI_ADJOINABLE_BOOKKEEPING_H
#define ADMPI_ADJOINABLE_BOOKKEEPING_H
#include "../adTool/support.h"
#endif
