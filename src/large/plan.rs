//! Which way a large call takes. The choice is made here and nowhere else; `docs/large.md` has the
//! measurements behind the reasons.

use crate::mpi::quirks::right_here;
use crate::options;
use std::io::Write;
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

/// Calls that take the same ways for the same reasons; in the order of `RULES`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    PointToPoint,
    Exchange,
    Movement,
    OtherMovement,
    Ibcast,
    PersistentMovement,
    Reduction,
    Ireduction,
    IreduceScatter,
    Vector,
    Ivector,
    GuardedVector,
    PutGet,
    Accumulate,
    Raccumulate,
    File,
    FileNonblocking,
    FileNonblockingAll,
    FileNonblockingShared,
    FileNonblockingItem,
}

struct Rule {
    family: Family,
    name: &'static str,
    /// The ways that give right answers, the best first.
    openmpi: &'static [Plan],
    mpich: &'static [Plan],
    reason: &'static str,
}

/// The way of MPI-4, where this MPI has its calls, before or after others.
const fn with_large_call(with: &'static [Plan], without: &'static [Plan]) -> &'static [Plan] {
    if cfg!(admpi_large_count) { with } else { without }
}

const RULES: &[Rule] = &[
    Rule {
        family: Family::PointToPoint,
        name: "p2p",
        openmpi: &[Plan::Type],
        mpich: with_large_call(&[Plan::Type, Plan::LargeCall], &[Plan::Type]),
        reason: "both MPIs send types past 2^31 bytes correctly, at full speed",
    },
    Rule {
        family: Family::Exchange,
        name: "exchange",
        openmpi: &[Plan::Generalized],
        mpich: &[Plan::Generalized],
        reason: "MPI-3 has no nonblocking send-receive: a send and a receive start behind one request",
    },
    Rule {
        family: Family::Movement,
        name: "movement",
        openmpi: &[Plan::Type],
        mpich: with_large_call(&[Plan::Type, Plan::LargeCall], &[Plan::Type]),
        reason: "collective calls that move data treat a large type as any other",
    },
    Rule {
        family: Family::OtherMovement,
        name: "other-movement",
        openmpi: &[Plan::Type],
        mpich: &[Plan::Type],
        reason: "nonblocking and neighbourhood calls keep what they need of a type that is freed at once",
    },
    Rule {
        family: Family::Ibcast,
        name: "ibcast",
        openmpi: &[Plan::Type, Plan::Alltoallw],
        mpich: &[Plan::Alltoallw],
        reason: "MPICH checks the bytes of Ibcast in 32 bits and reports a false error; its Ialltoallw is right",
    },
    Rule {
        family: Family::PersistentMovement,
        name: "persistent-movement",
        openmpi: &[Plan::Type, Plan::Alltoallw],
        mpich: &[Plan::Alltoallw],
        reason: "MPICH's persistent gather, scatter and allgather are wrong for derived types; its Alltoallw_init is right",
    },
    Rule {
        family: Family::Reduction,
        name: "reduction",
        openmpi: &[Plan::Pieces, Plan::Operation],
        mpich: &[Plan::Pieces, Plan::Operation],
        reason: "predefined operations refuse derived types; pieces stay in the cache, which is faster and needs less memory",
    },
    Rule {
        family: Family::Ireduction,
        name: "ireduction",
        openmpi: &[Plan::Operation],
        mpich: with_large_call(&[Plan::LargeCall, Plan::Operation], &[Plan::Operation]),
        reason: "one request needs one call: MPI-4's if there is one, else a large type with an operation of the library",
    },
    Rule {
        family: Family::IreduceScatter,
        name: "ireduce-scatter",
        openmpi: &[Plan::Generalized],
        mpich: with_large_call(&[Plan::LargeCall, Plan::Generalized], &[Plan::Generalized]),
        reason: "a count per rank needs a type per rank, which the call does not take: one reduction to each rank",
    },
    Rule {
        family: Family::Vector,
        name: "vector",
        openmpi: &[Plan::Alltoallw],
        mpich: with_large_call(&[Plan::LargeCall, Plan::Alltoallw], &[Plan::Alltoallw]),
        reason: "no rank knows whether the counts or displacements of another are large, so all always use the same way",
    },
    Rule {
        family: Family::Ivector,
        name: "ivector",
        openmpi: &[Plan::Alltoallw],
        mpich: with_large_call(&[Plan::LargeCall, Plan::Alltoallw], &[Plan::Alltoallw]),
        reason: "as for vector",
    },
    Rule {
        family: Family::GuardedVector,
        name: "guarded-vector",
        openmpi: &[Plan::Alltoallw],
        mpich: &[Plan::Alltoallw],
        reason: "as vector, but MPICH's own calls are wrong: in place, of neighbours, Allgatherv of one rank, of two groups or past 2^31 bytes",
    },
    Rule {
        family: Family::PutGet,
        name: "put-get",
        openmpi: &[Plan::Type],
        mpich: &[Plan::Type],
        reason: "large types are correct on both; MPICH's large calls crash",
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
        reason: "in pieces like accumulate, all started behind one request",
    },
    Rule {
        family: Family::File,
        name: "file",
        openmpi: &[Plan::Type],
        mpich: &[Plan::Type],
        reason: "large types are correct on both; MPICH's large calls assert",
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
        reason: "pieces would interleave with those of other ranks",
    },
    Rule {
        family: Family::FileNonblockingItem,
        name: "file-nonblocking-item",
        openmpi: &[Plan::Blocking],
        mpich: &[Plan::Blocking],
        reason: "one item past 1 GiB cannot be cut",
    },
];

// A family is its rule's place.
const _: () = {
    let mut at = 0;
    while at < RULES.len() {
        assert!(RULES[at].family as usize == at);
        at += 1;
    }
    assert!(RULES.len() == Family::FileNonblockingItem as usize + 1);
};

impl Rule {
    /// The ways that are right on this MPI.
    const fn right(&self) -> &'static [Plan] {
        right_here(self.openmpi, self.mpich)
    }
}

/// What the environment says.
struct Settings {
    /// By family.
    plans: Vec<Plan>,
    verbose: bool,
}

/// `ADMPI_LARGE_PLAN=<family>=<plan>,...` prefers another way, where it is one of the family's. What it asks for in
/// vain is handed to `complain`.
fn plans(text: &str, mut complain: impl FnMut(String)) -> Vec<Plan> {
    let mut plans: Vec<Plan> = RULES.iter().map(|rule| rule.right()[0]).collect();
    for wish in text.split(',').map(str::trim).filter(|wish| !wish.is_empty()) {
        let (name, plan) = wish.split_once('=').unwrap_or((wish, ""));
        let Some(at) = RULES.iter().position(|rule| rule.name == name.trim()) else {
            let names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
            complain(format!("{wish}: there are {}", names.join(", ")));
            continue;
        };
        let right = RULES[at].right();
        match right.iter().find(|one| one.name() == plan.trim()) {
            Some(&plan) => plans[at] = plan,
            None => {
                let names: Vec<_> = right.iter().map(|plan| plan.name()).collect();
                complain(format!("{wish}: right on this MPI: {}", names.join(", ")));
            }
        }
    }
    plans
}

/// A message to the user, as one write, since other ranks write too; that nobody can read it is no reason to stop.
fn tell(message: &str) {
    let _ = std::io::stderr().write_all(format!("admpi: {message}\n").as_bytes());
}

fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    SETTINGS.get_or_init(|| Settings {
        plans: plans(&options::large_plan(), |why| tell(&format!("ADMPI_LARGE_PLAN: {why}"))),
        verbose: options::verbose(),
    })
}

/// The way that the call takes, which `ADMPI_VERBOSE=1` prints.
pub fn choose(call: &str, family: Family) -> Plan {
    let settings = settings();
    let plan = settings.plans[family as usize];
    if settings.verbose {
        let rule = &RULES[family as usize];
        tell(&format!("{call}: {} ({}: {})", plan.name(), rule.name, rule.reason));
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_plan_every_rule_has_ways_and_a_reason() {
        for rule in RULES {
            assert!(!rule.openmpi.is_empty() && !rule.mpich.is_empty() && !rule.reason.is_empty());
            // `right_here` takes the shorter one for an MPI that is not known.
            let (mut few, mut many) = (rule.openmpi, rule.mpich);
            if many.len() < few.len() {
                (few, many) = (many, few);
            }
            assert!(few.iter().all(|plan| many.contains(plan)), "{}", rule.name);
        }
    }

    #[test]
    fn test_plan_wishes() {
        let mut complaints = Vec::new();
        let text = " reduction = operation,p2p=pieces, nothing=type,vector";
        let plans = plans(text, |why| complaints.push(why));
        assert_eq!(plans[Family::Reduction as usize], Plan::Operation);
        assert_eq!(plans[Family::PointToPoint as usize], Plan::Type);
        assert_eq!(complaints.len(), 3);
        assert!(complaints[0].starts_with("p2p=pieces: right on this MPI: type"));
        assert!(complaints[1].starts_with("nothing=type: there are p2p, exchange,"));
        assert!(complaints[2].starts_with("vector: right on this MPI: "));
    }
}
