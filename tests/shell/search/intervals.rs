//! How sure a mean is: what it would be, had other questions been asked by chance.

use crate::random_numbers::Random;

/// How often questions are drawn.
const DRAWS: usize = 1000;

/// A mean and the bounds between which it lies in 95 of 100 draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) mean: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The mean of the means of `groups`: of each as many values are drawn as it has, any of them again. Groups without values
/// count nothing. The same values give the same bounds.
pub(crate) fn interval(groups: &[&[f64]]) -> Interval {
    let groups: Vec<&[f64]> = groups
        .iter()
        .copied()
        .filter(|group| !group.is_empty())
        .collect();
    let count = groups.len().max(1) as f64;
    let mean = groups
        .iter()
        .map(|group| group.iter().sum::<f64>() / group.len() as f64)
        .sum::<f64>()
        / count;
    let mut random = Random::new(1);
    let mut draw = |group: &[f64]| {
        let drawn = (0..group.len()).map(|_| group[random.below(group.len())]);
        drawn.sum::<f64>() / group.len() as f64
    };
    let draws = (0..DRAWS).map(|_| groups.iter().map(|group| draw(group)).sum::<f64>() / count);
    let mut draws: Vec<f64> = draws.collect();
    draws.sort_by(f64::total_cmp);
    Interval {
        mean,
        low: draws[DRAWS * 25 / 1000],
        high: draws[DRAWS * 975 / 1000 - 1],
    }
}

#[test]
fn bounds_are_those_of_the_error_of_a_mean() {
    // Half zeros and half ones: the error of the mean of 400 is 0.5 / 20.
    let values: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
    let found = interval(&[&values]);
    assert_eq!(found.mean, 0.5);
    let half = 1.96 * 0.5 / 20.0;
    assert!((found.low - (0.5 - half)).abs() < 0.01, "{found:?}");
    assert!((found.high - (0.5 + half)).abs() < 0.01, "{found:?}");
    assert_eq!(found, interval(&[&values]));
}

#[test]
fn groups_count_alike_however_large_they_are() {
    let found = interval(&[&[1.0; 10], &[0.0; 1000], &[]]);
    assert_eq!((found.mean, found.low, found.high), (0.5, 0.5, 0.5));
    let none = interval(&[]);
    assert_eq!((none.mean, none.low, none.high), (0.0, 0.0, 0.0));
}
