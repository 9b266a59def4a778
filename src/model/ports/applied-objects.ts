/** What was last applied of one object of the platform. */
export interface AppliedObject {
  /** Name on the platform: another one than is wanted now tells of a rename in the configuration. */
  readonly name: string;
  /**
   * Keyed hash of each field that is known to have arrived, secrets among them: never a value. A field that is missing
   * here was never applied, or its last write had no answer.
   */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Remembers what was applied to an account of the platform, because it does not tell itself: a secret never reads back,
 * there is no list of webhooks, and a difference may be the configuration's or an operator's (field notes,
 * "Webhook-integration API"). Ids are `webhook/<route>` and `variable/<NAME>`.
 */
export interface AppliedObjects {
  read(account: string): Promise<ReadonlyMap<string, AppliedObject>>;
  write(account: string, id: string, applied: AppliedObject): Promise<void>;
  remove(account: string, id: string): Promise<void>;
}
