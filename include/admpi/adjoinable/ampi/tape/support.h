/* A header of AdjoinableMPI's that programs include; see adTool/support.h. */
#ifndef ADMPI_ADJOINABLE_TAPE_H
#define ADMPI_ADJOINABLE_TAPE_H
#include "../adTool/support.h"
#endif
