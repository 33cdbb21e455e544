//! Messages that arrive in elements.

use super::*;

#[test]
fn messages_arrive_in_their_columns() {
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Meanwhile {
        Nothing,
        Marked,
        Rebound,
        Copied,
        Refused,
        Spoiled,
    }
    use Meanwhile::*;
    for arrived in [10, 4] {
        for meanwhile in [Nothing, Marked, Rebound, Copied, Refused, Spoiled] {
            for read in [false, true] {
                let mut tape = recording();
                let (a, b) = columns(&mut tape);
                let (x, y) = (elements(&a), elements(&b));
                let squares = read.then(|| square(&mut tape, &part(&a, 0, 11, 1)));
                let sent = square(&mut tape, &column(&b, 2));
                let mut buffer = received(&a, 0, 10);
                current(&mut tape, || buffer.lend(false)).unwrap();
                // In place, unless a sweep needs what is there.
                assert_eq!(buffer.is_lent(), !read);
                let mut others = x[10..].to_vec();
                let mut copy = None;
                let mut place = None;
                match meanwhile {
                    Marked => place = Some(tape.mark()),
                    Rebound => {
                        a.rebind(&b);
                        others = y[10..].to_vec();
                    }
                    Copied => copy = Some(a.copy()),
                    Nothing | Refused | Spoiled => {}
                }
                let before = elements(&a);
                let z = elements(&sent);
                match meanwhile {
                    Refused => drop(buffer),
                    Spoiled => current(&mut tape, || buffer.spoil()),
                    _ => arrive(&mut tape, &mut buffer, &z[..arrived]),
                }
                let now = elements(&a);
                assert_eq!(now[10..], others, "{meanwhile:?}");
                match meanwhile {
                    Refused => assert_eq!(now, before),
                    Spoiled if read => assert_eq!(now, before),
                    Spoiled => assert!(now[..10].iter().all(|x| x.id == 0)),
                    _ => assert_eq!(now[..10], [&z[..arrived], &before[arrived..10]].concat()),
                }
                let runs = if arrived == 10 { vec![10, 30] } else { vec![4, 36] };
                if meanwhile == Nothing {
                    assert_eq!((lengths(&a), tape.mutating_count()), (runs, usize::from(read)));
                }
                if let Some(copy) = copy {
                    // What arrived there is no value of the program's; the rest is as it was.
                    let copied = elements(&copy);
                    assert_eq!(copied[10..], x[10..]);
                    assert!(copied.iter().zip(&x).all(|(now, then)| now == then || now.id == 0));
                }
                if let Some(place) = place {
                    // SAFETY: live.
                    unsafe { Tape::reset_to(&mut *tape, &place) }.unwrap();
                    let then = elements(&a);
                    assert_eq!((&then[10..], read && then != x), (&x[10..], false));
                    assert!(then.iter().zip(&x).all(|(now, then)| now == then || now.id == 0));
                }
                if let Some(squares) = squares {
                    tape.clear_adjoints().unwrap();
                    elements(&squares).iter().for_each(|y| tape.seed(y, 1.0, 0).unwrap());
                    reverse(&mut tape);
                    x[..11].iter().for_each(|x| assert_eq!(adjoint(&tape, x), 2.0 * x.value));
                }
            }
        }
    }
}

#[test]
fn what_a_message_is_arriving_in_is_not_forgotten() {
    let mut tape = recording();
    let place = tape.mark();
    let (a, _) = columns(&mut tape);
    let mut buffer = received(&a, 0, 10);
    current(&mut tape, || buffer.lend(false)).unwrap();
    // SAFETY: live.
    let error = unsafe { Tape::reset_to(&mut *tape, &place) }.unwrap_err();
    assert_eq!(error.code, Code::Nest);
    drop(buffer);
    // SAFETY: live.
    unsafe { Tape::reset_to(&mut *tape, &place) }.unwrap();
}
