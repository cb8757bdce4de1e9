use proptest::prelude::*;

use super::objective::{add_loss, penalised};
use super::*;
use crate::extract::label::chain::Lattice;

/// All label sequences of length n over k labels.
fn all(n: usize, k: usize) -> Vec<Vec<u16>> {
    let mut out = vec![Vec::new()];
    for _ in 0..n {
        out = out
            .into_iter()
            .flat_map(|s| {
                (0..k as u16).map(move |l| {
                    let mut s = s.clone();
                    s.push(l);
                    s
                })
            })
            .collect();
    }
    out
}

fn log_sum(xs: impl Iterator<Item = f64> + Clone) -> f64 {
    let top = xs.clone().fold(f64::NEG_INFINITY, f64::max);
    top + xs.map(|x| (x - top).exp()).sum::<f64>().ln()
}

/// Normaliser, marginals, pair marginals and best score by enumeration.
fn enumerate(lattice: &Lattice, k: usize) {
    let n = lattice.len();
    let sequences = all(n, k);
    let scores: Vec<f64> = sequences.iter().map(|s| lattice.score(s)).collect();
    let log_z = log_sum(scores.iter().copied());
    let share = |keep: &dyn Fn(&[u16]) -> bool| -> f64 {
        let kept = sequences.iter().zip(&scores).filter(|(s, _)| keep(s));
        kept.map(|(_, score)| (score - log_z).exp()).sum()
    };
    let mut pairs = vec![Vec::new(); n];
    let beliefs = lattice.expectations(&mut |i, joint| pairs[i] = joint.to_vec());
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
    assert!(close(beliefs.log_z, log_z), "log Z {} {log_z}", beliefs.log_z);
    for i in 0..n {
        for l in 0..k {
            let expect = share(&|s| usize::from(s[i]) == l);
            let got = beliefs.marginals[i * k + l];
            assert!(close(got, expect), "marginal {i} {l}: {got} {expect}");
            for b in (0..k).filter(|_| i > 0 && !pairs[i].is_empty()) {
                let expect = share(&|s| usize::from(s[i]) == l && usize::from(s[i - 1]) == b);
                let got = pairs[i][b * k + l];
                assert!(close(got, expect), "pair {i} {b} {l}: {got} {expect}");
            }
        }
    }
    let best = lattice.best();
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(best.len(), n);
    assert!(n == 0 || close(lattice.score(&best), top));
}

const FORMS: [Form; 3] = [Form::Maxent, Form::Memm, Form::Crf];

/// A shape, weights for it and a sequence, with columns that repeat and that the shape lacks.
fn models() -> impl Strategy<Value = (Shape, Vec<f64>, Sequence)> {
    (0..3usize, 2..4u16, 1..5u32, any::<(bool, bool)>(), 0..5usize).prop_flat_map(
        |(form, labels, columns, (edges, history), n)| {
            let shape = Shape { form: FORMS[form], labels, columns, edges, history };
            let row = prop::collection::vec((0..columns + 1, -2.0..2.0f32), 0..4);
            (
                Just(shape),
                prop::collection::vec(-1.5..1.5f64, shape.layout().len),
                prop::collection::vec((row, 0..labels), n),
            )
                .prop_map(|(shape, weights, drawn)| {
                    let mut sequence = Sequence::default();
                    for (row, label) in drawn {
                        sequence.rows.push(row);
                        sequence.labels.push(label);
                    }
                    (shape, weights, sequence)
                })
        },
    )
}

proptest! {
    #[test]
    fn forward_backward_and_viterbi_are_enumeration(
        (k, node, pair) in (1..5usize, 0..6usize, 1..4usize).prop_flat_map(|(k, n, size)| {
            // Ordinary scores, and such whose exponentials no f64 holds.
            let range = [1.0, 30.0, 900.0][size - 1];
            (
                Just(k),
                prop::collection::vec(-range..range, n * k),
                prop::collection::vec(-range..range, k * k),
            )
        })
    ) {
        enumerate(&Lattice::of(k, node, pair), k);
    }

    #[test]
    fn models_agree_with_enumeration((shape, weights, sequence) in models()) {
        let lattice = Lattice::new(&shape, &weights, &sequence.rows);
        enumerate(&lattice, usize::from(shape.labels));
        if shape.form == Form::Memm && !sequence.rows.is_empty() {
            prop_assert!(lattice.beliefs().log_z.abs() < 1e-9);
        }
    }

    #[test]
    fn the_loss_is_the_definition((shape, weights, sequence) in models()) {
        let lattice = Lattice::new(&shape, &weights, &sequence.rows);
        let log_z = if sequence.rows.is_empty() { 0.0 } else { lattice.beliefs().log_z };
        let expect = log_z - lattice.score(&sequence.labels);
        let mut gradient = vec![0.0; weights.len()];
        let loss = add_loss(&shape, &weights, &sequence, &mut gradient);
        prop_assert!((loss - expect).abs() < 1e-9, "{loss} {expect}");
    }

    #[test]
    fn the_gradient_is_the_difference_quotient((shape, weights, sequence) in models()) {
        let sequences = [sequence.clone(), sequence];
        let mut gradient = vec![0.0; weights.len()];
        penalised(&shape, &weights, &sequences, 1.5, &mut gradient);
        let mut unused = gradient.clone();
        for i in 0..weights.len() {
            let mut at = |h: f64| {
                let mut w = weights.clone();
                w[i] += h;
                penalised(&shape, &w, &sequences, 1.5, &mut unused)
            };
            let quotient = (at(1e-5) - at(-1e-5)) / 2e-5;
            prop_assert!((quotient - gradient[i]).abs() < 1e-6, "{i}: {quotient} {}", gradient[i]);
        }
    }
}

/// Runs of two labels; only the first row of a run shows which.
fn runs(seed: usize) -> Sequence {
    let mut sequence = Sequence::default();
    for run in 0..4 {
        let label = (run + seed) % 2;
        for i in 0..2 + (seed + run) % 3 {
            sequence.rows.push((i == 0).then_some((label as u32, 1.0)));
            sequence.labels.push(label as u16);
        }
    }
    sequence
}

fn accuracy(chain: &Chain, sequences: &[Sequence]) -> f64 {
    let (mut right, mut n) = (0, 0);
    for s in sequences {
        let labels = chain.label(&s.rows).0;
        right += labels.iter().zip(&s.labels).filter(|(a, b)| a == b).count();
        n += s.labels.len();
    }
    right as f64 / n as f64
}

#[test]
fn chains_learn_what_positions_cannot_see() {
    let sequences: Vec<Sequence> = (0..12).map(runs).collect();
    let trained = |form, edges, history| {
        let settings = Settings { form, edges, history, ..Settings::default() };
        train(&sequences, 2, 2, &settings, &mut |_, _| ())
    };
    // Without edge features nothing ties a change of labels to the row that shows it.
    for (form, edges) in [(Form::Memm, false), (Form::Memm, true), (Form::Crf, true)] {
        let t = trained(form, edges, false);
        assert!(t.chain.fits());
        assert_eq!(accuracy(&t.chain, &sequences), 1.0, "{form:?}");
        assert_ne!(t.outcome.stop, Stop::Stuck);
    }
    let alone = accuracy(&trained(Form::Maxent, false, false).chain, &sequences);
    let remembering = accuracy(&trained(Form::Maxent, false, true).chain, &sequences);
    assert!(alone < remembering && remembering < 1.0, "{alone} {remembering}");
}

#[test]
fn a_narrow_prior_keeps_weights_small() {
    let sequences: Vec<Sequence> = (0..6).map(runs).collect();
    let largest = |sigma| {
        let settings = Settings { sigma, ..Settings::default() };
        let chain = train(&sequences, 2, 2, &settings, &mut |_, _| ()).chain;
        chain.weights.iter().fold(0.0, |top: f32, w| top.max(w.abs()))
    };
    assert!(largest(0.1) < largest(1.0) && largest(1.0) < largest(10.0));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let sequences: Vec<Sequence> = (0..20).map(runs).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| train(&sequences, 2, 2, &Settings::default(), &mut |_, _| ()).chain)
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn odd_input_is_ignored() {
    let mut odd = runs(0);
    odd.labels[3] = 9;
    odd.rows.push([(77, 1.0)]);
    let t = train(&[odd, Sequence::default()], 2, 2, &Settings::default(), &mut |_, _| ());
    assert!(t.chain.fits());
    let none = train(&[], 2, 0, &Settings::default(), &mut |_, _| ());
    assert!(none.chain.fits());
    assert_eq!(none.chain.label(&runs(0).rows).0.len(), runs(0).labels.len());
}

#[test]
fn damaged_models_do_not_fit() {
    let good = train(&[runs(0)], 2, 2, &Settings::default(), &mut |_, _| ()).chain;
    let with = |change: &dyn Fn(&mut Chain)| {
        let mut chain = good.clone();
        change(&mut chain);
        chain.fits()
    };
    assert!(with(&|_| ()));
    assert!(!with(&|c| c.weights.truncate(3)));
    assert!(!with(&|c| c.weights[0] = f32::NAN));
    assert!(!with(&|c| c.shape.labels = 0));
    assert!(!with(&|c| (c.shape.labels, c.shape.columns) = (u16::MAX, u32::MAX)));
}

#[test]
fn minimise_finds_the_bottom_of_a_narrow_valley() {
    let mut x = vec![-1.2, 1.0];
    let outcome = minimise(
        &mut x,
        &mut |x, g| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            g[0] = -2.0 * a - 400.0 * x[0] * b;
            g[1] = 200.0 * b;
            a * a + 100.0 * b * b
        },
        500,
        0.0,
        &mut |_, _| (),
    );
    assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] - 1.0).abs() < 1e-6, "{x:?} {outcome:?}");
}
