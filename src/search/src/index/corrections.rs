//! Chooses the corrections of several mistyped words of one question together: each word has more than one, and those
//! that stand in one section are what was meant. The script that searches exports has the same rule (`together` in
//! `queries/theme/js/seldom.js`).

/// A correction of a mistyped word.
#[derive(Clone, Debug, Default)]
pub(super) struct Correction {
    /// The word, as it is typed in pages.
    pub(super) word: String,
    /// The stem that it is looked up by.
    pub(super) stem: String,
    /// Number of slips that lie between.
    pub(super) slips: u8,
    /// The sections with the word in their headings, prose or code, in order.
    pub(super) sections: Vec<u32>,
    /// The pages with the word, in order.
    pub(super) pages: Vec<u32>,
}

/// Worth of a combination: the number of neighbors that share a section, that share a page, slips below none, the number
/// of sections and of pages that neighbors share. An earlier figure decides.
type Worth = [i64; 5];

/// For each of `mistyped`, which are the corrections of neighboring words, best first, the place of the one to choose;
/// `None` where no correction stands on a page with one of a neighbor.
///
/// A combination is worth what its neighbors are, so the best one of the first words is part of the best one of all.
pub(super) fn together(mistyped: &[Vec<Correction>]) -> Vec<Option<usize>> {
    // The worth of the best combination that ends with each correction, and the one before it.
    let mut best: Vec<Vec<(Worth, usize)>> = Vec::new();
    for (i, corrections) in mistyped.iter().enumerate() {
        let ends = corrections.iter().map(|correction| {
            let own = [0, 0, -i64::from(correction.slips), 0, 0];
            let before = i.checked_sub(1).map(|i| (&mistyped[i], &best[i]));
            let Some((others, ends)) = before else {
                return (own, 0);
            };
            let mut most: Option<(Worth, usize)> = None;
            for (place, (other, (worth, _))) in others.iter().zip(ends).enumerate() {
                let worth = sum(sum(*worth, shared(other, correction)), own);
                if most.is_none_or(|(most, _)| worth > most) {
                    most = Some((worth, place));
                }
            }
            most.unwrap_or((own, 0))
        });
        best.push(ends.collect());
    }
    let mut chosen = vec![0; mistyped.len()];
    for i in (0..mistyped.len()).rev() {
        chosen[i] = match chosen.get(i + 1) {
            Some(&next) => best[i + 1].get(next).map_or(0, |(_, place)| *place),
            None => first_of_best(&best[i]),
        };
    }
    let chosen = |i: usize| mistyped[i].get(chosen[i]);
    let meets = |a: usize, b: usize| match (chosen(a), chosen(b)) {
        (Some(a), Some(b)) => shared(a, b)[1] > 0,
        _ => false,
    };
    let all = 0..mistyped.len();
    let places = all.map(|i| {
        let is_met = i > 0 && meets(i - 1, i) || i + 1 < mistyped.len() && meets(i, i + 1);
        let is_chosen = |one: &Correction| chosen(i).is_some_and(|best| best.word == one.word);
        mistyped[i].iter().position(is_chosen).filter(|_| is_met)
    });
    places.collect()
}

fn first_of_best(ends: &[(Worth, usize)]) -> usize {
    let mut best = 0;
    for (place, (worth, _)) in ends.iter().enumerate() {
        if *worth > ends[best].0 {
            best = place;
        }
    }
    best
}

/// What `a` and `b` share. Two words with one correction share everything and say nothing.
fn shared(a: &Correction, b: &Correction) -> Worth {
    if a.stem == b.stem {
        return [0; 5];
    }
    let (sections, pages) = (common(&a.sections, &b.sections), common(&a.pages, &b.pages));
    [sections.min(1), pages.min(1), 0, sections, pages]
}

fn sum(a: Worth, b: Worth) -> Worth {
    std::array::from_fn(|i| a[i] + b[i])
}

/// Number of values that both lists have, which are in order.
fn common(mut a: &[u32], mut b: &[u32]) -> i64 {
    let mut count = 0;
    while let ([first, rest_of_a @ ..], [second, rest_of_b @ ..]) = (a, b) {
        count += i64::from(first == second);
        if first <= second {
            a = rest_of_a;
        }
        if second <= first {
            b = rest_of_b;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn correction(word: &str, slips: u8, sections: &[u32], pages: &[u32]) -> Correction {
        Correction {
            word: word.to_owned(),
            stem: word.to_owned(),
            slips,
            sections: sections.to_vec(),
            pages: pages.to_vec(),
        }
    }

    #[test]
    fn a_section_with_both_decides_then_a_page_then_slips_then_how_many() {
        let of_webhook = || {
            vec![
                correction("webbook", 1, &[1, 2, 3], &[1]),
                correction("webhook", 1, &[7, 8], &[2, 3]),
            ]
        };
        let together = |second: &[(u8, &[u32], &[u32])]| {
            let second = second.iter().enumerate();
            let second = second
                .map(|(i, (slips, sections, pages))| {
                    correction(&format!("s{i}"), *slips, sections, pages)
                })
                .collect();
            super::together(&[of_webhook(), second])
        };
        // One page has two of them, one section two others.
        assert_eq!(
            together(&[(1, &[4], &[1]), (2, &[8], &[3])]),
            [Some(1), Some(1)]
        );
        assert_eq!(
            together(&[(1, &[4], &[9]), (1, &[9], &[3])]),
            [Some(1), Some(1)]
        );
        assert_eq!(
            together(&[(2, &[1, 2, 3], &[1]), (1, &[8], &[3])]),
            [Some(1), Some(1)]
        );
        assert_eq!(
            together(&[(1, &[8], &[3]), (1, &[1, 2], &[1])]),
            [Some(0), Some(1)]
        );
        assert_eq!(together(&[(1, &[4], &[9])]), [None, None]);
        assert_eq!(together(&[]), [None, None]);
    }

    #[test]
    fn words_without_a_neighbor_are_left_as_they_are() {
        let alone = vec![correction("a", 1, &[9], &[9])];
        let (one, other) = (
            vec![correction("b", 1, &[1], &[1])],
            vec![correction("c", 1, &[1], &[1])],
        );
        assert_eq!(
            together(&[alone.clone(), one.clone(), other]),
            [None, Some(0), Some(0)]
        );
        // Both are corrected to one word.
        assert_eq!(together(&[one.clone(), one]), [None, None]);
        assert_eq!(together(&[alone]), [None]);
        assert_eq!(together(&[]), [None; 0]);
    }
}
