import { z } from 'zod';
import { createVexDocument, MAX_ALIASES, type Scope, type VexDocument } from './document.ts';
import { issueOf, statementTime } from './issue.ts';
import { packageOf, packageScope, targetScopes } from './product.ts';

const component = z.object({
  '@id': z.string().optional(),
  identifiers: z.object({ purl: z.string().optional() }).optional(),
});

const product = component.extend({ subcomponents: z.array(component).optional() });

const statementSchema = z.object({
  vulnerability: z.object({
    name: z.string().min(1),
    aliases: z.array(z.string().min(1)).max(MAX_ALIASES).default([]),
  }),
  products: z.array(product).default([]),
  status: z.string(),
  timestamp: z.string().optional(),
  last_updated: z.string().optional(),
  // A justification of blanks does not count.
  justification: z.string().trim().optional(),
  impact_statement: z.string().trim().optional(),
  status_notes: z.string().optional(),
});

const documentSchema = z.object({
  '@context': z.string().regex(/openvex/),
  '@id': z.string().min(1),
  author: z.string(),
  timestamp: z.string(),
  last_updated: z.string().optional(),
  version: z.unknown().optional(),
  statements: z.array(z.unknown()).min(1).max(10_000),
});

type Statement = z.infer<typeof statementSchema>;
type Product = z.infer<typeof product>;

const JUSTIFICATIONS: readonly string[] = [
  'component_not_present',
  'vulnerable_code_not_present',
  'vulnerable_code_not_in_execute_path',
  'vulnerable_code_cannot_be_controlled_by_adversary',
  'inline_mitigations_already_exist',
];

export function isOpenVex(value: unknown): boolean {
  return documentSchema.pick({ '@context': true }).safeParse(value).success;
}

/**
 * Reads an OpenVEX document (https://github.com/openvex/spec, 0.2.0). `not_affected` and `fixed` suppress; every other status overrules what
 * suppresses. Returns the reason as a string for a document that is too large. Throws `z.ZodError` for another document. `now`: in ms since 1970.
 *
 * A product is a package, or a target. Tools differ in what a statement with subcomponents covers: here, the package of each subcomponent
 * within the target that the product is, and nothing where the product is a package, because it may be used beside the product, too.
 */
export function readOpenVex(value: unknown, now: number): VexDocument | string {
  const {
    '@id': id,
    author,
    timestamp,
    last_updated: updated,
    version,
    statements,
  } = documentSchema.parse(value);
  const document = createVexDocument(id, author, issueOf([updated, timestamp], version, now));
  for (const [index, one] of statements.entries()) {
    const name = `#${index}`;
    const parsed = statementSchema.safeParse(one);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      document.refuse(name, `is not valid: ${issue?.path.join('.')}: ${issue?.message}`);
      continue;
    }
    const { vulnerability, products, last_updated, timestamp: own } = parsed.data;
    const overrules = !['not_affected', 'fixed'].includes(parsed.data.status);
    const fault = faultOf(parsed.data);
    if (fault !== undefined) document.refuse(name, fault);
    if (fault !== undefined && !overrules) continue;
    const claim = {
      statement: name,
      overrules,
      reason: reasonOf(parsed.data),
      names: [vulnerability.name, ...vulnerability.aliases],
      time: statementTime([last_updated, own, timestamp], now),
    };
    for (const named of products) {
      // An empty list names no part, so that the statement is about the whole product.
      const parts = named.subcomponents?.length === 0 ? undefined : named.subcomponents;
      for (const part of parts ?? [undefined]) {
        document.add(claim, scopesOf(nameOf(named), part && nameOf(part), overrules));
      }
    }
  }
  return document.result();
}

/** Why a statement is not one by the specification. */
function faultOf({
  status,
  products,
  justification = '',
  impact_statement = '',
}: Statement): string | undefined {
  if (products.length === 0) return 'names no product';
  switch (status) {
    case 'fixed':
    case 'affected':
    case 'under_investigation':
      return undefined;
    case 'not_affected':
      if (justification === '' && impact_statement === '') {
        return '`not_affected` needs a justification or an impact statement';
      }
      return justification === '' || JUSTIFICATIONS.includes(justification)
        ? undefined
        : `${JSON.stringify(justification)} is not a justification of OpenVEX`;
    default:
      return `${JSON.stringify(status)} is not a status of OpenVEX: it counts as \`affected\``;
  }
}

/** A purl, or the name of a target. */
function nameOf({ '@id': id = '', identifiers }: Product): string {
  return identifiers?.purl ?? id;
}

/**
 * `part`: the name of a subcomponent; `undefined` for the whole product. What overrules is about a package in every use when a product that is
 * a package has it.
 */
function scopesOf(whole: string, part: string | undefined, overrules: boolean): readonly Scope[] {
  if (whole === '' || part === '') return ['names a product with neither `@id` nor purl'];
  const read = overrules ? packageOf : packageScope;
  const [own, scope] = [read(whole), part === undefined ? undefined : read(part)];
  if (overrules && typeof scope === 'string') return [scope];
  if (typeof own === 'object' && (overrules || part === undefined)) {
    return [{ package: own }, ...(typeof scope === 'object' ? [{ package: scope }] : [])];
  }
  const targets = targetScopes(whole);
  if (typeof targets === 'string') return [targets];
  if (scope === undefined) return targets;
  return typeof scope === 'string' ? [scope] : targets.map((target) => ({ ...target, package: scope }));
}

function reasonOf({ status, justification, impact_statement, status_notes }: Statement): string {
  const detail = [justification, impact_statement, status_notes].filter(
    (text) => text !== undefined && text !== '',
  );
  return [status, ...detail].join(': ').replace(/\p{Cc}+/gu, ' ');
}
