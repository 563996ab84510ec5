/** Trains beside the page, and reports ten times a second. It is stopped by ending it. */

import { readWeights } from "../../js/engine/tensor.js";
import { Session } from "./session.js";

const EVERY = 100; // milliseconds

addEventListener("message", async ({ data }) => {
  try {
    const response = await fetch(data.weights);
    if (!response.ok) throw new Error(`the weights did not arrive (${response.status})`);
    const session = new Session(readWeights(await response.arrayBuffer(), data.index, 0), data.settings, data.twins);
    /** @type {import("./session.js").Step[]} */
    let steps = [];
    let told = -Infinity;
    const tell = () => {
      postMessage({ steps, ...session.look(data.example) });
      steps = [];
      told = performance.now();
    };
    for (const step of session.steps()) {
      steps.push(step);
      if (!Number.isFinite(step.loss)) break;
      if (performance.now() - told >= EVERY) tell();
    }
    tell();
    postMessage({ done: true });
  } catch (error) {
    postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
