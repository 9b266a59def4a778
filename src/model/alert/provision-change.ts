/** One field of a plan. Values are shown, never secrets. */
export interface FieldChange {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
  /** The platform was changed, not the configuration. */
  readonly drift: boolean;
  /** The platform's value is kept (`drift: keep`). */
  readonly kept: boolean;
}

/** A change of one object of the platform, made or planned. */
export interface ProvisionChange {
  readonly kind: 'webhook' | 'variable';
  readonly name: string;
  /** `kept`: an operator's change on the platform is kept. */
  readonly action: 'created' | 'updated' | 'unchanged' | 'kept' | 'deleted';
  /** The object was changed on the platform. */
  readonly drift: boolean;
  /** The fields that differ. */
  readonly fields: readonly FieldChange[];
}
