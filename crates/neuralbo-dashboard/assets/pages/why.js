// The origin of a point in words.

import { num, plusMinus, plural, duration } from "../format.js";

const RULES = {
  thompson: "by Thompson sampling: the optimum of a function sampled from the model",
  sample: "at the optimum of a function sampled from the model",
  mean: "at the best predicted value",
  ei: "at the largest expected improvement",
  logei: "at the largest expected improvement",
  ucb: "at the largest upper confidence bound",
  lcb: "at the best confidence bound",
};

/** Sentences about a trial's provenance. */
export function why(name, study, { trial, provenance }) {
  const from = provenance ?? trial.provenance;
  if (!from) return ["The point is being computed."];
  const lines = [origin(from.origin ?? "")];
  if (from.mean != null) lines.push(prediction(study, trial, from));
  const seen = [];
  if (from.based_on != null && from.origin !== "known")
    seen.push(`Based on ${plural(from.based_on, "finished trial")}${from.pending?.length ? ` and ${from.pending.length} running` : ""}`);
  if (from.suggest_ms) seen.push(`computed in ${duration(from.suggest_ms)}`);
  if (seen.length) lines.push(`${seen.join("; ")}.`);
  return lines;
}

function origin(text) {
  const [kind, rest] = text.split(/:(.*)/s);
  if (kind === "initial") return "Part of the initial design.";
  if (kind === "sampled") return "Sampled without a model.";
  if (kind === "known") return "A known result, not a suggestion.";
  if (kind === "added" || kind === "proposed" || kind === "enqueued") return "Enqueued by a user.";
  if (kind === "model") return `Selected ${RULES[rest] ?? `by the rule “${rest}”`}.`;
  if (kind === "fallback") return `A space-filling point instead of a model-based one: ${rest}.`;
  return `Origin: ${text || "unknown"}.`;
}

function prediction(study, trial, { mean, sd }) {
  const value = trial.values?.[study.objectives[0].name];
  const predicted = `Predicted ${plusMinus(mean, sd)}`;
  if (trial.state === "pruned") return `${predicted}; the trial was pruned, so its final value is unknown.`;
  if (value == null) return `${predicted}.`;
  const off = sd ? Math.abs(value - mean) / sd : null;
  const judged =
    off === null
      ? ""
      : off < 1
        ? ", as expected"
        : off < 2
          ? ", within two standard deviations"
          : `, ${num(off, 2)} standard deviations away`;
  return `${predicted}, observed ${num(value, 5)}${judged}.`;
}
