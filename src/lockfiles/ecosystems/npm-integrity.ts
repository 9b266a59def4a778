import type { Integrity } from '../../model/lockfile/lockfile.ts';

/** Parses a Subresource Integrity string, which can contain several digests and options after `?`. */
export function parseIntegrity(text: string | undefined): readonly Integrity[] {
  if (text === undefined) return NONE;
  return text.includes(' ') ? text.split(' ').flatMap(parseDigest) : parseDigest(text);
}

const NONE: readonly Integrity[] = [];

function parseDigest(text: string): readonly Integrity[] {
  // A fast path for the form that npm writes today.
  if (text.startsWith('sha512-') && !text.includes('?')) {
    const digest: Integrity = { algorithm: 'sha512', value: text.slice(7), encoding: 'base64' };
    return [digest];
  }
  const dash = text.indexOf('-');
  if (dash <= 0) return NONE;
  const options = text.indexOf('?', dash);
  const value = options < 0 ? text.slice(dash + 1) : text.slice(dash + 1, options);
  return [{ algorithm: text.slice(0, dash).toLowerCase(), value, encoding: 'base64' }];
}
