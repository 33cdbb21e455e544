/* A header of AdjoinableMPI's that programs include; see types.h. */
#ifndef ADMPI_ADJOINABLE_PAIREDWITH_H
#define ADMPI_ADJOINABLE_PAIREDWITH_H
#include "types.h"
#endif
