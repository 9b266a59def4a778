import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Finding } from '../model/scan/finding.ts';
import { countedSeverity } from '../model/scan/severity.ts';
import { lockedOf } from '../operations/packages/asked-packages.ts';
import { type JudgedPackage, judgePackages } from '../operations/packages/judged-packages.ts';
import type { Principal } from '../operations/principal.ts';
import { Refusal } from '../operations/refusal.ts';
import type { AskStore } from './api/ask-store.ts';
import type { ServeContext } from './serve-context.ts';

/** Versions of one request: those of a large project. */
const MAX_VERSIONS = 20_000;
const MAX_BODY_BYTES = 8_388_608;
const BODY = z.record(z.string().max(214), z.array(z.string().max(256)));

/** The parts of the server that a route needs beside the context. */
export interface RouteParts {
  readonly authenticate: (request: FastifyRequest) => Promise<Principal>;
  readonly countRequest: (caller: string) => void;
  readonly askStore: AskStore;
}

/**
 * Adds `POST /-/npm/v1/security/advisories/bulk`, which `npm audit` asks its registry: the findings of the rule `vulnerability`, by name of
 * package. A version that could not be looked up is an entry of severity `info`: npm would take no entry as none.
 */
export function addNpmAudit(
  app: FastifyInstance,
  context: ServeContext,
  { authenticate, countRequest, askStore }: RouteParts,
): void {
  const principals = new WeakMap<FastifyRequest, Principal>();
  app.route({
    method: 'POST',
    url: '/-/npm/v1/security/advisories/bulk',
    bodyLimit: MAX_BODY_BYTES,
    // Before the body is received.
    onRequest: async (request) => {
      const principal = await authenticate(request);
      countRequest(principal.identity);
      principals.set(request, principal);
    },
    handler: async (request) => {
      const packages = packagesIn(request.body).map(([name, version]) =>
        lockedOf({ ecosystem: 'npm', name, source: { kind: 'registry' } }, version),
      );
      const parts = {
        ...{ gate: await context.gate.open(), target: { id: '', labels: {} }, now: Date.now() },
        seesAll: principals.get(request)?.seesAll === true,
        signal: new AbortController().signal,
      };
      return entriesOf(await askStore(() => judgePackages(packages, parts)));
    },
  });
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
  const entries = new Map<string, Map<string, { readonly versions: string[]; readonly entry: object }>>();
  const add = ({ locked: { name, version } }: JudgedPackage, id: string, entry: object) => {
    const own = entries.get(name) ?? new Map();
    entries.set(name, own.set(id, { versions: [...(own.get(id)?.versions ?? []), version], entry }));
  };
  for (const one of judged) {
    const { outcome, reason = 'no answer' } = one.locked.resolution;
    if (outcome === 'failed') add(one, 'unknown', unknownEntry(reason));
    for (const finding of one.findings)
      if (finding.suppressed === undefined && finding.advisory !== undefined)
        add(one, finding.advisory.id, entryOf(finding, finding.advisory));
  }
  const listOf = (own: NonNullable<ReturnType<typeof entries.get>>) =>
    Array.from(own, ([id, { versions, entry }]) => ({
      id: Number.parseInt(createHash('sha256').update(id).digest('hex').slice(0, 12), 16),
      ...entry,
      // The index names affected versions, and no ranges.
      vulnerable_versions: versions.join(' || '),
    }));
  return Object.fromEntries(Array.from(entries, ([name, own]) => [name, listOf(own)]));
}

function entryOf(finding: Finding, { title, url, score = 0, vector }: Finding['advisory'] & object) {
  const severity = countedSeverity(finding);
  const shown = severity === 'medium' ? 'moderate' : severity === 'none' ? 'info' : severity;
  return { url, title, severity: shown, cwe: [], cvss: { score, vectorString: vector ?? null } };
}

function unknownEntry(reason: string) {
  const title = `Lockhound does not know of advisories: ${reason}`;
  return { url: '', title, severity: 'info', cwe: [], cvss: { score: 0, vectorString: null } };
}
