import { createHash } from 'node:crypto';

/** Whether the graph that a URL names is one of the third that a seed selects. */
export function isMissing(url: string, seed: string): boolean {
  if (!url.split('?')[0]?.endsWith(':dependencies')) return false;
  return createHash('sha256').update(`${seed} ${url}`).digest().readUInt32BE(0) % 3 === 0;
}
