import { isObject } from '../../model/json-object.ts';
import { printable } from '../../model/printable.ts';
import { columns, fitLines, type TextOptions } from '../layout.ts';

/** The result of `lockhound config check`. */
export interface CheckedConfig {
  /** The file that was read; `null` when there was none. */
  readonly file: string | null;
  /** The configuration in effect. */
  readonly config: unknown;
  /** Names of the secrets that it refers to. */
  readonly secretNames: readonly string[];
  /** Why secrets cannot be read, each with its path in the configuration. */
  readonly missingSecrets: readonly string[];
  /** Statements of VEX documents that suppress nothing, and why. */
  readonly vexNotApplied: readonly {
    readonly path: string;
    readonly line: number;
    readonly reason: string;
  }[];
  /** The features that the configuration makes unavailable. */
  readonly notes: readonly string[];
}

/** The configuration in effect, one setting per line. */
export function configText(checked: CheckedConfig, options: TextOptions): string {
  const { file, config, secretNames, missingSecrets, vexNotApplied, notes } = checked;
  return fitLines(
    [
      `Configuration: ${file ?? '(no file; environment variables and defaults)'}`,
      '',
      ...leaves(config, []),
      '',
      secretNames.length === 0 ? 'No secrets.' : `Secrets: ${secretNames.join(', ')}`,
      ...missingSecrets.map((fault) => `Missing secret: ${fault}`),
      ...vexLines(vexNotApplied),
      ...notes,
    ],
    options,
  );
}

/** JSON has all. */
const MAX_NOT_APPLIED = 20;

function vexLines(notApplied: CheckedConfig['vexNotApplied']): readonly string[] {
  const rest = notApplied.length - MAX_NOT_APPLIED;
  return [
    ...notApplied
      .slice(0, MAX_NOT_APPLIED)
      .map(
        ({ path, line, reason }) => `VEX statement not applied: ${printable(`${path}:${line}: ${reason}`)}`,
      ),
    ...(rest > 0 ? [`… and ${rest} more VEX statements not applied: --json shows them`] : []),
  ];
}

function leaves(value: unknown, path: readonly string[]): readonly string[] {
  if (!isObject(value)) {
    return [`${path.join('.')} = ${typeof value === 'string' ? printable(value) : JSON.stringify(value)}`];
  }
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

/** Every setting with its environment variable and meaning. */
export function settingsText(
  settings: readonly {
    readonly path: readonly string[];
    readonly variable: string;
    readonly description: string | undefined;
  }[],
  { width }: TextOptions,
): string {
  const rows = settings.map(({ path, variable, description = '' }) => [
    path.join('.'),
    variable,
    description,
  ]);
  return `${columns(rows, { width }).join('\n')}\n`;
}
