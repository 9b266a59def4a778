import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** The fields that were last applied to one object of the platform. */
export type AppliedObject = ValueOf<typeof appliedObjectSchema>;

export const appliedObjectSchema = z.object({
  /** Name on the platform. It differs from the configured name after a rename in the configuration. */
  name: z.string(),
  /**
   * Keyed hash of each field whose write was confirmed, also of secrets; never a value. A field that is missing was never
   * applied, or its last write had no answer.
   */
  fields: z.record(z.string(), z.string()),
});

/**
 * Stores what was applied to an account of the platform, because the platform does not report it: secrets cannot be read
 * back, webhooks cannot be listed, and a difference may come from the configuration or from an operator (field notes,
 * "Webhook-integration API"). Ids are `webhook/<route>` and `variable/<NAME>`.
 */
export interface AppliedObjects {
  read(account: string): Promise<ReadonlyMap<string, AppliedObject>>;
  write(account: string, id: string, applied: AppliedObject): Promise<void>;
  remove(account: string, id: string): Promise<void>;
}
