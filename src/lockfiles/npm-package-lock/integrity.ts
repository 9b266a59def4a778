import type { Integrity } from '../../model/lockfile.ts';

/** Splits a Subresource Integrity string, which may hold several digests and options after `?`. */
export function parseIntegrity(text: string | undefined): readonly Integrity[] {
  if (text === undefined) return [];
  const found: Integrity[] = [];
  for (const part of text.split(/\s+/)) {
    const dash = part.indexOf('-');
    if (dash <= 0) continue;
    const options = part.indexOf('?', dash);
    const value = options < 0 ? part.slice(dash + 1) : part.slice(dash + 1, options);
    found.push({ algorithm: part.slice(0, dash).toLowerCase(), value, encoding: 'base64' });
  }
  return found;
}
