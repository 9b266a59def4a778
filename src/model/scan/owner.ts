/** `@user`, `@organisation/team` or an e-mail address. */
export const OWNER = /^[^\s@]{0,100}@[^\s@]{1,200}$/;

/** Owners of a lockfile, and of a finding. */
export const MAX_OWNERS = 50;

/** Who owns the findings of some targets and lockfiles. All conditions that are present have to fit. */
export interface OwnerRule {
  /** Id of the target; `*` matches any text. */
  readonly target?: string | undefined;
  /** Labels of the target; `*` matches any text. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Paths of lockfiles, in the notation of `.gitignore`. */
  readonly paths?: readonly string[] | undefined;
  readonly owners: readonly string[];
}
