import { isObject, jsonValue } from '../json-object.ts';
import type { Integrity, Source } from './lockfile.ts';

/** Properties of components in BOMs that Lockhound writes, for facts of a lockfile that CycloneDX has no field for. */
export const BOM_PROPERTIES = {
  /** A condition under which the package is installed. Repeated. */
  group: 'lockhound:package:group',
  /** `true` when it runs a script at installation. */
  installScript: 'lockhound:package:install-script',
  /** A digest of an algorithm that CycloneDX does not have: algorithm, encoding, value. Repeated. */
  integrity: 'lockhound:package:integrity',
  /** The source of the bytes of the package, as JSON, where its purl does not say it. */
  source: 'lockhound:package:source',
} as const;

export function integrityText({ algorithm, encoding, value }: Integrity): string {
  return `${algorithm} ${encoding} ${value}`;
}

/** Reads a digest that `integrityText` wrote. `undefined` for other texts. */
export function readIntegrity(text: string): Integrity | undefined {
  const [, algorithm, encoding, value] = /^(\S+) (hex|base64) (\S+)$/.exec(text) ?? [];
  if (algorithm === undefined || value === undefined) return undefined;
  return { algorithm, value, encoding: encoding === 'hex' ? 'hex' : 'base64' };
}

/** Reads a source that was written as JSON. `undefined` for other texts. */
export function readSource(text: string): Source | undefined {
  const stated = jsonValue(text);
  if (!isObject(stated)) return undefined;
  const { kind, url, path, commit } = stated;
  if (kind === 'path') return typeof path === 'string' ? { kind, path } : undefined;
  if (kind === 'registry' && url === undefined) return { kind };
  if (typeof url !== 'string') return undefined;
  if (kind === 'git') return { kind, url, ...(typeof commit === 'string' ? { commit } : {}) };
  return kind === 'registry' || kind === 'url' ? { kind, url } : undefined;
}
