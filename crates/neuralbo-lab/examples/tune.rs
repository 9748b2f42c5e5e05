//! scratch
use neuralbo::linalg::Streams;
use neuralbo::space::Space;
use neuralbo::strategy::{NeuralBo, NeuralBoSettings, Setup, Strategy, presets};
use neuralbo::study::{Direction, Study};
use neuralbo_lab::Problem;
use neuralbo_lab::problems::bbob::{
    Bbob,
    score::{Trace, score},
};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn strategy(space: &Space, seed: u64, dim: usize, args: &[String]) -> Box<dyn Strategy> {
    let method = get(args, "method", "neuralbo".to_string());
    if method != "neuralbo" {
        return presets::build(&method, space, seed, &presets::Options::new()).unwrap();
    }
    let mut s = NeuralBoSettings::for_dim(dim);
    s.width = get(args, "width", s.width);
    s.initial = get(args, "initial", s.initial);
    s.active = get(args, "active", s.active);
    s.rounds = get(args, "rounds", s.rounds);
    s.nu = get(args, "nu", s.nu);
    s.greedy_every = get(args, "greedy", s.greedy_every);
    s.slack = get(args, "slack", s.slack);
    s.tuned = get(args, "tuned", s.tuned);
    s.maximizer.perturbed = get(args, "pert", s.maximizer.perturbed);
    s.maximizer.local_share = get(args, "share", s.maximizer.local_share);
    s.unit = get(args, "unit", s.unit);
    s.local = get(args, "local", s.local);
    s.reach = get(args, "reach", s.reach);
    s.centred = get(args, "centred", s.centred);
    s.region.start = get(args, "start", s.region.start);
    s.region.successes = get(args, "succ", s.region.successes);
    s.region.failures = get(args, "fail", s.region.failures);
    s.region.shrink = get(args, "shrink", s.region.shrink);
    s.region.grow = get(args, "grow", s.region.grow);
    s.maximizer.candidates = get(args, "cand", s.maximizer.candidates);
    s.maximizer.starts = get(args, "starts", s.maximizer.starts);
    let act: String = get(args, "act", "gelu".to_string());
    s.activation = serde_json::from_str(&format!("\"{act}\"")).unwrap();
    Box::new(NeuralBo::new(Setup::new(Arc::new(space.clone()), Streams::new(seed)), s).unwrap())
}

fn get<T: std::str::FromStr>(args: &[String], key: &str, default: T) -> T {
    args.iter().rev().find_map(|a| a.strip_prefix(&format!("{key}="))).map_or(default, |v| v.parse().ok().unwrap())
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let dims: String = get(&args, "dims", "2,5".into());
    let inst: u32 = get(&args, "instances", 3);
    let threads: usize = get(&args, "threads", 2);
    let fs: String = get(&args, "fs", (1..=24).map(|i| i.to_string()).collect::<Vec<_>>().join(","));
    if args.iter().any(|a| a == "syn") { return synthetic(&args); }
    for dim in dims.split(',').map(|d| d.parse::<usize>().unwrap()) {
        let start = std::time::Instant::now();
        let jobs: Vec<(u32, u32)> = fs.split(',').flat_map(|f| (1..=inst).map(move |i| (f.parse().unwrap(), i))).collect();
        let next = AtomicUsize::new(0);
        let out = Mutex::new(vec![None; jobs.len()]);
        let busy = Mutex::new(0.0);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let k = next.fetch_add(1, Ordering::Relaxed);
                        if k >= jobs.len() {
                            break;
                        }
                        let (f, i) = jobs[k];
                        let problem = Bbob::new(f, i, dim).unwrap();
                        let space = Space::from_bounds(&problem.bounds()).unwrap();
                        let seed = get(&args, "seed", 0u64) + (f * 100 + i) as u64;
                        let mut study = Study::new(space.clone(), Direction::Minimize, strategy(&space, seed, dim, &args));
                        let mut trace = Trace::new(dim);
                        let t0 = std::time::Instant::now();
                        let mut best = f64::INFINITY;
                        for n in 1..=20 * dim as u64 {
                            let trial = study.ask().unwrap();
                            let x: Vec<f64> = trial.point.values().iter().map(|v| v.as_f64().unwrap()).collect();
                            let gap = problem.gap(&x);
                            best = best.min(gap);
                            trace.record(n, best);
                            study.tell(trial.number, problem.value(&x)).unwrap();
                        }
                        *busy.lock().unwrap() += t0.elapsed().as_secs_f64();
                        out.lock().unwrap()[k] = Some(trace);
                    }
                });
            }
        });
        let traces: Vec<Trace> = out.into_inner().unwrap().into_iter().map(Option::unwrap).collect();
        let s = score(&traces).unwrap();
        if args.iter().any(|a| a == "-v") {
            for (j, chunk) in traces.chunks(inst as usize).enumerate() {
                let s = score(chunk).unwrap();
                println!("  f{:<3} {:.4} {:.2}", jobs[j * inst as usize].0, s.auc, s.gap);
            }
        }
        println!(
            "D={dim} auc {:.4} gap {:.3}  {:.1}s, {:.1} ms/suggest",
            s.auc,
            s.gap,
            start.elapsed().as_secs_f64(),
            1e3 * *busy.lock().unwrap() / (jobs.len() * 20 * dim) as f64
        );
    }
}

fn synthetic(args: &[String]) {
    use neuralbo_lab::problems::{by_name, wrappers::*};
    let dim: usize = get(args, "dims", 20);
    let evals: usize = get(args, "evals", 500);
    let seeds: u64 = get(args, "seeds", 1);
    let names: String = get(args, "fs", "ackley,levy,michalewicz".into());
    let jobs: Vec<(String, u64)> = names.split(',').flat_map(|n| (0..seeds).map(move |s| (n.to_string(), s))).collect();
    let next = AtomicUsize::new(0);
    let out = Mutex::new(Vec::new());
    std::thread::scope(|scope| for _ in 0..get(args, "threads", 2) { scope.spawn(|| loop {
        let k = next.fetch_add(1, Ordering::Relaxed);
        if k >= jobs.len() { break; }
        let (name, seed) = &jobs[k];
        let p = by_name(name, Some(dim)).unwrap();
        let p: Box<dyn Problem> = if get(args, "shift", 1) == 1 { Box::new(Shifted::new(p, 77 + *seed).unwrap()) } else { p };
        let sp = spread(&*p, 2000, 1);
        let range: f64 = get(args, "range", 0.0);
        let sd = if range > 0.0 { range * sp.range } else { 0.1 * sp.sd };
        let noisy = Noisy::new(p, sd, *seed).unwrap();
        let space = Space::from_bounds(&noisy.bounds()).unwrap();
        let mut study = Study::new(space.clone(), Direction::Minimize, strategy(&space, *seed, dim, args));
        let mut best = f64::INFINITY;
        let mut marks = Vec::new();
        let t0 = std::time::Instant::now();
        for n in 1..=evals {
            let trial = study.ask().unwrap();
            let x: Vec<f64> = trial.point.values().iter().map(|v| v.as_f64().unwrap()).collect();
            best = best.min(noisy.value(&x));
            if [50, 100, 200, 500, 1000, 2000].contains(&n) { marks.push(best); }
            study.tell(trial.number, noisy.observe(&x, n as u64)).unwrap();
        }
        out.lock().unwrap().push((name.clone(), *seed, marks, t0.elapsed().as_secs_f64() / evals as f64 * 1e3));
    }); });
    let mut out = out.into_inner().unwrap();
    out.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    for (n, s, m, t) in out { println!("{n}-{dim} seed {s}: {} ({t:.1} ms)", m.iter().map(|v| format!("{v:.2}")).collect::<Vec<_>>().join(" ")); }
}

