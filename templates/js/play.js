/** Playing through checkpoints: a fixed pace, never longer than five seconds, stopped by anything the reader does. */

export const FRAMES_PER_SECOND = 8;
export const SECONDS = 5;

/**
 * The indices a play visits after `from`, ending on the last. From the last it starts over. With more checkpoints
 * than fit into the time it strides.
 * @param {number} from
 * @param {number} length
 * @returns {number[]}
 */
export function frames(from, length) {
  const start = from >= length - 1 ? -1 : from;
  const left = length - 1 - start;
  const stride = Math.ceil(left / (FRAMES_PER_SECOND * SECONDS));
  const visited = [];
  for (let index = start + stride; index < length - 1; index += stride) visited.push(index);
  return length > 0 ? [...visited, length - 1] : [];
}

/**
 * @param {(index: number) => void} visit
 * @param {(playing: boolean) => void} told
 * @param {number} [framesPerSecond]
 */
export function player(visit, told, framesPerSecond = FRAMES_PER_SECOND) {
  /** @type {number | undefined} */
  let timer;
  const stop = () => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    told(false);
  };
  /** @param {number} from @param {number} length */
  const start = (from, length) => {
    stop();
    const queue = frames(from, length);
    const next = () => {
      const index = queue.shift();
      if (index !== undefined) visit(index);
      if (queue.length === 0) stop();
    };
    timer = window.setInterval(next, 1000 / framesPerSecond);
    told(true);
    next();
  };
  return { start, stop, playing: () => timer !== undefined };
}
