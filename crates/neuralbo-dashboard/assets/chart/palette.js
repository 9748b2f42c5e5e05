// Colour-blind safe colours: Okabe and Ito for categories, viridis and cividis for quantities.

import { colour } from "../theme.js";

const VIRIDIS = ["440154", "482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725"];
const CIVIDIS = ["00224e", "123570", "3b496c", "575d6d", "707173", "8a8678", "a59c74", "c3b369", "e1cc55", "fee838"];

const rgb = (hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
const maps = { viridis: VIRIDIS.map(rgb), cividis: CIVIDIS.map(rgb) };

/** Red, green and blue of a share from 0 to 1. */
export function mapped(name, share) {
  const stops = maps[name];
  const at = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(at));
  return stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * (at - i)));
}

export function css([r, g, b], alpha = 1) {
  return `rgba(${r},${g},${b},${alpha})`;
}

/** The i-th categorical colour. */
export function kind(i) {
  return colour(`kind-${(i % 7) + 1}`);
}

/** Colour and marker of a trial's state. */
export const STATES = {
  complete: { colour: "state-complete", shape: "circle", word: "complete" },
  running: { colour: "state-running", shape: "square", word: "running" },
  pruned: { colour: "state-pruned", shape: "triangle", word: "pruned" },
  failed: { colour: "state-failed", shape: "cross", word: "failed" },
};
