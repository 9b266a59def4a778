import { z } from 'zod';

/** Identifies one scan of one target: chosen by the producer, and the key of the scan's first job. */
export const scanId = z
  .string()
  .min(1)
  .max(128)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]*$/,
    'expected letters, digits, `_`, `.` and `-`, beginning with a letter or digit',
  );
