/* MPI-4's sessions under AMPI_ names. The calls are MPI's own, and a name that the MPI in use lacks is an error where it is used. A
 * communicator that is made from a group carries active data if the library has begun by then. It begins in AMPI_Init, or in
 * admpi_init after MPI_Init: a program of sessions alone has no MPI_COMM_WORLD, which the library needs. */
#ifndef ADMPI_SESSIONS_H
#define ADMPI_SESSIONS_H

#include <mpi.h>

#define AMPI_Session MPI_Session
#define AMPI_Session_errhandler_function MPI_Session_errhandler_function
#define AMPI_SESSION_NULL MPI_SESSION_NULL
#define AMPI_ERR_SESSION MPI_ERR_SESSION
#define AMPI_MAX_PSET_NAME_LEN MPI_MAX_PSET_NAME_LEN
#define AMPI_MAX_STRINGTAG_LEN MPI_MAX_STRINGTAG_LEN

#define AMPI_Session_init MPI_Session_init
#define AMPI_Session_finalize MPI_Session_finalize
#define AMPI_Session_get_num_psets MPI_Session_get_num_psets
#define AMPI_Session_get_nth_pset MPI_Session_get_nth_pset
#define AMPI_Session_get_pset_info MPI_Session_get_pset_info
#define AMPI_Session_get_info MPI_Session_get_info
#define AMPI_Session_create_errhandler MPI_Session_create_errhandler
#define AMPI_Session_set_errhandler MPI_Session_set_errhandler
#define AMPI_Session_get_errhandler MPI_Session_get_errhandler
#define AMPI_Session_call_errhandler MPI_Session_call_errhandler
#define AMPI_Session_c2f MPI_Session_c2f
#define AMPI_Session_f2c MPI_Session_f2c
#define AMPI_Group_from_session_pset MPI_Group_from_session_pset

#ifdef __cplusplus
extern "C" {
#endif

/* Tells the library of a communicator, if it has begun. Collective over `comm`. */
int admpi_detail_made_comm(const char *call, MPI_Comm comm);

#if MPI_VERSION >= 4
/* MPI_Comm_create_from_group. Collective over the group. */
static inline int AMPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler,
                                              MPI_Comm *newcomm) {
  const int code = MPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm);
  return code == MPI_SUCCESS ? admpi_detail_made_comm("AMPI_Comm_create_from_group", *newcomm) : code;
}

/* MPI_Intercomm_create_from_groups. Collective over both groups. */
static inline int AMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
                                                    const char *stringtag, MPI_Info info, MPI_Errhandler errhandler,
                                                    MPI_Comm *newintercomm) {
  const int code = MPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, remote_leader, stringtag, info,
                                                    errhandler, newintercomm);
  return code == MPI_SUCCESS ? admpi_detail_made_comm("AMPI_Intercomm_create_from_groups", *newintercomm) : code;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
