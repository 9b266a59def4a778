import { jsonValue } from '../../model/json-object.ts';
import { SEVERITIES } from '../../model/scan/severity.ts';
import type { Secret } from '../../model/secret.ts';
import { type Alert, actionOf, dedupKeyOf, worstSeverity } from '../alert/alert.ts';
import { briefEvent, changeEvent } from '../alert/change-event.ts';
import { linesOf, titleOf } from '../alert/message.ts';
import { PRESETS } from '../presets/catalog.ts';
import type { AlertVariable } from '../presets/preset.ts';
import type { VariableValue } from '../webhooks/definition.ts';
import { PLATFORM_VARIABLES, tagOf } from './platform-variables.ts';

/** The variables that Lockhound adds to the platform's, in the order of the documentation. */
export const LOCKHOUND_VARIABLES: readonly AlertVariable[] = [
  { name: 'TARGET', description: 'Id of the target.', text: ({ target }) => target.id },
  {
    name: 'ROUTE',
    description: 'Name of the route; `default` when no routes are configured.',
    text: ({ route }) => route,
  },
  {
    name: 'MODE',
    description:
      '`digest` (one scan), `change` (one change), `periodic` (many scans) or `advisory` (one issue, all targets).',
    text: ({ mode }) => mode ?? 'digest',
  },
  {
    name: 'TEST',
    description: 'JSON: `true` for `lockhound webhook test`, otherwise `false`.',
    json: ({ test }) => test === true,
  },
  {
    name: 'FIRST_SCAN',
    description: "JSON: `true` for the summary of a target's first scan (`notify.firstScan`), else `false`.",
    json: ({ firstScan }) => firstScan === 'opened',
  },
  {
    name: 'REMINDER',
    description:
      'JSON: `true` for a digest of findings that are still open (`notify.remindAfter`), else `false`.',
    json: ({ reminder }) => reminder === true,
  },
  { name: 'SCAN', description: 'Id of the scan.', text: ({ scan }) => scan },
  { name: 'SCANNED_AT', description: 'Time of the scan, RFC 3339.', text: ({ date }) => date },
  {
    name: 'SEVERITY',
    description: `Severity of the worst change: ${SEVERITIES.join(', ')}.`,
    text: worstSeverity,
  },
  { name: 'SUMMARY', description: 'The same as EVENT_TITLE.', text: titleOf },
  {
    name: 'COUNTS',
    description:
      'JSON: number of changes by transition (`opened`, `worsened`, `reopened`, `disputed`, `suppressed`, `resolved`).',
    json: ({ totals }) => totals.counts,
  },
  { name: 'OPEN', description: 'JSON: open findings of the target by severity.', json: ({ open }) => open },
  {
    name: 'GAPS',
    description: 'JSON: number of facts that the scan could not determine.',
    json: ({ gaps }) => gaps,
  },
  {
    name: 'CHANGES',
    description: 'One line of text per change; when not all fit, the worst ones and a count.',
    text: linesOf,
  },
  {
    name: 'CHANGES_JSON',
    description: 'JSON: list of the changes as in the generic event; when not all fit, the worst ones.',
    json: ({ changes, target, brief }) =>
      changes.map((change) => (brief ? briefEvent : changeEvent)(change, target.id)),
  },
  {
    name: 'LEFT_OUT',
    description: 'JSON: number of changes left out of CHANGES and CHANGES_JSON.',
    json: ({ leftOut }) => leftOut,
  },
  { name: 'LABELS_JSON', description: "JSON: the target's labels.", json: ({ target }) => target.labels },
  {
    name: 'DEDUP_KEY',
    description: 'Key for grouping alerts: of the finding (mode `change`) or of the target.',
    text: dedupKeyOf,
  },
  {
    name: 'EVENT_ACTION',
    description: '`resolve` when the finding is resolved or nothing is open; otherwise `trigger`.',
    text: actionOf,
  },
];

/** All variables computed from an alert: the platform's, Lockhound's, and those of the presets. */
export const ALERT_VARIABLES: readonly AlertVariable[] = [
  ...PLATFORM_VARIABLES,
  ...LOCKHOUND_VARIABLES,
  ...PRESETS.flatMap(({ variables }) => variables ?? []),
];

/** The value of a variable. */
interface Value {
  readonly text: string;
  /** JSON text, for an unquoted position in JSON. */
  readonly json: string;
  /** True for custom variables, which an operator wrote and which may be URLs; other values come from packages. */
  readonly trusted: boolean;
}

export type Values = ReturnType<typeof valuesOf>;

const BY_NAME: ReadonlyMap<string, AlertVariable> = new Map(
  ALERT_VARIABLES.map((variable) => [variable.name, variable]),
);

/** Custom variables and those of the alert; a custom variable replaces one of the alert with the same name. */
export function valuesOf(alert: Alert, custom: Readonly<Record<string, VariableValue>>) {
  return {
    has: knownNames(custom),
    /** Computed on request: most templates use few variables. */
    get(name: string): Value | undefined {
      const own = Object.hasOwn(custom, name) ? custom[name] : undefined;
      if (own !== undefined) {
        const text = textOf(own);
        return { text, json: asJson(text), trusted: true };
      }
      const tag = /^TAGS\[(.*)\]$/s.exec(name)?.[1];
      if (tag !== undefined) return alertValue(tagOf(alert, tag));
      const variable = BY_NAME.get(name);
      if (variable === undefined) return undefined;
      return alertValue('text' in variable ? variable.text(alert) : variable.json(alert));
    },
  };
}

/** Returns whether a template may use `$name`. */
export function knownNames(custom: Readonly<Record<string, unknown>>): (name: string) => boolean {
  return (name) => BY_NAME.has(name) || Object.hasOwn(custom, name);
}

/** The text of a custom variable, secrets included. */
export function textOf(value: VariableValue): string {
  return 'secret' in value ? value.secret.reveal() : value.value;
}

export function secretsIn(custom: Readonly<Record<string, VariableValue>>): readonly Secret[] {
  return Object.values(custom).flatMap((value) => ('secret' in value ? [value.secret] : []));
}

function alertValue(value: unknown): Value {
  const json = JSON.stringify(value);
  return { text: typeof value === 'string' ? value : json, json, trusted: false };
}

/** As the platform does: text that is JSON (`5`, `true`) stays as it is, other text becomes a JSON string. */
function asJson(text: string): string {
  return jsonValue(text) === undefined ? JSON.stringify(text) : text;
}
