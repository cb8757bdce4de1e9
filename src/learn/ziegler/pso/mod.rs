//! Particle swarm optimisation of conjunctive feature thresholds: Ziegler & Skubacz 2007, §3.5.3,
//! Alg. 1.
//!
//! Reading of the algorithm: features are mapped monotonically to [0, 1] on the training set,
//! because particles start there while some features are unbounded; ρ_i starts at p_i; p_b is the
//! best of the *current* population, evaluated once before the loop; the result is the best
//! particle ever seen, with its generation. With `cognitive` = `social` = 2 the
//! spread of the particles stays bounded for an `inertia` between 1/3 and 1/2 alone (by the condition of
//! Poli 2009), so with one "close to 1" the swarm diverges unless its velocity is clamped;
//! [`Settings::damped`] is the constriction setting of Clerc & Kennedy 2002.
//!
//! All random numbers are drawn from one stream in Alg. 1's order and sums run in document order,
//! so the same seed gives the same thresholds whatever the number of threads.
//!
//! Must not know: HTML, what the features mean, the model file.

mod fitness;
mod mapping;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::learn::split::rng;
pub use fitness::{Document, Documents};
pub use mapping::{Bound, Mapping};

/// How the swarm moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Population size n.
    pub particles: usize,
    /// Moves of the whole population.
    pub generations: usize,
    /// Pull towards a particle's own best state (τ in the paper).
    pub cognitive: f64,
    /// Pull towards the population's best particle (φ in the paper).
    pub social: f64,
    /// Share of the velocity that is kept (ω in the paper).
    pub inertia: f64,
    /// Largest step per dimension; 0: no limit, as in the paper.
    pub clamp: f64,
    pub mapping: Mapping,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::damped()
    }
}

impl Settings {
    /// The constriction coefficients of Clerc & Kennedy 2002.
    pub fn damped() -> Settings {
        Settings {
            particles: 100,
            generations: 100,
            cognitive: 1.496_18,
            social: 1.496_18,
            inertia: 0.729_8,
            clamp: 0.0,
            mapping: Mapping::Rank,
            seed: 1,
        }
    }

    /// Both pulls "around 2" and equal, inertia "close to 1", as printed.
    pub fn equal() -> Settings {
        Settings { cognitive: 2.0, social: 2.0, inertia: 0.95, ..Settings::damped() }
    }

    /// Cognition favoured over social behaviour: the other curve of Fig. 3.
    pub fn cognitive() -> Settings {
        Settings { cognitive: 2.5, social: 1.5, ..Settings::equal() }
    }

    /// The same with a velocity limit, so that undamped settings stay in sight of [0, 1].
    pub fn clamped(self) -> Settings {
        Settings { clamp: 0.5, ..self }
    }
}

/// One generation of the curve (Fig. 3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// 0 is the first population, before it moves.
    pub number: usize,
    /// Fitness of the population's best particle.
    pub best: f64,
    /// Mean fitness of the population.
    pub mean: f64,
    /// Best fitness so far.
    pub ever: f64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending {
    /// Best fitness of all generations, and the first generation that had it.
    pub ever: f64,
    pub generation: usize,
    /// Mean over the last ten generations of the best and of the mean particle's fitness.
    pub best: f64,
    pub mean: f64,
    /// Generations without a particle above zero: the swarm had left the values of all features.
    pub lost: usize,
}

impl Ending {
    /// Of a curve.
    pub fn of(curve: &[Generation]) -> Ending {
        let last = &curve[curve.len().saturating_sub(10)..];
        let mean =
            |f: fn(&Generation) -> f64| last.iter().map(f).sum::<f64>() / last.len().max(1) as f64;
        let ever = curve.iter().map(|g| g.ever).fold(0.0, f64::max);
        let first = curve.iter().find(|g| g.ever >= ever);
        Ending {
            ever,
            generation: first.map_or(0, |g| g.number),
            best: mean(|g| g.best),
            mean: mean(|g| g.mean),
            lost: curve.iter().filter(|g| g.best <= 0.0).count(),
        }
    }
}

/// The best particle ever seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Swarm {
    /// In [0, 1] units (may lie outside, where a bound keeps all or none).
    pub position: Vec<f64>,
    /// In the features' own units: what a block's feature is compared with.
    pub thresholds: Vec<f64>,
    /// The mapping to [0, 1]: each feature's quantiles on the training blocks at equal steps.
    pub quantiles: Vec<Vec<f32>>,
    /// Mean sim^σ over the training documents.
    pub fitness: f64,
    /// Generation it was found in.
    pub generation: usize,
    pub curve: Vec<Generation>,
}

/// Runs the swarm over `documents`; `progress` is called after each generation.
pub fn swarm(
    documents: &Documents,
    settings: &Settings,
    progress: &(dyn Fn(&Generation) + Sync),
) -> Swarm {
    let dimensions = documents.bounds().len();
    let particles = settings.particles.max(1);
    let mapped = documents.mapped(settings.mapping);
    let mut rng = rng(settings.seed);
    let mut positions: Vec<Vec<f64>> =
        (0..particles).map(|_| (0..dimensions).map(|_| rng.random::<f64>()).collect()).collect();
    let mut velocities = vec![vec![0.0; dimensions]; particles];
    let mut fitness = mapped.fitness(&positions);
    let mut own = positions.clone();
    let mut own_fitness = fitness.clone();
    let mut leader = argmax(&fitness);
    let mut best = (positions[leader].clone(), fitness[leader], 0);
    let mut curve = Vec::with_capacity(settings.generations + 1);
    note(&mut curve, &fitness, best.1, progress);
    for number in 1..=settings.generations {
        let target = positions[leader].clone();
        for i in 0..particles {
            for j in 0..dimensions {
                let (r1, r2) = (rng.random::<f64>(), rng.random::<f64>());
                let p = positions[i][j];
                let mut w = settings.inertia * velocities[i][j]
                    + r1 * settings.cognitive * (own[i][j] - p)
                    + r2 * settings.social * (target[j] - p);
                if settings.clamp > 0.0 {
                    w = w.clamp(-settings.clamp, settings.clamp);
                }
                // A diverging swarm must not reach infinity, where differences are no numbers.
                velocities[i][j] = w.clamp(-1e100, 1e100);
                positions[i][j] = (p + velocities[i][j]).clamp(-1e100, 1e100);
            }
        }
        fitness = mapped.fitness(&positions);
        for i in 0..particles {
            if fitness[i] > own_fitness[i] {
                own_fitness[i] = fitness[i];
                own[i].clone_from(&positions[i]);
            }
        }
        leader = argmax(&fitness);
        if fitness[leader] > best.1 {
            best = (positions[leader].clone(), fitness[leader], number);
        }
        note(&mut curve, &fitness, best.1, progress);
    }
    let (position, fitness, generation) = best;
    let thresholds = mapped.natural(&position);
    let quantiles = mapped.quantiles();
    Swarm { position, thresholds, quantiles, fitness, generation, curve }
}

fn note(
    curve: &mut Vec<Generation>,
    fitness: &[f64],
    ever: f64,
    progress: &(dyn Fn(&Generation) + Sync),
) {
    let best = fitness[argmax(fitness)];
    let mean = fitness.iter().sum::<f64>() / fitness.len() as f64;
    let generation = Generation { number: curve.len(), best, mean, ever };
    progress(&generation);
    curve.push(generation);
}

/// The first of the largest.
fn argmax(xs: &[f64]) -> usize {
    (1..xs.len()).fold(0, |best, i| if xs[i] > xs[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of prose have a high first and a low second feature; both are needed.
    fn documents() -> Documents {
        let bounds = vec![Bound::AtLeast, Bound::AtMost];
        let documents = (0..12)
            .map(|d| {
                let mut blocks = Vec::new();
                let mut gold = String::new();
                for b in 0..10 {
                    let text = format!("word{d} number{b} some other words of block{b} here");
                    let prose = b % 3 == 0;
                    let long = if prose || b % 3 == 1 { 20.0 + f64::from(b) } else { 2.0 };
                    let linked = if prose { 0.1 } else { 0.2 + f64::from(b % 3) * 0.3 };
                    if prose {
                        gold.push_str(&text);
                        gold.push('\n');
                    }
                    blocks.push((vec![long, linked], text));
                }
                Document::new(&blocks, &[gold.as_str()])
            })
            .collect();
        Documents::new(bounds, documents)
    }

    #[test]
    fn finds_separable_thresholds() {
        let documents = documents();
        for settings in [Settings::damped(), Settings::equal().clamped()] {
            let swarm = swarm(&documents, &settings, &|_| {});
            assert!(swarm.fitness > 0.999, "{swarm:?}");
            assert!(swarm.thresholds[1] >= 0.1 && swarm.thresholds[1] < 0.5, "{swarm:?}");
            assert_eq!(swarm.curve.len(), 101);
            let again = documents.fitness(&swarm.thresholds);
            assert!((again - swarm.fitness).abs() < 1e-9, "natural units decide the same");
            let end = Ending::of(&swarm.curve);
            assert_eq!((end.ever, end.generation), (swarm.fitness, swarm.generation));
        }
    }

    #[test]
    fn fitness_is_the_similarity_of_what_is_kept() {
        use crate::dedupe::similarity::{Vector, sim};
        let texts = ["the cat saw the cat", "a dog", "東京都 the end of it", "cat cat cat dog"];
        let blocks: Vec<(Vec<f64>, String)> =
            texts.iter().enumerate().map(|(i, t)| (vec![i as f64], t.to_string())).collect();
        let golds = ["the cat saw 東京都 dog dog", "nothing of it"];
        let document = Document::new(&blocks, &golds);
        let documents = Documents::new(vec![Bound::AtLeast], vec![document]);
        for from in 0..=texts.len() {
            let kept = Vector::of(&texts[from..].join("\n"));
            let expect = golds.map(|g| sim(&kept, &Vector::of(g))).into_iter().fold(0.0, f64::max);
            assert_eq!(documents.fitness(&[from as f64]), expect, "from block {from}");
        }
        assert_eq!(documents.rejections(&[1.0]), [(0.25, 0.25)]);
        assert_eq!(documents.rejections(&documents.only(0, f64::NEG_INFINITY)), [(0.0, 0.0)]);
    }

    #[test]
    fn same_seed_same_swarm_whatever_the_threads() {
        let documents = documents();
        let settings = Settings { particles: 20, generations: 15, ..Settings::equal() };
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("a thread pool").install(|| swarm(&documents, &settings, &|_| {}))
        };
        let one = run(1);
        assert_eq!(one, run(3));
        let other = Settings { seed: 2, ..settings.clone() };
        assert_ne!(one.curve, swarm(&documents, &other, &|_| {}).curve);
    }

    #[test]
    fn printed_settings_diverge_without_a_limit_and_still_end() {
        let swarm = swarm(&documents(), &Settings::cognitive(), &|_| {});
        assert!(swarm.fitness.is_finite() && swarm.position.iter().all(|p| p.is_finite()));
    }
}
