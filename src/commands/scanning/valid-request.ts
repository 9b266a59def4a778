import { scannedImage, targetSchema } from '../../jobs/payloads/fields.ts';
import type { ScanRequest } from '../../scan/read.ts';
import { ScanError } from '../errors.ts';

/** Throws `ScanError` (`invalid-request`) for a target or an image that workers would not accept either. */
export function requireValidRequest(target: ScanRequest['target'], image: ScanRequest['image']): void {
  const checks = [
    ['target', targetSchema().safeParse(target)],
    ['image', scannedImage().optional().safeParse(image)],
  ] as const;
  for (const [what, { error }] of checks) {
    if (error === undefined) continue;
    const faults = error.issues.map(
      ({ path, message }) => `${[what, ...path.map(String)].join('.')}: ${message}`,
    );
    throw new ScanError('invalid-request', faults.join('; '));
  }
}
