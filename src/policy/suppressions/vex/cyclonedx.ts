import { z } from 'zod';
import type { Suppression } from '../../../model/scan/suppression.ts';
import { isInVers, readVers } from '../../../versions/vers.ts';
import { createVexDocument, MAX_ALIASES, type Scope, type VexDocument } from './document.ts';
import { issueOf, statementTime } from './issue.ts';
import { packageOf, packageScope, targetScopes } from './product.ts';

interface Component {
  readonly 'bom-ref'?: string | undefined;
  readonly purl?: string | undefined;
  readonly components?: readonly Component[] | undefined;
}

const component: z.ZodType<Component> = z.lazy(() =>
  z.object({
    'bom-ref': z.string().optional(),
    purl: z.string().optional(),
    components: z.array(component).optional(),
  }),
);

const vulnerabilitySchema = z.object({
  id: z.string().min(1),
  references: z
    .array(z.object({ id: z.string() }))
    .max(MAX_ALIASES)
    .default([]),
  analysis: z
    .object({
      state: z.string().optional(),
      // A justification of blanks does not count.
      justification: z.string().trim().optional(),
      detail: z.string().trim().optional(),
      firstIssued: z.string().optional(),
      lastUpdated: z.string().optional(),
    })
    .optional(),
  affects: z
    .array(
      z.object({
        ref: z.string().min(1),
        versions: z
          .array(
            z.object({
              version: z.string().optional(),
              range: z.string().optional(),
              status: z.enum(['affected', 'unaffected', 'unknown']).default('affected'),
            }),
          )
          .optional(),
      }),
    )
    .default([]),
});

const documentSchema = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.string().regex(/^1\.[4-9]$/, 'a version from 1.4'),
  serialNumber: z.string().optional(),
  version: z.unknown().optional(),
  metadata: z
    .object({
      timestamp: z.string().optional(),
      component: component.optional(),
      authors: z.array(z.object({ name: z.string().optional() })).optional(),
    })
    .optional(),
  components: z.array(component).default([]),
  vulnerabilities: z.array(z.unknown()).min(1).max(10_000),
});

type Vulnerability = z.infer<typeof vulnerabilitySchema>;
type Analysis = NonNullable<Vulnerability['analysis']>;
type Affected = Vulnerability['affects'][number];

const SUPPRESSES: readonly string[] = [
  'not_affected',
  'false_positive',
  'resolved',
  'resolved_with_pedigree',
];
const STATES: readonly string[] = [...SUPPRESSES, 'exploitable', 'in_triage'];

const JUSTIFICATIONS: readonly string[] = [
  'code_not_present',
  'code_not_reachable',
  'requires_configuration',
  'requires_dependency',
  'requires_environment',
  'protected_by_compiler',
  'protected_at_runtime',
  'protected_at_perimeter',
  'protected_by_mitigating_control',
];

export function isCycloneDxVex(value: unknown): boolean {
  return documentSchema.pick({ bomFormat: true }).safeParse(value).success;
}

/**
 * Reads the vulnerabilities of a CycloneDX document (1.4 to 1.7, JSON). Those whose analysis says that they do not apply suppress, for the
 * components that they name: in the document itself, or by a BOM-Link whose last part is a purl. Every other analysis overrules what suppresses;
 * without one a vulnerability says nothing. Returns the reason as a string for a document that is too large. Throws `z.ZodError` for another
 * document. `now`: in ms since 1970.
 */
export function readCycloneDxVex(value: unknown, now: number): VexDocument | string {
  const { serialNumber, version, metadata, components, vulnerabilities } = documentSchema.parse(value);
  const root = metadata?.component;
  const author = metadata?.authors?.[0]?.name;
  // Without a number of its own, a document of another author about the same product is another document.
  const named = [root?.purl ?? root?.['bom-ref'] ?? 'CycloneDX', ...(author === undefined ? [] : [author])];
  const id = serialNumber ?? named.join(' by ');
  const document = createVexDocument(id, author, issueOf([metadata?.timestamp], version, now));
  const purls = purlsByRef([...components, ...(root?.components ?? [])]);
  const placeOf = (ref: string): Place =>
    root !== undefined && ref === root['bom-ref']
      ? { product: root.purl ?? ref }
      : { purl: purls.get(ref) ?? purlInLink(ref) };
  for (const [index, one] of vulnerabilities.entries()) {
    const statement = `#${index}`;
    const parsed = vulnerabilitySchema.safeParse(one);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      document.refuse(statement, `is not valid: ${issue?.path.join('.')}: ${issue?.message}`);
      continue;
    }
    const { analysis } = parsed.data;
    const fault = faultOf(parsed.data);
    if (fault !== undefined) document.refuse(statement, fault);
    const overrules = !SUPPRESSES.includes(analysis?.state ?? '');
    if (analysis?.state === undefined || (fault !== undefined && !overrules)) continue;
    const time = statementTime([analysis.lastUpdated, analysis.firstIssued, metadata?.timestamp], now);
    const names = [parsed.data.id, ...parsed.data.references.map((reference) => reference.id)];
    const claim = { statement, names, time, reason: reasonOf(analysis) };
    for (const affected of parsed.data.affects) {
      const place = placeOf(affected.ref);
      if (!overrules) document.add({ ...claim, overrules }, unaffectedScopes(place, affected));
      document.add({ ...claim, overrules: true }, affectedScopes(place, affected, !overrules));
    }
  }
  return document.result();
}

/** Why an analysis is not one by the specification. */
function faultOf({ analysis, affects }: Vulnerability): string | undefined {
  const { state, justification = '', detail = '' } = analysis ?? {};
  if (state === undefined) return undefined;
  if (affects.length === 0) return 'names no component';
  if (!STATES.includes(state)) {
    return `${JSON.stringify(state)} is not a state of CycloneDX: it counts as \`exploitable\``;
  }
  if (justification !== '' && !JUSTIFICATIONS.includes(justification)) {
    return `${JSON.stringify(justification)} is not a justification of CycloneDX`;
  }
  const isUnexplained = state === 'not_affected' && justification === '' && detail === '';
  return isUnexplained ? '`not_affected` needs a justification or a detail' : undefined;
}

function purlsByRef(components: readonly Component[]): ReadonlyMap<string, string> {
  const purls = new Map<string, string>();
  const pending = [...components];
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    const { 'bom-ref': ref, purl, components: nested = [] } = one;
    if (ref !== undefined && purl !== undefined) purls.set(ref, purl);
    pending.push(...nested);
  }
  return purls;
}

/** A BOM-Link (`urn:cdx:<serial>/<version>#<ref>`) or a reference that is a purl itself. */
function purlInLink(ref: string): string | undefined {
  const text = ref.startsWith('urn:cdx:') ? ref.slice(ref.indexOf('#') + 1) : ref;
  try {
    const decoded = decodeURIComponent(text);
    if (text.startsWith('pkg:')) return text;
    return decoded.startsWith('pkg:') ? decoded : undefined;
  } catch {
    return undefined;
  }
}

/** The component that the document describes, or a package: one of them is what `affects.ref` refers to. */
type Place = { readonly product: string } | { readonly purl: string | undefined };

function unaffectedScopes(place: Place, { ref, versions }: Affected): readonly Scope[] {
  if ('product' in place) {
    return versions === undefined
      ? scopesOf(place.product)
      : ['versions of the product are not distinguished'];
  }
  const scope = place.purl === undefined ? unknownComponent(ref) : packageScope(place.purl);
  if (typeof scope === 'string') return [scope];
  const stated = versions?.filter(({ status }) => status === 'unaffected');
  const found = stated?.map((one) => unaffectedScope(scope, one)) ?? [scope];
  return found.map((one) => (typeof one === 'string' ? one : { package: one }));
}

/** `onlyNamed`: only versions that are named as affected or unknown. */
function affectedScopes(place: Place, { ref, versions }: Affected, onlyNamed: boolean): readonly Scope[] {
  if ('product' in place) return onlyNamed ? [] : scopesOf(place.product);
  const scope = place.purl === undefined ? unknownComponent(ref) : packageOf(place.purl);
  if (typeof scope === 'string') return onlyNamed ? [] : [scope];
  const stated = versions?.filter(({ status }) => status !== 'unaffected');
  const found = stated?.map((one) => affectedScope(scope, one)) ?? (onlyNamed ? [] : [scope]);
  return found.map((one) => ({ package: one }));
}

function scopesOf(product: string): readonly Scope[] {
  const scopes = targetScopes(product);
  return typeof scopes === 'string' ? [scopes] : scopes;
}

function unknownComponent(ref: string): string {
  return `the document has no component ${ref} with a purl`;
}

function reasonOf({ state, justification, detail }: Analysis): string {
  return [state, justification, detail]
    .filter((text) => text !== undefined && text !== '')
    .join(': ')
    .replace(/\p{Cc}+/gu, ' ');
}

type PackageScope = NonNullable<Suppression['package']>;

/** One version, or a range of versions (VERS), that a CycloneDX document names. */
interface StatedVersions {
  readonly version?: string | undefined;
  readonly range?: string | undefined;
}

/** The part of a package's scope that has these versions. A text says why they cannot be known. */
function unaffectedScope(
  scope: PackageScope,
  { version, range = '' }: StatedVersions,
): PackageScope | string {
  const { version: own } = scope;
  if (version !== undefined) {
    if (own === undefined || own === version) return { ...scope, version };
    return `${version} is not the version of the component`;
  }
  const read = readVers(range, scope.ecosystem);
  if (typeof read === 'string') return `the range is not applied: ${read}`;
  if (own === undefined) return { ...scope, versions: range };
  return isInVers(own, read) ? scope : `the range ${range} is not the version of the component`;
}

/** The versions of a package that count: all of them, where a range cannot be read. */
function affectedScope(
  { ecosystem, name }: PackageScope,
  { version, range = '' }: StatedVersions,
): PackageScope {
  if (version !== undefined) return { ecosystem, name, versions: version };
  return { ecosystem, name, versions: typeof readVers(range, ecosystem) === 'string' ? '*' : range };
}
