/** One field of a plan. Values are shown, never secrets. */
export interface FieldChange {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Nobody changed the configuration: somebody changed the platform. */
  readonly drift: boolean;
  /** Left as it is (`drift: keep`). */
  readonly kept: boolean;
}

/** What happened, or would, to one object of the platform. */
export interface ProvisionChange {
  readonly kind: 'webhook' | 'variable';
  readonly name: string;
  /** `kept`: differs because of an operator's change, and is left so. */
  readonly action: 'created' | 'updated' | 'unchanged' | 'kept' | 'deleted';
  /** Something about it was changed on the platform. */
  readonly drift: boolean;
  /** The fields that differ. */
  readonly fields: readonly FieldChange[];
}
