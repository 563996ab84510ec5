/** Where the model is fetched, once and on demand, held against its sha256, and asked beside the page. */

import { sha256 } from "../../js/sha256.js";

/** @typedef {{ letter: string, probability: number }} Guess */
/** @typedef {{ sha256: string, dtype: string, tensors: import("../../js/engine/tensor.js").Entry[] }} Index */
/** @typedef {{ guesses: Guess[][], milliseconds: number }} Answer */

/**
 * Bytes of a weights file, from its index.
 * @param {Index} index
 */
export function weightsSize(index) {
  const width = (/** @type {string} */ dtype) => (dtype === "float64" ? 8 : dtype === "float32" ? 4 : 1);
  const ends = index.tensors.map(({ shape, offset, dtype, scale }) => {
    const values = offset + shape.reduce((size, length) => size * length, 1) * width(dtype ?? index.dtype);
    return Math.max(values, scale === undefined ? 0 : scale + 4 * (shape[0] ?? 1));
  });
  return Math.max(0, ...ends);
}

/**
 * @param {string} address
 * @param {number} total bytes
 * @param {(share: number) => void} progress
 */
async function fetched(address, total, progress) {
  let response;
  try {
    response = await fetch(address);
  } catch {
    throw new Error("The model did not arrive: is there a network?");
  }
  if (!response.ok || !response.body) throw new Error(`The model did not arrive: the server answered ${response.status}.`);
  const reader = response.body.getReader();
  const bytes = new Uint8Array(total);
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (length + part.value.length > total) throw new Error("The model that arrived is longer than the one that was baked.");
    bytes.set(part.value, length);
    length += part.value.length;
    progress(length / total);
  }
  if (length < total) throw new Error("The model arrived in part only.");
  return bytes;
}

/**
 * Questions to somebody who answers one after the other: one is being answered, and one waits, the newest. An answer is
 * worth telling only if nothing was asked since.
 * @template Question
 * @param {(question: Question) => void} post
 */
export function newestOnly(post) {
  let computing = false;
  let outdated = false;
  /** @type {Question | null} */
  let waiting = null;
  return {
    /** Null asks nothing, and what was asked before is out of date. @param {Question | null} question */
    ask(question) {
      outdated = true;
      waiting = computing ? question : null;
      if (computing || question === null) return;
      computing = true;
      outdated = false;
      post(question);
    },
    /** The answer has come: whether it is one to what was asked last. */
    answered() {
      const told = !outdated;
      computing = false;
      if (waiting !== null) this.ask(waiting);
      return told;
    },
  };
}

/**
 * @param {string} address
 * @param {Index} index
 * @param {{ checkpoint: number, numHeads: number }} settings
 * @param {(answer: Answer) => void} answered
 * @param {(problem: string) => void} failed
 */
export function model(address, index, settings, answered, failed) {
  /** @type {Worker | null} */
  let worker = null;
  const questions = newestOnly((/** @type {{ text: string, hidden: number[] }} */ question) => worker?.postMessage(question));
  return {
    ready: () => worker !== null,
    /** Rejects, in words, if it cannot be had. @param {(share: number) => void} progress */
    async load(progress) {
      const bytes = await fetched(address, weightsSize(index), progress);
      const hash = await sha256(bytes);
      if (hash !== null && hash !== index.sha256) throw new Error("The model that arrived is not the one that was baked: its sha256 differs.");
      worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      worker.addEventListener("message", ({ data }) => {
        if (!questions.answered()) return;
        if (data.problem) failed(`The model could not compute: ${data.problem}.`);
        else answered(data);
      });
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        worker?.terminate();
        worker = null;
        questions.ask(null);
        questions.answered();
        failed("The model could not start in this browser.");
      });
      worker.postMessage({ weights: bytes.buffer, index, ...settings }, [bytes.buffer]);
    },
    /** Where nothing is hidden there is nothing to compute. @param {string} text @param {number[]} hidden */
    ask(text, hidden) {
      if (worker) questions.ask(hidden.length ? { text, hidden } : null);
    },
    destroy() {
      worker?.terminate();
    },
  };
}
