//! Which way a large call takes. The choice is made here and nowhere else; `docs/large.md` has the
//! measurements behind the reasons.

use std::sync::OnceLock;

/// The ways there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// MPI's own call for large counts, of MPI-4.
    LargeCall,
    /// One item of a type that holds all.
    Type,
    /// MPI's own call, once a piece.
    Pieces,
    /// One item of a type that holds all, with an operation of the library's own.
    Operation,
    /// One `Alltoallw` with a type a partner, displacements within the types.
    Alltoallw,
    /// Several operations, all started, behind one generalized request.
    Generalized,
    /// The blocking call, behind a request that is complete at once.
    Blocking,
}

impl Plan {
    const fn name(self) -> &'static str {
        match self {
            Self::LargeCall => "large-call",
            Self::Type => "type",
            Self::Pieces => "pieces",
            Self::Operation => "operation",
            Self::Alltoallw => "alltoallw",
            Self::Generalized => "generalized",
            Self::Blocking => "blocking",
        }
    }
}

/// Calls that take the same ways for the same reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    PointToPoint,
    Exchange,
    Movement,
    Ibcast,
    Reduction,
    Ireduction,
    IreduceScatter,
    Vector,
    PutGet,
    Accumulate,
    Raccumulate,
    File,
    FileNonblocking,
    FileNonblockingAll,
    FileNonblockingShared,
}

struct Rule {
    family: Family,
    name: &'static str,
    /// The ways that give right answers, the best first.
    openmpi: &'static [Plan],
    mpich: &'static [Plan],
    reason: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        family: Family::PointToPoint,
        name: "p2p",
        openmpi: &[Plan::Type],
        mpich: &[Plan::Type],
        reason: "both MPIs send types past 2^31 bytes right, at full speed",
    },
    Rule {
        family: Family::Exchange,
        name: "exchange",
        openmpi: &[Plan::Generalized],
        mpich: &[Plan::Generalized],
        reason: "MPI-3 has no nonblocking send-receive: both start, behind one request",
    },
    Rule {
        family: Family::Movement,
        name: "movement",
        openmpi: &[Plan::Type],
        mpich: &[Plan::Type],
        reason: "collective calls that move data treat a large type as any other",
    },
    Rule {
        family: Family::Ibcast,
        name: "ibcast",
        openmpi: &[Plan::Type, Plan::Alltoallw],
        mpich: &[Plan::Alltoallw, Plan::Type],
        reason: "MPICH checks the bytes of Ibcast in 32 bits and reports a false error; its Ialltoallw is right",
    },
    Rule {
        family: Family::Reduction,
        name: "reduction",
        openmpi: &[Plan::Pieces],
        mpich: &[Plan::Pieces],
        reason: "predefined operations refuse derived types, and pieces that stay in cache are faster and smaller",
    },
    Rule {
        family: Family::Ireduction,
        name: "ireduction",
        openmpi: &[Plan::Operation],
        mpich: if cfg!(admpi_large_count) {
            &[Plan::LargeCall, Plan::Operation]
        } else {
            &[Plan::Operation]
        },
        reason: "one request needs one call: MPI-4's where there is one, else a type with an operation of ours",
    },
    Rule {
        family: Family::IreduceScatter,
        name: "ireduce-scatter",
        openmpi: &[Plan::Generalized],
        mpich: if cfg!(admpi_large_count) {
            &[Plan::LargeCall, Plan::Generalized]
        } else {
            &[Plan::Generalized]
        },
        reason: "a count a rank means a type a rank, which the call does not take: one reduction to each rank",
    },
    Rule {
        family: Family::Vector,
        name: "vector",
        openmpi: &[Plan::Alltoallw],
        mpich: &[Plan::Alltoallw],
        reason: "no rank knows whether another's counts or displacements are large, so all take one way always",
    },
    Rule {
        family: Family::PutGet,
        name: "put-get",
        openmpi: &[Plan::Type],
        mpich: &[Plan::Type],
        reason: "large types are right on both; MPICH's large calls crash",
    },
    Rule {
        family: Family::Accumulate,
        name: "accumulate",
        openmpi: &[Plan::Pieces],
        mpich: &[Plan::Pieces],
        reason: "accumulate with a large type crashes in one MPI and aborts in the other",
    },
    Rule {
        family: Family::Raccumulate,
        name: "raccumulate",
        openmpi: &[Plan::Generalized],
        mpich: &[Plan::Generalized],
        reason: "in pieces as accumulate, all started, behind one request",
    },
    Rule {
        family: Family::File,
        name: "file",
        openmpi: &[Plan::Type],
        mpich: &[Plan::Type],
        reason: "large types are right on both; MPICH's large calls assert",
    },
    Rule {
        family: Family::FileNonblocking,
        name: "file-nonblocking",
        openmpi: &[Plan::Generalized],
        mpich: &[Plan::Generalized],
        reason: "one access past 2 GiB stops short or does nothing: pieces of at most 1 GiB, behind one request",
    },
    Rule {
        family: Family::FileNonblockingAll,
        name: "file-nonblocking-all",
        openmpi: &[Plan::Generalized],
        mpich: &[Plan::Generalized],
        reason: "ranks may need different numbers of pieces: one large type, kept alive until the end",
    },
    Rule {
        family: Family::FileNonblockingShared,
        name: "file-nonblocking-shared",
        openmpi: &[Plan::Blocking],
        mpich: &[Plan::Blocking],
        reason: "pieces would let other ranks' records in between",
    },
];

/// `ADMPI_LARGE_PLAN=<family>=<plan>,...` prefers another way, where it is one of the family's.
fn preferences() -> &'static [(String, String)] {
    static PREFERENCES: OnceLock<Vec<(String, String)>> = OnceLock::new();
    PREFERENCES.get_or_init(|| {
        let text = std::env::var("ADMPI_LARGE_PLAN").unwrap_or_default();
        text.split(',')
            .filter_map(|one| one.split_once('='))
            .map(|(family, plan)| (family.trim().to_owned(), plan.trim().to_owned()))
            .collect()
    })
}

fn verbose() -> bool {
    static VERBOSE: OnceLock<bool> = OnceLock::new();
    *VERBOSE.get_or_init(|| std::env::var_os("ADMPI_VERBOSE").is_some_and(|value| value == "1"))
}

/// The way that the call takes, which `ADMPI_VERBOSE=1` prints.
pub fn choose(call: &str, family: Family) -> Plan {
    let Some(rule) = RULES.iter().find(|rule| rule.family == family) else { return Plan::Type };
    let right = if cfg!(admpi_mpi = "mpich") { rule.mpich } else { rule.openmpi };
    let wanted = preferences().iter().find(|(name, _)| name == rule.name).map(|(_, plan)| plan);
    let plan = wanted
        .and_then(|wanted| right.iter().find(|plan| plan.name() == wanted))
        .or_else(|| right.first())
        .copied()
        .unwrap_or(Plan::Type);
    if verbose() {
        eprintln!("admpi: {call}: {} ({}: {})", plan.name(), rule.name, rule.reason);
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_plan_every_family_has_one_rule() {
        for rule in RULES {
            assert_eq!(RULES.iter().filter(|other| other.family == rule.family).count(), 1);
            assert!(!rule.openmpi.is_empty() && !rule.mpich.is_empty() && !rule.reason.is_empty());
        }
    }
}
