import { z } from 'zod';
import { messageOf } from '../../../model/errors.ts';
import { nestsDeeperThan } from '../../../model/json-object.ts';
import { isCycloneDxVex, readCycloneDxVex } from './cyclonedx.ts';
import type { VexDocument } from './document.ts';
import { isOpenVex, readOpenVex } from './openvex.ts';

/** Objects and lists. Components of components are read by recursion. */
const MAX_DEPTH = 500;

/**
 * Reads an OpenVEX or CycloneDX VEX document. Returns the reason as a string when it is not such a document. `now`, in ms since 1970, decides
 * which statements are of the future.
 */
export function readVex(text: string, now = Date.now()): VexDocument | string {
  if (nestsDeeperThan(MAX_DEPTH, text)) return `nests more than ${MAX_DEPTH} levels deep`;
  try {
    const value: unknown = JSON.parse(text);
    if (isOpenVex(value)) return readOpenVex(value, now);
    if (isCycloneDxVex(value)) return readCycloneDxVex(value, now);
    return 'is neither an OpenVEX nor a CycloneDX document in JSON';
  } catch (error) {
    if (error instanceof SyntaxError) return `is not valid JSON: ${messageOf(error)}`;
    if (!(error instanceof z.ZodError)) throw error;
    const faults = error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`);
    return `is not a valid VEX document: ${faults.join('; ')}`;
  }
}
