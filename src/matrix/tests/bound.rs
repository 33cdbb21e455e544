//! Matrices that share a block, and matrices that outlive their tape.

use super::*;

#[test]
fn a_copy_is_apart_and_views_see_what_is_assigned() {
    let mut tape = recording();
    let a = input(&mut tape, 3, &[1.0, 2.0, 3.0]);
    let x = elements(&a);
    let view = part(&a, 1, 2, 1);
    let b = a.copy();
    let events = tape.event_count();
    set(&mut tape, &b, 1, x[0]);
    assert_eq!((values(&a), values(&b)), (vec![1.0, 2.0, 3.0], vec![1.0, 1.0, 3.0]));
    set(&mut tape, &a, 2, x[0]);
    assert_eq!((values(&a), values(&b)), (vec![1.0, 2.0, 1.0], vec![1.0, 1.0, 3.0]));
    assert_eq!(tape.event_count(), events);
    // SAFETY: live.
    let seen = unsafe { Tape::elements("view", &view) }.unwrap();
    assert_eq!(seen, [x[1], x[0]]);
    a.rebind(&b);
    // SAFETY: live.
    let seen = unsafe { Tape::elements("view", &view) }.unwrap();
    assert_eq!(seen, [x[0], x[2]]);
    drop(b);
    set(&mut tape, &a, 0, x[2]);
    assert_eq!(elements(&a), [x[2], x[0], x[2]]);
}

#[test]
fn a_passive_operand_is_held_and_apart() {
    let mut tape = recording();
    let a = Owned::passive(2, 1, [3.0, 4.0]).unwrap();
    // SAFETY: live.
    let x = unsafe { Tape::operand(Some(&*tape), "a", &a.view()) }.unwrap();
    for _ in 0..3 {
        tape.keep_operand(&x, true).unwrap();
    }
    assert_eq!(tape.event_count(), 1);
    set(&mut tape, &a, 0, Var { value: 7.0, id: 0, tag: 0 });
    assert_eq!((values(&a), x.values()), (vec![7.0, 4.0], &[3.0, 4.0][..]));
    drop(a);
    assert_eq!(x.values(), [3.0, 4.0]);
}

#[test]
fn what_outlives_its_tape_keeps_its_values() {
    let mut tape = recording();
    let a = input(&mut tape, 2, &[3.0, 4.0]);
    let b = square(&mut tape, &a.view());
    let c = b.copy();
    let constant = tape.matrix(1, 1).map(|mut m| {
        m.fresh_values()[0] = 8.0;
        m
    });
    let constant = constant.unwrap();
    // SAFETY: live.
    unsafe { Tape::reset(&mut *tape) }.unwrap();
    assert_eq!(
        (values(&b), values(&c), values(&constant)),
        (vec![9.0, 16.0], vec![9.0, 16.0], vec![8.0])
    );
    assert_eq!(elements(&constant)[0].id, 0);
    assert_eq!(elements(&b)[1].id, STALE);
    // SAFETY: live.
    unsafe {
        assert_eq!(Tape::operand(Some(&*tape), "b", &b.view()).unwrap_err().code, Code::Stale);
        let one = part(&b, 0, 1, 1);
        let error = Tape::assign(Some(&mut *tape), "b", &one, false, |_| (1.0, Id::default()));
        assert_eq!(error.unwrap_err().code, Code::Stale);
    }
    let fresh = input(&mut tape, 1, &[1.0]);
    b.rebind(&fresh);
    assert_eq!(values(&c), [9.0, 16.0]);
    drop(tape);
    assert_eq!((values(&a), values(&b)), (vec![3.0, 4.0], vec![1.0]));
    assert_eq!(elements(&b)[0].id, STALE);
}
