import { z } from 'zod';
import { createVexDocument, MAX_ALIASES, MAX_NAMED, TOO_LARGE, type VexDocument } from './document.ts';
import { packageScope, targetScopes } from './product.ts';

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
  status: z.enum(['not_affected', 'affected', 'fixed', 'under_investigation']),
  timestamp: z.string().optional(),
  last_updated: z.string().optional(),
  justification: z.string().optional(),
  impact_statement: z.string().optional(),
  status_notes: z.string().optional(),
});

const documentSchema = z.object({
  '@context': z.string().regex(/openvex/),
  '@id': z.string().min(1),
  author: z.string(),
  timestamp: z.string(),
  statements: z.array(z.unknown()).min(1).max(10_000),
});

type Statement = z.infer<typeof statementSchema>;
type Product = z.infer<typeof product>;

export function isOpenVex(value: unknown): boolean {
  return documentSchema.pick({ '@context': true }).safeParse(value).success;
}

/**
 * Reads an OpenVEX document (https://github.com/openvex/spec, 0.2.0). `not_affected` and `fixed` suppress; a later statement about the same
 * vulnerability and product replaces an earlier one. Returns the reason as a string for a
 * document that is too large. Throws `z.ZodError` for another document.
 *
 * A product is a package, or a target. Tools differ in what a statement with subcomponents covers: here, the package of each subcomponent
 * within the target that the product is, and nothing where the product is a package, because it may be used beside the product, too.
 */
export function readOpenVex(value: unknown): VexDocument | string {
  const { '@id': id, author, timestamp, statements } = documentSchema.parse(value);
  const document = createVexDocument(id, author);
  const valid = statements.flatMap((one, index) => {
    const name = `#${index}`;
    const parsed = statementSchema.safeParse(one);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      document.refuse(name, `is not valid: ${issue?.path.join('.')}: ${issue?.message}`);
      return [];
    }
    if (parsed.data.products.length > 0) return [{ statement: parsed.data, name }];
    document.refuse(name, 'names no product');
    return [];
  });
  if (namedBy(valid.map(({ statement }) => statement)) > MAX_NAMED) return TOO_LARGE;
  const timeOf = ({ last_updated, timestamp: own }: Statement) =>
    Date.parse(last_updated ?? own ?? timestamp) || 0;
  const ordered = valid.toSorted((left, right) => timeOf(left.statement) - timeOf(right.statement));
  for (const claim of lastClaims(ordered)) {
    if (!suppresses(claim)) continue;
    const { statement, name } = claim;
    const { vulnerability } = statement;
    const facts = { reason: reasonOf(statement), advisories: [vulnerability.name, ...vulnerability.aliases] };
    for (const scope of scopesOf(claim)) document.add(name, facts, scope);
  }
  return document.result();
}

/** The number of products and subcomponents. */
function namedBy(statements: readonly Statement[]): number {
  let named = 0;
  for (const { products } of statements) {
    for (const { subcomponents } of products) named += Math.max(1, subcomponents?.length ?? 1);
  }
  return named;
}

interface Claim {
  readonly statement: Statement;
  readonly name: string;
  readonly product: string;
  /** `undefined`: the whole product. */
  readonly subcomponent: string | undefined;
}

/** The last statement about each vulnerability, product and subcomponent. One about a whole product replaces those about its parts. */
function lastClaims(
  statements: readonly { readonly statement: Statement; readonly name: string }[],
): readonly Claim[] {
  const byProduct = new Map<string, Map<string | undefined, Claim>>();
  for (const { statement, name } of statements) {
    for (const one of statement.products) {
      const own = nameOf(one);
      const key = JSON.stringify([statement.vulnerability.name, own]);
      const parts = byProduct.get(key) ?? new Map<string | undefined, Claim>();
      byProduct.set(key, parts);
      if (one.subcomponents === undefined) parts.clear();
      for (const subcomponent of one.subcomponents?.map(nameOf) ?? [undefined]) {
        parts.set(subcomponent, { statement, name, product: own, subcomponent });
      }
    }
  }
  return [...byProduct.values()].flatMap((parts) =>
    [...parts.values()].filter((claim) => holds(claim, parts)),
  );
}

/** Whether a claim about a whole product holds: no later one says that a part of it is affected. */
function holds({ subcomponent }: Claim, parts: ReadonlyMap<string | undefined, Claim>): boolean {
  return subcomponent !== undefined || [...parts.values()].every(suppresses);
}

function suppresses({ statement: { status } }: Claim): boolean {
  return status === 'not_affected' || status === 'fixed';
}

function nameOf({ '@id': id = '', identifiers }: Product): string {
  return identifiers?.purl ?? id;
}

function scopesOf({ product: own, subcomponent }: Claim) {
  const isPackage = own.startsWith('pkg:') && typeof packageScope(own) === 'object';
  if (isPackage && subcomponent === undefined) return [packageOnly(own)];
  const targets = targetScopes(own);
  if (typeof targets === 'string') return [targets];
  if (subcomponent === undefined) return targets;
  const part = packageScope(subcomponent);
  return typeof part === 'string' ? [part] : targets.map((scope) => ({ ...scope, package: part }));
}

function packageOnly(purl: string) {
  const scope = packageScope(purl);
  return typeof scope === 'string' ? scope : { package: scope };
}

function reasonOf({ status, justification, impact_statement, status_notes }: Statement): string {
  const detail = [justification, impact_statement, status_notes].filter(
    (text) => text !== undefined && text !== '',
  );
  return [status, ...detail].join(': ').replace(/\p{Cc}+/gu, ' ');
}
