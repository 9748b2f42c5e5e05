// A study's trial rows in chunks: from the server, or sorted and searched locally in a report.

import { get, isReport, studyPath } from "./api.js";

const PIECE = 100;
const KEPT = 40;

/** Rows of one query; `row(i)` may be undefined, `want(from, to)` fetches missing rows. */
export class Rows {
  constructor(study, query, arrived, failed) {
    Object.assign(this, { study, query, arrived, failed });
    this.pieces = new Map();
    this.matched = null;
    this.total = null;
    this.ended = new AbortController();
  }

  row(i) {
    return this.pieces.get(Math.floor(i / PIECE))?.[i % PIECE];
  }

  /** Fetches the chunks with rows `from` to `to`; with `anew` also loaded ones. */
  want(from, to, anew = false) {
    const last = Math.floor(Math.max(from, to - 1) / PIECE);
    const tasks = [];
    for (let piece = Math.floor(from / PIECE); piece <= last; piece += 1) {
      if (anew || !this.pieces.has(piece)) tasks.push(this.fetch(piece));
    }
    return Promise.all(tasks);
  }

  async fetch(piece) {
    if (!this.pieces.has(piece)) this.pieces.set(piece, []);
    try {
      const answer = await ask(this.study, { ...this.query, offset: piece * PIECE, limit: PIECE }, this.ended.signal);
      this.pieces.set(piece, answer.trials);
      [this.matched, this.total] = [answer.matched, answer.total];
      this.forget(piece);
      this.arrived();
    } catch (error) {
      this.pieces.delete(piece);
      if (error.name !== "AbortError") this.failed(error);
    }
  }

  // Distant chunks are dropped and fetched again on demand.
  forget(near) {
    if (this.pieces.size <= KEPT) return;
    const farthest = [...this.pieces.keys()].reduce((a, b) => (Math.abs(b - near) > Math.abs(a - near) ? b : a));
    this.pieces.delete(farthest);
  }

  end() {
    this.ended.abort();
  }
}

async function ask(study, query, signal) {
  const path = studyPath(study, "/trials");
  if (!isReport) return get(path, query, signal);
  const all = await get(path);
  const states = query.state ? query.state.split(",") : null;
  const text = (query.search ?? "").toLowerCase();
  const rows = all.trials.filter((t) => (!states || states.includes(t.state)) && (!text || JSON.stringify(t).toLowerCase().includes(text)));
  const { objectives } = await get(studyPath(study));
  const by = query.sort === "value" ? objectives[0].name : (query.sort ?? "number");
  const sorted = sort(rows, by, Boolean(query.desc));
  return { total: all.total, matched: rows.length, trials: sorted.slice(query.offset, query.offset + query.limit) };
}

function sort(rows, by, descending) {
  const read = reader(by);
  const sign = descending ? -1 : 1;
  const compare = (a, b) => {
    const [x, y] = [read(a), read(b)];
    if (x == null || y == null) return (x == null) - (y == null);
    return x < y ? -sign : x > y ? sign : 0;
  };
  return [...rows].sort(compare);
}

function reader(by) {
  if (by.startsWith("param:")) return (t) => t.params?.[by.slice(6)];
  if (by === "duration") return (t) => (t.started && t.finished ? t.finished - t.started : null);
  return (t) => (by in t ? t[by] : t.values?.[by]);
}

/** One trial with all its records; a report may have only its row of the table. */
export async function trialOf(study, number, signal) {
  try {
    return await get(studyPath(study, `/trials/${number}`), {}, signal);
  } catch (error) {
    const all = isReport ? await get(studyPath(study, "/trials")) : null;
    const row = all?.trials.find((t) => t.number === number);
    if (!row) throw error;
    const trial = { ...row, started_ms: row.started, finished_ms: row.finished, asked_ms: row.asked };
    const { origin, feasible, on_front } = row;
    return { trial, provenance: { origin }, reports: [], attributes: {}, feasible, on_front, resumed_by: [] };
  }
}
