// The pages of a study, in the order of the tabs. The shell, the shortcuts and the browser tests read this list.

import * as overview from "./pages/overview.js";
import * as trials from "./pages/trials.js";
import * as relations from "./pages/relations.js";
import * as importance from "./pages/importance.js";
import * as front from "./pages/front.js";
import * as curves from "./pages/curves.js";
import * as outcomeConstraints from "./pages/outcome-constraints.js";
import * as failures from "./pages/failures.js";
import * as timeline from "./pages/timeline.js";
import * as model from "./pages/model.js";
import * as next from "./pages/next.js";

/** A page has a name, which is its address, a tab, a module, and may apply to some studies only (none before a study is loaded). */
export const PAGES = [
  { name: "overview", tab: "Overview", module: overview },
  { name: "trials", tab: "Trials", module: trials },
  { name: "relations", tab: "Relations", module: relations, views: ["contour", "rank", "parallel", "distribution"] },
  { name: "importance", tab: "Importance", module: importance },
  { name: "front", tab: "Pareto front", module: front, applies: (study) => study?.objectives.length > 1 },
  { name: "curves", tab: "Curves", module: curves, applies: (study) => study !== null },
  { name: "outcome-constraints", tab: "Outcome constraints", module: outcomeConstraints, applies: (study) => study?.outcome_constraints.length > 0 },
  { name: "failures", tab: "Failures", module: failures },
  { name: "timeline", tab: "Timeline", module: timeline },
  { name: "model", tab: "Model", module: model },
  { name: "next", tab: "What next", module: next },
];
