//! The calls of MPI as the library uses them: declared "C-unwind", since a user's error handler may throw.
//! The types come from mpi-sys, which reads them from the mpi.h in use.

pub use mpi_sys::{
    MPI_Aint, MPI_Comm, MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function, MPI_Count,
    MPI_Datatype, MPI_Group, MPI_Info, MPI_Message, MPI_Op, MPI_Request, MPI_Status,
    MPI_Type_copy_attr_function, MPI_Type_delete_attr_function, MPI_User_function, MPI_Win,
    MPI_Win_copy_attr_function, MPI_Win_delete_attr_function, RSMPI_Fint as MPI_Fint,
};
use std::ffi::{c_char, c_int, c_void};

#[inline]
pub fn null_request() -> MPI_Request {
    // SAFETY: constant data of the shim of mpi-sys.
    unsafe { mpi_sys::RSMPI_REQUEST_NULL }
}

macro_rules! declare {
    ($($name:ident($($arg:ident: $kind:ty),* $(,)?);)*) => {
        unsafe extern "C-unwind" { $(pub fn $name($($arg: $kind),*) -> c_int;)* }
    };
}

declare! {
    MPI_Init(argc: *mut c_int, argv: *mut *mut *mut c_char);
    MPI_Init_thread(argc: *mut c_int, argv: *mut *mut *mut c_char, required: c_int, provided: *mut c_int);
    MPI_Query_thread(provided: *mut c_int);
    MPI_Initialized(flag: *mut c_int);
    MPI_Finalized(flag: *mut c_int);
    MPI_Finalize();

    MPI_Send(buf: *const c_void, count: c_int, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm);
    MPI_Recv(buf: *mut c_void, count: c_int, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, status: *mut MPI_Status);
    MPI_Isend(buf: *const c_void, count: c_int, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: *mut MPI_Request);
    MPI_Irecv(buf: *mut c_void, count: c_int, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, request: *mut MPI_Request);
    MPI_Sendrecv(sendbuf: *const c_void, sendcount: c_int, sendtype: MPI_Datatype, dest: c_int, sendtag: c_int, recvbuf: *mut c_void, recvcount: c_int, recvtype: MPI_Datatype, source: c_int, recvtag: c_int, comm: MPI_Comm, status: *mut MPI_Status);
    MPI_Probe(source: c_int, tag: c_int, comm: MPI_Comm, status: *mut MPI_Status);
    MPI_Iprobe(source: c_int, tag: c_int, comm: MPI_Comm, flag: *mut c_int, status: *mut MPI_Status);
    MPI_Mprobe(source: c_int, tag: c_int, comm: MPI_Comm, message: *mut MPI_Message, status: *mut MPI_Status);
    MPI_Improbe(source: c_int, tag: c_int, comm: MPI_Comm, flag: *mut c_int, message: *mut MPI_Message, status: *mut MPI_Status);
    MPI_Get_count(status: *const MPI_Status, datatype: MPI_Datatype, count: *mut c_int);
    MPI_Test_cancelled(status: *const MPI_Status, flag: *mut c_int);

    MPI_Wait(request: *mut MPI_Request, status: *mut MPI_Status);
    MPI_Waitall(count: c_int, requests: *mut MPI_Request, statuses: *mut MPI_Status);
    MPI_Waitany(count: c_int, requests: *mut MPI_Request, index: *mut c_int, status: *mut MPI_Status);
    MPI_Waitsome(incount: c_int, requests: *mut MPI_Request, outcount: *mut c_int, indices: *mut c_int, statuses: *mut MPI_Status);
    MPI_Test(request: *mut MPI_Request, flag: *mut c_int, status: *mut MPI_Status);
    MPI_Testall(count: c_int, requests: *mut MPI_Request, flag: *mut c_int, statuses: *mut MPI_Status);
    MPI_Testany(count: c_int, requests: *mut MPI_Request, index: *mut c_int, flag: *mut c_int, status: *mut MPI_Status);
    MPI_Testsome(incount: c_int, requests: *mut MPI_Request, outcount: *mut c_int, indices: *mut c_int, statuses: *mut MPI_Status);
    MPI_Request_free(request: *mut MPI_Request);
    MPI_Request_get_status(request: MPI_Request, flag: *mut c_int, status: *mut MPI_Status);
    MPI_Cancel(request: *mut MPI_Request);
    MPI_Start(request: *mut MPI_Request);

    MPI_Bcast(buf: *mut c_void, count: c_int, datatype: MPI_Datatype, root: c_int, comm: MPI_Comm);
    MPI_Barrier(comm: MPI_Comm);
    MPI_Allreduce(sendbuf: *const c_void, recvbuf: *mut c_void, count: c_int, datatype: MPI_Datatype, op: MPI_Op, comm: MPI_Comm);
    MPI_Allgather(sendbuf: *const c_void, sendcount: c_int, sendtype: MPI_Datatype, recvbuf: *mut c_void, recvcount: c_int, recvtype: MPI_Datatype, comm: MPI_Comm);

    MPI_Comm_rank(comm: MPI_Comm, rank: *mut c_int);
    MPI_Comm_size(comm: MPI_Comm, size: *mut c_int);
    MPI_Comm_group(comm: MPI_Comm, group: *mut MPI_Group);
    MPI_Comm_test_inter(comm: MPI_Comm, flag: *mut c_int);
    MPI_Comm_get_info(comm: MPI_Comm, info: *mut MPI_Info);
    MPI_Info_get(info: MPI_Info, key: *const c_char, valuelen: c_int, value: *mut c_char, flag: *mut c_int);
    MPI_Info_free(info: *mut MPI_Info);
    MPI_Group_compare(a: MPI_Group, b: MPI_Group, result: *mut c_int);
    MPI_Group_free(group: *mut MPI_Group);
    MPI_Comm_dup(comm: MPI_Comm, newcomm: *mut MPI_Comm);
    MPI_Comm_dup_with_info(comm: MPI_Comm, info: MPI_Info, newcomm: *mut MPI_Comm);
    MPI_Comm_create(comm: MPI_Comm, group: MPI_Group, newcomm: *mut MPI_Comm);
    MPI_Comm_create_group(comm: MPI_Comm, group: MPI_Group, tag: c_int, newcomm: *mut MPI_Comm);
    MPI_Comm_split(comm: MPI_Comm, color: c_int, key: c_int, newcomm: *mut MPI_Comm);
    MPI_Comm_split_type(comm: MPI_Comm, split_type: c_int, key: c_int, info: MPI_Info, newcomm: *mut MPI_Comm);
    MPI_Comm_free(comm: *mut MPI_Comm);
    MPI_Comm_disconnect(comm: *mut MPI_Comm);
    MPI_Cart_create(comm: MPI_Comm, ndims: c_int, dims: *const c_int, periods: *const c_int, reorder: c_int, newcomm: *mut MPI_Comm);
    MPI_Cart_sub(comm: MPI_Comm, remain_dims: *const c_int, newcomm: *mut MPI_Comm);
    MPI_Graph_create(comm: MPI_Comm, nnodes: c_int, index: *const c_int, edges: *const c_int, reorder: c_int, newcomm: *mut MPI_Comm);
    MPI_Dist_graph_create(comm: MPI_Comm, n: c_int, sources: *const c_int, degrees: *const c_int, destinations: *const c_int, weights: *const c_int, info: MPI_Info, reorder: c_int, newcomm: *mut MPI_Comm);
    MPI_Dist_graph_create_adjacent(comm: MPI_Comm, indegree: c_int, sources: *const c_int, sourceweights: *const c_int, outdegree: c_int, destinations: *const c_int, destweights: *const c_int, info: MPI_Info, reorder: c_int, newcomm: *mut MPI_Comm);
    MPI_Intercomm_create(local: MPI_Comm, local_leader: c_int, bridge: MPI_Comm, remote_leader: c_int, tag: c_int, newcomm: *mut MPI_Comm);
    MPI_Intercomm_merge(intercomm: MPI_Comm, high: c_int, newcomm: *mut MPI_Comm);
    MPI_Comm_set_errhandler(comm: MPI_Comm, errhandler: mpi_sys::MPI_Errhandler);
    MPI_Comm_create_keyval(copy: MPI_Comm_copy_attr_function, delete: MPI_Comm_delete_attr_function, keyval: *mut c_int, extra: *mut c_void);
    MPI_Comm_free_keyval(keyval: *mut c_int);
    MPI_Comm_set_attr(comm: MPI_Comm, keyval: c_int, value: *mut c_void);
    MPI_Comm_get_attr(comm: MPI_Comm, keyval: c_int, value: *mut c_void, flag: *mut c_int);
    MPI_Comm_delete_attr(comm: MPI_Comm, keyval: c_int);

    MPI_Type_contiguous(count: c_int, old: MPI_Datatype, new: *mut MPI_Datatype);
    MPI_Type_create_resized(old: MPI_Datatype, lb: MPI_Aint, extent: MPI_Aint, new: *mut MPI_Datatype);
    MPI_Type_commit(datatype: *mut MPI_Datatype);
    MPI_Type_free(datatype: *mut MPI_Datatype);
    MPI_Type_get_extent(datatype: MPI_Datatype, lb: *mut MPI_Aint, extent: *mut MPI_Aint);
    MPI_Type_get_envelope(datatype: MPI_Datatype, integers: *mut c_int, addresses: *mut c_int, datatypes: *mut c_int, combiner: *mut c_int);
    MPI_Type_get_contents(datatype: MPI_Datatype, max_integers: c_int, max_addresses: c_int, max_datatypes: c_int, integers: *mut c_int, addresses: *mut MPI_Aint, datatypes: *mut MPI_Datatype);
    MPI_Type_create_keyval(copy: MPI_Type_copy_attr_function, delete: MPI_Type_delete_attr_function, keyval: *mut c_int, extra: *mut c_void);
    MPI_Type_free_keyval(keyval: *mut c_int);
    MPI_Type_set_attr(datatype: MPI_Datatype, keyval: c_int, value: *mut c_void);
    MPI_Type_get_attr(datatype: MPI_Datatype, keyval: c_int, value: *mut c_void, flag: *mut c_int);
    MPI_Type_delete_attr(datatype: MPI_Datatype, keyval: c_int);
    MPI_Type_set_name(datatype: MPI_Datatype, name: *const c_char);

    MPI_Win_create(base: *mut c_void, size: MPI_Aint, disp_unit: c_int, info: MPI_Info, comm: MPI_Comm, win: *mut MPI_Win);
    MPI_Win_allocate(size: MPI_Aint, disp_unit: c_int, info: MPI_Info, comm: MPI_Comm, baseptr: *mut c_void, win: *mut MPI_Win);
    MPI_Win_create_dynamic(info: MPI_Info, comm: MPI_Comm, win: *mut MPI_Win);
    MPI_Win_attach(win: MPI_Win, base: *mut c_void, size: MPI_Aint);
    MPI_Win_detach(win: MPI_Win, base: *const c_void);
    MPI_Win_free(win: *mut MPI_Win);
    MPI_Win_fence(assert: c_int, win: MPI_Win);
    MPI_Win_post(group: MPI_Group, assert: c_int, win: MPI_Win);
    MPI_Win_start(group: MPI_Group, assert: c_int, win: MPI_Win);
    MPI_Win_complete(win: MPI_Win);
    MPI_Win_wait(win: MPI_Win);
    MPI_Win_test(win: MPI_Win, flag: *mut c_int);
    MPI_Win_lock(lock_type: c_int, rank: c_int, assert: c_int, win: MPI_Win);
    MPI_Win_lock_all(assert: c_int, win: MPI_Win);
    MPI_Win_unlock(rank: c_int, win: MPI_Win);
    MPI_Win_unlock_all(win: MPI_Win);
    MPI_Win_flush(rank: c_int, win: MPI_Win);
    MPI_Win_flush_all(win: MPI_Win);
    MPI_Win_flush_local(rank: c_int, win: MPI_Win);
    MPI_Win_flush_local_all(win: MPI_Win);
    MPI_Win_sync(win: MPI_Win);
    MPI_Compare_and_swap(origin: *const c_void, compare: *const c_void, result: *mut c_void, datatype: MPI_Datatype, rank: c_int, displacement: MPI_Aint, win: MPI_Win);
    MPI_Win_create_keyval(copy: MPI_Win_copy_attr_function, delete: MPI_Win_delete_attr_function, keyval: *mut c_int, extra: *mut c_void);
    MPI_Win_set_attr(win: MPI_Win, keyval: c_int, value: *mut c_void);
    MPI_Win_get_attr(win: MPI_Win, keyval: c_int, value: *mut c_void, flag: *mut c_int);
    MPI_Win_delete_attr(win: MPI_Win, keyval: c_int);
    MPI_Group_incl(group: MPI_Group, n: c_int, ranks: *const c_int, newgroup: *mut MPI_Group);
    MPI_Group_size(group: MPI_Group, size: *mut c_int);
    MPI_Group_translate_ranks(group: MPI_Group, n: c_int, ranks: *const c_int, other: MPI_Group, translated: *mut c_int);

    MPI_Op_create(function: MPI_User_function, commute: c_int, op: *mut MPI_Op);

    MPI_Add_error_class(class: *mut c_int);
    MPI_Add_error_code(class: c_int, code: *mut c_int);
    MPI_Add_error_string(code: c_int, string: *const c_char);
    MPI_Error_class(code: c_int, class: *mut c_int);
    MPI_Error_string(code: c_int, string: *mut c_char, length: *mut c_int);
}

unsafe extern "C" {
    pub fn admpi_shim_raise_comm(comm: MPI_Comm, code: c_int) -> c_int;
    pub fn admpi_shim_raise_win(win: mpi_sys::MPI_Win, code: c_int) -> c_int;
    pub fn admpi_shim_raise_file(file: mpi_sys::MPI_File, code: c_int) -> c_int;
    pub fn admpi_shim_in_place() -> *mut c_void;
    pub fn admpi_shim_largest_tag() -> c_int;
    pub static mut AMPI_ADOUBLE: MPI_Datatype;
    pub static mut AMPI_ADOUBLE_INT: MPI_Datatype;
    pub static mut AMPI_ADOUBLE_COMPLEX: MPI_Datatype;
    pub static mut AMPI_AFLOAT: MPI_Datatype;
    pub static mut AMPI_AFLOAT_INT: MPI_Datatype;
    pub static mut AMPI_AFLOAT_COMPLEX: MPI_Datatype;
    pub static mut AMPI_VARMAT: MPI_Datatype;
    pub static mut AMPI_VIEW: MPI_Datatype;
    pub static mut admpi_shim_numbers: MPI_Datatype;
    pub fn admpi_shim_set_adouble(datatype: MPI_Datatype);
    pub fn admpi_shim_set_adouble_int(datatype: MPI_Datatype);
    pub fn admpi_shim_set_tangents(plain: MPI_Datatype, active: MPI_Datatype);
    pub fn admpi_shim_set_adouble_complex(datatype: MPI_Datatype);
    pub fn admpi_shim_set_afloat(datatype: MPI_Datatype);
    pub fn admpi_shim_set_afloat_int(datatype: MPI_Datatype);
    pub fn admpi_shim_set_afloat_complex(datatype: MPI_Datatype);
    pub fn admpi_shim_set_varmat(datatype: MPI_Datatype);
    pub fn admpi_shim_set_view(datatype: MPI_Datatype);
    pub fn admpi_shim_set_numbers(datatype: MPI_Datatype);
    pub fn admpi_shim_type_BYTE() -> MPI_Datatype;
    pub fn admpi_shim_type_PACKED() -> MPI_Datatype;
    pub fn admpi_shim_type_FLOAT() -> MPI_Datatype;
    pub fn admpi_shim_type_INT() -> MPI_Datatype;
    pub fn admpi_shim_op_SUM() -> MPI_Op;
    pub fn admpi_shim_op_PROD() -> MPI_Op;
    pub fn admpi_shim_op_MIN() -> MPI_Op;
    pub fn admpi_shim_op_MAX() -> MPI_Op;
    pub fn admpi_shim_op_MINLOC() -> MPI_Op;
    pub fn admpi_shim_op_MAXLOC() -> MPI_Op;
    pub fn admpi_shim_op_BOR() -> MPI_Op;
    pub fn admpi_shim_op_BAND() -> MPI_Op;
    pub fn admpi_shim_op_BXOR() -> MPI_Op;
    pub fn admpi_shim_op_LAND() -> MPI_Op;
    pub fn admpi_shim_op_LOR() -> MPI_Op;
    pub fn admpi_shim_op_LXOR() -> MPI_Op;
    pub fn admpi_shim_op_REPLACE() -> MPI_Op;
    pub fn admpi_shim_op_NO_OP() -> MPI_Op;
    pub fn admpi_shim_op_OP_NULL() -> MPI_Op;
    #[link_name = "admpi_shim_constants"]
    static CONSTANTS: Constants;
}

/// Numbers that mpi.h gives as enumerators or macros; laid out in the C shim.
#[repr(C)]
pub struct Constants {
    pub in_place: *const c_void,
    pub proc_null: c_int,
    pub any_source: c_int,
    pub any_tag: c_int,
    pub undefined: c_int,
    pub order_c: c_int,
    pub order_fortran: c_int,
    pub err_other: c_int,
    pub err_in_status: c_int,
    pub err_pending: c_int,
    pub err_comm: c_int,
    pub err_arg: c_int,
    pub err_request: c_int,
    pub err_count: c_int,
    pub err_truncate: c_int,
    pub ident: c_int,
    pub max_error_string: c_int,
    pub named: c_int,
    pub dup: c_int,
    pub contiguous: c_int,
    pub vector: c_int,
    pub hvector: c_int,
    pub indexed: c_int,
    pub hindexed: c_int,
    pub indexed_block: c_int,
    pub hindexed_block: c_int,
    pub structure: c_int,
    pub subarray: c_int,
    pub darray: c_int,
    pub resized: c_int,
    pub distribute_none: c_int,
    pub distribute_block: c_int,
    pub distribute_cyclic: c_int,
    pub distribute_dflt_darg: c_int,
}

laid_out!(admpi_shim_constant_values, Constants);

// SAFETY: constant data; the pointer is compared, never followed.
unsafe impl Sync for Constants {}

#[inline]
pub fn constants() -> &'static Constants {
    // SAFETY: constant data of the shim, with this layout.
    unsafe { &CONSTANTS }
}

pub const SUCCESS: c_int = 0;

/// MPI has been initialised and not yet finalised.
pub fn is_live() -> bool {
    let (mut initialised, mut finalised) = (0, 0);
    // SAFETY: both may be called at any time.
    unsafe {
        MPI_Initialized(&mut initialised);
        MPI_Finalized(&mut finalised);
    }
    initialised != 0 && finalised == 0
}

/// The largest tag that a message may have.
pub fn largest_tag() -> c_int {
    // SAFETY: MPI is initialised where communicators are made.
    unsafe { admpi_shim_largest_tag() }
}

/// `MPI_Aint` in 64 bits.
#[allow(clippy::unnecessary_fallible_conversions, clippy::useless_conversion)]
pub fn widen(n: MPI_Aint) -> i64 {
    i64::try_from(n).expect("addresses have 64 bits")
}

/// A count that MPI gave, which is never negative.
pub fn wide_int(n: c_int) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// Whether `pointer` is `MPI_IN_PLACE`: to be asked before a slice is formed.
pub fn is_in_place(pointer: *const std::ffi::c_void) -> bool {
    pointer == constants().in_place
}
