// Routes live in the hash: #/, #/study/NAME, #/study/NAME/PAGE, #/study/NAME/trial/N, #/compare?studies=a,b

/** The parsed address: {page, study, trial, query}. */
export function parse(hash) {
  const [path, search] = hash.replace(/^#\/?/, "").split("?", 2);
  const query = Object.fromEntries(new URLSearchParams(search ?? ""));
  const parts = path.split("/").filter(Boolean).map(decoded);
  if (parts.length === 0) return { page: "studies", query };
  if (parts[0] === "compare") return { page: "compare", query };
  if (parts[0] !== "study" || parts.length < 2) return { page: "unknown", query };
  const [, study, page = "overview", trial] = parts;
  if (page === "trial") return /^\d+$/.test(trial ?? "") ? { page, study, trial: Number(trial), query } : { page: "unknown", query };
  return { page, study, query };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function search(query) {
  const text = new URLSearchParams(Object.entries(query ?? {}).filter(([, v]) => v !== undefined && v !== null && v !== "")).toString();
  return text ? `?${text}` : "";
}

export const to = {
  studies: () => "#/",
  study: (name, page, query) => `#/study/${encodeURIComponent(name)}${page && page !== "overview" ? `/${page}` : ""}${search(query)}`,
  trial: (name, number) => `#/study/${encodeURIComponent(name)}/trial/${number}`,
  compare: (studies) => `#/compare${search({ studies: studies?.map(encodeURIComponent).join(",") })}`,
};

/** Changes the query of the current address without navigation. */
export function remember(query) {
  const now = location.hash.split("?")[0] || "#/";
  history.replaceState(null, "", `${now}${search(query)}`);
}

export function open(href) {
  location.hash = href;
}
