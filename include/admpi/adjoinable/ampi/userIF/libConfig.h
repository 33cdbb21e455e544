/* A header of AdjoinableMPI's that programs include; see types.h. */
#ifndef ADMPI_ADJOINABLE_LIBCONFIG_H
#define ADMPI_ADJOINABLE_LIBCONFIG_H
#include "types.h"
#endif
