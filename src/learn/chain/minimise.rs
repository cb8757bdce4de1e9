//! L-BFGS with backtracking, for smooth convex functions of many variables.
//!
//! Must not know: what the function is.

use lbfgs::Lbfgs;

/// Pairs of steps and gradient changes that are remembered.
const MEMORY: usize = 8;
/// Share of the decrease promised by the slope that a step must reach (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// So many halvings of a step are tried.
const HALVINGS: usize = 30;
/// Steps over which the decrease is judged.
const PERIOD: usize = 5;

/// Why minimisation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The last steps hardly lowered the value, or the gradient vanished.
    Converged,
    /// The number of steps is used up.
    Steps,
    /// No step in the direction of descent lowers the value: the limit of the arithmetic.
    Stuck,
}

/// Where minimisation ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    pub value: f64,
    pub steps: usize,
    pub stop: Stop,
}

/// Moves `x` to where `function` is least. `function` returns the value and fills the gradient;
/// `on_step` gets number and value of each step. Values that are not finite count as too high.
pub fn minimise(
    x: &mut Vec<f64>,
    function: &mut dyn FnMut(&[f64], &mut [f64]) -> f64,
    steps: usize,
    tolerance: f64,
    on_step: &mut dyn FnMut(usize, f64),
) -> Outcome {
    if x.is_empty() {
        return Outcome { value: 0.0, steps: 0, stop: Stop::Converged };
    }
    let n = x.len();
    let mut gradient = vec![0.0; n];
    let mut value = function(x, &mut gradient);
    let mut hessian = Lbfgs::<f64>::new(n, MEMORY);
    hessian.update_hessian(&gradient, x);
    let mut values = vec![value];
    let mut direction = vec![0.0; n];
    let (mut next, mut next_gradient) = (vec![0.0; n], vec![0.0; n]);
    for step in 1..=steps {
        let norm = dot(&gradient, &gradient).sqrt();
        if norm <= 1e-9 * dot(x, x).sqrt().max(1.0) {
            return Outcome { value, steps: step - 1, stop: Stop::Converged };
        }
        direction.copy_from_slice(&gradient);
        hessian.apply_hessian(&mut direction);
        let mut slope = dot(&direction, &gradient);
        if slope.is_nan() || slope <= 0.0 {
            hessian.reset();
            hessian.update_hessian(&gradient, x);
            direction.copy_from_slice(&gradient);
            slope = norm * norm;
        }
        let mut length = if step == 1 { 1.0 / norm } else { 1.0 };
        let accepted = (0..HALVINGS).any(|_| {
            for ((next, x), d) in next.iter_mut().zip(x.iter()).zip(&direction) {
                *next = x - length * d;
            }
            let new = function(&next, &mut next_gradient);
            let enough = new <= value - SUFFICIENT * length * slope;
            if enough {
                value = new;
            } else {
                length /= 2.0;
            }
            enough
        });
        if !accepted {
            return Outcome { value, steps: step - 1, stop: Stop::Stuck };
        }
        std::mem::swap(x, &mut next);
        std::mem::swap(&mut gradient, &mut next_gradient);
        hessian.update_hessian(&gradient, x);
        values.push(value);
        on_step(step, value);
        if step >= PERIOD {
            let decrease = values[step - PERIOD] - value;
            if decrease <= tolerance * value.abs() {
                return Outcome { value, steps: step, stop: Stop::Converged };
            }
        }
    }
    Outcome { value, steps, stop: Stop::Steps }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
