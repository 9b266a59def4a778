/** `api`: the insights service; `osv`: the imported advisories. */
export const CLAIM_SOURCES = ['api', 'osv'] as const;

/** `unaffected`: the source knows the advisory, and does not list the version. */
export const CLAIM_STATEMENTS = ['affected', 'withdrawn', 'unaffected'] as const;

/** The statement of one of two sources about an advisory and a package version. */
export interface Claim {
  readonly source: (typeof CLAIM_SOURCES)[number];
  readonly says: (typeof CLAIM_STATEMENTS)[number];
  /** RFC 3339; of a source without times: since when it was seen. Absent where neither is known. */
  readonly since?: string;
  /** The versions that the source lists, in a few words: `>=1.0.0 <1.2.0`. Absent where it does not say. */
  readonly versions?: string;
}

/** The statement of one of two sources about one advisory. */
export interface AdvisoryClaim extends Claim {
  readonly id: string;
}

const SOURCES = { api: 'the insights service', osv: 'OSV' };
const VERBS = {
  affected: 'lists this version',
  unaffected: 'does not list this version',
  withdrawn: 'withdrew it',
};

/** `disputed: the insights service lists this version since 2026-05-01, OSV does not list this version (but <1.2.0) since 2026-06-01`. */
export function disputeText(claims: readonly Claim[]): string {
  const texts = claims.map(({ source, says, since, versions }) => {
    const which = versions === undefined ? '' : ` (${says === 'unaffected' ? 'but ' : ''}${versions})`;
    const when = since === undefined ? '' : ` ${says === 'withdrawn' ? 'on' : 'since'} ${since.slice(0, 10)}`;
    return `${SOURCES[source]} ${VERBS[says]}${which}${when}`;
  });
  return `disputed: ${texts.join(', ')}`;
}
