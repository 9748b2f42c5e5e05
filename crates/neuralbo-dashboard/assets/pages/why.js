// Why a point was chosen, in plain words.

import { num, plusMinus, plural, duration } from "../format.js";

const RULES = {
  thompson: "by a sample of the model (Thompson sampling): a function that could be true, and its best point",
  sample: "by a sample of the model: a function that could be true, and its best point",
  mean: "where the model expects the best value",
  ei: "where the model expects the largest improvement",
  logei: "where the model expects the largest improvement",
  ucb: "where the model hopes for most: a good mean, or much left to learn",
  lcb: "where the model hopes for most: a good mean, or much left to learn",
};

/** Sentences about a trial's provenance. */
export function why(name, study, { trial, provenance }) {
  const from = provenance ?? trial.provenance;
  if (!from) return ["Its point is being chosen."];
  const lines = [origin(from.origin ?? "")];
  if (from.mean != null) lines.push(prediction(study, trial, from));
  const seen = [];
  if (from.based_on != null && from.origin !== "known")
    seen.push(`It knew ${plural(from.based_on, "finished trial")}${from.pending?.length ? ` and ${from.pending.length} running` : ""}`);
  if (from.suggest_ms) seen.push(`choosing took ${duration(from.suggest_ms)}`);
  if (seen.length) lines.push(`${seen.join("; ")}.`);
  return lines;
}

function origin(text) {
  const [kind, rest] = text.split(/:(.*)/s);
  if (kind === "initial") return "Chosen as part of the initial design, before the model had enough to go by.";
  if (kind === "sampled") return "Drawn without a model: the method has none.";
  if (kind === "known") return "Not suggested: its result was known from elsewhere.";
  if (kind === "added" || kind === "proposed" || kind === "enqueued") return "Added by a person to be tried.";
  if (kind === "model") return `Chosen ${RULES[rest] ?? `by the model's rule “${rest}”`}.`;
  if (kind === "fallback") return `A space-filling point in place of the model's choice: ${rest}.`;
  return `Origin: ${text || "unknown"}.`;
}

function prediction(study, trial, { mean, sd }) {
  const value = trial.values?.[study.objectives[0].name];
  const predicted = `Predicted ${plusMinus(mean, sd)}`;
  if (value == null) return `${predicted}.`;
  const off = sd ? Math.abs(value - mean) / sd : null;
  const judged =
    off === null
      ? ""
      : off < 1
        ? ", as expected"
        : off < 2
          ? ", within two standard deviations"
          : `, ${num(off, 2)} standard deviations away: a surprise`;
  return `${predicted}, seen ${num(value, 5)}${judged}.`;
}
