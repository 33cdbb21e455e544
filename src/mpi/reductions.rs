//! Operations that reduce doubles.

use super::operation::{Series, behind, call, in_place};
use super::raw::{self, MPI_Request};
use super::units::narrow;
use super::{
    CallForm, Comm, Item, MpiResult, Op, Operation, Staging, Step, check, ffi, twins, wide_int,
};
use std::ffi::{c_int, c_void};

impl Operation {
    /// The reduction of all `data` in `out` on the root; elsewhere `out` is empty. Never in place: MPICH 4.0
    /// crashes on that where the root is not rank 0.
    #[allow(clippy::too_many_arguments)] // MPI's own, and one
    pub fn reduce(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        root: c_int,
        step: Step,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        let (items, words, t) = (data.len() / item.words, item.words, item.datatype.raw());
        let at_root = !out.is_empty();
        assert!(!at_root || out.len() >= data.len());
        let mut this = Self::between(data, out);
        let (from, to) = (this.from(), this.to());
        // SAFETY: off the root the receive buffer is not significant.
        this.in_pieces(items, step, call_form, |at, n, request| unsafe {
            let from = behind(from.cast_mut(), at * words).cast_const();
            let to = if at_root { behind(to, at * words) } else { to };
            let (now, begin) = (ffi::MPI_Reduce, ffi::MPI_Ireduce);
            twins!(request, now, begin, from, to, n, t, op.raw(), root, comm.raw())
        })?;
        Ok(this)
    }

    /// The reduction of all `data`, everywhere, in its own place.
    pub fn allreduce(
        comm: Comm,
        data: Staging,
        item: Item,
        op: Op,
        step: Step,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        let (items, words, t) = (data.len() / item.words, item.words, item.datatype.raw());
        let mut this = Self::between(Staging::default(), data);
        let to = this.to();
        // SAFETY: as above.
        this.in_pieces(items, step, call_form, |at, n, request| unsafe {
            let (now, begin) = (ffi::MPI_Allreduce, ffi::MPI_Iallreduce);
            let to = behind(to, at * words);
            twins!(request, now, begin, in_place(), to, n, t, op.raw(), comm.raw())
        })?;
        Ok(this)
    }

    /// One of MPI's reductions of `data` that leave a result of the same length in `out`.
    fn reduced_apart(
        data: Staging,
        out: Staging,
        item: Item,
        step: Step,
        call_form: CallForm,
        call: impl Fn(
            *const c_void,
            *mut c_void,
            c_int,
            raw::MPI_Datatype,
            Option<*mut MPI_Request>,
        ) -> c_int,
    ) -> MpiResult<Self> {
        let (items, words, t) = (data.len() / item.words, item.words, item.datatype.raw());
        assert!(out.len() >= data.len());
        let mut this = Self::between(data, out);
        let (from, to) = (this.from(), this.to());
        this.in_pieces(items, step, call_form, |at, n, request| {
            let from = behind(from.cast_mut(), at * words).cast_const();
            call(from, behind(to, at * words), n, t, request)
        })?;
        Ok(this)
    }

    /// The reduction of all `data`, everywhere in `out`.
    pub fn allreduce_apart(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        step: Step,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        // SAFETY: as above.
        Self::reduced_apart(data, out, item, step, call_form, |from, to, n, t, request| unsafe {
            let (now, begin) = (ffi::MPI_Allreduce, ffi::MPI_Iallreduce);
            twins!(request, now, begin, from, to, n, t, op.raw(), comm.raw())
        })
    }

    /// The reduction of `data` up to this rank.
    pub fn scan(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        step: Step,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        // SAFETY: as above.
        Self::reduced_apart(data, out, item, step, call_form, |from, to, n, t, request| unsafe {
            let (now, begin) = (ffi::MPI_Scan, ffi::MPI_Iscan);
            twins!(request, now, begin, from, to, n, t, op.raw(), comm.raw())
        })
    }

    /// The reduction of `data` over the ranks below; rank 0 keeps what `out` holds.
    pub fn exscan(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        step: Step,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        // SAFETY: as above.
        Self::reduced_apart(data, out, item, step, call_form, |from, to, n, t, request| unsafe {
            let (now, begin) = (ffi::MPI_Exscan, ffi::MPI_Iexscan);
            twins!(request, now, begin, from, to, n, t, op.raw(), comm.raw())
        })
    }

    /// The reduction of all `whole`, of which each rank gets `each` items in `part`.
    pub fn reduce_scatter_block(
        comm: Comm,
        whole: Staging,
        part: Staging,
        each: c_int,
        item: Item,
        op: Op,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        let words = wide_int(each) * item.words;
        assert!(part.len() >= words && whole.len() >= words * wide_int(comm.size()?));
        let t = item.datatype.raw();
        let mut this = Self::between(whole, part);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call!(
                this,
                call_form,
                MPI_Reduce_scatter_block,
                MPI_Ireduce_scatter_block,
                from,
                to,
                each,
                t,
                op.raw(),
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As `reduce_scatter_block`, of shares that differ: `width` items for each that `shares` counts.
    #[allow(clippy::too_many_arguments)] // MPI's own, and two
    pub fn reduce_scatter(
        comm: Comm,
        whole: Staging,
        part: Staging,
        shares: &[u64],
        width: usize,
        item: Item,
        op: Op,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        let total: usize = shares.iter().map(|&n| crate::count::wide(n) * width).sum();
        assert!(whole.len() >= total * item.words, "the shares fit");
        assert!(shares.len() >= wide_int(comm.size()?), "a share for each rank");
        let own = crate::count::wide(shares[wide_int(comm.rank()?)]) * width;
        assert!(part.len() >= own * item.words, "the own share fits");
        let t = item.datatype.raw();
        let mut this = Self::between(whole, part);
        this.counts.extend(shares.iter().map(|&n| narrow(crate::count::wide(n) * width)));
        let (from, to, counts) = (this.from(), this.to(), this.counts.as_ptr());
        // SAFETY: see `call`; one entry a rank.
        unsafe {
            call!(
                this,
                call_form,
                MPI_Reduce_scatter,
                MPI_Ireduce_scatter,
                from,
                to,
                counts,
                t,
                op.raw(),
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As `reduce_scatter`, by a reduction to each rank: `share` tells how many items it gets.
    #[allow(clippy::too_many_arguments)] // as above
    pub fn reduce_to_each(
        comm: Comm,
        whole: Staging,
        part: Staging,
        share: impl Fn(usize) -> usize,
        item: Item,
        op: Op,
        step: Step,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        let (rank, ranks) = (wide_int(comm.rank()?), wide_int(comm.size()?));
        let (words, t) = (item.words, item.datatype.raw());
        let total: usize = (0..ranks).map(&share).sum();
        assert!(whole.len() >= total * words && part.len() >= share(rank) * words);
        let mut this = Self::between(whole, part);
        let (from, to) = (this.from(), this.to());
        let mut series = Series::new(call_form)?;
        let mut first = 0;
        for (root, other) in (0..).zip(0..ranks) {
            let items = share(other);
            for at in (0..items).step_by(step.items()) {
                let n = narrow(step.items().min(items - at));
                let from = behind(from.cast_mut(), (first + at) * words).cast_const();
                let to = if other == rank { behind(to, at * words) } else { to };
                // SAFETY: see `call`; off the root the receive buffer is not significant.
                series.add(|request| unsafe {
                    let (now, begin) = (ffi::MPI_Reduce, ffi::MPI_Ireduce);
                    twins!(request, now, begin, from, to, n, t, op.raw(), root, comm.raw())
                });
            }
            first += items;
        }
        series.finish(&mut this)?;
        Ok(this)
    }
}
