/**
 * Remembers which secret values were applied to the platform, as keyed hashes only: a secret never reads back
 * (field notes, "Webhook-integration API").
 */
export interface AppliedSecrets {
  /** The keyed hash stored for a variable of the given account, or `undefined`. */
  read(account: string, variable: string): Promise<string | undefined>;
  write(account: string, variable: string, keyedHash: string): Promise<void>;
  remove(account: string, variable: string): Promise<void>;
}
