//! Parts of blocks.
#![forbid(unsafe_code)]

use super::*;

#[test]
fn gaps_are_what_a_part_leaves() {
    let parts = [
        Part { offset: 5, rows: 3, cols: 2, row_step: 1, col_step: 4 },
        Part { offset: 5, rows: 2, cols: 3, row_step: 4, col_step: 1 },
        Part { offset: 0, rows: 3, cols: 2, row_step: 2, col_step: 8 },
        Part { offset: 1, rows: 1, cols: 4, row_step: 1, col_step: 5 },
        Part { offset: 3, rows: 6, cols: 1, row_step: 3, col_step: 1 },
        Part::whole(4, 5),
    ];
    for part in parts {
        let mut seen = vec![0; 20];
        part.places().for_each(|k| seen[k] += 1);
        part.gaps(20, |gap| {
            gap.for_each(|k| seen[k] += 1);
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, [1; 20], "{part:?}");
    }
}
