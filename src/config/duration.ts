import { z } from 'zod';

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A duration: `250ms`, `30s`, `5m`, `2h` or `14d`. Parsed to milliseconds. */
export const duration = z
  .string()
  .regex(/^\d{1,9}(?:ms|s|m|h|d)$/, 'a duration such as `250ms`, `30s`, `5m`, `2h` or `14d`')
  .transform((text) => {
    const unit = text.replace(/^\d+/, '');
    return Number.parseInt(text, 10) * (UNITS[unit] ?? Number.NaN);
  });

/** Defaults are written as text, as in the file, so that `config check` and the documentation show the same. */
export const seconds = (text: string) => duration.prefault(text);
