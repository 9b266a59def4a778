import { CodedError, type CodedErrorOptions } from '../model/errors.ts';

/**
 * `not-found`: the index has no such object. `invalid`: this request is malformed (HTTP 400) or breaks a rule. `refused`: the service
 * refuses every request of this operation, because of credentials or of the URL. `rate-limited`, `unavailable`: the same request may
 * succeed later. `contract`: the answer does not fit the description of the API. `uncovered`: a
 * local data set answers, which does not cover the object. `lost`: the index no longer has what it had before. `unsupported`: the service
 * does not have this operation, or not for this system.
 */
export type InsightsErrorCode =
  | 'not-found'
  | 'invalid'
  | 'refused'
  | 'rate-limited'
  | 'unavailable'
  | 'contract'
  | 'uncovered'
  | 'lost'
  | 'unsupported';

/**
 * The rules of the operations ("Operation rules" and "Conventions for requests"), checked before a request is sent, and
 * `private-name`: names that the configuration calls private are never sent.
 */
export type RuleName =
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
  /** The rule that the request breaks; the request was not sent. */
  readonly rule?: RuleName;
}

export class InsightsError extends CodedError<InsightsErrorCode> {
  readonly rule: RuleName | undefined;

  constructor(code: InsightsErrorCode, message: string, options: InsightsErrorOptions = {}) {
    super(code, message, options);
    this.rule = options.rule;
  }
}

/** The error for a request that breaks a rule and is not sent. */
export function ruleError(rule: RuleName, message: string): InsightsError {
  return new InsightsError('invalid', `${message} [${rule}]`, { rule });
}
