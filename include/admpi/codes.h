/* What the admpi_ functions return. Fixed numbers: a retired one stays reserved. Fortran reads this file
 * too, so only literals stand here. */
#ifndef ADMPI_CODES_H
#define ADMPI_CODES_H

/* Done. */
#define ADMPI_SUCCESS 0
/* An argument that must not be NULL is. */
#define ADMPI_ERR_NULL 1
/* An argument has a value the function cannot take. */
#define ADMPI_ERR_ARGUMENT 2
/* The system gave no memory. */
#define ADMPI_ERR_MEMORY 3
/* The byte limit of the tape is reached. */
#define ADMPI_ERR_LIMIT 4
/* The tape has no ids left. */
#define ADMPI_ERR_IDS 5
/* A value outlived the recording that made it. */
#define ADMPI_ERR_STALE 6
/* The thread has no tape. */
#define ADMPI_ERR_NO_TAPE 7
/* The tape is not recording. */
#define ADMPI_ERR_NOT_RECORDING 8
/* Nests are not closed in the reverse of their order, or a call does not fit in a callback of a sweep. */
#define ADMPI_ERR_NEST 9
/* A position does not fit the tape or the sweep. */
#define ADMPI_ERR_RANGE 10
/* A function of the user returned nonzero. */
#define ADMPI_ERR_CALLBACK 11
/* MPI reported an error. */
#define ADMPI_ERR_MPI 12
/* The program was compiled against another build of admpi or of MPI. */
#define ADMPI_ERR_ABI 13
/* A defect of admpi itself. */
#define ADMPI_ERR_PANIC 14
/* The request is valid but not supported. */
#define ADMPI_ERR_UNSUPPORTED 15
/* A tape was used by two threads. */
#define ADMPI_ERR_THREAD 16
/* Ranks have different things on record (found by checking). */
#define ADMPI_ERR_MISMATCH 17
/* An iteration did not converge. */
#define ADMPI_ERR_CONVERGENCE 18

/* For admpi_tape_start_nested: values from outside the nest are constants, whose adjoints its sweeps leave alone. */
#define ADMPI_NEST_ISOLATED 2

#endif
