#include "wire.hpp"

#include <mpi.h>

namespace {

WireBytes sent;

double payload(int count, MPI_Datatype type) {
  int size = 0;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  return double(count) * size;
}

int rank_in(MPI_Comm comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

int others_in(MPI_Comm comm) {
  int size;
  PMPI_Comm_size(comm, &size);
  return size - 1;
}

void count_message(int count, MPI_Datatype type, int peer) {
  if (peer != MPI_PROC_NULL) sent.messages += payload(count, type);
}

void count_from_root(int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (rank_in(comm) == root) sent.collectives += others_in(comm) * payload(count, type);
}

void count_to_root(int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (rank_in(comm) != root) sent.collectives += payload(count, type);
}

void count_all_to_all(int count, MPI_Datatype type, MPI_Comm comm) {
  if (others_in(comm) > 0) sent.collectives += payload(count, type);
}

}  // namespace

WireBytes wire_bytes() { return sent; }

extern "C" {

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  count_message(count, type, peer);
  return PMPI_Send(buffer, count, type, peer, tag, comm);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
  count_message(count, type, peer);
  return PMPI_Isend(buffer, count, type, peer, tag, comm, request);
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status) {
  count_message(out_count, out_type, to);
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  count_from_root(count, type, root, comm);
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
  count_from_root(count, type, root, comm);
  return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  count_to_root(count, type, root, comm);
  return PMPI_Reduce(in, out, count, type, op, root, comm);
}

int MPI_Ireduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request *request) {
  count_to_root(count, type, root, comm);
  return PMPI_Ireduce(in, out, count, type, op, root, comm, request);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count_all_to_all(count, type, comm);
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  count_all_to_all(count, type, comm);
  return PMPI_Iallreduce(in, out, count, type, op, comm, request);
}

int MPI_Scatter(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type, int root,
                MPI_Comm comm) {
  if (rank_in(comm) == root) count_from_root(out_count, out_type, root, comm);
  return PMPI_Scatter(out, out_count, out_type, in, in_count, in_type, root, comm);
}

int MPI_Iscatter(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type, int root,
                 MPI_Comm comm, MPI_Request *request) {
  if (rank_in(comm) == root) count_from_root(out_count, out_type, root, comm);
  return PMPI_Iscatter(out, out_count, out_type, in, in_count, in_type, root, comm, request);
}

int MPI_Gather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type, int root,
               MPI_Comm comm) {
  if (rank_in(comm) != root) count_to_root(out_count, out_type, root, comm);
  return PMPI_Gather(out, out_count, out_type, in, in_count, in_type, root, comm);
}

int MPI_Igather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type, int root,
                MPI_Comm comm, MPI_Request *request) {
  if (rank_in(comm) != root) count_to_root(out_count, out_type, root, comm);
  return PMPI_Igather(out, out_count, out_type, in, in_count, in_type, root, comm, request);
}

}  // extern "C"
