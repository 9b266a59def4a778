import { z } from 'zod';

/** A time by RFC 3339 with its offset from UTC. */
export const timestamp = z.iso.datetime({
  offset: true,
  error: 'expected a time by RFC 3339, such as `2026-01-31T06:00:00Z`',
});
