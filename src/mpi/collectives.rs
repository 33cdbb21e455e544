//! Operations that move doubles.

use super::arrays::{Lists, Width};
use super::operation::{behind, call, call_within};
use super::{
    CallForm, Comm, Datatype, Doubles, Listed, MpiResult, Operation, Reach, Staging, Step, check,
    ffi, twins, wide_int,
};
use std::ffi::c_int;

impl Operation {
    /// The root's `data` goes to all.
    pub fn bcast(
        comm: Comm,
        data: Staging,
        root: c_int,
        step: Step,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        let (n, double) = (data.len(), Datatype::double().raw());
        let mut this = Self::between(Staging::default(), data);
        let at = this.to();
        // SAFETY: see `call`; so below.
        this.in_pieces(n, step, call_form, |from, n, request| unsafe {
            let at = behind(at, from);
            twins!(request, ffi::MPI_Bcast, ffi::MPI_Ibcast, at, n, double, root, comm.raw())
        })?;
        Ok(this)
    }

    /// `part` of each rank, as many doubles from each, one after the other in `whole` on the root (empty elsewhere).
    pub fn gather(
        comm: Comm,
        part: Staging,
        whole: Staging,
        each: &Doubles,
        root: c_int,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        assert!(part.len() >= each.len());
        assert!(whole.is_empty() || whole.len() >= each.len() * wide_int(comm.partners()?));
        let (count, t) = (each.count(), each.datatype());
        let mut this = Self::between(part, whole);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call!(
                this,
                call_form,
                MPI_Gather,
                MPI_Igather,
                from,
                count,
                t,
                to,
                count,
                t,
                root,
                comm.raw()
            )?;
        }
        Ok(this)
    }

    /// As `gather`, of parts that differ: `own` of this rank, and `listed` on the root, where the list has all ranks.
    pub fn gatherv(
        comm: Comm,
        part: Staging,
        whole: Staging,
        own: &Doubles,
        listed: Listed<'_>,
        root: c_int,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        assert!(part.len() >= own.len());
        let (count, t, u) = (own.count(), own.datatype(), listed.item.datatype.raw());
        let room = whole.len();
        let mut this = Self::between(part, whole);
        this.add_counts(&listed, room)?;
        let (from, to) = (this.from(), this.to());
        let counts = this.counts.as_ptr();
        let displs = counts.wrapping_add(listed.shares.len());
        // SAFETY: see `call`; the arrays of the root have one entry a rank.
        unsafe {
            call!(
                this,
                call_form,
                MPI_Gatherv,
                MPI_Igatherv,
                from,
                count,
                t,
                to,
                counts,
                displs,
                u,
                root,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// Consecutive pieces of `whole` on the root (empty elsewhere), one to each rank's `part`; as `gather`.
    pub fn scatter(
        comm: Comm,
        whole: Staging,
        part: Staging,
        each: &Doubles,
        root: c_int,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        assert!(part.len() >= each.len());
        assert!(whole.is_empty() || whole.len() >= each.len() * wide_int(comm.partners()?));
        let (count, t) = (each.count(), each.datatype());
        let mut this = Self::between(whole, part);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call!(
                this,
                call_form,
                MPI_Scatter,
                MPI_Iscatter,
                from,
                count,
                t,
                to,
                count,
                t,
                root,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As `scatter`, of parts that differ; as `gatherv`.
    pub fn scatterv(
        comm: Comm,
        whole: Staging,
        part: Staging,
        own: &Doubles,
        listed: Listed<'_>,
        root: c_int,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        assert!(part.len() >= own.len());
        let (count, u, t) = (own.count(), own.datatype(), listed.item.datatype.raw());
        let data = whole.len();
        let mut this = Self::between(whole, part);
        this.add_counts(&listed, data)?;
        let (from, to) = (this.from(), this.to());
        let counts = this.counts.as_ptr();
        let displs = counts.wrapping_add(listed.shares.len());
        // SAFETY: as in `gatherv`.
        unsafe {
            call!(
                this,
                call_form,
                MPI_Scatterv,
                MPI_Iscatterv,
                from,
                counts,
                displs,
                t,
                to,
                count,
                u,
                root,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// `part` of each rank, or neighbour, as many doubles from each, one after the other, everywhere in `whole`.
    pub fn allgather(
        comm: Comm,
        part: Staging,
        whole: Staging,
        (sent, received): (&Doubles, &Doubles),
        reach: Reach,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        let (sources, _) = reach.degrees(comm)?;
        assert!(part.len() >= sent.len() && whole.len() >= received.len() * sources);
        let (n, t, m, u) = (sent.count(), sent.datatype(), received.count(), received.datatype());
        let mut this = Self::between(part, whole);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call_within!(
                this,
                call_form,
                reach,
                [MPI_Allgather, MPI_Iallgather],
                [MPI_Neighbor_allgather, MPI_Ineighbor_allgather],
                from,
                n,
                t,
                to,
                m,
                u,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As `allgather`, of parts that differ: `own` of this rank, and `listed` of all.
    pub fn allgatherv(
        comm: Comm,
        part: Staging,
        whole: Staging,
        own: &Doubles,
        listed: Listed<'_>,
        reach: Reach,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        let (sources, _) = reach.degrees(comm)?;
        assert!(part.len() >= own.len() && listed.shares.len() >= sources);
        let (n, t, u) = (own.count(), own.datatype(), listed.item.datatype.raw());
        let room = whole.len();
        let mut this = Self::between(part, whole);
        this.add_counts(&listed, room)?;
        let (from, to) = (this.from(), this.to());
        let counts = this.counts.as_ptr();
        let displs = counts.wrapping_add(listed.shares.len());
        // SAFETY: see `call`; one entry a rank.
        unsafe {
            call_within!(
                this,
                call_form,
                reach,
                [MPI_Allgatherv, MPI_Iallgatherv],
                [MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv],
                from,
                n,
                t,
                to,
                counts,
                displs,
                u,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As many doubles of `out` for each rank, or neighbour, and as many from each in `back`.
    pub fn alltoall(
        comm: Comm,
        out: Staging,
        back: Staging,
        (sent, received): (&Doubles, &Doubles),
        reach: Reach,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        let (sources, destinations) = reach.degrees(comm)?;
        assert!(out.len() >= sent.len() * destinations);
        assert!(back.len() >= received.len() * sources);
        let (n, t, m, u) = (sent.count(), sent.datatype(), received.count(), received.datatype());
        let mut this = Self::between(out, back);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call_within!(
                this,
                call_form,
                reach,
                [MPI_Alltoall, MPI_Ialltoall],
                [MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall],
                from,
                n,
                t,
                to,
                m,
                u,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As `alltoall`, of parts that differ.
    pub fn alltoallv(
        comm: Comm,
        out: Staging,
        back: Staging,
        (sent, received): (Listed<'_>, Listed<'_>),
        reach: Reach,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        let (to_all, from_all) = (sent.shares.len(), received.shares.len());
        let (sources, destinations) = reach.degrees(comm)?;
        assert!(to_all >= destinations && from_all >= sources);
        let (t, u) = (sent.item.datatype.raw(), received.item.datatype.raw());
        let (data, room) = (out.len(), back.len());
        let mut this = Self::between(out, back);
        this.add_counts(&sent, data)?;
        this.add_counts(&received, room)?;
        let (from, to) = (this.from(), this.to());
        let sendcounts = this.counts.as_ptr();
        let sdispls = sendcounts.wrapping_add(to_all);
        let recvcounts = sdispls.wrapping_add(to_all);
        let rdispls = recvcounts.wrapping_add(from_all);
        // SAFETY: see `call`; one entry a rank.
        unsafe {
            call_within!(
                this,
                call_form,
                reach,
                [MPI_Alltoallv, MPI_Ialltoallv],
                [MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv],
                from,
                sendcounts,
                sdispls,
                t,
                to,
                recvcounts,
                rdispls,
                u,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// Parts of `out` for ranks, or neighbours if displacements are wide, and parts of `back` from them.
    pub fn exchange(
        comm: Comm,
        out: Staging,
        back: Staging,
        lists: Lists,
        width: Width,
        call_form: CallForm,
    ) -> MpiResult<Self> {
        assert!(lists.fit(comm, out.len(), back.len(), width)?, "the parts fit");
        let mut this = Self::between(out, back);
        let (from, to) = (this.from(), this.to());
        let lists = this.lists.insert(lists);
        let (n, m) = (lists.send.counts.as_ptr(), lists.receive.counts.as_ptr());
        let t = lists.send.datatypes.as_ptr().cast();
        let u = lists.receive.datatypes.as_ptr().cast();
        let (at, into) = (lists.send.displacements.as_ptr(), lists.receive.displacements.as_ptr());
        let wide_at = lists.send.wide_displacements.as_ptr();
        let wide_into = lists.receive.wide_displacements.as_ptr();
        let request = this.place(call_form);
        // SAFETY: see `call`; arrays that live as long, with an entry for each partner, and parts inside the memory.
        check(unsafe {
            match width {
                Width::Int => {
                    let (now, begin) = (ffi::MPI_Alltoallw, ffi::MPI_Ialltoallw);
                    twins!(request, now, begin, from, n, at, t, to, m, into, u, comm.raw())
                }
                Width::Aint => {
                    let now = ffi::MPI_Neighbor_alltoallw;
                    let begin = ffi::MPI_Ineighbor_alltoallw;
                    twins!(
                        request,
                        now,
                        begin,
                        from,
                        n,
                        wide_at,
                        t,
                        to,
                        m,
                        wide_into,
                        u,
                        comm.raw()
                    )
                }
            }
        })?;
        Ok(this)
    }
}
