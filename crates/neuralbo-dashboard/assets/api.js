// Requests to the server, or answers stored in a report.

const embedded = readEmbedded();
// The query keys that identify an answer; the number of points does not.
const IDENTITY = ["param", "x", "y", "objective", "name", "study"];
const TOKEN = "neuralbo-token";

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

function readEmbedded() {
  const node = document.getElementById("data");
  return node ? JSON.parse(node.textContent) : null;
}

/** Whether this page is a report: static, without a server. */
export const isReport = embedded !== null;

export function studyPath(study, rest = "") {
  return `/api/studies/${encodeURIComponent(study)}${rest}`;
}

function query(params) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params ?? {})) {
    for (const part of Array.isArray(value) ? value : [value])
      if (part !== undefined && part !== null && part !== "") search.append(name, part);
  }
  const text = search.toString();
  return text ? `?${text}` : "";
}

/** The answer to a GET; throws an `ApiError` with the server's message. */
export async function get(path, params, signal) {
  if (isReport) return lookUp(path, params ?? {});
  const answer = await fetch(`.${path}${query(params)}`, { signal, headers: authorization() }).catch((error) => {
    throw error.name === "AbortError" ? error : new ApiError("The server does not respond.", 0);
  });
  return decoded(answer);
}

export async function post(path, body) {
  const headers = { "Content-Type": "application/json", ...authorization() };
  const answer = await fetch(`.${path}`, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => {
    throw new ApiError("The server does not respond.", 0);
  });
  return decoded(answer);
}

async function decoded(answer) {
  const text = await answer.text();
  let body = null;
  try {
    body = text ? JSON.parse(text) : {};
  } catch {
    throw new ApiError(`The response is not JSON (status ${answer.status}).`, answer.status);
  }
  if (!answer.ok) throw new ApiError(body.error ?? `Rejected with status ${answer.status}.`, answer.status);
  return body;
}

function lookUp(path, params) {
  const identity = (kept) => query(Object.fromEntries(kept.filter((name) => params[name]).map((name) => [name, params[name]])));
  const keys = [path + query(params), path + identity(IDENTITY), path + identity(IDENTITY.filter((name) => name !== "objective")), path];
  const found = keys.find((key, i) => key in embedded && (i < 3 || (!params.param && !params.x)));
  if (found === undefined) throw new ApiError("This is not part of the report file.", 404);
  return embedded[found];
}

/** Whether a report contains the answer; a server always does. */
export function has(path, params) {
  if (!isReport) return true;
  try {
    lookUp(path, params);
    return true;
  } catch {
    return false;
  }
}

export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

export function forgetToken() {
  sessionStorage.removeItem(TOKEN);
}

export function hasToken() {
  return !isReport && sessionStorage.getItem(TOKEN) !== null;
}

function authorization() {
  const token = hasToken() ? sessionStorage.getItem(TOKEN) : null;
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** The address of the CSV export of the trials that `state`, `search` and `where` select. */
export function csvAddress(study, filters) {
  return `.${studyPath(study, "/trials.csv")}${query(filters)}`;
}

/** Calls `changed` when a study changes and `status` with "live", "waiting" or "still". Returns a stop function. */
export function listen(study, changed, status) {
  if (isReport) {
    status("still");
    return () => {};
  }
  const source = new EventSource(`.${studyPath(study, "/events")}`);
  source.addEventListener("open", () => status("live"));
  source.addEventListener("changed", (event) => changed(JSON.parse(event.data)));
  source.addEventListener("error", () => status("waiting"));
  return () => source.close();
}
