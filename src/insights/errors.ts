import { CodedError, type CodedErrorOptions } from '../model/errors.ts';

/**
 * `not-found`: the index has no such thing. `invalid`: the request is refused as it is. `rate-limited` and
 * `unavailable`: later it may work. `contract`: what came back is not what the API promises.
 */
export type InsightsErrorCode = 'not-found' | 'invalid' | 'rate-limited' | 'unavailable' | 'contract';

/**
 * The rules of the operations ("Operation rules" and "Conventions for requests"), checked before anything is sent; and one
 * of our own, `private-name`: what the configuration calls private is never looked up.
 */
export type RuleName =
  | 'systems-with-requirements'
  | 'systems-with-dependencies'
  | 'systems-with-dependents'
  | 'systems-with-capabilities'
  | 'systems-with-hashes'
  | 'known-system'
  | 'name-form'
  | 'version-required'
  | 'project-id-form'
  | 'advisory-id-form'
  | 'chain-id-form'
  | 'purl-form'
  | 'purl-type'
  | 'purl-without-qualifiers'
  | 'purl-without-subpath'
  | 'purl-with-version'
  | 'hash-form'
  | 'query-criteria'
  | 'batch-size'
  | 'private-name';

export interface InsightsErrorOptions extends CodedErrorOptions {
  /** The rule that the request breaks; such a request was not sent. */
  readonly rule?: RuleName;
}

export class InsightsError extends CodedError<InsightsErrorCode> {
  readonly rule: RuleName | undefined;

  constructor(code: InsightsErrorCode, message: string, options: InsightsErrorOptions = {}) {
    super(code, message, options);
    this.rule = options.rule;
  }
}
