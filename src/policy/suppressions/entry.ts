import { z } from 'zod';
import { defined } from '../../model/defined.ts';
import { percentDecoded } from '../../model/json-object.ts';
import { loadPackage } from '../../model/lazily.ts';
import { ECOSYSTEMS } from '../../model/lockfile/ecosystem.ts';
import type { Suppression } from '../../model/scan/suppression.ts';
import { isTooWide, TOO_WIDE } from '../../model/scan/too-wide.ts';
import { versionMatch } from '../../versions/version-match.ts';
import { RULE_NAMES } from '../catalog.ts';

const text = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^\P{Cc}*$/u, 'text on one line');

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 24 * 3_600_000;

/** The parts of which one is needed beside `all` where a suppression is for every target. */
const WIDE = ['target', 'labels', 'rule', 'path'] as const;

const fields = () => ({
  reason: text(1_000).describe('Why the findings do not matter; it is shown with each of them.'),
  author: text(200).optional().describe('Who decided it.'),
  package: text(500)
    .optional()
    .describe('purl of the package, with a version, a range (`pkg:npm/lodash@<4.17.21`) or neither.'),
  versions: text(200).optional().describe('Range of versions, where the purl has none.'),
  advisory: z
    .union([text(200), z.array(text(200)).min(1).max(100)])
    .optional()
    .describe('Id of the advisory, or any of its aliases; one or a list.'),
  rule: z
    .string()
    .refine((name) => RULE_NAMES.includes(name), {
      error: ({ input }) => `no rule is named ${JSON.stringify(input)}; there are ${RULE_NAMES.join(', ')}`,
    })
    .optional()
    .describe('Name of the rule.'),
  all: z
    .literal(true)
    .optional()
    .describe('It is meant for all packages. Needed where there is neither `package` nor `advisory`.'),
  expires: z
    .union([z.string().regex(DATE), z.iso.datetime({ offset: true })], {
      error: 'a date such as `2027-01-31`, or a time by RFC 3339',
    })
    .refine(isInCalendar, { error: 'a date that exists' })
    .optional()
    .describe('Last day (UTC), or the time from which on the findings open again.'),
});

type Fields = z.infer<z.ZodObject<ReturnType<typeof fields>>>;

/** Parts of a scope that a target's own file does not state. */
interface Scope {
  readonly target?: string | undefined;
  readonly labels?: object | undefined;
  readonly path?: string | undefined;
}

/** A suppression as people write it, for all targets: in `lockhound.yaml` and with `lockhound ignore`. */
export const suppressionEntry = () =>
  z
    .strictObject({
      ...fields(),
      target: text(200).optional().describe('Id of the target; `*` matches any text.'),
      labels: z
        .record(text(63), z.string().max(200))
        .optional()
        .describe('Labels that the target has; `*` matches any text.'),
      path: text(1_024).optional().describe('Path of the lockfile; `*` matches any text.'),
    })
    .superRefine(checkShared);

export type SuppressionEntry = z.infer<ReturnType<typeof suppressionEntry>>;

/** A suppression in the `.lockhound.yaml` of a target: it is about the lockfiles beside it. */
export const targetSuppressionEntry = () =>
  z
    .strictObject({
      ...fields(),
      // The reader of YAML in lockfiles returns every scalar as text.
      all: z
        .literal([true, 'true'])
        .transform(() => true as const)
        .optional(),
    })
    .superRefine(check);

/** The suppression of a valid entry. */
export function suppressionOf(
  entry: SuppressionEntry,
  origin: Pick<Suppression, 'id' | 'source'>,
): Suppression {
  const { reason, author, target, labels, advisory, rule, path, all, expires } = entry;
  const scope = packageOf(entry);
  return {
    ...origin,
    reason,
    ...defined({ author, target, labels }),
    ...(typeof scope === 'object' ? { package: scope } : {}),
    ...(advisory === undefined ? {} : { advisories: typeof advisory === 'string' ? [advisory] : advisory }),
    ...defined({ rule, path, all }),
    ...(expires === undefined ? {} : { expires: endOf(expires) }),
  };
}

/** `Date.parse` reads 30 February as 2 March. */
function isInCalendar(expires: string): boolean {
  const time = Date.parse(expires);
  if (Number.isNaN(time)) return false;
  return !DATE.test(expires) || new Date(time).toISOString().startsWith(expires);
}

/** A day ends when the next one begins. */
function endOf(expires: string): string {
  const time = Date.parse(expires);
  return new Date(DATE.test(expires) ? time + DAY_MS : time).toISOString();
}

function packageOf({ package: purl, versions }: Fields): Suppression['package'] | string {
  if (purl === undefined) return versions === undefined ? undefined : '`versions` needs a `package`';
  const scope = readPackageScope(purl);
  if (typeof scope === 'string') return scope;
  if (versions !== undefined && scope.versions !== undefined) {
    return '`versions` is a second version beside that of the purl';
  }
  if (!ECOSYSTEMS.includes(scope.ecosystem)) {
    return `${JSON.stringify(scope.ecosystem)} is not an ecosystem of findings; there are ${ECOSYSTEMS.join(', ')}`;
  }
  const range = versions ?? scope.versions;
  if (range === undefined) return scope;
  const match = versionMatch(range, scope.ecosystem);
  return typeof match === 'string' ? match : { ...scope, versions: range };
}

function check(entry: Fields, context: z.RefinementCtx): void {
  const found = packageOf(entry);
  if (typeof found === 'string') {
    context.addIssue({ code: 'custom', path: ['package'], message: found });
    return;
  }
  const advisories = entry.advisory === undefined ? {} : { advisories: [entry.advisory].flat() };
  const all = entry.all === true ? { all: entry.all } : {};
  if (isTooWide({ ...defined({ package: found }), ...advisories, ...all })) {
    context.addIssue({ code: 'custom', message: TOO_WIDE });
  }
}

/** For an entry that is about every target. */
function checkShared(entry: Scope & Fields, context: z.RefinementCtx): void {
  check(entry, context);
  const named = [entry.package, entry.advisory, ...WIDE.map((name) => entry[name])];
  if (entry.all === true && named.every((part) => part === undefined)) {
    context.addIssue({
      code: 'custom',
      message: `\`all\` is for all packages: state one of ${WIDE.join(', ')}`,
    });
  }
}

type PackageScope = NonNullable<Suppression['package']>;

/**
 * Reads `pkg:npm/lodash`, `pkg:npm/lodash@4.17.20`, `pkg:npm/lodash@<4.17.21` or `pkg:npm/%40corp/*`. The version may be a range,
 * encoded or not. Returns why the text is invalid as a string.
 */
export function readPackageScope(text: string): PackageScope | string {
  const { PackageURL }: typeof import('packageurl-js') = loadPackage('packageurl-js');
  const { base, versions } = split(text.trim().replace(/[?#].*$/s, ''));
  try {
    const [type = '', namespace = '', name = ''] = PackageURL.parseString(base);
    if (name === '') return `"${text}" names no package`;
    const separator = type === 'maven' ? ':' : '/';
    const ecosystem = type.toLowerCase();
    const full = namespace === '' ? name : `${namespace}${separator}${name}`;
    return { ecosystem, name: full, ...(versions === '' ? {} : { versions }) };
  } catch {
    return `"${text}" is not a purl, such as \`pkg:npm/lodash\``;
  }
}

/** The version is after the last `@` that does not begin a scope. */
function split(text: string): { readonly base: string; readonly versions: string } {
  const at = text.lastIndexOf('@');
  if (at <= 0 || text[at - 1] === '/') return { base: text, versions: '' };
  return { base: text.slice(0, at), versions: percentDecoded(text.slice(at + 1)) };
}
