import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isExcluded } from '../fleet/compact-lockfile.ts';
import type { Finding } from '../model/scan/finding.ts';
import { isAdvisable } from '../model/scan/is-alert.ts';
import { countedSeverity } from '../model/scan/severity.ts';
import { lockedOf } from '../operations/packages/asked-packages.ts';
import { type JudgedPackage, judgePackages } from '../operations/packages/judged-packages.ts';
import { turnsOf } from '../operations/packages/turns.ts';
import { Refusal } from '../operations/refusal.ts';
import { addPost, type RouteParts } from './api/post-route.ts';
import type { ServeContext } from './serve-context.ts';

/** Versions of one request: those of a large project. */
const MAX_VERSIONS = 20_000;
const MAX_BODY_BYTES = 8_388_608;
const BODY = z.record(z.string().max(214), z.array(z.string().max(256)));

/**
 * Adds `POST /-/npm/v1/security/advisories/bulk`, which `npm audit` asks its registry: the findings of the rule `vulnerability`, by name of
 * package. A version of which not all is known has an entry of severity `info`: npm would take no entry as none.
 */
export function addNpmAudit(app: FastifyInstance, context: ServeContext, parts: RouteParts): void {
  const limited = { ...parts, bodyLimit: MAX_BODY_BYTES };
  addPost(
    app,
    '/-/npm/v1/security/advisories/bulk',
    limited,
    async ({ body }, { seesAll, identity: caller }, signal) => {
      const packages = packagesIn(body).map(([name, version]) =>
        lockedOf({ ecosystem: 'npm', name, source: { kind: 'registry' } }, version),
      );
      const judging = {
        ...{ gate: await context.gate.open(), target: { id: '', labels: {} }, now: Date.now() },
        ...{ seesAll, signal },
      };
      const asked = { caller, packages: packages.length, signal };
      const judge = () => judgePackages(packages, judging);
      return entriesOf(await parts.askStore(() => turnsOf(context)(asked, judge)));
    },
  );
}

/** The versions of a request, each once. Throws `Refusal` for one of another form. */
function packagesIn(body: unknown): readonly (readonly [name: string, version: string])[] {
  const { data } = BODY.safeParse(body);
  const found = Object.entries(data ?? {}).flatMap(([name, versions]) =>
    [...new Set(versions)].map((version) => [name, version] as const),
  );
  if (data !== undefined && found.length <= MAX_VERSIONS) return found;
  const detail = `expected versions by the name of their package, at most ${MAX_VERSIONS}`;
  throw new Refusal(400, 'invalid-body', detail);
}

function entriesOf(judged: readonly JudgedPackage[]): Readonly<Record<string, readonly object[]>> {
  const found = judged.flatMap(({ locked: { name, version, resolution }, findings, unknown }) => {
    const own = findings.filter(isAdvisable);
    // What the configuration excludes is no fault.
    const [reason] = isExcluded({ resolution }) ? [] : unknown;
    const title = `Lockhound does not know of all advisories: ${reason}`;
    const lacking =
      reason === undefined ? [] : [{ title, severity: 'info', url: '', cwe: [], cvss: NO_SCORE }];
    return [...own.map(entryOf), ...lacking].map((entry) => ({ name, version, entry }));
  });
  const listOf = (own: typeof found) =>
    Array.from(
      Map.groupBy(own, ({ entry }) => entry.url),
      ([url, same]) => ({
        id: Number.parseInt(createHash('sha256').update(url).digest('hex').slice(0, 12), 16),
        ...same[0]?.entry,
        // The index names affected versions, and no ranges.
        vulnerable_versions: same.map(({ version }) => version).join(' || '),
      }),
    );
  const byName = Map.groupBy(found, ({ name }) => name);
  return Object.fromEntries(Array.from(byName, ([name, own]) => [name, listOf(own)]));
}

const NO_SCORE = { score: 0, vectorString: null as string | null };

function entryOf(finding: Finding) {
  const { title = '', url = '', score = 0, vector = null } = finding.advisory ?? {};
  const severity = countedSeverity(finding);
  const shown = severity === 'medium' ? 'moderate' : severity === 'none' ? 'info' : severity;
  return { url, title, severity: shown, cwe: [], cvss: { score, vectorString: vector } };
}
