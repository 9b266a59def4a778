import { z } from 'zod';
import { createVexDocument, MAX_ALIASES, type VexDocument } from './document.ts';
import { packageScope, targetScopes } from './product.ts';
import { unaffectedScopes } from './unaffected.ts';

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
      justification: z.string().optional(),
      detail: z.string().optional(),
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
  metadata: z
    .object({
      component: component.optional(),
      authors: z.array(z.object({ name: z.string().optional() })).optional(),
    })
    .optional(),
  components: z.array(component).default([]),
  vulnerabilities: z.array(z.unknown()).min(1).max(10_000),
});

type Vulnerability = z.infer<typeof vulnerabilitySchema>;
type Affected = Vulnerability['affects'][number];

const SUPPRESSES: ReadonlySet<string> = new Set([
  'not_affected',
  'false_positive',
  'resolved',
  'resolved_with_pedigree',
]);

export function isCycloneDxVex(value: unknown): boolean {
  return documentSchema.pick({ bomFormat: true }).safeParse(value).success;
}

/**
 * Reads the vulnerabilities of a CycloneDX document (1.4 to 1.7, JSON). Those whose analysis says that they do not apply suppress, for the
 * components that they name: in the document itself, or by a BOM-Link whose last part is a purl. Returns the reason as a string for a document
 * that is too large. Throws `z.ZodError` for another document.
 */
export function readCycloneDxVex(value: unknown): VexDocument | string {
  const { serialNumber, metadata, components, vulnerabilities } = documentSchema.parse(value);
  const root = metadata?.component;
  const id = serialNumber ?? root?.purl ?? root?.['bom-ref'] ?? 'CycloneDX';
  const document = createVexDocument(id, metadata?.authors?.[0]?.name);
  const purls = purlsByRef([...components, ...(root?.components ?? [])]);
  const isRoot = (ref: string) => root !== undefined && ref === root['bom-ref'];
  for (const [index, one] of vulnerabilities.entries()) {
    const name = `#${index}`;
    const parsed = vulnerabilitySchema.safeParse(one);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      document.refuse(name, `is not valid: ${issue?.path.join('.')}: ${issue?.message}`);
      continue;
    }
    const { analysis, affects, references } = parsed.data;
    if (!SUPPRESSES.has(analysis?.state ?? '')) continue;
    const advisories = [parsed.data.id, ...references.map((reference) => reference.id)];
    const facts = { reason: reasonOf(parsed.data), advisories };
    if (affects.length === 0) document.refuse(name, 'names no component');
    for (const affected of affects) {
      const scopes = isRoot(affected.ref)
        ? rootScopes(root?.purl ?? affected.ref, affected)
        : packageScopes(purls.get(affected.ref) ?? purlInLink(affected.ref), affected);
      for (const scope of scopes) document.add(name, facts, scope);
    }
  }
  return document.result();
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

function rootScopes(product: string, { versions }: Affected) {
  if (versions !== undefined) return ['versions of the product are not distinguished'];
  const scopes = targetScopes(product);
  return typeof scopes === 'string' ? [scopes] : scopes;
}

function packageScopes(purl: string | undefined, { ref, versions }: Affected) {
  if (purl === undefined) return [`the document has no component ${ref} with a purl`];
  const scope = packageScope(purl);
  if (typeof scope === 'string') return [scope];
  if (versions === undefined) return [{ package: scope }];
  return unaffectedScopes(scope, versions).map((one) => (typeof one === 'string' ? one : { package: one }));
}

function reasonOf({ analysis }: Vulnerability): string {
  const parts = [analysis?.state, analysis?.justification, analysis?.detail];
  return parts
    .filter((text) => text !== undefined && text !== '')
    .join(': ')
    .replace(/\p{Cc}+/gu, ' ');
}
