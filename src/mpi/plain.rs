//! The calls of MPI behind those for large counts, declared "C-unwind" since a user's error handler may throw.
//! Written by scripts/large/generate.py; edit that.

use super::raw::{
    MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_Op, MPI_Request, MPI_Status,
};
use mpi_sys::{MPI_File, MPI_Message, MPI_Offset, MPI_User_function, MPI_Win};
use std::ffi::{c_char, c_int, c_void};

unsafe extern "C-unwind" {
    pub fn MPI_Accumulate(
        origin_addr: *const c_void,
        origin_count: c_int,
        origin_datatype: MPI_Datatype,
        target_rank: c_int,
        target_disp: MPI_Aint,
        target_count: c_int,
        target_datatype: MPI_Datatype,
        op: MPI_Op,
        win: MPI_Win,
    ) -> c_int;
    pub fn MPI_Allgather(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Allgatherv(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        displs: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Allreduce(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Alltoall(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Alltoallv(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Alltoallw(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const c_int,
        sendtypes: *const MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const c_int,
        recvtypes: *const MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Bcast(
        buffer: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Bsend(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Bsend_init(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Cart_shift(
        comm: MPI_Comm,
        direction: c_int,
        disp: c_int,
        rank_source: *mut c_int,
        rank_dest: *mut c_int,
    ) -> c_int;
    pub fn MPI_Cartdim_get(comm: MPI_Comm, ndims: *mut c_int) -> c_int;
    pub fn MPI_Comm_remote_size(comm: MPI_Comm, size: *mut c_int) -> c_int;
    pub fn MPI_Dist_graph_neighbors(
        comm: MPI_Comm,
        maxindegree: c_int,
        sources: *mut c_int,
        sourceweights: *mut c_int,
        maxoutdegree: c_int,
        destinations: *mut c_int,
        destweights: *mut c_int,
    ) -> c_int;
    pub fn MPI_Dist_graph_neighbors_count(
        comm: MPI_Comm,
        inneighbors: *mut c_int,
        outneighbors: *mut c_int,
        weighted: *mut c_int,
    ) -> c_int;
    pub fn MPI_Exscan(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_File_get_view(
        fh: MPI_File,
        disp: *mut MPI_Offset,
        etype: *mut MPI_Datatype,
        filetype: *mut MPI_Datatype,
        datarep: *mut c_char,
    ) -> c_int;
    pub fn MPI_File_iread(
        fh: MPI_File,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_File_iread_all(
        fh: MPI_File,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_File_iread_at(
        fh: MPI_File,
        offset: MPI_Offset,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_File_iread_at_all(
        fh: MPI_File,
        offset: MPI_Offset,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_File_iread_shared(
        fh: MPI_File,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_File_iwrite(
        fh: MPI_File,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_File_iwrite_all(
        fh: MPI_File,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_File_iwrite_at(
        fh: MPI_File,
        offset: MPI_Offset,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_File_iwrite_at_all(
        fh: MPI_File,
        offset: MPI_Offset,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_File_iwrite_shared(
        fh: MPI_File,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_File_read(
        fh: MPI_File,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_File_read_all(
        fh: MPI_File,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_File_read_all_begin(
        fh: MPI_File,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
    ) -> c_int;
    pub fn MPI_File_read_at(
        fh: MPI_File,
        offset: MPI_Offset,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_File_read_at_all(
        fh: MPI_File,
        offset: MPI_Offset,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_File_read_at_all_begin(
        fh: MPI_File,
        offset: MPI_Offset,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
    ) -> c_int;
    pub fn MPI_File_read_ordered(
        fh: MPI_File,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_File_read_ordered_begin(
        fh: MPI_File,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
    ) -> c_int;
    pub fn MPI_File_read_shared(
        fh: MPI_File,
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_File_write(
        fh: MPI_File,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_File_write_all(
        fh: MPI_File,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_File_write_all_begin(
        fh: MPI_File,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
    ) -> c_int;
    pub fn MPI_File_write_at(
        fh: MPI_File,
        offset: MPI_Offset,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_File_write_at_all(
        fh: MPI_File,
        offset: MPI_Offset,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_File_write_at_all_begin(
        fh: MPI_File,
        offset: MPI_Offset,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
    ) -> c_int;
    pub fn MPI_File_write_ordered(
        fh: MPI_File,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_File_write_ordered_begin(
        fh: MPI_File,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
    ) -> c_int;
    pub fn MPI_File_write_shared(
        fh: MPI_File,
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_Gather(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Gatherv(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        displs: *const c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Get(
        origin_addr: *mut c_void,
        origin_count: c_int,
        origin_datatype: MPI_Datatype,
        target_rank: c_int,
        target_disp: MPI_Aint,
        target_count: c_int,
        target_datatype: MPI_Datatype,
        win: MPI_Win,
    ) -> c_int;
    pub fn MPI_Get_accumulate(
        origin_addr: *const c_void,
        origin_count: c_int,
        origin_datatype: MPI_Datatype,
        result_addr: *mut c_void,
        result_count: c_int,
        result_datatype: MPI_Datatype,
        target_rank: c_int,
        target_disp: MPI_Aint,
        target_count: c_int,
        target_datatype: MPI_Datatype,
        op: MPI_Op,
        win: MPI_Win,
    ) -> c_int;
    pub fn MPI_Get_elements_x(
        status: *const MPI_Status,
        datatype: MPI_Datatype,
        count: *mut MPI_Count,
    ) -> c_int;
    pub fn MPI_Graph_neighbors(
        comm: MPI_Comm,
        rank: c_int,
        maxneighbors: c_int,
        neighbors: *mut c_int,
    ) -> c_int;
    pub fn MPI_Graph_neighbors_count(comm: MPI_Comm, rank: c_int, nneighbors: *mut c_int) -> c_int;
    pub fn MPI_Grequest_complete(request: MPI_Request) -> c_int;
    pub fn MPI_Iallgather(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Iallgatherv(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        displs: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Iallreduce(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ialltoall(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ialltoallv(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ialltoallw(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const c_int,
        sendtypes: *const MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const c_int,
        recvtypes: *const MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ibcast(
        buffer: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ibsend(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Iexscan(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Igather(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Igatherv(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        displs: *const c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Imrecv(
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        message: *mut MPI_Message,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ineighbor_allgather(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ineighbor_allgatherv(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        displs: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ineighbor_alltoall(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ineighbor_alltoallv(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ineighbor_alltoallw(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const MPI_Aint,
        recvtypes: *const MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Irecv(
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        source: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ireduce(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        root: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ireduce_scatter(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ireduce_scatter_block(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcount: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Irsend(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Iscan(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Iscatter(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Iscatterv(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        displs: *const c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Isend(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Issend(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Mrecv(
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        message: *mut MPI_Message,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_Neighbor_allgather(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Neighbor_allgatherv(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        displs: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Neighbor_alltoall(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Neighbor_alltoallv(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Neighbor_alltoallw(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const MPI_Aint,
        recvtypes: *const MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Op_commutative(op: MPI_Op, commute: *mut c_int) -> c_int;
    pub fn MPI_Op_create(function: MPI_User_function, commute: c_int, op: *mut MPI_Op) -> c_int;
    pub fn MPI_Op_free(op: *mut MPI_Op) -> c_int;
    pub fn MPI_Pack(
        inbuf: *const c_void,
        incount: c_int,
        datatype: MPI_Datatype,
        outbuf: *mut c_void,
        outsize: c_int,
        position: *mut c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Pack_external(
        datarep: *const c_char,
        inbuf: *const c_void,
        incount: c_int,
        datatype: MPI_Datatype,
        outbuf: *mut c_void,
        outsize: MPI_Aint,
        position: *mut MPI_Aint,
    ) -> c_int;
    pub fn MPI_Pack_external_size(
        datarep: *const c_char,
        incount: c_int,
        datatype: MPI_Datatype,
        size: *mut MPI_Aint,
    ) -> c_int;
    pub fn MPI_Pack_size(
        incount: c_int,
        datatype: MPI_Datatype,
        comm: MPI_Comm,
        size: *mut c_int,
    ) -> c_int;
    pub fn MPI_Put(
        origin_addr: *const c_void,
        origin_count: c_int,
        origin_datatype: MPI_Datatype,
        target_rank: c_int,
        target_disp: MPI_Aint,
        target_count: c_int,
        target_datatype: MPI_Datatype,
        win: MPI_Win,
    ) -> c_int;
    pub fn MPI_Raccumulate(
        origin_addr: *const c_void,
        origin_count: c_int,
        origin_datatype: MPI_Datatype,
        target_rank: c_int,
        target_disp: MPI_Aint,
        target_count: c_int,
        target_datatype: MPI_Datatype,
        op: MPI_Op,
        win: MPI_Win,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Recv(
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        source: c_int,
        tag: c_int,
        comm: MPI_Comm,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_Recv_init(
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        source: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Reduce(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        root: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Reduce_local(
        inbuf: *const c_void,
        inoutbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
    ) -> c_int;
    pub fn MPI_Reduce_scatter(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Reduce_scatter_block(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcount: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Rget(
        origin_addr: *mut c_void,
        origin_count: c_int,
        origin_datatype: MPI_Datatype,
        target_rank: c_int,
        target_disp: MPI_Aint,
        target_count: c_int,
        target_datatype: MPI_Datatype,
        win: MPI_Win,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Rget_accumulate(
        origin_addr: *const c_void,
        origin_count: c_int,
        origin_datatype: MPI_Datatype,
        result_addr: *mut c_void,
        result_count: c_int,
        result_datatype: MPI_Datatype,
        target_rank: c_int,
        target_disp: MPI_Aint,
        target_count: c_int,
        target_datatype: MPI_Datatype,
        op: MPI_Op,
        win: MPI_Win,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Rput(
        origin_addr: *const c_void,
        origin_count: c_int,
        origin_datatype: MPI_Datatype,
        target_rank: c_int,
        target_disp: MPI_Aint,
        target_count: c_int,
        target_datatype: MPI_Datatype,
        win: MPI_Win,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Rsend(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Rsend_init(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Scan(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Scatter(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Scatterv(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        displs: *const c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Send(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Send_init(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Sendrecv(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        dest: c_int,
        sendtag: c_int,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        source: c_int,
        recvtag: c_int,
        comm: MPI_Comm,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_Sendrecv_replace(
        buf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        sendtag: c_int,
        source: c_int,
        recvtag: c_int,
        comm: MPI_Comm,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_Ssend(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Ssend_init(
        buf: *const c_void,
        count: c_int,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Status_set_cancelled(status: *mut MPI_Status, flag: c_int) -> c_int;
    pub fn MPI_Status_set_elements_x(
        status: *mut MPI_Status,
        datatype: MPI_Datatype,
        count: MPI_Count,
    ) -> c_int;
    pub fn MPI_Topo_test(comm: MPI_Comm, status: *mut c_int) -> c_int;
    pub fn MPI_Type_create_darray(
        size: c_int,
        rank: c_int,
        ndims: c_int,
        gsize_array: *const c_int,
        distrib_array: *const c_int,
        darg_array: *const c_int,
        psize_array: *const c_int,
        order: c_int,
        oldtype: MPI_Datatype,
        newtype: *mut MPI_Datatype,
    ) -> c_int;
    pub fn MPI_Type_create_hindexed(
        count: c_int,
        array_of_blocklengths: *const c_int,
        array_of_displacements: *const MPI_Aint,
        oldtype: MPI_Datatype,
        newtype: *mut MPI_Datatype,
    ) -> c_int;
    pub fn MPI_Type_create_hindexed_block(
        count: c_int,
        blocklength: c_int,
        array_of_displacements: *const MPI_Aint,
        oldtype: MPI_Datatype,
        newtype: *mut MPI_Datatype,
    ) -> c_int;
    pub fn MPI_Type_create_hvector(
        count: c_int,
        blocklength: c_int,
        stride: MPI_Aint,
        oldtype: MPI_Datatype,
        newtype: *mut MPI_Datatype,
    ) -> c_int;
    pub fn MPI_Type_create_indexed_block(
        count: c_int,
        blocklength: c_int,
        array_of_displacements: *const c_int,
        oldtype: MPI_Datatype,
        newtype: *mut MPI_Datatype,
    ) -> c_int;
    pub fn MPI_Type_create_struct(
        count: c_int,
        array_of_block_lengths: *const c_int,
        array_of_displacements: *const MPI_Aint,
        array_of_types: *const MPI_Datatype,
        newtype: *mut MPI_Datatype,
    ) -> c_int;
    pub fn MPI_Type_create_subarray(
        ndims: c_int,
        size_array: *const c_int,
        subsize_array: *const c_int,
        start_array: *const c_int,
        order: c_int,
        oldtype: MPI_Datatype,
        newtype: *mut MPI_Datatype,
    ) -> c_int;
    pub fn MPI_Type_dup(datatype: MPI_Datatype, newtype: *mut MPI_Datatype) -> c_int;
    pub fn MPI_Type_get_true_extent(
        datatype: MPI_Datatype,
        true_lb: *mut MPI_Aint,
        true_extent: *mut MPI_Aint,
    ) -> c_int;
    pub fn MPI_Type_indexed(
        count: c_int,
        array_of_blocklengths: *const c_int,
        array_of_displacements: *const c_int,
        oldtype: MPI_Datatype,
        newtype: *mut MPI_Datatype,
    ) -> c_int;
    pub fn MPI_Type_size_x(datatype: MPI_Datatype, size: *mut MPI_Count) -> c_int;
    pub fn MPI_Type_vector(
        count: c_int,
        blocklength: c_int,
        stride: c_int,
        oldtype: MPI_Datatype,
        newtype: *mut MPI_Datatype,
    ) -> c_int;
    pub fn MPI_Unpack(
        inbuf: *const c_void,
        insize: c_int,
        position: *mut c_int,
        outbuf: *mut c_void,
        outcount: c_int,
        datatype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Unpack_external(
        datarep: *const c_char,
        inbuf: *const c_void,
        insize: MPI_Aint,
        position: *mut MPI_Aint,
        outbuf: *mut c_void,
        outcount: c_int,
        datatype: MPI_Datatype,
    ) -> c_int;
    pub fn MPI_Win_allocate(
        size: MPI_Aint,
        disp_unit: c_int,
        info: MPI_Info,
        comm: MPI_Comm,
        baseptr: *mut c_void,
        win: *mut MPI_Win,
    ) -> c_int;
    pub fn MPI_Win_allocate_shared(
        size: MPI_Aint,
        disp_unit: c_int,
        info: MPI_Info,
        comm: MPI_Comm,
        baseptr: *mut c_void,
        win: *mut MPI_Win,
    ) -> c_int;
    pub fn MPI_Win_create(
        base: *mut c_void,
        size: MPI_Aint,
        disp_unit: c_int,
        info: MPI_Info,
        comm: MPI_Comm,
        win: *mut MPI_Win,
    ) -> c_int;
    pub fn MPI_Win_shared_query(
        win: MPI_Win,
        rank: c_int,
        size: *mut MPI_Aint,
        disp_unit: *mut c_int,
        baseptr: *mut c_void,
    ) -> c_int;
}

#[cfg(admpi_persistent)]
unsafe extern "C-unwind" {
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Allgather_init")]
    pub fn MPI_Allgather_init(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Allgatherv_init")]
    pub fn MPI_Allgatherv_init(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        displs: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Allreduce_init")]
    pub fn MPI_Allreduce_init(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Alltoall_init")]
    pub fn MPI_Alltoall_init(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Alltoallv_init")]
    pub fn MPI_Alltoallv_init(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Alltoallw_init")]
    pub fn MPI_Alltoallw_init(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const c_int,
        sendtypes: *const MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const c_int,
        recvtypes: *const MPI_Datatype,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Bcast_init")]
    pub fn MPI_Bcast_init(
        buffer: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Exscan_init")]
    pub fn MPI_Exscan_init(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Gather_init")]
    pub fn MPI_Gather_init(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Gatherv_init")]
    pub fn MPI_Gatherv_init(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        displs: *const c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Neighbor_allgather_init")]
    pub fn MPI_Neighbor_allgather_init(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Neighbor_allgatherv_init")]
    pub fn MPI_Neighbor_allgatherv_init(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        displs: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Neighbor_alltoall_init")]
    pub fn MPI_Neighbor_alltoall_init(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Neighbor_alltoallv_init")]
    pub fn MPI_Neighbor_alltoallv_init(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const c_int,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Neighbor_alltoallw_init")]
    pub fn MPI_Neighbor_alltoallw_init(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        rdispls: *const MPI_Aint,
        recvtypes: *const MPI_Datatype,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Reduce_init")]
    pub fn MPI_Reduce_init(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        root: c_int,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Reduce_scatter_init")]
    pub fn MPI_Reduce_scatter_init(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcounts: *const c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Reduce_scatter_block_init")]
    pub fn MPI_Reduce_scatter_block_init(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcount: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Scan_init")]
    pub fn MPI_Scan_init(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Scatter_init")]
    pub fn MPI_Scatter_init(
        sendbuf: *const c_void,
        sendcount: c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    #[cfg_attr(admpi_persistent_extension, link_name = "MPIX_Scatterv_init")]
    pub fn MPI_Scatterv_init(
        sendbuf: *const c_void,
        sendcounts: *const c_int,
        displs: *const c_int,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: c_int,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
}
#[cfg(not(admpi_persistent))]
#[allow(non_snake_case, clippy::too_many_arguments)] // MPI's
mod absent {
    use super::*;
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Allgather_init(
        _sendbuf: *const c_void,
        _sendcount: c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcount: c_int,
        _recvtype: MPI_Datatype,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Allgatherv_init(
        _sendbuf: *const c_void,
        _sendcount: c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcounts: *const c_int,
        _displs: *const c_int,
        _recvtype: MPI_Datatype,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Allreduce_init(
        _sendbuf: *const c_void,
        _recvbuf: *mut c_void,
        _count: c_int,
        _datatype: MPI_Datatype,
        _op: MPI_Op,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Alltoall_init(
        _sendbuf: *const c_void,
        _sendcount: c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcount: c_int,
        _recvtype: MPI_Datatype,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Alltoallv_init(
        _sendbuf: *const c_void,
        _sendcounts: *const c_int,
        _sdispls: *const c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcounts: *const c_int,
        _rdispls: *const c_int,
        _recvtype: MPI_Datatype,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Alltoallw_init(
        _sendbuf: *const c_void,
        _sendcounts: *const c_int,
        _sdispls: *const c_int,
        _sendtypes: *const MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcounts: *const c_int,
        _rdispls: *const c_int,
        _recvtypes: *const MPI_Datatype,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Bcast_init(
        _buffer: *mut c_void,
        _count: c_int,
        _datatype: MPI_Datatype,
        _root: c_int,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Exscan_init(
        _sendbuf: *const c_void,
        _recvbuf: *mut c_void,
        _count: c_int,
        _datatype: MPI_Datatype,
        _op: MPI_Op,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Gather_init(
        _sendbuf: *const c_void,
        _sendcount: c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcount: c_int,
        _recvtype: MPI_Datatype,
        _root: c_int,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Gatherv_init(
        _sendbuf: *const c_void,
        _sendcount: c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcounts: *const c_int,
        _displs: *const c_int,
        _recvtype: MPI_Datatype,
        _root: c_int,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Neighbor_allgather_init(
        _sendbuf: *const c_void,
        _sendcount: c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcount: c_int,
        _recvtype: MPI_Datatype,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Neighbor_allgatherv_init(
        _sendbuf: *const c_void,
        _sendcount: c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcounts: *const c_int,
        _displs: *const c_int,
        _recvtype: MPI_Datatype,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Neighbor_alltoall_init(
        _sendbuf: *const c_void,
        _sendcount: c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcount: c_int,
        _recvtype: MPI_Datatype,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Neighbor_alltoallv_init(
        _sendbuf: *const c_void,
        _sendcounts: *const c_int,
        _sdispls: *const c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcounts: *const c_int,
        _rdispls: *const c_int,
        _recvtype: MPI_Datatype,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Neighbor_alltoallw_init(
        _sendbuf: *const c_void,
        _sendcounts: *const c_int,
        _sdispls: *const MPI_Aint,
        _sendtypes: *const MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcounts: *const c_int,
        _rdispls: *const MPI_Aint,
        _recvtypes: *const MPI_Datatype,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Reduce_init(
        _sendbuf: *const c_void,
        _recvbuf: *mut c_void,
        _count: c_int,
        _datatype: MPI_Datatype,
        _op: MPI_Op,
        _root: c_int,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Reduce_scatter_init(
        _sendbuf: *const c_void,
        _recvbuf: *mut c_void,
        _recvcounts: *const c_int,
        _datatype: MPI_Datatype,
        _op: MPI_Op,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Reduce_scatter_block_init(
        _sendbuf: *const c_void,
        _recvbuf: *mut c_void,
        _recvcount: c_int,
        _datatype: MPI_Datatype,
        _op: MPI_Op,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Scan_init(
        _sendbuf: *const c_void,
        _recvbuf: *mut c_void,
        _count: c_int,
        _datatype: MPI_Datatype,
        _op: MPI_Op,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Scatter_init(
        _sendbuf: *const c_void,
        _sendcount: c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcount: c_int,
        _recvtype: MPI_Datatype,
        _root: c_int,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
    /// # Safety
    /// Does nothing.
    pub unsafe fn MPI_Scatterv_init(
        _sendbuf: *const c_void,
        _sendcounts: *const c_int,
        _displs: *const c_int,
        _sendtype: MPI_Datatype,
        _recvbuf: *mut c_void,
        _recvcount: c_int,
        _recvtype: MPI_Datatype,
        _root: c_int,
        _comm: MPI_Comm,
        _info: MPI_Info,
        _request: *mut MPI_Request,
    ) -> c_int {
        crate::mpi::raw::constants().err_other
    }
}
#[cfg(not(admpi_persistent))]
pub use absent::*;

#[cfg(admpi_large_count)]
unsafe extern "C-unwind" {
    pub fn MPI_Send_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Bsend_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Ssend_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Rsend_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Recv_c(
        buf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        source: c_int,
        tag: c_int,
        comm: MPI_Comm,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_Isend_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ibsend_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Issend_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Irsend_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Irecv_c(
        buf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        source: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Mrecv_c(
        buf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        message: *mut MPI_Message,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_Imrecv_c(
        buf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        message: *mut MPI_Message,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Sendrecv_replace_c(
        buf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        sendtag: c_int,
        source: c_int,
        recvtag: c_int,
        comm: MPI_Comm,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_Sendrecv_c(
        sendbuf: *const c_void,
        sendcount: MPI_Count,
        sendtype: MPI_Datatype,
        dest: c_int,
        sendtag: c_int,
        recvbuf: *mut c_void,
        recvcount: MPI_Count,
        recvtype: MPI_Datatype,
        source: c_int,
        recvtag: c_int,
        comm: MPI_Comm,
        status: *mut MPI_Status,
    ) -> c_int;
    pub fn MPI_Send_init_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Bsend_init_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ssend_init_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Rsend_init_c(
        buf: *const c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Recv_init_c(
        buf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        source: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Bcast_c(
        buffer: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Gather_c(
        sendbuf: *const c_void,
        sendcount: MPI_Count,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: MPI_Count,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Scatter_c(
        sendbuf: *const c_void,
        sendcount: MPI_Count,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: MPI_Count,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Allgather_c(
        sendbuf: *const c_void,
        sendcount: MPI_Count,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: MPI_Count,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Alltoall_c(
        sendbuf: *const c_void,
        sendcount: MPI_Count,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: MPI_Count,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Gatherv_c(
        sendbuf: *const c_void,
        sendcount: MPI_Count,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const MPI_Count,
        displs: *const MPI_Aint,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Igatherv_c(
        sendbuf: *const c_void,
        sendcount: MPI_Count,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const MPI_Count,
        displs: *const MPI_Aint,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Scatterv_c(
        sendbuf: *const c_void,
        sendcounts: *const MPI_Count,
        displs: *const MPI_Aint,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: MPI_Count,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Iscatterv_c(
        sendbuf: *const c_void,
        sendcounts: *const MPI_Count,
        displs: *const MPI_Aint,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcount: MPI_Count,
        recvtype: MPI_Datatype,
        root: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Allgatherv_c(
        sendbuf: *const c_void,
        sendcount: MPI_Count,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const MPI_Count,
        displs: *const MPI_Aint,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Iallgatherv_c(
        sendbuf: *const c_void,
        sendcount: MPI_Count,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const MPI_Count,
        displs: *const MPI_Aint,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Alltoallv_c(
        sendbuf: *const c_void,
        sendcounts: *const MPI_Count,
        sdispls: *const MPI_Aint,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const MPI_Count,
        rdispls: *const MPI_Aint,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Ialltoallv_c(
        sendbuf: *const c_void,
        sendcounts: *const MPI_Count,
        sdispls: *const MPI_Aint,
        sendtype: MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const MPI_Count,
        rdispls: *const MPI_Aint,
        recvtype: MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Alltoallw_c(
        sendbuf: *const c_void,
        sendcounts: *const MPI_Count,
        sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const MPI_Count,
        rdispls: *const MPI_Aint,
        recvtypes: *const MPI_Datatype,
        comm: MPI_Comm,
    ) -> c_int;
    pub fn MPI_Ialltoallw_c(
        sendbuf: *const c_void,
        sendcounts: *const MPI_Count,
        sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype,
        recvbuf: *mut c_void,
        recvcounts: *const MPI_Count,
        rdispls: *const MPI_Aint,
        recvtypes: *const MPI_Datatype,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Iallreduce_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ireduce_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        root: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Iscan_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Iexscan_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ireduce_scatter_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcounts: *const MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Ireduce_scatter_block_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcount: MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Allreduce_init_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Reduce_init_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        root: c_int,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Scan_init_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Exscan_init_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Reduce_scatter_init_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcounts: *const MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
    pub fn MPI_Reduce_scatter_block_init_c(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcount: MPI_Count,
        datatype: MPI_Datatype,
        op: MPI_Op,
        comm: MPI_Comm,
        info: MPI_Info,
        request: *mut MPI_Request,
    ) -> c_int;
}
