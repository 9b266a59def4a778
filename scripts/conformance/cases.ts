import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package in a tool's answer; fields that the tool does not state are absent. */
export interface ExpectedPackage {
  /** `null` when the tool states none. */
  readonly ecosystem: string | null;
  readonly type?: string;
  readonly name: string;
  readonly version: string;
  readonly id?: string;
  readonly purl?: string;
  readonly groups?: readonly string[];
  readonly dev?: boolean;
  readonly relationship?: string;
  readonly commit?: string;
  readonly comparator?: string;
  readonly line?: number;
  /** First and last lines of its entries. */
  readonly lines?: readonly (readonly [number, number])[];
}

export interface Expected {
  readonly tool: 'osv-scalibr' | 'trivy' | 'syft';
  readonly input: string;
  readonly canonicalName?: string;
  /** The reader must fail, or report a problem. */
  readonly error?: boolean;
  readonly packages?: readonly ExpectedPackage[];
  readonly dependencies?: readonly { readonly id: string; readonly dependsOn: readonly string[] }[];
}

/** One input of a tool's test table. */
export interface Case {
  /** Folder of the format, such as `pnpm-lock-v9.0`. */
  readonly group: string;
  readonly name: string;
  readonly folder: string;
  readonly content: Buffer;
  readonly expected: Expected;
}

/** Reads all cases below `<corpora>/lockfiles`, sorted. */
export function readCases(corpora: string): readonly Case[] {
  const root = join(corpora, 'lockfiles');
  return readdirSync(root)
    .sort()
    .flatMap((group) => readdirSync(join(root, group)).map((name) => readCase(root, group, name)));
}

function readCase(root: string, group: string, name: string): Case {
  const folder = join(root, group, name);
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expected;
  return { group, name, folder, content: readFileSync(join(folder, expected.input)), expected };
}

/** The format of a folder of cases: `pnpm-lock-v9.0` is read as `pnpm-lock`. */
export function formatNameOf(group: string): string {
  if (group === 'yarn-berry' || group === 'yarn-v1') return 'yarn-lock';
  return group.replace(/-(?:v[\d.]+|invalid)$/, '');
}
