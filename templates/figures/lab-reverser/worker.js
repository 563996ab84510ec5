/** The hunt, beside the page: told where the weights are, it reports every now and then, and a last time when done. */

import { readWeights } from "../../js/engine/tensor.js";
import { hunted } from "./hunt.js";

/** @typedef {import("./hunt.js").Found} Found */

addEventListener("message", async ({ data }) => {
  try {
    const response = await fetch(data.weights);
    if (!response.ok) throw new Error(`the weights did not arrive (${response.status})`);
    const weights = readWeights(await response.arrayBuffer(), data.index, data.checkpoint);
    let tried = 0;
    let told = performance.now();
    /** @type {Found[]} */
    let wrong = [];
    /** @type {Found | null} */
    let closest = null;
    for (const { right, ...one } of hunted(weights, data)) {
      tried += 1;
      if (!right) wrong = [...wrong, one];
      else if (!closest || one.chance < closest.chance) closest = one;
      if (performance.now() - told < 100) continue;
      told = performance.now();
      postMessage({ tried });
    }
    postMessage({ tried, wrong, closest, done: true });
  } catch (error) {
    postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
